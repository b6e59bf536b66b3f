"""From texts to numbers, and the order in which training sees them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pytorch_batch import data
from pytorch_batch.errors import InputError


def test_words_are_split_and_negations_found():
    assert data.split_words("It wasn't GOOD, no.") == ["it", "was", "not", "good", ",", "no", "."]
    assert data.split_words("isn\u2019t") == ["is", "not"]


def test_rows_are_padded_in_front_and_keep_the_last_words():
    words = data.Vocabulary.of(["b a a", "a c"], 4, 3)
    assert words.words == ["a", "b"]
    assert len(words) == 4
    rows = words.encode(["a", "a b c a", ""])
    assert rows.tolist() == [[0, 0, 2], [3, 1, 2], [0, 0, 0]]


def test_csv_and_json_lines_hold_the_same(tmp_path):
    expected = [data.Example("one, two", "a"), data.Example("three", "b")]
    table = tmp_path / "data.csv"
    table.write_text('text,label\n"one, two",a\nthree,b\n')
    lines = tmp_path / "data.jsonl"
    rows = [{"text": it.text, "label": it.label} for it in expected]
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert data.read(table) == data.read(lines) == expected


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "text,label\nx,a\ny,\n", "example 2 lacks"),
        ("a.csv", "text,label\nx,a\ny,a\n", "two labels"),
        ("a.csv", "", "two labels"),
        ("a.jsonl", '{"text": 1, "label": "a"}\n', "example 1 lacks"),
        ("a.jsonl", "{\n", "a.jsonl"),
        ("a.jsonl", "[1]\n", "object"),
    ],
)
def test_bad_data_is_refused_with_its_place(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        data.read(tmp_path / name)


def test_a_label_that_the_model_does_not_know_is_refused():
    words = data.Vocabulary(["a"], 3)
    with pytest.raises(InputError, match="'c'"):
        data.encode([data.Example("a", "c")], words, ["a", "b"])


def test_the_split_depends_on_the_texts_alone():
    examples = [data.Example(f"text {i}", "a") for i in range(100)]
    train, test = data.split(examples)
    assert len(train) + len(test) == 100
    assert 5 < len(test) < 40
    assert data.split(reversed(examples))[1] == test[::-1]


def numbered(count: int) -> data.Batch:
    return data.Batch(np.arange(count, dtype=np.int32)[:, None], np.zeros(count, dtype=np.int32))


def test_an_epoch_sees_each_example_at_most_once_in_another_order():
    order = data.Order(numbered(10), 3, seed=5)
    epochs = [[order.next().tokens.ravel().tolist() for _ in range(3)] for _ in range(2)]
    seen = [sorted(number for batch in epoch for number in batch) for epoch in epochs]
    assert all(len(set(it)) == 9 for it in seen)
    assert epochs[0] != epochs[1]


@pytest.mark.parametrize("taken", range(8))
def test_a_saved_order_continues_with_the_next_batch(taken):
    one, other = data.Order(numbered(10), 3, seed=5), data.Order(numbered(10), 3, seed=6)
    for _ in range(taken):
        one.next()
    state = json.loads(json.dumps(one.state()))
    expected = [one.next().tokens.tolist() for _ in range(9)]
    other.load(state)
    assert [other.next().tokens.tolist() for _ in range(9)] == expected


def test_size_zero_is_all_of_them_each_time():
    order = data.Order(numbered(10), 0, seed=5)
    assert order.steps_per_epoch == 1
    assert order.next().tokens.ravel().tolist() == list(range(10))
    assert order.ended_epoch


def test_parts_hold_everything_once():
    parts = numbered(10).parts(4)
    assert [len(part) for part in parts] == [3, 3, 2, 2]
    assert np.concatenate([part.tokens for part in parts]).ravel().tolist() == list(range(10))
    assert [len(part) for part in numbered(2).parts(4)] == [1, 1]
