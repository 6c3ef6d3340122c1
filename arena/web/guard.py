"""Who may ask the server for what: tokens, sites, sizes, rates, and the headers of every answer.

A page of another site that is open in the same browser can send requests here: such requests are told by what the
browser says of their origin, and by the name of the host they were sent to. Cookies alone would not do.
"""

import asyncio
import hashlib
import hmac
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "arena"
MOST_BODY = 64 << 10  # bytes of a request
MOST_PATH, MOST_HEAD = 8 << 10, 32 << 10  # bytes of what is asked for, and of all headers
BURST, PER_SECOND = 400, 100  # requests of one address
GUESS = 50.0  # what a password costs of these
MOST_OPEN = 400  # requests of one address that are being answered, pages that listen too
BODY_SECONDS = 20.0  # in which a piece of a body must come
OPEN = ("/login", "/assets/")  # what needs no token of the house
SEAT = "/seat/"  # has a token of its own in its path
POLICY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; script-src 'self'"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with none a form of our own would come from nowhere
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass
class Keys:
    """What opens the house: a token for this machine's browser, and a password where others may come.

    Args:
        hosts: the names by which the server may be asked, with their port.
        port: where it listens on all addresses, they are right too: a rebound name is none.
    """

    hosts: frozenset[str]
    password: str = ""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    port: int = 0

    def named(self, host: str) -> bool:
        """Whether a request to this host is meant for the server."""
        if host in self.hosts:
            return True
        name, _, port = host.rpartition(":")
        try:
            ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return bool(self.port) and port == str(self.port)

    def opens(self, given: str) -> bool:
        """Whether this is the token."""
        return hmac.compare_digest(given.encode(), self.token.encode())

    def admits(self, word: str) -> bool:
        """Whether this is the password; never where none is set."""
        told, right = (hashlib.sha256(text.encode()).digest() for text in (word, self.password))
        return bool(self.password) and hmac.compare_digest(told, right)


class Rates:
    """How much each address may still ask: a bucket that fills by PER_SECOND and holds BURST."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with full buckets."""
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def allows(self, address: str, price: float = 1.0) -> bool:
        """Take from the bucket of an address, if enough is in it."""
        now = self._clock()
        left, since = self._left.get(address, (float(BURST), now))
        left = min(float(BURST), left + (now - since) * PER_SECOND)
        if len(self._left) > 10_000:
            self._left.clear()
        self._left[address] = (left - price if left >= price else left, now)
        return left >= price


class Guard:
    """Stands before the app: refuses what nobody of the house would ask, and seals what goes out."""

    def __init__(self, app: App, keys: Keys) -> None:
        """Guard an app."""
        self._app, self._keys, self._rates = app, keys, Rates()
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let the app do it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        if scope["type"] != "http":
            return
        request = Request(scope)
        refused = self.refusal(request)
        sealed = sealing(send)
        if refused is not None:
            await refused(scope, receive, sealed)
            return
        address = request.client.host if request.client else ""
        self._open[address] += 1
        try:
            await self._app(scope, limited(receive), sealed)
        finally:
            self._open[address] -= 1
            self._open += Counter()  # lets go of those that have none

    def refusal(self, request: Request) -> Response | None:
        """Why a request gets no answer, as one; None if it may pass."""
        address = request.client.host if request.client else ""
        guesses = request.method == "POST" and request.url.path == "/login"
        if not self._rates.allows(address, GUESS if guesses else 1.0):
            return said(429, "too many requests: slower, please")
        if self._open[address] >= MOST_OPEN:
            return said(429, f"{MOST_OPEN} pages are open already: close some")
        if not self._keys.named(request.headers.get("host", "")):
            return said(421, "this server has another name")
        if request.method not in ("GET", "HEAD", "POST"):
            return said(405, f"{request.method[:20]}: expected GET or POST")
        if not own_site(request):
            return said(403, "a page of another site may ask for nothing here")
        if (
            len(request.scope.get("raw_path") or b"") + len(request.scope["query_string"])
            > MOST_PATH
        ):
            return said(414, f"the address is longer than {MOST_PATH} bytes")
        if sum(len(name) + len(value) for name, value in request.scope["headers"]) > MOST_HEAD:
            return said(431, f"the headers are larger than {MOST_HEAD} bytes")
        size = request.headers.get("content-length", "0")
        if not size.isdecimal() or int(size) > MOST_BODY:
            return said(413, f"the request is larger than {MOST_BODY} bytes")
        path = request.url.path
        if path.startswith((*OPEN, SEAT)):
            return None
        return self.without_token(request)

    def without_token(self, request: Request) -> Response | None:
        """What a request without the house's token gets; None if it has it."""
        own = (COOKIE, cookie_of(request))
        if any(self._keys.opens(request.cookies.get(name, "")) for name in own):
            return None
        given = request.query_params.get("token", "")
        if request.method == "GET" and given and self._keys.opens(given):
            return let_in(RedirectResponse(request.url.path, 303), self._keys, request)
        if self._keys.password:
            return RedirectResponse("/login", 303)
        return said(403, "the address that arena web has printed ends with a token: open that one")


def let_in(answer: Response, keys: Keys, request: Request) -> Response:
    """An answer that gives the browser the token."""
    name = cookie_of(request)
    answer.set_cookie(name, keys.token, httponly=True, samesite="strict", path="/")
    return answer


def cookie_of(request: Request) -> str:
    """The cookie of this server: browsers keep one jar for all ports of a host, where another server may listen."""
    port = request.headers.get("host", "").rpartition(":")[2]
    return f"{COOKIE}-{port}" if port.isdecimal() else COOKIE


def own_site(request: Request) -> bool:
    """Whether a request comes from a page of this server, or from nobody's (an address typed in, a tool)."""
    site = request.headers.get("sec-fetch-site", "none")
    origin = request.headers.get("origin")
    if request.method in ("GET", "HEAD"):
        navigates = request.headers.get("sec-fetch-mode") == "navigate"
        return site in ("same-origin", "none") or navigates
    host = request.headers.get("host", "")
    own = (f"http://{host}", f"https://{host}")
    if origin is None and (page := request.headers.get("referer")) is not None:
        origin = "/".join(page.split("/")[:3])
    return site in ("same-origin", "none") and origin in (None, *own)


def said(status: int, line: str) -> Response:
    """A refusal in a line."""
    return PlainTextResponse(line + "\n", status)


def sealing(send: Send) -> Send:
    """A way to send with the headers of every answer."""

    async def sealed(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [
                *message["headers"],
                *((name, value) for name, value in seals() if name not in present),
            ]
        await send(message)

    return sealed


def seals() -> list[tuple[bytes, bytes]]:
    """The headers of every answer."""
    extra = {**HEADERS, "content-security-policy": POLICY}
    return [(name.encode(), value.encode()) for name, value in extra.items()]


def limited(receive: Receive) -> Receive:
    """A way to receive that ends where a body without a length grows too large, or comes too slowly."""
    taken, whole = 0, False

    async def receive_some() -> MutableMapping[str, Any]:
        nonlocal taken, whole
        if whole:  # waits for the end of the connection
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), BODY_SECONDS)
        except TimeoutError:
            return {"type": "http.disconnect"}
        whole = not message.get("more_body", False)
        taken += len(message.get("body", b""))
        if taken > MOST_BODY:
            return {"type": "http.disconnect"}
        return message

    return receive_some
