"""A stored run as data frames: what `arena.load` gives, `arena export` writes and `arena matches` lists."""

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from arena.plan.columns import table
from arena.plan.identity import DEFAULT
from arena.results.cells import write_table
from arena.results.groups import Group
from arena.results.rankings import leaderboard, rankings
from arena.results.replay import open_replay
from arena.results.report import Tables, group_keys, heading, make_tables, of_group
from arena.results.sums import key_of
from arena.store.files import write_text, written_whole
from arena.store.provenance import replay_command
from arena.store.record import RunRecord
from arena.store.run_folder import read_matches
from engines.errors import UserError

MATCHES = (
    *("id", "game", "variant", "players", "deal", "entrants", "ranks", "points", "ending"),
    *("reason", "turns", "decisions", "seconds", "fault", "fault_text"),
)
IN_SEATS = ("entrants", "ranks", "points")  # columns with a list, in order of play
STORED = ("match_id", "ending", "reason", "turns", "decisions", "fault_text")
ACTIONS = ("number", "player", "entrant", "action", "forced")
FORMATS = (".csv", ".jsonl", ".parquet")


class StoredRun:
    """A run's folder, read when something is asked of it and then kept; `arena.load` reads it anew."""

    def __init__(self, folder: Path) -> None:
        """Take the folder of a run; UserError if it holds none."""
        self.folder = folder
        self._tables  # noqa: B018  a wrong folder shows now

    @cached_property
    def _tables(self) -> Tables:
        return make_tables(self.folder)

    @property
    def name(self) -> str:
        """The tournament's name."""
        return self.record.spec.name

    @property
    def record(self) -> RunRecord:
        """What `spec.yaml` holds: config, entrants, line-ups, rules, machines."""
        return self._tables.record

    @property
    def finished(self) -> bool:
        """Whether no match is missing, or the run has decided what it was to decide."""
        return not self._tables.unfinished

    @property
    def answer(self) -> str:
        """What the run says to `until` or `sprt`, '' if it was not asked."""
        return self._tables.answer

    @property
    def standings(self) -> pd.DataFrame:
        """One row an entrant of each game, variant and number of players, best first: standings.csv."""
        return self._tables.standings

    @property
    def head_to_head(self) -> pd.DataFrame:
        """One row an ordered pair of entrants that met: head_to_head.csv."""
        return self._tables.head_to_head

    @property
    def seats(self) -> pd.DataFrame:
        """One row a seat, 0 begins: seats.csv."""
        return self._tables.seats

    @property
    def sides(self) -> pd.DataFrame:
        """One row an entrant and side, where sides differ: sides.csv."""
        return self._tables.sides

    @property
    def faults(self) -> pd.DataFrame:
        """One row a kind of fault of an entrant: faults.csv."""
        return self._tables.faults

    @property
    def endings(self) -> pd.DataFrame:
        """One row a reason for which matches ended: endings.csv."""
        return self._tables.endings

    @cached_property
    def matches(self) -> pd.DataFrame:
        """One row a match, void ones left out.

        entrants, ranks, points: lists in seat order, entrants by name. ending: the referee's word,
        reason: the game's. seconds: of all seats. fault: name of the entrant that failed, or ''.
        """
        results = self._tables.results
        if results.pools:  # of these tables are sums; who asks for the rows gets all of them
            results = replace(results.sample, matches=read_matches(self.folder))
        parts = [pd.DataFrame(_rows(group, results.matches)) for group in results.groups]
        frame = (
            pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(MATCHES))
        )
        return frame[list(MATCHES)]

    def actions(self, match_id: str) -> pd.DataFrame:
        """One row an action of a match, re-played from its deal.

        number: from 1. player: in order of play, from 0. entrant: its name. action: in words.
        forced: it was the only legal one.

        Args:
            match_id: an id of `matches`, or how one begins.

        Raises:
            UserError: no match or several begin like this, or the rules have changed since.
        """
        return pd.DataFrame(self._told(match_id), columns=list(ACTIONS))

    def _told(self, match_id: str) -> Iterator[dict[str, Any]]:
        replay = open_replay(self.folder, match_id)
        for step in replay.steps():
            yield {
                "number": step.number,
                "player": step.actor,
                "entrant": replay.names[step.actor],
                "action": replay.game.action_text(replay.states, step.action),
                "forced": len(step.legal) == 1,
            }

    def export(self, file: Path | str) -> Path:
        """Write `matches` to a file; its ending chooses the form; returns its path.

        .csv: a column for each seat (`entrant_1`, ...). .parquet: lists as they are. .jsonl: an
        object a line with the actions of the match in words.

        Raises:
            UserError: another ending, or the file cannot be written.
        """
        path = Path(file)
        if path.suffix not in FORMATS:
            raise UserError(f"{path}: expected a file that ends in {', '.join(FORMATS)}")
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".csv":
            write_table(path, unfolded(self.matches))
        elif path.suffix == ".parquet":
            with written_whole(path) as out:
                pq.write_table(pa.Table.from_pandas(self.matches, preserve_index=False), out)
        else:
            write_text(path, "".join(self._lines()))
        return path

    def _lines(self) -> Iterator[str]:
        for row in self.matches.to_dict("records"):
            told = [
                {"player": step["player"], "action": step["action"]}
                for step in self._told(str(row["id"]))
            ]
            plain = {str(key): plainly(value) for key, value in row.items()}
            yield json.dumps({**plain, "actions": told}, ensure_ascii=False) + "\n"

    def __repr__(self) -> str:
        """Name, matches and folder."""
        made = self._tables
        return f"<run {self.name!r}: {made.stored} of {made.planned} matches in {self.folder}>"

    def _repr_html_(self) -> str:
        made = self._tables
        parts = []
        for key in group_keys(made.standings):
            parts.append(f"<h4>{escape(heading(key))}</h4>")
            for title, rows in rankings(of_group(made.standings, key)):
                board = leaderboard(rows).to_html(index=False, border=0)
                parts.append(f"<p>{escape(title)}</p>{board}" if title else board)
        return "".join(parts) or "<p>no matches yet</p>"


