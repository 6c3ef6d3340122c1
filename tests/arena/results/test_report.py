"""Reports of whole, half, tiny, drawn and faulty runs."""

import re

import pandas as pd
import pytest

from arena.execution.run import carry_out
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.results import tables
from arena.results.endings import ENDINGS
from arena.results.pairs import PAIRS
from arena.results.rankings import leaderboard
from arena.results.report import (
    FILES,
    board_text,
    group_keys,
    make_tables,
    milliseconds,
    notes,
    write_board,
    write_tables,
)
from arena.store.columns import RESULTS, SCHEMA
from arena.store.parts import part_files, read_part, write_part
from engines.errors import UserError

COLUMNS = {
    "standings": tables.STANDINGS,
    "head_to_head": tables.HEAD_TO_HEAD,
    "seats": tables.SEAT_ADVANTAGE,
    "sides": tables.SIDES,
    "faults": tables.FAULT_COLUMNS,
    "endings": ENDINGS,
    "pairs": PAIRS,
}


def go(resolved, folder):
    carry_out(resolved, folder, workers=0, progress=False)
    return folder


def some(resolved, folder, matches: int):
    """A run that holds its first matches only, as if it had been stopped."""
    (part,) = part_files(go(resolved, folder))
    rows = read_part(part, SCHEMA.names)
    rows = rows.sort_by([("deal", "ascending"), ("match_id", "ascending")]).slice(0, matches)
    write_part(part, rows.select(RESULTS.names))
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory, odd):
    """A run with two games, three tables and a bot that fails."""
    spec = {
        "name": "cup",
        "seed": 3,
        "salt": "5a" * 16,  # which matches repeat others follows from it
        "games": ["connect_four", {"game": "karmaka", "players": [2, 3]}],
        "bots": [
            "random",
            "greedy",
            {"name": "bad|bot", "bot": odd("Crash"), "after": 2, "restart": "run"},
        ],
        "deals": 12,
        "anchor": {"bot": "random", "elo": 1000},
        "isolation": "process",
    }
    return go(resolve(parse_spec(spec)), tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def made(whole):
    """Its tables, made once for all that only read them."""
    return make_tables(whole)


def test_a_bot_whose_process_is_kept_is_named(made):
    told = notes(made, group_keys(made.standings)[0])
    assert "bad|bot: restart: run, one process for many matches of the run" in told
    assert not any("greedy: restart" in line for line in told)


# --- CSV -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def written(whole):
    """Its tables as they were written."""
    return write_tables(whole)


def test_there_is_a_csv_for_each_table_with_its_columns(whole, written):
    for name in (*FILES, "pairs"):
        frame = pd.read_csv(whole / f"{name}.csv")
        assert tuple(frame.columns) == COLUMNS[name]
        assert len(frame) == len(getattr(written, name))
        assert (len(frame) > 0) == (name != "sides")  # nobody plays in a team here
    assert not list(whole.glob("*.tmp"))


def test_written_again_they_are_the_same_bytes(whole, written):
    before = {name: (whole / f"{name}.csv").read_bytes() for name in FILES}
    write_tables(whole)
    assert {name: (whole / f"{name}.csv").read_bytes() for name in FILES} == before


def test_two_runs_of_one_config_have_equal_tables_but_for_seconds(tournament, tmp_path):
    frames = []
    for name in "ab":
        made = make_tables(go(tournament(deals=12), tmp_path / name))
        frames.append([getattr(made, table) for table in FILES])
    for one, other in zip(*frames, strict=True):
        same = [column for column in one.columns if "seconds" not in column]
        assert one[same].equals(other[same])


def test_every_fault_is_listed_with_an_example(whole, written, made):
    faults = pd.read_csv(whole / "faults.csv")
    assert set(made.faults["entrant"]) == {"bad|bot"}
    assert set(made.faults["kind"]) == {"crash"}
    assert made.faults["example"].str.contains("act raised RuntimeError").all()
    by_entrant = made.standings.groupby("entrant")["faults"].sum()
    assert by_entrant["random"] == by_entrant["greedy"] == 0
    assert by_entrant["bad|bot"] == made.faults["faults"].sum()
    assert len(faults) == len(made.faults)


# --- the terminal ----------------------------------------------------------------------------------


def test_the_text_has_a_table_for_each_group(made):
    text = made.text()
    headings = ["connect_four, 2 players", "karmaka, 2 players", "karmaka, 3 players"]
    assert [line for line in text.splitlines() if "players" in line] == headings
    for block, heading in zip(text.split("\n\n"), headings, strict=True):
        assert block.startswith(heading)
        assert re.search(r"^1  greedy\b", block, re.MULTILINE)
        assert re.search(r"^wins by order of play: 1\. [\d.]+ % \[", block, re.MULTILINE)


def test_columns_stand_below_each_other(made):
    for block in made.text().split("\n\n"):
        head, *rows = block.splitlines()[1:5]
        end = head.index("matches") + len("matches")
        assert all(row[end] == " " and row[end - 1].isdigit() for row in rows)


def test_the_anchor_has_its_elo(made):
    standings = made.standings
    assert (standings.loc[standings["entrant"] == "random", "elo"] == 1000).all()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0"),
        (3e-8, "0.00003"),
        (1.234e-6, "0.00123"),
        (0.0123, "12.3"),
        (0.9994, "999"),
        (2.0456, "2046"),
    ],
)
def test_times_are_shown_without_powers_of_ten(seconds, text):
    assert milliseconds(seconds) == text


