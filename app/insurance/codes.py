"""Which KCD codes a text names, by code, name or lay name. Source: data/reference/kcd.csv."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import get_args

from app.insurance.matching import misspelt, misspelt_names
from app.insurance.models import DiseaseClass
from app.insurance.names import name_key
from app.insurance.reference import KcdCode
from app.insurance.wording import jamo

CODE = re.compile(r"(?<![A-Za-z0-9])([A-Za-z])\s?-?\s?(\d{2})(?:\s?\.?\s?(\d{1,2}))?(?![0-9A-Za-z])")
_SECONDARY = frozenset({"C77", "C78", "C79"})  # 전이암: the primary site decides when it is named too
_NO_NAMES = ("상해", "기타", "치아질환")  # classes that no text names
_REMEMBERED = 1024  # short texts: the clauses of a message are asked for several times a turn


@dataclass(frozen=True)
class CodeMatch:
    """KCD codes a text names; `narrower` is the finer code asked for when only its parent is on file."""

    codes: tuple[KcdCode, ...]
    narrower: str | None = None
    whole_class: bool = False

    @property
    def classes(self) -> tuple[DiseaseClass, ...]:
        """The classes of all codes, each once; of a whole class (뇌졸중) those that every one of its codes has."""
        every = dict.fromkeys(name for code in self.codes for name in code.classes)
        return tuple(c for c in every if not self.whole_class or all(c in code.classes for code in self.codes))


class CodeBook:
    """The codes on file, indexed by their names. `find` is pure and thread-safe and remembers texts asked lately."""

    def __init__(self, kcd: Sequence[KcdCode]) -> None:
        self._kcd = tuple(kcd)
        self._by_code = {code.code: code for code in kcd}
        self._named: dict[str, list[KcdCode]] = {}
        for code in kcd:
            for name in code.name_keys:
                self._named.setdefault(name, []).append(code)
        self._rank = {name: (-len(name), place) for place, name in enumerate(self._named)}
        self._heads: dict[str, list[str]] = {}
        self._spelt: dict[int, dict[str, str]] = {}
        for name in self._named:
            if len(name) > 1:
                self._heads.setdefault(name[:2], []).append(name)
            for size in range(len(name) - 1, len(name) + 2):
                self._spelt.setdefault(size, {})[name] = jamo(name)
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._find)

    def find(self, text: str) -> CodeMatch:
        """The codes a text names: by code (C73, 'c 73', C73.0 → C73), else by the names and lay names it holds.

        Of secondary cancers (C77~C79) named beside a primary one only the primary is kept, as the policy conditions do.
        """
        return self._remembered(text)

    def _find(self, text: str) -> CodeMatch:
        if match := CODE.search(text):
            return self._coded(match)
        key = name_key(text)
        if not key:
            return CodeMatch(())
        if exact := self._named.get(key):
            return CodeMatch(tuple({code.code: code for code in exact}.values()))
        held = self._held(key)
        if held:
            primary = tuple(code for code in held if code.code not in _SECONDARY and code.code.startswith("C"))
            return CodeMatch(primary if primary and any(c.code in _SECONDARY for c in held) else held)
        return self._class(key) or self._misspelt(key)

    def _coded(self, match: re.Match[str]) -> CodeMatch:
        letter, parent, child = match.group(1).upper(), match.group(2), match.group(3)
        asked = f"{letter}{parent}" + (f".{child}" if child else "")
        if asked in self._by_code:
            return CodeMatch((self._by_code[asked],))
        if child and f"{letter}{parent}" in self._by_code:
            return CodeMatch((self._by_code[f"{letter}{parent}"],), asked)
        return CodeMatch(())

    def _held(self, key: str) -> tuple[KcdCode, ...]:
        """Codes whose names stand in the text, the longest first; a shorter name inside a longer one does not
        count."""
        names = {name for at in range(len(key) - 1) for name in self._heads.get(key[at : at + 2], ()) if name in key}
        taken: set[int] = set()
        found: dict[str, KcdCode] = {}
        for name in sorted(names, key=self._rank.__getitem__):
            at = key.find(name)
            span = set(range(at, at + len(name)))
            if not span & taken:
                taken |= span
                found.update({code.code: code for code in self._named[name]})
        return tuple(found.values())

    def _class(self, key: str) -> CodeMatch | None:
        """The codes of a disease class named by itself or, three letters or more, inside a longer text."""
        labels: list[DiseaseClass] = [c for c in get_args(DiseaseClass) if c not in _NO_NAMES]
        named = [c for c in labels if c == key or (len(c) > 2 and c in key)] or (["일반암"] if key == "암" else [])
        label = max(named, key=len, default=None)
        if label is None:
            return None
        return CodeMatch(tuple(code for code in self._kcd if label in code.classes), whole_class=True)

    def _misspelt(self, key: str) -> CodeMatch:
        """The codes whose name is the text misspelt; names much longer or shorter are other diseases."""
        size = len(key)
        likeness = misspelt_names(key, self._spelt.get(size, {}))
        if likeness:
            best = max(likeness.values())
            codes = {code.code for name, like in likeness.items() if like == best for code in self._named[name]}
            return CodeMatch(tuple(code for code in self._kcd if code.code in codes))
        label = next((c for c in get_args(DiseaseClass) if len(c) == size and misspelt(key, (c,))), None)
        return (self._class(label) if label else None) or CodeMatch(())
