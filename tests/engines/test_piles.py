"""The verbs on piles, hands and bags; test_knowledge.py checks what players learn from them."""

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from engines import piles
from engines.piles import EVERYBODY, HIDDEN, UNSEEN
from engines.rng import seeded

CAPACITY = 8
PILE = piles.pile(CAPACITY)

Slots = list[tuple[int, int]]


def make(slots: Sequence[tuple[int, int]]) -> Any:
    """A pile with (card, known) bottom to top."""
    record = np.zeros(1, np.dtype((np.record, PILE)))[0]
    record.count = len(slots)
    for i, (card, known) in enumerate(slots):
        record.card[i], record.known[i] = card, known
    return record


def slots_of(pile: Any) -> Slots:
    """(card, known) bottom to top; what lies above must be blank."""
    count = int(pile.count)
    assert not pile.card[count:].any(), "a vacated slot still holds a card"
    assert not pile.known[count:].any(), "a vacated slot is still known"
    return [(int(c), int(k)) for c, k in zip(pile.card[:count], pile.known[:count], strict=True)]


# --- ordered piles --------------------------------------------------------------------------------


def test_push_puts_a_card_on_top() -> None:
    pile = make([(3, 1)])
    piles.push(pile, 2, 5)
    assert slots_of(pile) == [(3, 1), (2, 5)]


def test_push_under_puts_a_card_at_the_bottom() -> None:
    pile = make([(3, 1), (4, 2)])
    piles.push_under(pile, 2, 5)
    assert slots_of(pile) == [(2, 5), (3, 1), (4, 2)]


def test_pop_takes_the_top_card_with_its_mask() -> None:
    pile = make([(3, 1), (4, 2)])
    assert tuple(piles.pop(pile)) == (4, 2)
    assert slots_of(pile) == [(3, 1)]


@pytest.mark.parametrize("index", range(4))
def test_take_at_closes_the_gap_and_keeps_the_order(index: int) -> None:
    slots = [(5, 1), (3, 2), (3, 4), (1, 8)]
    pile = make(slots)
    assert tuple(piles.take_at(pile, index)) == slots[index]
    assert slots_of(pile) == slots[:index] + slots[index + 1 :]


def test_show_at_adds_to_those_who_know() -> None:
    pile = make([(5, 1), (3, 2)])
    piles.show_at(pile, 1, 4)
    assert slots_of(pile) == [(5, 1), (3, 6)]


def test_clear_leaves_nothing() -> None:
    pile = make([(5, 1), (3, 2)])
    piles.clear(pile)
    assert slots_of(pile) == []


def test_move_all_moves_a_block_onto_the_other_pile() -> None:
    source, target = make([(1, 1), (2, 0)]), make([(3, 2)])
    piles.move_all(source, target, 4)
    assert slots_of(source) == []
    assert slots_of(target) == [(3, 2), (1, 5), (2, 4)]


def test_a_shuffled_pile_keeps_its_cards_and_nobody_knows_where() -> None:
    orders = Counter()
    for seed in range(600):
        pile = make([(1, 1), (2, EVERYBODY), (3, 0)])
        piles.shuffle_pile(seeded(seed * 7919), pile)
        assert {known for _, known in slots_of(pile)} == {UNSEEN}
        orders[tuple(card for card, _ in slots_of(pile))] += 1
    assert set(orders) == set(itertools.permutations((1, 2, 3)))
    assert min(orders.values()) > 60


def test_a_full_pile_can_be_filled_and_emptied_again() -> None:
    pile = make([])
    for card in range(1, CAPACITY + 1):
        piles.push(pile, card, 1)
    taken = [tuple(piles.pop(pile)) for _ in range(CAPACITY)]
    assert taken == [(card, 1) for card in range(CAPACITY, 0, -1)]
    assert slots_of(pile) == []


# --- hands ----------------------------------------------------------------------------------------

CARDS = (1, 2, 3)
MASKS = (0, 1, 2, 3)


def small_hands(most: int) -> list[Slots]:
    """Every hand of up to `most` cards of three kinds in which the masks of copies nest."""
    found = []
    for count in range(most + 1):
        for cards in itertools.combinations_with_replacement(CARDS, count):
            for masks in itertools.product(MASKS, repeat=count):
                slots = list(zip(cards, masks, strict=True))
                pairs = itertools.pairwise(slots)
                if all(a[0] != b[0] or b[1] & ~a[1] == 0 for a, b in pairs):
                    found.append(slots)
    return found


SMALL_HANDS = small_hands(3)


