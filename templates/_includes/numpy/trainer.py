def available(device: str) -> int | None:  # noqa: ARG001
    """Bytes of the GPU that nobody holds; None where it cannot be asked."""
    return None


class Trainer:
    """An LSTM in NumPy, Adam, and steps of training that are the same bits when repeated."""

    def __init__(
        self, settings: Settings, vocabulary: int, labels: int, device: str, world: World = ALONE
    ) -> None:
        assert world.size == 1
        self._settings, self.device = settings, device
        self._weights = _fresh(settings, vocabulary, labels)
        self._mean = {name: np.zeros_like(it) for name, it in self._weights.items()}
        self._square = {name: np.zeros_like(it) for name, it in self._weights.items()}
        self._steps = 0
        self._measured = {"loss": 0.0, "grad_norm": 0.0}

    def stage(self, batch: Batch) -> Batch:
        """The batch is where it is needed."""
        return batch

    def step(self, parts: Sequence[Batch]) -> None:
        """One update from the mean loss over all examples of all parts."""
        count = sum(len(part) for part in parts)
        slopes = {name: np.zeros_like(it) for name, it in self._weights.items()}
        loss = 0.0
        for number, part in enumerate(parts):
            source = np.random.default_rng([self._settings.seed, self._steps, number])
            shapes = [(*part.tokens.shape, self._settings.embedding)]
            shapes += [(len(part), self._settings.hidden)]
            rate = self._settings.dropout
            masks = _masks(rate, source, shapes) if rate else []
            logits, kept = _forward(self._weights, part.tokens, masks)
            scores = _softmax(logits)
            rows = np.arange(len(part)), part.labels
            loss -= float(np.log(np.maximum(scores[rows], 1e-30)).sum()) / count
            scores[rows] -= 1
            found = _backward(self._weights, part.tokens, masks, kept, scores / np.float32(count))
            for name, slope in found.items():
                slopes[name] += slope
        norm = float(np.sqrt(sum(float((it**2).sum()) for it in slopes.values())))
        self._measured = {"loss": loss, "grad_norm": norm}
        limit = self._settings.clip_norm
        scale = np.float32(min(1.0, limit / max(norm, 1e-30)) if limit else 1.0)
        self._adam({name: it * scale for name, it in slopes.items()})

    def _adam(self, slopes: Weights) -> None:
        self._steps += 1
        rate = self._settings.learning_rate * (1 - 0.999**self._steps) ** 0.5
        rate /= 1 - 0.9**self._steps
        for name, slope in slopes.items():
            mean = np.float32(0.9) * self._mean[name] + np.float32(0.1) * slope
            square = np.float32(0.999) * self._square[name] + np.float32(0.001) * slope**2
            change = np.float32(rate) * mean / (np.sqrt(square) + np.float32(1e-8))
            self._mean[name], self._square[name] = mean, square
            self._weights[name] = (self._weights[name] - change).astype(np.float32, copy=False)

    def measured(self) -> dict[str, float]:
        """Loss and size of the gradients in the last step."""
        return dict(self._measured)

    def agree(self, wanted: bool) -> bool:
        """Whether any process of this run wants it: there is this one only."""
        return wanted

    def weights(self) -> dict[str, NDArray[Any]]:
        """What prediction needs."""
        return dict(self._weights)

    def load_weights(self, weights: dict[str, NDArray[Any]]) -> None:
        """Takes what `weights` gave."""
        self._weights = {name: weights[name].astype(np.float32) for name in self._weights}

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next step depends on."""
        kinds = {"weights": self._weights, "mean": self._mean, "square": self._square}
        found: dict[str, NDArray[Any]] = {
            f"{kind}/{name}": array
            for kind, arrays in kinds.items()
            for name, array in arrays.items()
        }
        return found | {"steps": np.array(self._steps)}

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Takes what `state` gave."""
        for kind, arrays in (
            ("weights", self._weights),
            ("mean", self._mean),
            ("square", self._square),
        ):
            arrays.update({name: state[f"{kind}/{name}"] for name in arrays})
        self._steps = int(state["steps"])

    def close(self) -> None:
        """Nothing is open."""
