"""Random combinations of options, the ends of their ranges among them, pass every check."""

import pytest

from arena.authoring import conformance
from arena.authoring.checks.variants import described, random_variants
from arena.authoring.checks.walks import Setting
from engines.core import Game, changes, describe_options

MANY = 200
SOME = 20  # of them, in the full run
PATIENCE = 0.02  # seconds of work for which a check looks at positions


@pytest.mark.parametrize(
    "many",
    [pytest.param(SOME, marks=pytest.mark.full), pytest.param(MANY, marks=pytest.mark.slow)],
)
def test_every_check_holds_for_random_variants(any_game: Game, many: int) -> None:
    for number, (players, variant) in enumerate(random_variants(any_game, many)):
        setting = Setting(any_game, players, variant, f"random {number}", PATIENCE)
        for check in conformance.CHECKS:
            problems = conformance.outcome(setting.name, check, setting).problems
            assert problems == (), described(any_game, variant)


def test_random_variants_can_be_played_and_change_every_option(any_game: Game) -> None:
    found = list(random_variants(any_game, MANY))
    assert len(found) == MANY
    changed = {name for _, variant in found for name in changes(variant)}
    few = {"setup", "counts"}  # of Sacrifice: most numbers of pieces need a placement of their own
    assert {info.name for info in describe_options(any_game.Variant)} - few <= changed
