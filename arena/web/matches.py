"""The matches of a run: those that are looked for as a page, and which come before and after one of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from html import escape
from typing import Any
from urllib.parse import urlencode

import numpy as np

from arena.pages.html import foldable
from arena.results import listings
from arena.results.groups import Results
from arena.results.telling import upsets
from arena.web.boards import choice
from arena.web.shell import page

FIGURES = ("players", "deal", "turns")
MOST_LISTED = 200  # matches on a page
UPSET = "upset"
ABOUT_UPSETS = (
    "an upset: won over a bot that wins at least 20 percentage points more of its matches"
)

Row = dict[str, Any]


@dataclass(frozen=True)
class Wanted:
    """Which matches are looked for; an empty field asks for nothing. result: UPSET."""

    game: str = ""
    variant: str = ""
    players: str = ""
    bot: str = ""
    opponent: str = ""
    winner: str = ""
    ending: str = ""
    result: str = ""

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "Wanted":
        """From the fields of an address; other fields mean nothing."""
        return cls(*(asked.get(field.name, "")[:300] for field in fields(cls)))

    def among(self, rows: Sequence[Row]) -> Iterator[Row]:
        """The rows that fit; where bot and opponent are one, it met itself."""
        both = [name for name in (self.bot, self.opponent) if name]
        plain = {n: v for n in ("game", "variant", "players") if (v := getattr(self, n))}
        for row in rows:
            names = row["names"]
            if (
                all(names.count(name) >= both.count(name) for name in both)
                and all(str(row[name]) == value for name, value in plain.items())
                and (not self.winner or self.winner in row["first"])
                and (not self.ending or self.ending in endings(row))
                and (self.result != UPSET or row["upset"])
            ):
                yield row

    @property
    def text(self) -> str:
        """What is looked for, in words."""
        return ", ".join(f"{name} {value}" for name, value in asdict(self).items() if value)

    @property
    def query(self) -> str:
        """As the end of an address."""
        said = urlencode({name: value for name, value in asdict(self).items() if value})
        return f"?{said}" if said else ""


def endings(row: Row) -> tuple[str, str]:
    """How a match ended, in the referee's word and in the rules'."""
    return row["ending"], row["reason"].replace("_", " ")


def rows_of(results: Results) -> list[Row]:
    """The matches of a run, of a large one those of its sample; names and first as lists, whether it is an upset."""
    results = results.sample
    matches = listings.matches(results)
    if matches.empty:
        return []
    seats = listings.seats(results)
    found = upsets(results)
    starts = np.flatnonzero(seats["seat"].to_numpy() == 0)
    ids = seats["match_id"].to_numpy()[starts]
    names = np.split(seats["entrant"].to_numpy(), starts[1:])
    firsts = np.split(seats["rank"].to_numpy() == 1, starts[1:])
    by_match = {
        one: (list(own), list(own[first]))
        for one, own, first in zip(ids, names, firsts, strict=True)
    }
    kept = ["match_id", "game", "variant", "players", "deal", "ending", "reason", "turns", "fault"]
    rows = [
        {str(name): value for name, value in row.items()}
        for row in matches[kept].to_dict("records")
    ]
    for row in rows:
        row["names"], row["first"] = by_match[row["match_id"]]
        row["upset"] = row["match_id"] in found
    return rows


def matches_page(name: str, rows: Sequence[Row], wanted: Wanted, sampled: str = "") -> str:
    """The matches that fit, with a form to look for others. sampled: of how many the rows are, if not of all."""
    bots = sorted({bot for row in rows for bot in row["names"]})
    choices = {
        **{key: sorted({str(row[key]) for row in rows}) for key in ("game", "variant", "players")},
        **dict.fromkeys(("bot", "opponent", "winner"), bots),
        "ending": sorted({ending for row in rows for ending in endings(row)}),
        "result": [UPSET],
    }
    form = "".join(
        choice(field, values, getattr(wanted, field))
        for field, values in choices.items()
        if len(values) > 1 or getattr(wanted, field) or field == "result"
    )
    found = list(wanted.among(rows))
    heads = ("match", "game", "players", "deal", "seats", "first", "ending", "turns", "fault")
    lines = "".join(match_row(row, wanted) for row in found[:MOST_LISTED])
    top = "".join(
        f'<th scope="col" class="{"" if head in FIGURES else "word "}head">{head}</th>'
        for head in heads
    )
    shown = f"{len(found):,} match{'es' * (len(found) != 1)}" + (
        f", the first {MOST_LISTED}" if len(found) > MOST_LISTED else ""
    )
    if sampled:
        shown = f"{shown}; looked for among those {sampled} (arena matches looks at all)"
    body = (
        f'<p><a href="./">Live</a> <a href="report.html">Report</a></p>'
        f'<form method="get" class="filter">{form}<button>Look</button></form>'
        f'<p class="note">{ABOUT_UPSETS}</p>'
        f'<div class="scroll" tabindex="0" role="group" aria-label="Matches"><table><caption>{shown}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>"
    )
    return page(f"{name}: matches", body)


def match_row(row: Row, wanted: Wanted) -> str:
    """A match in the list."""
    link = escape(f"replays/{row['match_id']}.html{wanted.query}", quote=True)
    ending, reason = endings(row)
    told = reason if ending == "finished" else ending
    facts = (row["game"], row["players"], row["deal"], ", ".join(row["names"]))
    cells = (
        *facts,
        ", ".join(row["first"]) + (" (upset)" if row["upset"] else ""),
        *(told, row["turns"], row["fault"]),
    )
    words = "".join(
        f"<td>{cell}</td>"
        if isinstance(cell, int)
        else f'<td class="word">{foldable(str(cell))}</td>'
        for cell in cells
    )
    return f'<tr><th scope="row" class="word"><a href="{link}">{escape(row["match_id"])}</a></th>{words}</tr>'


def beside(rows: Sequence[Row], wanted: Wanted, match: str) -> list[tuple[str, str]]:
    """Links to the matches before and after one, among those that fit."""
    ids = [row["match_id"] for row in wanted.among(rows)]
    if match not in ids:
        return [("/", "Runs"), (f"../matches.html{wanted.query}", "Matches")]
    at, looked = ids.index(match), f" ({wanted.text})" if wanted.text else ""
    told = f"Match {at + 1:,} of {len(ids):,}{looked}"
    links = [("/", "Runs"), (f"../matches.html{wanted.query}", told)]
    if at > 0:
        links.append((f"{ids[at - 1]}.html{wanted.query}", "Previous"))
    if at + 1 < len(ids):
        links.append((f"{ids[at + 1]}.html{wanted.query}", "Next"))
    return links
