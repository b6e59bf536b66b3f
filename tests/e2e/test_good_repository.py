"""What a good repository has besides its code, judged by the checkers that its users would take."""

import json
import re
import shutil

import pytest
import yaml

from ..update.builds import release_of_today
from .support import TMPLGEN, TOP, WORK, one_at_a_time, run, set_up
from .test_frameworks import RELEASES

TOOLS = [
    "sp-repo-review[cli]==2026.8.14",
    "zizmor==1.32.0",
    "check-jsonschema==0.39.0",
    "pre-commit==4.7.0",
    "deptry==0.25.1",
]
# What deptry may say. The framework and what it brings are in requirements/ alone, since their
# index depends on the device; what an extra has is imported by others, or where it is there.
EXPLAINED = {
    "DEP001": ["torch", "transformers", "tokenizers"],
    "DEP002": ["httptools", "uvloop", "gcsfs", "huggingface_hub", "s3fs"]
    + ["cupy-cuda12x", "cupy-cuda13x", "torch"],
    "DEP004": ["fsspec"],
}
MODULES = ["nvidia-ml-py=pynvml", "mlflow-skinny=mlflow", "opentelemetry-sdk=opentelemetry"]
MODULES += ["opentelemetry-exporter-otlp-proto-http=opentelemetry"]
TYPES = [(kind, name) for kind in ("service", "batch", "library") for name in ("none", "pytorch")]
LICENSES = {
    "MIT": ("Permission is hereby granted", "MIT"),
    "Apache-2.0": ("TERMS AND CONDITIONS FOR USE", "Apache-2.0"),
    "BSD-3-Clause": ("Neither the name", "BSD-3-Clause"),
    "proprietary": ("All rights reserved", "LicenseRef-Proprietary"),
}
ACTIONS = TOP / "templates/_includes/actions"


@pytest.fixture(scope="module")
def tools():
    """An environment with the checkers, kept while they are the same."""
    folder, wanted = WORK / "checkers", "\n".join(TOOLS)
    with one_at_a_time("checkers"):
        if not (folder / "made").exists() or (folder / "made").read_text() != wanted:
            run("python3", "-m", "venv", "--clear", folder)
            run(folder / "bin/python", "-m", "pip", "install", "--quiet", *TOOLS)
            (folder / "made").write_text(wanted)
    return folder / "bin"


def new(folder, kind, *words):
    # What is here for the CPU: another PyTorch brings gigabytes of CUDA.
    framework = RELEASES["transformers" if kind == "llm" else "pytorch"]
    stack = ["--framework", *framework, "--python", "3.11"]
    run(TMPLGEN, "new", folder, "--type", kind, *stack, "--name", "it", *words)
    return folder


@pytest.fixture(scope="module", params=["service", "batch", "library", "llm"])
def child(request, tmp_path_factory):
    words = ["--set", "license=MIT", "--registry", "ghcr.io/team"]
    scratch = tmp_path_factory.mktemp(request.param)
    yield new(scratch / "it", request.param, *words)
    shutil.rmtree(scratch)


def test_repo_review_has_no_failure_that_is_not_explained(child, tools):
    said = run(tools / "repo-review", "--format", "json", child)
    checks = json.loads(said[said.index("{") :])["checks"]
    assert len(checks) > 40
    failed = {name for name, check in checks.items() if check["result"] is False}
    assert failed == set()


def test_zizmor_has_nothing_to_say_even_as_a_pedant(child, tools):
    assert "No findings" in run(tools / "zizmor", "--offline", "--pedantic", child)
    path = child / ".github/workflows/ci.yml"
    text = path.read_text()
    path.write_text(re.sub(r"(actions/checkout)@\S+ # \S+", r"\1@v7", text))
    try:
        said = run(tools / "zizmor", "--offline", "--pedantic", child, status=14)
    finally:
        path.write_text(text)
    assert "unpinned-uses" in said


def test_zizmor_has_nothing_to_say_of_base_images(tmp_path, tools):
    run(TMPLGEN, "new", tmp_path / "it", "--type", "images", "--registry", "ghcr.io/team")
    assert "No findings" in run(tools / "zizmor", "--offline", "--pedantic", tmp_path / "it")


def test_files_are_what_their_schemas_want(child, tools):
    checker = tools / "check-jsonschema"
    words = [checker, "--builtin-schema"]
    run(*words, "vendor.github-workflows", child / ".github/workflows/ci.yml")
    run(*words, "vendor.dependabot", child / ".github/dependabot.yml")


