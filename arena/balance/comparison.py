"""Variants against the baseline, measure by measure, on common deals and tables; and the baseline against itself.

Families (`families`): the measures of one variant at one number of players together (Holm: claims); the subjects and
kinds of actions of one variant (Benjamini-Hochberg: screening). What may be said follows from the interval of the
family. The null variant is the baseline on other deals: its p-values must look uniform, else something is wrong with
the tests or the deals are too few.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from arena.balance.config import Margins
from arena.balance.inference import Difference, Statistic, compare
from arena.balance.measures import ELO, SHARE, Measure
from arena.statistics.choice_model import Floats
from arena.statistics.claims import Claim, claim
from arena.statistics.families import ALPHA, discoveries, holm

NEXT_TO_NOTHING = 1e-12  # margin of what never varies
FEWEST_P = 5  # p-values below which nothing can be said about their distribution

COMPARISON = (
    *("game", "variant", "players", "section", "measure", "unit", "baseline", "value"),
    *("difference", "low", "high", "deals", "p_value", "holm_p", "family_low"),
    *("family_high", "margin", "verdict", "uniform_p"),
)
USE_CHANGES = (
    *("game", "variant", "players", "family", "subject", "what", "baseline", "value"),
    *("difference", "low", "high", "deals", "p_value", "q_value", "family_low"),
    *("family_high", "verdict"),
)
NULL_CHECK = ("game", "variant", "players", "p_values", "below_5_percent", "ks_p", "verdict")


def comparison_rows(
    key: dict[str, Any], variant: Sequence[Measure], baseline: Sequence[Measure], margins: Margins
) -> list[dict[str, Any]]:
    """One row for each measure that both have, Holm's correction over those that can differ.

    variant, baseline: measures of samples matched by deal and table. family_low, family_high: the interval at the
    confidence at which Holm tests the row. verdict: the outcome of its claim, or nothing to compare.
    """
    theirs = {measure.key: measure for measure in baseline}
    rows = []
    for measure in variant:
        other = theirs.get(measure.key)
        if other is None or not aligned(measure.statistic, other.statistic):
            continue
        margin = margin_of(measure.unit, other.statistic.estimate, margins)
        found = compare(measure.statistic, other.statistic)
        names = {"section": measure.section, "measure": measure.name, "unit": measure.unit}
        rows.append({**key, **names, **difference_row(found), "margin": margin})
    tested = [row for row in rows if not row.pop("constant") and not np.isnan(row["p_value"])]
    adjusted, confidences = holm([row["p_value"] for row in tested])
    for row in rows:
        row["holm_p"], row["family_low"], row["family_high"] = np.nan, row["low"], row["high"]
    for row, p, confidence in zip(tested, adjusted, confidences, strict=True):
        row["holm_p"] = float(p)
        row["family_low"], row["family_high"] = row["ends"](confidence)
    for row in rows:
        del row["ends"]
        row["verdict"] = judged(row)
    return rows


def aligned(one: Statistic, other: Statistic) -> bool:
    """Whether two statistics stand on the same deals."""
    return one.sums.shape == other.sums.shape and len(one.sums) > 0


def margin_of(unit: str, baseline: float, margins: Margins) -> float:
    """The difference that would not matter, in the measure's unit."""
    if unit == SHARE:
        return margins.share
    return margins.elo if unit == ELO else margins.relative * abs(baseline)


def difference_row(found: Difference) -> dict[str, Any]:
    """A difference as columns."""
    return {
        "baseline": found.baseline,
        "value": found.variant,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "deals": found.deals,
        "p_value": found.p_value,
        "uniform_p": np.nan if found.constant else found.uniform_p,
        "constant": found.constant,
        "ends": found.ends,
    }


def judged(row: dict[str, Any]) -> str:
    """What may be said about a difference, in a word."""
    return "nothing to compare" if np.isnan(row["family_low"]) else claim_of_difference(row).outcome


def claim_of_difference(row: dict[str, Any]) -> Claim:
    """What may be said about a difference, by the interval of its family."""
    return claim(
        row["difference"],
        (row["family_low"], row["family_high"]),
        deals=int(row["deals"]),
        method="paired by deal",
        margin=max(row.get("margin", 0.0), NEXT_TO_NOTHING),
    )


def use_change_rows(
    key: dict[str, Any],
    variant: Iterator[tuple[str, str, str, Statistic]],
    baseline: Iterator[tuple[str, str, str, Statistic]],
) -> list[dict[str, Any]]:
    """One row for each subject or kind used in both, for its use and the lift of its users."""
    theirs = {(f, n, w): statistic for f, n, w, statistic in baseline}
    rows: list[dict[str, Any]] = []
    for family, name, what, statistic in variant:
        other = theirs.get((family, name, what))
        if other is None or not aligned(statistic, other):
            continue
        row = difference_row(compare(statistic, other))
        rows.append({**key, "family": family, "subject": name, "what": what, **row})
    known = [row for row in rows if not np.isnan(row["p_value"]) and not row["constant"]]
    adjusted, confidence = discoveries([row["p_value"] for row in known])
    for row in rows:
        row["q_value"], row["family_low"], row["family_high"] = np.nan, np.nan, np.nan
    for row, q in zip(known, adjusted, strict=True):
        row["q_value"] = float(q)
        row["family_low"], row["family_high"] = row["ends"](confidence)
    for row in rows:
        del row["ends"], row["constant"]
        row["verdict"] = judged(row)
    return rows


def uniformity(p_values: Floats) -> float:
    """The p-value of Kolmogorov and Smirnov's test that p-values (n,) are uniform."""
    from scipy.stats import kstest  # 0.6 s that only analyses with a null variant need

    return float(kstest(p_values, "uniform").pvalue)


def null_check(comparison: pd.DataFrame, key: dict[str, Any]) -> dict[str, Any]:
    """Whether the p-values of null variants look uniform (Kolmogorov-Smirnov, ties broken by lot).

    The measures of one run depend on each other, so this finds gross faults only; the project's tests repeat it over
    200 independent runs.
    """
    p_values = comparison["uniform_p"].dropna().to_numpy(dtype=np.float64)
    enough = len(p_values) >= FEWEST_P
    ks = uniformity(p_values) if enough else np.nan
    verdict = "too few" if not enough else ("uniform" if ks >= 0.01 else "not uniform")
    return {
        **key,
        "p_values": len(p_values),
        "below_5_percent": int((p_values < ALPHA).sum()),
        "ks_p": ks,
        "verdict": verdict,
    }
