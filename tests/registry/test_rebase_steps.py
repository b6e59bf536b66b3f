"""Which steps of a history `tmplgen image rebase` believes: those that templates render."""

import json
import re
from dataclasses import dataclass

import pytest

from ..common.team import image_of, types_of_frameworks
from .fake import Fake, digest_of
from .images import NEW, OLD, OWN, app, base

SAID = "LABEL tmplgen.writes=/opt/app"


@pytest.fixture(scope="module")
def registry():
    """Whether real registries agree is what test_rebase.py asks: here are hundreds of images."""
    with Fake() as made:
        yield made


@pytest.fixture(scope="module")
def bases(registry):
    """An old base and a new one: their names."""
    made = []
    for layers, version in ((OLD, "13.0.1"), (NEW, "13.0.3")):
        tag = f"{version}-base-ubuntu24.04"
        data = base(layers, version).put(registry, "steps/nvidia/cuda", tag)
        made.append(f"{registry.host}/steps/nvidia/cuda:{tag}@{digest_of(data)}")
    return made


@pytest.fixture
def rebased(registry, bases, tmplgen):
    """What is said to an image of these steps: "", or the code and the message of a refusal."""

    def run(*steps, above=()):
        old, new = bases
        image = app(old, own=OWN[:1])
        told = [{"created_by": step, "empty_layer": True} for step in (*steps, SAID, *above)]
        own = {"created_by": "COPY main.py /opt/app/main.py # buildkit"}
        image.history = [{"created_by": "base"}, {"created_by": "base"}, own, *told]
        name = f"steps/app@{digest_of(image.put(registry, 'steps/app', None))}"
        words = ["--onto", new, "--check", "--json"]
        made = json.loads(tmplgen("image", "rebase", f"{registry.host}/{name}", *words).out)
        error = made.get("error")
        assert made["exit"] == (3 if error else 0)
        return f"{error['code']}: {error['message']}" if error else ""

    return run


# ---------------------------------------------------------------- what is rendered


@dataclass
class Step:
    word: str
    text: str  # with the indents of lines that go on, without comments
    arguments: dict  # of the build, that are known by then


def stages(dockerfile):
    """By name: what it begins with, and its steps."""
    text = re.sub(r"^[ \t]*#.*\n", "", dockerfile, flags=re.M)
    found = {}
    for line in re.sub(r"\\\n", "", text).splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            below, _, name = rest.split()
            arguments, steps = {}, []
            found[name] = below, steps
        elif word and found:
            if word == "ARG":
                name, _, value = rest.partition("=")
                arguments = {**arguments, name: value}
            steps.append(Step(word, rest, arguments))
    return found


def steps_of(dockerfile):
    """Of what is built last, above what is built elsewhere."""
    all_stages = stages(dockerfile)
    below, steps = list(all_stages.values())[-1]
    while below in all_stages:
        below, first = all_stages[below]
        steps = first + steps
    return steps


def without_flags(text):
    return re.sub(r"^(--\S+ +)*", "", text)


def by_buildah(step, gap=" "):
    told = [f"{name}={value}" for name, value in step.arguments.items()]
    if step.word == "RUN":
        before = f"|{len(told)} {' '.join(told)} " if told else ""
        return f"{before}/bin/sh -c {step.text}"
    if step.word == "COPY":
        return f"/bin/sh -c #(nop){gap}COPY multi:{'0' * 64} in {step.text.split()[-1]} "
    return f"/bin/sh -c #(nop){gap}{step.word} {step.text}"


def by_docker(step):
    """Without BuildKit."""
    return by_buildah(Step(step.word, without_flags(step.text), step.arguments), gap="  ")


def by_buildkit(step):
    told = "RUN " + by_docker(step) if step.word == "RUN" else f"{step.word} {step.text}"
    if step.word == "COPY":
        told = f"COPY {without_flags(step.text)}"
    return f"{told.replace('$PATH', '/usr/local/bin:/usr/bin')} # buildkit"


BUILDERS = [by_buildah, by_docker, by_buildkit]
# Those of the built-in catalog that are rebased, and rows of other releases and systems.
IMAGES = [
    ["cuda-base"],
    ["cuda-runtime"],
    ["pytorch"],
    ["pytorch", "--driver", "470"],
    ["transformers"],
    ["tensorflow", "--os", "ubuntu22.04", "--python", "3.11"],
    ["jax"],
    ["onnxruntime", "--driver", "525"],
    ["xgboost"],
]
CHILDREN = [(kind, name) for kind, names in types_of_frameworks().items() for name in names]


