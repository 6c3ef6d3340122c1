"""A dry run: what would be played and how long it takes, with nothing stored."""

import re
import time

import pytest

from arena.execution import forecast as module
from arena.execution.forecast import Cost, forecast, power
from arena.execution.run import carry_out
from arena.plan.schedule import make_lineups
from arena.plan.wording import time_text


@pytest.fixture(autouse=True)
def short_probe(monkeypatch):
    monkeypatch.setattr(module, "PROBE_SECONDS", 0.3)


def test_a_dry_run_counts_line_ups_and_matches_and_stores_nothing(tournament, tmp_path):
    resolved = tournament(
        games=["connect_four", {"game": "karmaka", "players": 3, "deals": 1}],
        bots=["random", "greedy", "mcts:simulations=2"],
        deals=5,
    )
    tables, other, total, duration = forecast(resolved, tmp_path / "none", 2)
    assert tables == "connect_four (default) with 2 players: 3 line-ups, 5 deals, 30 matches"
    assert other == "karmaka (default) with 3 players: 1 line-up, 1 deal, 3 matches"
    assert total == "33 matches in all"
    assert re.fullmatch(
        r"about \d+ s on 2 workers \(from \d+ matches in a probe of 0\.3 s\)", duration
    )
    assert not (tmp_path / "none").exists()


def test_what_is_stored_is_not_counted_again(tournament, tmp_path):
    carry_out(tournament(deals=3), tmp_path, workers=0, progress=False)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    *_, total, duration = forecast(tournament(deals=40), tmp_path, 1)
    assert total == f"80 matches in all, 6 of them in {tmp_path}"
    assert "on one worker" in duration
    assert list(forecast(tournament(deals=3), tmp_path, 0))[-1] == (
        f"6 matches in all, 6 of them in {tmp_path}"
    )
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("deals", [30, pytest.param(60, marks=pytest.mark.full)])
def test_a_forecast_is_about_right(tournament, tmp_path, deals):
    resolved = tournament(bots=["random", "mcts:simulations=400"], deals=deals)
    *_, duration = forecast(resolved, tmp_path, 0)
    began = time.monotonic()
    carry_out(resolved, tmp_path, workers=0, progress=False)
    needed = time.monotonic() - began
    said = int(re.search(r"about (\d+) s on this process", duration).group(1))
    assert said / 3 - 1 <= needed <= 3 * said + 1


def test_matches_too_slow_for_the_probe_are_named(tournament, tmp_path):
    resolved = tournament(bots=["random", "greedy", "mcts:simulations=1000000"])
    *_, duration = forecast(resolved, tmp_path, 2)
    assert duration.startswith("more than ")
    assert re.search(r"; [12] of 3 line-ups finished no match in it\)$", duration)


def test_a_line_up_that_was_not_seen_costs_what_its_entrants_cost_elsewhere(tournament):
    resolved = tournament(bots=["random", "greedy", "mcts"])
    cost, lineups = Cost(), make_lineups(resolved)
    price = dict(zip(sorted({e for one in lineups for e in one.entrants}), (1, 2, 4), strict=True))
    for lineup in lineups[:2]:
        seconds = [float(price[entrant]) for entrant in lineup.entrants]
        columns = {"deal": [0], "seating": ([0, 1], None), "seconds": (seconds, None)}
        cost.learn(lineup, columns, sum(seconds))
    assert cost.of(lineups[2]) == sum(price[entrant] for entrant in lineups[2].entrants)
    assert Cost().of(lineups[0]) is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "1 s"), (99, "99 s"), (1200, "20 minutes"), (7200, "2.0 hours"), (864000, "10.0 days")],
)
def test_times_are_in_units_people_use(seconds, text):
    assert time_text(seconds) == text


def test_the_command_line_has_it(arena, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = arena("run", "quickstart", "--dry-run", "--set", "deals=2")
    assert (code, err) == (0, "")
    assert "matches in all" in out
    assert not list(tmp_path.iterdir())


def test_a_dry_run_says_how_many_deals_would_tell_two_bots_apart(tournament):
    """2 matches a deal: (1.96 + 0.84)^2 / 4 / 2 / 0.03^2 = 1090; five bots at tables of three meet in nine."""
    (line,) = power(tournament(bots=["random", "greedy"]))
    assert "about 1,187 deals separate 20 Elo, 1,091 separate 3 points of score" in line
    assert not list(power(tournament(bots=["random"], schedule="self_play")))
