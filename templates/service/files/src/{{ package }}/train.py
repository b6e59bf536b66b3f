"""Training: seconds on a CPU, from a file of labelled texts to a model folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from . import backend, data, model


def train(
    source: Path, out: Path, device: str = "auto", epochs: int = 20, deterministic: bool = False
) -> str:
    """Trains on `source`, writes the model to `out`, and returns a line about it."""
    backend.seed(0, deterministic)
    examples, heldout = data.split(data.read(source))
    labels = sorted({example.label for example in examples})
    network = backend.Network(len(labels), backend.pick_device(device))
    targets = [labels.index(example.label) for example in examples]
    network.fit([example.text for example in examples], targets, epochs)

    probe = examples[0].text
    manifest = model.Manifest(
        format=model.FORMAT,
        labels=labels,
        weights="",
        sha256="",
        framework=backend.NAME,
        accuracy=_accuracy(network, labels, heldout),
        probe_text=probe,
        probe_scores=network.predict([probe])[0],
    )
    model.save(network, manifest, out)
    found = f"accuracy {manifest.accuracy:.3f} on {len(heldout)} others"
    return f"{out}: trained on {len(examples)} texts, {found}"


def _accuracy(
    network: backend.Network, labels: list[str], examples: Sequence[data.Example]
) -> float:
    if not examples:
        return 0.0
    scores = network.predict([example.text for example in examples])
    right = sum(
        labels[row.index(max(row))] == example.label
        for row, example in zip(scores, examples, strict=True)
    )
    return right / len(examples)
