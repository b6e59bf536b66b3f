"""Settings of the server: one frozen dataclass, read from the environment once, at start.

config.py adds those of what is served.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeVar

PREFIX = "SERVE_"
# Not ours: what Kubernetes puts into every container, for each Service of the namespace.
FOREIGN = re.compile(r"SERVE_((\w+_)?SERVICE_(HOST|PORT)|\w+_PORT|PORT_\d+)(_|$)")
BOOLS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}

AnySettings = TypeVar("AnySettings", bound="ServerSettings")


class SettingsError(ValueError):
    """A setting that cannot be used; the message names it."""


@dataclass(frozen=True)
class ServerSettings:
    """All settings with their defaults: `keep_alive_s` is SERVE_KEEP_ALIVE_S, and so on."""

    # Numbers that may be 0; all others are more.
    MAY_BE_ZERO: ClassVar[frozenset[str]] = frozenset(
        {"port", "threads", "drain_delay_s", "model_cache_keep"}
    )

    host: str = "127.0.0.1"
    port: int = 8080
    # Where a proxy has this service below a path of its own.
    root_path: str = ""

    # Where the model is: a folder, or a URL as in store.py. From elsewhere it goes to the cache; a
    # version, the beginning of its checksum, must be that one. The cache keeps so many versions,
    # those used last, besides what runs; 0: all.
    model_dir: str = "model"
    model_version: str = ""
    model_cache: str = f"~/.cache/{__package__}"
    model_cache_keep: int = 3

    # A line for each request that failed; with access_log for all of them. Traces go where the
    # variables OTEL_... say.
    log_level: str = "INFO"
    access_log: bool = False
    tracing: bool = False

    # Threads of the framework on a CPU. 0: the CPUs that the container was promised, but for one,
    # which the server needs; one where nothing was promised.
    threads: int = 0

    # Keys that clients must show, with commas between, or one a line in a file; several, so that
    # they can be changed one by one. Probes need none. Web pages of cors_origins may ask, too.
    api_keys: str = field(default="", repr=False)
    api_keys_file: str = ""
    cors_origins: str = ""

    # What a connection may cost. A client must send the head of its request within header_timeout_s
    # and the rest within body_timeout_s, and may then keep the connection for keep_alive_s: longer
    # than load balancers do (60 s), which would else meet closed ones. Where there are more
    # connections than max_connections those that ask nothing are closed, oldest first.
    max_connections: int = 1000
    header_timeout_s: float = 10.0
    body_timeout_s: float = 30.0
    keep_alive_s: float = 75.0
    max_body_bytes: int = 1_000_000
    # And how many values of JSON may be in it: while they are read, and all that is wrong with them
    # is found, nobody else is answered. Long lists of numbers may need more.
    max_values: int = 50_000

    # On SIGTERM: keep serving for drain_delay_s while load balancers look elsewhere, then finish
    # what is in flight, at most drain_timeout_s.
    drain_delay_s: float = 5.0
    drain_timeout_s: float = 20.0

    def __post_init__(self) -> None:
        for it in fields(self):
            value = getattr(self, it.name)
            least = 0 if it.name in self.MAY_BE_ZERO else 1e-9
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                self._check(least <= value < 1e9, it.name, f"{value} is out of range")
        self._check(self.port < 65536, "port", "no such port")
        known = isinstance(logging.getLevelName(self.log_level.upper()), int)
        self._check(known, "log_level", f"'{self.log_level}' is not a level")

    def _check(self, good: bool, name: str, problem: str) -> None:
        if not good:
            raise SettingsError(f"{_variable(name)}: {problem}")

    @classmethod
    def from_environment(
        cls: type[AnySettings], environment: Mapping[str, str] | None = None
    ) -> AnySettings:
        """Reads SERVE_... variables; one that no setting has is an error, as a typo would be."""
        given = {
            name: text
            for name, text in (os.environ if environment is None else environment).items()
            if name.startswith(PREFIX) and not is_foreign(name, text)
        }
        values: dict[str, Any] = {}
        for it in fields(cls):
            text = given.pop(_variable(it.name), None)
            if text is not None:
                values[it.name] = _parse(it.name, type(it.default), text)
        if given:
            raise SettingsError(f"no such setting: {', '.join(sorted(given))}")
        return cls(**values)


def is_foreign(name: str, text: str) -> bool:
    """A Service called `serve` takes the name of a setting: its address is no port."""
    return bool(FOREIGN.match(name)) or (name == f"{PREFIX}PORT" and "://" in text)


def listed(text: str) -> list[str]:
    """What stands between the commas."""
    return [it.strip() for it in text.split(",") if it.strip()]


def _variable(name: str) -> str:
    return PREFIX + name.upper()


def _parse(name: str, kind: type, text: str) -> Any:
    try:
        return BOOLS[text.lower()] if kind is bool else kind(text)
    except (KeyError, ValueError):
        raise SettingsError(f"{_variable(name)}: '{text}' is not of type {kind.__name__}") from None
