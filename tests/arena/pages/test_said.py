"""Every sentence of a published page follows from the tables beside it, and one that does not is found.

A sentence is right if each of its numbers with an interval stands in a table of its section, if the
outcome it states is the one that `claim` makes of these numbers, and if its counts are those of the
table.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from arena.balance.config import parse_balance
from arena.balance.page import IN_SHORT, page_text
from arena.balance.run import play
from arena.balance.verdict import verdict
from arena.execution.run import carry_out
from arena.results.report import board_text, make_tables
from arena.statistics.claims import claim

ROOT = Path(__file__).parents[3]
PUBLISHED = [
    page
    for page in sorted((ROOT / "results" / "leaderboards").glob("*.md"))
    if not page.name.startswith("search-")  # tests/arena/tune/test_search.py reads those
]
TOY = Path(__file__).parents[1] / "balance" / "toy"
OFF_PAR = "off par"  # stands on every page whose sentences are claims
NUMBER = r"[+-]?[\d,]*\.?\d+"
SPAN = re.compile(rf"({NUMBER})( %| pp| Elo| [a-z][a-z ]*?)? \[({NUMBER}), ({NUMBER})\]")
TOLD = re.compile(r"\* (?P<text>.*?)\.? \((?P<table>[a-z ,-]+)\)$")
DOUBT = re.compile(rf"undecided \(between ({NUMBER}) and ({NUMBER})( %| pp| Elo)(.*?)\)")
WITHIN = re.compile(rf"\(within ({NUMBER})( pp| Elo)\): ")
SLACK = {" %": 0.05, " pp": 0.05, " Elo": 0.5}  # of a number that was rounded


@dataclass
class Section:
    """What stands below one heading of second order: sentences with their table, and tables by heading."""

    title: str
    sentences: list[tuple[str, str]] = field(default_factory=list)
    tables: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)


def sections(page: str) -> list[Section]:
    """Return the sections of a page."""
    found: list[Section] = []
    name, head = "", []
    for raw in page.replace("\\", "").splitlines():
        line = raw.strip()
        if line.startswith("## "):
            found.append(Section(line[3:]))
            name, head = "", []
        elif line.startswith("### "):
            name, head = line[4:].lower(), []
        elif not found:
            continue
        elif line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if not head:
                head = [cell.strip() for cell in cells]
            elif not set(line) <= set("|-: "):
                row = dict(zip(head, cells, strict=False))
                found[-1].tables.setdefault(name, []).append(row)
        else:
            head = []
            if told := TOLD.match(line):
                found[-1].sentences.append((told["text"], told["table"]))
            elif line:
                found[-1].lines.append(line)
    return found


def number(text: str) -> float:
    """Return a number as pages write it."""
    return float(text.replace(",", ""))


def spans(text: str) -> list[tuple[float, float, float, str]]:
    """Return value, low, high and unit of each number with an interval."""
    return [(number(m[1]), number(m[3]), number(m[4]), m[2] or "") for m in SPAN.finditer(text)]


def faults(page: str) -> Iterator[str]:
    """Return what the sentences of a page say that its tables do not."""
    parts = sections(page)
    for part in parts:
        for text, name in part.sentences:
            rows = part.tables.get(name, [])
            if part.title == IN_SHORT:  # for the whole page, from tables of all parts
                rows = [
                    r
                    for one in parts
                    for each in name.split(", ")
                    for r in one.tables.get(each, [])
                ]
            for fault in (*unbacked(text, name, rows), *wrong(text), *miscounted(text, name, rows)):
                yield f"{part.title}: {text!r}: {fault}"
        for fault in misordered(part):
            yield f"{part.title}: {fault}"


def unbacked(text: str, name: str, rows: list[dict[str, str]]) -> Iterator[str]:
    """Numbers of a sentence that stand in no cell of its table."""
    if name in ("samples", "self-check"):
        return
    known = {span[:3] for row in rows for cell in row.values() for span in spans(cell)}
    for value, low, high, _ in spans(text):
        moved = (value - 50, low - 50, high - 50) if "par 50.0" in text else None
        par = re.search(r"par ([\d.]+) %", text)
        if par:
            moved = tuple(each - float(par[1]) for each in (value, low, high))
        if (value, low, high) in known:
            continue
        if moved and any(
            all(math.isclose(a, b, abs_tol=0.11) for a, b in zip(moved, one, strict=True))
            for one in known
        ):
            continue
        yield f"no table has {value} [{low}, {high}]"
    for found in DOUBT.finditer(text):
        low, high = number(found[1]), number(found[2])
        par = re.search(r"par ([\d.]+) %", text)
        shift = float(par[1]) if par else 0.0
        if not any(
            math.isclose(low - shift, one[1], abs_tol=0.11)
            and math.isclose(high - shift, one[2], abs_tol=0.11)
            for one in known
        ):
            yield f"no table has an interval from {low} to {high}"


def wrong(text: str) -> Iterator[str]:
    """Outcomes that the numbers of the sentence do not allow."""
    reference = 0.0
    if "stronger" in text and "of wins" in text:
        reference = 50.0
    if par := re.search(r"par ([\d.]+) %", text):
        reference = float(par[1])
    if found := DOUBT.search(text):
        low, high, slack = number(found[1]), number(found[2]), SLACK[found[3]]
        if low > reference + slack or high < reference - slack:
            yield f"undecided, but {reference} lies outside"
    elif found := WITHIN.search(text):
        margin, slack = number(found[1]), SLACK[found[2]]
        value, low, high, _ = spans(text[found.start() :])[0]
        made = claim(
            value,
            (low, high),
            deals=1000,
            method="",
            reference=reference,
            margin=margin + 2 * slack,
        )
        if made.outcome == "undecided":
            yield f"[{low}, {high}] does not lie within {margin}"
    elif re.search(r" (matters|is stronger than|leads|adds|does (better|worse))\b", text):
        kinds = [each for each in spans(text) if each[3] in SLACK]
        if kinds:
            _, low, high, unit = kinds[0]
            if low < reference - SLACK[unit] and high > reference + SLACK[unit]:
                yield f"{reference} lies inside [{low}, {high}]"


def miscounted(text: str, name: str, rows: list[dict[str, str]]) -> Iterator[str]:
    """Counts of a sentence that are not those of the verdicts of its table, and verdicts beside their interval."""
    if name == "comparison":
        said = re.search(
            r"(\d+) of (\d+) measures differs? .*; (\d+) (?:is|are) equivalent within the margins, (\d+) undecided",
            text,
        )
        kinds = [row["verdict"] for row in rows if row["difference"]]
        seen = [
            kinds.count("differs"),
            len(kinds),
            kinds.count("equivalent"),
            kinds.count("undecided"),
        ]
        if not said or [int(each) for each in said.groups()] != seen:
            yield f"the table has {seen}"
        yield from verdicts(rows, "difference")
    elif name in ("usage", "setup"):
        flagged = int((re.match(r"(\d+) of", text) or [0, 0])[1])
        own = [
            row for row in rows if row.get("family") == "card" or row.get("outcome") == "win share"
        ]
        if sum(row["verdict"] in ("over", "under") for row in own) != flagged:
            yield "the table has another number out of line"
        yield from verdicts(rows, "difference" if name == "usage" else "effect")


def verdicts(rows: list[dict[str, str]], column: str) -> Iterator[str]:
    """Verdicts that the interval beside them does not allow."""
    for row in rows:
        for value, low, high, _ in spans(row[column])[:1]:
            slack = 0.5 * 10.0 ** -len(str(value).partition(".")[2])
            sure = row["verdict"] in ("differs", "over", "under")
            if sure and low < -slack and high > slack:
                yield f"{row['verdict']}, but 0 lies inside [{low}, {high}]"
            if row["verdict"] == "undecided" and (low > slack or high < -slack):
                yield f"undecided, but 0 lies outside [{low}, {high}]"


def misordered(part: Section) -> Iterator[str]:
    """What a board says of the order of play that its win shares do not."""
    text = next((line for line in part.lines if line.startswith("Wins by order of play")), "")
    said = next((line for line in part.lines if "rder of play " in line and "off par" in line), "")
    shares = [float(each) for each in re.findall(r"\d+\. ([\d.]+) %", text)]
    if not text or not said:
        return
    yield from (f"{said!r}: {fault}" for fault in wrong(said))
    if found := spans(said):
        par = 100 / len(shares)
        off = math.sqrt(sum((share - par) ** 2 for share in shares) / len(shares))
        if abs(off - found[0][0]) > 0.11:
            yield f"{said!r}: the shares lie {off:.1f} pp off par"


# --- the pages ------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", PUBLISHED, ids=lambda file: file.stem)
def test_published_pages_say_what_their_tables_say(file):
    page = file.read_text(encoding="utf-8")
    if OFF_PAR not in page:
        pytest.skip("published before sentences were claims: to be published anew")
    assert list(faults(page)) == []


@pytest.fixture(
    scope="module",
    params=[
        ([{"bonus": 1}], 25),
        pytest.param(([{"bonus": 1}, {"ace": -9}], 30), marks=pytest.mark.full),
    ],
    ids=["one variant", "two"],
)
def balance_page(request, tmp_path_factory):
    spec = parse_balance(
        {
            "name": "toy",
            "game": str(TOY),
            "players": [2],
            "bots": ["random", "greedy"],
            "variants": request.param[0],
            "baseline": {"luck": 5, "rounds": 2},
            "intervene": {"subjects": ["ace", "two"], "deals": 20},
            "deals": 60,
            "seed": 7,
        }
    )
    _, balance = play(spec, tmp_path_factory.mktemp("said"), workers=0, progress=False)
    return page_text(balance, verdict(balance)), request.param[1]


def test_a_balance_page_says_what_its_tables_say(balance_page):
    page, least = balance_page
    assert sum(len(part.sentences) for part in sections(page)) > least
    assert list(faults(page)) == []


@pytest.mark.parametrize("deals", [6, 30])
def test_a_board_says_what_its_tables_say(tournament, tmp_path, deals):
    run = tmp_path / "run"
    carry_out(tournament(bots=["random", "greedy"], deals=deals), run, workers=0, progress=False)
    board = board_text(make_tables(run))
    assert "rder of play" in board.replace("Wins by order of play", "")
    assert ("too few deals" in board) == (deals < 10)
    assert list(faults(board)) == []


@pytest.mark.parametrize(
    ("sentence", "table", "row", "fault"),
    [
        (
            "The order of play matters: 1.0 pp [-0.9, 2.9] off par",
            "seats",
            {"off par": "1.0 pp [-0.9, 2.9]"},
            "inside",
        ),
        (
            "Player 1 wins 41.7 % [37.1, 46.4] against itself",
            "seats",
            {"wins": "41.8 % [37.1, 46.4]"},
            "no table",
        ),
        (
            "a is stronger than b: 52.0 % [48.0, 56.0] of wins",
            "ladder",
            {"x": "52.0 % [48.0, 56.0]"},
            "inside",
        ),
        (
            "Whether a or b is stronger: undecided (between 51.0 and 56.0 % of wins)",
            "ladder",
            {"x": "53.0 % [51.0, 56.0]"},
            "outside",
        ),
        (
            "Against the baseline, 1 of 1 measures differ (Holm, 5 %): turns +0.1 [-0.1, 0.3]; 0 are equivalent"
            " within the margins, 0 undecided",
            "comparison",
            {"difference": "+0.1 turns [-0.1, 0.3]", "verdict": "differs"},
            "inside",
        ),
    ],
)
def test_sentences_that_do_not_follow_are_found(sentence, table, row, fault):
    head, cells = " | ".join(row), " | ".join(row.values())
    page = f"## g\n\n* {sentence}. ({table})\n\n### {table.capitalize()}\n\n| {head} |\n| --- |\n| {cells} |\n"
    found = list(faults(page))
    assert len(found) >= 1
    assert fault in found[-1]
