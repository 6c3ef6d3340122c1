"""Human play in runs of its own: deals nobody has seen, people by name, no runs of bots mixed in."""

import json
import random

import pytest

import arena
from arena.execution.people import as_row, open_people, seat_people, store_match, take_deal
from arena.pages.report import report_html
from arena.playing.live import begin, resume, save
from arena.results.findings import make_findings
from arena.results.leaderboards import make_boards
from arena.results.replay import check_rerun, open_replay, replay_match
from arena.results.report import board_text, make_tables
from arena.results.runs import row_of
from arena.store.audit import part_flaws
from arena.store.parts import part_files
from arena.store.record import load_spec
from arena.store.run_folder import read_matches
from engines.core import load_game
from engines.errors import UserError


def play_out(seated, seed, deal):
    """A match that is played at random."""
    match = begin(seated.game_text, seated.options, len(seated.entrants), seed, deal)
    chance = random.Random(deal)
    while not match.over:
        legal = match.legal()
        match.do(chance.choice(legal), choice=len(legal) > 1)
    return match


def play_and_store(folder, texts, names, helped=False, game="connect_four", **options):
    seated = seat_people(game, options, texts, names, helped)
    match = play_out(seated, *take_deal(folder, seated))
    return store_match(folder, seated, match, [1.5] * len(texts))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of six matches, in which Ada plays with and without help."""
    folder = tmp_path_factory.mktemp("people") / "connect_four"
    for _ in range(2):
        play_and_store(folder, ["human", "greedy"], ["Ada"])
        play_and_store(folder, ["greedy", "human"], ["Ada"], helped=True)
        play_and_store(folder, ["human", "human"], ["Ada", "Bob <b>"])
    return folder


def test_each_match_has_a_deal_of_its_own(run):
    assert sorted(read_matches(run).deal) == [0, 1, 2, 3, 4, 5]


def test_rows_pass_the_audit_of_every_run_and_replay_as_they_were_played(run):
    record = load_spec(run)
    for part in part_files(run):
        assert list(part_flaws(part, record)) == []
    for name in read_matches(run).match_id:
        assert list(replay_match(run, name))[-1].endswith("agrees with the stored result")


def test_people_are_named_and_those_with_help_are_rated_apart(run):
    made = make_tables(run)
    assert set(made.standings.entrant) == {
        "Ada (human)",
        "Ada (human, helped)",
        "Bob <b> (human)",
        "greedy",
    }
    assert (made.stored, made.planned, made.unfinished) == (6, 6, False)
    assert made.standings.set_index("entrant").matches["Ada (human)"] == 4


def test_the_run_opens_with_report_matches_and_board(run):
    made = make_tables(run)
    html = report_html(made, make_findings(made), run)
    assert "Ada (human)" in html
    assert "<b> (human)" not in html
    assert "arena run" not in html
    assert "no, people played" in html
    assert "shows one match" in board_text(made)
    assert row_of(run)["state"] == "human play"
    assert len(arena.load(run).matches) == 6


def test_people_cannot_be_asked_to_play_again(run):
    record = load_spec(run)
    replay = open_replay(run, read_matches(run).match_id[0])
    with pytest.raises(UserError, match="who cannot be asked again"):
        check_rerun(record, record.lineups[replay.row["lineup_id"]], replay.row)
    with pytest.raises(UserError, match="no run goes on"):
        arena.run(str(run / "spec.yaml"), out=run)


def test_runs_of_people_and_of_bots_are_not_mixed(run, tmp_path):
    bots = tmp_path / "bots"
    arena.match("connect_four", ["random", "greedy"], deals=1, workers=0, out=bots)
    with pytest.raises(UserError, match="runs apart"):
        make_boards([bots, run])
    with pytest.raises(UserError, match="runs apart"):
        open_people(bots, seat_people("connect_four", {}, ["human", "greedy"], ["Ada"], False))
    with pytest.raises(UserError, match="runs apart"):
        arena.match("connect_four", ["random", "greedy"], deals=1, workers=0, out=run)


def test_a_match_is_stored_once_and_only_in_its_run(run, tmp_path):
    seated = seat_people("connect_four", {}, ["human", "greedy"], ["Ada"], False)
    match = play_out(seated, load_spec(run).spec.seed, 0)
    with pytest.raises(UserError, match="stored already"):
        store_match(run, seated, match, [1.0, 1.0])
    match.seed += 1
    with pytest.raises(UserError, match="not dealt for it"):
        store_match(run, seated, match, [1.0, 1.0])


def test_a_deal_that_was_begun_is_never_dealt_again(tmp_path):
    seated = seat_people("karmaka", {}, ["human", "greedy", "human"], ["Ada", "Bob"], False)
    taken = [take_deal(tmp_path, seated) for _ in range(3)]
    assert len({deal for _, deal in taken}) == 3
    assert len({seed for seed, _ in taken}) == 1
    assert len(read_matches(tmp_path)) == 0
    match = play_out(seated, *taken[1])
    store_match(tmp_path, seated, match, [1.0] * 3)
    assert read_matches(tmp_path).deal.tolist() == [taken[1][1]]


@pytest.mark.parametrize(
    ("texts", "names", "line"),
    [
        (["human", "human"], ["Ada"], "names: 1, expected one for each of 2 people"),
        (["human", "human"], ["Ada", "ada "], "somebody sits twice"),
        (["human", "greedy"], [" "], "letters that can be seen"),
        (["human", "greedy"], ["x" * 41], "1 to 40 letters"),
        (["human", "greedy:depth=3"], ["Ada"], "seats"),
    ],
)
def test_who_cannot_be_seated_is_a_line(texts, names, line):
    with pytest.raises(UserError, match=line):
        seat_people("connect_four", {}, texts, names, False)


def test_partners_are_one_entrant(tmp_path):
    seated = seat_people(
        "karmaka", {"mode": "2v2"}, ["human", "greedy", "greedy", "greedy"], ["Ada"], False
    )
    with pytest.raises(UserError, match="partners are two entrants"):
        take_deal(tmp_path, seated)


def test_a_saved_match_keeps_its_deal_and_its_people(tmp_path):
    seated = seat_people("connect_four", {}, ["human", "greedy"], ["Ada"], True)
    seed, deal = take_deal(tmp_path / "run", seated)
    match = begin("connect_four", {}, 2, seed, deal + 5)
    match.people, match.helped = ("Ada",), True
    save(match, ["human", "greedy"], tmp_path / "kept.yaml")
    again, _ = resume(tmp_path / "kept.yaml")
    assert (again.seed, again.deal, again.people, again.helped) == (seed, deal + 5, ("Ada",), True)


def test_a_row_says_who_decided_and_how_long():
    seated = seat_people("connect_four", {}, ["human", "greedy"], ["Ada"], False)
    (row,) = as_row(seated, play_out(seated, 5, 0), [2.0, 0.25]).to_pylist()
    assert row["seconds"] == [2.0, 0.25]
    assert sum(row["decisions_by_seat"]) == row["decisions"]
    assert len(row["actions"]) == row["decisions"] + row["forced"]
    json.dumps(row)


def test_bots_among_people_have_the_options_of_the_game(tmp_path):
    seated = seat_people("nakum", {}, ["human", "mcts:simulations=5"], ["Ada"], False)
    params = seated.entrants[1].params
    assert (params["exploration"], params["rollout_depth"]) == (0.3, 0)
    open_people(tmp_path, seated).close()
    assert load_spec(tmp_path).games["nakum"].defaults == load_game("nakum").defaults
