    hidden: int = option(64, "width of the transformer", least=1)
    layers: int = option(2, "layers of the transformer", least=1)
    dropout: float = option(0.0, "share of the numbers that a step leaves out")
    gradient_checkpointing: bool = option(
        False, "compute activations again rather than keep them: slower, in less memory"
    )
