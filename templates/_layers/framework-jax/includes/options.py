    embedding: int = option(32, "numbers that stand for a word", least=1)
    hidden: int = option(32, "width of the LSTM's state", least=1)
    layers: int = option(1, "LSTMs on one another", least=1)
    dropout: float = option(0.1, "share of the numbers that a step leaves out")
    gradient_checkpointing: bool = option(
        False, "compute activations again rather than keep them: slower, in less memory"
    )
