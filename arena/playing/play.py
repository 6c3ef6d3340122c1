"""A person plays in the terminal: `arena play`. Bots see Views only, and so does the person."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.plan.identity import DEFAULT, variant_label
from arena.plan.shapes import ClockEntry
from arena.plan.wording import counts_text
from arena.playing.clocks import Clocks
from arena.playing.compiling import naming, said_if_compiling
from arena.playing.faults import Fault
from arena.playing.fitting import fitted, terminal_width
from arena.playing.live import LiveMatch, begin, resume, save, stored_clocks
from arena.playing.minds import prepare
from arena.playing.person import Leave, person_decides, say_end, stored_text
from arena.playing.rerun import course_of, told_of
from arena.playing.seating import HUMAN, Play, bot_action, minds_of, read_seats
from arena.playing.warming import simulator_kernels, warm_simulator
from bots.contract import BotSpec
from bots.registry import parse_bot
from engines.core import Game, changes, game_names, load_game
from engines.errors import BrokenGame, UserError
from engines.kernel import now
from engines.pictures import player_name

STORED = Path("results") / "play"
MOST_SEED = 1_000_000  # of a seed that nobody gave: short enough to type


class LostOnTime(Exception):
    """A player's clock has run out."""


def sit_down(
    game: str | None,
    seats: str | None,
    seed: int | None,
    options: Mapping[str, Any],
    hint: str,
    stored: Path | None,
    clock: ClockEntry | None = None,
) -> Play:
    """A table for a new match of a game, or for the one stored in a file.

    Raises:
        UserError: what is missing, unknown or does not fit; one line.
    """
    if stored is not None:
        if game or seats or options or clock or seed is not None:
            raise UserError("--resume: the file names game, seats, seed and options; give it alone")
        match, texts = resume(
            stored, lambda game, seated: compile_table(game, seats_of(seated, game))
        )
        bots, names = seats_of(texts, match.game), tuple(texts)
        clocks = stored_clocks(stored, len(texts))
        asked = parse_bot(hint, defaults=match.game.defaults)
        return Play(match, bots, names, asked, stored, clocks=clocks)
    if game is None:
        raise UserError(f"game: none, expected one of {', '.join(game_names())}")
    loaded = load_game(game)
    wanted = seats or ",".join([HUMAN, *["greedy"] * (min(loaded.players) - 1)])
    bots, names = read_seats(wanted, loaded.defaults)
    chosen = secrets.randbelow(MOST_SEED) if seed is None else seed
    compile_table(loaded, bots)
    match = begin(game, options, len(bots), chosen)
    file = STORED / f"{match.game.name}-{chosen}.yaml"
    clocks = Clocks(clock, len(bots)) if clock else None
    asked = parse_bot(hint, defaults=loaded.defaults)
    return Play(match, bots, names, asked, file, clocks=clocks)


def seats_of(texts: Sequence[str], game: Game) -> tuple[BotSpec | None, ...]:
    """The seats of a stored match."""
    return read_seats(",".join(texts), game.defaults)[0]


def compile_table(game: Game, seats: Sequence[BotSpec | None]) -> None:
    """Compile a game and the bots at its table before anybody sits down; where that takes time, it is said."""
    bots = [seat for seat in seats if seat and seat.kind.compiled and not seat.kind.file]

    def kernels() -> list[Any]:
        return [*simulator_kernels(game), *(one for bot in bots for one in minds_of(bot, game))]

    with naming(game.name), said_if_compiling(game.name, kernels):
        warm_simulator(game)
        for bot in bots:
            prepare(bot, game)


def play(table: Play) -> bool:
    """Play on to the end; False if the person left before it, with the match stored."""
    greet(table)
    match = table.match
    try:
        with blamed(match):
            play_on(table)
    except LostOnTime as late:
        table.say(f"\nover: {late}")
        return True
    except (Leave, EOFError, KeyboardInterrupt) as left:
        if any(moment.choice and moment.actor in table.people for moment in match.past):
            save(match, table.texts, table.file, table.clocks)
            table.say(f"\n{stored_text(table)}")
        if isinstance(left, KeyboardInterrupt):
            raise
        return False
    say_end(table)
    return True


def play_on(table: Play) -> None:
    """Let people and bots decide until the match is over."""
    match = table.match
    while not match.over:
        legal = match.legal()
        if len(legal) == 1:
            match.do(legal[0], choice=False)
        else:
            decide(table, legal)


def decide(table: Play, legal: list[int]) -> None:
    """Let the player to act decide, or a person take back what was done.

    Raises:
        LostOnTime: the player's clock had run out by then.
    """
    match, player, before, began = table.match, table.match.to_act, len(table.match.past), now()
    if table.seats[player] is None:
        person_decides(table, legal)
        press(table, player, now() - began, len(match.past) > before)
    else:
        action = bot_action(table, player, legal)
        press(table, player, now() - began, True)
        match.do(action)


def press(table: Play, player: int, spent: int, decided: bool) -> None:
    """Count the nanoseconds that a player has spent, where there are clocks."""
    try:
        if table.clocks:
            table.clocks.press(player, spent, decided)
    except Fault as late:
        raise LostOnTime(f"{table.name(player)} lost on time: {late}") from None


@contextmanager
def blamed(match: LiveMatch) -> Iterator[None]:
    """Inside, an error in the code of the game is a BrokenGame that names its line, the seed and the action."""
    try:
        yield
    except (UserError, Leave, LostOnTime, EOFError, OSError):
        raise
    except Exception as error:
        actions = [moment.action for moment in match.past]
        course = course_of(match.game_text, match.players, match.variant, match.chance, actions)
        told = told_of(error, match.game, course)
        where = f"{match.game.name}, {match.players} players, seed {match.seed}"
        raise BrokenGame(f"{where}: {told}, after {len(actions)} actions") from error


def greet(table: Play) -> None:
    """What is played, by whom, on which seed."""
    match = table.match
    label = variant_label(changes(match.variant))
    options = "" if label == DEFAULT else f" ({label})"
    table.say(f"{match.game.title}{options}, seed {match.seed}")
    for name in match.game.idle_options(match.players, match.variant):
        table.say(f"  {name} cannot act with {counts_text([match.players])}")
    for player in range(match.players):
        seat = table.name(player)
        table.say(f"  {player_name(player)}: you" if seat == "you" else f"  {seat}")
    if table.clocks:
        table.say(f"  each has {table.clocks.rule.text}")
    line = "Type the number or the text of an action; help lists what else there is."
    table.say(fitted(line, terminal_width()))
