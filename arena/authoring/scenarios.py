"""Scenarios: a position, actions, what must be true then: `arena check scenarios PATH...`.

A file is a YAML list of mappings:

    - name: three upright win              # what the scenario shows
      rule: R4                             # the rule it proves, or a list of rules
      game: connect_four                   # name or folder; left out: the game whose folder the file is in
      players: 2                           # default: the fewest the game allows
      variant: {connect: 3}                # options that differ from their defaults
      position: {discs: ["X.O....", "X.O...."]}      # see Game.from_dict; left out: a fresh deal
      seed: 7                              # of the deal and of chance during play; default 0
      play: [drop 1]                       # action texts
      view_of: 1                           # compare `position` with this player's View
      expect: {ending: line, ranks: [1, 2]}

Actions that are the only legal one may be left out of `play`: they are carried out when the next
text is another one. After the last text nothing more is carried out, so what is expected is what
stands right then; the text "..." carries out forced actions until somebody has a choice or
the game is over.

`expect` may hold
    legal           all legal actions, in any order
    legal_has       some that are legal now, legal_lacks: some that are not
    legal_count     how many are legal: in all, or as {wall: 16, "S1": 4} those that use a subject of
                    the game (see balance tables) or whose text begins with these words
    to_act          who decides; over: nobody
    position        the fields to compare; in mappings and in lists of mappings what is left out is
                    not compared, other lists must be equal, and null stands for anything;
                    `S1: dead` says of a piece, 0 of a kind of things, that there is none
    points, ranks   for each player, if the game ended now
    ending          the game's word for why it ended, e.g. line; running
    error           IllegalAction, PositionError or OptionError, raised by the variant, the position
                    or the play; error_has: a part of its text

There are no other keys, neither of a scenario nor of `expect`: an unknown one is an error.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from arena.authoring.expectations import (
    Expectation,
    differing,
    error_problems,
    listed_actions,
)
from arena.plan.config import load_yaml
from engines.core import Game, load_game, parse_options
from engines.errors import IllegalAction, OptionError, PositionError, UserError, nearest
from engines.records import NOBODY, Rng, State
from engines.rng import mix, seeded

SCENARIOS = "scenarios"  # the folder in a game's own that holds them
FORCED = "..."
KINDS: dict[str, tuple[Any, str]] = {  # of fields: what their values are, and how messages put it
    "str": (str, "a text"),
    "int": (int, "a whole number"),
    "int | str": (int | str, "a player or over"),
    "int | Mapping[str, int]": (int | Mapping, "a number, or numbers by name"),
    "tuple[str, ...]": (str, "texts"),
    "tuple[int, ...]": (int, "whole numbers"),
}
QUICK_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Scenario:
    """One scenario as it stands in a file."""

    file: str
    name: str
    game: str
    rule: tuple[str, ...] = ()
    players: int | None = None
    variant: Mapping[str, Any] = field(default_factory=dict)
    position: Mapping[str, Any] | None = None
    view_of: int | None = None
    seed: int = 0
    play: tuple[str, ...] = ()
    expect: Expectation = field(default_factory=Expectation)


@dataclass(frozen=True)
class Outcome:
    """What came of a scenario: no problems, or one line for each."""

    scenario: Scenario
    problems: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether all that was expected is true."""
        return not self.problems

    def __str__(self) -> str:
        """File, name and every problem."""
        title = f"{self.scenario.file}: {self.scenario.name}"
        return "\n  ".join([title, *self.problems])


# --- reading --------------------------------------------------------------------------------------


