"""No bot that is contained finds the deal it plays by trying the seeds that runs have."""

from pathlib import Path

import pytest

import arena
from arena.playing.containment import children as pool

HERE = Path(__file__).resolve().parent


def played(folder, workers, **changes):
    """The matches of a run in which a bot guesses deals."""
    config = {
        "name": "guesses",
        "games": ["karmaka"],
        "bots": [f"{HERE / 'guessing_bots.py'}:Guesses", "random"],
        "deals": 3,
        **changes,
    }
    try:
        return arena.run(config, out=folder / "run", workers=workers).matches
    finally:
        pool.close_children()


@pytest.mark.parametrize(
    ("workers", "deals"), [(0, 1), *(pytest.param(n, 3, marks=pytest.mark.full) for n in (0, 1, 2))]
)
def test_a_contained_bot_cannot_guess_the_deal(tmp_path, workers, deals):
    rows = played(tmp_path, workers, deals=deals)
    assert len(rows) == 2 * deals
    assert set(rows["ending"]) == {"finished"}, rows["fault_text"].tolist()


def test_where_nothing_is_contained_it_can(tmp_path):
    rows = played(tmp_path, 0, isolation="none", deals=1)
    assert any("this is deal 0 of seed 0" in text for text in rows["fault_text"])
