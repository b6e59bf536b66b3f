"""Settings: where they come from, what is refused, and the exit codes that follow."""

from __future__ import annotations

import errno
import os

import pytest
from support import TOP

from it import (
    backend,
    config,
    cpus,
    errors,
    schedules,
    world,
)
from it.__main__ import main
from it.errors import InputError

PACKAGE = "it"


FILES = {file.stem for file in (TOP / "configs").glob("*.toml")} - {"sweep"}


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_configurations_of_this_project_are_good(name):
    it = config.load([TOP / "configs/base.toml", TOP / f"configs/{name}.toml"], {})
    it.refuse_unsupported(backend.UNSUPPORTED)


def test_later_sources_win(tmp_path):
    file = tmp_path / "a.toml"
    file.write_text("epochs = 2\nbatch = 5\nlearning_rate = 1\n")
    other = tmp_path / "b.toml"
    other.write_text("batch = 6\n")
    given = {"BATCH_EPOCHS": "3", "BATCH_PINNED": "false", "PATH": "/"}
    it = config.load([file, other], given, {"epochs": "4"})
    assert (it.epochs, it.batch, it.learning_rate, it.pinned) == (4, 6, 1.0, False)
    assert it.patience == config.Settings().patience


@pytest.mark.parametrize(
    "name",
    [
        "BATCH_TASK_INDEX",
        "BATCH_TASK_COUNT",
        "BATCH_JOB_ID",
        "BATCH_HOSTS_FILE",
        "BATCH_MAIN_NODE_HOSTNAME",
        "BATCH_SERVICE_HOST",
        "BATCH_PORT",
        "BATCH_PORT_80_TCP_ADDR",
        "BATCH_STORE_SERVICE_PORT_HTTP",
        "BATCH_STORE_PORT",
        "BATCH_STORE_PORT_80_TCP",
    ],
)
def test_what_platforms_put_into_every_container_is_no_setting(name):
    assert config.load([], {name: "0", "BATCH_EPOCHS": "3"}) == config.Settings(epochs=3)


def test_no_setting_is_taken_for_a_variable_of_a_platform():
    for field in config.fields(config.Settings):
        assert not config.FOREIGN.match(f"BATCH_{field.name.upper()}"), field.name


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("epochs", "many", "epochs: 'many' is not of type int"),
        ("epochs", "0", "epochs: 0 is out of range"),
        ("seed", str(2**32), "seed: 4294967296 is out of range"),
        ("batch", "-1", "batch: -1 is out of range"),
        ("learning_rate", "nan", "learning_rate: nan is out of range"),
        ("memory_fraction", "1.5", "memory_fraction"),
        ("memory_fraction", "0", "memory_fraction"),
        ("test", "0.95", "test"),
        ("validation", "0", "validation"),
        ("accumulate", "33", "accumulate"),
        ("precision", "int8", "precision: 'int8'"),
        ("device", "gpu", "device: 'gpu'"),
        ("spot", "ibm", "spot"),
        ("pinned", "maybe", "pinned: 'maybe' is not of type bool"),
        ("epoch", "3", "no such setting: epoch"),
    ],
)
def test_bad_settings_are_named(name, value, message):
    with pytest.raises(InputError, match=message):
        config.load(
            [],
            {f"BATCH_{name.upper()}": value},
            {"batch": 32} | ({} if name != "batch" else {"batch": value}),
        )


@pytest.mark.parametrize("text", ["epochs = 'three'\n", "epochs = 3.5\n", "epochs = true\n", "x"])
def test_bad_files_are_refused(tmp_path, text):
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(InputError, match=r"epochs|a\.toml"):
        config.load([tmp_path / "a.toml"], {})
    with pytest.raises(InputError, match=r"none\.toml"):
        config.load([tmp_path / "none.toml"], {})


def test_what_the_backend_cannot_do_is_refused_with_the_reason():
    it = config.Settings(precision="fp16", accumulate=2, batch=4)
    assert {"fp16", "accumulate", "minibatch"} <= set(it.demands())
    with pytest.raises(InputError, match="fp16: it is not there"):
        it.refuse_unsupported({"fp16": "it is not there"})
    it.refuse_unsupported({"bf16": "", "distributed": ""})


def test_every_setting_has_a_line_of_help():
    for field in config.fields(config.Settings):
        assert 10 < len(field.metadata["help"]) < 80, field.name


def test_a_run_of_yesterday_has_what_is_new_today_at_its_neutral_value():
    now = config.fingerprint(config.Settings())
    added = {"schedule", "warmup", "weight_decay", "compile"}
    yesterday = {name: value for name, value in now.items() if name not in added}
    assert config.changed(yesterday, now) == []
    other = config.fingerprint(config.Settings(weight_decay=0.1, seed=1))
    assert config.changed(yesterday, other) == ["weight_decay", "seed"]
    assert config.changed({**yesterday, "gone": 1}, now) == []
    assert config.changed({}, {"seed": 0}) == ["seed"]


def test_more_epochs_are_the_same_run_unless_the_learning_rate_falls_with_them():
    for schedule in ("constant", "cosine"):
        few, more = (
            config.fingerprint(config.Settings(schedule=schedule, epochs=epochs))
            for epochs in (2, 3)
        )
        assert config.changed(few, more) == ([] if schedule == "constant" else ["epochs"])


