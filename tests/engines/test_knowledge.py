"""What players know, against slow plain models: every game leans on the masks of piles and hands.

Three models, on every short history of a hand or pile of cards of two kinds:

* *physical cards*: cards are objects with a serial number, a kind, and a place. What a player has
  noticed is written down word for word. Histories in which a player noticed the same things are
  the worlds he holds for possible; what he *can deduce* is what all of them have in common.
* *no leak*: in all worlds that he holds for possible his view must be the same bytes.
* *true*: what his view shows is so in every world. *Complete*: the view shows all that he can
  deduce, except after a card left a hand unseen (knowledge is lost on purpose) or after a shuffle.
* *counters*: the rule for hands as the docstrings state it, as plain counters for each player.

Player 0 owns the hand and sees all that happens to it; 1 and 2 look on.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from engines import piles
from engines.kernel import INTERPRETED
from engines.piles import HIDDEN
from engines.rng import seeded

PILE = piles.pile(6)
KINDS = (1, 2)
ONLOOKERS = (1, 2)
OWNER = 1  # the owner's bit
BOTH = 6  # the bits of both onlookers

Event = tuple[Any, ...]


# --- physical cards -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Card:
    """A physical card."""

    serial: int
    kind: int


@dataclass(frozen=True)
class World:
    """The cards of a hand (or pile, bottom first) and what each onlooker has noticed so far."""

    cards: tuple[Card, ...] = ()
    other: tuple[Card, ...] = ()  # a second pile
    noticed: tuple[tuple[Event, ...], tuple[Event, ...]] = ((), ())
    dealt: int = 0

    def kinds(self) -> Counter[int]:
        return Counter(card.kind for card in self.cards)

    def tell(self, notice: Callable[[int], Event]) -> "World":
        """What an event looks like to each onlooker."""
        pairs = zip(ONLOOKERS, self.noticed, strict=True)
        told = tuple((*before, notice(p)) for p, before in pairs)
        return World(self.cards, self.other, told, self.dealt)  # type: ignore[arg-type]

    def with_cards(self, cards: tuple[Card, ...]) -> "World":
        return World(cards, self.other, self.noticed, self.dealt)

    def without(self, kind: int) -> "World":
        gone = next(card for card in self.cards if card.kind == kind)
        return self.with_cards(tuple(card for card in self.cards if card is not gone))

    def fresh(self, kind: int) -> tuple[Card, "World"]:
        card = Card(self.dealt, kind)
        return card, World(self.cards, self.other, self.noticed, self.dealt + 1)


def sees(player: int, mask: int) -> bool:
    return bool(mask >> player & 1)


@dataclass(frozen=True)
class Node:
    """A history: the event by event story, the real record after it, and the world it describes."""

    story: tuple[Event, ...]
    record: bytes
    world: World
    counters: tuple[Counter[int], ...] = (Counter(), Counter())
    blurred: tuple[bool, bool] = (False, False)  # knowledge was lost on purpose


BOTH_PILES = np.dtype((np.record, np.dtype([("one", PILE), ("two", PILE)])))
SCRATCH = np.zeros(1, BOTH_PILES)  # one record for all: to make a new one takes longer than a verb


def record_of(record: bytes) -> Any:
    """The two piles of a history, to work on; the next call overwrites them."""
    SCRATCH.view(np.uint8)[:] = np.frombuffer(record, np.uint8)
    return SCRATCH[0]


# --- hands: events --------------------------------------------------------------------------------


def hand_events(world: World) -> Iterator[Event]:
    """All that can happen to a hand."""
    if len(world.cards) < 4:
        yield from (("insert", kind, m) for kind in KINDS for m in (OWNER, 3, 5, OWNER | BOTH))
    for kind, held in sorted(world.kinds().items()):
        yield ("take seen", kind)
        yield from (("take unseen", kind, seen_by) for seen_by in (OWNER, 3))
        yield from (("show card", kind, copies, 2) for copies in range(1, held + 1))
    yield ("show hand", 2)


def after_hand_event(node: Node, event: Event) -> Node:
    """The history with one more event, in the record, in the world and in the counters."""
    record, world = record_of(node.record), node.world
    counters = tuple(Counter(c) for c in node.counters)
    blurred = list(node.blurred)
    match event:
        case ("insert", kind, mask):
            piles.insert(record.one, kind, mask)
            card, world = world.fresh(kind)
            world = world.with_cards((*world.cards, card))
            world = world.tell(lambda p: ("came", kind) if sees(p, mask) else ("came",))
            for counter, p in zip(counters, ONLOOKERS, strict=True):
                counter[kind] += sees(p, mask)
        case ("take seen", kind):
            piles.take_seen(record.one, kind)
            world = world.without(kind).tell(lambda p: ("left", kind))
            for counter in counters:
                counter[kind] = max(counter[kind] - 1, 0)
        case ("take unseen", kind, seen_by):
            piles.take_unseen(record.one, kind, seen_by)
            world = world.without(kind)
            world = world.tell(lambda p: ("left", kind) if sees(p, seen_by) else ("left",))
            for i, p in enumerate(ONLOOKERS):
                if sees(p, seen_by):
                    counters[i][kind] = max(counters[i][kind] - 1, 0)
                else:
                    counters[i].clear()
                    blurred[i] = True
        case ("show card", kind, copies, seen_by):
            piles.show_card(record.one, kind, copies, seen_by)
            told = ("holds", kind, copies)
            world = world.tell(lambda p: told if sees(p, seen_by) else ("something was shown",))
            for counter, p in zip(counters, ONLOOKERS, strict=True):
                if sees(p, seen_by):
                    counter[kind] = max(counter[kind], copies)
        case ("show hand", seen_by):
            piles.show_hand(record.one, seen_by)
            all_of_it = ("is", *sorted(world.kinds().elements()))
            world = world.tell(lambda p: all_of_it if sees(p, seen_by) else ("it was shown",))
            for counter, p in zip(counters, ONLOOKERS, strict=True):
                if sees(p, seen_by):
                    counter.update({k: n - counter[k] for k, n in world.kinds().items()})
    story = (*node.story, event)
    return Node(story, record.tobytes(), world, counters, tuple(blurred))  # type: ignore[arg-type]


# --- ordered piles: events ------------------------------------------------------------------------


def pile_events(world: World) -> Iterator[Event]:
    """All that can happen to two ordered piles; masks name player 1 or nobody."""
    if len(world.cards) < 3:
        yield from (("push", kind, mask) for kind in KINDS for mask in (0, 2))
        yield from (("push under", kind, mask) for kind in KINDS for mask in (0, 2))
    for index in range(len(world.cards)):
        yield ("take at", index)
        yield ("show at", index, 2)
    if world.cards:
        yield ("pop onto the other", 0)
        yield from (("move all", mask) for mask in (0, 2))
        yield from (("shuffle", seed) for seed in (1, 2, 4))


def after_pile_event(node: Node, event: Event) -> Node:
    """The history with one more event; cards that leave go face down."""
    record, world = record_of(node.record), node.world
    blurred = list(node.blurred)
    cards = world.cards
    match event:
        case ("push" | "push under", kind, mask):
            under = event[0] == "push under"
            (piles.push_under if under else piles.push)(record.one, kind, mask)
            card, world = world.fresh(kind)
            world = world.with_cards((card, *cards) if under else (*cards, card))
            told = (event[0], kind)
            world = world.tell(lambda p: told if sees(p, mask) else (event[0],))
        case ("take at", index):
            piles.take_at(record.one, index)
            world = world.with_cards(cards[:index] + cards[index + 1 :]).tell(lambda p: event)
        case ("show at", index, mask):
            piles.show_at(record.one, index, mask)
            told = (*event, cards[index].kind)
            world = world.tell(lambda p: told if sees(p, mask) else event)
        case ("pop onto the other", _):
            card, known = piles.pop(record.one)
            piles.push(record.two, card, known)
            world = World(cards[:-1], (*world.other, cards[-1]), world.noticed, world.dealt)
            world = world.tell(lambda p: event)
        case ("move all", mask):
            piles.move_all(record.one, record.two, mask)
            kinds = tuple(card.kind for card in cards)
            world = World((), world.other + cards, world.noticed, world.dealt)
            world = world.tell(lambda p: (*event, kinds) if sees(p, mask) else event)
        case ("shuffle", seed):
            piles.shuffle_pile(seeded(seed), record.one)
            order = [int(kind) for kind in record.one.card[: len(cards)]]
            world = world.with_cards(reordered(cards, order)).tell(lambda p: ("shuffle",))
            blurred = [True, True]
    story = (*node.story, event)
    return Node(story, record.tobytes(), world, node.counters, tuple(blurred))  # type: ignore[arg-type]


def reordered(cards: tuple[Card, ...], kinds: list[int]) -> tuple[Card, ...]:
    """The same cards in an order that reads `kinds`."""
    left, found = list(cards), []
    for kind in kinds:
        card = next(card for card in left if card.kind == kind)
        left.remove(card)
        found.append(card)
    return tuple(found)


# --- all short histories --------------------------------------------------------------------------

Step = Callable[[Node, Event], Node]


def histories(
    events: Callable[[World], Iterator[Event]], step: Step, setup: int, length: int
) -> dict[tuple[Event, ...], Node]:
    """Every history that begins with up to `setup` cards placed and goes on for up to `length` events."""
    layer = [Node((), bytes(2 * PILE.itemsize), World())]
    found = {node.story: node for node in layer}
    for number in range(setup + length):
        placing = number < setup
        nexts = [
            step(node, event)
            for node in layer
            for event in events(node.world)
            if not placing or event[0] in ("insert", "push")
        ]
        found |= {node.story: node for node in nexts}
        layer = nexts
    return found


# (cards placed, events) of all histories; the slow set has all of the quick one and ten times more
QUICK_HANDS = ((2, 1),) if INTERPRETED else ((3, 1), (2, 2), (0, 3))
QUICK_PILES = ((1, 2),) if INTERPRETED else ((2, 2), (0, 3))
EVERY_SIZE = (((3, 2), (2, 3)), ((2, 3),))
SIZES = [(QUICK_HANDS, QUICK_PILES), pytest.param(EVERY_SIZE, marks=pytest.mark.slow)]


@pytest.fixture(scope="module", params=SIZES, ids=["quick", "all"])
def both(request: pytest.FixtureRequest) -> tuple[list[Node], list[Node]]:
    found: list[list[Node]] = []
    pairs = ((hand_events, after_hand_event), (pile_events, after_pile_event))
    for sizes, (events, step) in zip(request.param, pairs, strict=True):
        every: dict[tuple[Event, ...], Node] = {}
        for setup, length in sizes:
            every |= histories(events, step, setup, length)
        found.append(list(every.values()))
    return found[0], found[1]


@pytest.fixture(scope="module")
def hands(both: tuple[list[Node], list[Node]]) -> list[Node]:
    return both[0]


@pytest.fixture(scope="module")
def ordered(both: tuple[list[Node], list[Node]]) -> list[Node]:
    return both[1]


def hand_view(node: Node, player: int) -> bytes:
    record = record_of(node.record)
    piles.redact_hand(record.one, player)
    return record.tobytes()  # type: ignore[no-any-return]


def pile_view(node: Node, player: int) -> bytes:
    record = record_of(node.record)
    piles.redact_pile(record.one, player)
    piles.redact_pile(record.two, player)
    return record.tobytes()  # type: ignore[no-any-return]


def alike(nodes: list[Node], index: int) -> list[list[Node]]:
    """The histories grouped by what an onlooker noticed: a group is what he holds for possible."""
    groups: dict[tuple[Event, ...], list[Node]] = defaultdict(list)
    for node in nodes:
        groups[node.world.noticed[index]].append(node)
    return list(groups.values())


def cards_shown(view: bytes, name: str = "one") -> list[int]:
    """The cards in a view, hidden ones as HIDDEN."""
    pile = record_of(view)[name]
    return pile["card"][: int(pile["count"])].tolist()  # type: ignore[no-any-return]


# --- the tests ------------------------------------------------------------------------------------


def test_there_are_many_histories_and_many_that_look_alike(
    hands: list[Node], ordered: list[Node]
) -> None:
    for nodes in (hands, ordered):
        assert len(nodes) > (300 if INTERPRETED else 5000)
        assert max(len(group) for group in alike(nodes, 1)) > 10


@pytest.mark.parametrize("player", ONLOOKERS)
def test_hands_that_a_player_cannot_tell_apart_look_the_same(
    hands: list[Node], player: int
) -> None:
    """This covers every two indistinguishable plays: their histories differ in nothing noticed."""
    for group in alike(hands, player - 1):
        first = hand_view(group[0], player)
        for node in group[1:]:
            assert hand_view(node, player) == first, (group[0].story, node.story)


@pytest.mark.parametrize("player", ONLOOKERS)
def test_what_a_player_is_shown_of_a_hand_is_what_he_can_deduce(
    hands: list[Node], player: int
) -> None:
    index = player - 1
    for group in alike(hands, index):
        shown = Counter(c for c in cards_shown(hand_view(group[0], player)) if c != HIDDEN)
        certain = {k: min(node.world.kinds()[k] for node in group) for k in KINDS}
        for kind in KINDS:
            assert shown[kind] <= certain[kind], group[0].story
            if not group[0].blurred[index]:
                assert shown[kind] == certain[kind], group[0].story


def test_hands_follow_the_plain_counters(hands: list[Node]) -> None:
    for node in hands:
        for index, player in enumerate(ONLOOKERS):
            shown = Counter(c for c in cards_shown(hand_view(node, player)) if c != HIDDEN)
            assert shown == +node.counters[index], node.story


def test_the_owner_sees_his_whole_hand(hands: list[Node]) -> None:
    for node in hands:
        assert cards_shown(hand_view(node, 0)) == sorted(c.kind for c in node.world.cards)


def test_hands_are_canonical(hands: list[Node]) -> None:
    """Hands with the same cards of which everybody knows the same are the same bytes."""
    seen: dict[Any, bytes] = {}
    for node in hands:
        known = [tuple(sorted((+c).items())) for c in node.counters]
        same = (tuple(sorted(node.world.kinds().items())), *known)
        assert seen.setdefault(same, node.record) == node.record, node.story


@pytest.mark.parametrize("player", ONLOOKERS)
def test_piles_that_a_player_cannot_tell_apart_look_the_same(
    ordered: list[Node], player: int
) -> None:
    for group in alike(ordered, player - 1):
        first = pile_view(group[0], player)
        for node in group[1:]:
            assert pile_view(node, player) == first, (group[0].story, node.story)


@pytest.mark.parametrize("player", ONLOOKERS)
def test_what_a_player_is_shown_of_a_pile_is_what_he_can_deduce(
    ordered: list[Node], player: int
) -> None:
    for group in alike(ordered, player - 1):
        view = pile_view(group[0], player)
        for name, place in (("one", "cards"), ("two", "other")):
            for slot, card in enumerate(cards_shown(view, name)):
                possible = {getattr(node.world, place)[slot].kind for node in group}
                assert card == HIDDEN or possible == {card}, group[0].story
                if card == HIDDEN and not any(node.blurred[player - 1] for node in group):
                    assert possible == set(KINDS), group[0].story


def test_piles_hold_the_physical_cards_in_order(ordered: list[Node]) -> None:
    for node in ordered:
        record = record_of(node.record)
        for name, cards in (("one", node.world.cards), ("two", node.world.other)):
            pile = record[name]
            assert pile["card"].tolist() == [*(c.kind for c in cards), *[0] * (6 - len(cards))]
            assert not pile["known"][len(cards) :].any()


def test_no_two_physical_cards_are_one(hands: list[Node], ordered: list[Node]) -> None:
    for node in itertools.chain(hands, ordered):
        serials = [card.serial for card in node.world.cards + node.world.other]
        assert len(set(serials)) == len(serials)
