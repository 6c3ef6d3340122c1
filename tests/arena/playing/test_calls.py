"""What a bot may ask of the gate, and what it is refused: requests read with suspicion, hosts by their exact names."""

import asyncio
import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest

from arena.plan.hosts import Host, callable_hosts, read_host
from arena.playing.containment import gate
from arena.playing.containment.calls import (
    Refused,
    check_addresses,
    check_named,
    is_public,
    read_call,
)
from engines.errors import UserError

NAMED = tuple(map(read_host, ("api.example.org", "models.example.org:8443", "127.0.0.1:8080")))


def status_of(head: bytes) -> int:
    with pytest.raises(Refused) as refused:
        read_call(head)
    return refused.value.status


@pytest.mark.parametrize(
    ("written", "name", "port"),
    [
        ("api.example.org", "api.example.org", 0),
        ("API.Example.ORG.:443", "api.example.org", 443),
        ("127.0.0.1:8080", "127.0.0.1", 8080),
        ("[2001:DB8:0:0::1]:8080", "2001:db8::1", 8080),
    ],
)
def test_a_host_has_one_way_to_be_written(written: str, name: str, port: int) -> None:
    assert read_host(written) == Host(name, port)


@pytest.mark.parametrize(
    "text",
    [
        *("https://api.example.org", "api.example.org/v1", "*.example.org", "", ":443", "a b"),
        *("user@api.example.org", "api.example.org:0", "api.example.org:99999", "api..org"),
        *("127.1", "0x7f.1", "2130706433", "127.0.0.1.", "0177.0.0.1", "256.1.1.1", "münchen.de"),
        *("fe80::1%eth0", "[::1", "-a.org", "a" * 64 + ".org", "localhost", "a.localhost:80"),
    ],
)
def test_a_config_that_names_no_host_is_told_so_in_a_line(text: str) -> None:
    with pytest.raises(UserError, match=r"^bots\[0\]\.network: .*, expected ") as told:
        callable_hosts((text,), "bots[0]")
    assert "\n" not in str(told.value)


def test_a_bot_has_sixteen_hosts_at_most() -> None:
    names = tuple(f"h{i}.example.org" for i in range(17))
    assert callable_hosts((*names[:16], names[0]), "bots[0]") == names[:16]
    with pytest.raises(UserError, match="17 hosts, expected at most 16"):
        callable_hosts(names, "bots[0]")


def test_a_request_of_http_is_written_anew_for_the_host_of_its_address() -> None:
    call = read_call(
        b"POST HTTP://api.example.org/v1?x=1 HTTP/1.1\r\nHost: evil.example\r\nhost: other.example\r\n"
        b"Proxy-Authorization: secret\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nX-Own: 2\r\nContent-Length: 5"
    )
    assert call.host == Host("api.example.org", 80)
    assert call.length == 5
    assert call.head == (
        b"POST /v1?x=1 HTTP/1.1\r\nHost: api.example.org\r\nX-Own: 2\r\nContent-Length: 5\r\n"
        b"Connection: close\r\n\r\n"
    )
    bare = read_call(b"GET http://[::1]:8080?q HTTP/1.0")
    assert (bare.host, bare.length) == (Host("::1", 8080), 0)
    assert bare.head == b"GET /?q HTTP/1.0\r\nHost: [::1]:8080\r\nConnection: close\r\n\r\n"
    assert read_call(b"CONNECT api.example.org:443 HTTP/1.1").length is None


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"", 400),
        (b"GET / HTTP/1.1", 400),
        (b"GET https://api.example.org/ HTTP/1.1", 400),
        (b"GET http://api.example.org@evil.example/ HTTP/1.1", 400),
        (b"GET http://api.example.org\\@evil.example/ HTTP/1.1", 400),
        (b"GET http://api.example.org/#x HTTP/1.1", 400),
        (b"GET http://api.example.org/ x HTTP/1.1", 400),
        (b"GET http://api.example.org/ HTTP/2", 400),
        (b"GET http://api.example.org/\rHost: evil.example HTTP/1.1", 400),
        (b"GET http://api.example.org/ HTTP/1.1\nHost: evil.example", 400),
        (b"GET http://api.example.org/ HTTP/1.1\r\nA: b\n\nGET http://evil.example/ HTTP/1.1", 400),
        (b"GET http://api.example.org/ HTTP/1.1\r\nA: b\r\n folded", 400),
        (b"GET http://api.example.org/ HTTP/1.1\r\nContent-Length : 3", 400),
        (b"GET http://api.example.org/ HTTP/1.1\r\nA\x00: b", 400),
        (b"POST http://api.example.org/ HTTP/1.1\r\nTransfer-Encoding: chunked", 411),
        (b"POST http://api.example.org/ HTTP/1.1\r\nContent-Length: 1\r\ncontent-length: 2", 400),
        (b"POST http://api.example.org/ HTTP/1.1\r\nContent-Length: -1", 400),
        (b"POST http://api.example.org/ HTTP/1.1\r\nContent-Length: 1, 1", 400),
        (b"CONNECT api.example.org HTTP/1.1", 400),
        (b"CONNECT http://api.example.org:443 HTTP/1.1", 400),
        (b"CONNECT 127.1:8080 HTTP/1.1", 400),
    ],
)
def test_a_request_that_could_be_read_in_two_ways_is_refused(head: bytes, status: int) -> None:
    assert status_of(head) == status


