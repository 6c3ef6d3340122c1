"""What is shown fits the terminal, whatever its width, and colours have none."""

import pytest

from arena.playing.fitting import action_list, fitted, width_of
from engines.core import load_game
from engines.rng import seeded

RED, PLAIN = "\x1b[31m", "\x1b[0m"


def test_lines_wider_than_the_terminal_go_on_further_in():
    text = fitted("  a short line\n      options " + "G08:green " * 5, 30)
    assert text.splitlines()[0] == "  a short line"
    assert max(map(len, text.splitlines())) <= 30
    assert text.splitlines()[2].startswith(" " * 10 + "G08")
    assert " ".join(text.split()) == "a short line options " + "G08:green " * 4 + "G08:green"


def test_boards_side_by_side_go_below_each_other():
    boards = "> One           Two\n  1 2 3 4 5     6 7 8 9 0\n  a b c d e     f g h i j"
    assert fitted(boards, 40) == boards
    assert fitted(boards, 20).splitlines() == [
        "> One",
        "  1 2 3 4 5",
        "  a b c d e",
        "",
        "  Two",
        "  6 7 8 9 0",
        "  f g h i j",
    ]


def test_colours_take_no_room_and_stay_with_their_letters():
    row = f"  {RED}1{PLAIN} 2 3 4 5     {RED}6{PLAIN} 7 8 9 0"
    boards = f"  One           Two\n{row}\n  a b c d e     f g h i j"
    assert width_of(row) == 25
    assert fitted(boards, 25) == boards
    below = fitted(boards, 20).splitlines()
    assert below[1] == f"  {RED}1{PLAIN} 2 3 4 5"
    assert below[5].replace(PLAIN, "", 1) in (f"  {RED}6{PLAIN} 7 8 9 0", f"  {RED}6 7 8 9 0")
    assert RED + "6" in below[5]


def test_a_board_with_colours_is_never_wrapped():
    row = "".join(f"{RED}{number:3}{PLAIN}" for number in range(20))
    assert fitted(row, 30) == row


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("coloured", [False, True])
def test_four_windows_of_sagrada_fit(width, coloured, monkeypatch):
    game = load_game("sagrada")
    states = game.new_state(4, game.Variant(), seeded(3))
    while game.legal(states).size and "Round 1" not in game.render(states).splitlines()[0]:
        game.apply(states, int(game.legal(states)[0]), seeded(1))
    for _ in range(12):
        game.apply(states, int(game.legal(states)[0]), seeded(1))
    text = fitted(game.render(game.view(states, 0)), width)
    boards = text[text.index("Player 1") :]
    assert max(map(width_of, boards.splitlines())) <= width
    for player in range(1, 5):
        assert f"Player {player}" in boards


def test_a_few_actions_stand_in_columns():
    assert (
        action_list(["drop 1", "drop 2", "drop 3"], 80) == "  1. drop 1\n  2. drop 2\n  3. drop 3"
    )


def test_many_actions_are_grouped_by_what_they_begin_with():
    texts = [f"{piece}:c{n}-d{n}" for piece in ("S1", "S2", "G1") for n in range(1, 6)]
    lines = action_list([*texts, "end"], 60).splitlines()
    assert lines[0].startswith("S1     1. c1-d1")
    assert max(map(len, lines)) <= 60
    assert [line.split()[0] for line in lines if line[0] != " "] == ["S1", "S2", "G1", "end"]
    assert lines[-1] == "end   16. end"
