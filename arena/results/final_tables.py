"""The table of a format beside the rating, and why an entrant may stand elsewhere in one than in the other."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean
from typing import Any

import pandas as pd

from arena.plan.identity import variant_label
from arena.results.events import Event, Events, Played
from arena.results.meetings import Meeting, score_text
from arena.results.rankings import aligned, records
from engines.pictures import counted

COLUMNS = (
    *("game", "variant", "players", "place", "entrant", "points", "buchholz"),
    *("sonneborn_berger", "byes", "tables", "opponents_elo", "elo_rank", "note"),
)
MOST_EXPLAINED = 5  # entrants whose two places differ
UNLIKE = 20.0  # Elo between an entrant's opponents and all others, from which it is worth a word


def final_tables(
    events: Events | None, names: Mapping[str, str], standings: pd.DataFrame
) -> pd.DataFrame:
    """One row an entrant of each event, best first, with where its rating puts it.

    tables: that it played. opponents_elo: mean Elo of those it met, each as often as it met them.
    elo_rank: by Elo among the entrants of the event; missing without an Elo.
    """
    rows: list[dict[str, Any]] = []
    for event in events.events if events else ():
        rows += event_rows(event, names, standings)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def key_of(event: Event) -> tuple[str, str, int]:
    """The group of an event's matches."""
    return event.table.game, variant_label(event.table.changes), event.table.players


