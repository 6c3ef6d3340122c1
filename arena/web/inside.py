"""Whether all that a config names lies below the folder: the page starts nothing that lies elsewhere."""

import shlex
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from arena.plan.config import read_yaml
from arena.plan.spec import BotEntry, TournamentSpec, parse_spec
from arena.plan.tournament import PROGRAM
from bots.registry import path_in
from engines.core import game_names
from engines.errors import UserError


def check_inside(root: Path, config: Path) -> None:
    """Whether a config, or the record of a run, lies below a folder with all the files that it names.

    Raises:
        UserError: names the value; or the config is none.
    """
    if not config.resolve().is_relative_to(root):
        raise UserError(f"{config.name}: lies outside of {root}")
    data = read_yaml(config)
    if "tournament" in data and "lineups" in data:  # the record of a run holds its config
        data = data["tournament"]
    for where, text in files_named(parse_spec({"name": config.stem, **data})):
        for base in (config.parent, root):  # where a config's paths are looked for
            with suppress(OSError, ValueError):
                path = base / text
                if path.exists() and not path.resolve().is_relative_to(root):
                    raise UserError(
                        f"{config.name}: {where}: {text[:200]!r} lies outside of {root}: "
                        "arena run starts it in a terminal, this page does not"
                    )


def files_named(spec: TournamentSpec) -> Iterator[tuple[str, str]]:
    """What may be a file in a config, each with its path of keys."""
    for text in spec.mount:
        yield "mount", text
    for i, entry in enumerate(spec.games):
        if entry.game not in game_names():
            yield f"games[{i}].game", entry.game
        for where, options in entry.options(f"games[{i}]"):
            if isinstance(file := options.get("components"), str):
                yield f"{where}.components", file
    for i, bot in enumerate(spec.bots):
        for text in files_of(bot):
            yield f"bots[{i}]", text


def files_of(bot: BotEntry) -> Iterator[str]:
    """What may be a file of a bot: its own, those beside it, what it may read, words of a program's command."""
    yield from bot.mount
    if found := path_in(bot.bot):
        yield found[0]
        yield from bot.files
        yield from (str(Path(found[0]).parent / file) for file in bot.files)
    command = bot.parameters.get("command")
    if bot.bot.startswith(PROGRAM) and isinstance(command, str):
        with suppress(ValueError):
            program, *words = shlex.split(command) or [""]
            yield from words if shutil.which(program) else (program, *words)