def load(folder: Path | str) -> StoredRun:
    """A run from its folder, finished or not; UserError if there is none."""
    return StoredRun(Path(folder))


def _rows(group: Group, stored: pd.DataFrame) -> Mapping[str, Any]:
    own = {name: stored[name].iloc[group.rows].to_numpy() for name in STORED}
    names = np.array([*group.names, ""], dtype=object)
    seats = np.arange(len(group.rows)), group.faults
    failed = np.where(group.faults >= 0, group.sides[seats], len(group.names))
    return {
        **own,
        **key_of(group),
        "id": own["match_id"],
        "deal": group.deals,
        "entrants": names[group.sides].tolist(),
        "ranks": group.ranks.tolist(),
        "points": group.points.astype(np.int64).tolist(),
        "seconds": group.seconds.sum(axis=1),
        "fault": names[failed],
    }


def unfolded(frame: pd.DataFrame) -> pd.DataFrame:
    """Matches with a column for each seat (from 1) instead of lists; empty where a table is smaller."""
    widest = int(frame["players"].max()) if len(frame) else 0
    flat: dict[str, Any] = {}
    for name in frame.columns:
        if name not in IN_SEATS:
            flat[name] = frame[name]
            continue
        lists = frame[name].tolist()
        for seat in range(widest):
            cells = [row[seat] if seat < len(row) else None for row in lists]
            kind: Any = object if name == "entrants" else "Int64"
            flat[f"{name.removesuffix('s')}_{seat + 1}"] = pd.array(cells, dtype=kind)
    return pd.DataFrame(flat)


def plainly(value: Any) -> Any:
    """A cell as JSON knows it."""
    return value.item() if isinstance(value, np.generic) else value


# --- choosing matches -------------------------------------------------------------------------------------


def chosen(
    frame: pd.DataFrame,
    bot: str | None = None,
    opponent: str | None = None,
    ending: str | None = None,
    deal: int | None = None,
) -> pd.DataFrame:
    """The rows of `StoredRun.matches` in which all that is given holds.

    Args:
        bot, opponent: names of entrants that both sat at the table.
        ending: the referee's word or the game's reason.
        deal: its number.

    Raises:
        UserError: a name or word that no match has.
    """
    keep = np.ones(len(frame), dtype=bool)
    for option, name in (("--bot", bot), ("--opponent", opponent)):
        if name is not None:
            keep &= _seated(frame, option, name)
    if ending is not None:
        words = ending.replace("_", " ")
        reasons = frame["reason"].str.replace("_", " ")
        known = sorted({*frame["ending"], *reasons})
        if words not in known:
            raise UserError(f"--ending {ending}: no match ended so, known are {', '.join(known)}")
        keep &= ((frame["ending"] == words) | (reasons == words)).to_numpy()
    if deal is not None:
        keep &= (frame["deal"] == deal).to_numpy()
    return frame[keep]


def _seated(frame: pd.DataFrame, option: str, name: str) -> Any:
    if not len(frame):
        return np.zeros(0, dtype=bool)
    known = functools.reduce(set.union, (set(row) for row in frame["entrants"]), set[str]())
    if name not in known:
        raise UserError(f"{option} {name}: nobody here, known are {', '.join(sorted(known))}")
    return np.array([name in row for row in frame["entrants"]], dtype=bool)


def listing(frame: pd.DataFrame, folder: Path, most: int) -> Iterator[str]:
    """Matches as lines of text: id, who sat where with rank and points, why it ended."""
    head = ("match", "game", "deal", "turns", "ended by", "seats in order of play: rank, points")
    rows = list[tuple[str, ...]]()
    for row in frame.head(most).to_dict("records"):
        seats = zip(row["entrants"], row["ranks"], row["points"], strict=True)
        told = ", ".join(f"{name} ({rank}., {points})" for name, rank, points in seats)
        game = row["game"] if row["variant"] == DEFAULT else f"{row['game']} {row['variant']}"
        why = row["reason"].replace("_", " ")
        why = why if row["ending"] == "finished" else f"{row['ending']}: {row['fault']}"
        rows.append((str(row["id"]), game, str(row["deal"]), str(row["turns"]), why, told))
    if rows:
        yield table(rows, head, drop=("turns", "ended by", "deal"), cut=("game",), fold=True)
    shown = f"{len(rows)} of {len(frame)} matches" if len(frame) > len(rows) else ""
    yield shown or f"{len(frame)} match{'' if len(frame) == 1 else 'es'}"
    if len(frame):
        yield f"look at one: {replay_command(str(folder), str(frame['id'].iloc[0]))}"
