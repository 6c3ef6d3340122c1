"""R35 A components file: the YAML of all tiles, cards and numbers as options of the Variant.

A section that is given replaces the printed one as a whole: a card that it leaves out is out of the game. What is
as printed yields no option, so the printed file is the default variant, and only the content of a file counts.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from engines.errors import OptionError, nearest

from .notation import (
    PARTS,
    PRINTED,
    Card,
    Gain,
    Part,
    Space,
    Tile,
    check_option,
    differences,
)
from .state import Variant
from .tables import (
    CAMP,
    MARKED_CAPACITY,
    MOST_OPTIONS,
    OFFERING_WORKERS,
    RESOURCES,
    SLOTS,
    Takes,
)

GOODS = (*RESOURCES, "vp")
ACTIONS = {"market": Takes.MARKET, "heritage": Takes.HERITAGE}
MOST_AMOUNT = 9
MOST_POINTS = 30
NO_EFFECT = ("schema_version", "players", "families", "presets", "resources_provenance")
NAMES = ("es", "en", "provenance", "name_provenance")  # say nothing to the rules
SECTIONS = ("outer_tiles", "offerings", "market", "heritage")  # in the order of PARTS

SAME_OPTIONS = {  # keys that are called like the option they set
    "setup": (
        *("heritage_hand", "heritage_played_at_start", "market_row", "offering_row"),
        "outer_tiles_in_play",
    ),
    "rules": (
        *("offerings_to_end", "explore_vp", "pituk_vp", "pituk_market_reveal"),
        *("pituk_offering_reveal", "grow_first_round_allowed", "min_clan_after_offering"),
        *("release_targets_pituk", "sacrifice_from", "explore_choice", "offering_deck_recycle"),
        *("stall_end", "camp_exhaust", "pituk_uses_per_favour", "seat_bonus_vp", "max_rounds"),
    ),
}
FIXED_RULES = {
    "offering_workers": OFFERING_WORKERS,
    "grow_workers": 2,
    "marked_slot_capacity_4p": MARKED_CAPACITY,
    "slot_capacity": 1,
    "explore_capacity": 1,
    "start_seat": 0,
    "tie_break": ["score", "vp_tokens", "mask", "earliest_first_offering", "shared"],
}
FIXED_ACTIONS = {  # of the pyramid: workers, capacity, mark
    "offering": (2, "unlimited", False),
    "pituk": (1, 1, False),
    "start_player": (1, 1, False),
    "grow": (2, 1, None),  # None: may be changed
}
FAVOURS = ("reshuffle_market", "replace_offerings")


def read_components(data: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the Variant that a components file stands for; lists, so that they are plain JSON.

    Raises:
        OptionError: path, value, and what would be right.
    """
    known = (*SECTIONS, *SAME_OPTIONS, "resources", "tokens", "central_tile", "game", *NO_EFFECT)
    check_keys(data, "", known)
    if data.get("game", "nakum") != "nakum":
        raise OptionError(f"game: {data['game']!r}, expected nakum")
    options: dict[str, Any] = {}
    readers: Sequence[Callable[[Any], Mapping[str, Any]]] = (
        *(read_resources, read_tokens, read_setup, read_rules, read_center),
    )
    names = ("resources", "tokens", "setup", "rules", "central_tile")
    for name, reader in zip(names, readers, strict=True):
        if name in data:
            options |= reader(data[name])
    entries = (read_tile, read_offering, read_market, read_heritage)
    for section, part, read in zip(SECTIONS, PARTS, entries, strict=True):
        if section in data:
            options[part.option] = list(changed(data[section], section, part, read))
    defaults = Variant()
    return {k: v for k, v in options.items() if plain(v) != plain(getattr(defaults, k))}


def plain(value: Any) -> Any:
    """Tuples as lists, to be compared with what stands in a file."""
    return list(value) if isinstance(value, tuple) else value


# --- checks -----------------------------------------------------------------------------------------------


def check_keys(given: Any, path: str, known: Iterable[str | int]) -> None:
    """A mapping with known keys only."""
    words = [str(key) for key in known]
    if not isinstance(given, Mapping):
        raise OptionError(f"{path}: {given!r}, expected a mapping of {', '.join(words)}")
    for key in given:
        if str(key) not in words:
            where = f"{path}.{key}".removeprefix(".")
            hint = nearest(str(key), words) or f", known are {', '.join(words)}"
            raise OptionError(f"{where}: unknown{hint}")


def whole(given: Any, path: str, low: int, high: int) -> int:
    """A whole number in a range."""
    if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
        raise OptionError(f"{path}: {given!r}, expected a whole number {low} to {high}")
    return given


def truth(given: Any, path: str) -> bool:
    """True or false."""
    if not isinstance(given, bool):
        raise OptionError(f"{path}: {given!r}, expected true or false")
    return given


