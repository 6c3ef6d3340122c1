"""Every position of every playthrough is drawn, for every viewer."""

from collections.abc import Iterator

import pytest

from arena.authoring.checks.pictures import faults_in
from arena.authoring.checks.walks import Setting, record_walk, settings
from arena.authoring.playthroughs import SEED
from engines.core import Game
from engines.kernel import INTERPRETED

EVERY = 25  # positions; all of them at length


def test_positions_of_a_playthrough_are_drawn_for_everybody(any_game: Game) -> None:
    """The first setting of each game; of the others `pictures_can_be_drawn` draws short walks."""
    assert list(badly_drawn(settings(any_game)[0], EVERY)) == []


@pytest.mark.full
@pytest.mark.skipif(INTERPRETED, reason="pictures are made by Python in either mode")
def test_every_position_of_a_playthrough_is_drawn_for_everybody(
    any_setting_at_length: Setting,
) -> None:
    assert list(badly_drawn(any_setting_at_length, 1)) == []


def badly_drawn(setting: Setting, every: int) -> Iterator[str]:
    """What is wrong with the pictures of a playthrough, of each n-th position and the last, for every viewer."""
    game = setting.game
    assert game.picture is not None
    walk = record_walk(setting, SEED)
    for position in (*walk[:-1:every], walk[-1]):
        views = [game.view(position.states, player) for player in range(setting.players)]
        for view in (position.states, *views):
            yield from (f"{position.where}: {fault}" for fault in faults_in(game.picture, view))
