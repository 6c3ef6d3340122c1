"""Tournaments in rounds: the same final table on any number of workers and after a kill in every round."""

import os
import random
import re

import numpy as np
import pandas as pd
import pytest
import yaml

from arena.execution import forecast
from arena.execution.changes import changes_on
from arena.execution.run import carry_out
from arena.pages.events import belows, box_places
from arena.plan.formats.courses import ADAPTIVE, FORMATS, Rules, course_of
from arena.plan.schedule import make_lineups
from arena.plan.spec import parse_spec, read_spec
from arena.plan.tournament import resolve
from arena.results.adaptive import Adaptive
from arena.results.events import Events, Played
from arena.results.final_tables import differences
from arena.results.meetings import Meeting, is_sure, match_scores, more_deals
from arena.results.report import make_tables
from arena.results.stored import load
from arena.results.tournaments import rounds_of
from arena.store import run_folder as store
from arena.store.run_folder import load_spec, read_matches

KILLED = 9
MEASURED = ["seconds_per_decision", "seconds_per_start"]  # what no two runs have alike
CUP = {
    "name": "cup",
    "seed": 4,
    "games": [{"game": "connect_four", "opening": 2}],
    "bots": ["greedy", "random", "mcts:simulations=4", "mcts:simulations=8", "greedy:samples=2"],
    "deals": 2,
    "isolation": "none",
}
KEYS = {
    "swiss": {"rounds": 3, "cut": 2},
    "knockout": {},
    "double_elimination": {},
    "groups": {"groups": 2, "advance": 1},
    "king_of_the_hill": {"until": 60, "deals": 10},
    "adaptive": {"goal": {"top": 2}, "deals": 3},
}
IN_ROUNDS = (*FORMATS, ADAPTIVE)


def cup(schedule, **more):
    return resolve(parse_spec({**CUP, "schedule": schedule, **KEYS[schedule], **more}))


def go(tournament, folder, workers=0):
    """Play what is missing, and return the rounds and the final table, or the board of an adaptive run."""
    rounds = rounds_of(tournament, None)
    carry_out(tournament, folder, workers, progress=False, rounds=rounds)
    assert rounds.over
    made = make_tables(folder)
    board = made.standings.drop(columns=MEASURED)
    return rounds, board if made.events is None else made.final


def killed_in(tournament, folder, number):
    """Play in a child that dies as by kill -9 in a round: at its second batch, or where it would end."""
    child = os.fork()
    if child == 0:
        kind = Adaptive if tournament.spec.schedule == ADAPTIVE else Events
        take, due, seen = kind.take, kind.due, []

        def take_or_die(self, lineup, columns):
            seen.append(self.round == number - 1)
            if sum(seen) == 2:
                os._exit(KILLED)
            take(self, lineup, columns)

        def due_or_die(self):
            found = due(self)
            if self.round >= number:
                os._exit(KILLED)
            return found

        kind.take, kind.due, store.PART_SECONDS = take_or_die, due_or_die, 0.0
        try:
            carry_out(tournament, folder, 0, progress=False, rounds=rounds_of(tournament, None))
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED


# What goes on and who plays where knows no format; each of them is killed and played on workers in CI.
@pytest.mark.parametrize(
    ("schedule", "every"),
    [("swiss", 2), *(pytest.param(name, 1, marks=pytest.mark.shown) for name in IN_ROUNDS)],
)
def test_a_run_killed_in_any_round_ends_with_the_same_table(schedule, every, tmp_path):
    tournament = cup(schedule)
    rounds, whole = go(tournament, tmp_path / "whole")
    ids = set(read_matches(tmp_path / "whole")["match_id"])
    assert rounds.round >= 3 or schedule == "groups"
    for number in range(rounds.round, 0, -every):
        folder = tmp_path / f"{number}"
        assert killed_in(tournament, folder, number)
        _, final = go(tournament, folder)
        pd.testing.assert_frame_equal(final, whole)
        assert set(read_matches(folder)["match_id"]) == ids


