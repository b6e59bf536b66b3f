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
