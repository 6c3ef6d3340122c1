"""Makes the README's pictures anew in docs/pictures: a browser looks at what the server and the pages show.

    python benchmarks/pictures.py [NAME ...]

Needs chromium, chromium-driver and selenium; plays a few short matches in a temporary folder. Names: web (a run as it
plays), table (people and a bot at Sagrada), replay (a match of Sacrifice), balance and board (published pages).
"""

import base64
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.common.by import By

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
MOST_BYTES = 220_000
WIDTH, HEIGHT = 1000, 640
LARGE_WIDTH, LARGE_HEIGHT = 1280, 800  # of a window in which a whole board or table is to be seen
FLAGS = ("headless", "no-sandbox", "disable-gpu", "hide-scrollbars", "force-color-profile=srgb")

Shoot = Callable[..., object]  # takes the picture, of the page down to an element if one is named


def main() -> None:
    """Make the pictures that are named, or all."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or MAKERS:
        with tempfile.TemporaryDirectory() as folder, browser() as driver:
            file = PICTURES / f"{name}.png"
            MAKERS[name](driver, Path(folder), partial(taken, driver, file))
        size = file.stat().st_size
        print(f"{file.relative_to(ROOT)}: {size} bytes")
        assert size <= MOST_BYTES, f"{name}: larger than {MOST_BYTES} bytes"


def watched_run(driver: Any, folder: Path, shoot: Shoot) -> None:
    """The live page of a run while it plays."""
    bots = ("mcts:simulations=100", "mcts:simulations=20", "greedy", "random")
    words = ("match", "connect_four", *bots, "--deals", "4000", "--quiet", "--out", "results/cup")
    with served(folder) as address, started(folder, *words):
        until((folder / "results" / "cup" / "spec.yaml").exists)
        driver.get(address)
        driver.get(f"{address.partition('?')[0]}run/results/cup/")
        until(
            lambda: len(driver.find_elements(By.CSS_SELECTOR, "#standings tbody tr")) == len(bots)
        )
        until(lambda: "a second" in driver.find_element(By.ID, "counts").text)
        shoot()


def table(driver: Any, folder: Path, shoot: Shoot) -> None:
    """A seat at a table of Sagrada, some rounds in."""
    with served(folder) as address:
        driver.get(address)
        driver.get(f"{address.partition('?')[0]}play")
        driver.find_element(By.CSS_SELECTOR, "option[value=sagrada]").click()
        driver.find_element(By.NAME, "seed").send_keys("2026")
        driver.find_element(By.CSS_SELECTOR, "form.stacked button").click()
        driver.get(driver.find_element(By.PARTIAL_LINK_TEXT, "sit down").get_attribute("href"))
        for _ in range(9):
            seen = decide(driver)
            until(lambda seen=seen: decide(driver, False) > seen)
        shoot()


def decide(driver: Any, click: bool = True) -> int:
    """Take an action once it is this seat's turn, if it is to be taken; how many events were told before."""
    until(lambda: driver.find_element(By.ID, "told").text == "Your turn.")
    seen = len(driver.find_elements(By.CSS_SELECTOR, "#events li"))
    if click:
        driver.execute_script(
            "const all = [...document.querySelectorAll('#actions button')];"
            "(all.find(b => /place|keep/.test(b.textContent)) || all[0]).click()"
        )
    return seen


def replay(driver: Any, folder: Path, shoot: Shoot) -> None:
    """A match of Sacrifice in its middle."""
    words = ("match", "sacrifice", "greedy", "random", "--deals", "1", "--workers", "0", "--quiet")
    subprocess.run(arena(*words, "--out", "cup"), cwd=folder, env=environment(), check=True)
    import arena as api

    match = api.load(folder / "cup").matches.id[0]
    words = ("replay", "cup", match, "--html")
    subprocess.run(arena(*words), cwd=folder, env=environment(), check=True, capture_output=True)
    (page,) = folder.rglob(f"*{match}*.html")
    sized(driver, LARGE_WIDTH, LARGE_HEIGHT)
    for moment in range(60, 90):
        driver.get(f"{page.as_uri()}#{moment}")
        until(lambda: driver.execute_script("return document.documentElement.dataset.ready"))
        if driver.find_elements(By.CSS_SELECTOR, "#picture .arrow"):
            break
    shoot(".stage > div")


def balance(driver: Any, folder: Path, shoot: Shoot) -> None:
    """The first screen of a balance page."""
    driver.get((ROOT / "results" / "leaderboards" / "balance-karmaka.html").as_uri())
    shoot()


def board(driver: Any, folder: Path, shoot: Shoot) -> None:
    """A leaderboard as far as who beats whom."""
    sized(driver, LARGE_WIDTH, LARGE_HEIGHT)
    driver.get((ROOT / "results" / "leaderboards" / "karmaka.html").as_uri())
    until(lambda: len(driver.find_elements(By.CSS_SELECTOR, "section svg")) > 1)
    shoot("#group1 article:nth-of-type(2)")


MAKERS: dict[str, Callable[[Any, Path, Shoot], None]] = {
    "web": watched_run,
    "table": table,
    "replay": replay,
    "balance": balance,
    "board": board,
}


def sized(driver: Any, width: int, height: int) -> None:
    """Make the window as large as this."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def taken(driver: Any, file: Path, last: str = "") -> None:
    """Take a picture of the window, or of the page down to the end of the first element of a selector."""
    if not last:
        driver.save_screenshot(str(file))
        return
    end = driver.find_element(By.CSS_SELECTOR, last).rect
    size = {
        "width": driver.execute_script("return innerWidth"),
        "height": end["y"] + end["height"] + 20,
    }
    shown = {"clip": {"x": 0, "y": 0, "scale": 1, **size}, "captureBeyondViewport": True}
    taken_as = driver.execute_cdp_cmd("Page.captureScreenshot", shown)["data"]
    file.write_bytes(base64.b64decode(taken_as))


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """A browser of the pictures' size."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser") or ""
    for flag in (*FLAGS, f"window-size={WIDTH},{HEIGHT}"):
        options.add_argument(f"--{flag}")
    driver = webdriver.Chrome(
        options=options, service=webdriver.ChromeService(shutil.which("chromedriver"))
    )
    sized(driver, WIDTH, HEIGHT)
    try:
        yield driver
    finally:
        driver.quit()


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """A server of a folder; its address with the token."""
    server = subprocess.Popen(
        arena("web", ".", "--no-open"),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    found = re.search(r"http://\S+", server.stdout.readline())
    assert found is not None
    try:
        yield found[0]
    finally:
        server.kill()
        server.wait()


@contextlib.contextmanager
def started(folder: Path, *words: str) -> Iterator[None]:
    """A command that goes on meanwhile."""
    process = subprocess.Popen(
        arena(*words), cwd=folder, env=environment(), stdout=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def arena(*words: str) -> list[str]:
    """A command of this package."""
    return [sys.executable, "-m", "arena", *words]


def environment() -> dict[str, str]:
    """That of this process, where the package is found from every folder."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def until(true: Callable[[], object], seconds: float = 300.0) -> None:
    """Wait for something to be true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(Exception):
            if true():
                return
        time.sleep(0.1)
    raise AssertionError("waited too long")


if __name__ == "__main__":
    main()
