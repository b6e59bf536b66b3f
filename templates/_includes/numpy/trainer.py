class Learner(Base):
    """The LSTM in NumPy, with Adam."""

    def __init__(
        self, settings: Settings, vocabulary: int, labels: int, device: str, world: World = ALONE
    ) -> None:
        super().__init__(settings, device, world)
        self._weights = fresh(settings, vocabulary, labels)
        self._mean = {name: np.zeros_like(it) for name, it in self._weights.items()}
        self._square = {name: np.zeros_like(it) for name, it in self._weights.items()}

    def stage(self, batch: Batch) -> Batch:
        """The batch is where it is needed."""
        return batch

    def step(self, parts: Sequence[Batch]) -> None:
        """One update from the mean loss over all examples of all parts."""
        count = sum(len(part) for part in parts)
        slopes = {name: np.zeros_like(it) for name, it in self._weights.items()}
        loss = 0.0
        for number, part in enumerate(parts):
            source = np.random.default_rng([self.settings.seed, self.steps, number])
            shapes = [(*part.tokens.shape, self.settings.embedding)]
            shapes += [(len(part), self.settings.hidden)]
            rate = self.settings.dropout
            masks = drops(rate, source, shapes) if rate else []
            logits, kept = forward(self._weights, part.tokens, masks)
            scores = softmax(logits)
            rows = np.arange(len(part)), part.labels
            loss -= float(np.log(np.maximum(scores[rows], 1e-30)).sum()) / count
            scores[rows] -= 1
            found = backward(self._weights, part.tokens, masks, kept, scores / np.float32(count))
            for name, slope in found.items():
                slopes[name] += slope
        self.loss = loss
        self.norm = float(np.sqrt(sum(float((it**2).sum()) for it in slopes.values())))
        limit = self.settings.clip_norm
        scale = np.float32(min(1.0, limit / max(self.norm, 1e-30)) if limit else 1.0)
        self._adam({name: it * scale for name, it in slopes.items()})

    def _adam(self, slopes: Weights) -> None:
        self.steps += 1
        rate = self.settings.learning_rate * (1 - 0.999**self.steps) ** 0.5
        rate /= 1 - 0.9**self.steps
        for name, slope in slopes.items():
            mean = np.float32(0.9) * self._mean[name] + np.float32(0.1) * slope
            square = np.float32(0.999) * self._square[name] + np.float32(0.001) * slope**2
            change = np.float32(rate) * mean / (np.sqrt(square) + np.float32(1e-8))
            self._mean[name], self._square[name] = mean, square
            self._weights[name] = (self._weights[name] - change).astype(np.float32, copy=False)

    def predict(self, tokens: Tokens) -> NDArray[np.float32]:
        """Probabilities, one row for each text."""
        return softmax(forward(self._weights, tokens, [])[0])

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
