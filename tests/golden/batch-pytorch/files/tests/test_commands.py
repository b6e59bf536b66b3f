"""The commands on a small model: what they write and say."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from support import TOP, need, small

from pytorch_batch import (
    backend,
    bench,
    checkpoint,
    errors,
    footprint,
    model,
    predict,
    shrink,
    train,
)
from pytorch_batch.__main__ import main
from pytorch_batch.progress import Progress
from pytorch_batch.signals import Stop

BASE = f"--config={TOP}/configs/base.toml"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A model of a small run."""
    out = tmp_path_factory.mktemp("trained")
    train.train(small(out), Stop())
    return out / "model"


@pytest.fixture
def copy(trained, tmp_path):
    """A model that may be damaged."""
    return shutil.copytree(trained, tmp_path / "copy")


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps({"text": f"the film was {i}"}) + "\n" for i in range(20)))
    return path


def said(capsys) -> dict:
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_eval_tells_loss_and_accuracy(trained, capsys):
    assert main(["eval", BASE, "--out", str(trained.parent), "--examples", "100"]) == 0
    assert 0 <= said(capsys)["accuracy"] <= 1


def test_predict_answers_each_text(trained, texts, tmp_path, capsys):
    out = tmp_path / "answers.jsonl"
    words = ["--model", str(trained), "--input", str(texts), "--output", str(out)]
    assert main(["predict", BASE, *words]) == 0
    assert said(capsys)["texts"] == 20
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(answers) == 20
    assert all(it["label"] in ("negative", "positive") for it in answers)
    assert not out.with_name("answers.jsonl.part").exists()


def test_predict_goes_on_where_it_was_stopped(trained, texts, tmp_path):
    it = model.load(trained, "cpu")
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    predict.predict(it, texts, whole, Stop(), batch=5)
    stop = Stop()
    stop.ask("a test")
    with pytest.raises(errors.Stopped, match="a test after 0 texts"):
        predict.predict(it, texts, stopped, stop, batch=5)
    lines = whole.read_bytes().splitlines(keepends=True)
    (tmp_path / "stopped.part").write_bytes(b"".join(lines[:10]) + lines[10][:7])
    assert predict.predict(it, texts, stopped, Stop(), batch=5) == 20
    assert stopped.read_bytes() == whole.read_bytes()


def test_a_batch_that_does_not_fit_is_halved(trained, monkeypatch):
    it = model.load(trained, "cpu")
    expected = it.classify(["good", "bad", "not good", "x", "y"])
    real, sizes = it.learner.predict, []

    def small_device(tokens):
        sizes.append(len(tokens))
        if len(tokens) > 2:
            raise MemoryError("no room")
        return real(tokens)

    monkeypatch.setattr(it.learner, "predict", small_device)
    monkeypatch.setattr(backend, "is_out_of_memory", lambda error: isinstance(error, MemoryError))
    scores = it.classify(["good", "bad", "not good", "x", "y"])
    assert scores == pytest.approx(expected, abs=1e-5)
    assert sizes == [5, 2, 3, 1, 2]


def test_changed_weights_are_refused(copy):
    path = next(copy.glob("weights-*"))
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(errors.InputError, match="not the file"):
        model.load(copy, "cpu")


def test_a_model_of_another_format_or_framework_is_refused(copy):
    manifest = json.loads((copy / "manifest.json").read_text())
    for change, message in (({"format": 9}, "format 9"), ({"framework": "x"}, "made by x")):
        (copy / "manifest.json").write_text(json.dumps({**manifest, **change}))
        with pytest.raises(errors.InputError, match=message):
            model.load(copy, "cpu")


def test_a_run_that_cannot_fit_is_refused_before_it_starts(make, monkeypatch):
    settings = make()
    monkeypatch.setattr(footprint, "host_memory", lambda: 1000)
    with pytest.raises(errors.InputError, match="MiB may be taken: raise accumulate"):
        train.train(settings, Stop())
    assert not Path(settings.out).exists()


def test_a_shared_gpu_leaves_what_is_free_and_no_more_than_the_cap():
    assert footprint.allowed(500, 1000, 1.0) == 500
    assert footprint.allowed(500, 1000, 0.25) == 250
    assert footprint.allowed(None, 1000, 0.5) == 500
    assert footprint.allowed(500, 0, 0.5) == 500
    assert footprint.allowed(None, 0, 1.0) is None
    footprint.check(footprint.of_parameters(10, 10), None)


