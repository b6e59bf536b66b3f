#!/usr/bin/env python3
"""Writes src/base/text/unicode_tables.inc from the Unicode data of Python 3.11 (UCD 14.0).

tools/gen-unicode.py > src/base/text/unicode_tables.inc
tools/gen-unicode.py --digests       what tests/unit/test_unicode.c compares with
"""

import hashlib
import sys
import textwrap
import unicodedata

UCD = "14.0.0"
CHARACTERS = [chr(c) for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]

# Default_Ignorable_Code_Point outside category Cf, and the two separators that break lines: nothing
# of these shows. (DerivedCoreProperties.txt of the same version; Python does not carry it.)
IGNORABLE = [
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2028, 0x2029),
    (0x2065, 0x2065), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8),
    (0xE0000, 0xE0FFF),
]  # fmt: skip


def ranges(members):
    """The sorted code points as [first, last] pairs."""
    out = []
    for c in members:
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def ranges_where(predicate):
    return ranges(ord(x) for x in CHARACTERS if predicate(x))


def is_hidden(x):
    ignorable = any(first <= ord(x) <= last for first, last in IGNORABLE)
    return ignorable or unicodedata.category(x) == "Cf"


def is_unassigned(x):
    """Of later versions: what Python says of it depends on which one it is."""
    return unicodedata.category(x) == "Cn"


def is_unprintable(x):
    """Assigned, and yet str.isprintable says no."""
    return not (x.isprintable() or is_unassigned(x))


def is_cased(x):
    """What Python's own table says: str.title leaves alone what follows a cased character."""
    return (x + "a").title().endswith("a")


def is_case_ignorable(x):
    """str.lower looks through x for the cased character that makes a sigma a final one."""
    return ("A" + x + "Σ").lower().endswith("ς") and not (x + "Σ").lower().endswith("ς")


def is_word(x):
    r"""What \w of Python's regular expressions is."""
    return x.isalnum() or x == "_"


def is_title(x):
    """Neither small nor capital: str.islower and isupper are false of a text with one."""
    return unicodedata.category(x) == "Lt"


def combining_classes():
    """[first, last, class] of all characters whose class is not 0."""
    out = []
    for x in CHARACTERS:
        c, number = ord(x), unicodedata.combining(x)
        if number and out and out[-1][1] == c - 1 and out[-1][2] == number:
            out[-1][1] = c
        elif number:
            out.append([c, c, number])
    return out


def decompositions():
    """[character, first, second or 0], one step; Hangul is computed."""
    out = []
    for x in CHARACTERS:
        text = unicodedata.decomposition(x)
        if text and not text.startswith("<"):
            parts = [int(part, 16) for part in text.split()]
            out.append([ord(x), parts[0], parts[1] if len(parts) > 1 else 0])
    return out


def case_ranges(pairs):
    """[first, last, stride, delta] for the characters that map to one other."""
    out = []
    for c, to in pairs:
        last = out[-1] if out else None
        if last and last[3] == to - c and c - last[1] in (1, 2) and last[2] in (0, c - last[1]):
            last[1], last[2] = c, c - last[1]
        else:
            out.append([c, c, 0, to - c])
    return [[first, last, stride or 1, delta] for first, last, stride, delta in out]


def print_table(name, kind, rows):
    print(f"\nstatic const struct {kind} {name}[] = {{")
    texts = ("{" + ",".join(map(str, row)) + "}," for row in rows)
    print(textwrap.fill(" ".join(texts), 100, break_on_hyphens=False))
    print("};")


def print_mapping(name, mapping):
    """A table of ranges for one-to-one mappings, and one for those to two or three characters."""
    changed = [(ord(x), [ord(y) for y in mapping(x)]) for x in CHARACTERS if mapping(x) != x]
    single = [(c, to[0]) for c, to in changed if len(to) == 1]
    several = [[c, *to, *[0] * (3 - len(to))] for c, to in changed if len(to) > 1]
    print_table(f"{name}_ranges", "case_range", case_ranges(single))
    print_table(f"{name}_specials", "case_special", several)


def print_title_exceptions():
    """Where the title case of a character is not its upper case."""
    rows = []
    for x in CHARACTERS:
        title = x.title()
        if title != x.upper():
            rows.append([ord(x), *[ord(y) for y in title], *[0] * (3 - len(title))])
    print_table("title_specials", "case_special", rows)


def fold_key(text):
    return nfd(nfd(text).casefold())


def nfd(text):
    return unicodedata.normalize("NFD", text)


def first_digit(text):
    return unicodedata.decimal(text[0], -1)


def class_digest(predicate):
    """Of one '0' or '1' for each character."""
    return hashlib.sha256("".join(str(int(predicate(x))) for x in CHARACTERS).encode()).hexdigest()


def text_digest(function):
    """Of the results, one a line, for each character that could matter: alone, and in a word."""
    out = hashlib.sha256()
    for first, last in [(0x0, 0x1FFFF), (0x2F800, 0x2FA1F), (0xE0000, 0xE01FF)]:
        for x in (chr(c) for c in range(first, last + 1) if not 0xD800 <= c <= 0xDFFF):
            for text in (x, f"aΣ{x}Σ{x}"):
                out.update(f"{function(text)}\n".encode())
    return out.hexdigest()


def print_digests():
    for function in (
        str.isspace, str.isprintable, is_hidden, is_unassigned, is_word, str.islower, str.isupper,
    ):  # fmt: skip
        print(function.__name__, class_digest(function))
    for function in (str.lower, str.upper, str.title, str.capitalize, fold_key, first_digit):
        print(function.__name__, text_digest(function))


def print_tables():
    print(f"/* Made by tools/gen-unicode.py from Unicode {UCD}; not by hand. */")
    print_table("hidden_ranges", "range", ranges_where(is_hidden))
    print_table("space_ranges", "range", ranges_where(str.isspace))
    print_table("unassigned_ranges", "range", ranges_where(is_unassigned))
    print_table("unprintable_ranges", "range", ranges_where(is_unprintable))
    print_table("decimal_ranges", "range", ranges_where(str.isdecimal))
    print_table("cased_ranges", "range", ranges_where(is_cased))
    print_table("case_ignorable_ranges", "range", ranges_where(is_case_ignorable))
    print_table("word_ranges", "range", ranges_where(is_word))
    print_table("small_ranges", "range", ranges_where(str.islower))
    print_table("capital_ranges", "range", ranges_where(str.isupper))
    print_table("title_ranges", "range", ranges_where(is_title))
    print_table("combining_ranges", "class_range", combining_classes())
    print_table("decompositions", "decomposition", decompositions())
    print_mapping("lower", str.lower)
    print_mapping("upper", str.upper)
    print_title_exceptions()
    print_mapping("fold", str.casefold)


def main():
    if unicodedata.unidata_version != UCD:
        sys.exit(
            f"gen-unicode.py: wants Python 3.11 (UCD {UCD}), not {unicodedata.unidata_version}"
        )
    if sys.argv[1:] == ["--digests"]:
        print_digests()
    else:
        print_tables()


main()
