"""One's own data and network in the batch job: three files are replaced, everything else holds.

Two swaps take turns: which ones, the number of commits says, or SEED. SWAPS=all takes all,
SWAPS=tabular/xgboost,images/pytorch those named.
"""

import itertools
import json
import os
import shutil

import pytest

from .support import TMPLGEN, TOP, run, seed, set_up
from .test_frameworks import RELEASES

SWAPS = ["tabular/pytorch", "images/pytorch", "tabular/xgboost", "tokens/pytorch"]
TURNS = 2
FILES = TOP / "tests/e2e/swaps_batch"

# Written with the environment of the child: digits as rows of a table, as images, as tokens.
DATA = """
import base64, csv, io, json, sys
import numpy as np
from PIL import Image
from sklearn.datasets import load_digits
x, y = load_digits(return_X_y=True)
kind, path = sys.argv[1:]
with open(path, "w", newline="") as file:
    if kind == "tabular":
        table = csv.writer(file)
        table.writerow([f"p{i}" for i in range(64)] + ["label"])
        table.writerows([*map(float, row), label] for row, label in zip(x, y))
    for row, label in zip(x, y):
        if kind == "images":
            png = io.BytesIO()
            Image.fromarray((row.reshape(8, 8) * 15).astype(np.uint8)).save(png, "png")
            text = base64.b64encode(png.getvalue()).decode()
            file.write(json.dumps({"png": text, "label": str(label)}) + "\\n")
        if kind == "tokens":
            word = "".join("abcdefghijklmnopq"[int(v)] for v in row.reshape(8, 8)[:, 2:6].ravel())
            file.write(json.dumps({"word": word, "kind": str(label)}) + "\\n")
"""

# Accuracy on the child's own test rows of what scikit-learn makes of the child's own training rows.
BASELINE = """
import sys
from job import config, tasks
from sklearn.linear_model import LogisticRegression
task = tasks.load(config.Settings(data=sys.argv[1]))
(name,) = task.train.inputs
model = LogisticRegression(max_iter=2000).fit(task.train.inputs[name], task.train.targets)
print(model.score(task.test.inputs[name], task.test.targets))
"""


def chosen():
    wanted = os.environ.get("SWAPS", "")
    if wanted:
        return [swap for swap in SWAPS if wanted == "all" or swap in wanted.split(",")]
    start = seed() * TURNS % len(SWAPS)
    return list(itertools.islice(itertools.cycle(SWAPS), start, start + TURNS))


@pytest.fixture(scope="module", params=chosen())
def swapped(request, tmp_path_factory):
    """A child with a swap in place, its environment, and a file of data."""
    framework = request.param.split("/")[1]
    print(f"SEED={seed()}")
    scratch = tmp_path_factory.mktemp("swap")
    words = ["--type", "batch", "--framework", *RELEASES.get(framework, [framework])]
    run(TMPLGEN, "new", "child", *words, "--python", "3.11", "--set", "package=job", cwd=scratch)
    child = scratch / "child"
    with set_up(child, framework) as venv:
        yield swap(child, venv, scratch, request.param)
    shutil.rmtree(scratch)


def swap(child, venv, scratch, name):
    kind, framework = name.split("/")
    run(venv / "bin/python", "-m", "pip", "install", "--quiet", "scikit-learn", "pillow")
    model = "features.py" if framework == "xgboost" else "network.py"
    for file, place in (("data.py", "src/job"), (model, "src/job"), ("test_example.py", "tests")):
        shutil.copy(FILES / kind / file, child / place / file)
    data = scratch / ("digits.csv" if kind == "tabular" else "digits.jsonl")
    run(venv / "bin/python", "-c", DATA, kind, data)
    return child, venv, data, name


def test_all_but_three_files_are_the_templates_and_pass(swapped):
    child, venv, *_ = swapped
    assert len(run("git", "status", "--porcelain", cwd=child).splitlines()) == 3
    run("make", "lint", cwd=child, VENV=venv)
    run("make", "test", cwd=child, VENV=venv)


def test_it_learns_is_stopped_goes_on_and_answers(swapped, tmp_path):
    child, venv, data, name = swapped

    def job(*words, status=0):
        environment = {"OMP_NUM_THREADS": "1", "BATCH_OUT": str(tmp_path / "run")}
        return run(
            venv / "bin/python", "-m", "job", *words, cwd=child, status=status, **environment
        )

    few = [] if name.endswith("xgboost") else ["--epochs=20", "--learning-rate=0.003"]
    train = ["train", f"--data={data}", "--device=cpu", "--patience=0", *few]
    assert "run the same command again" in job(*train, "--max-minutes=0.0001", status=75)
    assert "resumed after step" in job(*train)
    found = json.loads(job("eval", f"--data={data}", "--device=cpu").splitlines()[-1])
    print(name, found)
    if name.startswith("tabular"):
        baseline = run(venv / "bin/python", "-c", BASELINE, data, cwd=child)
        print("baseline", baseline)
        assert found["test_accuracy"] >= float(baseline.splitlines()[-1]) - 0.02
    assert found["test_accuracy"] >= {"images": 0.93, "tokens": 0.5}.get(name.split("/")[0], 0.9)
    answers = tmp_path / "answers.csv"
    job("predict", f"--input={data}", f"--output={answers}", "--device=cpu")
    assert len(answers.read_text().splitlines()) == 1797 + 1
