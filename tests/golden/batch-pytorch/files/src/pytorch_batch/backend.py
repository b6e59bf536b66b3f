"""All that this project asks of PyTorch. No other file imports it.

A backend for another framework has the same names; tests/test_backend.py says what they promise.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from .config import Settings
from .data import Batch, Tokens
from .errors import InputError
from .footprint import lstm
from .world import ALONE, World

NAME = "pytorch"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED: dict[str, str] = {}

footprint = lstm


class DeviceError(RuntimeError):
    """The device that was asked for cannot be used; the message says why."""


def pick_device(wanted: str) -> str:
    """The device to use for `auto`, `cpu`, `cuda` or `cuda:N`."""
    if wanted == "auto":
        return "cuda:0" if _gpus() else "cpu"
    kind, colon, number = wanted.partition(":")
    if wanted == "cpu":
        return "cpu"
    if kind != "cuda" or (colon and not number.isdecimal()):
        raise DeviceError(f"'{wanted}' is not a device: use auto, cpu, cuda or cuda:N")
    if _gpus() == 0:
        raise DeviceError(_why_no_gpu())
    if int(number or 0) >= _gpus():
        raise DeviceError(f"there are {_gpus()} GPUs, no {wanted}")
    return f"cuda:{int(number or 0)}"


def _gpus() -> int:
    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def _why_no_gpu() -> str:
    if torch.version.cuda is None:
        return f"PyTorch {torch.__version__} was built without CUDA"
    return "no usable GPU: `make smoke` says why"


def info() -> dict[str, str]:
    """What is installed, for logs, metrics and bug reports."""
    return {
        "framework": NAME,
        "version": torch.__version__,
        "cuda": torch.version.cuda or "none",
        "cudnn": str(torch.backends.cudnn.version() or "none"),
        "architectures": " ".join(torch.cuda.get_arch_list()) or "none",
    }


def device_name(device: str) -> str:
    """What to call the device: the GPU's own name, or cpu."""
    return torch.cuda.get_device_name(device) if device != "cpu" else "cpu"


def limit_memory(device: str, fraction: float) -> None:
    """Caps this process's share of the device's memory; before anything is on the device."""
    if device != "cpu":
        torch.cuda.set_per_process_memory_fraction(fraction, device)


def memory(device: str) -> tuple[int, int]:
    """Bytes that this process holds on the device, and the device's all; zeros where unknown."""
    if device == "cpu":
        return 0, 0
    return torch.cuda.memory_reserved(device), torch.cuda.get_device_properties(device).total_memory


def free_memory(device: str) -> None:
    """Gives cached memory back."""
    if device != "cpu":
        torch.cuda.empty_cache()


def is_out_of_memory(error: BaseException) -> bool:
    """Whether less work at once may succeed where this error was raised."""
    if isinstance(error, torch.cuda.OutOfMemoryError):
        return True
    # What CUDA and cuBLAS say when others have taken the memory.
    return isinstance(error, RuntimeError) and any(
        mark in str(error) for mark in ("CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED")
    )


def seed(number: int, deterministic: bool = False) -> None:
    """Seeds all generators; `deterministic` refuses operations whose bits differ between runs."""
    if deterministic:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.manual_seed(number)
    torch.use_deterministic_algorithms(deterministic)


def sync(device: str) -> None:
    """Waits until the device has done all that it was told to."""
    if device != "cpu":
        torch.cuda.synchronize(device)


