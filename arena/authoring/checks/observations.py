"""What learners see: every field means something, nothing is cut, and what looks alike is told alike."""

from collections.abc import Iterator

import numpy as np

from arena.authoring.checks.folder import field_paths
from arena.authoring.checks.walks import SAMPLE, Setting, guesses, positions, seen
from engines.encoding import Encoder
from engines.pictures import player_name

DTYPES = (np.float32, np.uint8)


def fields_mean_something_to_learners(setting: Setting) -> Iterator[str]:
    """Of every field of a View Layout or observation say what it means, and observation names no other field."""
    known = set(field_paths(setting.game.dtype))
    declared = setting.game.observation(setting.game.blank(setting.players, setting.variant))
    for path in declared:
        if path not in known:
            yield f"observation: no field {path}"
    encoder = encoder_of(setting)
    if len(set(encoder.names)) < encoder.size:
        twice = sorted({name for name in encoder.names if encoder.names.count(name) > 1})
        yield f"observation: two components are named {twice[0]}"


def vectors_hold_what_views_tell(setting: Setting) -> Iterator[str]:
    """No number, card, word or bit of a View is out of the range that its components have."""
    encoder = encoder_of(setting)
    for position in positions(setting, SAMPLE * 2):
        for player in range(setting.players):
            view = seen(setting.game, position.states, player)
            for dtype in DTYPES:
                if saturated := encoder.encode(view, np.zeros(encoder.size, dtype)):
                    yield f"{position.where}: {player_name(player)} sees {saturated} out of its range"


def alike_positions_have_equal_vectors(setting: Setting) -> Iterator[str]:
    """Two States that differ only in what a player cannot see have equal vectors."""
    encoder = encoder_of(setting)
    for position, player, view, guess in guesses(setting):
        true, other = encoder(view), encoder(seen(setting.game, guess, player))
        for at in np.flatnonzero(true != other)[:1]:
            name = encoder.names[int(at)]
            yield f"{position.where}: {player_name(player)} can tell what he imagines by {name}"


def encoder_of(setting: Setting) -> Encoder:
    """The encoder of a setting."""
    return Encoder(setting.game, setting.players, setting.variant)


CHECKS = (
    fields_mean_something_to_learners,
    vectors_hold_what_views_tell,
    alike_positions_have_equal_vectors,
)
