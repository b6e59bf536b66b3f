"""How good a model is on data that it has never seen: report.json, plots, and one page with all.

report.html needs no other file: it can be mailed, or kept as an artifact of CI.
"""

from __future__ import annotations

import base64
import html
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from . import files, tasks
from .batches import Batch
from .model import Model

READABLE = 30  # labels whose names and counts fit into a plot


def write(folder: Path, model: Model, test: Batch, metrics: Path) -> dict[str, Any]:
    """Scores the model on `test`; `metrics` is the run's metrics.jsonl. Returns the scores."""
    predictions, labels = tasks.predict(model.learner, test), model.encoder.labels
    found: dict[str, Any] = {"examples": len(test)}
    found |= tasks.scores(predictions, test.targets, bool(labels))
    plots = {"curves": _curves(_lines(metrics))}
    if labels:
        counts = confusion(predictions.argmax(axis=1), test.targets, len(labels))
        found |= of_labels(counts, labels)
        plots["confusion"] = _matrix(counts, labels)
    else:
        plots["predictions"] = _scatter(predictions.ravel(), test.targets.ravel())
    folder.mkdir(parents=True, exist_ok=True)
    images = {name: _png(figure) for name, figure in plots.items() if figure}
    for name, content in images.items():
        files.write(folder / f"{name}.png", content)
    files.write(folder / "report.json", (json.dumps(found, indent=1) + "\n").encode())
    files.write(folder / "report.html", _page(found, images).encode())
    return found


def confusion(predicted: NDArray[Any], targets: NDArray[Any], count: int) -> NDArray[np.int64]:
    """How many items of each label (row) were taken for each label (column)."""
    found = np.zeros((count, count), np.int64)
    np.add.at(found, (targets, predicted), 1)
    return found


def of_labels(counts: NDArray[np.int64], labels: Sequence[str]) -> dict[str, Any]:
    """Precision, recall and F1 of each label, their F1's mean, and the confusion matrix."""
    right = counts.diagonal()
    precision = right / np.maximum(counts.sum(axis=0), 1)
    recall = right / np.maximum(counts.sum(axis=1), 1)
    f1 = 2 * right / np.maximum(counts.sum(axis=0) + counts.sum(axis=1), 1)
    each = {
        label: {
            "precision": float(precision[number]),
            "recall": float(recall[number]),
            "f1": float(f1[number]),
            "examples": int(counts[number].sum()),
        }
        for number, label in enumerate(labels)
    }
    return {"macro_f1": float(f1.mean()), "labels": each, "confusion": counts.tolist()}


def _lines(metrics: Path) -> list[dict[str, Any]]:
    if not metrics.exists():
        return []
    return [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]


def _curves(lines: Iterable[dict[str, Any]]) -> Figure | None:
    """Loss of training and validation, and other scores below, by step."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for line in lines:
        for name, value in line.items():
            if (name == "loss" or name.startswith("validation_")) and value is not None:
                curves.setdefault(name, []).append((line["step"], value))
    if not curves:
        return None
    figure = Figure(figsize=(7, 6), layout="constrained")
    upper, lower = figure.subplots(2, sharex=True)
    for name, points in curves.items():
        axes = upper if name.endswith("loss") else lower
        axes.plot(*zip(*points, strict=True), label=name, marker="." if len(points) < 50 else "")
        axes.legend()
    lower.set_xlabel("step")
    return figure


def _matrix(counts: NDArray[np.int64], labels: Sequence[str]) -> Figure:
    figure = Figure(figsize=(6, 6), layout="constrained")
    axes = figure.subplots()
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    axes.set(xlabel="predicted", ylabel="true")
    if len(labels) <= READABLE:
        # As they are: "$5 to $10" is no formula.
        turned = 90 if len(labels) > 4 else 0
        axes.set_xticks(range(len(labels)), labels, rotation=turned, parse_math=False)
        axes.set_yticks(range(len(labels)), labels, parse_math=False)
        for (row, column), count in np.ndenumerate(counts):
            dark = count > counts[row].sum() / 2
            color = "white" if dark else "black"
            axes.text(column, row, str(count), ha="center", va="center", color=color)
    return figure


def _scatter(predicted: NDArray[Any], targets: NDArray[Any]) -> Figure:
    figure = Figure(figsize=(6, 6), layout="constrained")
    axes = figure.subplots()
    axes.scatter(targets, predicted, s=6)
    axes.axline((float(targets.mean()), float(targets.mean())), slope=1, color="grey")
    axes.set(xlabel="true", ylabel="predicted")
    return figure


def _png(figure: Figure) -> bytes:
    file = io.BytesIO()
    # Without the version of matplotlib, so that the same model has the same report.
    figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def _page(found: dict[str, Any], images: dict[str, bytes]) -> str:
    numbers = {name: it for name, it in found.items() if isinstance(it, (int, float))}
    parts = [_table(["score", "value"], [[name, _number(it)] for name, it in numbers.items()])]
    if "labels" in found:
        head = ["label", *next(iter(found["labels"].values()))]
        rows = [[label, *map(_number, it.values())] for label, it in found["labels"].items()]
        parts.append(_table(head, rows))
    for name, content in images.items():
        data = base64.b64encode(content).decode()
        parts.append(f'<h2>{name}</h2><img alt="{name}" src="data:image/png;base64,{data}">')
    style = "body{font-family:sans-serif;margin:2em}td,th{padding:.2em 1em;text-align:right}"
    start = f'<meta charset="utf-8"><title>Evaluation</title><style>{style}</style>'
    return f"<!DOCTYPE html>\n{start}\n<h1>Evaluation on test data</h1>\n" + "\n".join(parts) + "\n"


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)

    body = "".join(f"<tr>{line(row, 'td')}</tr>\n" for row in rows)
    return f"<table>\n<tr>{line(head, 'th')}</tr>\n{body}</table>"
