"""`arena tune --evaluate GAME`: weights of a heuristic, fitted to what searches did, then tried in play.

Four steps, each in the folder of the fit, so that the same command goes on where it stopped: matches of a search with
itself from random openings (`games/`, or those of a run that is named), a regression on positions and decisions of four
deals in five, play of the fitted weights and of mixtures with today's against today's on common deals (`play/`), and of
the best of these on fresh deals (`confirm/`), from which the claim is made.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from arena.execution.run import carry_out
from arena.plan.spec import TournamentSpec, parse_spec
from arena.plan.tournament import resolve
from arena.statistics.choice_model import Floats
from arena.statistics.claims import POINTS_GAP, Claim, claim
from arena.statistics.shares import shares_by_deal
from arena.store.files import write_text
from arena.store.run_folder import load_spec, read_matches
from arena.tune.fitting import Fit, fit
from arena.tune.pasting import rounded
from arena.tune.positions import read_lesson
from arena.tune.weighted import ENTRANT, weights_text
from engines.core import Game, Option, load_game
from engines.errors import UserError
from engines.rng import mix
from engines.texts import brief
from engines.weights import declared

PLAN, FIT = "evaluate.json", "fit.json"
GAMES, PLAY, CONFIRM = "games", "play", "confirm"  # runs
TODAY = "today"
MIXTURES = (1.0, 0.5, 0.25)  # how far candidates go from today's weights to the fitted ones
TESTED = 5  # every so many deals are kept to compare the weights on
EACH = 20  # positions of a match
DECISIONS = 10  # and decisions
PLAYERS = 2


@dataclass(frozen=True)
class Plan:
    """What is played and how much of it, as `--set` changes it."""

    game: Annotated[str, Option("the game, by name or folder")] = ""
    run: Annotated[str, Option("a stored run to fit to; none: matches are played")] = ""
    seed: Annotated[int, Option("of all chance", 0, (1 << 63) - 1)] = 0
    matches: Annotated[int, Option("that are played to fit to", 50, 1_000_000)] = 400
    opening: Annotated[int, Option("decisions of these that are random at first", 0, 1000)] = 10
    teacher: Annotated[int, Option("simulations of the search that plays them", 1, 1_000_000)] = 128
    pull: Annotated[float, Option("how strongly weights are held where they are", 0, 1e6)] = 2.0
    simulations: Annotated[int, Option("with which weights meet in play", 1, 1_000_000)] = 256
    deals: Annotated[int, Option("on which each mixture is tried", 10, 1_000_000)] = 60
    confirm: Annotated[int, Option("fresh deals for the best of them", 10, 1_000_000)] = 200


@dataclass(frozen=True)
class Hands:
    """Who plays: so many workers (0: this process), of a Ray cluster perhaps; whether what is stored begins anew."""

    workers: int
    address: str | None = None
    progress: bool = False
    fresh: bool = False

    def interrupted(self, spec: TournamentSpec, folder: Path) -> bool:
        """Play what is missing of a run; returns whether it was interrupted."""
        tournament, fresh = resolve(spec), self.fresh
        done = carry_out(tournament, folder, self.workers, self.address, fresh, self.progress)
        return done.interrupted


@dataclass(frozen=True)
class Played:
    """How weights did against today's.

    mixture: how far they are on the way from today's weights to the fitted ones.
    """

    mixture: float
    claim: Claim


@dataclass(frozen=True)
class Evaluated:
    """What came of it.

    tested: positions and decisions that were not fitted to. tried: the mixtures on common deals. best: the one of them
    that is confirmed, None if today's weights did at least as well as each. confirmed: on fresh deals.
    """

    plan: Plan
    game: Game
    fit: Fit
    tested: tuple[int, int]
    tried: tuple[Played, ...] = ()
    best: float | None = None
    confirmed: Claim | None = None
    interrupted: bool = False

    @property
    def weights(self) -> dict[str, float]:
        """The weights that were confirmed, today's without any."""
        return mixed(self.game, self.fit.weights, self.best or 0.0)


def evaluate(
    plan: Plan, folder: Path, hands: Hands, tell: Callable[[str], None]
) -> Evaluated | None:
    """Carry out a plan; None if it was interrupted before anything was fitted.

    Args:
        tell: is told what comes next, a line for each step.

    Raises:
        UserError: the game declares no weights, or the folder holds another plan.
    """
    game = load_game(plan.game)
    check(game, plan)
    keep_plan(plan, folder, hands.fresh)
    source = Path(plan.run) if plan.run else folder / GAMES
    if not plan.run:
        tell(f"{plan.matches} matches of mcts:simulations={plan.teacher} with itself")
        if hands.interrupted(learning_spec(plan, game), source):
            return None
    train, test = read_lesson(source, game, EACH, DECISIONS).parted(TESTED)
    told = f"{len(train.positions)} positions and {len(train.choices)} decisions"
    tell(f"fitting {len(declared(game.evaluate))} weights to {told}")
    made = fit(game.evaluate, train, test, plan.pull)
    write_text(folder / FIT, json.dumps(asdict(made), indent=1) + "\n")
    sizes = len(test.positions), len(test.choices)
    return compare(Evaluated(plan, game, made, sizes), folder, hands, tell)


