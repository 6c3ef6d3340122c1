"""Every title of a figure on a published HTML page follows from the tables of its section.

A title is right if each of its numbers with an interval stands in a table, or is one of a table's
divided by a number of doublings; if the outcome it states is the one that these numbers allow; and if
its counts are those of the table.
"""

import importlib.util
import itertools
import math
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from arena.execution.run import carry_out
from arena.pages.leaderboards import html_text
from arena.pages.report import report_html
from arena.results.findings import make_findings
from arena.results.leaderboards import make_boards
from arena.results.report import make_tables
from arena.statistics.claims import ELO_GAP, claim

ROOT = Path(__file__).parents[3]
SAID = importlib.util.spec_from_file_location("said", Path(__file__).with_name("test_said.py"))
said_module = importlib.util.module_from_spec(SAID)
sys.modules["said"] = said_module
SAID.loader.exec_module(said_module)
number, spans, wrong = said_module.number, said_module.spans, said_module.wrong
PAGES = ("karmaka", "nakum", "sacrifice", "sacrificio", "sagrada")
BALANCE = ("connect_four", *PAGES)
OTHERS = ("openspiel-connect_four", "policy-connect_four")
PUBLISHED = [*PAGES, *OTHERS, *(f"balance-{name}" for name in BALANCE)]
NUMBER = r"[+-]?[\d,]*\.?\d+"
ENDS = re.compile(rf"({NUMBER}) [–-] ({NUMBER})$")
MOST_DOUBLINGS = 12
Span = tuple[float, float, float]


