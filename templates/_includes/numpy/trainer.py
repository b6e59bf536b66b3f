class Learner(Base):
    """The network in NumPy, with AdamW."""

    def __init__(
        self, settings: Settings, encoder: Encoder, device: str, world: World = ALONE
    ) -> None:
        super().__init__(settings, encoder, device, world)
        self._weights = fresh(settings, encoder)
        self._mean = {name: np.zeros_like(it) for name, it in self._weights.items()}
        self._square = {name: np.zeros_like(it) for name, it in self._weights.items()}

    def stage(self, batch: Batch) -> Batch:
        """The batch is where it is needed."""
        return batch

    def step(self, parts: Sequence[Batch]) -> None:
        """One update from the mean loss over all examples of all parts."""
        count = sum(len(part) for part in parts)
        slopes = {name: np.zeros_like(it) for name, it in self._weights.items()}
        self.loss = 0.0
        for number, part in enumerate(parts):
            source = np.random.default_rng([self.settings.seed, self.steps, number])
            masks = drops(self.settings, part.inputs, source)
            scores, kept = forward(self._weights, part.inputs, masks)
            total, slope = loss(scores, part.targets)
            self.loss += total / count
            found = backward(self._weights, masks, kept, slope / np.float32(count))
            for name, gradient in found.items():
                slopes[name] += gradient
        self.norm = float(np.sqrt(sum(float((it**2).sum()) for it in slopes.values())))
        limit = self.settings.clip_norm
        scale = np.float32(min(1.0, limit / max(self.norm, 1e-30)) if limit else 1.0)
        self._adamw({name: it * scale for name, it in slopes.items()})

    def _adamw(self, slopes: Weights) -> None:
        self.steps += 1
        kept = np.float32(1 - self.rate * self.settings.weight_decay)
        rate = self.rate * (1 - 0.999**self.steps) ** 0.5 / (1 - 0.9**self.steps)
        for name, slope in slopes.items():
            mean = np.float32(0.9) * self._mean[name] + np.float32(0.1) * slope
            square = np.float32(0.999) * self._square[name] + np.float32(0.001) * slope**2
            change = np.float32(rate) * mean / (np.sqrt(square) + np.float32(1e-8))
            self._mean[name], self._square[name] = mean, square
            weights = kept * self._weights[name] - change
            self._weights[name] = weights.astype(np.float32, copy=False)

    def predict(self, inputs: Arrays) -> NDArray[np.float32]:
        """Predictions, one row for each item."""
        return predictions(forward(self._weights, inputs, [])[0])

    def weights(self) -> Arrays:
        """What prediction needs."""
        return dict(self._weights)

    def load_weights(self, weights: Arrays) -> None:
        """Takes what `weights` gave."""
        self._weights = {name: weights[name].astype(np.float32) for name in self._weights}

    def state(self) -> Arrays:
        """All that the next step depends on."""
        adam = under("mean", self._mean) | under("square", self._square)
        return under("weights", self.weights()) | adam | {"steps": np.array(self.steps)}

    def load_state(self, state: Arrays) -> None:
        """Takes what `state` gave."""
        # In the order that they have here: sums depend on it.
        self._weights.update(of_kind("weights", state))
        self._mean.update(of_kind("mean", state))
        self._square.update(of_kind("square", state))
        self.steps = int(state["steps"])
