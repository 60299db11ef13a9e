"""Secrets planted in the system prompt: whoever shows one has leaked it, in whatever dress."""

from __future__ import annotations

import base64
import re
from collections.abc import Collection

from app.safety.normalise import plain

_SEPARATORS = re.compile(r"[\W_]+")
_LEAST_PART = 8


class CanaryCheck:
    """Finds canaries plain, with anything between their letters, reversed, in hex or in base64."""

    def __init__(self, canaries: Collection[str]) -> None:
        self._needles: tuple[str, ...] = ()
        self._encoded: tuple[str, ...] = ()
        self._parts: tuple[str, ...] = ()
        self._halves: tuple[str, ...] = ()
        if canaries:
            plain_forms = [form for canary in canaries for form in _plain_forms(canary)]
            self._needles = tuple(dict.fromkeys(plain_forms))
            self._encoded = tuple(dict.fromkeys(form for canary in canaries for form in _base64_forms(canary)))
            self._parts = tuple(dict.fromkeys(part for form in self._needles for part in _parts(form)))
            self._halves = tuple(form[: max(_LEAST_PART, len(form) // 2)] for form in self._encoded)

    def found_in(self, text: str) -> bool:
        """Whether a whole canary shows."""
        if not self._needles:
            return False
        return self._match(text, self._needles, self._encoded)

    def partly_in(self, text: str) -> bool:
        """Whether at least half of a canary shows, so that a stream stops in time."""
        if not self._needles:
            return False
        return self._match(text, self._parts, self._halves)

    @staticmethod
    def _match(text: str, needles: tuple[str, ...], encoded: tuple[str, ...]) -> bool:
        folded = _SEPARATORS.sub("", plain(text).text)
        lowered = folded.lower()
        return any(needle in lowered for needle in needles) or any(form in folded for form in encoded)


def _plain_forms(canary: str) -> list[str]:
    letters = _SEPARATORS.sub("", plain(canary).text).lower()
    return [letters, letters[::-1], canary.encode().hex()]


def _base64_forms(canary: str) -> list[str]:
    """The letters that base64 gives for the canary at each of the three offsets, without the edges that vary."""
    forms = []
    for secret in (canary, canary[::-1]):
        for offset in range(3):
            code = base64.b64encode(b"\0" * offset + secret.encode()).decode().rstrip("=")
            inner = code[(0, 2, 3)[offset] : -1]
            forms.append(_SEPARATORS.sub("", inner.replace("+", "").replace("/", "")))
    return [form for form in forms if len(form) >= _LEAST_PART]


def _parts(form: str) -> list[str]:
    size = max(_LEAST_PART, len(form) // 2)
    return [form[i : i + size] for i in range(max(1, len(form) - size + 1))]
