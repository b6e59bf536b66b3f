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


def _arrays(tensors: Mapping[str, torch.Tensor]) -> Arrays:
    return {name: np.array(it.numpy(force=True)) for name, it in tensors.items()}


class Learner(Base):
    """The network with Adam, automatic mixed precision, and as many processes as there are."""

    def __init__(
        self, settings: Settings, vocabulary: int, labels: int, device: str, world: World = ALONE
    ) -> None:
        kind = device.partition(":")[0]
        able = kind == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
        super().__init__(settings, device, world, auto="bf16" if able else "fp32")
        seed(settings.seed, settings.deterministic)
        self.network = Network(settings, vocabulary, labels).to(device)
        self._trained: nn.Module = self.network
        if world.size > 1:
            torch.distributed.init_process_group("nccl" if kind == "cuda" else "gloo")
            self._trained = nn.parallel.DistributedDataParallel(self.network)
        self._optimizer = torch.optim.Adam(self.network.parameters(), lr=settings.learning_rate)
        lower = torch.float16 if self.precision == "fp16" else torch.bfloat16
        self._autocast = torch.autocast(kind, lower, enabled=self.precision != "fp32")
        self._scaler = torch.amp.GradScaler(kind, enabled=self.precision == "fp16")
        self._pinned = kind == "cuda" and settings.pinned

    def stage(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """Starts the batch's way to the device: from page-locked memory it takes no waiting."""
        pair = torch.from_numpy(batch.tokens), torch.from_numpy(batch.labels)
        if self._pinned:
            pair = pair[0].pin_memory(), pair[1].pin_memory()
        tokens, labels = (it.to(self.device, torch.long, non_blocking=True) for it in pair)
        return tokens, labels

    def step(self, parts: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> None:
        self._trained.train()
        # What dropout draws depends on nothing but the seed, the step and the rank.
        torch.manual_seed((self.settings.seed << 40) + self.steps * 4096 + self.world.rank)
        count = sum(len(labels) for _, labels in parts)
        self._optimizer.zero_grad()
        losses = []
        for number, (tokens, labels) in enumerate(parts, 1):
            last = self.world.size == 1 or number == len(parts)
            with nullcontext() if last else self._trained.no_sync():  # type: ignore[operator]
                with self._autocast:
                    scores = self._trained(tokens)
                loss = functional.cross_entropy(scores.float(), labels, reduction="sum") / count
                self._scaler.scale(loss).backward()
            losses.append(loss.detach())
        self._scaler.unscale_(self._optimizer)
        limit = self.settings.clip_norm or float("inf")
        self.norm = nn.utils.clip_grad_norm_(self.network.parameters(), limit)
        self._scaler.step(self._optimizer)
        self._scaler.update()
        self.loss = torch.stack(losses).sum()
        self.steps += 1

    def predict(self, tokens: Tokens) -> NDArray[np.float32]:
        self.network.eval()
        with torch.inference_mode(), self._autocast:
            scores = self.network(torch.from_numpy(tokens).to(self.device, torch.long))
        return np.asarray(scores.float().softmax(dim=1).numpy(force=True))

    def agree(self, wanted: bool) -> bool:
        if self.world.size == 1:
            return wanted
        votes = torch.tensor([int(wanted)], device=self.device)
        torch.distributed.all_reduce(votes, torch.distributed.ReduceOp.MAX)
        return bool(votes.item())

    def weights(self) -> Arrays:
        return _arrays(self.network.state_dict())

    def load_weights(self, weights: Arrays) -> None:
        self.network.load_state_dict({name: torch.tensor(it) for name, it in weights.items()})

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
        for number in adam["param_groups"][0]["params"]:
            slots = of_kind(f"adam/{number}", state)
            adam["state"][number] = {key: torch.tensor(it) for key, it in slots.items()}
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
