"""The gate: a process beside a worker through which bots call the hosts that their config names, and no others.

A bot that may call has a network of its own with nothing in it but a port of 127.0.0.1, at which this process listens
from outside (`namespaces.lonely_network`). So no packet of a bot leaves its sandbox: bytes do, after its request was
read here (`calls`), its host looked up once and found to be public, over a connection of this process.
"""

import asyncio
import contextlib
import functools
import json
import os
import resource
import signal
import socket
from dataclasses import dataclass, field
from http import HTTPStatus

from arena.plan.hosts import Host, read_host
from arena.playing.containment.calls import (
    HEAD_BYTES,
    Call,
    Refused,
    check_addresses,
    check_named,
    read_call,
)

MOST_CALLS = 16  # of a bot at a time; more wait
MOST_BYTES = 256 << 20  # of a bot in a match, there and back together
HEAD_SECONDS = 10.0  # for the head of a request, and for a connection to its host
QUIET_SECONDS = 600.0  # without a byte one way
SLOT_SECONDS = (
    0.05  # a call takes one of its bot's places so long at least: refusals cost the others nothing
)
ADDRESSES = 3  # of a host that are tried
CHUNK = 1 << 16
MEMORY = 1 << 30
MESSAGE = 1 << 16
END = b"\r\n\r\n"


class Spent(Exception):
    """A bot has had all the bytes of its match."""


