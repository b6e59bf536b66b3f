"""Packages beside the framework: pins both ways, one CUDA, one index, what is compiled."""

import itertools
import json
import random
from pathlib import Path

import pytest
import yaml

from ..common.schemas import check

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = sorted(path.stem for path in (ROOT / "matrices" / "packages").glob("*.yml"))
INDEX = "https://download.pytorch.org/whl/"
LINKS = "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html"


def add_package(catalog, name, releases, **header):
    """Releases as version: requires; for every Python that PyTorch 2.14 has."""
    rows = [
        {
            "version": version,
            "pythons": "3.10 3.11 3.12 3.13 3.14",
            **({"requires": requires} if isinstance(requires, str) else requires),
            "source": "facts",
            "as_of": "2026-01",
        }
        for version, requires in releases.items()
    ]
    text = {
        "package": name,
        "on": "pytorch",
        "title": name,
        **header,
        "sources": {"facts": "made up"},
        "releases": rows,
    }
    (catalog / "matrices" / "packages" / f"{name}.yml").write_text(yaml.safe_dump(text))


def stack(document):
    check(document)
    assert document["exit"] == 0, document["error"]
    return document["resolution"]


def versions(resolution):
    return dict(word.split("==") for word in resolution["requirements"] if word.count("==") == 1)


def reasons(document):
    check(document)
    assert document["exit"] == 4, document.get("resolution")
    return {conflict["reason"] for conflict in document["error"]["conflicts"]}


# ---------------------------------------------------------------- another framework


@pytest.mark.parametrize(
    ("framework", "more", "variant"),
    [
        ("tensorflow", {}, "cu126"),
        ("tensorflow", {"gpu": ["V100"], "driver": "535"}, "cu126"),
        ("jax", {"variant": "cuda12"}, "cu126"),
        ("xgboost", {"variant": "cuda12"}, "cu126"),
        ("xgboost", {"variant": "pypi"}, "cu130"),
        ("onnxruntime==1.26.0", {}, "cu126"),
        ("jax", {"variant": "cpu"}, "cpu"),
    ],
)
def test_torch_beside_a_framework_is_that_of_its_cuda_from_its_own_index(
    resolve, framework, more, variant
):
    made = stack(resolve({"framework": framework, "with": ["torch==2.14.0"], **more}))
    assert made["index_url"] == INDEX + variant
    assert made["index_requirements"] == ["torch==2.14.0"]
    assert "torch==2.14.0" in made["requirements"]
    assert len(made["requirements"]) >= 2


@pytest.mark.parametrize("other", ["tensorflow", "jax", "xgboost"])
def test_whichever_is_named_first_both_have_one_cuda_major(resolve, other):
    one = stack(resolve({"framework": "pytorch", "with": [other], "gpu": ["V100"]}))
    two = stack(resolve({"framework": other, "with": ["torch"], "gpu": ["V100"]}))
    for made in one, two:
        assert made["index_url"] == INDEX + "cu126"
        assert made["cuda"]["version"].startswith("12.")
        assert any(word.startswith("torch==2.14.") for word in made["index_requirements"])


def test_cuda_libraries_that_cannot_be_installed_together_are_refused(resolve):
    # TensorFlow 2.19 requires nvidia-cublas-cu12==12.5.3.2; no PyTorch is of CUDA 12.5.
    document = resolve({"framework": "tensorflow==2.19.0", "with": ["torch"]})
    assert {"cuda", "cudnn"} & reasons(document)
    # 2.20 takes any from 12.5 on, and so not the 12.4 of PyTorch 2.5.
    assert reasons(resolve({"framework": "pytorch==2.5.1", "with": ["tensorflow==2.20.0"]}))
    made = stack(resolve({"framework": "tensorflow==2.20.0", "with": ["torch"]}))
    assert made["index_url"] == INDEX + "cu126"


def test_a_second_index_beside_pips_own_is_refused(resolve, catalog):
    path = catalog / "matrices" / "frameworks" / "xgboost.yml"
    text = path.read_text()
    path.write_text(text.replace("packages: xgboost", "index_url: https://x.example\n\\g", 1))
    path.write_text(
        text.replace("packages: xgboost", "packages: xgboost\nindex_url: https://x.example/simple")
    )
    document = resolve({"framework": "pytorch", "with": ["xgboost"]}, catalog)
    assert "framework" in reasons(document)
    assert any("x.example" in c["because"] for c in document["error"]["conflicts"])
    alone = stack(resolve({"framework": "xgboost", "with": ["scipy"]}, catalog))
    assert alone["index_url"] == "https://x.example/simple"


