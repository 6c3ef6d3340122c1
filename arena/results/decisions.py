"""What a run has decided about the order of its bots, and what not, in words."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from arena.results.claims import lead_claim, lead_text
from arena.results.rankings import rankings, records
from arena.results.report import Tables, group_keys, heading, of_group

MOST_OPEN = 6  # pairs that are named


def decided_lines(made: Tables) -> Iterator[str]:
    """For each group the order of the bots, and which neighbours in it are told apart at 95 %."""
    for key in group_keys(made.standings):
        found = of_group(made.pairs, key)
        differences = {(row["entrant"], row["opponent"]): row for row in records(found)}
        for _, rows in rankings(of_group(made.standings, key)):
            order = list(rows.entrant)
            neighbours = [differences[pair] for pair in pairwise(order) if pair in differences]
            if neighbours:
                yield f"{heading(key)}: {order_text(order, neighbours)}"


def order_text(order: list[str], neighbours: list[dict[str, Any]]) -> str:
    """'a > b ? c: 1 of 2 neighbours decided (95 % each); whether b or c is stronger: undecided (...)'."""
    made = [lead_claim(row) for row in neighbours]
    decided = [one.outcome == "differs" and one.above for one in made]
    signs = [" > " if sure else " ? " for sure in decided]
    told = order[0] + "".join(
        sign + name for sign, name in zip([*signs, ""], order[1:], strict=False)
    )
    text = f"{told}: {sum(decided)} of {len(decided)} neighbours decided (95 % each)"
    still = [row for row, sure in zip(neighbours, decided, strict=True) if not sure]
    parts = [text, *(lead_text(row) for row in still[:MOST_OPEN])]
    return "; ".join(parts) + (
        f" and {len(still) - MOST_OPEN} more" if len(still) > MOST_OPEN else ""
    )
