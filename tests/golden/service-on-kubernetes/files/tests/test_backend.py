"""What every model promises: one of your own is right when these pass."""

from __future__ import annotations

import json

import pytest

from it import (
    backend,
    data,
    devices,
    model,
    schemas,
)


@pytest.fixture(scope="module")
def fitted(model_dir) -> backend.Network:
    """What the data taught."""
    network = backend.Network("cpu")
    network.load(next(model_dir.glob("weights-*")))
    return network


def plain(predictions: list[schemas.Prediction]) -> list[object]:
    return [prediction.model_dump(mode="json") for prediction in predictions]


def test_examples_are_instances_that_differ_each_with_an_answer():
    request = schemas.PredictRequest(instances=schemas.EXAMPLES)
    assert len(request.instances) == len(schemas.ANSWERS) > 1
    given = [json.dumps(it) for it in request.model_dump(mode="json")["instances"]]
    assert len(set(given)) == len(given)
    again = schemas.PredictRequest.model_validate_json(request.model_dump_json())
    assert again.model_dump(mode="json") == request.model_dump(mode="json")


def test_examples_are_the_same_as_tensors():
    instances = schemas.from_tensors(schemas.EXAMPLE_TENSORS)
    assert schemas.PredictRequest(instances=instances).instances == schemas.EXAMPLES
    assert schemas.EXAMPLE_TENSORS.keys() == {tensor.name for tensor in schemas.INPUTS}
    outputs = schemas.to_tensors(schemas.ANSWERS)
    assert outputs.keys() == {tensor.name for tensor in schemas.OUTPUTS}
    for tensor in schemas.OUTPUTS:
        assert len(outputs[tensor.name]) == len(schemas.ANSWERS)


def test_each_instance_has_an_answer(fitted):
    answers = fitted.predict(schemas.EXAMPLES)
    assert len(answers) == len(schemas.EXAMPLES)
    assert all(isinstance(answer, schemas.Prediction) for answer in answers)


def test_an_instance_has_the_same_answer_in_every_batch(fitted):
    first, *others = schemas.EXAMPLES
    alone = plain(fitted.predict([first]))[0]
    for size in (1, 2, 7, 8):
        answer = plain(fitted.predict([first, *others * size]))[0]
        assert model.alike(answer, alone, 1e-5)


@pytest.mark.skipif(not hasattr(backend.Network, "stream"), reason="the model does not stream")
def test_a_stream_has_pieces_and_all_are_predictions(fitted):
    for instance in schemas.EXAMPLES:
        pieces = list(fitted.stream(instance))
        assert pieces
        assert all(isinstance(piece, schemas.Prediction) for piece in pieces)


def test_answers_are_in_the_order_of_the_instances(fitted):
    there = plain(fitted.predict(schemas.EXAMPLES))
    back = plain(fitted.predict(schemas.EXAMPLES[::-1]))
    assert model.alike(there, back[::-1], 1e-5)


def test_saved_weights_answer_the_same_elsewhere(fitted, tmp_path):
    fitted.save(tmp_path)
    other = backend.Network("cpu")
    other.load(tmp_path)
    assert plain(fitted.predict(schemas.EXAMPLES)) == plain(other.predict(schemas.EXAMPLES))


def test_fitting_again_forgets_what_was_learnt_before(fitted, data_file, tmp_path):
    examples, _ = data.split(data.read(data_file))
    fitted.save(tmp_path)
    other = backend.Network("cpu")
    other.load(tmp_path)
    other.fit([it.instance for it in examples], [it.target for it in examples], 1)
    instances = [it.instance for it in examples[:20]]
    assert plain(other.predict(instances)) != plain(fitted.predict(instances))


def test_devices_are_checked_by_name():
    assert devices.pick_device("cpu") == "cpu"
    assert devices.pick_device("auto")
    for wanted in ("gpu", "cuda:x", "cuda:99", ""):
        with pytest.raises(devices.DeviceError):
            devices.pick_device(wanted)


def test_the_cpu_has_no_memory_to_cap_and_other_errors_are_not_its_lack():
    devices.limit_memory("cpu", 0.5)
    devices.free_memory("cpu")
    devices.sync("cpu")
    devices.seed(1)
    assert devices.memory("cpu") == (0, 0)
    assert not devices.is_out_of_memory(ValueError())


def test_the_memory_is_capped_before_a_device_is_asked_for(model_dir, monkeypatch):
    asked = []
    for name in ("limit_memory", "pick_device"):
        monkeypatch.setattr(devices, name, lambda *_, name=name: asked.append(name) or "cpu")
    model.load(model_dir, "cpu", 0.5)
    assert asked == ["limit_memory", "pick_device"]


def test_info_names_the_framework():
    assert devices.info()["framework"] == devices.NAME
