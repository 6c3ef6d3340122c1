"""How wide texts are: the advance widths of Helvetica (Adobe Font Metrics), which Arial and Liberation Sans share."""

from functools import lru_cache

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
_WIDTHS = {  # thousandths of the size, by the letters that have them
    191: "'",
    222: "ijl",
    278: " !,./:;I[\\]ft|·",
    333: "()-`r‘’“”",
    355: '"',
    389: "*",
    469: "^",
    500: "Jcksvxyz",
    556: "#$0123456789?L_abdeghnopqu–«»",
    584: "+<=>~×÷±−",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1000: "—…→←↑↓",
    1015: "@",
}
_ADVANCE = {letter: width for width, letters in _WIDTHS.items() for letter in letters}
_UNKNOWN = 700
_BOLD = 1.08  # bold letters are wider by at most so much on the average of a word
_SPARE = 1.03  # other fonts of this kind
CAP_HEIGHT = 0.72  # of the size; descenders reach 0.21 below the line


@lru_cache(maxsize=20_000)
def width_of(text: str, size: float, bold: bool = False) -> float:
    """The width of a line of text in units of `size`."""
    thousandths = sum(_ADVANCE.get(letter, _UNKNOWN) for letter in text)
    return thousandths / 1000 * size * _SPARE * (_BOLD if bold else 1.0)


@lru_cache(maxsize=20_000)
def wrapped(
    text: str, width: float, size: float, bold: bool = False, most: int = 99
) -> tuple[str, ...]:
    """The text in at most `most` lines that are no wider than `width`; what has no room ends in '…'."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size, bold) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    kept = lines[:most]
    if len(lines) > most:
        kept[-1] += "…"
    return tuple(cut(line, width, size, bold) for line in kept)


def cut(line: str, width: float, size: float, bold: bool = False) -> str:
    """A line that is no wider than `width`, ending in '…' if something is left out."""
    if width_of(line, size, bold) <= width:
        return line
    line = line.rstrip("…")
    while line and width_of(line + "…", size, bold) > width:
        line = line[:-1]
    return line.rstrip() + "…" if line else ""


def fitting(text: str, width: float, size: float, least: float, bold: bool = False) -> float:
    """The largest size from `size` down to `least` at which a line fits."""
    needed = width_of(text, size, bold)
    if needed <= width:
        return size
    return max(least, 0.999 * size * width / needed)  # so that rounding makes it no wider
