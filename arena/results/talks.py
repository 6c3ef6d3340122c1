"""What language models cost and how they answered, as a table; and what was said in a match, as lines."""

from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from arena.plan.identity import variant_label
from arena.results.pooling import Key
from arena.results.rankings import aligned, of_group
from arena.store.record import RunRecord
from arena.store.talks import read_talks

TALKED = "Language models: tokens and seconds of a decision, cost of a match, illegal answers"
SUMS = ("requests", "tokens_in", "tokens_out", "cost", "illegal", "fallback")
COLUMNS = (
    *("game", "variant", "players", "entrant", "matches", "decisions"),
    *("requests", "tokens_in", "tokens_out", "cost", "illegal", "fallback", "seconds"),
)


def talk_table(record: RunRecord, folders: Iterable[tuple[Path, Hashable]]) -> pd.DataFrame:
    """One row for each language model and group: all its decisions together.

    folders: of runs, each with what its deals come from; what runs of the same deals share counts once.
    seconds: the mean of a decision. illegal: answers that named no legal action. fallback: decisions that no answer
    made. cost: in the unit of the prices.
    """
    found = {
        (source, said["match"], said["player"], said["step"]): said
        for folder, source in folders
        for said in read_talks(folder)
    }
    rows = []
    for (source, *_), said in found.items():
        lineup, entrant = record.lineups.get(said["lineup"]), record.entrants.get(said["entrant"])
        if lineup is not None and entrant is not None:
            label = variant_label(lineup.variant)
            key = (lineup.game, label, lineup.players, entrant.name, (source, said["match"]))
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


def talk_text(chat: pd.DataFrame, key: Key) -> str:
    """The table of a group for the terminal; nothing if no language model played."""
    talked = talk_board(chat, key)
    return f"{TALKED}:\n{aligned(talked)}" if len(talked) else ""


def talk_board(chat: pd.DataFrame, key: Key) -> pd.DataFrame:
    """The columns people look at first, as text; tokens and seconds of a decision, cost of a match.

    chat: of `talk_table`; key: game, variant and players.
    """
    if chat.empty:
        return pd.DataFrame()
    rows = of_group(chat, key)
    each = rows["decisions"]
    return pd.DataFrame(
        {
            "bot": rows["entrant"],
            "decisions": each,
            "tokens in": (rows["tokens_in"] / each).map("{:,.0f}".format),
            "tokens out": (rows["tokens_out"] / each).map("{:,.0f}".format),
            "seconds": rows["seconds"].map("{:.2f}".format),
            "cost": (rows["cost"] / rows["matches"]).map("{:.4g}".format),
            "illegal": rows["illegal"],
            "fallbacks": rows["fallback"],
        }
    ).reset_index(drop=True)


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
