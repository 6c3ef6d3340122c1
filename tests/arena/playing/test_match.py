"""Matches from deal to result: what every bot is shown, and every way a match can end."""

import json
from itertools import permutations

import numpy as np
import pytest

from arena.authoring.checks.walks import event
from arena.plan.identity import bot_seed, deal_seed
from arena.playing.match import columns, lost_match, play_matches
from arena.playing.referee import Ending
from arena.store.parts import table_from_columns
from engines.core import load_game
from engines.rng import seeded

KARMAKA = load_game("karmaka")
FAILURES = [
    ("Illegal", Ending.ILLEGAL_ACTION, "is not legal now"),
    ("Unknown", Ending.ILLEGAL_ACTION, "-5 is not legal now"),
    ("Huge", Ending.ILLEGAL_ACTION, "is not legal now"),
    ("Silent", Ending.PROTOCOL_ERROR, "act returned None, expected an action"),
    ("Wordy", Ending.PROTOCOL_ERROR, "act returned 'the middle"),
    ("Fractional", Ending.PROTOCOL_ERROR, ".5, expected an action"),
    ("Infinite", Ending.PROTOCOL_ERROR, "act returned inf"),
    ("Objective", Ending.PROTOCOL_ERROR, "act returned <object object"),
    ("Crash", Ending.CRASH, "act raised RuntimeError("),
    ("Exit", Ending.CRASH, "act raised SystemExit(3)"),
    ("Unprintable", Ending.CRASH, "act raised Error"),
    ("Memory", Ending.MEMORY, "act raised MemoryError"),
    ("CrashInMake", Ending.CRASH, "start raised RuntimeError('make is broken')"),
    ("CrashInReset", Ending.CRASH, "reset raised RuntimeError('reset is broken')"),
]
LATE = [failure for failure in FAILURES if not failure[0].startswith("CrashIn")]


def stored(job, played):
    """The results as rows of the store."""
    names = dict.fromkeys(("lineup_id", "game", "variant_id"), ["x"] * len(job.deals))
    table = table_from_columns(
        {**names, "players": [job.players] * len(job.deals), **columns(job, played)}
    )
    return table.to_pylist()


def play(job):
    played = play_matches(job)
    assert played is not None
    return stored(job, played)


def replayed(job, row):
    """The positions of a stored match, each with the action that follows."""
    game, rng = job.game, seeded(deal_seed(job.run_seed, row["deal"]))
    states = game.new_state(job.players, job.variant, rng)
    for action, actor in zip(row["actions"], row["actors"], strict=True):
        assert int(states["to_act"][0]) == actor
        yield states, action
        game.apply(states, action, rng)
    yield states, None


# --- played by the rules -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "players", "bots"),
    [
        ("connect_four", 2, ("random", "greedy")),
        ("karmaka", 2, ("greedy", "mcts:simulations=20")),
        ("karmaka", 3, ("random", "greedy", "mcts:simulations=20")),
        ("karmaka", 4, ("random", "greedy")),
    ],
)
def test_a_result_is_what_playing_the_stored_actions_gives(make_job, game, players, bots):
    job = make_job(*bots, game=game, players=players, matches=4)
    for row in play(job):
        *before, (last, _) = replayed(job, row)
        assert job.game.legal(last).size == 0
        assert row["ranks"] == job.game.rank_list(last)
        assert row["points"] == job.game.point_list(last)
        assert row["turns"] == int(job.game.turns(last))
        assert row["reason"] == job.game.Ending(int(job.game.ending(last))).name.lower()
        assert (row["ending"], row["fault_seat"], row["fault_text"]) == ("finished", -1, "")
        assert row["decisions"] + row["forced"] == len(row["actions"]) == len(before)


def test_a_decision_has_a_choice_and_all_other_actions_are_forced(make_job):
    job = make_job("random", "random", game="karmaka", matches=3)
    for row in play(job):
        *_, last = replayed(job, row)
        game, rng = job.game, seeded(deal_seed(1, row["deal"]))
        states = game.new_state(2, job.variant, rng)
        forced, chosen = 0, [0, 0]
        for action in row["actions"]:
            alone = len(game.legal(states)) == 1
            forced += alone
            chosen[int(states["to_act"][0])] += not alone
            game.apply(states, action, rng)
        assert (row["forced"], row["decisions"]) == (forced, len(row["actions"]) - forced)
        assert row["decisions_by_seat"] == chosen
        assert forced > 0
        assert last[1] is None


