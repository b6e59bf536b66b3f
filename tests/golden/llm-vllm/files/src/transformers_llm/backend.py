"""All that this project asks of Transformers and PyTorch to answer prompts.

`Network` reads any folder that `from_pretrained` does and whose model keeps a cache of what it has
read, as all usual decoders do. tests/test_backend.py says what it promises.
"""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import transformers
from jinja2 import TemplateError
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DynamicCache,
    GenerationConfig,
    PreTrainedModel,
    TopPLogitsWarper,
)

from . import devices
from .config import Settings
from .engine import Message, Sampling, Step, TooLong, Unsayable
from .files import ModelError
from .health import Health
from .scheduler import Scheduler

log = logging.getLogger(__name__)
transformers.logging.disable_progress_bar()

PRECISIONS = ("auto", "float32", "bfloat16", "float16")
# Each has passes of its own: more would only share the same tokens a second.
MAX_RUNNING = 8
# Tokens of a prompt that are read in one pass, while other requests wait for their next token.
CHUNK = 512
PROBE = "The quick brown fox"
# A text of more characters is counted before it is read, in pieces of so many: a tokenizer takes
# seconds for megabytes, and most of a gigabyte. A cut makes a few more tokens of one.
PIECE = 20_000
SEAM = 200
# Below this a temperature is none: scores that are divided by less may become no numbers, of which
# PyTorch draws nothing, and on a GPU gives the whole process up.
COLDEST = 1e-5
# What a conversation looks like to a model whose folder says nothing of it.
PLAIN_CHAT = """\

{%- for message in messages %}{{ message.role }}: {{ message.content }}
{% endfor %}
{%- if add_generation_prompt %}assistant:{% endif -%}
"""


class Tokenizer:
    """The tokenizer of a model's folder."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self.has_chat_template = bool(self._tokenizer.chat_template)
        if not self.has_chat_template:
            log.warning("%s has no chat template: conversations get a plain one", folder)
            self._tokenizer.chat_template = PLAIN_CHAT

    def encode(self, text: str, most: int = sys.maxsize) -> list[int]:
        """The tokens of a text, with those that the model wants before every one."""
        return self._read(text, most, add_special_tokens=True)

    def chat(self, messages: Sequence[Message], most: int = sys.maxsize) -> list[int]:
        """The prompt that asks for the next turn of a conversation; may raise Unsayable."""
        turns = [{"role": message.role, "content": message.content} for message in messages]
        try:
            text = str(
                self._tokenizer.apply_chat_template(
                    turns, tokenize=False, add_generation_prompt=True
                )
            )
        except TemplateError as error:
            raise Unsayable(str(error)) from error
        # The template has written what a model wants before a text.
        return self._read(text, most, add_special_tokens=False)

    def _read(self, text: str, most: int, *, add_special_tokens: bool) -> list[int]:
        text.encode()  # raises UnicodeError
        self._count(text, most)
        tokens: list[int] = self._tokenizer.encode(text, add_special_tokens=add_special_tokens)
        if len(tokens) > most:
            raise TooLong(len(tokens))
        return tokens

    def _count(self, text: str, most: int) -> None:
        """Raises TooLong as soon as there are too many for certain."""
        if len(text) <= PIECE:
            return
        found = 0
        for begin in range(0, len(text), PIECE):
            piece = text[begin : begin + PIECE]
            found += len(self._tokenizer.encode(piece, add_special_tokens=False)) - SEAM
            if found > most:
                raise TooLong(found)

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of an answer."""
        return str(self._tokenizer.decode(list(tokens), skip_special_tokens=True))


@dataclass
class State:
    """A request on its way: what was read and said, and what the model remembers of it."""

    tokens: list[int]
    sampling: Sampling
    cache: DynamicCache
    random: torch.Generator
    read: int = 0


