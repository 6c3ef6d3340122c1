"""More deals for the one question that needs the most: what the order of play is worth to the strongest bot.

One match a deal tells it, of one bot against itself, while all else in an analysis costs ten matches a deal and
variant. So `seat_deals` of a config are a run of their own inside the run's folder, of these matches alone.
"""

from pathlib import Path

from arena.balance.config import BalanceSpec, all_variants
from arena.plan.spec import TournamentSpec, parse_spec

FOLDER = "seats"  # in the run folder: a run of its own


def seat_spec(spec: BalanceSpec) -> TournamentSpec | None:
    """The tournament of the strongest bot against itself in the baseline; None where nothing asks for one."""
    asked = {entry.players: entry.seat_deals or spec.seat_deals for entry in spec.players}
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
            "name": f"{spec.name} seats",
            "seed": spec.seed,
            "salt": spec.salt,
            "games": games,
            "bots": [spec.bots[-1].model_dump()],
            "schedule": "self_play",
            "limits": spec.limits.model_dump(),
        }
    )


def has_seat_deals(folder: Path) -> bool:
    """Whether a run folder holds more deals for seats."""
    return (folder / FOLDER / "spec.yaml").is_file()
