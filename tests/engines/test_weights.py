"""The weights of heuristics as data: they are what `evaluate` weighs by, and nothing else is."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from engines.core import Game, load_game
from engines.digests import digest_of
from engines.errors import UserError
from engines.rng import seeded
from engines.weights import declared, opened, packed, read_weights, with_weights

SCRIPT = """
import hashlib
import numpy as np
from engines.core import load_game
from engines.rng import seeded
from engines.weights import declared, opened, packed, with_weights

game = load_game({name!r})
others = {{one.name: 0.8 * one.value for one in declared(game.evaluate)}}
own = game.evaluate
plain, free = with_weights(own, others), opened(own)
digest, rng = hashlib.blake2b(digest_size=8), seeded(5)
states = game.new_state(game.players[0], game.Variant(), rng)
for number in range({steps}):
    legal = game.legal(states)
    if len(legal) == 0:
        break
    player = number % int(states["players"][0])
    values = plain(states, player), free(states, player, packed(own, others))
    assert values[0] == values[1], (number, values)
    digest.update(np.float64(values[0]).tobytes())
    digest.update(np.float64(own(states, player)).tobytes())
    game.apply(states, int(legal[number % len(legal)]), rng)
print(number, digest.hexdigest())
"""


@pytest.fixture(scope="module")
def four() -> Game:
    return load_game("connect_four")


def values_of(game: Game) -> dict[str, float]:
    return {one.name: one.value for one in declared(game.evaluate)}


def test_every_game_declares_its_weights(any_game: Game) -> None:
    found = declared(any_game.evaluate)
    assert len(found) >= 2
    assert all(one.span.low <= one.value <= one.span.high for one in found)


def test_places_of_an_array_are_named_after_its_enum() -> None:
    found = values_of(load_game("sacrificio"))
    assert found["CARD_VALUE.KU"] == 0.802
    assert "CARD_VALUE.VM" not in found  # a zero stays one


def test_own_weights_give_the_same_kernel(any_game: Game) -> None:
    evaluate = any_game.evaluate
    assert with_weights(evaluate, values_of(any_game)) is evaluate
    assert with_weights(evaluate, {}) is evaluate


def test_other_weights_are_another_kernel_and_the_same_ones_the_same(four: Game) -> None:
    one = with_weights(four.evaluate, {"CENTRE_DISC": 0.3})
    assert one is with_weights(four.evaluate, {"CENTRE_DISC": 0.3, "WINNING_SPACE": 1.0})
    assert digest_of([one]) != digest_of([four.evaluate])
    assert digest_of([one]) != digest_of([with_weights(four.evaluate, {"CENTRE_DISC": 0.4})])


def test_weights_are_what_the_estimate_weighs_by(four: Game) -> None:
    states = four.new_state(2, four.Variant(), seeded(1))
    four.apply(states, 3, seeded(1))  # a disc in the middle, worth three times CENTRE_DISC
    for weight in (0.15, 0.4):
        expected = 1 / (1 + math.exp(-3 * weight))
        assert with_weights(four.evaluate, {"CENTRE_DISC": weight})(states, 0) == expected
        weights = packed(four.evaluate, {**values_of(four), "CENTRE_DISC": weight})
        assert opened(four.evaluate)(states, 0, weights) == expected


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("connect_four", 20),
        pytest.param("karmaka", 60, marks=pytest.mark.full),
        pytest.param("sagrada", 60, marks=pytest.mark.full),
        pytest.param("sacrifice", 60, marks=pytest.mark.full),
        pytest.param("nakum", 60, marks=pytest.mark.full),
        pytest.param("sacrificio", 60, marks=pytest.mark.full),
    ],
)
def test_other_weights_give_the_same_bytes_compiled_and_interpreted(
    run_python: Callable[..., str], capsys: pytest.CaptureFixture[str], name: str, steps: int
) -> None:
    script = SCRIPT.format(name=name, steps=steps)
    exec(script, {})
    assert capsys.readouterr().out.strip() == run_python(script, NUMBA_DISABLE_JIT="1") != ""


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"CENTRE_DISK": 1.0}, "no such weight, did you mean CENTRE_DISC?"),
        ({"CENTRE_DISC": "1"}, "'1', expected a number from -1e+06 to 1e+06"),
        ({"CENTRE_DISC": True}, "True, expected a number"),
        ({"CENTRE_DISC": math.nan}, "nan, expected a number"),
        ({"CENTRE_DISC": 1e300}, "1e+300, expected a number"),
        ({"\x1b[31m": 1.0}, "no such weight"),
        ({7: 1.0}, "no such weight"),
    ],
)
def test_wrong_weights_are_refused_in_one_line(four: Game, given: dict, problem: str) -> None:
    with pytest.raises(UserError) as refused:
        read_weights(four.evaluate, given, "weights")
    text = str(refused.value)
    assert text.startswith("weights.")
    assert problem in text
    assert text.isprintable()


def test_weights_that_are_not_given_keep_their_values(four: Game) -> None:
    assert read_weights(four.evaluate, {"CENTRE_DISC": 1}, "weights") == {
        "WINNING_SPACE": 1.0,
        "CENTRE_DISC": 1.0,
    }
    assert np.array_equal(packed(four.evaluate, values_of(four)), [1.0, 0.15])
