"""The HTTP surface, with a model that needs no framework."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi.testclient import TestClient

from pytorch_service import app, config, service

SETTINGS = config.Settings(max_texts=3, max_chars=50, max_body_bytes=500, max_wait_ms=0)


class Failures:
    count = 0

    def __call__(self) -> None:
        self.count += 1


@pytest.fixture
def failures() -> Failures:
    return Failures()


@pytest.fixture
def client(fake, failures) -> Iterator[TestClient]:
    with TestClient(app.create_app(service.Service(SETTINGS, lambda: fake, failures))) as client:
        wait_for(client, "/startupz", 200)
        yield client


def wait_for(client: TestClient, path: str, status: int) -> None:
    for _ in range(500):
        if client.get(path).status_code == status:
            return
        time.sleep(0.01)
    pytest.fail(f"{path} is not {status} after five seconds")


def wait_for_metric(client: TestClient, line: str) -> None:
    for _ in range(500):
        if line in client.get("/metrics").text:
            return
        time.sleep(0.01)
    pytest.fail(f"no '{line}' after five seconds")


def predict(client: TestClient, *texts: str):
    return client.post("/v1/predict", json={"texts": texts})


def test_predict_answers_each_text_in_order(client):
    answer = predict(client, "short", "a rather long text")
    assert answer.status_code == 200
    assert answer.json() == {
        "model": "fake",
        "predictions": [
            {"label": "short", "score": 1.0, "scores": {"long": 0.0, "short": 1.0}},
            {"label": "long", "score": 1.0, "scores": {"long": 1.0, "short": 0.0}},
        ],
    }


@pytest.mark.parametrize(
    "body",
    [
        {"texts": []},
        {"texts": ["a"] * 4},
        {"texts": ["a" * 51]},
        {"texts": [1]},
        {"texts": ["a"], "more": 1},
        {},
    ],
)
def test_predict_refuses_bad_requests(client, fake, body):
    assert client.post("/v1/predict", json=body).status_code == 422
    assert fake.batches == []


def test_a_large_body_is_refused_whether_or_not_it_says_so(client):
    big = b'{"texts": ["' + b"a" * 600 + b'"]}'
    assert client.post("/v1/predict", content=big).status_code == 413
    in_chunks = (big[i : i + 100] for i in range(0, len(big), 100))
    assert client.post("/v1/predict", content=in_chunks).status_code == 413


def test_probes_are_ready_once_the_model_is_loaded(client, fake):
    for path in ("/livez", "/readyz", "/startupz", "/v2/health/live", "/v2/health/ready"):
        assert client.get(path).json() == {"state": "ready", "reason": ""}
    assert fake.warmed == SETTINGS.max_batch


def test_metrics_count_requests_by_route_and_batches_by_size(client):
    predict(client, "one", "two")
    client.get("/no/such/page")
    text = client.get("/metrics").text
    assert 'http_requests_total{route="/v1/predict",status="200"} 1.0' in text
    assert 'http_requests_total{route="none",status="404"} 1.0' in text
    assert "batch_texts_sum 2.0" in text
    assert "ready 1.0" in text
    assert "device_memory_bytes 10.0" in text
    assert 'model_info{device="fake"} 1.0' in text


def test_a_request_keeps_its_id_and_a_strange_one_gets_another(client):
    assert client.get("/livez", headers={"x-request-id": "a-1"}).headers["x-request-id"] == "a-1"
    given = "no spaces, please"
    assert client.get("/livez", headers={"x-request-id": given}).headers["x-request-id"] != given


def test_no_memory_for_one_text_is_503_and_the_service_goes_on(client, fake, failures):
    fake.error = MemoryError()
    answer = predict(client, "text")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "5"
    fake.error = None
    assert predict(client, "text").status_code == 200
    assert failures.count == 0


@pytest.fixture
def slow(fake) -> Iterator[TestClient]:
    """A service whose model does not answer before `fake.go` is set."""
    fake.go = threading.Event()
    settings = dataclasses.replace(SETTINGS, max_batch=1, queue_size=3, timeout_s=1)
    with TestClient(app.create_app(service.Service(settings, lambda: fake))) as client:
        wait_for(client, "/readyz", 200)
        classify = fake.classify
        fake.classify = lambda texts: fake.go.wait(10) and classify(texts)
        yield client
        fake.go.set()


def test_a_full_queue_is_503_and_a_late_answer_504(slow, fake):
    with ThreadPoolExecutor() as pool:
        running = pool.submit(predict, slow, "one")
        wait_for_metric(slow, "batch_texts_count 1.0")
        waiting = pool.submit(predict, slow, "two", "three", "four")
        wait_for_metric(slow, "queue_texts 3.0")
        refused = predict(slow, "five")
        assert (refused.status_code, refused.json()) == (503, {"detail": "busy"})
        assert refused.headers["retry-after"] == "1"
        assert running.result().status_code == 504
        assert waiting.result().status_code == 504
    fake.go.set()
    assert predict(slow, "six").status_code == 200


def test_an_error_on_a_device_that_still_works_is_only_that_request_s(fake, failures):
    application = app.create_app(service.Service(SETTINGS, lambda: fake, failures))
    with TestClient(application, raise_server_exceptions=False) as client:
        wait_for(client, "/readyz", 200)
        fake.error = ValueError("this input")
        assert predict(client, "text").status_code == 500
        fake.error = None
        assert predict(client, "text").status_code == 200
        assert client.get("/livez").status_code == 200
        assert failures.count == 0


def test_an_error_on_a_dead_device_ends_the_process(fake, failures):
    application = app.create_app(service.Service(SETTINGS, lambda: fake, failures))
    with TestClient(application, raise_server_exceptions=False) as client:
        wait_for(client, "/readyz", 200)
        fake.error = RuntimeError("illegal address")
        fake.broken = True
        assert predict(client, "text").status_code == 500
        assert failures.count == 1
        assert client.get("/livez").status_code == 503
        assert "illegal address" in client.get("/readyz").json()["reason"]
        assert predict(client, "text").status_code == 503


def test_a_model_that_cannot_be_loaded_ends_the_process(failures):
    def load() -> service.Model:
        raise RuntimeError("no such file")

    with TestClient(app.create_app(service.Service(SETTINGS, load, failures))) as client:
        wait_for(client, "/livez", 503)
        assert failures.count == 1
        assert client.get("/startupz").status_code == 503
        assert "no such file" in client.get("/readyz").json()["reason"]


def test_draining_is_not_ready_but_alive_and_still_answers(fake):
    it = service.Service(SETTINGS, lambda: fake)
    with TestClient(app.create_app(it)) as client:
        wait_for(client, "/readyz", 200)
        it.health.drain()
        assert client.get("/readyz").json() == {"state": "draining", "reason": "draining"}
        assert client.get("/readyz").status_code == 503
        assert client.get("/livez").status_code == 200
        assert predict(client, "text").status_code == 200