def compare(made: Evaluated, folder: Path, hands: Hands, tell: Callable[[str], None]) -> Evaluated:
    """Let mixtures of fitted weights meet today's, then the best of them on fresh deals."""
    plan = made.plan
    tell(f"{len(MIXTURES)} mixtures against today's weights, {plan.deals} deals each")
    if hands.interrupted(playing_spec(made, folder, MIXTURES, plan.deals, 2), folder / PLAY):
        return replace(made, interrupted=True)
    tried = tuple(Played(one, claim_in(folder / PLAY, name_of(one))) for one in MIXTURES)
    best = max(tried, key=lambda one: one.claim.estimate)
    if not best.claim.above:
        return replace(made, tried=tried)
    tell(f"the mixture {best.mixture:g} on {plan.confirm} fresh deals")
    spec = playing_spec(made, folder, (best.mixture,), plan.confirm, 3)
    stopped = hands.interrupted(spec, folder / CONFIRM)
    last = None if stopped else claim_in(folder / CONFIRM, name_of(best.mixture))
    return replace(made, tried=tried, best=best.mixture, confirmed=last, interrupted=stopped)


# --- what is played ---------------------------------------------------------------------------------------


def learning_spec(plan: Plan, game: Game) -> TournamentSpec:
    """The run whose positions are fitted to."""
    return parse_spec(
        {
            "name": f"fit {game.name}",
            "seed": mix(plan.seed, 1) >> 1,
            "games": [{"game": plan.game, "players": PLAYERS, "opening": plan.opening}],
            "bots": [{"bot": f"mcts:simulations={plan.teacher}"}],
            "schedule": "self_play",
            "deals": plan.matches,
        }
    )


def playing_spec(
    made: Evaluated, folder: Path, mixtures: Sequence[float], deals: int, purpose: int
) -> TournamentSpec:
    """The run in which mixtures meet today's weights; what has no chance begins with a random opening."""
    plan = made.plan
    bot = f"mcts:simulations={plan.simulations}"
    bots: list[dict[str, Any]] = [{"name": TODAY, "bot": bot}]
    for mixture in mixtures:
        path = folder / f"weights-{mixture:g}.json"
        weights = mixed(made.game, made.fit.weights, mixture)
        write_text(path, weights_text(plan.game, weights))
        given = {"of": bot, "weights": str(path.resolve())}
        bots.append({"name": name_of(mixture), "bot": ENTRANT, "parameters": given})
    opening = plan.opening if made.game.perfect_information else 0
    return parse_spec(
        {
            "name": f"weights of {made.game.name}",
            "seed": mix(plan.seed, purpose) >> 1,
            "games": [{"game": plan.game, "players": PLAYERS, "opening": opening}],
            "bots": bots,
            "schedule": "gauntlet",
            "focus": [TODAY],
            "deals": deals,
        }
    )


def mixed(game: Game, fitted: Mapping[str, float], mixture: float) -> dict[str, float]:
    """Weights between today's (0) and the fitted ones (1), rounded to what is written down."""
    return {
        one.name: one.value
        if fitted[one.name] == one.value or mixture == 0
        else float(
            np.clip(
                rounded(one.value + mixture * (fitted[one.name] - one.value)),
                one.span.low,
                one.span.high,
            )
        )
        for one in declared(game.evaluate)
    }


def name_of(mixture: float) -> str:
    """What a mixture is called in a run."""
    return f"fitted {mixture:g}"


# --- what came of it --------------------------------------------------------------------------------------


def claim_in(folder: Path, name: str) -> Claim:
    """What a run says of an entrant against today's weights: its share of wins, by deals."""
    won, played = amounts_in(folder, name)
    found = shares_by_deal(won[:, None], played[:, None])
    ends = float(found.low[0]), float(found.high[0])
    return claim(
        float(found.share[0]),
        ends,
        deals=len(won),
        method="share by deals",
        reference=1 / PLAYERS,
        margin=POINTS_GAP,
    )


def amounts_in(folder: Path, name: str) -> tuple[Floats, Floats]:
    """What an entrant won in each deal, and how many matches that were: float64[deals] each."""
    record = load_spec(folder)
    won: dict[int, float] = {}
    played: dict[int, float] = {}
    for row in read_matches(folder).to_dict("records"):
        ids = record.lineups[row["lineup_id"]].entrants
        names = [record.entrants[ids[position]].name for position in row["seating"]]
        if name not in names or row["fault_seat"] >= 0:
            continue
        ranks = [int(rank) for rank in row["ranks"]]
        share = (ranks[names.index(name)] == 1) / ranks.count(1)
        won[row["deal"]] = won.get(row["deal"], 0.0) + share
        played[row["deal"]] = played.get(row["deal"], 0.0) + 1
    deals = sorted(won)
    return np.array([won[d] for d in deals]), np.array([played[d] for d in deals])


# --- in its folder ----------------------------------------------------------------------------------------


def check(game: Game, plan: Plan) -> None:
    """Whether there is something to fit, and two to play it.

    Raises:
        UserError: one line.
    """
    if not declared(game.evaluate):
        raise UserError(f"game {brief(plan.game)}: its heuristic declares no weights")
    if PLAYERS not in game.players:
        raise UserError(f"game {brief(plan.game)}: weights are fitted with two players")


def keep_plan(plan: Plan, folder: Path, fresh: bool = False) -> None:
    """Write a plan into its folder, or compare it with the one that stands there, unless all begins anew.

    Raises:
        UserError: names what differs.
    """
    path = folder / PLAN
    if fresh or not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(asdict(plan), indent=1) + "\n")
        return
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        kept = {one.name: stored[one.name] for one in fields(Plan)}
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{path}: is no plan of a fit; give another folder with --out") from None
    for name, value in asdict(plan).items():
        if kept[name] != value:
            told = f"{brief(kept[name])}, not {brief(value)}"
            raise UserError(f"{path}: holds a fit with {name} {told}; give another --out")
