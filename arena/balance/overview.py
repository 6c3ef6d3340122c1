"""One table for the whole run: a row for each variant and number of players, a column for each question of a designer.

Every cell rests on a claim. *Fair* (seats win alike), *depth* (twice the thinking adds strength) and *cards* (none out
of line) are judged by themselves; *length*, *choice*, *luck* and *comebacks* have no right value, so the baseline is
the yardstick and a variant is in line with it or off it. The mark:

* in line: the interval lies within the margin, whether or not it lies beside 0;
* off: it lies beside 0 and is not within the margin; of depth: nothing to speak of is gained;
* undecided: neither, more deals would tell.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from arena.balance.analysis import Balance
from arena.balance.comparison import claim_of_difference
from arena.balance.measures import ELO, SHARE
from arena.balance.samples import NULL
from arena.balance.seats import by_strength
from arena.balance.sentences import gain_row, records, unit_of
from arena.balance.usage import SUBJECT
from arena.results.claims import claim_of
from arena.statistics.claims import ELO_GAP, POINTS_GAP, Claim
from arena.statistics.sentences import spanned

IN_LINE, OFF, UNDECIDED, TOO_FEW = "in line", "off", "undecided", "too few deals"
YARDSTICK = "baseline"  # what the others are held against
FAIR, LENGTH, CHOICE, DEPTH = "Fair", "Length", "Choice", "Depth"
LUCK, COMEBACKS, CARDS = "Luck", "Comebacks", "Cards out of line"
ASKED = (FAIR, LENGTH, CHOICE, DEPTH, LUCK, COMEBACKS, CARDS)
MEASURED = {
    LENGTH: "turns",
    CHOICE: "legal actions at a decision",
    DEPTH: "Elo per doubling",
    LUCK: "variance by the deal",
    COMEBACKS: "winner was behind",
}
MEANING = {
    FAIR: "how far what seats win lies from an equal part, between equal bots, the strongest",
    LENGTH: "turns of a match",
    CHOICE: "legal actions at a decision",
    DEPTH: "Elo that twice the thinking adds",
    LUCK: "how much of who wins the deal decides, between the two strongest bots",
    COMEBACKS: "matches whose winner had been behind",
    CARDS: "of those used, how many go along with winning more, or less, than expected",
}
MARKS = {
    IN_LINE: "the interval lies within the margin of what is right, or of the baseline",
    OFF: "it lies beside that, and not within the margin; of depth: thinking gains next to nothing",
    UNDECIDED: "neither, more deals would tell",
    YARDSTICK: "there is no right value: the variants are held against this one",
}
OVERVIEW = (
    *("game", "variant", "players", "question", "value", "low", "high", "unit", "of", "mark"),
    *("difference", "difference_low", "difference_high", "margin", "deals", "table"),
)
Row = dict[str, Any]
Cell = dict[str, Any]


def overview(balance: Balance) -> pd.DataFrame:
    """One row for each cell of the table, in the order of variants, players and questions.

    of: how many things were tested, of cards. difference, its ends and margin: from the baseline, of what is held
    against it. deals: behind the claim. table: which table has the details.
    """
    rows = []
    for about in abouts(balance):
        for question in ASKED:
            cell = fair(balance, about) if question == FAIR else None
            if question == CARDS:
                cell = cards(balance, about)
            elif question in MEASURED:
                cell = measured(balance, about, question)
            if cell is not None:
                rows.append(
                    {**dict.fromkeys(OVERVIEW, np.nan), **about, "question": question, **cell}
                )
    return pd.DataFrame(rows, columns=list(OVERVIEW))


def abouts(balance: Balance) -> list[Row]:
    """Variants and numbers of players of which matches count: the baseline first, then as the config lists them."""
    found = balance.samples[(balance.samples.variant != NULL) & (balance.samples.counted > 0)]
    rows = records(found[["game", "variant", "players"]].drop_duplicates())
    order = {label: place for place, label in enumerate(balance.plan.variants)}
    return sorted(rows, key=lambda row: (order.get(row["variant"], len(order)), row["players"]))


def own_rows(table: pd.DataFrame, about: Row) -> pd.DataFrame:
    """The rows of one variant at one number of players."""
    kept = (table.variant == about["variant"]) & (table.players == about["players"])
    found: pd.DataFrame = table[kept]
    return found


# --- cells ----------------------------------------------------------------------------------------


def mark_of(made: Claim) -> str:
    """What a claim about a difference says of being in line."""
    if made.outcome == "too few deals":
        return TOO_FEW
    near, far = made.reference - made.margin, made.reference + made.margin
    if made.outcome == "equivalent" or (near < made.low and made.high < far):
        return IN_LINE
    return OFF if made.outcome == "differs" else UNDECIDED


def fair(balance: Balance, about: Row) -> Cell | None:
    """How far seats lie from winning alike, where the strongest bot meets itself; None in a game for one."""
    rows = own_rows(balance.seats, about)
    if rows.empty:
        return None
    row = records(rows[rows.bot == by_strength(rows)[0]])[0]
    made = claim_of(row, "uneven", row["deals"], "seats by deals", margin=POINTS_GAP)
    return {**ends_of(made), "unit": SHARE, "mark": mark_of(made), "table": "seats"}


def measured(balance: Balance, about: Row, question: str) -> Cell | None:
    """A measure with its interval; None where this variant has no such measure."""
    rows = own_rows(balance.measures, about)
    rows = rows[rows.measure == MEASURED[question]]
    if rows.empty:
        return None
    row = records(rows)[0]
    cell = {name: row[name] for name in ("value", "low", "high", "unit", "deals")}
    cell["table"] = "rungs" if question == DEPTH else "measures"
    if question == DEPTH:
        made = claim_of(gain_row(row), "gain", row["deals"], "by deals", margin=ELO_GAP)
        mark = mark_of(made)
        deep = made.outcome == "differs" and made.above and mark == OFF
        return {**cell, "mark": IN_LINE if deep else OFF if mark == IN_LINE else mark}
    if about["variant"] == balance.plan.baseline:
        return {**cell, "mark": YARDSTICK if pd.notna(row["low"]) else TOO_FEW}
    return {**cell, **against(balance, about, MEASURED[question])}


def against(balance: Balance, about: Row, measure: str) -> Cell:
    """How a measure differs from the baseline's: by the interval of its family, as the comparison says."""
    rows = own_rows(balance.comparison, about)
    rows = rows[rows.measure == measure]
    if rows.empty:
        return {"mark": TOO_FEW}
    row = records(rows)[0]
    found = {
        "difference": row["difference"],
        "difference_low": row["family_low"],
        "difference_high": row["family_high"],
    }
    mark = mark_of(claim_of_difference(row))
    return {**found, "margin": row["margin"], "deals": row["deals"], "mark": mark}


