"""Sitting down in the browser: opening tables, and what a seat may ask. A seat's address carries its own token."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

from arena.playing.rulebook import explained_here, rulebook
from arena.web import views
from arena.web.streams import events, form
from arena.web.tables import WIDTH, Asked, Table, Tables
from engines.errors import UserError


def seat_routes(tables: Tables) -> list[Route]:
    """The addresses of tables and seats."""

    def at_table(
        answer: Callable[[Tables, Table], Coroutine[Any, Any, Response]],
    ) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        async def shown(request: Request) -> Response:
            table = tables.find(request.path_params["table"])
            return missing() if table is None else await answer(tables, table)

        return shown

    def at_seat(
        answer: Callable[[Tables, Table, int, Request], Coroutine[Any, Any, Response]],
    ) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        async def shown(request: Request) -> Response:
            table = tables.find(request.path_params["table"])
            seat = table.seat_of(request.path_params["token"]) if table else -1
            if table is None or seat < 0:
                return missing()
            try:
                return await answer(tables, table, seat, request)
            except UserError as error:
                return JSONResponse({"said": str(error)}, 400)

        return shown

    def of_tables(
        answer: Callable[[Tables, Request], Coroutine[Any, Any, Response]],
    ) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        async def shown(request: Request) -> Response:
            try:
                return await answer(tables, request)
            except UserError as error:
                return HTMLResponse(views.play_page(tables.all(), tables.saved(), str(error)), 400)

        return shown

    seat = "/seat/{table}/{token}"
    return [
        Route("/play", of_tables(show_tables)),
        Route("/play", of_tables(open_table), methods=["POST"]),
        Route("/reopen", of_tables(reopen), methods=["POST"]),
        Route("/table/{table}", at_table(show_table)),
        Route("/table/{table}/close", at_table(close_table), methods=["POST"]),
        Route(seat, at_seat(show_seat)),
        Route(f"{seat}/events", at_seat(stream_seat)),
        Route(f"{seat}/rules", at_seat(tell_rules)),
        Route(f"{seat}/do", at_seat(do), methods=["POST"]),
        Route(f"{seat}/undo", at_seat(undo), methods=["POST"]),
        Route(f"{seat}/hint", at_seat(hint), methods=["POST"]),
        Route(f"{seat}/save", at_seat(save), methods=["POST"]),
    ]


def missing() -> Response:
    """No such table or seat; which of both is nobody's business."""
    return HTMLResponse(
        views.trouble(404, "There is no such table, or the link is not whole."), 404
    )


# --- tables -------------------------------------------------------------------------------------------------


async def show_tables(tables: Tables, request: Request) -> Response:
    """Where people sit down."""
    return HTMLResponse(views.play_page(tables.all(), tables.saved()))


async def open_table(tables: Tables, request: Request) -> Response:
    """A new table."""
    asked = await form(request)
    seed = asked.get("seed", "").strip()
    if seed and not (seed.isascii() and seed.isdecimal() and len(seed) <= 18):
        raise UserError(f"seed: {seed[:50]!r}, expected a whole number")
    wanted = Asked(
        asked.get("game", "").strip(),
        asked.get("seats", ""),
        asked.get("options", ""),
        int(seed) if seed else None,
        tuple(filter(None, (name.strip() for name in asked.get("names", "").split(",")))),
        asked.get("helped") == "on",
    )
    table = await asyncio.to_thread(tables.open, wanted)
    table.go_on()
    return RedirectResponse(f"/table/{table.id}", 303)


async def reopen(tables: Tables, request: Request) -> Response:
    """A table that goes on with a saved match."""
    table = await asyncio.to_thread(tables.reopen, (await form(request)).get("file", ""))
    table.go_on()
    return RedirectResponse(f"/table/{table.id}", 303)


async def show_table(tables: Tables, table: Table) -> Response:
    """The links to the seats of a table."""
    return HTMLResponse(views.table_page(table))


async def close_table(tables: Tables, table: Table) -> Response:
    """End a table."""
    await tables.drop(table)
    return RedirectResponse("/play", 303)


# --- seats --------------------------------------------------------------------------------------------------


async def show_seat(tables: Tables, table: Table, seat: int, request: Request) -> Response:
    """The page of a seat."""
    return HTMLResponse(views.seat_page(table, seat))


async def stream_seat(tables: Tables, table: Table, seat: int, request: Request) -> Response:
    """What the seat sees, whenever it changes."""
    return events(table.follow(seat))


async def tell_rules(tables: Tables, table: Table, seat: int, request: Request) -> Response:
    """A part of the rules, or what they say of a card."""
    book, asked = rulebook(table.game), request.query_params
    try:
        if "explain" in asked:
            view = table.game.view(table.match.states, seat)
            text = explained_here(table.game, view, asked["explain"][:100], WIDTH)
        else:
            text = book.told(asked.get("heading", "")[:100], WIDTH)
    except UserError as error:
        text = str(error)
    return PlainTextResponse(text)


async def do(tables: Tables, table: Table, seat: int, request: Request) -> Response:
    """An action in words, at the position that the page shows."""
    asked = await sent(request)
    number, text = asked.get("number"), asked.get("text")
    if type(number) is not int or not isinstance(text, str):
        raise UserError("expected the number of the position and the text of an action")
    return told(await table.play(seat, number, text))


async def undo(tables: Tables, table: Table, seat: int, request: Request) -> Response:
    """Back to before the last decision."""
    return told(await table.take_back(seat))


async def hint(tables: Tables, table: Table, seat: int, request: Request) -> Response:
    """What a search would play."""
    return told(await table.hint(seat))


async def save(tables: Tables, table: Table, seat: int, request: Request) -> Response:
    """Store the match."""
    name = await asyncio.to_thread(tables.save, table)
    return told(f"saved as {name}; the page Play goes on with it")


def told(line: str) -> Response:
    """A line for the page."""
    return JSONResponse({"said": line})


async def sent(request: Request) -> dict[str, Any]:
    """The JSON of a request.

    Raises:
        UserError: it is none.
    """
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise UserError("expected JSON")
    try:
        data = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise UserError("the JSON cannot be read") from None
    if not isinstance(data, dict):
        raise UserError("expected an object")
    return data
