"""Reports, boards and replays as pages: whole and sensible also for runs that are not."""

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from arena.execution.run import carry_out
from arena.pages.board import board_chart, write_board_pages
from arena.pages.film import made_whole, unpacked
from arena.pages.replay import write_replay
from arena.pages.report import PAGE, report_html, write_report
from arena.pages.watched import MOST_BYTES
from arena.results.findings import make_findings, write_findings
from arena.results.report import (
    board_text,
    group_keys,
    make_tables,
    of_group,
    write_board,
)
from arena.results.titles import group_title
from arena.store.columns import RESULTS
from arena.store.parts import part_files, read_part, write_part
from arena.store.run_folder import load_spec, read_match, read_matches
from engines.core import load_game
from engines.errors import UserError

SMALL = {"game": "connect_four", "variant": {"rows": 4, "columns": 5, "connect": 3}}
DRAWN = {"game": "connect_four", "variant": {"rows": 2, "columns": 8, "connect": 8}}
WHOLE = {  # with every chart that there is
    "games": ["connect_four", SMALL],
    "bots": ["random", "greedy", "mcts:simulations=4", "mcts:simulations=8"],
    "deals": 12,
}
ODD = {  # names that would be markup, a bot with options, and enough deals for every chart of two bots
    "games": [SMALL],
    "bots": [{"name": "<b>\"&'|</script>", "bot": "random"}, "greedy:samples=2"],
    "deals": 12,
}
VOID = {"meta", "link", "wbr", "input", "br", "path", "rect", "line"}


