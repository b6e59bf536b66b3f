Array = NDArray[np.float32]
Weights = dict[str, Array]

# What `bench` measures: settings by name, each with each mode. The first is the one of tutorials,
# measured on the CPU too; the second fills a GPU.
BENCH: dict[str, dict[str, Any]] = {
    "tutorial": {"embedding": 128, "hidden": 128, "batch": 32, "length": 80, "examples": 25_000},
    "large": {"embedding": 512, "hidden": 1024, "batch": 512, "length": 256, "examples": 25_000},
}
MODES: dict[str, dict[str, Any]] = {"as it is": {}}


def predictions(scores: Array) -> Array:
    """Scores as what data.py calls predictions: probabilities."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Array = powers / powers.sum(axis=1, keepdims=True)
    return found


def _sigmoid(x: Array) -> Array:
    found: Array = np.float32(0.5) * (np.tanh(np.float32(0.5) * x) + np.float32(1))
    return found


def fresh(settings: Settings, encoder: Encoder) -> Weights:
    """Weights that have learnt nothing yet."""
    source = np.random.default_rng(settings.seed)
    width, hidden, labels = settings.embedding, settings.hidden, len(encoder.labels)

    def spread(rows: int, columns: int) -> Array:
        limit = hidden**-0.5
        return source.uniform(-limit, limit, (rows, columns)).astype(np.float32)

    embed = source.normal(size=(encoder.size, width)).astype(np.float32)
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


def activations(settings: Settings) -> int | None:
    """Bytes that an item leaves behind for the way back; None where nobody knows."""
    # Of each word: four gates, the cell and its tanh, the state.
    return 4 * settings.length * (settings.embedding + 7 * settings.hidden)


def drops(settings: Settings, inputs: Arrays, source: np.random.Generator) -> list[Array]:
    """What dropout keeps, scaled so that the mean stays; nothing where all is kept."""
    rate, shape = settings.dropout, inputs["tokens"].shape
    shapes = [(*shape, settings.embedding), (shape[0], settings.hidden)] if rate else []
    return [
        (source.random(shape, dtype=np.float32) >= rate).astype(np.float32) / np.float32(1 - rate)
        for shape in shapes
    ]


def loss(scores: Array, targets: NDArray[Any]) -> tuple[float, Array]:
    """The sum over all items, and its slope."""
    slope, rows = predictions(scores), (np.arange(len(targets)), targets)
    total = -float(np.log(np.maximum(slope[rows], 1e-30)).sum())
    slope[rows] -= 1
    return total, slope


def forward(w: Weights, arrays: Arrays, masks: list[Array]) -> tuple[Array, list[Any]]:
    """Scores of all labels, and what the way back needs."""
    tokens = arrays["tokens"]
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
    return logits, [tokens, inputs, kept, last]


def backward(w: Weights, masks: list[Array], kept: list[Any], slope: Array) -> Weights:
    """Gradients of all weights, from those of the scores."""
    tokens, inputs, steps, last = kept
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
