"""Formats: who meets whom follows from results alone, and is checked by brute force on random events."""

import random
from collections import Counter
from itertools import combinations

import networkx as nx
import pytest

from arena.plan.formats.courses import FORMATS, Rules, check_course, course_of, swiss_rounds
from arena.plan.formats.extent import most_matches, most_tables
from arena.plan.formats.foresight import Search
from arena.plan.formats.knockout import bracket, slots
from arena.plan.formats.meetings import lineups_of
from arena.plan.formats.pairing import arrange, resting_sets
from arena.plan.formats.rounds import Crosstable, Round, table_points
from arena.plan.schedule import match_seatings
from engines.errors import UserError

EVENTS, PARTS = 1000, 20


def play(course, chance):
    """The rounds of a course with their scores, and the places: simulated results, some of them equal."""
    rounds = []
    played = next(course)
    while True:
        scores = [[chance.randrange(5) / 4 for _ in table] for table in played.tables]
        rounds.append((played, scores))
        try:
            played = course.send(scores)
        except StopIteration as end:
            return rounds, end.value


def sizes(chance):
    """How many bots and seats: events of 2 to 64 bots, small ones more often."""
    seats = chance.choice([2, 2, 3, 4])
    return max(seats, round(2 ** chance.uniform(1, 6))), seats


# --- Swiss ----------------------------------------------------------------------------------------


def check_round(standing: Crosstable, played: Round, seats: int) -> None:
    """Everybody sits once or rests, byes are fair, and no table meets again that need not."""
    field = standing.field
    sitting = [one for table in played.tables for one in table]
    assert sorted([*sitting, *played.byes]) == sorted(field)
    assert all(len(table) == seats for table in played.tables)
    assert len(played.byes) == len(field) % seats
    rested = sorted(standing.byes[one] for one in field)
    assert sorted(standing.byes[one] for one in played.byes) == rested[: len(played.byes)]
    again = sum(frozenset(table) in standing.tables for table in played.tables)
    if again:
        assert not avoidable(standing, seats, again), (seats, played)


def avoidable(standing: Crosstable, seats: int, again: int) -> bool:
    """Whether fewer tables could meet again, with byes as fair."""
    field = standing.field
    if seats == 2:
        graph = nx.Graph()
        graph.add_nodes_from(field)
        graph.add_edges_from(
            pair for pair in combinations(field, 2) if frozenset(pair) not in standing.tables
        )
        if len(field) % 2:
            fewest = min(standing.byes[one] for one in field)
            graph.add_edges_from((one, "bye") for one in field if standing.byes[one] == fewest)
        fresh = [set(pair) for pair in nx.max_weight_matching(graph, maxcardinality=True)]
        return len(field) // 2 - sum("bye" not in pair for pair in fresh) < again
    if len(field) > 9:
        return True  # far from every table having met: none may meet again
    best = min(
        fewest_again(standing, [one for one in field if one not in resting], seats)
        for resting in resting_sets(standing, field, len(field) % seats)
    )
    return best < again


def fewest_again(standing: Crosstable, entrants: list[int], seats: int) -> int:
    """How many tables meet again in the best of all arrangements."""
    if not entrants:
        return 0
    first, *rest = entrants
    return min(
        (frozenset((first, *others)) in standing.tables)
        + fewest_again(standing, [one for one in rest if one not in others], seats)
        for others in combinations(rest, seats - 1)
    )


@pytest.mark.parametrize(
    ("part", "most"),  # bots in an event: pairing takes their cube
    [(0, 32), *(pytest.param(n, 64, marks=pytest.mark.shown) for n in range(PARTS))],
)
def test_random_swiss_events_are_paired_as_well_as_brute_force_could(part, most):
    for number in range(part, EVENTS, PARTS):
        chance = random.Random(number)
        count, seats = sizes(chance)
        count = min(count, most)
        rounds = chance.randint(1, min(count + 2, 9))
        course = course_of(Rules("swiss", rounds=rounds), count, seats, number)
        standing = Crosstable(range(count))
        for played, scores in play(course, chance)[0]:
            check_round(standing, played, seats)
            standing.add(played, scores)


def test_a_swiss_at_one_table_has_one_round_by_default():
    assert [swiss_rounds(count, 2) for count in (2, 3, 4, 8, 64)] == [1, 3, 3, 4, 7]
    assert swiss_rounds(3, 3) == swiss_rounds(4, 4) == 1


