"""The tables of a balance analysis as people read them, and what each does not show."""

import numpy as np
import pandas as pd

from arena.balance.measures import ELO, SHARE
from arena.balance.sentences import number, records, small, unit_of, with_interval
from arena.balance.usage import KIND, SUBJECT
from arena.statistics.sentences import spanned

MOST_ROWS = 12  # of usage and setup on a page; the CSV has all

LIMITS = {
    "seats": "From self-play only; `all` is all but random. It does not show what stronger bots, or people, make "
    "of a seat.",
    "rungs": "More thinking by this kind of search. A game it does not understand looks shallow.",
    "measures": "Means over all tables of the ladder without random bots; other bots play other matches. Variance by "
    "the deal is the luck that two seatings of one deal share; chance that play itself brings on stays unexplained.",
    "usage": "Association, not cause: who is ahead may afford a card, and long matches use more of everything. "
    "`intervene:` tests what a ban causes. Intervals are at the confidence of 5 % false discoveries.",
    "setup": "Dealt at random, so this is caused by the deal, among these bots. What all players share is compared "
    "by points and by the first player's win share. Intervals are at the confidence of 5 % false discoveries.",
    "comparison": "Paired by deal and table. Intervals are at the confidence at which Holm tests each: differs, it "
    "lies beside 0; equivalent, within the stated margin; undecided, neither, and more deals would tell.",
    "interventions": "Caused by the ban, in every seat. A search behind the ban still hopes for the thing, so a loss "
    "is an upper bound of its worth; removal for everybody is another question (a variant).",
    "null_check": "The measures of one run depend on each other: the check finds gross faults only.",
}

FAMILIES = {SUBJECT: "card", KIND: "kind of action"}
TITLES = {
    "rungs": "ladder",
    "null_check": "self-check",
}  # of tables whose name is no word of the reader's


def table_title(name: str) -> str:
    """What a table is called on a page."""
    return TITLES.get(name, name.replace("_", " "))


def spans(
    rows: pd.DataFrame, value: str, unit: str, sign: str = "", difference: bool = False
) -> list[str]:
    """Values with intervals as text."""
    return [
        ""
        if pd.isna(low)
        else spanned(own, low, high, unit_of(unit, bool(sign) or difference), sign)
        for own, low, high in zip(
            rows[value], rows[f"{value}_low"], rows[f"{value}_high"], strict=True
        )
    ]


def span(value: float, low: float, high: float, unit: str, sign: str = "") -> str:
    """A value with its interval; nothing where there is none."""
    return "" if pd.isna(low) else with_interval(value, low, high, unit, sign)


def figure(value: float, unit: str, sign: str = "", end: str = "") -> str:
    """A number in its unit; nothing where there is none."""
    return "" if pd.isna(value) else number(value, unit, sign) + end


def p_text(p: float) -> str:
    """A p-value; nothing where there is none."""
    return "" if pd.isna(p) else small(p)


def seats_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Seats for people."""
    return pd.DataFrame(
        {
            "bot": rows.bot,
            "side": rows.side,
            "matches": rows.matches,
            "wins": spans(rows, "win_share", SHARE),
            "worth": spans(rows, "elo", ELO),
            "off par": spans(rows, "uneven", SHARE, difference=True),
            "p": [p_text(p) for p in rows.p_value],
            "more than the strongest": spans(rows, "more", SHARE, "+"),
            "deals": rows.deals,
        }
    )


def measures_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Measures for people."""
    values = [span(r["value"], r["low"], r["high"], r["unit"]) for r in records(rows)]
    return pd.DataFrame(
        {
            "bot": rows.section,  # the first column stands to the left
            "measure": rows.measure,
            "value": values,
            "matches": rows.matches,
            "deals": rows.deals,
        }
    ).rename(columns={"bot": "section"})


