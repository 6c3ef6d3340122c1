"""A person plays in the terminal: `arena play`. Bots see Views only, and so does the person."""

import secrets
import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.catalogue import columns
from arena.faults import shown
from arena.identity import DEFAULT, variant_label
from arena.live import LiveMatch, begin, resume, save
from bots.contract import Bot, BotSpec, Event, View
from bots.registry import parse_bot
from engines.core import changes, game_names, load_game
from engines.errors import UserError, nearest
from engines.records import copy
from engines.rng import below, mix, seeded

HUMAN = "human"
STORED = Path("results") / "play"
MOST_SEED = 1_000_000  # of a seed that nobody gave: short enough to type
MOST_TOLD = 25  # events since the last decision that are shown
HINT = 1 << 20  # keeps the seeds of hints apart from those of players
HELP = (
    ("NUMBER or TEXT", "play this action; the beginning of a text will do if no other begins so"),
    ("hint", "what a search would play, from what you may know"),
    ("undo", "back to before your last decision; bots start afresh there, chance stays"),
    ("view", "the position and the legal actions once more"),
    ("history", "all that you have seen so far"),
    ("save [FILE]", "store the match; arena play --resume FILE goes on with it"),
    ("quit", "store the match and leave (so do Ctrl-C and Ctrl-D)"),
)


class Leave(Exception):
    """The person wants to go."""


@dataclass
class Play:
    """A match with its seats. seats: a bot, or None for a person. texts: as the user wrote them.

    hint: the bot that is asked for hints. ask, say: the terminal. bots: made when they first decide.
    told: how many actions of the past each person has been told of.
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

    @property
    def people(self) -> list[int]:
        """The players that are persons."""
        return [player for player, seat in enumerate(self.seats) if seat is None]

    def name(self, player: int) -> str:
        """A player as the person reads it."""
        if self.seats[player] is None:
            return "you" if len(self.people) == 1 else f"player {player} (human)"
        return f"player {player} ({self.texts[player]})"

    @property
    def secret(self) -> bool:
        """Whether persons at one screen must not see each other's position."""
        return len(self.people) > 1 and not self.match.game.perfect_information