def rendered(tmplgen, folder, *words):
    made = tmplgen("image", "render", "--output", folder, *words)
    assert made.code == 0, made.err
    return [path.read_text() for path in sorted(folder.rglob("Dockerfile"))]


@pytest.mark.turns(3)
@pytest.mark.parametrize("words", IMAGES, ids=" ".join)
def test_every_step_of_an_image_is_believed(rebased, tmplgen, tmp_path, words):
    dockerfiles = rendered(tmplgen, tmp_path / "out", *words)
    assert dockerfiles
    for dockerfile in dockerfiles:
        steps = steps_of(dockerfile)
        assert {"COPY", "WORKDIR", "LABEL"} <= {step.word for step in steps}
        for builder in BUILDERS:
            assert rebased(*map(builder, steps)) == ""


@pytest.mark.turns(6)
@pytest.mark.parametrize(("kind", "framework"), CHILDREN)
def test_every_step_of_a_child_is_believed(rebased, tmplgen, tmp_path, kind, framework):
    """On the team's image, whose steps are told before the child's own."""
    below = steps_of(rendered(tmplgen, tmp_path / "out", image_of(framework))[0])
    child = tmp_path / "child"
    made = tmplgen("new", child, "--type", kind, "--framework", framework, "--name", "it",
                   "--no-git", "--registry", "registry.example.org/team")  # fmt: skip
    assert made.code == 0, made.err
    own = steps_of((child / "Dockerfile").read_text())
    assert sum(step.word == "RUN" for step in own) == (5 if kind == "batch" else 4)
    for builder in BUILDERS:
        assert rebased(*map(builder, [*below, *own])) == ""
        # without what it stands on, its steps would be others
        assert rebased(*map(builder, own)).startswith("changed-base: ")


def test_what_installs_packages_of_the_distribution_is_not(rebased, tmplgen, tmp_path):
    """In a child that stands on no image of a team, and an image with more than Python."""
    made = tmplgen("new", tmp_path / "child", "--type", "batch", "--framework", "none", "--name",
                   "it", "--no-git")  # fmt: skip
    assert made.code == 0, made.err
    straight = (tmp_path / "child/Dockerfile").read_text()
    for dockerfile in (straight, *rendered(tmplgen, tmp_path / "out", "cuda-devel")):
        said = rebased(*map(by_buildkit, steps_of(dockerfile)))
        assert re.search(r"of its base: RUN .*(apt-get|DEBIAN_FRONTEND)", said)


# ---------------------------------------------------------------- what is not

PLACE = [
    "COPY /opt/app/venv /opt/app/venv # buildkit",
    "ENV PATH=/opt/app/venv/bin:/usr/bin A=1",
    "WORKDIR /opt/app",
]
PIP = (
    'venv/bin/pip install ${INDEX_URL:+--index-url "$INDEX_URL"} '
    '--constraint requirements/constraints.txt --requirement "$REQUIREMENTS"'
)
GUARD = (
    "if [ -x venv/bin/python ]; then found=$(venv/bin/python -c "
    "'import sys; print(\"%d.%d\" % sys.version_info[:2])'); "
    '[ "$found" != "$PYTHON_VERSION" ] || exit 0; '
    'echo "this image has Python $found, not $PYTHON_VERSION" >&2; exit 1; fi; '
)
RUNS = [
    "install -d -o 10001 -g 10001 /runs",
    PIP,
    GUARD + "apt-get install python3",
    f"--mount=type=cache,target=/root/.cache/pip     {PIP}",
]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("before", ["", "RUN ", "/bin/sh -c ", "|2 A=apt B= /bin/sh -c ",
                                    "RUN |1 INDEX_URL=pip /bin/sh -c "])  # fmt: skip
def test_runs_of_templates(rebased, before, run):
    """Build arguments that are told before are no programs: PYTHON_SOURCE=apt runs no apt."""
    assert rebased(*PLACE, before + run) == ""


EVIL = "sed -i s/a/b/ /etc/cuda"


