"""Hosts that a config lets a bot call: names as they are written, and no two ways to write one."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

from engines.errors import UserError
from engines.texts import brief

MOST_HOSTS = 16  # of one bot
USUAL_PORTS = (443, 80)
WHOLE = re.compile(r"(\[[0-9a-f:.]+\]|[^\s:/@\[\]]+)(?::([0-9]{1,5}))?")
LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
EXPECTED = "expected a host, e.g. api.example.org or api.example.org:8443"


@dataclass(frozen=True)
class Host:
    """A host by name or address. port: 0 for the usual ones."""

    name: str
    port: int = 0

    @property
    def address(self) -> IPv4Address | IPv6Address | None:
        """The address that it is; None for a name."""
        return address_in(self.name)

    @property
    def ports(self) -> tuple[int, ...]:
        """Where it may be called."""
        return (self.port,) if self.port else USUAL_PORTS

    @property
    def text(self) -> str:
        """As a config writes it."""
        name = f"[{self.name}]" if ":" in self.name else self.name
        return f"{name}:{self.port}" if self.port else name


def read_host(text: str) -> Host:
    """A host as a config or a request writes it.

    Raises:
        ValueError: it is none, or one whose name could be taken for an address.
    """
    found = WHOLE.fullmatch(text.lower())
    if found is None or not text.isascii():
        raise ValueError(EXPECTED)
    port = int(found[2] or 0)
    if (found[2] and not port) or port > 65_535:
        raise ValueError(f"{EXPECTED}, a port is 1 to 65535")
    if (address := address_in(found[1].strip("[]"))) is not None:
        return Host(str(address), port)
    name = found[1].removesuffix(".")
    labels = name.split(".")
    if len(name) > 253 or not all(map(LABEL.fullmatch, labels)):
        raise ValueError(EXPECTED)
    # Resolvers read 127.1, 0x7f.1 and 2130706433 as addresses.
    if NUMERIC.fullmatch(labels[-1]):
        raise ValueError(f"{EXPECTED}, an address has four numbers from 0 to 255")
    return Host(name, port)


def address_in(text: str) -> IPv4Address | IPv6Address | None:
    """The address that a text is, if any."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def callable_hosts(texts: Sequence[str], where: str, inside: str = "") -> tuple[str, ...]:
    """The hosts that a bot may call, as a config names them.

    Args:
        inside: the kind of bot, where it plays in the worker.

    Raises:
        UserError: names the one that is none.
    """
    if texts and inside:
        problem = "expected a bot of your own, this one plays in the worker"
        raise UserError(f"{where}.network: {inside}, {problem}")
    found = []
    for text in texts:
        try:
            host = read_host(text)
        except ValueError as error:
            raise UserError(f"{where}.network: {brief(text)}, {error}") from None
        if host.name == "localhost" or host.name.endswith(".localhost"):
            this = "expected the address itself, e.g. 127.0.0.1:8080"
            raise UserError(f"{where}.network: {brief(text)}, {this}")
        found.append(host.text)
    if len(set(found)) > MOST_HOSTS:
        raise UserError(f"{where}.network: {len(set(found))} hosts, expected at most {MOST_HOSTS}")
    return tuple(dict.fromkeys(found))


def calls_text(hosts: Iterable[str]) -> str:
    """What is told of a bot that may call hosts."""
    return f"may call {', '.join(hosts)} and no other host"
