"""References are counted where something must be freed, and nowhere else; nothing is lost or freed twice."""

import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.runtime import _nrt_python as runtime
from numba.core.runtime.nrt import rtsys

from engines.kernel import INTERPRETED, kernel, link

pytestmark = pytest.mark.skipif(INTERPRETED, reason="about compiled code")


@pytest.fixture(scope="module", autouse=True)
def cold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Compiled here: what is loaded from a cache has no code to look at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


ROW = np.dtype([("count", "i4"), ("cards", "i2", (5,))])


class Pair(NamedTuple):
    rows: Any
    rest: Any


@kernel
def add_up(cards: Any) -> int:
    total = 0
    for place in range(len(cards)):
        total += int(cards[place])
    return total


@kernel
def borrow(rows: Any) -> int:
    """Views of an argument, handed on: nothing to free."""
    return add_up(rows[0].cards) + add_up(rows[0].cards[1:])


@kernel
def fresh(count: int) -> Any:
    made = np.zeros(count, np.int64)
    made[0] = count
    return made


@kernel
def use_fresh(rows: Any) -> int:
    made = fresh(int(rows[0].count))
    return add_up(made) + add_up(fresh(3))


@kernel
def view_of(rows: Any) -> Any:
    return rows[0].cards[1:3]


@kernel
def use_view(rows: Any) -> int:
    return add_up(view_of(rows)) + add_up(view_of(rows))


@kernel
def one_by_one(rows: Any) -> int:
    total = 0
    for card in rows[0].cards:
        total += int(card)
    return total


@kernel
def chosen(rows: Any) -> int:
    """A new array that no call makes."""
    return add_up(rows[0].cards[np.array([0, 2])]) + add_up(rows[0].cards * 2)


@kernel
def pairs(rows: Any) -> int:
    pair = (rows[0].cards, fresh(2))
    first, second = pair
    return add_up(first) + add_up(second)


@kernel
def of_named(pair: Any) -> int:
    return add_up(pair.rows[0].cards) + add_up(pair.rest)


def template(rows: Any) -> int:
    return whole(rows) + whole(rows)  # type: ignore[name-defined] # noqa: F821


# Each costs half a second to compile: in the default run what is borrowed, and what is made and handed on.
CASES: list[Any] = [
    (borrow, 29),
    pytest.param(use_fresh, 7, marks=pytest.mark.full),
    pytest.param(use_view, 10, marks=pytest.mark.full),
    pytest.param(one_by_one, 15, marks=pytest.mark.full),
    pytest.param(chosen, 34, marks=pytest.mark.full),
    pytest.param(pairs, 17, marks=pytest.mark.full),
    pytest.param(link(template, whole=use_fresh), 14, marks=pytest.mark.full),
]


def rows() -> Any:
    made = np.zeros(1, ROW)
    made["count"] = 4
    made["cards"] = [1, 2, 3, 4, 5]
    return made


def of_pair(given: Any) -> int:
    return int(of_named(Pair(given, np.arange(3))))


@pytest.mark.parametrize(
    ("call", "result"), [*CASES, (of_pair, 18)], ids=lambda case: getattr(case, "__name__", None)
)
def test_nothing_is_lost_or_freed_twice(call: Callable[[Any], int], result: int) -> None:
    given = rows()
    assert call(given) == result
    runtime.memsys_enable_stats()
    try:
        before, held = rtsys.get_allocation_stats(), sys.getrefcount(given)
        for _ in range(50):
            assert call(given) == result
        gc.collect()
        after = rtsys.get_allocation_stats()
    finally:
        runtime.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free
    assert sys.getrefcount(given) == held


def test_an_array_that_a_kernel_returns_is_its_callers() -> None:
    made = fresh(4)
    view = view_of(given := rows())
    given["cards"][0, 1] = 9
    assert made.tolist() == [4, 0, 0, 0]
    assert view.tolist() == [9, 3]
    del given
    gc.collect()
    assert view.tolist() == [9, 3]


@pytest.mark.parametrize("borrowing", [add_up, borrow, of_named], ids=lambda k: k.__name__)
def test_who_only_borrows_counts_nothing(borrowing: Any) -> None:
    assert of_pair(rows()) == 18
    assert borrow(rows()) == 29
    code = [str(result.library._final_module) for result in borrowing.part.overloads.values()]
    assert code
    assert not any("NRT_incref" in text or "NRT_decref" in text for text in code)
