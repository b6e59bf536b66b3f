Array = NDArray[np.float32]


def _softmax(logits: Array) -> Array:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return _numbers(powers / powers.sum(axis=1, keepdims=True))


def _numbers(found: NDArray[Any]) -> Array:
    return found.astype(np.float32, copy=False)


def _gradient(weights: Array, rows: Array, targets: Array) -> tuple[Array, float]:
    """Of the mean cross entropy; with the loss itself."""
    scores = _softmax(rows @ weights)
    loss = -np.log(np.maximum((scores * targets).sum(axis=1), 1e-9)).mean()
    return _numbers(rows.T @ (scores - targets) / len(rows)), float(loss)


def _train(
    weights: Array, rows: Array, targets: Array, epochs: int, batch: int
) -> tuple[Array, float]:
    """Adam on softmax regression, in a fixed random order; the weights and the last mean loss."""
    order = np.random.default_rng(0)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    step, total = 0, 0.0
    for _ in range(epochs):
        total = 0.0
        shuffled = order.permutation(len(rows))
        for start in range(0, len(rows), batch):
            chosen = shuffled[start : start + batch]
            gradient, loss = _gradient(weights, rows[chosen], targets[chosen])
            step += 1
            mean = 0.9 * mean + 0.1 * gradient
            square = 0.999 * square + 0.001 * gradient**2
            rate = 0.05 * (1 - 0.999**step) ** 0.5 / (1 - 0.9**step)
            weights = _numbers(weights - rate * mean / (np.sqrt(square) + 1e-8))
            total += loss * len(chosen)
    return weights, total / max(len(rows), 1)