@pytest.mark.shown
@pytest.mark.ray
@pytest.mark.parametrize("schedule", IN_ROUNDS)
def test_the_final_table_does_not_depend_on_the_workers(schedule, one_ray, tmp_path):
    tournament = cup(schedule)
    found = [go(tournament, tmp_path / f"{workers}", workers)[1] for workers in (0, 1, 2)]
    pd.testing.assert_frame_equal(found[0], found[1])
    pd.testing.assert_frame_equal(found[0], found[2])


@pytest.mark.parametrize(
    "config",
    [
        *("groups", "king-of-the-hill"),
        # tests of this file and of test_adaptive.py play the other formats to their end in the default run
        *(pytest.param(name, marks=pytest.mark.shown) for name in ("swiss", "knockout")),
        *(
            pytest.param(name, marks=pytest.mark.shown)
            for name in ("double-elimination", "adaptive")
        ),
    ],
)
def test_the_config_of_every_format_plays_to_its_end(config, tmp_path):
    tournament = resolve(read_spec(config, ["deals=2"]))
    _, table = go(tournament, tmp_path)
    assert len(table) == table.entrant.nunique() == len(tournament.entrants)
    made = make_tables(tmp_path)
    assert not made.unfinished
    if config != "adaptive":
        assert table.place.iloc[0] == 1
        assert "final table of the" in made.text()


def test_several_tables_are_events_of_their_own_and_three_meet_at_one_of_four(tmp_path):
    games = [{"game": "karmaka", "players": [2, 4]}]
    tournament = cup(
        "knockout", games=games, bots=["greedy", "random", "greedy:samples=2"], deals=1
    )
    rounds, final = go(tournament, tmp_path)
    assert [event.table.players for event in rounds.events] == [2, 4]
    four = final[final.players == 4]
    assert sorted(four.place) == [1, 2, 3]
    (meeting,) = rounds.events[1].rounds[0].meetings
    assert len(meeting.lineups) == 3


def test_a_run_that_has_just_finished_a_round_is_not_finished(tmp_path, monkeypatch):
    tournament = cup("swiss")
    rounds = rounds_of(tournament, None)
    due = Events.due
    monkeypatch.setattr(
        Events, "due", lambda self: due(self) if len(self.events[0].rounds) < 2 else ()
    )
    carry_out(tournament, tmp_path, 0, progress=False, rounds=rounds)
    monkeypatch.undo()
    made = make_tables(tmp_path)
    assert made.stored == made.planned
    assert made.unfinished
    assert "swiss after round 2:" in made.text()


def test_the_table_and_the_rating_are_both_told_and_where_they_differ_why(tmp_path, arena, undrawn):
    file = tmp_path / "cup.yaml"
    file.write_text(yaml.safe_dump({**CUP, "schedule": "swiss", "rounds": 2}))
    code, out, _ = arena("run", file, "--out", tmp_path / "run", "--workers", "0", "--quiet")
    assert code == 0
    assert "final table of the swiss:" in out
    assert "rating, of all matches:" in out
    assert "in the table and" in out
    run = load(tmp_path / "run")
    assert run.final.entrant.tolist() == pd.read_csv(run.folder / "final.csv").entrant.tolist()
    code, out, _ = arena("report", tmp_path / "run")
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Final table of the swiss" in page
    assert "Where the table and the rating differ" in page


def test_brackets_are_a_picture_on_the_page(tmp_path, arena, undrawn):
    file = tmp_path / "cup.yaml"
    long = "a bot that has a long name and whose number is "
    bots = [{"name": f"{long}{n}", "bot": bot} for n, bot in enumerate(CUP["bots"])]
    file.write_text(yaml.safe_dump({**CUP, "bots": bots, "schedule": "knockout"}))
    code, out, _ = arena("run", file, "--out", tmp_path / "run", "--workers", "0", "--quiet")
    assert code == 0
    assert "semi-finals:" in out
    assert "* " in out
    arena("report", tmp_path / "run")
    page = (tmp_path / "run" / "report.html").read_text()
    assert '<svg class="bracket"' in page
    assert page.count("<rect") >= 4
    boxes = page.partition('<svg class="bracket"')[2].partition("</svg>")[0]
    assert (
        len(set(re.findall(r">([^<]*…[^<]*)<title>", boxes))) == 5
    )  # cut where they can be told apart
    assert boxes.count(f"<title>{long}") == 8  # of four tables
    assert (
        'class="drawn" tabindex="0" role="group" aria-label="Brackets"' in page
    )  # as tall as it is


