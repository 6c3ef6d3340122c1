"""Every multiset of entrants at every table is tried: proofs for tables of up to four."""

import time
from collections import Counter
from itertools import combinations_with_replacement

import pytest

from arena.plan.identity import lineup_id, match_id
from arena.plan.schedule import (
    Block,
    block_seatings,
    circular_orders,
    count_matches,
    make_blocks,
    make_lineup,
    make_lineups,
    match_seatings,
)
from arena.plan.spec import match_spec, parse_spec
from arena.plan.tournament import Table, resolve

MULTISETS = [group for n in (1, 2, 3, 4) for group in combinations_with_replacement("abcd"[:n], n)]
ORDERS = {  # distinct circular orders by how often each entrant sits
    (1,): 1, (2,): 1, (1, 1): 1, (3,): 1, (1, 2): 1, (1, 1, 1): 2,
    (4,): 1, (1, 3): 1, (2, 2): 2, (1, 1, 2): 3, (1, 1, 1, 1): 6,
}  # fmt: skip


def lineup_of(group, deals=1, sides=None):
    players = len(sides or group)
    return make_lineup(Table("karmaka", {}, players, sides or tuple(range(players)), deals), group)


def tournament(players=2, bots=("random", "greedy", "mcts:simulations=5"), **more):
    more = {"name": "t", "games": ["connect_four"], "bots": bots, **more}
    resolved = resolve(parse_spec(more))
    table = Table("connect_four", {}, players, tuple(range(players)), resolved.spec.deals)
    return type(resolved)(**{**vars(resolved), "tables": (table,)})


def names(resolved):
    by_id = {entrant.id: entrant.name[0] for entrant in resolved.entrants}
    lineups = make_lineups(resolved)
    return sorted("".join(sorted(by_id[one] for one in lineup.entrants)) for lineup in lineups)


@pytest.mark.parametrize("group", MULTISETS, ids="".join)
def test_a_table_has_as_many_circular_orders_as_combinatorics_says(group):
    counts = tuple(sorted(Counter(group).values()))
    assert len(circular_orders(lineup_of(group).pattern)) == ORDERS[counts]


@pytest.mark.parametrize("group", MULTISETS, ids="".join)
def test_each_seat_is_shared_in_proportion_within_every_deal(group):
    lineup, held = lineup_of(group), Counter(group)
    for deal in range(6):
        seatings = match_seatings(lineup, deal)
        for seat in range(len(group)):
            sitting = Counter(lineup.entrants[seating[seat]] for seating in seatings)
            for entrant, count in held.items():
                assert sitting[entrant] * len(group) == count * len(seatings)


@pytest.mark.parametrize("distance", [1, 2, 3])
@pytest.mark.parametrize("group", MULTISETS, ids="".join)
def test_each_ordered_pair_sits_at_each_distance_in_proportion_over_all_orders(group, distance):
    lineup, held, n = lineup_of(group), Counter(group), len(group)
    if distance >= n:
        return
    blocks = block_seatings(lineup.pattern, lineup.sides)
    seatings = [seating for block in blocks for seating in block]
    pairs = Counter(
        (lineup.entrants[s[seat]], lineup.entrants[s[(seat + distance) % n]])
        for s in seatings
        for seat in range(n)
    )
    for one in held:
        for other in held:
            ways = held[one] * (held[other] - (one == other))
            assert pairs[one, other] * (n - 1) == ways * len(seatings)


@pytest.mark.parametrize("group", MULTISETS, ids="".join)
def test_a_round_of_deals_plays_every_arrangement_once_and_then_begins_anew(group):
    lineup = lineup_of(group)
    blocks = block_seatings(lineup.pattern, lineup.sides)
    seatings = [seating for block in blocks for seating in block]
    assert len(seatings) == len(set(seatings))
    assert match_seatings(lineup, len(blocks) + 1) == match_seatings(lineup, 1)


def test_seatings_name_the_first_position_of_equal_entrants():
    assert lineup_of("aab").pattern == (0, 0, 2)
    assert match_seatings(lineup_of("aab"), 0) == ((0, 0, 2), (0, 2, 0), (2, 0, 0))


