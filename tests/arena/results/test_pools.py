"""Tables of a large run are sums; they say what tables of its rows say."""

import shutil
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from arena.execution.run import carry_out
from arena.pages.game import usage
from arena.pages.html import Names
from arena.pages.report import matches
from arena.pages.source import Source
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.results import distributions, reading
from arena.results.findings import make_findings
from arena.results.overall import overall
from arena.results.pooling import SUMS
from arena.results.report import make_tables
from arena.results.stored import Wanted, chosen, first_chosen, load
from arena.store import merging
from arena.store.columns import RESULTS
from arena.store.parts import part_files, read_part, write_part
from arena.store.record import load_spec
from arena.store.run_folder import read_matches, stored_in
from arena.web.matches import Wanted as Looked
from arena.web.matches import matches_page, rows_of
from engines.errors import UserError

CUP = {
    "name": "pools",
    "seed": 3,
    "isolation": "none",
    "deals": 14,
    "games": [
        {"game": "connect_four", "opening": 3},
        {"game": "connect_four", "variant": {"rows": 5}, "opening": 3},
        {"game": "karmaka", "players": 2},
        {"game": "karmaka", "players": 3},
        {"game": "karmaka", "players": 4},
    ],
}
FRAMES = ("standings", "head_to_head", "pairs", "seats", "sides", "faults", "endings")


@pytest.fixture(scope="module")
def run(tmp_path_factory, odd):
    """A run of several games and tables with a bot that fails, in several parts."""
    folder = tmp_path_factory.mktemp("pools") / "run"
    bots = [
        "random",
        "greedy",
        {"bot": odd("Illegal"), "name": "wrong"},
        "greedy:samples=2",
    ]
    carry_out(resolve(parse_spec({**CUP, "bots": bots})), folder, workers=0, progress=False)
    return folder


