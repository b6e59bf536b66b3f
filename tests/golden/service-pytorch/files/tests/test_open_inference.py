"""The Open Inference Protocol, as clients of KServe and Triton speak it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from pytorch_service import app, config, service

NAME = "pytorch-service"
TEXTS = ["short", "a rather long text"]
TENSOR = {"name": "text", "shape": [2], "datatype": "BYTES", "data": TEXTS}


@pytest.fixture
def client(fake) -> Iterator[TestClient]:
    it = service.Service(config.Settings(max_texts=3, max_wait_ms=0), lambda: fake)
    with TestClient(app.create_app(it)) as client:
        while client.get(f"/v2/models/{NAME}/ready").status_code != 200:
            pass
        yield client


def infer(client: TestClient, model: str = NAME, **changes: object):
    body = {"id": "42", "inputs": [{**TENSOR, **changes}]}
    return client.post(f"/v2/models/{model}/infer", json=body)


def test_server_and_model_say_what_they_are(client):
    assert client.get("/v2").json()["name"] == NAME
    about = client.get(f"/v2/models/{NAME}").json()
    assert about["versions"] == ["fake"]
    assert about["inputs"] == [{"name": "text", "datatype": "BYTES", "shape": [-1]}]
    assert about["outputs"][1] == {"name": "scores", "datatype": "FP32", "shape": [-1, 2]}


def test_infer_answers_labels_and_scores(client):
    answer = infer(client)
    assert answer.status_code == 200
    assert answer.json() == {
        "id": "42",
        "model_name": NAME,
        "model_version": "fake",
        "outputs": [
            {"name": "label", "datatype": "BYTES", "shape": [2], "data": ["short", "long"]},
            {"name": "scores", "datatype": "FP32", "shape": [2, 2], "data": [0, 1, 1, 0]},
        ],
    }


@pytest.mark.parametrize(
    ("changes", "status", "message"),
    [
        ({"name": "image"}, 400, "one input is wanted"),
        ({"datatype": "FP32"}, 400, "of type BYTES"),
        ({"shape": [3]}, 400, "not that of 2 texts"),
        ({"shape": [4], "data": ["a"] * 4}, 400, "more than 3 texts"),
        ({"shape": [0], "data": []}, 422, ""),
    ],
)
def test_bad_requests_are_refused_with_the_reason(client, fake, changes, status, message):
    answer = infer(client, **changes)
    assert answer.status_code == status
    assert message in answer.text
    assert fake.batches == []


def test_another_model_is_not_here(client):
    for answer in (
        infer(client, "other"),
        client.get("/v2/models/other"),
        client.get("/v2/models/other/ready"),
    ):
        assert answer.status_code == 404
        assert answer.json() == {"error": f"no model 'other', only '{NAME}'"}
