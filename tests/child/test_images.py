"""A repository of base images: its scripts, with programs in place of tmplgen, gh and an engine."""

import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from base64 import b64decode
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from ..registry.fake import Answer, Fake
from .matrix import TMPLGEN
from .matrix import tmplgen as real_tmplgen

REGISTRY = "registry.example.org:5000/team"
LOCK = "base-images.lock.yml"
NEW = "schema: 1\nimages:\n  nvidia/cuda:13.0.3-base-ubuntu24.04: {digest: sha256:1}\n"
TAGS = {"pytorch": ["2.14.0-cu130-py312-ubuntu24.04", "2.14.0-cu126-py312-ubuntu24.04"]}
TAGS["tensorflow"] = ["2.21.0-pypi-py312-ubuntu24.04"]
ROWS = sorted(f"{name}:{tag}" for name, tags in TAGS.items() for tag in tags)
BASE = {"repository": "nvidia/cuda", "tag": "13.0.3-base-ubuntu24.04", "digest": None}


def row(tag):
    base = {**BASE, "state": "supported"}
    return {"tag": tag, "request": {"framework": "x"}, "resolution": {}, "base": base}


def listing(tags):
    """What `tmplgen image list --json` prints."""
    images = [
        {"name": name, "description": "d", "rows": [row(tag) for tag in found]}
        for name, found in tags.items()
    ]
    return json.dumps({"schema": "tmplgen/image-list@1", "exit": 0, "images": images})


# Writes down its words; answers from files beside it.
FAKE = """\
#!/bin/sh
here=${0%/*}
echo "${0##*/} $*" >>"$here/log"
"""
FAKES = {
    "tmplgen": """\
case "$1 $2" in
"image list") cat "$here/list" ;;
"image render")
    sed -n 's/^//p' "$here/rendered" | while read -r row; do
        mkdir -p "$4/$row" && echo FROM scratch >"$4/$row/Dockerfile"
    done ;;
"image verify") cat "$here/verified"; exit "$(cat "$here/status")" ;;
"image lock")
    [ ! -e "$here/lock" ] || cat "$here/lock" >base-images.lock.yml
    exit "$(cat "$here/locked")" ;;
"image build")
    case "$*" in *--plan*) cat "$4" >"$here/plan" ;; esac
    failed=0
    for bad in $(cat "$here/broken"); do
        case "$*" in *--only*) case "$*" in *"$bad"*) failed=1 ;; esac ;; *) failed=1 ;; esac
    done
    exit "$failed" ;;
esac
""",
    "gh": """\
case "$1 $2" in
"pr list") cat "$here/requests" ;;
"pr create") cat "$8" >"$here/body" ;;
esac
""",
    "docker": 'case "$1" in login) cat >>"$here/log"; echo >>"$here/log" ;; esac\n',
}