class Network(nn.Module):
    """Embeddings, an LSTM, and a linear layer on its last state."""

    SEGMENT = 16  # time steps whose activations are computed again at once

    def __init__(self, settings: Settings, vocabulary: int, labels: int) -> None:
        super().__init__()
        self.fused = settings.fused != "off"
        self.again = settings.gradient_checkpointing
        width, hidden = settings.embedding, settings.hidden
        self.embed = nn.Embedding(vocabulary, width, padding_idx=0)
        self.lstm = nn.LSTM(width, hidden, settings.layers, batch_first=True)
        self.dropout = nn.Dropout(settings.dropout)
        self.linear = nn.Linear(hidden, labels)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Scores of all labels."""
        inputs = self.dropout(self.embed(tokens))
        shape = (self.lstm.num_layers, len(tokens), self.lstm.hidden_size)
        hidden, cell = inputs.new_zeros(shape), inputs.new_zeros(shape)
        if self.again and self.training:
            for part in inputs.split(self.SEGMENT, dim=1):
                hidden, cell = checkpoint(self._run, part, hidden, cell, use_reentrant=False)
        else:
            hidden, cell = self._run(inputs, hidden, cell)
        scores: torch.Tensor = self.linear(self.dropout(hidden[-1]))
        return scores

    def _run(
        self, inputs: torch.Tensor, hidden: torch.Tensor, cell: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The states after these inputs: by cuDNN where it is there, or step by step."""
        if self.fused:
            _, (hidden, cell) = self.lstm(inputs, (hidden, cell))
            return hidden, cell
        ends = []
        for weights, h, c in zip(self.lstm.all_weights, hidden, cell, strict=True):
            w_in, w_state, b_in, b_state = weights
            outputs = []
            for at_once in functional.linear(inputs, w_in, b_in).unbind(1):
                gates = at_once + functional.linear(h, w_state, b_state)
                enter, forget, new, leave = gates.chunk(4, dim=1)
                c = forget.sigmoid() * c + enter.sigmoid() * new.tanh()
                h = leave.sigmoid() * c.tanh()
                outputs.append(h)
            inputs = torch.stack(outputs, dim=1)
            ends.append((h, c))
        return torch.stack([h for h, _ in ends]), torch.stack([c for _, c in ends])


def available(device: str) -> int | None:
    """Bytes of the GPU that nobody holds, in the driver's eyes; None where it cannot be asked."""
    return None if device == "cpu" else torch.cuda.mem_get_info(device)[0]


@contextmanager
def profiler(out: Path) -> Iterator[None]:
    """Writes what the block did: trace.json for chrome://tracing or Perfetto, operators.txt."""
    with torch.profiler.profile(record_shapes=True, profile_memory=True) as seen:
        yield
    seen.export_chrome_trace(str(out / "trace.json"))
    table = seen.key_averages().table(sort_by="self_cpu_time_total", row_limit=40)
    (out / "operators.txt").write_text(table, encoding="utf-8")


def _copy(tensor: torch.Tensor) -> NDArray[Any]:
    copy: NDArray[Any] = tensor.detach().cpu().numpy().copy()
    return copy