def test_threads_are_those_that_were_asked_for_before_those_that_were_promised(
    tmp_path, monkeypatch
):
    words = ["doctor", "--device=cpu", f"--out={tmp_path}"]
    monkeypatch.setattr(cpus, "promised", lambda: 8)
    for variables, flags, threads in [
        ({}, [], 8),
        ({"LOCAL_WORLD_SIZE": "3"}, [], 2),
        ({"OMP_NUM_THREADS": "4"}, [], 4),
        ({"OMP_NUM_THREADS": "4"}, ["--threads=5"], 5),
    ]:
        with monkeypatch.context() as patch:
            for name in cpus.VARIABLES:
                patch.setenv(name, "")  # so that it is as before afterwards
                patch.delenv(name)
            for name, value in variables.items():
                patch.setenv(name, value)
            assert main([*words, *flags]) == 0
            assert os.environ["OMP_NUM_THREADS"] == str(threads)


@pytest.mark.parametrize(
    ("shape", "rates"),
    [
        ("constant", [0.5, 1, 1, 1, 1, 1]),
        ("linear", [0.5, 1, 1, 0.75, 0.5, 0.25]),
        ("cosine", [0.5, 1, 1, 0.853553, 0.5, 0.146447]),
    ],
)
def test_the_learning_rate_rises_and_falls(shape, rates):
    found = [schedules.rate(1.0, shape, 2, step, 6) for step in range(6)]
    assert found == pytest.approx(rates, abs=1e-6)


@pytest.mark.parametrize(
    "words",
    [
        ["train", "--epochs", "x"],
        ["train", "--no-such-flag"],
        ["no-such-command"],
        [],
        ["train", "--data", "none.csv"],
        ["train", "--examples", "3"],
        ["train", "--config", "none.toml"],
        ["eval", "--model", "none"],
        ["shrink", "--model", "none", "--prune", "1"],
    ],
)
def test_bad_input_is_status_42(words, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    try:
        status = main(words)
    except SystemExit as error:
        status = error.code
    assert status == errors.BAD_INPUT
    assert "error: " in capsys.readouterr().err


def test_every_unsupported_setting_ends_with_42_and_its_reason(capsys, tmp_path):
    asked = {
        "bf16": "--precision=bf16",
        "fp16": "--precision=fp16",
        "accumulate": "--accumulate=2",
        "memory_fraction": "--memory-fraction=0.5",
        "clip_norm": "--clip-norm=1",
        "minibatch": "--batch=8",
        "weight_decay": "--weight-decay=0.1",
        "compile": "--compile=true",
        "distributed": "--parallel=fsdp",
    }
    base = ["train", f"--config={TOP}/configs/base.toml", f"--out={tmp_path}", "--examples=100"]
    for name in set(asked) & set(backend.UNSUPPORTED):
        assert main([*base, asked[name]]) == errors.BAD_INPUT, name
        assert backend.UNSUPPORTED[name] in capsys.readouterr().err


def test_no_gpu_is_status_77(capsys, tmp_path):
    try:
        backend.pick_device("cuda:99")
    except errors.DeviceError as error:
        reason = str(error)
    words = ["train", "--device", "cuda:99", "--out", str(tmp_path), "--examples", "100"]
    config_file = f"--config={TOP}/configs/base.toml"
    assert main([*words, config_file]) == errors.NO_GPU
    assert reason in capsys.readouterr().err


def test_each_command_offers_what_it_reads_with_help_and_the_value_that_holds_now(
    capsys, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs/base.toml").write_text("epochs = 77\n")
    said = {}
    monkeypatch.setenv("BATCH_TEST", "0.25")
    for name in ("train", "predict", "eval", "doctor"):
        with pytest.raises(SystemExit):
            main([name, "--help"])
        said[name] = capsys.readouterr().out
    assert "(now: 77)" in said["train"]
    lines = {line.split()[0]: line for line in said["eval"].replace("\n    ", " ").split("\n  ")}
    assert "(now: the model's)" in " ".join(lines["--validation"].split())
    assert "(now: 0.25)" in " ".join(lines["--test"].split())
    for field in config.fields(config.Settings):
        assert f"--{field.name.replace('_', '-')} " in said["train"]
    assert "--device" in said["predict"]
    for name in ("predict", "eval", "doctor"):
        assert "--learning-rate" not in said[name]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_failure_of_the_disk_is_one_line_and_status_1(monkeypatch, tmp_path, capsys, number):
    def fail(_path: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("os.fsync", fail)
    words = ["train", f"--config={TOP}/configs/base.toml", f"--out={tmp_path}", "--device=cpu"]
    assert main([*words, "--examples=200"]) == errors.BUG
    said = capsys.readouterr().err
    assert f"error: {tmp_path}/metrics.jsonl: {os.strerror(number)}: " in said
    assert "Traceback" not in said


def test_a_bug_is_status_1(monkeypatch, tmp_path):
    monkeypatch.setattr(f"{PACKAGE}.data.made_up", lambda *_: 1 / 0)
    assert main(["data", "--to", str(tmp_path / "x.jsonl")]) == errors.BUG


@pytest.mark.parametrize(
    "given",
    [
        {"RANK": "2", "WORLD_SIZE": "2"},
        {"RANK": "-1"},
        {"WORLD_SIZE": "x"},
    ],
)
def test_a_world_that_makes_no_sense_is_refused(given):
    with pytest.raises(InputError, match="RANK"):
        world.from_environment(given)


def test_the_world_is_read_as_torchrun_tells_it():
    assert world.from_environment({}) == world.ALONE
    given = {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1"}
    it = world.from_environment(given)
    assert (it.rank, it.size, it.local, it.here, it.first) == (3, 4, 1, 1, False)
    assert world.from_environment({**given, "LOCAL_WORLD_SIZE": "2"}).here == 2
