"""Several runs as one: a board for each game, one over all games, and who beats whom against it.

Runs join where game, variant and players are the same; bots are the same where their ids are. Equal
deals of equal seeds and salts are one deal (and a match that two runs share counts once), all others
are different ones.
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arena.plan.schedule import LineUp
from arena.plan.tournament import Entrant
from arena.results import tables
from arena.results.endings import endings
from arena.results.groups import Group, Results
from arena.results.report import Tables, group_keys, of_group, places, records
from arena.statistics.alpha_rank import alpha_rank
from arena.statistics.choice_model import Floats
from arena.statistics.ratings import rate
from arena.statistics.resampling import interval
from arena.statistics.shares import score_of_elo
from arena.store.parts import VOID
from arena.store.record import GameRecord, RunRecord, changed_text
from arena.store.run_folder import load_spec, read_matches
from engines.errors import UserError
from engines.texts import folded

SEED_STEP = 1 << 32  # between the deals of one seed and those of the next

SURPRISES = (
    *("game", "variant", "players", "entrant", "opponent", "matches", "score", "score_low"),
    *("score_high", "predicted", "difference", "outside"),
)
CIRCLES = ("game", "variant", "players", "first", "second", "third", "least", "sure")
OVERALL = ("entrant", "elo", "elo_low", "elo_high", "games")


@dataclass(frozen=True)
class Boards:
    """What several runs say together.

    made: their tables, the standings with a column `alpha_rank`. surprises: every pair, its score
    and what the ratings predict. circles: three that beat each other in turn. overall: mean Elo
    over games, with a column for each game; empty below two games or two bots that played all.
    """

    runs: tuple[Path, ...]
    versions: tuple[str, ...]
    made: Tables
    surprises: pd.DataFrame
    circles: pd.DataFrame
    overall: pd.DataFrame


def make_boards(folders: Sequence[Path]) -> Boards:
    """Merge the runs in these folders and rate them.

    Raises:
        UserError: no run in a folder, or two whose matches do not belong together; one line.
    """
    stored = [load_spec(folder) for folder in folders]
    record = merged_record(stored, folders)
    results = Results(
        merged_matches(stored, folders),
        record.entrants,
        record.lineups,
        functools.partial(places, record),
    )
    anchor = record.spec.anchor
    standings = tables.standings(results, anchor=(anchor.bot, anchor.elo) if anchor else None)
    duels = tables.head_to_head(results)
    made = Tables(
        folders[0],
        record,
        len(results.matches),
        len(results.matches),
        standings.assign(alpha_rank=alpha_shares(standings, duels)),
        duels,
        tables.seat_advantage(results),
        tables.sides(results),
        tables.faults(results),
        endings(results),
        results,
    )
    versions = tuple(dict.fromkeys(one.version for one in stored))
    found = surprises(standings, duels)
    return Boards(tuple(folders), versions, made, found, circles(found), overall(results.groups))


# --- merging --------------------------------------------------------------------------------------


def merged_record(stored: Sequence[RunRecord], folders: Sequence[Path]) -> RunRecord:
    """The records of several runs as one; its spec is the first's, its anchor the one all have."""
    games: dict[str, GameRecord] = {}
    lineups: dict[str, LineUp] = {}
    for record, folder in zip(stored, folders, strict=True):
        for name, game in record.games.items():
            known = games.setdefault(name, game)
            if not known.has_rules_of(game):
                raise UserError(
                    f"{folder}: {name} has rules {game.rules}, before it they were "
                    f"{known.rules}; only runs of the same rules can be merged"
                )
            if changed := [record.entrants[one].name for one in known.changed(game)]:
                raise UserError(
                    f"{folder}: {name}: {changed_text(changed)} than in the runs before it"
                )
            games[name] = known.joined(game)
        for lineup in record.lineups.values():
            old = lineups.setdefault(lineup.id, lineup)
            if old.opening != lineup.opening:
                raise UserError(
                    f"{folder}: {lineup.game} with opening {lineup.opening}, before it "
                    f"{old.opening}; only runs with the same opening can be merged"
                )
            lineups[lineup.id] = replace(old, deals=max(old.deals, lineup.deals))
    anchors = {record.spec.anchor for record in stored}
    anchor = anchors.pop() if len(anchors) == 1 else None
    return replace(
        stored[0],
        spec=stored[0].spec.model_copy(update={"anchor": anchor}),
        reproducible=all(record.reproducible for record in stored),
        games=games,
        entrants=merged_entrants(stored),
        lineups=lineups,
    )


