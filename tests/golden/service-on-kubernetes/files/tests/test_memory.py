"""Device memory that does not suffice: smaller batches, caps between neighbours, the end."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Sequence

import pytest

from it import (
    batcher,
    config,
    schemas,
    service,
)


class Gpu:
    """A device of so many bytes that processes share."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.held: dict[str, int] = {}
        self.peaks: dict[str, int] = {}
        self._lock = threading.Lock()

    def hold(self, owner: str, size: int, cap: float) -> None:
        """The allocator: no more than the cap, and no more than there is."""
        with self._lock:
            mine = self.held.get(owner, 0) + size
            others = sum(self.held.values()) - self.held.get(owner, 0)
            if mine > cap * self.size or mine + others > self.size:
                raise MemoryError(f"{owner} wants {mine} of {self.size}, others hold {others}")
            self.held[owner] = mine
            self.peaks[owner] = max(self.peaks.get(owner, 0), mine)


@pytest.fixture
def make_model(fake):
    """Models on one GPU, each with its own cap; an instance takes one byte while it is computed."""

    def make(gpu: Gpu, owner: str, cap: float) -> object:
        class Model(type(fake)):
            def predict(self, instances: Sequence[object]) -> list[schemas.Prediction]:
                gpu.hold(owner, len(instances), cap)
                try:
                    time.sleep(0.01)
                    return super().predict(instances)
                finally:
                    gpu.hold(owner, -len(instances), cap)

        return Model()

    return make


SETTINGS = config.Settings(max_batch=64, max_wait_ms=5, queue_size=512, recover_s=0.05)


def serve(
    models: list, work: Callable[..., Awaitable[None]], settings: config.Settings = SETTINGS
) -> None:
    async def inside() -> None:
        services = [service.Service(settings, lambda model=model: model) for model in models]
        for it in services:
            it.start()
        try:
            while not all(it.health.started for it in services):
                await asyncio.sleep(0.01)
            await asyncio.wait_for(work(*services), 30)
        finally:
            for it in services:
                await it.stop()

    asyncio.run(inside())


def metric(it: service.Service, line: str) -> float:
    text = it.metrics.text().decode()
    return float(next(row.split()[1] for row in text.splitlines() if row.startswith(line + " ")))


def test_capped_neighbours_answer_everything_and_stay_below_their_caps(make_model):
    gpu = Gpu(64)
    models = [make_model(gpu, name, 0.5) for name in ("one", "two")]

    async def work(*services):
        asked = [it.predict(["text"] * 64) for it in services for _ in range(4)]
        for rows in await asyncio.gather(*asked):
            assert len(rows) == 64

    serve(models, work)
    assert gpu.peaks == {"one": 32, "two": 32}


def test_without_a_cap_a_greedy_neighbour_takes_what_the_other_needs(make_model):
    gpu = Gpu(64)
    models = [make_model(gpu, "one", 1.0)]

    async def work(it):
        gpu.hold("greedy", 64, 1.0)
        with pytest.raises(service.OutOfMemory):
            await it.predict(["text"])

    serve(models, work)


def test_batches_stay_small_for_a_while_and_grow_again(make_model):
    gpu = Gpu(64)
    model = make_model(gpu, "one", 0.25)

    async def work(it):
        await it.predict(["text"] * 64)
        assert metric(it, "inference_out_of_memory_total") == 3
        assert metric(it, "inference_batch_limit_instances") == 16
        await it.predict(["text"] * 32)
        assert metric(it, "inference_out_of_memory_total") == 3

    serve([model], work, config.Settings(max_batch=64, max_wait_ms=0, recover_s=60))
    assert model.batches == [16] * 6


def test_the_ceiling_doubles_as_time_passes_up_to_what_ever_fitted():
    now = [0.0]
    it = batcher.Ceiling(64, 10, lambda: now[0])
    it.most(48)
    it.lower(8)
    assert it.now() == 8
    found = []
    for now[0] in (9, 10, 20, 30, 40):
        found.append(it.now())
    assert found == [8, 16, 32, 48, 48]
    it.lower(0)
    assert it.now() == 1


def test_one_text_that_does_not_fit_is_only_its_own_trouble(fake):
    async def work(it):
        fake.error = MemoryError()
        with pytest.raises(service.OutOfMemory):
            await it.predict(["huge"])
        assert await it.ready() == ""
        fake.error = None
        assert await it.predict(["small"])

    serve([fake], work)


def test_no_memory_even_for_the_known_text_is_not_ready_until_there_is_some(fake):
    async def work(it):
        fake.error, fake.starved = MemoryError(), True
        with pytest.raises(service.OutOfMemory):
            await it.predict(["text"])
        assert await it.ready() == "out of device memory"
        assert it.live() == ""
        fake.error, fake.starved = None, False
        assert await it.predict(["text"])
        assert await it.ready() == ""

    serve([fake], work)


def test_no_memory_for_too_long_ends_the_process(fake):
    async def work(it):
        fake.error, fake.starved = MemoryError(), True
        for _ in range(3):
            with pytest.raises(service.OutOfMemory):
                await it.predict(["text"])
        assert "not usable" in it.live()
        with pytest.raises(service.NotReady):
            await it.predict(["text"])

    serve([fake], work, config.Settings(oom_limit=3, max_wait_ms=0))


def test_a_batch_that_never_fits_is_found_out_while_warming_up(fake):
    fake.warm_up = lambda max_batch, _: max_batch // 4

    async def work(it):
        await it.predict(["text"] * 64)

    serve([fake], work)
    assert max(fake.batches) == 16


def test_a_warm_up_of_many_passes_is_not_one_that_is_stuck(fake):
    def warm_up(max_batch, worked):
        for _ in range(10):
            time.sleep(0.1)
            worked()
        return max_batch

    fake.warm_up = warm_up

    async def work():
        it = service.Service(config.Settings(stuck_after_s=0.5), lambda: fake)
        it.start()
        said = []
        while not it.health.started:
            said.append(it.live())
            await asyncio.sleep(0.01)
        await it.stop()
        assert set(said) == {""}

    asyncio.run(work())
