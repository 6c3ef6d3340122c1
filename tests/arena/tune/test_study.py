"""A search asks the same whether it was stopped or not, and nothing twice."""

import math
from pathlib import Path
from typing import Any

import pytest

from arena.tune.space import AnyOf, Choice, Point, Space, Span, key_of
from arena.tune.study import Study, ask
from engines.errors import UserError

SPACE = Space(
    (
        Span("x", 0.01, 10.0, whole=False, log=True),
        Span("n", 0, 5, whole=True, log=False),
        Choice("word", ("a", None, "c")),
        AnyOf("without", ("p", "q")),
    )
)


def worth(point: Point) -> float:
    return -abs(math.log10(point["x"])) - abs(point["n"] - 3) - len(point["without"])


def play(study: Study, batches: int, size: int = 5) -> list[Any]:
    for _ in range(batches):
        asked = study.batch(size)
        study.tell([[worth(trial.point)] for trial in asked])
    return [key_of(trial.point) for trial in study.trials]


def test_a_search_that_was_stopped_asks_what_it_would_have_asked(tmp_path: Path):
    whole = play(Study(tmp_path / "a.jsonl", SPACE, 7), 5)
    file = tmp_path / "b.jsonl"
    play(Study(file, SPACE, 7), 3)
    asked = Study(file, SPACE, 7).batch(5)  # killed before it was told
    again = Study(file, SPACE, 7)
    assert again.batch(5) == asked
    assert play(again, 2) == whole
    assert len(set(whole)) == 25
    assert play(Study(tmp_path / "c.jsonl", SPACE, 8), 2) != whole[:10]


def test_a_search_finds_better_points_than_chance(tmp_path: Path):
    study = Study(tmp_path / "s.jsonl", SPACE, 1)
    play(study, 8)
    by_batch = [max(worth(t.point) for t in study.trials if t.batch == b) for b in range(8)]
    assert max(by_batch[4:]) > max(by_batch[:2])
    assert max(by_batch) > -1.0


def test_the_start_is_asked_first_and_a_small_space_is_asked_whole(tmp_path: Path):
    small = Space((Choice("a", (1, 2, 3)), Choice("b", (True, False))))
    start = {"a": 2, "b": False}
    study = Study(tmp_path / "s.jsonl", small, 1, first=[start])
    assert study.batch(4)[0].point == start
    study.tell([[0.0]] * 4)
    assert len(study.batch(4)) == 2
    study.tell([[0.0], None])
    assert study.batch(4) == ()
    assert len({key_of(trial.point) for trial in study.trials}) == 6
    assert study.trials[-1].values is None


def test_points_to_ask_first_fill_half_of_each_batch_until_none_is_left(tmp_path: Path):
    small = Space((Choice("a", tuple(range(9))), Choice("b", tuple(range(9)))))
    first = [{"a": n, "b": 0} for n in range(5)]
    study = Study(tmp_path / "s.jsonl", small, 1, first=first)
    for batch, asked in enumerate((first[:3], first[3:])):
        points = [trial.point for trial in study.batch(6)]
        assert points[: len(asked)] == asked
        assert sum(point in first for point in points) >= len(asked), batch
        study.tell([[0.0]] * 6)
    assert not any(trial.point in first for trial in study.batch(6))


def test_several_objectives_are_searched_together():
    told = ask(SPACE, (), 3, 0, 12, ("minimize", "maximize"))
    assert len({key_of(point) for point in told}) == 12
    assert all(SPACE.holds(point) for point in told)


def test_facts_and_values_are_read_back_as_they_were_told(tmp_path: Path):
    file = tmp_path / "s.jsonl"
    study = Study(file, SPACE, 1)
    study.batch(2)
    study.tell([[0.25], None], [{"scores": [[0.5, 1.0]]}, {}])
    assert Study(file, SPACE, 1).trials == study.trials


@pytest.mark.parametrize("text", ["", "{", '{"search": 1}\n{"number": 0}\n', "[]\n"])
def test_a_damaged_file_or_another_search_is_told_in_a_line(tmp_path: Path, text: str):
    file = tmp_path / "s.jsonl"
    file.write_text(text)
    with pytest.raises(UserError, match=r"s\.jsonl: (damaged|a search with other)"):
        Study(file, SPACE, 1)


def test_another_seed_is_another_search(tmp_path: Path):
    Study(tmp_path / "s.jsonl", SPACE, 1).batch(1)
    with pytest.raises(UserError, match=r"a search with other seed \(1\); --fresh begins anew"):
        Study(tmp_path / "s.jsonl", SPACE, 2)
