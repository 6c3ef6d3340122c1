"""What the tables of a run allow to say: each function takes a row and returns a claim in words."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arena.statistics.claims import ELO_GAP, POINTS_GAP, Claim, claim
from arena.statistics.sentences import ELO, PERCENT, PP, Words, figure, spanned, told

Row = dict[str, Any]
FIRST = ("the", "whether", "doubling", "player", "players", "side", "twice")


def claim_of(row: Row, name: str, deals: int, method: str, **about: float) -> Claim:
    """Return the claim of a column with its `_low` and `_high`."""
    ends = row[f"{name}_low"], row[f"{name}_high"]
    return claim(row[name], ends, deals=int(deals), method=method, **about)


def capital(clause: str) -> str:
    """Return a clause with a capital, unless it begins with a bot's name."""
    begins = clause.split(" ", 1)[0] in FIRST
    return f"{clause[0].upper()}{clause[1:]}" if begins else clause


def sentence(clause: str) -> str:
    """Return a clause as a sentence."""
    return f"{capital(clause)}."


def order_text(row: Row, what: str = "the order of play") -> str:
    """Whether seats, or sides, win alike: how far their shares lie from par, by the test of that."""
    made = claim_of(row, "uneven", row["deals"], "seats by deals", margin=POINTS_GAP)
    words = Words(
        f"{what} matters",
        f"{what} matters",
        f"{what} changes hardly anything",
        f"whether {what} matters",
        of=" off par",
    )
    return told(made, PP, words)


def stronger_words(one: str, other: str, of: str = "") -> Words:
    """The words of which of two bots is stronger."""
    return Words(
        f"{one} is stronger than {other}",
        f"{other} is stronger than {one}",
        f"{one} and {other} are about equal",
        f"whether {one} or {other} is stronger",
        of=of,
    )


def lead_claim(row: Row) -> Claim:
    """What a row of `pairs` says of two bots, by the interval of the difference of their Elo."""
    return claim_of(row, "difference", row["deals"], "difference of ratings", margin=ELO_GAP)


def lead_text(row: Row) -> str:
    """Which of two bots is stronger, from a row of `pairs`."""
    made = lead_claim(row)
    one, other = row["entrant"], row["opponent"]
    words = replace(
        stronger_words(one, other),
        above=f"{one} leads {other} by …",
        below=f"{other} leads {one} by …",
    )
    return told(made, ELO, words)


def circle_text(row: Row) -> str:
    """Whether three bots beat each other in turn, from a row of `circles`: by their weakest link."""
    made = claim_of(row, "least", row["deals"], "share by deals", reference=0.5)
    turn = f"{row['first']} beats {row['second']} beats {row['third']} beats {row['first']}"
    words = Words(
        f"{turn}, the weakest link",
        f"{turn}, the weakest link",
        "",
        f"whether {turn} (by the weakest link)",
    )
    return told(made, PERCENT, words)


def fit_text(row: Row) -> str:
    """Whether one number per bot tells who beats whom, from a row of `fits`."""
    made = claim_of(row, "circular", row["deals"], "Hotelling, by deals", margin=ELO_GAP)
    off = "one number per bot does not tell all about who beats whom"
    part = spanned(row["part"], row["part_low"], row["part_high"], ELO, "+")
    words = Words(
        off,
        off,
        "one number per bot tells who beats whom",
        "whether one number per bot tells who beats whom",
        of=" in circles",
    )
    share = figure(row["circular_share"], PERCENT) + PERCENT.word
    return (
        f"{told(made, ELO, words)}; {share} of the squared log odds go in circles, most "
        f"{row['first']} against {row['second']}: {part}"
    )


def doubling_text(row: Row, deals: int, what: str) -> str:
    """What twice as much thinking adds, from a row with `gain`."""
    made = claim_of(row, "gain", deals, "difference of ratings", margin=ELO_GAP)
    words = Words(
        f"doubling the {what} adds …",
        f"doubling the {what} costs strength",
        f"doubling the {what} changes hardly anything",
        f"whether doubling the {what} adds strength",
        of=" on average",
    )
    return told(made, ELO, words)


def outside_text(rows: Sequence[Row]) -> str:
    """How many pairs score beside what their ratings predict, from rows of `surprises` with an interval."""
    tested = [row for row in rows if row["score_low"] == row["score_low"]]
    outside = sum(bool(row["outside"]) for row in tested)
    pairs = f"{len(tested):,} {'pair' if len(tested) == 1 else 'pairs'}"
    return f"{outside} of {pairs} outside what Elo predicts"
