"""What strangers and vandals send: each request gets a line or a page, nothing from outside the folder, no code."""

import asyncio
import json
import re
import shutil
import socket
import sys
import threading
import time
from dataclasses import replace

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

from arena.web import guard
from arena.web.app import make_app
from arena.web.guard import BURST, COOKIE, GUESS, Guard, Keys
from arena.web.inside import check_inside, check_options
from arena.web.runner import Runner
from bots import policy
from engines.errors import UserError

EVIL = "open({mark!r}, 'w').close()\nclass Bot:\n    pass\n"
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{own}: &{own} [{','.join([f'*{before}'] * 9)}]\n"
    for before, own in zip("abcdefg", "bcdefgh", strict=True)
)


@pytest.fixture(scope="module")
def trapped(tmp_path_factory, folder):
    """A folder full of traps: links out of it, configs that reach outside, bombs, odd names, damaged runs."""
    place = tmp_path_factory.mktemp("trapped")
    mark = str(place / "evil_ran")
    inner = place / "inner"
    shutil.copytree(folder, inner)
    cup = inner / "results" / "cup"
    (place / "secret.txt").write_text("topsecret")
    (place / "evil.py").write_text(EVIL.format(mark=mark))
    (place / "evil.sh").write_text("")
    (inner / "evil.py").write_text(EVIL.format(mark=mark))
    (inner / "secret.html").symlink_to(place / "secret.txt")
    (place / "weights.npz").write_text("topsecret")
    program = place / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (inner / "weights.npz").symlink_to(place / "weights.npz")
    (inner / "program").symlink_to(program)
    (inner / "module.py").symlink_to(place / "evil.py")
    (inner / "single.py").write_text('files = ["secret.html"]\nclass Bot:\n    pass\n')
    for name, first in (("linkbot", "bot.py"), ("linkgame", "__init__.py")):
        (inner / name).mkdir()
        (inner / name / first).write_text(EVIL.format(mark=mark))
        (inner / name / "data").symlink_to(place / "secret.txt")
    shutil.copytree(cup, place / "outrun")
    (inner / "results" / "linked").symlink_to(place / "outrun")
    (inner / "results" / "circle").symlink_to(inner / "results" / "circle")
    base = "name: x\ngames: [connect_four]\ndeals: 1\n"
    for name, text in {
        "outside": f"{base}bots: [random, ../evil.py:Bot]\n",
        "absolute": f"{base}bots: [random, {place}/evil.py:Bot]\n",
        "mounted": f"{base}bots: [random, {{bot: greedy, mount: {place}}}]\n",
        "program": f"{base}bots: [random, {{bot: process, command: 'python3 {place}/evil.py'}}]\n",
        "text": f"{base}bots: [random, 'process:command=sh {place}/evil.sh']\n",
        "executable": f"{base}bots: [random, {{bot: process, command: {program}}}]\n",
        "linked": f"{base}bots: [random, {{bot: process, command: ./program}}]\n",
        "weights": f"{base}bots: [random, {{bot: policy, weights: {place}/weights.npz}}]\n",
        "inline": f"{base}bots: [random, 'policy:temperature=1,weights={place}/weights.npz']\n",
        "network": f"{base}bots: [random, {{bot: policy, weights: weights.npz}}]\n",
        "folder": f"{base}bots: [random, ./linkbot]\n",
        "single": f"{base}bots: [random, single.py]\n",
        "named": f"{base}bots: [random, {{bot: evil.py, files: secret.html}}]\n",
        "module": f"{base}bots: [random, 'module:Bot']\n",
        "library": f"{base}bots: [random, 'string:Template']\n",
        "nothing": f"{base}bots: [random, 'nowhere_at_all:Bot']\n",
        "game": f"name: x\ngames: [{place}]\nbots: [random]\n",
        "gamelink": "name: x\ngames: [./linkgame]\nbots: [random]\n",
        "components": f"name: x\nbots: [random]\ngames:\n- game: nakum\n"
        f"  variant: {{components: {place}/secret.txt}}\n",
        "bomb": BOMB + base + "bots: [*h]\n",
        "deep": "[" * 50_000,
        "list": "- 1\n",
        "<script>": base,
    }.items():
        (inner / f"{name}.yaml").write_text(text)
    (place / "far.yaml").write_text(f"{base}bots: [random, greedy]\n")
    (inner / "link.yaml").symlink_to(place / "far.yaml")
    for name, text in (("bombed", BOMB), ("lame", "format: 2\n"), ("名前 🎲", None)):
        shutil.copytree(cup, inner / "results" / name)
        if text is not None:
            (inner / "results" / name / "spec.yaml").write_text(text)
    shutil.copytree(cup, inner / "results" / "far")
    record = inner / "results" / "far" / "spec.yaml"
    record.write_text(record.read_text().replace("load: connect_four", f"load: {place}/fargame"))
    (place / "fargame").mkdir()
    (place / "fargame" / "__init__.py").write_text(EVIL.format(mark=mark))
    shutil.copytree(cup, inner / "results" / "cut")
    for part in (inner / "results" / "cut" / "matches").glob("*.parquet"):
        part.write_bytes(part.read_bytes()[:300])
    return place


