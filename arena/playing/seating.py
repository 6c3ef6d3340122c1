"""Who sits at a person's table: seats from text, what each may know, how bots and hints answer."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.plan.tournament import HUMAN as HUMAN
from arena.playing.clocks import Clocks
from arena.playing.compiling import said_if_compiling
from arena.playing.faults import shown
from arena.playing.hints import Considered, considered
from arena.playing.live import LiveMatch
from bots.compiled import kernel_for
from bots.contract import Bot, BotSpec, View
from bots.registry import parse_bot
from engines.core import Game
from engines.errors import UserError
from engines.pictures import player_name
from engines.records import copy
from engines.rng import below, mix, seeded

HINT = 1 << 20  # keeps the seeds of hints apart from those of players


@dataclass
class Play:
    """A match with its seats. seats: a bot, or None for a person. texts: as the user wrote them.

    hint: the bot that is asked for hints. ask, say: the terminal. bots: made when they first decide.
    told: how many actions of the past each person has been told of. clocks: None without.
    """

    match: LiveMatch
    seats: tuple[BotSpec | None, ...]
    texts: tuple[str, ...]
    hint: BotSpec
    file: Path
    ask: Callable[[str], str] = input
    say: Callable[[str], None] = print
    bots: dict[int, Bot] = field(default_factory=dict)
    told: dict[int, int] = field(default_factory=dict)
    clocks: Clocks | None = None

    @property
    def people(self) -> list[int]:
        """The players that are persons."""
        return [player for player, seat in enumerate(self.seats) if seat is None]

    def seated(self, viewer: int | None = None) -> tuple[str, ...]:
        """Who sits where, in a word; `viewer` reads it, the only person if nobody is named."""
        you = self.people[0] if viewer is None and len(self.people) == 1 else viewer
        return tuple("you" if player == you else text for player, text in enumerate(self.texts))

    def name(self, player: int) -> str:
        """A player as the person reads it."""
        if self.seats[player] is None:
            return "you" if len(self.people) == 1 else f"{player_name(player)} (human)"
        return f"{player_name(player)} ({self.texts[player]})"

    @property
    def secret(self) -> bool:
        """Whether persons at one screen must not see each other's position."""
        return len(self.people) > 1 and not self.match.game.perfect_information


def read_seats(
    text: str, defaults: Mapping[str, Mapping[str, Any]] | None = None
) -> tuple[tuple[BotSpec | None, ...], tuple[str, ...]]:
    """Seats from 'human,mcts:simulations=500,rollout=greedy,random'; defaults: those of the game.

    A part such as 'rollout=greedy' belongs to the bot before it.
    """
    parts: list[str] = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        own_option = "=" in part and ":" not in part.partition("=")[0]
        if own_option and parts and parts[-1] != HUMAN:
            parts[-1] += ("," if ":" in parts[-1] else ":") + part
        else:
            parts.append(part)
    if not parts:
        raise UserError("seats: none, expected e.g. human,greedy")
    seats = tuple(None if part == HUMAN else parse_bot(part, defaults=defaults) for part in parts)
    for seat in seats:
        if seat is not None and seat.kind.make is None:
            raise UserError(f"seats: {seat.text!r}, a program plays in arena match and run only")
    return seats, tuple(parts)


def view_for(table: Play, player: int, legal: Sequence[int], seed: int) -> View:
    """What a player may know now."""
    match = table.match
    record = copy(match.game.view(match.states, player))
    clock = table.clocks.seen() if table.clocks else None
    return View(match.game, record, tuple(legal), tuple(match.events(player)), seed, clock)


def bot_action(table: Play, player: int, legal: list[int]) -> int:
    """The action of a bot; a random one where it fails, and the person is told."""
    match = table.match
    spec = table.seats[player]
    assert spec is not None
    now = len(match.past)
    show_briefly(f"{table.name(player)} thinks ...")
    try:
        if player not in table.bots:
            bot = spec.make()
            view = view_for(table, player, legal, match.seed)
            bot.reset(match.game, view, mix(match.seed, player, now))
            table.bots[player] = bot
        view = view_for(table, player, legal, mix(match.seed, player, now))
        action = table.bots[player].act(view, legal)
        show_briefly("")
        if action not in legal:
            raise ValueError(f"{action!r} is not legal")
        return int(action)
    except Exception as error:  # a bot's own code: whatever it raises is its fault
        table.say(f"{table.name(player)} failed: {shown(error)}; a random action stands in")
        return legal[int(below(seeded(mix(match.seed, player, now)), len(legal)))]


def clock_text(table: Play) -> str:
    """What time everybody has left: 'clock: you 0:58, player 1 (greedy) 1:00'."""
    assert table.clocks is not None
    seconds = [int(left) for left in table.clocks.seen().seconds]
    told = [
        f"{table.name(player)} {left // 60}:{left % 60:02}" for player, left in enumerate(seconds)
    ]
    return f"clock: {', '.join(told)}"


def show_briefly(text: str) -> None:
    """Put a text on the line that the next one replaces, if this is a terminal."""
    if sys.stdout.isatty():
        print(f"\r\x1b[K{text}", end="", flush=True)


def minds_of(bot: BotSpec, game: Game) -> list[Any]:
    """The kernel that a bot thinks with, if it is compiled and not from a file."""
    compiled = bot.kind.compiled
    return [kernel_for(compiled, game)] if compiled and not bot.kind.file else []


def hinted(table: Play, player: int, legal: list[int]) -> list[Considered]:
    """What the hint's bot thinks of the decision in this player's place."""
    match = table.match
    with said_if_compiling(match.game.name, lambda: minds_of(table.hint, match.game)):
        seed = mix(match.seed, HINT, len(match.past))
        view = view_for(table, player, legal, seed)
        return considered(table.hint, match.game, view, legal, seed)
