"""What several tests need: a tiny model, an engine that needs none, a client."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from transformers_llm import engine, health, tiny


@pytest.fixture(scope="session")
def model_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model: seconds on a CPU."""
    folder = tmp_path_factory.mktemp("model")
    tiny.make(Path(__file__).parent.parent / "data/dialogues.jsonl", folder)
    return folder


class Bytes:
    """A tokenizer whose tokens are bytes; 0 ends an answer."""

    def encode(self, text: str, most: int = sys.maxsize) -> list[int]:
        tokens = list(text.encode())
        if len(tokens) > most:
            raise engine.TooLong(len(tokens))
        return tokens

    def chat(self, messages: Sequence[engine.Message], most: int = sys.maxsize) -> list[int]:
        return self.encode("".join(f"{it.role}: {it.content}\n" for it in messages), most)

    def decode(self, tokens: Sequence[int]) -> str:
        return bytes(token for token in tokens if token).decode(errors="replace")


class FakeEngine:
    """Says `says`, a byte at a time; can be told to wait for `go` before a byte, or to fail."""

    def __init__(self) -> None:
        self.tokenizer = Bytes()
        self.context = 100
        self.vocabulary = 256
        self.max_running = 2
        self.temperature, self.top_p = 0.5, 0.9
        self.says = "Hello, world!"
        self.error: Exception | None = None
        self.broken = False
        self.closed = False
        self.go: asyncio.Event | None = None
        self.asked: list[tuple[list[int], engine.Sampling]] = []
        self.said = 0
        self.running = 0

    def start(self, health: health.Health) -> None:
        self.health = health

    async def generate(
        self, prompt: Sequence[int], sampling: engine.Sampling
    ) -> AsyncGenerator[engine.Step]:
        self.asked.append((list(prompt), sampling))
        self.running += 1
        try:
            tokens = [*self.says.encode(), 0][: sampling.max_tokens]
            for i, token in enumerate(tokens):
                if self.go is not None:
                    await self.go.wait()
                await asyncio.sleep(0)
                if self.error is not None and i == len(tokens) // 2:
                    raise self.error
                last = "length" if i + 1 == len(tokens) else None
                self.said += 1
                yield engine.Step([token], last if token else "stop")
        finally:
            self.running -= 1

    def hang(self) -> object:
        """What a proof waits for."""

    async def prove(self) -> None:
        def work() -> None:
            with self.health.forward():
                self.hang()

        await asyncio.to_thread(work)
        if self.broken:
            raise RuntimeError("illegal address")

    def close(self) -> None:
        self.closed = True

    def info(self) -> dict[str, str]:
        return {"device": "fake"}

    def memory(self) -> tuple[int, int]:
        return 10, 100

    def is_out_of_memory(self, error: BaseException) -> bool:
        return isinstance(error, MemoryError)


@pytest.fixture
def fake() -> FakeEngine:
    return FakeEngine()
