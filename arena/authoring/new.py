"""Beginnings for authors: `arena new game NAME` and `arena new bot NAME` copy a template and give it a name."""

import keyword
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from bots.registry import bot_kinds
from engines.core import game_names
from engines.errors import UserError, nearest

TEMPLATES = Path(__file__).resolve().parent / "templates"
BYTE_CODE = shutil.ignore_patterns("__pycache__", "*.pyc")
WORD = re.compile(r"[a-z][a-z0-9_]*")


def new_game(folder: Path) -> Path:
    """Write a small working game into a new folder and return it; the folder's name is the game's.

    Raises:
        UserError: the name is no name for a game, is taken, or the folder is there already.
    """
    name = checked(folder, "game", game_names())
    title = name.replace("_", " ").title()
    words = {"highest_card": name, "Highest Card": title}
    return copied(TEMPLATES / "game", folder, {**words, f"./{name}": shown(folder)})


def new_bot(folder: Path, kind: str) -> Path:
    """Write a small working bot into a new folder and return it.

    Args:
        folder: where; its name is the bot's.
        kind: `python`, `compiled` or `program`.

    Raises:
        UserError: the name is no name for a bot, is taken, or the folder is there already; no such kind.
    """
    known = bot_templates()
    if kind not in known:
        listed = nearest(kind, known) or f", expected {' or '.join(known)}"
        raise UserError(f"kind {kind!r}: unknown{listed}")
    name = checked(folder, "bot", bot_kinds())
    class_name = name.replace("_", " ").title().replace(" ", "")
    words = {"MyBot": class_name, "MY_BOT": name.upper(), "my_bot": name}
    return copied(TEMPLATES / "bots" / kind, folder, {**words, f"./{name}": shown(folder)})


def bot_templates() -> list[str]:
    """The kinds of bots that there are templates of."""
    return sorted(path.name for path in (TEMPLATES / "bots").iterdir() if path.is_dir())


def checked(folder: Path, what: str, taken: "Mapping[str, object] | list[str]") -> str:
    """The name that a folder gives to a new game or bot."""
    name = folder.name
    if not WORD.fullmatch(name) or keyword.iskeyword(name):
        raise UserError(f"{what} {name!r}: expected small letters, digits and _, as in my_{what}")
    if name in taken:
        raise UserError(f"{what} {name!r}: there is one of this name")
    if folder.exists():
        raise UserError(f"{what} {str(folder)!r}: is there already")
    return name


def shown(folder: Path) -> str:
    """A folder as commands name it: never mistaken for the name of a game or bot."""
    return str(folder) if folder.is_absolute() else f"./{folder}"


def copied(template: Path, folder: Path, words: Mapping[str, str]) -> Path:
    """A template in a new folder, with each of these words replaced by another."""
    try:
        shutil.copytree(template, folder, ignore=BYTE_CODE)
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                text = path.read_text(encoding="utf-8")
                for old, new in words.items():
                    text = text.replace(old, new)
                path.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(f"{str(folder)!r}: cannot be written: {reason}") from None
    return folder