# ---------------------------------------------------------------- packages on a framework


@pytest.mark.parametrize(
    "request_",
    [
        {"gpu": ["V100"]},
        {"gpu": ["P100"]},
        {"driver": "535"},
        {"driver": "570", "gpu": ["RTX 3090"]},
        {"variant": "cpu"},
        {"cuda": "12.6"},
        {"with": ["torch==2.6.0"]},
        {"arch": "aarch64", "gpu": ["GH200"]},
        {"platform": "gke"},
    ],
    ids=str,
)
def test_transformers_runs_wherever_pytorch_does(resolve, request_):
    made = stack(resolve({"framework": "transformers", **request_}))
    torch = stack(resolve({"framework": "pytorch", **request_}))
    assert made["framework"]["name"] == "transformers"
    assert made["companions"]["torch"] == torch["framework"]["version"]
    assert made["cuda"] == torch["cuda"]
    assert made["index_url"] == torch["index_url"]
    assert made["index_requirements"] == torch["index_requirements"]
    assert versions(made)["transformers"] == made["framework"]["version"]


def test_a_release_of_transformers_that_is_not_there_has_a_nearest(resolve):
    document = resolve({"framework": "transformers==99.0"})
    assert "framework" in reasons(document)
    changes = [near["change"][0] for near in document["error"]["nearest"]]
    assert any(change.startswith("--framework transformers==") for change in changes)


def test_a_package_brings_the_framework_that_it_lives_on(resolve):
    made = stack(resolve({"framework": "tensorflow", "with": ["peft"]}))
    assert {"torch", "peft"} < set(versions(made))
    assert made["index_requirements"] == [f"torch=={versions(made)['torch']}"]


def test_what_a_package_requires_from_the_index_of_its_framework_comes_from_there(resolve):
    # timm requires torchvision: pip's own index would give that of another CUDA.
    made = stack(resolve({"framework": "pytorch==2.14.0", "with": ["timm"], "gpu": ["V100"]}))
    assert made["index_requirements"] == ["torch==2.14.0", "torchvision==0.29.0"]
    assert made["index_url"] == INDEX + "cu126"
    alone = stack(resolve({"framework": "pytorch==2.14.0", "with": ["peft"]}))
    assert "torchvision" not in versions(alone)


@pytest.mark.parametrize(
    ("framework", "package", "version"),
    [
        ("pytorch==2.4.0", "xformers", "0.0.27.post2"),
        ("pytorch==2.6.0", "triton", "3.2.0"),
        ("pytorch==2.3.1", "torchvision", "0.18.1"),
        ("pytorch==2.9.1", "vllm", "0.16.0"),
        ("pytorch==2.3.1", "bitsandbytes", "0.49.2"),
    ],
)
def test_the_newest_release_that_goes_with_an_older_framework(resolve, framework, package, version):
    made = stack(resolve({"framework": framework, "with": [package]}))
    assert versions(made)[package] == version


def test_a_pin_of_a_package_decides_about_the_framework(resolve):
    assert versions(stack(resolve({"framework": "pytorch", "with": ["vllm==0.16.0"]})))[
        "torch"
    ] == ("2.9.1")
    assert versions(stack(resolve({"framework": "pytorch", "with": ["xformers==0.0.30"]})))[
        "torch"
    ] == ("2.7.0")


def test_a_triton_that_torch_does_not_pin_is_refused(resolve):
    document = resolve({"framework": "pytorch==2.6.0", "with": ["triton==3.5.0"]})
    assert "framework" in reasons(document)
    near = {tuple(near["change"]): near["resolution"] for near in document["error"]["nearest"]}
    assert near[("--with triton==3.2.0",)]["companions"]["triton"] == "3.2.0"


def test_names_are_compared_as_pip_does(resolve):
    one = stack(resolve({"framework": "pytorch", "with": ["Flash_Attn"]}))
    two = stack(resolve({"framework": "pytorch", "with": ["flash-attn", "flash.attn"]}))
    assert one == two


def test_extras_stay(resolve):
    made = stack(resolve({"framework": "pytorch", "with": ["accelerate[deepspeed]>=1"]}))
    assert any(word.startswith("accelerate[deepspeed]==") for word in made["requirements"])


# ---------------------------------------------------------------- what is compiled, what is unknown


