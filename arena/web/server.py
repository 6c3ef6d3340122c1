"""Serves a folder: where, for whom, and until somebody ends it."""

import resource
import secrets
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.web.app import make_app
from arena.web.guard import Keys, seals
from engines.errors import UserError

LOCAL = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")
HEAD_SECONDS = 10.0  # in which a connection must ask for something
MOST_CONNECTIONS = 2000
SHORTEST = 8  # letters of a password


def serve(
    folder: Path, host: str, port: int, password: str, browser: bool, say: Callable[[str], None]
) -> None:
    """Answer requests until Ctrl-C.

    Args:
        port: 0 takes a free one.
        password: needed where `host` is not of this machine alone.
        browser: open the address.

    Raises:
        UserError: the folder is none, the port is taken, others may come without a password.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    if host not in LOCAL and len(password) < SHORTEST:
        raise UserError(
            f"--host {host}: others may come, so --password needs {SHORTEST} letters or more"
        )
    listener = listening(host, port)
    number = listener.getsockname()[1]
    names = {*LOCAL[:2], host} if host in LOCAL else {host, *LOCAL[:2], socket.gethostname()}
    shown = f"[{host}]" if ":" in host else host
    hosts = frozenset({f"{shown if name == host else name}:{number}" for name in names})
    every = host in EVERYWHERE
    keys = Keys(hosts, password, secrets.token_urlsafe(32), number if every else 0)
    shown = socket.gethostname() if every else shown
    address = f"http://{shown}:{number}/" + ("" if password else f"?token={keys.token}")
    say(f"{folder} at {address}  (Ctrl-C ends it)")
    if browser:
        webbrowser.open(address)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # a page that listens keeps one open
    config = uvicorn.Config(
        make_app(folder, keys),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=2,
        limit_concurrency=MOST_CONNECTIONS,
        http=Hasty,
        ws="none",
        h11_max_incomplete_event_size=32 << 10,
    )
    uvicorn.Server(config).run(sockets=[listener])


class Hasty(H11Protocol):
    """HTTP that lets go of connections on which nobody asks for anything, and seals what it answers by itself."""

    def connection_made(self, transport: Any) -> None:
        """Wait for a request, not for long."""
        super().connection_made(transport)
        self.loop.call_later(HEAD_SECONDS, self._look)

    def _look(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, before the guard could: with the headers of every answer."""
        told = msg.encode()
        head = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
        length = (b"content-length", str(len(told)).encode())
        try:
            for event in (
                h11.Response(status_code=400, headers=[*head, length, *seals()]),
                h11.Data(data=told),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        except h11.LocalProtocolError:  # an answer is on its way already
            pass
        self.transport.close()

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: whoever asks for another protocol is answered by this one."""


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there.

    Raises:
        UserError: it cannot.
    """
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET
        )
    except OSError as error:
        raise UserError(f"--port {port}: cannot listen on {host}: {error.strerror}") from None