class Outline(HTMLParser):
    """Checks that elements close in order, and collects ids, headings and addresses."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.addresses, self.headings = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids += [found["id"]] if "id" in found else []
        self.addresses += [found[name] for name in ("href", "src") if name in found]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


def checked(text):
    """The outline of a page that asks for nothing outside and shows no nan."""
    outline = Outline(text)
    assert len(set(outline.ids)) == len(outline.ids)
    inside = {f"#{name}" for name in outline.ids}
    for address in outline.addresses:
        assert address in inside or address == "data:," or address.startswith("replays/"), address
    assert not re.search(r"url\((?!#)|@import|//(?!www\.w3\.org)[a-z]+\.", text)
    visible = re.sub(r"<(style|script|svg)\b.*?</\1>|<[^>]*>", " ", text, flags=re.S)
    assert not re.search(r"\b(nan|inf|None|NaN)\b", visible)
    assert not re.search(
        r'="[^"]*\b(nan|NaN)\b', re.sub(r"<(style|script)\b.*?</\1>", "", text, flags=re.S)
    )
    return outline


@pytest.fixture(scope="module")
def played():
    """The folders of runs that tests of this file have made, by what was asked for."""
    return {}


@pytest.fixture
def run_of(tournament, tmp_path, tmp_path_factory, played):
    """Play a tournament, and keep some of its matches. Who asks for the same again gets a copy in his own folder."""

    def make(**asked):
        run, key = tmp_path / "run", repr(asked)
        if key not in played:
            played[key] = tmp_path_factory.mktemp("played") / "run"
            made(played[key], **asked)
        shutil.copytree(played[key], run)
        return run, played[key]

    def made(run, matches=None, **changes):
        carry_out(tournament(**changes), run, workers=0, progress=False)
        if matches is not None:
            (part,) = part_files(run)
            write_part(part, read_part(part, RESULTS.names).slice(0, matches))

    return make


@pytest.fixture
def page_of(run_of):
    """The same with its report, whose text is returned."""

    def make(**asked):
        run, first = run_of(**asked)
        if not (first / PAGE).exists():
            tables = make_tables(first)
            write_report(tables, write_findings(tables), first / PAGE)
            shutil.copytree(first, run, dirs_exist_ok=True)
        page = (run / PAGE).read_text(encoding="utf-8").replace(str(first), str(run))
        (run / PAGE).write_text(page, encoding="utf-8")
        return page

    return make


def test_a_whole_run_shows_every_chart_with_its_table(page_of):
    page = page_of(**WHOLE)
    checked(page)
    assert ">player 2</text>" in page
    assert page.count('<svg class="chart"') + page.count('class="chart"') >= 2 * 8 + 1
    articles = re.findall(r'<article class="figure.*?</article>', page, re.S)
    assert len(articles) == 2 * 8 + 1
    for article in articles:
        charts = 2 if 'class="for-narrow"' in article else 1  # one for telephones
        assert (article.count("<svg"), article.count("<table")) == (charts, 1)
        assert re.search(r"<h3>[^<]{12,}</h3>", article.replace("<wbr>", ""))
    for title in (
        "stronger",
        "scores least against",
        "The first player wins",
        "oubling the simulations",
        "points on average",
        "% of matches last",
        "of matches ended by line",
        "2 variants on common deals",
    ):
        assert title in page, title


def test_a_page_has_no_colour_that_does_not_follow_light_and_dark(page_of):
    page = page_of(**WHOLE)
    drawn = "".join(re.findall(r"<svg.*?</svg>", page, re.S))
    known = {"#10161e"}  # figures on cells, whose colours are the same in both
    used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{3,6})"', drawn)) - known
    assert not used
    assert "prefers-color-scheme: dark" in page


@pytest.mark.full
def test_the_same_run_gives_the_same_page_again(page_of, tmp_path):
    first = page_of(bots=["random", "greedy"], deals=2)
    made = make_tables(tmp_path / "run")
    assert report_html(made, make_findings(made), tmp_path / "run") == first


def test_names_from_a_config_are_shown_as_they_are(page_of):
    page = page_of(**ODD)
    checked(page)
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


@pytest.mark.parametrize("matches", [0, pytest.param(1, marks=pytest.mark.full), 7])
def test_a_run_that_has_hardly_begun_makes_a_sensible_page(page_of, matches, undrawn):
    bots = ["random", "greedy", "mcts:simulations=5"]
    page = page_of(matches=matches, bots=bots, deals=12)
    checked(page)
    assert ("No matches yet" if not matches else f"Not finished: {matches} of 72") in page
    assert "leads" not in page or "too few deals" in page


def test_one_bot_alone_has_no_elo_but_a_page(page_of):
    page = page_of(bots=["random"], schedule="self_play", deals=12)
    checked(page)
    assert "No Elo: no two different bots have met" in page
    assert "The first player wins" in page


def test_where_all_is_drawn_the_page_says_so(page_of):
    page = page_of(games=[DRAWN], bots=["random", "greedy"], deals=12)
    checked(page)
    assert re.search(r"Whether (random|greedy) or (random|greedy) is stronger: undecided", page)


def test_where_all_fail_the_faults_are_shown(page_of, odd, undrawn):
    page = page_of(bots=[odd("Crash"), odd("Illegal")], deals=3)
    checked(page)
    assert "6 matches lost by a fault" in page
    assert "act raised RuntimeError" in page
    assert "50.0 % of matches ended by crash" in page


def test_what_a_failed_bot_wrote_on_stderr_stands_beside_its_fault(page_of, odd, undrawn):
    page = page_of(bots=[odd("Talkative"), "greedy"], deals=2, isolation="process")
    checked(page)
    (faults,) = re.findall(r'<section id="faults".*?</section>', page, re.S)
    assert "last on stderr" in faults
    assert "<pre>" in faults
    assert "first line\n&lt;second&gt; line" in faults


def test_where_sides_differ_each_bot_is_shown_on_each(page_of):
    toy = Path(__file__).parent.parent / "balance" / "toy"
    games = [{"game": str(toy), "players": 4, "variant": {"teams": True, "luck": 5}}]
    page = page_of(games=games, bots=["random", "greedy"], deals=12)
    checked(page)
    assert "Each bot on each side" in page
    assert "greedy as players 2 and 4" in page
    assert re.search(r"<h3>Players 1 and 3 win [0-9.]+ %.*?; (whether )?the side ", page)
    assert "The first player wins" not in page


def test_the_page_says_how_the_run_was_made_and_how_to_make_it_again(page_of, tmp_path):
    page = page_of(**ODD)
    (made,) = re.findall(r'<section id="provenance".*?</section>', page, re.S)
    record = load_spec(tmp_path / "run")
    for text in (
        record.version,
        record.code[0],
        record.games["connect_four"].rules,
        record.machines[0].text,
        f"arena run {tmp_path / 'run'}/spec.yaml --out FOLDER",
        f"arena replay {tmp_path / 'run'} MATCH --rerun",
        "<dt>seed of the run</dt><dd>3</dd>",
        "schedule: round_robin",
        "samples 2",
    ):
        assert text in made, text


def test_a_run_of_other_rules_has_no_usage_and_says_why(run_of, tmp_path, undrawn):
    run_of(bots=["random", "greedy"], deals=2)
    record = tmp_path / "run" / "spec.yaml"
    record.write_text(record.read_text().replace(load_game("connect_four").rules_digest, "f" * 16))
    made = make_tables(tmp_path / "run")
    found = make_findings(made)
    assert found.usage.empty
    assert "its rules have changed since the run" in report_html(made, found, tmp_path)


def test_every_finding_is_a_csv_too(page_of, tmp_path):
    page_of(bots=["random", "greedy"], deals=2)
    for name in ("points", "point_bars", "lengths", "budgets", "variants", "usage"):
        assert (tmp_path / "run" / f"{name}.csv").read_text().startswith("game,variant,players,")


def test_a_board_has_a_page_a_picture_and_matches_to_watch_beside_it(run_of, tmp_path, undrawn):
    run_of(bots=["random", "greedy"], deals=4)
    made = make_tables(tmp_path / "run")
    board = tmp_path / "boards" / "b.md"
    write_board(made, board)
    files = write_board_pages(made, make_findings(made), board)
    names = [file.name for file in files]
    assert names == ["b.html", "b.png", "b-upset.html", "b-closest.html", "b-typical.html"]
    assert files[1].read_bytes().startswith(b"\x89PNG")
    page = files[0].read_text()
    assert str(tmp_path) not in page  # a board is read elsewhere
    assert "arena run results/run/spec.yaml" in page
    assert "arena replay results/run " in page
    assert 'href="replays/' not in page
    assert re.findall(r"\]\((.*?)\)", board.read_text()) == ["b.html", *names[1:]]
    for file in files[2:]:
        assert f'href="{file.name}"' in page
        watched = file.read_text()
        assert 'href="b.html"' in watched
        assert len(watched) <= MOST_BYTES
        assert film_of(watched)["points"][-1] in ([1, 0], [0, 1])


def test_the_picture_of_a_board_shows_the_first_game_with_ratings(run_of, tmp_path):
    run_of(**WHOLE)
    made = make_tables(tmp_path / "run")
    solo, rated = group_keys(made.standings)  # as in solo games, nobody met another
    made.standings.loc[of_group(made.standings, solo).index, "elo"] = float("nan")
    title = group_title(made.record, rated)
    assert title in str(board_chart(made).title)
    assert f"![Elo with 95 % intervals: {title}](b.png)" in board_text(made, "b")


def test_who_beats_whom_of_many_bots_is_a_picture(run_of, tmp_path, undrawn):
    bots = [{"name": f"r{n}", "bot": "greedy", "samples": n} for n in range(1, 14)]
    run, _ = run_of(games=[SMALL], bots=bots, deals=1)
    made = make_tables(run)
    write_board(made, tmp_path / "b.md")
    files = write_board_pages(made, make_findings(made), tmp_path / "b.md")
    page = re.sub(r'href="b-\w+\.html"', "", files[0].read_text(encoding="utf-8"))
    assert "b-pairs1.png" in [file.name for file in files]
    text = (tmp_path / "b.md").read_text()
    assert "](b-pairs1.png)" in text
    assert "Score of the row" not in text
    assert "<h1>Connect Four: leaderboard of 13 bots</h1>" in page
    checked(page)


def test_at_most_200_matches_are_listed_each_with_why_and_its_command(page_of, tmp_path, undrawn):
    page = page_of(games=[SMALL], bots=["random", "greedy"], deals=120)
    (section,) = re.findall(r'<section id="matches".*?</section>', page, re.S)
    rows = re.findall(r"<tr>.*?</tr>", section, re.S)[1:]
    assert len(rows) == 200
    run = tmp_path / "run"
    known = set(read_matches(run)["match_id"])
    for row in rows:
        (command,) = re.findall(r"<code>(.*?)</code>", row)
        assert re.fullmatch(rf"arena replay {re.escape(str(run))} (\w+) --html", command)
        assert command.split()[-2] in known
        assert "_" not in row.split("<code>")[0].split("data-replay")[0]
    assert "upset: random" in section
    assert f"arena matches {run} --most 240" in section


def test_points_of_0_and_1_are_bars_that_begin_at_0(page_of):
    page = page_of(**ODD)
    (article,) = [
        each
        for each in re.findall(r"<article.*?</article>", page, re.S)
        if "seats that end with the point" in each
    ]
    assert "points at the end" not in article


# --- replays ---------------------------------------------------------------------------------------


def film_of(page):
    """What the page's script unpacks."""
    return unpacked(
        re.search(r'<script type="application/octet-stream" id="film">(.*?)</script>', page)[1]
    )


