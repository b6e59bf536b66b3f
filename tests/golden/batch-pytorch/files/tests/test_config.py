"""Settings: where they come from, what is refused, and the exit codes that follow."""

from __future__ import annotations

import pytest
from support import TOP

from pytorch_batch import (
    backend,
    config,
    errors,
    world,
)
from pytorch_batch.__main__ import main
from pytorch_batch.errors import InputError

PACKAGE = "pytorch_batch"


@pytest.mark.parametrize("name", sorted(file.stem for file in (TOP / "configs").glob("*.toml")))
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
    assert it.hidden == config.Settings().hidden


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
        ("batch", "-1", "batch: -1 is out of range"),
        ("learning_rate", "nan", "learning_rate: nan is out of range"),
        ("memory_fraction", "1.5", "memory_fraction"),
        ("memory_fraction", "0", "memory_fraction"),
        ("dropout", "1", "dropout"),
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
    it.refuse_unsupported({"bf16": "", "gradient_checkpointing": ""})


def test_free_settings_exist():
    assert {field.name for field in config.fields(config.Settings)} >= config.FREE


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
        "fused": "--fused=on",
        "unfused": "--fused=off",
        "accumulate": "--accumulate=2",
        "gradient_checkpointing": "--gradient-checkpointing=true",
        "memory_fraction": "--memory-fraction=0.5",
        "dropout": "--dropout=0.5",
        "layers": "--layers=2",
        "clip_norm": "--clip-norm=1",
        "embedding": "--embedding=7",
        "hidden": "--hidden=48",
        "minibatch": "--batch=8",
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


def test_a_bug_is_status_1(monkeypatch, tmp_path):
    monkeypatch.setattr(f"{PACKAGE}.reviews.make", lambda *_: 1 / 0)
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
    assert (it.rank, it.size, it.local, it.first) == (3, 4, 1, False)
