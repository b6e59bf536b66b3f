"""Settings and data files."""

from __future__ import annotations

import dataclasses
import json

import pytest

from it import (
    config,
    data,
    schemas,
    settings,
)


def test_settings_come_from_the_environment():
    given = {"SERVE_PORT": "9", "SERVE_MAX_WAIT_MS": "2.5", "SERVE_DEVICE": "cuda:1", "PATH": "/"}
    found = config.Settings.from_environment({**given, "SERVE_ACCESS_LOG": "true"})
    assert (found.port, found.max_wait_ms, found.device) == (9, 2.5, "cuda:1")
    assert found.access_log is True


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SERVE_FILMS_SERVICE_HOST", "10.0.0.1"),
        ("SERVE_FILMS_SERVICE_PORT_HTTP", "80"),
        ("SERVE_FILMS_PORT", "tcp://10.0.0.1:80"),
        ("SERVE_FILMS_PORT_80_TCP_ADDR", "10.0.0.1"),
        ("SERVE_SERVICE_HOST", "10.0.0.1"),
        ("SERVE_PORT", "tcp://10.0.0.1:80"),
        ("SERVE_PORT_80_TCP", "tcp://10.0.0.1:80"),
    ],
)
def test_what_kubernetes_puts_into_every_container_is_no_setting(name, value):
    given = {name: value, "SERVE_MAX_BATCH": "9"}
    assert config.Settings.from_environment(given) == config.Settings(max_batch=9)


def test_no_setting_is_taken_for_a_variable_of_kubernetes():
    for field in dataclasses.fields(config.Settings):
        assert not settings.is_foreign(f"SERVE_{field.name.upper()}", "1")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SERVE_PORT", "many", "SERVE_PORT: 'many' is not of type int"),
        ("SERVE_MAX_BATCH", "0", "SERVE_MAX_BATCH: 0 is out of range"),
        ("SERVE_TIMEOUT_S", "nan", "SERVE_TIMEOUT_S: nan is out of range"),
        ("SERVE_MEMORY_FRACTION", "1.5", "SERVE_MEMORY_FRACTION: more than 1"),
        ("SERVE_PORT", "65536", "SERVE_PORT: no such port"),
        ("SERVE_LOG_LEVEL", "loud", "SERVE_LOG_LEVEL: 'loud' is not a level"),
        ("SERVE_ACCESS_LOG", "maybe", "SERVE_ACCESS_LOG: 'maybe' is not of type bool"),
        ("SERVE_PROT", "80", "no such setting: SERVE_PROT"),
    ],
)
def test_bad_settings_are_named(name, value, message):
    with pytest.raises(settings.SettingsError, match=message):
        config.Settings.from_environment({name: value})


ROWS = [{"x": "one, two", "y": "1"}, {"x": "three", "y": "2"}]


def test_csv_and_json_lines_hold_the_same(tmp_path):
    table = tmp_path / "data.csv"
    table.write_text('\ufeffx,y\n"one, two",1\nthree,2\n')
    lines = tmp_path / "data.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n\n" for row in ROWS))
    assert list(data.rows(table)) == list(data.rows(lines)) == ROWS


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "", "no examples"),
        ("a.csv", "no,such\n1,2\n", "example 1 has no '"),
        ("a.jsonl", "1\n", "example 1: "),
        ("a.jsonl", "\n\n{\n", "a.jsonl: line 3: Expecting"),
        ("a.jsonl", "\n", "no examples"),
        ("b.csv", None, "No such file"),
    ],
)
def test_bad_data_is_refused_with_its_place(tmp_path, name, text, message):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(data.DataError, match=message):
        data.read(tmp_path / name)


def test_what_has_the_wrong_type_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(schemas, "example", lambda row: (None, row["x"]))
    (tmp_path / "a.csv").write_text("x\n1\n")
    with pytest.raises(data.DataError, match=r"a\.csv: example 1: \w"):
        data.read(tmp_path / "a.csv")


def test_the_split_depends_on_the_instances_alone(data_file):
    examples = data.read(data_file)
    train, test = data.split(examples)
    assert len(train) + len(test) == len(examples)
    assert 0.05 < len(test) / len(examples) < 0.4
    assert data.split(reversed(examples))[1] == test[::-1]


def test_a_file_of_which_nothing_is_left_to_learn_from_is_refused(tmp_path, monkeypatch):
    from it import train

    monkeypatch.setattr(data, "read", lambda _: [data.Example(schemas.EXAMPLES[0], "x")])
    monkeypatch.setattr(data, "split", lambda examples: ([], examples))
    with pytest.raises(data.DataError, match="there must be more"):
        train.train(tmp_path / "a.csv", tmp_path / "model", "cpu")
