"""The table of a format on a page, and its brackets as a picture."""

from collections.abc import Iterator, Mapping
from html import escape

from arena.pages.html import bullets, table
from arena.pages.source import Source
from arena.pictures.letters import width_of
from arena.plan.columns import apart
from arena.results.events import Event, Played
from arena.results.final_tables import bracket_lines, differences, key_of, shown, title
from arena.results.meetings import score_text

WIDTH, ROW, GAP, COLUMN = 190, 22, 14, 230  # of a box, its lines, between boxes, between rounds
TOP, MARGIN = 34, 8
LETTERS = 22  # of a name in a box
NOTE = "Numbers are mean scores in per cent of what there was to win at the table; who went on is bold."


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
    why = bullets(differences(rows, source.rows("standings"), source.made.record.spec.schedule))
    yield (
        f'<div class="panel"><h3>{escape(said[0].upper() + said[1:])}</h3>'
        f"{table(shown(rows), said, left=left)}"
        f"{'<p>Where the table and the rating differ, and why:</p>' + why if why else ''}</div>"
    )
    deciding = [played for played in event.rounds if played.round.decisive]
    if deciding:
        told = "".join(f"<li>{escape(line)}</li>" for line in bracket_lines(event, names))
        yield (
            f'<div class="panel"><h3>Brackets</h3><div class="drawn" tabindex="0" role="group" '
            f'aria-label="Brackets">{bracket_svg(deciding, event, names)}</div>'
            f'<p class="note">{NOTE}</p>'
            f"<details><summary>The same in words</summary><ul>{told}</ul></details></div>"
        )


def bracket_svg(rounds: list[Played], event: Event, names: Mapping[str, str]) -> str:
    """Rounds from left to right, a box for each table, a line from each box to the next of who goes on in its part.

    Those who have lost once in a double elimination have a part of their own below, and come to it without a line.
    """
    places, lower = box_places(rounds)
    height = max(top + ROW * len(rounds[n].meetings[k].entrants) for (n, k), top in places.items())
    width = COLUMN * (len(rounds) - 1) + WIDTH + 2 * MARGIN
    ids = [one for one in event.seeds if one in names]
    short = dict(zip(ids, apart([names[one] for one in ids], LETTERS), strict=True))
    lines: list[str] = []  # below the boxes, where they pass rounds in which somebody rests
    drawn: list[str] = []
    # Of each entrant: whether in the lower part, and where its last box ended.
    last: dict[str, tuple[bool, float, float]] = {}
    for number, played in enumerate(rounds):
        x = MARGIN + COLUMN * number
        drawn.append(text(x, TOP - 16, played.round.name, "var(--muted)"))
        for place, (meeting, below) in enumerate(zip(played.meetings, belows(played), strict=True)):
            top = places[number, place]
            drawn.append(
                f'<rect x="{x}" y="{top:.1f}" width="{WIDTH}" height="{ROW * len(meeting.entrants)}" '
                'rx="4" fill="var(--paper)" stroke="var(--rule)"/>'
            )
            best = max(meeting.means)
            for line, (entrant, score) in enumerate(
                zip(meeting.entrants, meeting.means, strict=True)
            ):
                middle = top + ROW * (line + 0.5)
                wins = meeting.over and meeting.means.index(best) == line
                ink = "var(--accent)" if wins else "var(--ink)"
                full = names[entrant] if short[entrant] != names[entrant] else ""
                said = score_text(score).removesuffix(" %")
                drawn.append(text(x + WIDTH - 6, middle + 4, said, ink, "end"))
                room = WIDTH - 24 - width_of(said, 12)
                name = short[entrant]
                drawn.append(text(x + 6, middle + 4, name, ink, bold=wins, full=full, room=room))
                was_below, *end = last.get(entrant, (False,))
                if end and was_below >= below:
                    lines.append(link(end[0], end[1], x, middle))
                last[entrant] = below, x + WIDTH, middle
    if lower:
        lines.append(
            f'<path d="M{MARGIN} {lower - 30:.1f}H{width - MARGIN}" stroke="var(--rule)" '
            'stroke-dasharray="4 4"/>'
        )
        drawn.append(text(MARGIN, lower - 12, "lower part: who has lost one table", "var(--muted)"))
    said = f"Brackets: {', '.join(played.round.name for played in rounds)}"
    return (
        f'<svg class="bracket" role="img" aria-label="{escape(said, quote=True)}" '
        f'xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + MARGIN:.0f}" '
        f'viewBox="0 0 {width} {height + MARGIN:.0f}" font-family="inherit">'
        f"{''.join(lines)}{''.join(drawn)}</svg>"
    )


def belows(played: Played) -> list[bool]:
    """Which tables of a round are in the lower part: those of entrants who have lost one, but for the last two."""
    return [label == "lower" for label in played.round.labels or ("",) * len(played.meetings)]


def box_places(rounds: list[Played]) -> tuple[dict[tuple[int, int], float], float]:
    """The top of each box (round, table), and where the lower part begins, 0 without one.

    A box is in the middle of those its entrants come from in its part, none over another.
    """
    found: dict[tuple[int, int], float] = {}
    end = float(TOP)
    begins = {False: end, True: 0.0}
    for part in (False, True):
        if part and any(any(belows(played)) for played in rounds):
            begins[True] = end + 48
        middles: dict[str, float] = {}
        for number, played in enumerate(rounds):
            free = begins[part]
            wanted = []
            for place, (meeting, below) in enumerate(
                zip(played.meetings, belows(played), strict=True)
            ):
                if below == part:
                    came = [middles[one] for one in meeting.entrants if one in middles]
                    tall = ROW * len(meeting.entrants)
                    top = sum(came) / len(came) - tall / 2 if came else 0.0
                    wanted.append((top, place, meeting, tall))
            for top, place, meeting, tall in sorted(wanted, key=lambda one: one[:2]):
                found[number, place] = max(top, free)
                free = found[number, place] + tall + GAP
                end = max(end, free - GAP)
                for one in meeting.entrants:
                    middles[one] = found[number, place] + tall / 2
    return found, begins[True]


def text(
    x: float,
    y: float,
    said: str,
    ink: str,
    anchor: str = "start",
    size: int = 12,
    bold: bool = False,
    full: str = "",
    room: float = 0.0,
) -> str:
    """A text of a picture; full: what it stands for, where it was cut; room: what it is squeezed into, 0 for any."""
    more = f"<title>{escape(full)}</title>" if full else ""
    style = ' font-weight="600"' if bold else ""
    if room and width_of(said, size, bold) > room:
        style += f' textLength="{room:.0f}" lengthAdjust="spacingAndGlyphs"'
    return (
        f'<text x="{x}" y="{y:.1f}" font-size="{size}" fill="{ink}" text-anchor="{anchor}"{style}>'
        f"{escape(said)}{more}</text>"
    )


def link(x: float, y: float, to_x: float, to_y: float) -> str:
    """A line from one box to the next."""
    half = (x + to_x) / 2
    return (
        f'<path d="M{x} {y:.1f}C{half} {y:.1f} {half} {to_y:.1f} {to_x} {to_y:.1f}" fill="none" '
        'stroke="var(--rule)" stroke-width="1.5"/>'
    )
