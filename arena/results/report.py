"""Tables of a stored run for the terminal, as CSV, and as a leaderboard to publish."""

import functools
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from arena.plan.hosts import calls_text
from arena.results import pairs, tables
from arena.results.cells import write_table
from arena.results.claims import order_text, sentence
from arena.results.clocks import clock_lines
from arena.results.endings import endings
from arena.results.events import Events
from arena.results.final_tables import event_lines, final_tables
from arena.results.groups import Results
from arena.results.hosts import host_lines
from arena.results.league import aside_lines, hidden, hidden_lines, shown
from arena.results.progress import (
    COMPLETE,
    Progress,
    aside_of,
    places,
    progress_of,
    stored_duel,
    stored_rounds,
)
from arena.results.rankings import GAP, aligned, for_terminal, leaderboard, rankings, share_text
from arena.results.rankings import milliseconds as milliseconds
from arena.results.rankings import of_group as of_group
from arena.results.rankings import players_text as players_text
from arena.results.rankings import records as records
from arena.results.rankings import shared_notes as shared_notes
from arena.results.rankings import spans as spans
from arena.results.reading import stored_results
from arena.results.talks import TALKED, talk_board, talk_table, talk_text
from arena.results.titles import board_title, grid_picture, group_title
from arena.statistics.claims import ELO_GAP, deals_to_separate, elo_half_width
from arena.statistics.resampling import FEWEST_DEALS
from arena.store.files import write_text
from arena.store.provenance import match_command, replay_command, run_command
from arena.store.record import RunRecord, chance_text
from arena.store.run_folder import load_spec

FILES = ("standings", "head_to_head", "seats", "sides", "faults", "endings")
KEY = ["game", "variant", "players"]
NAMES = ("bot", "variant", "measure")  # columns of words in Markdown, to the left
MOST_IN_GRID = 12  # bots whose scores against each other fit a table
KEPT = "restart: run, one process for many matches of the run"
LAST_LINES = 3  # of stderr beside a fault
MARKUP = re.compile(  # an underscore inside a word, and brackets with no link behind them, mean nothing
    r"[\\`*|$]|~(?=~)|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[:])|<(?=[A-Za-z/!?])|&(?=[#\w])|:(?=//)|(?<=www)\."
)


@dataclass(frozen=True)
class Tables:
    """All tables of a run."""

    folder: Path
    record: RunRecord
    stored: int  # matches
    planned: int
    standings: pd.DataFrame
    head_to_head: pd.DataFrame
    pairs: pd.DataFrame
    seats: pd.DataFrame
    sides: pd.DataFrame
    faults: pd.DataFrame
    endings: pd.DataFrame
    results: Results
    events: Events | None = None  # of a tournament in rounds
    final: pd.DataFrame = field(default_factory=pd.DataFrame)  # their final tables
    answer: str = ""  # to what the run was to decide, if anything
    decided: bool = False
    everybody: pd.DataFrame = field(default_factory=pd.DataFrame)  # standings, all on no board too
    progress: Progress = COMPLETE
    aside: Collection[str] | None = None  # who was set aside in rounds
    chat: pd.DataFrame = field(default_factory=pd.DataFrame)  # what language models cost

    @functools.cached_property
    def hosts(self) -> tuple[str, ...]:
        """A line for each machine that does not fit; made when it is asked for, from all rows of the run."""
        return tuple(host_lines(self.folder, self.record, self.stored))

    @property
    def unfinished(self) -> bool:
        """Whether matches are missing: of the schedule, or for an answer."""
        return self.progress.text not in ("complete", "decided")

    @property
    def aside_lines(self) -> list[str]:
        """A line for each bot that was set aside."""
        return aside_lines(self.everybody, self.record.spec.max_fault_share, self.aside)

    def text(self) -> str:
        """The standings and seats for the terminal."""
        if self.standings.empty:
            return "no matches yet"
        parts = [group_text(self, key) for key in group_keys(self.standings)]
        return "\n\n".join([*parts, *self.aside_lines, *self.hosts])


