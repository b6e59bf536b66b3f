"""docs/remote.md: its commands, in order, and its configuration."""

import re
import shutil
import subprocess

from ..common.program import ROOT, typed_as_tmplgen
from .servers import run
from .test_signed import by_ssh, public
from .world import ok

TEXT = (ROOT / "docs/remote.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.M | re.S)


def test_commands_of_the_manual(world, daemon):
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", world.work / "alice")
    tools = typed_as_tmplgen(world.folder / "bin")
    env = {**world.run.env, "URL": daemon, "PATH": f"{tools}:{world.run.env['PATH']}"}
    world.release("1.0.0")
    scripts = blocks("sh")
    assert len(scripts) == 4
    for i, script in enumerate(scripts):
        if i == 1:
            world.release("1.1.0", None, "-s", "-m", "x", env=by_ssh(world.work / "alice"))
        done = subprocess.run(
            ["sh", "-euc", script], cwd=world.work, env=env, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, script + done.stdout + done.stderr
    for name, ref in (("one", "v1.0.0"), ("two", "^1.0"), ("three", "v1.1.0"), ("four", "v1.1.0")):
        assert world.record(name)["ref"] == ref
    assert not world.cache.exists()
    ok(world.update("--check", name="four", trust=False))  # fetched again


def test_configuration_of_the_manual(world, daemon):
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", world.work / "key")
    (config,) = blocks("yaml")
    allowed = world.folder / "allowed"
    allowed.write_text(f"alice@example.org {public(world.work / 'key')}\n")
    text = config.replace("/etc/ml/allowed_signers", str(allowed))
    assert text != config
    world.run.configure(text.replace("ssh://git@git.example.org/ml/catalog.git", daemon))
    world.release("1.0.0", None, "-s", "-m", "x", env=by_ssh(world.work / "key"))
    done = ok(world.new(daemon, trust=False))
    assert done["signature"] == {"state": "good", "signer": "alice@example.org"}
    shutil.rmtree(world.work / "child")
