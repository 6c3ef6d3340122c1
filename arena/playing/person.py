"""A person decides in the terminal: what is shown, what can be typed, what it means."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

from arena.plan.columns import table as lined_up
from arena.plan.wording import quoted
from arena.playing.endings import result_lines
from arena.playing.fitting import action_list, coloured, fitted, position_text, terminal_width
from arena.playing.hints import hint_text
from arena.playing.live import save
from arena.playing.rulebook import explained_here, rulebook
from arena.playing.seating import Play, clock_text, hinted
from bots.contract import Event
from engines.errors import UserError, nearest

MOST_TOLD = 25  # events since the last decision that are shown
HELP = (
    ("NUMBER or TEXT", "play this action; the beginning of a text or some of its words will do"),
    ("hint", "what a search would play, from what you may know, and how often it would win"),
    ("explain NAME", "what the rules say of a card, a tool, a piece, ..."),
    ("rules [NAME]", "the headings of the rules; those under one; a rule by its number"),
    ("undo", "back to before your last decision; bots start afresh there, chance stays"),
    ("view", "the position and the legal actions once more"),
    ("history", "all that you have seen so far"),
    ("save [FILE]", "store the match; arena play --resume FILE goes on with it"),
    ("quit", "store the match and leave (so do Ctrl-C and Ctrl-D)"),
)


class Leave(Exception):
    """The person wants to go."""


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
        if word in COMMANDS and (word in WITH_WORDS or not rest):
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
    events = match.told(player, table.told.get(player, 0))
    table.say("")
    if len(events) > MOST_TOLD:
        table.say(f"  ... {len(events) - MOST_TOLD} more before: history shows them")
    for event in events[-MOST_TOLD:]:
        table.say(fitted(event_text(table, event), terminal_width()))
    if events:
        table.say("")
    width = terminal_width()
    view = match.game.view(match.states, player)
    table.say(coloured(position_text(match.game, view, width, table.seated(player))))
    table.say("")
    texts = [match.game.told(match.states, action) for action in legal]
    table.say(fitted(action_list(texts, width, match.game.cost_texts(view, legal)), width))
    if table.clocks:
        table.say(clock_text(table))


def event_text(table: Play, event: Event) -> str:
    """An event in a line."""
    return f"  {table.name(event.player)}: {event.text}"


def action_of(table: Play, line: str, legal: list[int]) -> int | None:
    """The legal action that a number or text means; else None, and the person is told."""
    number = line.removesuffix(".")  # as the list shows it, too
    if number.isdecimal():
        if 1 <= int(number) <= len(legal):
            return legal[int(number) - 1]
        table.say(f"{number}: expected 1 to {len(legal)}")
        return None
    match = table.match
    texts = {match.game.told(match.states, action): action for action in legal}
    if line in texts:
        return texts[line]
    close = [text for text in texts if text.lower().startswith(line.lower())]
    if not close and any(letter.isalpha() for letter in line):
        close = [text for text in texts if set(words(line)) <= set(words(text))]
    exact = [text for text in close if words(text) == words(line)]
    if len(exact or close) == 1:
        return texts[(exact or close)[0]]
    if close:
        table.say(f"{line!r}: {len(close)} actions read like this, e.g. {close[0]!r}, {close[1]!r}")
    else:
        table.say(f"{line!r}: no legal action{nearest(line, [*texts, *COMMANDS])} (help, view)")
    return None


def words(text: str) -> list[str]:
    """The words of an action, however they are divided: 'draft R1', 'DRAFT r1', 'basic:rio.a'."""
    return re.findall(r"[^\W_]+|[*>^~]", text.lower())


# --- commands: True if somebody else may have to decide now ---------------------------------------

Command = Callable[[Play, int, list[int], str], bool]


def tell_help(table: Play, player: int, legal: list[int], rest: str) -> bool:
    """What can be typed."""
    rows = [(f"  {what}", meaning) for what, meaning in HELP]
    table.say(lined_up(rows, fold=True, width=terminal_width()))
    return False


def give_hint(table: Play, player: int, legal: list[int], rest: str) -> bool:
    """What a search would play."""
    found, match = hinted(table, player, legal), table.match

    def words(action: int) -> str:
        return f"{legal.index(action) + 1}. {match.game.told(match.states, action)}"

    table.say(fitted(hint_text(table.hint.text, found, words), terminal_width()))
    return False


def explain(table: Play, player: int, legal: list[int], rest: str) -> bool:
    """What the rules say of a card, a tool, a piece."""
    if not rest:
        table.say("explain: nothing named, expected e.g. a card's name")
        return False
    game = table.match.game
    view = game.view(table.match.states, player)
    say_rules(table, lambda: explained_here(game, view, rest, terminal_width()))
    return False


def tell_rules(table: Play, player: int, legal: list[int], rest: str) -> bool:
    """The headings of the rules, or what stands under one."""
    say_rules(table, lambda: rulebook(table.match.game).told(rest, terminal_width()))
    return False


def say_rules(table: Play, read: Callable[[], str]) -> None:
    """Say a part of the rules, or that there is none of this name."""
    try:
        table.say(read())
    except UserError as error:
        table.say(str(error))


def take_back(table: Play, player: int, legal: list[int], rest: str) -> bool:
    """Back to the last decision of a person."""
    match, before = table.match, len(table.match.past)
    gone = next((m for m in reversed(match.past) if m.choice and m.actor in table.people), None)
    if gone is None or not match.undo(table.people):
        table.say("undo: you have not decided anything yet")
        return False
    others = before - len(match.past) - 1
    more = f" and {others} more since" if others else ""
    table.say(f"taken back: {match.game.told(gone.states, gone.action)}{more}")
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
    for event in table.match.told(player):
        table.say(fitted(event_text(table, event), terminal_width()))
    return False


def store(table: Play, player: int, legal: list[int], rest: str) -> bool:
    """Write the match to a file."""
    table.file = Path(rest) if rest else table.file
    try:
        save(table.match, table.texts, table.file, table.clocks)
        table.say(stored_text(table))
    except UserError as error:
        table.say(str(error))
    return False


def stored_text(table: Play) -> str:
    """Where the match is stored, and the command that goes on with it, whole in a line."""
    words = f"stored in {table.file}; go on with:", f"arena play --resume {quoted(table.file)}"
    one = " ".join(words)
    return one if len(one) <= terminal_width() else "\n  ".join(words)


def leave(table: Play, player: int, legal: list[int], rest: str) -> bool:
    """End the conversation."""
    raise Leave


COMMANDS: dict[str, Command] = {
    "help": tell_help,
    "?": tell_help,
    "hint": give_hint,
    "explain": explain,
    "rules": tell_rules,
    "undo": take_back,
    "view": view_again,
    "history": tell_history,
    "save": store,
    "quit": leave,
}
WITH_WORDS = ("save", "explain", "rules")  # commands that something may be added to


def say_end(table: Play) -> None:
    """The last position, all open, the result and where the points come from."""
    match, game, width = table.match, table.match.game, terminal_width()
    table.say("")
    for player in table.people[:1]:
        for event in match.told(player, table.told.get(player, 0))[-MOST_TOLD:]:
            table.say(fitted(event_text(table, event), width))
    table.say(coloured(position_text(game, match.states, width, table.seated())))
    table.say("")
    for line in result_lines(match, table.name):
        table.say(fitted(line, width))
    if match.deal == 0:  # else one of human play, which nobody gets twice
        table.say(f"the same deal again: --seed {match.seed}")
