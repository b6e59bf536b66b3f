"""The stack of an update: what is held, what moves, and what the matrix lost."""

import re

import pytest

from .scenarios import LONG, lines
from .world import RECORD, snapshot

ROWS = "source: s, as_of: 2026-01"
COMMON = {
    "cuda.yml": """toolkits:
- {cuda: 11.8.0, driver: 520.61.05, ROWS}
- {cuda: 12.4.0, driver: 550.54.14, ROWS}
minor_version:
- {major: 11, driver: 450.80.02, ROWS}
- {major: 12, driver: 525.60.13, ROWS}
""",
    "drivers.yml": """branches:
- {branch: 520, cuda: 11.8, ended: true, ROWS}
- {branch: 535, cuda: 12.2, ended: false, ROWS}
- {branch: 550, cuda: 12.4, ended: false, ROWS}
""",
    "gpus.yml": """architectures:
- {cc: 8.0, name: Ampere, first_cuda: 11.0, ROWS}
gpus:
- {gpu: A100, cc: 8.0, class: datacenter, ROWS}
""",
    "images.yml": """repository: nvidia/cuda
distributions:
- {os: ubuntu22.04, family: ubuntu, python: 3.10, ROWS}
plain:
- {os: ubuntu22.04, repository: ubuntu, tag: 22.04, ROWS}
images:
- {cuda: 11.8.0, state: supported, gate: {cuda: 11.8, geforce: true}, TAGS, ROWS}
- {cuda: 12.4.1, state: supported, gate: {cuda: 12.4, geforce: true}, TAGS, ROWS}
""",
    "platforms.yml": "platforms:\n- {platform: here, title: Here, selector: x, gpus: any, ROWS}\n",
}
FILES = {
    "pins.j2": "demo=={{ resolution.framework.version }}\n",
    "image.j2": "FROM {{ resolution.image.tag }}\n",
    "cuda.j2": "{{ resolution.cuda.variant }}\n",
    "a": LONG,
}


def with_sources(text):
    text = text.replace("TAGS", "tags: {base: ubuntu22.04}")
    return "sources: {s: a source}\n" + text.replace("ROWS", ROWS)


def framework(releases, builds):
    """A framework: release to the build it makes default; build to the releases that have it."""
    text = "".join(
        f"- {{version: {version}, pythons: 3.10, default: {default}, companions: "
        f"{{other: {version[0]}.{version[2]}}}, ROWS}}\n"
        for version, default in releases.items()
    )
    text += "builds:\n"
    for name, versions in builds.items():
        cuda = f"{name[2:4]}.{name[4]}"
        text += f"- {{releases: {versions}, variant: {name}, cuda: {cuda}, x86_64: 8.0, ROWS}}\n"
    head = "framework: demo\ntitle: Demo\nsupply: wheel\nrequirements: demo=={version}\n"
    return head + with_sources("index_url: https://example.org/{variant}\nreleases:\n" + text)


def matrices(text):
    files = {f"matrices/{name}": with_sources(rows) for name, rows in COMMON.items()}
    return {**files, "matrices/frameworks/demo.yml": text}


OLD = framework({"1.0.0": "cu118"}, {"cu118": "1.0.0"})
# A patch release, a minor one, and a newer CUDA of each.
NEW = framework(
    {"1.0.0": "cu118", "1.0.1": "cu118", "1.1.0": "cu124"},
    {"cu118": "1.0.0 1.0.1 1.1.0", "cu124": "1.0.1 1.1.0"},
)


def release(world, version, text, files=FILES):
    world.release(version, files, template="description: a test\n", **matrices(text))


def start(world, *args, text=OLD):
    release(world, "1.0.0", text)
    world.new("--framework", "demo", *args)


def stack(world):
    return (world.read("pins").strip()[6:], world.read("cuda").strip())


def ok(world, *args, result="updated"):
    done = world.update(*args)
    assert done.code == 0, done.out + done.err
    assert done.json["result"] == result
    return done


def moved(done):
    return {change["what"]: (change["from"], change["to"]) for change in done.json["stack"]}


def fails(world, code, word, *args):
    before = snapshot(world)
    done = world.update(*args)
    assert (done.code, done.error["code"]) == (code, word), done.out
    assert snapshot(world) == before
    return done


def release_that_needs(world, version, python):
    """Whose type needs that Python; the framework has wheels for 3.10 and 3.11."""
    template = f'description: a test\npython: "{python}"\n'
    files = {**FILES, "python.j2": "{{ resolution.python }}\n"}
    text = OLD.replace("pythons: 3.10", "pythons: 3.10 3.11")
    world.release(version, files, template=template, **matrices(text))


# ---------------------------------------------------------------- held and moved


def test_stack_that_was_never_asked_for_stays_at_its_minor_and_variant(world):
    start(world)
    release(world, "1.1.0", NEW)
    done = ok(world)
    assert stack(world) == ("1.0.1", "cu118")
    assert moved(done) == {"version": ("1.0.0", "1.0.1")}
    assert world.read(RECORD).count("framework: demo\n") == 1
    ok(world, result="up-to-date")