@pytest.mark.turns(20)
@pytest.mark.parametrize(
    "run",
    [
        f"{EVIL} && pip install numpy",
        "rm -rf /usr/lib/x86_64-linux-gnu/libcuda* && pip install numpy",
        "curl -o /etc/ssl/certs/ours.pem https://example.org/ours.pem && "
        "venv/bin/pip install x && update-ca-certificates",
        "pip install --target /usr/lib/python3/dist-packages x",
        "if [ -x venv/bin/python ]; then apt-get install -y libfoo; fi",
        "pip install numpy",
        "venv/bin/pip install numpy",
        "",
        EVIL,
        f"{PIP}; {EVIL}",
        f"{PIP} && {EVIL}",
        f"{PIP} >/etc/cuda",
        f"{PIP}\n{EVIL}",
        f"{PIP}\\\n; {EVIL}",
        f"{PIP} --target /usr/lib/python3/dist-packages",
        f"{PIP} # {EVIL}",
        f"{EVIL}; {PIP}",
        f"{EVIL} # {PIP}",
        f"{EVIL} # buildkit; {PIP}",
        PIP.replace("venv/bin/pip", "pip"),
        PIP.replace("venv/bin/pip", "/usr/bin/pip"),
        PIP.replace('"$REQUIREMENTS"', "$REQUIREMENTS"),
        f"PIP_TARGET=/usr/lib/python3/dist-packages {PIP}",
        GUARD.replace("exit 1; ", "") + EVIL,
        GUARD.replace("exit 0", EVIL),
        GUARD.replace("fi; ", f"fi | {EVIL}"),
        f"{EVIL}; {GUARD}",
        "install -d -o 10001 -g 10001 /runs /etc",
        "install -d -o 10001 -g 10001 /runs/../etc",
        # what builders tell before
        f"--mount=type=bind,target=/x {PIP}",
        f"|1 A={PIP} /bin/sh -c {EVIL}",
        f"|1 A=b /bin/sh -c {PIP} /bin/sh -c {EVIL}",
        f"|1 A=b /bin/sh -c {EVIL} /bin/sh -c {PIP}",
        f"|1 A=b /bin/sh -c {GUARD} /bin/sh -c {EVIL}",
        f"|2 A=b /bin/sh -c {PIP}",
        f"|0 A=b /bin/sh -c {PIP}",
        f"|1 A=b c /bin/sh -c {PIP}",
        f"|1 A /bin/sh -c {PIP}",
        f"|1 =b /bin/sh -c {PIP}",
        f"|-1 A=b /bin/sh -c {PIP}",
        f"|99999999999999999999999 A=b /bin/sh -c {PIP}",
        f"|x A=b /bin/sh -c {PIP}",
        f"|1 A=b {PIP}",
        f"|1 PIP_TARGET=/usr/lib/python3/dist-packages /bin/sh -c {PIP}",
        f"/bin/bash -c {PIP}",
    ],
)
def test_runs_that_refuse(rebased, run):
    for before in ("RUN ", ""):
        said = rebased(*PLACE, before + run)
        assert said.startswith("changed-base: ")
        assert "a step may have changed files of its base: " in said


@pytest.mark.parametrize(
    "place",
    [
        PLACE[1:],
        [PLACE[0], PLACE[2]],
        PLACE[:2],
        [*PLACE, "WORKDIR /opt/other"],
        [*PLACE, "ENV PATH=/opt/x/bin:/opt/app/venv/bin"],
        [*PLACE, "ENV PATH /usr/bin"],
        [*PLACE, "/bin/sh -c #(nop)  ENV A=1 PIP_TARGET=/usr/lib/python3/dist-packages"],
        [*PLACE, "ARG PIP_PREFIX"],
        [*PLACE, "ENV PIP_ROOT=/"],
        [*PLACE, 'SHELL ["/bin/sh", "-c", "rm -rf /etc; $0"]'],
        ["ENV PATH=/usr/bin XPATH=/opt/app/venv/bin:", PLACE[0], PLACE[2]],
        ["COPY x /opt/app/venv/lib # buildkit", *PLACE[1:]],
    ],
)
def test_a_run_elsewhere_is_another(rebased, place):
    assert rebased(*place, f"RUN {PIP}").startswith("changed-base: ")


@pytest.mark.parametrize("more", ["PIP_ROOT_USER_ACTION=ignore", "PIP_NO_CACHE_DIR=1", "MY_PATH=x",
                                  "PYTHONPATH=/opt/app/site"])  # fmt: skip
def test_settings_that_lead_nowhere_else(rebased, more):
    assert rebased(*PLACE, f"ENV {more}", f"RUN {PIP}") == ""