def make_tables(folder: Path) -> Tables:
    """The tables of a run, finished or not.

    Raises:
        UserError: no run in this folder, or a damaged one.
    """
    record = load_spec(folder)
    results, stored = stored_results(folder, record, functools.partial(places, record))
    anchor = record.spec.anchor
    duel = stored_duel(folder, record)
    rounds = stored_rounds(folder, record)
    events = rounds if isinstance(rounds, Events) else None
    aside = {record.entrants[one].name for one in rounds.aside} if rounds else None
    progress = progress_of(record, stored, duel, rounds, aside_of(folder, record))
    rated = tables.standings(
        results, anchor=(anchor.bot, anchor.elo) if anchor else None, left_out=hidden(record)
    )
    return Tables(
        folder,
        record,
        sum(stored.values()),
        progress.planned,
        shown(rated, hidden(record)),
        shown(tables.head_to_head(results), hidden(record)),
        shown(pairs.pairs(results), hidden(record)),
        tables.seat_advantage(results),
        tables.sides(results),
        tables.faults(results),
        endings(results),
        results,
        events,
        final_tables(events, {one.id: one.name for one in record.entrants.values()}, rated),
        duel.text() if duel else "",
        progress.decided,
        rated,
        progress,
        aside,
        talk_table(record, [(folder, None)]),
    )


def write_tables(folder: Path) -> Tables:
    """Make the tables of a run and write one CSV each into its folder."""
    write_csv(made := make_tables(folder))
    return made


def write_csv(made: Tables, folder: Path | None = None) -> None:
    """Write the tables of a run into its folder, or another one, one CSV each."""
    more = ["final"] * (made.events is not None) + ["chat"] * (not made.chat.empty)
    for name in (*FILES, "pairs", *more):
        frame: pd.DataFrame = getattr(made, name)
        write_table((folder or made.folder) / f"{name}.csv", frame)


# --- terminal ---------------------------------------------------------------------------------------------


def group_keys(standings: pd.DataFrame) -> list[tuple[str, str, int]]:
    """The (game, variant, players) of a run in order."""
    return list(dict.fromkeys(standings[KEY].itertuples(index=False, name=None)))


def group_text(made: Tables, key: tuple[str, str, int]) -> str:
    """One group's standings, seat advantage and faults as aligned text."""
    parts = [heading(key), *formats_lines(made, key)]
    for title, rows in rankings(of_group(made.standings, key)):
        parts += [*([f"{title}:"] if title else []), aligned(for_terminal(leaderboard(rows)))]
    if len(made.everybody):
        parts += hidden_lines(of_group(made.everybody, key), hidden(made.record))
    parts += [seat_lines(made, key), order_line(made, key)]
    parts += [
        ending_line(made, key),
        *clock_lines(of_group(made.standings, key), made.record.spec.clock),
    ]
    parts += [design_line(made, key), talk_text(made.chat, key)]
    return "\n".join(filter(None, [*parts, *fault_lines(made, key), *notes(made, key)]))


def formats_lines(made: Tables, key: tuple[str, str, int]) -> list[str]:
    """The table of a format, where it differs from the rating that follows, and its brackets."""
    if made.events is None:
        return []
    names = {one.id: one.name for one in made.record.entrants.values()}
    rows, rated = of_group(made.final, key), of_group(made.standings, key)
    return list(event_lines(made.events, key, names, rows, rated))


def design_line(made: Tables, key: tuple[str, str, int]) -> str:
    """How much the deals say: the design effect, and as how many deals of independent matches."""
    rows = of_group(made.standings, key)
    rows = rows[rows.design_effect.notna() & (rows.deals >= FEWEST_DEALS)]
    if rows.empty:
        return ""
    effect, deals = float(rows.design_effect.median()), int(rows.deals.median())
    said = (
        f"{deals} deals of a bot, worth {deals / max(effect, 1e-3):.0f} of independent matches "
        f"(design effect {effect:.2f})"
    )
    found = of_group(made.pairs, key)
    half = elo_half_width(found.difference_low.to_numpy(), found.difference_high.to_numpy())
    needed = deals_to_separate(ELO_GAP, half, deals)
    return f"{said}; about {needed:,.0f} separate {ELO_GAP:g} Elo" if needed > 0 else said


def fault_lines(made: Tables, key: tuple[str, str, int]) -> list[str]:
    """Each kind of fault of each bot, with an example and the last lines the bot wrote on stderr."""
    lines = []
    for row in records(of_group(made.faults, key)):
        lines.append(f"{row['entrant']}: {row['faults']} × {row['kind']}, e.g. {row['example']}")
        lines += [f"    | {line[:200]}" for line in str(row["stderr"]).splitlines()[-LAST_LINES:]]
    return ["faults:", *lines] if lines else []


