"""The lock file: what it takes, what is added and dropped, and the registry's word on it."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ..registry.conftest import running
from ..registry.fake import DOCKER_LIST, INDEX, MANIFEST, Answer, digest_of
from .world import LOCK, digest, lock_text

CUDA13, CUDA12 = "13.2.1-base-ubuntu24.04", "12.6.3-base-ubuntu24.04"
BASE, OLDER = f"nvidia/cuda:{CUDA13}", f"nvidia/cuda:{CUDA12}"
BOTH = ["linux/amd64", "linux/arm64"]


def put_index(fake, repository, tag, platforms=BOTH, kind=INDEX, note=""):
    """An index over images of these platforms; its digest."""
    entries = []
    for name in platforms:
        system, architecture = name.split("/")
        data = fake.image(repository, f"{tag}-{architecture}{note}", system, architecture)
        entries.append({
            "mediaType": MANIFEST, "digest": digest_of(data), "size": len(data),
            "platform": {"os": system, "architecture": architecture},
        })  # fmt: skip
    document = {"schemaVersion": 2, "mediaType": kind, "manifests": entries}
    if note:
        document["annotations"] = {"note": note}
    return digest_of(fake.put(repository, tag, document))


@pytest.fixture
def hub(world, fake):
    """A mirror of Docker Hub with the bases of PyTorch's rows, for a plan of those."""
    fake.digests = {
        BASE: put_index(fake, "mirror/nvidia/cuda", CUDA13),
        OLDER: put_index(fake, "mirror/nvidia/cuda", CUDA12),
    }
    fake.mirror = f"{fake.host}/mirror"
    world.tmplgen.configure(f"mirror: {fake.mirror}\n")
    world.plan({"image": "pytorch"}, {"image": "pytorch", "request": {"gpu": ["V100"]}})
    return fake


def by_reference(found):
    return {one["reference"]: one for one in found}


def test_lock_writes_what_the_registry_says(world, hub):
    done = world.json("lock")
    assert done["dropped"] == []
    assert by_reference(done["locked"]) == {
        name: {"reference": name, "digest": told, "was": None} for name, told in hub.digests.items()
    }
    locked = world.lock()
    assert list(locked) == ["schema", "images"] and locked["schema"] == 1
    assert list(locked["images"]) == sorted(hub.digests)
    for name, entry in locked["images"].items():
        assert entry["digest"] == hub.digests[name]
        assert entry["media_type"] == INDEX
        assert list(entry["platforms"]) == BOTH
        for told in entry["platforms"].values():
            assert ("mirror/nvidia/cuda", told) in hub.manifests


