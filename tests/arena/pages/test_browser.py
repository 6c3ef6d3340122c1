"""Pages in a real browser: nothing fails, nothing is asked for, charts show, tables sort, keys work.

Needs Debian's chromium and chromium-driver (`apt-get install chromium chromium-driver`); without them
these tests are skipped. The accessibility check needs axe-core as well: ARENA_AXE names its
axe.min.js (`npm install axe-core`).
"""

import json
import os
import re
import time
from pathlib import Path

import pytest

from arena.balance.config import parse_balance
from arena.balance.run import play
from arena.balance.verdict import verdict
from arena.execution.run import carry_out
from arena.pages.balance import write_balance_page
from arena.pages.leaderboards import write_boards
from arena.pages.replay import write_replay
from arena.pages.report import PAGE, write_report
from arena.plan.spec import parse_spec
from arena.plan.tournament import resolve
from arena.results.findings import make_findings
from arena.results.leaderboards import make_boards
from arena.results.report import make_tables
from arena.store.run_folder import read_matches
from arena.tune.variants.page import write_search_page
from arena.tune.variants.search import Playing, search
from arena.tune.variants.sought import Sought
from arena.tune.variants.wanted import parse_search
from tests.chromium import new_browser, resize

TOY = Path(__file__).parent.parent / "balance" / "toy"
PUBLISHED = Path(__file__).resolve().parents[3] / "results" / "leaderboards"
BALANCE_PAGES = {file.stem: file for file in sorted(PUBLISHED.glob("balance-*.html"))}
BOARDS = {file.stem: file.with_suffix(".html") for file in sorted(PUBLISHED.glob("*.png"))}

