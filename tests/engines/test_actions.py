"""ActionTable: numbers, words, and what onlookers learn."""

import pytest

from engines.actions import ActionTable, Field, Kind, Secrecy
from engines.errors import UserError

CARDS = ("?", "ant", "bee", "cow")
SEATS = ("left", "right")
TABLE = ActionTable(
    [
        Kind("take {card} from {seat}", (Field("card", CARDS[1:]), Field("seat", SEATS))),
        Kind(
            "keep {card} by {seat}",
            (Field("card", CARDS, hidden=True), Field("seat", SEATS)),
            Secrecy.SECRET,
        ),
        Kind("look", secrecy=Secrecy.SILENT),
        Kind("pass"),
    ]
)


def test_actions_are_numbered_kind_by_kind_and_the_last_field_runs_fastest() -> None:
    texts = [TABLE.text(action) for action in range(TABLE.size)]
    assert TABLE.size == 6 + 8 + 1 + 1
    assert texts[:3] == ["take ant from left", "take ant from right", "take bee from left"]
    assert texts[6:8] == ["keep ? by left", "keep ? by right"]
    assert texts[-2:] == ["look", "pass"]
    assert [TABLE.start(kind) for kind in range(4)] == [0, 6, 14, 15]


def test_every_text_reads_back_whatever_the_spaces() -> None:
    assert [TABLE.number(TABLE.text(action)) for action in range(TABLE.size)] == [
        *range(TABLE.size)
    ]
    assert TABLE.number("  take   bee from  right ") == TABLE.number("take bee from right")


def test_kinds_and_fields_can_be_looked_up() -> None:
    action = TABLE.number("keep cow by right")
    assert TABLE.kind[action] == 1
    assert TABLE.field[action].tolist() == [3, 1]
    assert TABLE.field[TABLE.number("pass")].tolist() == [0, 0]


def test_the_public_form_of_a_secret_action_keeps_its_open_fields() -> None:
    public = TABLE.public[TABLE.number("keep cow by right")]
    assert TABLE.text(int(public)) == "keep ? by right"


def test_open_actions_are_public_as_they_are() -> None:
    for action in range(TABLE.size):
        if TABLE.secrecy[action] == Secrecy.OPEN:
            assert TABLE.public[action] == action


def test_an_unknown_text_names_the_nearest() -> None:
    with pytest.raises(UserError, match=r"did you mean .*take bee from left"):
        TABLE.number("take bee form left")


def test_a_hidden_field_starts_with_a_question_mark() -> None:
    with pytest.raises(ValueError, match=r"must be '\?'"):
        ActionTable([Kind("a {x}", (Field("x", ("y", "z"), hidden=True),), Secrecy.SECRET)])


def test_an_open_kind_hides_nothing() -> None:
    with pytest.raises(ValueError, match="has no hidden fields"):
        ActionTable([Kind("a {x}", (Field("x", ("?", "z"), hidden=True),))])


def test_more_actions_than_16_bits_are_refused() -> None:
    many = tuple(str(n) for n in range(300))
    with pytest.raises(ValueError, match="16 bits"):
        ActionTable([Kind("{a} {b}", (Field("a", many), Field("b", many)))])
