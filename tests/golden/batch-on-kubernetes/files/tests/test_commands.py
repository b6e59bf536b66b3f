"""The commands on a small model: what they write and say."""

from __future__ import annotations

import csv
import datetime
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import TOP, need, small

from it import (
    backend,
    batches,
    checkpoint,
    data,
    errors,
    files,
    footprint,
    model,
    predict,
    report,
    shrink,
    tasks,
    train,
)
from it.__main__ import main
from it.progress import Progress
from it.signals import Stop
from it.world import World

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
def source(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in data.made_up(20, 7)))
    return path


def items(count: int) -> list[data.Item]:
    return [data.Item.of(row) for row in data.made_up(count, 7)]


def said(capsys) -> dict:
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_eval_reports_on_test_data(trained, capsys):
    assert main(["eval", BASE, "--out", str(trained.parent), "--examples", "100"]) == 0
    told = said(capsys)
    assert told["test_loss"] > 0
    assert 0 < told["test_examples"] < 50
    folder = Path(told["report"]).parent
    found = json.loads((folder / "report.json").read_text())
    assert found["loss"] == told["test_loss"]
    page = (folder / "report.html").read_text()
    plots = sorted(path.stem for path in folder.glob("*.png"))
    assert "curves" in plots
    assert page.count("data:image/png;base64,") == len(plots) >= 2
    assert "http" not in page


def test_scores_of_labels_are_what_they_are_called():
    predicted, targets = np.array([0, 0, 1, 1, 1, 2]), np.array([0, 0, 0, 1, 1, 1])
    counts = report.confusion(predicted, targets, 4)
    assert counts[0].tolist() == [2, 1, 0, 0]
    found = report.of_labels(counts, ["a", "b", "c", "d"])
    assert found["labels"]["b"] == {
        "precision": pytest.approx(2 / 3),
        "recall": pytest.approx(2 / 3),
        "f1": pytest.approx(2 / 3),
        "examples": 3,
    }
    assert found["labels"]["d"] == {"precision": 0, "recall": 0, "f1": 0, "examples": 0}
    assert found["macro_f1"] == pytest.approx((0.8 + 2 / 3) / 4)


def test_eval_takes_the_data_of_the_model_unless_told_others(tmp_path, capsys):
    path, out = tmp_path / "rows.jsonl", tmp_path / "run"
    path.write_text("".join(json.dumps(row) + "\n" for row in data.made_up(300, 9)))
    run = train.train(small(out, data=str(path), test=0.3, epochs=1), Stop())
    assert main(["eval", "--out", str(out), "--device", "cpu"]) == 0
    assert said(capsys)["test_examples"] == len(run.task.test) > 50
    assert main(["eval", "--out", str(out), "--device", "cpu", "--test", "0.1"]) == 0
    assert said(capsys)["test_examples"] < len(run.task.test)


def test_eval_tests_with_every_row_of_a_file_that_was_held_out(trained, source, capsys):
    words = ["eval", "--out", str(trained.parent), "--device", "cpu"]
    assert main([*words, "--all", "--data", str(source), "--stream", "true", "--held", "5"]) == 0
    assert said(capsys)["test_examples"] == 20
    assert main([*words, "--all"]) == errors.BAD_INPUT
    assert "name data by --data" in capsys.readouterr().err


def test_eval_of_rows_of_which_none_is_for_the_test_is_refused(trained, tmp_path, capsys):
    path, parts = tmp_path / "rows.jsonl", batches.split(items(50), 0.1, 0.1)
    row = next(it for it in data.made_up(50, 7) if data.Item.of(it) in parts["train"])
    path.write_text(json.dumps(row) + "\n")
    words = ["--out", str(trained.parent), "--data", str(path)]
    assert main(["eval", BASE, *words]) == errors.BAD_INPUT
    assert f"{path}: too few rows: none" in capsys.readouterr().err


def test_labels_with_dollars_are_drawn_as_they_are():
    assert report._png(report._matrix(np.eye(2, dtype=np.int64), ["$0_$", r"$5\x$"]))


def test_numbers_are_scored_as_well():
    targets = np.array([1.0, 2.0, 3.0], np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "losses", lambda found, wanted: (found.ravel() - wanted) ** 2)
        found = tasks.scores(targets[:, None] + 1, targets, labels=False)
    assert found == pytest.approx({"loss": 1, "mean_error": 1, "r2": -0.5})


