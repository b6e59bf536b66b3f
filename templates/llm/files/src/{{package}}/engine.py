"""What answers prompts: tokens in, tokens out. backend.py has one engine, vLLM is another."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Protocol

from .health import Health


@dataclass(frozen=True)
class Sampling:
    """How one answer is drawn: temperature 0 always takes the most probable token."""

    max_tokens: int
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int | None = None


@dataclass(frozen=True)
class Step:
    """Tokens that have come; `finish` says why none will follow: `stop` or `length`."""

    tokens: Sequence[int]
    finish: str | None = None


class TooLong(Exception):
    """A prompt of more tokens than may be. `tokens` is how many there are, or were counted."""

    def __init__(self, tokens: int) -> None:
        super().__init__(tokens)
        self.tokens = tokens


class Unsayable(ValueError):
    """A conversation that the model's template refuses; the message says why."""


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: str
    content: str


class Tokenizer(Protocol):
    """Text to tokens and back, for two threads at a time; backend.py has the real one.

    More than `most` tokens raise TooLong, soon: a text of megabytes is not read to its end. What is
    no text, as half a character, raises UnicodeError.
    """

    def encode(self, text: str, most: int = sys.maxsize) -> list[int]:
        """The tokens of a text, with those that the model wants before every one."""

    def chat(self, messages: Sequence[Message], most: int = sys.maxsize) -> list[int]:
        """The prompt that asks for the next turn of a conversation; may raise Unsayable."""

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of an answer."""


class Engine(Protocol):
    """A model on its device."""

    # Tokens that a prompt and its answer may have together.
    context: int
    # How many tokens there are to choose from.
    vocabulary: int
    # Requests that are worked on at the same time.
    max_running: int
    # What the model's makers advise where a request says nothing.
    temperature: float
    top_p: float

    @property
    def tokenizer(self) -> Tokenizer:
        """That of the model's folder."""

    def start(self, health: Health) -> None:
        """Begins to work, and to tell `health` what the device does."""

    def generate(self, prompt: Sequence[int], sampling: Sampling) -> AsyncGenerator[Step]:
        """The answer as it comes; closing the generator gives the request up."""

    async def prove(self) -> None:
        """Raises unless the device answers rightly."""

    def close(self) -> None:
        """Ends all work."""

    def info(self) -> dict[str, str]:
        """What runs where."""

    def memory(self) -> tuple[int, int]:
        """Bytes held on the device, and the device's all."""

    def is_out_of_memory(self, error: BaseException) -> bool:
        """Whether fewer requests at once may succeed."""