def event_rows(
    event: Event, names: Mapping[str, str], standings: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    """The rows of one event."""
    game, variant, players = key_of(event)
    own = standings[
        (standings.game == game) & (standings.variant == variant) & (standings.players == players)
    ]
    elo = dict(zip(own.entrant, own.elo, strict=True))
    named = [names[one] for one in event.seeds]
    rated = sorted((one for one in named if pd.notna(elo.get(one))), key=lambda one: -elo[one])
    for place in event.table_now():
        name = named[place.entrant]
        met = [named[other] for other in opponents(event.rounds, place.entrant)]
        known = [elo[other] for other in met if pd.notna(elo.get(other))]
        yield {
            "game": game,
            "variant": variant,
            "players": players,
            "place": place.place,
            "entrant": name,
            "points": place.points,
            "buchholz": place.buchholz,
            "sonneborn_berger": place.sonneborn_berger,
            "byes": sum(place.entrant in played.round.byes for played in event.rounds),
            "tables": sum(1 for _ in tables_of(event.rounds, place.entrant)),
            "opponents_elo": mean(known) if known else None,
            "elo_rank": rated.index(name) + 1 if name in rated else None,
            "note": place.note,
        }


def tables_of(rounds: Sequence[Played], entrant: int) -> Iterator[tuple[tuple[int, ...], float]]:
    """The tables of an entrant, with its mean score at each."""
    for played in rounds:
        for table, meeting in zip(played.round.tables, played.meetings, strict=True):
            if entrant in table:
                yield table, meeting.means[table.index(entrant)]


def opponents(rounds: Sequence[Played], entrant: int) -> list[int]:
    """Whom an entrant met, each as often as it did."""
    return [other for table, _ in tables_of(rounds, entrant) for other in table if other != entrant]


# --- in words -------------------------------------------------------------------------------------


def event_lines(
    events: Events,
    key: tuple[str, str, int],
    names: Mapping[str, str],
    rows: pd.DataFrame,
    standings: pd.DataFrame,
) -> Iterator[str]:
    """The event of a group in lines; `rows`: its final table, `standings`: its rating."""
    for event in events.events:
        if key_of(event) == key:
            yield f"{title(event, events.schedule)}:"
            yield aligned(shown(rows))
            yield from differences(rows, standings, events.schedule)
            yield from bracket_lines(event, names)
            yield "rating, of all matches:"


def shown(rows: pd.DataFrame) -> pd.DataFrame:
    """A final table as people read it."""
    return pd.DataFrame(
        {
            "#": rows.place.map(str),
            "bot": rows.entrant,
            "points": [f"{value:.3g}" for value in rows.points],
            "Buchholz": [f"{value:.3g}" for value in rows.buchholz],
            "Sonneborn-Berger": [f"{value:.3g}" for value in rows.sonneborn_berger],
            "tables": rows.tables.map(str),
            "byes": rows.byes.map(str),
            "by Elo": ["" if pd.isna(rank) else f"{rank:.0f}" for rank in rows.elo_rank],
            "note": rows.note,
        }
    ).reset_index(drop=True)


def title(event: Event, schedule: str) -> str:
    """'final table of the swiss', 'knockout after the semi-finals'."""
    name = schedule.replace("_", " ")
    if event.over:
        return f"final table of the {name}"
    done = [played.round.name for played in event.rounds if played.over]
    return f"{name} after {done[-1]}" if done else f"{name}: no round is over yet"


def differences(rows: pd.DataFrame, standings: pd.DataFrame, schedule: str = "") -> list[str]:
    """Why entrants stand elsewhere in the table than by Elo, those farthest apart first."""
    ranges = {row["entrant"]: (row["rank_best"], row["rank_worst"]) for row in records(standings)}
    found = []
    field = rows.opponents_elo.mean()
    finalists = rows.note.map(is_finalist).sum()
    for row in records(rows[rows.elo_rank.notna()]):
        gap = row["elo_rank"] - row["place"]
        last = row["place"] + (rows.place == row["place"]).sum() - 1
        if row["place"] <= row["elo_rank"] <= last:
            continue
        reasons = [
            *(reasons_up(row, field) if gap > 0 else reasons_down(row, field, schedule)),
            *finals_reason(row, int(finalists), len(rows)),
            *doubts(row, ranges.get(row["entrant"], (None, None))),
        ]
        text = (
            f"{row['entrant']} is {row['place']}. in the table and {row['elo_rank']:.0f}. by Elo: "
            f"{'; '.join(reasons) or 'a table counts won or lost, Elo counts by how much'}"
        )
        found.append((-abs(gap), text))
    return [text for _, text in sorted(found)[:MOST_EXPLAINED]]


def is_finalist(note: object) -> bool:
    """Whether a note of a final table says how far an entrant came in tables that have one winner."""
    return str(note).startswith(("winner", "out"))


def reasons_up(row: Mapping[str, Any], field: float) -> Iterator[str]:
    """What puts an entrant higher in the table than its Elo does."""
    if row["byes"]:
        yield f"{row['byes']} bye{'s' if row['byes'] > 1 else ''} counted as won"
    if pd.notna(row["opponents_elo"]) and field - row["opponents_elo"] >= UNLIKE:
        gap = field - row["opponents_elo"]
        yield f"it met weaker opponents than the others did (by {gap:.0f} Elo)"


def reasons_down(row: Mapping[str, Any], field: float, schedule: str) -> Iterator[str]:
    """What puts an entrant lower in the table than its Elo does."""
    if pd.notna(row["opponents_elo"]) and row["opponents_elo"] - field >= UNLIKE:
        gap = row["opponents_elo"] - field
        yield f"it met stronger opponents than the others did (by {gap:.0f} Elo)"
    if str(row["note"]).startswith("out"):
        lost = "two lost tables" if schedule == "double_elimination" else "one lost table"
        yield f"{lost} ended it, Elo counts every match"


def finals_reason(row: Mapping[str, Any], finalists: int, count: int) -> Iterator[str]:
    """That finals decide the first places, for whom their Elo had not there, or had; nothing where all play them."""
    reached, by_elo = is_finalist(row["note"]), row["elo_rank"] <= finalists
    if 0 < finalists < count and reached != by_elo:
        did = "reached" if reached else "missed"
        yield f"it {did} the finals, which decide the first {finalists} places"


def doubts(row: Mapping[str, Any], ranks: tuple[Any, Any]) -> Iterator[str]:
    """That the rank by Elo is not sure."""
    low, high = ranks
    if pd.isna(low):
        yield "its matches are too few to tell (its Elo has no interval)"
    elif low <= row["place"] <= high:
        yield f"its matches do not tell (ranks {low:.0f} to {high:.0f} by Elo, 95 %)"


# --- brackets -------------------------------------------------------------------------------------


def bracket_lines(event: Event, names: Mapping[str, str]) -> Iterator[str]:
    """The rounds in which tables have one winner, a line a table: who met whom, * who went on."""
    for played in event.rounds:
        if not played.round.decisive:
            continue
        yield f"{played.round.name}:"
        labels = played.round.labels or ("",) * len(played.meetings)
        for meeting, label in zip(played.meetings, labels, strict=True):
            best = max(meeting.means)
            winner = meeting.entrants[meeting.means.index(best)] if meeting.over else ""
            told = " – ".join(
                f"{names[one]}{'*' if one == winner else ''} {score_text(score)}"
                for one, score in zip(meeting.entrants, meeting.means, strict=True)
            )
            kind = f"{label}: " if label and label != played.round.name else ""
            yield f"  {kind}{told} ({deals_text(meeting)})"
        if played.round.byes:
            yield f"  bye: {', '.join(names[event.seeds[one]] for one in played.round.byes)}"


def deals_text(meeting: Meeting) -> str:
    """'3 deals', and who goes on where that does not tell."""
    told = counted(len(meeting.scores), "deal")
    equal = meeting.over and meeting.means.count(max(meeting.means)) > 1
    return f"{told}, equal: the better seed goes on" if equal else told
