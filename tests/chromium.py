"""A browser for tests of pages: Debian's chromium and chromium-driver, asking for nothing on its own."""

import shutil
from pathlib import Path
from typing import Any

import pytest

BINARY = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
FLAGS = (
    *("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run"),
    *("disable-background-networking", "disable-component-update", "disable-sync"),
)


def new_browser(profile: Path) -> Any:
    """A driver of a browser with an empty profile, to be quit; skips the test where there is no browser."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    if BINARY is None or DRIVER is None:
        pytest.skip("no browser: apt-get install chromium chromium-driver runs these tests")
    options = webdriver.ChromeOptions()
    options.binary_location = BINARY
    for flag in (*FLAGS, f"user-data-dir={profile}"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))


def resize(driver: Any, width: int, height: int = 900) -> None:
    """Make the page as large as a screen, narrow ones like a telephone's."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
