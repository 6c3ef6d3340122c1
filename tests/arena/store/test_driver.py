"""The lock of a run says who drives it, also to readers on other machines."""

import os
import time

import pytest

from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.results.runs import bytes_of
from arena.store.driver import BEAT, LOCK, Driver, announce, beat, read_driver, withdraw
from arena.store.provenance import machine_name
from arena.store.run_folder import open_run


@pytest.fixture
def cup():
    return resolve(
        parse_spec({"name": "cup", "games": ["connect_four"], "bots": ["random", "greedy"]})
    )


def test_an_open_run_says_who_drives_it_and_a_closed_one_nothing(tmp_path, cup):
    with open_run(tmp_path, cup):
        driver = read_driver(tmp_path)
        assert (driver.machine, driver.process) == (machine_name(), os.getpid())
        assert driver.here
        assert driver.silent < 60
    assert read_driver(tmp_path) is None
    assert (tmp_path / LOCK).read_bytes() == b""


def test_a_driver_gives_signs_of_life_while_nothing_is_stored(tmp_path, cup):
    with open_run(tmp_path, cup) as run:
        os.utime(tmp_path / LOCK, (0, 0))
        run.flush_if_due()
        assert read_driver(tmp_path).silent > 1000
        run._beaten -= 2 * BEAT
        run.flush_if_due()
        assert read_driver(tmp_path).silent < 60


def test_a_lock_that_cannot_be_written_holds_all_the_same(tmp_path):
    with (tmp_path / LOCK).open("w") as lock:
        pass
    with (tmp_path / LOCK).open("r") as lock:
        announce(lock)
        beat(lock)
        withdraw(lock)


@pytest.mark.parametrize("text", [b"", b"\xff\xfe", b"not a number here", b"-5 there"])
def test_what_a_lock_of_old_or_of_others_says_is_nobody(tmp_path, text):
    (tmp_path / LOCK).write_bytes(text)
    assert read_driver(tmp_path) is None
    assert read_driver(tmp_path / "nowhere") is None


def test_a_driver_of_another_machine_is_named(tmp_path):
    (tmp_path / LOCK).write_text("77 big\x1b[31m box\n")
    os.utime(tmp_path / LOCK, (time.time() - 500,) * 2)
    driver = read_driver(tmp_path)
    assert isinstance(driver, Driver)
    assert not driver.here
    assert driver.process == 77
    assert "\x1b" not in driver.machine
    assert 490 < driver.silent < 600


def test_the_size_of_a_run_passes_over_what_is_merged_meanwhile(tmp_path):
    (tmp_path / "part").write_bytes(b"12")
    assert [bytes_of(tmp_path / name) for name in ("part", "gone", "")] == [2, 0, 0]
