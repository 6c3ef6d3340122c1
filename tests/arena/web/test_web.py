"""The server: who gets in, what it shows, what bad input gets, and that a seat sees its own View only."""

import asyncio
import json
import os
import re
import shutil
import sys
import time
from pathlib import Path

import pytest
import yaml

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

from arena.web.app import make_app
from arena.web.guard import BURST, COOKIE, MOST_BODY, PER_SECOND, Keys, Rates
from arena.web.runs import entry_of, runs_below, writer_of
from engines.core import load_game
from engines.errors import UserError

# --- who gets in ------------------------------------------------------------------------------------------


def test_the_printed_address_lets_in_and_hides_its_token(folder, keys):
    with TestClient(make_app(folder, keys), follow_redirects=False) as client:
        assert client.get("/").status_code == 403
        assert client.get("/?token=wrong").status_code == 403
        answer = client.get(f"/?token={keys.token}")
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert "HttpOnly" in answer.headers["set-cookie"]
        assert "SameSite=strict" in answer.headers["set-cookie"]
        assert client.get("/").status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", {"host": "evil.example"}, 421),
        ("GET", "/", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"}, 403),
        ("POST", "/start", {"sec-fetch-site": "cross-site"}, 403),
        ("POST", "/start", {"origin": "http://evil.example"}, 403),
        ("POST", "/start", {"origin": "null"}, 403),
        ("DELETE", "/", {}, 405),
        ("PUT", "/run/results/cup/", {}, 405),
        ("GET", "/run/..%2f..%2fsecret.txt", {}, None),
        ("GET", "/run/%2e%2e/", {}, None),
        ("GET", "/run//etc/", {}, None),
        ("GET", "/page/..%2fsecret.txt", {}, None),
        ("GET", "/page/secret.txt", {}, None),
        ("GET", "/assets/..%2fguard.py", {}, None),
        ("GET", "/assets/guard.py", {}, None),
        ("GET", "/run/results/cup/replays/..%2f..%2fspec.html", {}, None),
        ("GET", "/run/results/cup/replays/zzz.html", {}, None),
        ("GET", "/run/results/cup/replays/%3Cscript%3E.html", {}, None),
        ("GET", "/run/nothing/", {}, None),
        ("GET", "/nothing", {}, None),
        ("GET", "/table/nothing", {}, None),
        ("GET", "/seat/nothing/nothing", {}, None),
        ("POST", "/run/results/cup/stop", {}, None),
        ("POST", "/reopen", {}, None),
        ("GET", f"/{'a' * 5000}", {}, 404),
        ("GET", "/%00", {}, None),
    ],
)
def test_what_nobody_of_the_house_asks_gets_a_line(web, method, path, headers, status):
    answer = web.request(method, path, headers=headers, follow_redirects=True)
    assert answer.status_code in ((status,) if status else (400, 404))
    assert "Traceback" not in answer.text
    assert "secret" not in answer.text.replace("secret.txt", "")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "script-src 'self'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("length", [str(MOST_BODY + 1), "many", "-1"])
def test_a_body_too_large_is_refused_by_its_length(web, length):
    assert web.post("/start", headers={"content-length": length}).status_code == 413


def test_a_body_without_a_length_ends_where_it_grows_too_large(web):
    answer = web.post("/start", content=(b"a" * 10_000 for _ in range(20)))
    assert answer.status_code in (400, 413)


@pytest.mark.parametrize(
    "body", ["config=../../secret", "config=%ff", "do=dry&config=<script>", "a=1&" * 100]
)
def test_a_form_that_asks_for_what_is_not_offered_is_a_page(web, body):
    answer = web.post("/start", content=body.encode())
    assert answer.status_code == 400
    assert "<script>" not in answer.text.replace('<script src="/assets', "")


def test_the_password_is_asked_for_where_others_may_come(folder):
    keys = Keys(frozenset({"testserver"}), "correct horse")
    with TestClient(make_app(folder, keys), follow_redirects=False) as client:
        assert client.get("/").headers["location"] == "/login"
        assert client.post("/login", content=b"password=wrong").status_code == 403
        assert client.get("/").status_code == 303
        assert client.post("/login", content=b"password=correct+horse").status_code == 303
        assert client.get("/").status_code == 200


def test_no_password_admits_nobody():
    assert not Keys(frozenset()).admits("")