@pytest.fixture(scope="module")
def besieged(trapped):
    keys = Keys(frozenset({"testserver"}))
    app = make_app(trapped / "inner", keys)
    with TestClient(app, follow_redirects=False, raise_server_exceptions=False) as client:
        client.cookies.set(COOKIE, keys.token)
        yield client


REQUESTS = [
    *(
        ("GET", path, {}, b"")
        for path in (
            *("/run/results/linked/", "/run/results/linked/report.html", "/run/..%2foutrun/"),
            *("/run/%2e%2e/outrun/", "/run/%252e%252e/outrun/", "/run/%2e%2e%2foutrun/events"),
            *("/run/results/cup%00/", "/run/~/", "/run//", "/run/%2f/", f"/run/{'a/' * 2000}"),
            *(f"/run/{'a' * 300}/", f"/run/{'a/' * 3000}/events", f"/run/{'a' * 7000}/report.html"),
            *("/run/results/circle/", f"/run/results/cup/matches.html?bot={'x' * 9000}"),
            *("/run/..%5c..%5coutrun/", "/run/results/cup/..%2f..%2f..%2foutrun/"),
            *("/run/results/cut/report.html", "/run/results/cut/matches.html"),
            *("/run/results/far/report.html", "/run/results/far/matches.html"),
            "/run/results/far/replays/a.html",
            *("/run/results/lame/report.html", "/run/results/bombed/report.html"),
            "/run/results/cup/replays/zz%00.html",
            f"/run/results/cup/replays/{'a' * 3000}.html",
            "/run/results/cup/replays/..%2f..%2f..%2fsecret.html",
            *("/page/secret.html", "/page/..%2fsecret.txt", "/page/%00", "/page/evil.py"),
            *("/assets/../guard.py", "/assets/%2e%2e%2fguard.py", "/assets/web.css%00"),
            *("/table/%3Cscript%3E", "/table/%2e%2e", "/seat/x/y/events", "/seat/%00/%00"),
            f"/seat/{'a' * 2000}/{'b' * 2000}/rules?explain=x",
        )
    ),
    *(
        ("POST", "/start", {}, b"do=run&config=" + config)
        for config in (
            *(b"outside.yaml", b"absolute.yaml", b"mounted.yaml", b"program.yaml", b"game.yaml"),
            *(b"text.yaml", b"executable.yaml", b"weights.yaml", b"inline.yaml", b"folder.yaml"),
            *(b"module.yaml", b"library.yaml", b"gamelink.yaml", b"components.yaml"),
            *(b"bomb.yaml", b"list.yaml", b"link.yaml", b"..%2Ffar.yaml", b"%00"),
            *(b"%3Cscript%3E.yaml", b"/etc/passwd", b"quickstart%00", b"--fresh", b"../far"),
        )
    ),
    *(
        ("POST", "/play", {}, b"game=connect_four&seats=" + seats)
        for seats in (
            *(b"human,evil.py", b"human,./evil.py:Bot", b"human,os:system", b"human,../evil.py"),
            b"human,process:command=touch+x",
            b"human,greedy:" + b"x=1," * 500,
            *(b"human,mcts:simulations=-1", b"human,mcts:simulations=1e400", b"human," * 300),
            b"human,human&names=%00,%00",
            b"human,human&names=" + b"x" * 900 + b",y",
            b"human,greedy&options=rows%3D__import__('os')",
            b"human,greedy&options=components%3D/etc/passwd",
            b"human,greedy&seed=" + b"9" * 500,
            b"human,greedy&names=a&seed=1",
        )
    ),
    # a second to read; tests/arena/plan/test_outside.py does
    pytest.param("POST", "/start", {}, b"do=run&config=deep.yaml", marks=pytest.mark.full),
    ("POST", "/reopen", {}, b"file=..%2F..%2Fspec.yaml"),
    ("POST", "/reopen", {}, b"file=%00.yaml"),
    ("POST", "/start", {}, b"\xff\xfe=\xff"),
    ("POST", "/start", {}, b"a=1&" * 5000),
    ("POST", "/run/results/cup/stop", {}, b""),
    ("POST", "/run/results/lame/continue", {}, b""),
    ("POST", "/run/results/far/continue", {}, b""),
    ("POST", "/run/results/linked/continue", {}, b""),
    ("POST", "/start", {"origin": "http://evil.example"}, b"config=quickstart"),
    ("POST", "/start", {"sec-fetch-site": "same-site"}, b"config=quickstart"),
    ("POST", "/start", {"referer": "http://evil.example/"}, b"config=quickstart"),
    ("GET", "/", {"x-large": "a" * 40_000}, b""),
    ("GET", "/", {"host": "evil.example"}, b""),
    ("GET", "/", {"host": "testserver.evil.example"}, b""),
    ("GET", "/", {"host": ""}, b""),
    ("GET", "/", {"cookie": f"{COOKIE}=wrong"}, b""),
    ("GET", "/", {"cookie": f"{COOKIE}=\xe9"}, b""),
    ("POST", "/start", {"content-length": "99999999"}, b""),
    ("TRACE", "/", {}, b""),
    ("OPTIONS", "/", {"origin": "http://evil.example"}, b""),
    ("GET", "/nothing?token=" + "a" * 5000, {"cookie": ""}, b""),
]