def told(film, moment, viewer):
    """All that is read aloud of a position, as the script puts panels together."""
    items = []
    for *_, like, gone, new in film["panels"]:
        kept = [n for n in items[like] if n not in gone] if like >= 0 else []
        items.append(kept + new)
    words, *panels = film["scenes"][moment][viewer]
    numbers = [film["items"][item][1] for panel in panels for item in items[panel]]
    return [film["texts"][number] for number in (words, *numbers)]


def test_a_replay_holds_every_position_action_and_point(run_of, tmp_path):
    run_of(bots=["random", "greedy"], deals=2)
    run = tmp_path / "run"
    match_id = read_matches(run)["match_id"].iloc[0]
    file = write_replay(run, match_id[:10])
    assert file == run / "replays" / f"{match_id}.html"
    page = file.read_text(encoding="utf-8")
    Outline(page)
    film, row = film_of(page), read_match(run, match_id)
    game = load_game("connect_four")
    assert [film["texts"][m["seen"][0]] for m in film["moves"]] == [
        game.actions.text(action) for action in row["actions"]
    ]
    assert [m["actor"] for m in film["moves"]] == row["actors"]
    for of_moments in (film["scenes"], film["points"], film["estimates"]):
        assert len(of_moments) == len(film["moves"]) + 1
    assert film["points"][-1] == row["points"]
    assert all(999 <= sum(shares) <= 1001 for shares in film["estimates"])
    last = told(film, -1, 0)
    discs = sum("disc of player" in text for text in last)
    assert discs == len(row["actions"])
    assert len(last) - 1 == 6 * 7 + 1 + 7  # the words, then spaces, the board, names of columns
    assert sum("in the line" in text for text in last) in (0, 4, 5, 6, 7)


