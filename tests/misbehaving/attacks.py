"""Bots that mean harm. One that gets somewhere raises `Escaped`; one that does not plays on."""

# ruff: noqa: RET503, SIM115 - an attack is over when it succeeds or its process ends

import ctypes
import errno
import glob
import mmap
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)
MACHINE = os.uname().machine
NUMBERS = {  # of system calls: x86_64, aarch64
    "ptrace": (101, 117),
    "unshare": (272, 97),
    "mount": (165, 40),
    "setns": (308, 268),
    "keyctl": (250, 219),
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "shmget": (29, 194),
    "inotify_init1": (294, 26),
    "open_by_handle_at": (304, 265),
    "clock_settime": (227, 112),
    "process_vm_readv": (310, 270),
    "userfaultfd": (323, 282),
}


class Escaped(Exception):
    """The attack got somewhere."""


def system_call(name, *arguments):
    number = NUMBERS[name][MACHINE != "x86_64"]
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


def works(call):
    try:
        call()
    except OSError:
        return False
    return True


@dataclass(frozen=True)
class Facts:
    """What an attacker was told beforehand: paths and a port of this machine."""

    run: str = ""
    victim: str = ""
    port: int = 0


class Attack:
    """Tries once in each match."""

    Parameters = Facts

    def __init__(self, run, victim, port):
        self.run, self.victim, self.port, self.tried = run, victim, port, False

    def reset(self, game, view, seed):
        self.seed = seed

    def act(self, view, legal):
        if not self.tried:
            self.tried = True
            found = self.attack()
            if found:
                raise Escaped(found)
        return legal[0]

    def close(self):
        pass

    def attack(self):
        """What it got hold of, or nothing."""


class PoisonsCache(Attack):
    def attack(self):
        roots = os.environ.get("ARENA_SHARED_CACHE", "").split(":")
        roots += [os.environ.get("ARENA_CACHE", "")] if not any(roots) else []
        for root in filter(None, roots):
            if works(lambda root=root: open(f"{root}/poison", "w")):
                return f"wrote into {root}"
            for path in glob.glob(f"{root}/**/*", recursive=True):
                if os.path.isfile(path) and works(lambda path=path: open(path, "r+b")):
                    return f"could change {path}"


class LimitsOthers(Attack):
    def attack(self):
        for pid in range(2, 3000):
            if pid != os.getpid() and works(
                lambda pid=pid: resource.prlimit(pid, resource.RLIMIT_CPU, (9999, 9999))
            ):
                return f"limited {pid}"


class RenicesOthers(Attack):
    def attack(self):
        for pid in range(2, 3000):
            if pid != os.getpid() and works(lambda pid=pid: os.setpriority(0, pid, 19)):
                return f"reniced {pid}"


class PinsOthers(Attack):
    def attack(self):
        for pid in range(2, 3000):
            if pid != os.getpid() and works(lambda pid=pid: os.sched_setaffinity(pid, {0})):
                return f"pinned {pid}"


class SignalsOthers(Attack):
    def attack(self):
        for pid in range(2, 3000):
            if pid != os.getpid() and works(lambda pid=pid: os.kill(pid, 0)):
                return f"may signal {pid}"


_matches = []


class RecallsInMemory(Attack):
    def attack(self):
        _matches.append(self.seed)
        return f"remembers {_matches}" if len(_matches) > 1 else ""


class RecallsInFiles(Attack):
    def attack(self):
        folders = [os.environ.get(name, "") for name in ("ARENA_CACHE", "TMPDIR", "HOME")]
        folders += ["/tmp", "/var/tmp", "/dev/shm", os.path.dirname(__file__), os.getcwd(), "/"]
        places = [Path(folder, "arena-notes-of-an-attacker") for folder in filter(None, folders)]
        if any(notes.exists() for notes in places):
            return "remembers a match"
        for notes in places:
            works(lambda notes=notes: notes.write_text("me"))


class Daemons(Attack):
    """Eats memory in daemons that nobody is the parent of."""

    def attack(self):
        for _ in range(30):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    eaten = bytearray(b"x" * (20 << 20))
                    time.sleep(60)
                    del eaten
                os._exit(0)
            os.wait()
        time.sleep(60)


class MemoryFile(Attack):
    def attack(self):
        handle = os.memfd_create("notes")
        for _ in range(400):
            os.write(handle, bytes(1 << 20))
        return "400 MB in a file without a name"


class SharedPages(Attack):
    def attack(self):
        held = []
        for _ in range(40):
            pages = mmap.mmap(-1, 10 << 20)
            for place in range(0, len(pages), 4096):
                pages[place] = 1
            pages.madvise(mmap.MADV_DONTNEED)
            held.append(pages)
        return "400 MB of pages that nobody counts"


class FillsDisk(Attack):
    def attack(self):
        with open("large", "wb") as file:
            for _ in range(300):
                file.write(bytes(1 << 20))
        return "300 MB of a disk"


class HugeFolder(Attack):
    def attack(self):
        for number in range(50_000):
            Path(str(number)).touch()
        return "50 000 files"