def read_seats(text: str) -> tuple[tuple[BotSpec | None, ...], tuple[str, ...]]:
    """Seats from 'human,mcts:simulations=500,rollout=greedy,random'.

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
    seats = tuple(None if part == HUMAN else parse_bot(part) for part in parts)
    for seat in seats:
        if seat is not None and seat.kind.make is None:
            raise UserError(f"seats: {seat.text!r}, a program plays in arena match and run only")
    return seats, tuple(parts)


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
        match, texts = resume(stored)
        bots, names = read_seats(",".join(texts))
        return Play(match, bots, names, parse_bot(hint), stored)
    if game is None:
        raise UserError(f"game: none, expected one of {', '.join(game_names())}")
    loaded = load_game(game)
    bots, names = read_seats(seats or ",".join([HUMAN, *["greedy"] * (min(loaded.players) - 1)]))
    chosen = secrets.randbelow(MOST_SEED) if seed is None else seed
    match = begin(game, options, len(bots), chosen)
    file = STORED / f"{match.game.name}-{chosen}.yaml"
    return Play(match, bots, names, parse_bot(hint), file)


def play(table: Play) -> bool:
    """Play on to the end; False if the person left before it, with the match stored."""
    greet(table)
    match = table.match
    try:
        while not match.over:
            legal = match.legal()
            if len(legal) == 1:
                match.do(legal[0], choice=False)
            elif table.seats[match.to_act] is None:
                person_decides(table, legal)
            else:
                match.do(bot_action(table, match.to_act, legal))
    except (Leave, EOFError, KeyboardInterrupt) as left:
        if any(moment.choice and moment.actor in table.people for moment in match.past):
            save(match, table.texts, table.file)
            table.say(f"\nstored in {table.file}; go on with: arena play --resume {table.file}")
        if isinstance(left, KeyboardInterrupt):
            raise
        return False
    say_end(table)
    return True


def greet(table: Play) -> None:
    """What is played, by whom, on which seed."""
    match = table.match
    label = variant_label(changes(match.variant))
    options = "" if label == DEFAULT else f" ({label})"
    table.say(f"{match.game.title}{options}, seed {match.seed}")
    for player in range(match.players):
        seat = table.name(player)
        table.say(f"  player {player}: you" if seat == "you" else f"  {seat}")
    table.say("Type the number or the text of an action; help lists what else there is.")


# --- bots -----------------------------------------------------------------------------------------


def view_for(table: Play, player: int, legal: Sequence[int], seed: int) -> View:
    """What a player may know now."""
    match = table.match
    record = copy(match.game.view(match.states, player))
    return View(match.game, record, tuple(legal), tuple(match.events(player)), seed)


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


def show_briefly(text: str) -> None:
    """Put a text on the line that the next one replaces, if this is a terminal."""
    if sys.stdout.isatty():
        print(f"\r\x1b[K{text}", end="", flush=True)


def hinted(table: Play, player: int, legal: list[int]) -> int:
    """What the hint's bot would play in this player's place."""
    match = table.match
    seed = mix(match.seed, HINT, len(match.past))
    bot = table.hint.make()
    view = view_for(table, player, legal, seed)
    bot.reset(match.game, view, seed)
    action = int(bot.act(view, legal))
    bot.close()
    return action


# --- the person -----------------------------------------------------------------------------------


def person_decides(table: Play, legal: list[int]) -> None:
    """Show a person what there is and carry out what he says, once it changes the match."""
    match, player = table.match, table.match.to_act
    if table.secret:
        table.ask(f"\n{table.name(player)} decides. Enter when nobody else looks: ")
        clear_screen()
    show(table, player, legal)
    while True:
        word, _, rest = table.ask(f"{table.name(player)}> ").strip().partition(" ")
        line = f"{word} {rest}".strip()
        if not word:
            continue
        if word in COMMANDS and not (word != "save" and rest):
            if COMMANDS[word](table, player, legal, rest.strip()):
                return
            continue
        action = action_of(table, line, legal)
        if action is not None:
            match.do(action)
            table.told[player] = len(match.past)
            if table.secret:
                clear_screen()
            return


def clear_screen() -> None:
    """Leave nothing for the next person to read, if this is a terminal."""
    if sys.stdout.isatty():
        print("\x1b[2J\x1b[3J\x1b[H", end="", flush=True)


def show(table: Play, player: int, legal: list[int]) -> None:
    """What happened since the player's last decision, the position, the legal actions."""
    match = table.match
    events = match.events(player, table.told.get(player, 0))
    table.say("")
    if len(events) > MOST_TOLD:
        table.say(f"  ... {len(events) - MOST_TOLD} more before: history shows them")
    for event in events[-MOST_TOLD:]:
        table.say(event_text(table, event))
    if events:
        table.say("")
    table.say(fitted(match.game.render(match.game.view(match.states, player))))
    table.say("")
    table.say(action_list([match.game.action_text(match.states, action) for action in legal]))


def fitted(text: str) -> str:
    """A position whose lines that are wider than the terminal go on below, further in."""
    width = shutil.get_terminal_size().columns
    lines = []
    for line in text.splitlines():
        inset = len(line) - len(line.lstrip()) + 4
        wide = len(line) > width > 2 * inset
        lines += textwrap.wrap(line, width, subsequent_indent=" " * inset) if wide else [line]
    return "\n".join(lines)


def event_text(table: Play, event: Event) -> str:
    """An event in a line."""
    return f"  {table.name(event.player)}: {event.text}"


