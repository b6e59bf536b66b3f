"""All that this project asks of PyTorch. Only network.py imports it too.

What a backend for another framework has to have, learner.py and tests/test_backend.py say.
"""

from __future__ import annotations

import gc
import math
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .batches import Batch
from .checkpoint import Arrays
from .config import Settings
from .data import Encoder
from .devices import pick
from .errors import InputError
from .footprint import Footprint, of_parameters, part_size
from .learner import Base, of_kind, under
from .world import ALONE, World

# Memory is taken in pieces that grow, so that batches of many sizes do not leave holes. By this
# name: not all releases heed the newer one for CUDA, and where both are set this one counts.
if "PYTORCH_ALLOC_CONF" not in os.environ:
    os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor

from . import network

NAME = "pytorch"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED: dict[str, str] = {}
if not any(map(shutil.which, (os.environ.get("CXX", "g++"), os.environ.get("CC", "gcc")))):
    UNSUPPORTED["compile"] = "torch.compile needs a C++ compiler, and there is none here"

BENCH, MODES = network.BENCH, network.MODES


def pick_device(wanted: str) -> str:
    """The device to use for `auto`, `cpu`, `cuda` or `cuda:N`."""
    return pick(wanted, _gpus, _why_no_gpu)


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


def limit_memory(wanted: str, fraction: float) -> None:
    """Caps this process's share of the memory of what `pick_device` will pick: comes before it."""
    if (device := pick_device(wanted)) != "cpu":
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
    # No step reads memory that nothing was written to; filling all of it first costs 3 % of one.
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]


def sync(device: str) -> None:
    """Waits until the device has done all that it was told to."""
    if device != "cpu":
        torch.cuda.synchronize(device)


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


