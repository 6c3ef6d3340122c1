"""More deals of the baseline for the questions that need the most: the order of play, and what the deal decides.

Few matches a deal tell either, while all else in an analysis costs ten matches a deal and variant. So `seat_deals`
(each bot but random ones against itself, one match each) and `pair_deals` (the two strongest against each other, in all
seatings of a deal) are runs of their own inside the run's folder, on the deals of the run and those after them.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from arena.balance.config import BalanceSpec, all_variants
from arena.balance.plan import entrant_name
from arena.balance.samples import RANDOM
from arena.plan.spec import BotEntry, TournamentSpec, parse_spec

SEATS, PAIRS = "seats", "pairs"  # in the run folder: runs of their own


def more_specs(spec: BalanceSpec) -> Iterator[tuple[str, TournamentSpec]]:
    """The folder and the tournament of each run of more deals that a config asks for."""
    seats = {entry.players: entry.seat_deals or spec.seat_deals for entry in spec.players}
    pairs = {entry.players: entry.pair_deals or spec.pair_deals for entry in spec.players}
    strongest = spec.bots[-2:]
    chosen = [entry for entry in spec.bots if entrant_name(entry) != RANDOM]
    for folder, asked, bots, schedule in (
        (SEATS, seats, chosen or spec.bots[-1:], "self_play"),
        (PAIRS, pairs if len(strongest) > 1 else {}, strongest, "round_robin"),
    ):
        found = more_spec(spec, folder, asked, bots, schedule)
        if found is not None:
            yield folder, found


def more_spec(
    spec: BalanceSpec,
    folder: str,
    asked: Mapping[int, int | None],
    bots: Sequence[BotEntry],
    schedule: str,
) -> TournamentSpec | None:
    """The tournament of some bots in the baseline; asked: deals by number of players; None where it asks for none."""
    games = [
        {"game": spec.game, "variant": dict(all_variants(spec)[0]), "opening": spec.opening}
        | {"players": players, "deals": deals}
        for players, deals in asked.items()
        if deals is not None and players > 1
    ]
    if not games:
        return None
    return parse_spec(
        {
            "name": f"{spec.name} {folder}",
            "seed": spec.seed,
            "salt": spec.salt,
            "games": games,
            "bots": [entry.model_dump() for entry in bots],
            "schedule": schedule,
            "limits": spec.limits.model_dump(),
        }
    )


def has_more(folder: Path, inner: str) -> bool:
    """Whether a run folder holds more deals: of SEATS or of PAIRS."""
    return (folder / inner / "spec.yaml").is_file()
