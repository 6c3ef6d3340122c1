"""An OpenAI-compatible endpoint: messages in, the answer of a language model out, with what it cost.

The key is read from the environment when a request is made. It is in no parameter, no record and no error: what an
endpoint says is cleared of it before it is kept.
"""

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from engines.errors import UserError
from engines.texts import clean

ATTEMPTS = 4  # at a request that the endpoint refuses for now (429, 5xx) or that is lost on its way
PAUSE = 0.5  # seconds before the second attempt; twice as long before each that follows
LONGEST_PAUSE = 60.0
MOST_BYTES = 4 << 20  # of an answer
SECRETS = "ARENA_SECRETS"  # the variable that names the variables with keys
USAGE = ("prompt", "completion")
LOCAL = ("localhost", "127.0.0.1", "::1")


class EndpointError(UserError):
    """No answer came; the text says why and holds no key."""


@dataclass(frozen=True)
class Reply:
    """An answer. requests: how many were made for it."""

    text: str
    tokens_in: int
    tokens_out: int
    seconds: float
    requests: int


class Redirected(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else: the key is for one host."""

    def redirect_request(self, *args: Any, **named: Any) -> None:
        """No request."""


@dataclass(frozen=True)
class Endpoint:
    """Where a model is asked.

    Args:
        url: up to /v1, or whole.
        key: the name of the environment variable that holds the key; "" where none is needed.
        seconds: for a reply, all attempts together.
        extra: more of the request, e.g. temperature.
    """

    url: str
    model: str
    key: str
    seconds: float
    extra: Mapping[str, Any]

    def ask(self, messages: Sequence[Mapping[str, str]]) -> Reply:
        """The answer to messages of {role, content}.

        Raises:
            EndpointError: none came in time.
        """
        body = json.dumps({"model": self.model, "messages": list(messages), **self.extra}).encode()
        began = time.monotonic()
        for attempt in range(1, ATTEMPTS + 1):
            left = began + self.seconds - time.monotonic()
            try:
                data = self.post(body, left)
                return reply_in(data, time.monotonic() - began, attempt, self.secret)
            except urllib.error.HTTPError as error:
                problem = self.said(f"{error.code} {error.reason}: {excerpt(error)}")
                wait = error.headers.get("Retry-After", "")
                again = error.code == 429 or error.code >= 500
            except (OSError, http.client.HTTPException) as error:
                problem, wait, again = self.said(str(error) or type(error).__name__), "", True
            pause = float(wait) if wait.isdigit() else PAUSE * 2 ** (attempt - 1)
            pause = min(pause, LONGEST_PAUSE)
            late = time.monotonic() + pause - began >= self.seconds
            if not again or late or attempt == ATTEMPTS:
                break
            time.sleep(pause)
        raise EndpointError(
            f"{self.host}: no answer after {attempt} request{'s' * (attempt > 1)}: {problem}"
        )

    def post(self, body: bytes, seconds: float) -> bytes:
        """One request; OSError where it fails or takes too long."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.secret}"
        until = time.monotonic() + seconds
        request = urllib.request.Request(self.address, body, headers)
        with opener().open(request, timeout=max(seconds, 0.01)) as answer:
            found = bytearray()
            while part := answer.read1(1 << 16):
                found += part
                if time.monotonic() > until:
                    raise TimeoutError(f"the answer took over {self.seconds:g} s")
                if len(found) > MOST_BYTES:
                    raise OSError(f"the answer has over {MOST_BYTES >> 20} MB")
        return bytes(found)

    @property
    def address(self) -> str:
        """Where requests go."""
        end = "/chat/completions"
        return self.url if self.url.endswith(end) else self.url.rstrip("/") + end

    @property
    def host(self) -> str:
        """The host in words."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def secret(self) -> str:
        """The key."""
        if not self.key:
            return ""
        found = os.environ.get(self.key, "")
        if not found:
            raise EndpointError(f"key: the environment variable {self.key} is not set")
        return found

    def said(self, text: str) -> str:
        """What the endpoint said, without the key."""
        return without(text, self.secret)


def opener() -> urllib.request.OpenerDirector:
    """Requests that follow no redirection."""
    return urllib.request.build_opener(Redirected)


def without(text: str, secret: str) -> str:
    """A text of others without a key."""
    return clean(text.replace(secret, "***") if secret else text, 200)


def excerpt(error: urllib.error.HTTPError) -> str:
    """The beginning of what an endpoint says of its refusal."""
    try:
        return " ".join(error.read(2000).decode("utf-8", "replace").split())
    except (OSError, http.client.HTTPException):
        return ""


def reply_in(data: bytes, seconds: float, requests: int, secret: str) -> Reply:
    """The reply in the body of an answer.

    Raises:
        EndpointError: there is none.
    """
    try:
        found = json.loads(data)
        text = found["choices"][0]["message"]["content"]
        usage = found.get("usage") or {}
        tokens_in, tokens_out = (int(usage.get(f"{name}_tokens") or 0) for name in USAGE)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        told = without(" ".join(data[:200].decode("utf-8", "replace").split()), secret)
        raise EndpointError(f"an answer without choices: {told or repr(error)}") from None
    text = str(text or "")
    return Reply(
        text.replace(secret, "***") if secret else text, tokens_in, tokens_out, seconds, requests
    )


def check_endpoint(url: str, key: str) -> str:
    """What is wrong with an address, or nothing: a key goes over https, or to this machine."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return f"url: {url!r}, expected http(s)://HOST/v1" if url else "url: missing"
    if parts.username or parts.password:
        return "url: expected no name or password in it; key names an environment variable"
    if key and parts.scheme == "http" and parts.hostname not in LOCAL:
        return f"url: {url!r}, expected https where a key is sent"
    if key and not key.isidentifier():
        return "key: expected the name of an environment variable, not the key itself"
    return ""


def told_of_endpoint(parameters: Mapping[str, Any]) -> str:
    """Who is asked, and what is sent there, in a line."""
    key = f", with the key in {parameters['key']}" if parameters["key"] else ""
    return f"asks {urlsplit(parameters['url']).hostname} for every decision{key}"


def hold_back(name: str) -> None:
    """Let no bot's process have an environment variable, here and in workers started from here."""
    if name and name not in os.environ.get(SECRETS, "").split():
        os.environ[SECRETS] = f"{os.environ.get(SECRETS, '')} {name}".strip()


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment without the variables that hold keys."""
    held = os.environ.get(SECRETS, "").split()
    return {name: value for name, value in environment.items() if name not in held}
