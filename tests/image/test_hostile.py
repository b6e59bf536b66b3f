"""Plans and lock files that somebody hostile wrote: the right code, the place, nothing written."""

import os

import pytest

from .world import LOCK, add_image, digest, lock_text

BASE = "nvidia/cuda:13.2.1-base-ubuntu24.04"
MIB = 1024 * 1024
HEAD = "schema: 1\nimages:\n"
DIGEST = digest("x")


def plan_of(**entry):
    return {"schema": 1, "images": [{"image": "pytorch", **entry}]}


# The text of a plan, where it is wrong (None: the file as a whole), and what the message says.
PLANS = {
    "empty": ("", None, "empty"),
    "a list": ("- a\n", (1, 1), "mapping"),
    "no schema": ("images: []\n", (1, 1), "'schema' must be 1"),
    "newer schema": ("schema: 2\nimages: []\n", (1, 9), "'schema' must be 1"),
    "schema as a text": ('schema: "1"\nimages: []\n', (1, 9), "schema"),
    "no images": ("schema: 1\n", None, "'images'"),
    "images as a mapping": ("schema: 1\nimages: {}\n", (2, 9), "'images'"),
    "unknown key": ("schema: 1\nimage: []\n", (2, 1), "'images'"),
    "unknown key of an entry": (HEAD + "- {image: a, tag: b}\n", (3, 14), "'tags'"),
    "entry is a text": (HEAD + "- pytorch\n", (3, 3), "mapping"),
    "entry without image": (HEAD + "- {request: {}}\n", (3, 3), "'image' is missing"),
    "image as a list": (HEAD + "- {image: [a]}\n", (3, 11), "image"),
    "unknown image": (HEAD + "- image: pytroch\n", (3, 10), "'pytroch'"),
    "image above": (HEAD + "- image: ../pytorch\n", (3, 10), "'../pytorch'"),
    "image of slashes": (HEAD + "- image: a/b/c\n", (3, 10), "'a/b/c'"),
    "image with a tag": (HEAD + "- image: pytorch:1\n", (3, 10), "'pytorch:1'"),
    "empty image": (HEAD + "- image: ''\n", (3, 10), "''"),
    "twice": (HEAD + "- {image: a, image: b}\n", (3, 14), "image"),
    "another framework": (
        HEAD + "- {image: jax, request: {framework: pytorch}}\n", (3, 3), "'jax'"),
    "unknown choice": (HEAD + "- {image: jax, request: {os_: x}}\n", (3, 26), "'os_'"),
    "tags as a text": (HEAD + "- {image: jax, tags: latest}\n", (3, 22), "tags"),
    "a tag of signs": (HEAD + "- {image: jax, tags: ['a b']}\n", (3, 23), "'a b' is no tag"),
    "a tag with a newline": (HEAD + '- {image: jax, tags: ["a\\nb"]}\n', (3, 23), "is no tag"),
    "a tag of dots": (HEAD + "- {image: jax, tags: ['..']}\n", (3, 23), "'..' is no tag"),
    "a tag that is an option": (HEAD + "- {image: jax, tags: ['-x']}\n", (3, 23), "is no tag"),
    "a tag of 200 bytes": (
        HEAD + "- {image: jax, tags: [" + "t" * 200 + "]}\n", (3, 23), "is no tag"),
    "a tag with a name": (HEAD + "- {image: jax, tags: ['x/y:z']}\n", (3, 23), "is no tag"),
    "registry with a scheme": ("schema: 1\nregistry: https://x.y\nimages: []\n", (2, 11), "https"),
    "registry above": ("schema: 1\nregistry: x.y/../z\nimages: []\n", (2, 11), "x.y/../z"),
    "registry with a comma": ("schema: 1\nregistry: 'x.y/a,b'\nimages: []\n", (2, 11), "a,b"),
    "registry with a sign": ("schema: 1\nregistry: 'x.y/${a}'\nimages: []\n", (2, 11), "{a}"),
    "registry that is an option": ("schema: 1\nregistry: --x\nimages: []\n", (2, 11), "--x"),
    "an anchor": ("schema: 1\nimages: &a []\n", (2, 9), "anchors"),
    "an alias": ("schema: 1\nimages: *a\n", (2, 9), "alias"),
    "a tag of YAML": ("schema: 1\nimages: !!seq []\n", (2, 9), "tag"),
    "a merge key": ("schema: 1\n<<: {}\nimages: []\n", (2, 1), "<<"),
    "a second document": ("schema: 1\nimages: []\n---\n{}\n", (3, 1), "document"),
    "a control character": (b"schema: 1\nimages: [\x07]\n", None, "U+0007"),
    "a NUL": (b"schema: 1\nimages: [\x00]\n", None, ""),
    "no UTF-8": (b"schema: 1\nimages: ['\xff']\n", None, "UTF-8"),
    "UTF-16": ("schema: 1\nimages: []\n".encode("utf-16"), None, "UTF-16"),
    "depth": ("schema: 1\nimages: " + "[" * 70 + "]" * 70 + "\n", (2, None), "deep"),
    "size": (HEAD + "# " + "x" * MIB + "\n", None, "larger than 1048576 bytes"),
    "rows": (HEAD + "- {image: jax}\n" * 1001, (3, 1), "limit is 1000"),
    "tags": (HEAD + "- {image: jax, tags: [" + "t, " * 1001 + "]}\n", (3, 3), "limit is 1000"),
    "a base above": (plan_of(request={"image": "../..:1"}), (2, 3), "../..:1"),
    "a base of dots": (plan_of(request={"image": "debian:.."}), (2, 3), "debian:.."),
    "a base with a long tag": (plan_of(request={"image": "debian:" + "1" * 200}), (2, 3), "111"),
    "a base with a newline": (plan_of(request={"image": "debian:12\nRUN x"}), None, "RUN x"),
    "a base by digest": (plan_of(request={"image": f"debian:12@{DIGEST}"}), (2, 3), "digest"),
    "another algorithm": (plan_of(request={"image": "debian@sha512:" + "0" * 128}), None, "sha512"),
}  # fmt: skip


