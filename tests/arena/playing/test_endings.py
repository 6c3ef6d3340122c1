"""A match that is over says in lines who has how many points, and where they come from."""

import re

import pytest

from arena.playing.endings import result_lines, sources_text
from arena.playing.live import begin


def random_match(game, players, seed=4):
    match = begin(game, {}, players, seed)
    while not match.over:
        legal = match.legal()
        match.do(legal[len(match.past) * 7 % len(legal)])
    return match


@pytest.mark.parametrize("game", ["sagrada", "nakum", "sacrificio"])
def test_the_parts_that_are_told_add_up_to_the_points(game):
    match = random_match(game, 2)
    first, *lines = result_lines(match, lambda player: f"Ann {'ab'[player]}")
    assert first.startswith("over: ")
    for told, parts in zip(lines[::2], lines[1::2], strict=True):
        points = int(re.search(r", (-?\d+) points?$", told)[1])
        assert points == sum(map(int, re.findall(r" (-?\d+)(?:,|$)", parts)))


def test_a_game_whose_points_have_no_parts_tells_the_points_alone():
    lines = list(result_lines(random_match("connect_four", 2), str))
    assert len(lines) == 3


def test_what_brings_nothing_is_left_out():
    assert (
        sources_text({"tokens": 2, "masks": 0, "empty spaces": -3}) == "tokens 2, empty spaces -3"
    )
    assert sources_text({"tokens": 0}) == "nothing that counts"