def test_self_play_is_one_match_a_deal():
    assert match_seatings(lineup_of("aaa"), 5) == ((0, 0, 0),)


def test_a_solo_game_is_one_match_a_deal():
    assert match_seatings(lineup_of("a"), 5) == ((0,),)


@pytest.mark.parametrize("sides", [(0, 1, 0, 1), (0, 1, 1), (0, 1, 0)])
def test_partners_are_one_entrant_and_a_block_swaps_the_sides(sides):
    first, second = match_seatings(lineup_of("ab", sides=sides), 3)
    assert first == sides
    assert second == tuple(1 - side for side in sides)


def test_a_team_variant_of_a_game_has_one_entrant_a_side():
    variant = {"mode": "2v2"}
    spec = match_spec("karmaka", ["random", "greedy"], 4, deals=3, variant=variant)
    (lineup,) = make_lineups(resolve(spec))
    assert lineup.players == 4
    assert len(lineup.entrants) == 2
    assert set(match_seatings(lineup, 0)) == {(0, 1, 0, 1), (1, 0, 1, 0)}


@pytest.mark.parametrize(
    ("players", "expected"),
    [
        (1, ["g", "m", "r"]),
        (2, ["gm", "gr", "mr"]),
        (3, ["gmr"]),
        (4, ["gggm", "gggr", "ggmm", "ggmr", "ggrr", "gmmm", "gmmr", "gmrr", "grrr", "mmmr",
             "mmrr", "mrrr"]),
    ],
)  # fmt: skip
def test_a_round_robin_has_all_sets_or_multisets_of_two_at_least(players, expected):
    assert names(tournament(players)) == expected


def test_a_gauntlet_sets_the_focus_against_the_others_only():
    assert names(tournament(2, schedule="gauntlet", focus=["greedy"])) == ["gm", "gr"]
    both = tournament(2, schedule="gauntlet", focus=["greedy", "random"])
    assert names(both) == ["gm", "mr"]
    assert names(tournament(3, schedule="gauntlet", focus="greedy")) == ["gmr"]
    assert names(tournament(4, schedule="gauntlet", focus="greedy")) == [
        "gmmm", "gmmr", "gmrr", "grrr",
    ]  # fmt: skip


def test_self_play_seats_one_entrant_everywhere():
    assert names(tournament(3, schedule="self_play")) == ["ggg", "mmm", "rrr"]


def test_entrants_are_sorted_and_ids_follow_identity():
    lineup = lineup_of("ba")
    assert lineup.entrants == ("a", "b")
    assert lineup.id == lineup_id("karmaka", {}, 2, "ab")
    first, _ = Block(lineup, 4).matches()
    assert first.match_id == match_id(lineup.id, 4, first.seating)
    assert first.entrants == ("a", "b")


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_no_two_matches_share_line_up_deal_and_seating(players):
    lineups = make_lineups(tournament(players, deals=13))
    matches = [match for block in make_blocks(lineups) for match in block.matches()]
    assert len(matches) == count_matches(lineups)
    assert len({(m.lineup.id, m.deal, m.seating) for m in matches}) == len(matches)
    assert len({m.match_id for m in matches}) == len(matches)


def test_blocks_come_deal_by_deal_and_stop_at_each_line_ups_own_number():
    short, long = lineup_of("ab", deals=1), lineup_of("cd", deals=3)
    order = [(block.lineup.id, block.deal) for block in make_blocks([short, long])]
    assert order == [(short.id, 0), (long.id, 0), (long.id, 1), (long.id, 2)]


def test_more_entrants_or_deals_keep_all_earlier_matches():
    def ids(resolved):
        blocks = make_blocks(make_lineups(resolved))
        return {match.match_id for block in blocks for match in block.matches()}

    small = ids(tournament(3, deals=5))
    assert small < ids(tournament(3, deals=6))
    assert small < ids(tournament(3, ["greedy", "mcts:simulations=5", "random", "mcts"], deals=5))


def test_a_match_is_scheduled_in_less_than_50_microseconds():
    lineups = make_lineups(tournament(4, deals=2000))
    assert count_matches(lineups) > 20_000
    start = time.process_time()
    count = sum(len(block.matches()) for block in make_blocks(lineups))
    assert (time.process_time() - start) / count < 50e-6
