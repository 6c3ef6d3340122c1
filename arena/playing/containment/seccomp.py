"""A filter of system calls for a bot in the sandbox, as a program of classic BPF.

Refused is what reaches beyond its namespaces, what holds memory that no limit counts, and what lets two
bots leave each other signs on files that both may read. Threads, subprocesses, sockets between its own
processes, Numba, node and java work under it.
"""

import ctypes
import os
import platform
import struct

# The numbers of the system calls on x86_64 and aarch64; None: it does not exist there.
NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "cachestat": (451, 451),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "clone": (56, 220),
    "clone3": (435, 435),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "fcntl": (72, 25),
    "finit_module": (313, 273),
    "flock": (73, 32),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "get_mempolicy": (239, 236),
    "init_module": (175, 105),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioctl": (16, 29),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lookup_dcookie": (212, 18),
    "map_shadow_stack": (453, 453),
    "mbind": (237, 235),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "migrate_pages": (256, 238),
    "mincore": (27, 232),
    "mmap": (9, 222),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "msgctl": (71, 187),
    "msgget": (68, 186),
    "msgrcv": (70, 188),
    "msgsnd": (69, 189),
    "name_to_handle_at": (303, 264),
    "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "preadv2": (327, 286),
    "prlimit64": (302, 261),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "pwritev2": (328, 287),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "seccomp": (317, 277),
    "semctl": (66, 191),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "set_mempolicy": (238, 237),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "setpgid": (109, 154),
    "setsid": (112, 157),
    "setsockopt": (54, 208),
    "settimeofday": (164, 170),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmdt": (67, 197),
    "shmget": (29, 194),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "statmount": (457, 457),
    "listmount": (458, 458),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "uselib": (134, None),
    "userfaultfd": (323, 282),
    "vhangup": (153, 58),
    "vmsplice": (278, 75),
}
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column of NUMBERS, AUDIT_ARCH
X32 = 0x4000_0000
EPERM, ENOSYS = 1, 38
# Programs ask for these to find out whether they exist, and have another way where they do not.
MISSING = {
    *("cachestat", "clone3", "inotify_init", "inotify_init1", "io_uring_enter"),
    *("io_uring_register", "io_uring_setup", "memfd_create", "memfd_secret", "mq_open"),
    *("pidfd_open", "pidfd_send_signal", "preadv2", "pwritev2", "userfaultfd"),
}
# "Done" without doing it: a lock on a file that other bots read too would be a sign to them; and all
# processes of a match stay in one group, which one signal stops.
IDLE = {"flock", "setpgid", "setsid"}

CLONE_NEW = 0x7E02_0080  # the flags of clone that make namespaces
SHARED_ANONYMOUS = 0x21
GETLK, SETLK, SETLKW, SETLEASE, NOTIFY = 5, 6, 7, 1024, 1026
OFD_GETLK, OFD_SETLK, OFD_SETLKW = 36, 37, 38
SET_PIPE_SIZE = 1031
SNDBUF, RCVBUF, SNDBUFFORCE, RCVBUFFORCE = 7, 8, 32, 33
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
UNIX, INTERNET = 1, 2
STREAM, SOCKET_TYPE, TCP = 1, 0xF, 6

LOAD, AND, EQUAL, ANY_BIT, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x45, 0x35, 0x06
ALLOW, REFUSE, KILL = 0x7FFF_0000, 0x0005_0000, 0x8000_0000
MACHINE_OFFSET, NUMBER_OFFSET = 4, 0
MODE_FILTER, SET_SECCOMP = 2, 22


