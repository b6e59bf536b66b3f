"""What vLLM is asked and how its answers are taken, by a stand-in with the signatures of its API.

The real one needs a GPU: tests/gpu asks it.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from dataclasses import dataclass, field
from enum import Enum
from types import ModuleType, SimpleNamespace

import pytest

from transformers_llm import config, devices
from transformers_llm.engine import Message, Sampling
from transformers_llm.health import Health


class RequestOutputKind(Enum):
    CUMULATIVE = 0
    DELTA = 1
    FINAL_ONLY = 2


@dataclass
class SamplingParams:
    """The fields of vllm.SamplingParams that are set here."""

    max_tokens: int | None = 16
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int | None = None
    detokenize: bool = True
    output_kind: RequestOutputKind = RequestOutputKind.CUMULATIVE


@dataclass
class AsyncEngineArgs:
    """The fields of vllm.AsyncEngineArgs that are set here."""

    model: str
    dtype: str = "auto"
    gpu_memory_utilization: float = 0.9
    max_num_seqs: int | None = None
    tensor_parallel_size: int = 1


@dataclass
class AsyncLLMEngine:
    """vllm.AsyncLLMEngine: answers with the bytes of `says`, three at a time."""

    args: AsyncEngineArgs
    says: list[int] = field(default_factory=lambda: [10, 11, 12, 13, 14, 0])
    finish: str = "stop"
    asked: list[tuple[dict, SamplingParams, str]] = field(default_factory=list)
    aborted: int = 0
    dead: bool = False
    closed: bool = False

    @classmethod
    def from_engine_args(cls, engine_args: AsyncEngineArgs) -> AsyncLLMEngine:
        return cls(engine_args)

    @property
    def model_config(self):
        return SimpleNamespace(max_model_len=256, get_vocab_size=lambda: 512)

    async def generate(self, prompt, sampling_params, request_id):
        self.asked.append((prompt, sampling_params, request_id))
        try:
            for i in range(0, len(self.says), 3):
                await asyncio.sleep(0)
                last = i + 3 >= len(self.says)
                tokens = tuple(self.says[i : i + 3])
                output = SimpleNamespace(
                    token_ids=tokens, finish_reason=self.finish if last else None
                )
                yield SimpleNamespace(outputs=[output], finished=last)
        except (asyncio.CancelledError, GeneratorExit):
            self.aborted += 1
            raise

    async def check_health(self) -> None:
        if self.dead:
            raise RuntimeError("EngineDeadError")

    def shutdown(self, timeout: float | None = None) -> None:  # noqa: ARG002
        self.closed = True


@pytest.fixture
def vllm_engine(monkeypatch):
    """The module, with a stand-in for vLLM."""
    vllm = ModuleType("vllm")
    sampling = ModuleType("vllm.sampling_params")
    for it in (AsyncEngineArgs, AsyncLLMEngine, SamplingParams):
        setattr(vllm, it.__name__, it)
    vllm.__version__ = "0"
    sampling.RequestOutputKind = RequestOutputKind
    monkeypatch.setitem(sys.modules, "vllm", vllm)
    monkeypatch.setitem(sys.modules, "vllm.sampling_params", sampling)
    name = f"{devices.__package__}.vllm_engine"
    monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module(name)
    sys.modules.pop(name, None)


@pytest.fixture
def engine(vllm_engine, model_dir):
    settings = config.Settings(
        model_dir=model_dir, max_running=7, vllm_args='{"tensor_parallel_size": 2}'
    )
    it = vllm_engine.VllmEngine(settings, "cuda:0")
    it.start(Health())
    return it


def test_settings_reach_vllm(engine, model_dir):
    assert engine._engine.args == AsyncEngineArgs(
        model=str(model_dir),
        dtype="auto",
        gpu_memory_utilization=0.9,
        max_num_seqs=7,
        tensor_parallel_size=2,
    )
    assert (engine.context, engine.vocabulary, engine.max_running) == (256, 512, 7)


def test_tokens_go_there_and_come_back_as_they_are_drawn(engine):
    async def work():
        prompt = engine.tokenizer.chat([Message("user", "Hi!")])
        steps = [step async for step in engine.generate(prompt, Sampling(9, 0.5, 0.8, 3))]
        assert [(list(step.tokens), step.finish) for step in steps] == [
            ([10, 11, 12], None),
            ([13, 14, 0], "stop"),
        ]
        asked, params, _ = engine._engine.asked[0]
        assert asked == {"prompt_token_ids": prompt}
        # No text and no stop strings: those are made here.
        assert params == SamplingParams(9, 0.5, 0.8, 3, False, RequestOutputKind.DELTA)
        await engine.prove()
        assert len({identity for _, _, identity in engine._engine.asked}) == 2

    asyncio.run(work())
    assert engine._health.busy_s() == 0
    assert engine._health.unproved_s() < 60


def test_a_request_that_is_given_up_is_aborted(engine):
    async def work():
        answer = engine.generate([1], Sampling(9))
        await anext(answer)
        assert engine._health.busy_s() > 0
        await answer.aclose()
        assert engine._engine.aborted == 1
        assert engine._health.busy_s() == 0

    asyncio.run(work())


def test_a_dead_engine_and_one_that_gives_up_are_errors(engine):
    async def work():
        engine._engine.finish = "abort"
        with pytest.raises(RuntimeError, match="abort"):
            await engine.prove()
        engine._engine.dead = True
        with pytest.raises(RuntimeError, match="EngineDead"):
            await engine.prove()

    asyncio.run(work())
    engine.close()
    assert engine._engine.closed


def test_another_gpu_is_named_by_the_environment(vllm_engine, model_dir):
    with pytest.raises(devices.DeviceError, match="CUDA_VISIBLE_DEVICES"):
        vllm_engine.VllmEngine(config.Settings(model_dir=model_dir), "cuda:1")
