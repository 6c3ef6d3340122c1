"""Balance configs are read strictly, played once, resumed, extended; stored runs are analysed as they are."""

import os
import shutil

import pandas as pd
import pytest

from arena.balance import first_deals
from arena.balance.analysis import COLUMNS, analyse
from arena.balance.config import tournament_spec, variant_labels
from arena.balance.interventions import intervention_spec
from arena.balance.page import PREFIX, page_text, write_balance
from arena.balance.run import play
from arena.balance.verdict import verdict
from arena.execution.run import carry_out
from arena.plan.schedule import make_lineups
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.results.report import escaped
from arena.store.run_folder import load_spec
from engines.errors import UserError

pytestmark = pytest.mark.usefixtures("fewer_exchanges")


def go(spec, folder):
    return play(spec, folder, workers=0, progress=False)


# --- configs ----------------------------------------------------------------------------------------


def test_sweeps_are_grids_and_the_baseline_stands_once(make_config):
    spec = make_config(
        baseline={"luck": 2}, variants=[{"bonus": 1}], sweep={"rounds": [1, 2], "luck": [2, 4]}
    )
    assert variant_labels(spec) == (
        "luck=2",
        "bonus=1,luck=2",
        "luck=4",
        "rounds=2,luck=2",
        "rounds=2,luck=4",
    )


def test_the_ladder_meets_itself_and_its_neighbours(make_config):
    bots = ["random", "greedy", "greedy:samples=2"]
    tournament = resolve(
        tournament_spec(make_config(bots=bots, players=[2, {"players": 3, "deals": 7}]))
    )
    names = {entrant.id: bots.index(entrant.name) for entrant in tournament.entrants}
    lineups = make_lineups(tournament)
    two = {tuple(sorted(names[e] for e in x.entrants)) for x in lineups if x.players == 2}
    assert two == {(0, 0), (1, 1), (2, 2), (0, 1), (1, 2)}
    three = {tuple(sorted(names[e] for e in x.entrants)) for x in lineups if x.players == 3}
    assert three == {(0,) * 3, (1,) * 3, (2,) * 3, (0, 0, 1), (0, 1, 1), (1, 1, 2), (1, 2, 2)}
    assert {x.deals for x in lineups if x.players == 3} == {14}  # the baseline and once more


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"bot": []}, "bot: unknown, did you mean bots?"),
        ({"variants": [{"bonos": 1}]}, "variants[0].bonos: unknown, did you mean bonus?"),
        ({"baseline": {"rounds": 0}}, "baseline.rounds: 0, expected 1 to 50"),
        ({"sweep": {"rounds": [99]}}, "sweep.rounds: 99, expected 1 to 50"),
        ({"sweep": {"rounds": []}}, "sweep.rounds: (), expected at least one"),
        ({"players": [7]}, "players[0].players: 7, expected at most 4"),
        ({"null_sets": -1}, "null_sets: -1, expected at least 0"),
        ({"margins": {"share": 2}}, "margins.share: 2, expected less than 1"),
        (
            {"intervene": {"subjects": ["aces"]}},
            "subjects: 'aces', no subject of toy, did you mean ace?",
        ),
        (
            {"intervene": {"bot": "gredy"}},
            "intervene.bot: 'gredy', no bot has this name, did you mean greedy?",
        ),
    ],
)
def test_a_wrong_config_is_one_line(make_config, tmp_path, changes, problem):
    with pytest.raises(UserError) as error:
        go(make_config(**changes), tmp_path)
    assert str(error.value).replace("[]", "()") == problem


# --- runs -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(make_config, tmp_path_factory, fewer_exchanges):
    folder = tmp_path_factory.mktemp("small")
    spec = make_config(
        deals=12, baseline={"luck": 3}, variants=[{"bonus": 2}], intervene={"subjects": "ace"}
    )
    return spec, folder, go(spec, folder)


def test_a_second_call_plays_nothing_and_says_the_same(small):
    spec, folder, (summary, balance) = small
    again, same = go(spec, folder)
    assert summary.played == summary.stored == again.stored
    assert again.played == 0
    for name in COLUMNS:
        pd.testing.assert_frame_equal(getattr(balance, name), getattr(same, name))


def test_the_run_folder_alone_gives_the_same_tables(small):
    _, folder, (_, balance) = small
    same = analyse(folder)
    pd.testing.assert_frame_equal(balance.comparison, same.comparison)
    pd.testing.assert_frame_equal(balance.interventions, same.interventions)
    assert len(balance.interventions) == 1


