"""A folder with a finished run, and a browser of it without a browser."""

import pytest

HOST = "testserver"


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
