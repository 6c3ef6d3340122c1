"""Bubblewrap around a keeper: one per worker, made where namespaces can be made, and a probe that tries it.

Inside, the keeper is process 1 of namespaces of its own and sees an allow-listed, read-only file system.
It keeps just the capabilities to give every match namespaces of its own (see `namespaces`).
"""

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.playing.containment import seccomp
from arena.playing.containment.namespaces import PIVOT_ROOT, SCRATCH
from arena.playing.containment.places import common_places
from arena.playing.containment.trying import ENCLOSED

PROGRAM = "bwrap"
ROOMS = "/arena"  # where the keeper makes the roots of matches
UID = 1000  # in a user namespace: who the keeper and its bots are
DEVICES = (
    "null",
    "full",
    "random",
    "urandom",
)  # not zero: shared pages of it are memory that no limit counts
DEVICE_LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
ROOT_BYTES, DEVICE_BYTES = 1 << 20, 1 << 16
CAPABILITIES = ("CAP_SYS_ADMIN", "CAP_SETPCAP")
OF_ROOT = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL", "CAP_DAC_READ_SEARCH")
OF_CALLS = "CAP_NET_ADMIN"  # networks of matches get a 127.0.0.1 of their own
PASSED = (  # of the environment, besides what begins like PREFIXES
    *("LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHASHSEED", "JAVA_HOME"),
    *("NODE_PATH", "VIRTUAL_ENV", "MALLOC_ARENA_MAX"),
)
PREFIXES = ("LC_", "NUMBA_")
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
PROBE = """\
import sys
sys.path.insert(0, sys.argv[1])
from arena.playing.containment.trying import try_enclosing
try_enclosing()
"""
PROBE_SECONDS = 20.0


def environment(cache: str) -> dict[str, str]:
    """All that a contained process is told: no tokens, no names of folders that it cannot see."""
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in PASSED or name.startswith(PREFIXES)
    }
    return {
        **passed,
        "PATH": path_of_programs(),
        "HOME": SCRATCH,
        "TMPDIR": SCRATCH,
        "PYTHONDONTWRITEBYTECODE": "1",
        "ARENA_CACHE": cache,
        **dict.fromkeys(ONE_THREAD, "1"),
    }


def path_of_programs() -> str:
    """Where programs are looked for: beside this interpreter, then where this process looks."""
    beside = os.path.dirname(sys.executable)
    return os.pathsep.join(dict.fromkeys([beside, *os.environ.get("PATH", os.defpath).split(":")]))


def arguments(
    binds: Sequence[str],
    told: Mapping[str, str],
    hidden: Sequence[str] = (),
    calling: bool = False,
) -> list[str]:
    """What bubblewrap is to do before it runs the keeper.

    Args:
        binds: paths that are to be seen, read-only, where they are.
        told: the whole environment.
        hidden: folders below these that seem empty.
        calling: some of its bots may call hosts.
    """
    _, links = common_places()
    root = os.getuid() == 0
    words = [PROGRAM, *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")]
    words += ["--unshare-cgroup-try", "--new-session", "--as-pid-1", "--hostname", "arena"]
    if not root:
        words += ["--unshare-user", "--uid", str(UID), "--gid", str(UID)]
    words += ["--cap-drop", "ALL"]
    # One that root itself lacks would make bubblewrap 0.8 leave all of them, silently: `trying` looks.
    kept = (*CAPABILITIES, *(OF_ROOT if root else ()), *([OF_CALLS] if calling else ()))
    for capability in kept:
        words += ["--cap-add", capability]
    words += ["--clearenv"]
    for name, value in told.items():
        words += ["--setenv", name, value]
    words += ["--size", str(ROOT_BYTES), "--tmpfs", "/"]  # its own root has no limit
    parents = {str(parent) for path in binds for parent in Path(path).parents} - {"/"}
    for parent in sorted(parents | {"/etc"}):
        words += ["--perms", "0755", "--dir", parent]  # else they are closed to others
    for path, meant in links:
        words += ["--symlink", meant, path]
    for path in sorted(binds):
        words += ["--ro-bind", path, path]
    for path in hidden:
        words += ["--size", "4096", "--tmpfs", path, "--remount-ro", path]
    words += ["--proc", "/proc"]
    # Not --dev: it makes a second user namespace, in which the keeper could mount nothing.
    words += ["--size", str(DEVICE_BYTES), "--tmpfs", "/dev"]
    for name in DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, meant in DEVICE_LINKS.items():
        words += ["--symlink", meant, f"/dev/{name}"]
    words += ["--symlink", SCRATCH, "/dev/shm", "--remount-ro", "/dev"]
    words += ["--perms", "0755", "--size", str(ROOT_BYTES), "--tmpfs", ROOMS]
    return [*words, "--remount-ro", "/", "--chdir", "/", "--"]


@functools.cache
def problem() -> str:
    """Why there can be no sandbox here, and what would help; nothing if there can."""
    if sys.platform != "linux":
        return f"a sandbox needs Linux, here it is {sys.platform} (on Windows use WSL)"
    machine = os.uname().machine
    if not seccomp.supported() or machine not in PIVOT_ROOT:
        return f"the filter of system calls does not know this machine ({machine})"
    if shutil.which(PROGRAM) is None:
        return "bubblewrap is not installed (apt-get install bubblewrap, dnf install bubblewrap)"
    binds, _ = common_places()
    project = str(Path(__file__).resolve().parents[3])
    command = [*arguments(binds, environment("/nowhere")), sys.executable, "-I", "-S", "-c", PROBE]
    try:
        done = subprocess.run(
            [*command, project],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{PROGRAM} cannot be run: {error}"
    if done.returncode == 0 and done.stdout.strip() == ENCLOSED:
        return ""
    said = (done.stderr.strip() or done.stdout.strip()).splitlines() or [
        f"exit code {done.returncode}"
    ]
    return f"{said[-1][:200]} ({cure()})"


def cure() -> str:
    """What keeps namespaces from being made here, as far as the system tells."""
    for name, wanted, sysctl in (
        ("kernel/apparmor_restrict_unprivileged_userns", "0", "AppArmor"),
        ("kernel/unprivileged_userns_clone", "1", "the kernel"),
    ):
        path = Path("/proc/sys", name)
        if os.getuid() != 0 and path.exists() and path.read_text().strip() != wanted:
            setting = f"{name.replace('/', '.')}={wanted}"
            return f"{sysctl} forbids namespaces to users: sysctl -w {setting}"
    limit = Path("/proc/sys/user/max_user_namespaces")
    if os.getuid() != 0 and limit.exists() and limit.read_text().strip() == "0":
        return "namespaces are switched off: sysctl -w user.max_user_namespaces=15000"
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        flags = "--cap-add SYS_ADMIN --security-opt seccomp=unconfined"
        return f"in a container: start it with {flags} --security-opt apparmor=unconfined"
    return "namespaces cannot be made here"
