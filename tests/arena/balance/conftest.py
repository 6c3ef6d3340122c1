"""Runs of the toy game, each played once for all tests."""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.balance import inference
from arena.balance.analysis import Balance
from arena.balance.config import BalanceSpec, parse_balance
from arena.balance.run import play

TOY = Path(__file__).resolve().parent / "toy"


def config(**changes: Any) -> BalanceSpec:
    """A balance analysis of the toy game."""
    plain = {
        "name": "toy",
        "game": str(TOY),
        "players": [2],
        "bots": ["random", "greedy"],
        "seed": 7,
    }
    return parse_balance({**plain, **changes})


@pytest.fixture(scope="session")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Balance]:
    """The tables of a config of the toy game, given as (key, value) pairs that can be hashed."""

    @functools.cache
    def make(name: str) -> Balance:
        spec = config(**CASES[name])
        _, balance = play(spec, tmp_path_factory.mktemp(name), workers=0, progress=False)
        assert balance is not None
        return balance

    return make


CASES: dict[str, dict[str, Any]] = {
    # each plays one card: with aces 3, kings 2 and twos 1, random players win 5/6, 1/2 and 1/6 with them
    "cards": {
        "bots": ["random"],
        "variants": [{"bonus": 1}, {"ace": -9}],
        "deals": 240,
    },
    # the deal alone decides
    "coin": {
        "baseline": {"ace": 0, "king": 0, "two": 0, "luck": 999},
        "deals": 150,
    },
    # nothing but skill: the better cards, five times
    "skill": {
        "baseline": {"rounds": 5},
        "deals": 150,
        "intervene": {"subjects": ["ace", "two"], "deals": 40},
    },
    # greedy draws with itself unless luck decides
    "drawn": {
        "baseline": {"rounds": 5},
        "variants": [{"king": 1}, {"luck": 3}],
        "bots": ["greedy"],
        "deals": 60,
    },
    "three": {"players": [3], "baseline": {"rounds": 2, "luck": 3}, "deals": 40},
    "teams": {"players": [4], "baseline": {"teams": True, "luck": 5}, "deals": 40},
    "few": {"deals": 5, "variants": [{"bonus": 1}], "baseline": {"luck": 3}},
}


@pytest.fixture(scope="module")
def fewer_exchanges(at_length: bool) -> Iterator[None]:
    """Tests of differences by fewer exchanges of labels, where what is done with them is looked at, not how sure they
    are; .ci/full makes all of them."""
    with pytest.MonkeyPatch.context() as patch:
        if not at_length:
            patch.setattr(inference, "PERMUTATIONS", 2999)
        inference.exchanges.cache_clear()
        yield
    inference.exchanges.cache_clear()


@pytest.fixture(scope="session")
def toy() -> Path:
    """The folder of the toy game."""
    return TOY


@pytest.fixture(scope="session")
def make_config() -> Callable[..., BalanceSpec]:
    """A balance analysis of the toy game with some keys changed."""
    return config
