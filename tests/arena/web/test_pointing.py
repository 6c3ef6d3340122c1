"""Clicking in a picture: what each shape means among the legal actions, in all games."""

import pytest

import arena
from arena.pictures.layout import SHAPE, lay
from arena.web.pointing import meant, shapes
from arena.web.shown import position
from engines.core import BUILT_IN, load_game
from engines.pictures import Card, Cell, Die, Grid, Panel, Strip, words_of

UNSEEN = {
    "end",
    "stop",
    "pass",
    "remove",
    "zero",
    "take",
    "leave",
}  # actions about nothing that lies on the table


def walked(game, seed, steps, players=2):
    """A position some steps into a game: its picture as who decides sees it, the actions, this player."""
    now = arena.game(game).start(players=players, seed=seed)
    for step in range(steps):
        legal = now.legal()
        now = now.play(legal[(seed * 7 + step * 3) % len(legal)])
        if len(now.legal()) == 0:
            break
    kind, states = load_game(game), now.states
    player = int(states["to_act"][0])
    texts = [kind.told(states, action) for action in now.legal()]
    return kind.picture(kind.view(states, player)), texts, player


def found_in(game, seed, steps):
    """The words of each shape with the actions that it means, by panel."""
    picture, texts, player = walked(game, seed, steps)
    rows = meant(picture.panels, texts, player)
    return {
        panel.title: [
            (words_of(shape), {texts[n] for n in hits})
            for (shape, _), hits in zip(shapes(panel), row, strict=True)
        ]
        for panel, row in zip(picture.panels, rows, strict=True)
    }


@pytest.mark.parametrize("game", BUILT_IN)
def test_nearly_every_action_is_found_in_the_picture(game):
    asked = 0
    for seed, steps in ((1, 6), (2, 13), (3, 22)):
        picture, texts, player = walked(game, seed, steps)
        rows = meant(picture.panels, texts, player)
        reached = {n for row in rows for hits in row for n in hits}
        left = {text for n, text in enumerate(texts) if n not in reached}
        assert {text.split(" ")[0] for text in left} <= UNSEEN, (seed, left)
        asked += len(texts)
        for panel, row in zip(picture.panels, rows, strict=True):
            assert len(row) == sum(item.kind == SHAPE for item in lay(panel).items)
    assert asked > 10


def test_a_column_is_meant_by_each_of_its_spaces_and_by_no_row():
    board = dict(found_in("connect_four", 1, 3)["Board"])
    assert board["column 4 row 6 empty"] == {"drop 4"}
    assert board["column 6 row 4 empty"] == {"drop 6"}


def test_a_card_is_found_by_its_name_and_not_by_the_words_of_its_text():
    for title, row in found_in("karmaka", 1, 11).items():
        for words, actions in row:
            name = words.partition(",")[0].lower().replace(" ", "_")
            if title.startswith("Player") and "," in words and actions:
                assert {text.split(" ")[1] for text in actions} == {name}


@pytest.mark.parametrize("game", ["sagrada", "sacrificio"])
def test_what_is_chosen_at_the_beginning_is_chosen_in_the_picture(game):
    picture, texts, player = walked(game, 7, 0)
    rows = meant(picture.panels, texts, player)
    assert {n for row in rows for hits in row for n in hits} == set(range(len(texts)))


@pytest.fixture
def table():
    """A die in the pool, and two windows with a space B3 each."""
    spaces = Grid(((Cell(name="B3"), Cell(name="C3")),))
    pool = Panel("Dice", (Strip((Die("blue", 3), Die("red", 3)), "Draft pool"),))
    return [pool, Panel("Player 1", (spaces,), player=0), Panel("Player 2", (spaces,), player=1)]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["draft B3", "draft R3"], [[(0,), (1,)], [(), ()], [(), ()]]),
        (["place B3", "place C3"], [[(), ()], [(0,), (1,)], [(), ()]]),
        (
            ["put B3 at player 2 C3", "put B3 at player 1 C3"],
            [[(0, 1), ()], [(1,), (1,)], [(0,), (0,)]],
        ),
    ],
)
def test_a_space_is_no_die_and_belongs_to_whom_the_action_names(table, texts, expected):
    assert meant(table, texts, 0) == expected


def test_things_of_a_rival_that_no_action_names_stand_for_him():
    rival = Panel("Player 2", (Strip((Card("Peek"), Card("", back=True)), "Hand"),), player=1)
    assert meant([rival], ["target player 2", "target player 3"], 0) == [[(0,), (0,)]]
    assert meant([rival], ["deed peek", "pass"], 0) == [[(0,), ()]]


def test_a_seat_is_told_which_actions_each_item_means_and_which_panel_is_its_own():
    kind = load_game("sagrada")
    now = arena.game("sagrada").start(players=2, seed=3)
    while not any(kind.told(now.states, a).startswith("draft") for a in now.legal()):
        now = now.play(now.legal()[0])
    player = int(now.states["to_act"][0])
    texts = [kind.told(now.states, action) for action in now.legal()]
    shown = position(kind, kind.view(now.states, player), player, texts)
    dice = next(panel for panel in shown["panels"] if panel["title"] == "Dice")
    meant_by = {item["words"]: [texts[n] for n in item["actions"]] for item in dice["items"]}
    drafts = [text for text in texts if text.startswith("draft")]
    assert sorted(text for found in meant_by.values() for text in found) == sorted(drafts)
    assert meant_by["Draft pool"] == []
    assert [panel["player"] for panel in shown["panels"] if panel["own"]] == [player]