def test_there_are_fifty_hostile_requests():
    assert len(REQUESTS) >= 50


@pytest.mark.parametrize(("method", "path", "headers", "body"), REQUESTS)
def test_a_hostile_request_gets_a_line_and_nothing_else(
    besieged, trapped, method, path, headers, body
):
    besieged.app._rates._left.clear()
    encoded = {name: value.encode("latin-1") for name, value in headers.items()}
    answer = besieged.request(method, path, headers=encoded, content=body, follow_redirects=True)
    assert 400 <= answer.status_code < 500, answer.text
    for word in ("Traceback", "topsecret", "<script>"):  # a page's own scripts are files
        assert word not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert not (trapped / "evil_ran").exists()
    assert not besieged.app._app.state.house.runner.started()


def test_pages_of_a_folder_full_of_traps_are_pages(besieged, trapped):
    for path in (
        "/",
        "/boards",
        "/play",
        "/run/results/cut/",
        "/run/results/lame/",
        "/run/results/far/",
    ):
        answer = besieged.get(path)
        assert answer.status_code == 200, path
        assert "<script>" not in answer.text
    assert "&lt;script&gt;.yaml" in besieged.get("/").text
    assert "its game lies outside" in besieged.get("/run/results/far/").text
    assert not (trapped / "evil_ran").exists()
    link = re.findall(r'href="(/run/results/%E5[^"]*)"', besieged.get("/").text)[0]
    assert besieged.get(link).status_code == 200
    assert "名前" in besieged.get("/").text


def test_our_own_fault_is_a_page_without_a_traceback(besieged, monkeypatch):
    monkeypatch.setattr("arena.web.app.runs_below", lambda folder: 1 / 0)
    answer = besieged.get("/")
    assert answer.status_code == 500
    assert "ZeroDivisionError" in answer.text
    assert "Traceback" not in answer.text


def test_a_seat_opens_nothing_but_itself(besieged):
    answer = besieged.post("/play", content=b"game=connect_four&seats=human,human")
    page = besieged.get(answer.headers["location"]).text
    first, second = re.findall(r"/seat/\w+/[\w-]+", page)
    token = besieged.cookies.pop(COOKIE)
    besieged.cookies.clear()
    try:
        assert besieged.get(first).status_code == 200
        for path in ("/", "/play", "/boards", answer.headers["location"], "/run/results/cup/"):
            assert besieged.get(path).status_code == 403
        place, own = first.rsplit("/", 1)
        other = second.rsplit("/", 1)[1]
        assert own != other
        for crossed in (
            f"{place}/{own[:-1]}",
            f"{place}/{own}x",
            f"{place}/{own[::-1]}",
            f"{place}x/{own}",
        ):
            assert besieged.get(crossed).status_code == 404, crossed
        assert besieged.get(f"{place}/{other}").status_code == 200  # a seat of the same table
        headers = {"origin": "http://evil.example", "content-type": "application/json"}
        data = json.dumps({"number": 1, "text": "drop 1"})
        assert besieged.post(f"{first}/do", content=data, headers=headers).status_code == 403
    finally:
        besieged.cookies.set(COOKIE, token)


