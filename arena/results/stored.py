"""A stored run as data frames: what `arena.load` gives, `arena export` writes and `arena matches` lists."""

import functools
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
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
from arena.results.cells import write_tables
from arena.results.groups import Group, Results
from arena.results.league import read_history
from arena.results.progress import places
from arena.results.rankings import leaderboard, rankings
from arena.results.reading import batches_of_rows
from arena.results.replay import open_replay
from arena.results.report import Tables, group_keys, heading, make_tables, of_group
from arena.results.sums import key_of
from arena.store.files import written_whole
from arena.store.provenance import replay_command
from arena.store.record import RunRecord
from engines.errors import UserError

MATCHES = (
    *("id", "game", "variant", "players", "deal", "entrants", "ranks", "points", "ending"),
    *("reason", "turns", "decisions", "seconds", "fault", "fault_text"),
)
IN_SEATS = ("entrants", "ranks", "points")  # columns with a list, in order of play
STORED = ("match_id", "ending", "reason", "turns", "decisions", "fault_text")
ACTIONS = ("number", "player", "entrant", "action", "forced", "seconds")
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
    def final(self) -> pd.DataFrame:
        """One row an entrant of each event of a format in rounds, best first: final.csv; empty for other schedules."""
        return self._tables.final

    @property
    def history(self) -> pd.DataFrame:
        """One row an entrant after each call of a command that played: history.csv."""
        return read_history(self.folder)

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
        """One row a match, void ones left out; of a large run `batches` needs less memory.

        entrants, ranks, points: lists in seat order, entrants by name. ending: the referee's word,
        reason: the game's. seconds: of all seats. fault: name of the entrant that failed, or ''.
        """
        return pd.concat(self.batches(), ignore_index=True)

    def batches(self, deal: int | None = None) -> Iterator[pd.DataFrame]:
        """The rows of `matches`: all at once, or where they are many (beyond 200 000) some whole deals at a time.

        deal: its rows only.
        """
        results = self._tables.results
        if results.pools:
            ranked = functools.partial(places, self.record)
            for some in batches_of_rows(self.folder, self.record, ranked, deal):
                yield matches_of(some)
        else:
            frame = matches_of(results)
            yield frame if deal is None else frame[frame["deal"] == deal]

    @property
    def counted(self) -> int | None:
        """How many rows `matches` has, of a large run; None where they are at hand."""
        pools = self._tables.results.pools
        return sum(pool.matches for pool in pools.values()) if pools else None

    def actions(self, match_id: str) -> pd.DataFrame:
        """One row an action of a match, re-played from its deal.

        number: from 1. player: in order of play, from 0. entrant: its name. action: in words.
        forced: it was the only legal one. seconds: that its player took, right to 5 %; NaN where that is not kept
        (a match with less than a tenth of a second of thinking).

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
                "seconds": step.seconds,
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
            players = {one.players for one in self.record.lineups.values()}
            width = max(players, default=0)  # also of tables that are still to be played
            write_tables(path, (unfolded(frame, width) for frame in self.batches()))
        elif path.suffix == ".parquet":
            write_parquet(path, self.batches())
        else:
            with written_whole(path) as out:
                for frame in self.batches():
                    out.writelines(line.encode() for line in self._lines(frame))
        return path

    def _lines(self, frame: pd.DataFrame) -> Iterator[str]:
        for row in frame.to_dict("records"):
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


def matches_of(results: Results) -> pd.DataFrame:
    """Matches row by row, as `StoredRun.matches` has them."""
    parts = [pd.DataFrame(_rows(group, results.matches)) for group in results.groups]
    frame: pd.DataFrame = (
        pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(MATCHES))
    )
    return frame[list(MATCHES)]


def write_parquet(path: Path, frames: Iterator[pd.DataFrame]) -> None:
    """Write tables with the same columns as one file of Parquet, in one step."""
    first = pa.Table.from_pandas(next(frames), preserve_index=False)
    with written_whole(path) as out, pq.ParquetWriter(out, first.schema) as writer:
        writer.write_table(first)
        for frame in frames:
            writer.write_table(pa.Table.from_pandas(frame, first.schema, preserve_index=False))


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


def unfolded(frame: pd.DataFrame, width: int) -> pd.DataFrame:
    """Matches with a column for each seat (from 1) instead of lists; empty where a table has fewer than `width`."""
    flat: dict[str, Any] = {}
    for name in frame.columns:
        if name not in IN_SEATS:
            flat[name] = frame[name]
            continue
        lists = frame[name].tolist()
        for seat in range(width):
            cells = [row[seat] if seat < len(row) else None for row in lists]
            kind: Any = object if name == "entrants" else "Int64"
            flat[f"{name.removesuffix('s')}_{seat + 1}"] = pd.array(cells, dtype=kind)
    return pd.DataFrame(flat)


def plainly(value: Any) -> Any:
    """A cell as JSON knows it."""
    return value.item() if isinstance(value, np.generic) else value


# --- choosing matches -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wanted:
    """Which matches are looked for: names of entrants that sat at the table, a word for the ending, a deal."""

    bot: str | None = None
    opponent: str | None = None
    ending: str | None = None
    deal: int | None = None

    def flags(self, frame: pd.DataFrame) -> Any:
        """Which rows (m,) of `StoredRun.matches` these are."""
        keep = np.ones(len(frame), dtype=bool)
        for name in (self.bot, self.opponent):
            if name is not None:
                keep &= np.array([name in row for row in frame["entrants"]], dtype=bool)
        if self.ending is not None:
            words = self.ending.replace("_", " ")
            reasons = frame["reason"].str.replace("_", " ")
            keep &= ((frame["ending"] == words) | (reasons == words)).to_numpy(dtype=bool)
        if self.deal is not None:
            keep &= (frame["deal"] == self.deal).to_numpy()
        return keep

    def check(self, names: Collection[str], endings: Collection[str]) -> None:
        """UserError where a name or a word is none that the matches have."""
        for option, name in (("--bot", self.bot), ("--opponent", self.opponent)):
            if name is not None and names and name not in names:
                raise UserError(
                    f"{option} {name}: nobody here, known are {', '.join(sorted(names))}"
                )
        if self.ending is not None and self.ending.replace("_", " ") not in endings:
            raise UserError(
                f"--ending {self.ending}: no match ended so, known are {', '.join(sorted(endings))}"
            )


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
    wanted = Wanted(bot, opponent, ending, deal)
    wanted.check(*words_of(frame))
    found: pd.DataFrame = frame[wanted.flags(frame)]
    return found


def first_chosen(run: StoredRun, wanted: Wanted, most: int) -> tuple[pd.DataFrame, int]:
    """The first rows that are wanted, and how many there are in all; errors are those of `chosen`."""
    nothing = pd.DataFrame(columns=list(MATCHES))  # there may be no such deal
    found, count, names, endings = [nothing], 0, set[str](), set[str]()
    everything = run.counted if wanted == Wanted() else None
    for frame in run.batches(wanted.deal):
        own = frame[wanted.flags(frame)]
        if len(own) and count < most:
            found.append(own.head(most - count))
        count += len(own)
        if everything is not None and count >= most:  # a large run is not read to its end
            count = everything
            break
        more = words_of(frame)
        names, endings = names | more[0], endings | more[1]
    if not count:
        wanted.check(*((names, endings) if wanted.deal is None else all_words(run)))
    rows: pd.DataFrame = pd.concat(found[bool(count) :], ignore_index=True)
    return rows, count


def all_words(run: StoredRun) -> tuple[set[str], set[str]]:
    """Names and words of all matches of a run."""
    names, endings = set[str](), set[str]()
    for frame in run.batches():
        more = words_of(frame)
        names, endings = names | more[0], endings | more[1]
    return names, endings


def words_of(frame: pd.DataFrame) -> tuple[set[str], set[str]]:
    """The names of entrants, and the words for how matches ended."""
    names = set[str]().union(*frame["entrants"]) if len(frame) else set[str]()
    return names, {*frame["ending"], *frame["reason"].str.replace("_", " ")}


def listing(frame: pd.DataFrame, folder: Path, count: int) -> Iterator[str]:
    """Matches as lines of text: id, who sat where with rank and points, why it ended; count: of how many."""
    head = ("match", "game", "deal", "turns", "ended by", "seats in order of play: rank, points")
    rows = list[tuple[str, ...]]()
    for row in frame.to_dict("records"):
        seats = zip(row["entrants"], row["ranks"], row["points"], strict=True)
        told = ", ".join(f"{name} ({rank}., {points})" for name, rank, points in seats)
        game = row["game"] if row["variant"] == DEFAULT else f"{row['game']} {row['variant']}"
        why = row["reason"].replace("_", " ")
        why = why if row["ending"] == "finished" else f"{row['ending']}: {row['fault']}"
        rows.append((str(row["id"]), game, str(row["deal"]), str(row["turns"]), why, told))
    if rows:
        yield table(rows, head, drop=("turns", "ended by", "deal"), cut=("game",), fold=True)
    shown = f"{len(rows)} of {count} matches" if count > len(rows) else ""
    yield shown or f"{count} match{'' if count == 1 else 'es'}"
    if len(frame):
        yield f"look at one: {replay_command(str(folder), str(frame['id'].iloc[0]))}"
