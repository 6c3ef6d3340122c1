"""Bots that may call one host: one that does, and those that try all else. One that gets somewhere raises `Escaped`."""

# ruff: noqa: RET503 - an attack is over when it succeeds

import contextlib
import os
import socket
import time
import urllib.error
import urllib.request
from dataclasses import dataclass

GATE = ("127.0.0.1", 3128)
OPENED = b"HTTP/1.1 200"


class Escaped(Exception):
    """The attack got somewhere."""


@dataclass(frozen=True)
class Facts:
    """Ports of this machine: of the host that it may call, and of another, which has this address too."""

    named: int = 0
    other: int = 0
    address: str = ""


def said(*parts, wait=3.0):
    """What the gate answers."""
    found = b""
    with contextlib.suppress(OSError), socket.create_connection(GATE, wait) as one:
        for part in parts:
            one.sendall(part)
        one.settimeout(wait)
        while data := one.recv(1 << 16):
            found += data
    return found


class Calls:
    """Asks the host that it may call at every decision."""

    Parameters = Facts

    def __init__(self, named, other, address):
        self.named, self.other, self.address, self.tried = named, other, address, False

    def reset(self, game, view, seed):
        pass

    def act(self, view, legal):
        if not self.tried:
            self.tried = True
            if found := self.attack():
                raise Escaped(found)
        return legal[0]

    def close(self):
        pass

    def attack(self):
        """What it got hold of, or nothing."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.named}/", timeout=5) as answer:
            if answer.read() != b"named":
                return "its own host did not answer"
        opened = f"CONNECT 127.0.0.1:{self.named} HTTP/1.1\r\n\r\n".encode()
        if b"named" not in said(opened, b"GET / HTTP/1.0\r\n\r\n"):
            return "no tunnel to its own host"


class AsksOthers(Calls):
    """Other hosts, in all ways to write them."""

    def attack(self):
        for host in (
            *(
                "127.0.0.1",
                "localhost",
                "[::1]",
                "[::ffff:127.0.0.1]",
                "127.1",
                "0.0.0.0",
                "0x7f.1",
            ),
            *("2130706433", "evil.example", "169.254.169.254", self.address, "127.0.0.1."),
        ):
            place = f"{host}:{self.other}"
            if OPENED in (found := said(f"CONNECT {place} HTTP/1.1\r\n\r\n".encode())):
                return f"{place}: {found}"
            if b"other" in (found := said(f"GET http://{place}/ HTTP/1.1\r\n\r\n".encode())):
                return f"{place}: {found}"


class ForgesHosts(Calls):
    """Another host behind the one that it may call."""

    def attack(self):
        mine, its = f"127.0.0.1:{self.named}", f"127.0.0.1:{self.other}"
        for text in (
            f"GET http://{mine}@{its}/ HTTP/1.1\r\n\r\n",
            f"GET http://{its}/ HTTP/1.1\r\nHost: {mine}\r\n\r\n",
            f"GET http://{mine}/ HTTP/1.1\r\nX: y\rHost: {its}\r\n\r\n",
            f"GET http://{mine}/ HTTP/1.1\r\n\r\nGET http://{its}/ HTTP/1.1\r\n\r\n",
            f"GET http://{mine}/\r\nCONNECT {its} HTTP/1.1\r\n\r\n",
            f"CONNECT {its}\r\nHost: {mine} HTTP/1.1\r\n\r\n",
            f"CONNECT {mine}\x00{its} HTTP/1.1\r\n\r\n",
        ):
            if b"other" in (found := said(text.encode())) or (its in text[:40] and OPENED in found):
                return f"{text!r}: {found}"


class GoesAround(Calls):
    """Past the gate: the network itself, its own 127.0.0.1, other kinds of sockets, the gate as a socket of files."""

    def attack(self):
        for place in (("127.0.0.1", self.other), (self.address, self.other), ("192.0.2.1", 80)):
            with contextlib.suppress(OSError):
                socket.create_connection(place, 1).close()
                return f"reached {place}"
        for family, kind, protocol in (
            (socket.AF_INET, socket.SOCK_DGRAM, 0),
            (socket.AF_INET, socket.SOCK_RAW, 1),
            (socket.AF_INET, socket.SOCK_STREAM, 132),
            (socket.AF_INET, socket.SOCK_STREAM, 262),
            (socket.AF_INET6, socket.SOCK_STREAM, 0),
            (socket.AF_PACKET, socket.SOCK_RAW, 0),
            (socket.AF_NETLINK, socket.SOCK_RAW, 0),
        ):
            with contextlib.suppress(OSError):
                socket.socket(family, kind, protocol).close()
                return f"a socket of {family, kind, protocol}"
        with contextlib.suppress(OSError), open("/proc/net/unix") as file:
            return file.read()
        for handle in range(5, 256):
            with contextlib.suppress(OSError):
                os.fstat(handle)
                return f"was left handle {handle}"


class TakesTheDoor(Calls):
    """Listens where the gate does."""

    def attack(self):
        with contextlib.suppress(OSError):
            one = socket.socket()
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            one.bind(GATE)
            one.listen()
            return "took the place of the gate"


class Hoards(Calls):
    """Connections with all that they hold, which no limit of memory counts."""

    def attack(self):
        listener = socket.create_server(("127.0.0.1", 0))
        held, size = [], 0
        for _ in range(20):
            one = socket.create_connection(listener.getsockname(), 2)
            held.append((one, listener.accept()[0]))
            one.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    size += one.send(bytes(1 << 16))
        if size > len(held) * 400_000:
            return f"{len(held)} connections hold {size} bytes"
        with contextlib.suppress(OSError):
            held[0][0].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
            return "a larger buffer"


class Floods(Calls):
    """Calls without end, and calls that never end."""

    def attack(self):
        until, count, held = time.monotonic() + 1.0, 0, []
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                one = socket.create_connection(GATE, 0.2)
                one.sendall(b"CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n" if count % 2 else b"GET ")
                count += 1
                held = [*held[-100:], one]
        for one in held:
            one.close()
        time.sleep(0.2)
        if b"named" not in said(f"GET http://127.0.0.1:{self.named}/ HTTP/1.0\r\n\r\n".encode()):
            return f"no call after {count} of them"


class ReadsSecrets(Calls):
    """The environment of its process, and what the gate was told."""

    def attack(self):
        told = {name for name in os.environ if "TOKEN" in name or "SECRET" in name}
        return f"read {told}" if told else None
