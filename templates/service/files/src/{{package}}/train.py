"""Training: seconds on a CPU, from a file of examples to a model folder."""

from __future__ import annotations

from pathlib import Path

from . import backend, data, devices, model, schemas


def train(
    source: Path, out: Path, device: str = "auto", epochs: int = 20, deterministic: bool = False
) -> str:
    """Trains on `source`, writes the model to `out`, and returns a line about it."""
    devices.seed(0, deterministic)
    examples, heldout = data.split(data.read(source))
    if not examples:
        raise data.DataError(f"{source}: all of it is kept for the test: there must be more")
    network = backend.Network(devices.pick_device(device))
    network.fit([it.instance for it in examples], [it.target for it in examples], epochs)
    metrics = {}
    if heldout:
        answers = network.predict([it.instance for it in heldout])
        metrics = schemas.score(answers, [it.target for it in heldout])
    model.save(network, examples[0].instance, metrics, out)
    found = ", ".join(f"{name} {value:.3f}" for name, value in metrics.items())
    return f"{out}: trained on {len(examples)} examples; on {len(heldout)} others: {found}"