def merged_entrants(stored: Iterable[RunRecord]) -> dict[str, Entrant]:
    """Every bot once, by id; bots that share a name get the beginning of their id behind it."""
    found: dict[str, Entrant] = {}
    for record in stored:
        for entrant in record.entrants.values():
            found.setdefault(entrant.id, entrant)
    names = [folded(entrant.name) for entrant in found.values()]
    return {
        one: entrant
        if names.count(folded(entrant.name)) == 1
        else replace(entrant, name=f"{entrant.name} ({one[:4]})")
        for one, entrant in found.items()
    }


def merged_matches(stored: Sequence[RunRecord], folders: Sequence[Path]) -> pd.DataFrame:
    """The matches of all runs, each once, with deals that differ where the seeds or salts do."""
    sources = [(record.spec.seed, record.spec.salt or "") for record in stored]
    known = sorted(set(sources))
    frames = []
    for source, folder in zip(sources, folders, strict=True):
        frame = read_matches(folder)
        first = SEED_STEP * known.index(source)
        frames.append(frame.assign(deal=frame["deal"].astype(np.int64) + first))
    matches = pd.concat(frames, ignore_index=True)
    matches = matches.assign(void=matches["ending"] == VOID)
    order = ["lineup_id", "deal", "match_id", "void"]
    matches = matches.sort_values(order, kind="stable").drop_duplicates(["match_id", "deal"])
    return matches.drop(columns="void").reset_index(drop=True)


# --- who beats whom -------------------------------------------------------------------------------


def alpha_shares(standings: pd.DataFrame, duels: pd.DataFrame) -> pd.Series:
    """The alpha-rank of each row of the standings; nan in groups where two have not met."""
    shares = pd.Series(np.nan, index=standings.index)
    for key in group_keys(standings):
        rows = of_group(standings, key)
        matrix = score_matrix(of_group(duels, key), list(rows["entrant"]))
        if len(rows) > 1 and np.isfinite(matrix).all():
            shares[rows.index] = alpha_rank(matrix)
    return shares


def score_matrix(duels: pd.DataFrame, names: Sequence[str]) -> Floats:
    """Scores (k, k) of row against column, 1/2 on the diagonal, nan where two have not met."""
    place = {name: number for number, name in enumerate(names)}
    matrix = np.full((len(names), len(names)), np.nan)
    np.fill_diagonal(matrix, 0.5)
    rows, columns = duels["entrant"].map(place), duels["opponent"].map(place)
    matrix[rows.to_numpy(dtype=int), columns.to_numpy(dtype=int)] = duels["score"]
    return matrix


def surprises(standings: pd.DataFrame, duels: pd.DataFrame) -> pd.DataFrame:
    """Return each pair once, the higher rated first, those farthest from the prediction on top.

    predicted: by the Elo of both. outside: the prediction lies outside the interval of the score;
    one pair in twenty does by chance.
    """
    key = ["game", "variant", "players"]
    elo = standings.set_index([*key, "entrant"])["elo"]
    order = standings.groupby(key, sort=False).cumcount()
    place = pd.Series(order.to_numpy(), index=elo.index)
    own = pd.MultiIndex.from_frame(duels[[*key, "entrant"]])
    other = pd.MultiIndex.from_frame(duels[[*key, "opponent"]])
    rows = duels.assign(
        predicted=score_of_elo(elo.reindex(own).to_numpy() - elo.reindex(other).to_numpy())
    )
    first = place.reindex(own).to_numpy() < place.reindex(other).to_numpy()
    rows = rows[first & rows["score"].notna()]
    rows = rows.assign(
        difference=rows["score"] - rows["predicted"],
        outside=(rows["predicted"] < rows["score_low"]) | (rows["predicted"] > rows["score_high"]),
    )
    far = rows["difference"].abs().sort_values(ascending=False, kind="stable").index
    return rows.loc[far, list(SURPRISES)].reset_index(drop=True)


