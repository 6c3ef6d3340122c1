"""The HTML around everything that the server shows, and the policy that lets only our own scripts run."""

import base64
import hashlib
import re
from collections.abc import Iterable
from html import escape
from importlib.resources import files

from arena.pages.html import asset
from arena.pictures.palette import style
from arena.web.guard import POLICY

SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
MARK = re.compile(r'<span data-replay="(\w+)"></span>')
OWN = ("web.css", "dom.js", "home.js", "live.js", "seat.js")
SHARED = ("page.css", "page.js", "replay.css")
COLOURS = "colours.css"  # of pictures


def asset_text(name: str) -> str | None:
    """A style or script that pages ask for; None if there is none of this name."""
    if name == COLOURS:
        return style()
    if name in OWN:
        return (files("arena.web") / name).read_text(encoding="utf-8")
    return asset(name) if name in SHARED else None


def page(title: str, body: str, scripts: Iterable[str] = (), home: bool = True) -> str:
    """A page of the server; `body` is HTML, the title is plain text."""
    code = "\n".join(f'<script src="/assets/{name}" defer></script>' for name in scripts)
    links = '<nav aria-label="Pages"><ul><li><a href="/">Runs</a></li><li><a href="/boards">Boards</a></li>'
    links += '<li><a href="/play">Play</a></li></ul></nav>'
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/page.css">
<link rel="stylesheet" href="/assets/colours.css">
<link rel="stylesheet" href="/assets/replay.css">
<link rel="stylesheet" href="/assets/web.css">
<title>{escape(title)}</title>
{code}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>{links if home else ""}<h1>{escape(title)}</h1></header>
<main id="main">
{body}
</main>
</body>
</html>
"""


def policy_of(html: str) -> str:
    """The content policy of a page that carries its scripts: those made of our own files, no others."""
    ours = [text for name in scripts_of_pages() if (text := asset(name))]
    allowed = []
    for body in SCRIPT.findall(html):
        rest = body
        for text in ours:
            rest = rest.replace(text, "")
        if not rest.strip():
            digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
            allowed.append(f"'sha256-{digest}'")
    return POLICY.replace("script-src 'self'", f"script-src 'self' {' '.join(allowed)}".strip())


def scripts_of_pages() -> list[str]:
    """The scripts that pages are made with."""
    return [file.name for file in files("arena.pages").iterdir() if file.name.endswith(".js")]


def with_replays(html: str) -> str:
    """A report whose listed matches lead to their replays."""
    return MARK.sub(r'<a href="replays/\1.html">watch</a>', html)


def with_links(html: str, links: Iterable[tuple[str, str]]) -> str:
    """A page with links (address, text) at its top."""
    entries = "".join(
        f'<li><a href="{escape(address, quote=True)}">{escape(text)}</a></li>'
        for address, text in links
    )
    nav = f'<nav aria-label="Pages"><ul>{entries}</ul></nav>'
    return html.replace("<header>", f"<header>{nav}", 1)