def copies_known(slots: Slots) -> Counter[tuple[int, int]]:
    """How many copies of each card each player knows of: {(player, card): copies}."""
    return Counter((p, card) for card, known in slots for p in range(4) if known >> p & 1)


def test_there_are_enough_small_hands_to_be_sure() -> None:
    assert len(SMALL_HANDS) > 400


def test_insert_keeps_a_hand_sorted_and_counts_one_more_copy_for_whoever_saw_it() -> None:
    for slots in SMALL_HANDS:
        for card, known in itertools.product(CARDS, MASKS):
            hand = make(slots)
            piles.insert(hand, card, known)
            after = slots_of(hand)
            assert sorted(c for c, _ in [*slots, (card, 0)]) == [c for c, _ in after]
            expected = copies_known(slots) + Counter((p, card) for p in range(2) if known >> p & 1)
            assert copies_known(after) == expected, (slots, card, known)
            assert after in [h for h in [after] if nests(h)], (slots, card, known, after)


def nests(slots: Slots) -> bool:
    """Whether of two copies the first is known to all who know the second."""
    return all(a[0] != b[0] or b[1] & ~a[1] == 0 for a, b in itertools.pairwise(slots))


def test_the_order_of_insertion_makes_no_difference() -> None:
    entries = list(itertools.product((1, 2), MASKS))
    for chosen in itertools.combinations_with_replacement(entries, 4):
        results = set()
        for order in {*itertools.permutations(chosen)}:
            hand = make([])
            for card, known in order:
                piles.insert(hand, card, known)
            results.add(hand.tobytes())
        assert len(results) == 1, chosen


def test_take_seen_takes_one_copy_from_what_everybody_knows() -> None:
    for slots in SMALL_HANDS:
        for card in {c for c, _ in slots}:
            hand = make(slots)
            known = int(piles.take_seen(hand, card))
            before, after = copies_known(slots), copies_known(slots_of(hand))
            for p, c in itertools.product(range(2), CARDS):
                assert after[p, c] == max(before[p, c] - (c == card), 0)
                assert c != card or known >> p & 1 == (before[p, c] > 0)
            assert nests(slots_of(hand))


def test_take_unseen_makes_those_who_did_not_see_it_forget_the_hand() -> None:
    for slots in SMALL_HANDS:
        for card, seen_by in itertools.product({c for c, _ in slots}, MASKS):
            hand = make(slots)
            known = int(piles.take_unseen(hand, card, seen_by))
            before, after = copies_known(slots), copies_known(slots_of(hand))
            assert known & ~seen_by == 0
            for p, c in itertools.product(range(2), CARDS):
                sees = seen_by >> p & 1
                assert after[p, c] == (max(before[p, c] - (c == card), 0) if sees else 0)
            assert nests(slots_of(hand))


def test_show_card_makes_known_at_least_so_many_copies() -> None:
    for slots in SMALL_HANDS:
        held = Counter(c for c, _ in slots)
        for card, seen_by in itertools.product(held, MASKS):
            for copies in range(1, held[card] + 1):
                hand = make(slots)
                piles.show_card(hand, card, copies, seen_by)
                before, after = copies_known(slots), copies_known(slots_of(hand))
                for p, c in itertools.product(range(2), CARDS):
                    shown = copies if c == card and seen_by >> p & 1 else 0
                    assert after[p, c] == max(before[p, c], shown)
                assert nests(slots_of(hand))


def test_show_hand_makes_all_of_it_known() -> None:
    for slots in SMALL_HANDS:
        hand = make(slots)
        piles.show_hand(hand, 2)
        assert slots_of(hand) == [(card, known | 2) for card, known in slots]


def test_find_gives_the_first_copy_or_minus_one() -> None:
    hand = make([(1, 0), (3, 0), (3, 0)])
    assert [int(piles.find(hand, card)) for card in (1, 2, 3)] == [0, -1, 1]


def test_list_cards_names_each_kind_once_ascending() -> None:
    out = np.zeros(10, np.int32)
    n = int(piles.list_cards(make([(1, 0), (3, 0), (3, 0), (5, 0)]), 100, out, 2))
    assert (n, out[2:5].tolist()) == (5, [101, 103, 105])
    assert int(piles.list_cards(make([]), 100, out, 4)) == 4


# --- views and imagined positions -----------------------------------------------------------------


def redacted(slots: Slots, viewer: int, is_hand: bool) -> Any:
    """A pile or hand as the viewer sees it."""
    pile = make(slots)
    (piles.redact_hand if is_hand else piles.redact_pile)(pile, viewer)
    return pile


