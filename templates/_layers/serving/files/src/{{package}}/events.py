"""Answers in pieces: server-sent events, of which the last says that nothing is missing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse

DONE = b"data: [DONE]\n\n"


class Gone(Exception):
    """The client has gone."""


class Events(StreamingResponse):
    """Server-sent events, which nobody on their way may keep or hold back."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[bytes, None]) -> None:
        # X-Accel-Buffering: nginx would wait until it has a page of them.
        super().__init__(events, headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"})


def event(line: str) -> bytes:
    """An event that holds one line of JSON."""
    return f"data: {line}\n\n".encode()


async def answer(
    request: Request, events: AsyncGenerator[bytes, None], tell: Callable[[Exception], bytes]
) -> Events:
    """The first event decides the status: an error before it is raised.

    One that comes later is an event, made by `tell`, and the last.
    """
    first = await unless_gone(request, anext(events, b""))
    return Events(_all(first, events, tell))


async def _all(
    first: bytes, events: AsyncGenerator[bytes, None], tell: Callable[[Exception], bytes]
) -> AsyncGenerator[bytes, None]:
    async with aclosing(events):
        try:
            yield first
            async for each in events:
                yield each
        except Exception as error:
            yield tell(error)
        else:
            yield DONE


async def unless_gone(request: Request, work: Awaitable[Any]) -> Any:
    """The result of some work, which is given up once the client has gone; then raises Gone."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Gone
        return task.result()
    finally:
        for it in (task, gone):
            it.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await it


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
