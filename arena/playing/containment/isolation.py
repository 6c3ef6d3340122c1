"""How bots are kept apart on this machine: what can be had, what is chosen, and what to say of it."""

import sys
from collections.abc import Sequence
from typing import Literal

from arena.playing.containment import bubblewrap
from arena.playing.containment.children import Children, children, isolation_of_keeper
from arena.playing.containment.starting import Terms, game_places, places_of
from bots.contract import BotSpec
from engines.errors import UserError

Isolation = Literal["sandbox", "process", "none"]
CALLS_NEED = "network: needs isolation: sandbox, nothing else keeps a bot to the hosts it names"
TRUSTED = "bots are trusted: without a sandbox they can read files, use the network and harm a run"


def chosen(wanted: str | None) -> Isolation:
    """The isolation that a run gets: what its config asks for, or the best that works here.

    Raises:
        UserError: what it asks for cannot be had; says what would help.
    """
    if wanted == "none":
        return "none"
    if wanted in ("sandbox", None):
        problem = bubblewrap.problem()
        if not problem:
            return "sandbox"
        if wanted == "sandbox":
            raise UserError(f"isolation: sandbox cannot be had here: {problem}")
    if sys.platform != "linux":
        hint = "isolation: none plays trusted Python bots in the worker"
        raise UserError(f"isolation: process needs Linux, here it is {sys.platform} ({hint})")
    return "process"


def warning(isolation: str, wanted: str | None) -> str:
    """What is to be said where bots of others play without a sandbox; nothing where they have one."""
    if isolation == "sandbox":
        return ""
    reason = "" if wanted else f"; no sandbox here: {bubblewrap.problem()}"
    return f"isolation: {isolation}, {TRUSTED}{reason}"


def at_hand() -> str:
    """The isolation of the keeper that this worker has, else the best that works here."""
    found = isolation_of_keeper()
    return found or chosen(None)


def ready(
    isolation: str, bots: Sequence[BotSpec], terms: Sequence[Terms], game_text: str
) -> Children | None:
    """The keeper of this worker, started so that it can show these bots what they need.

    Raises:
        UserError: the isolation cannot keep a bot to the hosts that it may call.
    """
    calling = any(granted.network for granted in terms)
    if calling and isolation != "sandbox":
        raise UserError(f"isolation: {isolation}, {CALLS_NEED}")
    contained = [
        (bot, granted)
        for bot, granted in zip(bots, terms, strict=True)
        if bot.kind.program or (isolation != "none" and bot.kind.outside)
    ]
    if not contained:
        return None
    if isolation != "sandbox":
        return children(False)
    places = [place for bot, granted in contained for place in places_of(bot, granted)]
    return children(True, [*(game_places(game_text) if game_text else ()), *places], calling)