@pytest.mark.parametrize(
    "written",
    [
        *("api.example.org:443", "api.example.org:80", "API.example.org.:443"),
        *("models.example.org:8443", "127.0.0.1:8080"),
    ],
)
def test_hosts_are_called_by_the_names_and_ports_of_the_config(written: str) -> None:
    check_named(read_host(written), NAMED)


@pytest.mark.parametrize(
    "written",
    [
        *("evil.example:443", "xapi.example.org:443", "api.example.org.evil.example:443"),
        *("example.org:443", "api.example.org:22", "models.example.org:443", "127.0.0.1:443"),
        *("127.0.0.2:8080", "[::ffff:127.0.0.1]:8080", "[::1]:8080", "169.254.169.254:80"),
    ],
)
def test_no_other_host_and_no_other_port_is_called(written: str) -> None:
    with pytest.raises(Refused, match="is not among the hosts"):
        check_named(read_host(written), NAMED)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        *[(one, True) for one in ("1.1.1.1", "2606:4700::1111", "64:ff9b::101:101")],
        *[
            (one, False)
            for one in ("127.0.0.1", "10.1.2.3", "192.168.1.1", "172.16.0.1", "0.0.0.0")
        ],
        *[
            (one, False)
            for one in ("169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255")
        ],
        *[(one, False) for one in ("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1")],
        *[(one, False) for one in ("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1")],
        *[(one, False) for one in ("2002:7f00:1::", "nonsense", "")],
    ],
)
def test_a_name_may_stand_for_public_addresses_only(address: str, public: bool) -> None:
    assert is_public(address) == public


def test_a_name_with_one_address_of_this_machine_is_refused_and_an_address_means_itself() -> None:
    with pytest.raises(Refused, match=r"has the address 10\.0\.0\.1, which is not public"):
        check_addresses(Host("api.example.org", 443), ["1.1.1.1", "10.0.0.1"])
    check_addresses(Host("10.0.0.1", 443), ["10.0.0.1"])


# --- the gate itself --------------------------------------------------------------------------------------