# --- configs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("outside", r"bots\[1\]: '../evil.py' lies outside"),
        ("absolute", r"bots\[1\]: '/.*evil.py' lies outside"),
        ("mounted", r"bots\[1\]: '/.*' lies outside"),
        ("program", r"bots\[1\]: '/.*evil.py' lies outside"),
        ("text", r"bots\[1\]: '/.*evil.sh' lies outside"),
        ("executable", r"bots\[1\]: '/.*program' lies outside"),
        ("linked", r"bots\[1\]: './program' lies outside"),
        ("weights", r"bots\[1\]: '/.*weights.npz' lies outside"),
        ("inline", r"bots\[1\]: '/.*weights.npz' lies outside"),
        ("network", r"bots\[1\]: 'weights.npz' lies outside"),
        ("folder", r"bots\[1\]: '/.*linkbot/data' lies outside"),
        ("single", r"bots\[1\]: '/.*secret.html' lies outside"),
        ("named", r"bots\[1\]: '/.*secret.(html|txt)' lies outside"),
        ("module", r"bots\[1\]: '/.*module.py' lies outside"),
        ("library", r"bots\[1\]: '/.*string.py' lies outside"),
        ("nothing", "there is no such module"),
        ("game", r"games\[0\].game: '/.*' lies outside"),
        ("gamelink", r"games\[0\].game: '/.*linkgame/data' lies outside"),
        ("components", r"games\[0\].variant.components: '/.*secret.txt' lies outside"),
        ("link", r"link.yaml: lies outside"),
        ("bomb", "aliases"),
    ],
)
def test_a_config_that_reaches_outside_is_not_started(trapped, name, line):
    root = (trapped / "inner").resolve()
    with pytest.raises(UserError, match=line):
        check_inside(root, root / f"{name}.yaml")


def test_bots_below_the_folder_are_started(trapped):
    root = (trapped / "inner").resolve()
    config = root / "own.yaml"
    config.write_text("name: x\ngames: [connect_four]\nbots: [random, evil.py:Bot]\ndeals: 1\n")
    check_inside(root, config)
    check_inside(root, root / "results" / "cup" / "spec.yaml")
    config.unlink()


def test_a_kind_of_bot_that_does_not_say_which_words_are_paths_is_asked_what_it_reads(trapped):
    def refuse(word):
        raise UserError(word)

    kind = replace(policy.KIND, placed=None)
    with pytest.raises(UserError, match=r"far\.npz"):
        check_options(kind, {"weights": "far.npz"}, refuse)
    check_options(replace(kind, reads=None), {"weights": "far.npz"}, refuse)


def test_programs_networks_and_games_below_the_folder_and_of_the_system_are_started(trapped):
    root = (trapped / "inner").resolve()
    (root / "right").mkdir()
    (root / "right" / "__init__.py").write_text("")
    (root / "right" / "net.npz").write_text("")
    game = str(root / "right")
    for bot in (
        "{bot: process, command: 'python3 evil.py'}",
        f"{{bot: process, command: '{shutil.which('python3')} -c 1'}}",
        "'process:command=sh evil.sh'",
        "{bot: policy, weights: right/net.npz}",
        "'arena.interop.spielbots:MCTS'",
        "'right:Bot'",
        "./right",
        "{bot: gone.py, retired: true}",
    ):
        config = root / "own.yaml"
        config.write_text(f"name: x\ngames: [connect_four, {game}]\nbots: [random, {bot}]\n")
        check_inside(root, config)
        config.unlink()
    shutil.rmtree(root / "right")


def test_what_was_started_and_failed_is_told(trapped):
    runner = Runner(trapped / "inner")
    runner._begin("list.yaml", "run", "nowhere.yaml")
    runner._started[0].process.wait(120)
    ((what, state),) = runner.started()
    assert what == "list.yaml"
    assert state.startswith("failed: error: ")
    assert "nowhere.yaml" in state
    runner.close()


def test_an_estimate_is_what_the_command_says_and_nothing_of_what_bots_write(trapped, monkeypatch):
    said = "print('36 matches'); import sys; print('<b>boom</b>', file=sys.stderr); sys.exit({})"
    runner = Runner(trapped / "inner")
    for code in (0, 2):
        words = [sys.executable, "-c", said.format(code)]
        monkeypatch.setattr("arena.web.runner.command", lambda *_, words=words: words)
        if code:
            with pytest.raises(UserError, match="boom"):
                asyncio.run(runner.estimate("quickstart"))
        else:
            assert asyncio.run(runner.estimate("quickstart")) == "36 matches"


