"""Whether all that a config names lies below the folder: the page starts nothing that lies elsewhere."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from arena.plan.config import read_yaml
from arena.plan.spec import BotEntry, GameEntry, TournamentSpec, parse_spec
from arena.plan.tournament import PACKAGES, playing
from bots.contract import BotKind
from bots.registry import DOTTED, find_kind, path_in, split_options
from bots.sources import files_at
from engines.core import game_names, parse_options
from engines.errors import UserError

Named = Callable[[str], None]  # refuses a path that leads out of the folder


def check_inside(root: Path, config: Path) -> None:
    """Whether a config, or the record of a run, lies below a folder with all the files that it reads.

    Raises:
        UserError: names the value; or the config is none.
    """
    if not config.resolve().is_relative_to(root):
        raise UserError(f"{config.name}: lies outside of {root}")
    data = read_yaml(config)
    if "tournament" in data and "lineups" in data:  # the record of a run holds its config
        data = data["tournament"]
    spec = parse_spec({"name": config.stem, **data})
    bases = (config.parent, root)  # where a config's paths are looked for

    def named_at(where: str) -> Named:
        def check(text: str) -> None:
            for base in bases:
                if leads_out(root, base / text):
                    raise UserError(
                        f"{config.name}: {where}: {text[:200]!r} lies outside of {root}: "
                        "arena run starts it in a terminal, this page does not"
                    )

        return check

    check_files(spec, bases, named_at)


def leads_out(root: Path, path: Path) -> bool:
    """Whether something is there that lies elsewhere, or whose links lead there."""
    with suppress(OSError, ValueError):  # no name of a file at all
        return path.exists() and not path.resolve().is_relative_to(root)
    return False


def check_files(
    spec: TournamentSpec, bases: tuple[Path, Path], named_at: Callable[[str], Named]
) -> None:
    """Call what refuses paths with each that a config names, by the path of its keys."""
    for text in spec.mount:
        named_at("mount")(text)
    for i, game in enumerate(spec.games):
        check_game(game, f"games[{i}]", bases, named_at)
    for i in playing(spec):  # a retired bot is read no more
        check_bot(spec.bots[i], bases, named_at(f"bots[{i}]"))


def check_game(
    entry: GameEntry, where: str, bases: tuple[Path, Path], named_at: Callable[[str], Named]
) -> None:
    """The folder of a game with all that lies in it, and files of components."""
    if entry.game not in game_names():
        named_at(f"{where}.game")(entry.game)
        for home in found(entry.game, bases):
            for path in all_in(home):
                named_at(f"{where}.game")(str(path))
    for option, options in entry.options(where):
        if isinstance(file := options.get("components"), str):
            named_at(f"{option}.components")(file)


def check_bot(entry: BotEntry, bases: tuple[Path, Path], named: Named) -> None:
    """The files of a bot, what it may read, and what its kind says that its options name."""
    for text in entry.mount:
        named(text)
    if path := path_in(entry.bot, bases[0]) or path_in(entry.bot, bases[1]):
        check_source(path[0], entry.files, bases, named)
    elif match := DOTTED.match(entry.bot):
        check_module(match["module"], bases, named)
    else:
        kind, options = find_kind(entry.bot)
        check_options(kind, {**split_options(options, entry.bot), **entry.parameters}, named)


def check_source(text: str, files: Sequence[str], bases: tuple[Path, Path], named: Named) -> None:
    """A bot's file or folder, and each file that belongs to it: links in a folder may lead anywhere."""
    named(text)
    for path in found(text, bases):
        home = path.resolve() if path.is_dir() else path.resolve().parent
        beside = [str(one.resolve()) for file in files for one in found(file, (*bases, home))]
        for one in beside:
            named(one)
        for name in files_at(str(path), beside)[2]:
            named(str(home / name))


def check_module(module: str, bases: tuple[Path, Path], named: Named) -> None:
    """A bot of a package: of this house, or one below the folder; of installed ones only those that say they are bots.

    Raises:
        UserError: there is none.
    """
    top = module.partition(".")[0]
    if top in PACKAGES:
        return
    spec = PathFinder.find_spec(top, [str(bases[1]), *sys.path])
    if spec is None:
        raise UserError(f"bot {module!r}: there is no such module")
    for place in spec.submodule_search_locations or [spec.origin or ""]:
        for path in all_in(Path(place)):
            named(str(path))


def all_in(path: Path) -> Iterator[Path]:
    """A file, or a folder with all that lies in it."""
    yield path
    for place, folders, files in os.walk(path):
        yield from (Path(place, name) for name in (*folders, *files))


def check_options(kind: BotKind, options: dict[str, Any], named: Named) -> None:
    """What the options of a kind of bot name; of one that does not say which words are paths, what it reads."""

    def noted(word: str) -> str:
        named(word)
        return word

    if kind.placed is not None:
        kind.placed(options, noted)
    elif read := kind.program or kind.reads:
        for path in read(parse_options(kind.Parameters, options, kind.name)):
            named(path)


def found(text: str, bases: Iterable[Path]) -> list[Path]:
    """What is there of a path, wherever it may lie."""
    kept = []
    for base in bases:
        with suppress(OSError, ValueError):
            if (base / text).exists():
                kept.append(base / text)
    return kept
