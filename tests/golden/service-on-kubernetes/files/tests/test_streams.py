"""Answers in pieces: what a model that can stream gives, and what becomes of it on the way."""

from __future__ import annotations

import dataclasses
import json
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi.testclient import TestClient
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from running import Process, started

from it import (
    app,
    config,
    middleware,
    schemas,
    service,
    tracing,
)

PATH = "/v1/stream"
BODY = schemas.PredictRequest(instances=schemas.EXAMPLES[:1]).model_dump(mode="json")
BOTH = schemas.PredictRequest(instances=schemas.EXAMPLES).model_dump(mode="json")
SETTINGS = config.Settings(max_streams=2, timeout_s=1)
DONE = "[DONE]"
# A model that can: COUNT pieces, one each hundredth of a second.
STREAMING = """
import time
from it import backend
def stream(self, instance):
    for _ in range(COUNT):
        time.sleep(0.01)
        yield self.predict([instance])[0]
backend.Network.stream = stream
"""


class Pieces:
    """A stream that can be held up, and that knows what became of it."""

    def __init__(self, count: int = 3, error: Exception | None = None) -> None:
        self.count = count
        self.error = error
        self.go = threading.Event()
        self.go.set()
        self.begun = 0
        self.closed = threading.Event()
        self.threads: set[str] = set()

    def __call__(self, _: object) -> Iterator[schemas.Prediction]:
        self.begun += 1
        try:
            for number in range(self.count):
                assert self.go.wait(10)
                self.threads.add(threading.current_thread().name)
                yield schemas.ANSWERS[number % len(schemas.ANSWERS)]
            if self.error is not None:
                raise self.error
        finally:
            self.threads.add(threading.current_thread().name)
            self.closed.set()


@pytest.fixture
def pieces(fake) -> Pieces:
    fake.stream = Pieces()
    return fake.stream


@pytest.fixture
def client(fake, pieces) -> Iterator[TestClient]:
    it = service.Service(SETTINGS, lambda: fake)
    with TestClient(app.create_app(it), raise_server_exceptions=False) as client:
        wait(lambda: client.get("/readyz").status_code == 200)
        yield client
        pieces.go.set()


def wait(is_so) -> None:
    for _ in range(1000):
        if is_so():
            return
        time.sleep(0.01)
    pytest.fail("not so after ten seconds")


def events(text: str) -> list[str]:
    """What is in them."""
    assert text.endswith("\n\n")
    lines = text[:-2].split("\n\n")
    assert all(line.startswith("data: ") for line in lines)
    return [line.removeprefix("data: ") for line in lines]


def answered(prediction: schemas.Prediction) -> object:
    whole = schemas.PredictResponse(model="fake", predictions=[prediction])
    return whole.model_dump(mode="json")


def test_a_model_that_cannot_stream_has_no_such_route(fake):
    with TestClient(app.create_app(service.Service(SETTINGS, lambda: fake))) as client:
        wait(lambda: client.get("/readyz").status_code == 200)
        assert client.post(PATH, json=BODY).status_code == 404
        assert PATH not in client.get("/openapi.json").json()["paths"]


def test_each_piece_is_an_event_and_the_last_one_says_that_it_was_all(client, pieces):
    answer = client.post(PATH, json=BODY)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert (answer.headers["cache-control"], answer.headers["x-accel-buffering"]) == (
        "no-cache",
        "no",
    )
    *found, last = events(answer.text)
    wanted = [schemas.ANSWERS[number % len(schemas.ANSWERS)] for number in range(3)]
    assert [json.loads(it) for it in found] == [answered(it) for it in wanted]
    assert last == DONE
    # All of it, its end too, where batches are.
    assert pieces.threads == {"device"}


def test_a_stream_without_a_piece_ends_at_once(client, pieces):
    pieces.count = 0
    assert events(client.post(PATH, json=BODY).text.lstrip()) == [DONE]