def test_a_redacted_hand_shows_how_many_and_which_are_known_and_nothing_else() -> None:
    for slots in SMALL_HANDS:
        for viewer in range(2):
            seen = slots_of(redacted(slots, viewer, is_hand=True))
            known = [card for card, mask in slots if mask >> viewer & 1]
            hidden = len(slots) - len(known)
            assert seen == [(HIDDEN, UNSEEN)] * hidden + [(card, 1 << viewer) for card in known]


def test_a_redacted_pile_hides_in_place() -> None:
    pile = redacted([(4, 1), (5, 3), (6, 2), (4, 0)], 1, is_hand=False)
    assert slots_of(pile) == [(HIDDEN, 0), (5, 2), (6, 2), (HIDDEN, 0)]


def test_redacting_twice_changes_nothing() -> None:
    for slots in SMALL_HANDS:
        for viewer in range(2):
            hand = redacted(slots, viewer, is_hand=True)
            before = hand.tobytes()
            piles.redact_hand(hand, viewer)
            assert hand.tobytes() == before


def test_hands_dealt_for_a_viewer_look_to_him_as_before_and_use_up_the_supply() -> None:
    supply = np.array([0, 3, 3, 3], np.int16)
    for slots in SMALL_HANDS:
        for viewer, seed in itertools.product(range(2), range(2)):
            view = redacted(slots, viewer, is_hand=True)
            expected = view.tobytes()
            left, pool = supply.copy(), np.zeros(16, np.int16)
            piles.count_out(view, left)
            size = int(piles.fill_pool(left, pool))
            hidden = sum(card == HIDDEN for card, _ in slots_of(view))
            assert size == 9 - len(slots) + hidden
            assert int(piles.deal_hand(view, pool, size, seeded(seed), 4)) == size - hidden
            dealt = slots_of(view)
            assert nests(dealt)
            assert [c for c, _ in dealt] == sorted(c for c, _ in dealt)
            assert all(known & 4 for _, known in dealt), "the owner knows his hand"
            used = Counter([c for c, _ in dealt]) + Counter(pool[: size - hidden].tolist())
            assert used == Counter({1: 3, 2: 3, 3: 3})
            piles.redact_hand(view, viewer)
            assert view.tobytes() == expected


def test_piles_dealt_for_a_viewer_keep_the_cards_he_knows_in_place() -> None:
    slots = [(1, 2), (2, 0), (3, 2), (3, 1)]
    found = Counter()
    for seed in range(400):
        view = redacted(slots, 1, is_hand=False)
        left, pool = np.array([0, 1, 1, 2], np.int16), np.zeros(4, np.int16)
        piles.count_out(view, left)
        size = int(piles.fill_pool(left, pool))
        assert int(piles.deal_pile(view, pool, size, seeded(seed * 31))) == 0
        cards = [card for card, _ in slots_of(view)]
        assert (cards[0], cards[2]) == (1, 3)
        found[cards[1], cards[3]] += 1
    assert set(found) == {(2, 3), (3, 2)}
    assert abs(found[2, 3] - 200) < 40


def test_every_hidden_hand_is_dealt_as_often_as_cards_in_a_pool_allow() -> None:
    """Two hidden cards out of 1, 1, 2: {1, 1} once in three, {1, 2} twice in three."""
    found = Counter()
    for seed in range(900):
        hand = make([(HIDDEN, 0), (HIDDEN, 0)])
        piles.deal_hand(hand, np.array([1, 1, 2], np.int16), 3, seeded(seed * 31), 1)
        found[tuple(card for card, _ in slots_of(hand))] += 1
    assert set(found) == {(1, 1), (1, 2)}
    assert abs(found[1, 1] - 300) < 50


# --- bags -----------------------------------------------------------------------------------------


def test_a_bag_gives_each_piece_with_its_share_until_it_is_empty() -> None:
    first = Counter()
    for seed in range(600):
        bag = np.array([1, 0, 2, 3], np.int8)
        rng = seeded(seed * 31)
        drawn = [int(piles.draw(bag, rng)) for _ in range(6)]
        assert Counter(drawn) == Counter({0: 1, 2: 2, 3: 3})
        assert int(piles.total(bag)) == 0
        first[drawn[0]] += 1
    assert abs(first[0] - 100) < 35
    assert abs(first[3] - 300) < 50


def test_total_does_not_wrap_in_a_bag_of_small_numbers() -> None:
    assert int(piles.total(np.array([100, 100, 100], np.int8))) == 300
