"""Settings, features and data files."""

from __future__ import annotations

import pytest

from old_driver import config, data, features


def test_settings_come_from_the_environment():
    given = {"SERVE_PORT": "9", "SERVE_MAX_WAIT_MS": "2.5", "SERVE_DEVICE": "cuda:1", "PATH": "/"}
    settings = config.Settings.from_environment(given)
    assert (settings.port, settings.max_wait_ms, settings.device) == (9, 2.5, "cuda:1")


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
    for field in config.fields(config.Settings):
        assert not config.is_foreign(f"SERVE_{field.name.upper()}", "1")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SERVE_PORT", "many", "SERVE_PORT: 'many' is not of type int"),
        ("SERVE_MAX_BATCH", "0", "SERVE_MAX_BATCH: 0 is out of range"),
        ("SERVE_TIMEOUT_S", "nan", "SERVE_TIMEOUT_S: nan is out of range"),
        ("SERVE_MEMORY_FRACTION", "1.5", "SERVE_MEMORY_FRACTION: more than 1"),
        ("SERVE_PORT", "65536", "SERVE_PORT: no such port"),
        ("SERVE_LOG_LEVEL", "loud", "SERVE_LOG_LEVEL: 'loud' is not a level"),
        ("SERVE_QUEUE_SIZE", "1", "SERVE_QUEUE_SIZE: less than max_texts"),
        ("SERVE_PROT", "80", "no such setting: SERVE_PROT"),
    ],
)
def test_bad_settings_are_named(name, value, message):
    with pytest.raises(config.SettingsError, match=message):
        config.Settings.from_environment({name: value})


def test_features_tell_pairs_and_order_apart():
    buckets = 1 << 30
    assert set(features.extract("not good", buckets)) > set(features.extract("good", buckets))
    assert set(features.extract("a b", buckets)) != set(features.extract("b a", buckets))
    assert features.extract("Not GOOD!", buckets) == features.extract("not good", buckets)
    assert features.extract("", buckets) == []
    assert all(0 <= feature < 8 for feature in features.extract("many different words here", 8))


def test_bags_are_shares_and_all_of_a_text():
    rows = features.bags(["a a b", ""])
    assert rows.shape == (2, features.BUCKETS)
    assert rows[0].sum() == pytest.approx(1)
    assert rows[0, features.extract("a")[0]] == pytest.approx(2 / 5)
    assert not rows[1].any()


def test_csv_and_json_lines_hold_the_same(tmp_path):
    expected = [data.Example("one, two", "a"), data.Example("three", "b")]
    table = tmp_path / "data.csv"
    table.write_text('text,label\n"one, two",a\nthree,b\n')
    lines = tmp_path / "data.jsonl"
    lines.write_text('{"text": "one, two", "label": "a"}\n{"text": "three", "label": "b"}\n')
    assert data.read(table) == data.read(lines) == expected


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "text,label\nx,a\ny,\n", "example 2 lacks"),
        ("a.csv", "text,label\nx,a\ny,a\n", "two labels"),
        ("a.csv", "", "two labels"),
        ("a.jsonl", '{"text": 1, "label": "a"}\n', "example 1 lacks"),
        ("a.jsonl", "{\n", "a.jsonl"),
    ],
)
def test_bad_data_is_refused_with_its_place(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(data.DataError, match=message):
        data.read(tmp_path / name)


def test_the_split_depends_on_the_texts_alone():
    examples = [data.Example(f"text {i}", "a") for i in range(100)]
    train, test = data.split(examples)
    assert len(train) + len(test) == 100
    assert 5 < len(test) < 40
    assert data.split(reversed(examples))[1] == test[::-1]
