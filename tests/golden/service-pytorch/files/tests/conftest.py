"""What several tests need: a trained model, a fake one, a service around it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pytorch_service import train


@pytest.fixture(scope="session")
def data_file() -> Path:
    return Path(__file__).parent.parent / "data/reviews.csv"


@pytest.fixture(scope="session")
def model_dir(tmp_path_factory: pytest.TempPathFactory, data_file: Path) -> Path:
    """The real model, trained on the bundled data: seconds on a CPU."""
    folder = tmp_path_factory.mktemp("model")
    train.train(data_file, folder, "cpu")
    return folder


class FakeModel:
    """Answers at once, by the length of the text; can be told to fail."""

    def __init__(self) -> None:
        self.labels = ["long", "short"]
        self.version = "fake"
        self.batches: list[int] = []
        self.error: Exception | None = None
        self.broken = False
        self.starved = False

    def classify(self, texts: Sequence[str]) -> list[list[float]]:
        self.batches.append(len(texts))
        if self.error is not None:
            raise self.error
        return [[1.0, 0.0] if len(text) > 10 else [0.0, 1.0] for text in texts]

    def prove(self) -> None:
        if self.broken:
            raise RuntimeError("illegal address")
        if self.starved:
            raise MemoryError

    def warm_up(self, max_batch: int) -> int:
        self.warmed = max_batch
        return max_batch

    def info(self) -> dict[str, str]:
        return {"device": "fake"}

    def memory(self) -> tuple[int, int]:
        return 10, 100

    def is_out_of_memory(self, error: BaseException) -> bool:
        return isinstance(error, MemoryError)


@pytest.fixture
def fake() -> FakeModel:
    return FakeModel()
