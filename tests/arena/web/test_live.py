"""Live pages: what is sent and how often, runs of other machines, and what is known of a cluster."""

import asyncio
import json
import os
import shutil
import time
from dataclasses import replace

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from arena.store.driver import LOCK
from arena.web import views
from arena.web.live import SHARE, TABLES, Watch, Watches, machines
from arena.web.runs import entry_of, runs_below


@pytest.fixture
def elsewhere(folder, tmp_path):
    """A run that another machine drives, in a shared folder."""
    shutil.copytree(folder / "results" / "cup", tmp_path / "cup")
    (tmp_path / "cup" / LOCK).write_text("4242 far-away\n")
    return tmp_path


def test_a_run_that_another_machine_drives_is_running_and_says_where(elsewhere, keys):
    from starlette.testclient import TestClient

    from arena.web.app import make_app
    from arena.web.guard import COOKIE

    (entry,) = runs_below(elsewhere)
    assert entry.state == "running"
    assert "far-away, heard of within the last minute" in entry.driver
    with TestClient(make_app(elsewhere, keys)) as web:
        web.cookies.set(COOKIE, keys.token)
        page = web.get("/run/cup/").text
        assert "far-away" in page
        assert "Stop the run" not in page
        assert "stop it there" in web.post("/run/cup/stop").text
        assert "it plays already" in web.post("/run/cup/continue").text


def test_a_driver_that_was_not_heard_of_is_gone_and_that_is_said(elsewhere):
    os.utime(elsewhere / "cup" / LOCK, (time.time() - 600,) * 2)
    entry = entry_of(elsewhere, elsewhere / "cup")
    assert entry.state == "finished"
    assert "far-away drove it and was not heard of for 10 minutes" in entry.driver


def test_the_machines_of_a_cluster_are_counted(folder, monkeypatch, tmp_path):
    import arena
    from arena.store.provenance import machine_name

    place = tmp_path / "cup"
    for name, deals in (("one", 2), ("two", 5)):
        machine_name.cache_clear()
        monkeypatch.setenv("ARENA_MACHINE", name)
        arena.match("connect_four", ["random", "greedy"], deals=deals, workers=0, out=place)
    machine_name.cache_clear()
    assert machines(place) == [
        {"machine": "two", "matches": "6"},
        {"machine": "one", "matches": "4"},
    ]
    assert machines(folder / "results" / "cup") == []
    assert Watch(tmp_path, place).look()["machines"]


def test_tables_are_sent_once_and_counts_when_they_change(folder, monkeypatch):
    place = folder / "results" / "cup"
    monkeypatch.setattr("arena.web.live.TICK", 0.01)

    async def watched():
        watch = Watches(folder).of(place)
        first, second = watch.follow(), watch.follow()
        whole = json.loads(await anext(first))
        assert json.loads(await anext(second)) == whole
        assert watch.watchers == 2
        look = watch.look
        monkeypatch.setattr(watch, "look", lambda: {**look(), "rate": 7.0})
        brief = json.loads(await anext(first))
        await first.aclose()
        await second.aclose()
        assert watch.watchers == 0
        return whole, brief

    whole, brief = asyncio.run(watched())
    assert set(TABLES) <= set(whole)
    assert brief["rate"] == 7.0
    assert not set(TABLES) & set(brief)


def test_a_run_that_is_deleted_while_it_is_watched_is_said(elsewhere, monkeypatch):
    monkeypatch.setattr("arena.web.live.TICK", 0.01)

    async def watched():
        follow = Watches(elsewhere).of(elsewhere / "cup").follow()
        await anext(follow)
        shutil.rmtree(elsewhere / "cup")
        told = json.loads(await anext(follow))
        await follow.aclose()
        return told

    assert "no run here" in asyncio.run(watched())["trouble"]


def test_a_run_page_says_what_is_known_before_its_script_does_and_offers_what_can_be_done(folder):
    entry = entry_of(folder, folder / "results" / "cup")
    assert "finished: 6 of 6 matches" in views.run_page(entry)
    for state, offered in (("running", "stop"), ("stopped", "continue"), ("finished", "")):
        assert replace(entry, state=state).doing == offered
        shown = views.run_page(replace(entry, state=state)).partition("<template")[0]
        assert (f'action="{offered}"' in shown) is bool(offered)
    assert replace(entry, state="running", driver="far-away").doing == ""
    assert "<template" not in views.run_page(replace(entry, state="running", driver="far-away"))


def test_a_live_page_rests_between_tables_so_that_they_cost_what_was_said(folder, monkeypatch):
    watch = Watches(folder).of(folder / "results" / "cup")
    entry = entry_of(folder, folder / "results" / "cup")
    monkeypatch.setattr("arena.web.live.entry_of", lambda *_: replace(entry, state="running"))
    clock = iter([0.0, 0.25])  # what tables take
    monkeypatch.setattr("arena.web.live.time.process_time", lambda: next(clock))
    before = time.monotonic()
    assert watch.look()["doing"] == "stop"
    rest = watch._rest_until - before
    assert rest * SHARE * (os.cpu_count() or 1) == pytest.approx(0.25, rel=0.05)


def test_a_rate_is_measured_from_part_to_part_and_not_from_when_somebody_began_to_look(folder):
    watch = Watch(folder, folder / "results" / "cup")
    seen = [(0.0, 0), (9.0, 10), (10.0, 10), (14.0, 510), (15.0, 510), (19.0, 1010)]
    assert [watch._rate(*one) for one in seen] == [0, 0, 0, 100, 100, 100]
    assert watch._rate(20.0, 5) == 0, "the run was begun anew"
    assert watch._rate(25.0, 55) == 0
    assert watch._rate(30.0, 105) == 10
