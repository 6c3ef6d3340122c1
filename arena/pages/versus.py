"""Two stored runs side by side as one HTML file."""

from html import escape
from pathlib import Path

from arena.balance.page import IN_SHORT
from arena.balance.versus import Pair, Versus, frame_of, legend, title
from arena.pages.balance_charts import comparison
from arena.pages.html import Names, document, figure, header, paragraph, section, table
from arena.store.files import write_text

LEFT = ("measure", "outcome")
CAPTION = "What changed first, then what is undecided, then what stayed within the margin"


def write_versus_page(made: Versus, file: Path) -> None:
    """Write the page."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, versus_html(made))


def versus_html(made: Versus) -> str:
    """The page: a sentence for each pair of variants, then each pair's chart and table."""
    names = Names()
    entries = "".join(
        f'<li><a href="#pair{place}">{escape(pair.title)}</a>: {escape(pair.sentence)}</li>'
        for place, pair in enumerate(made.pairs, 1)
    )
    parts = [section("short", IN_SHORT, [f'<div class="lead"><ul>{entries}</ul></div>'])]
    for place, pair in enumerate(made.pairs, 1):
        parts.append(section(f"pair{place}", pair.title, [shown(pair, names)]))
    heading = title(made)
    body = "\n".join(parts)
    main = f'{header(heading, [escape(legend(made))], [])}\n<main id="main">\n{body}\n</main>'
    return document(heading, main, ["page.js"], heading)


def shown(pair: Pair, names: Names) -> str:
    """A pair's differences as chart and table."""
    beside = table(frame_of(pair), CAPTION, left=LEFT)
    _, chart = comparison(pair.rows)
    if chart is None:
        return f'<article class="figure"><h3>{escape(pair.title)}</h3>{beside}{paragraph("No interval yet")}</article>'
    changed = int((pair.rows.outcome == "changed").sum())
    return figure(names, chart, f"{changed} of {len(pair.rows)} measures changed", beside)
