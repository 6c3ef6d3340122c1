"""A run as it grows: counts about every second, tables as often as that costs no more than a hundredth of the machine.

All who watch a run share one reader. Counts come from the footers of the parts, so they cost the same however many
matches are stored; the tables are made anew, and then rest so many times longer that they cost SHARE of the machine.
"""

import asyncio
import functools
import json
import os
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.compute as pc

from arena.pages.report import report_html
from arena.results import listings
from arena.results.faults import faults
from arena.results.findings import make_findings
from arena.results.league import hidden, shown
from arena.results.progress import places, stored_duel
from arena.results.rankings import leaderboard, rankings
from arena.results.reading import sample_text, stored_results
from arena.results.report import group_keys, heading, make_tables, of_group, records
from arena.results.tables import standings
from arena.store.columns import MACHINE
from arena.store.parts import part_files, row_tables
from arena.store.record import RECORD, load_spec
from arena.web.glance import leaders, stored_leaders
from arena.web.matches import Row, rows_of
from arena.web.runs import Entry, entry_of
from engines.errors import UserError
from engines.texts import clean

TICK = 1.0  # seconds between two looks at the parts, at least
SHARE, COUNTING = 0.004, 0.004  # of the machine that tables and counts may cost while a run plays
TABLES = ("standings", "latest", "faults", "machines", "answer")
MOST_TROUBLE = 500  # letters
MOST_STDERR = 2000  # letters of each kind of fault, the last
LATEST = 12  # matches listed
MOST_WATCHERS = 1000
LEADERS_SECONDS = 1.0  # after which a list of runs makes no more tables
MOST_AT_ONCE = 50_000  # matches of which a list makes tables
RATE_OVER = 30.0  # seconds that a rate is measured over


@dataclass
class Watch:
    """What is known of one run, for all who watch it."""

    folder: Path
    place: Path
    state: dict[str, Any] = field(default_factory=dict)
    number: int = 0  # of the state; rises with each change
    tables: int = 0  # the number at which its tables changed last
    brief: str = ""  # the state as JSON without its tables: all watchers are sent one text
    whole: str = ""
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    watchers: int = 0
    _task: "asyncio.Task[None] | None" = None
    _counts: "deque[tuple[float, int]]" = field(default_factory=deque)
    _known: int = -1  # stored matches at the last look
    _rest_until: float = 0.0
    _tabled: float = 0.0  # seconds of the processor that tables took at the last look
    _seen: object = None
    _tables: dict[str, Any] = field(default_factory=dict)
    _leaders: tuple[str, ...] = ()

    async def follow(self) -> AsyncIterator[str]:
        """The state now, and each new one, as JSON; tables only where they have changed."""
        if self.watchers >= MOST_WATCHERS:
            raise UserError(f"more than {MOST_WATCHERS} watch already")
        self.watchers += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._read())
        seen = tables = 0
        try:
            while True:
                async with self.changed:
                    while self.number <= seen:
                        await self.changed.wait()
                    text = self.whole if self.tables > tables else self.brief
                    seen, tables = self.number, self.tables
                yield text
        finally:
            self.watchers -= 1

    async def _read(self) -> None:
        while self.watchers:
            began, self._tabled = time.process_time(), 0.0
            try:
                state = await asyncio.to_thread(self.look)
            except (
                Exception
            ) as error:  # a damaged run may break anything: who watches is told, and looks on
                state = {"trouble": f"the run cannot be read: {error}"[:MOST_TROUBLE]}
            if state != self.state:
                brief, whole = parted(state)
                async with self.changed:
                    self.number += 1
                    if whole != parted(self.state)[1]:
                        self.tables = self.number
                    self.state, self.brief, self.whole = state, *map(text_of, (brief, state))
                    self.changed.notify_all()
            spent = time.process_time() - began - self._tabled if playing(state) else 0.0
            await asyncio.sleep(max(TICK, spent / (COUNTING * (os.cpu_count() or 1))))

    def look(self) -> dict[str, Any]:
        """The state of the run now."""
        entry = entry_of(self.folder, self.place)
        if entry.trouble:
            return {"trouble": entry.trouble}
        now, seen = time.monotonic(), version_of(self.place)
        if seen != self._seen and (now >= self._rest_until or entry.state != "running"):
            began = time.process_time()  # of all threads: libraries have some of their own
            self._tables, self._leaders = told(self.place)
            self._tabled = spent = time.process_time() - began
            self._seen = seen
            self._rest_until = now + spent / (SHARE * (os.cpu_count() or 1))
        rate = self._rate(now, entry.stored) if entry.state == "running" else 0.0
        left = (entry.planned - entry.stored) / rate if rate else 0.0
        return {
            "state": entry.state,
            "driver": entry.driver,
            "doing": entry.doing,
            "stored": entry.stored,
            "planned": entry.planned,
            "rate": round(rate, 2 if rate < 10 else 0),
            "left": round(left),
            **self._tables,
        }

    def leaders(self, entry: Entry, at_once: bool) -> tuple[str, ...]:
        """Who leads, in lines: as the run's folder says it, or by tables made here.

        Args:
            at_once: make no tables. Of a run that plays they are made no oftener than for its own page, of one that
                does not (killed, or from a notebook, so that its folder has none) where it is small.
        """
        playing = entry.state == "running"
        if not playing and self._seen != version_of(self.place):
            if stored := stored_leaders(self.place, entry.changed):
                return stored
            playing = entry.stored <= MOST_AT_ONCE
            self._leaders = ()
        if playing and not at_once:
            with suppress(Exception):  # a damaged run may break anything: its page says what
                self.look()
        return self._leaders

    def _rate(self, now: float, stored: int) -> float:
        """Matches a second over the last half minute, from part to part; 0 until two have come.

        The first look lies between two parts, or before the first, while kernels are compiled: it begins no measure.
        """
        if self._known < 0 or stored < self._known:  # or the run was begun anew
            self._counts.clear()
        elif stored > self._known:
            self._counts.append((now, stored))
        self._known = stored
        while len(self._counts) > 2 and now - self._counts[0][0] > RATE_OVER:
            self._counts.popleft()
        if len(self._counts) < 2:
            return 0.0
        (first, before), (last, after) = self._counts[0], self._counts[-1]
        return (after - before) / (last - first) if last > first else 0.0