def test_predict_answers_each_row_with_its_id(trained, source, tmp_path, capsys):
    rows = [json.loads(line) for line in source.read_text().splitlines()]
    rows[3]["id"] = "the fourth"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "answers.jsonl"
    words = ["--model", str(trained), "--input", str(source), "--output", str(out)]
    assert main(["predict", BASE, *words]) == 0
    assert said(capsys) == {"rows": 20, "bad_rows": 0, "output": str(out)}
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    assert [it["id"] for it in answers] == [1, 2, 3, "the fourth", *range(5, 21)]
    it = model.load(trained, "cpu")
    expected = it.encoder.answer(it.predict([data.Item.of(rows[0])])[0])
    assert answers[0].keys() == {"id", *expected}
    assert not list(tmp_path.glob("answers.jsonl.part*"))
    table = tmp_path / "answers.csv"
    assert main(["predict", BASE, *words[:-1], str(table)]) == 0
    with table.open(newline="") as file:
        found = list(csv.DictReader(file))
    assert [{name: str(value) for name, value in it.items()} for it in answers] == found


class Later(Stop):
    """Says stop when it is asked for the third time."""

    asked = 0

    @property
    def reason(self) -> str:
        self.asked += 1
        return "a test" if self.asked > 2 else ""


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_predict_goes_on_where_it_was_stopped(trained, source, tmp_path, ending):
    it = model.load(trained, "cpu")
    whole, stopped = tmp_path / f"whole.{ending}", tmp_path / f"stopped.{ending}"
    predict.predict(it, str(source), whole, Stop(), batch=5)
    with pytest.raises(errors.Stopped, match="a test after 10 rows"):
        predict.predict(it, str(source), stopped, Later(), batch=5)
    part = stopped.with_name(stopped.name + ".part")
    part.write_bytes(part.read_bytes() + b"what a crash left")
    assert predict.predict(it, str(source), stopped, Stop(), batch=5).rows == 20
    assert stopped.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("other", ["model", "input"])
def test_answers_of_another_model_or_input_are_not_mixed(trained, source, tmp_path, caplog, other):
    it, out = model.load(trained, "cpu"), tmp_path / "answers.jsonl"
    lines = source.read_text().splitlines(keepends=True)
    sooner = tmp_path / "sooner.jsonl"
    sooner.write_text("".join(reversed(lines) if other == "input" else lines))
    old = replace(it, checksum="another" if other == "model" else it.checksum)

    with pytest.raises(errors.Stopped):
        predict.predict(old, str(sooner), out, Later(), batch=5)
    predict.predict(it, str(source), out, Stop(), batch=5)
    assert "another model or input" in caplog.text
    fresh = tmp_path / "fresh.jsonl"
    predict.predict(it, str(source), fresh, Stop(), batch=5)
    assert out.read_bytes() == fresh.read_bytes()


def test_a_bad_row_is_told_or_set_aside(trained, source, tmp_path, capsys):
    lines = source.read_text().splitlines(keepends=True)
    source.write_text("".join([*lines[:2], "{no json}\n", *lines[2:]]))
    out, bad = tmp_path / "answers.jsonl", tmp_path / "bad.jsonl"
    words = ["--model", str(trained), "--input", str(source), "--output", str(out)]
    assert main(["predict", BASE, *words]) == errors.BAD_INPUT
    assert f"{source}:3: column 2" in capsys.readouterr().err
    assert main(["predict", BASE, *words, "--bad-rows", str(bad)]) == 0
    assert said(capsys) == {"rows": 21, "bad_rows": 1, "output": str(out)}
    assert len(out.read_text().splitlines()) == 20
    assert json.loads(bad.read_text())["row"] == 3


def test_bad_rows_and_ids_of_parquet_are_written_too(trained, tmp_path, monkeypatch):
    path, out, bad = (tmp_path / name for name in ("rows.parquet", "out.jsonl", "bad.jsonl"))
    one, other = data.made_up(2, 7)
    day = datetime.date(2026, 1, 2)
    made = [{**one, "id": day, "error": ""}, {**other, "id": day, "error": "theirs"}]
    pq.write_table(pa.Table.from_pylist(made), path)
    real = data.Item.of

    def of(row):
        if row["error"]:
            raise ValueError("bad")
        return real({name: value for name, value in row.items() if name != "error"})

    monkeypatch.setattr(data.Item, "of", of)
    assert predict.predict(model.load(trained, "cpu"), str(path), out, Stop(), bad).bad == 1
    assert json.loads(out.read_text())["id"] == "2026-01-02"
    told = json.loads(bad.read_text())
    assert (told["row"], told["id"], told["error"]) == (2, "2026-01-02", f"{path}:row 2: bad")


