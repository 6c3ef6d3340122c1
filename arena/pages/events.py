"""The table of a format on a page, and its brackets as a picture."""

from collections.abc import Iterator, Mapping
from html import escape

from arena.pages.html import bullets, table
from arena.pages.source import Source
from arena.results.events import Event, Played
from arena.results.final_tables import bracket_lines, differences, key_of, shown, title
from arena.results.meetings import score_text

WIDTH, ROW, GAP, COLUMN = 190, 22, 14, 250  # of a box, its lines, between boxes, between rounds
TOP, MARGIN = 34, 8
LETTERS = 22  # of a name in a box


def event_part(source: Source) -> str:
    """The final table of a format with its brackets; nothing for another schedule."""
    events = source.made.events
    names = {one.id: one.name for one in source.made.record.entrants.values()}
    parts: list[str] = []
    if events is None:
        return ""
    for event in events.events:
        if key_of(event) == source.key:
            parts += list(pieces(source, event, names, title(event, events.schedule)))
    return "\n".join(parts)


def pieces(source: Source, event: Event, names: Mapping[str, str], said: str) -> Iterator[str]:
    """The parts of one event."""
    rows = source.rows("final")
    left = ("bot", "note")
    why = bullets(differences(rows, source.rows("standings")))
    yield (
        f'<div class="panel"><h3>{escape(said[0].upper() + said[1:])}</h3>'
        f"{table(shown(rows), said, left=left)}"
        f"{'<p>Where the table and the rating differ, and why:</p>' + why if why else ''}</div>"
    )
    deciding = [played for played in event.rounds if played.round.decisive]
    if deciding:
        told = "".join(f"<li>{escape(line)}</li>" for line in bracket_lines(event, names))
        yield (
            f'<div class="panel"><h3>Brackets</h3><div class="scroll" tabindex="0" role="group" '
            f'aria-label="Brackets">{bracket_svg(deciding, event, names)}</div>'
            f"<details><summary>The same in words</summary><ul>{told}</ul></details></div>"
        )


def bracket_svg(rounds: list[Played], event: Event, names: Mapping[str, str]) -> str:
    """Rounds from left to right, a box for each table, a line from each entrant's last box."""
    places = box_places(rounds)
    height = max(top + ROW * len(rounds[n].meetings[k].entrants) for (n, k), top in places.items())
    width = COLUMN * (len(rounds) - 1) + WIDTH + 2 * MARGIN
    drawn: list[str] = []
    last: dict[str, tuple[float, float]] = {}  # where each entrant's last line ended
    for number, played in enumerate(rounds):
        x = MARGIN + COLUMN * number
        drawn.append(text(x, TOP - 16, played.round.name, "var(--muted)"))
        labels = played.round.labels or ("",) * len(played.meetings)
        for place, (meeting, label) in enumerate(zip(played.meetings, labels, strict=True)):
            top = places[number, place]
            lines = len(meeting.entrants)
            if label and label != played.round.name:
                drawn.append(text(x + WIDTH - 4, top - 3, label, "var(--muted)", "end", 10))
            drawn.append(
                f'<rect x="{x}" y="{top:.1f}" width="{WIDTH}" height="{ROW * lines}" rx="4" '
                'fill="var(--paper)" stroke="var(--rule)"/>'
            )
            best = max(meeting.means)
            for line, (entrant, score) in enumerate(
                zip(meeting.entrants, meeting.means, strict=True)
            ):
                middle = top + ROW * (line + 0.5)
                wins = meeting.over and meeting.means.index(best) == line
                ink = "var(--accent)" if wins else "var(--ink)"
                drawn.append(text(x + 6, middle + 4, names[entrant][:LETTERS], ink, bold=wins))
                said = score_text(score).removesuffix(" %")
                drawn.append(text(x + WIDTH - 6, middle + 4, said, ink, "end"))
                if entrant in last:
                    drawn.append(link(*last[entrant], x, middle))
                last[entrant] = x + WIDTH, middle
    said = f"Brackets: {', '.join(played.round.name for played in rounds)}"
    return (
        f'<svg class="bracket" role="img" aria-label="{escape(said, quote=True)}" '
        f'xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + MARGIN:.0f}" '
        f'viewBox="0 0 {width} {height + MARGIN:.0f}" font-family="inherit">{"".join(drawn)}</svg>'
    )


def box_places(rounds: list[Played]) -> dict[tuple[int, int], float]:
    """The top of each box (round, table): in the middle of those its entrants come from, none over another."""
    found: dict[tuple[int, int], float] = {}
    middles: dict[str, float] = {}
    for number, played in enumerate(rounds):
        free = float(TOP)
        wanted = []
        for place, meeting in enumerate(played.meetings):
            came = [middles[one] for one in meeting.entrants if one in middles]
            tall = ROW * len(meeting.entrants)
            wanted.append((sum(came) / len(came) - tall / 2 if came else 0.0, place, meeting, tall))
        for top, place, meeting, tall in sorted(wanted, key=lambda one: one[:2]):
            found[number, place] = max(top, free)
            free = found[number, place] + tall + GAP
            for one in meeting.entrants:
                middles[one] = found[number, place] + tall / 2
    return found


def text(
    x: float,
    y: float,
    said: str,
    ink: str,
    anchor: str = "start",
    size: int = 12,
    bold: bool = False,
) -> str:
    """A text of a picture."""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x}" y="{y:.1f}" font-size="{size}" fill="{ink}" text-anchor="{anchor}"{weight}>'
        f"{escape(said)}</text>"
    )


def link(x: float, y: float, to_x: float, to_y: float) -> str:
    """A line from one box to the next."""
    half = (x + to_x) / 2
    return (
        f'<path d="M{x} {y:.1f}C{half} {y:.1f} {half} {to_y:.1f} {to_x} {to_y:.1f}" fill="none" '
        'stroke="var(--rule)" stroke-width="1.5"/>'
    )
