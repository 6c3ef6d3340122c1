"""RULES.md as it is read at the table: every component of every game can be looked up."""

import pytest

from arena.playing.rulebook import Rulebook, of_this_table, rulebook
from engines.core import BUILT_IN, load_game
from engines.errors import UserError
from engines.karmaka.tables import CARDS
from engines.nakum.tables import HERITAGE, MARKET, OFFERINGS, TILES
from engines.pictures import Card, shapes_of
from engines.rng import seeded
from engines.sacrificio.tables import CARDS as SACRIFICIO
from engines.sacrificio.tables import TEMPLES
from engines.sagrada.tables import OBJECTIVES, PATTERNS, TOOLS

WIDE = 100


def book(name):
    return rulebook(load_game(name))


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_section_and_every_rule_can_be_read(name):
    rules = book(name)
    for section in rules.sections:
        told = rules.told(section.title, 60)
        assert told.startswith(section.title)
        assert max(map(len, told.splitlines())) <= 60
    for rule in rules.rules:
        assert rules.told(rule.number.lower(), 10_000) == f"{rule.number} {rule.text}"
    numbers = [int(rule.number[1:]) for rule in rules.rules]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", BUILT_IN)
def test_what_has_a_rule_or_a_row_of_its_own_is_explained(name, every):
    rules = book(name)
    for what in list(rules.names())[::every]:
        assert rules.explained(what, WIDE)


@pytest.mark.parametrize(
    ("game", "names"),
    [
        ("karmaka", [card.title for card in CARDS]),
        ("sagrada", [tool.name for tool in TOOLS]),
        ("sacrificio", [card.code for card in SACRIFICIO]),
        ("nakum", [text.split()[0] for text in (*TILES, *OFFERINGS, *MARKET, *HERITAGE)]),
        (
            "sacrifice",
            [
                "preneuse",
                "emissary",
                "immortal",
                "fanatic",
                "builder",
                "martyr",
                "monkey",
                "cheetah",
                "falcon",
            ],
        ),
    ],
)
def test_every_component_is_explained(game, names):
    rules = book(game)
    for name in names:
        assert rules.explained(name, WIDE)


def test_the_printed_set_of_nakum_reads_as_the_tables_hold_it():
    rows = {row.name: [cell for _, cell in row.cells] for row in book("nakum").rows}
    for text in TILES:
        name, spaces = text.split(maxsplit=1)
        assert rows[name] == [spaces]
    for text in OFFERINGS + MARKET + HERITAGE:
        name, _, rest = text.partition(" ")
        cost, gain = (part.strip() for part in rest.split(":"))
        assert rows[name][:2] == ([gain] if text in HERITAGE else [cost, gain])


@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", BUILT_IN)
def test_every_card_that_is_drawn_and_every_subject_is_explained(name, every):
    game, rules = load_game(name), book(name)
    states = game.new_state(max(game.players), game.Variant(), seeded(2))
    named = set(game.subjects.names)
    for number in range(120):
        legal = game.legal(states)
        if not len(legal):
            break
        if number % every == 0:  # what is drawn stays for a while
            shapes = shapes_of(game.picture(states))
            named |= {shape.name for shape in shapes if isinstance(shape, Card) and not shape.back}
        game.apply(states, int(legal[number * 5 % len(legal)]), seeded(number))
    for what in named:
        assert of_this_table(game, states, what) or rules.explained(what, WIDE)


def test_the_windows_and_objectives_of_sagrada_read_as_the_tables_hold_them():
    rows = {row.name: [cell for _, cell in row.cells] for row in book("sagrada").rows}
    for pattern in PATTERNS:
        assert rows[pattern.name] == [str(pattern.difficulty), *pattern.rows.split()]
    for card in OBJECTIVES:
        assert rows[card.name][0].startswith(f"{card.points} point")


def test_the_cards_and_temples_of_sacrificio_read_as_the_tables_hold_them():
    tables = [row for row in book("sacrificio").rows if row.cells[0][0] in ("copies", "heart")]
    rows = {row.name.partition(",")[0]: [cell for _, cell in row.cells] for row in tables}
    for temple in TEMPLES:
        heart, dagger, priests = rows[temple.name]
        assert (heart, dagger) == (temple.heart.name.lower(), temple.dagger.name)
        assert priests.split()[0] == temple.priests
    for card in SACRIFICIO:
        assert rows[card.code][0] in (str(card.copies), "in the centre")


def test_what_a_variant_writes_on_cards_comes_first():
    game = load_game("nakum")
    states = game.new_state(2, game.Variant(market=("M25 1m : 1VP release",)), seeded(1))
    assert of_this_table(game, states, "m25") == "M25 at this table: 1m : 1VP release"
    assert of_this_table(game, states, "O16") == "O16 is not in the game at this table"
    assert of_this_table(game, states, "worker") == ""


def test_marks_of_a_piece_on_the_page_are_gone():
    assert "*" not in book("sacrifice").explained("emissary", WIDE)


def test_a_game_without_rules_says_so(tmp_path):
    with pytest.raises(UserError, match="explain 'x': no rule speaks of it"):
        Rulebook(tmp_path).explained("x", WIDE)
    assert Rulebook(tmp_path).told("", WIDE) == ""
