"""What several tests need: a trained model, a fake one, a service around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from it import cpus, schemas

# Before a test imports the framework: more threads than CPUs only wait for each other.
cpus.use()


@pytest.fixture(scope="session")
def data_file() -> Path:
    return Path(__file__).parent.parent / schemas.DATA


@pytest.fixture(scope="session")
def model_dir(tmp_path_factory: pytest.TempPathFactory, data_file: Path) -> Path:
    """The real model, trained on the data of schemas.py: seconds on a CPU."""
    from it import train

    folder = tmp_path_factory.mktemp("model")
    train.train(data_file, folder, "cpu")
    return folder


def answer_to(instance: object) -> schemas.Prediction:
    known = zip(schemas.EXAMPLES, schemas.ANSWERS, strict=True)
    return next((answer for example, answer in known if example == instance), schemas.ANSWERS[0])


class FakeModel:
    """Answers at once: to each example what schemas.py says; can be told to fail."""

    def __init__(self) -> None:
        self.version = "fake"
        # As in backend.py: a method, where the model can.
        self.stream: object = None
        self.batches: list[int] = []
        self.error: Exception | None = None
        self.broken = False
        self.starved = False

    def predict(self, instances: Sequence[object]) -> list[schemas.Prediction]:
        self.batches.append(len(instances))
        if self.error is not None:
            raise self.error
        return [answer_to(instance) for instance in instances]

    def hang(self) -> object:
        """What a proof waits for."""

    def prove(self) -> None:
        self.hang()
        if self.broken:
            raise RuntimeError("illegal address")
        if self.starved:
            raise MemoryError

    def warm_up(self, max_batch: int, worked: Callable[[], None]) -> int:
        worked()
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