@pytest.mark.usefixtures("pieces")
def test_it_is_documented_once_the_model_is_there(fake):
    fake.go = threading.Event()
    settings = dataclasses.replace(SETTINGS, api_keys="key")
    headers = {"X-API-Key": "key"}

    def load() -> service.Model:
        assert fake.go.wait(10)
        return fake

    with TestClient(app.create_app(service.Service(settings, load))) as client:
        assert PATH not in client.get("/openapi.json", headers=headers).json()["paths"]
        # Whether there will be such a route nobody knows yet: not 404, which clients believe.
        answer = client.post(PATH, json=BODY, headers=headers)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        fake.go.set()
        wait(lambda: client.get("/readyz").status_code == 200)
        about = client.get("/openapi.json", headers=headers).json()["paths"][PATH]["post"]
        assert about["security"] == [{"HTTPBearer": []}]
        assert about["requestBody"]["content"]["application/json"]["schema"]
        assert list(about["responses"]["200"]["content"]) == ["text/event-stream"]
        assert client.post(PATH, json=BODY).status_code == 401
        assert client.post(PATH, json=BODY, headers=headers).status_code == 200


@pytest.mark.parametrize("body", [{}, BOTH, {"instances": [None]}, {"instances": []}])
def test_a_stream_is_of_one_instance_that_is_right(client, pieces, body):
    assert client.post(PATH, json=body).status_code == 422
    assert pieces.begun == 0


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (ValueError("secret"), 500, "internal error"),
        (MemoryError(), 503, "out of device memory"),
    ],
)
def test_an_error_has_a_status_at_first_and_is_an_event_later(client, pieces, error, status, text):
    pieces.error = error
    *found, last = events(client.post(PATH, json=BODY).text)
    assert len(found) == 3
    assert json.loads(last) == {"detail": text}
    pieces.count = 0
    answer = client.post(PATH, json=BODY)
    assert (answer.status_code, answer.json()) == (status, {"detail": text})
    pieces.error = None
    assert client.post(PATH, json=BODY).status_code == 200
    assert "inference_stream_errors_total 2.0" in client.get("/metrics").text


def test_an_error_on_a_dead_device_ends_the_process(fake, pieces):
    failures = []
    it = service.Service(SETTINGS, lambda: fake, lambda: failures.append(1))
    with TestClient(app.create_app(it), raise_server_exceptions=False) as client:
        wait(lambda: client.get("/readyz").status_code == 200)
        pieces.error, fake.broken = RuntimeError("illegal address"), True
        assert json.loads(events(client.post(PATH, json=BODY).text)[-1])
        assert failures == [1]
        assert client.post(PATH, json=BODY).status_code == 503


def test_a_piece_that_is_late_ends_the_stream(client, pieces):
    pieces.go.clear()
    answer = client.post(PATH, json=BODY)
    assert (answer.status_code, answer.json()) == (504, {"detail": "no answer in time"})
    pieces.go.set()
    assert pieces.closed.wait(10)
    assert client.post(PATH, json=BODY).status_code == 200


def test_no_more_than_so_many_at_a_time_which_is_known_before_they_are_read(client, pieces):
    pieces.go.clear()
    it = client.app.state.service
    it.settings = dataclasses.replace(it.settings, timeout_s=60)
    own = {PATH: it.streams_are_full}
    busy = middleware.Busy(client.app.routes, it.metrics, it.is_full, own=own)
    assert busy(b"POST", PATH.encode()) is None
    with ThreadPoolExecutor() as pool:
        running = [pool.submit(client.post, PATH, json=BODY) for _ in range(SETTINGS.max_streams)]
        wait(lambda: "inference_streams 2.0" in client.get("/metrics").text)
        assert busy(b"POST", PATH.encode()).startswith(b"HTTP/1.1 503 ")
        # Batches have a queue of their own.
        assert busy(b"POST", b"/v1/predict") is None
        refused = client.post(PATH, json=BODY)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        pieces.go.set()
        assert {it.result().status_code for it in running} == {200}
    wait(lambda: "inference_streams 0.0" in client.get("/metrics").text)


