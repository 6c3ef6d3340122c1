"""The lead and the one table of a balance run: marks follow from claims, sentences from marks, two runs from both."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from arena.balance.analysis import analyse
from arena.balance.lead import changes_clause, lead
from arena.balance.measures import ELO
from arena.balance.overview import (
    ASKED,
    CARDS,
    DEPTH,
    FAIR,
    IN_LINE,
    LENGTH,
    MARKS,
    MEASURED,
    OFF,
    TOO_FEW,
    UNDECIDED,
    YARDSTICK,
    cell_text,
    mark_of,
    overview,
)
from arena.balance.page import page_text, summary
from arena.balance.run import play
from arena.balance.sentences import comparison_sentences, records
from arena.balance.verdict import verdict
from arena.balance.versus import compare_runs, versus_markdown, versus_text
from arena.statistics.claims import claim
from engines.errors import UserError

CASES = ("cards", "skill", "drawn", "three", "teams", "few")


@pytest.mark.parametrize(
    ("low", "high", "mark"),
    [
        (-0.01, 0.02, IN_LINE),
        (0.01, 0.02, IN_LINE),  # differs for sure, but by less than matters
        (0.01, 0.05, OFF),
        (-0.01, 0.05, UNDECIDED),
        (float("nan"), float("nan"), TOO_FEW),
    ],
)
def test_a_mark_follows_from_the_interval_and_the_margin(low, high, mark):
    middle = 0.01 if low != low else (low + high) / 2
    assert mark_of(claim(middle, (low, high), deals=100, method="", margin=0.03)) == mark


@pytest.mark.parametrize("case", CASES)
def test_every_cell_has_value_mark_and_the_table_behind_it(analysed, case):
    balance = analysed(case)
    made = overview(balance)
    assert {FAIR, LENGTH} <= set(made.question) <= set(ASKED)
    assert not made.duplicated(["variant", "players", "question"]).any()
    for row in records(made):
        assert row["mark"] in (*MARKS, TOO_FEW)
        assert len(getattr(balance, row["table"])) > 0
        value, span = cell_text(row)
        assert "nan" not in value + span
        assert bool(span) or row["mark"] == TOO_FEW
        if row["mark"] == YARDSTICK:
            assert row["variant"] == balance.plan.baseline
        if row["question"] == FAIR and row["mark"] == OFF:
            assert row["low"] > 0


@pytest.mark.parametrize(
    ("verdict", "low", "high", "mark"),
    [
        ("differs", 0.4, 0.9, OFF),
        ("differs", -0.9, -0.4, OFF),
        ("differs", 0.1, 0.4, IN_LINE),  # for sure, but by less than matters
        ("undecided", -0.2, 0.9, UNDECIDED),
        ("equivalent", -0.2, 0.2, IN_LINE),
        ("nothing to compare", float("nan"), float("nan"), TOO_FEW),
    ],
)
def test_what_is_held_against_the_baseline_agrees_with_the_comparison(
    analysed, verdict, low, high, mark
):
    balance = analysed("drawn")
    table = balance.comparison.copy()
    turns = (table.variant == "rounds=5,king=1") & (table.measure == MEASURED[LENGTH])
    given = {"difference": (low + high) / 2, "family_low": low, "family_high": high}
    table.loc[turns, [*given, "margin", "verdict"]] = [*given.values(), 0.5, verdict]
    made = overview(replace(balance, comparison=table))
    (cell,) = [
        row for row in records(made[made.question == LENGTH]) if row["variant"] == "rounds=5,king=1"
    ]
    assert cell["mark"] == mark
    others = made.drop(made[(made.question == LENGTH) & (made.variant == "rounds=5,king=1")].index)
    same = overview(balance).loc[others.index]
    assert others.equals(same)  # nothing else rests on it


def test_cards_out_of_line_are_counted_for_sure_and_at_most(analysed):
    balance = analysed("cards")
    (cell,) = [
        row
        for row in records(overview(balance))
        if row["question"] == CARDS and row["variant"] == balance.plan.baseline
    ]
    assert (cell["mark"], cell["value"]) == (OFF, 2)  # aces win more, twos less; kings as expected
    assert cell_text(cell)[0] == "2 of 3"
    assert cell["low"] == 2 <= cell["high"] <= 3
    own = balance.growth[balance.growth.variant == balance.plan.baseline]
    assert set(own.bot) == {"random"}
    (ace,) = records(own[own.subject == "ace"])
    assert ace["lift_low"] > 0


@pytest.mark.parametrize(
    ("low", "high", "mark"),
    [
        (-2.0, 2.0, OFF),  # next to nothing is gained
        (-60.0, -40.0, OFF),  # something is lost
        (40.0, 60.0, IN_LINE),
        (-40.0, 60.0, UNDECIDED),
    ],
)
def test_thinking_that_gains_next_to_nothing_is_off(analysed, low, high, mark):
    balance = analysed("coin")
    assert DEPTH not in set(overview(balance).question)  # no two budgets
    gain = balance.measures[balance.measures.measure == MEASURED[LENGTH]].copy()
    gain[["measure", "unit"]] = MEASURED[DEPTH], ELO
    gain[["value", "low", "high"]] = (low + high) / 2, low, high
    made = overview(replace(balance, measures=pd.concat([balance.measures, gain])))
    assert made.loc[made.question == DEPTH, "mark"].tolist() == [mark]


@pytest.mark.parametrize("case", [pytest.param(CASES[0], marks=pytest.mark.full), *CASES[1:]])
def test_the_lead_is_three_sentences_that_pages_and_terminal_begin_with(analysed, case):
    balance = analysed(case)
    made = overview(balance)
    said = lead(balance, made)
    assert len(said) == 3
    for one in said:
        assert re.match(r"[A-Z0-9]", one.sentence)
        assert one.sentence.endswith(".")
        assert "nan" not in one.sentence
    page, terminal = (make(balance, verdict(balance)) for make in (page_text, summary))
    assert (
        page.index("## In short")
        < page.index("### Overview")
        < page.index("\n## ", 30 + page.index("## In short"))
    )
    assert terminal.startswith(said[0].sentence)
    banned = re.search(r"\b(subjects|rungs|95 in 100|FDR)\b", page.split("\n---\n")[0])
    assert banned is None, banned


def test_who_wins_more_is_named_and_whether_a_variant_cures_it(analysed):
    balance = analysed("cards")
    made = overview(balance).copy()
    fair = made.question == FAIR
    (first, *_) = lead(balance, made)
    assert "whether the order of play matters: undecided" in first.sentence
    assert "of 2 variants tried, bonus 1 is not fair" in first.sentence
    made.loc[fair, "mark"] = OFF
    assert "no variant tried cures it" in lead(balance, made)[0].sentence
    made.loc[fair & (made.variant == "bonus=1"), "mark"] = IN_LINE
    assert "bonus 1 cures it" in lead(balance, made)[0].sentence
    made.loc[fair & (made.variant != balance.plan.baseline), "mark"] = UNDECIDED
    assert "no variant tried is shown to cure it" in lead(balance, made)[0].sentence


# --- two runs -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def before_and_after(make_config, tmp_path_factory):
    found = []
    for bonus, seed in ((0, 1), (3, 2)):
        folder = tmp_path_factory.mktemp("run")
        given = {"rounds": 2, "luck": 2} | ({"bonus": bonus} if bonus else {})
        spec = make_config(bots=["random"], deals=60, null_sets=0, baseline=given, seed=seed)
        play(spec, folder, workers=0, progress=False)
        found.append(folder)
    return found


def test_two_runs_say_what_changed_and_what_stayed(before_and_after):
    before, after = before_and_after
    made = compare_runs(before, after)
    (pair,) = made.pairs
    assert "bonus=3" in pair.second
    outcomes = dict(zip(pair.rows.measure, pair.rows.outcome, strict=True))
    assert outcomes["points of a player"] == "changed"
    assert outcomes["turns"] == "within the margin"
    (row,) = records(pair.rows[pair.rows.measure == "points of a player"])
    assert row["value"] > row["baseline"]
    for text in (versus_text(made), versus_markdown(made)):
        assert "points of a player" in text
        assert "stayed within the margin" in text
    assert max(map(len, versus_text(made).split("\n\n", 1)[1].splitlines()[2:])) <= 80
    assert "measure points" not in versus_text(made)  # a table, not stacked
    (same,) = compare_runs(before, before).pairs
    assert "changed" not in set(same.rows.outcome)


def test_runs_without_anything_in_common_are_one_line(before_and_after, make_config, tmp_path):
    spec = make_config(bots=["greedy"], deals=12, null_sets=0)
    play(spec, tmp_path, workers=0, progress=False)
    with pytest.raises(UserError, match="no matches to hold against"):
        compare_runs(before_and_after[0], tmp_path)


def test_the_command_holds_two_runs_side_by_side(
    arena, before_and_after, tmp_path, undrawn, monkeypatch
):
    before, after = before_and_after
    monkeypatch.setenv("COLUMNS", "60")
    code, out, _ = arena("balance", before, after, "--page", tmp_path / "c.md")
    assert code == 0
    said = out.partition("written: ")[0]
    assert "stayed within the margin" in " ".join(said.split())
    assert max(len(line) for line in said.splitlines() if str(tmp_path.parent) not in line) <= 60
    assert (tmp_path / "c.md").read_text().startswith("# Toy: two runs side by side\n")
    page = (tmp_path / "c.html").read_text()
    assert "points of a player" in page
    assert not re.search(r"\bnan\b", re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.S))
    code, _, error = arena("balance", before, after, "--set", "deals=3")
    assert (code, "two stored runs are only read" in error) == (2, True)


def test_an_analysis_is_the_same_from_the_folder(before_and_after):
    balance = analyse(before_and_after[0])
    assert balance.game.title == "Toy"


def compared(*verdicts):
    """The comparison of one variant with the baseline, a measure for each verdict."""
    span = {"difference": 2.0, "family_low": 1.0, "family_high": 3.0, "unit": "turns"}
    return pd.DataFrame(
        [
            {**span, "variant": "bonus=2", "players": 2, "measure": "turns", "verdict": one}
            for one in verdicts
        ]
    ).assign(p_value=0.001)


def test_one_variant_and_one_measure_are_one():
    rows = compared("differs", "equivalent")
    balance = SimpleNamespace(comparison=rows, plan=SimpleNamespace(variants=["bonus=2"]))
    (said,) = changes_clause(balance)
    assert said.startswith("bonus 2 changes something: 1 of 2 measures differs, first of all turns")
    (line,) = comparison_sentences(rows)
    assert line.endswith("; 1 is equivalent within the margins, 0 undecided.")
