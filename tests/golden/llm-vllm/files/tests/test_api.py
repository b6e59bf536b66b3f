"""The HTTP surface, with an engine that needs no framework."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi.testclient import TestClient

from transformers_llm import (
    app,
    config,
    engine,
    errors,
    middleware,
    service,
)

MODEL = "transformers-llm"
SETTINGS = config.Settings(max_tokens=80, max_body_bytes=2000, queue_size=1)
MESSAGES = [{"role": "user", "content": "Hi!"}]
CHAT, COMPLETION = "/v1/chat/completions", "/v1/completions"


class Failures:
    count = 0

    def __call__(self) -> None:
        self.count += 1


@pytest.fixture
def failures() -> Failures:
    return Failures()


def serve(fake, settings=SETTINGS, on_failure=lambda: None) -> TestClient:
    it = service.Service(settings, lambda: fake, on_failure)
    return TestClient(app.create_app(it), raise_server_exceptions=False)


@pytest.fixture
def client(fake, failures) -> Iterator[TestClient]:
    with serve(fake, on_failure=failures) as client:
        wait_for(client, "/startupz", 200)
        yield client


def wait_for(client: TestClient, path: str, status: int, text: str = "") -> None:
    for _ in range(500):
        answer = client.get(path)
        if answer.status_code == status and text in answer.text:
            return
        time.sleep(0.01)
    pytest.fail(f"{path} is not {status} {text} after five seconds")


def chat(client: TestClient, **more):
    return client.post(CHAT, json={"model": MODEL, "messages": MESSAGES, **more})


def complete(client: TestClient, **more):
    return client.post(COMPLETION, json={"model": MODEL, "prompt": "Hi!", **more})


def events(answer) -> list[dict]:
    """What a stream says, up to its end."""
    assert answer.headers["content-type"].startswith("text/event-stream")
    lines = [line for line in answer.text.split("\n\n") if line]
    assert all(line.startswith("data: ") for line in lines)
    assert lines[-1] == "data: [DONE]"
    return [json.loads(line[6:]) for line in lines[:-1]]


def test_a_chat_is_answered_whole(client, fake):
    answer = chat(client)
    assert answer.status_code == 200
    body = answer.json()
    assert body.pop("id").startswith("chatcmpl-")
    assert abs(body.pop("created") - time.time()) < 60
    message = {"role": "assistant", "content": "Hello, world!", "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": 14, "total_tokens": 24}
    assert body == {
        "object": "chat.completion", "model": MODEL, "choices": [choice], "usage": usage,
    }  # fmt: skip
    assert bytes(fake.asked[0][0]) == b"user: Hi!\n"


def test_a_completion_is_answered_whole(client, fake):
    body = complete(client).json()
    assert body["id"].startswith("cmpl-")
    assert body["object"] == "text_completion"
    choice = {"index": 0, "text": "Hello, world!", "logprobs": None, "finish_reason": "stop"}
    assert body["choices"] == [choice]
    assert bytes(fake.asked[0][0]) == b"Hi!"
    assert fake.asked[0][1].max_tokens == 16
    assert complete(client, max_tokens=5).json()["choices"][0] == {
        "index": 0, "text": "Hello", "logprobs": None, "finish_reason": "length",
    }  # fmt: skip


@pytest.mark.parametrize("prompt", ["Hi!", ["Hi!"], list(b"Hi!"), [list(b"Hi!")]])
def test_a_prompt_is_a_text_or_its_tokens(client, fake, prompt):
    assert complete(client, prompt=prompt).status_code == 200
    assert bytes(fake.asked[0][0]) == b"Hi!"


def test_a_stream_says_the_same_as_the_whole(client, fake):
    fake.says = "Grüß Gott, 日本 😀!"
    for ask, text in (
        (chat, lambda choice: choice["delta"].get("content", "")),
        (complete, lambda choice: choice["text"]),
    ):
        whole = ask(client, max_tokens=50).json()
        found = events(ask(client, max_tokens=50, stream=True))
        assert len({(it["id"], it["created"], it["model"]) for it in found}) == 1
        choices = [it["choices"][0] for it in found]
        said = whole["choices"][0]
        expected = said["message"]["content"] if ask is chat else said["text"]
        assert "".join(text(choice) for choice in choices) == expected == fake.says
        assert len(choices) > 10
        reasons = [choice["finish_reason"] for choice in choices]
        assert reasons == [None] * (len(choices) - 1) + ["stop"]
        assert all("usage" not in it for it in found)
    roles = [choice["delta"] for choice in choices if "delta" in choice]
    assert roles == []


def test_a_stream_of_a_chat_begins_with_its_role_and_tells_usage_when_asked(client):
    found = events(chat(client, stream=True, stream_options={"include_usage": True}))
    assert found[0]["object"] == "chat.completion.chunk"
    assert found[0]["choices"][0]["delta"] == {"role": "assistant", "content": "", "refusal": None}
    assert all(it["usage"] is None for it in found[:-1])
    assert found[-1]["choices"] == []
    assert found[-1]["usage"] == chat(client).json()["usage"]


def test_a_stop_string_ends_an_answer_and_the_work_on_it(client, fake):
    for stop in ("wor", ["x", "wor"]):
        fake.said = 0
        choice = chat(client, stop=stop).json()["choices"][0]
        assert (choice["message"]["content"], choice["finish_reason"]) == ("Hello, ", "stop")
        found = events(chat(client, stop=stop, stream=True))
        text = "".join(it["choices"][0]["delta"].get("content", "") for it in found)
        assert text == "Hello, "
        assert fake.said == 2 * len("Hello, wor")
    assert fake.running == 0


def test_what_a_request_asks_for_reaches_the_engine_and_the_rest_is_advised(client, fake):
    chat(client, temperature=0, top_p=0.1, seed=-3, max_completion_tokens=7)
    chat(client, max_tokens=7)
    chat(client)
    sampled = [dataclasses.astuple(sampling) for _, sampling in fake.asked]
    assert sampled == [(7, 0.0, 0.1, -3), (7, 0.5, 0.9, None), (80, 0.5, 0.9, None)]


def test_messages_may_come_in_parts_and_a_developer_is_the_system(client, fake):
    parts = [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]
    messages = [{"role": "developer", "content": "x"}, {"role": "user", "content": parts}]
    assert chat(client, messages=messages).status_code == 200
    assert bytes(fake.asked[0][0]) == b"system: x\nuser: one two\n"


@pytest.mark.parametrize(
    ("more", "param", "code"),
    [
        ({"n": 2}, "n", "unsupported_value"),
        ({"logprobs": True}, "logprobs", "unsupported_value"),
        ({"top_logprobs": 3}, "top_logprobs", "unsupported_value"),
        ({"tools": [{"type": "function"}]}, "tools", "unsupported_value"),
        ({"response_format": {"type": "json_object"}}, "response_format", "unsupported_value"),
        ({"presence_penalty": 0.5}, "presence_penalty", "unsupported_value"),
        ({"heat": 0.5}, "heat", "unknown_parameter"),
        ({"x" * 1500: 0.5}, "x" * 64, "unknown_parameter"),
        ({"max_tokens": 91}, "messages", "context_length_exceeded"),
        ({"max_tokens": 81}, "max_tokens", "invalid_value"),
        ({"max_tokens": 0}, "max_tokens", "invalid_value"),
        ({"temperature": 3}, "temperature", "invalid_value"),
        ({"top_p": 0}, "top_p", "invalid_value"),
        ({"stop": ["a"] * 5}, "stop", "invalid_value"),
        ({"stop": ""}, "stop", "invalid_value"),
        ({"messages": []}, "messages", "invalid_value"),
        ({"messages": [0] * 300}, "messages", "invalid_value"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages", "invalid_value"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages",
         "invalid_value"),
        ({"messages": [{"role": "user", "content": "\ud800"}]}, None, "invalid_value"),
        ({"messages": [{"role": "user", "content": "x" * 100}]}, "messages",
         "context_length_exceeded"),
        ({"stream_options": {"include_usage": True}}, "stream_options", "invalid_value"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_request_is_said_as_openai_says_it(client, fake, more, param, code):
    body = json.dumps({"model": MODEL, "messages": MESSAGES, **more})
    answer = client.post(CHAT, content=body)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["type"], error["param"], error["code"]) == ("invalid_request_error", param, code)
    assert error["message"]
    assert len(answer.content) < 1000
    assert fake.asked == []


@pytest.mark.parametrize(
    "more",
    [
        {"n": 1, "logprobs": False, "presence_penalty": 0, "frequency_penalty": 0.0, "tools": []},
        {"response_format": {"type": "text"}, "logit_bias": None, "tool_choice": "auto"},
        {"user": "me", "metadata": {"a": "b"}, "store": False, "service_tier": "auto"},
    ],
)
def test_what_changes_nothing_may_be_asked_for(client, more):
    assert chat(client, **more).status_code == 200


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'{"model": NaN}', b'{"messages": Infinity}', b"\xff", b'{"model": 1}'],
)
def test_a_body_that_is_no_request_is_a_mistake_of_the_client(client, body):
    for path in (CHAT, COMPLETION):
        answer = client.post(path, content=body)
        assert answer.status_code == 400
        assert answer.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("prompt", [["a", "b"], ["a", 1], [256], [-1], [], "", [["a"]], None])
def test_what_is_no_prompt_or_several_is_refused(client, prompt):
    answer = complete(client, prompt=prompt)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "prompt")


def test_models_are_listed_and_others_are_not_found(client):
    card = client.get(f"/v1/models/{MODEL}").json()
    assert (card["id"], card["object"], card["max_model_len"]) == (MODEL, "model", 100)
    assert client.get("/v1/models").json() == {"object": "list", "data": [card]}
    for answer in (
        client.get("/v1/models/org/other"),
        chat(client, model="org/other"),
        chat(client, model="x" * 1500),
    ):
        assert answer.status_code == 404
        assert answer.json()["error"]["code"] == "model_not_found"
        assert len(answer.content) < 1000
    assert client.get("/v1/none").json()["error"]["type"] == "invalid_request_error"


def test_the_methods_of_a_route_are_named_where_another_is_tried(client):
    answer = client.get(CHAT)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.json()["error"]["type"] == "invalid_request_error"


def test_another_name_is_another_model(fake):
    with serve(fake, dataclasses.replace(SETTINGS, model_name="mine")) as client:
        wait_for(client, "/readyz", 200)
        assert chat(client).status_code == 404
        assert chat(client, model="mine").json()["model"] == "mine"


def test_a_large_body_is_refused_whether_or_not_it_says_so(client):
    big = json.dumps({"model": MODEL, "prompt": "a" * 3000}).encode()
    for content in (big, (big[i : i + 100] for i in range(0, len(big), 100))):
        answer = client.post(COMPLETION, content=content)
        assert answer.status_code == 413
        assert answer.json()["error"]["type"] == "invalid_request_error"


def test_keys_are_asked_for_where_there_are_any(fake):
    with serve(fake, dataclasses.replace(SETTINGS, api_keys="secret,other")) as client:
        wait_for(client, "/readyz", 200)
        answer = chat(client)
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "invalid_api_key"
        client.headers["Authorization"] = "Bearer other"
        assert chat(client).status_code == 200


@pytest.fixture
def slow(fake) -> Iterator[tuple[TestClient, threading.Event]]:
    """A service that says nothing until it is told to go on."""
    go = threading.Event()

    class Go:
        async def wait(self) -> None:
            while not go.is_set():
                await asyncio.sleep(0.01)

    fake.go = Go()
    with serve(fake) as client:
        wait_for(client, "/readyz", 200)
        yield client, go
        go.set()


def test_a_full_queue_is_503_and_known_before_the_body_is_read(slow, fake):
    client, go = slow
    with ThreadPoolExecutor() as pool:
        taken = [pool.submit(chat, client) for _ in range(3)]
        wait_for(client, "/metrics", 200, "requests_waiting 1.0")
        refused = chat(client)
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "1"
        assert refused.json()["error"]["code"] == "overloaded"
        metrics = service.Metrics()
        busy = middleware.Busy(client.app.routes, metrics, lambda: True, errors.explain)
        for path in (CHAT, COMPLETION):
            head, _, body = busy(b"POST", path.encode()).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 503 ")
            assert b"retry-after: 1" in head.lower()
            assert json.loads(body)["error"]["code"] == "overloaded"
        assert busy(b"GET", b"/livez") is None
        go.set()
        assert {it.result().status_code for it in taken} == {200}
    assert fake.running == 0
    assert chat(client).status_code == 200


def test_no_token_in_time_is_504(fake):
    fake.go = asyncio.Event()
    with serve(fake, dataclasses.replace(SETTINGS, first_token_s=0.1)) as client:
        wait_for(client, "/readyz", 200)
        for stream in (False, True):
            answer = chat(client, stream=stream)
            assert answer.status_code == 504
            assert answer.json()["error"]["code"] == "timeout"
    assert fake.running == 0


def test_a_prompt_that_takes_long_to_read_keeps_nobody_waiting_but_its_own(fake):
    read, go = fake.tokenizer.encode, threading.Event()
    long = "x" * 30_000

    def slow(text: str, most: int) -> list[int]:
        return read(text, most) if text != long or go.wait(10) else []

    fake.tokenizer.encode = slow
    settings = dataclasses.replace(SETTINGS, max_body_bytes=100_000, first_token_s=1)
    with serve(fake, settings) as client, ThreadPoolExecutor() as pool:
        wait_for(client, "/readyz", 200)
        waiting = [pool.submit(complete, client, prompt=long) for _ in range(3)]
        time.sleep(0.2)
        assert complete(client).status_code == 200
        # As many wait to be read as may wait for the device.
        full = pool.submit(complete, client, prompt=long).result()
        assert (full.status_code, full.headers["retry-after"]) == (503, "1")
        assert {it.result().json()["error"]["code"] for it in waiting} == {"timeout"}
        go.set()
        wait_for(client, "/livez", 200)
        assert complete(client).status_code == 200


def test_a_prompt_longer_than_the_context_is_refused_as_it_is_read(client, fake):
    answer = complete(client, prompt="x" * 101)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "context_length_exceeded"
    assert "at least 101 tokens" in answer.json()["error"]["message"]
    assert fake.asked == []


def test_many_messages_are_refused(fake):
    with serve(fake, dataclasses.replace(SETTINGS, max_messages=2)) as client:
        wait_for(client, "/readyz", 200)
        assert chat(client, messages=MESSAGES * 2).status_code == 200
        answer = chat(client, messages=MESSAGES * 3)
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, "messages")


def test_what_a_template_refuses_is_the_client_s_mistake_and_a_bug_is_not(client, fake):
    for error, status in ((engine.Unsayable("roles must alternate"), 400), (KeyError("bug"), 500)):

        def fail(*_: object, error: Exception = error) -> list[int]:
            raise error

        fake.tokenizer.chat = fail
        answer = chat(client)
        assert answer.status_code == status
        assert ("alternate" in answer.text) == (status == 400)
        assert "bug" not in answer.text


def test_an_error_on_a_device_that_still_works_is_only_that_request_s(client, fake, failures):
    fake.error = ValueError("this prompt")
    answer = chat(client)
    assert answer.status_code == 500
    assert answer.json()["error"]["type"] == "server_error"
    # What has begun well cannot end with another status: the stream says it.
    text = chat(client, stream=True).text
    last = json.loads(text.split("\n\n")[-2].removeprefix("data: "))
    assert last["error"]["code"] == "internal_error"
    assert "[DONE]" not in text
    fake.error = None
    assert chat(client).status_code == 200
    assert client.get("/livez").status_code == 200
    assert failures.count == 0


def test_no_memory_is_503_and_the_service_goes_on(client, fake, failures):
    fake.error = MemoryError()
    answer = chat(client)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    fake.error = None
    assert chat(client).status_code == 200
    assert failures.count == 0


def test_an_error_on_a_dead_device_ends_the_process(client, fake, failures):
    fake.error, fake.broken = RuntimeError("illegal address"), True
    assert chat(client).status_code == 500
    assert failures.count == 1
    assert client.get("/livez").status_code == 503
    assert "illegal address" in client.get("/readyz").json()["reason"]
    assert chat(client).status_code == 503


def test_a_model_that_cannot_be_loaded_ends_the_process(failures):
    def load():
        raise RuntimeError("no such file")

    with TestClient(app.create_app(service.Service(SETTINGS, load, failures))) as client:
        wait_for(client, "/livez", 503)
        assert failures.count == 1
        assert client.get("/startupz").status_code == 503
        assert "no such file" in client.get("/readyz").json()["reason"]
        assert chat(client).json()["error"]["code"] == "not_ready"


def test_metrics_count_requests_and_tokens(client):
    chat(client)
    client.get("/no/such/page")
    text = client.get("/metrics").text
    for line in (
        'http_requests_total{route="/v1/chat/completions",status="200"} 1.0',
        'http_requests_total{route="none",status="404"} 1.0',
        "prompt_tokens_total 10.0",
        "answer_tokens_total 14.0",
        "first_token_seconds_count 1.0",
        "next_token_seconds_count 13.0",
        "requests_running 0.0",
        "requests_waiting 0.0",
        "ready 1.0",
        "device_memory_bytes 10.0",
        'model_info{device="fake"} 1.0',
    ):
        assert f"inference_{line}" in text


def test_draining_is_not_ready_but_alive_and_still_answers(fake):
    it = service.Service(SETTINGS, lambda: fake)
    with TestClient(app.create_app(it)) as client:
        wait_for(client, "/readyz", 200)
        it.health.drain()
        assert client.get("/readyz").status_code == 503
        assert client.get("/livez").status_code == 200
        answer = chat(client, stream=True)
        assert answer.headers["connection"] == "close"
        assert events(answer)[-1]["choices"][0]["finish_reason"] == "stop"
    assert fake.closed