def test_batches_and_pieces_take_turns(client, fake, pieces):
    """Two long streams: each lets a batch pass after its piece, and the batch lets it pass."""
    turns: list[str] = []
    pieces.count = 400
    stream, predict = fake.stream, fake.predict

    def recorded(instance: object) -> Iterator[schemas.Prediction]:
        for piece in stream(instance):
            turns.append("piece")
            time.sleep(0.001)
            yield piece

    fake.stream = client.app.state.service._model.stream = recorded
    fake.predict = lambda instances: turns.append("batch") or predict(instances)
    with ThreadPoolExecutor() as pool:
        streams = [pool.submit(client.post, PATH, json=BODY) for _ in range(2)]
        wait(lambda: len(turns) > 10)
        for _ in range(10):
            assert client.post("/v1/predict", json=BODY).status_code == 200
        assert not any(it.done() for it in streams)
        assert {len(events(it.result().text)) for it in streams} == {401}
    assert turns.count("batch") == 10
    assert "batch batch" not in " ".join(turns)


def test_metrics_tell_the_first_piece_and_all_pieces(client):
    assert client.post(PATH, json=BODY).status_code == 200
    text = client.get("/metrics").text
    assert 'inference_http_requests_total{route="/v1/stream",status="200"} 1.0' in text
    assert "inference_stream_first_seconds_count 1.0" in text
    assert "inference_stream_pieces_total 3.0" in text
    assert "inference_stream_errors_total 0.0" in text
    assert "inference_streams 0.0" in text


@pytest.mark.usefixtures("pieces")
def test_a_stream_is_a_span_with_its_wait_and_its_work_within(fake):
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    it = service.Service(SETTINGS, lambda: fake, tracing=tracing.Tracing(provider))
    with TestClient(app.create_app(it)) as client:
        wait(lambda: client.get("/readyz").status_code == 200)
        exporter.clear()
        assert client.post(PATH, json=BODY).status_code == 200
        spans = {span.name: span for span in exporter.get_finished_spans()}
    request = spans.pop(f"POST {PATH}")
    assert spans.keys() == {"queue", "device"}
    assert {span.parent.span_id for span in spans.values()} == {request.context.span_id}


def ask(it: Process) -> socket.socket:
    """A stream that has begun."""
    connection = socket.create_connection(("127.0.0.1", it.port), timeout=30)
    body = json.dumps(BODY).encode()
    head = f"POST {PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)
    assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
    return connection


def rest(connection: socket.socket) -> str:
    text = b""
    while more := connection.recv(65536):
        text += more
    connection.close()
    return text.decode()


def test_who_goes_away_ends_the_work(model_dir):
    with started(model_dir, STREAMING.replace("COUNT", "1_000_000")) as it:
        it.wait("/readyz")
        connections = [ask(it) for _ in range(3)]
        it.wait("/metrics", text="inference_streams 3.0")
        for connection in connections:
            connection.close()
        it.wait("/metrics", text="inference_streams 0.0")
        made = it.metric("inference_stream_pieces_total")
        time.sleep(0.2)
        assert it.metric("inference_stream_pieces_total") == made


def test_a_stream_that_runs_is_finished_before_the_process_ends(model_dir):
    settings = {"SERVE_DRAIN_DELAY_S": "0.1", "SERVE_DRAIN_TIMEOUT_S": "60"}
    with started(model_dir, STREAMING.replace("COUNT", "200"), **settings) as it:
        it.wait("/readyz")
        connection = ask(it)
        it.process.send_signal(signal.SIGTERM)
        text = rest(connection)
        assert len(re.findall(r"data: \{", text)) >= 190
        assert f"data: {DONE}" in text
        assert it.end()[0] == 0


def test_a_stream_without_end_is_cut_when_the_grace_period_is_over(model_dir):
    settings = {"SERVE_DRAIN_DELAY_S": "0.1", "SERVE_DRAIN_TIMEOUT_S": "1"}
    with started(model_dir, STREAMING.replace("COUNT", "1_000_000"), **settings) as it:
        it.wait("/readyz")
        connection = ask(it)
        it.process.send_signal(signal.SIGTERM)
        text = rest(connection)
        assert DONE not in text
        assert it.end()[0] == 0


def test_who_does_not_read_makes_no_more_than_there_is_room_for(model_dir):
    """And is given up like a client that does not write."""
    settings = {"SERVE_BODY_TIMEOUT_S": "1"}
    model = STREAMING.replace("0.01", "0").replace("COUNT", "10**9")
    with started(model_dir, model, **settings) as it:
        it.wait("/readyz")
        connection = ask(it)
        it.wait("/metrics", text="inference_streams 1.0")
        it.wait("/metrics", text="inference_streams 0.0")
        connection.close()
