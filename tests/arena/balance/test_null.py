"""The baseline against itself on other deals: many small runs through the whole way of a comparison."""

import functools

import pandas as pd
import pytest
from scipy.stats import binom, kstest

from arena.balance.analysis import all_measures
from arena.balance.comparison import comparison_rows, null_check
from arena.balance.config import Margins, parse_balance, tournament_spec
from arena.balance.samples import NULL, make_sample, matched
from arena.execution.run import carry_out
from arena.plan.tournament import resolve
from arena.results.groups import Results
from arena.results.report import places
from arena.store.run_folder import load_spec, read_matches

DEALS = 20
RUNS = (60, pytest.param(200, marks=pytest.mark.full))
TESTED = ("win share of player 1", "points of a player", "winning margin")


@pytest.fixture(scope="module", params=RUNS)
def runs(request) -> int:
    """How many runs there are."""
    return request.param


@pytest.fixture(scope="module")
def null_rows(toy, tmp_path_factory, runs) -> pd.DataFrame:
    """The comparisons of runs of 20 deals with 20 others; every deal stands in one run only."""
    folder = tmp_path_factory.mktemp("null")
    spec = parse_balance(
        {
            "name": "null",
            "game": str(toy),
            "players": [2],
            "baseline": {"luck": 50, "rounds": 2},
            "bots": ["random"],
            "deals": 2 * runs * DEALS,
            "null_sets": 0,
            "seed": 11,
        }
    )
    carry_out(resolve(tournament_spec(spec)), folder, workers=0, progress=False)
    record, stored = load_spec(folder), read_matches(folder)
    results = Results(stored, record.entrants, record.lineups, functools.partial(places, record))
    group = results.groups[0]
    rows = []
    for run in range(runs):
        first = 2 * run * DEALS
        halves = [
            group.kept((group.deals >= start) & (group.deals < start + DEALS))
            for start in (first, first + DEALS)
        ]
        base, null = (
            make_sample(half, stored, ("random",), part, chance=True)
            for half, part in zip(halves, ("", NULL), strict=True)
        )
        own, other = matched(null, base, DEALS)
        assert own.size == other.size == DEALS
        found = [
            [m for m in all_measures(sample, sample, [], {}) if m.name in TESTED]
            for sample in (own, other)
        ]
        rows += [{"run": run, **row} for row in comparison_rows(own.key, *found, Margins())]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("measure", TESTED)
def test_p_values_of_the_null_variant_are_uniform(null_rows, runs, measure):
    own = null_rows[null_rows.measure == measure]
    assert len(own) == runs
    assert kstest(own.uniform_p, "uniform").pvalue > 0.005
    below = int((own.p_value < 0.05).sum())
    assert below <= binom.ppf(0.999, runs, 0.05)


def test_hardly_any_run_calls_a_difference_that_is_not_there(null_rows, runs):
    false = null_rows[null_rows.verdict == "differs"].run.nunique()
    assert false <= binom.ppf(0.999, runs, 0.05)


def test_intervals_of_null_differences_hold_zero(null_rows):
    for measure in TESTED:
        own = null_rows[null_rows.measure == measure]
        assert 0.90 <= ((own.low <= 0) & (own.high >= 0)).mean() <= 0.99


def test_the_self_check_calls_uniform_what_is_and_not_what_is_not(null_rows):
    key = {"game": "toy", "variant": NULL, "players": 2}
    own = null_rows[null_rows.measure == TESTED[1]]
    assert null_check(own, key)["verdict"] == "uniform"
    assert null_check(own.assign(uniform_p=own.uniform_p**3), key)["verdict"] == "not uniform"
    assert null_check(own.head(3), key)["verdict"] == "too few"
