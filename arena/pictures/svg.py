"""A whole picture as one SVG, for what is no page: panels side by side, as many as the width takes."""

from html import escape

from arena.pictures.icons import Paint, Text, moved, number, rect, text_svg
from arena.pictures.layout import MARGIN, WIDTH, Item, Laid, lay
from arena.pictures.letters import FONT, cut
from arena.pictures.palette import resolved, variable
from engines.pictures import Picture, described

TITLE, TITLE_TEXT = 24.0, 13.0
SPACE = 12.0  # between panels


def picture_svg(picture: Picture, scheme: str = "light", columns: int = 3) -> str:
    """A picture as an SVG document with its own colours and its description.

    Args:
        picture: what a game says of a position.
        scheme: one of `palette.SCHEMES`.
        columns: panels beside each other at most; a wide one takes the place of two.
    """
    placed, width, height = shelves(picture, columns)
    drawn = "".join(moved(svg, x, y) for x, y, svg in placed)
    background = rect(0, 0, width, height, 0, fill=variable("board"))
    told = escape("\n".join(described(picture)))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" font-family="{FONT}" '
        f'width="{number(width)}" height="{number(height)}" '
        f'viewBox="0 0 {number(width)} {number(height)}">'
    )
    return resolved(f"{head}<title>{told}</title>{background}{drawn}</svg>", scheme)


def shelves(picture: Picture, columns: int) -> tuple[list[tuple[float, float, str]], float, float]:
    """Each panel where the columns are shortest: (x, y, SVG), and the size of all."""
    heights = [SPACE] * columns
    placed = []
    for panel in picture.panels:
        laid = lay(panel)
        span = 2 if panel.wide and columns > 1 else 1
        first = min(range(columns - span + 1), key=lambda c: max(heights[c : c + span]))
        y = max(heights[first : first + span])
        scale = (span * WIDTH + (span - 1) * SPACE) / WIDTH
        svg = panel_svg(laid)
        if span > 1:
            svg = f'<g transform="scale({scale:.4g})">{svg}</g>'
        placed.append((SPACE + first * (WIDTH + SPACE), y, svg))
        heights[first : first + span] = [y + (laid.height + TITLE) * scale + SPACE] * span
    used = max(x for x, _, _ in placed) + WIDTH + SPACE if placed else WIDTH
    wide = any(panel.wide for panel in picture.panels) and columns > 1
    return placed, max(used, 2 * (WIDTH + SPACE) + SPACE) if wide else used, max(heights)


def panel_svg(laid: Laid) -> str:
    """A panel with its title, on paper."""
    colour = "accent" if laid.panel.active else "rule"
    edge: Paint = {"stroke": variable(colour), "stroke_width": 2 if laid.panel.active else 1}
    paper = rect(0.5, 0.5, WIDTH - 1, laid.height + TITLE - 1, 8, fill=variable("paper"), **edge)
    title = Text(
        cut(laid.panel.title, WIDTH - 2 * MARGIN, TITLE_TEXT, True),
        MARGIN,
        18,
        TITLE_TEXT,
        bold=True,
    )
    items = "".join(map(item_svg, laid.items))
    return paper + text_svg(title, "ink") + moved(items, 0, TITLE)


def item_svg(item: Item) -> str:
    """A shape in its place."""
    return moved(item.svg, item.x, item.y)
