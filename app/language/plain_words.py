"""Words that tell nothing of whoever is to be insured: a message of nothing else may be answered with a plain yes.

Source: data/language/plain_words.yaml.
"""

from __future__ import annotations

from pathlib import Path

from app.insurance.findings import FindingReader
from app.insurance.models import Model
from app.insurance.told import denies
from app.language.mentions import Entities
from app.language.tokenizer import Tokenizer
from app.yaml_text import read_model

# Nouns, verbs, adjectives, roots and foreign words; particles, endings, adverbs, numerals and pronouns tell no finding.
_CONTENT = frozenset({"NNG", "NNP", "VV", "VA", "XR", "SL"})
# Mentions that are known for what they are. A job that is underwritten is a condition by itself.
_KNOWN = (
    "products", "categories", "people", "genders", "ages", "births", "dates", "durations", "money", "jobs", "channels",
    "references", "counts", "names", "cycles", "plans",
)  # fmt: skip


class _Words(Model):
    plain: str
    denied: str


class PlainWords:
    """Which words of a message may tell something that no finding names (동생 간을 받은 지 6년째).

    Raises DataFaults."""

    def __init__(self, path: Path, tokenizer: Tokenizer, findings: FindingReader) -> None:
        words = read_model(path, _Words)
        self._plain = frozenset(words.plain.split())
        self._denied = self._plain | frozenset(words.denied.split())
        self._tokenizer, self._findings = tokenizer, findings

    def tells_nothing(self, word: str) -> bool:
        """Whether a word, in its plain form, tells nothing of anybody."""
        return word.lower() in self._plain

    def beyond(self, said: Entities) -> list[str]:
        """Of each clause of the person to insure the part from its first word on that may tell something."""
        known = [(m.start, m.end) for kind in _KNOWN for m in getattr(said, kind)]
        known += [(m.start, m.end) for m in said.medical if m.negated] + self._findings.spans_named(said.text)
        places = [
            (form.lower(), start)
            for form, tag, start, end in self._tokenizer.placed(said.text)
            if tag.split("-")[0] in _CONTENT and not any(a < end and start < b for a, b in known)
        ]
        parts: list[str] = []
        for start, end in said.unread:
            plain = self._denied if denies(said.text[start:end]) else self._plain
            first = next((at for form, at in places if start <= at < end and form not in plain), None)
            if first is not None:
                parts.append(_without(said, max(said.text.rfind(" ", start, first) + 1, start), end))
        return [part for part in parts if part]


def _without(said: Entities, start: int, end: int) -> str:
    """The words of a span without the insurances and jobs in it: 치매보험 tells of no illness, 직장인 of no risk."""
    words = said.text[start:end]
    for mention in sorted({*said.products, *said.categories, *said.jobs}, key=lambda m: -m.start):
        if start <= mention.start and mention.end <= end:
            words = f"{words[: mention.start - start]} {words[mention.end - start :]}"
    return " ".join(words.split()).strip(" ,.?!~()/")
