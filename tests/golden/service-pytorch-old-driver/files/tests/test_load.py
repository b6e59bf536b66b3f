"""Under load from a second process: batches, overload, memory that does not suffice, the end."""

from __future__ import annotations

import signal
import time

from running import report, started

QUIET = {"SERVE_LOG_LEVEL": "ERROR"}
# A device with memory for eight texts, and one that takes 50 ms for whatever it is given.
SMALL = """
from old_driver import backend
predict = backend.Network.predict
def small(self, texts):
    if len(texts) > 8:
        raise MemoryError
    return predict(self, texts)
backend.Network.predict = small
backend.is_out_of_memory = lambda error: isinstance(error, MemoryError)
"""
SLOW = """
import time
from old_driver import backend
predict = backend.Network.predict
def slow(self, texts):
    time.sleep(0.05)
    return predict(self, texts)
backend.Network.predict = slow
"""


def test_load_is_answered_in_batches_and_measured(model_dir):
    with started(model_dir, **QUIET) as it:
        it.wait("/readyz")
        found = report(it.load("--clients", "16", "--seconds", "1.5", "--warmup", "0.2"))
        assert set(found["statuses"]) == {"200"}
        assert 0 < found["p50_ms"] <= found["p95_ms"] <= found["p99_ms"] <= found["max_ms"]
        assert sum(found["batch_sizes"].values()) < found["statuses"]["200"]


def test_overload_is_refused_and_what_is_taken_is_answered_in_time(model_dir):
    settings = {"SERVE_QUEUE_SIZE": "64", "SERVE_MAX_BATCH": "8", "SERVE_TIMEOUT_S": "30", **QUIET}
    with started(model_dir, SLOW, **settings) as it:
        it.wait("/readyz")
        load = it.load("--clients", "24", "--texts", "8", "--seconds", "3", "--warmup", "0.5")
        time.sleep(1.5)
        assert it.ask("/livez")[0] == 200
        found = report(load)
        assert set(found["statuses"]) == {"200", "503"}
        # At most eight batches wait, each of 50 ms: far from the thirty seconds.
        assert found["max_ms"] < 15_000
        it.wait("/readyz")


def test_batches_that_do_not_fit_are_halved_under_load(model_dir):
    settings = {"SERVE_MAX_BATCH": "64", "SERVE_RECOVER_S": "0.2", **QUIET}
    with started(model_dir, SMALL, **settings) as it:
        it.wait("/readyz")
        # Found out by the warm-up.
        assert it.metric("batch_limit_texts") == 8
        words = ["--clients", "16", "--texts", "4", "--seconds", "1.5", "--warmup", "0.2"]
        assert set(report(it.load(*words))["statuses"]) == {"200"}
        assert it.ask("/readyz")[0] == 200


def test_drain_under_load_answers_what_was_taken(model_dir):
    with started(model_dir, SERVE_DRAIN_DELAY_S="1", **QUIET) as it:
        it.wait("/readyz")
        load = it.load("--clients", "8", "--seconds", "4", "--warmup", "0")
        it.wait("/metrics", text='route="/v1/predict",status="200"')
        time.sleep(0.5)
        it.process.send_signal(signal.SIGTERM)
        statuses = report(load)["statuses"]
        assert it.end()[0] == 0
        assert statuses.pop("200") > 0
        # Then nobody listens. A connection that was idle when it closed may just have been used.
        statuses.pop("ConnectionRefusedError", None)
        assert set(statuses) <= {"RemoteDisconnected", "ConnectionResetError", "BrokenPipeError"}
        assert sum(statuses.values()) <= 8