def without_seconds(rows):
    may_differ = ("seconds", "worker")
    return [
        {k: v for k, v in row.items() if not any(word in k for word in may_differ)} for row in rows
    ]


def test_a_match_does_not_depend_on_those_played_with_it(make_job, odd):
    bots = ("mcts:simulations=30", odd("Wrapped"))
    together = play(make_job(*bots, matches=6))
    for number, row in enumerate(together):
        alone = make_job(*bots, seats=[[number % 2, 1 - number % 2]], deals=[number])
        assert without_seconds(play(alone)) == without_seconds([row])


def test_a_compiled_bot_plays_the_same_behind_the_bot_protocol(make_job, odd):
    for game, players in (("connect_four", 2), ("karmaka", 3)):
        seats = [[0, 1, 1][:players], [1, 0, 1][:players]]
        inside = make_job("mcts:simulations=25", "greedy", game=game, players=players, seats=seats)
        beside = make_job(odd("Wrapped"), "greedy", game=game, players=players, seats=seats)
        assert without_seconds(play(inside)) == without_seconds(play(beside))


def test_bots_that_only_move_other_seats_leave_the_deal_alone(make_job):
    job = make_job("random", "greedy", game="karmaka", seats=[[0, 1], [1, 0]], deals=[5, 5])
    first, second = (next(iter(replayed(job, row)))[0].tobytes() for row in play(job))
    assert first == second


def test_other_run_seeds_give_other_matches(make_job):
    one, other = (play(make_job("random", "random", seed=seed)) for seed in (1, 2))
    assert one[0]["actions"] != other[0]["actions"]


def test_equal_hashes_are_equal_actions(make_job):
    rows = play(make_job("random", "random", matches=300))
    again = play(make_job("random", "random", matches=300))
    assert [row["actions_hash"] for row in rows] == [row["actions_hash"] for row in again]
    hashes = {row["actions_hash"]: tuple(row["actions"]) for row in rows}
    assert len(hashes) == len(set(hashes.values())) == len({tuple(r["actions"]) for r in rows})


def test_the_log_grows_while_matches_are_played(make_job, odd):
    for second, matches in (("random", 1000), (odd("First"), 1800)):
        rows = play(make_job("random", second, matches=matches))
        assert sum(len(row["actions"]) for row in rows) > 1 << 14
        assert {row["ending"] for row in rows} == {"finished"}
        assert all(len(row["actions"]) == row["turns"] for row in rows)


def test_no_matches_give_no_rows(make_job):
    assert play(make_job("random", "greedy", matches=0)) == []


@pytest.mark.parametrize("opening", [1, 4])
def test_an_opening_is_random_and_the_same_in_every_seating(make_job, opening):
    seats, deals = [[0, 1], [1, 0]] * 6, np.repeat(np.arange(6), 2)
    rows = play(make_job("greedy", "mcts:simulations=9", seats=seats, deals=deals, opening=opening))
    starts = [tuple(row["actions"][:opening]) for row in rows]
    assert starts[::2] == starts[1::2]
    assert len(set(starts)) > 1


def test_without_an_opening_the_bots_decide_from_the_start(make_job):
    rows = play(make_job("greedy", "random", seats=[[0, 1]] * 8))
    assert {row["actions"][0] for row in rows} == {3}  # greedy likes the centre


# --- what a Python bot is shown ------------------------------------------------------------------------


def notes_of(folder):
    return [
        [json.loads(line) for line in file.read_text().splitlines()]
        for file in sorted(folder.iterdir(), key=lambda file: int(file.stem.split("-")[0]))
    ]


