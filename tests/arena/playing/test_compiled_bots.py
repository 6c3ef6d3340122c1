"""Compiled bots of others: where they play, and what becomes of their mistakes."""

import dataclasses

import numpy as np
import pytest

from arena.playing.containment import sealing
from arena.playing.match import play_matches, warm_up
from arena.playing.referee import Ending
from arena.store.files import DiskError
from bots.registry import SHIPPED
from engines.core import plugins
from engines.kernel import INTERPRETED
from tests.walls import BEST, PROCESS, SANDBOX

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


def written(tmp_path, answer):
    file = tmp_path / "mine.py"
    file.write_text(CODE.format(answer=answer))
    return f"{file}:BOT"


def played(job):
    warm_up(job)
    return play_matches(job)


@pytest.mark.parametrize("isolation", ["none", PROCESS, SANDBOX])
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


def wrong_in(isolation, *marks):
    """What compiled bots do wrong in a kind of process."""
    return (
        pytest.param(isolation, answer, ending, text, marks=marks)
        for answer, ending, text in (
            (BROKEN, Ending.CRASH, "compile"),
            (ILLEGAL, Ending.ILLEGAL_ACTION, "is not legal now"),
            (RAISING, Ending.CRASH, "raised ZeroDivisionError("),
        )
    )


FULL = pytest.mark.full


@pytest.mark.skipif(INTERPRETED, reason="code that is not compiled fails otherwise")
@pytest.mark.parametrize(
    ("isolation", "answer", "ending", "text"),
    [
        *wrong_in("none"),
        # Each compiles for half a second in its own process: there the one that cannot stands for all.
        next(wrong_in(BEST)),
        *wrong_in("process", FULL),
        *wrong_in("sandbox", FULL, *SANDBOX.marks),
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


@pytest.mark.parametrize("isolation", [PROCESS, SANDBOX])
def test_starting_a_process_is_counted_apart_from_decisions(make_job, odd, isolation):
    job = make_job(odd("First"), "random", matches=2, isolation=isolation)
    results = played(job).results
    seats = [0, 1]  # of the bot in match 0 and 1
    starting = results["starting"][seats, seats]
    deciding = results["nanoseconds"][seats, seats]
    assert (starting > 0).all()
    assert starting[0] > 2 * deciding[0]  # a new process takes far longer than a few answers
    assert (results["starting"][seats, [1, 0]] == 0).all()


def test_code_that_has_no_room_to_be_kept_is_one_line(make_job, monkeypatch, tmp_path):
    def refuse(path, content):
        raise OSError(28, "No space left on device")

    job = make_job(written(tmp_path, GOOD), "greedy")
    monkeypatch.setattr(sealing, "cache_root", lambda: tmp_path / "cache")
    monkeypatch.setattr(sealing.Path, "write_bytes", refuse)
    with pytest.raises(DiskError, match=r"sealed: cannot be written: no space left on device$"):
        sealing.seal(job.bots[0], job.game, {"think": "AAAA"})
    assert list((tmp_path / "cache" / sealing.SEALED).iterdir()) == []
