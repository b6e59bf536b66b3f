"""From tokens to the text that may be sent already: whole characters, and nothing of a stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence

# What a tokenizer writes for bytes that are no character, or none yet: of those at most three.
_NO_CHARACTER = "\ufffd"
_MOST = 3


class Writer:
    """The text of one answer as it grows. A stop string ends it, and is no part of it.

    A character can be spread over several tokens, and a stop string over several more: what may
    still become either is kept back. In the end the text is that of all tokens together.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str], stops: Sequence[str] = ()) -> None:
        self.stopped = False
        self._decode = decode
        self._stops = stops
        self._tokens: list[int] = []
        # Only tokens from `_context` on are looked at again: many tokenizers put a space before a
        # word only where another one precedes it. Of their text so many characters are written.
        self._context = 0
        self._written = 0
        # Where a token last ended with a character.
        self._edge = 0
        self._kept = ""

    def add(self, tokens: Sequence[int]) -> str:
        """The text that these tokens make certain."""
        self._tokens += tokens
        text = self._decode(self._tokens[self._context :])
        sure = max(len(text.rstrip(_NO_CHARACTER)), len(text) - _MOST)
        new = text[self._written : sure]
        self._written = max(self._written, sure)
        if sure == len(text):
            self._context, self._edge = self._edge, len(self._tokens)
            self._written = len(self._decode(self._tokens[self._context :]))
        return self._cut(self._kept + new)

    def end(self) -> str:
        """What was kept back, when no more tokens come."""
        if self.stopped:
            return ""
        rest = self._decode(self._tokens[self._context :])[self._written :]
        return self._cut(self._kept + rest) + self._kept

    def _cut(self, text: str) -> str:
        """What is before a stop string, or before what may become one; keeps the rest back."""
        found = [place for stop in self._stops if (place := text.find(stop)) >= 0]
        if found:
            self.stopped = True
            self._kept = ""
            return text[: min(found)]
        kept = max((_begun(text, stop) for stop in self._stops), default=0)
        self._kept = text[len(text) - kept :]
        return text[: len(text) - kept]


def _begun(text: str, stop: str) -> int:
    """How much of `stop` the text ends with."""
    longest = min(len(text), len(stop) - 1)
    return next((size for size in range(longest, 0, -1) if text.endswith(stop[:size])), 0)
