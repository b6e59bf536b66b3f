"""Every command that asks a server, against every kind of hostile server: it ends in time, with an
error, in little memory; it tells nobody else who asks, and leaves nothing behind."""

import base64
import json
import os
import random
import re
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from ..common.measure import MIB, run_measured
from ..common.program import BINARY
from ..common.rows import drop_rows, matrix_catalog, only_framework
from ..image.world import lock_text
from .hostile import kinds, reply
from .server import Server
from .test_http import FRAMEWORK

SEED = int(os.environ.get("TMPLGEN_SEED") or os.environ.get("TURNS") or "20260101")
PASSWORD = "s3cret-of-mine"
TIMEOUT = 2  # seconds that a question may take
HANGS = 600
PEAK = 600 * MIB
NOT_FOUND = {"404"}  # a registry may say so truthfully: then a check finds a difference

ROOT_REPLY = reply(b"{}", Docker_Distribution_API_Version="registry/2.0")


@dataclass
class Hostile(Server):
    """Does the same with every request; `first` the answer to /v2/, where that is a good one."""

    pieces: object = None
    first: bytes | None = None
    over: bool = False

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    def __exit__(self, *_):
        self.over = True
        super().__exit__()

    def answer(self, connection, head):
        if self.first and head.split(b" ")[1] == b"/v2/":
            connection.sendall(self.first)
            return
        for piece in self.pieces():
            connection.sendall(piece)
            if self.over:
                return


@pytest.fixture
def world(tmp_path):
    """A folder with a catalog of one framework, a plan, a lock and a user with passwords."""
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    catalog = matrix_catalog(tmp_path / "catalog")
    only_framework(catalog / "matrices", "demo", FRAMEWORK)
    drop_rows(catalog / "matrices/images.yml", r"\{cuda: (?!12\.6\.3)[0-9.]+, state")
    return World(home, work, catalog)


@dataclass
class World:
    home: object
    work: object
    catalog: object

    def run(self, words, host):
        auth = base64.b64encode(f"reader:{PASSWORD}".encode()).decode()
        (self.home / "config.json").write_text(json.dumps({"auths": {host: {"auth": auth}}}))
        env = {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home), "DOCKER_CONFIG": str(self.home),
            "PIP_CONFIG_FILE": os.devnull,
        }  # fmt: skip
        return run_measured([BINARY, *words], cwd=self.work, env=env, seconds=HANGS)

    def files(self):
        return {p: p.read_bytes() for p in self.work.rglob("*") if p.is_file()}


def on_index(*words):
    def command(world, host):
        url = f"http://reader:{PASSWORD}@{host}/simple"
        return ["matrix", *words, "--catalog", world.catalog, "--index-url", url,
                "--timeout", str(TIMEOUT), "--no-cache"]  # fmt: skip

    return command


def verify_images(world, host):
    return ["matrix", "verify", "images", "--catalog", world.catalog,
            "--registry", f"{host}/mirror", "--timeout", str(TIMEOUT), "--no-cache"]  # fmt: skip


def on_lock(*words):
    def command(world, host):
        (world.home / "tmplgen").mkdir(exist_ok=True)
        (world.home / "tmplgen/config.yml").write_text(f"mirror: {host}/mirror\n")
        (world.work / "plan.yml").write_text("schema: 1\nimages:\n- {image: pytorch}\n")
        if words[0] == "verify":
            (world.work / "base-images.lock.yml").write_text(lock_text("nvidia/cuda:1"))
        return ["image", *words, "--plan", "plan.yml", "--timeout", str(TIMEOUT)]

    return command


def rebase(world, host):
    return [
        "image",
        "rebase",
        f"{host}/app:1",
        "--onto",
        f"{host}/new:2",
        "--timeout",
        str(TIMEOUT),
    ]


COMMANDS = {
    "matrix verify": on_index("verify"),
    "matrix refresh": on_index("refresh", "demo"),
    "matrix verify images": verify_images,
    "image lock": on_lock("lock"),
    "image verify": on_lock("verify"),
    "image rebase": rebase,
}
KINDS = sorted(kinds("127.0.0.1:1"))
# where a registry is asked, it may be good until it is asked for something
CASES = [
    (command, kind, stage)
    for command in COMMANDS
    for kind in KINDS
    for stage in (["all"] if COMMANDS[command].__name__ == "command" and "matrix" in command
                  and "images" not in command else ["all", "late"])
]  # fmt: skip
PICKED = random.Random(SEED).sample(CASES, 80)
FEW = PICKED[:20]


def marks(case):
    if case in FEW:
        return []
    return [pytest.mark.full] if case in PICKED else [pytest.mark.soak]


@contextmanager
def hostile(kind, stage):
    with Hostile(pieces=lambda: iter([reply(b"{}")])) as elsewhere:
        port = elsewhere.host.partition(":")[2]
        pieces = kinds(f"localhost:{port}")[kind]
        with Hostile(pieces=pieces, first=ROOT_REPLY if stage == "late" else None) as server:
            yield server, elsewhere


@pytest.mark.parametrize(
    ("command", "kind", "stage"), [pytest.param(*case, marks=marks(case)) for case in CASES]
)
def test_a_hostile_server_is_an_error_in_time(world, command, kind, stage):
    with hostile(kind, stage) as (server, elsewhere):
        words = COMMANDS[command](world, server.host)
        before = world.files()
        asked = world.run(words, server.host)
        assert server.requests, asked
    assert asked.code == 1 or (asked.code == 6 and kind in NOT_FOUND), asked
    assert asked.peak < PEAK, asked
    assert asked.err.strip() or asked.code == 6, "it says why"
    assert PASSWORD not in asked.out + asked.err
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", asked.out + asked.err)
    assert not re.search(r"(?m)^::", asked.out + asked.err)
    assert not [r for r in elsewhere.requests if re.search(r"(?im)^authorization:", r)]
    assert world.files() == before