class Server:
    """A host of this machine that answers every request with what it was sent."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.heard: list[bytes] = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                one, _ = self.listener.accept()
            except OSError:
                return
            with one:
                data = one.recv(1 << 16)
                self.heard.append(data)
                one.sendall(b"heard " + data)


@pytest.fixture
def server():
    found = Server()
    yield found
    found.listener.close()


def asked(hosts: tuple[str, ...], talk: Callable[[tuple[str, int], gate.Door], bytes]) -> bytes:
    """What a bot hears that talks to a door."""

    async def serve() -> bytes:
        listener = socket.create_server(("127.0.0.1", 0))
        listener.setblocking(False)
        door = gate.Door(listener, tuple(map(read_host, hosts)))
        serving = asyncio.ensure_future(door.serve())
        try:
            return await asyncio.to_thread(talk, listener.getsockname(), door)
        finally:
            serving.cancel()
            door.close()
            await asyncio.gather(serving, *door.calls, return_exceptions=True)

    return asyncio.run(serve())


def heard(place: tuple[str, int], *parts: bytes) -> bytes:
    """All that comes back for some bytes."""
    with socket.create_connection(place, 5) as one:
        found = b""
        for part in parts:
            one.sendall(part)
        while data := one.recv(1 << 16):
            found += data
    return found


def test_the_gate_passes_on_what_is_named_and_nothing_behind_it(server: Server) -> None:
    name = f"127.0.0.1:{server.port}"
    two = f"GET http://{name}/a HTTP/1.1\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n".encode()
    found = asked((name,), lambda place, _: heard(place, two))
    assert (
        found == b"heard GET /a HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % name.encode()
    )
    opened = f"CONNECT {name} HTTP/1.1\r\n\r\n".encode()
    found = asked((name,), lambda place, _: heard(place, opened, b"any bytes"))
    assert found == b"HTTP/1.1 200 Connection established\r\n\r\nheard any bytes"


def test_the_gate_says_why_a_call_is_not_made(server: Server) -> None:
    other = (
        f"GET http://127.0.0.1:{server.port}/ HTTP/1.1\r\nHost: api.example.org\r\n\r\n".encode()
    )
    found = asked(("api.example.org",), lambda place, _: heard(place, other))
    assert found.startswith(b"HTTP/1.1 403 Forbidden\r\n")
    assert b"is not among the hosts that network: names" in found
    assert not server.heard


def test_a_name_that_is_bound_anew_is_looked_up_once_and_not_called(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    lookups: list[str] = []
    usual = socket.getaddrinfo

    def rebinding(host: str, *args: Any, **named: Any) -> Any:
        if host == "rebound.example":
            lookups.append(host)
        return usual("127.0.0.1", *args, **named)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    call = f"CONNECT rebound.example:{server.port} HTTP/1.1\r\n\r\n".encode()
    found = asked((f"rebound.example:{server.port}",), lambda place, _: heard(place, call))
    assert b"rebound.example has the address 127.0.0.1, which is not public" in found
    assert (lookups, server.heard) == (["rebound.example"], [])


def test_heads_bytes_and_calls_at_a_time_are_limited(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(gate, "SLOT_SECONDS", 0.0)
    name = f"127.0.0.1:{server.port}"
    long = b"GET http://" + name.encode() + b"/" + b"a" * 20_000
    assert asked((name,), lambda place, _: heard(place, long)).startswith(b"HTTP/1.1 431 ")
    assert asked((name,), lambda place, _: heard(place, b"GET ")) == b""  # it never ends

    def spend(place: tuple[str, int], door: gate.Door) -> bytes:
        door.left = 100
        opened = f"CONNECT {name} HTTP/1.1\r\n\r\n".encode()
        first = heard(place, opened, b"a" * 90)
        return first + b"|" + heard(place, opened)

    first, _, second = asked((name,), spend).partition(b"|")
    assert b"heard" not in first
    assert second.startswith(b"HTTP/1.1 429 ")

    def flood(place: tuple[str, int], door: gate.Door) -> bytes:
        held = [socket.create_connection(place, 5) for _ in range(gate.MOST_CALLS + 4)]
        deadline = threading.Event()
        deadline.wait(0.1)
        busy = len(door.calls)
        for one in held:
            one.close()
        heard(place, long)  # all before it have been taken
        return str(busy).encode()

    assert int(asked((name,), flood)) == gate.MOST_CALLS


def test_a_call_that_is_ended_before_it_begins_is_closed_and_gives_its_place_back() -> None:
    async def close_at_once() -> int:
        listener = socket.create_server(("127.0.0.1", 0))
        listener.setblocking(False)
        door = gate.Door(listener, ())
        serving = asyncio.ensure_future(door.serve())
        with socket.create_connection(listener.getsockname(), 5):
            while not door.calls:
                await asyncio.sleep(0)
            (call,) = door.calls
            serving.cancel()
            door.close()
            await asyncio.gather(serving, call, return_exceptions=True)
        return door.places._value

    assert asyncio.run(close_at_once()) == gate.MOST_CALLS - 1  # one waits for the next call
