"""RULES.md as it is read at the table: every component of every game can be looked up."""

import pytest

from arena.playing.rulebook import Rulebook, rulebook
from engines.core import BUILT_IN, load_game
from engines.errors import UserError
from engines.karmaka.tables import CARDS
from engines.nakum.tables import HERITAGE, MARKET, OFFERINGS, TILES
from engines.sacrificio.tables import CARDS as SACRIFICIO
from engines.sagrada.tables import TOOLS

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


@pytest.mark.parametrize("name", BUILT_IN)
def test_what_has_a_rule_or_a_row_of_its_own_is_explained(name):
    rules = book(name)
    for what in rules.names():
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


def test_marks_of_a_piece_on_the_page_are_gone():
    assert "*" not in book("sacrifice").explained("emissary", WIDE)


def test_a_game_without_rules_says_so(tmp_path):
    with pytest.raises(UserError, match="explain 'x': no rule speaks of it"):
        Rulebook(tmp_path).explained("x", WIDE)
    assert Rulebook(tmp_path).told("", WIDE) == ""