@pytest.mark.parametrize(("kind", "framework"), [*TYPES, ("llm", "transformers")])
def test_what_the_code_imports_is_declared_and_no_more(kind, framework, tmp_path, tools):
    words = ["--type", kind, "--framework", framework, "--python", "3.11", "--name", "it"]
    run(TMPLGEN, "new", tmp_path / "it", *words)
    ignored = ",".join(f"{rule}={'|'.join(names)}" for rule, names in EXPLAINED.items())
    words = ["--known-first-party", "places", "--package-module-name-map", ",".join(MODULES)]
    run(tools / "deptry", ".", *words, "--per-rule-ignores", ignored, cwd=tmp_path / "it")


def test_renovate_leaves_the_stack_to_tmplgen(tmp_path, tools):
    words = ["--ci", "gitlab", "--set", "update_bot=renovate"]
    child = new(tmp_path / "it", "service", *words)
    schema = ["--builtin-schema", "vendor.renovate"]
    run(tools / "check-jsonschema", *schema, child / "renovate.json")
    rules = json.loads((child / "renovate.json").read_text())["packageRules"]
    assert "torch" in rules[0]["matchPackageNames"] and not rules[0]["enabled"]
    assert not (child / ".github").exists()


def test_dependabot_leaves_the_stack_to_tmplgen(child):
    entries = yaml.safe_load((child / ".github/dependabot.yml").read_text())["updates"]
    (pip,) = [entry for entry in entries if entry["package-ecosystem"] == "pip"]
    assert {"dependency-name": "torch"} in pip["ignore"]


@pytest.mark.parametrize("license", LICENSES)
def test_the_licence_is_the_one_that_was_chosen(tmp_path, license):
    words = ["license_holder=Ada & Söhne", "license_year=2026", f"license={license}"]
    child = new(tmp_path / "it", "library", *(w for word in words for w in ("--set", word)))
    text, name = LICENSES[license]
    said = (child / "LICENSE").read_text()
    assert text in said and "Copyright (c) 2026 Ada & Söhne" in said
    about = (child / "pyproject.toml").read_text()
    assert f'license = "{name}"' in about and 'license-files = ["LICENSE"]' in about


def test_without_a_licence_there_is_none(tmp_path):
    child = new(tmp_path / "it", "library")
    assert not (child / "LICENSE").exists()
    assert "license" not in (child / "pyproject.toml").read_text()


def test_the_dependency_group_names_what_is_pinned(child):
    def names(lines):
        return {re.split(r"[=><;]", line)[0] for line in lines}

    text = (child / "pyproject.toml").read_text()
    group = re.search(r"\ndev = \[(.*)\]", text)[1]
    pinned = (child / "requirements/dev.txt").read_text().splitlines()
    assert names(re.findall(r'"([^"]+)"', group)) == names(pinned)


def test_uv_is_the_same_where_it_locks_and_where_it_installs_python(child):
    found = {
        re.search(r"UV_VERSION=(\S+)", (child / path).read_text())[1]
        for path in ("Dockerfile", "ci/lock.sh")
    }
    assert len(found) == 1


def test_the_dev_container_is_a_stage_of_the_dockerfile(child):
    text = (child / ".devcontainer/devcontainer.json").read_text()
    about = json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))
    assert about["hostRequirements"] == {"gpu": "optional"}
    stage = about["build"]["target"]
    assert re.search(rf"^FROM \S+ AS {stage}$", (child / "Dockerfile").read_text(), re.MULTILINE)


def test_reviews_may_skip_the_smoke_test(child):
    said = run("git", "check-attr", "--all", "smoke/gpu_smoke.c", cwd=child)
    assert "linguist-generated: true" in said and "diff: unset" in said


def test_what_agents_are_told_is_there(child):
    text = (child / "AGENTS.md").read_text()
    for target in re.findall(r"make ([a-z]+)", text):
        assert f"\n{target}:" in (child / "Makefile").read_text(), target
    for path in re.findall(r"`([\w./-]+/[\w./-]*)`", text):
        made_later = path.startswith("requirements/lock")
        assert made_later or (child / path).exists(), path
    assert max(map(len, text.splitlines())) <= 120


