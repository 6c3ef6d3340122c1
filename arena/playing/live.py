"""A match under way between people and bots: it can go back, be stored and go on."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from arena.plan.config import load_yaml
from arena.plan.identity import deal_seed
from arena.plan.shapes import ClockEntry
from arena.plan.spec import MOST_DEALS
from arena.plan.wording import quoted
from arena.playing.clocks import Clocks
from arena.playing.seats import seen_action
from arena.store.files import write_text
from bots.contract import Event
from engines.actions import Secrecy
from engines.core import Game, changes, load_game, parse_options
from engines.errors import UserError
from engines.piles import EVERYBODY
from engines.records import OVER, Rng, State, copy
from engines.rng import seeded

FORMAT = 1


@dataclass(frozen=True)
class Moment:
    """What stood before an action, and the action.

    choice: there was another legal one. witnesses: mask of the players who saw all of it.
    """

    states: State
    rng: Rng
    actor: int
    action: int
    choice: bool
    witnesses: int


@dataclass
class LiveMatch:
    """A match under way; `states` and `rng` move on, `past` keeps every moment.

    The deal is this one of a run with this seed. An action that is taken back and played again meets
    the same chance. people: the names of the persons, in order of play, where the match is to be
    stored as human play; helped: whether they may take back and ask for hints.
    """

    game: Game
    game_text: str  # what load_game finds it by
    variant: Any
    players: int
    seed: int
    states: State
    rng: Rng
    past: list[Moment] = field(default_factory=list)
    deal: int = 0
    people: tuple[str, ...] = ()
    helped: bool = False

    @property
    def chance(self) -> int:
        """The seed of all chance of the deal."""
        return deal_seed(self.seed, self.deal)

    @property
    def to_act(self) -> int:
        """The player who decides, or OVER (-1)."""
        return int(self.states["to_act"][0])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.to_act == OVER

    def legal(self) -> list[int]:
        """The legal actions, ascending."""
        return [int(action) for action in self.game.legal(self.states)]

    def do(self, action: int, choice: bool = True) -> None:
        """Carry out a legal action."""
        seen_by = EVERYBODY
        if self.game.actions.secrecy[action] != Secrecy.OPEN:
            seen_by = int(self.game.witnesses(self.states, action))
        before = copy(self.states), self.rng.copy()
        self.past.append(Moment(*before, self.to_act, action, choice, seen_by))
        self.game.apply(self.states, action, self.rng)

    def undo(self, players: Collection[int]) -> bool:
        """Go back to before the last choice of one of these players; False if there is none."""
        for number in range(len(self.past) - 1, -1, -1):
            moment = self.past[number]
            if moment.choice and moment.actor in players:
                self.states, self.rng = copy(moment.states), moment.rng.copy()
                del self.past[number:]
                return True
        return False

    def events(self, player: int, since: int = 0) -> list[Event]:
        """What a player saw of the actions from number `since` on, as bots read it."""
        return list(self._seen(player, since, self.game.action_text, self.game.actions.text))

    def told(self, player: int, since: int = 0) -> list[Event]:
        """The same as people read it: players are numbered from 1."""
        return list(self._seen(player, since, self.game.told, self.game.actions.told))

    def _seen(
        self,
        player: int,
        since: int,
        whole: Callable[[State, int], str],
        public: Callable[[int], str],
    ) -> Iterator[Event]:
        for moment in self.past[since:]:
            seen = seen_action(self.game, moment.action, moment.actor, moment.witnesses, player)
            if seen == moment.action:
                yield Event(moment.actor, whole(moment.states, seen))  # as it reads in its position
            elif seen is not None:
                yield Event(moment.actor, public(seen))


def begin(
    game_text: str, options: Mapping[str, Any], players: int, seed: int, deal: int = 0
) -> LiveMatch:
    """A match before its first decision.

    Raises:
        UserError: no such game or option, or not for so many players; one line.
    """
    game = load_game(game_text)
    if players not in game.players:
        allowed = ", ".join(map(str, game.players))
        raise UserError(f"seats: {players}, {game.title} is for {allowed} players")
    variant: Any = parse_options(game.Variant, options, "variant")
    rng = seeded(deal_seed(seed, deal))
    states = game.blank_at(players, variant, "variant")
    game.deal(states, rng)
    return LiveMatch(game, game_text, variant, players, seed, states, rng, deal=deal)


def save(
    match: LiveMatch, seats: Collection[str], file: Path, clocks: Clocks | None = None
) -> None:
    """Write a match so that `resume` can go on with it, and `stored_clocks` with its time."""
    data = {
        "format": FORMAT,
        "game": match.game_text,
        "rules": match.game.rules_digest,
        "variant": {
            k: list(v) if isinstance(v, tuple) else v for k, v in changes(match.variant).items()
        },
        "seed": match.seed,
        **({"deal": match.deal} if match.deal else {}),
        **({"people": list(match.people), "helped": match.helped} if match.people else {}),
        "seats": list(seats),
        "actions": [match.game.actions.text(moment.action) for moment in match.past],
    }
    if clocks is not None:
        left = [round(seconds, 3) for seconds in clocks.seen().seconds]
        data["clock"] = {**clocks.rule.model_dump(), "left": left}
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, f"# arena play --resume {quoted(file)}\n{text}")


def stored_clocks(file: Path, players: int) -> Clocks | None:
    """The clocks of a stored match, as `save` has written them; None where it has none.

    Raises:
        UserError: they are damaged.
    """
    data = load_yaml(file.read_text(encoding="utf-8"), yaml.SafeLoader).get("clock")
    if data is None:
        return None
    try:
        left = [float(seconds) for seconds in data.pop("left")]
        if len(left) != players:
            raise ValueError(f"clock.left: {len(left)} times for {players} players")
        return Clocks(ClockEntry.model_validate(data), players, left)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UserError(f"{file}: damaged clock: {str(error).splitlines()[0]}") from None


def resume(
    file: Path, prepare: Callable[[Game, list[str]], object] = lambda game, seats: None
) -> tuple[LiveMatch, list[str]]:
    """A stored match, played again up to where it stood, and the texts of its seats.

    Args:
        file: what `save` has written.
        prepare: is told game and seats before anything is played.

    Raises:
        UserError: no such file, not one of these, other rules, or an action that is not legal.
    """
    try:
        data = load_yaml(file.read_text(encoding="utf-8"), yaml.SafeLoader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error).splitlines()[0]
        raise UserError(f"{file}: cannot be read: {reason}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UserError(f"{file}: not a match stored by arena play (format {FORMAT})")
    try:
        seats = [str(text) for text in data["seats"]]
        game, options, seed = str(data["game"]), dict(data["variant"]), int(data["seed"])
        actions = [str(text) for text in data["actions"]]
        deal, people = int(data.get("deal", 0)), tuple(map(str, data.get("people", ())))
        if not 0 <= seed < 1 << 63 or not 0 <= deal < MOST_DEALS:
            raise ValueError(f"seed {seed}, deal {deal}")
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{file}: damaged: {error!r}") from None
    prepare(load_game(game), seats)
    match = begin(game, options, len(seats), seed, deal)
    match.people, match.helped = people, data.get("helped") is True
    if not match.game.has_rules(str(data.get("rules"))):
        raise UserError(f"{file}: the rules of {match.game.name} have changed since it was stored")
    for number, text in enumerate(actions):
        legal = match.legal()
        action = match.game.actions.number(text)
        if action not in legal:
            raise UserError(f"{file}: actions[{number}]: {text!r} is not legal there")
        match.do(action, choice=len(legal) > 1)
    return match, seats