def rungs_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The ladder for people."""
    return pd.DataFrame(
        {
            "bot": rows.bot,
            "Elo": spans(rows, "elo", ELO),
            "above the one below": spans(rows, "step", ELO),
            "wins against it": spans(rows, "beats_below", SHARE),
            "matches": rows.matches,
            "deals": rows.deals,
        }
    )


def clearest(rows: pd.DataFrame, most: int) -> pd.DataFrame:
    """The rows with the smallest p, all that are out of line, and the clearest of each kind: sentences name it."""
    ordered = rows.sort_values("p_value", kind="stable")
    kind = "outcome" if "outcome" in ordered else "family"
    spoken = ordered.verdict.isin(["over", "under"]) | ~ordered.duplicated(kind)
    return ordered[spoken | (np.arange(len(ordered)) < most)]


def usage_table(rows: pd.DataFrame, most: int = MOST_ROWS) -> pd.DataFrame:
    """The clearest rows of usage for people."""
    best = clearest(rows, most)
    return pd.DataFrame(
        {
            "family": best.family.replace(FAMILIES),
            "name": best.subject.str.replace("_", " "),
            "used by": spans(best, "use_share", SHARE),
            "users win": [figure(v, SHARE, end=" %") for v in best.win_share],
            "expected": [figure(v, SHARE, end=" %") for v in best.expected],
            "difference": [
                span(r["lift"], r["family_low"], r["family_high"], SHARE, "+")
                for r in records(best)
            ],
            "deals": best.deals,
            "q": [p_text(q) for q in best.q_value],
            "verdict": best.verdict,
        }
    )


def setup_table(rows: pd.DataFrame, most: int = MOST_ROWS) -> pd.DataFrame:
    """The clearest facts of the setup for people."""
    best = clearest(rows, most)
    units = ["points" if row["outcome"] == "points" else SHARE for row in records(best)]
    effects = [
        span(row["effect"], row["family_low"], row["family_high"], unit, "+")
        for row, unit in zip(records(best), units, strict=True)
    ]
    return pd.DataFrame(
        {
            "fact": best.fact.str.replace("_", " "),
            "value": best["value"].str.replace("_", " "),
            "dealt": [figure(v, SHARE, end=" %") for v in best.dealt],
            "outcome": best.outcome,
            "effect": effects,
            "deals": best.deals,
            "q": [p_text(q) for q in best.q_value],
            "verdict": best.verdict,
        }
    )


def comparison_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Differences from the baseline for people."""
    listed = records(rows)
    return pd.DataFrame(
        {
            "section": rows.section,
            "measure": rows.measure,
            "baseline": [figure(r["baseline"], r["unit"]) for r in listed],
            "here": [figure(r["value"], r["unit"]) for r in listed],
            "difference": [
                span(r["difference"], r["family_low"], r["family_high"], r["unit"], "+")
                for r in listed
            ],
            "deals": rows.deals,
            "Holm p": [p_text(p) for p in rows.holm_p],
            "margin": [figure(r["margin"], r["unit"]) for r in listed],
            "verdict": rows.verdict,
        }
    )


def interventions_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Interventions for people."""
    return pd.DataFrame(
        {
            "forbidden": rows.subject.str.replace("_", " "),
            "bot": rows.bot,
            "effect on its wins": [
                span(r["effect"], r["family_low"], r["family_high"], SHARE, "+")
                for r in records(rows)
            ],
            "deals": rows.deals,
            "Elo": [figure(v, ELO, "+") for v in rows.elo],
            "others used it": [figure(v, SHARE, end=" %") for v in rows.used_by_others],
            "Holm p": [p_text(p) for p in rows.holm_p],
            "verdict": rows.verdict,
        }
    )


def null_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The self-check for people."""
    return pd.DataFrame(
        {
            "p-values": rows.p_values,
            "below 5 %": rows.below_5_percent,
            "KS p": [p_text(p) for p in rows.ks_p],
            "verdict": rows.verdict,
        }
    )


SECTIONS = {
    "seats": seats_table,
    "measures": measures_table,
    "rungs": rungs_table,
    "usage": usage_table,
    "setup": setup_table,
    "interventions": interventions_table,
    "comparison": comparison_table,
    "null_check": null_table,
}
