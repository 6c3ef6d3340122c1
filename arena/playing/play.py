"""A person plays in the terminal: `arena play`. Bots see Views only, and so does the person."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.plan.identity import DEFAULT, deal_seed, variant_label
from arena.plan.wording import counts_text, quoted
from arena.playing.compiling import naming, said_if_compiling
from arena.playing.live import LiveMatch, begin, resume, save
from arena.playing.minds import prepare
from arena.playing.person import Leave, person_decides, say_end
from arena.playing.rerun import course_of, told_of
from arena.playing.seating import HUMAN, Play, bot_action, minds_of, read_seats
from arena.playing.warming import simulator_kernels, warm_simulator
from bots.contract import BotSpec
from bots.registry import parse_bot
from engines.core import Game, changes, game_names, load_game
from engines.errors import BrokenGame, UserError
from engines.pictures import player_name

STORED = Path("results") / "play"
MOST_SEED = 1_000_000  # of a seed that nobody gave: short enough to type


def sit_down(
    game: str | None,
    seats: str | None,
    seed: int | None,
    options: Mapping[str, Any],
    hint: str,
    stored: Path | None,
) -> Play:
    """A table for a new match of a game, or for the one stored in a file.

    Raises:
        UserError: what is missing, unknown or does not fit; one line.
    """
    if stored is not None:
        if game or seats or options or seed is not None:
            raise UserError("--resume: the file names game, seats, seed and options; give it alone")
        match, texts = resume(stored, lambda game, seated: compile_table(game, seats_of(seated)))
        bots, names = seats_of(texts), tuple(texts)
        return Play(match, bots, names, parse_bot(hint), stored)
    if game is None:
        raise UserError(f"game: none, expected one of {', '.join(game_names())}")
    loaded = load_game(game)
    bots, names = read_seats(seats or ",".join([HUMAN, *["greedy"] * (min(loaded.players) - 1)]))
    chosen = secrets.randbelow(MOST_SEED) if seed is None else seed
    compile_table(loaded, bots)
    match = begin(game, options, len(bots), chosen)
    file = STORED / f"{match.game.name}-{chosen}.yaml"
    return Play(match, bots, names, parse_bot(hint), file)


def seats_of(texts: Sequence[str]) -> tuple[BotSpec | None, ...]:
    """The seats of a stored match."""
    return read_seats(",".join(texts))[0]


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
    except (Leave, EOFError, KeyboardInterrupt) as left:
        if any(moment.choice and moment.actor in table.people for moment in match.past):
            save(match, table.texts, table.file)
            table.say(
                f"\nstored in {table.file}; go on with: arena play --resume {quoted(table.file)}"
            )
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
        elif table.seats[match.to_act] is None:
            person_decides(table, legal)
        else:
            match.do(bot_action(table, match.to_act, legal))


@contextmanager
def blamed(match: LiveMatch) -> Iterator[None]:
    """Inside, an error in the code of the game is a BrokenGame that names its line, the seed and the action."""
    try:
        yield
    except (UserError, Leave, EOFError, OSError):
        raise
    except Exception as error:
        seed = deal_seed(match.seed, 0)
        actions = [moment.action for moment in match.past]
        course = course_of(match.game_text, match.players, match.variant, seed, actions)
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
    table.say("Type the number or the text of an action; help lists what else there is.")