@pytest.mark.parametrize("players", [2, 3])
def test_a_bot_is_shown_its_own_view_and_the_events_it_could_see(make_job, odd, tmp_path, players):
    job = make_job(
        odd(f"Recorder:folder={tmp_path}"), game="karmaka", players=players, matches=1, seed=8
    )
    (row,) = play(job)
    events = {player: [] for player in range(players)}
    expected = {player: [] for player in range(players)}
    hidden = 0
    for states, action in replayed(job, row):
        legal = job.game.legal(states).tolist()
        actor = int(states["to_act"][0])
        if len(legal) > 1:
            view = job.game.view(states, actor).tobytes().hex()
            expected[actor].append((view, legal, list(events[actor])))
        if action is not None:
            for player in range(players):
                seen = event(job.game, states, action, player) if player != actor else action
                hidden += seen != action
                if seen is not None:
                    events[player].append([actor, job.game.actions.text(seen)])
    assert hidden > 0
    for notes in notes_of(tmp_path):
        calls = [note for note in notes if note["call"] == "act"]
        player = calls[0]["player"]
        found = [(note["view"], note["legal"], note["events"]) for note in calls]
        assert found == expected[player]
        assert all(note["same"] == note["legal"] for note in calls)


def test_a_bot_is_made_for_each_match_reset_with_its_seed_and_closed(make_job, odd, tmp_path):
    job = make_job(odd(f"Recorder:folder={tmp_path}"), "random", matches=4)
    rows = play(job)
    notes = notes_of(tmp_path)
    assert len(notes) == 4
    for match, (row, lines) in enumerate(zip(rows, notes, strict=True)):
        calls = [line["call"] for line in lines]
        assert calls[0] == "reset"
        assert calls[-1] == "close"
        assert set(calls[1:-1]) == {"act"}
        seat = job.seats[match].tolist().index(0)
        assert lines[0]["seed"] == bot_seed(1, match, seat, "1")
        assert row["ending"] == "finished"


def test_a_bot_that_failed_is_closed_too(make_job, odd, tmp_path):
    play(make_job(odd(f"Recorder:folder={tmp_path},crash_after=2"), "random", matches=1))
    (lines,) = notes_of(tmp_path)
    assert [line["call"] for line in lines] == ["reset", "act", "act", "act", "close"]


def test_a_failing_close_changes_no_result(make_job, odd):
    fails, plain = (
        play(make_job(odd(name), "random", matches=4)) for name in ("CrashInClose", "First")
    )
    assert without_seconds(fails) == without_seconds(plain)


# --- faults --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "ending", "text"), FAILURES)
def test_with_two_sides_a_fault_ends_the_match_and_loses_it(make_job, odd, name, ending, text):
    for seat, row in enumerate(play(make_job(odd(name), "random", seats=[[0, 1], [1, 0]]))):
        assert row["ending"] == ending.text
        assert row["fault_seat"] == seat
        assert row["fault_text"].startswith(f"player {seat + 1}: ")
        assert text in row["fault_text"]
        assert row["ranks"] == ([2, 1] if seat == 0 else [1, 2])
        assert row["reason"] == "running"
        assert len(row["actions"]) == seat
        assert not row["capped"]


@pytest.mark.parametrize(("name", "ending", "text"), FAILURES)
def test_the_text_of_a_fault_is_one_short_line_and_the_same_again(
    make_job, odd, name, ending, text
):
    one, other = (play(make_job(odd(name), "random"))[0]["fault_text"] for _ in range(2))
    assert one == other
    assert "\n" not in one
    assert len(one) <= 300


@pytest.mark.parametrize(("name", "ending", "text"), LATE)
def test_a_fault_counts_in_the_middle_of_a_match_too(make_job, odd, name, ending, text):
    (row,) = play(make_job("random", odd(f"{name}:after=2"), matches=1))
    assert (row["ending"], row["fault_seat"]) == (ending.text, 1)
    assert text in row["fault_text"]
    assert row["actors"] == [0, 1, 0, 1, 0]