def parted(state: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A state without its tables, and these."""
    brief = {name: value for name, value in state.items() if name not in TABLES}
    return brief, {name: value for name, value in state.items() if name in TABLES}


def text_of(state: dict[str, Any]) -> str:
    """As it is sent."""
    return json.dumps(state, separators=(",", ":"))


def machines(place: Path) -> list[dict[str, Any]]:
    """How many stored matches each machine has played, the busiest first; none where one played all."""
    found: Counter[str] = Counter()
    for part in part_files(place):
        with suppress(FileNotFoundError):  # merged meanwhile
            for table in row_tables(part, [MACHINE]):
                counts = pc.value_counts(table[MACHINE]).to_pylist()
                found.update({clean(one["values"] or "not told"): one["counts"] for one in counts})
    if len(found) < 2:
        return []
    return [{"machine": name, "matches": f"{count:,}"} for name, count in found.most_common()]


def playing(state: Mapping[str, Any]) -> bool:
    """Whether a state is that of a run that plays."""
    return state.get("state") == "running"


def version_of(place: Path) -> object:
    """Changes when the stored matches of a run do."""
    found = []
    for file in (place / RECORD, *part_files(place)):
        try:
            stat = file.stat()
        except FileNotFoundError:
            continue
        found.append((file.name, stat.st_size, stat.st_mtime_ns))
    return tuple(found)


def told(place: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What a live page shows of a run as plain JSON, and who leads; other tables of a report are not made."""
    record = load_spec(place)
    results, _ = stored_results(place, record, functools.partial(places, record))
    anchor, duel = record.spec.anchor, stored_duel(place, record)
    rated = standings(
        results, anchor=(anchor.bot, anchor.elo) if anchor else None, left_out=hidden(record)
    )
    rated = shown(rated, hidden(record))
    groups = [
        {"title": ", ".join(filter(None, (heading(key), title))), "rows": board(rows)}
        for key in group_keys(rated)
        for title, rows in rankings(of_group(rated, key))
    ]
    latest = listings.matches(results).tail(LATEST).iloc[::-1]
    lost = faults(results).rename(columns={"entrant": "bot"})
    if "stderr" in lost:
        lost["stderr"] = lost["stderr"].astype(str).str[-MOST_STDERR:]
    columns = [n for n in ("bot", "fault", "faults", "example", "stderr") if n in lost]
    tables = {
        "standings": groups,
        "latest": plain(latest, ["match_id", "seating", "first", "ending", "turns", "fault_text"]),
        "faults": plain(lost, columns),
        "answer": duel.text() if duel else "",
        "machines": machines(place),
    }
    return tables, leaders(rated)


def board(rows: pd.DataFrame) -> list[dict[str, str]]:
    """The leaderboard of one ranking: a dict of texts for each bot, headings as keys."""
    made = leaderboard(rows).astype(str)
    return records(made)


def plain(frame: pd.DataFrame, columns: list[str]) -> list[dict[str, Any]]:
    """Some columns of a table as JSON has them."""
    loaded: list[dict[str, Any]] = json.loads(frame[columns].to_json(orient="records"))
    return loaded


class Watches:
    """The runs that are watched or whose pages were asked for."""

    def __init__(self, folder: Path) -> None:
        """Watch runs below a folder."""
        self._folder = folder
        self._known: dict[Path, Watch] = {}
        self._pages: dict[Path, tuple[object, str]] = {}
        self._matches: dict[Path, tuple[object, tuple[list[Row], str]]] = {}

    def of(self, place: Path) -> Watch:
        """The watch of a run."""
        return self._known.setdefault(place, Watch(self._folder, place))

    def leaders(self, entries: Iterable[Entry]) -> dict[str, tuple[str, ...]]:
        """Who leads each run of a list, by its path; what would take long waits for the next time."""
        end = time.monotonic() + LEADERS_SECONDS
        return {
            entry.path: self.of(self._folder / entry.path).leaders(entry, time.monotonic() > end)
            for entry in entries
            if entry.stored and not entry.trouble
        }

    def page(self, place: Path) -> str:
        """The report of a run as HTML, made anew when its matches have changed."""
        seen = version_of(place)
        if self._pages.get(place, (None, ""))[0] != seen:
            made = make_tables(place)
            if len(self._pages) > 20:
                self._pages.clear()
            self._pages[place] = seen, report_html(made, make_findings(made), place)
        return self._pages[place][1]

    def matches(self, place: Path) -> tuple[list[Row], str]:
        """The matches of a run as rows, and of how many where they are not all; the same until its matches change."""
        seen = version_of(place)
        if place not in self._matches or self._matches[place][0] != seen:
            if len(self._matches) > 5:
                self._matches.clear()
            record = load_spec(place)
            results, counts = stored_results(place, record, functools.partial(places, record))
            sampled = sample_text(results, sum(counts.values()))
            self._matches[place] = seen, (rows_of(results), sampled)
        return self._matches[place][1]