def test_stack_changes_come_first_in_the_report(world):
    start(world)
    release(world, "1.1.0", NEW)
    out = world.tmplgen("update", world.child).out
    head, stack, _ = out.split("\n\n", 2)
    assert head.startswith("Updated 1.0.0 -> 1.1.0, commit "), out
    assert stack.startswith("Stack:\n  version      1.0.0 -> 1.0.1"), out


def test_stack_changes_in_the_commit_are_one_paragraph(world):
    start(world)
    release(world, "1.1.0", NEW)
    world.update("--upgrade", "--message", "Up", "--signoff")
    body = world.git("log", "-1", "--format=%B")
    subject, title, lines, signer = body.strip("\n").split("\n\n")
    assert (subject, title) == ("Up", "Stack:")
    stack = lines.splitlines()
    assert len(stack) > 1 and all(re.fullmatch(r"  \S.*: \S+ -> \S+", line) for line in stack)
    assert signer.startswith("Signed-off-by: ")


def test_upgrade_lets_the_stack_move(world):
    start(world)
    release(world, "1.1.0", NEW)
    done = ok(world, "--upgrade")
    assert stack(world) == ("1.1.0", "cu124")
    changes = moved(done)
    assert changes["version"] == ("1.0.0", "1.1.0")
    assert changes["variant"] == ("cu118", "cu124")
    assert changes["image"] == (
        "nvidia/cuda:11.8.0-base-ubuntu22.04",
        "nvidia/cuda:12.4.1-base-ubuntu22.04",
    )
    assert changes["other"] == ("1.0", "1.1")


def test_upgrade_works_when_the_template_has_nothing_newer(world):
    start(world)
    release(world, "1.1.0", NEW)
    ok(world)
    ok(world, result="up-to-date")
    done = ok(world, "--upgrade")
    assert stack(world) == ("1.1.0", "cu124")
    assert (done.json["from"]["version"], done.json["to"]["version"]) == ("1.1.0", "1.1.0")
    ok(world, "--upgrade", result="up-to-date")


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (("--framework", "demo>=1.0"), ("1.1.0", "cu118")),
        (("--framework", "demo==1.0.*"), ("1.0.1", "cu118")),
        (("--framework", "demo==1.0.0"), ("1.0.0", "cu118")),
        (("--framework", "demo==1.0.0", "--variant", "cu118"), ("1.0.0", "cu118")),
    ],
)
def test_what_was_asked_for_is_resolved_again(world, choice, expected):
    release(world, "1.0.0", OLD)
    world.new(*choice)
    release(world, "1.1.0", NEW)
    ok(world)
    assert stack(world) == expected


def test_asked_for_cuda_is_not_held_back_by_the_recorded_variant(world):
    release(world, "1.0.0", NEW)
    world.new("--framework", "demo==1.0.*", "--cuda", "11.8")
    ok(world, "--set", "cuda=12.4")
    assert stack(world) == ("1.0.1", "cu124")


def test_set_names_a_stack_choice_and_keeps_the_rest(world):
    release(world, "1.0.0", NEW)
    world.new("--framework", "demo==1.0.1")
    assert stack(world) == ("1.0.1", "cu118")
    done = ok(world, "--set", "variant=cu124")
    assert stack(world) == ("1.0.1", "cu124")
    assert moved(done)["variant"] == ("cu118", "cu124")
    assert "variant: cu124" in world.read(RECORD)
    ok(world, result="up-to-date")


def test_set_takes_a_stack_choice_back(world):
    release(world, "1.0.0", NEW)
    world.new("--framework", "demo", "--variant", "cu118")
    ok(world, "--set", "variant=", "--upgrade")
    assert stack(world) == ("1.1.0", "cu124")


def test_variant_that_the_matrix_lost_moves_and_is_told(world):
    start(world)
    release(world, "1.1.0", framework({"1.0.1": "cu124"}, {"cu124": "1.0.1"}))
    done = ok(world)
    assert stack(world) == ("1.0.1", "cu124")
    assert any("CUDA variant" in text for text in done.json["warnings"]), done.json["warnings"]


def test_framework_minor_that_the_matrix_lost_moves_and_is_told(world):
    start(world)
    release(world, "1.1.0", framework({"1.1.0": "cu118"}, {"cu118": "1.1.0"}))
    done = ok(world)
    assert stack(world) == ("1.1.0", "cu118")
    assert any("framework version" in text for text in done.json["warnings"])


def test_same_version_and_answers_never_resolve_anew(world):
    """The matrix of the recorded revision may be read with newer rules: the record holds."""
    start(world)
    record = world.read(RECORD)
    ok(world, result="up-to-date")
    assert world.read(RECORD) == record


# ---------------------------------------------------------------- exit 4