# --- the board -------------------------------------------------------------------------------------


def test_the_board_is_markdown_with_whole_tables(made, tmp_path):
    file = tmp_path / "boards" / "cup.md"
    write_board(made, file)
    text = file.read_text()
    assert text.startswith("# Connect Four and Karmaka: leaderboard of 3 bots\n")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    widths = [len(re.findall(r"(?<!\\)\|", row)) for row in rows]
    assert len(rows) == 3 * (5 + 5)
    assert set(widths) == {14, 15, 5}  # one more where some matches repeat others
    assert sum("| distinct |" in row for row in rows) == 1
    assert "bad\\|bot" in text
    assert not list(tmp_path.glob("**/*.tmp"))


def test_headings_stand_alone_in_the_board(made):
    lines = board_text(made).splitlines()
    for number, line in enumerate(lines):
        if line.startswith("#") or line == "---":
            assert number == 0 or lines[number - 1] == ""
            assert lines[number + 1] == ""


def test_the_board_says_how_it_was_made(made):
    text = board_text(made)
    assert "(seed 3, secret salt " in text
    assert "180 of 180 matches" in text
    assert "the run's own spec.yaml gives the same matches" in text
    assert re.search(r"Rules: connect_four `[0-9a-f]{16}`, karmaka `[0-9a-f]{16}`", text)


def test_budgets_in_seconds_are_named_as_not_reproducible(tournament, tmp_path):
    resolved = tournament(bots=["random", "mcts:seconds=0.0001"], deals=1)
    assert "not reproducible" in board_text(make_tables(go(resolved, tmp_path)))


def test_the_board_tells_why_matches_ended(made):
    for (_, _, players), rows in made.endings.groupby(["game", "variant", "players"]):
        assert rows["share"].sum() == pytest.approx(1)
        assert rows["matches"].is_monotonic_decreasing
        assert "crash" in set(rows["reason"]) or players > 2
    line = next(x for x in board_text(made).splitlines() if x.startswith("Ended by: "))
    assert re.fullmatch(r"Ended by: (\w[\w ]* \d+\.\d %(, )?)+\.", line)


# --- runs that are not whole -----------------------------------------------------------------------


@pytest.mark.parametrize("players", [pytest.param(2, marks=pytest.mark.full), 3])
def test_one_match_alone_makes_a_report(tournament, tmp_path, players):
    games = [{"game": "karmaka", "players": players}]
    resolved = tournament(games=games, bots=["random", "greedy", "mcts:simulations=5"])
    made = write_tables(some(resolved, tmp_path, 1))
    assert made.stored == 1
    assert made.planned > 1
    assert len(made.standings) == players
    assert made.standings["elo"].notna().all()
    assert made.standings["elo_low"].isna().all()
    (said,) = (line for line in made.text().splitlines() if "fewer than 10 deals" in line)
    assert said == "all: fewer than 10 deals: no interval"
    assert "nan" not in made.text()
    assert "nan" not in board_text(made)


def test_a_half_finished_run_makes_a_report(tournament, tmp_path):
    resolved = tournament(bots=["random", "greedy", "mcts:simulations=5"], deals=20)
    made = write_tables(some(resolved, tmp_path, 61))
    assert (made.stored, made.planned) == (61, 120)
    assert "61 of 120 matches" in board_text(made)
    assert made.standings["matches"].sum() == 122


def test_a_run_without_matches_says_so(tournament, tmp_path):
    made = write_tables(some(tournament(), tmp_path, 0))
    assert made.text() == "no matches yet"
    assert "0 of 8 matches" in board_text(made)
    for name in (*FILES, "pairs"):
        assert tuple(pd.read_csv(tmp_path / f"{name}.csv").columns) == COLUMNS[name]


def test_where_all_is_drawn_all_are_equal(tournament, tmp_path):
    never = {"game": "connect_four", "variant": {"rows": 2, "columns": 8, "connect": 8}}
    resolved = tournament(games=[never], bots=["random", "greedy", "mcts:simulations=5"], deals=12)
    made = make_tables(go(resolved, tmp_path))
    assert made.standings["elo"].abs().max() < 1e-6
    assert (made.standings["win_share"] == 0.5).all()
    assert (made.head_to_head["draws"] == made.head_to_head["matches"]).all()
    assert "connect_four (rows=2,columns=8,connect=8), 2 players" in made.text()
    assert "nan" not in made.text()


