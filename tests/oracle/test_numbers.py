"""Numbers and characters, many at once: printed, rounded and converted as Python does it."""

import math
import os
import random
import struct
import unicodedata

import pytest

from . import oracle

REAL = (
    "{% for x in xs %}{{ x }} {{ -x }} {{ x|round(n) }} {{ x|tojson }} {{ '%.*e' % (n|abs, x) }}"
    " {{ '%.*f' % (n|abs, x) }} {{ '%g' % x }}\n{% endfor %}"
)
INTEGER = (
    "{% for a, b in xs %}{{ a / b }} {{ a // b }} {{ a % b }} {{ a < b }} {{ a == b }}"
    " {{ a|round(n) }} {{ '%d|%x|%20d' % (a, a, b) }}\n{% endfor %}"
)
MIXED = (
    "{% for a, b in xs %}{{ a == b }} {{ a < b }} {{ a <= b }} {{ b < a }} {{ a in [b] }}\n"
    "{% endfor %}"
)
CASES = (
    "{% for c in xs %}[{{ c|upper }}|{{ c|lower }}|{{ c|capitalize }}|{{ c|title }}"
    "|{{ c.title() }}]\n{% endfor %}"
)
SIGMAS = (
    "{% for c in xs %}{{ ('A' ~ c ~ '\u03a3')|lower }} {{ ('A\u03a3' ~ c ~ 'a')|lower }}"
    " {{ ('x' ~ c ~ 'Y').title() }}\n{% endfor %}"
)
QUOTES = "{% for c in xs %}{{ [c] }}{{ c|tojson }}\n{% endfor %}"
BLANKS = (
    "{% for c in xs %}{{ [c|trim] }}{{ ('a' ~ c ~ 'b').split()|length }}"
    "{{ ('a' ~ c ~ 'b').splitlines()|length }}{{ c|int(9) }}{{ c|float(9) }}\n{% endfor %}"
)


@pytest.fixture
def numbers(record_property):
    seed = int(os.environ.get("SEED") or 20261121)
    record_property("SEED", seed)
    print(f"SEED={seed}")
    return random.Random(seed)


def any_real(numbers):
    """Every bit pattern is as likely: most are huge or tiny."""
    while True:
        x = struct.unpack("<d", numbers.getrandbits(64).to_bytes(8, "little"))[0]
        if math.isfinite(x):
            return x


def usual_real(numbers):
    """What people write: few digits, often halfway between two."""
    return numbers.randrange(-(10**6), 10**6) / numbers.choice([1, 2, 8, 10, 100, 1000, 16, 40])


def any_integer(numbers):
    value = numbers.getrandbits(numbers.randrange(1, 64))
    return numbers.choice([value, -value])


def check(ours, template, **context):
    assert ours.ask(template, context) == {"out": oracle.theirs(template, context)}


@pytest.mark.parametrize("kind", [any_real, usual_real])
def test_floats_print_and_round_as_in_python(ours, numbers, kind):
    for places in (-3, -1, 0, 1, 2, 5, 15):
        check(ours, REAL, xs=[kind(numbers) for _ in range(200)], n=places)


def test_integers_divide_and_round_as_in_python(ours, numbers):
    for places in (-18, -10, -2, -1, 0, 3):
        limit = 5 * 10**18 - 1  # rounds to what still fits
        pairs = [
            [max(-limit, min(limit, any_integer(numbers))), any_integer(numbers) or 1]
            for _ in range(300)
        ]
        check(ours, INTEGER, xs=pairs, n=places)


def test_integers_and_floats_compare_exactly(ours, numbers):
    pairs = []
    for _ in range(500):
        i = any_integer(numbers)
        near = math.nextafter(float(i), numbers.choice([math.inf, -math.inf]))
        pairs += [[i, float(i)], [float(i), i], [i, near], [i, any_real(numbers)]]
    check(ours, MIXED, xs=pairs)


def characters():
    """Every character that Python's Unicode has, in chunks."""
    known = [
        chr(c)
        for c in range(1, 0x110000)
        if not 0xD800 <= c < 0xE000 and unicodedata.category(chr(c)) != "Cn"
    ]
    return [known[i : i + 4096] for i in range(0, len(known), 4096)]


def without_newer(ours, template, chunk):
    """The characters that ours knows: a newer Python has more of them."""
    answer = ours.ask(template, {"xs": chunk})
    if "out" in answer:
        return chunk
    assert "it is not in Unicode 14" in answer["error"]
    assert unicodedata.unidata_version != "14.0.0"
    return [c for c in chunk if "out" in ours.ask(template, {"xs": [c]})]


CHARACTERS = {"cases": CASES, "sigmas": SIGMAS, "quotes": QUOTES, "blanks": BLANKS}
each_template = pytest.mark.parametrize("template", CHARACTERS.values(), ids=CHARACTERS)


@each_template
def test_characters_are_taken_as_python_takes_them(ours, numbers, template):
    """Those of most scripts that have cases and blanks of their own, and some of the others."""
    first, *others = characters()
    for chunk in (first, *numbers.sample(others, 4)):
        check(ours, template, xs=without_newer(ours, template, chunk))


@pytest.mark.full
@pytest.mark.turns(1)
@each_template
def test_every_character_is_taken_as_python_takes_it(ours, template):
    for chunk in characters():
        check(ours, template, xs=without_newer(ours, template, chunk))


def test_characters_unknown_to_unicode_are_refused_by_name(ours):
    for template in ("{{ s|upper }}", "{{ [s] }}"):
        answer = ours.ask(template, {"s": "\U0003fffd"})
        assert "U+3FFFD" in answer["error"]
        assert ours.ask("{{ s }}", {"s": "\U0003fffd"}) == {"out": "\U0003fffd"}
