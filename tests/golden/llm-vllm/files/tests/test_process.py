"""The real thing: a process, the tiny model, OpenAI's own client, signals."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import openai
import pytest
from running import COMMAND, Process, started

MODEL = "transformers-llm"
CAPITAL = [{"role": "user", "content": "What is the capital of France?"}]
TWENTY = [{"role": "user", "content": "Count to twenty."}]
# A token takes 50 ms.
SLOW = """
import time
from transformers_llm import backend
step = backend.Network.step
def slow(self, state):
    time.sleep(0.05)
    return step(self, state)
backend.Network.step = slow
"""
# A model that takes its time to load.
STUCK = """
import time
from transformers_llm import engines
engines.load = lambda _: time.sleep(600)
"""


def client_of(it: Process) -> openai.OpenAI:
    return openai.OpenAI(
        base_url=f"http://127.0.0.1:{it.port}/v1", api_key="none", max_retries=0, timeout=60
    )


@pytest.fixture(scope="module")
def served(model_dir) -> Iterator[tuple[Process, openai.OpenAI]]:
    with started(model_dir) as it:
        it.wait("/readyz")
        yield it, client_of(it)


def test_openai_s_client_is_answered_whole_and_in_a_stream(served):
    _, client = served
    assert [model.id for model in client.models.list()] == [MODEL]
    asked = {"model": MODEL, "messages": CAPITAL, "temperature": 0}
    whole = client.chat.completions.create(**asked)
    assert whole.choices[0].message.content == "The capital of France is Paris."
    assert whole.choices[0].finish_reason == "stop"
    options = {"include_usage": True}
    chunks = list(client.chat.completions.create(**asked, stream=True, stream_options=options))
    said = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(said) == whole.choices[0].message.content
    assert len(said) > 5
    assert chunks[-1].usage == whole.usage
    with client.chat.completions.stream(**asked) as stream:
        assert stream.get_final_completion().choices[0].message.content == "".join(said)


def test_characters_and_stop_strings_that_are_spread_over_tokens(served):
    _, client = served
    prompt = "<|user|>Draw me some faces.<|end|><|assistant|>"
    asked = {"model": MODEL, "prompt": prompt, "temperature": 0, "max_tokens": 50}
    chunks = list(client.completions.create(**asked, stream=True))
    assert "".join(chunk.choices[0].text for chunk in chunks) == "Here you are: 😀 😎 🤖 👋"
    assert all("\ufffd" not in chunk.choices[0].text for chunk in chunks)
    for stop, expected in (("😎", "Here you are: 😀 "), ("re you are: 😀", "He")):
        choice = client.completions.create(**asked, stop=stop).choices[0]
        assert (choice.text, choice.finish_reason) == (expected, "stop")
        chunks = list(client.completions.create(**asked, stop=[stop], stream=True))
        assert "".join(chunk.choices[0].text for chunk in chunks) == expected


def test_a_seed_draws_the_same_again(served):
    _, client = served

    def draw(seed: int) -> str:
        answer = client.chat.completions.create(
            model=MODEL, messages=CAPITAL, seed=seed, temperature=2, max_tokens=20
        )
        return answer.choices[0].message.content

    assert draw(1) == draw(1)
    assert len({draw(seed) for seed in range(5)}) > 1


def test_openai_s_client_knows_our_errors(served):
    _, client = served
    asked = {"model": MODEL, "messages": CAPITAL}
    with pytest.raises(openai.NotFoundError) as error:
        client.chat.completions.create(**{**asked, "model": "gpt-7"})
    assert error.value.code == "model_not_found"
    with pytest.raises(openai.BadRequestError) as error:
        client.chat.completions.create(**asked, max_tokens=1000)
    assert error.value.code == "context_length_exceeded"
    with pytest.raises(openai.BadRequestError) as error:
        client.chat.completions.create(**asked, n=2)
    assert error.value.param == "n"


@pytest.mark.parametrize("stream", [True, False])
def test_whoever_hangs_up_is_not_gone_on_with(model_dir, stream):
    with started(model_dir, SLOW) as it:
        it.wait("/readyz")
        client = client_of(it)
        asked = {"model": MODEL, "messages": TWENTY, "temperature": 0}
        if stream:
            with client.chat.completions.create(**asked, stream=True) as answer:
                next(iter(answer))
        else:
            line = HTTPConnection("127.0.0.1", it.port)
            kind = {"Content-Type": "application/json"}
            line.request("POST", "/v1/chat/completions", json.dumps(asked), kind)
            it.wait("/metrics", text="inference_requests_running 1.0")
            while not it.metric("inference_answer_tokens_total"):
                assert it.metric("inference_requests_running")
            line.close()
        it.wait("/metrics", text="inference_requests_running 0.0")
        said = it.metric("inference_answer_tokens_total")
        assert 0 < said < 20
        time.sleep(0.3)
        assert it.metric("inference_answer_tokens_total") == said


def test_sigterm_drains_and_a_stream_in_flight_is_said_to_its_end(model_dir):
    with started(model_dir, SLOW, SERVE_DRAIN_DELAY_S="0.5") as it:
        it.wait("/readyz")
        said: list[str] = []

        def listen() -> None:
            asked = {"model": MODEL, "messages": TWENTY, "temperature": 0, "stream": True}
            for chunk in client_of(it).chat.completions.create(**asked):
                said.append(chunk.choices[0].delta.content or "")

        listener = threading.Thread(target=listen)
        listener.start()
        it.wait("/metrics", text="inference_requests_running 1.0")
        it.process.send_signal(signal.SIGTERM)
        it.wait("/readyz", status=503, text="draining")
        it.wait("/livez", status=0)
        assert "twenty" not in "".join(said)
        listener.join()
        assert "".join(said).endswith("nineteen twenty")
        assert it.end()[0] == 0


def test_sigterm_while_the_model_is_loaded_does_not_wait_for_it(model_dir):
    with started(model_dir, STUCK, SERVE_DRAIN_DELAY_S="0.1") as it:
        it.wait("/livez")
        it.process.send_signal(signal.SIGTERM)
        assert it.end()[0] == 0


def test_overload_is_refused_and_what_is_taken_is_answered(model_dir):
    settings = {"SERVE_MAX_RUNNING": "2", "SERVE_QUEUE_SIZE": "2", "SERVE_LOG_LEVEL": "ERROR"}
    with started(model_dir, SLOW, SERVE_API_KEYS="secret", **settings) as it:
        it.wait("/readyz")
        words = ("--key", "secret", "--clients", "8")
        load = it.load(*words, "--seconds", "3", "--warmup", "0.2", "--tokens", "3")
        found = json.loads(load.communicate(timeout=120)[0])
        assert set(found["statuses"]) == {"200", "503"}
        assert found["tokens_per_second"] > 1
        assert found["first_token_p50_ms"] > 40
        assert it.ask("/livez")[0] == 200


def body(**more: object) -> bytes:
    return json.dumps({"model": MODEL, "max_tokens": 1, **more}).encode()


def said(content: object, count: int = 1) -> list[dict[str, object]]:
    return [{"role": "user", "content": content}] * count


CHAT, COMPLETION = "/v1/chat/completions", "/v1/completions"
PARTS = [{"type": "text", "text": "x"}]
# The most that the limits let through, and what is stopped by them: up to four megabytes each.
HOSTILE = {
    "a text of megabytes": (CHAT, body(messages=said("Who are you? " * 290_000))),
    "a word of megabytes": (COMPLETION, body(prompt="a" * 3_900_000)),
    "many messages": (CHAT, body(messages=said("x", 16_000))),
    "as many messages as may be": (CHAT, body(messages=said("x", 1024))),
    "many parts": (CHAT, body(messages=said(PARTS * 16_000))),
    "many tokens": (COMPLETION, body(prompt=[1] * 49_000)),
    "many values": (COMPLETION, body(prompt=[1] * 900_000)),
    "many fields": (COMPLETION, body(prompt="x", **{f"x{i}": 0 for i in range(49_000)})),
    "much about the client": (COMPLETION, body(prompt="", metadata=[[[]]] * 15_000)),
    "a field of megabytes": (COMPLETION, body(prompt="x", tools="\u20ac" * 600_000)),
    "a stop of megabytes": (COMPLETION, body(prompt="", stop=["a" * 900_000] * 4)),
}


def cpu_seconds(process: int) -> float:
    """What the event loop's thread has computed: however busy others keep the machine."""
    text = Path(f"/proc/{process}/task/{process}/schedstat").read_text()
    return int(text.split()[0]) / 1e9


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_request_is_refused_soon_and_holds_nobody_up(served, name):
    it, _ = served
    path, text = HOSTILE[name]
    for _ in range(2):  # the first of a kind may find something to be set up
        before, began = cpu_seconds(it.process.pid), time.monotonic()
        connection = HTTPConnection("127.0.0.1", it.port, timeout=30)
        connection.request("POST", path, text)
        answer = connection.getresponse()
        assert len(answer.read()) < 2000
        connection.close()
        took = cpu_seconds(it.process.pid) - before
    assert answer.status in (400, 413)
    assert took < 0.1
    assert time.monotonic() - began < 5
    assert it.ask("/livez")[0] == 200


def test_it_is_alive_before_it_is_ready_and_healthcheck_says_so(model_dir):
    with started(model_dir) as it:
        it.wait("/livez")
        check = [*COMMAND, "healthcheck"]
        assert subprocess.run(check, env=it.environment, check=False).returncode == 0
        it.process.kill()
        it.process.wait()
        assert subprocess.run(check, env=it.environment, check=False).returncode == 1


def test_without_a_model_the_process_ends_and_says_why(tmp_path):
    with started(tmp_path) as it:
        status, log = it.end()
        assert status == 1
        lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
        assert any("make model" in line["message"] for line in lines)


def test_a_setting_that_does_not_exist_is_wrong_usage(model_dir):
    with started(model_dir, SERVE_PROT="80") as it:
        status, log = it.end()
        assert (status, log) == (2, "error: no such setting: SERVE_PROT\n")
