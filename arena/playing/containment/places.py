"""What a sandbox may read: the interpreter, installed packages, system folders, and what a bot declares."""

import functools
import importlib.util
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import distributions, entry_points
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
SETTINGS = (
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "ssl",
    "alternatives",
    "fonts",
)
MISSING = re.compile(
    r"(?:No such file or directory|ENOENT)[^'\"\n]{0,80}['\"]([^'\"\n]{1,1000})['\"]"
)
OWN = ("arena", "bots", "engines")
GROUPS = ("arena.games", "arena.bots")
INSTALLED = ("site-packages", "dist-packages", "lib-dynload")
INSTALLATION = ("lib", "lib64", "share", "include", "pyvenv.cfg")  # what stands beside `bin`


@functools.cache
def common_places() -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """What every sandbox on this machine sees: paths to bind, and symbolic links to make."""
    links = [(path, os.readlink(path)) for path in SYSTEM if os.path.islink(path)]
    found = [path for path in SYSTEM if os.path.isdir(path) and not os.path.islink(path)]
    found += [f"/etc/{name}" for name in SETTINGS]
    found += [str(path) for path in Path("/etc").glob("java*")]
    found += [*prefixes(), *import_places(), *package_places()]
    return outermost(existing(found)), tuple(links)


def prefixes() -> set[str]:
    """Where this interpreter is installed: virtual environment, and what it was made from."""
    found = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    return {folder for folder in found if not is_shared(folder)}


def import_places() -> Iterator[str]:
    """Folders of installed packages on the path of imports; not the folder where a user works."""
    for entry in sys.path:
        if os.path.basename(entry) in INSTALLED or entry.endswith(".zip"):
            yield os.path.abspath(entry)


def package_places() -> Iterator[str]:
    """This package, plug-ins and all that is installed in place, wherever its source lies."""
    names = set(OWN)
    for group in GROUPS:
        names |= {point.module.partition(".")[0] for point in entry_points(group=group)}
    for one in distributions():
        told = one.read_text("direct_url.json")
        if told and json.loads(told).get("dir_info", {}).get("editable"):
            names |= set((one.read_text("top_level.txt") or "").split())
    for name in names:
        with_spec = importlib.util.find_spec(name)
        if with_spec is not None and with_spec.submodule_search_locations:
            yield from with_spec.submodule_search_locations
        elif with_spec is not None and with_spec.origin:
            yield with_spec.origin


def program_places(command: str) -> tuple[str, ...]:
    """What a program needs: its executable with its installation, and the files that the command names."""
    words = shlex.split(command)
    found: list[str] = []
    for word in words:
        if os.path.exists(word):
            found.append(os.path.abspath(word))
    executable = shutil.which(words[0])
    if executable is not None:
        found += installation(executable)
        found += [place for one in interpreters(executable) for place in installation(one)]
    return outermost(existing(found))


def installation(executable: str) -> Iterator[str]:
    """An executable, and the folder it is installed in, at every step of its symbolic links."""
    step = os.path.abspath(executable)
    for _ in range(10):
        yield step
        folder = os.path.dirname(step)
        prefix = os.path.dirname(folder)
        beside = any(os.path.exists(os.path.join(prefix, name)) for name in INSTALLATION)
        if os.path.basename(folder) == "bin" and beside and not is_shared(prefix):
            yield prefix
        if not os.path.islink(step):
            return
        step = os.path.normpath(os.path.join(folder, os.readlink(step)))


def interpreters(script: str) -> Iterator[str]:
    """What the first line of a script names: `#!/usr/bin/env node`."""
    try:
        with open(script, "rb") as file:
            line = file.readline(256)
    except OSError:
        return
    if line.startswith(b"#!"):
        for word in line[2:].decode("utf-8", "replace").split():
            found = shutil.which(word)
            if found:
                yield found


def undeclared(said: str) -> str:
    """How to show a bot in a sandbox the file that it said it did not find; nothing if it is nowhere."""
    for path in MISSING.findall(said):
        if os.path.exists(path):
            return f" ({path} is there, but a sandbox does not show it: mount: [{path}])"
    return ""


def is_shared(folder: str) -> bool:
    """Whether a folder holds more than one installation: the root, a home, temporary folders."""
    path = os.path.realpath(folder)
    shared = ("/", "/home", "/root", "/tmp", "/var", "/var/tmp", "/mnt", "/srv", "/opt")
    return path in shared or path in (os.path.realpath(Path.home()), os.path.realpath(os.getcwd()))


def existing(paths: Iterable[str]) -> set[str]:
    """The paths that are there, each also as what its links lead to."""
    real = {name for path in paths for name in (os.path.abspath(path), os.path.realpath(path))}
    return {path for path in real if os.path.exists(path)}


def outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths that lie below no other; those below a system folder are there anyway."""
    kept: list[str] = []
    for path in sorted(set(paths)):
        if not any(path == one or path.startswith(f"{one.rstrip('/')}/") for one in kept):
            kept.append(path)
    return tuple(kept)
