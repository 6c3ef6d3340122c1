"""Threads that share work: every piece once, errors told when all have ended, no thread left behind."""

import gc
import threading
import time

import pytest

from arena.interop.crew import MOST, Crew


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize("larger", [1 / MOST, 1.0, MOST])
def test_every_piece_is_done_once_by_whom_it_was_given(size, larger):
    crew = Crew(size)
    crew.larger = larger
    done: list[tuple[int, int]] = []
    crew.share(lambda number, lo, hi, word: done.extend((i, number) for i in range(lo, hi)), 97, "")
    assert sorted(i for i, _ in done) == list(range(97))
    assert {number for _, number in done} == set(range(size + 1))
    crew.close()


def test_an_error_is_told_when_all_have_ended_and_the_crew_works_on():
    crew = Crew(2)
    ended = []

    def work(number, lo, hi, failing):
        if number == failing:
            raise ValueError(f"part {number}")
        time.sleep(0.02)
        ended.append(number)

    for failing in (0, 2):
        ended.clear()
        with pytest.raises(ValueError, match=f"part {failing}"):
            crew.share(work, 9, failing)
        assert sorted(ended) == [number for number in range(3) if number != failing]
    crew.share(work, 9, None)
    crew.close()


def test_whoever_waits_is_given_more():
    crew, ready = Crew(1), threading.Event()

    def work(number: int, lo: int, hi: int) -> None:
        if number == 0:
            ready.set()
        else:  # as long as the caller, and then more
            ready.wait(5)
            time.sleep(0.005)

    for _ in range(40):
        ready.clear()
        crew.share(work, 100)
    assert crew.larger > 1.1
    crew.close()


def test_threads_end_with_the_crew():
    closed, forgotten = Crew(2), Crew(2)
    threads = [hand.thread for crew in (closed, forgotten) for hand in crew.hands]
    assert all(thread.is_alive() for thread in threads)
    closed.close()
    del forgotten
    gc.collect()
    for thread in threads:
        thread.join(5)
        assert not thread.is_alive()