def notes(made: Tables, key: tuple[str, str, int]) -> list[str]:
    """What limits the rows of a group."""
    rows = records(of_group(made.standings, key))
    named = {row["entrant"] for row in rows}
    kept = {entrant.name for entrant in made.record.entrants.values() if entrant.restart == "run"}
    return [
        *shared_notes(rows),
        *(f"{row['entrant']}: {KEPT}" for row in rows if row["entrant"] in kept),
        *(
            f"{entrant.name}: {calls_text(entrant.network)} (network)"
            for entrant in made.record.entrants.values()
            if entrant.network and entrant.name in named
        ),
    ]


def heading(key: tuple[str, str, int]) -> str:
    """A group in words."""
    game, variant, players = key
    named = "" if variant == "default" else f" ({variant})"
    return f"{game}{named}, {players} player{'' if players == 1 else 's'}"


def seat_lines(made: Tables, key: tuple[str, str, int]) -> str:
    """Win share by order of play in one line, or by side."""
    rows = records(of_group(made.seats, key))
    if not of_group(made.sides, key).empty:
        return side_lines(made, key, rows)
    shares = [f"{row['seat'] + 1}. {share_text(row)}" for row in rows]
    return f"wins by order of play: {'   '.join(shares)}" if shares else ""


def order_line(made: Tables, key: tuple[str, str, int]) -> str:
    """Whether seats, or sides, win alike."""
    rows = records(of_group(made.seats, key))
    what = "the order of play" if of_group(made.sides, key).empty else "the side"
    return order_text(rows[0], what) if rows else ""


def ending_line(made: Tables, key: tuple[str, str, int]) -> str:
    """Why matches ended, in one line."""
    rows = records(of_group(made.endings, key))
    shares = [f"{row['reason'].replace('_', ' ')} {100 * row['share']:.1f} %" for row in rows]
    return f"ended by: {', '.join(shares)}"


def side_lines(made: Tables, key: tuple[str, str, int], seats: list[dict[str, Any]]) -> str:
    """Win share and Elo of each side, then the win share of each entrant on each side."""
    rows = records(of_group(made.sides, key))
    names = {row["side"]: players_text(row["seats"]) for row in rows}
    leaders = {row["side"]: row for row in reversed(seats)}
    texts = []
    for side, row in sorted(leaders.items()):
        low, high = row["elo_low"], row["elo_high"]
        interval = "" if pd.isna(low) else f" [{low:+.0f} {GAP} {high:+.0f}]"
        texts.append(f"{names[side]} {share_text(row)}, {row['elo']:+.0f} Elo{interval}")
    lines = [f"wins by side: {'   '.join(texts)}"] if texts else []
    order = dict.fromkeys(of_group(made.standings, key).entrant)
    for entrant in order:
        own = [f"{names[r['side']]} {share_text(r)}" for r in rows if r["entrant"] == entrant]
        lines.append(f"{entrant} as {'   '.join(own)}")
    return "\n".join(lines)


# --- a leaderboard to publish ------------------------------------------------------------------------------


def write_board(made: Tables, file: Path) -> None:
    """Write the leaderboard of a run in Markdown; it shows the picture and names the page written beside it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, board_text(made, file.stem))


def pictured(made: Tables) -> tuple[str, str, int] | None:
    """The first group in which somebody has an Elo: a board's picture shows it."""
    return next(iter(group_keys(made.standings[made.standings.elo.notna()])), None)


