"""Kernels for threads."""

from typing import Any

from engines.kernel import INTERPRETED


def threaded(kernel: Any) -> Any:
    """A linked kernel, not compiled yet, that lets other Python threads run while it works; returns it."""
    if not INTERPRETED:
        kernel.targetoptions["nogil"] = True
    return kernel
