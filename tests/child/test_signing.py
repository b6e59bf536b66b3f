"""The scripts that publish and sign an image, with programs that write down what they are told."""

import shutil
import subprocess
from dataclasses import dataclass

import pytest

from ..registry.conftest import running
from .matrix import tmplgen

DIGEST = "sha256:" + "0123456789abcdef" * 4
IT = "registry.example.org:5000/team/it"
IMAGE = f"{IT}@{DIGEST}"
LIST = "reports/sbom.spdx.json"
ANN = {"REGISTRY_USER": "ann", "REGISTRY_PASSWORD": "s3cret"}
IDENTITIES = ["ACTIONS_ID_TOKEN_REQUEST_URL", "SIGSTORE_ID_TOKEN"]

# As docker tells which digest it pushed, and as podman and buildah do.
ENGINE = f"""\
case "$1 $2" in
"login "*) cat >/dev/null ;;
"push --digestfile") printf %s {DIGEST} >"$3" ;;
"push "*) printf 'The push refers to repository [it]\\nlatest: digest: {DIGEST} size: 528\\n' ;;
esac
"""
COSIGN = """\
[ "$1" != login ] || echo "password: $(cat)" >>"$LOG"
[ "$1 ${COSIGN_PASSWORD-}" != "sign wrong" ] || exit 1
"""
SYFT = """\
env | sed -n "s/^SYFT_REGISTRY_AUTH_/auth /p" >>"$LOG"
echo '{}' >"${4#spdx-json=}"
"""


@dataclass
class Job:
    """A child, and programs that are all there is on PATH besides the shell's own."""

    folder: object
    programs: object

    def has(self, name, body):
        path = self.programs / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >>"$LOG"\n{body}')
        path.chmod(0o755)

    def run(self, command, status=0, **env):
        """What the programs were told, and what the command said."""
        log = self.programs / "log"
        log.write_text("")
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={"PATH": str(self.programs), "LOG": str(log), "GITHUB_SHA": "abc", **env},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return log.read_text().splitlines(), done.stdout + done.stderr


@pytest.fixture
def job(tmp_path):
    words = ["--type", "service", "--framework", "none", "--name", "it", "--no-git"]
    words += ["--registry", "registry.example.org:5000/team"]
    tmplgen("new", tmp_path / "it", *words, cwd=tmp_path)
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "sed", "cat", "mkdir", "rm", "dirname", "env"):
        (programs / name).symlink_to(shutil.which(name))
    it = Job(tmp_path / "it", programs)
    for name in ("docker", "podman", "buildah"):
        it.has(name, ENGINE)
    it.has("cosign", COSIGN)
    it.has("syft", SYFT)
    return it


@pytest.fixture
def published(job):
    job.run("ci/publish.sh")
    return job


@pytest.mark.parametrize("engine", ["docker", "podman", "buildah"])
def test_what_is_signed_is_what_was_pushed(job, engine):
    said, _ = job.run("ci/publish.sh", ENGINE=engine)
    assert [line.split()[1] for line in said] == ["pull", "tag", "push", "rmi"]
    assert (job.folder / "reports/published").read_text() == f"{IMAGE}\n"
    said, _ = job.run("ci/sign.sh", SIGSTORE_ID_TOKEN="t")
    assert [line for line in said if IT in line] == [
        f"syft scan registry:{IMAGE} --output spdx-json={LIST}",
        f"cosign sign --yes {IMAGE}",
        f"cosign attest --yes --type spdxjson --predicate {LIST} {IMAGE}",
    ]


@pytest.mark.parametrize("identity", IDENTITIES)
def test_an_identity_of_the_ci_needs_no_key(published, identity):
    said, _ = published.run("ci/sign.sh", **{identity: "it"})
    assert f"cosign sign --yes {IMAGE}" in said
    assert not any("--key" in line for line in said)


def test_a_key_is_named_and_its_password_is_in_the_environment_alone(published):
    key = {"COSIGN_KEY": "/run/a key", "COSIGN_PASSWORD": "pa55"}
    said, told = published.run("ci/sign.sh", SIGSTORE_ID_TOKEN="t", **key)
    assert [line for line in said if "--key" in line] == [
        f"cosign sign --yes --key /run/a key {IMAGE}",
        f"cosign attest --yes --key /run/a key --type spdxjson --predicate {LIST} {IMAGE}",
    ]
    assert "pa55" not in "".join(said) + told


def test_the_registrys_password_is_given_on_standard_input(published):
    said, told = published.run("ci/sign.sh", SIGSTORE_ID_TOKEN="t", **ANN)
    at = said.index("cosign login registry.example.org:5000 --username ann --password-stdin")
    assert said[at + 1] == "password: s3cret"
    auth = {"AUTHORITY": "registry.example.org:5000", "USERNAME": "ann", "PASSWORD": "s3cret"}
    assert {f"auth {name}={value}" for name, value in auth.items()} <= set(said)
    assert "s3cret" not in told + "".join(line for line in said if line.startswith("cosign"))


def test_without_identity_and_key_it_says_so_and_still_lists_the_packages(published):
    said, told = published.run("ci/sign.sh")
    assert "not signed" in told and "COSIGN_KEY is not set" in told
    assert not any(line.startswith("cosign") for line in said)
    assert (published.folder / LIST).exists()


def test_a_tool_that_is_missing_is_said_and_the_other_does_its_part(published):
    (published.programs / "syft").unlink()
    said, told = published.run("ci/sign.sh", SIGSTORE_ID_TOKEN="t")
    assert said == [f"cosign sign --yes {IMAGE}"] and f"no SBOM of {IMAGE}" in told
    published.has("syft", SYFT)
    (published.programs / "cosign").unlink()
    said, told = published.run("ci/sign.sh", SIGSTORE_ID_TOKEN="t")
    assert said[0].startswith("syft scan") and f"not signed: {IMAGE}" in told


def test_a_signature_that_fails_fails_the_job(published):
    said, _ = published.run("ci/sign.sh", 1, COSIGN_KEY="key", COSIGN_PASSWORD="wrong")
    assert not any(line.startswith("cosign attest") for line in said)


def test_nothing_is_signed_that_was_not_published(published):
    published.has("docker", "exit 1\n")
    published.run("ci/publish.sh", 1)
    said, told = published.run("ci/sign.sh", 1, SIGSTORE_ID_TOKEN="t")
    assert said == [] and "nothing to sign" in told
    published.has("docker", "")  # an engine that does not tell its digest
    published.run("ci/publish.sh")
    published.run("ci/sign.sh", 1, SIGSTORE_ID_TOKEN="t")


def test_the_digest_is_the_registrys_own(job, tmp_path):
    """skopeo in the place of an engine, which needs rights: it tells the digest as podman does."""
    insecure = "--src-tls-verify=false --dest-tls-verify=false"
    (tmp_path / "registry").mkdir()
    with running(tmp_path / "registry") as registry:
        registry.push("team/it", "abc")
        name = f"{registry.host}/team/it"
        copy = f"{shutil.which('skopeo')} copy --quiet {insecure} --digestfile"
        job.has("podman", f'[ "$1" != push ] || {copy} "$3" docker://{name}:abc "docker://$4"\n')
        job.run("ci/publish.sh", ENGINE="podman", IMAGE=f"{name}:abc", HOME=str(tmp_path))
        kind = {"Accept": "application/vnd.oci.image.manifest.v1+json"}
        head = registry.request("HEAD", "/v2/team/it/manifests/latest", **kind)
    digest = head.headers["Docker-Content-Digest"]
    assert (job.folder / "reports/published").read_text() == f"{name}@{digest}\n"