def test_two_servers_of_one_host_do_not_put_each_other_out(folder):
    hosts = [f"127.0.0.1:{port}" for port in (8000, 8001)]
    jar = {}
    for host in (*hosts, *hosts):
        keys = Keys(frozenset({host}), token=f"token of {host}")
        with TestClient(make_app(folder, keys), base_url=f"http://{host}") as client:
            client.cookies.update(jar)
            entered = client.get("/", params={} if len(jar) == 2 else {"token": keys.token})
            assert entered.status_code == 200
            jar |= dict(client.cookies)
    assert len(jar) == 2


def test_an_address_that_asks_too_often_waits():
    now = [0.0]
    rates = Rates(lambda: now[0])
    assert sum(rates.allows("a") for _ in range(2 * BURST)) == BURST
    assert rates.allows("b")
    now[0] += 1
    assert sum(rates.allows("a") for _ in range(2 * BURST)) == PER_SECOND


# --- runs -------------------------------------------------------------------------------------------------


def test_runs_are_listed_with_their_state(folder, web):
    (entry,) = runs_below(folder)
    assert entry.tables == (("connect_four", "default", 2),)
    assert (entry.path, entry.stored, entry.planned, entry.state) == (
        "results/cup",
        6,
        6,
        "finished",
    )
    assert entry.bots == ("random", "greedy")
    text = web.get("/").text
    assert "match-connect_four" in text or "cup" in text
    assert "✓ finished" in text
    assert "1. greedy" in text


def test_leaders_are_read_from_tables_as_new_as_the_matches(folder, tmp_path):
    from arena.results.report import make_tables, write_csv
    from arena.web.glance import FILE, leaders, stored_leaders

    made = make_tables(folder / "results" / "cup")
    write_csv(made, tmp_path)
    told = leaders(made.standings)
    assert stored_leaders(tmp_path, time.time()) == told
    assert told[0].startswith("1. greedy ")
    os.utime(tmp_path / FILE, (0, 0))
    assert stored_leaders(tmp_path, time.time()) == ()
    (tmp_path / FILE).write_text("<html>")
    assert stored_leaders(tmp_path, time.time()) == ()


def test_the_states_of_runs_are_those_of_arena_runs(tmp_path):
    import arena

    pair = ["random", "greedy"]
    common = {"workers": 0, "progress": False}
    arena.match("connect_four", pair, until=90, max_deals=300, out=tmp_path / "decided", **common)
    spec = {"games": ["connect_four"], "bots": [*pair, "mcts:simulations=2"], "schedule": "swiss"}
    stopped = tmp_path / "stopped"
    arena.run(
        {"name": "stopped", "rounds": 3, "deals": 2, **spec}, out=stopped, matches=2, **common
    )
    found = {entry.path: entry for entry in runs_below(tmp_path)}
    assert found["decided"].state == "decided"
    assert found["decided"].stored < found["decided"].planned
    assert found["stopped"].state == "stopped"


def test_a_run_that_is_written_to_is_running(folder):
    from arena.store.run_folder import lock_folder

    place = folder / "results" / "cup"
    assert writer_of(place) == 0
    lock = lock_folder(place)
    try:
        assert writer_of(place) > 0
        assert entry_of(folder, place).state == "running"
    finally:
        lock.close()


def test_a_damaged_run_is_a_line_in_the_list(folder, tmp_path):
    shutil.copytree(folder / "results" / "cup", tmp_path / "broken")
    (tmp_path / "broken" / "spec.yaml").write_text("name: [")
    (entry,) = runs_below(tmp_path)
    assert entry.trouble


def test_names_from_outside_are_escaped(folder, tmp_path, keys):
    shutil.copytree(folder / "results" / "cup", tmp_path / "<b>cup")
    with TestClient(make_app(tmp_path, keys)) as client:
        client.cookies.set(COOKIE, keys.token)
        assert "<b>cup" not in client.get("/").text
        assert client.get("/run/%3Cb%3Ecup/").status_code == 200


def test_a_live_page_gets_the_state_of_its_run(folder):
    from arena.web.live import Watch

    state = Watch(folder, folder / "results" / "cup").look()
    assert (state["state"], state["stored"], state["planned"]) == ("finished", 6, 6)
    assert [row["bot"] for row in state["standings"][0]["rows"]]
    assert len(state["latest"]) == 6
    json.dumps(state)


