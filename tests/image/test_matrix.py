"""The Dockerfiles of base images for the rows of the matrix: SEED=N takes other ones."""

import json
import os
import random
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ..common import stacks
from ..e2e.support import install_node_modules
from . import lint_dockerfiles as lint

TURN = os.environ.get("TURNS")
SEED = int(os.environ.get("SEED") or TURN or 20261123)
SAMPLE = 3  # choices for each framework
HADOLINT = Path(sys.executable).parent / "hadolint"
PARSER = Path(__file__).with_name("lint_dockerfiles.cjs")
# Rules that do not hold here, and why.
LEFT_OUT = {
    "DL3002": "stages that are thrown away end as root; lint._stages looks at the one that stays",
}


def frameworks():
    return sorted({manifest["framework"] for manifest in lint.manifests().values()})


def sample():
    print(f"SEED={SEED}")
    pick, found = random.Random(SEED), []
    for name in frameworks():
        choices = stacks.choices(name)
        found += pick.sample(choices, min(SAMPLE, len(choices)))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rows")


@pytest.fixture(scope="module")
def rows(folder):
    return lint.render(stacks.stacks(sample()), folder)


def output(*command, text=None):
    done = subprocess.run(
        [str(word) for word in command], input=text, capture_output=True, text=True, check=False
    )
    assert not done.stderr, done.stderr
    return done.stdout


def hadolint(rows):
    ignored = [f"--ignore={rule}" for rule in LEFT_OUT]
    files = [row.folder / "Dockerfile" for row in lint.distinct(rows)]
    found = json.loads(output(HADOLINT, "--format=json", *ignored, *files))
    return [f"{one['file']}:{one['line']}: {one['code']} {one['message']}" for one in found]


def parse(rows):
    names = "".join(f"{row.folder}/Dockerfile\n" for row in lint.distinct(rows))
    return output("node", PARSER, install_node_modules(), text=names).splitlines()


def test_rows_keep_what_the_contract_says(rows):
    assert lint.check(rows) == []


def test_hadolint_finds_nothing(rows):
    """In some of them: it takes a fifth of a second for each, and test-full has all."""
    assert hadolint(random.Random(SEED).sample(rows, 6)) == []


def test_targets_of_a_bake_file_have_the_platforms_of_their_rows(rows, folder):
    assert lint.check_bake(rows, folder) == []


@pytest.mark.full
@pytest.mark.turns(1)  # `make soak` has all of it
def test_the_whole_matrix(tmp_path):
    """Or every other choice of it, the others with the next commit."""
    choices = [choice for name in frameworks() for choice in stacks.choices(name)]
    if TURN:
        choices = choices[int(TURN) % 2 :: 2]
    rows = lint.render(stacks.stacks(choices), tmp_path)
    print(f"{len(rows)} rows, {len(lint.distinct(rows))} that differ in more than numbers")
    assert len({row.id for row in rows}) == len(rows) > 800
    assert {row.image for row in rows} == lint.manifests().keys() - {lint.PROGRAM}
    assert lint.check(rows) == []
    assert hadolint(rows) == []
    assert parse(rows) == []
    assert lint.check_bake(rows, tmp_path) == []
    shutil.rmtree(tmp_path)


# ---------------------------------------------------------------- the checks themselves

INSTALL = "apt-get install --yes --no-install-recommends"
BROKEN = {
    "names": ("ARG BASE_IMAGE=nvidia/cuda:", "ARG BASE_IMAGE=nvidia/cuda:1"),
    "here document": ("COPY smoke /smoke", "COPY <<EOF /smoke/it\nEOF"),
    "link": ("COPY --from=smoke", "COPY --link --from=smoke"),
    "owner": ("WORKDIR /opt/app\nARG INDEX", "RUN chown -R 1 /opt\nWORKDIR /opt/app\nARG INDEX"),
    "argument": ("ARG UV_VERSION=", "ARG UV_RELEASE="),
    "default": ("ARG PYTHON_SOURCE=uv\n", "ARG PYTHON_SOURCE\n"),
    "user": ("USER 10001:10001", "USER app"),
    "late": ('CMD ["python"]', "USER 0"),
    "label": ('tmplgen.row="', 'tmplgen.line="'),
    "value": ('tmplgen.cuda="', 'tmplgen.cuda="1'),
    "compiler": ("COPY --from=smoke", f"RUN {INSTALL} gcc\nCOPY --from=smoke"),
    "system": ("COPY --from=smoke", f"RUN {INSTALL} libcudnn9-cuda-13\nCOPY --from=smoke"),
    "devel": ("-base-ubuntu", "-cudnn-devel-ubuntu"),
    "copy": ("COPY smoke /smoke", "COPY smok /smoke"),
    "stage": ("COPY --from=smoke", "COPY --from=smok"),
    "cache": ("RUN --mount=type=cache,target=/root/.cache/pip ", "RUN "),
    "environment": ("ENV NVIDIA_DRIVER_CAPABILITIES", "ENV NVIDIA_CAPABILITIES"),
}


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """A row of PyTorch, and another image on the same base."""
    some = stacks.stacks(
        [("pytorch", "2.13.0", "cu130", "3.12"), ("none", "2.4.6", "cuda13", "3.12")]
    )
    rows = lint.render(some, tmp_path_factory.mktemp("one"))
    return [row for row in rows if row.image in ("pytorch", "cuda-base")]


def change(row, folder, old, new):
    shutil.copytree(row.folder, folder, dirs_exist_ok=True)
    assert old in row.text
    (folder / "Dockerfile").write_text(row.text.replace(old, new))
    return replace(row, folder=folder)


@pytest.mark.parametrize("what", BROKEN)
def test_each_check_finds_what_it_is_for(one, tmp_path, what):
    assert lint.check(one) == []
    broken = change(one[1], tmp_path, *BROKEN[what])
    assert [finding for finding in lint.check([broken]) if finding.startswith("pytorch")]


def test_images_that_share_fewer_layers_are_found(one, tmp_path):
    changed = change(one[1], tmp_path, "RUN make -C /smoke", "RUN make --directory=/smoke")
    assert "do not begin alike" in lint.check([one[0], changed])[0]


def test_hadolint_finds_what_it_is_for(one, tmp_path):
    changed = change(one[1], tmp_path, "WORKDIR /opt/app\n", "WORKDIR opt/app\n")
    assert "DL3000" in hadolint([changed])[0]


@pytest.mark.full
def test_the_parser_finds_what_it_is_for(one, tmp_path):
    changed = change(one[1], tmp_path, "COPY --from=smoke", "COPY --form=smoke")
    assert "form" in parse([changed])[0]
