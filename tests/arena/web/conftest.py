"""A folder with a finished run, a browser of it without a browser, and real ones.

Those need Debian's chromium and chromium-driver; axe-core as tests/arena/pages/test_browser.py says.
"""

import contextlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.chromium import new_browser, resize

HOST = "testserver"
ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 120.0


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with a finished run, and a secret beside it."""
    import arena

    place = tmp_path_factory.mktemp("house")
    (place / "secret.txt").write_text("secret")
    inner = place / "inner"
    arena.match(
        "connect_four", ["random", "greedy"], deals=3, workers=0, out=inner / "results" / "cup"
    )
    return inner


@pytest.fixture
def keys():
    from arena.web.guard import Keys

    return Keys(frozenset({HOST}))


@pytest.fixture
def web(folder, keys):
    """A browser that has the token."""
    from starlette.testclient import TestClient

    from arena.web.app import make_app
    from arena.web.guard import COOKIE

    with TestClient(make_app(folder, keys), follow_redirects=False) as client:
        client.cookies.set(COOKIE, keys.token)
        yield client


@pytest.fixture(scope="session")
def arena():
    """Begins a command of this package in a folder."""

    def begin(*words, folder, **more):
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        command = [sys.executable, "-m", "arena", *map(str, words)]
        own = {**os.environ, "PYTHONPATH": path, **more.pop("env", {})}
        return subprocess.Popen(command, cwd=folder, env=own, text=True, **more)

    return begin


@pytest.fixture
def until():
    """Waits for what a question answers once that is true."""

    def wait(what, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(Exception):
                if found := what():
                    return found
            time.sleep(0.05)
        raise AssertionError("waited too long")

    return wait


@contextlib.contextmanager
def serving(folder, arena):
    """A server of a folder: (folder, address with its token, process)."""
    pytest.importorskip("uvicorn")
    server = arena("web", ".", "--no-open", folder=folder, stdout=subprocess.PIPE)
    try:
        address = re.search(r"http://\S+", server.stdout.readline())[0]
        yield folder, address, server
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


@pytest.fixture
def served(tmp_path, arena):
    """A server of an empty folder."""
    with serving(tmp_path, arena) as found:
        yield found


@pytest.fixture(scope="module")
def cup(tmp_path_factory, arena):
    """A server of a folder with a finished run in `results/cup`: its address with its token."""
    folder = tmp_path_factory.mktemp("cup")
    bots = ("random", "greedy", "mcts:simulations=4,prior=0,rollout_depth=none")  # random wins some
    words = ("match", "connect_four", *bots, "--deals", 20, "--workers", 0, "--quiet")
    out = ("--variant", "rows=4,columns=5", "--out", "results/cup")  # small: some boards are full
    assert arena(*words, *out, folder=folder, stdout=subprocess.DEVNULL).wait() == 0
    with serving(folder, arena) as (_, address, _):
        yield address


@pytest.fixture
def browsers(tmp_path_factory):
    """Makes browsers that know nothing of each other."""
    made = []

    def make(width=1280):
        driver = new_browser(tmp_path_factory.mktemp("profile"))
        resize(driver, width)
        made.append(driver)
        return driver

    yield make
    for driver in made:
        driver.quit()


@pytest.fixture
def faults_of_axe():
    """What axe-core finds on the page of a browser that is past its policy of scripts, of any impact."""
    file = os.environ.get("ARENA_AXE")
    if not file or not Path(file).is_file():
        pytest.skip("no axe-core: npm install axe-core, then ARENA_AXE=.../axe.min.js")

    def look(driver):
        driver.set_script_timeout(120)
        driver.execute_script(Path(file).read_text(encoding="utf-8"))
        return driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run().then(r => done(r.violations.map(v => [v.id, v.help, "
            "v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))])), e => done([String(e)]))"
        )

    return look