def test_the_hosts_memory_is_what_the_cgroup_leaves(tmp_path):
    assert footprint.host_memory(tmp_path) is None
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemAvailable:     100 kB\n")
    assert footprint.host_memory(tmp_path) == 102_400
    (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
    (tmp_path / "sys/fs/cgroup/memory.current").write_text("1000\n")
    (tmp_path / "sys/fs/cgroup/memory.max").write_text("5000\n")
    assert footprint.host_memory(tmp_path) == 4000
    (tmp_path / "sys/fs/cgroup/memory.max").write_text("max\n")
    assert footprint.host_memory(tmp_path) == 102_400


def test_estimate_prints_the_parts(capsys):
    assert main(["estimate", BASE, "--device", "cpu"]) == 0
    text = capsys.readouterr().out
    assert "weights" in text
    assert "total with a margin" in text


def test_less_is_needed_with_smaller_parts(make):
    def total(**changes):
        return backend.footprint(make(**changes), 1000, 2, 1000).total

    if "accumulate" not in backend.UNSUPPORTED:
        assert total(batch=512, accumulate=8) < total(batch=512)
    if "gradient_checkpointing" not in backend.UNSUPPORTED:
        long = {"batch": 512, "length": 256}
        assert total(**long, gradient_checkpointing=True) < total(**long)


def test_bench_measures_the_cpu_and_admits_what_it_did_not(monkeypatch, tmp_path, capsys):
    tiny = {"embedding": 8, "hidden": 8, "batch": 4, "length": 6, "examples": 40}
    monkeypatch.setattr(bench, "CONFIGURATIONS", {"tutorial": tiny, "large": tiny})
    monkeypatch.setattr(bench, "VOCABULARY", 50)
    out = tmp_path / "RESULTS.md"
    words = ["--rounds", "2", "--steps", "1", "--report", str(out)]
    assert main(["bench", BASE, *words]) == 0
    text = out.read_text()
    assert text == capsys.readouterr().out
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")]
    assert sum("ms" in row[3] for row in rows) >= len(bench.modes())
    assert "| 1.0 x |" in text
    if backend.pick_device("auto") == "cpu":
        assert text.count("not measured") == 3 * len(bench.modes())
    for reason in bench.missing().values():
        assert reason in text


def test_profile_leaves_something_to_look_at(tmp_path, capsys):
    words = ["--out", str(tmp_path / "run"), "--profile", "2", "--device", "cpu"]
    assert main(["profile", BASE, *words]) == 0
    folder = tmp_path / "run-profile/profile"
    assert said(capsys)["profile"] == str(folder)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    assert all(path.stat().st_size for path in files)
    assert main(["profile", BASE, *words]) == 0


def test_profile_leaves_the_field_to_other_profilers(tmp_path, capsys):
    words = ["--out", str(tmp_path / "run"), "--profile", "1", "--device", "cpu", "--plain"]
    assert main(["profile", BASE, *words]) == 0
    assert said(capsys) == {"profile": None, "steps": 1}
    assert not (tmp_path / "run-profile/profile").exists()


def test_data_writes_reviews_that_can_be_read(tmp_path):
    path = tmp_path / "reviews.jsonl"
    assert main(["data", "--to", str(path), "--examples", "200"]) == 0
    assert len(path.read_text().splitlines()) == 200
    words = ["--data", str(path), "--epochs", "1", "--out", str(tmp_path / "run")]
    assert main(["train", BASE, *words]) == 0


def test_shrink_prunes_and_quantizes(trained, tmp_path, capsys):
    need("shrink")
    to = tmp_path / "small"
    words = ["--model", str(trained), "--to", str(to), "--prune", "0.5", "--quantize"]
    assert main(["shrink", BASE, *words, "--device", "cpu"]) == 0
    told = said(capsys)
    assert told["bytes"][1] < told["bytes"][0] / 2
    assert told["zeros"] == pytest.approx(0.5, abs=0.05)
    scores = model.load(to, "cpu").classify(["a film"])
    assert scores.sum() == pytest.approx(1, abs=1e-5)


def test_quantized_arrays_expand_to_nearly_the_same():
    matrix = np.random.default_rng(0).normal(size=(20, 30)).astype(np.float32)
    arrays = {"matrix": matrix, "bias": np.ones(3, np.float32), "zero": np.zeros((20, 30), "f4")}
    small_arrays = shrink.quantize(arrays)
    assert small_arrays["matrix"].dtype == np.int8
    found = shrink.expand(small_arrays)
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        assert np.abs(found[name] - array).max() <= np.abs(array).max() / 127
    assert shrink.sparsity(shrink.prune(arrays, 0.25)) == pytest.approx((150 + 600) / 1200)


def test_progress_of_a_resumed_run_holds_each_step_once(tmp_path):
    first = Progress(tmp_path, 0)
    for step in (1, 2, 3):
        first.add(step, loss=1 / step)
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 4, "lo')
    second = Progress(tmp_path, 2)
    second.add(3, loss=0.5)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [it["step"] for it in lines] == [1, 2, 3]
    assert lines[2]["loss"] == 0.5
    text = (tmp_path / "metrics.prom").read_text()
    assert "# TYPE batch_loss gauge\nbatch_loss 0.5\n" in text
    assert text.endswith("\n")


def test_only_the_first_process_writes_progress(tmp_path):
    Progress(tmp_path / "none", 0, quiet=True).add(1, loss=1.0)
    assert not (tmp_path / "none").exists()


def test_arrays_survive_packing():
    arrays = {"a": np.arange(3), "b": np.array(1.5)}
    assert checkpoint.unpack(checkpoint.pack(arrays))["b"].shape == ()
    with pytest.raises(ValueError, match=r"(?i)header"):
        checkpoint.unpack(b"nothing")