@pytest.mark.parametrize(
    ("estimates", "sides", "whole"),
    [
        ((0.9, 0.9), (0, 1), [0.5, 0.5]),
        ((0.3, 0.1), (0, 1), [0.75, 0.25]),
        ((0.6, 0.8, 0.6), (0, 1, 0), [3 / 7, 4 / 7, 3 / 7]),
        ((0.4,), (0,), [0.4]),
        ((0.0, 0.0), (0, 1), [0.0, 0.0]),
    ],
)
def test_chances_of_all_sides_make_one_whole(estimates, sides, whole):
    assert made_whole(estimates, sides) == pytest.approx(whole)


def test_the_report_links_to_a_replay_as_soon_as_it_is_there(page_of, tmp_path):
    assert ">watch<" not in page_of(bots=["random", "greedy"], deals=2)
    run = tmp_path / "run"
    match_id = read_matches(run)["match_id"].iloc[0]
    file = write_replay(run, match_id)
    link = f'<a href="replays/{match_id}.html">watch</a>'
    assert link in (run / PAGE).read_text(encoding="utf-8")
    assert "../report.html#matches" in file.read_text(encoding="utf-8")
    made = make_tables(run)
    assert link in report_html(made, make_findings(made), run)


def test_a_replay_of_an_unknown_match_is_one_line(run_of, tmp_path):
    run_of(bots=["random", "greedy"], deals=2)
    with pytest.raises(UserError, match="no match has this id"):
        write_replay(tmp_path / "run", "zz")


def test_a_player_is_not_shown_what_he_may_not_know(run_of, tmp_path):
    games = [{"game": "karmaka", "variant": {"max_turns_per_player": 3}}]
    run_of(games=games, bots=["random"], schedule="self_play", deals=1)
    run = tmp_path / "run"
    match_id = read_matches(run)["match_id"].iloc[0]
    film = film_of(write_replay(run, match_id).read_text(encoding="utf-8"))
    every, own, other = (told(film, 0, viewer) for viewer in range(3))
    assert "a hidden card" not in every
    assert (own.count("a hidden card"), other.count("a hidden card")) == (4, 5)  # one has drawn


def test_searches_think_again_as_they_did(run_of, tmp_path):
    run_of(bots=["greedy", "mcts:simulations=20"], deals=2)
    run = tmp_path / "run"
    match_id = read_matches(run)["match_id"].iloc[0]
    film = film_of(write_replay(run, match_id, estimates=True).read_text(encoding="utf-8"))
    searcher = film["names"].index("mcts:simulations=20")
    for move, thought in zip(film["moves"], film["thoughts"], strict=True):
        if move["actor"] != searcher or len(move["legal"]) < 2:
            assert thought is None
            continue
        visits = [found[1] for found in thought["top"]]
        assert visits == sorted(visits, reverse=True)
        assert visits[0] > 0
        assert thought["visits"] <= 20
        most = [found[0] for found in thought["top"] if found[1] == visits[0]]
        assert move["seen"][0] in most  # the same search made the move
        assert all(0 <= value <= 1000 for _, _, value in thought["top"])


# --- commands --------------------------------------------------------------------------------------


def test_the_commands_write_what_they_say(arena, page_of, tmp_path):
    page_of(bots=["random", "greedy"], deals=2)
    run = tmp_path / "run"
    code, out, _ = arena("report", run, "--board", tmp_path / "b.md")
    assert code == 0
    for name in (run / PAGE, tmp_path / "b.md", tmp_path / "b.html", tmp_path / "b.png"):
        assert f"written: {name}" in out
        assert name.is_file()
    match_id = read_matches(run)["match_id"].iloc[0]
    code, out, _ = arena("replay", run, match_id, "--html")
    assert (code, out.strip()) == (0, f"written: {run / 'replays' / match_id}.html")
    code, out, _ = arena("leaderboard", run, run, "--out", tmp_path / "board")
    assert code == 0
    assert "alpha-rank" in out
    assert (tmp_path / "board" / "leaderboard.html").is_file()
    checked((tmp_path / "board" / "leaderboard.html").read_text(encoding="utf-8"))
