"""What NVIDIA's and KServe's own clients make of a service: run in an environment that has them.

Usage: inference_clients.py ADDRESS MODEL
"""

import asyncio
import sys

import numpy as np
import tritonclient.http as triton
from kserve import InferenceRESTClient, InferInput, InferRequest, RESTConfig
from kserve.inference_client import PredictorProtocol

TEXTS = ["the film was not good", "a lovely film, I liked it very much"]
LABELS = ["negative", "positive"]


def words(array):
    return [it.decode() if isinstance(it, bytes) else it for it in array.reshape(-1)]


def ask_as_triton(address, model):
    client = triton.InferenceServerClient(address)
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready(model)
    version = client.get_model_metadata(model)["versions"][0]
    assert client.is_model_ready(model, version)
    assert client.get_server_metadata()["extensions"] == ["binary_tensor_data"]
    for shape in ([2], [2, 1]):
        for binary in (False, True):
            tensor = triton.InferInput("text", shape, "BYTES")
            tensor.set_data_from_numpy(np.array(TEXTS, object).reshape(shape), binary_data=binary)
            for outputs in (
                None,
                [triton.InferRequestedOutput(name, binary) for name in ("label", "scores")],
            ):
                answer = client.infer(model, [tensor], version, outputs, request_id="7")
                assert words(answer.as_numpy("label")) == LABELS
                assert answer.as_numpy("scores").dtype == np.float32
                assert answer.as_numpy("scores").shape == (2, 2)
                assert answer.get_response()["id"] == "7"
    for wrong, outputs in (("other", None), (model, [triton.InferRequestedOutput("other")])):
        try:
            client.infer(wrong, [tensor], outputs=outputs)
        except triton.InferenceServerException as error:
            assert "other" in str(error)
        else:
            raise AssertionError(f"{wrong} {outputs} was answered")


async def ask_as_kserve(address, model):
    client = InferenceRESTClient(RESTConfig(protocol=PredictorProtocol.REST_V2))
    base = f"http://{address}"
    assert await client.is_server_live(base)
    assert await client.is_server_ready(base)
    assert await client.is_model_ready(base, model)
    for binary in (False, True):
        tensor = InferInput("text", [2], "BYTES")
        tensor.set_data_from_numpy(np.array(TEXTS, object), binary_data=binary)
        request = InferRequest(model, [tensor])
        answer = await client.infer(base, request, model_name=model)
        assert words(np.array(answer.outputs[0].as_numpy())) == LABELS
    await client.close()


if __name__ == "__main__":
    ask_as_triton(*sys.argv[1:])
    asyncio.run(ask_as_kserve(*sys.argv[1:]))
    print("both answered")
