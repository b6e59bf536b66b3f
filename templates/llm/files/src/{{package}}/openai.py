"""OpenAI's routes: what a request asks for, and its answer, whole or as a stream."""

from __future__ import annotations

import asyncio
import functools
import json
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from fastapi.params import Depends
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from . import events, schemas
from .engine import Engine, Message, Sampling, TooLong, Unsayable
from .errors import ApiError, bad_request, explain_invalid
from .problems import LONGEST
from .routes import JsonRoute
from .service import Expired, NotReady, OutOfMemory, Overloaded, Piece, Service

# Errors that a client may meet in a service that works: status, text, code, seconds to wait.
ERRORS: dict[type[Exception], tuple[int, str, str, int]] = {
    NotReady: (503, "the model is not ready", "not_ready", 1),
    Overloaded: (503, "too many requests wait already", "overloaded", 1),
    OutOfMemory: (503, "the request does not fit into the device's memory", "out_of_memory", 5),
    Expired: (504, "no token came in time", "timeout", 1),
    events.Gone: (499, "the client has gone", "client_closed_request", 0),
}
# What OpenAI takes for a completion that does not say.
COMPLETION_TOKENS = 16
# Characters that a tokenizer reads in no time.
SHORT = 20_000


@dataclass(frozen=True)
class Style:
    """What one of the two kinds of answer is called, and how it carries its text."""

    # The field that has the prompt.
    field: str
    prefix: str
    whole: str
    part: str
    message: Callable[[str], dict[str, Any]]
    delta: Callable[[str], dict[str, Any]]
    # What a stream begins with.
    opening: dict[str, Any] | None


CHAT = Style(
    field="messages",
    prefix="chatcmpl",
    whole="chat.completion",
    part="chat.completion.chunk",
    message=lambda text: {"message": {"role": "assistant", "content": text, "refusal": None}},
    delta=lambda text: {"delta": {"content": text} if text else {}},
    opening={"delta": {"role": "assistant", "content": "", "refusal": None}},
)
COMPLETION = Style(
    field="prompt",
    prefix="cmpl",
    whole="text_completion",
    part="text_completion",
    message=lambda text: {"text": text},
    delta=lambda text: {"text": text},
    opening=None,
)


class OpenAiRoute(JsonRoute):
    """A route whose refusals OpenAI's clients understand."""

    def refuse(self, error: ValidationError) -> Response:
        """The answer to a body that is not valid."""
        return explain_invalid(error)


class Reader:
    """A thread that makes tokens of prompts, one after the other; `count` of them are with it."""

    def __init__(self) -> None:
        self.count = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="tokenizer")

    async def read(self, work: Callable[[], list[int]], seconds: float) -> list[int]:
        """What `work` returns; raises what it does, or Expired after so many seconds."""
        self.count += 1
        try:
            reading = asyncio.get_running_loop().run_in_executor(self._thread, work)
            return await asyncio.wait_for(reading, seconds)
        except TimeoutError:
            raise Expired from None
        finally:
            self.count -= 1


