"""The real thing: a process, a socket, signals."""

from __future__ import annotations

import json
import signal
import subprocess
import threading

from running import COMMAND, started

from it import model, schemas


def test_sigterm_drains_and_the_request_in_flight_is_answered(model_dir):
    # A batch waits five seconds for company: so long is the request in flight.
    with started(model_dir, SERVE_MAX_WAIT_MS="5000", SERVE_DRAIN_DELAY_S="2") as it:
        it.wait("/readyz")
        answers: list[tuple[int, str]] = []
        body = schemas.PredictRequest(instances=schemas.EXAMPLES[:1]).model_dump(mode="json")
        request = threading.Thread(target=lambda: answers.append(it.ask("/v1/predict", body)))
        request.start()
        it.wait("/metrics", text="inference_queue_instances 1.0")
        it.process.send_signal(signal.SIGTERM)
        it.wait("/readyz", status=503, text="draining")
        assert it.ask("/livez")[0] == 200
        it.wait("/livez", status=0)
        assert not answers
        request.join()
        status, text = answers[0]
        assert status == 200
        expected = model.load(model_dir, "cpu").predict(schemas.EXAMPLES[:1])[0]
        got = json.loads(text)["predictions"][0]
        assert model.alike(got, expected.model_dump(mode="json"), 1e-4)
        assert it.end()[0] == 0


def test_sigint_ends_at_once(model_dir):
    with started(model_dir, SERVE_DRAIN_DELAY_S="100") as it:
        it.wait("/readyz")
        it.process.send_signal(signal.SIGINT)
        assert it.end()[0] == 0


def test_it_is_alive_before_it_is_ready_and_healthcheck_says_so(model_dir):
    with started(model_dir) as it:
        it.wait("/readyz")
        check = [*COMMAND, "healthcheck"]
        assert subprocess.run(check, env=it.environment, check=False).returncode == 0
        it.process.kill()
        it.process.wait()
        assert subprocess.run(check, env=it.environment, check=False).returncode == 1


def test_without_a_model_the_process_ends_and_says_why(tmp_path):
    with started(tmp_path) as it:
        status, log = it.end()
        assert status == 1
        # Frameworks may write lines of their own.
        lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
        assert any("make model" in line["message"] for line in lines)


def test_a_setting_that_does_not_exist_is_wrong_usage(model_dir):
    with started(model_dir, SERVE_PROT="80") as it:
        status, log = it.end()
        assert (status, log) == (2, "error: no such setting: SERVE_PROT\n")
