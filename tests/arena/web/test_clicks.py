"""All that is done by clicking, in a real browser: runs started, stopped and continued, a cluster watched, seats.

Seats are those of all games on a telephone, so that its width is seen to hold everything.
"""

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from arena.playing.rulebook import rulebook
from arena.web.runs import entry_of, writer_of
from engines.core import BUILT_IN, load_game
from tests.chromium import resize

pytestmark = pytest.mark.shown

PHONE = 390
CONFIG = """\
name: clicked
games: [connect_four]
bots: [greedy, {bot: mcts, simulations: 400}]
deals: 3000
"""


def text_of(driver, name):
    return driver.find_element(By.ID, name).text


def press(driver, name):
    """Click the button of this name, once the page has it."""
    click(driver, driver.find_element(By.XPATH, f"//button[.='{name}']"))


def click(driver, element):
    """Click an element in the middle of the window, where nothing that grows meanwhile pushes it out."""
    driver.execute_script(
        "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element
    )
    element.click()


def errors(driver):
    """What the browser has complained of."""
    return [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]


def wide(driver):
    return driver.execute_script("return document.documentElement.scrollWidth")


@pytest.mark.full
def test_a_run_is_estimated_started_stopped_and_continued_by_clicks(served, browsers, until):
    folder, address, _ = served
    (folder / "clicked.yaml").write_text(CONFIG)
    out = folder / "results" / "clicked"
    driver = browsers()
    driver.get(address)
    config = (By.NAME, "config")
    Select(driver.find_element(*config)).select_by_visible_text("clicked.yaml")
    press(driver, "What would it be?")
    told = until(lambda: driver.find_element(By.CSS_SELECTOR, "main pre").text)
    assert "6,000 matches" in told
    assert not out.exists()
    driver.find_element(By.LINK_TEXT, "Back").click()
    try:
        Select(until(lambda: driver.find_element(*config))).select_by_visible_text("clicked.yaml")
        press(driver, "Start or continue")
        until(lambda: "clicked.yaml: at work" in driver.find_element(By.TAG_NAME, "main").text)
        until(lambda: (out / "spec.yaml").exists() and writer_of(out))
        driver.refresh()
        until(lambda: driver.find_element(By.LINK_TEXT, "clicked")).click()
        until(lambda: text_of(driver, "counts").startswith("running: "))
        until(lambda: entry_of(folder, out).stored)
        press(driver, "Stop the run")
        until(lambda: text_of(driver, "counts").startswith("stopped: "))
        stored = entry_of(folder, out).stored
        assert 0 < stored < 6000
        until(lambda: press(driver, "What is left?") or True)  # the page has a button by then
        told = until(lambda: driver.find_element(By.CSS_SELECTOR, "main pre").text)
        assert f"6,000 matches in all, {stored} of them in" in told
        press(driver, "Continue the run")
        until(lambda: text_of(driver, "counts").startswith("running: "))
        until(lambda: entry_of(folder, out).stored > stored)
        until(lambda: press(driver, "Stop the run") or True)
        until(lambda: text_of(driver, "counts").startswith("stopped: "))
    finally:
        if process := writer_of(out):
            with contextlib.suppress(OSError):
                os.kill(process, 2)
        until(lambda: not writer_of(out))
    assert errors(driver) == []


