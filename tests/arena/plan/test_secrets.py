"""Deals of runs that strangers play follow from a secret: nobody finds them by trying run seeds."""

import os
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import yaml

from arena.execution.run import carry_out
from arena.plan import identity
from arena.plan.schedule import apart, make_blocks, make_lineups
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.results.leaderboards import make_boards
from arena.results.replay import replay_match
from arena.store.record import load_spec
from arena.store.run_folder import read_matches
from engines.errors import UserError

BOT = """
class First:
    def reset(self, game, view, seed):
        with open("{notes}", "a") as notes:
            notes.write(f"{{seed}}\\n")

    def act(self, view, legal):
        return legal[0]

    def close(self):
        pass
"""
CUP = {"name": "cup", "seed": 3, "games": ["karmaka"], "bots": ["random", "first.py:First"]}
FREE = ["seconds", "start_seconds", "worker_seconds"]


@pytest.fixture(autouse=True)
def at_home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("first.py").write_text(BOT.format(notes=os.devnull))


def play(folder, fresh=False, **changes):
    spec = parse_spec({**CUP, "deals": 2, **changes})
    return carry_out(resolve(spec), Path(folder), workers=0, progress=False, fresh=fresh)


def told(summary):
    return "\n".join(summary.notes)


def rows(folder):
    frame = read_matches(folder, actions=True).drop(columns=FREE)
    return frame.map(lambda value: value.tolist() if isinstance(value, np.ndarray) else value)


# --- seeds ----------------------------------------------------------------------------------------


def test_without_a_salt_seeds_are_what_they_always_were():
    assert identity.deal_seed(3, 5) == 0xCE61248C734F5C4F
    assert identity.bot_seed(3, 5, 1, "00000000000000ff") == 0x2F67192C52599BB2


def test_with_a_salt_every_part_counts_and_arrays_agree():
    deals = np.arange(50, dtype=np.uint64)
    entrants = np.full(50, 0xFF, np.uint64)
    salted = identity.deal_seeds(3, deals, "a").tolist()
    assert salted == [identity.deal_seed(3, deal, "a") for deal in range(50)]
    bots = identity.bot_seeds(3, deals, 1, entrants, "a").tolist()
    assert bots == [identity.bot_seed(3, deal, 1, "00000000000000ff", "a") for deal in range(50)]
    others = [
        *identity.deal_seeds(3, deals).tolist(),
        *identity.deal_seeds(4, deals, "a").tolist(),
        *identity.deal_seeds(3, deals, "b").tolist(),
        *identity.bot_seeds(3, deals, 2, entrants, "a").tolist(),
    ]
    assert len({*salted, *bots, *others}) == 6 * 50


def test_salts_are_long_and_never_the_same():
    salts = {identity.new_salt() for _ in range(100)}
    assert len(salts) == 100
    assert all(len(bytes.fromhex(salt)) == 16 for salt in salts)


# --- runs -----------------------------------------------------------------------------------------


def test_no_seed_that_a_bot_could_try_leads_to_the_deals_of_a_run_it_plays():
    Path("first.py").write_text(BOT.format(notes="/dev/stderr"))
    play("run")
    spec = load_spec("run").spec
    possible = {identity.deal_seed(seed, deal) for seed in range(300) for deal in range(10)}
    assert identity.deal_seed(spec.seed, 0, spec.salt) not in possible
    replayed = list(replay_match(Path("run"), read_matches("run")["match_id"][0], rerun=True))
    assert replayed[-1] == "the bots played it again, action by action as stored"


def test_resume_and_the_stored_config_are_exact_and_a_fresh_run_differs_and_says_why():
    first = play("run", deals=1)
    salt = load_spec("run").spec.salt
    digest = identity.salt_digest(salt)
    assert f"made for this run (digest {digest})" in told(first)
    assert "arena run run/spec.yaml --out FOLDER plays these again" in told(first)
    assert salt not in told(first)
    assert told(play("run")) == ""
    assert load_spec("run").spec.salt == salt
    config = yaml.safe_load(Path("run/spec.yaml").read_text())["tournament"]
    carry_out(resolve(parse_spec(config)), Path("again"), workers=0, progress=False)
    assert rows("again").equals(rows("run"))
    before = rows("run")
    play("run", fresh=True)
    assert load_spec("run").spec.salt != salt
    assert not rows("run")["actions_hash"].equals(before["actions_hash"])
    assert load_spec("run/old-1").spec.salt == salt


