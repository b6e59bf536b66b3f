"""Micro-batching: what shares a pass, what is refused, what happens to errors."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable

import pytest

from it import batcher


class Recorder:
    """A forward pass that answers with the length of each text and remembers its batches."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.fits = 1000
        self.go = threading.Event()
        self.go.set()

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.go.wait(10)
        if len(texts) > self.fits:
            raise MemoryError
        self.batches.append(texts)
        return [[float(len(text))] for text in texts]


@pytest.fixture
def forward() -> Recorder:
    return Recorder()


def run(
    forward: Callable[[list[str]], list[list[float]]],
    work: Callable[[batcher.Batcher], Awaitable[None]],
    max_batch: int = 4,
    max_wait_s: float = 0.2,
    queue_size: int = 8,
) -> None:
    async def inside() -> None:
        limits = batcher.Limits(max_batch, max_wait_s, queue_size)
        it = batcher.Batcher(forward, limits, lambda error: isinstance(error, MemoryError))
        it.start()
        try:
            await asyncio.wait_for(work(it), 20)
        finally:
            await it.stop()

    asyncio.run(inside())


def test_requests_that_come_together_share_a_pass(forward):
    async def work(it):
        answers = await asyncio.gather(it.submit(["a"], 5), it.submit(["bb", "ccc"], 5))
        assert answers == [[[1.0]], [[2.0], [3.0]]]

    run(forward, work)
    assert forward.batches == [["a", "bb", "ccc"]]


def test_a_full_batch_does_not_wait(forward):
    async def work(it):
        await it.submit(["a", "b", "c", "d"], 5)

    run(forward, work, max_wait_s=1000)
    assert forward.batches == [["a", "b", "c", "d"]]


def test_no_batch_is_larger_than_the_limit(forward):
    async def work(it):
        answer = await it.submit(["a", "b", "c", "d", "e", "f"], 5)
        assert len(answer) == 6

    run(forward, work)
    assert [len(batch) for batch in forward.batches] == [4, 2]


def test_a_full_queue_refuses_and_then_recovers(forward):
    async def work(it):
        forward.go.clear()
        first = asyncio.ensure_future(it.submit(["x"], 10))
        await asyncio.sleep(0.05)
        waiting = asyncio.ensure_future(it.submit(["a"] * 8, 10))
        await asyncio.sleep(0.05)
        assert it.depth == 8
        with pytest.raises(batcher.Overloaded):
            await it.submit(["b"], 10)
        forward.go.set()
        await first
        await waiting
        assert await it.submit(["b"], 10) == [[1.0]]

    run(forward, work, max_wait_s=0)


def test_what_is_too_late_is_given_up_and_not_computed(forward):
    async def work(it):
        forward.go.clear()
        first = asyncio.ensure_future(it.submit(["first"], 10))
        await asyncio.sleep(0.1)
        with pytest.raises(batcher.Expired):
            await it.submit(["late"], 0.1)
        forward.go.set()
        assert await first == [[5.0]]
        assert await it.submit(["next"], 10) == [[4.0]]

    run(forward, work, max_wait_s=0)
    assert forward.batches == [["first"], ["next"]]


def test_a_batch_that_does_not_fit_is_halved(forward):
    forward.fits = 1

    async def work(it):
        assert await it.submit(["a", "bb", "ccc"], 5) == [[1.0], [2.0], [3.0]]

    run(forward, work)
    assert forward.batches == [["a"], ["bb"], ["ccc"]]


def test_one_bad_item_fails_its_own_request_and_no_other_of_its_batch():
    sizes = []

    def forward(texts: list[str]) -> list[list[float]]:
        sizes.append(len(texts))
        if "bad" in texts:
            raise ValueError("bad")
        return [[0.0] for _ in texts]

    async def work(it):
        requests = [["good"], ["good", "bad"], ["good", "good"], ["good"]]
        answers = await asyncio.gather(
            *(it.submit(texts, 5) for texts in requests), return_exceptions=True
        )
        assert isinstance(answers.pop(1), ValueError)
        assert answers == [[[0.0]], [[0.0], [0.0]], [[0.0]]]

    run(forward, work, max_batch=6)
    assert sizes[0] == 6  # they did share a batch


@pytest.mark.parametrize("error", [SystemExit(1), StopIteration()])
def test_whatever_the_model_raises_is_an_error_of_a_request_and_not_the_end(error):
    def forward(texts: list[str]) -> list[list[float]]:
        if "bad" in texts:
            raise error
        return [[0.0] for _ in texts]

    def chore() -> None:
        raise error

    async def work(it):
        answers = await asyncio.gather(
            it.submit(["good"], 5), it.submit(["bad"], 5), return_exceptions=True
        )
        assert answers[0] == [[0.0]]
        assert isinstance(answers[1], RuntimeError)
        with pytest.raises(RuntimeError):
            await it.run(chore)
        assert await it.submit(["good"], 5) == [[0.0]]

    run(forward, work)


def test_an_idle_device_does_not_wait_for_company(forward):
    async def work(it):
        began = time.monotonic()
        for _ in range(20):
            await it.submit(["a"], 5)
        assert time.monotonic() - began < 1

    run(forward, work, max_wait_s=0)


def test_what_gathers_while_the_device_is_busy_shares_its_next_pass(forward):
    async def work(it):
        forward.go.clear()
        first = asyncio.ensure_future(it.submit(["first"], 5))
        await asyncio.sleep(0.1)
        others = [asyncio.ensure_future(it.submit([text], 5)) for text in "abc"]
        await asyncio.sleep(0.1)
        forward.go.set()
        await asyncio.gather(first, *others)

    run(forward, work, max_wait_s=0)
    assert forward.batches == [["first"], ["a", "b", "c"]]


def test_a_model_that_does_not_answer_every_item_is_an_error():
    async def work(it):
        with pytest.raises(RuntimeError, match="0 answers to 1 items"):
            await it.submit(["a"], 5)

    run(lambda _: [], work, max_wait_s=0)


def test_other_work_comes_before_the_next_batch_and_hands_its_error_on(forward):
    seen = []

    def fail() -> None:
        seen.extend(forward.batches)
        raise KeyError

    async def work(it):
        forward.go.clear()
        first = asyncio.ensure_future(it.submit(["first"], 5))
        await asyncio.sleep(0.1)
        second = asyncio.ensure_future(it.submit(["second"], 5))
        other = asyncio.ensure_future(it.run(fail))
        await asyncio.sleep(0.1)
        forward.go.set()
        with pytest.raises(KeyError):
            await other
        await asyncio.gather(first, second)

    run(forward, work, max_wait_s=0)
    assert seen == [["first"]]


def test_stop_refuses_what_still_waits(forward):
    async def work(it):
        forward.go.clear()
        tasks = [asyncio.ensure_future(it.submit([text], 10)) for text in "ab"]
        await asyncio.sleep(0.1)
        await it.stop()
        forward.go.set()
        for task in tasks:
            with pytest.raises(batcher.Overloaded):
                await task

    run(forward, work, max_batch=1, max_wait_s=0)
