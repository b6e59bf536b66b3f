"""The Open Inference Protocol, as clients of KServe and Triton speak it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from it import (
    app,
    config,
    open_inference,
    schemas,
    service,
)

NAME = "it"
MOST = len(schemas.EXAMPLES) + 1


def tensors(specifications, arrays) -> list[dict[str, object]]:
    return [
        {
            "name": it.name,
            "datatype": it.datatype,
            "shape": list(arrays[it.name].shape),
            "data": arrays[it.name].reshape(-1).tolist(),
        }
        for it in specifications
    ]


INPUTS = tensors(schemas.INPUTS, schemas.EXAMPLE_TENSORS)


@pytest.fixture
def client(fake) -> Iterator[TestClient]:
    it = service.Service(config.Settings(max_instances=MOST, max_wait_ms=0), lambda: fake)
    with TestClient(app.create_app(it)) as client:
        while client.get(f"/v2/models/{NAME}/ready").status_code != 200:
            pass
        yield client


def infer(client: TestClient, model: str = NAME, **changes: object):
    body = {"id": "42", "inputs": [{**INPUTS[0], **changes}, *INPUTS[1:]]}
    return client.post(f"/v2/models/{model}/infer", json=body)


def test_server_and_model_say_what_they_are(client):
    assert client.get("/v2").json()["name"] == NAME
    about = client.get(f"/v2/models/{NAME}").json()
    assert about["versions"] == ["fake"]
    assert about["inputs"] == [tensor._asdict() for tensor in schemas.INPUTS]
    assert about["outputs"] == [tensor._asdict() for tensor in schemas.OUTPUTS]


def test_infer_answers_all_outputs(client):
    answer = infer(client)
    assert answer.status_code == 200
    assert answer.json() == {
        "id": "42",
        "model_name": NAME,
        "model_version": "fake",
        "outputs": tensors(schemas.OUTPUTS, schemas.to_tensors(schemas.ANSWERS)),
    }


@pytest.mark.parametrize(
    ("changes", "status", "message"),
    [
        ({"name": "no such"}, 400, "the inputs are: "),
        ({"datatype": "INT7"}, 400, "is of type"),
        ({"shape": [1, 1, 7]}, 400, "is of shape"),
        ({"shape": [0], "data": []}, 400, ""),
    ],
)
def test_bad_requests_are_refused_with_the_reason(client, fake, changes, status, message):
    answer = infer(client, **changes)
    assert answer.status_code == status
    assert message in answer.text
    assert fake.batches == []


def test_another_model_or_version_is_not_here(client):
    for answer in (
        infer(client, "other"),
        client.get("/v2/models/other"),
        client.get("/v2/models/other/ready"),
    ):
        assert answer.status_code == 404
        assert answer.json() == {"error": f"no model 'other', only '{NAME}'"}
    for path in ("", "/ready"):
        assert client.get(f"/v2/models/{NAME}/versions/fake{path}").status_code == 200
        answer = client.get(f"/v2/models/{NAME}/versions/7{path}")
        assert answer.status_code == 404
        assert answer.json() == {"error": "no version '7', only 'fake'"}
    assert infer(client, f"{NAME}/versions/fake").status_code == 200


def test_whatever_goes_wrong_is_an_error_of_the_protocol(client, fake):
    for answer, status in (
        (client.get("/v2/no/such/page"), 404),
        (client.get(f"/v2/models/{NAME}/infer"), 405),
        (client.post(f"/v2/models/{NAME}/infer", content=b"{"), 400),
        (client.post(f"/v2/models/{NAME}/infer", content=b'{"inputs": 7}'), 400),
    ):
        assert answer.status_code == status
        assert answer.json().keys() == {"error"}
    fake.error = MemoryError()
    assert infer(client).json() == {"error": "out of device memory"}


def test_the_outputs_are_those_that_are_asked_for(client):
    body = {"inputs": INPUTS, "outputs": [{"name": schemas.OUTPUTS[-1].name}]}
    answer = client.post(f"/v2/models/{NAME}/infer", json=body).json()
    assert answer["outputs"] == tensors(schemas.OUTPUTS, schemas.to_tensors(schemas.ANSWERS))[-1:]
    assert "id" not in answer
    body["outputs"] = [{"name": "other"}]
    answer = client.post(f"/v2/models/{NAME}/infer", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("no output 'other', only: ")


def test_values_may_be_nested_and_a_column_is_as_good_as_a_row(client):
    nested = [
        {**it, "shape": [*it["shape"], 1], "data": array[..., None].tolist()}
        for it, array in zip(INPUTS, schemas.EXAMPLE_TENSORS.values(), strict=True)
    ]
    answer = client.post(f"/v2/models/{NAME}/infer", json={"inputs": nested})
    assert answer.status_code == 200
    assert answer.json()["outputs"] == infer(client).json()["outputs"]


def encode(specification, array) -> bytes:
    if specification.datatype != "BYTES":
        return array.tobytes()
    words = [it if isinstance(it, bytes) else it.encode() for it in array.reshape(-1)]
    return b"".join(len(word).to_bytes(4, "little") + word for word in words)


def binary(client: TestClient, damage: int = 0):
    """The examples, asked and answered in binary tensors."""
    tail, inputs = b"", []
    for it, about in zip(schemas.INPUTS, INPUTS, strict=True):
        encoded = encode(it, schemas.EXAMPLE_TENSORS[it.name])
        tail += encoded
        about = {key: value for key, value in about.items() if key != "data"}
        inputs.append({**about, "parameters": {"binary_data_size": len(encoded) + damage}})
    head = json.dumps({"inputs": inputs, "parameters": {"binary_data_output": True}}).encode()
    headers = {"Inference-Header-Content-Length": str(len(head))}
    return client.post(f"/v2/models/{NAME}/infer", content=head + tail, headers=headers)


def test_tensors_may_be_binary_both_ways(client):
    answer = binary(client)
    assert answer.status_code == 200
    size = int(answer.headers["inference-header-content-length"])
    outputs = json.loads(answer.content[:size])["outputs"]
    rest = answer.content[size:]
    expected = schemas.to_tensors(schemas.ANSWERS)
    for it, found in zip(schemas.OUTPUTS, outputs, strict=True):
        wanted = encode(it, expected[it.name])
        assert found["parameters"] == {"binary_data_size": len(wanted)}
        assert rest[: len(wanted)] == wanted
        rest = rest[len(wanted) :]
    assert not rest


@pytest.mark.parametrize("shape", [[10**9, 0], [0, 10**19]])
def test_a_tensor_without_values_has_no_rows_without_end(shape):
    """Of models whose tensors have more than one size that is free."""
    wanted = schemas.Tensor("x", "INT64", [-1, -1])
    given = open_inference.Input(name="x", datatype="INT64", shape=shape, data=[])
    with pytest.raises(open_inference.Wrong, match="no values"):
        open_inference._array(wanted, given, b"", config.Settings())


@pytest.mark.parametrize("damage", [1, -1, 10_000])
def test_binary_tensors_that_do_not_fit_are_refused(client, fake, damage):
    answer = binary(client, damage)
    assert answer.status_code == 400
    assert answer.json().keys() == {"error"}
    assert fake.batches == []


def test_health_is_in_the_words_of_the_protocol(client):
    assert client.get("/v2/health/live").json()["live"] is True
    assert client.get("/v2/health/ready").json()["ready"] is True
    assert client.get(f"/v2/models/{NAME}/ready").json()["ready"] is True
