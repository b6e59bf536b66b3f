"""API keys: who may ask. Without keys everybody may, and nothing is looked at."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from .settings import ServerSettings, SettingsError

# Probes and metrics: those who ask for them have no key.
OPEN = frozenset(
    {"/livez", "/readyz", "/startupz", "/metrics", "/v2/health/live", "/v2/health/ready"}
)


class Keys:
    """The keys of the settings, of which any will do."""

    def __init__(self, settings: ServerSettings) -> None:
        texts = settings.api_keys.split(",")
        if settings.api_keys_file:
            try:
                texts += Path(settings.api_keys_file).read_text(encoding="utf-8").splitlines()
            except OSError as error:
                raise SettingsError(f"SERVE_API_KEYS_FILE: {error}") from error
        # Digests are of one length: how long a comparison takes says nothing about a key.
        self._digests = [sha256(text.strip().encode()).digest() for text in texts if text.strip()]
        if not self._digests and (settings.api_keys or settings.api_keys_file):
            raise SettingsError("SERVE_API_KEYS: there is no key in it")

    def __bool__(self) -> bool:
        return bool(self._digests)

    def allow(self, path: str, headers: Mapping[bytes, bytes]) -> bool:
        """Whether a request may pass: `Authorization: Bearer KEY`, or `X-API-Key: KEY`."""
        if path in OPEN:
            return True
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        given = token.strip() if scheme.lower() == b"bearer" else headers.get(b"x-api-key", b"")
        digest = sha256(given).digest()
        # All of them, whichever it is.
        return sum(hmac.compare_digest(digest, known) for known in self._digests) > 0
