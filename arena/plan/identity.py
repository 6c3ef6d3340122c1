"""Names that follow from content: ids of entrants, variants, line-ups, matches; and their seeds."""

import functools
import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engines.errors import OptionError
from engines.rng import mix, mix_arrays
from engines.texts import brief

NAME = re.compile(r"(?:^|,)\s*([A-Za-z_]\w*)\s*=")
DEFAULT = "default"  # the id and the label of a variant without changes

Numbers: TypeAlias = NDArray[np.uint64]

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def digest(*parts: Any) -> str:
    """16 hex characters: 64 bits of blake2b over the parts as canonical JSON, tuples as lists."""
    return _hash(_encode(parts))


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def entrant_id(kind: str, parameters: Mapping[str, Any], source_hash: str = "") -> str:
    """The id of a bot that plays like this: kind, all parameters, code if not shipped here."""
    return digest("entrant", kind, parameters, source_hash)


def variant_id(changes: Mapping[str, Any]) -> str:
    """The id of a variant, from the options that differ from their defaults."""
    return digest(changes) if changes else DEFAULT


def lineup_id(game: str, changes: Mapping[str, Any], players: int, entrants: Sequence[str]) -> str:
    """The id of a line-up; `changes` as for `variant_id`, `entrants` as ids in any order."""
    return digest(game, changes, players, sorted(entrants))


def match_id(lineup: str, deal: int, seating: Sequence[int]) -> str:
    """The id of a match; `seating` has each seat's position in the line-up's sorted entrants."""
    # What digest(lineup, deal, seating) gives, but four times as fast: runs have millions of ids.
    return _hash(f'["{lineup}",{deal},[{",".join(map(str, seating))}]]')


def deal_seed(run_seed: int, deal: int, salt: str | None = None) -> int:
    """The seed of all chance of a deal, 64 bits; the same for every game, variant and entrant.

    Args:
        salt: of the run; without it whoever tries run seeds one by one finds the deal from a first view.
    """
    return keyed(salt, "deal", run_seed, deal) if salt else mix(run_seed, deal)


def bot_seed(run_seed: int, deal: int, player: int, entrant: str, salt: str | None = None) -> int:
    """The seed of one bot in one match, 64 bits; `entrant` is an entrant id.

    `mix` can be run backwards: from its plain result a bot could find the run seed, and so the deal.
    """
    if salt:
        return keyed(salt, "bot", run_seed, deal, player, id_number(entrant))
    inner = mix(run_seed, deal, player, id_number(entrant))
    return inner ^ mix(inner)


def deal_seeds(run_seed: int, deals: Numbers, salt: str | None = None) -> Numbers:
    """`deal_seed` of each deal."""
    if salt:
        return np.array([deal_seed(run_seed, deal, salt) for deal in deals.tolist()], np.uint64)
    return mix_arrays(run_seed, deals)


def bot_seeds(
    run_seed: int, deals: Numbers, player: int, entrants: Numbers, salt: str | None = None
) -> Numbers:
    """`bot_seed` of the entrant that sits in one seat on each deal; ids as numbers."""
    if salt:
        pairs = zip(deals.tolist(), entrants.tolist(), strict=True)
        found = [keyed(salt, "bot", run_seed, deal, player, entrant) for deal, entrant in pairs]
        return np.array(found, np.uint64)
    inner = mix_arrays(run_seed, deals, player, entrants)
    return inner ^ mix_arrays(inner)


# --- secrets --------------------------------------------------------------------------------------


def new_salt() -> str:
    """128 random bits as text: what nobody can guess, and so no deal that follows from it."""
    return secrets.token_hex(16)


def keyed(salt: str, *parts: int | str) -> int:
    """64 bits of blake2b over the parts, keyed: nothing about salt or other parts follows from them."""
    text = ",".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8, key=_key(salt)).digest(), "little")


@functools.lru_cache(maxsize=64)
def _key(salt: str) -> bytes:
    return hashlib.blake2b(salt.encode(), digest_size=32).digest()


def salt_digest(salt: str) -> str:
    """16 hex characters by which two salts are told apart; they do not tell the salt."""
    return f"{keyed(salt, 'digest'):016x}"


def id_number(name: str) -> int:
    """An id as the number that its hex characters write."""
    return int(name, 16)


def options_text(options: Mapping[str, Any]) -> str:
    """Options as users write them: 'rows=5,connect=3'."""
    return ",".join(f"{name}={value_text(value)}" for name, value in options.items())


def value_text(value: Any) -> str:
    """One option's value as users write it."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "+".join(value_text(item) for item in value)
    return str(value)


def read_label(text: str, where: str) -> dict[str, Any]:
    """The options that a label names, as `variant_label` writes them: 'rows=5,connect=3', 'default'.

    A value is all up to the next `,name=`, so it may hold commas; [a, b] is a list as well as a+b.

    Raises:
        OptionError: where it names no options, or one twice.
    """
    if text.strip() in ("", DEFAULT):
        return {}
    names = list(NAME.finditer(text))
    if not names or names[0].start() > 0:
        raise OptionError(f"{where}: {brief(text)}, expected NAME=VALUE, e.g. rows=5,connect=3")
    found: dict[str, Any] = {}
    ends = [name.start() for name in names[1:]] + [len(text)]
    for name, end in zip(names, ends, strict=True):
        if name[1] in found:
            raise OptionError(f"{where}.{name[1]}: stands twice")
        found[name[1]] = read_value(text[name.end() : end].strip())
    return found


def read_value(text: str) -> str | list[str]:
    """A value as it stands in a label: [a, b] as a list, quotes around it left out."""
    if text[:1] == "[" and text[-1:] == "]":
        return [part.strip().strip("'\"") for part in text[1:-1].split(",") if part.strip()]
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] in ("'", '"') else text


def variant_label(changes: Mapping[str, Any]) -> str:
    """The label of a variant: its changes, or 'default'."""
    return options_text(changes) or DEFAULT