@pytest.mark.parametrize("case", PLANS)
def test_a_plan_that_is_wrong(world, case):
    text, place, words = PLANS[case]
    world.write("images.yml", text)
    before = world.files()
    error = world.json("render", "--output", "out", code=2)["error"]
    told = f"{error['message']} {error['hint']}"
    assert words in told, told
    if place:
        where = error["where"]
        assert where["file"] == "images.yml"
        assert where["line"] == place[0], told
        assert place[1] is None or where["column"] == place[1] or not isinstance(text, str)
    assert world.files() == before and not (world.folder / "out").exists()
    shown = world("lock", "--mirror", "127.0.0.1:1")
    assert shown.code == 2 and "\x07" not in shown.err
    assert world.files() == before


ENTRY = f"{{digest: {DIGEST}, media_type: x, platforms: {{linux/amd64: {DIGEST}}}}}"
PINS = "schema: 1\nimages: {}\npackages:\n  pytorch:1:\n    framework:\n    - "
LOCKS = {
    "empty": ("", None, "empty"),
    "a list": ("- a\n", (1, 1), "mapping"),
    "no schema": ("images: {}\n", (1, 1), "'schema' must be 1"),
    "newer schema": ("schema: 2\n", (1, 9), "'schema' must be 1"),
    "images as a list": ("schema: 1\nimages: []\n", (2, 9), "'images'"),
    "images of nothing": ("schema: 1\nimages:\n", (2, 8), "'images'"),
    "unknown key": ("schema: 1\nimage: {}\n", (2, 1), "'image'"),
    "entry is a text": (HEAD + f"  a:1: {DIGEST}\n", (3, 8), "mapping"),
    "no digest": (HEAD + "  a:1: {media_type: x}\n", (3, 8), "'digest' is missing"),
    "unknown key of an entry": (
        HEAD + f"  a:1: {{digest: {DIGEST}, size: 1}}\n", (3, 90), "'size'"),
    "no digest at all": (HEAD + "  a:1: {digest: latest}\n", (3, 17), "'latest' is no digest"),
    "another algorithm": (
        HEAD + f"  a:1: {{digest: 'sha512:{'0' * 128}'}}\n", (3, 17), "no digest"),
    "a short digest": (HEAD + "  a:1: {digest: 'sha256:00'}\n", (3, 17), "no digest"),
    "capitals": (HEAD + f"  a:1: {{digest: 'sha256:{'A' * 64}'}}\n", (3, 17), "no digest"),
    "a digest and more": (HEAD + f'  a:1: {{digest: "{DIGEST}\\nRUN x"}}\n', (3, 17), "no digest"),
    "a platform's digest": (
        HEAD + f"  a:1: {{digest: {DIGEST}, platforms: {{l/a: x}}}}\n", (3, 107), "no digest"),
    "platforms as a list": (
        HEAD + f"  a:1: {{digest: {DIGEST}, platforms: []}}\n", (3, 101), "'platforms'"),
    "a reference above": (HEAD + f"  '../..:1': {ENTRY}\n", (3, 3), "'../..:1'"),
    "a reference without a tag": (HEAD + f"  debian: {ENTRY}\n", (3, 3), "not REPO:TAG"),
    "a reference by digest": (HEAD + f"  'debian@{DIGEST}': {ENTRY}\n", (3, 3), "not REPO:TAG"),
    "a tag of 200 bytes": (HEAD + f"  'debian:{'1' * 200}': {ENTRY}\n", (3, 3), "no name"),
    "a reference in capitals": (HEAD + f"  'Debian:1': {ENTRY}\n", (3, 3), "'Debian:1'"),
    "a reference with a newline": (HEAD + f'  "debian:1\\nx": {ENTRY}\n', (3, 3), "debian"),
    "twice": (HEAD + f"  debian:1: {ENTRY}\n  debian:1: {ENTRY}\n", (4, 3), "debian:1"),
    "an anchor": (HEAD + f"  debian:1: &a {ENTRY}\n", (3, 13), "anchors"),
    "depth": ("schema: 1\nimages: " + "{a: " * 70 + "}" * 70 + "\n", (2, None), "deep"),
    "size": ("schema: 1\nimages: {}\n# " + "x" * MIB + "\n", None, "larger than 1048576 bytes"),
    "packages as a list": ("schema: 1\npackages: []\n", (2, 11), "'packages'"),
    "packages of an image as a list": ("schema: 1\npackages: {a: []}\n", (2, 15), "mapping"),
    "a step as a text": ("schema: 1\npackages: {a: {b: c==1}}\n", (2, 19), "packages"),
    "an option": (PINS + "'--index-url https://evil.example'\n", (6, 7), "no NAME==VERSION"),
    "a short option": (PINS + "'-rsecret'\n", (6, 7), "no NAME==VERSION"),
    "an option behind": (PINS + "'a==1 --index-url https://evil.example'\n", (6, 7), "no NAME"),
    "a URL": (PINS + "'torch @ https://evil.example/torch.whl'\n", (6, 7), "no NAME"),
    "a path": (PINS + "'./evil.whl'\n", (6, 7), "no NAME==VERSION"),
    "a newline": (PINS + '"a==1\\n--index-url x"\n', (6, 7), "no NAME==VERSION"),
    "a vertical tab": (PINS + '"a==1\\v--index-url x"\n', (6, 7), "no NAME==VERSION"),
    "a line separator": (PINS + '"a==1\\u2028--index-url"\n', (6, 7), "no NAME==VERSION"),
    "a next line": (PINS + '"a==1\\x85--index-url"\n', (6, 7), "no NAME==VERSION"),
    "a marker": (PINS + "'a==1; python_version > 3'\n", (6, 7), "no NAME==VERSION"),
    "a template": (PINS + "'{{ a }}'\n", (6, 7), "no NAME==VERSION"),
    "a shell's word": (PINS + "'a==$(id)'\n", (6, 7), "no NAME==VERSION"),
    "a glob": (PINS + "'a==1.*'\n", (6, 7), "no NAME==VERSION"),
    "no version": (PINS + "'a'\n", (6, 7), "no NAME==VERSION"),
    "a range": (PINS + "'a>=1'\n", (6, 7), "no NAME==VERSION"),
}  # fmt: skip