def test_an_estimate_is_a_page_with_a_button_that_begins_what_it_is_about(besieged, monkeypatch):
    async def told(config):
        return f"{config}: 36 matches <b>"

    async def left(place):
        return f"{place.name}: 30 left"

    runner = besieged.app._app.state.house.runner
    monkeypatch.setattr(runner, "estimate", told)
    monkeypatch.setattr(runner, "left", left)
    page = besieged.post("/start", content=b"do=dry&config=a%22b.yaml").text
    assert "36 matches &lt;b&gt;" in page
    assert 'name="config" value="a&quot;b.yaml"' in page
    assert "cup: 30 left" in besieged.post("/run/results/cup/continue", content=b"do=dry").text
    assert not runner.started()


# --- many and slow ----------------------------------------------------------------------------------------


def test_an_address_opens_so_many_pages_and_no_more(besieged, monkeypatch):
    monkeypatch.setattr(guard, "MOST_OPEN", 0)
    assert besieged.get("/").status_code == 429


def test_guessing_a_password_is_slow(trapped, monkeypatch):
    async def at_once(seconds):
        return None

    monkeypatch.setattr("arena.web.app.asyncio.sleep", at_once)
    keys = Keys(frozenset({"testserver"}), "correct horse")
    with TestClient(make_app(trapped / "inner", keys), follow_redirects=False) as client:
        codes = [client.post("/login", content=b"password=x").status_code for _ in range(20)]
    assert codes.count(403) <= BURST // GUESS + 2
    assert codes[-1] == 429


@pytest.mark.parametrize(
    ("host", "right"),
    [
        ("192.168.1.7:80", True),
        ("[fe80::1]:80", True),
        ("evil.example:80", False),
        ("192.168.1.7:81", False),
        ("192.168.1.7", False),
    ],
)
def test_a_server_on_all_addresses_answers_to_them_and_to_no_rebound_name(host, right):
    assert Keys(frozenset(), "password", port=80).named(host) is right
    assert not Keys(frozenset()).named(host)


def test_sockets_of_other_kinds_are_not_answered():
    import asyncio

    async def never(scope, receive, send):
        raise AssertionError

    asyncio.run(Guard(never, Keys(frozenset()))({"type": "websocket"}, never, never))


@pytest.fixture
def hasty(trapped, monkeypatch):
    """A real server that waits 0.2 s for a request; the port."""
    import uvicorn

    from arena.web import server

    monkeypatch.setattr(server, "HEAD_SECONDS", 0.2)
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.2)
    listener = server.listening("127.0.0.1", 0)
    port = listener.getsockname()[1]
    keys = Keys(frozenset({f"127.0.0.1:{port}"}))
    app = make_app(trapped / "inner", keys)
    running = uvicorn.Server(
        uvicorn.Config(app, http=server.Hasty, ws="none", log_level="warning", lifespan="off")
    )
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    yield port, keys.token
    running.should_exit = True
    thread.join(10)


@pytest.mark.parametrize("head", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX: "])
def test_a_connection_that_asks_for_nothing_is_let_go(hasty, head):
    with socket.create_connection(("127.0.0.1", hasty[0]), timeout=20) as slow:
        slow.sendall(head)
        assert slow.recv(100) == b""


@pytest.mark.parametrize(
    "sent",
    [
        "\x16\x03\x01\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    ],
)
def test_what_is_no_http_is_answered_with_the_headers_of_every_answer(hasty, sent):
    with socket.create_connection(("127.0.0.1", hasty[0]), timeout=20) as wrong:
        wrong.sendall(sent.encode("latin-1"))
        answer = b"".join(iter(lambda: wrong.recv(2000), b""))
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"default-src 'none'" in answer
    assert b"x-content-type-options: nosniff" in answer


def test_a_body_that_does_not_come_is_not_waited_for(hasty):
    port, token = hasty
    lines = (
        "POST /start HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Cookie: {COOKIE}={token}",
        "Content-Length: 100",
    )
    with socket.create_connection(("127.0.0.1", port), timeout=20) as slow:
        slow.sendall("\r\n".join([*lines, "", "confi"]).encode())
        began = time.monotonic()
        assert b"400" in slow.recv(2000)
        assert time.monotonic() - began < 15


def test_a_stream_outlives_the_patience_for_requests(hasty):
    port, token = hasty
    head = f"GET /run/results/cup/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {COOKIE}={token}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as open_page:
        open_page.sendall(head.encode())
        assert b"200 OK" in open_page.recv(500)
        open_page.settimeout(1.0)
        end = time.monotonic() + 0.6
        while time.monotonic() < end:
            try:
                assert open_page.recv(1 << 16) != b""
            except TimeoutError:
                break
