"""What goes over the wire: OpenAI's API, as far as it is served here.

A field that we do not serve is refused unless it asks for what happens anyway: a client that
believes to have set something must be told when it has not.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field

# More in one request is refused as it is read, whatever SERVE_MAX_MESSAGES says.
MAX_MESSAGES = 4096
# Fields that are not served, with the values that change nothing.
NEUTRAL: dict[str, tuple[object, ...]] = {
    "n": (1,),
    "best_of": (1,),
    "echo": (False,),
    "suffix": ("",),
    "logprobs": (False,),
    "top_logprobs": (),
    "logit_bias": ({},),
    "presence_penalty": (0,),
    "frequency_penalty": (0,),
    "response_format": ({"type": "text"},),
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "modalities": (["text"],),
    "audio": (),
    "prediction": (),
    "web_search_options": (),
    "reasoning_effort": ("none",),
    "verbosity": (),
    "store": (False,),
}
# Fields that are about the client or about what OpenAI does with a request.
HARMLESS = {
    "metadata",
    "parallel_tool_calls",
    "prompt_cache_key",
    "safety_identifier",
    "service_tier",
    "user",
}


def _listed(value: Any) -> Any:
    """One string is a list of one; none is an empty list."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


def _parts(value: Any) -> Any:
    """A message that is all text has one part."""
    return [{"type": "text", "text": value}] if isinstance(value, str) else value


def _prompt(value: Any) -> Any:
    """The only prompt of a list; a list of tokens is one."""
    if not isinstance(value, list) or all(isinstance(it, int) for it in value):
        return value
    if len(value) != 1:
        raise ValueError("one prompt in each request")
    return value[0]


# The first mistake in a list is enough: a short request must not make a long list of them.
Strings = Annotated[list[str], FailFast(), Field(max_length=4), BeforeValidator(_listed)]


class StreamOptions(BaseModel):
    """What a stream tells besides the text."""

    model_config = ConfigDict(extra="forbid")

    include_usage: bool = False
    include_obfuscation: bool = False


class Request(BaseModel):
    """What both kinds of request have."""

    model_config = ConfigDict(extra="allow")

    model: str
    max_tokens: int | None = Field(None, ge=1)
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    seed: int | None = Field(None, ge=-(2**63), lt=2**63)
    stop: Strings = []
    stream: bool | None = None
    stream_options: StreamOptions | None = None


class TextPart(BaseModel):
    """A piece of a message; pictures and sounds are not served."""

    type: Literal["text"]
    text: str


class ChatMessage(BaseModel):
    """One turn of a conversation."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Annotated[list[TextPart], FailFast(), BeforeValidator(_parts)]
    name: str | None = None

    def text(self) -> str:
        """All of its pieces."""
        return "".join(part.text for part in self.content)


class ChatRequest(Request):
    """A conversation that wants its next turn."""

    messages: Annotated[list[ChatMessage], FailFast(), Field(min_length=1, max_length=MAX_MESSAGES)]
    max_completion_tokens: int | None = Field(None, ge=1)


class CompletionRequest(Request):
    """A text, or its tokens, to be gone on with."""

    prompt: Annotated[str | list[int], BeforeValidator(_prompt)]


class Usage(BaseModel):
    """Tokens in and out."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ModelCard(BaseModel):
    """One model that is served."""

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str
    max_model_len: int


class ModelList(BaseModel):
    """All models that are served: one."""

    object: Literal["list"] = "list"
    data: list[ModelCard]


def unserved(extra: dict[str, Any]) -> str:
    """The name of a field that is unknown, or asks for what is not served; empty: there is none."""
    for name, value in extra.items():
        if name in HARMLESS or value is None:
            continue
        if value not in NEUTRAL.get(name, ()):
            return name
    return ""