@pytest.mark.parametrize("case", LOCKS)
def test_a_lock_file_that_is_wrong(world, case):
    text, place, words = LOCKS[case]
    world.write(LOCK, text)
    before = world.files()
    error = world.json("render", "--output", "out", code=2)["error"]
    assert words in error["message"]
    if place:
        where = error["where"]
        assert (where["file"], where["line"]) == (LOCK, place[0])
        assert place[1] is None or where["column"] == place[1], error
    assert world.files() == before and not (world.folder / "out").exists()
    assert world("lock", "--mirror", "127.0.0.1:1").code == 2
    assert world.files() == before


def test_packages_of_the_right_form_are_taken(world):
    world.plan({"image": "pytorch"})
    pins = ["torch==2.14.0+cu130", "A.b_c-d==1!2.0rc1.post2.dev3", "x==1"]
    row = "pytorch:2.15.0-cu132-py312-ubuntu24.04"
    world.write(LOCK, {"schema": 1, "images": {}, "packages": {row: {"framework": pins}}})
    (made,) = world.json("render", "--output", "out")["rendered"]
    text = (world.folder / made["path"] / "requirements/framework.constraints.txt").read_text()
    assert [line for line in text.splitlines() if line[0] != "#"] == pins


def test_what_is_no_file(world):
    for name in ("images.yml", LOCK):
        os.mkfifo(world.folder / name)
        done = world("list")
        assert done.code == 1 and name in done.err
        (world.folder / name).unlink()
        (world.folder / name).mkdir()
        done = world("list")
        assert done.code == 1 and name in done.err
        (world.folder / name).rmdir()
    for name in ("/dev/zero", "/dev/stdin", "no/such.yml"):
        done = world("list", "--plan", name)
        assert done.code == 1 and name in done.err


