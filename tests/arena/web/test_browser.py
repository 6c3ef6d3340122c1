"""The server in a real browser: live runs, kills, people of several browsers at one table, phones, keys, axe-core.

Needs Debian's chromium and chromium-driver; axe-core as tests/arena/pages/test_browser.py says.
"""

import contextlib
import json
import os
import re
import signal
import time

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from arena.web.runs import entry_of, writer_of

pytestmark = pytest.mark.shown


def counted(driver):
    """How many matches the live page says are stored."""
    found = re.search(r": ([\d,]+) of", driver.find_element(By.ID, "counts").text)
    return int(found[1].replace(",", "")) if found else 0


def test_a_run_is_watched_killed_continued_and_outlives_the_server(served, browsers, arena, until):
    folder, address, server = served
    driver = browsers()
    driver.get(address)
    words = ("match", "connect_four", "mcts:simulations=400", "greedy", "--workers", 1, "--quiet")
    out = folder / "results" / "live"
    run = arena(*words, "--deals", 2000, "--out", "results/live", folder=folder)
    try:
        until(lambda: (out / "spec.yaml").exists() and writer_of(out))
        driver.get(address.partition("?")[0] + "run/results/live/")
        first = until(lambda: counted(driver))
        until(lambda: counted(driver) > first)
        assert "running" in driver.find_element(By.ID, "counts").text
        until(lambda: driver.find_elements(By.CSS_SELECTOR, "#standings tbody tr"))
        run.kill()
        run.wait()
        until(lambda: "stopped" in driver.find_element(By.ID, "counts").text)
        stored = entry_of(folder, out).stored
        driver.refresh()
        until(lambda: driver.find_element(By.XPATH, "//button[.='Continue the run']")).click()
        until(lambda: writer_of(out))
        server.kill()
        server.wait()
        until(lambda: entry_of(folder, out).stored > stored)
        assert entry_of(folder, out).state == "running"
    finally:
        run.kill()
        with contextlib.suppress(OSError):
            os.kill(writer_of(out) or 0, signal.SIGINT) if writer_of(out) else None
            until(lambda: not writer_of(out))
    assert driver.get_log("browser") is not None


def traffic(driver):
    """What a browser has been sent since it was last asked: by streams of events, and as answers of other kinds."""
    events, answers = [], []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.eventSourceMessageReceived":
            events.append(message["params"]["data"])
        elif message["method"] == "Network.loadingFinished":
            asked = {"requestId": message["params"]["requestId"]}
            with contextlib.suppress(WebDriverException):  # an image in a style has none
                answers.append(driver.execute_cdp_cmd("Network.getResponseBody", asked)["body"])
    return events, answers


def test_two_people_and_a_bot_play_sagrada_and_neither_is_sent_what_is_hidden(
    served, browsers, until
):
    _, address, _ = served
    host = browsers()
    host.get(address)
    host.get(address.partition("?")[0] + "play")
    host.find_element(By.CSS_SELECTOR, "option[value=sagrada]").click()
    seats = host.find_element(By.NAME, "seats")
    seats.clear()
    seats.send_keys("human,greedy,human")
    host.find_element(By.CSS_SELECTOR, "form button").click()
    links = until(
        lambda: [
            a.get_attribute("href") for a in host.find_elements(By.PARTIAL_LINK_TEXT, "sit down")
        ]
    )
    assert len(links) == 2
    people = [browsers(), browsers()]
    for driver, link in zip(people, links, strict=True):
        driver.get(link)
    sent, answered = [[], []], [[], []]
    end = time.monotonic() + 600
    over = [False, False]
    while not all(over) and time.monotonic() < end:
        for number, driver in enumerate(people):
            events, answers = traffic(driver)
            sent[number] += events
            answered[number] += answers
            text = driver.find_element(By.ID, "told").text
            over[number] = text.startswith("over:")
            if text == "Your turn.":
                driver.execute_script(
                    "const all = [...document.querySelectorAll('#actions button')];"
                    "(all.find(b => b.textContent.startsWith('place')) || all[0])?.click()"
                )
                time.sleep(0.05)
    assert all(over)
    for texts, others in zip(sent, answered, strict=True):
        running = [text for text in texts if not json.loads(text)["over"]]
        assert len(running) > 20
        assert len(others) > 20
        own = {name for text in running + others for name in re.findall(r"Shades of \w+", text)}
        assert len(own) == 1, "a private objective of somebody else was sent"