class Learner:
    """A network, its optimizer, and steps of training that are the same bits when repeated."""

    def __init__(
        self, settings: Settings, vocabulary: int, labels: int, device: str, world: World = ALONE
    ) -> None:
        self._settings, self.device, self._world = settings, device, world
        self._kind = device.partition(":")[0]
        seed(settings.seed, settings.deterministic)
        self.precision = settings.precision
        if self.precision == "auto":
            able = self._kind == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
            self.precision = "bf16" if able else "fp32"
        if self.precision == "fp16" and self._kind == "cpu":
            raise InputError("fp16: needs a GPU; a CPU has bf16")
        self.network = Network(settings, vocabulary, labels).to(device)
        self._trained: nn.Module = self.network
        if world.size > 1:
            torch.distributed.init_process_group("nccl" if self._kind == "cuda" else "gloo")
            self._trained = nn.parallel.DistributedDataParallel(self.network)
        self._optimizer = torch.optim.Adam(self.network.parameters(), lr=settings.learning_rate)
        self._scaler = torch.amp.GradScaler(self._kind, enabled=self.precision == "fp16")
        self._steps = 0
        self._loss, self._norm = torch.zeros((), device=device), torch.zeros((), device=device)

    def _autocast(self) -> torch.autocast:
        kind = torch.float16 if self.precision == "fp16" else torch.bfloat16
        return torch.autocast(self._kind, kind, enabled=self.precision != "fp32")

    def stage(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """Starts the batch's way to the device: from page-locked memory it takes no waiting."""
        pair = torch.from_numpy(batch.tokens), torch.from_numpy(batch.labels)
        if self._kind == "cuda" and self._settings.pinned:
            pair = pair[0].pin_memory(), pair[1].pin_memory()
        tokens, labels = (it.to(self.device, torch.long, non_blocking=True) for it in pair)
        return tokens, labels

    def step(self, parts: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> None:
        """One update from the mean loss over all examples of all parts."""
        self._trained.train()
        # What dropout draws depends on nothing but the seed, the step and the rank.
        torch.manual_seed((self._settings.seed << 40) + self._steps * 4096 + self._world.rank)
        count = sum(len(labels) for _, labels in parts)
        self._optimizer.zero_grad()
        losses = []
        for number, (tokens, labels) in enumerate(parts, 1):
            last = self._world.size == 1 or number == len(parts)
            with nullcontext() if last else self._trained.no_sync():  # type: ignore[operator]
                with self._autocast():
                    scores = self._trained(tokens)
                loss = functional.cross_entropy(scores.float(), labels, reduction="sum") / count
                self._scaler.scale(loss).backward()
            losses.append(loss.detach())
        self._scaler.unscale_(self._optimizer)
        limit = self._settings.clip_norm or float("inf")
        self._norm = nn.utils.clip_grad_norm_(self.network.parameters(), limit)
        self._scaler.step(self._optimizer)
        self._scaler.update()
        self._loss = torch.stack(losses).sum()
        self._steps += 1

    def measured(self) -> dict[str, float]:
        """Loss and size of the gradients in the last step; waits for the device."""
        return {"loss": self._loss.item(), "grad_norm": self._norm.item()}

    def predict(self, tokens: Tokens) -> NDArray[np.float32]:
        """Probabilities, one row for each text; returns when the device has really finished."""
        self.network.eval()
        with torch.inference_mode(), self._autocast():
            scores = self.network(torch.from_numpy(tokens).to(self.device, torch.long))
        found: NDArray[np.float32] = scores.float().softmax(dim=1).cpu().numpy()
        return found

    def agree(self, wanted: bool) -> bool:
        """Whether any process of this run wants it."""
        if self._world.size == 1:
            return wanted
        votes = torch.tensor([int(wanted)], device=self.device)
        torch.distributed.all_reduce(votes, torch.distributed.ReduceOp.MAX)
        return bool(votes.item())

    def weights(self) -> dict[str, NDArray[Any]]:
        """What prediction needs."""
        return {name: _copy(it) for name, it in self.network.state_dict().items()}

    def load_weights(self, weights: dict[str, NDArray[Any]]) -> None:
        """Takes what `weights` gave."""
        self.network.load_state_dict({name: torch.tensor(it) for name, it in weights.items()})

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next step depends on."""
        scaler = self._scaler.state_dict()
        found = {f"weights/{name}": array for name, array in self.weights().items()}
        for number, slots in self._optimizer.state_dict()["state"].items():
            found |= {f"adam/{number}/{key}": _copy(it) for key, it in slots.items()}
        if scaler:
            found["scaler"] = np.array([scaler["scale"], scaler["_growth_tracker"]])
        return found | {"steps": np.array(self._steps)}

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Takes what `state` gave."""
        slots: dict[int, dict[str, torch.Tensor]] = {}
        weights = {}
        for name, array in state.items():
            kind, _, rest = name.partition("/")
            if kind == "weights":
                weights[rest] = array
            elif kind == "adam":
                number, _, key = rest.partition("/")
                slots.setdefault(int(number), {})[key] = torch.tensor(array)
        self.load_weights(weights)
        groups = self._optimizer.state_dict()["param_groups"]
        self._optimizer.load_state_dict({"state": slots, "param_groups": groups})
        if "scaler" in state:
            scale, tracker = state["scaler"].tolist()
            known = self._scaler.state_dict()
            self._scaler.load_state_dict(known | {"scale": scale, "_growth_tracker": int(tracker)})
        self._steps = int(state["steps"])

    def artefacts(self) -> dict[str, bytes]:
        """Files in the framework's own format that belong beside the weights: none."""
        return {}

    def close(self) -> None:
        """Leaves the group of processes."""
        if self._world.size > 1:
            # The group goes last: where DistributedDataParallel outlives it, the group's threads
            # and the interpreter wait for each other.
            self._trained = self.network
            gc.collect()
            torch.distributed.destroy_process_group()
