"""What the tables say in plain words. Every sentence names the table that backs it; no number without an interval."""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from arena.balance.analysis import Balance
from arena.balance.overview import own_rows
from arena.balance.samples import NULL
from arena.balance.sentences import (
    MUCH_SHARED,
    SHARED,
    comparison_sentences,
    drama_sentences,
    intervention_sentences,
    luck_sentences,
    outcome_sentences,
    p_of,
    records,
    sample_sentences,
    seat_sentences,
    setup_sentences,
    sharing_sentences,
    skill_sentences,
    usage_sentences,
)
from arena.results.report import heading

VERDICT = ("game", "variant", "players", "sentence", "table")
Row = dict[str, Any]


def verdict(balance: Balance) -> pd.DataFrame:
    """The verdict, one row for each sentence and the table it rests on."""
    rows: list[Row] = []
    for about in spoken_of(balance):
        rows += [{**about, **sentence} for sentence in sentences(balance, about)]
    for check in records(balance.null_check):
        rows.append({**{n: check[n] for n in VERDICT[:3]}, **null_sentence(check)})
    return pd.DataFrame(rows, columns=list(VERDICT))


def spoken_of(balance: Balance) -> list[Row]:
    """Variants and numbers of players in order; where first places are much shared, first those that change it."""
    found = records(balance.samples[list(VERDICT[:3])].drop_duplicates())

    def place(about: Row) -> int:
        if about["variant"] == balance.plan.baseline or not much_shared(balance, about):
            return 0
        own = own_rows(balance.comparison, about)
        return 2 - bool(((own.measure == SHARED) & (own.verdict == "differs")).any())

    return sorted((about for about in found if about["variant"] != NULL), key=place)


def much_shared(balance: Balance, about: Row) -> bool:
    """Whether first places are much shared at this number of players, in one variant at least."""
    table = balance.measures
    own = (table.players == about["players"]) & (table.variant != NULL) & table.low.notna()
    return bool((table[own & (table.measure == SHARED)].value > MUCH_SHARED).any())


def sentences(balance: Balance, about: Row) -> Iterator[Row]:
    """The sentences of one variant at one number of players; where first places are much shared, those lead."""
    makers: list[tuple[str, Callable[[pd.DataFrame], Iterator[str]]]] = [
        ("samples", sample_sentences),
        ("seats", seat_sentences),
        ("measures", sharing_sentences),
        ("measures", outcome_sentences),
        ("rungs", skill_sentences),
        ("measures", luck_sentences),
        ("measures", drama_sentences),
        ("usage", functools.partial(usage_sentences, kind=balance.game.subjects.kind)),
        ("setup", setup_sentences),
        ("interventions", intervention_sentences),
        ("comparison", comparison_sentences),
    ]
    if much_shared(balance, about):
        leading = (sample_sentences, sharing_sentences, comparison_sentences, outcome_sentences)
        makers.sort(key=lambda pair: leading.index(pair[1]) if pair[1] in leading else len(leading))
    for table, maker in makers:
        for text in maker(own_rows(getattr(balance, table), about)):
            yield {"sentence": text, "table": table}


def null_sentence(check: Row) -> Row:
    """The self-check."""
    if check["verdict"] == "too few":
        text = "Self-check: too few p-values of a null variant."
    else:
        uniform = check["verdict"] == "uniform"
        found = "no fault of the tests found" if uniform else "not uniform, something is wrong"
        text = (
            f"Self-check, the baseline against itself on other deals: {check['below_5_percent']} of"
            f" {check['p_values']} p-values below 5 % (expected {0.05 * check['p_values']:.1f}), {found}"
            f" (Kolmogorov-Smirnov {p_of(check['ks_p'])})."
        )
    return {"sentence": text, "table": "null_check"}


def title(about: Row) -> str:
    """A variant in words."""
    return heading((about["game"], about["variant"], about["players"]))
