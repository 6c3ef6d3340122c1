"""What a bot that calls a host asks of the proxy: the head of a request, read with suspicion, and who may be called.

Two forms are known (RFC 9110): `CONNECT HOST:PORT`, after which bytes are passed on as they are, and a request of http
with a whole address, `GET http://HOST/PATH`, which is passed on as a new one with a Host of our own. Nothing else is
guessed at.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_network

from arena.plan.hosts import Host, address_in, read_host

HEAD_BYTES = 16_384
LINE = re.compile(r"([A-Z]{1,20}) (\S+) (HTTP/1\.[01])")
FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*(.*?)[ \t]*")
SHOWN = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
ABSOLUTE = re.compile(r"http://([^/?#]*)([^#]*)", re.IGNORECASE)
# Of this connection only (RFC 9110, 7.6.1), or said anew.
OWN = ("connection", "keep-alive", "te", "trailer", "upgrade", "host")
TRANSLATED = ip_network("64:ff9b::/96")  # IPv4 in IPv6 (RFC 6052): the last 32 bits


class Refused(Exception):
    """A call that is not made."""

    def __init__(self, status: int, text: str) -> None:
        """The status of HTTP that the bot is told, and why."""
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Call:
    """A request to be made.

    head: what the host is sent first, empty where bytes are passed on as they are. length: bytes of
    the body that follow it, None for all that comes.
    """

    host: Host
    head: bytes = b""
    length: int | None = None


def read_call(head: bytes) -> Call:
    """The request that a head (without its empty line) asks for.

    Raises:
        Refused: it is none that this proxy makes.
    """
    first, *rest = head.decode("latin-1").split("\r\n")
    if not all(map(SHOWN.fullmatch, (first, *rest))):
        raise Refused(400, "a control character in the head of a request")
    line = LINE.fullmatch(first)
    if line is None:
        raise Refused(400, "expected CONNECT HOST:PORT HTTP/1.1, or a request with a whole address")
    fields = read_fields(rest)
    method, target, version = line.groups()
    if method == "CONNECT":
        host = host_in(target)
        if not host.port:
            raise Refused(400, "CONNECT: expected HOST:PORT")
        return Call(host)
    whole = ABSOLUTE.fullmatch(target)
    if whole is None:
        raise Refused(400, "expected http://HOST/PATH, or CONNECT for https")
    host = host_in(whole[1])
    path = whole[2] if whole[2].startswith("/") else f"/{whole[2]}"
    head = written(f"{method} {path} {version}", host, fields)
    return Call(host if host.port else Host(host.name, 80), head, body_length(fields))


def read_fields(lines: Iterable[str]) -> list[tuple[str, str]]:
    """The fields of a head, names as they were written."""
    found = []
    for line in lines:
        field = FIELD.fullmatch(line)  # a line that goes on with a blank is none
        if field is None:
            raise Refused(400, "a field that is none in the head of a request")
        found.append((field[1], field[2]))
    return found


def host_in(text: str) -> Host:
    """Who is to be called."""
    try:
        return read_host(text)
    except ValueError:
        raise Refused(400, "a host that is none in the address of a request") from None


def body_length(fields: Sequence[tuple[str, str]]) -> int:
    """How many bytes follow a head, said once and in one way."""
    names = [name.lower() for name, _ in fields]
    if "transfer-encoding" in names:
        raise Refused(411, "Transfer-Encoding: expected Content-Length")
    given = [value for name, value in fields if name.lower() == "content-length"]
    if not given:
        return 0
    if len(given) > 1 or not re.fullmatch(r"[0-9]{1,12}", given[0]):
        raise Refused(400, "Content-Length: expected one number")
    return int(given[0])


def written(line: str, host: Host, fields: Sequence[tuple[str, str]]) -> bytes:
    """The head that a host is sent, with its empty line."""
    named = {
        word.strip().lower()
        for name, value in fields
        if name.lower() == "connection"
        for word in value.split(",")
    }
    kept = [
        f"{name}: {value}"
        for name, value in fields
        if name.lower() not in (*OWN, *(named - {"content-length"}))
        and not name.lower().startswith("proxy-")
    ]
    lines = [line, f"Host: {host.text}", *kept, "Connection: close"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


# --- who may be called ----------------------------------------------------------------------------------


def check_named(host: Host, hosts: Iterable[Host]) -> None:
    """Whether a config names a host, by exactly this name.

    Raises:
        Refused: it does not.
    """
    if not any(one.name == host.name and host.port in one.ports for one in hosts):
        raise Refused(403, f"{host.text} is not among the hosts that network: names")


def check_addresses(host: Host, addresses: Iterable[str]) -> None:
    """Whether a name may stand for these addresses: none of this machine, of its network, or of nowhere.

    A config that means such an address names the address.

    Raises:
        Refused: it may not.
    """
    if host.address is not None:
        return
    for text in addresses:
        if not is_public(text):
            raise Refused(403, f"{host.name} has the address {text}, which is not public")


def is_public(text: str) -> bool:
    """Whether an address belongs to the internet, and so do all that it holds."""
    address = address_in(text.partition("%")[0])
    if address is None or not address.is_global or address.is_multicast:
        return False
    return all(one.is_global for one in held_by(address))


def held_by(address: IPv4Address | IPv6Address) -> list[IPv4Address]:
    """The addresses of IPv4 that one of IPv6 is translated to on its way."""
    if isinstance(address, IPv4Address):
        return []
    held = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in TRANSLATED:
        held.append(IPv4Address(int(address) & 0xFFFF_FFFF))
    return [one for one in held if one is not None]