pytestmark = pytest.mark.shown


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = new_browser(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A report of two variants, one of a match a pair, a board, a replay, a balance analysis."""
    root = tmp_path_factory.mktemp("pages")
    small = {"game": "connect_four", "variant": {"rows": 4, "columns": 5, "connect": 3}}
    spec = {
        "name": "cup",
        "seed": 3,
        "games": ["connect_four", small],
        "bots": ["random", "greedy", "mcts:simulations=4", "mcts:simulations=8"],
        "deals": 12,
    }
    found = {}
    for name, deals in (("report", 12), ("tiny", 1)):
        run = root / name
        carry_out(resolve(parse_spec({**spec, "deals": deals})), run, workers=0, progress=False)
        made = make_tables(run)
        write_report(made, make_findings(made), run / PAGE)
        found[name] = run / PAGE
    matches = read_matches(root / "report")
    printed = matches[matches["variant_id"] == "default"]  # not the small board
    found["replay"] = write_replay(root / "report", printed["match_id"].iloc[0])
    write_boards(make_boards([root / "report"]), root / "board")
    found["board"] = root / "board" / "leaderboard.html"
    found["balance"] = balance_page(root / "balance")
    found["search"] = search_page(root / "search")
    return {**found, **BALANCE_PAGES, **BOARDS}


def search_page(folder):
    """The page of a small search for a variant."""
    plain = {"name": "toy", "game": str(TOY), "players": 2, "bots": "random", "trials": 12}
    targets = {"seat_share": [0.4, 0.6], "turns": [1, 3], "draws": "<= 0.3", "points": ">= 1"}
    aims = {"targets": targets, "batch": 12}
    space = {"baseline": {"luck": 9, "bonus": 6}, "search": {"bonus": [0, 6], "rounds": "1..6"}}
    few = {"rungs": [{"bots": "random", "deals": 30, "keep": 2}], "confirm": {"deals": 100}}
    wanted = parse_search({**plain, **aims, **space, **few})
    folder.mkdir()
    found = search(Playing(wanted, folder, 0, None, False, lambda text: None))
    write_search_page(Sought(found), folder / "search.html")
    return folder / "search.html"


def balance_page(folder):
    """The page of a small balance analysis."""
    plain = {"name": "toy", "game": str(TOY), "bots": ["random", "greedy"], "deals": 12}
    spec = parse_balance({**plain, "players": [2], "variants": [{"bonus": 2}]})
    _, balance = play(spec, folder, workers=0, progress=False)
    write_balance_page(balance, verdict(balance), folder / "balance.html")
    return folder / "balance.html"


@pytest.fixture
def visit(browser, pages):
    """Open a page by name, in light or dark and at a width; returns the driver."""

    def go(name, scheme="light", width=1280, fragment=""):
        devtools = browser.execute_cdp_cmd
        resize(browser, width)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        devtools("Emulation.setEmulatedMedia", {"features": features})
        browser.get("about:blank")
        browser.get_log("browser")
        browser.get_log("performance")
        browser.get(pages[name].as_uri() + fragment)
        if name == "replay":
            wait_until(browser, "document.documentElement.dataset.ready === 'yes'")
        return browser

    return go


def wait_until(driver, condition):
    """Wait until a condition of the page holds."""
    for _ in range(100):
        if driver.execute_script(f"return {condition}"):
            return
        time.sleep(0.05)
    raise AssertionError(condition)


NAMES = ("report", "tiny", "replay", "board", "balance", "search")


@pytest.mark.parametrize("name", NAMES)
def test_the_console_stays_empty_and_no_request_leaves_the_page(visit, pages, name):
    driver = visit(name)
    assert driver.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = {
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    }
    assert {url for url in asked if not url.startswith("data:")} == {pages[name].as_uri()}


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.full)])
@pytest.mark.parametrize("name", ["report", "board", "balance", "search"])
def test_every_chart_draws_something_that_can_be_seen(visit, name, scheme):
    driver = visit(name, scheme)
    sizes = driver.execute_script(
        "for (const d of document.querySelectorAll('details')) d.open = true;"
        "return [...document.querySelectorAll('svg.chart')].filter(svg => svg.checkVisibility())"
        ".map(svg => [svg.clientWidth, "
        "svg.clientHeight, svg.querySelectorAll('[aria-roledescription][aria-label]').length])"
    )
    assert len(sizes) >= 5
    for width, height, marks in sizes:
        assert width >= 150
        assert height > 60
        assert marks >= 1


def test_ink_and_paper_change_places_in_the_dark(visit):
    script = "return getComputedStyle(document.querySelector('svg.chart text')).fill"
    light = visit("report", "light").execute_script(script)
    dark = visit("report", "dark").execute_script(script)
    assert light != dark


@pytest.mark.parametrize("name", NAMES)
def test_a_telephone_needs_no_sideways_scrolling(visit, name):
    driver = visit(name, width=390)
    wide, outside = (
        driver.execute_script("return document.documentElement.scrollWidth"),
        """
        const holds = (e) => ["auto", "scroll", "hidden"].includes(getComputedStyle(e).overflowX);
        const held = (e) => e && e !== document.body && (holds(e) || held(e.parentElement));
        return [...document.body.querySelectorAll('*:not(svg *)')].filter(
          (e) => e.getBoundingClientRect().right > 390.5 && !held(e.parentElement)
        ).map((e) => e.outerHTML.slice(0, 80))
    """,
    )
    assert wide <= 390
    assert driver.execute_script(outside) == []  # nor is anything cut off


def test_tables_sort_by_words_and_by_figures(visit):
    driver = visit("report")
    texts = """
        const table = document.querySelector('table');
        const head = [...table.tHead.rows[0].cells].find(c => c.textContent === arguments[0]);
        head.querySelector('button').click();
        return [head.getAttribute('aria-sort'),
                [...table.tBodies[0].rows].map(r => r.cells[head.cellIndex].textContent)];
    """
    order, names = driver.execute_script(texts, "bot")
    assert (order, names) == ("ascending", sorted(names))
    order, elo = driver.execute_script(texts, "Elo")
    assert order == "descending"
    assert bounds(elo) == sorted(bounds(elo), reverse=True)
    order, elo = driver.execute_script(texts, "Elo")
    assert order == "ascending"
    assert bounds(elo) == sorted(bounds(elo))


def rows_shown(driver, caption):
    """The rows that can be seen of the table whose caption begins so."""
    return driver.execute_script(
        "const t = [...document.querySelectorAll('table')].find(t => t.caption?.textContent.startsWith(arguments[0]));"
        "return [...t.tBodies[0].rows].filter(r => r.checkVisibility()).map(r => r.textContent)",
        caption,
    )


def test_a_table_filters_by_words_and_says_how_many_are_left(visit):
    driver = visit("report")
    field = "input[aria-label^='Filter rows of: '][aria-label*='those that tell most']"
    caption = driver.execute_script(
        "return [...document.querySelectorAll('caption')].find("
        "c => c.textContent.includes('those that tell most')).textContent"
    )
    every = rows_shown(driver, caption)
    press(driver, field, "random", " ", "upset")
    some = rows_shown(driver, caption)
    assert [row for row in every if "random" in row and "upset" in row] == some
    told = "return document.querySelector(arguments[0]).nextElementSibling.textContent"
    assert driver.execute_script(told, field) == f"{len(some)} of {len(every)} rows"
    press(driver, field, *("\b" * 12))
    assert rows_shown(driver, caption) == every


def test_a_cell_of_the_overview_opens_its_chart_and_details(visit):
    driver = visit("balance")
    seen = "return [...document.querySelectorAll('details')].filter(d => d.open).map(d => d.id)"
    assert driver.execute_script(seen) == []
    cell = "table.overview td a"
    target = driver.execute_script(f"return document.querySelector('{cell}').hash.slice(1)")
    driver.execute_script(f"document.querySelector('{cell}').click()")
    wait_until(driver, f"document.getElementById('{target}').open")
    assert target in driver.execute_script(seen)
    assert driver.execute_script(
        f"return document.querySelector('#{target} svg').checkVisibility()"
    )
    driver.execute_script(f"document.querySelector('#{target} > summary').click()")
    assert target not in driver.execute_script(seen)
    driver.execute_script(f"document.querySelector('{cell}').click()")  # the same link once more
    wait_until(driver, f"document.getElementById('{target}').open")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["balance", *BALANCE_PAGES])
def test_a_balance_page_is_short_before_anything_is_opened(visit, name, width):
    shown = "return document.documentElement.scrollHeight"
    assert visit(name, width=width).execute_script(shown) <= 6000


def test_what_a_table_is_about_can_be_read_on_a_telephone(visit):
    driver = visit("report", width=390)
    ends = "[...document.querySelectorAll('.scroll caption')].map(e => e.getBoundingClientRect().right)"
    found = driver.execute_script(f"return {ends}")
    assert len(found) > 5
    assert max(found) <= 390


@pytest.mark.parametrize("name", BOARDS)
def test_no_leaderboard_needs_scrolling_sideways_on_a_wide_screen(visit, name):
    tables = "[...document.querySelectorAll('.wide .scroll')]"
    over = visit(name).execute_script(f"return {tables}.map(e => e.scrollWidth - e.clientWidth)")
    assert over
    assert max(over) <= 0


@pytest.mark.parametrize("width", [1280, 390])
def test_the_leaders_can_be_seen_without_scrolling_sideways(visit, width):
    driver = visit("report", width=width)
    inside = """
        const chart = [...document.querySelectorAll('.wide svg.chart')].find(c => c.checkVisibility());
        const marks = [...chart.querySelectorAll('[aria-label]')].map(m => m.getBoundingClientRect());
        return [marks.length, Math.max(...marks.map(b => b.right)), chart.getBoundingClientRect().width];
    """
    marks, right, wide = driver.execute_script(inside)
    assert marks >= 4
    assert right <= width
    assert wide >= min(width, 1000) * 0.7
    grid = (
        "const s = [...document.querySelectorAll('.beside .scroll')];"
        "return s.filter(e => e.textContent.startsWith('Head to head')).map(e => e.scrollWidth - e.clientWidth)"
    )
    if width == 1280:
        assert max(driver.execute_script(grid)) <= 0


def bounds(texts):
    """Elo as numbers; of those that lost or won every match, the bound."""
    return [int(re.search(r"[-−]?\d+", text)[0].replace("−", "-")) for text in texts]


def press(driver, selector, *keys):
    from selenium.webdriver.common.by import By

    driver.find_element(By.CSS_SELECTOR, selector).send_keys(*keys)


def test_a_chart_tells_its_marks_by_arrow_keys(visit):
    from selenium.webdriver.common.keys import Keys

    driver = visit("report")
    press(driver, "svg.chart", Keys.ARROW_RIGHT)
    first = driver.execute_script("return document.getElementById('tip').textContent")
    press(driver, "svg.chart", Keys.ARROW_RIGHT)
    second = driver.execute_script("return document.getElementById('tip').textContent")
    assert ": Elo " in first
    assert first != second
    press(driver, "svg.chart", Keys.ESCAPE)
    assert driver.execute_script("return document.getElementById('tip').hidden")


def test_a_replay_goes_by_keys_and_buttons_and_shows_each_view(visit):
    from selenium.webdriver.common.keys import Keys

    driver = visit("replay")

    def told():
        return driver.execute_script("return document.getElementById('told').textContent")

    assert told() == "Before the first action"
    press(driver, "body", Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert told().startswith("Action 2 of ")
    press(driver, "body", Keys.ARROW_LEFT)
    assert told().startswith("Action 1 of ")
    press(driver, "body", Keys.END)
    count = driver.execute_script("return document.querySelectorAll('#moves li').length")
    assert told().startswith(f"Action {count} of {count}")
    press(driver, "body", Keys.HOME)
    driver.execute_script("document.getElementById('next').click()")
    assert told().startswith("Action 1 of ")
    driver.execute_script(
        "const s = document.getElementById('viewer'); s.value = 1; s.dispatchEvent(new Event('change'))"
    )
    legal = driver.execute_script("return document.getElementById('legal').textContent")
    assert legal == "not shown: another player decides"


def test_a_replay_draws_the_board_and_marks_what_has_changed(visit):
    driver = visit("replay", fragment="#1")
    counts = "return ['svg', 'g', '.changed'].map(s => document.querySelectorAll('#picture ' + s).length)"
    boards, shapes, changed = driver.execute_script(counts)
    assert (boards, changed) == (1, 1)
    assert shapes >= 6 * 7
    label = "return document.querySelector('#picture svg').getAttribute('aria-label')"
    assert driver.execute_script(label).count("disc of player 1") == 1
    wide = driver.execute_script("return document.querySelector('#picture svg').clientWidth")
    assert wide > 500
    assert (
        visit("replay", width=390).execute_script(
            "return document.querySelector('#picture svg').clientWidth"
        )
        > 300
    )


def test_a_click_into_a_chart_goes_there_and_a_replay_runs_by_itself(visit):
    driver = visit("replay")
    last = int(driver.execute_script("return document.getElementById('step').max"))
    for name in ("points", "estimates"):
        driver.execute_script(
            f"const c = document.getElementById('{name}'), b = c.getBoundingClientRect();"
            "c.dispatchEvent(new PointerEvent('pointerdown', {clientX: b.right, pointerId: 1}))"
        )
        assert driver.execute_script("return Number(document.getElementById('step').value)") == last
        driver.execute_script("document.getElementById('first').click()")
    driver.execute_script(
        "const p = document.getElementById('pace'); p.value = 250; document.getElementById('play').click()"
    )
    wait_until(driver, "Number(document.getElementById('step').value) >= 2")
    driver.execute_script("document.getElementById('play').click()")


def test_colours_for_the_colour_blind_can_be_chosen(visit):
    driver = visit("replay")
    fill = "return getComputedStyle(document.querySelector('#players .player0')).backgroundColor"
    before = driver.execute_script(fill)
    driver.execute_script("document.getElementById('safe').click()")
    assert driver.execute_script(fill) != before


@pytest.fixture(scope="module")
def axe():
    """The script of axe-core."""
    file = os.environ.get("ARENA_AXE")
    if not file or not Path(file).is_file():
        pytest.skip("no axe-core: npm install axe-core, then ARENA_AXE=.../axe.min.js")
    return Path(file).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        *(("light", 1280), ("dark", 390)),
        *(pytest.param(*one, marks=pytest.mark.full) for one in (("dark", 1280), ("light", 390))),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_no_accessibility_fault(visit, axe, name, scheme, width):
    driver = visit(name, scheme, width)
    driver.execute_script("for (const d of document.querySelectorAll('details')) d.open = true")
    driver.execute_script(axe)
    driver.set_script_timeout(120)
    found = driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run().then(r => done(r.violations.map(v => [v.impact, v.id, v.help, "
        "v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))])), e => done([['critical', String(e)]]))"
    )
    assert found == []