def test_more_variants_play_only_what_is_new(small, tmp_path):
    spec, folder, _ = small
    shutil.copytree(folder, tmp_path / "run")
    wider = spec.model_copy(update={"variants": (*spec.variants, {"rounds": 2})})
    more, balance = go(wider, tmp_path / "run")
    assert more.played == 4 * 12
    assert "rounds=2,luck=3" in set(balance.comparison.variant)


@pytest.mark.full
@pytest.mark.parametrize(
    "bots",
    [
        ["greedy", "greedy:samples=2"],
        ["random", "greedy", "greedy:samples=2"],
    ],
    ids=len,
)
def test_more_deals_for_seats_are_of_each_bot_alone_in_the_baseline(make_config, tmp_path, bots):
    few = make_config(deals=12, variants=[{"bonus": 2}], players=[2, 3], bots=bots)
    _, before = go(few, tmp_path)
    players = [{"players": 2, "seat_deals": 30}, 3]
    more = make_config(deals=12, variants=[{"bonus": 2}], players=players, bots=bots)
    summary, balance = go(more, tmp_path)
    asked = [bot for bot in bots if bot != "random"]
    assert summary.played == 2 * 30 == len(asked) * 30
    key = ["variant", "players", "bot", "side"]
    rows, old = (made.seats.set_index(key) for made in (balance, before))
    changed = {(variant, players, bot) for variant, players, bot, _ in rows.index[rows.deals == 30]}
    assert changed == {("default", 2, bot) for bot in ("all", *asked)}
    held = rows.more_low.notna()  # against the strongest on equal deals
    assert held[[index for index in rows.index if index[:3] == ("default", 2, "greedy")]].all()
    same = rows.deals == 12
    pd.testing.assert_frame_equal(rows[same], old[same])
    said = "what seats win where a bot meets itself is of deals of its own: 30 with 2 players."
    assert said in page_text(balance, verdict(balance))
    assert go(more, tmp_path)[0].played == 0


@pytest.mark.full
def test_more_deals_of_the_two_strongest_are_for_what_rests_on_them_alone(make_config, tmp_path):
    bots = ["random", "greedy", "mcts:simulations=2", "mcts:simulations=8"]
    plain = {"deals": 12, "variants": [{"bonus": 2}], "bots": bots, "baseline": {"luck": 3}}
    _, before = go(make_config(**plain, players=[2, 3]), tmp_path)
    more = make_config(**plain, players=[{"players": 2, "pair_deals": 30}, 3])
    summary, balance = go(more, tmp_path)
    assert summary.played == 2 * 30  # both seatings
    key = ["variant", "players", "measure"]
    rows, old = (made.measures.set_index(key) for made in (balance, before))
    assert rows.index.equals(old.index)
    pair = "mcts:simulations=8 wins against mcts:simulations=2"
    parts = {f"variance by {what}" for what in ("strength", "the seat", "the deal")}
    changed = {index for index in rows.index if rows.deals[index] == 30}
    assert changed == {("luck=3", 2, name) for name in (pair, "Elo per doubling", *parts)}
    assert set(rows.matches[sorted(changed)]) == {60}
    same = ~rows.index.isin(changed)
    pd.testing.assert_frame_equal(rows[same], old[same])
    for name in (
        "comparison",
        "seats",
        "usage",
    ):  # variants are compared on the deals that they share
        pd.testing.assert_frame_equal(getattr(balance, name), getattr(before, name))
    ladder = balance.rungs[(balance.rungs.variant == "luck=3") & (balance.rungs.players == 2)]
    assert ladder.beats_below.iloc[-1] == rows.value["luck=3", 2, pair]
    text = page_text(balance, verdict(balance))
    assert (
        "rests on the two strongest bots alone is of deals of its own: 30 with 2 players." in text
    )
    assert go(more, tmp_path)[0].played == 0


def test_of_three_budgets_a_doubling_is_of_the_deals_that_all_share(make_config, tmp_path):
    bots = [f"mcts:simulations={n}" for n in (2, 4, 8)]
    spec = make_config(deals=12, bots=bots, baseline={"luck": 3}, pair_deals=30, null_sets=0)
    _, balance = go(spec, tmp_path)
    deals = balance.measures.set_index("measure").deals
    assert deals["variance by the deal"] == deals[f"{bots[2]} wins against {bots[1]}"] == 30
    assert deals["Elo per doubling"] == deals[f"{bots[1]} wins against {bots[0]}"] == 12


