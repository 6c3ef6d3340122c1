"""Tables of text that fit the terminal: columns are left out, cells cut or folded, rows stacked, none is wrapped."""

import os
import shutil
import sys
import textwrap
from collections.abc import Collection, Iterator, Sequence

from rich.cells import cell_len

NO_LIMIT = 100_000
GAP = 2  # between two columns
FILLER = "\0"  # stands for the second half of a wide letter
LEAST_CUT, LEAST_FOLD = 14, 28  # letters that cells are cut to, or folded at, at least
Row = Sequence[str]


def room() -> int:
    """Letters that a line may have: the terminal's, or COLUMNS; without a limit where output goes into a file."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS"):
        return shutil.get_terminal_size().columns
    return NO_LIMIT


def table(
    rows: Sequence[Row],
    head: Row = (),
    *,
    right: Collection[str] = (),
    drop: Sequence[str] = (),
    cut: Collection[str] = (),
    fold: bool = False,
    width: int | None = None,
) -> str:
    """Rows with aligned columns, no line wider than there is room for.

    Args:
        rows: texts, equally many in each row; `head`: the names of the columns, if they are shown.
        right: columns that are aligned to the right.
        drop: columns that are left out where there is no room, the first one first; a last line names them.
        cut: columns whose cells may lose their middle then, or another part where they would look alike.
        fold: the last column may go on in further lines, beside the others or below them.
        width: letters in a line; None: as `room` has it.
    """
    limit = room() if width is None else width
    lines = [[name.rstrip() for name in head], *rows] if head else [*rows]
    names = [*head] or [""] * len(lines[0])
    kept = list(range(len(names)))
    widths = [max(cell_len(line[place]) for line in lines) for place in kept]
    dropped: list[int] = []
    if total(widths, kept) > limit:
        fixed = kept[:-1] if fold else kept
        for place in [names.index(name) for name in drop if name in names]:
            if total(widths, fixed) > limit:
                fixed = [one for one in fixed if one != place]
                dropped.append(place)
        shrink(widths, [place for place in fixed if names[place] in cut], fixed, limit)
        if total(widths, fixed) > limit:
            return "\n".join(part for row in rows for part in stacked(row, names, limit))
        kept = fixed + kept[-1:] * fold
    columns = [
        [
            aligned(cell, widths[place], names[place] in right)
            for cell in apart([line[place] for line in lines], widths[place])
        ]
        for place in kept[: -1 if fold else None]
    ]
    said = [(" " * GAP).join(column[row] for column in columns) for row in range(len(lines))]
    if fold and total(widths, kept) <= limit:
        said = [text + " " * GAP + line[-1] for text, line in zip(said, lines, strict=True)]
    elif fold:
        taken = total(widths, kept[:-1])
        said = [
            part
            for text, line in zip(said, lines, strict=True)
            for part in folded(text, line[-1], taken, limit)
        ]
    if dropped:
        said.append(f"(no room for: {', '.join(names[place].strip() for place in dropped)})")
    return "\n".join(line.rstrip() for line in said)


def flowed(text: str) -> str:
    """Sentences that go on in the next line, further in, where a line is too long; tables are as they are."""
    limit, found = room(), list[str]()
    for line in text.split("\n"):
        inset = " " * (len(line) - len(line.lstrip()) + 2)
        found += [line] if cell_len(line) <= limit else wrapped(line, limit, inset)
    return "\n".join(found)


def wrapped(text: str, width: int, inset: str = "") -> list[str]:
    """The lines of a text, all but the first behind `inset`, none wider than `width` as it is seen."""
    wide = "".join(letter + FILLER * (cell_len(letter) - 1) for letter in text)
    lines = textwrap.wrap(wide, width, subsequent_indent=inset)
    return [line.replace(FILLER, "") for line in lines]


def total(widths: Sequence[int], places: Sequence[int]) -> int:
    """Letters that some columns take."""
    return sum(widths[place] for place in places) + GAP * max(0, len(places) - 1)


def shrink(widths: list[int], may: Sequence[int], shown: Sequence[int], limit: int) -> None:
    """Make columns narrower, the widest first, until all that is shown fits or none can give more."""
    while total(widths, shown) > limit:
        widest = max(may, key=lambda place: widths[place], default=None)
        if widest is None or widths[widest] <= LEAST_CUT:
            return
        widths[widest] -= 1


def aligned(cell: str, width: int, right: bool = False) -> str:
    """A cell as wide as its column."""
    lacking = " " * (width - cell_len(cell))
    return lacking + cell if right else cell + lacking


def apart(cells: Sequence[str], width: int) -> Sequence[str]:
    """The cells of a column, the long ones cut: in their middle, or where they can still be told apart."""
    long = [cell for cell in cells if cell_len(cell) > width]
    if not long:
        return cells
    keep = max(0, width - 1)
    first, last = min(long), max(long)
    shared = next(
        (n for n, pair in enumerate(zip(first, last, strict=False)) if len({*pair}) > 1), 0
    )
    tails = sorted(range(keep + 1), key=lambda tail: abs(tail - keep // 2))
    tried = [[shortened(cell, width, tail) for cell in cells] for tail in tails]
    beginning = min(4, keep // 3)
    inner = [
        cell
        if cell_len(cell) <= width
        else shortened(f"{cell[:beginning]}…{cell[max(beginning, shared - 1) :]}", width, 0)
        for cell in cells
    ]
    return max([*tried, inner], key=lambda cut: len(set(cut)))


def shortened(cell: str, width: int, tail: int) -> str:
    """A cell that is too long without what stands before its last letters, so many as `tail` says."""
    head, text = width - 1 - tail, cell
    while cell_len(text) > width:
        text = f"{cell[:head]}…{cell[len(cell) - tail :]}"
        if head > tail:
            head -= 1
        else:
            tail = max(0, tail - 1)
    return text


def folded(text: str, last: str, taken: int, limit: int) -> Iterator[str]:
    """A row whose last cell goes on below: in its own column where that is wide enough, else further in."""
    beside = limit - taken - GAP >= LEAST_FOLD
    inset = taken + GAP if beside else 4
    first, *rest = wrapped(last, limit - inset) or [""]
    if beside:
        yield text + " " * GAP + first
    else:
        yield text
        yield " " * inset + first
    yield from (" " * inset + part for part in rest)


def stacked(row: Row, names: Sequence[str], limit: int) -> Iterator[str]:
    """A row as a few lines: its first cells, then each name with its cell, as many in a line as there is room for."""
    parts = [
        f"{name.strip()} {cell}".strip() for name, cell in zip(names, row, strict=True) if cell
    ]
    line = ""
    for part in parts:
        for piece in wrapped(part, limit - 2):
            if line and cell_len(line) + GAP + cell_len(piece) > limit:
                yield line
                line = f"  {piece}"
            else:
                line = f"{line}{' ' * GAP * bool(line)}{piece}"
    yield line
