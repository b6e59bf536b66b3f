Array = NDArray[np.float32]
Weights = dict[str, Array]


def softmax(logits: Array) -> Array:
    """Probabilities."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    scores: Array = powers / powers.sum(axis=1, keepdims=True)
    return scores


def _sigmoid(x: Array) -> Array:
    found: Array = np.float32(0.5) * (np.tanh(np.float32(0.5) * x) + np.float32(1))
    return found


def fresh(settings: Settings, vocabulary: int, labels: int) -> Weights:
    """Weights that have learnt nothing yet."""
    source = np.random.default_rng(settings.seed)
    width, hidden = settings.embedding, settings.hidden

    def spread(rows: int, columns: int) -> Array:
        limit = hidden**-0.5
        return source.uniform(-limit, limit, (rows, columns)).astype(np.float32)

    embed = source.normal(size=(vocabulary, width)).astype(np.float32)
    embed[0] = 0  # padding
    return {
        "embed": embed,
        # Columns: the gates enter, leave, forget, new.
        "input": spread(width, 4 * hidden),
        "state": spread(hidden, 4 * hidden),
        "bias": spread(1, 4 * hidden)[0],
        "linear": spread(hidden, labels),
        "shift": np.zeros(labels, np.float32),
    }


def drops(rate: float, source: np.random.Generator, shapes: list[tuple[int, ...]]) -> list[Array]:
    """What dropout keeps, scaled so that the mean stays."""
    return [
        (source.random(shape, dtype=np.float32) >= rate).astype(np.float32) / np.float32(1 - rate)
        for shape in shapes
    ]


def forward(w: Weights, tokens: Tokens, masks: list[Array]) -> tuple[Array, list[Any]]:
    """Scores of all labels, and what the way back needs."""
    inputs = w["embed"][tokens]
    if masks:
        inputs = inputs * masks[0]
    h = np.zeros((len(tokens), len(w["state"])), np.float32)
    c, kept = h, []
    gates_of_inputs = inputs @ w["input"] + w["bias"]
    for t in range(tokens.shape[1]):
        enter, leave, forget, new = np.split(gates_of_inputs[:, t] + h @ w["state"], 4, axis=1)
        enter, leave, forget = _sigmoid(enter), _sigmoid(leave), _sigmoid(forget)
        new = np.tanh(new)
        before = h, c
        c = forget * c + enter * new
        h = leave * np.tanh(c)
        kept.append((enter, leave, forget, new, c, *before))
    last = h * masks[1] if masks else h
    logits = (last @ w["linear"] + w["shift"]).astype(np.float32, copy=False)
    return logits, [inputs, kept, last]


def backward(
    w: Weights, tokens: Tokens, masks: list[Array], kept: list[Any], slope: Array
) -> Weights:
    """Gradients of all weights, from those of the scores."""
    inputs, steps, last = kept
    found = {name: np.zeros_like(array) for name, array in w.items()}
    found["linear"], found["shift"] = last.T @ slope, slope.sum(axis=0)
    dh = slope @ w["linear"].T
    if masks:
        dh = dh * masks[1]
    dc = np.zeros_like(dh)
    of_inputs = np.empty_like(inputs)
    for t in reversed(range(len(steps))):
        enter, leave, forget, new, c, h_before, c_before = steps[t]
        bent = np.tanh(c)
        dc = dc + dh * leave * (1 - bent**2)
        slopes = [
            dc * new * enter * (1 - enter),
            dh * bent * leave * (1 - leave),
            dc * c_before * forget * (1 - forget),
            dc * enter * (1 - new**2),
        ]
        gates = np.concatenate(slopes, axis=1)
        found["input"] += inputs[:, t].T @ gates
        found["state"] += h_before.T @ gates
        found["bias"] += gates.sum(axis=0)
        of_inputs[:, t] = gates @ w["input"].T
        dh, dc = gates @ w["state"].T, dc * forget
    if masks:
        of_inputs *= masks[0]
    np.add.at(found["embed"], tokens, of_inputs)
    found["embed"][0] = 0
    return found