def test_a_dry_run_says_the_most_that_a_format_plays(tmp_path, arena, monkeypatch):
    monkeypatch.setattr(forecast, "PROBE_SECONDS", 0.2)
    file = tmp_path / "cup.yaml"
    file.write_text(yaml.safe_dump({**CUP, "schedule": "swiss", "rounds": 3}))
    code, out, _ = arena("run", file, "--dry-run", "--workers", "0")
    assert code == 0, out
    assert "3 rounds at most, 6 tables, 2 deals, 24 matches at most" in out
    assert "24 matches in all at most" in out


def test_the_record_of_a_format_is_a_config_that_plays_it_again(tmp_path):
    tournament = cup("swiss")
    _, final = go(tournament, tmp_path / "first")
    again = resolve(read_spec(str(tmp_path / "first" / "spec.yaml")))
    assert go(again, tmp_path / "second")[1].equals(final)
    assert load_spec(tmp_path / "first").seeds == tuple(one.id for one in tournament.entrants)
    assert changes_on(tmp_path / "first", tournament) == ()
    (told,) = changes_on(tmp_path / "first", cup("swiss", deals=1, bots=CUP["bots"][::-1]))
    assert told.startswith(
        "swiss: deals (2 before, now 1) and the list of bots have changed, so who meets whom "
        "follows anew from the first round; "
    )


ROW = {"byes": 0, "opponents_elo": 0.0, "note": ""}


def why(rows, schedule="swiss", ranks=(1, 9)):
    """The differences between table and rating, by entrant, of rows that say place, Elo rank and more."""
    found = pd.DataFrame([{**ROW, **row, "entrant": f"e{row['place']}"} for row in rows])
    ranges = pd.DataFrame({"entrant": found.entrant, "rank_best": ranks[0], "rank_worst": ranks[1]})
    lines = differences(found, ranges, schedule)
    return {line.split()[0]: line.partition(" by Elo: ")[2] for line in lines}


def test_only_what_can_have_moved_an_entrant_that_way_is_named_as_the_reason():
    said = why(
        [
            {"place": 1, "elo_rank": 3, "byes": 2, "opponents_elo": -90.0},
            {"place": 2, "elo_rank": 1, "byes": 1, "opponents_elo": -30.0},
            {"place": 3, "elo_rank": 2, "opponents_elo": 120.0},
        ],
        ranks=(9, 9),
    )
    assert (
        said["e1"]
        == "2 byes counted as won; it met weaker opponents than the others did (by 90 Elo)"
    )
    assert said["e2"] == "a table counts won or lost, Elo counts by how much"
    assert said["e3"] == "it met stronger opponents than the others did (by 120 Elo)"


def test_finals_and_lost_tables_are_reasons_for_those_whom_they_moved():
    cut = [
        {"place": 1, "elo_rank": 2, "note": "winner"},
        {"place": 2, "elo_rank": 4, "note": "out in the final"},
        {"place": 3, "elo_rank": 1},
        {"place": 4, "elo_rank": 3},
    ]
    said = why(cut, ranks=(np.nan, np.nan))
    unsure = "its matches are too few to tell (its Elo has no interval)"
    assert said["e2"] == f"it reached the finals, which decide the first 2 places; {unsure}"
    assert said["e3"] == f"it missed the finals, which decide the first 2 places; {unsure}"
    out = [
        {"place": 1, "elo_rank": 2, "note": "winner"},
        {"place": 2, "elo_rank": 1, "note": "out"},
    ]
    assert why(out, "knockout")["e2"].startswith("one lost table ended it, Elo counts every match")
    assert why(out, "double_elimination")["e2"].startswith("two lost tables ended it")
    assert "ended" not in why(out)["e1"]


# --- brackets -------------------------------------------------------------------------------------