def test_matches_that_repeat_themselves_are_warned_of(tournament, odd, tmp_path):
    resolved = tournament(bots=["mcts:simulations=300", "mcts:simulations=1"], deals=1)
    assert "distinct" not in make_tables(go(resolved, tmp_path / "a")).text()
    # deterministic bots on a board without chance play the same match again and again
    made = make_tables(go(tournament(bots=[odd("First"), odd("Last")], deals=12), tmp_path / "b"))
    assert "only 8% of matches distinct, an opening varies them" in made.text()
    assert made.standings["distinct"].tolist() == [2, 2]
    head, *rows = made.text().splitlines()[1:4]
    assert head.split()[9:11] == ["matches", "distinct"]
    assert len(rows) == 2
    assert leaderboard(made.standings)["distinct"].tolist() == [2, 2]
    games = [{"game": "connect_four", "opening": 6}]
    bots = [odd("First"), odd("Last")]
    made = make_tables(go(tournament(games=games, bots=bots, deals=12), tmp_path / "c"))
    assert "distinct" not in made.text()


def test_self_play_has_seats_but_no_elo(tournament, tmp_path):
    resolved = tournament(bots=["random", "greedy"], schedule="self_play", deals=12)
    made = make_tables(go(resolved, tmp_path))
    assert made.standings["elo"].isna().all()
    assert "met no other entrant: no Elo" in made.text()
    assert "wins by order of play" in made.text()
    assert "nan" not in made.text()
    assert "Score of the row" not in board_text(made)


@pytest.mark.parametrize("players", [4, pytest.param(3, marks=pytest.mark.full)])
def test_team_mates_win_together_and_are_rated_as_one_side(tournament, tmp_path, players):
    mode = {4: "2v2", 3: "bbw"}[players]
    games = [{"game": "karmaka", "players": players, "variant": {"mode": mode}}]
    made = make_tables(go(tournament(games=games, bots=["random", "greedy"], deals=12), tmp_path))
    shares = made.standings.set_index("entrant")["win_share"]
    assert shares["greedy"] > 0.9
    assert shares["greedy"] + shares["random"] == pytest.approx(1, abs=0.1)
    (row,) = made.head_to_head[made.head_to_head["entrant"] == "greedy"].to_dict("records")
    assert row["matches"] == 24
    assert row["score"] == pytest.approx(shares["greedy"], abs=0.1)
    seats = made.seats["win_share"].tolist()
    assert len(seats) == players
    mates = [0, 1, 0, 1] if mode == "2v2" else [0, 1, 1]
    by_side = {
        side: {s for s, own in zip(seats, mates, strict=True) if own == side} for side in (0, 1)
    }
    assert all(len(own) == 1 for own in by_side.values())  # team-mates win together
    assert sum(own.pop() for own in by_side.values()) == pytest.approx(1)
    assert "nan" not in made.text()


def test_teams_are_reported_by_side(tournament, tmp_path):
    games = [{"game": "karmaka", "players": 3, "variant": {"mode": "bbw"}}]
    made = make_tables(go(tournament(games=games, bots=["random", "greedy"], deals=12), tmp_path))
    assert made.sides[["entrant", "seats"]].to_numpy().tolist() == sorted(
        [name, seats] for name in ("greedy", "random") for seats in ("1", "2+3")
    )
    assert (made.sides["matches"] == 12).all()
    both = made.sides.groupby("entrant")["win_share"].mean()
    standings = made.standings.set_index("entrant")["win_share"]
    assert both["greedy"] > both["random"]
    assert standings["random"] < standings["greedy"]
    text = made.text()
    assert re.search(r"^wins by side: player 1 [\d.]+ % \[.*\], [+-]\d+ Elo \[", text, re.MULTILINE)
    assert re.search(
        r"^greedy as player 1 [\d.]+ % .* players 2 and 3 [\d.]+ %", text, re.MULTILINE
    )
    assert "Wins by side: player 1 " in board_text(made)


def test_a_folder_that_is_no_run_is_one_line(tmp_path):
    with pytest.raises(UserError, match="no run here"):
        make_tables(tmp_path)
    with pytest.raises(UserError, match="no run here"):
        make_tables(tmp_path / "nowhere")


def test_options_that_are_lists_are_reported(tmp_path):
    game = {"game": "karmaka", "variants": [{}, {"thresholds": [5, 6, 7, 8]}]}
    spec = {
        "name": "lists",
        "seed": 1,
        "games": [game],
        "bots": ["random", "greedy:samples=1"],
        "deals": 2,
    }
    made = make_tables(go(resolve(parse_spec(spec)), tmp_path))
    assert len(group_keys(made.standings)) == 2
    assert "thresholds" in board_text(made)