def test_demand_that_the_matrix_lost_is_4_with_the_nearest_that_works(world):
    release(world, "1.0.0", OLD)
    world.new("--framework", "demo==1.0.0")
    release(world, "1.1.0", framework({"1.1.0": "cu118"}, {"cu118": "1.1.0"}))
    done = fails(world, 4, "unsatisfiable")
    assert done.error["conflicts"][0]["reason"] == "framework"
    [change, *_] = [near["change"] for near in done.error["nearest"]]
    assert len(change) == 1 and "1.1.0" in change[0], change
    ok(world, *change[0].split())
    assert stack(world) == ("1.1.0", "cu118")


def test_newer_release_of_low_confidence_is_told_as_to_a_new_project(world):
    """Though the update holds on to the minor and the variant of before."""
    text = framework({"1.0.0": "cu118"}, {"cu118": "1.0.0"})
    row = "- {version: 2.0.0, pythons: 3.10, default: cu124, confidence: low, ROWS}"
    build = "- {releases: 2.0.0, variant: cu124, cuda: 12.4, x86_64: 8.0, ROWS}"
    text = text.replace("releases:\n", f"releases:\n{row}\n".replace("ROWS", ROWS), 1)
    text = text.replace("builds:\n", f"builds:\n{build}\n".replace("ROWS", ROWS), 1)
    start(world, text=text)
    assert "demo 2.0.0 is known, with low confidence" in world.read(RECORD)
    release(world, "1.1.0", text + "# touched\n")
    ok(world)
    assert stack(world) == ("1.0.0", "cu118")
    assert "demo 2.0.0 is known, with low confidence" in world.read(RECORD)


def test_python_that_the_new_version_needs_is_taken(world):
    release_that_needs(world, "1.0.0", ">=3.10")
    world.new("--framework", "demo")
    assert world.read("python") == "3.10\n"  # what the image ships
    release_that_needs(world, "1.1.0", ">=3.11")
    done = ok(world)
    assert moved(done) == {"python": ("3.10", "3.11")}
    assert world.read("python") == "3.11\n"
    assert "request:\n  framework: demo\nresolution:" in world.read(RECORD)


def test_python_that_the_new_version_needs_does_not_yield_to_what_was_asked(world):
    release_that_needs(world, "1.0.0", ">=3.10")
    world.new("--framework", "demo", "--python", "3.10")
    release_that_needs(world, "1.1.0", ">=3.11")
    done = fails(world, 4, "unsatisfiable")
    demands = [conflict["demand"] for conflict in done.error["conflicts"]]
    assert demands == ["python 3.10", "type app needs Python >=3.11"]
    ok(world, "--set", "python=3.11")
    assert world.read("python") == "3.11\n"


def test_refusal_in_words_names_demand_and_nearest(world):
    release(world, "1.0.0", OLD)
    world.new("--framework", "demo==1.0.0")
    release(world, "1.1.0", framework({"1.1.0": "cu118"}, {"cu118": "1.1.0"}))
    done = world.tmplgen("update", world.child)
    assert done.code == 4
    assert "demo==1.0.0" in done.err and "1.1.0" in done.err


def test_check_of_an_update_that_the_matrix_refuses_is_4(world):
    release(world, "1.0.0", OLD)
    world.new("--framework", "demo==1.0.0")
    release(world, "1.1.0", framework({"1.1.0": "cu118"}, {"cu118": "1.1.0"}))
    fails(world, 4, "unsatisfiable", "--check")
    fails(world, 4, "unsatisfiable", "--dry-run")


def test_framework_that_the_catalog_dropped_is_wrong_usage(world):
    start(world)
    text = NEW.replace("framework: demo", "framework: other")
    files = {f"matrices/{name}": with_sources(rows) for name, rows in COMMON.items()}
    world.git("rm", "-q", "-r", "matrices", cwd=world.catalog)
    world.release(
        "1.1.0",
        FILES,
        template="description: a test\n",
        **files,
        **{"matrices/frameworks/other.yml": text},
    )
    done = fails(world, 2, "unknown-framework")
    assert "other" in done.error["hint"]


def test_unknown_stack_words_are_wrong_usage(world):
    start(world)
    release(world, "1.1.0", NEW)
    for choice in ("gpu=nothing", "platform=nowhere", "variant=cu999x", "framework=nope"):
        done = world.update("--set", choice)
        assert done.code == 2, (choice, done.out)


# ---------------------------------------------------------------- with the child's own edits


def test_pin_that_the_user_edited_conflicts_with_a_moved_stack(world):
    start(world)
    world.edit({"pins": "demo==1.0.0.post1\n", "a": lines(20, {3: "mine"})})
    release(world, "1.1.0", NEW)
    done = world.update()
    assert (done.code, done.paths["pins"]) == (5, "conflict")
    assert done.json["stack"][0]["what"] == "version"


def test_request_edited_by_hand_counts_as_set(world):
    start(world)
    release(world, "1.1.0", NEW)
    ok(world)
    text = world.read(RECORD)
    edited = re.sub(r"(?m)^(request:\n  framework: demo)$", r"\1==1.1.0", text)
    assert edited != text
    world.edit({RECORD: edited})
    ok(world)
    assert stack(world)[0] == "1.1.0"
    ok(world, result="up-to-date")
