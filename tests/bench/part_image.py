"""Base images: `image render` of the whole matrix, `image lock` of a far registry."""

import json
import math
import shlex
import subprocess

import far_registry
from contender import TMPLGEN, TOP, Contender, goal, prose, table, take_turns

TITLE = "Base images"
ABOUT_RENDER = """
Every image with every row of the built-in matrix, a plan and a call for each image; `cp -r` of
what was rendered is the floor.
"""
TAGS, PARALLEL, LATENCY = 100, 32, 0.020  # PARALLEL: of cmd/image/image_session.c
ABOUT_LOCK = f"""
The digests of {TAGS} base images, from a registry on loopback that gives every answer
{LATENCY * 1000:.0f} ms late. `tmplgen image lock` resolves {TAGS} rows, asks, and writes digests
and platforms into the lock file; `skopeo inspect --raw` fetches one manifest a call, in a loop, or
by `xargs -P`. All fetch the same manifests, which is checked. The bound is what the answers must
take, no processor included: one that says how the registry speaks (without TLS; no token is asked
for), and {math.ceil(TAGS / PARALLEL)} rounds of {PARALLEL} at once.
"""


def write_plans(folder):
    folder.mkdir()
    python = TOP / "build/venv/bin/python"
    subprocess.run(
        [python, "-m", "tests.image.lint_dockerfiles", folder],
        cwd=TOP,
        check=True,
    )
    plans = sorted(folder.iterdir())
    return plans, sum(len(json.loads(plan.read_text())["images"]) for plan in plans)


def render(rounds, work, env):
    plans, rows = write_plans(work / "plans")
    script = "; ".join(
        shlex.join([str(TMPLGEN), "image", "render", "--quiet", "--plan", str(plan)])
        + " --output out >/dev/null"
        for plan in plans
    )
    rendered = work / "rendered"
    rendered.mkdir()
    subprocess.run(["sh", "-ec", script], cwd=rendered, env=env, check=True)
    files = sum(path.is_file() for path in rendered.rglob("*"))
    field = [
        Contender("tmplgen image render", ["sh", "-ec", script]),
        Contender("cp -r", ["cp", "-r", str(rendered / "out"), "."]),
    ]
    folder = work / "render"
    folder.mkdir()
    take_turns(field, rounds, folder, env)
    own = field[0]
    return [
        *prose(ABOUT_RENDER),
        "",
        *table(field),
        "",
        f"- {rows} rows, {files} files: {files / own.fastest:.0f} files a second, "
        f"{own.fastest / rows * 1000:.1f} ms a row, of which {min(own.cpu) / rows * 1000:.1f} ms "
        "processor",
        goal("under 64 MiB at its peak", own.megabytes, 64, "MiB", more_is_better=False),
    ]


def locking(work, port):
    """What asks for all tags: tmplgen, skopeo in turn, skopeo several at once."""
    request = {"framework": "pytorch", "python": "3.12"}
    images = [
        {"image": "pytorch", "request": {**request, "image": f"team/base:{number}"}}
        for number in range(TAGS)
    ]
    plan = work / "lock.yml"
    plan.write_text(json.dumps({"schema": 1, "images": images}))
    words = ["image", "lock", "--plan", plan, "--lock", "lock.yml", "--quiet"]
    ask = f"skopeo inspect --raw --tls-verify=false docker://127.0.0.1:{port}/team/base:"
    numbers = f"seq 0 {TAGS - 1}"
    each = f"sh -c '{ask}$0 >$0.json'"
    many = f"{numbers} | xargs -n 1 -P {{}} {each}"
    return [
        Contender("tmplgen image lock", [TMPLGEN, *words, "--mirror", f"127.0.0.1:{port}"]),
        Contender("skopeo, one by one", ["sh", "-ec", many.format(1)]),
        Contender(f"skopeo, {PARALLEL} at once", ["sh", "-ec", many.format(PARALLEL)]),
    ]


def check_lock(contender, folder):
    wanted = [far_registry.index_of(f"/v2/team/base/manifests/{n}") for n in range(TAGS)]
    if contender.name.startswith("skopeo"):
        found = [(folder / f"{number}.json").read_bytes() for number in range(TAGS)]
        assert found == wanted, f"{contender.name}: other manifests"
        return
    text = (folder / "lock.yml").read_text()
    for manifest in wanted:
        for one in json.loads(manifest)["manifests"]:
            assert one["digest"] in text, f"{contender.name}: a digest is missing"


def lock(rounds, work, env):
    folder = work / "lock"
    folder.mkdir()
    with far_registry.running(LATENCY) as (port, asked):
        field = locking(work, port)
        take_turns(field, rounds, folder, env, check_lock)
        asked.clear()
        field[0].run(work / "counted", env)
        count = len(asked)
    own, alone = field[0], field[1]
    bound = (1 + math.ceil(TAGS / PARALLEL)) * LATENCY
    return [
        *prose(ABOUT_LOCK),
        "",
        *table(field),
        "",
        f"- {count} requests for {TAGS} tags; the bound is {bound * 1000:.0f} ms",
        goal("10 times faster than one by one", alone.fastest / own.fastest, 10, "x"),
        goal("at most 1.3 times the bound", own.fastest / bound, 1.3, "x", more_is_better=False),
    ]


def run(rounds, work, env):
    return [*render(rounds, work, env), "", *lock(rounds, work, env)]