@dataclass
class Door:
    """Where a bot calls. left: bytes that it has in this match."""

    listener: socket.socket
    hosts: tuple[Host, ...]
    left: int = MOST_BYTES
    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_CALLS))
    calls: set[asyncio.Task[None]] = field(default_factory=set)

    async def serve(self) -> None:
        """Take calls until the door is closed."""
        loop = asyncio.get_running_loop()
        while True:
            await self.places.acquire()
            try:
                caller, _ = await loop.sock_accept(self.listener)
            except OSError:  # e.g. it was gone before it was taken
                self.places.release()
                await asyncio.sleep(SLOT_SECONDS)
                continue
            caller.setblocking(False)
            call = loop.create_task(self.call(caller))
            self.calls.add(call)
            call.add_done_callback(functools.partial(self.let_go, caller))

    def let_go(self, caller: socket.socket, call: asyncio.Task[None]) -> None:
        """Forget a call that is over, also one that was ended before it began."""
        caller.close()
        self.calls.discard(call)
        self.places.release()

    async def call(self, caller: socket.socket) -> None:
        """One call from its head to its end."""
        slot = asyncio.get_running_loop().create_task(asyncio.sleep(SLOT_SECONDS))
        with caller, contextlib.suppress(OSError, TimeoutError, Spent):
            try:
                await self.carry_out(caller)
            except Refused as refused:
                await send(caller, refusal(refused))
        await slot

    async def carry_out(self, caller: socket.socket) -> None:
        """Read what is asked, make the connection, pass bytes on; Refused where nothing is passed on."""
        async with asyncio.timeout(HEAD_SECONDS):
            head, more = await read_head(caller)
        call = read_call(head)
        check_named(call.host, self.hosts)
        if self.left <= 0:
            raise Refused(429, f"this match has had its {MOST_BYTES >> 20} MB")
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                host = await connected(call.host)
        except OSError as error:
            text = "no answer" if isinstance(error, TimeoutError) else error.strerror or str(error)
            raise Refused(502, f"{call.host.text}: {text}") from None
        with host:
            await self.pass_on(call, caller, host, more)

    async def pass_on(
        self, call: Call, caller: socket.socket, host: socket.socket, more: bytes
    ) -> None:
        """Bytes both ways; where the request is one of http, no more of them than it has.

        more: what came behind the head.
        """
        if call.length is None:
            await send(caller, b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            more = more[: call.length]
        await send(host, call.head + more)
        self.left -= len(call.head) + len(more)
        asked = None if call.length is None else call.length - len(more)
        there = asyncio.ensure_future(self.pump(caller, host, asked))
        back = asyncio.ensure_future(self.pump(host, caller, None))
        going = {there, back}
        try:
            while back in going or (call.length is None and there in going):
                ended, going = await asyncio.wait(going, return_when=asyncio.FIRST_COMPLETED)
                for one in ended:
                    one.result()
        finally:
            there.cancel()
            back.cancel()
            await asyncio.gather(there, back, return_exceptions=True)

    async def pump(self, source: socket.socket, target: socket.socket, length: int | None) -> None:
        """Pass on what comes, until its end or so many bytes."""
        loop = asyncio.get_running_loop()
        while length is None or length > 0:
            most = CHUNK if length is None else min(CHUNK, length)
            async with asyncio.timeout(QUIET_SECONDS):
                data = await loop.sock_recv(source, most)
            if not data:
                with contextlib.suppress(OSError):
                    target.shutdown(socket.SHUT_WR)
                return
            self.left -= len(data)
            if self.left < 0:
                raise Spent
            await send(target, data)
            length = None if length is None else length - len(data)

    def close(self) -> None:
        """End all calls."""
        for call in self.calls:
            call.cancel()
        self.listener.close()


async def read_head(caller: socket.socket) -> tuple[bytes, bytes]:
    """The head of a request without its empty line, and what came behind it."""
    loop = asyncio.get_running_loop()
    found = b""
    while END not in found:
        if len(found) > HEAD_BYTES:
            raise Refused(431, f"the head of a request has over {HEAD_BYTES} bytes")
        data = await loop.sock_recv(caller, CHUNK)
        if not data:
            raise ConnectionResetError
        found += data
    head, _, more = found.partition(END)
    if len(head) > HEAD_BYTES:
        raise Refused(431, f"the head of a request has over {HEAD_BYTES} bytes")
    return head, more


async def connected(host: Host) -> socket.socket:
    """A connection to a host, whose name is looked up once: what was checked is what is called."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host.name, host.port, type=socket.SOCK_STREAM)
    check_addresses(host, [str(address[0]) for *_, address in found])
    problem: OSError = OSError(0, "it has no address")
    for family, kind, protocol, _, address in found[:ADDRESSES]:
        one = socket.socket(family, kind, protocol)
        try:
            one.setblocking(False)
            await loop.sock_connect(one, address)
        except OSError as error:
            problem = error
            one.close()
        except BaseException:
            one.close()
            raise
        else:
            return one
    raise problem


async def send(target: socket.socket, data: bytes) -> None:
    """Send all of it, or give up on who takes nothing."""
    async with asyncio.timeout(QUIET_SECONDS):
        await asyncio.get_running_loop().sock_sendall(target, data)


def refusal(refused: Refused) -> bytes:
    """What a bot is told of a call that is not made."""
    body = f"arena: {refused}\n".encode()
    head = [
        f"HTTP/1.1 {refused.status} {HTTPStatus(refused.status).phrase}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    return "\r\n".join([*head, "", ""]).encode() + body


# --- the worker's wishes ------------------------------------------------------------------------------------


class Gate:
    """All doors of a worker's bots."""

    def __init__(self, control: socket.socket) -> None:
        """Serve the worker at the other end of `control`."""
        self.control = control
        self.doors: dict[int, tuple[Door, asyncio.Task[None]]] = {}
        self.over = asyncio.Event()

    async def run(self) -> None:
        """Serve until the worker is gone."""
        asyncio.get_running_loop().add_reader(self.control.fileno(), self.hear)
        await self.over.wait()

    def hear(self) -> None:
        """Do what the worker asks: open a door, begin a match anew, close a door."""
        try:
            data, handles, _, _ = socket.recv_fds(self.control, MESSAGE, 1, socket.MSG_CMSG_CLOEXEC)
        except OSError:
            data, handles = b"", []
        if not data:
            self.over.set()
            return
        wish, number, *hosts = json.loads(data)
        if wish == "open":
            listener = socket.socket(fileno=handles[0])
            listener.setblocking(False)
            door = Door(listener, tuple(map(read_host, hosts)))
            self.doors[number] = door, asyncio.ensure_future(door.serve())
        elif wish == "match":
            self.doors[number][0].left = MOST_BYTES
        else:
            door, serving = self.doors.pop(number)
            serving.cancel()
            door.close()


def main(handle: int) -> None:
    """Serve the worker at the other end of a socket; whatever a bot sends, this process stays small."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    os.nice(5)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the end of the worker is the end of the gate
    asyncio.new_event_loop().run_until_complete(Gate(socket.socket(fileno=handle)).run())
    os._exit(0)  # names that are still being looked up are nobody's any more
