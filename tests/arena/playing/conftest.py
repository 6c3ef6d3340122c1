"""For tests of matches: bots in processes of their own end with the file that started them."""

from collections.abc import Iterator

import pytest

from arena.playing.containment.children import close_children


@pytest.fixture(scope="module", autouse=True)
def no_bot_is_left() -> Iterator[None]:
    yield
    close_children()
