"""docs/teams.md typed from its first line to its last, against a server with TLS and a password."""

import re
import subprocess

import pytest
import yaml

from ..command.world import git
from ..common.pages import Reader, blocks
from ..common.program import typed_as_tmplgen
from ..remote import servers
from ..remote.conftest import certificates, need  # noqa: F401 (a fixture)

pytestmark = pytest.mark.full
PAGE = "teams.md"
ADDRESS = "https://git.example.org/"


class Story:
    """Types the page; what each part printed, and what lies there when it is over."""

    def __init__(self, folder, env):
        self.folder = folder
        self.reader = Reader(folder, env)
        self.printed = [self.reader.type(block) for block in blocks(PAGE)]

    def record(self, name):
        return yaml.safe_load((self.folder / f"teams/{name}/.tmplgen.yml").read_text())

    def text(self, name):
        return (self.folder / "teams" / name).read_text()

    def said(self, pattern):
        return [text for text in self.printed if re.search(pattern, text)]


@pytest.fixture(scope="module")
def story(tmp_path_factory, certificates):  # noqa: F811
    need("nginx", "fcgiwrap", "htpasswd", "ssh-keygen")
    top = tmp_path_factory.mktemp("teams")
    home, work, root, tools, https = (
        top / name for name in ("home", "work", "root", "bin", "https")
    )
    for folder in (home / ".ssh", work, root, https):
        folder.mkdir(parents=True)
    typed_as_tmplgen(tools)
    servers.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", home / ".ssh/id_ed25519")
    for name in ("catalog", "small"):
        bare = root / f"acme/{name}.git"
        bare.mkdir(parents=True)
        git(bare, "init", "-q", "--bare", "-b", "main")
        git(bare, "config", "http.receivepack", "true")
        git(bare, "config", "uploadpack.allowFilter", "true")
    with servers.https(root, https, certificates) as server:
        here = f"https://127.0.0.1:{server.port}/closed/"
        password = servers.PASSWORD.replace("/", "%2f").replace(":", "%3a")
        (home / ".git-credentials").write_text(
            f"https://{servers.USER}:{password}@127.0.0.1:{server.port}\n"
        )
        (home / ".gitconfig").write_text(
            "[user]\n\tname = Ann\n\temail = platform@example.org\n"
            "[credential]\n\thelper = store\n"
            f'[url "{here}"]\n\tinsteadOf = {ADDRESS}\n'
        )
        env = {
            "PATH": f"{tools}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_SSL_CAINFO": str(server.ca),
            "LC_ALL": "C.UTF-8",
        }
        yield Story(work, env)


def test_every_project_is_on_the_second_release(story):
    for name in ("shop", "nightly", "scores", "old"):
        catalog = story.record(name)["catalog"]
        assert catalog["source"] == f"{ADDRESS}acme/catalog.git"
        assert (catalog["ref"], catalog["version"]) == ("v1.1.0", "1.1.0")
        child = story.folder / "teams" / name
        assert git(child, "status", "--porcelain") == ""
        git(child, "fsck", "--strict")


def test_the_teams_line_and_the_templates_change_are_both_there(story):
    text = story.text("shop/ON-CALL.md")
    assert text.startswith("# Whom to call for shop\n")
    assert "teams/web\n" in text
    assert text.endswith("We are on the third floor.\n")


def test_a_renamed_answer_was_carried_over(story):
    answers = story.record("nightly")["answers"]
    assert answers["cron"] == "0 3 * * *" and "schedule" not in answers
    assert story.text("nightly/nightly.cron").startswith("0 3 * * * docker run")
    assert "acmevision==4.0.0" in story.text("nightly/requirements.txt")


def test_people_are_told_who_signed_and_what_is_new(story):
    assert story.said(r"signed by platform@example\.org")
    assert story.said(r"A clearer title in ON-CALL\.md")
    assert story.said(r"(?m)^\+# Who looks after \S+$")  # template test shows where a layer arrives
    assert len(story.said(r"An update is available: 1\.0\.0 -> 1\.1\.0")) == 1


def test_a_catalog_of_ten_files_is_followed_too(story):
    files = git(story.folder / "small", "ls-files").splitlines()
    assert len(files) <= 10
    record = story.record("counter")
    assert record["catalog"]["version"] == "1.1.0"
    assert record["catalog"]["extends"]["source"] == "builtin"
    assert record["answers"]["registry"] == "registry.example.org/ml"
    assert story.text("counter/ON-CALL.md").endswith("There is coffee.\n")


def test_an_unsigned_release_reaches_nobody(story):
    """The other side of `signers`: what somebody pushes who is not the platform team."""
    catalog = story.folder / "acme-catalog"
    env = story.reader.env
    for words in (
        ["commit", "--quiet", "--allow-empty", "--message", "1.2.0"],
        ["tag", "--message", "1.2.0", "v1.2.0"],
        ["push", "--quiet", "origin", "main", "v1.2.0"],
    ):
        subprocess.run(["git", *words], cwd=catalog, env=env, check=True, capture_output=True)
    child = story.folder / "teams/scores"
    before = git(child, "rev-parse", "HEAD")
    done = subprocess.run(
        ["tmplgen", "update"], cwd=child, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3 and "'v1.2.0'" in done.stderr and "is not signed" in done.stderr
    assert git(child, "rev-parse", "HEAD") == before