@pytest.mark.parametrize(("name", "ending", "text"), FAILURES)
def test_with_three_sides_a_random_stand_in_plays_on(make_job, odd, name, ending, text):
    job = make_job(odd(name), "greedy", "random", game="karmaka", matches=3)
    for match, row in enumerate(play(job)):
        seat = job.seats[match].tolist().index(0)
        *_, (last, _) = replayed(job, row)
        by_the_rules = job.game.rank_list(last)
        others = [s for s in range(3) if s != seat]
        assert (row["ending"], row["fault_seat"]) == (ending.text, seat)
        assert text in row["fault_text"]
        assert job.game.legal(last).size == 0
        assert row["reason"] != "running"
        assert row["ranks"][seat] == 3
        order = [by_the_rules[s] for s in others]
        assert [row["ranks"][s] for s in others] == [
            1 + sum(o < mine for o in order) for mine in order
        ]


def test_a_stand_in_is_asked_for_nothing_again(make_job, odd, tmp_path):
    recorder = odd(f"Recorder:folder={tmp_path},crash_after=3")
    play(make_job(recorder, "random", "random", game="karmaka", matches=1))
    (lines,) = notes_of(tmp_path)
    assert sum(line["call"] == "act" for line in lines) == 4


def test_two_bots_that_fail_in_one_match_share_the_last_place(make_job, odd):
    bots = (odd("Crash:after=4"), odd("Illegal:after=1"), "random")
    for match, row in enumerate(play(make_job(*bots, game="karmaka", matches=3))):
        seats = [(s + match) % 3 for s in range(3)]
        assert [row["ranks"][seats.index(bot)] for bot in range(3)] == [2, 2, 1]
        assert row["fault_seat"] == seats.index(1)  # the first to fail
        assert row["ending"] == "illegal action"
        assert "is not legal now" in row["fault_text"]
        assert "act raised RuntimeError" in row["fault_text"]


def test_all_bots_may_fail(make_job, odd):
    bots = (odd("Crash"), odd("Memory"), odd("Silent"))
    for row in play(make_job(*bots, game="karmaka")):
        assert row["ranks"] == [1, 1, 1]
        assert row["fault_text"].count("player") == 3


@pytest.mark.parametrize("seats", sorted(set(permutations([0, 0, 0, 1])) - {()}))
def test_a_fault_loses_for_the_whole_side(make_job, odd, seats):
    job = make_job("random", odd("Crash"), game="karmaka", players=4, seats=[seats])
    variant = job.game.Variant(mode="2v2")
    job = make_job(
        "random", odd("Crash"), game="karmaka", players=4, seats=[seats], variant=variant
    )
    (row,) = play(job)
    team = job.game.blank(4, variant)["team"][0].tolist()
    seat = seats.index(1)
    assert (row["ending"], row["fault_seat"]) == ("crash", seat)
    lost = [row["ranks"][s] > 1 for s in range(4)]
    assert lost == [team[s] == team[seat] for s in range(4)]


# --- limits --------------------------------------------------------------------------------------------


def test_a_decision_that_took_too_long_is_a_timeout(make_job, odd):
    (row,) = play(make_job(odd("Dreamy:after=1"), "random", matches=1, decision_seconds=0.2))
    assert (row["ending"], row["fault_seat"]) == ("timeout", 0)
    assert row["fault_text"] == "player 1: act took over 0.2 s"
    assert len(row["actions"]) == 2


def test_a_start_that_took_too_long_is_a_timeout(make_job, odd):
    (row,) = play(make_job(odd("SlowStart"), "random", matches=1, start_seconds=0.2))
    assert (row["ending"], row["fault_text"]) == ("timeout", "player 1: reset took over 0.2 s")


def test_a_match_that_takes_too_long_is_a_timeout(make_job, odd):
    (row,) = play(make_job(odd("Sleepy"), "random", matches=1, match_seconds=0.05))
    assert (row["ending"], row["fault_text"]) == ("timeout", "player 1: match took over 0.05 s")
    assert 2 <= len(row["actions"]) <= 6


def test_each_match_has_its_own_clock(make_job, odd):
    rows = play(make_job(odd("Sleepy:after=3"), odd("First"), matches=12, match_seconds=1))
    assert {row["ending"] for row in rows} == {"finished"}


