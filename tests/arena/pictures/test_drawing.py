"""Shapes, letters and colours as they are drawn."""

import re
from xml.etree import ElementTree

import pytest

from arena.authoring.checks.pictures import misplaced, unknown_words
from arena.pictures.icons import icon
from arena.pictures.layout import BOARD, WIDTH, lay
from arena.pictures.letters import cut, fitting, width_of, wrapped
from arena.pictures.palette import SCHEMES, resolved, style, values
from arena.pictures.svg import picture_svg
from engines.pictures import (
    COLOURS,
    FORMS,
    PLAYER_COLOURS,
    Bar,
    Card,
    Cell,
    Die,
    Grid,
    Label,
    Panel,
    Picture,
    Pile,
    Step,
    Strip,
    Token,
    Track,
    described,
)

ICONS = tuple(Token(colour, "12", form) for colour in COLOURS for form in FORMS)
LONG = "A name that is far too long for any card of this width, Straightedges"
EVERYTHING = Panel(
    "Everything",
    (
        Label("A sentence that is long enough to be wrapped over more than one line of a panel."),
        Strip(ICONS, "Tokens", counted=True),
        Strip(tuple(Die(colour, pips) for colour in COLOURS for pips in range(7)), "Dice"),
        Strip(
            (
                Card(LONG, "red", "12", ICONS[:9], "what it says"),
                Card("Short", mark="chosen"),
                Card("", back=True),
                Pile("A pile with a name", 99),
                Pile("Empty", 0),
                Cell(ICONS[:20], name="a", mark="line"),
                Cell(text="red", asks="for red dice"),
            ),
            LONG,
        ),
        Strip((Card(LONG, "red", "12", ICONS[:3]), Card("", back=True), Card("x")), "", True),
        Grid(
            tuple(
                tuple(
                    Cell(ICONS[: (row + column) % 6], text="66", tint="red") for column in range(12)
                )
                for row in range(3)
            ),
            tuple("ABC"),
            tuple(map(str, range(1, 13))),
            (Bar(1, 2, 2), Bar(0, 5, 2, upright=True)),
            "A board",
        ),
        Grid(((Cell(name="x"),),), round=True),
        Track(tuple(Step(str(n), ICONS[:n]) for n in range(14)), "Rounds"),
        Track((Step("Top " + LONG, ICONS[:3], "chosen"), Step("Bottom")), "Ladder", down=True),
    ),
)


def test_nothing_overlaps_and_no_text_leaves_its_box() -> None:
    assert misplaced(lay(EVERYTHING)) == ()


def test_the_checks_find_what_is_wrong() -> None:
    laid = lay(Panel("x", (Strip((Card("one"),)), Strip((Card("two"),)))))
    first, second = laid.items
    moved = type(laid)(
        laid.panel, laid.height, (first, type(second)(**{**vars(second), "y": first.y}))
    )
    assert "overlaps" in " ".join(misplaced(moved))
    low = type(laid)(laid.panel, 20.0, laid.items)
    assert "sticks out below" in " ".join(misplaced(low))
    wrong = Picture((Panel("x", (Strip((Token("mauve", form="blob"), Die("red", 7))),)),), "x")
    assert len(list(unknown_words(wrong))) == 3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_whole_picture_is_an_svg_that_needs_nothing(scheme: str) -> None:
    picture = Picture(
        (EVERYTHING, Panel("Board", EVERYTHING.parts[5:6], 0, True, True)), "All shapes"
    )
    for columns in (1, 2, 3):
        svg = picture_svg(picture, scheme, columns)
        root = ElementTree.fromstring(svg)
        assert float(root.attrib["width"]) >= WIDTH
        assert "var(" not in svg
        assert not re.search(r"href|url\(|nan", svg)
        assert next(iter(root)).text == "\n".join(described(picture))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_letters_on_every_colour_can_be_read(scheme: str) -> None:
    known = values(scheme)
    for colour in COLOURS:
        assert contrast(known[colour], known[f"on-{colour}"]) >= 4.5, (scheme, colour)
    for ink, ground in (("ink", "face"), ("muted", "space"), ("ink", "space"), ("muted", "paper")):
        assert contrast(known[ink], known[ground]) >= 4.5, (scheme, ink, ground)


@pytest.mark.parametrize("scheme", ["safe", "safe-dark"])
def test_players_are_told_apart_without_seeing_red_and_green(scheme: str) -> None:
    known = values(scheme)
    for weights in (PROTAN, DEUTAN):
        seen = [simulated(known[colour], weights) for colour in PLAYER_COLOURS]
        for n, one in enumerate(seen):
            for other in seen[n + 1 :]:
                assert sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5 > 0.1


# Viénot, Brettel and Mollon (1999): linear RGB as dichromats see it
PROTAN = ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0))
DEUTAN = ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0))


def simulated(colour: str, weights: tuple[tuple[float, ...], ...]) -> tuple[float, ...]:
    channels = linear(colour)
    mixed = [sum(w * c for w, c in zip(row, channels, strict=True)) for row in weights]
    return tuple(max(0.0, c) ** (1 / 2.4) for c in mixed)


def linear(colour: str) -> list[float]:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def contrast(one: str, other: str) -> float:
    light = [
        sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))
        for colour in (one, other)
    ]
    return (max(light) + 0.05) / (min(light) + 0.05)


def test_every_colour_of_a_drawing_follows_the_scheme() -> None:
    svg = "".join(item.svg for item in lay(EVERYTHING).items)
    assert not re.search(r"#[0-9a-f]{3,6}", svg)
    for name in set(re.findall(r"var\(--c-([a-z-]+)\)", svg)):
        assert f"--c-{name}:" in style()
    assert "var(" not in resolved(svg, "dark")


def test_texts_are_wrapped_and_cut_to_their_room() -> None:
    lines = wrapped(LONG, 60, 9, True, 3)
    assert len(lines) == 3
    assert lines[-1].endswith("…")
    assert all(width_of(line, 9, True) <= 60 for line in lines)
    assert cut("short", 100, 9) == "short"
    assert cut("Straightedge", 30, 9).endswith("…")
    assert cut("Straightedge", 5, 9) == ""
    assert fitting("66", 5, 20, 3) < 20 == fitting("6", 50, 20, 3)


def test_what_is_made_to_fit_does_not_miss_by_a_rounding() -> None:
    for tenths in range(100, 700):
        size = fitting("Transmigrate", tenths / 10, 11.0, 1.0, True)
        assert cut("Transmigrate", tenths / 10, size, True) == "Transmigrate"


def test_the_names_of_rows_are_whole() -> None:
    names = tuple(str(row) for row in range(16, 0, -1))
    laid = lay(Panel("Board", (Grid(tuple((Cell(),) * 10 for _ in names), names),)))
    assert [text.text for item in laid.items for text in item.texts] == list(names)


def test_an_icon_is_drawn_once() -> None:
    assert icon(Die("red", 3), 24.0) is icon(Die("red", 3), 24.0)
    assert icon(Die("red", 3), 24.0).svg.count("<circle") == 3


def test_a_panel_without_parts_is_empty() -> None:
    laid = lay(Panel("Nothing", ()))
    assert laid.items == ()
    assert laid.height > 0
    assert sum(item.kind == BOARD for item in lay(EVERYTHING).items) == 2
