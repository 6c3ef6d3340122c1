"""What a search found, for the terminal, as CSV and as a Markdown page to publish; all lead with the answer."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from arena.balance.page import IN_SHORT
from arena.plan.wording import counts_text
from arena.results.cells import write_table
from arena.results.report import escaped, markdown
from arena.store.files import write_text
from arena.store.record import RunRecord, load_spec
from arena.tune.variants.advice import (
    MET,
    Recommended,
    answer,
    missing,
    recommended,
    sentences,
    tried_count,
    undecided,
    variant_words,
)
from arena.tune.variants.effects import Effect, effects
from arena.tune.variants.search import CONFIRM, Found
from arena.tune.variants.tables import (
    MOST_TRIALS,
    confirmed_frame,
    effects_frame,
    front_frame,
    moving,
    trials_frame,
)

CONFIRMED, FRONT = "Confirmed on fresh deals", "What can be had"
EFFECTS, TRIALS = "Which option moves what", "All variants tried"
NOTES = {
    CONFIRMED: "The best few of the search and the printed rules, on deals that were never used before. An interval "
    "is that of the confidence at which Holm's test over all numbers of this table decides: met lies within the aim, "
    "missed beside it.",
    FRONT: "The variants of the last rung of which no other is as near to every target and to the printed rules, and "
    "nearer to one, with 95 % intervals. They were chosen by such numbers, so they look better than they are: the "
    "table above is what counts.",
    EFFECTS: "What a change of one option adds on average over all variants of the first rung, as its bots play: by "
    "least squares, with the spread by deals or by variants, whichever is larger; Benjamini-Hochberg over all of them.",
    TRIALS: "By the bots of the first rung, the nearest to the targets first; off in all: the sum over the targets, in "
    "margins.",
}


@dataclass(frozen=True)
class Sought:
    """A search with what may be said of it, each part made once."""

    found: Found

    @cached_property
    def recommended(self) -> tuple[Recommended, ...]:
        """The confirmed variants, the best first."""
        return recommended(self.found)

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """What options do to measures, by the first rung."""
        return effects(self.found.wanted, self.found.steps[0])

    @cached_property
    def record(self) -> RunRecord:
        """The record of the confirmation."""
        return load_spec(self.found.folder / CONFIRM)

    @cached_property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables of a page by their headings."""
        last = self.found.steps[-1]
        return {
            CONFIRMED: confirmed_frame(self.found, self.recommended),
            FRONT: front_frame(self.found, last),
            EFFECTS: effects_frame(self.effects),
            TRIALS: trials_frame(self.found, MOST_TRIALS),
        }

    @property
    def title(self) -> str:
        """'Nakum: which rules meet the targets?'."""
        return f"{self.found.wanted.game.title}: which rules meet the targets?"


def lead(sought: Sought) -> list[str]:
    """The answer, then what else is recommended, how the printed rules do, and which options matter."""
    found, made = sought.found, sought.recommended
    return [answer(found, made), *others(found, made), *moved(sought)]


def others(found: Found, made: tuple[Recommended, ...]) -> Iterator[str]:
    """What stands behind the answer: each confirmed variant in one sentence."""
    for one in made:
        name = variant_words(found, one.tried)
        name = name[0].upper() + name[1:]
        if one.standing == MET:
            facts = "; ".join(text.rstrip(".") for text in sentences(found, one))
            yield f"{name} ({changes_text(one)}): {facts}."
        elif one.printed:
            lost = missing(found, one) if one.standing == "missed" else undecided(found, one)
            yield f"{name}: {lost}."


def changes_text(one: Recommended) -> str:
    """'1 option changed'."""
    count = one.tried.near[0]
    return f"{count} option{'s' * (count != 1)} changed"


def moved(sought: Sought) -> Iterator[str]:
    """Which option moves each measure most."""
    clauses = list(moving(sought.effects))
    if clauses:
        yield f"Each number is moved most: {'; '.join(clauses)}."


def summary(sought: Sought) -> str:
    """What there is to say on the terminal."""
    folder = sought.found.folder
    pages = f"tables: {folder}/search_*.csv, pages: {folder}/search.md and .html"
    return "\n".join([*lead(sought), "", pages])


FILES = {CONFIRMED: "confirmed", FRONT: "front", EFFECTS: "effects", TRIALS: "trials"}


def write_search(sought: Sought) -> None:
    """Write one CSV for each table and `search.md` into the folder of the search."""
    folder: Path = sought.found.folder
    tables = {**sought.tables, TRIALS: trials_frame(sought.found)}
    for heading, name in FILES.items():
        write_table(folder / f"search_{name}.csv", tables[heading])
    write_text(folder / "search.md", page_text(sought))


def page_text(sought: Sought) -> str:
    """The page as Markdown."""
    parts = [f"# {escaped(sought.title)}", "", f"## {IN_SHORT}", ""]
    parts += [f"* {escaped(text)}" for text in lead(sought)]
    for heading, frame in sought.tables.items():
        if len(frame):
            parts += ["", f"## {heading}", "", NOTES[heading], "", markdown(frame)]
            parts += left_out(sought, heading)
    return "\n".join([*parts, "", *provenance(sought)]).rstrip() + "\n"


def left_out(sought: Sought, heading: str) -> list[str]:
    """What a table of the page does not show."""
    more = tried_count(sought.found) - MOST_TRIALS
    return ["", f"{more} more in search_trials.csv."] if heading == TRIALS and more > 0 else []


def provenance(sought: Sought) -> Iterator[str]:
    """How the page was made, so that anybody can make it again."""
    found, record = sought.found, sought.record
    spec = found.wanted.spec
    rules = ", ".join(f"{name} `{game.rules}`" for name, game in record.games.items())
    margins = spec.margins
    yield from ("---", "")
    yield (
        f"Made by tabletop-arena {record.version}: `arena balance {spec.name} --search` "
        f"(seed {spec.seed}), {found.matches:,} matches; {counts_text(spec.players, last='and')}; "
        f"{escaped(steps_text(found))}."
    )
    yield ""
    yield (
        "Seats, length and draws are of the strongest bot against itself. Trials are asked by Optuna's sampler, an "
        "objective for each target: how far its measure is off the range, in margins "
        f"({100 * margins.share:g} percentage points of shares, {margins.elo:g} Elo, {100 * margins.relative:g} % of "
        "all else). The deals of each rung are its own, and all its variants play them. Intervals are by deals."
    )
    yield from ("", f"Rules: {rules}.")


def steps_text(found: Found) -> str:
    """What was played by whom, from cheap to dear."""
    texts = []
    for number, step in enumerate((*found.steps, found.confirmed), 1):
        name = "confirmation" if step is found.confirmed else f"rung {number}"
        bots = ", ".join(entry.name or entry.bot for entry in step.rung.bots)
        texts.append(f"{name}: {len(step.tried)} variants, {step.rung.deals} deals, {bots}")
    return "; ".join(texts)