@pytest.fixture
def cluster(tmp_path):
    """The address of a cluster of two nodes on this machine, as long as the test needs it."""
    script = (
        "from ray.cluster_utils import Cluster\n"
        "own = {'num_cpus': 1, 'include_dashboard': False, 'env_vars': {'ARENA_MACHINE': 'first'}}\n"
        "cluster = Cluster(initialize_head=True, head_node_args=own)\n"
        "cluster.add_node(num_cpus=1, env_vars={'ARENA_MACHINE': 'second'})\n"
        "print(cluster.address, flush=True)\n"
        "input()\n"
        "cluster.shutdown()\n"
    )
    path = os.pathsep.join(
        [str(Path(__file__).resolve().parents[3]), os.environ.get("PYTHONPATH", "")]
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    own = {**os.environ, "PYTHONPATH": path}
    process = subprocess.Popen([sys.executable, "-c", script], text=True, env=own, **pipes)
    found = re.search(r"\S+:\d+", process.stdout.readline())
    yield found[0]
    process.communicate("\n", timeout=120)


@pytest.mark.full
@pytest.mark.ray
def test_a_run_on_a_cluster_is_watched(served, browsers, arena, until, cluster):
    folder, address, _ = served
    out = folder / "results" / "far"
    words = ("match", "connect_four", "greedy", "mcts:simulations=400", "--deals", 100_000)
    run = arena(
        *words,
        "--address",
        cluster,
        "--out",
        out,
        "--quiet",
        folder=folder,
        stdout=subprocess.DEVNULL,
    )
    try:
        until(lambda: (out / "spec.yaml").exists() and writer_of(out))
        driver = browsers()
        driver.get(address)
        until(lambda: driver.find_element(By.LINK_TEXT, "match")).click()
        until(lambda: re.search(r"running: .* a second", text_of(driver, "counts")))
        until(lambda: driver.find_elements(By.CSS_SELECTOR, "#standings tbody tr"))
        played = until(
            lambda: (
                len(found := driver.find_elements(By.CSS_SELECTOR, "#machines tbody tr")) == 2
                and found
            )
        )
        assert {row.text.split()[0] for row in played} == {"first", "second"}
        press(driver, "Stop the run")
        until(lambda: text_of(driver, "counts").startswith("stopped: "))
        assert run.wait(60) is not None
        assert errors(driver) == []
    finally:
        run.kill()
        run.wait()


# --- seats ------------------------------------------------------------------------------------------------


def position(driver):
    """What the pictures say in words."""
    labels = (
        "[...document.querySelectorAll('#picture svg')].map(one => one.getAttribute('aria-label'))"
    )
    return driver.execute_script(f"return {labels}.join(' ')")


def said(driver):
    """What the page answers, where it does not think any more."""
    text = text_of(driver, "answer")
    return text if text and text != "thinking …" else ""


def act(driver, until):
    """Click the first action once it is the person's turn; how many lines were told before."""
    until(lambda: text_of(driver, "told") == "Your turn.")
    lines = len(driver.find_elements(By.CSS_SELECTOR, "#events li"))
    click(driver, driver.find_element(By.CSS_SELECTOR, "#actions .group button"))
    until(lambda: len(driver.find_elements(By.CSS_SELECTOR, "#events li")) > lines)
    until(lambda: text_of(driver, "told") == "Your turn.")
    return lines


def sit_down(driver, until):
    """Follow the link to the seat of the table that the page shows."""
    click(driver, until(lambda: driver.find_element(By.PARTIAL_LINK_TEXT, "sit down")))
    until(lambda: text_of(driver, "told") == "Your turn.")


@pytest.mark.parametrize(
    "game",
    [pytest.param(name, marks=[pytest.mark.full] * (name != "sagrada")) for name in BUILT_IN],
)
def test_a_seat_of_each_game_is_all_clicks_on_a_telephone(
    served, browsers, until, faults_of_axe, game
):
    _, address, _ = served
    driver = browsers(width=PHONE)
    driver.get(address)
    driver.find_element(By.LINK_TEXT, "Play").click()
    Select(until(lambda: driver.find_element(By.NAME, "game"))).select_by_value(game)
    driver.find_element(By.NAME, "seed").send_keys("7")
    press(driver, "Sit down")
    sit_down(driver, until)
    before = position(driver)
    told = act(driver, until)
    assert position(driver) != before
    press(driver, "Undo")
    until(lambda: len(driver.find_elements(By.CSS_SELECTOR, "#events li")) <= told)
    until(lambda: position(driver) == before)
    press(driver, "Hint")
    assert "would play" in until(lambda: said(driver))
    point_at_the_picture(driver)
    read_the_rules(driver, until, game)
    act(driver, until)
    lines = [line.text for line in driver.find_elements(By.CSS_SELECTOR, "#events li")]
    shown = position(driver)
    press(driver, "Save")
    until(lambda: "saved as" in text_of(driver, "answer"))
    assert wide(driver) <= PHONE
    driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    driver.refresh()
    until(lambda: text_of(driver, "told") == "Your turn.")
    assert faults_of_axe(driver) == []
    driver.get(address.partition("?")[0] + "play")
    assert wide(driver) <= PHONE
    press(driver, "Go on")
    sit_down(driver, until)
    assert position(driver) == shown
    assert [line.text for line in driver.find_elements(By.CSS_SELECTOR, "#events li")] == lines
    assert errors(driver) == []


def clickable(driver):
    """What in the picture means an action."""
    return driver.find_elements(By.CSS_SELECTOR, "#picture g[data-item]")


def test_a_piece_is_moved_by_clicking_it_and_where_it_goes(served, browsers, until):
    _, address, _ = served
    driver = browsers()
    driver.get(address)
    driver.get(f"{address.partition('?')[0]}play")
    Select(driver.find_element(By.NAME, "game")).select_by_value("sacrifice")
    driver.find_element(By.NAME, "seed").send_keys("7")
    press(driver, "Sit down")
    sit_down(driver, until)
    moves = [b.text for b in driver.find_elements(By.CSS_SELECTOR, "#actions .group button")]
    source, target = next(
        found.groups() for text in moves if (found := re.match(r"\w+:(\w+)[-~>](\w+) ", text))
    )
    number = "return state.panels[0].items.findIndex(i => i.words.startsWith(arguments[0] + ' '))"
    for cell in (source, target):
        at = driver.execute_script(number, cell)
        driver.find_elements(By.CSS_SELECTOR, "#picture .wide svg > g")[at].click()
        if cell == source:
            left = [b.text for b in driver.find_elements(By.CSS_SELECTOR, "#actions .group button")]
            assert 1 < len(left) < len(moves)
            assert all(source in text for text in left)
    moved = re.compile(rf"{source}[-~>]{target}")
    until(lambda: moved.search(text_of(driver, "events")))
    assert errors(driver) == []


@pytest.mark.full
def test_a_click_shows_what_it_would_do_and_another_does_it(served, browsers, until):
    _, address, _ = served
    driver = browsers(width=PHONE)
    driver.get(address)
    driver.get(f"{address.partition('?')[0]}play")
    press(driver, "Sit down")
    sit_down(driver, until)
    clickable(driver)[3].click()
    left = driver.find_elements(By.CSS_SELECTOR, "#actions .group button")
    assert [one.text for one in left] == ["drop 4"]
    assert text_of(driver, "events") == ""
    clickable(driver)[3].click()
    until(lambda: "drop 4" in text_of(driver, "events"))
    assert errors(driver) == []


@pytest.mark.parametrize(
    ("width", "height"),
    [(1280, 720), pytest.param(1000, 640, marks=pytest.mark.full), (PHONE, 844)],
)
def test_the_first_screen_of_a_seat_has_its_window_and_what_can_be_done(
    served, browsers, until, width, height
):
    _, address, _ = served
    driver = browsers(width=width)
    resize(driver, width, height)
    driver.get(address)
    driver.get(f"{address.partition('?')[0]}play")
    Select(driver.find_element(By.NAME, "game")).select_by_value("sagrada")
    seats = driver.find_element(By.NAME, "seats")
    seats.clear()
    seats.send_keys("greedy,human,greedy,greedy")
    driver.find_element(By.NAME, "seed").send_keys("7")
    press(driver, "Sit down")
    sit_down(driver, until)
    act(driver, until)
    boxes = (
        "return [...document.querySelectorAll(arguments[0])].map(one => "
        "one.getBoundingClientRect()).map(box => [box.top, box.bottom])"
    )
    windows = driver.execute_script(boxes, "#picture .drawing svg")
    first, last = driver.execute_script(boxes, "#actions button")[0]
    assert driver.find_element(By.CSS_SELECTOR, "#picture figcaption").text == "Player 2 (you)"
    assert windows[0][1] <= height
    assert 0 < first < last <= height
    assert wide(driver) <= width
    dice = driver.execute_script(boxes, "#picture .drawing[data-title=Dice]")
    assert dice[0][0] < height - 200


def point_at_the_picture(driver):
    """Click what the picture shows until that leaves some of the actions, then ask for all of them."""
    pieces = driver.find_elements(By.CSS_SELECTOR, "#picture g[style*=pointer]")
    every = driver.find_elements(By.CSS_SELECTOR, "#actions .group button")
    assert pieces
    for piece in pieces:
        driver.execute_script(
            "arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", piece
        )
        if driver.find_elements(By.XPATH, "//button[.='All actions']"):
            break
    assert 1 <= len(driver.find_elements(By.CSS_SELECTOR, "#actions .group button")) <= len(every)
    press(driver, "All actions")
    assert len(driver.find_elements(By.CSS_SELECTOR, "#actions .group button")) == len(every)


def read_the_rules(driver, until, game):
    """Choose a heading, then look up what has a rule of its own."""
    book = rulebook(load_game(game))
    heading = book.sections[0].title
    Select(driver.find_element(By.ID, "rules")).select_by_visible_text(heading)
    until(lambda: text_of(driver, "ruled").startswith(heading))
    name = (book.names() or ["disc"])[0]
    driver.find_element(By.ID, "what").send_keys(name)
    press(driver, "Look up")
    until(lambda: not text_of(driver, "ruled").startswith(heading))
    assert name.lower() in text_of(driver, "ruled").lower()
    assert "no rule speaks of it" not in text_of(driver, "ruled")


# --- filters ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "filters",
    [
        {"bot": "random"},
        {"bot": "greedy", "opponent": "random"},
        {"ending": "line"},
        {"result": "upset"},
    ],
    ids=lambda filters: " ".join(filters),
)
@pytest.mark.full
def test_replays_lead_on_and_back_within_a_filter_that_is_chosen(cup, browsers, until, filters):
    driver = browsers(width=PHONE)
    driver.get(cup)
    driver.get(f"{cup.partition('?')[0]}run/results/cup/")
    driver.find_element(By.LINK_TEXT, "All matches").click()
    until(lambda: driver.find_element(By.NAME, "result"))
    for name, value in filters.items():
        Select(driver.find_element(By.NAME, name)).select_by_visible_text(value)
    press(driver, "Look")
    until(lambda: "?" in driver.current_url)
    ids = until(lambda: [a.text for a in driver.find_elements(By.CSS_SELECTOR, "tbody th a")])
    assert 2 <= len(ids) < 120
    assert wide(driver) <= PHONE
    click(driver, driver.find_element(By.LINK_TEXT, ids[0]))

    def shows(match):
        until(lambda: f"/{match}.html" in driver.current_url)
        until(lambda: driver.find_elements(By.CSS_SELECTOR, "svg g"))
        assert wide(driver) <= PHONE

    shows(ids[0])
    assert not driver.find_elements(By.LINK_TEXT, "Previous")
    for match in ids[1:4]:
        driver.find_element(By.LINK_TEXT, "Next").click()
        shows(match)
    driver.find_element(By.LINK_TEXT, "Previous").click()
    shows(ids[len(ids[1:4]) - 1])
    assert errors(driver) == []
