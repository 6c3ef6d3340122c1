"""Paths in a config: relative to the config, then to the working folder; and in a run, which can move."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bots.registry import SHIPPED, path_in
from engines.core import game_names
from engines.errors import UserError


def find_path(text: str, folder: Path, where: str, *more: Path) -> Path:
    """A file or folder that a config names.

    Args:
        folder: of the config.
        where: the path of the value in the config.
        more: where it may lie besides.

    Raises:
        UserError: says where it was looked for.
    """
    tried = list(dict.fromkeys(base / text for base in (folder, Path(), *more)))
    for path in tried:
        if path.exists():
            return path
    looked = " and ".join(str(path) for path in tried)
    raise UserError(f"{where}: {text!r}, no such file or folder, looked for {looked}")


def find_bot(
    text: str, files: Iterable[str], parameters: dict[str, Any], folder: Path, where: str
) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """A bot of a config with its paths found: text, files relative to where the bot lies, parameters.

    Of the words of its options that may be paths, those that are files beside the config are these.
    """
    found = path_in(text, folder)
    if found is not None:
        path = find_path(found[0], folder, f"{where}.bot")
        home = path.resolve() if path.is_dir() else path.resolve().parent
        own = [find_path(one, folder, f"{where}.files", home).resolve() for one in files]
        names = tuple(os.path.relpath(one, home) for one in own)
        return f"{path}{found[1]}", names, parameters
    kind = SHIPPED.get(text)
    if kind is not None and kind.placed is not None:
        parameters = kind.placed(parameters, lambda word: beside(word, folder))
    return text, tuple(files), parameters


def beside(word: str, folder: Path) -> str:
    """A word that is a file beside the config by the path that finds it from here; any other as it is."""
    near = folder / word
    return str(near) if near.is_file() else word


# --- paths that travel ----------------------------------------------------------------------------


def portable_bot(text: str) -> str:
    """The text of a bot, its file as `portable_path`."""
    found = path_in(text)
    return portable_path(found[0]) + found[1] if found else text


def portable_game(text: str) -> str:
    """The text of a game, its folder as `portable_path`."""
    return text if text in game_names() else portable_path(text)


def portable_path(text: str) -> str:
    """A path relative to the working folder if it is below it, else absolute."""
    path = Path(text).resolve()
    here = Path.cwd()
    if not path.is_relative_to(here):
        return str(path)
    relative = str(path.relative_to(here))
    return relative if os.sep in relative or relative.endswith(".py") else f".{os.sep}{relative}"


def readable(paths: Iterable[str], where: str) -> tuple[str, ...]:
    """Paths that a sandbox is to show, all of them there."""
    for path in paths:
        if not Path(path).exists():
            raise UserError(f"{where}.mount: {path!r}, no such file or folder")
    return tuple(portable_path(path) for path in paths)