@dataclass
class Team:
    """A repository of base images with an origin, and programs to be found first on PATH."""

    folder: object
    programs: object

    def say(self, **files):
        for name, text in files.items():
            (self.programs / name).write_text(text)

    def run(self, *command, status=0, **env):
        if command[0] != "git":
            (self.programs / "log").write_text("")
        done = subprocess.run(
            [str(word) for word in command],
            cwd=self.folder,
            env={
                "PATH": f"{self.programs}:{os.environ['PATH']}",
                "HOME": str(self.programs),
                "ENGINE": "docker",
                **env,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done

    def log(self, name=""):
        lines = (self.programs / "log").read_text().splitlines()
        return [line for line in lines if line.startswith(name)]

    def git(self, *words):
        return self.run("git", *words).stdout

    def branches(self):
        refs = self.git("ls-remote", "origin", "refs/heads/base-images-lock/*").splitlines()
        return [line.split("\t")[1].removeprefix("refs/heads/") for line in refs]


@pytest.fixture(scope="module")
def pushed(tmp_path_factory):
    """A folder with the repository and its origin; the first has the second's place by its own."""
    folder = tmp_path_factory.mktemp("pushed")
    words = ["--type", "images", "--registry", REGISTRY, "--ci", "github,gitlab,jenkins"]
    real_tmplgen("new", folder / "base", *words, cwd=folder)
    for words in (
        ["init", "--quiet", "--bare", "../origin.git"],
        ["--git-dir", "../origin.git", "config", "receive.advertisePushOptions", "true"],
        ["remote", "add", "origin", "../origin.git"],
        ["push", "--quiet", "origin", "HEAD"],
    ):
        subprocess.run(["git", *words], cwd=folder / "base", check=True)
    return folder


@pytest.fixture
def team(tmp_path, pushed):
    shutil.copytree(pushed, tmp_path, symlinks=True, dirs_exist_ok=True)
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in FAKES.items():
        (programs / name).write_text(FAKE + text)
        (programs / name).chmod(0o755)
    it = Team(tmp_path / "base", programs)
    it.say(
        list=listing(TAGS),
        broken="",
        verified="nvidia/cuda moved\n",
        status="0",
        locked="0",
        requests="",
    )
    it.say(rendered="".join(f"{line.replace(':', '/')}\n" for line in ROWS))
    return it


# ---------------------------------------------------------------- the type itself


def new(*words, cwd, **env):
    return subprocess.run(
        [TMPLGEN, "new", "base", "--type", "images", *words],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "HOME": str(cwd), **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_registry_is_asked_for(tmp_path):
    done = new(cwd=tmp_path)
    assert done.returncode == 2
    assert "'registry' has no default" in done.stderr
    assert not (tmp_path / "base").exists()


@pytest.mark.parametrize("wrong", ["", "https://ghcr.io/team", "ghcr.io/Team", "ghcr.io/team/"])
def test_a_registry_is_a_host_and_a_path(tmp_path, wrong):
    done = new("--registry", wrong, cwd=tmp_path)
    assert done.returncode == 2
    assert "'registry' cannot be" in done.stderr
    assert "such as ghcr.io/team: without https:// and a final /" in done.stderr


@pytest.mark.parametrize(
    "registry",
    "team/ml localhost localhost:5000/a host:5000 ghcr.io/a/b a.b -a.b quay.io y".split(),
)
def test_a_registry_that_is_taken_is_one_for_every_command(tmp_path, registry):
    """What `new` takes `image list` takes too."""
    made = new("--registry", registry, cwd=tmp_path)
    wrong = registry in ("team/ml", "-a.b", "quay.io", "y")
    assert made.returncode == (2 if wrong else 0), made.stderr
    words = ["--type", "service", "--framework", "none", "--registry", registry, "--dry-run"]
    project = subprocess.run([TMPLGEN, "new", *words], cwd=tmp_path, check=False)
    hub = {"team/ml": 0}  # a project's may be a name on Docker Hub alone
    assert project.returncode == hub.get(registry, made.returncode)
    if made.returncode == 0:
        real_tmplgen("image", "list", cwd=tmp_path / "base")


def test_the_registry_of_the_users_configuration_is_taken(tmp_path):
    (tmp_path / "tmplgen").mkdir()
    (tmp_path / "tmplgen/config.yml").write_text("registry: ghcr.io/team\n")
    assert new(cwd=tmp_path, XDG_CONFIG_HOME=str(tmp_path)).returncode == 0
    plan = yaml.safe_load((tmp_path / "base/images.yml").read_text())
    assert plan["registry"] == "ghcr.io/team"


@pytest.mark.parametrize("option", ["--framework=pytorch", "--gpu=V100", "--python=3.12"])
def test_options_of_the_stack_mean_nothing(tmp_path, option):
    done = new("--registry", "ghcr.io/team", option, cwd=tmp_path)
    assert done.returncode == 2
    assert "has no stack" in done.stderr


def test_the_plan_has_the_newest_the_old_gpus_and_tensorflow(team):
    plan = yaml.safe_load((team.folder / "images.yml").read_text())
    assert plan["schema"] == 1 and plan["registry"] == REGISTRY
    assert [(entry["image"], entry["request"]) for entry in plan["images"]] == [
        ("pytorch", {"framework": "pytorch"}),
        ("pytorch", {"framework": "pytorch", "gpu": ["V100"]}),
        ("tensorflow", {"framework": "tensorflow"}),
    ]
    assert yaml.safe_load((team.folder / LOCK).read_text()) == {"schema": 1, "images": {}}


def test_every_row_of_the_plan_can_be_met(team):
    for entry in yaml.safe_load((team.folder / "images.yml").read_text())["images"]:
        words = [
            word
            for key, value in entry["request"].items()
            for each in (value if isinstance(value, list) else [value])
            for word in (f"--{key}", each)
        ]
        real_tmplgen("matrix", "resolve", *words, cwd=team.folder)


@pytest.mark.parametrize(
    "line", ["ghcr.io/ml # ours", "'ghcr.io/ml'# ours", '"ghcr.io/ml"\t# ours', "ghcr.io/ml\r"]
)
def test_the_scripts_read_the_registry_as_yaml_does(team, line):
    plan = team.folder / "images.yml"
    plan.write_text(plan.read_text().replace(REGISTRY, line))
    said = team.run("sh", "-c", ". ci/project.sh; echo $REGISTRY $TMPLGEN_IMAGE").stdout
    assert said == "ghcr.io/ml ghcr.io/ml/tmplgen:latest\n"


def test_make_calls_what_its_help_tells(team):
    told = re.findall(r"^make ([a-z-]+)", team.run("make", "help").stdout, re.M)
    assert {"list", "render", "lock", "verify", "build", "push"} <= set(told)
    for target in ("list", "lock", "verify"):
        team.run("make", target)
        assert team.log() == [f"tmplgen image {target}"]


def test_without_a_pipeline_there_is_nothing_of_one(tmp_path):
    assert new("--registry", "ghcr.io/team", "--ci", "none", cwd=tmp_path).returncode == 0
    for path in (".github", ".gitlab-ci.yml", "Jenkinsfile", "ci/propose-lock.sh"):
        assert not (tmp_path / "base" / path).exists(), path
    assert "pipeline" not in (tmp_path / "base/README.md").read_text()


def test_another_registry_reaches_the_plan_and_neither_rows_nor_lock(team):
    own = "  - image: jax\n    request: {framework: jax}\n"
    plan = team.folder / "images.yml"
    plan.write_text(plan.read_text() + own)
    (team.folder / LOCK).write_text(NEW)
    team.git("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-qam", "ours")
    before = plan.read_text()
    real_tmplgen("update", team.folder, "--set", "registry=ghcr.io/other", cwd=team.folder)
    assert plan.read_text() == before.replace(REGISTRY, "ghcr.io/other")
    assert (team.folder / LOCK).read_text() == NEW
    assert "ghcr.io/other" in team.run("sh", "-c", ". ci/project.sh; echo $REGISTRY").stdout


# ---------------------------------------------------------------- rows


@pytest.mark.parametrize("without", [None, "jq"])
def test_rows_are_those_of_the_plan_each_once(team, without, tmp_path):
    path = os.environ["PATH"]
    if without:
        tools = tmp_path / "tools"
        tools.mkdir()
        for name in ("sh", "sed", "tr", "dirname", "sort", "grep", "paste", "cat"):
            (tools / name).symlink_to(shutil.which(name))
        (tools / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        (tools / "python3").chmod(0o755)
        path = str(tools)
    # Two requests may come to the same image.
    team.say(list=listing({**TAGS, "jax": ["0.10.2"] * 2}))
    env = {"PATH": f"{team.programs}:{path}"}
    expected = sorted([*ROWS, "jax:0.10.2"])
    assert team.run("ci/rows.sh", **env).stdout.splitlines() == expected
    assert json.loads(team.run("ci/rows.sh", "--json", **env).stdout) == expected


@pytest.mark.parametrize(
    "tags", [{}, {"pytorch": []}, {"pytorch": ["1$(reboot)"]}, {"a b": ["1"]}, {"a": ["1\n2"]}]
)
def test_rows_that_are_none_are_refused(team, tags):
    team.say(list=listing(tags))
    for words in ([], ["--json"]):
        done = team.run("ci/rows.sh", *words, status=1)
        assert done.stdout == ""
        assert "images.yml" in done.stderr


def test_a_plan_that_cannot_be_met_fails_every_step_with_its_reason(team):
    script = "#!/bin/sh\necho 'images.yml:9: no solution' >&2\nexit 4\n"
    (team.programs / "tmplgen").write_text(script)
    for command in ("ci/rows.sh", "ci/lint.sh", "ci/render.sh", "ci/gitlab-rows.sh"):
        done = team.run(command, status=4)
        assert "no solution" in done.stderr
        assert done.stdout == ""


def test_render_misses_no_row(team):
    team.run("ci/render.sh")
    team.say(rendered="pytorch/other\n")
    done = team.run("ci/render.sh", status=1)
    assert [line.split(": ")[0] for line in done.stderr.splitlines()] == ROWS


# ---------------------------------------------------------------- building and pushing


def test_a_row_is_built_alone_and_pushed_when_told(team):
    team.run("ci/build.sh", ROWS[0])
    assert team.log() == [f"tmplgen image build --engine docker --only {ROWS[0]}"]
    team.run("ci/build.sh", "--push", *ROWS[:2])
    only = f"--only {ROWS[0]} --only {ROWS[1]}"
    assert team.log() == [f"tmplgen image build --engine docker --push {only}"]
    team.run("ci/build.sh")
    assert team.log() == ["tmplgen image build --engine docker"]


def test_tmplgen_chooses_the_engine_where_nobody_names_one(team):
    """A docker without buildx is there, and builds nothing."""
    for command in ("ci/build.sh", "ci/push.sh", "ci/tmplgen-image.sh"):
        team.run(command, ENGINE="")
        assert not [line for line in team.log("tmplgen") if "--engine" in line], command
        team.run(command, ENGINE="podman")
        assert "--engine podman" in team.log("tmplgen")[-1]


def test_a_row_that_fails_fails_its_own_job_only(team):
    team.say(broken=ROWS[1])
    team.run("ci/build.sh", ROWS[0])
    team.run("ci/build.sh", ROWS[1], status=1)
    team.run("ci/build.sh", ROWS[2])


@pytest.mark.parametrize("command", ["ci/build.sh", "ci/push.sh", "ci/tmplgen-image.sh"])
def test_the_password_is_given_to_the_engine_on_its_standard_input(team, command):
    team.run(command, REGISTRY_USER="ann", REGISTRY_PASSWORD="secret")
    login = f"docker login --username ann --password-stdin {REGISTRY.split('/')[0]}"
    assert team.log()[team.log().index(login) + 1] == "secret"
    assert "secret" not in "".join(team.log("tmplgen"))


def test_gitlabs_own_password_goes_to_gitlabs_own_registry_only(team):
    own = {"CI_REGISTRY_USER": "gitlab-ci-token", "CI_REGISTRY_PASSWORD": "job"}
    team.run("ci/build.sh", CI_REGISTRY="registry.gitlab.example.org", **own)
    assert team.log("docker login") == []
    team.run("ci/build.sh", CI_REGISTRY=REGISTRY.split("/")[0], **own)
    assert "--username gitlab-ci-token" in team.log("docker login")[0]
    given = {"REGISTRY_USER": "ann", "REGISTRY_PASSWORD": "secret"}
    team.run("ci/build.sh", CI_REGISTRY=REGISTRY.split("/")[0], **own, **given)
    assert "--username ann" in team.log("docker login")[0]


def test_the_image_with_tmplgen_is_pushed_by_a_plan_of_its_own(team):
    team.run("make", "tmplgen-image")
    plan = yaml.safe_load((team.programs / "plan").read_text())
    assert plan["registry"] == REGISTRY
    request = row("")["request"]
    assert plan["images"] == [{"image": "tmplgen", "request": request, "tags": ["latest"]}]
    assert team.log()[-1].endswith("images.yml --engine docker --push")
    base = "--build-arg BASE_IMAGE=ubuntu:24.04"
    team.run("make", "tmplgen-image", f"BUILD_ARGS={base}")
    assert team.log()[-1].endswith(f"images.yml --engine docker --push {base}")


def test_a_machine_without_tmplgen_is_told_what_to_do(team):
    (team.programs / "tmplgen").unlink()
    (team.programs / "docker").write_text("#!/bin/sh\nexit 1\n")
    done = team.run("ci/rows.sh", status=1, PATH=f"{team.programs}:/usr/bin:/bin")
    assert f"{REGISTRY}/tmplgen:latest could not be pulled" in done.stderr
    assert "install it, or set TMPLGEN_PIP, TMPLGEN_URL or TMPLGEN_IMAGE" in done.stderr
    done = team.run("make", "list", "TMPLGEN=/nowhere/tmplgen", status=2)
    assert "there is no program '/nowhere/tmplgen'" in done.stderr


DOCKER = """\
case $1 in
pull) [ ! -e "$here/away" ] ;;
image) cat "$here/id" ;;
create) echo it ;;
export) tar -c -C "$here/image" . ;;
esac
"""
BUILDAH = """\
case $1 in
inspect) cat "$here/id" ;;
from) echo it ;;
mount) echo "$here/image" ;;
unshare) shift; exec "$@" ;;
esac
"""
TAKEN = ["create", "export", "rm"]


@pytest.fixture
def bare(team):
    """The same on a machine without tmplgen: an engine has its image."""
    image = team.programs / "image"
    program, loader = image / "usr/local/bin/tmplgen", image / "usr/lib/any/ld-linux-any.so.2"
    for path, text in ((program, ""), (loader, '#!/bin/sh\necho "$@"\n')):
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(0o755)
    (team.programs / "tmplgen").unlink()
    (team.programs / "docker").write_text(FAKE + DOCKER)
    team.say(id="sha256:1")
    return team


def take(team, **env):
    """What tmplgen was asked, and what the engine did beside looking."""
    said = team.run("ci/tmplgen.sh", "image", "list", PATH=f"{team.programs}:/usr/bin:/bin", **env)
    words = [line.split()[1] for line in team.log()]
    assert words[:2] == ["pull", "image"]
    return said.stdout.split(), words[2:]


def test_tmplgen_is_taken_out_of_its_image_once(bare):
    taken = bare.folder / ".tmplgen-image/files"
    libraries = f"{taken}/usr/lib/any:{taken}/usr/local/lib"
    said = ["--library-path", libraries, f"{taken}/usr/local/bin/tmplgen", "image", "list"]
    for did in (TAKEN, [], []):
        assert take(bare) == (said, did)
    assert bare.git("status", "--porcelain") == ""


def test_a_name_that_moved_is_another_tmplgen(bare):
    assert take(bare)[1] == TAKEN
    bare.say(id="sha256:2")
    assert take(bare)[1] == TAKEN
    assert "docker create sha256:2 tmplgen" in bare.log()
    bare.say(id="sha256:3")
    assert take(bare, TMPLGEN_IMAGE="other:1")[1] == TAKEN
    assert "docker image inspect --format {{.Id}} other:1" in bare.log()
    assert take(bare, TMPLGEN_IMAGE="other:1")[1] == []


def test_tmplgen_is_the_one_file_of_a_release_whose_sum_is_right(bare, tmp_path):
    file = tmp_path / "file"
    file.write_text('#!/bin/sh\necho "the one file" "$@"\n')
    sum_ = hashlib.sha256(file.read_bytes()).hexdigest()
    path = {"PATH": "/usr/bin:/bin", "TMPLGEN_URL": f"file://{file}"}
    for wrong in ("0" * 64, "../../x"):
        said = bare.run("ci/tmplgen.sh", "version", status=1, TMPLGEN_SHA256=wrong, **path)
        assert "is not the tmplgen whose sha256 is" in said.stderr
    for _ in range(2):
        said = bare.run("ci/tmplgen.sh", "image", "list", TMPLGEN_SHA256=sum_, **path)
        assert said.stdout == "the one file image list\n"
        file.unlink(missing_ok=True)  # it is fetched once
    assert bare.log() == [] and bare.git("status", "--porcelain") == ""


def test_tmplgen_is_what_pip_installs(bare, tmp_path):
    with zipfile.ZipFile(tmp_path / "tmplgen-9-py3-none-any.whl", "w") as wheel:
        script = zipfile.ZipInfo("tmplgen-9.data/scripts/tmplgen")
        script.external_attr = 0o100755 << 16
        wheel.writestr(script, '#!/bin/sh\necho "of pip" "$@"\n')
        about = "Metadata-Version: 2.1\nName: tmplgen\nVersion: 9\n"
        wheel.writestr("tmplgen-9.dist-info/METADATA", about)
        wheel.writestr("tmplgen-9.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("tmplgen-9.dist-info/RECORD", "")
    env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "TMPLGEN_PIP": "tmplgen==9"}
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    for _ in range(2):
        said = bare.run("ci/tmplgen.sh", "image", "list", PATH=path, **env)
        assert said.stdout == "of pip image list\n"
        env["PIP_FIND_LINKS"] = "/nowhere"
    assert bare.log() == []


def test_buildah_looks_for_a_newer_one_too(bare):
    (bare.programs / "buildah").write_text(FAKE + BUILDAH)
    (bare.programs / "buildah").chmod(0o755)
    for identity in ("sha256:1", "sha256:2", "sha256:2"):
        before = bare.folder / ".tmplgen-image/id"
        same = before.exists() and before.read_text().strip() == identity
        bare.say(id=identity)
        path = f"{bare.programs}:/usr/bin:/bin"
        said = bare.run("ci/tmplgen.sh", "image", "list", ENGINE="buildah", PATH=path)
        assert said.stdout.endswith("/usr/local/bin/tmplgen image list\n")
        image = f"{REGISTRY}/tmplgen:latest"
        log = bare.log("buildah")
        assert log[0] == f"buildah pull --quiet --policy always {image}"
        assert (f"buildah from {identity}" in log) == (not same)


def test_an_image_that_cannot_be_pulled_and_is_here_is_taken(bare):
    bare.say(away="")
    assert take(bare)[1] == TAKEN
    assert take(bare)[1] == []


def test_a_copy_that_was_cut_off_is_not_taken_for_one(bare):
    assert take(bare)[1] == TAKEN
    bare.say(id="sha256:2")
    (bare.programs / "docker").write_text(FAKE + DOCKER.replace("tar -c", "false"))
    bare.run("ci/tmplgen.sh", "version", status=1, PATH=f"{bare.programs}:/usr/bin:/bin")
    (bare.programs / "docker").write_text(FAKE + DOCKER)
    bare.say(id="sha256:1")
    assert take(bare)[1] == TAKEN


# ---------------------------------------------------------------- the lock


def test_a_lock_that_holds_is_left_alone(team):
    team.run("ci/propose-lock.sh", "github")
    assert team.log() == ["tmplgen image verify", "tmplgen image lock"]
    assert team.branches() == []


def test_a_lock_that_holds_but_is_not_whole_is_made_so(team):
    team.say(lock=NEW)
    team.run("ci/propose-lock.sh", "branch")
    assert "tmplgen image lock" in team.log()
    assert len(team.branches()) == 1


def test_where_nothing_is_locked_yet_the_first_lock_is_proposed(team):
    team.say(status="2", lock=NEW)
    team.run("ci/propose-lock.sh", "branch")
    assert team.log() == ["tmplgen image verify", "tmplgen image lock"]
    assert len(team.branches()) == 1


@pytest.mark.parametrize("status", [1, 130])
def test_a_registry_that_does_not_answer_is_no_reason_for_a_new_lock(team, status):
    team.say(status=str(status), lock=NEW)
    team.run("ci/propose-lock.sh", "github", status=status)
    assert team.log() == ["tmplgen image verify"]
    assert team.branches() == []


def test_what_no_lock_can_help_is_red(team):
    team.say(status="6")
    done = team.run("ci/propose-lock.sh", "github", status=6)
    assert "change of images.yml" in done.stderr
    assert team.branches() == []
    assert team.log("gh") == []


@pytest.mark.parametrize(("verified", "ended"), [(6, 6), (0, 1), (2, 1)])
def test_what_could_be_locked_is_proposed_and_the_rest_is_red(team, verified, ended):
    """Of two bases one has moved, and one is gone."""
    team.say(status=str(verified), locked="1", lock=NEW)
    done = team.run("ci/propose-lock.sh", "github", status=ended)
    assert "could not be locked" in done.stderr
    [branch] = team.branches()
    team.git("fetch", "--quiet", "origin", branch)
    assert team.git("show", f"FETCH_HEAD:{LOCK}") == NEW
    assert len(team.log("gh")) == 2
    assert team.git("status", "--porcelain") == ""
    (team.programs / "lock").unlink()
    team.run("ci/propose-lock.sh", "github", status=ended)
    assert team.branches() == [branch]


@pytest.mark.parametrize("step", ["lock", "write-tree", "commit-tree", "push"])
def test_whatever_fails_the_work_tree_is_as_it_was(team, step):
    """Else the next run in the same folder would refuse."""
    team.say(status="6", locked="130" if step == "lock" else "0", lock=NEW)
    git = shutil.which("git")
    fails = f'case " $* " in *" {step} "*) exit 1 ;; esac\nexec {git} "$@"\n'
    (team.programs / "git").write_text(f"#!/bin/sh\n{fails}")
    (team.programs / "git").chmod(0o755)
    team.run("ci/propose-lock.sh", "branch", status=130 if step == "lock" else 1)
    (team.programs / "git").unlink()
    assert team.git("status", "--porcelain") == ""
    assert team.branches() == []


@pytest.mark.parametrize("how", ["github", "gitlab", "branch"])
def test_a_new_lock_and_nothing_else_is_pushed_to_a_branch(team, how):
    head = team.git("rev-parse", "HEAD")
    # What lies about, and what is staged, is nobody's business.
    (team.folder / "notes").write_text("mine\n")
    (team.folder / "README.md").write_text("mine\n")
    team.git("add", "README.md")
    before = team.git("status", "--porcelain")
    team.say(status="6", lock=NEW)
    team.run("ci/propose-lock.sh", how, CI_DEFAULT_BRANCH="master")
    assert team.git("rev-parse", "HEAD") == head
    assert team.git("status", "--porcelain") == before
    [branch] = team.branches()
    team.git("fetch", "--quiet", "origin", branch)
    assert team.git("rev-parse", "FETCH_HEAD^") == head
    assert team.git("diff", "--name-only", "HEAD", "FETCH_HEAD").split() == [LOCK]
    assert team.git("show", f"FETCH_HEAD:{LOCK}") == NEW
    message = team.git("log", "-1", "--format=%B", "FETCH_HEAD")
    assert "    nvidia/cuda moved" in message
    modes = team.git("ls-tree", "HEAD", LOCK).split()[0], team.git("ls-tree", "FETCH_HEAD", LOCK)
    assert modes[1].startswith(modes[0])


def test_a_pull_request_is_opened_once(team):
    team.say(status="6", lock=NEW)
    team.run("ci/propose-lock.sh", "github")
    [branch] = team.branches()
    listed, created = team.log("gh")
    assert f"--head {branch}" in listed and "--state all" in listed
    assert created.startswith(f"gh pr create --head {branch} --title")
    assert "nvidia/cuda moved" in (team.programs / "body").read_text()
    # A week later nobody has looked at it, or somebody has closed it.
    team.say(requests="7\n")
    done = team.run("ci/propose-lock.sh", "github")
    assert "proposed before" in done.stdout
    assert len(team.log("gh")) == 1
    assert team.branches() == [branch]


def test_a_request_that_could_not_be_opened_is_opened_the_next_time(team):
    team.say(status="6", lock=NEW)
    working = (team.programs / "gh").read_text()
    (team.programs / "gh").write_text(f"{working}[ $2 = list ]\n")
    team.run("ci/propose-lock.sh", "github", status=1)
    (team.programs / "gh").write_text(working)
    team.run("ci/propose-lock.sh", "github")
    assert [line.split()[2] for line in team.log("gh")] == ["list", "create"]


def test_a_push_that_is_refused_is_red_and_says_what_to_do(team):
    hook = team.folder.parent / "origin.git/hooks/pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    team.say(status="6", lock=NEW)
    done = team.run("ci/propose-lock.sh", "github", status=1)
    assert "the new lock cannot be pushed" in done.stderr
    assert team.log("gh") == []


def test_gitlab_is_asked_for_a_merge_request(team):
    hook = team.folder.parent / "origin.git/hooks/pre-receive"
    hook.write_text(f'#!/bin/sh\nenv | grep ^GIT_PUSH_OPTION_ >"{team.programs}/options"\n')
    hook.chmod(0o755)
    team.say(status="6", lock=NEW)
    team.run("ci/propose-lock.sh", "gitlab", CI_DEFAULT_BRANCH="main")
    options = (team.programs / "options").read_text()
    assert "=merge_request.create\n" in options
    assert "=merge_request.target=main\n" in options
    assert team.log("gh") == []


def test_a_lock_that_is_not_committed_is_not_touched(team):
    (team.folder / LOCK).write_text("schema: 1\nimages: {a: {digest: mine}}\n")
    team.say(status="6", lock=NEW)
    done = team.run("ci/propose-lock.sh", "branch", status=3)
    assert "not committed" in done.stderr
    assert "mine" in (team.folder / LOCK).read_text()


def test_the_token_is_in_no_address_no_word_and_no_log(team):
    asked = []

    class Origin(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, self.headers.get("Authorization")))
            self.send_response(403 if asked[-1][1] else 401)
            self.send_header("WWW-Authenticate", "Basic realm=x")
            self.end_headers()

        def log_message(self, *_):
            pass

    git = shutil.which("git")
    (team.programs / "git").write_text(f'{FAKE}exec {git} "$@"\n')
    (team.programs / "git").chmod(0o755)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/base.git"
    team.say(status="6", lock=NEW)
    push = {"PUSH_URL": url, "PUSH_USER": "lock", "PUSH_TOKEN": "s3cret"}
    done = team.run("ci/propose-lock.sh", "branch", status=1, GIT_TERMINAL_PROMPT="0", **push)
    server.shutdown()
    server.server_close()
    assert b64decode(asked[-1][1].split()[1]) == b"lock:s3cret"
    assert not any("s3cret" in path for path, _ in asked)
    assert "s3cret" not in done.stdout + done.stderr + "".join(team.log())


# ---------------------------------------------------------------- with tmplgen itself


def test_tmplgen_itself_lists_and_renders_the_rows(team):
    env = {"TMPLGEN": str(TMPLGEN)}
    rows = team.run("ci/rows.sh", **env).stdout.split()
    assert [row.split(":")[0] for row in rows] == ["pytorch", "pytorch", "tensorflow"]
    team.run("ci/render.sh", **env)
    assert team.git("status", "--porcelain") == ""


def test_tmplgen_itself_pins_finds_what_moved_and_proposes_it(team):
    env = {"TMPLGEN": str(TMPLGEN), "HOME": str(team.programs)}
    rows = json.loads(team.run(TMPLGEN, "image", "list", "--json").stdout)["images"]
    bases = {row["base"]["tag"] for image in rows for row in image["rows"]}
    with Fake() as registry:
        folder = team.programs / ".config/tmplgen"
        folder.mkdir(parents=True)
        (folder / "config.yml").write_text(f"mirror: {registry.host}\n")
        for tag in bases:
            registry.image("nvidia/cuda", tag)
        # What is pinned nowhere is proposed, what is pinned is left alone.
        team.run("ci/propose-lock.sh", "branch", **env)
        [first] = team.branches()
        team.git("pull", "--quiet", "--ff-only", "origin", first)
        lock = yaml.safe_load((team.folder / LOCK).read_text())
        assert set(lock["images"]) == {f"nvidia/cuda:{tag}" for tag in bases}
        team.run("ci/propose-lock.sh", "branch", **env)
        assert team.branches() == [first]
        moved = min(bases)
        registry.image("nvidia/cuda", moved, variant="v2")
        team.run("ci/propose-lock.sh", "github", **env)
        [second] = set(team.branches()) - {first}
        team.git("fetch", "--quiet", "origin", second)
        changed = yaml.safe_load(team.git("show", f"FETCH_HEAD:{LOCK}"))["images"]
        assert [name for name in changed if changed[name] != lock["images"][name]] == [
            f"nvidia/cuda:{moved}"
        ]
        assert f"nvidia/cuda:{moved}" in (team.programs / "body").read_text()
        # No answer is no news.
        for tag in bases:
            registry.special["GET", f"/v2/nvidia/cuda/manifests/{tag}"] = Answer(status=500)
            registry.special["HEAD", f"/v2/nvidia/cuda/manifests/{tag}"] = Answer(status=500)
        team.run("ci/propose-lock.sh", "branch", status=1, **env)
        assert len(team.branches()) == 2


# ---------------------------------------------------------------- GitLab's child pipeline


def test_gitlabs_child_pipeline_has_a_job_for_each_row(team):
    for words, push in ([], ""), (["--push"], "--push "):
        said = team.run("ci/gitlab-rows.sh", *words, TMPLGEN_IMAGE="r.example.org/tmplgen:1")
        pipeline = yaml.safe_load(said.stdout)
        assert pipeline.pop("workflow") == {"rules": [{"when": "always"}]}
        default = pipeline.pop("default")
        assert default["image"]["name"] == "r.example.org/tmplgen:1"
        assert default["interruptible"] == (not push)
        assert sorted(pipeline) == ROWS
        for name, job in pipeline.items():
            assert job["script"] == [f"ci/build.sh {push}{name}"]
