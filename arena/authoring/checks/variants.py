"""Random variants of a game: every option with values from its whole range, the ends of it among them."""

from collections.abc import Iterator
from typing import Any, get_origin

from engines.core import Game, OptionInfo, changes, describe_options, parse_options
from engines.errors import OptionError
from engines.records import Rng
from engines.rng import below, mix, seeded

CHANGED = 4  # one option in so many keeps its default
MOST_TRIES = 100  # for each variant: many combinations cannot be played


def random_variants(game: Game, count: int, seed: int = 0) -> Iterator[tuple[int, Any]]:
    """Numbers of players and variants that they can play."""
    rng = seeded(mix(seed, 11))
    for _ in range(count):
        for _ in range(MOST_TRIES):
            players = game.players[int(below(rng, len(game.players)))]
            try:
                variant: Any = parse_options(game.Variant, random_options(game, rng), "variant")
                game.blank(players, variant)
            except OptionError:
                continue
            yield players, variant
            break


def random_options(game: Game, rng: Rng) -> dict[str, Any]:
    """Some options with values of their own; how many differs from variant to variant."""
    infos = describe_options(game.Variant)
    kept = 1 + int(below(rng, CHANGED))  # 1: nearly all change, else a few
    return {
        info.name: random_value(game, info, rng)
        for info in infos
        if int(below(rng, CHANGED)) >= kept or int(below(rng, len(infos))) < 2
    }


def random_value(game: Game, info: OptionInfo, rng: Rng) -> Any:
    """A value of an option: an end of its range as likely as all between."""
    option, default = info.option, info.default
    if isinstance(default, bool):
        return bool(below(rng, 2))
    if get_origin(info.type) is tuple or isinstance(default, tuple):
        return random_list(game, info, rng)
    if option.choices:
        return option.choices[int(below(rng, len(option.choices)))]
    if option.low is None:
        known = [getattr(preset.variant, info.name) for preset in game.presets]
        return [default, *known][int(below(rng, 1 + len(known)))]
    return random_number(info, rng)


def random_list(game: Game, info: OptionInfo, rng: Rng) -> Any:
    """A list: as many numbers as the default has, some of the choices, or what a preset has."""
    if info.option.low is not None and info.default:
        return [random_number(info, rng) if below(rng, 4) == 0 else n for n in info.default]
    if info.option.choices:
        chance = 1 + int(below(rng, 5))
        return [word for word in info.option.choices if int(below(rng, 5)) < chance - 1]
    known = [getattr(preset.variant, info.name) for preset in game.presets]
    return [info.default, *known][int(below(rng, 1 + len(known)))]


def random_number(info: OptionInfo, rng: Rng) -> int:
    """A whole number of an option's range, within what the decision limit allows."""
    option = info.option
    low, high = int(option.low or 0), int(option.high if option.high is not None else 99)
    high = high if option.within is None else min(high, int(option.within))
    ends = (low, high, low + int(below(rng, high - low + 1)))
    return ends[int(below(rng, 3))]


def described(game: Game, variant: Any) -> str:
    """The changes of a variant, for messages."""
    return ", ".join(f"{name}={value!r}" for name, value in changes(variant).items())
