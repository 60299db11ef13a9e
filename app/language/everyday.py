"""The words that people use for what descriptions name (날씨: 비, 우산), so that plain questions find formal tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import yaml

from app.errors import DataFaults, Fault
from app.language.features import Tagged, is_content_tag
from app.messages import worded
from app.yaml_text import read_yaml

_JOINT, _PREDICATES = ("지", "EC"), ("VV", "VA", "XSV", "XSA")
_WORD = re.compile(r"[가-힣A-Za-z0-9]+")


class EverydayWords:
    """Everyday words by the word of a description. Read lazily: only what a description holds costs anything."""

    def __init__(self, words: Mapping[str, str], tagged: Callable[[str], tuple[Tagged, ...]]) -> None:
        """`tagged` gives the morphemes of a text."""
        self._words, self._tagged = dict(words), tagged
        self._keys: dict[str, tuple[tuple[frozenset[str], str], ...]] | None = None
        self._read: dict[str, tuple[Tagged, ...]] = {}

    def __len__(self) -> int:
        return len(self._words)

    def related(self, forms: Collection[str]) -> tuple[Tagged, ...]:
        """What people say for the morphemes of a description, each once."""
        held = frozenset(forms)
        keys = self._by_first()
        found = (word for form in held for wanted, word in keys.get(form, ()) if wanted <= held)
        return tuple(dict.fromkeys(morpheme for word in sorted(found) for morpheme in self._told(word)))

    def _by_first(self) -> dict[str, tuple[tuple[frozenset[str], str], ...]]:
        """The entries by one of their morphemes."""
        if self._keys is None:
            keys: dict[str, list[tuple[frozenset[str], str]]] = {}
            for word in self._words:
                forms = [form for form, _ in self._content(word)]
                if forms:
                    keys.setdefault(forms[0], []).append((frozenset(forms), word))
            self._keys = {form: tuple(entries) for form, entries in keys.items()}
        return self._keys

    def _told(self, word: str) -> tuple[Tagged, ...]:
        if word not in self._read:
            told = (morpheme for part in self._words[word].split() for morpheme in self._content(part))
            self._read[word] = tuple(dict.fromkeys(told))
        return self._read[word]

    def _content(self, word: str) -> list[Tagged]:
        return [morpheme for morpheme in listed_word(word, self._tagged) if is_content_tag(morpheme[1])]


def listed_word(word: str, tagged: Callable[[str], tuple[Tagged, ...]]) -> tuple[Tagged, ...]:
    """The morphemes of a word as word lists have it: verbs end in 다 there (지우다), which alone reads like a name."""
    stem = word.removesuffix("다")
    if stem and stem != word:
        # 지우지 않는다: inflected like this a verb is read as one; 바다 falls apart into something else.
        found = tagged(f"{stem}지 않는다")
        verb = found[: next((i for i, morpheme in enumerate(found) if morpheme == _JOINT), 0)]
        if "".join(form for form, _ in verb) == stem and verb[-1][1].startswith(_PREDICATES):
            return verb
    return tagged(word)


def load_everyday(path: Path, tagged: Callable[[str], tuple[Tagged, ...]]) -> EverydayWords:
    """The words of a file; none where there is no such file (content that is older than it). Raises DataFaults naming
    every entry that is not '말: 말 말'."""
    if not path.exists():
        return EverydayWords({}, tagged)
    try:
        raw = read_yaml(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise DataFaults([Fault(path.name, 0, worded("files.unreadable", error=error))]) from error
    pairs = raw.items() if isinstance(raw, dict) else [(raw, None)]
    wrong = [key for key, told in pairs if not (_is_word(key) and isinstance(told, str) and told.split())]
    wrong += [key for key, told in pairs if isinstance(told, str) and not all(map(_is_word, told.split()))]
    if wrong:
        raise DataFaults([Fault(path.name, 0, worded("everyday.not_pair", key=key)) for key in wrong])
    return EverydayWords(raw, tagged)


def _is_word(text: object) -> bool:
    return isinstance(text, str) and _WORD.fullmatch(text) is not None