def test_a_batch_that_does_not_fit_is_halved(trained, monkeypatch):
    it = model.load(trained, "cpu")
    expected = it.predict(items(5))
    real, sizes = it.learner.predict, []

    def small_device(inputs):
        sizes.append(len(next(iter(inputs.values()))))
        if sizes[-1] > 2:
            raise MemoryError("no room")
        return real(inputs)

    monkeypatch.setattr(it.learner, "predict", small_device)
    monkeypatch.setattr(backend, "is_out_of_memory", lambda error: isinstance(error, MemoryError))
    assert it.predict(items(5)) == pytest.approx(expected, abs=1e-5)
    assert sizes == [5, 2, 3, 1, 2]
    sizes.clear()
    assert tasks.evaluate(it.learner, batches.encode(items(5), it.encoder))["loss"] > 0
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
    need("accumulate")
    settings = make()
    encoder = tasks.load(settings).encoder

    def total(accumulate: int) -> int:
        few = replace(settings, batch=512, accumulate=accumulate)
        return backend.footprint(few, encoder, 1000).total

    assert total(8) < total(1) or backend.footprint(settings, encoder, 1000).activations is None


def test_each_of_several_processes_needs_its_part(make, monkeypatch):
    need("distributed", "accumulate")
    monkeypatch.setattr(footprint, "host_memory", lambda: 8000)
    task = tasks.load(make(batch=32))
    settings = make(batch=128, parallel="fsdp", accumulate=100)

    def estimate(size: int, **changes) -> tuple[footprint.Footprint, int | None]:
        it = replace(settings, **changes)
        return tasks.estimate(it, task, "cpu", World(size=size, here=size))

    one, limit = estimate(1, accumulate=1)
    ddp, its_limit = estimate(4, accumulate=1, parallel="ddp")
    assert (limit, its_limit) == (8000, 2000)
    assert ddp.weights == one.weights
    assert ddp.activations is None or 3 * ddp.activations < one.activations
    assert estimate(4)[0].weights == one.weights // 4


def test_what_nobody_knows_is_said():
    text = footprint.report(footprint.of_parameters(2**20, None), None)
    assert "activations not known" in text
    assert "total with a margin          4.8 MiB" in text


def test_bench_measures_the_cpu_and_admits_what_it_did_not(monkeypatch, tmp_path, capsys):
    tiny = {"examples": 40} | ({} if "minibatch" in backend.UNSUPPORTED else {"batch": 4})
    monkeypatch.setattr(backend, "BENCH", {"first": tiny, "second": tiny})
    out = tmp_path / "RESULTS.md"
    words = ["--rounds", "2", "--steps", "1", "--report", str(out)]
    assert main(["bench", BASE, *words]) == 0
    text = out.read_text()
    assert text == capsys.readouterr().out
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")]
    assert sum("ms" in row[3] for row in rows) >= len(backend.MODES)
    assert "| 1.0 x |" in text
    if backend.pick_device("auto") == "cpu":
        assert text.count("not measured") == 3 * len(backend.MODES)
    assert main(["bench", BASE, "--only", "third"]) == errors.BAD_INPUT
    assert "third is not one of first, second" in capsys.readouterr().err


def test_the_configurations_of_bench_are_good_settings(make):
    for configuration in backend.BENCH.values():
        for mode in backend.MODES.values():
            assert replace(make(), **configuration, **mode)


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


def test_data_writes_rows_that_can_be_read(tmp_path):
    path = tmp_path / "made-up.jsonl"
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
    assert np.isfinite(model.load(to, "cpu").predict(items(3))).all()


def test_shrink_takes_no_flag_that_it_would_ignore(trained, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["shrink", BASE, "--model", str(trained), "--data", "other.csv"])
    assert ended.value.code == errors.BAD_INPUT
    assert "--data" in capsys.readouterr().err


def test_shrink_compares_on_the_same_data(trained, tmp_path, capsys):
    need("shrink")
    words = ["--model", str(trained), "--to", str(tmp_path / "same"), "--prune", "0"]
    assert main(["shrink", BASE, *words, "--device", "cpu"]) == 0
    before, after = said(capsys)["loss"]
    assert before == pytest.approx(after)


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


def test_gauges_are_written_once_a_second_and_at_the_end(tmp_path, monkeypatch):
    written = []
    step = 0
    monkeypatch.setattr("time.monotonic", lambda: step / 128)
    monkeypatch.setattr(files, "write", lambda path, *_args, **_more: written.append(path.name))
    progress = Progress(tmp_path, 0)
    for step in range(1, 1001):
        progress.add(step, loss=1 / step)
    assert written.count("metrics.prom") == 8
    monkeypatch.undo()
    progress.close()
    assert "\nbatch_step 1000\n" in (tmp_path / "metrics.prom").read_text()


def test_only_the_first_process_writes_progress(tmp_path):
    Progress(tmp_path / "none", 0, quiet=True).add(1, loss=1.0)
    assert not (tmp_path / "none").exists()


def test_arrays_survive_packing():
    arrays = {"a": np.arange(3), "b": np.array(1.5)}
    assert checkpoint.unpack(checkpoint.pack(arrays))["b"].shape == ()
    with pytest.raises(ValueError, match=r"(?i)header"):
        checkpoint.unpack(b"nothing")