def _whole(tensor: torch.Tensor) -> torch.Tensor:
    """All of a tensor, of which each process may hold a part; all processes must ask."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def _part(whole: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """The part of a tensor that this process holds, as it holds one of `like`."""
    if not isinstance(like, DTensor) or not whole.ndim:
        return whole
    there = whole.to(like.device)
    return distribute_tensor(there, like.device_mesh, like.placements, src_data_rank=None)


def _arrays(tensors: Mapping[str, torch.Tensor]) -> Arrays:
    # By name: what comes from a file has another order in each process, and all must ask for the
    # same one at a time.
    return {name: np.array(_whole(it).numpy(force=True)) for name, it in sorted(tensors.items())}


Staged = tuple[dict[str, torch.Tensor], torch.Tensor]


def footprint(settings: Settings, encoder: Encoder, examples: int) -> Footprint:
    """Of any network: its weights, and what two items leave behind for the way back, measured.

    What is computed again (gradient checkpointing) is not counted.
    """
    net = network.Network(settings, encoder).train()
    empty = encoder.inputs([])
    inputs = {name: np.zeros((2, *it.shape[1:]), it.dtype) for name, it in empty.items()}
    kept: dict[int, torch.UntypedStorage] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage
        return tensor

    lower = settings.precision in ("bf16", "fp16")
    with (
        torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor),
        torch.autocast("cpu", torch.bfloat16, enabled=lower),
    ):
        net(**{name: torch.from_numpy(array) for name, array in inputs.items()})
    own = {it.untyped_storage().data_ptr() for it in net.state_dict().values()}
    activations = sum(it.nbytes() for at, it in kept.items() if at not in own) // 2
    weights = sum(it.nbytes for it in net.state_dict().values())
    return of_parameters(weights, activations * part_size(settings, examples))


class Learner(Base):
    """The network with AdamW, automatic mixed precision, and as many processes as there are."""

    def __init__(
        self, settings: Settings, encoder: Encoder, device: str, world: World = ALONE
    ) -> None:
        kind = device.partition(":")[0]
        able = kind == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
        super().__init__(settings, encoder, device, world, auto="bf16" if able else "fp32")
        seed(settings.seed, settings.deterministic)
        if kind == "cuda":
            torch.cuda.set_device(device)  # of several, a mesh of processes takes the current one
        self.network = network.Network(settings, encoder)
        if world.size == 1 or settings.parallel == "ddp":
            self.network.to(device)  # else layer by layer: a device may not hold the whole
        self._trained: Any = self._distributed(kind)
        if settings.compile:
            # Of each shape its own: what is computed must not depend on the shapes before.
            self._trained = torch.compile(self._trained, dynamic=False)
        self._optimizer = torch.optim.AdamW(
            self.network.parameters(), weight_decay=settings.weight_decay
        )
        lower = torch.float16 if self.precision == "fp16" else torch.bfloat16
        self._autocast = torch.autocast(kind, lower, enabled=self.precision != "fp32")
        self._scaler = torch.amp.GradScaler(kind, enabled=self.precision == "fp16")
        self._pinned = kind == "cuda" and settings.pinned
        # Not torch.manual_seed: for each kind of GPU that is not there it formats a traceback.
        self._generators = [torch.default_generator]
        if kind == "cuda":
            self._generators.append(torch.cuda.default_generators[torch.device(device).index or 0])

    def _distributed(self, kind: str) -> nn.Module:
        """The network as several processes train it: each a part of the batch."""
        if self.world.size == 1:
            return self.network
        torch.distributed.init_process_group("nccl" if kind == "cuda" else "gloo")
        if self.settings.parallel == "ddp":
            return nn.parallel.DistributedDataParallel(self.network)
        if self.precision == "fp16":
            raise InputError("fp16: with parallel = fsdp use bf16")
        mesh = init_device_mesh(kind, (self.world.size,))
        lists = [it for it in self.network.modules() if isinstance(it, nn.ModuleList)]
        # No other parts: what is outside of it may use the weights of such a one too.
        for layer in [layer for it in lists for layer in it]:
            if any(True for _ in layer.parameters()):
                fully_shard(layer, mesh=mesh)
        fully_shard(self.network, mesh=mesh)
        return self.network

    def stage(self, batch: Batch) -> Staged:
        """Starts the batch's way to the device: from page-locked memory it takes no waiting."""
        return self._sent(batch.inputs), self._sent({"": batch.targets})[""]

    def _sent(self, arrays: Arrays) -> dict[str, torch.Tensor]:
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        if self._pinned:
            tensors = {name: it.pin_memory() for name, it in tensors.items()}
        return {name: it.to(self.device, non_blocking=True) for name, it in tensors.items()}

    def step(self, parts: Sequence[Staged]) -> None:
        if not self.network.training:
            self._trained.train()
        # What dropout draws depends on nothing but the seed, the step and the rank.
        mixed = (self.settings.seed << 40) + self.steps * 4096 + self.world.rank
        for generator in self._generators:
            generator.manual_seed(mixed % 2**64)
        count = sum(len(targets) for _, targets in parts)
        self._optimizer.zero_grad()
        losses = []
        for number, (inputs, targets) in enumerate(parts, 1):
            with self._sharing(number == len(parts)):
                with self._autocast:
                    scores = self._trained(**inputs)
                loss = self.network.loss(scores.float(), targets) / count
                self._scaler.scale(loss).backward()
            losses.append(loss.detach())
        self._scaler.unscale_(self._optimizer)
        limit = self.settings.clip_norm or float("inf")
        self.norm = _whole(nn.utils.clip_grad_norm_(self.network.parameters(), limit))
        self._optimizer.param_groups[0]["lr"] = self.rate
        self._scaler.step(self._optimizer)
        self._scaler.update()
        self.loss = torch.stack(losses).sum()
        self.steps += 1

    @contextmanager
    def _sharing(self, wanted: bool) -> Iterator[None]:
        """Gradients of the block are exchanged by the processes, or wait for the next part's."""
        if isinstance(self.network, FSDPModule):
            self.network.set_requires_gradient_sync(wanted)
        alone = self.world.size == 1 or wanted or isinstance(self.network, FSDPModule)
        with nullcontext() if alone else self._trained.no_sync():
            yield

    def measured(self) -> dict[str, float]:
        """Loss of all processes, and size of the gradients: fp16 skips a step without one."""
        found = super().measured()
        if self.world.size > 1:
            loss = torch.tensor([found["loss"]], device=self.device)
            torch.distributed.all_reduce(loss)
            found["loss"] = loss.item() / self.world.size
        if self.precision == "fp16" and not math.isfinite(found["grad_norm"]):
            del found["grad_norm"]
        return found

    def predict(self, inputs: Arrays) -> NDArray[np.float32]:
        self.network.eval()
        with torch.no_grad(), self._autocast:
            scores = self.network(**self._sent(inputs))
        return np.asarray(self.network.predictions(scores.float()).numpy(force=True))

    def agree(self, wanted: bool) -> bool:
        if self.world.size == 1:
            return wanted
        votes = torch.tensor([int(wanted)], device=self.device)
        torch.distributed.all_reduce(votes, torch.distributed.ReduceOp.MAX)
        return bool(votes.item())

    def weights(self) -> Arrays:
        return _arrays(self.network.state_dict())

    def load_weights(self, weights: Arrays) -> None:
        there = self.network.state_dict()
        given = {name: _part(torch.tensor(it), there[name]) for name, it in weights.items()}
        self.network.load_state_dict(given)

    def state(self) -> Arrays:
        found = under("weights", self.weights()) | {"steps": np.array(self.steps)}
        for number, slots in self._optimizer.state_dict()["state"].items():
            found |= under(f"adam/{number}", _arrays(slots))
        if scaler := self._scaler.state_dict():
            found["scaler"] = np.array([scaler["scale"], scaler["_growth_tracker"]])
        return found

    def load_state(self, state: Arrays) -> None:
        self.load_weights(of_kind("weights", state))
        adam = self._optimizer.state_dict()
        for number, it in enumerate(self.network.parameters()):
            slots = of_kind(f"adam/{number}", state)
            adam["state"][number] = {
                key: _part(torch.tensor(slot), it) for key, slot in slots.items()
            }
        self._optimizer.load_state_dict(adam)
        if "scaler" in state:
            scale, tracker = state["scaler"].tolist()
            values = {"scale": scale, "_growth_tracker": int(tracker)}
            self._scaler.load_state_dict(self._scaler.state_dict() | values)
        self.steps = int(state["steps"])

    def close(self) -> None:
        """Leaves the group of processes."""
        if self.world.size > 1:
            # The group goes last: where DistributedDataParallel outlives it, the group's threads
            # and the interpreter wait for each other.
            self._trained = self.network
            gc.collect()
            torch.distributed.destroy_process_group()