def test_a_lock_is_the_same_whenever_it_is_written(world, hub):
    assert world("lock").code == 0
    first = (world.folder / LOCK).read_bytes()
    assert "is as it was" in world("lock").err
    (world.folder / LOCK).unlink()
    world.plan({"image": "pytorch", "request": {"gpu": ["V100"]}}, {"image": "pytorch"})
    assert world("lock", env={"TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "1"}).code == 0
    assert (world.folder / LOCK).read_bytes() == first


def test_what_is_locked_is_not_asked_for_again(world, hub):
    world("lock")
    hub.requests.clear()
    inode = (world.folder / LOCK).stat().st_ino
    assert world("lock").code == 0
    assert hub.requests == []
    assert (world.folder / LOCK).stat().st_ino == inode


def test_lock_adds_what_is_missing_and_drops_what_no_row_needs(world, hub):
    world.write(LOCK, lock_text("debian:12", OLDER, linux_amd64=1))
    done = world.json("lock")
    assert done["dropped"] == ["debian:12"]
    locked = by_reference(done["locked"])
    assert locked[OLDER] == {"reference": OLDER, "digest": digest(OLDER), "was": digest(OLDER)}
    assert locked[BASE]["was"] is None
    assert set(world.lock()["images"]) == {BASE, OLDER}


def test_a_lock_that_leaves_the_kind_of_a_manifest_out_is_read_again(world, hub):
    world.write(LOCK, f"schema: 1\nimages: {{{OLDER!r}: {{digest: {digest(OLDER)!r}}}}}\n")
    assert world("lock").code == 0
    assert world.lock()["images"][OLDER] == {"digest": digest(OLDER), "platforms": {}}
    assert "is as it was" in world("lock").err


@pytest.mark.parametrize(
    "words", [["pytorch"], ["--only", "pytorch:2.15.0-cu132-py312-ubuntu24.04"]]
)
def test_a_part_of_the_rows_drops_nothing(world, hub, words):
    world.write(LOCK, lock_text("debian:12"))
    assert world.json("lock", *words)["dropped"] == []
    assert {"debian:12", BASE} <= set(world.lock()["images"])


def test_two_parts_at_once_are_both_in_the_file(world, hub):
    """Each read the file before the registry was asked."""
    put_index(hub, "mirror/library/debian", "12")
    world.plan({"image": "pytorch"}, {"image": "tmplgen"})
    hub.latency = 0.5
    with ThreadPoolExecutor() as pool:
        done = list(pool.map(lambda name: world("lock", name), ["pytorch", "tmplgen"]))
    assert [one.code for one in done] == [0, 0]
    assert set(world.lock()["images"]) == {BASE, "debian:12"}


def test_update_asks_again(world, hub):
    world.write(LOCK, lock_text(BASE, OLDER))
    done = by_reference(world.json("lock", "--update", OLDER)["locked"])
    assert done[OLDER] == {"reference": OLDER, "digest": hub.digests[OLDER], "was": digest(OLDER)}
    assert done[BASE]["digest"] == digest(BASE)
    assert "moved" in world("lock", "--update").out
    assert world.lock()["images"][BASE]["digest"] == hub.digests[BASE]


def test_update_of_what_no_row_needs_is_wrong_usage(world, hub):
    error = world.json("lock", "--update", "debian:12", code=2)["error"]
    assert error["code"] == "unknown-base"
    assert not (world.folder / LOCK).exists()


def test_packages_stay_while_their_row_does(world, hub):
    text = lock_text(BASE) + "packages:\n  gone:1: {framework: [a==1]}\n"
    kept = {"pytorch:2.15.0-cu132-py312-ubuntu24.04": {"framework": ["torch==2.15.0"]}}
    world.write(LOCK, f"{text}  {json.dumps(kept)[1:-1]}\n")
    before = (world.folder / LOCK).read_bytes()
    done = world("lock")
    assert done.code == 0 and "dropped the packages of gone:1" in done.err
    assert world.lock()["packages"] == kept
    (world.folder / LOCK).write_bytes(before)
    assert world.json("lock")["dropped_packages"] == ["gone:1"]
    assert world.json("lock")["dropped_packages"] == []
    assert "dropped" not in world("lock").err


def test_a_base_that_cannot_be_had_fails_alone(world, hub):
    del hub.manifests["mirror/nvidia/cuda", CUDA12]
    done = world("lock", "--json")
    assert done.code == 1 and done.json["error"]["code"] == "not-locked"
    assert f"{OLDER}: the registry has no such tag" in done.err
    assert set(world.lock()["images"]) == {BASE}


def test_where_none_can_be_had_there_is_no_file(world, hub):
    hub.manifests.clear()
    done = world("lock")
    assert done.code == 1 and "no base image could be locked" in done.err
    assert "hint" not in done.err and world.files().keys() == {"images.yml"}
    world.write(LOCK, lock_text(BASE, OLDER, "debian:12"))
    before = world.files()
    assert world("lock", "--update").code == 1
    assert world.files() == before


def test_who_has_no_password_is_told_how_to_get_one(world, hub):
    world.write(LOCK, lock_text(BASE, OLDER))
    hub.token = "abc"
    hub.special["GET", "/token"] = Answer(status=401)
    for words in (["lock", "--update"], ["verify"]):
        done = world(*words)
        assert done.code == 1
        assert (done.out + done.err).count(f"docker login {hub.host}, or podman login") == 2


def test_a_failed_update_keeps_what_was_locked(world, hub):
    world.write(LOCK, lock_text(BASE, OLDER))
    del hub.manifests["mirror/nvidia/cuda", CUDA12]
    assert world("lock", "--update").code == 1
    assert world.lock()["images"][OLDER]["digest"] == digest(OLDER)
    assert world.lock()["images"][BASE]["digest"] == hub.digests[BASE]


def test_docker_lists_and_plain_manifests_are_locked_too(world, hub):
    listed = put_index(hub, "mirror/nvidia/cuda", CUDA13, ["linux/amd64"], DOCKER_LIST)
    data = hub.image("mirror/nvidia/cuda", CUDA12, architecture="arm64")
    assert world("lock").code == 0
    images = world.lock()["images"]
    assert images[BASE]["digest"] == listed and images[BASE]["media_type"] == DOCKER_LIST
    assert images[OLDER] == {
        "digest": digest_of(data), "media_type": MANIFEST,
        "platforms": {"linux/arm64": digest_of(data)},
    }  # fmt: skip


def test_what_lies_about_its_digest_is_not_locked(world, hub):
    path = f"/v2/mirror/nvidia/cuda/manifests/{CUDA13}"
    data = hub.manifests["mirror/nvidia/cuda", CUDA13][1]
    headers = {"Content-Type": INDEX, "Docker-Content-Digest": digest("a lie")}
    hub.special["GET", path] = Answer(data, headers=headers)
    assert world("lock").code == 1
    assert set(world.lock()["images"]) == {OLDER}


def test_the_mirror_is_the_options_before_the_users(world, hub, tmp_path):
    world.tmplgen.configure("mirror: 127.0.0.1:1/nowhere\n")
    assert world("lock", "--timeout", "5").code == 1
    assert world("lock", "--mirror", hub.mirror).code == 0
    paths = hub.paths()
    assert {path for path in paths if path != "/v2/"} == {
        f"/v2/mirror/nvidia/cuda/manifests/{tag}" for tag in (CUDA12, CUDA13)
    }
    assert set(world.lock()["images"]) == {BASE, OLDER}  # the keys stay as they are


def test_official_images_are_looked_for_in_library(world, hub):
    put_index(hub, "mirror/library/debian", "12")
    world.plan({"image": "tmplgen"})
    assert world.json("lock")["locked"][0]["reference"] == "debian:12"
    assert "/v2/mirror/library/debian/manifests/12" in hub.paths()


def test_another_registry_has_no_mirror(world, hub):
    put_index(hub, "team/base", "1")
    name = f"{hub.host}/team/base:1"
    world.plan({"image": "pytorch", "request": {"image": name}})
    assert world.json("lock", "--mirror", "127.0.0.1:1")["locked"][0]["reference"] == name


@pytest.mark.parametrize("mirror", ["https://x.y", "x y", "../..", "x.y/UP", "x.y/a:1"])
def test_a_mirror_that_is_none(world, hub, mirror):
    for command in ("lock", "verify"):
        error = world.json(command, "--mirror", mirror, code=2)["error"]
        assert mirror.split("/")[-1] in error["message"]
    assert not (world.folder / LOCK).exists()


# ---------------------------------------------------------------- verify


def statuses(document):
    return {one["reference"]: (one["status"], one["state"]) for one in document["checked"]}


def test_all_is_the_same(world, hub):
    world("lock")
    done = world.json("verify")
    assert statuses(done) == {BASE: ("same", "supported"), OLDER: ("same", "supported")}
    assert all(one["digest"] == one["now"] and one["why"] is None for one in done["checked"])


def test_what_moved_is_told_with_both_digests(world, hub):
    world("lock")
    now = put_index(hub, "mirror/nvidia/cuda", CUDA13, note="rebuilt")
    (moved,) = [one for one in world.json("verify", code=6)["checked"] if one["now"] == now]
    assert (moved["status"], moved["digest"]) == ("moved", hub.digests[BASE])
    shown = world("verify").out
    assert f"moved        {BASE}" in shown and now in shown and hub.digests[BASE] in shown


def test_what_is_gone(world, hub):
    world("lock")
    del hub.manifests["mirror/nvidia/cuda", CUDA12]
    done = world.json("verify", code=6)
    assert statuses(done)[OLDER][0] == "gone" and statuses(done)[BASE][0] == "same"
    assert by_reference(done["checked"])[OLDER]["now"] is None


def test_what_cannot_be_reached_and_nothing_else_is_wrong(world, hub):
    world("lock")
    hub.special["GET", f"/v2/mirror/nvidia/cuda/manifests/{CUDA12}"] = Answer(status=403)
    done = world("verify", "--json")
    assert done.code == 1
    checked = by_reference(done.json["error"]["checked"])
    assert checked[OLDER]["status"] == "unreachable" and checked[OLDER]["why"]
    assert checked[BASE]["status"] == "same"
    shown = world("verify")
    assert shown.code == 1 and f"unreachable  {OLDER}" in shown.out


def test_what_moved_weighs_more_than_what_cannot_be_reached(world, hub):
    world("lock")
    put_index(hub, "mirror/nvidia/cuda", CUDA13, note="rebuilt")
    hub.special["GET", f"/v2/mirror/nvidia/cuda/manifests/{CUDA12}"] = Answer(status=403)
    done = world.json("verify", code=6)
    assert statuses(done) == {BASE: ("moved", "supported"), OLDER: ("unreachable", "supported")}


def test_nobody_listens(world, hub):
    world("lock")
    done = world("verify", "--mirror", "127.0.0.1:1", "--timeout", "5", "--json")
    assert done.code == 1
    assert {one["status"] for one in done.json["error"]["checked"]} == {"unreachable"}


def test_an_end_of_life_is_a_difference(world, hub):
    name = "nvidia/cuda:12.1.0-base-ubuntu22.04"
    put_index(hub, "mirror/nvidia/cuda", "12.1.0-base-ubuntu22.04")
    world.plan({"image": "pytorch", "request": {"image": name}})
    assert world("lock").code == 0
    assert statuses(world.json("verify", code=6)) == {name: ("same", "eol")}
    assert f"same         {name}, eol" in world("verify").out


@pytest.mark.parametrize(
    ("tag", "state", "code"),
    [
        ("12.1.0-base-ubuntu22.04", "eol", 6),
        ("12.4.0-devel-ubuntu22.04", "eol", 6),
        ("99.9.9-base-ubuntu22.04", None, 0),
        (CUDA13, "supported", 0),
    ],
)
def test_the_matrix_speaks_of_what_no_row_needs_any_more(world, hub, tag, state, code):
    told = put_index(hub, "mirror/nvidia/cuda", tag)
    name = f"nvidia/cuda:{tag}"
    world.write(LOCK, lock_text(name).replace(digest(name), told))
    assert statuses(world.json("verify", code=code)) == {name: ("same", state)}


def test_superseded_is_told_and_no_difference(world, hub):
    name = "nvidia/cuda:13.0.2-base-ubuntu24.04"
    told = put_index(hub, "mirror/nvidia/cuda", "13.0.2-base-ubuntu24.04")
    world.write(LOCK, lock_text(name).replace(digest(name), told))
    assert statuses(world.json("verify")) == {name: ("same", "superseded")}
    assert f"same         {name}, superseded" in world("verify").out


def test_a_name_picks_what_is_asked_for(world, hub):
    put_index(hub, "mirror/library/debian", "12")
    world.plan({"image": "pytorch"}, {"image": "tmplgen"})
    world("lock")
    assert set(statuses(world.json("verify"))) == {BASE, "debian:12"}
    hub.requests.clear()
    assert set(statuses(world.json("verify", "tmplgen"))) == {"debian:12"}
    assert not [path for path in hub.paths() if "nvidia" in path]


def test_rows_that_are_not_locked_are_warned_of(world, hub):
    world.write(LOCK, lock_text(BASE).replace(digest(BASE), hub.digests[BASE]))
    done = world("verify")
    assert done.code == 0 and "1 of 2 rows" in done.err
    assert world.json("verify")["unlocked"] == [OLDER]
    hub.special["GET", f"/v2/mirror/nvidia/cuda/manifests/{CUDA13}"] = Answer(status=403)
    assert world.json("verify", code=1)["error"]["unlocked"] == [OLDER]
    world("lock", "--update")
    del hub.special["GET", f"/v2/mirror/nvidia/cuda/manifests/{CUDA13}"]
    world("lock")
    assert world.json("verify")["unlocked"] == []


def test_verify_that_verifies_nothing_is_not_green(world, hub):
    for text in (None, "schema: 1\nimages: {}\n"):
        if text:
            world.write(LOCK, text)
        done = world("verify")
        assert done.code == 2 and "hint: tmplgen image lock\n" in done.err
        assert f"no base image of these rows is locked in '{LOCK}'" in done.err
        assert "warning" not in done.err
        error = world.json("verify", code=2)["error"]
        assert (error["code"], error["checked"], error["unlocked"]) == (
            "no-lock",
            [],
            [BASE, OLDER],
        )
    world.plan({"image": "pytorch"}, {"image": "tmplgen"})
    world.write(LOCK, lock_text(BASE).replace(digest(BASE), hub.digests[BASE]))
    assert world.json("verify", "tmplgen", code=2)["error"]["unlocked"] == ["debian:12"]
    assert world("verify", "pytorch").code == 0


def test_nothing_is_written(world, hub):
    world("lock")
    before = world.files()
    put_index(hub, "mirror/nvidia/cuda", CUDA13, note="rebuilt")
    world("verify")
    assert world.files() == before


def test_against_a_real_registry(world, tmp_path):
    folder = tmp_path / "registry"
    folder.mkdir()
    with running(folder) as registry:
        told = digest_of(registry.push("hub/nvidia/cuda", CUDA13))
        world.plan({"image": "pytorch"})
        # Its config is empty and so for no platform: an index says it.
        done = world("lock", "--mirror", f"{registry.host}/hub")
        assert done.code == 1 and BASE in done.err
        world.write(LOCK, lock_text(BASE).replace(digest(BASE), told))
        done = world.json("verify", "--mirror", f"{registry.host}/hub")
        assert statuses(done) == {BASE: ("same", "supported")}


# ---------------------------------------------------------------- the file


def test_the_file_is_replaced_whole(world, hub):
    world.write(LOCK, lock_text("debian:12"))
    held = (world.folder / LOCK).open()
    assert world("lock").code == 0
    assert "debian:12" in held.read()
    assert world.files().keys() == {LOCK, "images.yml"}


def test_a_lock_keeps_its_mode_and_a_link_stays_one(world, hub):
    held = world.write("shared/pins.yml", lock_text("debian:12"))
    held.chmod(0o640)
    (world.folder / LOCK).symlink_to("shared/pins.yml")
    assert world("lock").code == 0
    assert (world.folder / LOCK).readlink() == Path("shared/pins.yml")
    assert set(world.lock("shared/pins.yml")["images"]) == {BASE, OLDER}
    assert held.stat().st_mode & 0o777 == 0o640
    assert world.files().keys() == {LOCK, "images.yml", "shared/pins.yml"}


def test_what_lies_in_the_way_of_the_lock(world, hub):
    (world.folder / LOCK).mkdir()
    for command in ("lock", "list", "verify"):
        done = world(command)
        assert done.code == 1 and LOCK in done.err
    assert list((world.folder / LOCK).iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [["list"], ["render", "--output", "o"], ["verify"], ["bake", "--output", "b.json"], ["build"]],
)
def test_a_lock_that_is_named_is_there(world, hub, words):
    """Else a name mistyped would pin nothing, and nobody would know."""
    before = world.files()
    error = world.json(*words, "--lock", "base-images.lok.yml", code=2)["error"]
    assert error["code"] == "no-lock" and "'base-images.lok.yml'" in error["message"]
    assert "image lock --lock base-images.lok.yml" in error["hint"]
    assert world.files() == before


def test_lock_makes_the_file_that_is_named(world, hub):
    assert world("lock", "--lock", "mine.yml").code == 0
    assert set(world.lock("mine.yml")["images"]) == {BASE, OLDER}
    assert world.json("verify", "--lock", "mine.yml")["unlocked"] == []


def test_a_lock_in_a_folder_that_is_not_there(world, hub):
    done = world("lock", "--lock", "no/where.yml")
    assert done.code == 1 and "no/where.yml" in done.err
    assert world.files().keys() == {"images.yml"}


def test_a_killed_run_leaves_the_old_file(world, hub):
    world.write(LOCK, lock_text("debian:12"))
    hub.latency = 2
    with pytest.raises(subprocess.TimeoutExpired):
        world.tmplgen("image", "lock", cwd=world.folder, timeout=0.3)
    assert set(world.lock()["images"]) == {"debian:12"}