def board_text(made: Tables, beside: str = "") -> str:
    """The leaderboard in Markdown: a table for each group, seats, head to head, and how it was made.

    beside: the name, without its suffix, of the page and the picture that lie beside the file.
    """
    parts = [f"# {escaped(board_title(made.record, made.standings))}", ""]
    parts += [f"[The same with charts]({quote(beside)}.html)", ""] if beside else []
    drawn = pictured(made) if beside else None
    for number, key in enumerate(group_keys(made.standings), 1):
        title = escaped(group_title(made.record, key))
        parts += [f"## {title}", ""]
        for name, rows in rankings(of_group(made.standings, key)):
            parts += [f"{name[0].upper()}{name[1:]}:", ""] if name else []
            parts += [markdown(leaderboard(rows)), ""]
        if key == drawn:
            parts += [f"![Elo with 95 % intervals: {title}]({quote(beside)}.png)", ""]
        seats = escaped(seat_lines(made, key))
        for line in seats.splitlines():
            parts += [f"{line[0].upper()}{line[1:]}." if line.startswith("wins") else line, ""]
        order = order_line(made, key)
        parts += [sentence(order), ""] if order else []
        ending = ending_line(made, key)
        parts += [f"{ending[0].upper()}{ending[1:]}.", ""]
        design = design_line(made, key)
        parts += [f"{design}.", ""] if design else []
        grid = score_grid(made, key)
        if len(grid) > MOST_IN_GRID and beside:
            name = grid_picture(beside, number)
            parts += [f"![Score of each bot against each: {title}]({quote(name)})", ""]
        elif len(grid) > 1:
            parts += ["Score of the row against the column (%):", "", markdown(grid), ""]
        if len(talked := talk_board(made.chat, key)):
            parts += [f"{TALKED}:", "", markdown(talked), ""]
        limits = [f"* {escaped(note)}" for note in notes(made, key)]
        parts += [*limits, ""] if limits else []
    return "\n".join([*parts, *provenance(made)]).rstrip() + "\n"


def score_grid(made: Tables, key: tuple[str, str, int]) -> pd.DataFrame:
    """Head-to-head scores, best entrant first."""
    rows = of_group(made.head_to_head, key)
    order = [n for n in of_group(made.standings, key).entrant if n in set(rows.entrant)]
    scores = {(row["entrant"], row["opponent"]): row["score"] for row in records(rows)}
    grid: dict[str, list[Any]] = {"bot": order}
    for number_, opponent in enumerate(order, 1):
        column = [scores.get((name, opponent)) for name in order]
        grid[str(number_)] = ["" if s is None or pd.isna(s) else f"{100 * s:.0f}" for s in column]
    return pd.DataFrame(grid)


def markdown(frame: pd.DataFrame) -> str:
    """A Markdown table."""
    lines = [[escaped(str(name).strip()) for name in frame.columns]]
    lines.append(["---" if name in NAMES else "---:" for name in frame.columns])
    lines += [[escaped(str(cell)) for cell in row] for row in frame.itertuples(index=False)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escaped(text: str) -> str:
    """A text that Markdown shows as it stands: no mark-up, no links, no cells of its own."""
    return MARKUP.sub(lambda found: "&lt;" if found[0] == "<" else f"\\{found[0]}", text)


def provenance(made: Tables) -> list[str]:
    """How the board was made, so that anybody can make it again."""
    record = made.record
    again = "People played." if record.people else "Budgets or clocks in seconds: not reproducible."
    command = "arena web" if record.people else f"arena run {record.spec.name}"
    if record.reproducible:
        same = "the run's own spec.yaml" if record.spec.salt else "the same command"
        again = f"Budgets in simulations only: {same} gives the same matches."
    rules = ", ".join(f"{name} `{game.rules}`" for name, game in record.games.items())
    bots = "".join(
        f", {escaped(entrant.name)} `{entrant.source_hash}`"
        for entrant in record.entrants.values()
        if entrant.source_hash
    )
    code = ", ".join(f"`{one}`" for one in record.code)
    machines = "; ".join(machine.text for machine in record.machines)
    count = str(made.stored) if made.decided else f"{made.stored} of {made.planned}"
    return [
        "---",
        "",
        f"Made by tabletop-arena {record.version}: `{command}` "
        f"({chance_text(record.spec)}), {count} matches. {again} With the run's "
        f"folder RUN: {once_more(record)}.",
        "",
        "Elo: Bradley–Terry of who finished before whom, weak prior; 95 % intervals by deals, of "
        "the score's scale. Win share: first places per seat played; a place shared by k counts 1/k.",
        "",
        f"Rules: {rules}. Code: package {code}{bots}. Played on: {machines}.",
    ]


def once_more(record: RunRecord) -> str:
    """The commands that play a run and its matches again, or show what people have played."""
    if record.people:
        return f"`{replay_command('RUN', 'MATCH')}` shows one match"
    return f"`{run_command('RUN')}` plays all of it again, `{match_command('RUN')}` one match"