def cards(balance: Balance, about: Row) -> Cell | None:
    """How many things are out of line: for sure, and at most, with those that are undecided; None without names."""
    rows = own_rows(balance.usage, about)
    own = rows[rows.family == SUBJECT]
    if own.empty:
        return None
    tested = own[own.p_value.notna()]
    off = int(tested.verdict.isin(["over", "under"]).sum())
    open_ = int((tested.verdict == UNDECIDED).sum())
    cell = {"value": float(off), "unit": "", "of": len(tested), "table": "usage"}
    if tested.empty:
        return {**cell, "mark": TOO_FEW}
    mark = OFF if off else UNDECIDED if open_ else IN_LINE
    return {
        **cell,
        "low": float(off),
        "high": float(off + open_),
        "mark": mark,
        "deals": tested.deals.max(),
    }


def ends_of(made: Claim) -> Cell:
    """A claim's number with its interval and deals."""
    return {"value": made.estimate, "low": made.low, "high": made.high, "deals": made.deals}


# --- in words -------------------------------------------------------------------------------------


def cell_text(row: Row) -> tuple[str, str]:
    """('28.9 turns', '[27.9, 29.8]'): the number of a cell, and its interval, empty where there is none."""
    if row["question"] == CARDS:
        if pd.isna(row["low"]):
            return "–", ""
        return f"{row['value']:.0f} of {row['of']:.0f}", f"[{row['low']:.0f}, {row['high']:.0f}]"
    unit = unit_of(SHARE, change=True) if row["question"] == FAIR else unit_of(row["unit"])
    if row["unit"] not in (SHARE, ELO):
        unit = unit_of("")
    text = spanned(row["value"], row["low"], row["high"], unit)
    number, _, span = text.partition(" [")
    return number, f"[{span}" if span else ""


def change_text(row: Row) -> str:
    """What a cell differs by from the baseline's, with its interval; nothing where it is held against nothing."""
    if pd.isna(row["difference"]) or pd.isna(row["difference_low"]):
        return ""
    unit = unit_of(row["unit"], change=True)
    ends = row["difference"], row["difference_low"], row["difference_high"]
    return f"{spanned(*ends, unit, '+')} against the baseline"


def grid(made: pd.DataFrame) -> Iterator[tuple[Row, dict[str, Row]]]:
    """Each row of the table as people see it: what it is about, and its cells by question."""
    for about, rows in made.groupby(["game", "variant", "players"], sort=False):
        key = dict(zip(("game", "variant", "players"), about, strict=True))
        yield key, {row["question"]: row for row in records(rows)}


SHORT = {IN_LINE: "ok", OFF: "OFF", UNDECIDED: "?", YARDSTICK: "=", TOO_FEW: "-"}
SHORT_LEGEND = (
    "ok in line, OFF off, ? undecided, = what the others are held against, - too few deals"
)


def marks_of(made: pd.DataFrame, widest: int = 24) -> pd.DataFrame:
    """The marks alone, for 80 columns of a terminal; what they rest on follows there in sentences."""
    listed = []
    for about, cells in grid(made):
        name = str(about["variant"])
        name = name if len(name) <= widest else f"{name[: widest - 1]}…"
        marks = {one: SHORT[cells[one]["mark"]] if one in cells else "" for one in ASKED}
        marks["Cards"] = marks.pop(CARDS)
        listed.append({"variant": name, "players": about["players"], **marks})
    return pd.DataFrame(listed)


def frame_of(made: pd.DataFrame, name: Callable[[Row], str]) -> pd.DataFrame:
    """The table for a page of text: a row for each variant and number of players, marks in words."""
    listed = []
    for about, cells in grid(made):
        shown = {
            question: " ".join((*filter(None, cell_text(cell)), cell["mark"]))
            for question, cell in cells.items()
        }
        texts = {question: shown.get(question, "") for question in ASKED}
        listed.append({"variant": name(about), "players": about["players"], **texts})
    return pd.DataFrame(listed, columns=["variant", "players", *ASKED])
