"""The ActionTable of a game: id <-> kind and small fields <-> text, and what onlookers learn of an action."""

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from engines.errors import UserError, nearest

PLAYER = "player"  # a field of this name chooses a player, in order of play
UNKNOWN = "?"  # word 0 of a field that may be hidden; cards are numbered from 1


class Secrecy(IntEnum):
    """What the players who are no witnesses of an action learn of it."""

    OPEN = 0  # everything
    SECRET = 1  # its kind and its public fields; hidden fields read "?"
    SILENT = 2  # nothing, not even that it happened


@dataclass(frozen=True)
class Field:
    """One choice inside an action: its words are numbered from 0. A field named `player` chooses a player."""

    name: str
    words: tuple[str, ...]
    hidden: bool = False  # blanked to word 0, which must be "?", for those who may not know


@dataclass(frozen=True)
class Kind:
    """One kind of action: the text has a {name} for each field."""

    text: str
    fields: tuple[Field, ...] = ()
    secrecy: Secrecy = Secrecy.OPEN

    @property
    def size(self) -> int:
        """How many actions of this kind there are."""
        return int(np.prod([len(f.words) for f in self.fields], dtype=np.int64))


class ActionTable:
    """All actions of a game, numbered kind by kind; ids mean the same in every variant.

    Attributes:
        size: number of actions.
        base: int32[kinds], the first id of each kind.
        kind: int16[size], the kind of each action.
        field: int16[size, width], the number of each field's word (0 where a kind has fewer fields).
        secrecy: int8[size], a Secrecy.
        public: int32[size], the action as it looks to players who may not know its hidden fields.
    """

    def __init__(self, kinds: Sequence[Kind]) -> None:
        """Number the actions of `kinds`; the position of a kind in the sequence is its number."""
        self.kinds = tuple(kinds)
        sizes = [kind.size for kind in self.kinds]
        self.size = sum(sizes)
        if self.size > 1 << 16:
            raise ValueError(
                f"{self.size} actions; the store keeps an action in 16 bits: split a choice"
            )
        self.base = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
        self.kind = np.repeat(np.arange(len(sizes)), sizes).astype(np.int16)
        self.secrecy = np.array([self.kinds[k].secrecy for k in self.kind], np.int8)
        width = max([1, *(len(kind.fields) for kind in self.kinds)])
        self.field = np.zeros((self.size, width), np.int16)
        self.public = np.arange(self.size, dtype=np.int32)
        for number, kind in enumerate(self.kinds):
            self._number_fields(number, kind)

    def _number_fields(self, number: int, kind: Kind) -> None:
        lengths = [len(f.words) for f in kind.fields]
        first = int(self.base[number])
        for offset, values in enumerate(itertools.product(*map(range, lengths))):
            shown = 0
            for value, field in zip(values, kind.fields, strict=True):
                shown = shown * len(field.words) + (0 if field.hidden else value)
            self.field[first + offset, : len(values)] = values
            if kind.secrecy != Secrecy.OPEN:
                self.public[first + offset] = first + shown
        if kind.secrecy == Secrecy.OPEN and any(f.hidden for f in kind.fields):
            raise ValueError(f"{kind.text}: an open kind has no hidden fields")
        for field in kind.fields:
            if field.hidden and field.words[0] != UNKNOWN:
                raise ValueError(
                    f"{kind.text}: word 0 of the hidden field {field.name} must be '?'"
                )

    def text(self, action: int) -> str:
        """The action in words."""
        kind = self.kinds[int(self.kind[action])]
        words = {f.name: f.words[self.field[action, i]] for i, f in enumerate(kind.fields)}
        return kind.text.format(**words)

    def told(self, action: int) -> str:
        """The action in words for people who read a page: players are numbered from 1, as everywhere there."""
        kind = self.kinds[int(self.kind[action])]
        words = {f.name: f.words[self.field[action, i]] for i, f in enumerate(kind.fields)}
        if PLAYER in words:
            place = [field.name for field in kind.fields].index(PLAYER)
            words[PLAYER] = f"player {int(self.field[action, place]) + 1}"
        return kind.text.format(**words)

    @functools.cached_property
    def _numbers(self) -> dict[str, int]:
        return {self.text(action): action for action in range(self.size)}

    def number(self, text: str) -> int:
        """The action that reads `text`; a UserError names the nearest ones if there is none."""
        action = self._numbers.get(" ".join(text.split()))
        if action is None:
            raise UserError(f"action {text!r}: unknown{nearest(text, self._numbers)}")
        return action

    def has_beginning(self, words: str) -> bool:
        """Whether the text of some action begins with these words."""
        return any(begins_with(text, words) for text in self._numbers)

    def start(self, kind: int) -> int:
        """The first id of a kind as a plain int, for the constants that kernels add fields to."""
        return int(self.base[kind])


def begins_with(text: str, words: str) -> bool:
    """Whether a text begins with whole words: "draft R1" with "draft", "S1:c7-c8" with "S1"."""
    return text == words or (text.startswith(words) and not text[len(words)].isalnum())
