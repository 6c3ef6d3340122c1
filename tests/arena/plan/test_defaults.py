"""Options that games give to bots: below what a config says, part of who they are, kept by stored runs."""

import dataclasses

import pytest

from arena.execution.run import carry_out
from arena.plan import tournament as plans
from arena.plan.schedule import make_lineups
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.results.events import events_of
from arena.results.stored import StoredRun
from arena.store.defaults import resolved
from arena.store.record import load_spec
from bots.registry import parse_bot
from engines.core import load_game
from engines.errors import UserError

OWN = {"greedy": {"samples": 2}}


def spec_of(*bots, games=("connect_four",), **more):
    return parse_spec(
        {"name": "cup", "seed": 7, "games": list(games), "bots": list(bots), "deals": 1, **more}
    )


@pytest.fixture
def give(monkeypatch):
    """Gives Connect Four defaults for the rest of a test."""

    def given(defaults):
        game = dataclasses.replace(load_game("connect_four"), defaults=defaults)

        def find(text, where):
            return game if text == "connect_four" else load_game(text)

        monkeypatch.setattr(plans, "find_game", find)

    return given


def test_a_config_has_the_last_word():
    game = load_game("nakum")
    assert game.defaults == {"mcts": {"rollout_depth": 0, "exploration": 0.3}}
    assert parse_bot("mcts", defaults=game.defaults).parameters.exploration == 0.3
    assert parse_bot("mcts:exploration=0.5", defaults=game.defaults).parameters.exploration == 0.5
    assert parse_bot("greedy", defaults=game.defaults) == parse_bot("greedy")


def test_an_entrant_is_who_it_really_is():
    short, long = (
        resolve(spec_of("random", {"name": "deep", "bot": bot}, games=["nakum"]))
        for bot in ("mcts:simulations=9", "mcts:simulations=9,rollout_depth=0,exploration=0.3")
    )
    assert [e.id for e in short.entrants] == [e.id for e in long.entrants]
    assert [one.id for one in make_lineups(short)] == [one.id for one in make_lineups(long)]


def test_its_name_does_not_tell_what_the_game_adds():
    bots = [{"bot": "mcts", "simulations": 9}, "mcts:simulations=8"]
    assert resolve(spec_of(*bots, games=["nakum"])).names == (
        "mcts:simulations=9",
        "mcts:simulations=8",
    )


def test_alike_in_one_game_is_refused_there():
    bots = ["mcts", "mcts:exploration=0.3,rollout_depth=0"]
    assert len(resolve(spec_of(*bots)).entrants) == 2
    with pytest.raises(UserError, match=r"bots\[1\]: plays exactly like bots\[0\]"):
        resolve(spec_of(*bots, games=["nakum"]))


@pytest.mark.parametrize("schedule", ["round_robin", "swiss"])
def test_one_name_is_another_entrant_in_each_game(tmp_path, give, schedule):
    give(OWN)
    more = {"rounds": 1} if schedule == "swiss" else {}
    games = ["connect_four", {"game": "karmaka", "players": 2}]
    bots = ["random", "greedy"]
    spec = spec_of(*bots, games=games, schedule=schedule, **more)
    plan = resolved(spec, tmp_path)
    assert plan.names == ("random", "greedy")
    own, other = (plan.fields[name][1] for name in ("connect_four", "karmaka"))
    assert (own.params["samples"], other.params["samples"]) == (2, 8)
    assert [one.name for one in plan.entrants] == ["random", own.name, own.name]
    assert [own.id in one.entrants for one in make_lineups(plan)] == (
        [True, False] if schedule == "round_robin" else []
    )
    carry_out(plan, tmp_path, workers=0, progress=False, rounds=events_of(plan))
    run = StoredRun(tmp_path)
    assert set(run.standings["entrant"]) == set(bots)
    assert len(run.standings) == 4


def test_a_stored_run_keeps_what_it_began_with(tmp_path, give):
    spec = spec_of("random", "greedy")
    before = resolved(spec, tmp_path)
    carry_out(before, tmp_path, workers=0, progress=False)
    give(OWN)
    more = spec_of("random", "greedy", deals=2)
    again = resolved(more, tmp_path)
    assert [e.id for e in again.entrants] == [e.id for e in before.entrants]
    summary = carry_out(again, tmp_path, workers=0, progress=False)
    assert (summary.played, summary.stored) == (2, 4)
    assert load_spec(tmp_path).games["connect_four"].defaults == load_game("connect_four").defaults
    fresh = resolved(more, tmp_path, fresh=True)
    assert fresh.entrants[1].params["samples"] == 2
    assert fresh.defaults == {"connect_four": OWN}


def test_a_wrong_default_names_the_option(give):
    give({"mcts": {"exploratoin": 0.3}})
    with pytest.raises(UserError, match=r"exploratoin.*did you mean exploration"):
        resolve(spec_of("random", "mcts"))