def circles(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return every three that beat each other in turn: first > second > third > first.

    least: the smallest of the three scores. sure: all three intervals lie above one half.
    """
    found = []
    for key in group_keys(pairs):
        rows = records(of_group(pairs, key))
        beats = {}
        for row in rows:
            scores = row["score"], row["score_low"]
            turned = 1 - row["score"], 1 - row["score_high"]
            beats[row["entrant"], row["opponent"]] = scores
            beats[row["opponent"], row["entrant"]] = turned
        names = sorted({name for pair in beats for name in pair})
        for a, b, c in combinations(names, 3):
            for one, two, three in ((a, b, c), (a, c, b)):
                steps = [beats.get(p) for p in ((one, two), (two, three), (three, one))]
                if all(step is not None and step[0] > 0.5 for step in steps):
                    least = min(step[0] for step in steps if step)
                    sure = all(step[1] > 0.5 for step in steps if step)
                    found.append((*key, one, two, three, least, sure))
    frame = pd.DataFrame(found, columns=list(CIRCLES))
    return frame.sort_values(["sure", "least"], ascending=False).reset_index(drop=True)


# --- over all games -------------------------------------------------------------------------------


def overall(groups: Sequence[Group]) -> pd.DataFrame:
    """Return the mean Elo over games of the bots that played in all groups, best first.

    The Elo of a game is the mean over its variants and numbers of players. In each group the bots
    that played everywhere have mean 0, so that the others who took part somewhere do not shift
    them. Intervals: bootstrap over the deals of each group on its own.
    """
    rated = [rate(group.placements, seed=number) for number, group in enumerate(groups)]
    groups = [group for group, r in zip(groups, rated, strict=True) if r.matches.any()]
    rated = [ratings for ratings in rated if ratings.matches.any()]  # not those of solo games
    games = sorted({group.game for group in groups})
    names = [set(r.groups[0]) if len(r.groups) == 1 else set() for r in rated]
    common = sorted(set.intersection(*names)) if names else []
    if len(games) < 2 or len(common) < 2:
        return pd.DataFrame(columns=list(OVERALL))
    mean: dict[str, list[Floats]] = {game: [] for game in games}
    drawn: dict[str, list[Floats]] = {game: [] for game in games}
    for group, ratings in zip(groups, rated, strict=True):
        own = [ratings.names.index(name) for name in common]
        mean[group.game].append(ratings.elo[own] - ratings.elo[own].mean())
        spread = ratings.resamples[:, own]
        drawn[group.game].append(spread - spread.mean(axis=1, keepdims=True))
    by_game = {game: np.mean(mean[game], axis=0) for game in games}
    elo = np.mean(list(by_game.values()), axis=0)
    low, high = overall_interval(elo, drawn, min(int(r.deals.min()) for r in rated))
    columns: Mapping[str, Any] = {
        **dict(zip(OVERALL, (common, elo, low, high, len(games)), strict=True)),
        **{f"elo_{game}": values for game, values in by_game.items()},
    }
    frame = pd.DataFrame(columns)
    return frame.sort_values("elo", ascending=False, kind="stable").reset_index(drop=True)


def overall_interval(
    elo: Floats, drawn: Mapping[str, Sequence[Floats]], deals: int
) -> tuple[Floats, Floats]:
    """The interval of a mean over games from resamples (resamples, k) of each of their groups."""
    if any(not len(spread) for spreads in drawn.values() for spread in spreads):
        return np.full(elo.shape, np.nan), np.full(elo.shape, np.nan)
    each = [np.mean(spreads, axis=0) for spreads in drawn.values()]
    spread = np.mean(each, axis=0).T
    return interval(elo, spread, np.full(elo.shape, deals), 0.95)