def test_all_tables_are_written(small):
    _, folder, (_, balance) = small
    said = write_balance(balance)
    for name, columns in COLUMNS.items():
        frame = pd.read_csv(folder / f"{PREFIX}{name}.csv")
        assert list(frame.columns) == list(columns)
    assert len(pd.read_csv(folder / f"{PREFIX}verdict.csv")) == len(said)
    page = (folder / "balance.md").read_text(encoding="utf-8")
    assert all(escaped(sentence) in page for sentence in said.sentence)
    for text in (
        "## luck 3, the baseline, with 2 players",
        "### Comparison",
        "Association",
        "Holm",
    ):
        assert text in page
    assert str(folder) not in page


def test_a_run_without_a_balance_config_is_analysed_too(toy, tmp_path):
    games = [{"game": str(toy), "players": 2, "variants": [{}, {"bonus": 1}]}]
    spec = parse_spec({"name": "cup", "games": games, "bots": ["greedy", "random"], "deals": 40})
    carry_out(resolve(spec), tmp_path, workers=0, progress=False)
    balance = analyse(tmp_path)
    assert balance.plan.baseline == "default"
    assert balance.plan.ladder == ("random", "greedy")  # by Elo
    assert balance.seats.empty  # nobody played himself
    assert set(balance.comparison.variant) == {"bonus=1", "null"}
    assert "points of a player" in set(balance.comparison.measure)
    null = balance.comparison[balance.comparison.variant == "null"]
    assert (null.deals == 20).all()  # the odd deals against the even ones
    other = analyse(tmp_path, baseline="bonus=1")
    assert set(other.comparison.variant) == {"default", "null"}
    with pytest.raises(UserError, match="baseline 'bonus=2': no variant of this run, did you mean"):
        analyse(tmp_path, baseline="bonus=2")


def test_of_a_large_run_the_first_deals_are_analysed_and_the_page_says_so(small, monkeypatch):
    _, folder, _ = small
    for name, value in (("MOST_MATCHES", 100), ("ORDERS", 2)):
        monkeypatch.setattr(first_deals, name, value)
    balance = analyse(folder)
    assert 60 < balance.looked_at < 140 < balance.stored
    assert "of the first deals" in balance.sampled_text in page_text(balance, verdict(balance))
    (deals,) = set(balance.samples.deals[balance.samples.variant != "null"])
    assert deals < 12
    null = balance.comparison[balance.comparison.variant == "null"]
    assert set(null.deals) == {deals}  # each beside its deal of the baseline


def test_one_match_gives_a_sensible_page(make_config, tmp_path):
    _, balance = go(make_config(bots=["random"], deals=1, null_sets=0), tmp_path)
    text = page_text(balance, verdict(balance))
    assert "Fewer than 10 deals" in text
    assert "nan" not in text


def test_flagged_subjects_are_forbidden_clearest_first(make_config, tmp_path):
    spec = make_config(bots=["random"], deals=60, null_sets=0, intervene={"most": 1})
    _, balance = go(spec, tmp_path)
    wanted = intervention_spec(spec, balance.usage)
    assert len(wanted.focus) == 1
    assert set(balance.interventions.subject) <= {"ace", "two"}
    assert load_spec(tmp_path / "intervene").spec.schedule == "gauntlet"


# --- the command ------------------------------------------------------------------------------------


def test_the_command_plays_says_and_writes(arena, toy, tmp_path, monkeypatch, undrawn):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.yaml").write_text(
        f"game: {os.path.relpath(toy, tmp_path)}\nplayers: 2\nbots: [random]\ndeals: 12\n"
        "variants: [{bonus: 1}]\n",
        encoding="utf-8",
    )
    code, out, _ = arena("balance", "b.yaml", "--workers", 0, "-q", "--page", "pages/b.md")
    assert code == 0
    assert "36 of 36 matches in results/b (36 new)" in out
    assert "toy (bonus=1), 2 players" in out
    assert "[seats]" in out
    assert (
        (tmp_path / "pages" / "b.md")
        .read_text(encoding="utf-8")
        .startswith("# Toy: is it balanced?\n")
    )
    assert out.endswith("written: pages/b.md\nwritten: pages/b.html\n")
    page = (tmp_path / "pages" / "b.html").read_bytes()
    assert page.startswith(b"<!doctype html>")
    assert (tmp_path / "results" / "b" / "balance.html").read_bytes() == page
    code, again, _ = arena("balance", "results/b")
    assert code == 0
    assert again.splitlines()[0] in out
    code, _, error = arena("balance", "results/b", "--set", "deals=3")
    assert code == 2
    assert "a stored run is only read" in error
    code, _, error = arena("balance", "b.yaml", "--baseline", "x")
    assert code == 2
