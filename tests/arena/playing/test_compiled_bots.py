"""Compiled bots of others: where they play, and what becomes of their mistakes."""

import dataclasses

import numpy as np
import pytest

from arena.playing.containment import bubblewrap
from arena.playing.containment.children import close_children
from arena.playing.match import play_matches, warm_up
from arena.playing.referee import Ending
from bots.registry import SHIPPED
from engines.core import plugins
from engines.kernel import INTERPRETED

CODE = """
import numpy as np
from bots.compiled import compiled_kind
from bots.contract import NoParameters
from engines.kernel import kernel

@kernel
def think(views, legal, n, parameters, memory, rng, until):
    return {answer}

BOT = compiled_kind("mine", "", NoParameters, np.dtype([("none", np.int8)]),
                    lambda game, parameters: (np.zeros(3),), lambda names: think)
"""
GOOD, ILLEGAL, BROKEN, RAISING = (
    "int(legal[n - 1])",
    "99",
    "legal.no_such",
    "1 // int(memory[0][0])",
)


SANDBOX = pytest.param(
    "sandbox", marks=pytest.mark.skipif(bool(bubblewrap.problem()), reason=bubblewrap.problem())
)


@pytest.fixture(autouse=True)
def no_bot_is_left():
    yield
    close_children()


def written(tmp_path, answer):
    file = tmp_path / "mine.py"
    file.write_text(CODE.format(answer=answer))
    return f"{file}:BOT"


def played(job):
    warm_up(job)
    return play_matches(job)


@pytest.mark.parametrize("isolation", ["none", "process", SANDBOX])
def test_a_compiled_bot_from_a_file_plays_alike_in_this_process_and_in_its_own(
    make_job, odd, tmp_path, isolation
):
    mine = make_job(written(tmp_path, GOOD), "greedy", matches=4, isolation=isolation)
    same = make_job(odd("Last"), "greedy", matches=4)
    assert mine.thinks_here(0) == (isolation == "none")
    results, expected = played(mine).results, played(same).results
    assert (results["ending"] == Ending.FINISHED).all()
    assert results["hash"].tolist() == expected["hash"].tolist()


def test_a_compiled_bot_of_an_installed_package_plays_in_the_worker(
    make_job, tmp_path, monkeypatch
):
    written(tmp_path, GOOD)
    facts = tmp_path / "mine-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[arena.bots]\nlast = mine:BOT\n")
    monkeypatch.syspath_prepend(tmp_path)
    plugins.cache_clear()
    try:
        job = make_job("last", "greedy", matches=4, isolation="process")
        assert job.thinks_here(0)
        assert job.bots[0].kind.source_hash
        assert (played(job).results["ending"] == Ending.FINISHED).all()
    finally:
        plugins.cache_clear()


@pytest.mark.skipif(INTERPRETED, reason="code that is not compiled fails otherwise")
@pytest.mark.parametrize("isolation", ["none", "process"])
@pytest.mark.parametrize(
    ("answer", "ending", "text"),
    [
        (ILLEGAL, Ending.ILLEGAL_ACTION, "is not legal now"),
        (BROKEN, Ending.CRASH, "compile"),
        (RAISING, Ending.CRASH, "raised ZeroDivisionError("),
    ],
)
def test_what_a_compiled_bot_does_wrong_is_its_fault(
    make_job, tmp_path, isolation, answer, ending, text
):
    job = make_job(written(tmp_path, answer), "random", matches=2, isolation=isolation)
    found = played(job)
    assert (found.results["ending"] == ending).all()
    assert (found.results["fault_seat"] == [0, 1]).all()
    assert all(text in told and "\n" not in told for told in found.faults.values())


def test_each_seat_has_a_memory_of_its_own_new_in_every_match(make_job, monkeypatch):
    made = []
    kind = SHIPPED["greedy"]

    def memory(game, parameters):
        made.append(kind.compiled.memory(game, parameters))
        return made[-1]

    compiled = dataclasses.replace(kind.compiled, memory=memory)
    job = make_job("greedy", matches=3, players=2)
    spec = dataclasses.replace(job.bots[0], kind=dataclasses.replace(kind, compiled=compiled))
    job = dataclasses.replace(job, bots=(spec,))
    warm_up(job)
    before = len(made)
    assert np.all(play_matches(job).results["ending"] == Ending.FINISHED)
    assert len(made) - before == 6
    assert len({id(one) for one in made}) == len(made)


def test_starting_a_process_is_counted_apart_from_decisions(make_job, odd):
    job = make_job(odd("First"), "random", matches=2, isolation="process")
    results = played(job).results
    seats = [0, 1]  # of the bot in match 0 and 1
    starting = results["starting"][seats, seats]
    deciding = results["nanoseconds"][seats, seats]
    assert (starting > 0).all()
    assert starting[0] > 2 * deciding[0]  # a new process takes far longer than a few answers
    assert (results["starting"][seats, [1, 0]] == 0).all()