def action_list(texts: Sequence[str]) -> str:
    """Numbered actions in as many columns as the terminal is wide."""
    entries = [f"{number:>3}. {text}" for number, text in enumerate(texts, 1)]
    width = max(map(len, entries)) + 2
    across = max(1, min(shutil.get_terminal_size().columns // width, -(-len(entries) // 4)))
    down = -(-len(entries) // across)
    entries += [""] * (across * down - len(entries))
    return columns([tuple(entries[row::down]) for row in range(down)])


def action_of(table: Play, line: str, legal: list[int]) -> int | None:
    """The legal action that a number or text means; else None, and the person is told."""
    if line.isdecimal():
        if 1 <= int(line) <= len(legal):
            return legal[int(line) - 1]
        table.say(f"{line}: expected 1 to {len(legal)}")
        return None
    match = table.match
    texts = {match.game.action_text(match.states, action): action for action in legal}
    if line in texts:
        return texts[line]
    close = [text for text in texts if text.lower().startswith(line.lower())]
    if len(close) == 1:
        return texts[close[0]]
    if close:
        table.say(
            f"{line!r}: {len(close)} actions begin like this, e.g. {close[0]!r}, {close[1]!r}"
        )
    else:
        table.say(f"{line!r}: no legal action{nearest(line, [*texts, *COMMANDS])} (help, view)")
    return None


# --- commands: True if somebody else may have to decide now ---------------------------------------

Command = Callable[[Play, int, list[int], str], bool]


def tell_help(table: Play, player: int, legal: list[int], rest: str) -> bool:
    """What can be typed."""
    table.say(columns([(f"  {what}", meaning) for what, meaning in HELP]))
    return False


def give_hint(table: Play, player: int, legal: list[int], rest: str) -> bool:
    """What a search would play."""
    action = hinted(table, player, legal)
    text = table.match.game.action_text(table.match.states, action)
    table.say(f"{table.hint.text} would play {legal.index(action) + 1}. {text}")
    return False


def take_back(table: Play, player: int, legal: list[int], rest: str) -> bool:
    """Back to the last decision of a person."""
    match, before = table.match, len(table.match.past)
    gone = next((m for m in reversed(match.past) if m.choice and m.actor in table.people), None)
    if gone is None or not match.undo(table.people):
        table.say("undo: you have not decided anything yet")
        return False
    others = before - len(match.past) - 1
    more = f" and {others} more since" if others else ""
    table.say(f"taken back: {match.game.action_text(gone.states, gone.action)}{more}")
    table.bots.clear()
    now = len(table.match.past)
    table.told = {p: min(told, now) for p, told in table.told.items()}
    return True


def view_again(table: Play, player: int, legal: list[int], rest: str) -> bool:
    """The position once more."""
    show(table, player, legal)
    return False


def tell_history(table: Play, player: int, legal: list[int], rest: str) -> bool:
    """All that the player has seen."""
    for event in table.match.events(player):
        table.say(event_text(table, event))
    return False


def store(table: Play, player: int, legal: list[int], rest: str) -> bool:
    """Write the match to a file."""
    table.file = Path(rest) if rest else table.file
    try:
        save(table.match, table.texts, table.file)
        table.say(f"stored in {table.file}; go on with: arena play --resume {table.file}")
    except UserError as error:
        table.say(str(error))
    return False


def leave(table: Play, player: int, legal: list[int], rest: str) -> bool:
    """End the conversation."""
    raise Leave


COMMANDS: dict[str, Command] = {
    "help": tell_help,
    "?": tell_help,
    "hint": give_hint,
    "undo": take_back,
    "view": view_again,
    "history": tell_history,
    "save": store,
    "quit": leave,
}


def say_end(table: Play) -> None:
    """The last position, all open, and the result."""
    match, game = table.match, table.match.game
    reason = game.Ending(int(game.ending(match.states))).name.lower().replace("_", " ")
    table.say("")
    for player in table.people[:1]:
        for event in match.events(player, table.told.get(player, 0))[-MOST_TOLD:]:
            table.say(event_text(table, event))
    table.say(fitted(game.render(match.states)))
    table.say(f"\nover: {reason}")
    points, ranks = game.point_list(match.states), game.rank_list(match.states)
    for player in sorted(range(match.players), key=lambda p: ranks[p]):
        table.say(f"  {ranks[player]}. {table.name(player)}, {points[player]} points")
    table.say(f"the same deal again: --seed {match.seed}")
