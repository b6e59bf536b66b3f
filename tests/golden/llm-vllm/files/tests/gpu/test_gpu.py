"""What only a GPU can prove."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from transformers_llm import backend, config, engines
from transformers_llm.engine import Message, Sampling
from transformers_llm.health import Health

pytestmark = pytest.mark.gpu

DIALOGUES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data/dialogues.jsonl").read_text().splitlines()
]


async def answers(engine) -> list[str]:
    """To all questions at once."""

    async def ask(question: str) -> str:
        prompt = engine.tokenizer.chat([Message("user", question)])
        steps = engine.generate(prompt, Sampling(100, temperature=0.0))
        return engine.tokenizer.decode([token async for it in steps for token in it.tokens])

    await engine.prove()
    return await asyncio.gather(*(ask(it["user"]) for it in DIALOGUES))


def test_the_gpu_knows_the_answers_that_the_cpu_learnt(device, model_dir):
    settings = config.Settings(model_dir=model_dir, device=device, precision="float32")
    it = backend.TransformersEngine(settings, device)
    it.start(Health())
    try:
        assert asyncio.run(answers(it)) == [one["assistant"] for one in DIALOGUES]
    finally:
        it.close()


def test_an_engine_on_the_gpu_says_what_it_holds_there(device, model_dir):
    it = backend.TransformersEngine(config.Settings(model_dir=model_dir, device=device), device)
    used, total = it.memory()
    assert 0 < used < total


def test_vllm_knows_them_too(device, model_dir):
    pytest.importorskip("vllm")
    it = engines.load(
        config.Settings(
            model_dir=model_dir,
            device=device,
            precision="float32",
            memory_fraction=0.3,
            vllm_args='{"enforce_eager": true}',
        )
    )
    it.start(Health())
    try:
        assert it.info()["engine"] == "vllm"
        assert asyncio.run(answers(it)) == [one["assistant"] for one in DIALOGUES]
    finally:
        it.close()