class Network:
    """A causal language model on one device."""

    def __init__(self, folder: Path, device: str, precision: str = "auto") -> None:
        self.device = device
        model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, dtype=precision
        )
        module: torch.nn.Module = model
        module.to(device).eval()
        self._model = model
        text = model.config.get_text_config()
        self.context = int(text.max_position_embeddings)
        self.vocabulary = int(text.vocab_size)
        self.stops = stops(model.generation_config)
        known = inspect.signature(model.forward).parameters
        # Newer releases say `cache`. Without the last, a long prompt's scores are gigabytes.
        self._cache = "cache" if "cache" in known else "past_key_values"
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in known else {}

    def begin(self, prompt: Sequence[int], sampling: Sampling) -> State:
        """The state of a request of which nothing is done yet."""
        random = torch.Generator(self.device)
        if sampling.seed is None:
            random.seed()
        else:
            random.manual_seed(sampling.seed)
        return State(list(prompt), sampling, self._empty_cache(), random)

    def rewind(self, state: State) -> None:
        """Gives the request's memory up; what it has said is read again later."""
        state.cache = self._empty_cache()
        state.read = 0
        devices.free_memory(self.device)

    def step(self, state: State) -> int | None:
        """One pass: the next token, or None while the prompt is still being read."""
        chunk = state.tokens[state.read : state.read + CHUNK]
        with torch.inference_mode():
            out = self._model(
                input_ids=torch.tensor([chunk], device=self.device),
                use_cache=True,
                **{self._cache: state.cache},
                **self._last_only,
            )
            state.read += len(chunk)
            if state.read < len(state.tokens):
                return None
            token = _draw(out.logits[:, -1].float(), state)
        state.tokens.append(token)
        return token

    def prove(self, prompt: Sequence[int]) -> int:
        """The token after a prompt; raises where the device computes no numbers."""
        with torch.inference_mode():
            scores = self._model(input_ids=torch.tensor([list(prompt)], device=self.device)).logits
            if not bool(torch.isfinite(scores).all()):
                raise ModelError(f"{self.device} computes scores that are no numbers")
            return int(scores[0, -1].argmax())

    def is_out_of_memory(self, error: BaseException) -> bool:
        """Whether fewer requests at once may succeed; frees what can be freed."""
        if not devices.is_out_of_memory(error):
            return False
        devices.free_memory(self.device)
        return True

    def _empty_cache(self) -> DynamicCache:
        return DynamicCache(config=self._model.config)


def _draw(scores: torch.Tensor, state: State) -> int:
    """The next token of one request, from the scores of all."""
    sampling = state.sampling
    if sampling.temperature < COLDEST:
        return int(scores.argmax())
    scores = scores / sampling.temperature
    if sampling.top_p < 1:
        scores = TopPLogitsWarper(sampling.top_p)(torch.empty(0), scores)
    return int(torch.multinomial(scores.softmax(dim=-1), 1, generator=state.random))


def stops(config: GenerationConfig | None) -> frozenset[int]:
    """The tokens that end an answer."""
    found = None if config is None else config.eos_token_id
    return frozenset(found if isinstance(found, list) else [] if found is None else [found])


def advice(folder: Path) -> tuple[float, float]:
    """Temperature and top_p that the model's makers advise; 1 where they advise nothing."""
    try:
        config = GenerationConfig.from_pretrained(folder, local_files_only=True)
    except OSError:
        return 1.0, 1.0
    return config.temperature or 1.0, config.top_p or 1.0


class TransformersEngine:
    """A model that answers many requests by turns."""

    def __init__(self, settings: Settings, device: str) -> None:
        folder = Path(settings.model_dir)
        devices.limit_memory(device, settings.memory_fraction)
        self.tokenizer = Tokenizer(folder)
        self.temperature, self.top_p = advice(folder)
        self.max_running = settings.max_running or MAX_RUNNING
        self._device = device
        self._network = Network(folder, device, settings.precision)
        self.context = self._network.context
        self.vocabulary = self._network.vocabulary
        self._probe = self.tokenizer.encode(PROBE)
        self._proof = self._network.prove(self._probe)

    def start(self, health: Health) -> None:
        """Begins to work, and to tell `health` what the device does."""
        self._health = health
        self._scheduler = Scheduler(self._network, self.max_running, health)

    def generate(self, prompt: Sequence[int], sampling: Sampling) -> AsyncGenerator[Step]:
        """The answer as it comes; closing the generator gives the request up."""
        return self._scheduler.generate(prompt, sampling)

    async def prove(self) -> None:
        """Runs a known prompt on the device: raises unless the answer is that of the start."""
        await self._scheduler.run(self._prove)

    def _prove(self) -> None:
        with self._health.forward():
            found = self._network.prove(self._probe)
        if found != self._proof:
            raise ModelError(f"{self._device} computes {found}, not {self._proof}")

    def close(self) -> None:
        """Ends after the present pass."""
        self._scheduler.close()

    def info(self) -> dict[str, str]:
        """What runs where, for logs and metrics."""
        name = devices.device_name(self._device)
        return {"device": self._device, "device_name": name, **devices.info()}

    def memory(self) -> tuple[int, int]:
        """Bytes held on the device by this process, and the device's all."""
        return devices.memory(self._device)

    def is_out_of_memory(self, error: BaseException) -> bool:
        """Whether fewer requests at once may succeed."""
        return self._network.is_out_of_memory(error)
