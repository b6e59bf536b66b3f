"""From tokens to text: characters, spaces and stop strings that are spread over tokens."""

from __future__ import annotations

import itertools

import pytest

from transformers_llm.text import Writer


def decode(tokens) -> str:
    return bytes(tokens).decode(errors="replace")


def write(text: str, stops=(), size: int = 1) -> tuple[list[str], bool]:
    """The pieces of a text that comes in tokens of one byte, `size` at a time."""
    writer = Writer(decode, stops)
    data = text.encode()
    pieces = []
    for i in range(0, len(data), size):
        pieces.append(writer.add(data[i : i + size]))
        if writer.stopped:
            break
    pieces.append(writer.end())
    return [piece for piece in pieces if piece], writer.stopped


@pytest.mark.parametrize("text", ["plain", "Grüß Gott", "日本語", "😀 and 🤖", "", "a\u0301"])
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_no_character_is_ever_sent_in_parts(text, size):
    pieces, _ = write(text, size=size)
    assert "".join(pieces) == text
    assert all("\ufffd" not in piece for piece in pieces)


def test_bytes_that_are_no_character_come_out_in_the_end():
    writer = Writer(decode)
    assert writer.add(b"a\xf0\x9f") == "a"
    assert writer.end() == "\ufffd"
    writer = Writer(decode)
    assert writer.add([0xFF] * 8) + writer.end() == "\ufffd" * 8


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize(
    ("stops", "expected"),
    [
        (["stop"], "begin st"),
        (["stop", "st"], "begin "),
        (["n st stop"], "begi"),
        (["never"], "begin st stop end"),
        (["end!"], "begin st stop end"),
        (["b"], ""),
        (["d"], "begin st stop en"),
    ],
)
def test_a_stop_string_ends_the_text_wherever_tokens_end(stops, expected, size):
    pieces, stopped = write("begin st stop end", stops, size)
    assert "".join(pieces).rstrip() == expected.rstrip()
    assert stopped == (expected != "begin st stop end")


def test_a_stop_string_of_several_bytes_each():
    pieces, stopped = write("ab😀😎cd", ["😎"])
    assert ("".join(pieces), stopped) == ("ab😀", True)


def test_only_what_may_become_a_stop_string_is_kept_back():
    writer = Writer(decode, ["aab"])
    assert [writer.add([byte]) for byte in b"xaaaab"] == ["x", "", "", "a", "a", ""]
    assert writer.stopped
    assert writer.end() == ""


def test_whatever_the_pieces_they_make_the_same_text():
    text, stops = "abcabcabx", ["abx", "cc"]
    for cuts in itertools.combinations(range(1, len(text)), 3):
        writer = Writer(decode, stops)
        edges = [0, *cuts, len(text)]
        pieces = [writer.add(text[i:j].encode()) for i, j in itertools.pairwise(edges)]
        assert "".join([*pieces, writer.end()]) == "abcabc"


def test_spaces_that_a_tokenizer_leaves_out_at_the_start_are_there_later():
    words = ["one", "two", "three"]

    def join(tokens) -> str:
        return " ".join(words[token] for token in tokens)

    writer = Writer(join)
    assert [writer.add([token]) for token in (0, 1, 2)] == ["one", " two", " three"]
