"""Two stored runs side by side: what changed from the first to the second, and what stayed within the margin.

Both are analysed like a variant and its baseline: matches of equal tables (by the names of bots) are paired by the
number of their deal, differences are tested with Holm's correction over the measures of one variant and number of
players. Runs of other seeds have other deals; then the pairing says nothing, and costs nothing, since deals are
exchangeable.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from arena.balance.analysis import Opened, Part, all_measures, open_run
from arena.balance.comparison import COMPARISON, claim_of_difference, comparison_rows
from arena.balance.overview import IN_LINE, OFF, UNDECIDED, mark_of
from arena.balance.samples import matched
from arena.balance.sentences import change_of, named_changes, number, records, unit_of
from arena.plan.wording import counts_text, variant_text
from arena.results.rankings import aligned
from arena.results.report import escaped, markdown
from arena.statistics.sentences import PERCENT
from engines.errors import UserError

CHANGED = {OFF: "changed", IN_LINE: "within the margin", UNDECIDED: "undecided"}
NAMED = 3  # changes that a sentence names
Row = dict[str, Any]


@dataclass(frozen=True)
class Pair:
    """A variant of each run with the same number of players.

    rows: the columns of a comparison, from the first run (`baseline`) to the second (`value`), and `outcome`.
    """

    first: str
    second: str
    players: int
    rows: pd.DataFrame

    @property
    def title(self) -> str:
        """Both in the words of their options."""
        one, other = variant_text(self.first), variant_text(self.second)
        named = one if one == other else f"{one} against {other}"
        return f"{named}, with {counts_text([self.players])}"

    @property
    def sentence(self) -> str:
        """How many measures changed, the clearest of them, and how many did not."""
        counts = self.rows.outcome.value_counts()
        changed, same, open_ = (int(counts.get(word, 0)) for word in CHANGED.values())
        named = named_changes(self.rows[self.rows.outcome == CHANGED[OFF]], NAMED)
        said = f"{changed} of {len(self.rows)} measures changed{named}"
        return f"{said}; {same} stayed within the margin, {open_} are undecided."


@dataclass(frozen=True)
class Versus:
    """Two runs and what was compared. game: its title."""

    first: Path
    second: Path
    game: str
    pairs: list[Pair]


def compare_runs(first: Path, second: Path) -> Versus:
    """Compare two stored runs.

    Raises:
        UserError: not a run, or nothing that both have: a number of players, and tables of the same bots.
    """
    one = open_run(first)
    other = open_run(second, replays=one.plan.replays)
    pairs = [compared(*parts, one) for parts in in_common(one, other)]
    found = [pair for pair in pairs if len(pair.rows)]
    if not found:
        bots = f"{', '.join(one.plan.ladder)} there, {', '.join(other.plan.ladder)} here"
        raise UserError(
            f"{second}: no matches to hold against {first}, expected the same numbers of players and bots ({bots})"
        )
    return Versus(first, second, one.parts[0].game.title, found)


def in_common(one: Opened, other: Opened) -> Iterator[tuple[Part, Part]]:
    """Parts with equal variants and players; with a number of players that share no variant, the baselines."""
    firsts, seconds = ([part for part in run.parts if not part.sample.part] for run in (one, other))
    by_key = {key_of(part): part for part in seconds}
    for players in dict.fromkeys(part.sample.group.players for part in firsts):
        own = [part for part in firsts if part.sample.group.players == players]
        same = [(part, by_key[key_of(part)]) for part in own if key_of(part) in by_key]
        there = by_key.get((other.plan.baseline, players))
        alone = [(part, there) for part in own if part.sample.label == one.plan.baseline and there]
        yield from same or alone


def key_of(part: Part) -> tuple[str, int]:
    """Variant and number of players."""
    return part.sample.label, part.sample.group.players


def compared(one: Part, other: Part, run: Opened) -> Pair:
    """The measures that both parts have, on the deals and tables that both have."""
    here, there = matched(other.sample, one.sample)
    rows: list[Row] = []
    if here.size:
        ours = all_measures(here, *other.replays.of(here.chosen), other.budgets)
        theirs = all_measures(there, *one.replays.of(there.chosen), one.budgets)
        rows = comparison_rows(here.key, ours, theirs, run.plan.margins)
    rows = [
        {**row, "outcome": CHANGED[mark]}
        for row in rows
        if (mark := mark_of(claim_of_difference(row))) in CHANGED
    ]
    frame = pd.DataFrame(rows, columns=[*COMPARISON, "outcome"])
    return Pair(one.sample.label, other.sample.label, one.sample.group.players, frame)


# --- terminal and Markdown ------------------------------------------------------------------------


def frame_of(pair: Pair) -> pd.DataFrame:
    """A pair as people read it: what changed first, then what is undecided, then what stayed."""
    order = {
        word: place for place, word in enumerate(("changed", "undecided", "within the margin"))
    }
    rows = pair.rows.assign(place=pair.rows.outcome.map(order)).sort_values(
        ["place", "p_value"], kind="stable"
    )
    listed = records(rows)
    return pd.DataFrame(
        {
            "measure": rows.measure,
            "outcome": rows.outcome,
            "first": [level(row, "baseline") for row in listed],
            "second": [level(row, "value") for row in listed],
            "difference": [change_of(row) for row in listed],
        }
    )


def level(row: Row, column: str) -> str:
    """What a run has; but for per cent without its unit, which the difference beside it names."""
    word = unit_of(row["unit"]).word
    return f"{number(row[column], row['unit'])}{word if word == PERCENT.word else ''}"


def legend(made: Versus) -> str:
    """Which run is which, and how they are compared."""
    return (
        f"First: {made.first}. Second: {made.second}. Differences are the second less the first, with intervals at the "
        "confidence at which Holm tests each; margins are those of the first run."
    )


def versus_text(made: Versus) -> str:
    """Two runs side by side for the terminal: a table for each outcome, which so needs no column in 80."""
    parts = [legend(made)]
    for pair in made.pairs:
        parts.append(f"{pair.title}\n{pair.sentence}")
        for outcome, rows in frame_of(pair).groupby("outcome", sort=False):
            parts.append(f"{outcome}:\n{aligned(rows.drop(columns='outcome'))}")
    return "\n\n".join(parts)


def title(made: Versus) -> str:
    """'Karmaka: two runs side by side'."""
    return f"{made.game}: two runs side by side"


def versus_markdown(made: Versus) -> str:
    """Two runs side by side as a page of Markdown."""
    parts = [f"# {escaped(title(made))}", "", escaped(legend(made)), ""]
    parts += [f"* **{escaped(pair.title)}**: {escaped(pair.sentence)}" for pair in made.pairs]
    for pair in made.pairs:
        parts += ["", f"## {escaped(pair.title)}", "", markdown(frame_of(pair))]
    return "\n".join(parts) + "\n"
