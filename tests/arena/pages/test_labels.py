"""Names in a scatter lie over nothing, and axes come from bots whose rating is determined."""

import math

import numpy as np
import pandas as pd
import pytest

from arena.pages.labels import LABEL, Box, placed, spread
from arena.pages.strength import elo_rows
from arena.pictures.letters import width_of


@pytest.mark.parametrize("seed", range(5))
def test_no_name_lies_over_another_or_over_a_mark(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "name": [f"card number {n}" for n in range(40)],
            "use": rng.uniform(0, 100, 40),
            "lift": rng.normal(0, 3, 40),
            "clear": rng.random(40) < 0.7,
        }
    )
    box = Box(spread(0, 100), spread(frame.lift.min(), frame.lift.max()), 300, 260)
    names = placed(frame, box)
    assert 3 <= len(names) <= int(frame.clear.sum())
    assert set(names.name) <= set(frame[frame.clear].name)
    farthest = frame[frame.clear].lift.abs().idxmax()
    assert frame.name[farthest] in set(names.name)
    boxes = []
    for row in names.itertuples():
        left, top = box.pixel(row.left, row.top)
        boxes.append((left, top, left + width_of(row.name, LABEL), top + LABEL))
    for place, one in enumerate(boxes):
        assert min(one) >= -1e-6
        assert one[2] <= box.width + 1e-6
        assert not any(meets(one, other) for other in boxes[:place])
        marks = [box.pixel(x, y) for x, y in zip(frame.use, frame.lift, strict=True)]
        assert not any(one[0] < x < one[2] and one[1] < y < one[3] for x, y in marks)


def meets(one, other):
    slack = 1e-6
    return (
        one[0] + slack < other[2]
        and other[0] + slack < one[2]
        and one[1] + slack < other[3]
        and other[1] + slack < one[3]
    )


def standings(*rows):
    columns = ["entrant", "elo", "elo_low", "elo_high"]
    return pd.DataFrame(rows, columns=columns).assign(win_share=0.5, matches=100)


def test_the_axis_spans_determined_bots_and_others_are_arrows():
    rated = elo_rows(
        standings(
            ("a", 520.0, 490.0, 550.0),
            ("b", 450.0, 420.0, 480.0),
            ("wide", 430.0, 100.0, 700.0),
            ("far", -900.0, -1900.0, -700.0),
            ("lost", 0.0, -math.inf, 250.0),
        )
    )
    low, high = rated.attrs["domain"]
    assert 400 < low <= 420 < 550 <= high < 570
    assert list(rated.arrow) == ["", "", "", "below", "below"]
    assert list(rated.label)[3:] == ["-900 [-1900, -700]", "below 250"]
    assert rated.value.between(low, high).all()
    wide = rated[rated.name == "wide"].iloc[0]
    assert (wide.low, wide.high) == (low, high)  # cut where the axis ends


def test_without_determined_bots_the_axis_is_of_what_is_known():
    rated = elo_rows(standings(("a", 30.0, math.nan, math.nan), ("b", -30.0, math.nan, math.nan)))
    low, high = rated.attrs["domain"]
    assert low < -30 < 30 < high
    assert set(rated.arrow) == {""}
    assert elo_rows(standings()).attrs["domain"] == (0.0, 1.0)
