"""Pictures as text: nothing is wider than the terminal, boards are whole, colours say nothing alone."""

import io
import re

import pytest
from rich.console import Console

from arena.authoring.checks.walks import positions, settings
from arena.pictures.text import picture_text
from engines.core import BUILT_IN, load_game
from engines.karmaka import picture as karmaka
from engines.pictures import (
    Bar,
    Card,
    Cell,
    Die,
    Grid,
    Panel,
    Picture,
    Pile,
    Step,
    Strip,
    Token,
    Track,
    described,
)
from engines.rng import below, seeded

WIDTHS = (60, 80, 120)
NAME = "mcts:simulations=1000"
ONE_AND_MANY = re.compile(
    r"(?<!player )\b1 (favor )?(cards|moves|points|rings|tokens|victory points|workers)\b"
)


def board(columns=3, rows=2, **more):
    return Grid(tuple((Cell((Die("red", 3),)),) * columns for _ in range(rows)), **more)


def plain(*panels, width=80, names=()):
    return picture_text(Picture(panels, "player 1 decides"), width, names).plain.splitlines()


def played(name, players, decisions, seed=3):
    game = load_game(name)
    states, chooser = game.new_state(players, game.Variant(), seeded(seed)), seeded(seed + 1)
    for _ in range(decisions):
        legal = game.legal(states)
        if len(legal):
            game.apply(states, int(legal[int(below(chooser, len(legal)))]), seeded(seed))
    return game, states


def assert_fits(game, states, names):
    for viewer in (states, game.view(states, 0)):
        assert not ONE_AND_MANY.search("\n".join(described(game.picture(viewer))))
        for width in WIDTHS:
            shown = picture_text(game.picture(viewer), width, names)
            assert max(line.cell_len for line in shown.split("\n")) <= width, (game.name, width)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_game_fits_terminals_of_each_width(name):
    for players in load_game(name).players:
        for decisions in (0, 25, 60):
            assert_fits(*played(name, players, decisions), [NAME] * players)


@pytest.mark.full
@pytest.mark.parametrize("name", BUILT_IN)
def test_every_setting_of_every_game_fits(name):
    for setting in settings(load_game(name)):
        for position in positions(setting, 8):
            assert_fits(setting.game, position.states, [NAME] * setting.players)


@pytest.mark.parametrize("name", BUILT_IN)
def test_colours_take_no_room(name):
    game, states = played(name, 2, 30)
    shown = picture_text(game.picture(states), 80)
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, color_system="truecolor", no_color=False)
    console.print(shown, soft_wrap=True)
    assert "\x1b[" in file.getvalue()
    file = io.StringIO()
    Console(file=file, color_system=None).print(shown, soft_wrap=True)
    assert file.getvalue() == shown.plain + "\n"


def test_four_windows_stand_below_each_other_at_80_columns_and_beside_each_other_when_wide():
    game, states = played("sagrada", 4, 40)
    for width, expected in ((60, 4), (80, 4), (120, 1)):
        lines = picture_text(game.picture(states), width).plain.splitlines()
        assert len([line for line in lines if "Player " in line]) == expected
        assert sum(line.count("1   2   3   4   5") for line in lines) == 4


def test_like_cards_are_one_with_their_number_and_hidden_ones_are_backs():
    hand = Strip((Card("", back=True),) * 4, "Hand", counted=True)
    deeds = Strip(
        (Card("Panic", "red", "1", brief="Panic R1"), Card("Dwindle", "red", "1")), "Deeds"
    )
    assert plain(Panel("Player 2", (hand, deeds), 1, active=True), names=("you", "greedy")) == [
        "player 1 decides",
        "> Player 2 (greedy)",
        "    Hand, 4:  ? x4",
        "    Deeds:  Panic R1  Dwindle 1",
    ]


def test_walls_stand_between_the_cells():
    bars = (Bar(0, 1, 1, True), Bar(1, 1, 2))
    assert plain(Panel("Board", (board(bars=bars, column_names=("a", "b", "c")),)))[2:] == [
        "     R3 |R3  R3",
        "        --------",
        "     R3  R3  R3",
        "     a   b   c",
    ]


def test_empty_cells_say_what_they_ask_for_and_marked_ones_stand_in_brackets():
    cells = (Cell(tint="red", text="R"), Cell(), Cell((Token("blue"),), mark="line"), None)
    assert plain(Panel("Board", (Grid((cells,), ("A",)),)))[2] == "    A  R  . [B]"


def test_tracks_ladders_and_piles():
    rounds = Track((Step("1", (Die("green", 2),)), Step("2", mark="chosen")), "Rounds")
    ladder = Track(
        (Step("Ape"), Step("Wolf", (Token("blue", "1", brief="player 1"),))), "Ladder", down=True
    )
    assert plain(Panel("Table", (rounds, ladder, Strip((Pile("Deck", 7),)))))[2:] == [
        "    Rounds:  1: G2  [2]",
        "    Ladder:",
        "      Ape",
        "      Wolf  player 1",
        "    Deck 7",
    ]


def test_what_belongs_to_a_board_stands_beside_it_where_there_is_room():
    panel = Panel("Player 1", (board(), Strip((Card("Shades of Red", "red"),), "Private")), 0)
    assert "Private:  Shades of Red" in plain(panel)[2]
    assert plain(panel, width=40)[4] == "    Private:  Shades of Red"


def test_each_question_of_karmaka_is_asked_in_words():
    assert set(karmaka.QUESTIONS) == set(karmaka.Phase)
    assert not any("_" in words for words in karmaka.QUESTIONS.values())