@pytest.fixture(scope="module")
def tables(run):
    """The run's tables by its rows and by its sums, made once for all that only read them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.results.pools.SAMPLE_BITS", 0)
        return both(run, patch)


@pytest.fixture(scope="module", params=["two tables", pytest.param("all", marks=pytest.mark.full)])
def small(request, run, tmp_path_factory):
    """The run with two of its five tables played, for what is read again and again; at length with all."""
    if request.param == "all":
        return run
    folder = tmp_path_factory.mktemp("small") / "run"
    shutil.copytree(run, folder)
    (part,) = part_files(folder)
    table, known = read_part(part, RESULTS.names), load_spec(folder).lineups
    kept = [known[name] for name in table["lineup_id"].to_pylist()]
    write_part(part, table.filter(pa.array([x.players == 4 or bool(x.variant) for x in kept])))
    return folder


def compare(one: pd.DataFrame, other: pd.DataFrame, but: tuple[str, ...] = ()) -> None:
    assert list(one.columns) == list(other.columns)
    assert len(one) == len(other)
    for name in one.columns:
        if name not in but:
            pd.testing.assert_series_equal(
                one[name], other[name], check_dtype=False, rtol=1e-9, atol=1e-12
            )


@pytest.fixture(autouse=True)
def all_hashes(monkeypatch):
    """Distinct matches are counted in all of them, not in a sample."""
    monkeypatch.setattr("arena.results.pools.SAMPLE_BITS", 0)


def both(folder, monkeypatch):
    rows = make_tables(folder)
    monkeypatch.setattr(reading, "ROW_BY_ROW", 0)
    return rows, make_tables(folder)


def halved(run, tmp_path, seed):
    """A copy of the run at tmp_path / "run" that holds half of its matches: its part, what it holds, the rest."""
    shutil.copytree(run, tmp_path / "run")
    (part,) = part_files(tmp_path / "run")
    part.with_suffix(SUMS).unlink(missing_ok=True)
    table = read_part(part, RESULTS.names)
    order = np.random.default_rng(seed).permutation(table.num_rows)
    half, rest = (table.take(own) for own in np.split(order, [table.num_rows // 2]))
    write_part(part, half)
    return part, half, rest


def test_tables_of_sums_are_those_of_rows(tables):
    rows, sums = tables
    assert sums.results.pools
    assert not rows.results.pools
    assert sums.stored == rows.stored
    for name in FRAMES:
        compare(getattr(rows, name), getattr(sums, name))
    compare(overall(rows.results.groups), overall(sums.results.groups))


def test_ratings_and_resamples_of_sums_are_those_of_rows_to_the_last_digit(tables):
    rows, sums = tables
    assert len(rows.results.groups) == len(sums.results.groups) == 5
    for one, other in zip(rows.results.groups, sums.results.groups, strict=True):
        assert one.names == other.names
        for name in ("elo", "low", "high", "matches", "deals", "resamples", "log_worths"):
            np.testing.assert_array_equal(getattr(one.ratings, name), getattr(other.ratings, name))
        np.testing.assert_array_equal(
            one.ratings.spread.covariance, other.ratings.spread.covariance
        )


def test_distributions_of_sums_are_those_of_rows(tables):
    rows, sums = tables
    for made in (
        distributions.points,
        distributions.point_bars,
        distributions.lengths,
        distributions.variants,
    ):
        compare(made(rows.results), made(sums.results))


def test_a_page_of_sums_says_that_usage_is_of_a_sample(run, monkeypatch):
    monkeypatch.setattr(reading, "ROW_BY_ROW", 500)
    made = make_tables(run)
    found = make_findings(made)
    listed = made.results.matches
    assert 300 < len(listed) <= 500 < made.stored
    sampled = f"of the first deals: {len(listed):,} of {made.stored:,} matches"
    assert f"usage, and the matches listed, are {sampled}" in found.notes
    assert set(listed["deal"]) == set(range(int(listed["deal"].max()) + 1))
    assert len(found.usage)
    source = Source(made, found, ("karmaka", "default", 2), Names())
    assert f"5 % false discoveries; {sampled}</caption>" in usage(source)
    assert f"matches that tell most, {sampled}</caption>" in "".join(matches(made, run))
    assert sampled in matches_page("run", rows_of(made.results), Looked(), sampled)


def test_a_deal_of_too_many_matches_has_whole_blocks_of_some_line_ups_in_the_sample(
    run, monkeypatch
):
    monkeypatch.setattr(reading, "ROW_BY_ROW", 20)
    made = make_tables(run)
    listed = made.results.matches
    assert 0 < len(listed) <= 20
    assert set(listed["deal"]) == {0}
    every = read_matches(run, ["lineup_id", "deal"])
    own = every[(every["deal"] == 0) & every["lineup_id"].isin(set(listed["lineup_id"]))]
    assert len(own) == len(listed) > 4
    assert make_findings(made).usage_of


def test_sums_of_parts_that_stay_are_kept_beside_them(small, tmp_path, monkeypatch):
    run = tmp_path / "run"
    shutil.copytree(small, run)
    monkeypatch.setattr(reading, "ROW_BY_ROW", 0)
    monkeypatch.setattr(merging, "LARGE_ROWS", 1)
    whole = make_tables(run)
    (part,) = part_files(run)
    kept = part.with_suffix(SUMS)
    assert kept.exists()
    with monkeypatch.context() as patch:
        patch.setattr("arena.results.pooling.made_pools", None)
        again = make_tables(run)
    for name in FRAMES:
        compare(getattr(whole, name), getattr(again, name))
    kept.write_bytes(b"something else")
    again = make_tables(run)
    for name in FRAMES:
        compare(getattr(whole, name), getattr(again, name))


def test_a_growing_run_reads_what_is_new_and_blocks_that_became_whole(small, tmp_path, monkeypatch):
    whole = make_tables(small)
    part, half, rest = halved(small, tmp_path, 0)
    folder = tmp_path / "run"
    monkeypatch.setattr(reading, "ROW_BY_ROW", 0)
    monkeypatch.setattr(merging, "LARGE_ROWS", 1)
    now = make_tables(folder)
    assert now.stored == half.num_rows
    assert now.seats["matches"].sum() < whole.seats["matches"].sum()
    write_part(part.with_name("part-000099.parquet"), rest)
    for _ in range(2):
        again = make_tables(folder)
        for name in FRAMES:
            compare(getattr(whole, name), getattr(again, name), ("example", "stderr"))
    assert all(pq.read_metadata(path).num_rows for path in part_files(folder))


@pytest.mark.parametrize("row_by_row", [100, pytest.param(10**6, marks=pytest.mark.full)])
def test_what_is_stored_while_a_report_is_made_changes_nothing_in_it(
    small, tmp_path, monkeypatch, row_by_row
):
    part, _, rest = halved(small, tmp_path, 1)
    folder = tmp_path / "run"
    monkeypatch.setattr(reading, "ROW_BY_ROW", row_by_row)
    before = make_findings(make_tables(folder)).usage
    made = make_tables(folder)
    write_part(part.with_name("part-000099.parquet"), rest)
    compare(make_findings(made).usage, before)
    assert len(before)


def test_matches_that_stand_twice_count_once(small, tmp_path, monkeypatch):
    folder = tmp_path / "run"
    shutil.copytree(small, folder)
    (part,) = part_files(folder)
    table = read_part(part, RESULTS.names)
    write_part(part.with_name("part-000099.parquet"), table.slice(100, 200))
    rows, sums = both(folder, monkeypatch)
    for name in FRAMES:
        compare(getattr(rows, name), getattr(sums, name))


@pytest.mark.parametrize("batches", [5, pytest.param(7, marks=pytest.mark.full)])
def test_groups_of_deals_give_the_same_estimates_and_count_true_deals(
    run, tables, monkeypatch, batches
):
    rows, _ = tables
    for module in (
        "arena.results.pools",
        "arena.results.pooled",
        "arena.results.pooling",
        "arena.statistics.resampling",
    ):
        monkeypatch.setattr(f"{module}.MOST_BATCHES", batches)
    monkeypatch.setattr(reading, "ROW_BY_ROW", 0)
    sums = make_tables(run)
    same = ("entrant", "matches", "deals", "win_share", "mean_points", "mean_rank", "faults")
    order = ["game", "variant", "players", "entrant"]
    one, other = (each.standings.sort_values(order) for each in (rows, sums))
    for name in same:
        np.testing.assert_allclose(
            pd.to_numeric(one[name], errors="coerce"), pd.to_numeric(other[name], errors="coerce")
        )
    np.testing.assert_allclose(one["elo"], other["elo"], atol=1e-6)
    assert (other["elo_low"] < other["elo"]).all()
    for one, other in zip(rows.results.groups, sums.results.groups, strict=True):
        np.testing.assert_array_equal(one.ratings.deals, other.ratings.deals)
        np.testing.assert_array_equal(one.ratings.matches, other.ratings.matches)


def test_bots_without_chance_count_one_deal(tmp_path, monkeypatch, odd):
    folder = tmp_path / "run"
    bots = [odd("First"), odd("Last")]
    spec = {
        "name": "fixed",
        "games": ["connect_four"],
        "bots": bots,
        "deals": 15,
        "isolation": "none",
    }
    carry_out(resolve(parse_spec(spec)), folder, workers=0, progress=False)
    rows, sums = both(folder, monkeypatch)
    for name in FRAMES:
        compare(getattr(rows, name), getattr(sums, name))


def test_parts_that_hold_other_lineups_count_equal_matches_as_equal(tmp_path, monkeypatch, odd):
    """A line-up has another number in a part that holds fewer; its matches are the same."""
    folder = tmp_path / "run"
    spec = {
        "name": "fixed",
        "games": ["connect_four"],
        "bots": [odd("First"), odd("Last"), "random"],
        "deals": 12,
        "isolation": "none",
    }
    carry_out(resolve(parse_spec(spec)), folder, workers=0, progress=False)
    whole = make_tables(folder)
    (part,) = part_files(folder)
    table = read_part(part, RESULTS.names)
    order = table.sort_by([("deal", "ascending")])
    lineups = sorted(set(table["lineup_id"].to_pylist()))
    early = pa.array([deal < 4 for deal in order["deal"].to_pylist()])
    last = pa.array([one == lineups[-1] for one in order["lineup_id"].to_pylist()])
    write_part(part, order.filter(pc.or_(early, last)))
    write_part(part.with_name("part-000098.parquet"), order.filter(pc.invert(pc.or_(early, last))))
    monkeypatch.setattr(reading, "ROW_BY_ROW", 0)
    sums = make_tables(folder)
    points = ("mean_points", "mean_points_low", "mean_points_high")  # repeats count there
    for name in FRAMES:
        compare(getattr(whole, name), getattr(sums, name), points)


def test_rows_of_a_large_run_come_in_batches_of_whole_deals(small, tmp_path, monkeypatch):
    run, small = small, load(small)
    monkeypatch.setattr(reading, "ROW_BY_ROW", 0)
    monkeypatch.setattr(reading, "SAMPLE", 70)
    large = load(run)
    batches = list(large.batches())
    deals = [set(frame["deal"]) for frame in batches]
    assert len(batches) > 3
    assert sorted(deal for own in deals for deal in own) == list(range(14))
    order = ["game", "variant", "players", "id"]
    rows, sums = (one.matches.sort_values(order, ignore_index=True) for one in (small, large))
    pd.testing.assert_frame_equal(rows, sums)
    for wanted in (Wanted(bot="wrong"), Wanted("greedy", "random", deal=3), Wanted(ending="line")):
        facts = (wanted.bot, wanted.opponent, wanted.ending, wanted.deal)
        some, count = first_chosen(large, wanted, 5)
        assert (len(some), count) == (5, len(chosen(small.matches, *facts)))
    taken, every = list[int](), large.batches
    monkeypatch.setattr(
        large, "batches", lambda deal=None: (taken.append(0) or x for x in every(deal))
    )
    some, count = first_chosen(large, Wanted(), 5)
    assert (len(some), count, len(taken)) == (5, len(small.matches), 1)
    for wanted, word in (
        (Wanted(bot="gredy", deal=2), "nobody here"),
        (Wanted(ending="x"), "line"),
    ):
        with pytest.raises(UserError, match=word):
            first_chosen(large, wanted, 5)
    for ending in ("csv", "parquet"):
        one, other = (tmp_path / f"{name}.{ending}" for name in ("small", "large"))
        small.export(one)
        large.export(other)
        read = pd.read_csv if ending == "csv" else pd.read_parquet
        tables = [read(file).sort_values(order, ignore_index=True) for file in (one, other)]
        pd.testing.assert_frame_equal(*tables)


def test_seats_have_columns_before_their_table_is_played(tournament, tmp_path, monkeypatch):
    four = {"game": "karmaka", "players": 4, "variant": {"max_turns_per_player": 3}}
    made = tournament(games=["connect_four", four], deals=1)
    carry_out(made, tmp_path / "run", workers=0, progress=False)
    (part,) = part_files(tmp_path / "run")
    table, known = read_part(part, RESULTS.names), load_spec(tmp_path / "run").lineups
    pairs = [known[name].players == 2 for name in table["lineup_id"].to_pylist()]
    write_part(part, table.filter(pa.array(pairs)))
    rows = pd.read_csv(load(tmp_path / "run").export(tmp_path / "rows.csv"))
    assert rows["entrant_4"].isna().all()
    monkeypatch.setattr(reading, "ROW_BY_ROW", 0)
    sums = pd.read_csv(load(tmp_path / "run").export(tmp_path / "sums.csv"))
    assert list(sums.columns) == list(rows.columns)


def test_a_sample_ends_with_the_deal_that_would_be_too_much(tmp_path, monkeypatch):
    bots = ["random", "greedy", "mcts:simulations=2"]
    spec = {"name": "few", "games": ["connect_four"], "bots": bots, "deals": 40}
    carry_out(resolve(parse_spec(spec)), tmp_path, workers=0, progress=False)
    record = load_spec(tmp_path)
    whole = reading.whole_of(record, stored_in(tmp_path, record))
    counts = reading.matches_by_deal(whole, 0, reading.deals_stored(whole))
    assert counts.sum() == 240
    monkeypatch.setattr(reading, "WINDOW", 7)
    for first, most in product((0, 5, 39, 40), (1, 6, 50, 84, 85, 300)):
        wanted = max(last for last in range(first, 41) if counts[first:last].sum() <= most)
        assert reading.deals_within(whole, most, first) == wanted