def test_what_has_no_wheel_is_compiled_in_a_devel_image_of_the_same_cuda(resolve, matrix):
    made = stack(resolve({"framework": "pytorch", "with": ["flash-attn"], "gpu": ["A100"]}))
    [built] = made["build_requirements"]
    assert built.startswith("flash-attn==")
    assert built in made["requirements"]
    assert made["build_image"]["repository"] == "nvidia/cuda"
    minor = ".".join(made["cuda"]["version"].split(".")[:2])
    assert made["build_image"]["tag"].startswith(minor)
    assert "-devel-" in made["build_image"]["tag"]
    assert made["build_image"]["tag"].split("-")[-1] == made["image"]["tag"].split("-")[-1]
    assert "with-built" in {note["code"] for note in made["notes"]}
    plain = stack(resolve({"framework": "pytorch", "with": ["peft"]}))
    assert plain["build_requirements"] == []
    assert plain["build_image"] is None


def test_flash_attention_does_not_run_on_a_t4(resolve):
    document = resolve({"framework": "pytorch", "with": ["flash-attn"], "gpu": ["T4"]})
    assert "gpu-arch" in reasons(document)


def test_the_install_line_is_one_command_a_step(matrix):
    words = ["--framework", "pytorch==2.14.0", "--gpu", "A100"]
    for package in "flash-attn==2.8.3", "numpy<3":
        words += ["--with", package]
    text = matrix("resolve", *words).out
    [line] = [line.strip() for line in text.splitlines() if line.startswith("  install")]
    steps = line.removeprefix("install").strip().split(" && ")
    assert steps == [
        f"pip install --index-url {INDEX}cu130 torch==2.14.0",
        "pip install torch==2.14.0 'numpy<3'",
        "pip install ninja packaging psutil setuptools wheel",
        "pip install --no-build-isolation flash-attn==2.8.3",
    ]


@pytest.mark.parametrize(
    ("words", "steps"),
    [
        (["jax==0.4.25"],
         [f"pip install --find-links {LINKS} 'jax[cuda12_pip]==0.4.25' 'numpy<2'"]),
        (["jax==0.4.25", "--variant", "cuda11"],
         [f"pip install --find-links {LINKS} 'jax[cuda11_pip]==0.4.25' 'numpy<2'"]),
        (["jax==0.4.28"], [f"pip install --find-links {LINKS} 'jax[cuda12_pip]==0.4.28'"]),
        (["jax==0.4.29"], ["pip install 'jax[cuda12]==0.4.29'"]),
        (["jax==0.4.25", "--variant", "cpu"], ["pip install 'jax[cpu]==0.4.25' 'numpy<2'"]),
        (["tensorflow==2.12.0", "--with", "jax"],
         [f"pip install --find-links {LINKS} tensorflow==2.12.0 'jax[cuda11_pip]==0.4.25'"
          " 'numpy<2'"]),
        (["pytorch==2.2.2", "--with", "jax==0.4.26"],
         [f"pip install --index-url {INDEX}cu121 torch==2.2.2",
          f"pip install --find-links {LINKS} torch==2.2.2 'numpy<2' 'jax[cuda12_pip]==0.4.26'"]),
    ],
)  # fmt: skip
def test_wheels_that_no_index_has_are_found_where_they_are(matrix, words, steps):
    """Extras of that time require jaxlib==VERSION+cuda12.cudnn89: an index has no such."""
    text = matrix("resolve", "--framework", *words).out
    [line] = [line.strip() for line in text.splitlines() if line.startswith("  install")]
    assert line.removeprefix("install").strip().split(" && ") == steps
    made = stack(matrix("resolve", "--framework", *words, "--json").json)
    assert made["find_links"] == (LINKS if LINKS in text else None)


def test_what_no_row_knows_is_said_in_plain_words(resolve):
    made = stack(resolve({"framework": "pytorch", "with": ["einops>=0.8"]}))
    assert "einops>=0.8" in made["requirements"]
    [note] = [note for note in made["notes"] if note["code"] == "with-unchecked"]
    assert note["text"] == (
        "no row of the matrix knows einops: whether it goes with this stack is not checked"
    )


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("torchvison", "torchvision"),
        ("tourch==2.9.1", "torch"),
        ("acclerate>=1", "accelerate"),
        ("numyp", "numpy"),
        ("Xfromers", "xformers"),
    ],
)
def test_a_name_a_letter_off_a_known_one_is_refused(matrix, typed, meant):
    """Whoever has that name on an index gets what installs it: it would be in every image."""
    words = ["resolve", "--framework", "pytorch", "--with", typed]
    refused = matrix(*words)
    assert refused.code == 2
    assert f"did you mean '{meant}'? --unchecked takes" in refused.err
    taken = matrix(*words, "--unchecked")
    assert taken.code == 0 and typed in taken.out