@pytest.mark.parametrize(
    "steps",
    [
        ["COPY x /opt/app/x"],
        ["COPY x /usr/local/bin/tool # buildkit"],
        ["COPY --chown=1:1 x y /opt/app/ # buildkit"],
        ["ADD https://example.org/x /srv/x"],
        ["/bin/sh -c #(nop) COPY dir:00 in /runs "],
        ["WORKDIR /opt/app", "COPY x y"],
        ["WORKDIR /opt/app", "WORKDIR sub/./folder", "COPY /x ./ # buildkit"],
        ["WORKDIR /opt/app", "/bin/sh -c #(nop) COPY file:00 in . "],
        ["WORKDIR /opt/app/", "COPY one*.txt two.txt etc/ssl/"],
    ],
)
def test_places_that_are_left_to_others(rebased, steps):
    assert rebased(*steps) == ""


@pytest.mark.parametrize(
    "steps",
    [
        ["COPY x etc/ssl"],
        ["COPY x ./"],
        ["WORKDIR etc"],
        ["WORKDIR etc", "WORKDIR /opt/app"],
        ["WORKDIR /etc"],
        ["WORKDIR /"],
        ["WORKDIR"],
        ["COPY"],
        ["COPY /opt/app"],
        ["COPY x"],
        ["COPY x /etc/ssl"],
        ["COPY x /etc/ssl # buildkit"],
        ["COPY x /opt"],
        ["COPY x /usr/local/"],
        ["COPY x /optional"],
        ["COPY x /usr/local/cuda/lib64/x"],
        ["COPY x /usr/local/cuda-13.0"],
        ["COPY x /opt/./nvidia/entrypoint.d/x"],
        ["COPY x //usr//local/cuda"],
        ["COPY x /opt/../etc"],
        ["COPY x /opt/app/$HOME"],
        ["COPY x ${ROOT}"],
        ["WORKDIR /opt/app", "COPY x ../../etc"],
        ["WORKDIR /opt/app", "COPY x ~/etc\\"],
        ["WORKDIR /opt/app", 'WORKDIR "/etc"'],
        ["WORKDIR /opt/app", "WORKDIR $ETC"],
        ["WORKDIR /opt/app", "WORKDIR /etc/my app"],
        ["WORKDIR /opt/app", 'COPY x "/etc/quoted"'],
        ["WORKDIR /opt/app", 'COPY ["x", "/etc/ssl"]'],
        ["WORKDIR /opt/app", "/bin/sh -c #(nop) COPY file:00 in /etc/my app/ "],
        ["WORKDIR /opt/app", "/bin/sh -c #(nop) COPY file:00 in ${ETC}/my app/ "],
        ["WORKDIR /opt/app", '/bin/sh -c #(nop) COPY file:00 in "/etc/my app/" '],
        ["WORKDIR /opt/app", "COPY x /etc/my app # buildkit"],
        ["WORKDIR /opt/app", "COPY x /etc/my /opt/app # buildkit"],
        ["WORKDIR /opt/app", "COPY x ../../etc app # buildkit"],
        ["WORKDIR /opt", "COPY x nvidia/entrypoint.d/x"],
    ],
)
def test_places_that_refuse(rebased, steps):
    assert rebased(*steps).startswith("changed-base: ")


def test_a_label_is_no_word_of_a_step(rebased):
    """What a copied file is called says nothing of what was written."""
    above = ["COPY tmplgen.writes= /opt/app/ # buildkit"]
    assert rebased(above=above).startswith("unproven-base: ")


@pytest.mark.parametrize("more", [{"Shell": ["/bin/bash", "-c"]}, {"env": ["PIP_USER=1"]}])
def test_a_base_that_leads_elsewhere(registry, tmplgen, more):
    """Its settings are those of every step above it."""
    env = more.pop("env", [])
    names = []
    for layers, version in ((OLD, "13.0.1"), (NEW, "13.0.3")):
        image = base(layers, version, **more)
        image.env += env
        image.put(registry, "strange/cuda", f"{version}-base-ubuntu24.04")
        names.append(f"{registry.host}/strange/cuda:{version}-base-ubuntu24.04")
    image = app(names[0], own=OWN[:1])
    steps = [*PLACE, f"RUN {PIP}", SAID]
    image.history = [{"created_by": "base"}, {"created_by": "base"}]
    image.history += [{"created_by": step, "empty_layer": step != PLACE[0]} for step in steps]
    image.put(registry, "strange/app", "1")
    words = ["image", "rebase", f"{registry.host}/strange/app:1", "--onto", names[1], "--json"]
    made = json.loads(tmplgen(*words).out)
    assert (made["exit"], made["error"]["code"]) == (3, "changed-base")