def test_equal_scores_meet_where_they_can():
    standing = Crosstable(range(8))
    first, byes = arrange(standing, standing.order(), 2)
    assert (first, byes) == (((0, 4), (1, 5), (2, 6), (3, 7)), ())
    standing.add(Round("1", first), [(1, 0)] * 4)
    second, _ = arrange(standing, standing.order(), 2)
    assert all(standing.points[one] == standing.points[other] for one, other in second)
    assert second[:2] == ((0, 2), (1, 3))


@pytest.mark.parametrize(
    ("sizes_tried", "events"),
    [(range(3, 9), 12), pytest.param(range(3, 17), 60, marks=pytest.mark.full)],
)
def test_nobody_meets_again_before_having_met_all(sizes_tried, events):
    """As long as there is a round robin: six bots could else be left as two triangles after three rounds."""
    for count in sizes_tried:
        all_rounds = count - 1 + count % 2
        for number in range(events):
            chance = random.Random(number)
            rounds = chance.randint(min(count // 2, all_rounds), all_rounds)
            course = course_of(Rules("swiss", rounds=rounds), count, 2, 0)
            met, byes = Counter(), Counter()
            for played, _ in play(course, chance)[0]:
                met.update(map(frozenset, played.tables))
                byes.update(played.byes)
            assert max(met.values()) == 1
            assert max(byes.values(), default=0) <= 1


def test_a_search_for_later_rounds_knows_two_triangles_from_a_ring():
    triangles = {(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)}
    ring = {(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)}
    assert not Search(1000).leaves(triangles, 1)
    assert Search(1000).leaves(ring, 2)
    assert not Search(1).leaves(ring, 2)  # too few steps: it does not know


def test_the_lowest_without_a_bye_rests():
    standing = Crosstable(range(5))
    tables, byes = arrange(standing, standing.order(), 2)
    assert byes == (4,)
    standing.add(Round("1", tables, byes), [(1, 0), (1, 0)])
    _, byes = arrange(standing, standing.order(), 2)
    assert byes == (standing.order()[-1],)


def test_buchholz_and_sonneborn_berger_are_those_of_an_example_by_hand():
    standing = Crosstable(range(4))
    standing.add(Round("1", ((0, 1), (2, 3))), [(1, 0), (0.5, 0.5)])
    standing.add(Round("2", ((0, 2), (1, 3))), [(1, 0), (0, 1)])
    # points: 0: 2, 1: 0, 2: 1/2, 3: 3/2
    assert [standing.points[one] for one in range(4)] == [2, 0, 0.5, 1.5]
    assert [standing.buchholz(one) for one in range(4)] == [0.5, 3.5, 3.5, 0.5]
    assert [standing.sonneborn_berger(one) for one in range(4)] == [0.5, 0, 0.75, 0.25]
    assert standing.order() == [0, 3, 2, 1]


def test_a_table_gives_points_for_everybody_who_was_beaten():
    assert table_points([0.9, 0.1]) == [1, 0]
    assert table_points([0.5, 0.5]) == [0.5, 0.5]
    assert table_points([0.9, 0.3, 0.3, 0.1]) == pytest.approx([1, 0.5, 0.5, 0])


# --- all formats ----------------------------------------------------------------------------------


def rules_of(schedule, chance, count, seats):
    """Random rules of a format that fit."""
    if schedule == "swiss":
        return Rules(schedule, rounds=chance.randint(1, 5), cut=chance.choice([0, min(count, 4)]))
    if schedule == "groups":
        parts = chance.randint(1, max(1, count // max(seats, 2)))
        return Rules(schedule, groups=parts, advance=chance.randint(1, min(2, count // parts)))
    return Rules(schedule, drawn=chance.random() < 0.5)


@pytest.mark.parametrize("numbers", [range(8), pytest.param(range(8, 60), marks=pytest.mark.shown)])
@pytest.mark.parametrize("schedule", FORMATS)
def test_random_events_end_with_a_place_for_everybody(schedule, numbers):
    for number in numbers:
        chance = random.Random(number)
        count, seats = sizes(chance)
        count = min(count, 16) if schedule == "groups" else count
        rules = rules_of(schedule, chance, count, seats)
        check_course(rules, count, seats, "a table")
        rounds, places = play(course_of(rules, count, seats, number), chance)
        assert sorted(place.entrant for place in places) == list(range(count))
        assert [place.place for place in places] == sorted(place.place for place in places)
        assert all(place.place <= at for at, place in enumerate(places, 1))
        for played, _ in rounds:
            sitting = [one for table in played.tables for one in table]
            assert played.decisive or schedule in ("swiss", "groups")
            assert (
                len(played.tables) == 1 or schedule == "groups" or len(sitting) == len(set(sitting))
            )
        most = most_tables(rules, count, seats, number)
        assert len(rounds) <= len(most)
        assert all(
            len(played.tables) <= len(longest.tables)
            for (played, _), longest in zip(rounds, most, strict=False)
        )


@pytest.mark.parametrize("schedule", FORMATS)
def test_the_same_results_give_the_same_pairings(schedule):
    rules = Rules(schedule, groups=2 if schedule == "groups" else 0, drawn=True)
    once, again = (play(course_of(rules, 11, 3, 7), random.Random(5)) for _ in range(2))
    assert once == again
    other = play(course_of(rules, 11, 3, 8), random.Random(5))
    assert other != once  # drawn by another seed


def test_the_best_seeds_of_a_knockout_rest_and_meet_last():
    assert bracket([[n] for n in range(1, 9)], 2) == [[1], [8], [4], [5], [2], [7], [3], [6]]
    assert slots(list(range(5)), 2) == [[0], [1], [2], [3, 4]]
    rounds = favourites(Rules("knockout"), 8, 2)
    assert rounds[-1].tables == ((0, 1),)
    assert [played.name for played in rounds] == ["quarter-finals", "semi-finals", "final"]
    assert favourites(Rules("knockout"), 16, 4)[-1].tables == ((0, 1, 2, 3),)


def favourites(rules, count, seats):
    """The rounds of a course in which the better seed always wins."""
    course = course_of(rules, count, seats, 0)
    rounds = [next(course)]
    while True:
        try:
            rounds.append(course.send([[-float(one) for one in t] for t in rounds[-1].tables]))
        except StopIteration:
            return rounds


@pytest.mark.parametrize(
    "numbers", [range(25), pytest.param(range(25, 100), marks=pytest.mark.shown)]
)
def test_nobody_is_out_of_a_double_elimination_before_two_losses(numbers):
    for number in numbers:
        chance = random.Random(number)
        count, seats = sizes(chance)
        rounds, places = play(course_of(Rules("double_elimination"), count, seats, 0), chance)
        lost = Counter()
        for played, scores in rounds:
            assert all(lost[one] < 2 for table in played.tables for one in table)
            for table, found in zip(played.tables, scores, strict=True):
                lost.update(one for one in table if one != table[found.index(max(found))])
        assert sorted(lost[one] >= 2 for one in range(count)) == [False] + [True] * (count - 1)
        assert lost[places[0].entrant] < 2


def test_a_double_elimination_of_pairs_takes_two_tables_less_than_twice_its_bots_or_one_more():
    for count in range(2, 20):
        rounds, _ = play(course_of(Rules("double_elimination"), count, 2, 0), random.Random(count))
        assert sum(len(played.tables) for played, _ in rounds) in (2 * count - 2, 2 * count - 1)


def test_the_best_seeds_of_a_double_elimination_rest_and_meet_last():
    rounds = favourites(Rules("double_elimination"), 5, 2)
    assert (rounds[0].tables, rounds[0].byes) == (((1, 3), (2, 4)), (0,))
    for count, seats in ((8, 2), (13, 2), (7, 3), (9, 4)):
        rounds, places = favourites_by_seed(Rules("double_elimination"), count, seats)
        together = [
            played.name for played in rounds for table in played.tables if {0, 1} <= {*table}
        ]
        assert [place.entrant for place in places][:2] == [0, 1]
        assert together == [last_of_the_upper_part(rounds), "final"]


def favourites_by_seed(rules, count, seats):
    """The rounds and places of a course in which all are equal, so that the better seed goes on everywhere."""
    course = course_of(rules, count, seats, 0)
    rounds = [next(course)]
    while True:
        try:
            rounds.append(course.send([[0.5] * len(table) for table in rounds[-1].tables]))
        except StopIteration as end:
            return rounds, end.value


def last_of_the_upper_part(rounds):
    """The name of the round in which those without a loss are one table."""
    return [played.name for played in rounds if "upper" in played.labels][-1]


def test_finals_decide_places_and_everybody_keeps_the_points_of_the_rounds_before():
    for rules in (Rules("swiss", rounds=3, cut=4), Rules("groups", groups=2, advance=2)):
        rounds, places = play(course_of(rules, 9, 2, 0), random.Random(3))
        standing = Crosstable(range(9))
        for played, scores in rounds:
            if not played.decisive:
                standing.add(played, scores)
        assert {place.entrant: place.points for place in places} == standing.points
        notes = [place.note for place in places]
        assert notes[0].startswith("winner")
        assert all(note.startswith("out in the ") for note in notes[1:4])
        assert not any(note.startswith(("winner", "out")) for note in notes[4:])
    assert {note.rpartition(", ")[2] for note in notes} == {"group A", "group B"}


def test_two_of_a_group_do_not_meet_at_once_in_the_finals():
    for parts in (2, 3, 4, 5):
        rounds = favourites(Rules("groups", groups=parts, advance=2), 4 * parts, 2)
        groups = {frozenset(table) for table in rounds[0].tables}
        assert not groups & {frozenset(table) for table in rounds[1].tables}


def test_the_king_of_the_hill_meets_every_challenger_once():
    rounds = favourites(Rules("king_of_the_hill"), 5, 2)
    assert [played.tables for played in rounds] == [((0, n),) for n in range(1, 5)]


# --- line-ups -------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_entrant_of_a_table_sits_in_every_seat_equally_often(tournament, players):
    table = tournament(games=[{"game": "karmaka", "players": players}]).tables[0]
    for count in range(2, players + 1):
        ids = [f"{number:016x}" for number in range(count)]
        seats = Counter()
        for lineup in lineups_of(table, ids):
            for deal in range(6 if len(set(lineup.entrants)) < players else 1):
                for seating in match_seatings(lineup, deal):
                    seats.update(
                        (seat, lineup.entrants[position]) for seat, position in enumerate(seating)
                    )
        assert len(seats) == players * count
        assert len(set(seats.values())) == 1


@pytest.mark.parametrize("players", [2, 3, 4])
def test_seats_are_even_for_everybody_over_a_whole_event(tournament, players):
    """Of random Swiss events, with any number of deals a meeting: after every round, not only at the end."""
    table = tournament(games=[{"game": "karmaka", "players": players}]).tables[0]
    for number in range(25):
        chance = random.Random(number)
        count, deals = chance.randint(players, 20), chance.randint(1, 5)
        seats = Counter()
        course = course_of(Rules("swiss", rounds=chance.randint(1, 6)), count, players, number)
        for played, _ in play(course, chance)[0]:
            for group in played.tables:
                (lineup,) = lineups_of(table, [f"{one:016x}" for one in group])
                for deal in range(deals):
                    for seating in match_seatings(lineup, deal):
                        ids = [lineup.entrants[position] for position in seating]
                        seats.update(enumerate(ids))
            for one in {entrant for _, entrant in seats}:
                assert len({seats[seat, one] for seat in range(players)}) == 1


def test_a_format_asks_for_no_more_matches_than_it_says(tournament):
    made = tournament(bots=["random", "greedy", "mcts:simulations=2"], schedule="swiss", rounds=3)
    assert most_matches(made, made.tables[0]) == 3 * 4 * 2  # rounds, deals, seatings
    made = tournament(bots=["random", "greedy", "mcts:simulations=2"], schedule="knockout")
    assert most_matches(made, made.tables[0]) == 2 * 4 * 2 * 2  # tables, deals, seatings, a tie


# --- what a config may say ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rounds": 3}, "rounds: only of swiss, king_of_the_hill, the schedule is round_robin"),
        ({"schedule": "groups"}, "groups: missing, how many there are"),
        (
            {"schedule": "groups", "groups": 2},
            "groups: 2, expected 1 to 1: a group at connect_four (default) with 2 players needs 2 bots",
        ),
        ({"schedule": "swiss", "cut": 3}, "cut: 3, expected 2 to 2, as many as there are bots"),
        ({"schedule": "swiss", "until": 30}, "until: 30, expected at least 50"),
        ({"schedule": "swiss", "until": 95}, "until: in a swiss only of the knockout after it"),
        ({"schedule": "swis"}, "schedule: 'swis', expected"),
        (
            {"schedule": "adaptive", "games": [{"game": "sagrada", "players": 1}]},
            "schedule: adaptive, nobody meets anybody at sagrada (default) with 1 player",
        ),
        (
            {"schedule": "adaptive", "bots": ["random"]},
            "bots: 1, an adaptive schedule at connect_four (default) with 2 players needs 2",
        ),
        (
            {"schedule": "knockout", "bots": ["random"]},
            "bots: 1, a knockout at connect_four (default) with 2 players needs 2 at least",
        ),
    ],
)
def test_a_format_that_cannot_be_is_refused(tournament, changes, message):
    with pytest.raises(UserError) as error:
        tournament(**changes)
    assert str(error.value).startswith(message)