class Api:
    """The routes around one service."""

    def __init__(self, service: Service, name: str) -> None:
        self._service = service
        self._name = service.settings.model_name or name
        # Long prompts have a thread of their own, so that short ones do not wait for them.
        self._short, self._long = Reader(), Reader()

    def add_routes(self, router: APIRouter, lock: Sequence[Depends]) -> None:
        """Adds them; `lock` is what the documentation says of keys."""
        for path, get in (("/v1/models", self.models), ("/v1/models/{model:path}", self.model)):
            router.add_api_route(path, get, methods=["GET"], dependencies=lock)
        for path, post in (("/v1/chat/completions", self.chat), ("/v1/completions", self.complete)):
            router.add_api_route(
                path,
                post,
                methods=["POST"],
                response_model=None,
                dependencies=lock,
                route_class_override=OpenAiRoute,
            )

    async def models(self) -> schemas.ModelList:
        """The models that are served."""
        return schemas.ModelList(data=[self._card()])

    async def model(self, model: str) -> schemas.ModelCard:
        """One of them."""
        self._check_model(model)
        return self._card()

    async def chat(self, body: schemas.ChatRequest, request: Request) -> Response:
        """The next turn of a conversation."""
        engine = self._admit(body)
        allowed = self._service.settings.max_messages
        if len(body.messages) > allowed:
            raise bad_request(f"'messages': at most {allowed} are taken here", "messages")
        turns = [
            Message("system" if it.role == "developer" else it.role, it.text())
            for it in body.messages
        ]
        work = functools.partial(engine.tokenizer.chat, turns, engine.context)
        size = sum(len(turn.content) for turn in turns)
        prompt = await self._read(CHAT, engine, work, size)
        most = body.max_completion_tokens or body.max_tokens
        return await self._answer(CHAT, engine, body, prompt, most, request)

    async def complete(self, body: schemas.CompletionRequest, request: Request) -> Response:
        """A text that is gone on with."""
        engine = self._admit(body)
        prompt = body.prompt
        if isinstance(prompt, str):
            work = functools.partial(engine.tokenizer.encode, prompt, engine.context)
            prompt = await self._read(COMPLETION, engine, work, len(prompt))
        elif not all(0 <= token < engine.vocabulary for token in prompt):
            raise bad_request(f"'prompt': tokens are from 0 to {engine.vocabulary - 1}", "prompt")
        most = body.max_tokens or COMPLETION_TOKENS
        return await self._answer(COMPLETION, engine, body, prompt, most, request)

    def _card(self) -> schemas.ModelCard:
        engine = self._service.usable()
        return schemas.ModelCard(
            id=self._name,
            created=self._service.started_at,
            owned_by="me",
            max_model_len=engine.context,
        )

    def _check_model(self, model: str) -> None:
        if model != self._name:
            text = f"The model '{model[:LONGEST]}' does not exist: this is '{self._name}'"
            raise ApiError(404, text, "model_not_found", "model")

    def _admit(self, body: schemas.Request) -> Engine:
        """The engine, for a request that asks for nothing that it does not get."""
        self._check_model(body.model)
        extra = body.model_extra or {}
        if name := schemas.unserved(extra):
            known = name in schemas.NEUTRAL
            what = f"'{name}': {json.dumps(extra[name])[:100]} is not served here"
            short = name[:LONGEST]
            raise bad_request(
                what if known else f"Unknown parameter: '{short}'",
                short,
                "unsupported_value" if known else "unknown_parameter",
            )
        if not all(body.stop):
            raise bad_request("'stop': a stop string must not be empty", "stop")
        if body.stream_options is not None and not body.stream:
            raise bad_request("'stream_options' is for requests with 'stream'", "stream_options")
        return self._service.usable()

    async def _read(
        self, style: Style, engine: Engine, work: Callable[[], list[int]], size: int
    ) -> list[int]:
        """The tokens of a prompt of so many characters, or a refusal."""
        settings = self._service.settings
        reader = self._short if size <= SHORT else self._long
        if reader.count >= engine.max_running + settings.queue_size:
            raise Overloaded
        try:
            return await reader.read(work, settings.first_token_s)
        except TooLong as error:
            raise _too_long(style, engine, f"at least {error.tokens}", 1) from None
        except (Unsayable, UnicodeError) as error:
            # Templates refuse conversations of another form than theirs; no token is half a
            # character. All else is no mistake of the client's.
            raise bad_request(f"this text cannot be turned into tokens: {error}") from error

    def _sampling(
        self,
        style: Style,
        engine: Engine,
        body: schemas.Request,
        prompt: Sequence[int],
        most: int | None,
    ) -> Sampling:
        """What fits into the context, or a refusal."""
        room = engine.context - len(prompt)
        limit = self._service.settings.max_tokens
        if not prompt:
            raise bad_request("the prompt has no tokens", style.field)
        if room < (most or 1):
            raise _too_long(style, engine, str(len(prompt)), most or 1)
        if most is not None and most > limit:
            raise bad_request(f"'max_tokens': at most {limit} are given here", "max_tokens")
        return Sampling(
            max_tokens=most or min(room, limit),
            temperature=engine.temperature if body.temperature is None else body.temperature,
            top_p=body.top_p or engine.top_p,
            seed=body.seed,
        )

    async def _answer(
        self,
        style: Style,
        engine: Engine,
        body: schemas.Request,
        prompt: Sequence[int],
        most: int | None,
        request: Request,
    ) -> Response:
        sampling = self._sampling(style, engine, body, prompt, most)
        pieces = self._service.generate(prompt, sampling, body.stop)
        answer = Answer(style, self._name, len(prompt))
        if not body.stream:
            return JSONResponse(await events.unless_gone(request, answer.whole(pieces)))
        options = body.stream_options or schemas.StreamOptions()
        stream = answer.stream(pieces, options.include_usage)
        return await events.answer(request, stream, lambda error: _event(as_api_error(error).body))


