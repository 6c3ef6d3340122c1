"""Language models as bots, against a small server that answers well, wrongly, slowly, with errors, and never."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.pages.film import unpacked
from arena.pages.leaderboards import boards_text
from arena.pages.replay import write_replay
from arena.results.leaderboards import make_boards
from arena.results.replay import replay_match
from arena.results.report import board_text, make_tables
from arena.store.run_folder import read_matches
from bots import endpoint
from bots.chat import named_action, place_of, told
from bots.contract import Event, View
from bots.endpoint import SECRETS, Endpoint, without_secrets
from bots.registry import parse_bot
from engines.core import load_game
from engines.errors import UserError
from engines.rng import seeded

KEY = "ARENA_TEST_KEY"
SECRET = "sk-very-secret-1234567890"


class Server:
    """An endpoint; `answers` are given one after the other, the last again and again."""

    def __init__(self) -> None:
        self.answers: list[Callable[[dict[str, Any]], Any]] = [first_legal]
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.never = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers["Content-Length"])
                request = json.loads(self.rfile.read(size))
                server.requests.append(request)
                server.keys.append(self.headers["Authorization"])
                number = min(len(server.requests), len(server.answers)) - 1
                found = server.answers[number](request)
                status, body = found if isinstance(found, tuple) else (200, reply(found))
                if status == 0:
                    server.never.wait(5)
                    return
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                if status == 429:
                    self.send_header("Retry-After", "0")
                if status == 302:
                    self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self.never.set()
        self.http.shutdown()
        self.http.server_close()


def reply(text: str) -> dict[str, Any]:
    return {
        "choices": [{"message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }


def legal_in(request: dict[str, Any]) -> list[str]:
    """The actions that the last message offers."""
    lines = request["messages"][-1]["content"].split("egal actions")[-1].splitlines()
    return [line[2:] for line in lines if line.startswith("- ")]


def first_legal(request: dict[str, Any]) -> str:
    return f"I think.\nACTION: {legal_in(request)[0]}"


def wrong(request: dict[str, Any]) -> str:
    return "ACTION: castle"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv(KEY, SECRET)
    monkeypatch.setenv(SECRETS, "")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(endpoint, "PAUSE", 0.01)
    found = Server()
    yield found
    found.close()


def asked(server: Server, **options: Any) -> tuple[Any, View, list[int]]:
    """A bot at the beginning of a match, and what it is shown."""
    game = load_game("karmaka")
    states = game.new_state(2, game.Variant(), seeded(3))
    legal = game.legal(states).tolist()
    view = View(game, game.view(states, int(states["to_act"][0])), legal, (Event(1, "pass"),), 1)
    given = {"url": server.url, "model": "small", "key": KEY, **options}
    bot: Any = parse_bot("chat", given).make()
    bot.reset(game, view, 1)
    return bot, view, legal


# --- one decision -----------------------------------------------------------------------------------------


def test_the_prompt_has_rules_view_past_and_actions_in_words(server: Server) -> None:
    bot, view, legal = asked(server, temperature=0.5, max_tokens=50)
    assert bot.act(view, legal) == legal[0]
    request = server.requests[0]
    system, user = (one["content"] for one in request["messages"])
    assert "You are player" in system
    assert "**R1** The game has 64 cards" in system
    assert str(view) in user
    assert "- player 2: pass" in user
    assert all(f"- {view.text(action)}" in user for action in legal)
    assert (request["model"], request["temperature"], request["max_tokens"]) == ("small", 0.5, 50)
    assert server.keys == [f"Bearer {SECRET}"]
    said = bot.last_said()
    assert (said["tokens_in"], said["tokens_out"], said["illegal"]) == (100, 10, 0)
    assert said["chosen"] == view.text(legal[0])
    assert bot.last_said() is None


def test_what_happened_is_told_once(server: Server) -> None:
    bot, view, legal = asked(server)
    bot.act(view, legal)
    bot.act(view, legal)
    assert "- player 2: pass" not in server.requests[1]["messages"][1]["content"]


def test_an_illegal_answer_is_asked_again(server: Server) -> None:
    server.answers = [wrong, lambda request: "I do not know\nat all", first_legal]
    bot, view, legal = asked(server, price_in=10.0, price_out=100.0)
    assert bot.act(view, legal) == legal[0]
    last = server.requests[2]["messages"]
    assert [one["role"] for one in last] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert "'castle' is no legal action now" in last[3]["content"]
    said = bot.last_said()
    assert (said["illegal"], said["requests"], said["tokens_in"]) == (2, 3, 300)
    assert said["cost"] == pytest.approx((300 * 10 + 30 * 100) / 1e6)


@pytest.mark.parametrize("fallback", ["fault", "random", "first"])
def test_after_the_retries_comes_what_was_said_before(server: Server, fallback: str) -> None:
    server.answers = [wrong]
    bot, view, legal = asked(server, retries=1, fallback=fallback)
    if fallback == "fault":
        with pytest.raises(UserError, match="2 answers named no legal action, the last 'castle'"):
            bot.act(view, legal)
    else:
        assert bot.act(view, legal) in (legal[:1] if fallback == "first" else legal)
    said = bot.last_said()
    assert said["fallback"]
    assert said["messages"][-1]["role"] == "assistant"
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [429, 500, 503])
def test_errors_that_pass_are_tried_again(server: Server, status: int) -> None:
    server.answers = [lambda r: (status, b"busy"), lambda r: (status, b"busy"), first_legal]
    bot, view, legal = asked(server)
    assert bot.act(view, legal) == legal[0]
    assert bot.last_said()["requests"] == 3


def test_errors_that_stay_are_a_fault_without_the_key(server: Server) -> None:
    server.answers = [lambda r: (500, f"bad key {SECRET}".encode())]
    bot, view, legal = asked(server)
    with pytest.raises(UserError, match=r"no answer after 4 requests: 500 .*bad key") as error:
        bot.act(view, legal)
    assert SECRET not in str(error.value)
    assert SECRET not in json.dumps(bot.last_said())
    server.answers = [lambda r: (401, f"no such key {SECRET}".encode())]
    before = len(server.requests)
    with pytest.raises(UserError, match="no answer after 1 request: 401"):
        bot.act(view, legal)
    assert len(server.requests) == before + 1  # 4xx is not tried again


def test_an_endpoint_that_never_answers_is_left_in_time(server: Server) -> None:
    server.answers = [lambda r: (0, b"")]
    bot, view, legal = asked(server, seconds=0.1)
    with pytest.raises(UserError, match="no answer after 1 request"):
        bot.act(view, legal)


def test_nonsense_and_redirections_are_no_answers(server: Server) -> None:
    server.answers = [lambda r: (200, f"<html>{SECRET}</html>".encode())]
    bot, view, legal = asked(server)
    with pytest.raises(UserError, match=r"an answer without choices: <html>\*\*\*"):
        bot.act(view, legal)
    server.answers = [lambda r: (302, b"")]
    with pytest.raises(UserError, match="no answer after 1 request: 302"):
        bot.act(view, legal)  # the key is for one host


def test_an_answer_that_tells_the_key_is_kept_without_it(server: Server) -> None:
    server.answers = [lambda r: f"{SECRET}\n{first_legal(r)}"]
    bot, view, legal = asked(server)
    bot.act(view, legal)
    assert SECRET not in json.dumps(bot.last_said())


def test_actions_are_read_as_people_write_them() -> None:
    texts = ["play Wolf as deed", "play Wolf to future", "pass"]
    assert place_of(named_action("so\n**Action:** `Play wolf  to future`."), texts) == 1
    assert place_of(named_action("ACTION: pass\nno!\nACTION: play Wolf as deed"), texts) == 0
    assert place_of(named_action("pass"), texts) == 2
    assert place_of(named_action("play"), texts) is None
    assert place_of(named_action(""), texts) is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"url": "ftp://x/v1"}, "chat.url: 'ftp://x/v1', expected http"),
        ({"url": "http://example.com/v1"}, "expected https where a key is sent"),
        ({"url": "https://me:pw@example.com/v1"}, "expected no name or password"),
        ({"key": "sk-123"}, "expected the name of an environment variable, not the key itself"),
        ({"model": ""}, "chat.model: missing"),
    ],
)
def test_wrong_options_are_told_in_a_line(server: Server, options: Any, said: str) -> None:
    with pytest.raises(UserError, match=said):
        parse_bot("chat", {"url": server.url, "model": "small", "key": KEY, **options})


def test_no_process_of_a_bot_is_given_the_key(server: Server) -> None:
    asked(server)
    assert without_secrets({KEY: SECRET, "HOME": "/"}) == {"HOME": "/"}


# --- runs -------------------------------------------------------------------------------------------------


def test_a_run_keeps_what_was_said_and_tells_what_it_cost(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answers = [wrong, first_legal]
    chat = f"chat:url={server.url},model=small,key={KEY},price_in=10"
    out = tmp_path / "run"
    run = arena.match("connect_four", [chat, "random"], deals=1, workers=0, out=out)
    assert run.faults.empty
    assert f"asks 127.0.0.1 for every decision, with the key in {KEY}" in capsys.readouterr().err
    made = make_tables(out)
    columns = made.text().split("Language models")[1].splitlines()
    head = "bot decisions tokens in tokens out seconds cost illegal fallbacks"
    assert columns[1].split() == head.split()
    for said in (made.text(), board_text(made), boards_text(make_boards([out]))):
        below = said.split("Language models")[1].splitlines()
        row = next(line for line in below if "small" in line).replace("|", " ").split()
        # 10 out for a reply, of which one was no action
        assert [row[-5], *row[-2:]] == ["11", "1", "0"]
    ids = read_matches(out)["match_id"]
    told = "\n".join("\n".join(replay_match(out, one)) for one in ids)
    (row,) = made.chat.to_dict("records")
    assert (row["illegal"], row["fallback"], row["matches"]) == (1, 0, 2)
    assert row["cost"] == pytest.approx(row["tokens_in"] * 10 / 1e6)
    assert "| ACTION: castle" in told
    assert "'castle' is no legal action now" in told
    assert any("| ACTION: castle" in said for one in ids for said in heard(out, one))
    for file in out.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file


def heard(run: Path, match_id: str) -> list[str]:
    """What the page of a match tells of its talks."""
    page = write_replay(run, match_id).read_text(encoding="utf-8")
    assert 'id="talk"' in page
    film = unpacked(re.search(r'id="film">(.*?)</script>', page)[1])
    assert len(film["talks"]) == len(film["moves"])
    return [film["texts"][number] for number in film["talks"] if number >= 0]


def test_a_run_without_its_key_is_refused_before_it_begins(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(KEY)
    chat = f"chat:url={server.url},model=small,key={KEY}"
    with pytest.raises(UserError, match=f"key: the environment variable {KEY} is not set"):
        arena.match("connect_four", [chat, "random"], deals=1, workers=0, out=tmp_path / "run")
    assert not server.requests


def test_a_model_that_fails_loses_its_match(server: Server, tmp_path: Path) -> None:
    server.answers = [wrong]
    chat = f"chat:url={server.url},model=small,key={KEY},retries=0"
    run = arena.match("connect_four", [chat, "random"], deals=1, workers=0, out=tmp_path / "run")
    assert run.faults["kind"].tolist() == ["crash"]
    assert "1 answers named no legal action, the last 'castle'" in run.faults["example"].iloc[0]


def test_endpoints_are_named_without_their_key() -> None:
    made = Endpoint("https://example.com/v1/", "m", KEY, 1.0, {})
    assert made.address == "https://example.com/v1/chat/completions"
    assert made.host == "example.com"
    assert SECRET not in repr(made)


def test_a_model_counts_players_from_one_in_actions_too() -> None:
    karmaka, sacrifice = load_game("karmaka"), load_game("sacrifice")
    assert told(karmaka, "target 1") == "target player 2"
    assert told(sacrifice, "S1:c7-c8") == "S1:c7-c8"  # worded by its position


@pytest.mark.ray
@pytest.mark.full
def test_matches_that_wait_are_in_flight_beside_the_workers(server: Server, tmp_path: Path) -> None:
    together = threading.Barrier(3, timeout=120)  # broken unless three requests come at once

    def when_all_wait(request: dict[str, Any]) -> str:
        if len(server.requests) <= 3:
            together.wait()
        return first_legal(request)

    server.answers = [when_all_wait]
    chat = f"chat:url={server.url},model=small,key={KEY},seconds=300"
    config = {
        "name": "waiting",
        "games": [{"game": "connect_four"}],
        "bots": [chat, "random"],
        "deals": 2,
        "waiting": 3,
        "limits": {"decision_seconds": 300},
    }
    file, folder = tmp_path / "waiting.json", tmp_path / "run"
    file.write_text(json.dumps(config))
    # In a process of its own: workers have the environment in which their Ray began, and one that other tests
    # have begun here knows no key.
    words = ["run", file, "--workers", "1", "--out", folder, "--quiet"]
    subprocess.run([sys.executable, "-m", "arena", *map(str, words)], check=True, timeout=500)
    assert arena.load(folder).faults.empty
    assert not together.broken