@pytest.mark.parametrize(("players", "second"), [(2, "random"), (2, "First"), (3, "random")])
def test_a_match_with_too_many_actions_ends_as_it_stands(make_job, odd, players, second):
    second = odd(second) if second == "First" else second
    game = "connect_four" if players == 2 else "karmaka"
    job = make_job("random", second, game=game, players=players, matches=5, decisions=6)
    for row in play(job):
        *_, (last, _) = replayed(job, row)
        assert (row["ending"], row["reason"], row["fault_seat"]) == ("too long", "running", -1)
        assert row["capped"]
        assert len(row["actions"]) == 6
        assert row["ranks"] == job.game.rank_list(last)
        assert row["points"] == job.game.point_list(last)


def test_a_match_that_ends_with_its_last_action_is_not_too_long(make_job):
    rows = play(make_job("random", "random", matches=30))
    for row in rows:
        length = len(row["actions"])
        job = make_job("random", "random", seats=[row["seating"]], deals=[row["deal"]])
        for limit, ending in ((length, "finished"), (length - 1, "too long")):
            limited = make_job(
                "random", "random", seats=[row["seating"]], deals=[row["deal"]], decisions=limit
            )
            assert play(limited)[0]["ending"] == ending
        assert play(job)[0]["actions"] == row["actions"]


def test_an_end_of_the_game_by_its_own_cap_is_told_apart(make_job):
    variant = KARMAKA.Variant(max_turns_per_player=2)
    rows = play(make_job("random", "random", game="karmaka", variant=variant, matches=4))
    assert {(row["ending"], row["reason"]) for row in rows} == {("finished", "turn_cap")}
    assert all(row["capped"] for row in rows)


# --- time ----------------------------------------------------------------------------------------------


def test_the_seconds_of_a_decision_are_those_of_its_seat(make_job, odd):
    for row in play(make_job(odd("Sleepy"), "random", seats=[[0, 1], [1, 0]])):
        slow = row["seating"].index(0)
        own = row["actors"].count(slow)
        assert row["seconds"][slow] >= 0.03 * own
        assert 0 < row["seconds"][1 - slow] < 0.03 * own
        assert row["worker_seconds"] > 0
        actors, moves = np.array(row["actors"]), np.array(row["move_seconds"])
        assert len(moves) == len(actors)
        assert [moves[actors == seat].sum() for seat in (0, 1)] == pytest.approx(row["seconds"])


def test_the_seconds_of_actions_are_not_kept_of_quick_matches(make_job):
    for row in play(make_job("random", "greedy", matches=2)):
        assert row["move_seconds"] == []


def test_a_compiled_search_under_a_clock_takes_its_time(make_job):
    (row,) = play(make_job("mcts:seconds=0.01", "random", matches=1))
    assert row["seconds"][0] >= 0.01 * row["actors"].count(0)


@pytest.mark.parametrize("bots", [("random", "mcts:simulations=100000000"), ("Sleepy", "random")])
def test_a_wish_to_stop_is_heard_in_the_middle_of_a_match(make_job, odd, bots):
    bots = tuple(odd(bot) if bot == "Sleepy" else bot for bot in bots)
    asked = iter([False, True])
    assert play_matches(make_job(*bots, matches=50), lambda: next(asked, True)) is None


# --- a lost worker -------------------------------------------------------------------------------------


def test_a_match_that_costs_its_worker_twice_is_the_crash_of_its_bot(make_job, odd):
    job = make_job("random", odd("First"), seats=[[0, 1]])
    (row,) = stored(job, lost_match(job))
    assert (row["ending"], row["fault_seat"], row["ranks"]) == ("crash", 1, [1, 2])
    assert row["fault_text"] == "the worker process was lost twice"
    assert row["actions"] == []


def test_it_is_void_where_no_bot_can_be_guilty(make_job):
    job = make_job("random", "greedy", matches=1)
    (row,) = stored(job, lost_match(job))
    assert (row["ending"], row["fault_seat"]) == ("void", -1)


def test_of_three_sides_only_the_guilty_one_loses(make_job, odd):
    job = make_job("random", odd("First"), "greedy", game="karmaka", seats=[[0, 1, 2]])
    (row,) = stored(job, lost_match(job))
    assert (row["fault_seat"], row["ranks"]) == (1, [1, 3, 1])
