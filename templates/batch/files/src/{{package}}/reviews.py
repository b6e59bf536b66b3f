"""Made-up film reviews in which negation carries the label: data for the example and the tests.

Each review has one polar word. Half of the time a "not" is about it, with up to two words between
them, and turns its meaning; else the "not" is about what does not matter. Every fourth review is
the clause with the polar word alone, with its "not" or without. So the words alone say nothing,
whatever their weights: a model must see which "not" belongs to which word.
"""

from __future__ import annotations

import random

NOISE = 0.05  # labels that are wrong: no model can be better than 1 - NOISE
POLAR = {
    "positive": ["good", "great", "funny", "clever", "lovely", "touching", "brilliant", "charming"],
    "negative": ["bad", "boring", "silly", "dull", "awful", "clumsy", "terrible", "tiresome"],
}
TOPICS = [
    "film",
    "movie",
    "story",
    "plot",
    "cast",
    "script",
    "music",
    "ending",
    "camera",
    "dialogue",
]
LINKS = ["really", "so", "very", "at all", "quite", "that", ""]
NEUTRAL = [
    "long",
    "short",
    "old",
    "new",
    "loud",
    "quiet",
    "foreign",
    "dark",
    "colourful",
    "expensive",
]
FILLER = [
    "i saw it on a friday",
    "we went with friends",
    "it was shown late",
    "the cinema was full",
    "my sister chose it",
    "there were many trailers",
]


def make(count: int, seed: int) -> list[tuple[str, str]]:
    """Texts and their labels; the same for the same seed."""
    source = random.Random(seed)  # noqa: S311
    return [_review(source) for _ in range(count)]


def _pick(source: random.Random, words: list[str]) -> str:
    # The stream of random() alone is promised to stay the same in all versions of Python.
    return words[int(source.random() * len(words))]


def _clause(source: random.Random, word: str, negated: bool) -> str:
    if source.random() < 0.2:  # nobody says "was" each time
        return f"{'not ' * negated}a {word} {_pick(source, TOPICS)}"
    verb = "was not" if negated else "was"
    link = f"{_pick(source, LINKS)} {_pick(source, LINKS)}" if source.random() < 0.5 else ""
    return " ".join(f"the {_pick(source, TOPICS)} {verb} {link} {word}".split())


def _review(source: random.Random) -> tuple[str, str]:
    polarity = _pick(source, list(POLAR))
    turned = source.random() < 0.5
    parts = [_clause(source, _pick(source, POLAR[polarity]), turned)]
    if source.random() < 0.75:
        parts.append(_clause(source, _pick(source, NEUTRAL), not turned))
        if source.random() < 0.5:
            parts.reverse()
        parts.insert(int(source.random() * 3), _pick(source, FILLER))
    positive = (polarity == "positive") != turned
    if source.random() < NOISE:
        positive = not positive
    return " , ".join(parts), "positive" if positive else "negative"