def test_a_run_page_report_and_matches_are_shown(web, undrawn):
    assert 'src="/assets/live.js"' in web.get("/run/results/cup/").text
    report = web.get("/run/results/cup/report.html")
    assert report.status_code == 200
    assert "sha256-" in report.headers["content-security-policy"]
    (first, *_) = re.findall(r"replays/(\w+)\.html", report.text)
    replay = web.get(f"/run/results/cup/replays/{first}.html")
    assert replay.status_code == 200
    assert "sha256-" in replay.headers["content-security-policy"]
    every = web.get("/run/results/cup/matches.html").text
    assert "6 matches" in every
    won = web.get("/run/results/cup/matches.html?bot=greedy&winner=random").text
    assert "6 matches" not in won


def test_replays_lead_to_the_next_match_of_those_looked_for(web):
    listed = web.get("/run/results/cup/matches.html?bot=random").text
    ids = re.findall(r"replays/(\w+)\.html\?bot=random", listed)
    page = web.get(f"/run/results/cup/replays/{ids[1]}.html?bot=random").text
    assert f'href="{ids[0]}.html?bot=random">Previous' in page
    assert f'href="{ids[2]}.html?bot=random">Next' in page


def test_a_match_is_played_again_only_where_all_that_its_bots_read_lies_below(tmp_path, keys):
    import arena

    spec = {"games": ["connect_four"], "bots": ["random", "greedy"], "store_actions": "none"}
    arena.run({"name": "cup", "deals": 1, **spec}, out=tmp_path / "in" / "cup", workers=0)
    record = tmp_path / "in" / "cup" / "spec.yaml"
    (tmp_path / "elsewhere").mkdir()
    with TestClient(make_app(tmp_path / "in", keys)) as client:
        client.cookies.set(COOKIE, keys.token)
        match = re.search(r"replays/(\w+)\.html", client.get("/run/cup/matches.html").text)[0]
        assert client.get(f"/run/cup/{match}").status_code == 200
        data = yaml.safe_load(record.read_text())
        data["tournament"]["mount"] = [str(tmp_path / "elsewhere")]
        record.write_text(yaml.safe_dump(data))
        answer = client.get(f"/run/cup/{match}")
        assert (answer.status_code, "lies outside of" in answer.text) == (400, True)


@pytest.mark.full
def test_the_searches_of_a_match_think_again_in_a_process_of_their_own(tmp_path, keys):
    import arena

    out = tmp_path / "cup"
    arena.match("connect_four", ["greedy", "mcts:simulations=20"], deals=1, workers=0, out=out)
    with TestClient(make_app(tmp_path, keys)) as client:
        client.cookies.set(COOKIE, keys.token)
        match = re.search(r"replays/(\w+)\.html", client.get("/run/cup/matches.html").text)[0]
        found = "What the search found"
        page = client.get(f"/run/cup/{match}").text
        assert found not in page
        assert f'href="{match.rpartition("/")[2]}?think="' in page
        assert found in client.get(f"/run/cup/{match}?think=").text
        odd = client.get("/run/cup/replays/000.html?think=")
        assert (odd.status_code, "Traceback" in odd.text) == (400, False)
    assert not (out / "replays").exists()


def test_a_page_with_a_script_of_others_may_not_run_it(folder, web):
    (folder / "board.html").write_text("<header></header><script>alert(1)</script>")
    try:
        answer = web.get("/page/board.html")
        assert answer.status_code == 200
        assert "sha256" not in answer.headers["content-security-policy"]
    finally:
        (folder / "board.html").unlink()


# --- tables -----------------------------------------------------------------------------------------------


def open_table(web, **fields):
    body = "&".join(f"{name}={value}" for name, value in fields.items())
    answer = web.post("/play", content=body.encode())
    assert answer.status_code == 303, answer.text
    page = web.get(answer.headers["location"]).text
    return re.findall(r"/seat/\w+/[\w-]+", page)


def table_of(web):
    return web.app._app.state.house.tables.all()[0]


