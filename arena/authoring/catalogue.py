"""What there is to play and who can play it, as text: `arena games`, `arena bots`."""

import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from arena.plan.columns import room, table
from arena.plan.wording import counts_text
from bots.registry import bot_kinds, find_kind
from engines.core import OptionInfo, describe_options, game_names, load_game, type_name

LINE = 158  # letters in a row of a table where the terminal sets no limit
WIDEST = 48  # letters in a cell of a table


def list_games() -> str:
    """Every game with its players."""
    games = [load_game(name) for name in game_names()]
    rows = [(game.name, counts_text(game.players), game.title) for game in games]
    return f"{table(rows, fold=True)}\n\narena games NAME shows a game's options."


def describe_game(name: str) -> str:
    """One game: players, options, presets, endings."""
    game = load_game(name)
    lines = [
        f"{game.title} ({game.name}): {counts_text(game.players)}",
        "",
        "Options (--variant NAME=VALUE,NAME=VALUE):",
    ]
    lines.append(options_table(describe_options(game.Variant)))
    if game.components is not None:
        lines += ["", "  components=FILE.yaml sets all that such a file says (see RULES.md)"]
    if game.presets:
        lines += [
            "",
            "Variants the tests play: " + ", ".join(preset.name for preset in game.presets),
        ]
    reasons = [e.name.lower() + (" (cap)" if e in game.caps else "") for e in game.Ending if e]
    lines += ["", f"Ends by: {', '.join(reasons)}"]
    lines += [f"Rules: {shown_path(game.folder / 'RULES.md')} (digest {game.rules_digest})"]
    return "\n".join(lines)


def shown_path(path: Path) -> str:
    """A path from the working folder, or from where the packages are, as short as it can be."""
    for base in (Path.cwd(), Path(__file__).resolve().parents[2]):
        if path.is_relative_to(base):
            return str(path.relative_to(base))
    return str(path)


def list_bots() -> str:
    """Every bot that has a name."""
    rows = [(kind.name, kind.summary) for kind in bot_kinds().values()]
    own = "Your own: file.py:Class or package.module:Class (see the README)."
    return f"{table(rows, fold=True)}\n\narena bots NAME shows a bot's parameters. {own}"


def describe_bot(name: str) -> str:
    """One bot: what it does and its parameters."""
    kind, _ = find_kind(name)
    lines = [f"{kind.name}: {kind.summary}", ""]
    options = describe_options(kind.Parameters)
    if not options:
        return "\n".join([*lines, "No parameters."])
    example = f"{kind.name}:{options[0].name}=..."
    usual = list(usual_lines(kind.name))
    return "\n".join([*lines, f"Parameters ({example}):", options_table(options), *usual])


def usual_lines(kind: str) -> Iterator[str]:
    """The options that games give a kind of bot, where nobody says otherwise."""
    games = map(load_game, game_names())
    own = [(f"  {game.name}", game.defaults[kind]) for game in games if kind in game.defaults]
    if own:
        told = [(name, ",".join(f"{k}={v}" for k, v in options.items())) for name, options in own]
        yield from ("", "Defaults of games:", table(told, fold=True))


def options_table(options: Iterable[OptionInfo]) -> str:
    """Options with default, range and meaning; a long list of words stands below the table."""
    head, below = ("  name", "default", "allowed", "meaning"), list[str]()
    rows, width = [], min(LINE, room())
    for info in options:
        allowed = range_text(info)
        if len(allowed) > min(WIDEST, width // 4):
            below += ["", f"  {info.name}:"]
            inset = " " * 4
            below += textwrap.wrap(
                allowed, min(width, 96), initial_indent=inset, subsequent_indent=inset
            )
            allowed = "see below"
        meaning = info.option.meaning
        if info.option.within is not None:
            meaning += f"; above {info.option.within} limits.decisions of a config may stop a match"
        rows.append((f"  {info.name}", default_text(info), allowed, meaning))
    return (
        "\n".join([table(rows, head, cut=("default",), fold=True, width=width), *below])
        if rows
        else "  none"
    )


def default_text(info: OptionInfo) -> str:
    """A default as a user would write it."""
    if isinstance(info.default, bool):
        return str(info.default).lower()
    if isinstance(info.default, tuple):
        return "+".join(map(str, info.default)) or "none"
    return "none" if info.default is None else str(info.default)


def range_text(info: OptionInfo) -> str:
    """What is allowed."""
    if info.option.allowed != "any":
        return info.option.allowed
    return "true | false" if info.type is bool else type_name(info.type)
