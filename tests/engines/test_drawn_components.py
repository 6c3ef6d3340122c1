"""Every component of a position stands in its picture once, for whoever looks: counted game by game."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena.authoring.checks.walks import Setting, record_walk
from arena.authoring.playthroughs import SEED
from engines.core import BUILT_IN
from engines.kernel import INTERPRETED
from engines.pictures import Bar, Card, Die, Picture, Pile, Token, player_colour, shapes_of
from engines.records import View
from engines.sacrificio.actions import ACTION_KIND, Kind

EVERY = 55  # positions of a playthrough; all of them at length
Expected = Iterator[tuple[str, int, int]]  # what, how many are drawn, how many there are


def connect_four(state: Any, picture: Picture) -> Expected:
    discs = Counter(token.colour for token in tokens(picture))
    for player in range(2):
        yield (
            f"discs of {player}",
            discs[player_colour(player)],
            int(state["discs"][player]).bit_count(),
        )


def karmaka(state: Any, picture: Picture) -> Expected:
    on_piles = sum(pile.count for pile in of_kind(picture, Pile))
    yield "cards", len(cards(picture)) + on_piles, int(state["rules"]["copies"].sum())
    rings = sum(int(token.text) for token in tokens(picture, "ring"))
    yield "rings", rings, int(state["seat"]["rings"].sum())
    yield "players", len(tokens(picture, "meeple")), int(state["players"])


def sagrada(state: Any, picture: Picture) -> Expected:
    in_bag = [token for token in tokens(picture, "square") if token.words.endswith(" dice")]
    left = sum(int(token.text) for token in in_bag)
    lists = sum(int(state[name]["count"]) for name in ("held", "pool", "spent", "track"))
    placed = sum(int(seat["window"]["die"].astype(bool).sum()) for seat in state["seat"])
    yield "dice", len(of_kind(picture, Die)), lists + placed
    yield "dice in the bag", left, int(state["bag_tally"].sum())
    faces = sum(int(state[name]["count"]) for name in ("tools", "publics"))
    faces += int(state["seat"]["private"]["count"].sum())
    hidden_options = [c for c in cards(picture) if c.text == "a secret window card"]
    yield "cards", len(cards(picture)) - len(hidden_options), faces


def sacrifice(state: Any, picture: Picture) -> Expected:
    pieces = [token for token in tokens(picture) if token.identity]
    names = [token.identity for token in pieces]
    yield "pieces named twice", len(names) - len(set(names)), 0
    begun = 2 * int((state["rules"]["start"] >= 0).sum())
    minerals = int((state["mineral"] >= 0).sum())
    yield "pieces", len(pieces), begun + minerals
    left = [token for token in tokens(picture) if token.words == "a wall not built yet"]
    yield "walls", len(left) + len(of_kind(picture, Bar)), 2 * int(state["rules"]["walls"])


def nakum(state: Any, picture: Picture) -> Expected:
    meeples = Counter(t.colour for t in tokens(picture, "meeple") if t.colour != "red")
    for player in range(int(state["players"])):
        seat = state["seat"][player]
        whole = sum(int(seat[name]) for name in ("active", "reserve", "grown"))
        yield f"workers of {player}", meeples[player_colour(player)], whole
    cubes = [token for token in tokens(picture) if token.words == "a cube on it"]
    yield "cubes", len(cubes), int(state["cubes"].sum()) + bool(state["waiting_cube"])
    on_piles = sum(pile.count for pile in of_kind(picture, Pile))
    rules, tiles = state["rules"], [c for c in cards(picture) if c.text.startswith("tile ")]
    heritage = (
        state["seat"]["hand"]["count"].sum() + state["seat"]["heritage_played"]["count"].sum()
    )
    others = int(rules["market"]["copies"].sum() + rules["offering"]["copies"].sum() + heritage)
    yield "cards", len(cards(picture)) - len(tiles) + on_piles, others
    yield "tiles face down", len(tiles), int(state["unexplored"])


def sacrificio(state: Any, picture: Picture) -> Expected:
    temples = [c for c in cards(picture) if "temple" in c.text or "heart" in c.text]
    faces = len(cards(picture)) - len(temples)
    icons = tokens(picture)
    asked = [t for t in icons if t.words.startswith(("asks for", "and a "))]
    others = [t for t in icons if t.form in ("heart", "ring")]
    pieces = len(icons) - len(asked) - len(others)
    deck, pile = (pile.count for pile in of_kind(picture, Pile))
    pending = any(getattr(p, "caption", "") == "Awaits an answer" for p in picture.panels[0].parts)
    in_hand = int(state["pending"] != 0) and pending_card(state)
    yield "cards", faces + pieces + deck + in_hand, int(state["rules"]["copies"].sum())
    yield "what awaits an answer", int(pending), int(state["pending"] != 0)
    yield "temples in the pile", pile, int(state["temples"]["count"])
    hollow = sum(int(t.text) for t in others if t.form == "heart")
    yield "hollow hearts", hollow, int(state["hollow"] + state["seat"]["hollow"].sum())


def pending_card(state: Any) -> int:
    """Whether the move that awaits an answer holds a card, as all but wiping do."""
    return int(ACTION_KIND[int(state["pending"]) - 1] != Kind.WIPE)


EXPECTED: dict[str, Callable[[Any, Picture], Expected]] = {
    "connect_four": connect_four,
    "karmaka": karmaka,
    "sagrada": sagrada,
    "sacrifice": sacrifice,
    "nakum": nakum,
    "sacrificio": sacrificio,
}


def of_kind(picture: Picture, kind: type) -> list[Any]:
    return [shape for shape in shapes_of(picture) if isinstance(shape, kind)]


def tokens(picture: Picture, form: str = "") -> list[Token]:
    found = [t for t in of_kind(picture, Token) if t.form != "text"]
    return [t for t in found if not form or t.form == form]


def cards(picture: Picture) -> list[Card]:
    return of_kind(picture, Card)


def miscounted(setting: Setting, every: int) -> Iterator[str]:
    """What is drawn more or less often than it is there, in each n-th position and the last, for every viewer."""
    game = setting.game
    expected = EXPECTED[game.name]
    assert game.picture is not None
    walk = record_walk(setting, SEED)
    for position in (*walk[::every], walk[-1]):
        views: list[View] = [game.view(position.states, p) for p in range(setting.players)]
        for viewer, view in enumerate((position.states, *views)):
            for what, drawn, there in expected(view[0], game.picture(view)):
                if drawn != there:
                    yield f"{position.where}, viewer {viewer}: {what}, {drawn} of {there}"


def test_every_component_is_drawn_once(any_setting: Setting) -> None:
    assert list(miscounted(any_setting, EVERY)) == []


@pytest.mark.full
@pytest.mark.skipif(INTERPRETED, reason="pictures are made by Python in either mode")
def test_every_component_is_drawn_once_at_length(any_setting_at_length: Setting) -> None:
    assert list(miscounted(any_setting_at_length, 1)) == []


def test_every_game_is_counted() -> None:
    assert set(EXPECTED) == set(BUILT_IN)