def tab_to(driver, wanted, most=80):
    """The element that Tab comes to for which `wanted` is true; nothing is clicked."""
    for _ in range(most):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        here = driver.switch_to.active_element
        if wanted(here):
            return here
    raise AssertionError("Tab does not come there")


def test_a_match_is_played_by_keyboard_only(served, browsers, until):
    _, address, _ = served
    driver = browsers()
    driver.get(address)
    tab_to(driver, lambda here: here.text == "Play").send_keys(Keys.ENTER)
    until(lambda: driver.find_elements(By.NAME, "seats"))
    tab_to(driver, lambda here: here.get_attribute("name") == "game").send_keys("Connect")
    seats = tab_to(driver, lambda here: here.get_attribute("name") == "seats")
    seats.send_keys(Keys.CONTROL, "a")
    seats.send_keys("human,random", Keys.ENTER)
    until(lambda: driver.find_elements(By.PARTIAL_LINK_TEXT, "sit down"))
    tab_to(driver, lambda here: here.text.startswith("sit down")).send_keys(Keys.ENTER)
    until(lambda: driver.find_element(By.ID, "told").text == "Your turn.")
    find = tab_to(driver, lambda here: here.get_attribute("id") == "find")
    find.send_keys("drop 4")
    find.send_keys(Keys.ENTER)
    until(lambda: "drop 4" in driver.find_element(By.ID, "events").text)
    until(lambda: driver.find_element(By.ID, "told").text == "Your turn.")
    tab_to(driver, lambda here: here.get_attribute("id") == "hint").send_keys(Keys.ENTER)
    until(lambda: "would play" in driver.find_element(By.ID, "answer").text)
    tab_to(driver, lambda here: here.get_attribute("id") == "undo").send_keys(Keys.ENTER)
    until(lambda: "drop 4" not in driver.find_element(By.ID, "events").text)


def test_a_replay_is_stepped_through_and_leads_to_the_next_of_its_filter(cup, browsers, until):
    driver = browsers()
    driver.get(cup)
    driver.get(f"{cup.partition('?')[0]}run/results/cup/matches.html?winner=greedy")
    driver.find_element(By.CSS_SELECTOR, "tbody a").click()
    until(lambda: "winner=greedy" in driver.current_url and "replays" in driver.current_url)
    first = driver.current_url
    until(lambda: driver.find_elements(By.CSS_SELECTOR, "svg"))
    told = driver.find_element(By.TAG_NAME, "main").text
    driver.find_element(By.TAG_NAME, "body").send_keys(Keys.ARROW_RIGHT)
    until(lambda: driver.find_element(By.TAG_NAME, "main").text != told)
    driver.find_element(By.LINK_TEXT, "Next").click()
    until(lambda: driver.current_url != first)
    assert "winner=greedy" in driver.current_url
    assert driver.find_elements(By.LINK_TEXT, "Previous")
    assert [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"] == []


PAGES = ["", "play", "boards", "run/results/cup/", "run/results/cup/matches.html"]


@pytest.mark.parametrize("path", [*PAGES, "login"])
def test_pages_fit_a_phone_and_obey_the_keyboard(cup, browsers, path):
    driver = browsers(width=390)
    driver.get(cup)
    driver.get(cup.partition("?")[0] + path)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= 390
    driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    focused = driver.switch_to.active_element.tag_name
    assert focused in ("a", "input", "select", "button")
    assert [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"] == []


@pytest.mark.parametrize("path", [*PAGES, "run/results/cup/report.html", "REPLAY", "SEAT"])
def test_axe_finds_nothing_on_the_servers_pages(cup, browsers, faults_of_axe, path, until):
    driver, house = browsers(), cup.partition("?")[0]
    driver.get(cup)
    if path == "SEAT":
        driver.get(f"{house}play")
        driver.find_element(By.CSS_SELECTOR, "form button").click()
        until(lambda: driver.find_element(By.PARTIAL_LINK_TEXT, "sit down")).click()
        until(lambda: driver.find_element(By.ID, "told").text == "Your turn.")
    elif path == "REPLAY":
        driver.get(f"{house}run/results/cup/matches.html")
        driver.find_element(By.CSS_SELECTOR, "tbody a").click()
        until(lambda: driver.find_elements(By.CSS_SELECTOR, "#picture svg"))
    else:
        driver.get(house + path)
    driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    driver.refresh()
    until(lambda: driver.execute_script("return document.readyState") == "complete")
    time.sleep(0.2)  # what comes by events is there
    assert faults_of_axe(driver) == []
