"""Traces: spans of a request, in the trace of its client; its id in the log either way."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from itertools import pairwise

import pytest
from fastapi.testclient import TestClient
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from it import (
    app,
    config,
    logs,
    schemas,
    service,
    settings,
    tracing,
)

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"
HEADERS = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
REQUEST = schemas.PredictRequest(instances=schemas.EXAMPLES[:1]).model_dump(mode="json")


def ready(client: TestClient) -> TestClient:
    while client.get("/readyz").status_code != 200:
        time.sleep(0.01)
    return client


def test_a_request_is_a_span_with_its_wait_and_its_pass_within(fake):
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    it = service.Service(config.Settings(), lambda: fake, tracing=tracing.Tracing(provider))
    with TestClient(app.create_app(it)) as client:
        ready(client)
        exporter.clear()
        assert client.post("/v1/predict", json=REQUEST, headers=HEADERS).status_code == 200
        queue, device, request = exporter.get_finished_spans()
    assert (queue.name, device.name, request.name) == ("queue", "device", "POST /v1/predict")
    assert f"{request.context.trace_id:032x}" == TRACE
    assert f"{request.parent.span_id:016x}" == PARENT
    assert queue.parent.span_id == device.parent.span_id == request.context.span_id
    assert request.attributes["http.response.status_code"] == 200
    # Clocks differ by less than a millisecond.
    times = (request.start_time, queue.start_time, device.start_time, device.end_time)
    for before, after in pairwise((*times, request.end_time)):
        assert before <= after + 1e6


def test_the_log_names_the_trace_of_the_client(fake, caplog):
    caplog.set_level(logging.DEBUG)
    lines = []
    caplog.handler.setFormatter(logs.JsonFormatter())
    caplog.handler.emit = lambda record: lines.append(json.loads(caplog.handler.format(record)))
    with TestClient(app.create_app(service.Service(config.Settings(), lambda: fake))) as client:
        ready(client).post("/v1/predict", json=REQUEST, headers={**HEADERS, "x-request-id": "a"})
    (line,) = [line for line in lines if line.get("route") == "/v1/predict"]
    assert (line["id"], line["trace_id"], line["status"]) == ("a", TRACE, 200)


@pytest.mark.parametrize("text", ["", "00-xyz", f"00-{TRACE}", "-" * 1000])
def test_a_parent_that_is_none_is_ignored(text):
    assert tracing.trace_id({b"traceparent": text.encode()}) == ""


def test_nothing_of_it_is_imported_where_it_is_off():
    code = "import sys; import {}.serve; sys.exit('opentelemetry.sdk' in sys.modules)"
    code = code.format(tracing.__package__)
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_its_packages_the_setting_is_wrong_usage(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.resources", None)
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter", None)
    with pytest.raises(settings.SettingsError, match=r"SERVE_TRACING: .*the extra `tracing`"):
        tracing.exporter("name")
