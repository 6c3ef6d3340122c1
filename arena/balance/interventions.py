"""What a card, tool or option is worth, by experiment: one side may not use it, in every seat in turn.

The masked bot (`without.Without`) meets the bot itself on every deal in all seatings, so that its win share is par if
the thing is worth nothing: what it lacks is caused by the ban. What it does not show: the value to a bot that plans
without the thing (a masked search still hopes for it, so losses are upper bounds), nor what its removal from the game
would do to everybody (that is a variant).
"""

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arena.balance.config import FLAGGED, BalanceSpec, all_variants
from arena.balance.inference import Ends, Statistic, bounds, touching
from arena.balance.replays import Moves
from arena.balance.samples import Sample
from arena.balance.usage import SUBJECT, names_of, seats_of, use_counts
from arena.balance.without import ENTRANT, actions_using
from arena.plan.spec import BotEntry, TournamentSpec, parse_spec
from arena.plan.tournament import Defaults, make_entrant
from arena.statistics.claims import POINTS_GAP, claim
from arena.statistics.families import holm
from arena.statistics.shares import elo_of_score
from bots.registry import find_kind, split_options
from engines.core import Game, load_game
from engines.errors import UserError, nearest

FOLDER = "intervene"  # in the run folder: a run of its own
INTERVENTIONS = (
    *("game", "variant", "players", "subject", "bot", "matches", "deals", "win_share", "par"),
    *("effect", "effect_low", "effect_high", "elo", "p_value", "holm_p", "family_low"),
    *("family_high", "used_by_others", "verdict"),
)


def intervention_spec(
    spec: BalanceSpec, usage: pd.DataFrame | None, defaults: Defaults | None = None
) -> TournamentSpec | None:
    """The tournament of the interventions; None where there is nothing to forbid.

    usage: the table of usage, of which `flagged` takes the baseline's; None before there is one.
    defaults: the options that kinds of bots have in the game.

    Raises:
        UserError: an unknown bot or subject.
    """
    plan = spec.intervene
    if plan is None:
        return None
    player = player_of(spec)
    name = make_entrant(player, "bots").name
    subjects = chosen_subjects(spec, usage)
    if not subjects:
        return None
    masked = [
        {
            "name": masked_name(name, subject),
            "bot": ENTRANT,
            "parameters": {"of": full_text(player, defaults or {}), "subjects": [subject]},
        }
        for subject in subjects
    ]
    kind, _ = find_kind(player.bot)
    table = {"game": spec.game, "variant": dict(all_variants(spec)[0]), "opening": spec.opening}
    deals = [plan.deals or entry.deals or spec.deals for entry in spec.players]
    return parse_spec(
        {
            "name": f"{spec.name} interventions",
            "seed": spec.seed,
            "salt": spec.salt,
            "games": [
                {**table, "players": entry.players, "deals": count}
                for entry, count in zip(spec.players, deals, strict=True)
                if entry.players > 1
            ],
            "bots": [{**player.model_dump(), "name": name}, *masked],
            "schedule": "gauntlet",
            "focus": [entry["name"] for entry in masked],
            "limits": spec.limits.model_dump(),
            # a compiled bot behind the mask is no stranger: it needs no process of its own
            "isolation": "none" if kind.compiled and not kind.file else None,
        }
    )


def masked_name(bot: str, subject: str) -> str:
    """What the masked bot is called."""
    return f"{bot} without {subject}"


def player_of(spec: BalanceSpec) -> BotEntry:
    """The bot that plays the interventions."""
    wanted = spec.intervene.bot if spec.intervene else None
    names = [make_entrant(entry, f"bots[{i}]").name for i, entry in enumerate(spec.bots)]
    if wanted is None:
        return spec.bots[-1]
    if wanted not in names:
        hint = nearest(wanted, names) or f", known are {', '.join(names)}"
        raise UserError(f"intervene.bot: {wanted!r}, no bot has this name{hint}")
    return spec.bots[names.index(wanted)]


def full_text(entry: BotEntry, defaults: Defaults) -> str:
    """A bot with its parameters as one text, those that are the game's among them."""
    kind, options = find_kind(entry.bot)
    named = {*entry.parameters, *split_options(options, entry.bot)}
    own = {key: value for key, value in defaults.get(kind.name, {}).items() if key not in named}
    given = ",".join(f"{key}={value}" for key, value in {**entry.parameters, **own}.items())
    return f"{entry.bot}{',' if ':' in entry.bot and given else ':' if given else ''}{given}"


