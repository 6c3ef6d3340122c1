"""Kernels for threads."""

import functools
from typing import Any

from engines.kernel import INTERPRETED


def threaded(kernel: Any) -> Any:
    """A linked kernel, not compiled yet, that lets other Python threads run while it works; returns it."""
    if not INTERPRETED:
        kernel.targetoptions["nogil"] = True
        kernel._compiler.compile = functools.partial(unlocked, kernel, kernel._compiler.compile)
    return kernel


def unlocked(kernel: Any, compiled: Any, args: Any, return_type: Any) -> Any:
    """Compile a kernel so that Python's lock is let go: numba settles that where it makes what Python calls.

    Of the kernels that are compiled on the way none lets go of it: whoever calls those counts on the lock.
    """
    context = type(kernel.targetctx)
    made = context.create_cpython_wrapper

    def wrapper(self: Any, library: Any, fndesc: Any, *more: Any, **options: Any) -> Any:
        own = fndesc.qualname == kernel.py_func.__qualname__
        return made(self, library, fndesc, *more, **{**options, "release_gil": own})

    context.create_cpython_wrapper = wrapper
    try:
        return compiled(args, return_type)
    finally:
        context.create_cpython_wrapper = made
