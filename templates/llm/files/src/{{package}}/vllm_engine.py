"""vLLM as the engine: its `AsyncLLM`, in a process of its own, does the batching.

It is given tokens and gives tokens back. Templates, stop strings and text are ours, so that an
answer is written in the same way whichever engine drew it. No other file imports vLLM.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path

import vllm
from vllm import AsyncEngineArgs, AsyncLLMEngine, SamplingParams
from vllm.sampling_params import RequestOutputKind

from . import backend, devices
from .config import Settings
from .engine import Sampling, Step
from .files import ModelError
from .health import Health

MAX_RUNNING = 256


class VllmEngine:
    """A model that vLLM serves; what else it shall be told is in SERVE_VLLM_ARGS, as JSON."""

    def __init__(self, settings: Settings, device: str) -> None:
        if device not in ("cpu", "cuda:0"):
            raise devices.DeviceError(
                f"vLLM takes the first GPU that it sees, not {device}: set CUDA_VISIBLE_DEVICES"
            )
        folder = Path(settings.model_dir)
        self.tokenizer = backend.Tokenizer(folder)
        self.temperature, self.top_p = backend.advice(folder)
        self.max_running = settings.max_running or MAX_RUNNING
        self._device = device
        self._health = Health()
        self._active = 0
        arguments = {
            "model": str(folder),
            "dtype": settings.precision,
            "gpu_memory_utilization": settings.memory_fraction,
            "max_num_seqs": self.max_running,
            **json.loads(settings.vllm_args),
        }
        self._engine = AsyncLLMEngine.from_engine_args(AsyncEngineArgs(**arguments))
        self.context = int(self._engine.model_config.max_model_len)
        self.vocabulary = int(self._engine.model_config.get_vocab_size())
        self._probe = self.tokenizer.encode(backend.PROBE)

    def start(self, health: Health) -> None:
        """Begins to tell `health` what the device does."""
        self._health = health

    async def generate(self, prompt: Sequence[int], sampling: Sampling) -> AsyncGenerator[Step]:
        """The answer as it comes; closing the generator makes vLLM give the request up."""
        params = SamplingParams(
            max_tokens=sampling.max_tokens,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            seed=sampling.seed,
            detokenize=False,
            output_kind=RequestOutputKind.DELTA,
        )
        outputs = self._engine.generate(
            {"prompt_token_ids": list(prompt)}, params, uuid.uuid4().hex
        )
        self._active += 1
        self._health.began()
        try:
            async with aclosing(outputs):
                async for output in outputs:
                    self._health.worked()
                    answer = output.outputs[0]
                    if answer.finish_reason not in (None, "stop", "length"):
                        raise RuntimeError(f"vLLM gave the request up: {answer.finish_reason}")
                    yield Step(list(answer.token_ids), answer.finish_reason)
        finally:
            self._active -= 1
            if self._active == 0:
                self._health.idle()

    async def prove(self) -> None:
        """Raises unless vLLM is alive and says a token."""
        await self._engine.check_health()
        said = [step async for step in self.generate(self._probe, Sampling(1, temperature=0))]
        if not any(step.tokens for step in said):
            raise ModelError(f"{self._device} says nothing")

    def close(self) -> None:
        """Ends vLLM's processes."""
        self._engine.shutdown()

    def info(self) -> dict[str, str]:
        """What runs where, for logs and metrics."""
        return {"device": self._device, "engine": "vllm", "vllm": vllm.__version__}

    def memory(self) -> tuple[int, int]:
        """Nothing: another process holds it, and the driver's own numbers tell of that."""
        return 0, 0

    def is_out_of_memory(self, error: BaseException) -> bool:  # noqa: ARG002
        """Never: vLLM takes its memory at the start, and lets requests wait for theirs."""
        return False