def test_a_link_that_goes_round(world):
    (world.folder / LOCK).symlink_to(LOCK)
    done = world("list")
    assert done.code == 1 and LOCK in done.err


def test_a_lock_file_of_another_place_stays_a_link(world, fake, tmp_path):
    """Renaming over a link would part the two."""
    shared = tmp_path / "shared.yml"
    shared.write_text(lock_text("debian:12"))
    (world.folder / LOCK).symlink_to(shared)
    world.plan()
    assert world("lock", "--mirror", f"{fake.host}/x").code == 0
    assert (world.folder / LOCK).is_symlink()
    assert "debian:12" not in shared.read_text()


@pytest.mark.parametrize("name", ["\x1b[31mx", "a\u202eb", "a\x07b", "a\nb"])
def test_control_characters_are_masked(world, name):
    world.plan({"image": name})
    for words in (["list"], ["list", name], ["list", "--only", name], ["list", "--plan", name]):
        done = world(*words)
        assert done.code in (1, 2)
        assert not {"\x1b", "\u202e", "\x07"} & set(done.err + done.out)


def test_every_name_of_the_command_line_is_checked_before_anything_is_asked(world, fake):
    for words in (["lock", "--registry", "../x"], ["lock", "--only", "a:b"], ["verify", "nobody"]):
        assert world(*words, "--mirror", f"{fake.host}/x").code == 2
    assert fake.requests == []


@pytest.mark.full
def test_all_contexts_together_have_a_limit(team):
    text = "{% set x = 'x' * 15000000 %}{% for i in range(4) %}{{ x }}{% endfor %}"
    for index in range(20):
        add_image(team.catalog, f"m{index}", dockerfile=text)
    error = team.json("render", "--output", "out", code=2)["error"]
    assert error["code"] == "limit" and "1024 MiB" in error["message"]
    assert not (team.folder / "out").exists()
