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
    to_act          who decides; over: nobody
    position        the fields to compare; in mappings and in lists of mappings what is left out is
                    not compared, other lists must be equal, and null stands for anything
    points, ranks   for each player, if the game ended now
    ending          the game's word for why it ended, e.g. line; running
    error           IllegalAction, PositionError or OptionError, raised by the variant, the position
                    or the play; error_has: a part of its text
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from arena.plan.config import load_yaml
from engines.core import Game, load_game, parse_options
from engines.errors import IllegalAction, UserError, nearest
from engines.records import OVER, Rng, State
from engines.rng import mix, seeded

SCENARIOS = "scenarios"  # the folder in a game's own that holds them
FORCED = "..."
QUICK_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
ANY = None


@dataclass(frozen=True)
class Expectation:
    """What must be true at the end; None means it is not looked at."""

    legal: tuple[str, ...] | None = None
    legal_has: tuple[str, ...] = ()
    legal_lacks: tuple[str, ...] = ()
    to_act: int | str | None = None
    position: Mapping[str, Any] | None = None
    points: tuple[int, ...] | None = None
    ranks: tuple[int, ...] | None = None
    ending: str | None = None
    error: str | None = None
    error_has: str | None = None


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
    values = known_keys(Scenario, {"game": game_around(file), **entry}, where)
    if values["game"] is None:
        raise UserError(f"{where}: no game, and the file is in no game's folder")
    values["expect"] = Expectation(**known_keys(Expectation, values["expect"], f"{where}.expect"))
    return Scenario(**{**values, "name": str(values["name"]), "file": str(file)})


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
            raise UserError(f"{where}.{name}: unknown{nearest(str(name), types)}")
        if "tuple" in types[name]:
            value = tuple(value) if isinstance(value, list | tuple) else (value,)
        values[str(name)] = value
    return values


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
    return Outcome(scenario, (*problems, *differing(game, states, scenario)))


def set_up(game: Game, scenario: Scenario) -> State:
    """The State a scenario starts from."""
    players = scenario.players if scenario.players is not None else min(game.players)
    variant: Any = parse_options(game.Variant, scenario.variant, "variant")
    if scenario.position is None:
        return game.new_state(players, variant, seeded(mix(scenario.seed)))
    return game.from_dict(players, variant, scenario.position)


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


def listed_actions(game: Game, states: State, most: int = 20) -> str:
    """', legal are ...' for a message."""
    texts = legal_texts(game, states)
    if not texts:
        return ", the game is over"
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return f", legal are {', '.join(texts[:most])}{more}"


def legal_texts(game: Game, states: State) -> list[str]:
    """The legal actions in words."""
    return [game.action_text(states, int(action)) for action in game.legal(states)]


# --- comparing ------------------------------------------------------------------------------------


def error_problems(error: UserError, expect: Expectation) -> Iterator[str]:
    """What is wrong if this error was raised."""
    kinds = [cls.__name__ for cls in type(error).__mro__ if issubclass(cls, UserError)]
    if expect.error not in kinds:
        yield f"{kinds[0]}: {error}" + (f" (expected {expect.error})" if expect.error else "")
    elif expect.error_has is not None and expect.error_has not in str(error):
        yield f"error: {str(error)!r}, expected to hold {expect.error_has!r}"


def differing(game: Game, states: State, scenario: Scenario) -> Iterator[str]:
    """One line for each thing that is not as expected."""
    expect = scenario.expect
    yield from differing_actions(game, states, expect)
    to_act = int(states["to_act"][0])
    if expect.to_act is not None and to_act != (OVER if expect.to_act == "over" else expect.to_act):
        yield f"to_act: {'over' if to_act == OVER else to_act}, expected {expect.to_act}"
    if expect.points is not None and game.point_list(states) != list(expect.points):
        yield f"points: {game.point_list(states)}, expected {list(expect.points)}"
    if expect.ranks is not None and game.rank_list(states) != list(expect.ranks):
        yield f"ranks: {game.rank_list(states)}, expected {list(expect.ranks)}"
    ending = game.Ending(int(game.ending(states))).name.lower()
    if expect.ending is not None and ending != expect.ending.lower().replace(" ", "_"):
        yield f"ending: {ending}, expected {expect.ending}"
    if expect.position is not None:
        shown = states if scenario.view_of is None else game.view(states, scenario.view_of)
        yield from differing_parts(game.to_dict(shown), expect.position, "position")


def differing_actions(game: Game, states: State, expect: Expectation) -> Iterator[str]:
    """What is not as expected about the legal actions."""
    named = (*(expect.legal or ()), *expect.legal_has, *expect.legal_lacks)
    unknown = []
    for text in named:
        try:
            game.find_action(states, text)
        except UserError as error:
            unknown.append(f"expect: {error}")
    if unknown:
        yield from unknown
        return
    legal = legal_texts(game, states)
    missing = [t for t in (*(expect.legal or ()), *expect.legal_has) if t not in legal]
    surplus = [t for t in legal if expect.legal is not None and t not in expect.legal]
    surplus += [t for t in expect.legal_lacks if t in legal]
    if missing:
        yield f"legal: {', '.join(missing)} missing{listed_actions(game, states)}"
    if surplus:
        yield f"legal: {', '.join(surplus)} not expected"
    if (missing or surplus) and len(legal) == 1:
        yield f"only {legal[0]!r} is legal; '...' at the end of play carries out forced actions"


def differing_parts(found: Any, expected: Any, path: str) -> Iterator[str]:
    """Where plain data is not as expected; what `expected` leaves out is not compared."""
    if expected is ANY:
        return
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for name, value in expected.items():
            if name in found:
                yield from differing_parts(found[name], value, f"{path}.{name}")
            elif value != 0:  # a bag leaves out what it has none of
                near = nearest(str(name), map(str, found))
                yield f"{path}.{name}: not there{near}, expected {value!r}"
    elif holds_mappings(expected) and isinstance(found, list) and len(expected) <= len(found):
        for number, value in enumerate(expected):
            yield from differing_parts(found[number], value, f"{path}[{number}]")
    elif found != expected:
        yield f"{path}: {found!r}, expected {expected!r}"


def holds_mappings(value: Any) -> bool:
    """Whether a list has mappings (or null for anything) in it."""
    return isinstance(value, list) and any(isinstance(v, Mapping) or v is ANY for v in value)