def test_a_secret_in_the_config_makes_runs_repeatable_and_is_never_published(arena, undrawn):
    for folder in ("one", "two"):
        assert told(play(folder, deals=1, salt="pass phrase")) == ""
    assert rows("one").equals(rows("two"))
    assert arena("report", "one", "--board", "board.md")[0] == 0
    digest = identity.salt_digest("pass phrase")
    for file in (Path("one/report.html"), Path("board.md")):
        assert "pass phrase" not in file.read_text()
        assert digest in file.read_text()
    record = yaml.safe_load(Path("one/spec.yaml").read_text())
    assert record["salt_digest"] == digest


@pytest.mark.parametrize(
    "changes", [{"bots": ["random", "greedy"]}, {"isolation": "none"}], ids=["shipped", "none"]
)
def test_runs_without_strangers_need_no_salt_and_follow_from_their_config(changes):
    for folder in ("one", "two"):
        assert told(play(folder, **changes)) == ""
    assert rows("one").equals(rows("two"))
    assert load_spec("one").spec.salt is None
    assert "salt" not in Path("one/spec.yaml").read_text()


def test_programs_and_files_are_strangers_and_our_own_bots_are_not():
    bots = ["greedy", "mcts", {"bot": "process", "command": "true"}, "first.py:First"]
    bots.append({"bot": "arena.balance.without:Without", "of": "greedy"})
    names = resolve(parse_spec({**CUP, "bots": bots})).strangers
    assert [name.partition(":")[0] for name in names] == ["process", "first.py"]


def test_a_stranger_that_joins_a_run_without_salt_is_told_of():
    play("run", deals=1, bots=["random", "greedy"])
    joined = play("run", deals=1, bots=["random", "greedy", "first.py:First"])
    assert "its deals can be guessed by first.py:First (--fresh" in told(joined)
    assert load_spec("run").spec.salt is None
    assert "guessed" not in told(play("run", deals=1, fresh=True))


def test_a_run_keeps_its_salt():
    play("run", deals=1, salt="one secret")
    with pytest.raises(UserError, match=r"run: started with salt .*, now salt .* \(--fresh"):
        play("run", deals=1, salt="another")
    shutil.copytree("run", "edited")
    file = Path("edited/spec.yaml")
    file.write_text(file.read_text().replace("one secret", "no secret"))
    with pytest.raises(UserError, match="its salt is not the one that its matches were played"):
        load_spec("edited")


def test_merging_tells_deals_of_two_salts_apart():
    for folder, salt in (("one", "a"), ("two", "b"), ("three", "a")):
        play(folder, deals=1, salt=salt)
    assert make_boards([Path("one"), Path("two")]).made.stored == 4
    assert make_boards([Path("one"), Path("three")]).made.stored == 2


# --- seatings -------------------------------------------------------------------------------------


@pytest.mark.parametrize("deals", [2, 3, 5, 9, 40])
@pytest.mark.parametrize(("game", "players"), [("connect_four", 2), ("karmaka", 4)])
def test_no_two_seatings_of_a_deal_follow_each_other(deals, game, players):
    table = {"game": game, "players": players}
    bots = ["random", "greedy", "mcts:simulations=1", "mcts:simulations=2"][:players]
    spec = parse_spec({"name": "cup", "games": [table], "bots": bots, "deals": deals})
    (lineup,) = make_lineups(resolve(spec))
    blocks = [block.matches() for block in make_blocks([lineup])]
    order = list(apart(blocks))
    assert {match.match_id for match in order} == {m.match_id for block in blocks for m in block}
    assert len(order) == sum(map(len, blocks))
    assert all(one.deal != other.deal for one, other in pairwise(order))