def argument(position: int) -> int:
    """Where the low half of an argument of a system call stands."""
    return 16 + 8 * position


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One instruction of BPF."""
    return struct.pack("<HBBI", code, if_true, if_false, value)


def refuse(error: int) -> bytes:
    """End with an error; 0 pretends that the call was done."""
    return instruction(RETURN, REFUSE | error)


def only(number: int, body: list[bytes]) -> list[bytes]:
    """Run the body for one system call; it ends with the number loaded again."""
    whole = [*body, instruction(LOAD, NUMBER_OFFSET)]
    return [instruction(EQUAL, number, 0, len(whole)), *whole]


def refused_if(position: int, values: tuple[int, ...], error: int = EPERM) -> list[bytes]:
    """Refuse where an argument is one of these."""
    body = [instruction(LOAD, argument(position))]
    for value in values:
        body += [instruction(EQUAL, value, 0, 1), refuse(error)]
    return body


def refused_unless(position: int, value: int) -> list[bytes]:
    """Refuse where an argument is anything else."""
    return [
        instruction(LOAD, argument(position)),
        instruction(EQUAL, value, 1, 0),
        refuse(EPERM),
    ]


def unix_or_tcp() -> list[bytes]:
    """Sockets between a bot's own processes, and TCP, whose memory `namespaces.narrow` bounds."""
    tcp = [
        *refused_unless(0, INTERNET),
        instruction(LOAD, argument(1)),
        instruction(AND, SOCKET_TYPE),
        instruction(EQUAL, STREAM, 1, 0),
        refuse(EPERM),
        instruction(LOAD, argument(2)),
        instruction(EQUAL, 0, 2, 0),
        instruction(EQUAL, TCP, 1, 0),
        refuse(EPERM),
    ]
    return [instruction(LOAD, argument(0)), instruction(EQUAL, UNIX, len(tcp), 0), *tcp]


def judged(calling: bool = False) -> dict[str, list[bytes]]:
    """The system calls whose arguments decide; `calling`: of a bot that may call hosts."""
    return {
        "clone": [
            instruction(LOAD, argument(0)),
            instruction(ANY_BIT, CLONE_NEW, 0, 1),
            refuse(EPERM),
        ],
        # Limits of others; 0 is the caller itself.
        "prlimit64": refused_unless(0, 0),
        # Sockets of the internet hold megabytes that no limit counts, on a lonely loopback too.
        "socket": unix_or_tcp() if calling else refused_unless(0, UNIX),
        "socketpair": refused_unless(0, UNIX),
        # Memory of this kind can be dropped from the page table and lives on, uncounted.
        "mmap": [
            instruction(LOAD, argument(3)),
            instruction(AND, SHARED_ANONYMOUS),
            instruction(EQUAL, SHARED_ANONYMOUS, 0, 1),
            refuse(EPERM),
        ],
        "fcntl": [
            *refused_if(1, (SETLK, SETLKW, OFD_SETLK, OFD_SETLKW), 0),
            *refused_if(1, (GETLK, OFD_GETLK, SETLEASE, NOTIFY, SET_PIPE_SIZE)),
        ],
        "setsockopt": refused_if(2, (SNDBUF, RCVBUF, SNDBUFFORCE, RCVBUFFORCE)),
        "ioctl": refused_if(1, (TIOCSTI, TIOCLINUX)),
    }


def supported() -> bool:
    """Whether the filter knows this machine."""
    return platform.machine() in MACHINES


def program(machine: str = "", calling: bool = False) -> bytes:
    """The filter for a machine, by default this one; `calling`: for a bot that may call hosts.

    Raises:
        KeyError: the numbers of this machine are not known.
    """
    column, audit = MACHINES[machine or platform.machine()]
    arguments = judged(calling)
    code = [
        instruction(LOAD, MACHINE_OFFSET),
        instruction(EQUAL, audit, 1, 0),
        instruction(RETURN, KILL),
        instruction(LOAD, NUMBER_OFFSET),
        instruction(AT_LEAST, X32, 0, 1),
        refuse(ENOSYS),
    ]
    for name, numbers in NUMBERS.items():
        number = numbers[column]
        if number is None:
            continue
        if name in arguments:
            code += only(number, arguments[name])
        else:
            error = 0 if name in IDLE else ENOSYS if name in MISSING else EPERM
            code += [instruction(EQUAL, number, 0, 1), refuse(error)]
    return b"".join([*code, instruction(RETURN, ALLOW)])


def install(code: bytes) -> None:
    """Put this process, for good, behind a filter; it needs PR_SET_NO_NEW_PRIVS first.

    Raises:
        OSError: the kernel refuses it.
    """
    library = ctypes.CDLL(None, use_errno=True)
    held = ctypes.create_string_buffer(code)
    head = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(held))
    if library.prctl(SET_SECCOMP, MODE_FILTER, head, 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), "seccomp")
