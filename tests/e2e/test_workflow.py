"""The workflows of children in the eyes of GitHub's own parser."""

import subprocess

import pytest

from .support import NODE, TOP, WORK, run

BANNER = (
    'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);'
)
BROKEN = """\
on: push
jobs:
  test:
    runs-on: ubuntu-24.04
    step:
      - run: make test
"""
UNKNOWN_NEED = """\
on: push
jobs:
  first:
    runs-on: ubuntu-24.04
    steps:
      - run: make
  second:
    needs: [frist]
    runs-on: ubuntu-24.04
    steps:
      - run: echo ${{ github.sha }}
"""


@pytest.fixture(scope="session")
def parser(node_modules):
    """GitHub's parser, in one file: the package itself does not load in every Node."""
    source = NODE / "workflow.mjs"
    source.write_text((TOP / "tests/e2e/workflow.mjs").read_text())
    bundle = NODE / "workflow.bundle.mjs"
    run(
        node_modules / ".bin/esbuild",
        source,
        "--bundle",
        "--platform=node",
        "--target=node18",
        "--format=esm",
        "--log-level=warning",
        f"--banner:js={BANNER}",
        f"--outfile={bundle}",
    )
    return bundle


def parse(parser, path):
    done = subprocess.run(
        ["node", str(parser), str(path)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_workflow_is_right_in_the_eyes_of_githubs_parser(parser, every_ci):
    workflows = sorted((every_ci / ".github/workflows").glob("*.yml"))
    assert workflows
    for path in workflows:
        status, said = parse(parser, path)
        assert status == 0, said
    status, said = parse(parser, every_ci / ".github/workflows/ci.yml")
    assert {"lint", "test", "gpu-smoke", "publish"} <= set(said.split()), said


def test_workflows_of_base_images_are_right_too(parser, images_ci):
    found = {}
    for path in sorted((images_ci / ".github/workflows").glob("*.yml")):
        status, found[path.name] = parse(parser, path)
        assert status == 0, found[path.name]
    assert found["ci.yml"].split() == ["jobs:", "lint", "render", "plan", "build", "push"]
    assert found["verify.yml"].split() == ["jobs:", "verify"]


def test_the_workflow_of_a_cluster_repository_is_right_too(parser, cluster_ci):
    status, said = parse(parser, cluster_ci / ".github/workflows/ci.yml")
    assert status == 0 and said.split() == ["jobs:", "lint", "build", "push"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (BROKEN, "Unexpected value 'step'"),
        (UNKNOWN_NEED, "frist"),
        (UNKNOWN_NEED.replace("frist", "first").replace("github.sha", "foo("), "expression"),
    ],
)
def test_parser_rejects_a_broken_workflow(parser, text, says):
    path = WORK / "broken.yml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    status, said = parse(parser, path)
    assert status == 1
    assert says in said
