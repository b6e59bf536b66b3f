"""States, and what readiness and liveness say about a device that is idle, slow or dead."""

from __future__ import annotations

import asyncio
import threading

import pytest

from it import config, health, service


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_failure_is_final():
    it = health.Health()
    it.fail("broken")
    it.loaded()
    it.drain()
    assert it.state is health.State.FAILED


def test_loading_that_ends_while_draining_does_not_make_it_ready():
    it = health.Health()
    it.drain()
    it.loaded()
    assert it.state is health.State.DRAINING
    assert it.started


def test_only_a_pass_that_ends_well_proves_the_device():
    clock = Clock()
    it = health.Health(clock)
    with it.forward():
        clock.now = 3
        assert it.busy_s() == 3
    clock.now = 5
    assert it.busy_s() == 0
    assert it.unproved_s() == 2
    with pytest.raises(ValueError, match="no"), it.forward():
        raise ValueError("no")
    clock.now = 6
    assert it.unproved_s() == 3


def with_service(fake, settings, work) -> None:
    async def inside() -> None:
        it = service.Service(settings, lambda: fake)
        it.start()
        try:
            while not it.health.started:
                await asyncio.sleep(0.01)
            await asyncio.wait_for(work(it), 20)
        finally:
            await it.stop()

    asyncio.run(inside())


def test_readiness_tries_an_idle_device_and_finds_it_dead(fake):
    async def work(it):
        assert await it.ready() == ""
        fake.broken = True
        await asyncio.sleep(0.1)
        assert "illegal address" in await it.ready()
        assert "illegal address" in it.live()

    with_service(fake, config.Settings(probe_interval_s=0.05), work)


def test_a_device_that_hangs_is_not_ready_and_after_a_while_not_alive(fake):
    release = threading.Event()
    fake.hang = lambda: release.wait(10)

    async def work(it):
        await asyncio.sleep(0.1)
        assert "did not answer" in await it.ready()
        await asyncio.sleep(0.3)
        assert "has taken" in it.live()
        release.set()

    settings = config.Settings(probe_interval_s=0.05, probe_timeout_s=0.1, stuck_after_s=0.2)
    with_service(fake, settings, work)