def state_of(web, seat):
    table = table_of(web)
    return table.shown_to(table.seat_of(seat.rpartition("/")[2]))


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"game": "chess", "seats": "human,greedy"}, "unknown, expected one of"),
        ({"game": "/etc", "seats": "human,greedy"}, "unknown, expected one of"),
        ({"game": "connect_four", "seats": "random,greedy"}, "nobody is human"),
        ({"game": "connect_four", "seats": "human,evil.py:Bot"}, "others play in"),
        ({"game": "connect_four", "seats": "human,./evil"}, "others play in"),
        ({"game": "connect_four", "seats": "human,os:System"}, "others play in"),
        ({"game": "connect_four", "seats": "human,policy:weights=a.npz"}, "others play in"),
        (
            {"game": "connect_four", "seats": "human,chat:url=https://evil/v1,model=m,key=HOME"},
            "others play in",
        ),
        ({"game": "connect_four", "seats": "human,process:command=id"}, "others play in"),
        ({"game": "connect_four", "seats": "human"}, "is for 2 players"),
        ({"game": "connect_four", "seats": "human,greedy", "options": "rows=99"}, "rows"),
        ({"game": "connect_four", "seats": "human,greedy", "seed": "x"}, "expected a whole number"),
    ],
)
def test_a_table_that_cannot_be_is_a_line(web, fields, line):
    answer = web.post("/play", content="&".join(f"{k}={v}" for k, v in fields.items()).encode())
    assert answer.status_code == 400
    assert line in answer.text


def test_two_people_play_to_the_end_and_a_seat_obeys_its_token(web):
    first, second = open_table(web, game="connect_four", seats="human,human", seed="3")
    assert web.get(f"{first}x").status_code == 404
    for column in ("1", "2", "1", "2", "1", "2", "1"):
        state = state_of(web, first)
        seat = (first, second)[state["to_act"]]
        other = (first, second)[1 - state["to_act"]]
        data = {"number": state["number"], "text": f"drop {column}"}
        assert web.post(f"{other}/do", json=data).json() == {"said": "it is not your turn"}
        assert web.post(f"{seat}/do", json=data).json() == {"said": ""}
    state = state_of(web, second)
    assert state["over"]
    assert "player 1 (person)" in state["result"][1]


def test_who_sits_at_a_table_is_told_when_it_is_closed(web):
    open_table(web, game="connect_four", seats="human,human")
    table = table_of(web)

    async def watched():
        follow = table.follow(0)
        assert not json.loads(await anext(follow))["over"]
        await web.app._app.state.house.tables.drop(table)
        with pytest.raises(UserError, match="closed"):
            await anext(follow)

    asyncio.run(watched())
    assert table not in web.app._app.state.house.tables.all()


def test_the_page_to_sit_down_says_what_there_is(web):
    page = web.get("/play").text
    assert "Sagrada: 1, 2, 3 or 4 players" in page
    assert "Options of Nakum" in page
    assert "dice drawn each round for every player" in page
    assert "Monte-Carlo tree search" in page
    assert "PROTOCOL.md" not in page, "a program in another language sits at no table of a page"


def test_wrong_actions_change_nothing(web):
    first, _ = open_table(web, game="connect_four", seats="human,human", seed="3")
    for data in (
        {"number": 1, "text": "drop 9"},
        {"number": 7, "text": "drop 1"},
        {"number": 1, "text": "x" * 5000},
    ):
        assert web.post(f"{first}/do", json=data).json()["said"]
    for data in ({}, {"number": "1", "text": "drop 1"}, {"number": True, "text": 5}):
        assert web.post(f"{first}/do", json=data).status_code == 400
    assert (
        web.post(
            f"{first}/do", content=b"[" * 10_000, headers={"content-type": "application/json"}
        ).status_code
        == 400
    )
    assert web.post(f"{first}/do", content=b"number=1").status_code == 400
    assert table_of(web).match.past == []


def test_a_person_plays_a_bot_takes_back_and_is_told_a_hint(web):
    (seat,) = open_table(web, game="connect_four", seats="human,random", seed="5")
    state = state_of(web, seat)
    assert web.post(f"{seat}/do", json={"number": state["number"], "text": "drop 4"}).json() == {
        "said": ""
    }
    until = time.monotonic() + 120
    while state_of(web, seat)["to_act"] != 0 and time.monotonic() < until:
        time.sleep(0.05)
    assert len(table_of(web).match.past) == 2
    said = web.post(f"{seat}/hint").json()["said"]
    assert re.search(
        r"would play drop \d \(wins \d+ %\); next best: drop \d \(wins \d+ %\), drop", said
    )
    assert web.post(f"{seat}/undo").json() == {"said": ""}
    assert table_of(web).match.past == []
    assert "saved as" in web.post(f"{seat}/save").json()["said"]


