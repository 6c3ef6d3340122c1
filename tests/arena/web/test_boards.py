"""Boards by game, variant and players, and matches by what happened in them."""

import os
import re

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

import arena
from arena.web.boards import Key, fitting, parts_of, published
from arena.web.matches import Wanted, rows_of

PAGE = """<head></head><header><nav><ul>
<li><a href="#group1">one</a></li><li><a href="#group2">two</a></li></ul></nav></header>
<div class="panel"><h3>karmaka (hand_size=3), 3 players</h3><div>said of three</div></div>
<section id="group1" aria-labelledby="group1-h">
<h2 id="group1-h">karmaka, 2 players, the baseline</h2><section>inner</section>two play</section>
<section id="group2" aria-labelledby="group2-h">
<h2 id="group2-h">karmaka (hand_size=3), 3 players</h2>three play</section>
<section id="provenance"><h2>How this was made</h2>always</section>"""


@pytest.fixture(scope="module")
def two_games(tmp_path_factory):
    """A run of two games, one of them in two variants."""
    spec = {
        "name": "two",
        "games": [
            {"game": "connect_four", "variants": [{}, {"rows": 5}]},
            {"game": "karmaka", "players": 3},
        ],
        "bots": ["random", "greedy"],
        "deals": 2,
    }
    place = tmp_path_factory.mktemp("two")
    arena.run(spec, workers=0, out=place / "results" / "two")
    return place


def test_parts_are_found_by_their_headings():
    assert [(part.key, part.anchor) for part in parts_of(PAGE)] == [
        (Key("karmaka", "hand_size=3", "3"), ""),
        (Key("karmaka", "default", "2"), "group1"),
        (Key("karmaka", "hand_size=3", "3"), "group2"),
    ]


def test_a_page_shows_the_parts_that_fit():
    shown = fitting(PAGE, Key(players="2"))
    assert "two play" in shown
    assert "inner" in shown
    assert "always" in shown
    assert "three" not in shown
    assert "#group2" not in shown
    assert "<option selected>2</option>" in shown
    assert fitting("<p>plain</p>", Key("karmaka")) == "<p>plain</p>"


@pytest.mark.parametrize(
    "name",
    ["<script>", *(pytest.param(n, marks=pytest.mark.full) for n in ("x" * 1000, "../..", "\x00"))],
)
def test_odd_filters_find_nothing_and_are_escaped(web, name, undrawn):
    for page in ("/boards", "/run/results/cup/matches.html", "/run/results/cup/report.html"):
        answer = web.get(page, params={"game": name, "result": name})
        assert answer.status_code == 200
        assert "<option selected><script>" not in answer.text


def test_boards_list_runs_and_published_pages_by_game_variant_and_players(two_games, keys, undrawn):
    from starlette.testclient import TestClient

    from arena.web.app import make_app
    from arena.web.guard import COOKIE

    file = two_games / "results" / "leaderboards" / "balance-karmaka.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(PAGE)
    with TestClient(make_app(two_games, keys)) as web:
        web.cookies.set(COOKIE, keys.token)
        every = web.get("/boards").text
        assert "6 tables" in every
        assert 'href="/page/results/leaderboards/balance-karmaka.html?game=karmaka' in every
        fitting_ones = web.get("/boards?game=connect_four&variant=rows%3D5").text
        assert "<caption>1 table<" in fitting_ones
        (link,) = re.findall(r'href="(/run/[^"]*report.html[^"]*)"', fitting_ones)
        report = web.get(link.replace("&amp;", "&")).text
        assert "Connect Four (rows 5), 2 players</h2>" in report
        assert "Karmaka, 3 players</h2>" not in report
        page = web.get("/page/results/leaderboards/balance-karmaka.html?players=3").text
        assert "three play" in page
        assert "two play" not in page
        matches = web.get("/run/results/two/matches.html?game=karmaka&players=3").text
        assert re.search(r"<caption>12 matches", matches)
        assert ">rows=5</option>" in matches


def test_a_page_that_a_link_leads_to_outside_is_not_published(tmp_path):
    (tmp_path / "house").mkdir()
    (tmp_path / "secret.html").write_text("secret")
    os.symlink(tmp_path / "secret.html", tmp_path / "house" / "board.html")
    assert published(tmp_path / "house") == []


def test_upsets_are_found_among_the_matches(tmp_path):
    game = {"game": "connect_four", "opening": 8}
    weak, strong = bots = ["greedy", "mcts:simulations=200"]
    spec = {"name": "upsets", "games": [game], "bots": bots, "deals": 40, "seed": 1}
    rows = rows_of(arena.run(spec, workers=0, out=tmp_path)._tables.results)
    won = {bot: [r for r in rows if r["first"] == [bot]] for bot in bots}
    assert 0 < len(won[weak]) + 0.2 * len(rows) < len(won[strong])
    upsets = list(Wanted(result="upset").among(rows))
    assert upsets
    assert upsets == won[weak]


def test_an_upset_is_a_win_over_a_much_stronger_bot():
    import pandas as pd

    from arena.results import telling

    seats = pd.DataFrame(
        [
            (f"m{n}", "g", "default", 2, bot, rank, 0, float(rank == 1), False)
            for n in range(5)
            for bot, rank in (("weak", 1 if n == 0 else 2), ("strong", 2 if n == 0 else 1))
        ],
        columns=[
            *("match_id", "game", "variant", "players", "entrant", "rank", "points"),
            *("win_share", "fault"),
        ],
    )
    matches = pd.DataFrame(
        {"match_id": [f"m{n}" for n in range(5)], "game": "g", "variant": "default"}
        | {"players": 2, "turns": 1}
    )
    found = telling.measured(seats, matches)
    assert found.loc[found.upset <= -telling.SURPRISING, "match_id"].tolist() == ["m0"]


def test_a_bot_that_meets_itself_is_found_as_its_own_opponent():
    rows = [
        {
            "names": ["a", "b"],
            "first": ["a"],
            "ending": "finished",
            "reason": "won",
            "upset": False,
        },
        {"names": ["a", "a"], "first": ["a"], "ending": "finished", "reason": "won", "upset": True},
    ]
    assert list(Wanted(bot="a", opponent="a").among(rows)) == rows[1:]
    assert list(Wanted(bot="b", opponent="a").among(rows)) == rows[:1]
    assert list(Wanted(ending="won", result="upset").among(rows)) == rows[1:]
