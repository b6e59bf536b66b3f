"""The real model: the same answer alone and in company, whole and in pieces, drawn by a seed."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from transformers_llm import backend, config, engines
from transformers_llm.engine import (
    Message,
    Sampling,
    TooLong,
    Unsayable,
)
from transformers_llm.health import Health

DIALOGUES = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data/dialogues.jsonl").read_text().splitlines()
]


@pytest.fixture
def engine(model_dir):
    it = engines.load(config.Settings(model_dir=model_dir, device="cpu"))
    it.start(Health())
    yield it
    it.close()


async def ask(it, question: str, **sampling) -> str:
    prompt = it.tokenizer.chat([Message("user", question)])
    chosen = Sampling(**{"max_tokens": 100, "temperature": 0.0, **sampling})
    tokens = [token async for step in it.generate(prompt, chosen) for token in step.tokens]
    return it.tokenizer.decode(tokens)


def test_it_knows_its_answers_alone_and_in_company(engine):
    async def work():
        alone = [await ask(engine, it["user"]) for it in DIALOGUES]
        assert alone == [it["assistant"] for it in DIALOGUES]
        together = await asyncio.gather(*(ask(engine, it["user"]) for it in DIALOGUES))
        assert together == alone

    asyncio.run(work())


def test_a_seed_draws_the_same_answer_alone_and_in_company(engine):
    async def work():
        drawn = {"temperature": 2.0, "top_p": 0.95, "max_tokens": 20}
        first = await ask(engine, "Hello!", seed=7, **drawn)
        others = [ask(engine, "Hello!", seed=seed, **drawn) for seed in (7, 8, 9, 10)]
        again, *different = await asyncio.gather(*others)
        assert again == first
        assert set(different) != {first}
        # A share so small is only the most probable token.
        narrow = await ask(engine, "Count to ten.", seed=1, temperature=2.0, top_p=1e-9)
        assert narrow == "one two three four five six seven eight nine ten"

    asyncio.run(work())


@pytest.mark.parametrize("temperature", [1e-4, 1e-6, 1e-40, 1e-300])
def test_the_colder_the_more_probable_down_to_the_smallest_number(engine, temperature):
    answer = asyncio.run(ask(engine, "Count to ten.", temperature=temperature))
    assert answer == "one two three four five six seven eight nine ten"


def test_a_prompt_is_read_in_pieces_with_the_same_answer(engine, monkeypatch):
    monkeypatch.setattr(backend, "CHUNK", 3)
    assert asyncio.run(ask(engine, "Count to ten.")).endswith("nine ten")


def test_one_that_steps_back_goes_on_with_the_same_answer(engine, monkeypatch):
    real = backend.Network.step
    passes = []

    def step(self, state):
        passes.append(len(state.tokens))
        if len(passes) in (9, 17):
            raise MemoryError
        return real(self, state)

    monkeypatch.setattr(backend.Network, "step", step)
    monkeypatch.setattr(
        backend.Network, "is_out_of_memory", lambda _, error: isinstance(error, MemoryError)
    )

    async def work():
        asked = [ask(engine, DIALOGUES[i]["user"]) for i in (0, 17, 18)]
        assert await asyncio.gather(*asked) == [DIALOGUES[i]["assistant"] for i in (0, 17, 18)]

    asyncio.run(work())


def test_the_device_is_proved_and_one_that_computes_something_else_is_found_out(
    engine, monkeypatch
):
    asyncio.run(engine.prove())
    monkeypatch.setattr(backend.Network, "prove", lambda *_: -1)
    with pytest.raises(backend.ModelError, match="computes"):
        asyncio.run(engine.prove())


def test_text_goes_there_and_back_and_special_tokens_are_left_out(engine):
    for it in DIALOGUES:
        tokens = engine.tokenizer.encode(it["assistant"])
        assert engine.tokenizer.decode([*tokens, 0]) == it["assistant"]


def test_a_text_that_is_too_long_is_not_read_to_its_end(engine, monkeypatch):
    tokenizer, read = engine.tokenizer, []
    encode = type(tokenizer._tokenizer).encode

    def counted(self, text: str, **more: object) -> list[int]:
        read.append(len(text))
        return encode(self, text, **more)

    monkeypatch.setattr(type(tokenizer._tokenizer), "encode", counted)
    for text in ("Who are you? " * 100_000, "a" * 1_000_000, " " * 1_000_000):
        for ask in (tokenizer.encode, lambda *it: tokenizer.chat([Message("user", it[0])], it[1])):
            read.clear()
            with pytest.raises(TooLong):
                ask(text, 256)
            assert sum(read) < 200_000
    # One that fits is read as if it had not been counted, wherever the pieces end.
    text = "Who are you? " * 10_000
    found = tokenizer.encode(text, 1_000_000)
    assert found == tokenizer.encode(text) == encode(tokenizer._tokenizer, text)
    assert len(tokenizer.encode(text, len(found))) == len(found)
    with pytest.raises(TooLong):
        tokenizer.encode(text, len(found) - 1)


def test_what_cannot_be_said_is_told_from_a_bug(engine, model_dir, tmp_path):
    with pytest.raises(UnicodeError):
        engine.tokenizer.encode("\ud800")
    folder = shutil.copytree(model_dir, tmp_path / "model")
    (folder / "chat_template.jinja").write_text("{{ raise_exception('no system') }}")
    with pytest.raises(Unsayable, match="no system"):
        backend.Tokenizer(folder).chat([Message("system", "Be brief.")])


def test_a_folder_without_a_chat_template_has_a_plain_one(model_dir, tmp_path):
    folder = shutil.copytree(model_dir, tmp_path / "model")
    (folder / "chat_template.jinja").unlink()
    assert backend.Tokenizer(model_dir).has_chat_template
    it = backend.Tokenizer(folder)
    assert not it.has_chat_template
    tokens = it.chat([Message("system", "Be brief."), Message("user", "Hi!")])
    assert it.decode(tokens) == "system: Be brief.\nuser: Hi!\nassistant:"


def test_what_the_makers_of_a_model_advise_is_the_default(model_dir, tmp_path):
    assert backend.advice(model_dir) == (1.0, 1.0)
    (tmp_path / "generation_config.json").write_text('{"temperature": 0.6, "top_p": 0.8}')
    assert backend.advice(tmp_path) == (0.6, 0.8)
    assert backend.advice(tmp_path / "none") == (1.0, 1.0)


def test_a_folder_without_a_model_and_a_strange_precision_are_refused(model_dir, tmp_path):
    with pytest.raises(backend.ModelError, match="make model"):
        engines.load(config.Settings(model_dir=tmp_path, device="cpu"))
    with pytest.raises(backend.ModelError, match="float8"):
        engines.load(config.Settings(model_dir=model_dir, device="cpu", precision="float8"))