def chosen_subjects(spec: BalanceSpec, usage: pd.DataFrame | None) -> list[str]:
    """The subjects to forbid: those named, and the baseline's clearest flags."""
    plan = spec.intervene
    assert plan is not None
    named = [name for name in plan.subjects if name != FLAGGED]
    actions_using(load_game(spec.game), named)  # refuses unknown names
    if FLAGGED in plan.subjects and usage is not None and len(usage):
        flagged = (usage.family == SUBJECT) & usage.verdict.isin(["over", "under"])
        rows = usage[
            flagged & (usage.variant == usage.variant.iloc[0])
        ]  # the baseline stands first
        best = rows.sort_values("p_value")["subject"].drop_duplicates()
        named += [name for name in best.head(plan.most) if name not in named]
    return named


# --- what came of it ------------------------------------------------------------------------------


def intervention_rows(sample: Sample, game: Game, moves: Moves) -> list[dict[str, Any]]:
    """One row for each masked bot at one number of players, Holm over all of them.

    effect: its win share less par, negative where the ban costs it something. p_value: where its interval ends at par;
    family_low, family_high: the interval at the confidence at which Holm tests it. used_by_others: the share of other
    seats that used the subject.
    """
    names = sample.group.names
    rows = []
    for entrant, name in enumerate(names):
        bot, _, subject = name.partition(" without ")
        here = sample.kept((sample.entrants == entrant).any(axis=1))
        if subject and here.size:
            rows.append(
                effect_row(here, entrant, bot, subject, used(here, entrant, subject, game, moves))
            )
    tested = [row for row in rows if not np.isnan(row["p_value"])]
    adjusted, confidences = holm([row["p_value"] for row in tested])
    for row in rows:
        row["holm_p"], row["family_low"], row["family_high"] = np.nan, np.nan, np.nan
        row["verdict"] = "too few deals"
    for row, p, confidence in zip(tested, adjusted, confidences, strict=True):
        ends = row["ends"](confidence)
        row["holm_p"], (row["family_low"], row["family_high"]) = float(p), ends
        row["verdict"] = worth(row["effect"], ends, row["deals"])
    for row in rows:
        del row["ends"]
    return rows


def worth(effect: float, ends: Ends, deals: int) -> str:
    """What the effect of a ban says about what is banned."""
    made = claim(effect, ends, deals=deals, method="share by deals", margin=POINTS_GAP)
    if made.outcome != "differs":
        return made.outcome
    return "better left alone" if made.above else "worth having"


def effect_row(
    sample: Sample, entrant: int, bot: str, subject: str, used_by_others: float
) -> dict[str, Any]:
    """What the ban does to the side it strikes."""
    par = 1 / sample.sides
    banned = (sample.shares * (sample.entrants == entrant)).sum(axis=1)
    own = sample.statistic((banned, np.ones(sample.size)), share=True)
    share = own.estimate
    ends = functools.partial(ends_about, own, par)
    low, high = ends(0.95)
    score = share / (share + (1 - share) / (sample.sides - 1)) if share > 0 else 0.0
    return {
        **sample.key,
        "subject": subject,
        "bot": bot,
        "matches": sample.size,
        "deals": own.deals,
        "win_share": share,
        "par": par,
        "effect": share - par,
        "effect_low": low,
        "effect_high": high,
        "elo": float(elo_of_score(score)),
        "p_value": np.nan if np.isnan(low) else touching(ends, share - par),
        "ends": ends,
        "used_by_others": used_by_others,
    }


def ends_about(own: Statistic, par: float, confidence: float) -> Ends:
    """The interval of a share less par."""
    low, high = bounds(own, confidence)
    return low - par, high - par


def used(sample: Sample, entrant: int, subject: str, game: Game, moves: Moves) -> float:
    """The share of seats of the bots without a ban that used the subject."""
    seats = seats_of(sample)
    column = names_of(game).index((SUBJECT, subject))
    counts = use_counts(sample, seats, game, moves)[:, column] > 0
    free = sample.group.sides[seats.match, seats.player] != entrant
    return float(counts[free].mean()) if free.any() else np.nan


def has_interventions(folder: Path) -> bool:
    """Whether a run folder holds interventions."""
    return (folder / FOLDER / "spec.yaml").is_file()