@dataclass
class Part:
    """A section: titles of its figures, and the rows of its tables, as cells by column."""

    titles: list[str] = field(default_factory=list)
    tables: list[list[list[tuple[str, str]]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # of sides no table, but a line tells all


def plain(html: str) -> str:
    """Return what a piece of a page says."""
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


def parts(page: str) -> list[Part]:
    """Return the sections of a page."""
    found = []
    for text in re.split(r"<h2[ >]", page)[1:]:
        titles = [plain(m[2]) for m in re.finditer(r"<h([34])[^>]*>(.*?)</h\1>", text, re.DOTALL)]
        tables = [rows(m[1]) for m in re.finditer(r"<table[^>]*>(.*?)</table>", text, re.DOTALL)]
        notes = [plain(m) for m in re.findall(r"<p[^>]*>(Complete blocks.*?)</p>", text)]
        found.append(Part(titles, tables, notes))
    return found


def rows(table: str) -> list[list[tuple[str, str]]]:
    """Return the rows of a table as pairs of column and cell."""
    lines = re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.DOTALL)
    cells = [
        [plain(m) for m in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", x, re.DOTALL)] for x in lines
    ]
    return [list(zip(cells[0], row, strict=False)) for row in cells[1:]] if cells else []


def known(part: Part) -> Iterator[Span]:
    """Return every number with its interval that stands in the tables: in one cell, or in two side by side."""
    yield from (each[:3] for note in part.notes for each in spans(note))
    for row in (row for table in part.tables for row in table):
        for _, cell in row:
            yield from (each[:3] for each in spans(cell))
        for (_, value), (name, ends) in itertools.pairwise(row):
            seen, span = re.match(NUMBER, value), ENDS.match(ends)
            if name.strip() in ("95 %", "interval") and seen and span:
                yield number(seen[0]), number(span[1]), number(span[2])


def means(part: Part) -> Iterator[float]:
    """Return the means that stand in the tables without an interval."""
    for row in (dict(row) for table in part.tables for row in table):
        if found := re.match(NUMBER, row.get("mean", "")):
            yield number(found[0])


def stands(one: Span, others: set[Span]) -> bool:
    """Whether a span is one of a table, from either side or divided by some doublings."""
    told = np.array([one[0], *sorted(one[1:])])
    k = np.arange(1, MOST_DOUBLINGS + 1)[:, None, None]
    slack = 0.5 / k + 0.51
    if float(one[0]) != round(one[0]):
        slack[0] = 0.051
    own = np.array(sorted(others)).reshape(-1, 3)
    for found in (own, -own):
        found = np.column_stack([found[:, 0], np.sort(found[:, 1:], axis=1)])
        if (abs(found / k - told) <= slack).all(axis=2).any():
            return True
    return False


def faults(page: str) -> Iterator[str]:
    """Return what the titles of a page say that its tables do not."""
    for part in parts(page):
        seen, cells = set(known(part)), set(means(part))
        for title in part.titles:
            said = title.split("; ") if "order of play" in title or "the side" in title else [title]
            for fault in (
                *(f for clause in said for f in unbacked(clause, seen, cells)),
                *(f for clause in said for f in wrong(clause)),
                *miscounted(title, part),
            ):
                yield f"{title!r}: {fault}"


def unbacked(clause: str, seen: set[Span], cells: set[float]) -> Iterator[str]:
    """Numbers with an interval that no table has.

    What seats lie off par stands in words only, of mean points the tables have the mean. A share is told
    by how far it lies from par too.
    """
    if "off par" in clause:
        return
    par = re.search(r"par ([\d.]+) %", clause)
    for value, low, high, _ in spans(clause):
        told = [(value, low, high)]
        told += [tuple(each - float(par[1]) for each in told[0])] if par else []
        if any(stands(each, seen) for each in told):
            continue
        if "game points" in clause and any(math.isclose(value, x, abs_tol=0.051) for x in cells):
            continue
        yield f"no table has {value} [{low}, {high}]"


def miscounted(title: str, part: Part) -> Iterator[str]:
    """Counts of a title that are not those of its table."""
    if said := re.match(
        r"Of (\d+) pairs (\d+) differ surely, (\d+) are equal .* (\d+) undecided", title
    ):
        own = [dict(row) for table in part.tables for row in table if "Elo ahead" in dict(row)]
        outcomes = [outcome for row in own if (outcome := outcome_of(row))]
        exact = [outcomes.count(kind) for kind in ("differs", "equivalent", "undecided")]
        loose = len(own) - len(outcomes)  # open ends: the table has no interval to judge by
        counts = [int(each) for each in said.groups()]
        if counts[0] != len(own) or any(
            abs(a - b) > loose for a, b in zip(counts[1:], exact, strict=True)
        ):
            yield f"the table has {len(own)} pairs, {exact}"
    if said := re.match(r"(\d+) of (\d+) pairs? (?:lies?|are|is)? ?outside", title):
        shown = [
            dict(row)["outside"] for table in part.tables for row in table if "outside" in dict(row)
        ]
        if len(shown) == int(said[2]) and shown.count("yes") != int(said[1]):
            yield f"the table has {shown.count('yes')}"


def outcome_of(row: dict[str, str]) -> str:
    """Return what the difference of two ratings allows to say; nothing where rounding hides it."""
    ends = ENDS.match(row["95 %"])
    value = re.match(NUMBER, row["Elo ahead"])
    if not ends or not value:
        return ""
    found = [
        claim(
            number(value[0]),
            (number(ends[1]) + moved, number(ends[2]) - moved),
            deals=int(row["deals"].replace(",", "")),
            method="",
            margin=ELO_GAP,
        ).outcome
        for moved in (-0.5, 0.5)
    ]
    return found[0] if found[0] == found[1] else ""


def test_no_published_page_names_a_folder_of_the_machine_that_made_it():
    pages = (ROOT / "results" / "leaderboards").iterdir()
    for page in (page for page in pages if page.suffix in (".html", ".md")):
        said = re.findall(r"arena \w+ /\S*|/(?:work|home|root|tmp)/\S*", page.read_text("utf-8"))
        assert said == [], page.name


@pytest.mark.parametrize("name", PUBLISHED)
def test_titles_of_published_pages_say_what_their_tables_say(name):
    page = (ROOT / "results" / "leaderboards" / f"{name}.html").read_text(encoding="utf-8")
    assert sum(len(part.titles) for part in parts(page)) > 5
    assert list(faults(page)) == []


def test_titles_of_new_pages_say_what_their_tables_say(tournament, tmp_path, undrawn):
    run = tmp_path / "run"
    spec = tournament(
        bots=["random", "greedy", "mcts:simulations=4", "mcts:simulations=8"], deals=12
    )
    carry_out(spec, run, workers=0, progress=False)
    made = make_tables(run)
    for page in (report_html(made, make_findings(made), run), html_text(make_boards([run]))):
        titles = [title for part in parts(page) for title in part.titles]
        assert any("order of play" in title for title in titles)
        assert any(re.match(r"Of 6 pairs", title) for title in titles)
        assert list(faults(page)) == []


@pytest.mark.parametrize(
    ("title", "row", "fault"),
    [
        ("a leads b by 80 Elo [54, 107]", {"Elo ahead": "+90", "95 %": "64 – 117"}, "no table"),
        ("a leads b by 20 Elo [-4, 44]", {"Elo ahead": "+20", "95 %": "-4 – 44"}, "inside"),
        (
            "Of 1 pairs 1 differ surely, 0 are equal within 20 Elo, 0 undecided (each at 95 %)",
            {"Elo ahead": "+20", "95 %": "-4 – 44", "deals": "50"},
            "the table has",
        ),
        ("2 of 1 pairs outside what Elo predicts", {"outside": "yes"}, "the table has 1"),
    ],
)
def test_titles_that_do_not_follow_are_found(title, row, fault):
    head = "".join(f"<th>{name}</th>" for name in row)
    cells = "".join(f"<td>{cell}</td>" for cell in row.values())
    page = f"<h2>g</h2><h3>{title}</h3><table><tr>{head}</tr><tr>{cells}</tr></table>"
    found = list(faults(page))
    assert len(found) >= 1
    assert fault in " ".join(found)
