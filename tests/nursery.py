"""Fresh processes at a fifth of their price: one that has imported numba and nothing of ours makes copies of itself.

`python -W error tests/nursery.py SOCKET` serves one connection after the other: a JSON line with a script and its
environment comes in, a line with the exit code, the output and what was printed on stderr goes out. Each script runs in
a copy that knows no kernel, as in a new interpreter; only the seed of hashes is the same in all, and whether code is
compiled: for interpreted code a new interpreter is needed.
"""

import atexit
import contextlib
import json
import os
import socket
import sys
import tempfile
import threading
import traceback
from types import ModuleType
from typing import Any

import numba
import numpy  # noqa: F401  # imported for the copies


def serve(path: str) -> None:
    """Answer until the process that asks is gone."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{path}.new")
        server.listen()
        os.rename(f"{path}.new", path)  # who finds it is answered
        parent = os.getppid()
        server.settimeout(1.0)
        while os.getppid() == parent:
            try:
                connection, _ = server.accept()
            except TimeoutError:
                continue
            finally:
                bury()
            if os.fork() == 0:
                server.close()
                answer(connection)
                os._exit(0)
            connection.close()


def bury() -> None:
    """Take note of those who have answered, so that their time counts as that of the tests."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def answer(connection: socket.socket) -> None:
    """Run one script and tell what came of it."""
    connection.setblocking(True)
    with connection, connection.makefile("rw") as line, tempfile.TemporaryFile() as out:
        asked = json.loads(line.readline())
        with tempfile.TemporaryFile() as err:
            number = os.fork()
            if number == 0:
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                connection.close()
                os._exit(run(asked["script"], asked["environment"]))
            code = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
            told = [code, *(text_of(file) for file in (out, err))]
        line.write(json.dumps(told) + "\n")


def text_of(file: Any) -> str:
    """All that was written to a file by another process."""
    file.seek(0)
    return str(file.read().decode())


def run(script: str, environment: dict[str, str]) -> int:
    """Run a script as `python -c` does; its exit code."""
    os.environ.clear()
    os.environ.update(environment)
    numba.config.reload_config()
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    sys.path[0] = ""
    sys.path[1:1] = environment["PYTHONPATH"].split(os.pathsep)
    sys.argv = ["-c"]
    module = sys.modules["__main__"] = ModuleType("__main__")
    code = 0
    try:
        exec(compile(script, "<string>", "exec"), vars(module))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code


if __name__ == "__main__":
    serve(sys.argv[1])