class Connects(Attack):
    def attack(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 2).close()
        except OSError:
            return ""
        return "spoke to a server of this machine"


class FindsRay(Attack):
    def attack(self):
        found = glob.glob("/tmp/ray/session_*") + glob.glob("/tmp/ray/ray_current_cluster")
        return f"found {found[0]}" if found else ""


class ReadsProcesses(Attack):
    def attack(self):
        others = [int(name) for name in os.listdir("/proc") if name.isdigit()]
        others = [pid for pid in others if pid not in (1, os.getpid())]
        return f"sees {others[:5]}" if others else ""


class ReadsFirstProcess(Attack):
    def attack(self):
        for name in ("environ", "mem", "maps"):
            if works(lambda name=name: open(f"/proc/1/{name}", "rb").read(8)):
                return f"read {name} of process 1"


class Traces(Attack):
    def attack(self):
        for pid in (1, os.getppid()):
            if works(lambda pid=pid: system_call("ptrace", 16, pid, 0, 0)):
                return f"traces {pid}"


class ReadsRun(Attack):
    def attack(self):
        found = works(lambda: os.listdir(self.run))
        return f"sees the folder of the run: {os.listdir(self.run)}" if found else ""


class ReadsOtherBot(Attack):
    def attack(self):
        return "read another bot" if works(lambda: open(self.victim).read()) else ""


class ReadsSecrets(Attack):
    def attack(self):
        if "ARENA_TEST_TOKEN" in os.environ:
            return "read a token"
        for place in ("/etc/shadow", "/etc/passwd"):
            if works(lambda place=place: open(place).read()) and "root" in open(place).read():
                return f"read {place}"
        homes = [Path(one) for one in ("/root/.ssh", "/home")]
        return next((str(home) for home in homes if home.is_dir()), "")


class LinksOut(Attack):
    def attack(self):
        os.symlink(self.run, "out")
        if works(lambda: open("out/new.txt", "w")):
            return "wrote through a link"
        return "read through a link" if works(lambda: os.listdir("out")) else ""


class WritesCode(Attack):
    def attack(self):
        for module in ("arena", "engines", "numpy", "os"):
            file = sys.modules[module].__file__ or ""
            if works(lambda file=file: open(file, "r+")):
                return f"could change {file}"


class TurnsClock(Attack):
    def attack(self):
        moment = (ctypes.c_long * 2)(int(time.time()), 0)
        return "set the clock" if works(lambda: system_call("clock_settime", 0, moment)) else ""


class MakesNamespaces(Attack):
    def attack(self):
        for name, arguments in (
            ("unshare", (0x1000_0000,)),
            ("mount", (b"none", b"/", b"tmpfs", 0, b"")),
        ):
            if works(lambda name=name, arguments=arguments: system_call(name, *arguments)):
                return name


class UsesKernel(Attack):
    def attack(self):
        for name, arguments in (
            ("keyctl", (0, -3, 1)),
            ("io_uring_setup", (8, ctypes.create_string_buffer(240))),
            ("bpf", (0, 0, 0)),
            ("shmget", (0, 4096, 0o1600)),
            ("inotify_init1", (0,)),
            ("userfaultfd", (1,)),
        ):
            if works(lambda name=name, arguments=arguments: system_call(name, *arguments)):
                return name


class RaisesLimits(Attack):
    def attack(self):
        for kind in (resource.RLIMIT_DATA, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE):
            _, hard = resource.getrlimit(kind)
            try:
                resource.setrlimit(kind, (2 * hard, 2 * hard))
            except (OSError, ValueError):
                continue
            return f"raised limit {kind}"


class BecomesRoot(Attack):
    def attack(self):
        if os.getuid() == 0 or works(lambda: os.setuid(0)):
            return "is root"


class LocksSharedFile(Attack):
    """Two bots that lock a file both may read would have a line to each other."""

    def attack(self):
        import fcntl

        with open(os.__file__) as one, open(os.__file__) as other:
            fcntl.flock(one, fcntl.LOCK_EX)
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                return "a lock" if error.errno == errno.EWOULDBLOCK else ""


class Zombies(Attack):
    def attack(self):
        for _ in range(200):
            if os.fork() == 0:
                os._exit(0)
        return "200 processes that are not waited for"


class SignalsItself(Attack):
    def attack(self):
        signal.signal(signal.SIGALRM, lambda number, frame: None)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        os.kill(0, signal.SIGCONT)


class RunsSetuid(Attack):
    def attack(self):
        for program in ("su", "sudo", "mount", "passwd"):
            done = subprocess.run(
                ["sh", "-c", f"{program} --version >/dev/null 2>&1; id -u"],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.stdout.strip() == "0":
                return f"{program} made it root"


class OpensDevices(Attack):
    def attack(self):
        for name in ("tty", "mem", "kmsg", "zero", "shm/x", "fuse", "kvm"):
            flags = os.O_RDWR | (os.O_CREAT if name == "shm/x" else 0)
            if name != "shm/x" and works(
                lambda name=name, flags=flags: os.open(f"/dev/{name}", flags)
            ):
                return name
