"""Forms that come in, and streams of states that go out."""

import asyncio
import json
from collections.abc import AsyncIterator
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from engines.errors import UserError

BEAT = 15.0  # seconds after which a silent stream says that it is there


async def form(request: Request) -> dict[str, str]:
    """The fields of a form, the first of each name.

    Raises:
        UserError: it is none.
    """
    body = await request.body()
    try:
        fields = parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=50)
    except ValueError:
        raise UserError("the form cannot be read") from None
    return {name: values[0] for name, values in fields.items()}


def events(states: AsyncIterator[str]) -> Response:
    """A stream of states as JSON, with a sign of life where nothing changes."""

    async def lines() -> AsyncIterator[str]:
        waiting = None
        try:
            while True:
                waiting = waiting or asyncio.ensure_future(anext(states))
                done, _ = await asyncio.wait({waiting}, timeout=BEAT)
                if not done:
                    yield ": still here\n\n"
                    continue
                state, waiting = waiting.result(), None
                yield f"data: {state}\n\n"
        except (StopAsyncIteration, UserError) as end:
            yield f"data: {json.dumps({'trouble': str(end)})}\n\n"
        finally:
            if waiting is not None:
                waiting.cancel()
                await asyncio.wait({waiting})
            await states.aclose()  # type: ignore[attr-defined]

    return StreamingResponse(lines(), media_type="text/event-stream")