def check_fixed(given: Any, path: str, right: Any) -> None:
    """A value that this engine cannot change."""
    if given != right or isinstance(given, bool) != isinstance(right, bool):
        raise OptionError(f"{path}: {given!r}, cannot be changed from {right!r}")


def listed(given: Any, path: str) -> list[Any]:
    """A list."""
    if not isinstance(given, list):
        raise OptionError(f"{path}: {given!r}, expected a list")
    return given


# --- numbers ----------------------------------------------------------------------------------------------


def read_resources(given: Any) -> dict[str, Any]:
    """Storage limits and what is left over is worth."""
    check_keys(given, "resources", RESOURCES)
    found: dict[str, Any] = {
        name: list(getattr(Variant(), name)) for name in ("storage_limit", "per_vp")
    }
    for at, name in enumerate(RESOURCES):
        facts = given.get(name, {})
        check_keys(facts, f"resources.{name}", (*NAMES, "storage_limit", "per_vp"))
        for option, high in (("storage_limit", 99), ("per_vp", 9)):
            if option in facts:
                path = f"resources.{name}.{option}"
                found[option][at] = whole(facts[option], path, 0, high)
    return found


def read_tokens(given: Any) -> dict[str, Any]:
    """Workers; the other tokens are unlimited."""
    others = ("black_cubes", "resource_tokens", "vp_tokens", "start_player_token")
    check_keys(given, "tokens", ("workers_per_player", *others))
    workers, path = given.get("workers_per_player", {}), "tokens.workers_per_player"
    check_keys(workers, path, ("active", "reserve", "total", "provenance"))
    found = {}
    for name, low, high in (("active", 2, 8), ("reserve", 0, 6)):
        if name in workers:
            found[f"{name}_workers"] = whole(workers[name], f"{path}.{name}", low, high)
    if "total" in workers and len(found) == 2 and workers["total"] != sum(found.values()):
        raise OptionError(f"{path}.total: {workers['total']!r}, expected {sum(found.values())}")
    return found


def read_setup(given: Any) -> dict[str, Any]:
    """Rows, tiles and hands."""
    check_keys(given, "setup", (*SAME_OPTIONS["setup"], "tiles_revealed_at_start"))
    found = {name: given[name] for name in SAME_OPTIONS["setup"] if name in given}
    if "tiles_revealed_at_start" in given:
        shown, path = given["tiles_revealed_at_start"], "setup.tiles_revealed_at_start"
        check_keys(shown, path, (2, 3, 4))
        right = Variant().tiles_revealed_at_start
        found["tiles_revealed_at_start"] = [
            whole(shown.get(n, right[n - 2]), f"{path}.{n}", 0, 10) for n in (2, 3, 4)
        ]
    return found


def read_rules(given: Any) -> dict[str, Any]:
    """Numbers and switches; `parse_options` checks their ranges."""
    check_keys(given, "rules", (*SAME_OPTIONS["rules"], *FIXED_RULES))
    for name, right in FIXED_RULES.items():
        if name in given:
            check_fixed(given[name], f"rules.{name}", right)
    return {name: given[name] for name in SAME_OPTIONS["rules"] if name in given}


def read_center(given: Any) -> dict[str, Any]:
    """The pyramid: only the mark on the growth of the clan may change."""
    check_keys(given, "central_tile", ("id", *NAMES, "special_actions", "pituk_favours"))
    found = {}
    for number, action in enumerate(listed(given.get("special_actions", []), "special_actions")):
        path = f"central_tile.special_actions[{number}]"
        check_keys(action, path, ("id", *NAMES, "workers", "capacity", "m4"))
        name = action.get("id")
        if name not in FIXED_ACTIONS:
            raise OptionError(f"{path}.id: {name!r}, expected {', '.join(FIXED_ACTIONS)}")
        for key, right in zip(("workers", "capacity", "m4"), FIXED_ACTIONS[name], strict=True):
            if key in action and right is not None:
                check_fixed(action[key], f"{path}.{key}", right)
        if name == "grow" and "m4" in action:
            found["grow_m4"] = truth(action["m4"], f"{path}.m4")
    for number, favour in enumerate(listed(given.get("pituk_favours", []), "pituk_favours")):
        path = f"central_tile.pituk_favours[{number}]"
        check_keys(favour, path, ("id", "vp"))
        if favour.get("id") not in FAVOURS:
            raise OptionError(f"{path}.id: {favour.get('id')!r}, expected {' or '.join(FAVOURS)}")
        if favour.get("vp", 1) != 1:
            raise OptionError(f"{path}.vp: {favour['vp']!r}, set rules.pituk_vp instead")
    return found


# --- tiles and cards --------------------------------------------------------------------------------------


