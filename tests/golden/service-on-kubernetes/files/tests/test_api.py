"""The HTTP surface, with a model that needs no framework."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi.testclient import TestClient

from it import (
    app,
    auth,
    config,
    middleware,
    schemas,
    service,
    settings,
)

MOST = 3
SETTINGS = config.Settings(max_instances=MOST, max_wait_ms=0)
# An input as a client writes it.
ONE = schemas.PredictRequest(instances=schemas.EXAMPLES).model_dump(mode="json")["instances"][0]


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


def predict(client: TestClient, count: int = 1):
    return client.post("/v1/predict", json={"instances": [ONE] * count})


def test_predict_answers_each_instance_in_order(client):
    request = schemas.PredictRequest(instances=schemas.EXAMPLES)
    expected = schemas.PredictResponse(model="fake", predictions=schemas.ANSWERS)
    answer = client.post("/v1/predict", json=request.model_dump(mode="json"))
    assert answer.status_code == 200
    assert answer.json() == expected.model_dump(mode="json")


@pytest.mark.parametrize(
    "body",
    [
        {"instances": []},
        {"instances": [ONE] * (MOST + 1)},
        {"instances": [ONE, None]},
        {"instances": [None] * (schemas.MAX_INSTANCES + 1)},
        {"instances": [ONE], "more": 1},
        {},
    ],
)
def test_predict_refuses_bad_requests(client, fake, body):
    assert client.post("/v1/predict", json=body).status_code == 422
    assert fake.batches == []


def test_a_large_body_is_refused_whether_or_not_it_says_so(client):
    big = b" " * (SETTINGS.max_body_bytes + 1)
    assert client.post("/v1/predict", content=big).status_code == 413
    in_chunks = (big[i : i + 65536] for i in range(0, len(big), 65536))
    assert client.post("/v1/predict", content=in_chunks).status_code == 413


@pytest.mark.parametrize(
    "body",
    [
        b'{"instances": [NaN]}',
        b'{"instances": Infinity}',
        b'{"instances": [1e999, {}]}',
        b'{"instances": ["\\ud800"]}',
        b'{"\\ud800": 1}',
        b'{"instances": ["\xff"]}',
        b"\xff",
        b"",
        b"{",
        b"[" * 40_000,
    ],
)
def test_what_no_model_could_take_is_422_and_never_500(client, fake, body):
    answer = client.post("/v1/predict", content=body)
    assert answer.status_code == 422
    assert set(answer.json()["detail"][0]) == {"type", "loc", "msg"}
    assert fake.batches == []


def test_what_is_wrong_is_told_ten_times_at_most_and_nothing_is_repeated(client):
    secret = "s" * 5000
    body = {"instances": [ONE], **{f"{secret}{number}": secret for number in range(50)}}
    answer = client.post("/v1/predict", json=body)
    assert answer.status_code == 422
    assert len(answer.json()["detail"]) == 10
    assert secret not in answer.text
    body = {"instances": [ONE], **{str(number): 0 for number in range(5000)}}
    (only,) = client.post("/v1/predict", json=body).json()["detail"]
    assert only["msg"] == "5000 things are wrong"


@pytest.mark.parametrize("kind", ["", "application/x-www-form-urlencoded", "text/plain"])
def test_a_body_is_json_whatever_it_calls_itself(client, kind):
    body = schemas.PredictRequest(instances=[ONE]).model_dump_json().encode()
    answer = client.post("/v1/predict", content=body, headers={"Content-Type": kind})
    assert answer.status_code == 200


def test_the_page_about_the_api_needs_no_other_server(client):
    page = client.get("/docs").text
    assert "/v1/predict" in page
    assert "://" not in page
    assert client.get("/openapi.json").json()["paths"]["/v1/predict"]["post"]["requestBody"]


def test_keys_and_paths_are_in_the_documentation(fake):
    it = config.Settings(api_keys="a", cors_origins="https://a.example, https://x.example")
    client = TestClient(app.create_app(service.Service(it, lambda: fake)), root_path="/films")
    headers = {"X-API-Key": "a", "Origin": "https://x.example"}
    answer = client.get("/openapi.json", headers=headers)
    assert answer.headers["access-control-allow-origin"] == "https://x.example"
    about = answer.json()
    assert about["servers"] == [{"url": "/films"}]
    assert about["paths"]["/v1/predict"]["post"]["security"] == [{"HTTPBearer": []}]
    assert "security" not in about["paths"]["/livez"]["get"]


@pytest.mark.parametrize(("text", "problem"), [("\n \n", "no key"), (None, "No such file")])
def test_keys_that_are_none_are_wrong_usage(tmp_path, text, problem):
    path = tmp_path / "keys"
    if text is not None:
        path.write_text(text)
    with pytest.raises(settings.SettingsError, match=problem):
        auth.Keys(config.Settings(api_keys_file=str(path)))


def test_probes_are_ready_once_the_model_is_loaded(client, fake):
    for path in ("/livez", "/readyz", "/startupz"):
        assert client.get(path).json() == {"state": "ready", "reason": ""}
    assert fake.warmed == SETTINGS.max_batch


def test_metrics_count_requests_by_route_and_batches_by_size(client):
    predict(client, 2)
    client.get("/no/such/page")
    text = client.get("/metrics").text
    assert 'inference_http_requests_total{route="/v1/predict",status="200"} 1.0' in text
    assert 'inference_http_requests_total{route="none",status="404"} 1.0' in text
    assert "inference_batch_instances_sum 2.0" in text
    assert "inference_ready 1.0" in text
    assert "inference_device_memory_bytes 10.0" in text
    assert 'inference_model_info{device="fake"} 1.0' in text


def test_a_request_keeps_its_id_and_a_strange_one_gets_another(client):
    assert client.get("/livez", headers={"x-request-id": "a-1"}).headers["x-request-id"] == "a-1"
    given = "no spaces, please"
    assert client.get("/livez", headers={"x-request-id": given}).headers["x-request-id"] != given


def test_no_memory_for_one_instance_is_503_and_the_service_goes_on(client, fake, failures):
    fake.error = MemoryError()
    answer = predict(client)
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "5"
    fake.error = None
    assert predict(client).status_code == 200
    assert failures.count == 0


@pytest.fixture
def slow(fake) -> Iterator[TestClient]:
    """A service whose model does not answer before `fake.go` is set."""
    fake.go = threading.Event()
    settings = dataclasses.replace(SETTINGS, max_batch=1, queue_size=3, queue_ms=0, timeout_s=1)
    with TestClient(app.create_app(service.Service(settings, lambda: fake))) as client:
        wait_for(client, "/readyz", 200)
        answer = fake.predict
        fake.predict = lambda instances: fake.go.wait(10) and answer(instances)
        yield client
        fake.go.set()


def test_a_full_queue_is_503_and_a_late_answer_504(slow, fake):
    with ThreadPoolExecutor() as pool:
        running = pool.submit(predict, slow)
        wait_for_metric(slow, "inference_batch_instances_count 1.0")
        waiting = pool.submit(predict, slow, 3)
        wait_for_metric(slow, "inference_queue_instances 3.0")
        refused = predict(slow)
        assert (refused.status_code, refused.json()) == (503, {"detail": "busy"})
        assert refused.headers["retry-after"] == "1"
        assert running.result().status_code == 504
        assert waiting.result().status_code == 504
    fake.go.set()
    assert predict(slow).status_code == 200


def test_a_full_queue_is_known_before_a_request_is_read(slow, fake):
    it = slow.app.state.service
    it.settings = dataclasses.replace(it.settings, timeout_s=60)
    busy = middleware.Busy(slow.app.routes, it.metrics, it.is_full)
    assert busy(b"POST", b"/v1/predict") is None
    with ThreadPoolExecutor() as pool:
        running = [pool.submit(predict, slow)]
        wait_for_metric(slow, "inference_batch_instances_count 1.0")  # else one is too many
        running += [pool.submit(predict, slow) for _ in range(3)]
        wait_for_metric(slow, "inference_queue_instances 3.0")
        answer = busy(b"POST", b"/v1/predict")
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 1\r\n" in answer.lower()
        assert answer.endswith(b'\r\n\r\n{"detail": "busy"}')
        assert busy(b"POST", b"/v2/models/a/infer").endswith(b'{"error": "busy"}')
        assert busy(b"GET", b"/livez") is busy(b"POST", b"/no/such/page") is None
        fake.go.set()
        assert {it.result().status_code for it in running} == {200}
    text = slow.get("/metrics").text
    assert 'inference_http_requests_total{route="/v1/predict",status="503"} 1.0' in text


def test_an_error_on_a_device_that_still_works_is_only_that_request_s(fake, failures):
    application = app.create_app(service.Service(SETTINGS, lambda: fake, failures))
    with TestClient(application, raise_server_exceptions=False) as client:
        wait_for(client, "/readyz", 200)
        fake.error = ValueError("this input")
        assert predict(client).status_code == 500
        fake.error = None
        assert predict(client).status_code == 200
        assert client.get("/livez").status_code == 200
        assert failures.count == 0


def test_an_error_on_a_dead_device_ends_the_process(fake, failures):
    application = app.create_app(service.Service(SETTINGS, lambda: fake, failures))
    with TestClient(application, raise_server_exceptions=False) as client:
        wait_for(client, "/readyz", 200)
        fake.error = RuntimeError("illegal address")
        fake.broken = True
        assert predict(client).status_code == 500
        assert failures.count == 1
        assert client.get("/livez").status_code == 503
        assert "illegal address" in client.get("/readyz").json()["reason"]
        assert predict(client).status_code == 503


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
        assert "connection" not in predict(client).headers
        it.health.drain()
        assert client.get("/readyz").json() == {"state": "draining", "reason": "draining"}
        assert client.get("/readyz").status_code == 503
        assert client.get("/livez").status_code == 200
        answer = predict(client)
        assert (answer.status_code, answer.headers["connection"]) == (200, "close")