class Answer:
    """One answer on its way to the client."""

    def __init__(self, style: Style, model: str, prompt_tokens: int) -> None:
        self._style = style
        self._prompt_tokens = prompt_tokens
        self._about = {
            "id": f"{style.prefix}-{uuid.uuid4().hex}",
            "created": int(time.time()),
            "model": model,
        }

    async def whole(self, pieces: AsyncGenerator[Piece]) -> dict[str, Any]:
        """All of it at once."""
        async with aclosing(pieces):
            found = [piece async for piece in pieces]
        text = "".join(piece.text for piece in found)
        choice = _choice(self._style.message(text), found[-1].finish)
        usage = self._usage(found[-1].tokens)
        return {**self._about, "object": self._style.whole, "choices": [choice], "usage": usage}

    async def stream(
        self, pieces: AsyncGenerator[Piece], with_usage: bool
    ) -> AsyncGenerator[bytes, None]:
        """Server-sent events, the first of them once there is a piece."""
        usage = {"usage": None} if with_usage else {}
        style, opening = self._style, self._style.opening
        tokens = 0
        async with aclosing(pieces):
            async for piece in pieces:
                tokens = piece.tokens
                if opening is not None:
                    yield self._event([_choice(opening)], usage)
                    opening = None
                if piece.text:
                    yield self._event([_choice(style.delta(piece.text))], usage)
                if piece.finish is not None:
                    yield self._event([_choice(style.delta(""), piece.finish)], usage)
        if with_usage:
            yield self._event([], {"usage": self._usage(tokens)})

    def _event(self, choices: list[dict[str, Any]], more: dict[str, Any]) -> bytes:
        return _event({**self._about, "object": self._style.part, "choices": choices, **more})

    def _usage(self, tokens: int) -> dict[str, int]:
        return schemas.Usage(
            prompt_tokens=self._prompt_tokens,
            completion_tokens=tokens,
            total_tokens=self._prompt_tokens + tokens,
        ).model_dump()


def as_api_error(error: Exception) -> ApiError:
    """What a client is told of an error."""
    if isinstance(error, ApiError):
        return error
    if type(error) in ERRORS:
        status, text, code, seconds = ERRORS[type(error)]
        return ApiError(status, text, code, retry_s=seconds)
    return ApiError(500, "the request failed: the service's log says why", "internal_error")


def _too_long(style: Style, engine: Engine, tokens: str, most: int) -> ApiError:
    return bad_request(
        f"This model's maximum context length is {engine.context} tokens. However, your"
        f" request has {tokens} tokens of input and asks for {most} of output.",
        style.field,
        "context_length_exceeded",
    )


def _choice(what: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, **what, "logprobs": None, "finish_reason": finish}


def _event(body: dict[str, Any]) -> bytes:
    return events.event(json.dumps(body, ensure_ascii=False, separators=(",", ":")))
