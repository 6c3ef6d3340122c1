"""What language models cost and how they answered, as a table; and what was said in a match, as lines."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from arena.plan.identity import variant_label
from arena.results.rankings import records
from arena.store.record import RunRecord
from arena.store.talks import read_talks

SUMS = ("requests", "tokens_in", "tokens_out", "cost", "illegal", "fallback")
COLUMNS = (
    *("game", "variant", "players", "entrant", "matches", "decisions"),
    *("requests", "tokens_in", "tokens_out", "cost", "illegal", "fallback", "seconds"),
)


def talk_table(folder: Path, record: RunRecord) -> pd.DataFrame:
    """One row for each language model and group: all its decisions together.

    seconds: the mean of a decision. illegal: answers that named no legal action. fallback: decisions that no answer
    made. cost: in the unit of the prices.
    """
    rows = []
    for said in read_talks(folder):
        lineup, entrant = record.lineups.get(said["lineup"]), record.entrants.get(said["entrant"])
        if lineup is not None and entrant is not None:
            label = variant_label(lineup.variant)
            key = (lineup.game, label, lineup.players, entrant.name, said["match"])
            rows.append([*key, *(said[name] for name in (*SUMS, "seconds"))])
    names = ["game", "variant", "players", "entrant", "match", *SUMS, "seconds"]
    frame = pd.DataFrame(rows, columns=names)
    if frame.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    groups = frame.groupby(["game", "variant", "players", "entrant"], sort=True)
    table = groups[list(SUMS)].sum()
    table["matches"], table["decisions"] = groups["match"].nunique(), groups.size()
    table["seconds"] = groups["seconds"].mean()
    return table.reset_index()[list(COLUMNS)]


def talk_notes(rows: pd.DataFrame) -> Iterator[str]:
    """A line for each language model of a group."""
    for row in records(rows):
        each = row["decisions"]
        yield (
            f"{row['entrant']}: {row['tokens_in'] / each:,.0f} tokens in and {row['tokens_out'] / each:,.0f} out a "
            f"decision, {row['seconds']:.2f} s, cost {row['cost'] / row['matches']:.4g} a match; "
            f"{row['illegal']} illegal answers and {row['fallback']} fallbacks in {each} decisions"
        )


def talks_of(folder: Path, match_id: str) -> dict[tuple[int, int], dict[str, Any]]:
    """What was said in a match, by step and player."""
    return {(said["step"], said["player"]): said for said in read_talks(folder, match_id)}


def talk_lines(said: dict[str, Any]) -> str:
    """What was said about a decision, indented."""
    lines = []
    if said.get("system"):
        lines += ["      told before:", *indented(said["system"])]
    for one in said["messages"]:
        lines += [f"      {'asked' if one['role'] == 'user' else 'answer'}:"]
        lines += indented(one["content"])
    lines += [
        f"      {said['tokens_in']} tokens in, {said['tokens_out']} out, {said['seconds']:.2f} s"
        + (f"; {said['problem']}" if said["problem"] else "")
        + ("; fallback" if said["fallback"] else "")
    ]
    return "\n".join(lines)


def indented(text: str) -> list[str]:
    """The lines of a text, behind a bar."""
    return [f"      | {line}" for line in text.splitlines()]
