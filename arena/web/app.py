"""What the server answers: runs, their live pages, reports and replays."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

from arena.pages.replay import write_replay
from arena.plan.keeping import ALL
from arena.store.record import RECORD
from arena.web import views
from arena.web.boards import Key, boards_page, fitting, listed, published
from arena.web.guard import Guard, Keys, let_in
from arena.web.inside import check_inside
from arena.web.live import Watches
from arena.web.matches import Wanted, beside, matches_page
from arena.web.runner import Runner
from arena.web.runs import entry_of, identity, opened_place, place_of, record_of, runs_below
from arena.web.seats import seat_routes
from arena.web.shell import asset_text, policy_of, with_links, with_replays
from arena.web.streams import events, form
from arena.web.tables import Tables
from engines.errors import UserError

THINK = "think"  # in the address of a replay: with what searches thought
TYPES = {"css": "text/css", "js": "text/javascript"}


@dataclass
class House:
    """All that the server keeps."""

    folder: Path
    keys: Keys
    watches: Watches
    tables: Tables
    runner: Runner


def make_app(folder: Path, keys: Keys) -> Guard:
    """The server of a folder, behind its guard."""
    folder = folder.resolve()
    house = House(folder, keys, Watches(folder), Tables(folder), Runner(folder))
    routes = [
        Route("/", page_of(house, show_home)),
        Route("/assets/{name}", page_of(house, show_asset)),
        Route("/login", page_of(house, log_in), methods=["GET", "POST"]),
        Route("/start", page_of(house, start), methods=["POST"]),
        Route("/boards", page_of(house, show_boards)),
        Route("/page/{path:path}", page_of(house, show_published)),
        Route("/run/{path:path}/report.html", page_of(house, show_report)),
        Route("/run/{path:path}/matches.html", page_of(house, show_matches)),
        Route("/run/{path:path}/events", page_of(house, stream_run)),
        Route("/run/{path:path}/replays/{match}.html", page_of(house, show_replay)),
        Route("/run/{path:path}/stop", page_of(house, stop), methods=["POST"]),
        Route("/run/{path:path}/continue", page_of(house, go_on), methods=["POST"]),
        Route("/run/{path:path}/", page_of(house, show_run)),
        *seat_routes(house.tables),
    ]
    handlers: dict[Any, Any] = {404: nowhere, 405: nowhere, 500: broken}

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        house.tables.close()
        house.runner.close()

    app = Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan)
    app.state.house = house
    return Guard(app, keys)


Answer = Callable[[House, Request], Coroutine[Any, Any, Response]]


def page_of(house: House, answer: Answer) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    """A page whose trouble is a page too, never a traceback."""

    async def shown(request: Request) -> Response:
        try:
            return await answer(house, request)
        except UserError as error:
            return HTMLResponse(views.trouble(400, str(error)), 400)
        except ClientDisconnect:
            return PlainTextResponse("the request ended early\n", 400)

    return shown


async def nowhere(request: Request, error: Exception) -> Response:
    """A page for what there is not."""
    status = int(getattr(error, "status_code", 404))
    return HTMLResponse(views.trouble(status, "There is no such page."), status)


async def broken(request: Request, error: Exception) -> Response:
    """A page for what is our fault: the terminal has the traceback, the page has none."""
    line = f"This server has failed here ({type(error).__name__}); its terminal says where."
    return HTMLResponse(views.trouble(500, line), 500)


# --- the house ----------------------------------------------------------------------------------------------


async def show_home(house: House, request: Request) -> Response:
    """All runs, and what can be started."""
    entries = await asyncio.to_thread(runs_below, house.folder)
    leaders = await asyncio.to_thread(house.watches.leaders, entries)
    configs = await asyncio.to_thread(house.runner.configs)
    begun = house.runner.started()
    return HTMLResponse(views.home(entries, configs, str(house.folder), begun, leaders))


async def show_asset(house: House, request: Request) -> Response:
    """A style or a script."""
    name = request.path_params["name"]
    text = asset_text(name)
    if text is None:
        return PlainTextResponse("no such file\n", 404)
    return PlainTextResponse(text, media_type=TYPES[name.rpartition(".")[2]])


async def log_in(house: House, request: Request) -> Response:
    """The password, where others than this machine may come."""
    if request.method == "GET":
        return HTMLResponse(views.login(wrong=False))
    given = (await form(request)).get("password", "")
    if house.keys.admits(given):
        return let_in(RedirectResponse("/", 303), house.keys, request)
    await asyncio.sleep(1.0)  # guessing takes long
    return HTMLResponse(views.login(wrong=True), 403)


async def show_boards(house: House, request: Request) -> Response:
    """What published pages and runs tell of a game, variant and number of players."""
    entries = await asyncio.to_thread(runs_below, house.folder)
    pages = await asyncio.to_thread(published, house.folder)
    shown = await asyncio.to_thread(lambda: list(listed(house.folder, pages, entries)))
    return HTMLResponse(boards_page(shown, pages, Key.of(request.query_params)))


async def show_published(house: House, request: Request) -> Response:
    """A page that was made before."""
    path = request.path_params["path"]
    if path not in await asyncio.to_thread(published, house.folder):
        raise UserError(f"{path[:200]}: no published page below {house.folder}")
    html = (house.folder / path).read_text(encoding="utf-8", errors="replace")
    html = fitting(html, Key.of(request.query_params))
    html = with_links(html, (("/", "Runs"), ("/boards", "Boards")))
    return HTMLResponse(html, headers={"content-security-policy": policy_of(html)})


# --- runs ---------------------------------------------------------------------------------------------------


async def show_run(house: House, request: Request) -> Response:
    """A run while it plays."""
    place = place_of(house.folder, request.path_params["path"])
    return HTMLResponse(views.run_page(await asyncio.to_thread(entry_of, house.folder, place)))


async def stream_run(house: House, request: Request) -> Response:
    """The states of a run as server-sent events."""
    place = place_of(house.folder, request.path_params["path"])
    return events(house.watches.of(place).follow())


async def show_report(house: House, request: Request) -> Response:
    """The whole report of a run as it stands."""
    place = await asyncio.to_thread(opened_place, house.folder, request.path_params["path"])
    html = with_replays(await asyncio.to_thread(house.watches.page, place))
    html = fitting(html, Key.of(request.query_params))
    html = with_links(html, (("/", "Runs"), ("./", "Live"), ("matches.html", "Matches")))
    return HTMLResponse(html, headers={"content-security-policy": policy_of(html)})


async def show_matches(house: House, request: Request) -> Response:
    """The matches of a run by bot, opponent and ending."""
    place = await asyncio.to_thread(opened_place, house.folder, request.path_params["path"])
    rows, sampled = await asyncio.to_thread(house.watches.matches, place)
    wanted = Wanted.of(request.query_params)
    return HTMLResponse(matches_page(place.name, rows, wanted, sampled))


async def show_replay(house: House, request: Request) -> Response:
    """A match to step through, with the ones before and after it among those that are looked for."""
    place = await asyncio.to_thread(opened_place, house.folder, request.path_params["path"])
    match, wanted = request.path_params["match"], Wanted.of(request.query_params)
    if not match.isalnum():
        raise UserError(f"match {match[:100]!r}: expected letters and digits")
    record = record_of(house.folder, place, identity(place / RECORD))
    if record.spec.store_actions != ALL:  # then its bots play it once more
        await asyncio.to_thread(check_inside, house.folder, place / RECORD)
    think = THINK in request.query_params
    if think:
        html = await house.runner.thoughts(place, match)
    else:
        html = await asyncio.to_thread(replay_html, place, match)
    rows, _ = await asyncio.to_thread(house.watches.matches, place)
    links = beside(rows, wanted, match)
    if not think and not record.people:
        again = f"{match}.html{wanted.query}{'&' if wanted.query else '?'}{THINK}="
        links.append((again, "Let its searches think again"))
    html = with_links(html, links)
    return HTMLResponse(html, headers={"content-security-policy": policy_of(html)})


def replay_html(place: Path, match: str) -> str:
    """The page of a match; nothing is written into the run."""
    with TemporaryDirectory() as folder:
        return write_replay(place, match, Path(folder)).read_text(encoding="utf-8")


async def start(house: House, request: Request) -> Response:
    """Start a run of a config, or say what it would be."""
    asked = await form(request)
    config = asked.get("config", "")
    if asked.get("do") == "dry":
        text = await house.runner.estimate(config)
        return HTMLResponse(
            views.estimated(text, "/start", {"config": config}, "Start or continue", "/")
        )
    await asyncio.to_thread(house.runner.start, config)
    return RedirectResponse("/", 303)


async def stop(house: House, request: Request) -> Response:
    """End a run as Ctrl-C does: what is played is stored."""
    house.runner.stop(place_of(house.folder, request.path_params["path"]))
    return RedirectResponse("./", 303)


async def go_on(house: House, request: Request) -> Response:
    """Go on with a run from its own record, or say what that would be."""
    place = place_of(house.folder, request.path_params["path"])
    if (await form(request)).get("do") == "dry":
        text = await house.runner.left(place)
        return HTMLResponse(views.estimated(text, "continue", {}, "Continue the run", "./"))
    await asyncio.to_thread(house.runner.go_on, place)
    return RedirectResponse("./", 303)
