"""Many requests on one device: turns, company, memory, ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest

from transformers_llm.engine import Sampling
from transformers_llm.health import Health
from transformers_llm.scheduler import Scheduler

END = 9
# Prompts that fail, and how: the second is the end of all but what is ready for it.
BAD = {666: ValueError("this prompt"), 667: SystemExit(1)}


class Counting:
    """A model that counts on from the last token of its prompt; room for so many at once."""

    def __init__(self, room: int = 100) -> None:
        self.stops = frozenset({END})
        self.room = room
        self.held: set[int] = set()
        self.passes: list[int] = []
        self.rewound = 0
        self.go = threading.Event()
        self.go.set()

    def begin(self, prompt, sampling):  # noqa: ARG002
        return {"name": prompt[0], "tokens": list(prompt), "read": False}

    def step(self, state):
        self.go.wait(10)
        name = state["name"]
        if name in BAD:
            raise BAD[name]
        if name not in self.held and len(self.held) >= self.room:
            raise MemoryError
        self.held.add(name)
        self.passes.append(name)
        if not state["read"]:
            state["read"] = True
            return None
        state["tokens"].append(state["tokens"][-1] + 1)
        if state["tokens"][-1] == END:
            self.held.discard(name)
        return state["tokens"][-1]

    def rewind(self, state) -> None:
        self.held.discard(state["name"])
        state["read"] = False
        self.rewound += 1

    def is_out_of_memory(self, error) -> bool:
        return isinstance(error, MemoryError)


async def ask(it: Scheduler, name: int, last: int = 0, most: int = 50) -> list[int]:
    return [step.tokens[0] async for step in it.generate([name, last], Sampling(most))]


def run(work: Callable[[Scheduler], Awaitable[None]], network: Counting, most: int = 3) -> None:
    async def inside() -> None:
        it = Scheduler(network, most, Health())
        try:
            await asyncio.wait_for(work(it), 20)
        finally:
            it.close()

    asyncio.run(inside())


def test_an_answer_ends_with_its_stop_token_or_its_length():
    async def work(it):
        steps = [step async for step in it.generate([100, 6], Sampling(50))]
        assert [(step.tokens, step.finish) for step in steps] == [
            ([7], None), ([8], None), ([9], "stop"),
        ]  # fmt: skip
        steps = [step async for step in it.generate([100, 0], Sampling(2))]
        assert steps[-1].finish == "length"

    run(work, Counting())


def test_running_requests_take_turns_and_no_more_run_than_may():
    network = Counting()

    async def work(it):
        network.go.clear()
        asked = [asyncio.ensure_future(ask(it, name)) for name in (1, 2, 3, 4)]
        await asyncio.sleep(0.1)
        network.go.set()
        assert await asyncio.gather(*asked) == [list(range(1, 10))] * 4

    run(work, network)
    # Whoever was there first has begun alone; then three take turns, and the fourth comes last.
    assert sorted(network.passes[2:5]) == [1, 2, 3]
    assert set(network.passes[:20]) == {1, 2, 3}


@pytest.mark.parametrize(("name", "told"), [(666, ValueError), (667, RuntimeError)])
def test_one_that_fails_is_alone_in_it(name, told):
    async def work(it):
        good, bad = ask(it, 1), ask(it, name)
        answers = await asyncio.gather(good, bad, return_exceptions=True)
        assert answers[0] == list(range(1, 10))
        assert isinstance(answers[1], told)
        assert await ask(it, 1) == list(range(1, 10))

    run(work, Counting())


def test_what_does_not_fit_waits_and_goes_on_where_it_was():
    network = Counting(room=2)

    async def work(it):
        answers = await asyncio.gather(*(ask(it, name) for name in range(6)))
        assert answers == [list(range(1, 10))] * 6

    run(work, network, most=6)
    assert network.rewound > 0


def test_there_is_room_again_when_those_who_run_are_given_up():
    network = Counting(room=1)

    async def work(it):
        answers = [it.generate([name, 0], Sampling(1_000_000)) for name in range(3)]
        network.stops = frozenset()
        first = [asyncio.ensure_future(anext(answer)) for answer in answers]
        await asyncio.sleep(0.05)
        assert it._most < 3
        # As a stop string ends them, or a client that hangs up.
        network.room = 100
        for answer, begun in zip(answers, first, strict=True):
            await begun
            await answer.aclose()
        await asyncio.sleep(0.05)
        assert it._most == 3

    run(work, network)


def test_what_does_not_fit_alone_is_an_error():
    async def work(it):
        with pytest.raises(MemoryError):
            await ask(it, 1)

    run(work, Counting(room=0))


def test_a_request_that_is_given_up_is_not_gone_on_with():
    network = Counting()

    async def work(it):
        network.stops = frozenset()
        answer = it.generate([1, 0], Sampling(1_000_000))
        await anext(answer)
        await answer.aclose()
        await asyncio.sleep(0.05)
        passes = len(network.passes)
        await asyncio.sleep(0.05)
        assert len(network.passes) == passes

    run(work, network)


def test_who_gives_up_while_waiting_leaves_nothing_behind():
    network = Counting()

    async def work(it):
        network.go.clear()
        running = asyncio.ensure_future(ask(it, 1))
        await asyncio.sleep(0.05)
        impatient = [asyncio.ensure_future(ask(it, name)) for name in range(2, 102)]
        await asyncio.sleep(0.05)
        for task in impatient:
            task.cancel()
        await asyncio.wait(impatient)
        # However long it takes until there is room for them.
        assert len(it._waiting) == 0
        network.go.set()
        assert await running == list(range(1, 10))

    run(work, network, most=1)
    assert set(network.passes) == {1}


def test_other_work_is_done_between_passes_and_its_errors_are_its_own():
    async def work(it):
        done = []
        await asyncio.gather(ask(it, 1), it.run(lambda: done.append(threading.current_thread())))
        assert done[0].name == "device"

        def fail() -> None:
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            await it.run(fail)
        assert await ask(it, 1) == list(range(1, 10))

    run(work, Counting())