def test_every_known_package_is_itself_no_slip_of_another(matrix):
    for package in PACKAGES:
        done = matrix("resolve", "--framework", "pytorch", "--with", package)
        assert "did you mean" not in done.err


# ---------------------------------------------------------------- sets


@pytest.mark.parametrize("seed", range(12))
def test_no_order_of_words_makes_another_answer(resolve, seed):
    dice = random.Random(seed)
    words = dice.sample([*PACKAGES, "transformers", "jax", "einops"], dice.randrange(2, 6))
    request = {"framework": dice.choice(["pytorch", "tensorflow", "pytorch==2.7.1"])}
    answers = []
    for order in itertools.islice(itertools.permutations(words), 0, 120, 24):
        document = resolve({**request, "with": list(order)})
        answers.append(document.get("resolution") or document["error"]["code"])
    assert all(answer == answers[0] for answer in answers), words


def test_who_has_no_release_left_goes_back_to_who_stood_in_the_way(resolve, catalog):
    add_package(catalog, "alpha", {"2.0": "gamma==1.0", "1.0": "gamma>=1"})
    add_package(catalog, "beta", {"5.0": "gamma==3.0", "4.0": "gamma==2.0 delta<2"})
    add_package(catalog, "gamma", {"2.0": "", "1.0": ""})
    add_package(catalog, "delta", {"2.0": "", "1.0": ""})
    request = {"framework": "pytorch", "with": ["delta", "beta", "gamma", "alpha"]}
    made = versions(stack(resolve(request, catalog)))
    expected = {"alpha": "1.0", "beta": "4.0", "gamma": "2.0", "delta": "1.0"}
    assert {name: made[name] for name in expected} == expected


def test_two_that_want_different_versions_of_a_third_that_nobody_named_are_refused(
    resolve, catalog
):
    add_package(catalog, "alpha", {"1.0": "third<2"})
    add_package(catalog, "beta", {"1.0": "third>=2"})
    for order in ["alpha", "beta"], ["beta", "alpha"]:
        assert reasons(resolve({"framework": "pytorch", "with": order}, catalog)) == {"framework"}
    assert stack(resolve({"framework": "pytorch", "with": ["alpha", "third==1.5"]}, catalog))
    assert reasons(resolve({"framework": "pytorch", "with": ["alpha", "third==2.5"]}, catalog))


def test_pythons_processors_builds_and_glibc_of_a_package_count(resolve, catalog):
    add_package(
        catalog,
        "alpha",
        {
            "5.0": {"pythons": "3.10"},
            "4.0": {"processors": "aarch64"},
            "3.0": {"variants": "cu126"},
            "2.0": {"glibc": 9.99},
            "1.0": "",
        },
    )
    request = {"framework": "pytorch==2.14.0", "with": ["alpha"], "variant": "cu130"}

    def alpha(**more):
        return versions(stack(resolve({**request, **more}, catalog)))["alpha"]

    assert alpha(python="3.10") == "5.0"
    assert alpha(python="3.12", arch="aarch64") == "4.0"
    assert alpha(python="3.12", variant="cu126") == "3.0"
    assert alpha(python="3.12") == "1.0"


@pytest.mark.turns(1)
@pytest.mark.parametrize("kind", ["ring", "thirds", "parity"])
def test_packages_that_cannot_meet_come_to_an_end(matrix, catalog, kind):
    names = [f"p{k:02}" for k in range(16)]
    pins = {
        "ring": lambda k, i: f"{names[(k + 1) % 16]}=={i + 1}.0",
        "thirds": lambda k, i: f"third=={k}.{i}",
        "parity": lambda k, i: f"{names[(k + 1) % 16]}>={i}.0,<{i + 2} {names[k - 2]}>={i + 1}",
    }[kind]
    for k, name in enumerate(names):
        add_package(catalog, name, {f"{i}.0": pins(k, i) for i in range(200)})
    words = [word for name in names for word in ("--with", name)]
    result = matrix("resolve", "--json", "--catalog", catalog, "--framework", "pytorch", *words)
    document = json.loads(result.out)
    check(document)
    assert document["error"]["code"] in {"limit", "unsatisfiable"}


# ---------------------------------------------------------------- the files