def test_a_bots_process_that_dies_is_said_and_the_match_goes_on(web, monkeypatch):
    from arena.web import minds

    monkeypatch.setattr(minds.Minds, "_begin", lambda self: setattr(self, "_process", None))
    monkeypatch.setattr(
        minds.Minds,
        "ask",
        lambda self, question: (_ for _ in ()).throw(minds.MindLost("its process has ended")),
    )
    (seat,) = open_table(web, game="connect_four", seats="human,random", seed="5")
    web.post(f"{seat}/do", json={"number": state_of(web, seat)["number"], "text": "drop 4"})
    until = time.monotonic() + 30
    while state_of(web, seat)["to_act"] != 0 and time.monotonic() < until:
        time.sleep(0.02)
    assert "a random action stands in" in state_of(web, seat)["said"][0]


def test_a_saved_match_goes_on(web, folder):
    first, _ = open_table(web, game="connect_four", seats="human,human", seed="3")
    web.post(f"{first}/do", json={"number": 1, "text": "drop 1"})
    name = web.post(f"{first}/save").json()["said"].split()[2].rstrip(";")
    assert web.post("/reopen", content=f"file={name}".encode()).status_code == 303
    assert len(table_of(web).match.past) == 1
    assert web.post("/reopen", content=b"file=../../spec.yaml").status_code == 400


def test_a_match_of_named_people_becomes_human_play(web, folder, undrawn):
    first, second = open_table(web, game="connect_four", seats="human,human", names="Ada,Bob")
    assert web.post(f"{first}/hint").json()["said"].startswith("this match will be stored")
    for column in ("1", "2", "1", "2", "1", "2", "1"):
        state = state_of(web, first)
        seat = (first, second)[state["to_act"]]
        web.post(f"{seat}/do", json={"number": state["number"], "text": f"drop {column}"})
    until = time.monotonic() + 30
    while not state_of(web, first)["said"] and time.monotonic() < until:
        time.sleep(0.02)
    name = state_of(web, first)["said"][-1].rpartition(" ")[2]
    run = "/run/results/people/connect_four"
    assert "human play" in web.get("/").text
    assert "Continue" not in web.get(f"{run}/").text
    assert "Ada (human)" in web.get(f"{run}/report.html").text
    assert name in web.get(f"{run}/matches.html").text
    assert web.get(f"{run}/replays/{name}.html").status_code == 200
    assert web.post(f"{run}/continue", headers={"origin": "http://testserver"}).status_code == 400
    shutil.rmtree(folder / "results" / "people")


def test_a_stored_match_has_no_seed_of_its_own(web):
    body = b"game=connect_four&seats=human,greedy&names=Ada&seed=5"
    assert "a deal nobody has seen" in web.post("/play", content=body).text


def test_rules_are_read_at_the_table(web):
    (seat, *_) = open_table(web, game="karmaka", seats="human,human", seed="1")
    assert "the top card of the target" in web.get(f"{seat}/rules?explain=panic").text
    assert "R19" in web.get(f"{seat}/rules?heading=Death and rebirth").text
    assert "no rule speaks of it" in web.get(f"{seat}/rules?explain=%3Cb%3E").text


@pytest.mark.parametrize("name", ["karmaka", "sagrada"])
def test_a_seat_is_sent_what_its_view_holds_and_nothing_more(web, name):
    """Two tables whose hidden parts differ, where one seat's View is the same, send this seat the same."""
    from engines.records import copy
    from engines.rng import seeded

    seats = open_table(web, game=name, seats="human,human", seed="4")
    game, table = load_game(name), table_of(web)
    for _ in range(12):
        before = state_of(web, seats[0])
        kept = copy(table.match.states)
        view = game.view(table.match.states, 0)
        game.determinize(view, seeded(9), table.match.states)
        assert {**state_of(web, seats[0]), "actions": []} == {**before, "actions": []}
        table.match.states[:] = kept
        if table.match.over:
            break
        table.match.do(table.match.legal()[0])


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    from arena.cli.web import web as command
    from engines.errors import UserError

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "arena.web.server", raising=False)
    with pytest.raises(UserError, match=r"tabletop-arena\[web\]"):
        command()


@pytest.mark.parametrize(
    ("host", "folder", "line"),
    [("0.0.0.0", ".", "--password needs 8"), ("127.0.0.1", "nothing", "no such folder")],
)
def test_what_cannot_be_served_is_one_line(host, folder, line):
    from arena.web.server import serve
    from engines.errors import UserError

    with pytest.raises(UserError, match=line):
        serve(Path(folder), host, 0, "", False, print)
