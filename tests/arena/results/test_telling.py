"""Which matches are worth watching."""

import pandas as pd

from arena.results.telling import CLOSEST, TYPICAL, UPSET, measured


def seats_and_matches(rows):
    """Frames of matches of two bots: (id, winner, points of the winner, points of the other, turns)."""
    seats, matches = [], []
    key = {"game": "toy", "variant": "default", "players": 2}
    for match_id, winner, most, least, turns in rows:
        for bot in ("strong", "weak"):
            won = bot == winner
            shown = {"rank": 2 - won, "points": most if won else least, "win_share": float(won)}
            seats.append({"match_id": match_id, "entrant": bot, **key, **shown})
        matches.append({"match_id": match_id, "turns": turns, **key})
    return pd.DataFrame(seats), pd.DataFrame(matches)


def best(frame, kind):
    return frame.sort_values([kind, "match_id"])["match_id"].iloc[0]


def test_an_upset_a_close_match_and_a_typical_one_are_found():
    rows = [(f"m{n}", "strong", 30 + n % 3, 20, 10) for n in range(9)]
    rows += [
        ("close", "strong", 26, 25, 14),
        ("odd", "strong", 90, 1, 40),
        ("upset", "weak", 40, 20, 10),
    ]
    frame = measured(*seats_and_matches(rows))
    assert best(frame, UPSET) == "upset"
    assert best(frame, CLOSEST) == "close"
    assert best(frame, TYPICAL).startswith("m")
    told = frame.set_index("match_id")
    assert told.loc["upset", "upset_why"] == "weak (wins 8 % of its matches) beats strong"
    assert told.loc["close", "closest_why"] == "strong wins 26 : 25 after 14 turns"
    assert told.loc["m0", "typical_why"] == "strong wins, as usual, after 10 turns"


def test_a_draw_is_nothing_to_watch():
    seats, matches = seats_and_matches([("drawn", "strong", 1, 1, 5)])
    seats["rank"] = 1
    assert not measured(seats, matches)["won"].any()
