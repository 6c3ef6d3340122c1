"""The colours of pictures by name: light, dark, and ones that colour-blind people tell apart.

In an SVG of a page a colour is a CSS variable, so one drawing serves all schemes; `resolved` puts values in their
place for programs that know no variables. Every fill has an ink of its own (`on-red`) of a contrast of at least 4.5.
"""

import re

SCHEMES = ("light", "dark", "safe", "safe-dark")

DARK_INK, WHITE = "#1c2430", "#ffffff"

# name: fill and ink on it, in light, dark, colour-blind-safe (after Okabe and Ito), the same in the dark
_FILLS = {
    "red": ("#c22f3d", WHITE, "#cc4350", WHITE, "#c65300", WHITE, "#e8792b", DARK_INK),
    "orange": ("#e08a2e", DARK_INK, "#e6994a", DARK_INK, "#e69f00", DARK_INK, "#e69f00", DARK_INK),
    "yellow": ("#edc53f", DARK_INK, "#efcb56", DARK_INK, "#f0e442", DARK_INK, "#f0e442", DARK_INK),
    "green": ("#2f7d4a", WHITE, "#358353", WHITE, "#00795a", WHITE, "#1f9e78", DARK_INK),
    "teal": ("#1f7a80", WHITE, "#2a8289", WHITE, "#117a8b", WHITE, "#3fb0c4", DARK_INK),
    "blue": ("#2c67ad", WHITE, "#3f78be", WHITE, "#0069a8", WHITE, "#56b4e9", DARK_INK),
    "purple": ("#7a4a9e", WHITE, "#8a5bb0", WHITE, "#b3548a", WHITE, "#d88bb8", DARK_INK),
    "pink": ("#b8467f", WHITE, "#cf6d9f", DARK_INK, "#d98cb9", DARK_INK, "#d98cb9", DARK_INK),
    "brown": ("#85563a", WHITE, "#8f6146", WHITE, "#7a5a2e", WHITE, "#b08b58", DARK_INK),
    "black": ("#2a2f37", WHITE, "#0a0d11", WHITE, "#2a2f37", WHITE, "#0a0d11", WHITE),
    "grey": ("#667180", WHITE, "#6b7788", WHITE, "#667180", WHITE, "#6b7788", WHITE),
    "white": ("#ffffff", DARK_INK, "#e9edf2", DARK_INK, "#ffffff", DARK_INK, "#e9edf2", DARK_INK),
    "sand": ("#ead9b4", DARK_INK, "#cdb98c", DARK_INK, "#ead9b4", DARK_INK, "#cdb98c", DARK_INK),
}
_GROUNDS = {  # the same with and without colour-blind-safe colours
    "ink": ("#1c2430", "#e6ebf1"),
    "muted": ("#566272", "#a3afbd"),
    "rule": ("#c9d1da", "#3d4856"),
    "face": ("#ffffff", "#212b37"),  # of cards
    "space": ("#f1f3f6", "#252f3b"),  # an empty space
    "board": ("#dfe4ea", "#0f151c"),  # between the spaces
    "paper": ("#ffffff", "#18202a"),  # behind it all
    "accent": ("#2563ac", "#7cb3f2"),
    "mark": ("#b4540a", "#f0a35e"),
}
VARIABLE = re.compile(r"var\(--c-([a-z-]+)\)")


def values(scheme: str) -> dict[str, str]:
    """The value of each name in a scheme of SCHEMES, inks on fills as `on-NAME`."""
    dark, place = scheme.endswith("dark"), 2 * SCHEMES.index(scheme)
    found = {name: pair[dark] for name, pair in _GROUNDS.items()}
    for name, given in _FILLS.items():
        found[name], found[f"on-{name}"] = given[place], given[place + 1]
    return found


def variable(name: str) -> str:
    """A colour of an SVG in a page."""
    return f"var(--c-{name})"


def resolved(svg: str, scheme: str) -> str:
    """An SVG with values in place of its variables."""
    known = values(scheme)
    return VARIABLE.sub(lambda found: known[found[1]], svg)


def style() -> str:
    """The CSS that gives the variables their values; `data-colours="safe"` on the root chooses the safe ones."""

    def block(scheme: str) -> str:
        return "".join(f"--c-{name}:{value};" for name, value in values(scheme).items())

    light, dark, safe, safe_dark = map(block, SCHEMES)
    return (
        f":root{{{light}}}\n:root[data-colours=safe]{{{safe}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{{dark}}}:root[data-colours=safe]{{{safe_dark}}}}}\n"
    )
