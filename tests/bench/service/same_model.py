"""The child's own model for every server: the same weights and the same code.

BENCH_MODEL is its folder. With BENCH_PRODUCT=1 each pass multiplies by matrices as large as those
of real networks: as many items as there are share the way of the weights through the memory.
"""

import os
from pathlib import Path

import torch
from pytorch_service import backend, model

WIDTH, LAYERS = 4096, 2


def burden():
    """Puts the product before whatever the model does."""
    weights = torch.randn(WIDTH, WIDTH, generator=torch.Generator().manual_seed(0)) / WIDTH**0.5
    predict = backend.Network.predict

    def burdened(self, instances):
        rows = torch.ones(len(instances), WIDTH)
        with torch.inference_mode():
            for _ in range(LAYERS):
                rows = (rows @ weights).relu_()
        return predict(self, instances)

    backend.Network.predict = burdened


if os.environ.get("BENCH_PRODUCT") == "1":
    burden()


def load():
    """The model, on the CPU."""
    return model.load(Path(os.environ["BENCH_MODEL"]), "cpu")


def plain(predictions):
    """As JSON has it."""
    return [prediction.model_dump() for prediction in predictions]
