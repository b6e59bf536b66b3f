"""A model of our own making, so that everything here runs at once, on a CPU, without a download.

It learns a few answers by heart in seconds: the same weights each time on the same machine.
The tests ask it, whatever model is served.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from . import devices

CONTEXT = 256
VOCABULARY = 512
STEPS = 120
USER, ASSISTANT, END = "<|user|>", "<|assistant|>", "<|end|>"
CHAT = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def make(source: Path, folder: Path) -> str:
    """Trains on a file of dialogues, writes what `from_pretrained` reads, returns a line on it."""
    lines = source.read_text(encoding="utf-8").splitlines()
    dialogues = [json.loads(line) for line in lines if line.strip()]
    asked = [f"{USER}{it['user']}{END}{ASSISTANT}" for it in dialogues]
    answered = [f"{it['assistant']}{END}" for it in dialogues]
    tokenizer = _make_tokenizer([*asked, *answered])
    rows = [
        (tokenizer.encode(question), tokenizer.encode(answer))
        for question, answer in zip(asked, answered, strict=True)
    ]
    model, loss = _train(rows, tokenizer)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    for path in folder.iterdir():
        path.chmod(0o644)  # an image is built by one user and run by another
    return f"{folder}: {len(rows)} answers learnt by heart, loss {loss:.4f}"


def _make_tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[END, USER, ASSISTANT, "<|system|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    raw.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        model_max_length=CONTEXT,
        eos_token=END,
        pad_token=END,
        additional_special_tokens=[USER, ASSISTANT, "<|system|>"],
        chat_template=CHAT,
    )


def _train(
    rows: Sequence[tuple[list[int], list[int]]], tokenizer: PreTrainedTokenizerFast
) -> tuple[LlamaForCausalLM, float]:
    """On questions and their answers, of which only the answers are learnt."""
    torch.set_num_threads(1)  # for so little work others would only be in the way
    devices.seed(0)
    end = tokenizer.eos_token_id
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=64,
            intermediate_size=128,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=CONTEXT,
            initializer_range=0.08,
            bos_token_id=None,
            eos_token_id=end,
            pad_token_id=end,
        )
    )
    width = max(len(question) + len(answer) for question, answer in rows)
    inputs = torch.full((len(rows), width), end)
    labels = torch.full((len(rows), width), -100)  # what no loss is computed for
    for i, (question, answer) in enumerate(rows):
        size = len(question) + len(answer)
        inputs[i, :size] = torch.tensor(question + answer)
        labels[i, len(question) : size] = torch.tensor(answer)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.005)
    loss = torch.tensor(0.0)
    for _ in range(STEPS):
        loss = model(input_ids=inputs, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval(), loss.item()