@pytest.mark.parametrize(
    ("releases", "header", "finding"),
    [
        ({"1.0": "torch=>2"}, {}, "'torch=>2' is no requirement"),
        ({"1.0": {"variants": "cu999"}}, {}, "pytorch has no build cu999"),
        ({"1.0": "torch==99.0"}, {}, "alpha 1.0 is out of reach of every request"),
        ({"1.0": ""}, {"on": "nothing"}, "no framework 'nothing'"),
        ({"1.0": ""}, {"index": "own"}, "index"),
    ],
)
def test_check_finds_what_is_wrong_with_a_package(matrix, catalog, releases, header, finding):
    add_package(catalog, "alpha", releases, **header)
    result = matrix("check", "--catalog", catalog)
    assert result.code == 2
    assert finding in result.err + result.out


def test_no_package_is_a_framework_but_the_hint_says_how_to_have_it(matrix):
    result = matrix("resolve", "--framework", "vllm")
    assert result.code == 2
    assert "--framework pytorch --with vllm" in result.err


def test_packages_are_listed_apart(matrix):
    made = json.loads(matrix("list", "--json").out)
    check(made)
    assert {row["package"] for row in made["packages"]} == set(PACKAGES)
    assert not {row["framework"] for row in made["frameworks"]} & set(PACKAGES)
    rows = json.loads(matrix("list", "vllm", "--json").out)
    check(rows)
    assert any("torch==2.9.1" in (row["requires"] or "") for row in rows["releases"])


@pytest.mark.parametrize(
    "asked",
    [{"gpu": ["RTX 3090"], "driver": "535"}, {"with": ["torch==2.6.0"]}, {"os": "ubuntu22.04"}],
)
def test_neither_image_nor_framework_makes_what_was_named_older(resolve, asked):
    """It runs on all of these; the image of some ships a Python that is too old for it."""
    newest = resolve({"framework": "transformers"})["resolution"]["framework"]
    assert resolve({"framework": "transformers", **asked})["resolution"]["framework"] == newest


def test_hint_is_of_what_was_named(resolve):
    hint = resolve({"framework": "transformers==9.9.9"})["error"]["hint"]
    assert hint.startswith("--framework transformers==") and hint.endswith(" would do")


def test_newer_release_of_a_package_that_was_passed_over_is_told(resolve, catalog):
    releases = {"9.1": {"requires": "torch>=2.4", "confidence": "low", "note": "nobody tried it"}}
    add_package(catalog, "beside", {**releases, "9.0": "torch>=2.4"})
    document = resolve({"framework": "pytorch", "with": ["numpy", "beside"]}, catalog)
    assert document["resolution"]["companions"]["beside"] == "9.0"
    told = [n["text"] for n in document["resolution"]["notes"] if n["code"] == "newer-known"]
    assert told == [
        "beside 9.1 is known, with low confidence (nobody tried it): --with beside==9.1 takes it"
    ]
    document = resolve({"framework": "pytorch", "with": ["numpy", "beside==9.1"]}, catalog)
    assert document["resolution"]["companions"]["beside"] == "9.1"


def test_no_note_is_told_twice(resolve):
    """Rows share texts: a release of JAX and its build say the same."""
    notes = resolve({"framework": "jax"})["resolution"]["notes"]
    assert len({note["text"] for note in notes}) == len(notes)


def test_cudnn_before_blackwell_has_no_kernels_for_it(resolve):
    """An older framework is not the way to a newer GPU."""
    document = resolve({"framework": "tensorflow", "gpu": ["Rubin"]})
    assert document["exit"] == 4 and "cudnn" in reasons(document)


@pytest.mark.parametrize(
    "asked",
    [{"framework": "pytorch==1.2.0"}, {"framework": "pytorch", "with": ["lightning==1.0.0"]}],
)
def test_release_before_the_rows_is_told_so(resolve, asked):
    """Not that the newest release is another one."""
    document = resolve(asked)
    because = document["error"]["conflicts"][0]["because"]
    assert reasons(document) == {"framework"}
    assert " is ==1." in because and ": they are of " in because


@pytest.mark.parametrize(
    "asked",
    [
        {"framework": "pytorch", "variant": "cpu"},
        {"framework": "jax", "driver": "525", "gpu": ["A100"]},
        {"framework": "onnxruntime", "driver": "535", "gpu": ["RTX 4090"]},
    ],
)
def test_numpy_has_wheels_for_the_python(resolve, asked):
    """NumPy 1 has none for 3.13 and later, so that pip would compile it."""
    found = stack(resolve({**asked, "with": ["numpy<2"]}))
    assert tuple(map(int, found["python"].split("."))) <= (3, 12)
    refused = resolve({**asked, "with": ["numpy<2"], "python": "3.14"})
    assert "python" in reasons(refused)
