"""Versions and SPECs against Python's own `packaging`."""

import itertools
import os
import random
import subprocess
from pathlib import Path

import pytest
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("TMPLGEN", ROOT / "build" / "tmplgen")).resolve()
PROBE = ROOT / BINARY.parent / "unit" / "test_matrix_version"

RELEASES = "0 1 1.0 1.1 1.10 2.0.0 2.4 2.4.0 2.4.1 2.5 12.6.3 1!1".split()
SUFFIXES = ["", *"a1 .b2 rc1 .post1 .dev2 a1.post2 rc1.dev3 .post1.dev4 -1".split()]
LOCALS = ["", "+cu126", "+1", "+a.2"]
ODD = ["", "1.0 1", *"v1.0 1.0. 1..0 1.0-ALPHA-3 1_rc_2 1.0+a..b x 1.0preview4 1.0c1".split()]
ODD += "1.0.r3 1.0.post 1.0.dev 2013.10 1.0++ 1e5 01.02 1.0a.1 1.0a.b".split()
OPERATORS = ["==", "!=", ">=", "<=", ">", "<", "~="]


def ask(lines):
    """The probe's answers to `lines`."""
    text = "".join(line + "\n" for line in lines)
    command = [PROBE, "--probe"]
    answers = subprocess.check_output(command, input=text, text=True).splitlines()
    assert len(answers) == len(lines)
    return answers


def versions():
    return [r + s + loc for r in RELEASES for s in SUFFIXES for loc in LOCALS] + ODD


def is_version(text):
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def test_what_is_a_version_is_what_packaging_takes_for_one():
    cases = versions()
    wrong = [
        (text, answer)
        for text, answer in zip(cases, ask(["v " + c for c in cases]), strict=True)
        if answer != ("valid" if is_version(text) else "invalid")
    ]
    assert not wrong


def test_order_is_that_of_packaging():
    valid = [v for v in versions() if is_version(v)]
    chosen = random.Random(440).sample(valid, 160)
    pairs = list(itertools.product(chosen, repeat=2))
    answers = ask([f"c {a}\t{b}" for a, b in pairs])
    wrong = [
        (a, b, answer)
        for (a, b), answer in zip(pairs, answers, strict=True)
        if int(answer) != (Version(a) > Version(b)) - (Version(a) < Version(b))
    ]
    assert not wrong


def specs():
    bases = ["1", "1.0", "2.4", "2.4.1", "1.0a1", "2.4.post1", "1.0.dev2", "12.6.3", "2.4+cu126"]
    single = [op + base for op in OPERATORS for base in bases]
    single += [op + base + ".*" for op in OPERATORS for base in bases]
    return [*single, ">=1.0,<2.5", ">=2.4,!=2.4.1", "~=2.4,<2.5", "!=2.4.*,!=1.*", ">=1 , <3", "=1"]


def expected(spec, version):
    """What packaging says; pre-releases are taken only where the SPEC names one."""
    try:
        parsed = SpecifierSet(spec)
    except InvalidSpecifier:
        return "invalid"
    names_one = any(Version(s.version.removesuffix(".*")).is_prerelease for s in parsed)
    if Version(version).is_prerelease and not names_one:
        return "no"
    return "yes" if parsed.contains(version, prereleases=True) else "no"


@pytest.mark.turns(30)
@pytest.mark.parametrize("spec", specs())
def test_spec_takes_what_packaging_takes(spec):
    valid = [v for v in versions() if is_version(v)]
    answers = ask([f"s {v}\t{spec}" for v in valid])
    wrong = [
        (version, answer)
        for version, answer in zip(valid, answers, strict=True)
        if answer != expected(spec, version)
    ]
    assert not wrong


@pytest.mark.parametrize("bare", ["2.4", "2", "12.6", "2.4.1"])
def test_bare_number_is_everything_that_begins_with_it(bare):
    valid = [v for v in versions() if is_version(v)]
    assert ask([f"s {v}\t{bare}" for v in valid]) == ask([f"s {v}\t=={bare}.*" for v in valid])
