"""Where names stand beside the marks of a scatter, so that none lies over another or over a mark."""

from dataclasses import dataclass

import pandas as pd

from arena.pictures.letters import width_of

LABEL = 11  # size of a name, in pixels
REACH = 6  # of a mark around its middle, in pixels
PAD = 0.06  # of a scale beyond the outermost mark
Interval = tuple[float, float]
Rectangle = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class Box:
    """The field of a chart: what its scales span, and its size in pixels."""

    across: Interval
    up: Interval
    width: int
    height: int

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies, from the upper left corner."""
        right = (x - self.across[0]) / (self.across[1] - self.across[0])
        down = (self.up[1] - y) / (self.up[1] - self.up[0])
        return right * self.width, down * self.height

    def value(self, right: float, down: float) -> tuple[float, float]:
        """The point at a pixel."""
        x = self.across[0] + right / self.width * (self.across[1] - self.across[0])
        y = self.up[1] - down / self.height * (self.up[1] - self.up[0])
        return x, y


def spread(low: float, high: float) -> Interval:
    """The ends of a scale that holds these values with some room."""
    room = PAD * (high - low) or 1.0
    return float(low - room), float(high + room)


def placed(frame: pd.DataFrame, box: Box) -> pd.DataFrame:
    """The names of clear marks that have room, farthest from 0 first, with their upper left corner as left and top.

    frame: name, use, lift, clear. Each name stands at one of eight places around its mark, the first that is free.
    """
    marks = [box.pixel(x, y) for x, y in zip(frame["use"], frame["lift"], strict=True)]
    taken: list[Rectangle] = [
        (x - REACH / 2, y - REACH / 2, x + REACH / 2, y + REACH / 2) for x, y in marks
    ]
    rows = []
    for place in frame["lift"].abs().reset_index(drop=True).sort_values(ascending=False).index:
        row = frame.iloc[place]
        if not row["clear"]:
            continue
        x, y = marks[place]
        rooms = (one for one in around(x, y, str(row["name"])) if free(one, taken, box))
        found = next(rooms, None)
        if found is not None:
            taken.append(found)
            left, top = box.value(found[0], found[1])
            rows.append({"name": row["name"], "left": left, "top": top})
    return pd.DataFrame(rows, columns=["name", "left", "top"])


def around(x: float, y: float, name: str) -> list[Rectangle]:
    """The places for a name around a mark: right, left, above, below, and the corners."""
    wide, tall = width_of(name, LABEL), float(LABEL)
    corners = [
        (x + REACH, y - tall / 2),
        (x - REACH - wide, y - tall / 2),
        (x - wide / 2, y - REACH - tall),
        (x - wide / 2, y + REACH),
        (x + REACH, y - REACH - tall),
        (x + REACH, y + REACH),
        (x - REACH - wide, y - REACH - tall),
        (x - REACH - wide, y + REACH),
    ]
    return [(left, top, left + wide, top + tall) for left, top in corners]


def free(one: Rectangle, taken: list[Rectangle], box: Box) -> bool:
    """Whether a rectangle lies in the field and over nothing."""
    inside = one[0] >= 0 and one[1] >= 0 and one[2] <= box.width and one[3] <= box.height
    return inside and not any(
        one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
        for other in taken
    )
