"""The messages between the arena and a bot in another process: one JSON object a line, UTF-8 (PROTOCOL.md).

Both sides are here: what the arena asks (`hello`, `reset`, `act`, `close`), and what a served bot makes of it.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from bots.contract import Clock, Event, View
from engines.core import Game, parse_options
from engines.records import State
from engines.texts import brief, clean

PROTOCOL = 1
LONGEST = 1 << 16  # bytes of an answer


class ProtocolError(Exception):
    """A line that is no answer to what was asked."""


def hello(number: int) -> dict[str, Any]:
    """The first message: which protocol the arena speaks."""
    return {"type": "hello", "id": number, "protocol": PROTOCOL}


def reset(number: int, variant: Any, view: View, seed: int) -> dict[str, Any]:
    """A match begins."""
    return {
        "type": "reset",
        "id": number,
        "game": view.game.name,
        "variant": asdict(variant),
        "players": view.players,
        "player": view.player,
        "seed": seed,
        **shown(view),
    }


def act(number: int, view: View, events: Iterable[Event], seed: int) -> dict[str, Any]:
    """A decision is due; `events` since the last message of the match."""
    said = [{"player": event.player, "action": event.text} for event in events]
    return {"type": "act", "id": number, "seed": seed, **shown(view), "events": said}


def close() -> dict[str, Any]:
    """The match is over; nothing is answered."""
    return {"type": "close"}


def shown(view: View) -> dict[str, Any]:
    """A View as it travels: the position, the legal actions in words, and the clock where there is one."""
    found = {"position": view.to_dict(), "legal": [view.text(a) for a in view.legal()]}
    if view.clock is not None:
        seconds = [round(left, 6) for left in view.clock.seconds]
        found["clock"] = {"seconds": seconds, "increment_seconds": view.clock.increment}
    return found


def line(message: dict[str, Any]) -> bytes:
    """A message as it is sent."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def parse(text: bytes) -> dict[str, Any]:
    """A line as a message; ProtocolError says what is wrong with it."""
    try:
        message = json.loads(text.decode("utf-8"))
    except UnicodeDecodeError:
        raise ProtocolError(f"{excerpt(text)} is not UTF-8") from None
    except (ValueError, RecursionError):
        raise ProtocolError(f"{excerpt(text)} is not JSON") from None
    if not isinstance(message, dict):
        raise ProtocolError(f"{excerpt(text)}, expected a JSON object")
    return message


def answer(text: bytes, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to a message; ProtocolError says what is wrong with it."""
    found = parse(text)
    if found.get("type") == "error":
        said = found.get("message")
        raise ProtocolError(f"says: {clean(said if isinstance(said, str) else brief(said), 200)}")
    for key in ("type", "id"):
        if found.get(key) != asked[key]:
            problem = f"{key} {brief(found.get(key))}, expected {asked[key]!r}"
            raise ProtocolError(f"{excerpt(text)} has {problem}")
    return found


def excerpt(text: bytes | bytearray, most: int = 60) -> str:
    """The beginning of a line, readable whatever it is."""
    start = repr(text[:most].decode("utf-8", "backslashreplace").strip())
    return start if len(text) <= most else f"{start}..."


def read_view(
    game: Game, variant: Any, players: int, message: dict[str, Any], events: Sequence[Event]
) -> View:
    """The View of a message, on the side of the bot."""
    record = game.from_dict(players, variant, message["position"])
    legal = [read_action(game, record, text) for text in message["legal"]]
    seed = int(message.get("seed", 0))
    return View(game, record, legal, tuple(events), seed, read_clock(message.get("clock")))


def read_clock(told: dict[str, Any] | None) -> Clock | None:
    """The clock of a message; None without one."""
    if told is None:
        return None
    return Clock(tuple(map(float, told["seconds"])), float(told["increment_seconds"]))


def read_action(game: Game, record: State, text: str) -> int:
    """The legal action that reads `text` in a position; ProtocolError if there is none."""
    found = game.find_action(record, text)
    if found is None:
        raise ProtocolError(f"{text!r} is no legal action of the position")
    return found


def read_variant(game: Game, given: dict[str, Any]) -> Any:
    """The variant of a message; options that this version does not know are left out."""
    known = {name: value for name, value in given.items() if hasattr(game.Variant(), name)}
    variant: Any = parse_options(game.Variant, known, "variant")
    return variant