def changed(
    given: Any, section: str, part: Part, read: Callable[[Mapping[str, Any], str], Any]
) -> tuple[str, ...]:
    """The components of a section that are not as printed; what it leaves out is out of the game."""
    found: dict[str, Any] = {}
    for number, facts in enumerate(listed(given, section)):
        path = f"{section}[{number}]"
        name = facts.get("id") if isinstance(facts, Mapping) else None
        if name not in part.names[1:]:
            known = f", expected {', '.join(part.names[1:4])}, ... {part.names[-1]}"
            hint = nearest(str(name), part.names[1:]) or known
            raise OptionError(f"{path}.id: {name!r}{hint}")
        if name in found:
            raise OptionError(f"{path}.id: {name!r} stands twice")
        found[name] = read(facts, path)
    for name in PRINTED[part.option]:
        found.setdefault(name, None)
    return differences(part, found)


def read_goods(given: Any, path: str, known: Sequence[str] = GOODS) -> Gain:
    """Resources and VP tokens by name."""
    check_keys(given, path, known)
    return Gain(**{name: whole(n, f"{path}.{name}", 0, MOST_AMOUNT) for name, n in given.items()})


def read_option(given: Any, path: str) -> Gain:
    """An option of a space; a market or heritage action stands alone or with VP."""
    check_keys(given, path, (*GOODS, *ACTIONS))
    gain = read_goods({k: v for k, v in given.items() if k not in ACTIONS}, path)
    takes = [name for name in ACTIONS if name in given]
    for name in takes:
        whole(given[name], f"{path}.{name}", 1, 1)
        gain = gain._replace(takes=int(ACTIONS[name]))
    try:
        check_option(gain, len(takes) == 2)
    except OptionError as error:
        raise OptionError(f"{path}: {error}") from None
    return gain


def read_space(given: Any, path: str, known: Sequence[str]) -> Space:
    """A basic slot or a camp."""
    check_keys(given, path, known)
    options = listed(given.get("options"), f"{path}.options")
    if not 1 <= len(options) <= MOST_OPTIONS:
        raise OptionError(f"{path}.options: {len(options)}, expected 1 to {MOST_OPTIONS}")
    gains = [read_option(option, f"{path}.options[{i}]") for i, option in enumerate(options)]
    return Space(tuple(gains), truth(given.get("m4", False), f"{path}.m4"))


def read_tile(given: Mapping[str, Any], path: str) -> Tile:
    """A tile with its slots and its camp."""
    check_keys(given, path, ("id", *NAMES, "basic", "camp"))
    spaces: list[Space | None] = [None] * len(SLOTS)
    slots = listed(given.get("basic"), f"{path}.basic")
    if not slots:
        raise OptionError(f"{path}.basic: empty, expected a slot at least")
    for number, slot in enumerate(slots):
        here = f"{path}.basic[{number}]"
        found = read_space(slot, here, ("id", "options", "m4"))
        name = slot.get("id")
        if name not in SLOTS[:CAMP] or spaces[SLOTS.index(name)] is not None:
            raise OptionError(f"{here}.id: {name!r}, expected a, b, c or d, each once")
        spaces[SLOTS.index(name)] = found
    if given.get("camp") is not None:
        spaces[CAMP] = read_space(given["camp"], f"{path}.camp", ("options", "m4"))
    return Tile(tuple(spaces))


def read_end(given: Mapping[str, Any], path: str, name: str) -> int:
    """Points at the end."""
    return whole(given.get(name, 0), f"{path}.{name}", 0, MOST_POINTS)


def read_offering(given: Mapping[str, Any], path: str) -> Card:
    """An offering."""
    check_keys(given, path, ("id", *NAMES, "sacrifice", "cost", "vp"))
    return Card(
        read_goods(given.get("cost", {}), f"{path}.cost", RESOURCES),
        end=read_end(given, path, "vp"),
        sacrifice=whole(given.get("sacrifice", 0), f"{path}.sacrifice", 0, OFFERING_WORKERS),
    )


def read_market(given: Mapping[str, Any], path: str) -> Card:
    """A market card."""
    check_keys(given, path, ("id", *NAMES, "cost", "gain", "vp_end", "release"))
    return Card(
        read_goods(given.get("cost", {}), f"{path}.cost", RESOURCES),
        read_goods(given.get("gain", {}), f"{path}.gain"),
        read_end(given, path, "vp_end"),
        release=truth(given.get("release", False), f"{path}.release"),
    )


def read_heritage(given: Mapping[str, Any], path: str) -> Card:
    """A heritage card."""
    check_keys(given, path, ("id", *NAMES, "gain", "vp_end"))
    gain = read_goods(given.get("gain", {}), f"{path}.gain")
    return Card(gain=gain, end=read_end(given, path, "vp_end"))
