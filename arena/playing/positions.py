"""Positions of a game, played forward by hand in a notebook or a script: what `arena.game` gives."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.plan.identity import variant_label
from arena.plan.spec import default_players, read_variant
from arena.plan.wording import counts_text
from bots.contract import View
from engines.core import Game, OptionInfo, changes, describe_options, load_game, parse_options
from engines.errors import IllegalAction, OptionError, UserError
from engines.pictures import player_name
from engines.records import OVER, Rng, State, copy
from engines.rng import seeded


@dataclass(frozen=True)
class Rulebook:
    """A game that can be started; `game` is the engines' record of its kernels and facts."""

    game: Game
    text: str  # what it was found by

    @property
    def name(self) -> str:
        """What commands and configs call it."""
        return self.game.name

    @property
    def title(self) -> str:
        """What people call it."""
        return self.game.title

    @property
    def players(self) -> tuple[int, ...]:
        """How many can play."""
        return self.game.players

    @property
    def options(self) -> list[OptionInfo]:
        """The options of a variant: name, type, default, meaning and what is allowed."""
        return describe_options(self.game.Variant)

    def start(
        self,
        players: int | None = None,
        seed: int = 0,
        variant: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> "Position":
        """The first position of a deal.

        Args:
            players: at the table; by default the fewest, from two, that the game allows.
            seed: fixes all chance: of the deal, and of what is played from here.
            variant, options: the options that differ from the printed rules, as in a config.

        Raises:
            UserError: names the argument, its value and what would be right.
        """
        count = default_players(self.game) if players is None else players
        if count not in self.players:
            allowed = f"{self.title} is for {counts_text(self.players)}"
            raise OptionError(f"players: {players}, {allowed}")
        given = read_variant(self.text, {**(variant or {}), **options}, "variant", Path())
        chosen: Any = parse_options(self.game.Variant, given, "variant")
        rng = seeded(seed)
        return Position(self.game, chosen, self.game.new_state(count, chosen, rng), rng)

    def __repr__(self) -> str:
        """Name and players."""
        return f"<{self.title}: {counts_text(self.players)}>"


class Position:
    """One position, never changed: `play` returns the next. `states` and `rng` are the engines' own."""

    def __init__(self, game: Game, variant: Any, states: State, rng: Rng) -> None:
        """Own a State and the chance to come."""
        self.game = game
        self.variant = variant
        self.states = states
        self.rng = rng

    @property
    def to_act(self) -> int:
        """The player who decides, from 0 in order of play; -1 when the game is over."""
        return int(self.states["to_act"][0])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.to_act == OVER

    @property
    def ending(self) -> str:
        """Why the game ended, '' while it runs."""
        reason = self.game.Ending(int(self.game.ending(self.states)))
        return reason.name.lower().replace("_", " ") if reason else ""

    @property
    def points(self) -> list[int]:
        """Each player's points if the game ended now."""
        return self.game.point_list(self.states)

    @property
    def ranks(self) -> list[int]:
        """Each player's rank if the game ended now: 1 is best, ties and team-mates share."""
        return self.game.rank_list(self.states)

    def legal(self) -> list[int]:
        """The legal actions of the player who decides, ascending; none when the game is over."""
        return [int(action) for action in self.game.legal(self.states)] if not self.over else []

    def text(self, action: int) -> str:
        """A legal action in words."""
        return self.game.action_text(self.states, self._checked(action))

    def play(self, action: int | str) -> "Position":
        """The position after a legal action, given as a number or in words.

        Raises:
            UserError: the action is not legal here.
        """
        states, rng = copy(self.states), self.rng.copy()
        self.game.apply(states, self._checked(action), rng)
        return Position(self.game, self.variant, states, rng)

    def view(self, player: int) -> View:
        """What one player may know, as bots are shown it: `to_dict`, `sample`, `legal`, `text`."""
        players = int(self.states["players"][0])
        if not 0 <= player < players:
            raise UserError(f"player: {player}, expected 0 to {players - 1}")
        legal = self.legal() if player == self.to_act else []
        return View(self.game, self.game.view(self.states, player), legal, (), int(self.rng[0]))

    def to_dict(self) -> dict[str, Any]:
        """All of the position as plain data, in the rules' own words."""
        return self.game.to_dict(self.states)

    def _checked(self, action: int | str) -> int:
        if isinstance(action, str):
            found = None if self.over else self.game.find_action(self.states, action)
        else:
            found = int(action) if int(action) in self.legal() else None
        if found is None:
            words = [self.game.action_text(self.states, one) for one in self.legal()]
            known = ", ".join(words[:5]) + (", ..." if len(words) > 5 else "")
            raise IllegalAction(
                f"action {action!r}: not legal here, expected e.g. {known or 'none'}"
            )
        return found

    def __str__(self) -> str:
        """The position as people read it, all open."""
        return self.game.render(self.states)

    def __repr__(self) -> str:
        """Game, variant and who decides."""
        label = variant_label(changes(self.variant))
        what = self.game.name if label == "default" else f"{self.game.name} ({label})"
        return f"<{what}: {'over' if self.over else f'{player_name(self.to_act)} decides'}>"


def find_rulebook(name: str) -> Rulebook:
    """A game by name or by the path of its folder; UserError names the nearest known one."""
    return Rulebook(load_game(name), name)