def find_files(paths: Iterable[Path]) -> list[Path]:
    """The scenario files named, and all below the folders named."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(p for p in path.rglob("*") if p.suffix in (".yaml", ".yml"))
        elif path.is_file():
            found.append(path)
        else:
            raise UserError(f"scenarios {str(path)!r}: no such file or folder")
    return found


def read_scenarios(file: Path) -> list[Scenario]:
    """The scenarios of a file.

    Raises:
        UserError: with the file, the scenario and the key that is wrong.
    """
    try:
        entries = load_yaml(file.read_text(encoding="utf-8"), QUICK_LOADER)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = error.strerror if isinstance(error, OSError) else " ".join(str(error).split())
        raise UserError(f"{file}: cannot be read: {reason}") from None
    if not isinstance(entries, list) or not entries:
        raise UserError(f"{file}: expected a list of scenarios")
    found = [
        read_scenario(entry, f"{file}[{number}]", file) for number, entry in enumerate(entries)
    ]
    names = [scenario.name for scenario in found]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"{file}: two scenarios are named {name!r}")
    return found


def read_scenario(entry: Any, where: str, file: Path) -> Scenario:
    """One scenario from plain data."""
    if not isinstance(entry, Mapping):
        raise UserError(f"{where}: {entry!r}, expected a mapping")
    for name in ("name", "expect"):
        if name not in entry:
            raise UserError(f"{where}: no {name}")
    values = known_keys(
        Scenario, {"game": game_around(file), **entry, "name": str(entry["name"])}, where
    )
    if values["game"] is None:
        raise UserError(f"{where}: no game, and the file is in no game's folder")
    expect = Expectation(**known_keys(Expectation, values["expect"], f"{where}.expect"))
    errors = [error.__name__ for error in (UserError, OptionError, PositionError, IllegalAction)]
    if expect.error is not None and expect.error not in errors:
        raise UserError(f"{where}.expect.error: {expect.error!r}, expected {' | '.join(errors)}")
    return Scenario(**{**values, "expect": expect, "file": str(file)})


def game_around(file: Path) -> str | None:
    """The folder of the game that a scenario file belongs to, as `load_game` takes it."""
    above = file.resolve().parents
    return next((str(here) for here in above[:3] if (here / "RULES.md").is_file()), None)


def known_keys(cls: type, given: Any, where: str) -> dict[str, Any]:
    """The values of a scenario or expectation, texts and lists of a tuple field as tuples."""
    if not isinstance(given, Mapping):
        raise UserError(f"{where}: {given!r}, expected a mapping")
    types = {f.name: str(f.type) for f in fields(cls) if f.name != "file"}
    values = {}
    for name, value in given.items():
        if name not in types:
            hint = nearest(str(name), types) or f", known are {', '.join(types)}"
            raise UserError(f"{where}.{name}: unknown{hint}")
        if "tuple" in types[name]:
            value = tuple(value) if isinstance(value, list | tuple) else (value,)
        values[str(name)] = of_kind(value, types[name], f"{where}.{name}")
    return values


def of_kind(value: Any, kind: str, where: str) -> Any:
    """A value of the kind that a field declares, or a UserError."""
    plain, words = KINDS.get(kind.removesuffix(" | None"), (object, ""))
    left_out = value is None and kind.endswith("| None")
    items = value if isinstance(value, tuple) and kind.startswith("tuple") else (value,)
    right = all(isinstance(item, plain) and not isinstance(item, bool) for item in items)
    if not right and not left_out:
        raise UserError(f"{where}: {value!r}, expected {words}")
    return value


# --- running --------------------------------------------------------------------------------------


def run_files(paths: Iterable[Path]) -> Iterator[Outcome]:
    """Run every scenario of these files and folders, one Outcome after the other."""
    for file in find_files(paths):
        for scenario in read_scenarios(file):
            yield run_scenario(scenario)


def scenarios_hold(game: Game) -> Iterator[str]:
    """Every scenario in the folder `scenarios` of the game is true."""
    here = game.folder / SCENARIOS
    for file in find_files([here]) if here.is_dir() else []:
        for scenario in read_scenarios(file):
            where = f"{file.relative_to(game.folder)}: {scenario.name!r}"
            if load_game(scenario.game) is not game:
                yield f"{where} plays {scenario.game}: leave `game` out"
                continue
            yield from (f"{where}: {problem}" for problem in run_scenario(scenario).problems)


def run_scenario(scenario: Scenario) -> Outcome:
    """Set up, play, compare."""
    expect = scenario.expect
    try:
        game = load_game(scenario.game)
    except UserError as error:
        return Outcome(scenario, (str(error),))
    try:
        states = set_up(game, scenario)
        play(game, states, scenario.play, seeded(mix(scenario.seed, 1)))
    except UserError as error:
        return Outcome(scenario, tuple(error_problems(error, expect)))
    problems = [] if expect.error is None else [f"expected {expect.error}, but nothing was wrong"]
    return Outcome(scenario, (*problems, *differing(game, states, expect, scenario.view_of)))


def set_up(game: Game, scenario: Scenario) -> State:
    """The State a scenario starts from."""
    players = scenario.players if scenario.players is not None else min(game.players)
    variant: Any = parse_options(game.Variant, scenario.variant, "variant")
    if scenario.view_of is not None and not 0 <= scenario.view_of < players:
        raise UserError(f"view_of: {scenario.view_of}, expected a player from 0 to {players - 1}")
    game.blank_at(players, variant, "variant")  # its errors carry the path
    if scenario.position is None:
        return game.new_state(players, variant, seeded(mix(scenario.seed)))
    states = game.from_dict(players, variant, scenario.position)
    if states["viewer"][0] != NOBODY:
        raise PositionError("position.viewer: a scenario begins with a full position, not a View")
    return states


def play(game: Game, states: State, texts: Iterable[str], rng: Rng) -> None:
    """Carry out actions given as texts; forced ones may be left out.

    Raises:
        IllegalAction: for an action that is not legal when its turn comes.
        UserError: for a text that no action has.
    """
    for text in texts:
        if text == FORCED:
            while carry_out_forced(game, states, rng):
                pass
            continue
        while (action := game.find_action(states, text)) is None:
            if not carry_out_forced(game, states, rng):
                raise IllegalAction(f"{text!r}: not legal now{listed_actions(game, states)}")
        game.apply(states, action, rng)


def carry_out_forced(game: Game, states: State, rng: Rng) -> bool:
    """Carry out the only legal action; False if there is a choice or the game is over."""
    legal = game.legal(states)
    if len(legal) == 1:
        game.apply(states, int(legal[0]), rng)
    return len(legal) == 1
