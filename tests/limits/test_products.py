"""What is small by itself and multiplies: conversions, includes, scopes, globs, many files."""

import json

import pytest

from ..command.world import git
from .place import NEW, catalog, holds, question, run_on, template, write

ROUNDS = "{% for i in range(10000000) %}{% set x = EXPRESSION %}{% endfor %}"
# A step each would be minutes: libc works digit by digit.
SLOW = [
    "'%.0f' % 1e308",
    "'%.400f' % 1e308",
    "'%g' % 1e-300",
    "1.7976931348623157e308|string",
    "1e-300|tojson",
    "1.5|round(300)",
    "1e-300|round(308)",
    "1.5|round(2, 'ceil')",
    "'1e308'|float",
    "'é'|title",
]


@pytest.mark.turns(2)
@pytest.mark.parametrize(
    "expression", [*SLOW[:2], *(pytest.param(e, marks=pytest.mark.full) for e in SLOW[2:])]
)
def test_each_conversion_has_its_price(meter, expression):
    holds(run_on(meter, template(ROUNDS.replace("EXPRESSION", expression))))


def test_files_share_the_steps_of_a_run(meter):
    text = ROUNDS.replace("10000000", "90000").replace("EXPRESSION", "'%.0f' % 1e308")
    holds(run_on(meter, catalog(files={f"f{i}.j2": text for i in range(8)})))


def test_many_includes(meter):
    files = catalog(file="{% for k in range(1000) %}{% for n in range(9000) %}"
                         "{% include 'e' ~ n %}{% endfor %}{% endfor %}{{ name }}")  # fmt: skip
    files |= {f"templates/_includes/e{i}": "" for i in range(9000)}
    holds(run_on(meter, files))


def test_names_looked_up_through_many_scopes(meter):
    inner = "{% for i in range(3000000) %}{% if zz is defined %}{% endif %}{% endfor %}"
    files = catalog(file="{{ name }}{% include 'd0' %}")
    for depth in range(60):
        text = f"{{% include 'd{depth + 1}' %}}" if depth < 59 else inner
        text = "{% for q in [1] %}" * 15 + text + "{% endfor %}" * 15
        files[f"templates/_includes/d{depth}"] = text
    holds(run_on(meter, files))


@pytest.mark.full
def test_many_files_far_down(meter):
    deep = "/".join("d" * 40)
    holds(run_on(meter, catalog(files={f"{deep}/{i}": "" for i in range(3000)})), (0, 2))


GREEDY = "*a" * 60


@pytest.mark.turns(1)
@pytest.mark.parametrize("key", ["files", "overrides"])
def test_globs_against_paths(meter, key):
    rows = "".join(f"  - {{match: '{GREEDY}b{i}', policy: seed}}\n" for i in range(1000))
    files = {f"{'a' * 150}{i}": "" for i in range(300)}
    if key == "files":
        holds(run_on(meter, catalog("files:\n" + rows, files)))
    else:
        globs = ", ".join(f"'{GREEDY}b{i}'" for i in range(1000))
        layers = {"l/layer.yml": "description: l\n"}
        layers |= {f"l/files/{name}": "" for name in files}
        manifest = f"layers:\n  - {{name: l, overrides: [{globs}]}}\n"
        holds(run_on(meter, catalog(manifest, files, layers)), (0, 2), "limit|both render to")


@pytest.mark.turns(1)
@pytest.mark.parametrize("count", [900, 5000])
def test_globs_of_a_record(meter, count):
    """A clone alone: `yours` says which paths are its user's."""
    files = {f"{'a' * 150}{i}": "" for i in range(300)}
    made = run_on(meter, catalog(files=files), (*NEW[:1], "child", *NEW[2:]))
    assert made.code == 0, made
    record = meter.folder / "child/.tmplgen.yml"
    globs = "".join(f"  - '{GREEDY}b{i}'\n" for i in range(count))
    record.write_text(record.read_text().replace("yours: []", "yours:\n" + globs))
    assert GREEDY in record.read_text()
    write(meter.folder / "child", {f"{'a' * 150}x{i}": "" for i in range(300)})
    git(meter.folder / "child", "add", "-A")
    git(meter.folder / "child", "commit", "-qm", "hostile")
    holds(meter("status", cwd=meter.folder / "child"))
    holds(meter("update", "--check", cwd=meter.folder / "child"), (0, 2))


@pytest.mark.full
def test_what_has_no_room_a_second_time_is_not_begun(meter):
    """Objects are made of all that is rendered, when files are being written."""
    files = catalog()
    for i in range(6):
        files[f"templates/t/files/big{i}"] = bytes(60 << 20)
    holds(run_on(meter, files))


def test_trusted_prefixes_lead_nowhere_else(meter):
    """A name that begins as a trusted one does, and leads back into the project."""
    (meter.folder / "good").mkdir()
    assert run_on(meter, question("type: str, default: a"), (*NEW[:1], "child", *NEW[2:])).code == 0
    child = meter.folder / "child"
    write(child / "inner", question("type: str, default: b"))
    config = meter.folder / "config/tmplgen/config.yml"
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps({"trusted": [f"{meter.folder}/good/*"]}))
    meter.env["XDG_CONFIG_HOME"] = str(meter.folder / "config")
    record = child / ".tmplgen.yml"
    source = f"{meter.folder}/good/../child/inner"
    lines = record.read_text().splitlines()
    lines = [f"  source: {source}" if "source:" in line else line for line in lines]
    record.write_text("\n".join(lines) + "\n")
    git(child, "add", "-A")
    git(child, "commit", "-q", "-m", "hostile")
    run = meter("update", "--check", cwd=child)
    assert run.code == 3 and "new to you" in run.err, run