def test_hooks_are_what_make_lint_runs(child):
    """Of the environment's tools; those from the index are for GitHub's own files."""
    hooks = [
        hook
        for repo in yaml.safe_load((child / ".pre-commit-config.yaml").read_text())["repos"]
        for hook in repo["hooks"]
    ]
    own = "\n".join(hook["entry"] for hook in hooks if hook["language"] == "system")
    lint = (child / "ci/lint.sh").read_text()
    run_by_hooks = set(re.findall(r"/bin/([a-z]+)|(ci/lock\.sh --check)", own))
    assert run_by_hooks == set(re.findall(r'\$bin/([a-z]+)"|(ci/lock\.sh --check)', lint))
    assert len(run_by_hooks) == 5
    rest = [hook for hook in hooks if hook["language"] != "system"]
    assert all(hook["files"].startswith(r"^\.github/") for hook in rest)


@pytest.mark.parametrize("action", sorted(path.name for path in ACTIONS.iterdir()))
def test_an_action_is_pinned_by_its_digest_with_tag_source_and_date_beside(action):
    form = (
        r"([\w-]+/[\w-]+)(/[\w/-]+)?@[0-9a-f]{40} # (v\d+\.\d+\.\d+)"
        r"\{# the commit of https://github\.com/\1/tree/\3 on \d{4}-\d\d-\d\d #\}"
    )
    assert re.fullmatch(form, (ACTIONS / action).read_text())


def test_every_action_is_pinned_there_and_no_pin_is_left_over():
    workflows = list((TOP / "templates").rglob(".github/workflows/*"))
    uses = [line for path in workflows for line in re.findall(r"uses:.*", path.read_text())]
    named = [re.fullmatch(r"uses: [{[]% include 'actions/([\w-]+)' \+%[]}]", use) for use in uses]
    assert len(workflows) >= 5 and all(named), uses
    assert {match[1] for match in named} == {path.name for path in ACTIONS.iterdir()}


@pytest.mark.full
@pytest.mark.turns(1)
def test_hooks_run_before_a_commit(child, tools):
    """The child's own environment has the tools; a line that is too long is stopped."""
    framework = yaml.safe_load((child / ".tmplgen.yml").read_text())["request"]["framework"]
    with set_up(child, framework.split("==")[0]) as venv:
        settings = {"VENV": venv, "SKIP": "zizmor,check-github-workflows"}  # tried above
        words = [tools / "pre-commit", "run", "--all-files"]
        said = run(*words, cwd=child, **settings)
        assert "Failed" not in said and said.count("Passed") >= 5
        (child / "tests/test_long.py").write_text("x = 1" + " + 1" * 40 + "\n")
        (child / "ci/wrong.sh").write_text("#!/bin/sh\necho $1\n")
        run("git", "add", "--all", cwd=child)
        said = run(*words, cwd=child, status=1, **settings)
        assert "E501" in said and "SC2086" in said


@pytest.fixture(scope="module")
def newest(tmp_path_factory):
    return release_of_today(tmp_path_factory.mktemp("today") / "catalog")


@pytest.mark.full
@pytest.mark.parametrize("kind", ["service", "batch", "library"])
def test_a_child_of_020_keeps_its_own_files(kind, newest, tmp_path):
    """Where the user had a licence, attributes, hooks and a filled constraints.txt already."""
    child = tmp_path / "it"
    words = ["--type", kind, "--framework", "pytorch==2.13.0", "--python", "3.11"]
    run(newest, "new", child, *words, "--catalog", "builtin@v0.2.0")
    own = {
        "LICENSE": "Ours.\n",
        "AGENTS.md": "Ours.\n",
        ".pre-commit-config.yaml": "repos: []\n",
        ".github/dependabot.yml": "version: 2\nupdates: []\n",
        "requirements/constraints.txt": "idna==3.10\n",
    }
    for name, text in own.items():
        (child / name).write_text(text)
    attributes = child / ".gitattributes"
    attributes.write_text("*.bin binary\n" + attributes.read_text())
    run("git", "add", "--all", cwd=child)
    run("git", "commit", "--quiet", "--message", "ours", cwd=child)
    run(newest, "update", child, "--set", "license=MIT")
    assert {name: (child / name).read_text() for name in own} == own
    text = attributes.read_text()
    assert text.startswith("*.bin binary\n") and "linguist-generated" in text
    assert (child / ".devcontainer/devcontainer.json").exists()
    assert run("git", "status", "--porcelain", cwd=child) == ""
