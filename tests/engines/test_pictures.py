"""Every position of every playthrough is drawn, for every viewer; what a picture shows follows from the view alone."""

from arena.authoring.checks.pictures import faults_in, pictures_tell_only_the_view
from arena.authoring.checks.walks import Setting, record_walk
from arena.authoring.playthroughs import SEED
from engines.kernel import INTERPRETED

EVERY = 20 if INTERPRETED else 1


def test_every_position_of_a_playthrough_is_drawn_for_everybody(any_setting: Setting) -> None:
    game = any_setting.game
    assert game.picture is not None
    for position in record_walk(any_setting, SEED)[::EVERY]:
        views = [game.view(position.states, player) for player in range(any_setting.players)]
        for view in (position.states, *views):
            assert list(faults_in(game.picture, view)) == [], position.where


def test_equal_views_give_equal_pictures(any_setting: Setting) -> None:
    assert list(pictures_tell_only_the_view(any_setting)) == []
