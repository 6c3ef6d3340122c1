"""Says what keeps bots apart on this machine, and how to get the rest: `arena check sandbox`."""

import os
from collections.abc import Iterator
from pathlib import Path

from arena.playing.containment import bubblewrap, seccomp
from arena.playing.containment.children import children, close_children
from arena.playing.containment.isolation import chosen
from engines.errors import UserError


def check_sandbox() -> Iterator[tuple[bool | None, str]]:
    """What is tried: (whether it holds, None where it is only told; what it is, or what would help)."""
    problem = bubblewrap.problem()
    yield not problem, f"sandbox: {problem or 'bubblewrap makes namespaces'}"
    if problem:
        try:
            yield None, f"isolation: {chosen(None)} is what a run gets here; its bots are trusted"
        except UserError as error:
            yield None, str(error)
        return
    yield None, f"user: {'root; each match runs as another' if os.getuid() == 0 else os.getuid()}"
    yield None, f"system calls: {len(seccomp.program()) // 8} instructions for {os.uname().machine}"
    try:
        children(walled=True)
        yield True, "walls of a match, seen from inside: no rights, no network, nothing to write"
    except UserError as error:
        yield False, str(error)
        return
    finally:
        close_children()
    yield None, f"memory: {memory_word()}"
    yield None, "isolation: sandbox is what a run gets here"


def memory_word() -> str:
    """How the memory of bots is counted here."""
    delegated = Path("/sys/fs/cgroup/cgroup.controllers")
    found = delegated.exists() and "memory" in delegated.read_text().split()
    group = "there is a memory cgroup, which is not used" if found else "there is no memory cgroup"
    return f"counted four times a second, all processes of a match together ({group})"