def test_those_who_have_lost_once_stand_below_all_others_and_no_box_over_another():
    course = course_of(Rules("double_elimination"), 13, 2, 0)
    rounds = []
    played = next(course)
    while played:
        made = [Meeting(tuple(map(str, table)), (), (), 1, True) for table in played.tables]
        rounds.append(Played(played, tuple(made)))
        try:
            played = course.send([[1.0, 0.0]] * len(played.tables))
        except StopIteration:
            break
    places, lower = box_places(rounds)
    for number, played in enumerate(rounds):
        tops = [places[number, place] for place in range(len(played.meetings))]
        assert [top >= lower for top in tops] == belows(played)
        gaps = np.diff(sorted(tops))
        assert (gaps > 2 * 22).all()  # the lines of a box
    assert any(map(any, map(belows, rounds)))


# --- meetings -------------------------------------------------------------------------------------


def test_a_meeting_ends_when_nobody_can_catch_up():
    assert more_deals([], 5, True, 0) == 3
    assert more_deals([(1, 0)] * 3, 5, True, 0) == 0
    assert more_deals([(1, 0), (1, 0), (0, 1)], 5, True, 0) == 1
    assert more_deals([(1, 0), (0, 1)] * 2, 5, True, 0) == 1
    assert more_deals([(0.5, 0.5)] * 5, 5, True, 0) == 1  # a tie goes on
    assert more_deals([(0.5, 0.5)] * 10, 5, True, 0) == 0  # not for ever
    assert more_deals([], 5, False, 0) == 5
    assert more_deals([(1, 0)] * 5, 5, False, 0) == 0


def test_a_decisive_meeting_is_never_ended_while_the_result_is_open():
    for number in range(300):
        chance = random.Random(number)
        deals, count = chance.randint(1, 9), chance.choice([2, 3, 4])
        scores = []
        while more := more_deals(scores, deals, True, 0):
            scores += [tuple(chance.randrange(3) / 2 for _ in range(count)) for _ in range(more)]
        totals = sorted(np.sum(scores, axis=0))
        assert len(scores) <= 2 * deals
        assert totals[-1] - totals[-2] > deals - len(scores) or len(scores) >= deals


def test_with_a_confidence_a_meeting_ends_when_it_is_sure():
    scores = []
    while more := more_deals(scores, 400, True, 0.95):
        scores += [(1.0, 0.0)] * more
    assert len(scores) < 40
    even = []
    while more := more_deals(even, 60, True, 0.95):
        even += [((len(even) + n) % 2, 1 - (len(even) + n) % 2) for n in range(more)]
    assert len(even) >= 60


def test_equal_bots_are_told_apart_no_more_often_than_said():
    generator = np.random.default_rng(1)
    wrong = 0
    for _ in range(200):
        scores = []
        while more := more_deals(scores, 100, True, 0.9):
            first = generator.integers(0, 2, more).tolist()
            scores += [(float(one), 1.0 - one) for one in first]
        leader = int(np.sum(scores, axis=0).argmax())
        wrong += is_sure(np.array(scores), leader, 0.9)
    assert wrong / 200 <= 0.1 + 3 * (0.1 * 0.9 / 200) ** 0.5


def test_scores_are_shares_of_those_beaten_or_of_the_first_place(tournament):
    made = tournament(
        games=[{"game": "karmaka", "players": 3}], bots=["random", "greedy", "greedy:samples=2"]
    )
    (lineup,) = make_lineups(made)
    seating = np.array([[0, 1, 2], [1, 2, 0]])
    ranks = np.array([[1, 2, 3], [1, 1, 3]])
    assert match_scores(lineup, seating, ranks, "all").tolist() == [[1, 0.5, 0], [0, 0.75, 0.75]]
    assert match_scores(lineup, seating, ranks, "winner").tolist() == [[1, 0, 0], [0, 0.5, 0.5]]


def test_meetings_of_the_same_entrants_have_deals_of_their_own(tmp_path):
    tournament = cup("swiss", bots=["greedy", "random"], rounds=3, cut=2)
    rounds, _ = go(tournament, tmp_path)
    begins = [played.meetings[0].begins for played in rounds.events[0].rounds]
    assert begins == [(0,), (2,), (4,), (6,)]
