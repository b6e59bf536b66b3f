"""From files to batches: what is read, how it is split, and the order in which training sees it."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from contextlib import closing
from dataclasses import replace
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from it import (
    batches,
    config,
    data,
    rows,
    streams,
    tasks,
    train,
)
from it.errors import (
    InputError,
    Stopped,
)
from it.signals import Stop


def read(path):
    return [it.row for it in rows.read([path])]


def test_csv_and_json_lines_hold_the_same(tmp_path):
    expected = [{"a": "one, two", "b": "x\ny"}, {"a": "three", "b": "z" * 200_000}]
    table, lines = tmp_path / "data.csv", tmp_path / "data.jsonl"
    table.write_text(f'a,b\n"one, two","x\ny"\nthree,{expected[1]["b"]}\n', encoding="utf-8-sig")
    lines.write_text("\n".join(json.dumps(row) for row in expected) + "\n\n")
    assert read(table) == read(lines) == expected


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "a,b\nx,1\ny\n", r"a\.csv:3: not the 2 fields"),
        ("a.csv", "a,b\n\nx,1,2\n", r"a\.csv:3: not the 2 fields"),
        ("a.jsonl", '{"a": 1}\n\n{\n', r"a\.jsonl:3: column \d: Exp"),
        ("a.jsonl", "[1]\n", r"a\.jsonl:1: not an object"),
        ("a.jsonl", "\udcff", "a.jsonl: 'utf-8' codec"),
        ("a.xls", "", "its name must end with"),
    ],
)
def test_bad_files_are_refused_with_the_line(tmp_path, name, text, message):
    (tmp_path / name).write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(InputError, match=message):
        [rows.item_of(it) for it in rows.read([tmp_path / name]) if it.wrong]


def test_a_row_without_a_label_is_refused_where_it_stands():
    row, said = data.made_up(1, 0)[0], []
    for column in row:
        less = {name: value for name, value in row.items() if name != column}
        try:
            list(rows.items([rows.Placed("x:1", less)]))
        except InputError as error:
            said.append(str(error))
    assert any("x:1: it has no label; its columns are" in text for text in said)


def test_files_are_found_by_a_pattern_in_the_order_of_their_names(tmp_path):
    for name in ("b.csv", "a.csv", "c.txt"):
        (tmp_path / name).write_text("x\n")
    assert rows.paths(f"{tmp_path}/*.csv") == [tmp_path / "a.csv", tmp_path / "b.csv"]
    with pytest.raises(InputError, match="there is no such file"):
        rows.paths(f"{tmp_path}/*.none")


def test_the_checksum_is_that_of_the_contents(tmp_path):
    for name, text in (("a", "x"), ("b", "x"), ("c", "y")):
        (tmp_path / name).write_text(text)
    one, same, other = (rows.checksum([tmp_path / name]) for name in "abc")
    assert one == same != other


@pytest.mark.parametrize("stream", [False, True])
def test_who_is_told_to_stop_while_data_are_read_leaves_at_once(make, tmp_path, stream):
    path, settings = tmp_path / "rows.jsonl", make(data=str(tmp_path / "rows.jsonl"), stream=stream)
    path.write_text("".join(json.dumps(row) + "\n" for row in data.made_up(1200, 1)) + "no row")
    stop = Stop()
    stop.ask("a test")
    with pytest.raises(Stopped, match="a test while the data were read"):
        train.train(settings, stop)
    assert not (tmp_path / "run").exists()
    late = Stop()
    late.limit(1e-9)  # its time is over: all are read, since the next start would come no further
    with pytest.raises(InputError, match=r"rows\.jsonl:1201"):
        train.train(settings, late)


def test_a_checksum_of_large_files_heeds_who_says_stop(tmp_path):
    path, stop = tmp_path / "large", Stop()
    path.write_bytes(bytes(rows.LARGE + 1))
    one = hashlib.sha256(path.read_bytes()).digest()
    assert rows.checksum([path, path], stop) == hashlib.sha256(one + one).hexdigest()
    stop.ask("a test")
    with pytest.raises(Stopped, match="a test while the data were read"):
        rows.checksum([path], stop)


def items(count: int) -> list[data.Item]:
    return [data.Item.of(row) for row in data.made_up(count, 1)]


def test_the_split_depends_on_the_items_alone():
    found = items(1000)
    parts = batches.split(found, 0.1, 0.2)
    assert sum(map(len, parts.values())) == 1000
    assert 50 < len(parts["validation"]) < 150 < len(parts["test"]) < 250
    assert batches.split(reversed(found), 0.1, 0.2)["test"] == parts["test"][::-1]
    keys = {name: {item.key for item in part} for name, part in parts.items()}
    assert not keys["train"] & keys["test"] | keys["train"] & keys["validation"]


def test_an_encoder_is_the_same_when_it_was_written_and_read():
    found = items(50)
    one = data.Encoder.fit(found, config.Settings())
    other = data.Encoder.load(json.loads(json.dumps(one.state())))
    for name, array in one.inputs(found).items():
        assert array.tobytes() == other.inputs(found)[name].tobytes()
    assert one.targets(found).tobytes() == other.targets(found).tobytes()


def test_an_encoder_tells_shapes_without_any_item():
    encoder = data.Encoder.fit(items(50), config.Settings())
    for name, array in encoder.inputs([]).items():
        some = encoder.inputs(items(3))[name]
        assert (array.shape, array.dtype) == ((0, *some.shape[1:]), some.dtype)
    assert encoder.targets([]).shape[0] == 0


def test_the_largest_items_can_be_encoded():
    encoder, found = data.largest(config.Settings(), 5)
    assert len(batches.encode(found, encoder)) == 5


def numbered(count: int) -> batches.Batch:
    return batches.Batch({"numbers": np.arange(count)}, np.zeros(count, dtype=np.int32))


def numbers(batch: batches.Batch) -> list[int]:
    return batch.inputs["numbers"].tolist()


def test_an_epoch_sees_each_example_at_most_once_in_another_order():
    order = batches.Order(numbered(10), 3, seed=5)
    epochs = [[numbers(order.next()) for _ in range(3)] for _ in range(2)]
    seen = [sorted(number for batch in epoch for number in batch) for epoch in epochs]
    assert all(len(set(it)) == 9 for it in seen)
    assert epochs[0] != epochs[1]


@pytest.mark.parametrize("taken", range(8))
def test_a_saved_order_continues_with_the_next_batch(taken):
    one, other = batches.Order(numbered(10), 3, seed=5), batches.Order(numbered(10), 3, seed=6)
    for _ in range(taken):
        one.next()
    state = json.loads(json.dumps(one.state()))
    expected = [numbers(one.next()) for _ in range(9)]
    other.load(state)
    assert [numbers(other.next()) for _ in range(9)] == expected


def written(folder, rows_each, ending):
    """Files of numbered rows."""
    for number, start in enumerate(range(0, 2 * rows_each, rows_each)):
        found = [{"number": start + at} for at in range(rows_each)]
        path = folder / f"{number}.{ending}"
        if ending == "parquet":
            pq.write_table(pa.Table.from_pylist(found), path, row_group_size=7)
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in found))
    return rows.paths(f"{folder}/*.{ending}")


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
@pytest.mark.parametrize("skip", [0, 1, 7, 10, 29, 30, 44, 60])
def test_rows_are_read_from_any_of_them_on(tmp_path, ending, skip):
    found = [it.row["number"] for it in rows.read(written(tmp_path, 30, ending), skip)]
    assert found == list(range(skip, 60))


class Numbers:
    """An encoder of numbers as they are."""

    def inputs(self, items):
        return {"numbers": np.array(items)}

    def targets(self, items):
        return np.zeros(len(items), dtype=np.int32)


def stream(count: int, size: int, window: int) -> streams.Stream:
    def items(row):
        # Every third row is for validation.
        return ((at, at) for at in range(row, count) if at % 3)

    found = sum(bool(at % 3) for at in range(count))
    return streams.Stream(streams.Source(items, Numbers(), found), size, 5, window)


def test_a_stream_sees_each_item_at_most_once_an_epoch():
    it = stream(100, 4, 20)  # 66 items: 16 batches, in windows of 5
    epochs = [[numbers(it.next()) for _ in range(16)] for _ in range(2)]
    for epoch in epochs:
        seen = [number for batch in epoch for number in batch]
        assert len(set(seen)) == 64
        assert sorted(seen[:20]) == [at for at in range(30) if at % 3]
        assert seen != sorted(seen)
    assert epochs[0] != epochs[1]
    assert it.ended_epoch


@pytest.mark.parametrize("taken", [0, 1, 4, 5, 6, 15, 16, 17, 21, 32])
def test_a_saved_stream_continues_with_the_next_batch(taken):
    one, other = stream(100, 4, 20), stream(100, 4, 20)
    for _ in range(taken):
        one.next()
    state = json.loads(json.dumps(one.state()))
    expected = [numbers(one.next()) for _ in range(20)]
    other.next()
    other.load(state)
    assert [numbers(other.next()) for _ in range(20)] == expected


@pytest.fixture(scope="module")
def encoded():
    """Batches of a stream, after how many, and by how many workers."""
    made = items(300)
    encoder = data.Encoder.fit(made, config.Settings())
    source = streams.Source(lambda row: enumerate(made[row:], row), encoder, len(made))

    def encoded(workers: int, taken: int, count: int) -> list[bytes]:
        found = []
        with closing(streams.Stream(source, 16, 5, 64)) as one:
            for _ in range(taken):
                one.next()
            state = json.loads(json.dumps(one.state()))
        with closing(streams.Stream(source, 16, 5, 64, workers)) as other:
            other.load(state)
            for _ in range(count):
                batch = other.next()
                arrays = [*batch.inputs.values(), batch.targets]
                found.append(b"".join(array.tobytes() for array in arrays))
        return found

    return encoded


@pytest.mark.parametrize(("workers", "taken"), [(1, 0), (2, 7), (3, 18)])
def test_any_number_of_workers_makes_the_same_batches_in_the_same_order(encoded, workers, taken):
    expected = encoded(0, 0, 45)
    assert len(set(expected)) > 40
    assert encoded(workers, taken, 45 - taken) == expected[taken:]


@pytest.mark.parametrize("workers", [0, 1])
def test_what_is_wrong_with_an_item_is_told_whoever_encodes_it(workers):
    # Something that a worker can be given, and that fails there: a list is no JSON.
    encoder = SimpleNamespace(inputs=json.loads, targets=len)
    source = streams.Source(lambda row: enumerate(range(row, 50), row), encoder, 50)
    with (
        closing(streams.Stream(source, 5, 1, 10, workers)) as order,
        pytest.raises(TypeError, match="JSON object must be str"),
    ):
        order.next()


def test_a_stream_knows_all_rows_though_the_encoder_needs_few(monkeypatch):
    settings = config.Settings(examples=400, stream=True, batch=20)
    real, count = data.Encoder.fit, len(tasks.load(settings).train)
    few = staticmethod(lambda items, options: real(list(islice(items, 50)), options))
    monkeypatch.setattr(data.Encoder, "fit", few)
    found = tasks.load(settings)
    assert len(found.train) == count
    assert len(found.test) > 10


def test_a_stream_holds_two_windows_not_the_data(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in data.made_up(500, 1)) * 8)
    settings = config.Settings(data=str(path), held=50, window=80, batch=20)

    def peak(stream: bool) -> int:
        tracemalloc.start()
        task = tasks.load(replace(settings, stream=stream))
        order = tasks.order(settings, task)
        for _ in range(order.steps_per_epoch):
            order.next()
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(True)  # which imports some modules
    assert peak(True) < peak(False) / 4


def test_size_zero_is_all_of_them_each_time():
    order = batches.Order(numbered(10), 0, seed=5)
    assert order.steps_per_epoch == 1
    assert numbers(order.next()) == list(range(10))
    assert order.ended_epoch


def test_parts_hold_everything_once():
    parts = numbered(10).parts(4)
    assert [len(part) for part in parts] == [3, 3, 2, 2]
    assert [number for part in parts for number in numbers(part)] == list(range(10))
    assert [len(part) for part in numbered(2).parts(4)] == [1, 1]
