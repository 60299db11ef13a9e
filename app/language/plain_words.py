"""Words that tell nothing of whoever is to be insured: a message of nothing else may be answered with a plain yes.

Source: data/language/plain_words.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.insurance.findings import FindingReader
from app.insurance.told import denies, tells_of_none, told_until
from app.language.mentions import Entities
from app.language.numbers import NUMERALS
from app.language.tokenizer import Tokenizer
from app.word_files import Pattern, WordFiles, Words, WordSet

# Nouns, verbs, adjectives, roots and foreign words; particles, endings, adverbs, numerals and pronouns tell no finding.
_CONTENT = frozenset({"NNG", "NNP", "VV", "VA", "XR", "SL"})
# Mentions that are known for what they are. A job that is underwritten is a condition by itself.
_KNOWN = (
    "products", "categories", "people", "genders", "ages", "births", "dates", "durations", "money", "jobs", "channels",
    "references", "counts", "names", "cycles", "plans",
)  # fmt: skip


# A morpheme in its plain form, and where it stands.
_Place = tuple[str, int, int]


class _Words(Words):
    """plain_words.yaml: each word is explained beside it."""

    plain: WordSet
    denied: WordSet
    denied_kinds: Pattern
    afterwards: Pattern
    put_off: Pattern
    sound: WordSet
    fine: Pattern
    not_quite: Pattern
    doing: WordSet
    hindered: Pattern
    negated: Pattern
    behind: Pattern
    asks: Pattern
    shorthand: Pattern


class PlainWords:
    """Which words of a message may tell something that no finding names (동생 간을 받은 지 6년째).

    Raises DataFaults."""

    def __init__(self, path: Path, tokenizer: Tokenizer, findings: FindingReader) -> None:
        self._words = WordFiles(path.parent, NUMERALS).read(path.stem, _Words)
        self._tokenizer, self._findings = tokenizer, findings

    def tells_nothing(self, word: str) -> bool:
        """Whether a word, in its plain form, tells nothing of anybody."""
        return word.lower() in self._words.plain

    def beyond(self, said: Entities) -> list[str]:
        """Of each clause of the person to insure the part from its first word on that may tell something."""
        named = self._findings.spans_named(said.text)
        known = [*self._known(said), *named]
        places = [
            (form.lower(), start, end)
            for form, tag, start, end in self._tokenizer.placed(said.text)
            if tag.split("-")[0] in _CONTENT and not any(a < end and start < b for a, b in known)
        ]
        parts: list[str] = []
        done = 0
        for start, end in said.unread:
            start = max(start, done)  # what was read with the list that it is a part of
            here = [place for place in places if start <= place[1] < end]
            if unknown := self._unknown(said.text[start:end], here, named):
                parts.append(self._told(said, unknown, start, end, named))
                done = end
        return [part for part in parts if part]

    def _known(self, said: Entities) -> list[tuple[int, int]]:
        """The places of a message that are known for what they are, each with the endings right behind it."""
        words, text = self._words, said.text
        named = [(m.start, m.end) for kind in _KNOWN for m in getattr(said, kind)]
        ended = [(start, match.end()) for start, end in named if (match := words.behind.match(text, end))]
        asked = [match.span() for pattern in (words.asks, words.shorthand) for match in pattern.finditer(text)]
        denied = [(m.start, m.end) for m in said.medical if m.negated]
        return [*named, *ended, *asked, *denied]

    def _unknown(
        self, clause: str, places: Sequence[_Place], named: Sequence[tuple[int, int]]
    ) -> list[_Place]:
        """Where the words of a clause stand that may tell something: 무릎 tells nothing where it is fine (무릎도 멀쩡),
        텃밭 nothing where nothing hinders (텃밭도 가꾸고)."""
        words = self._words
        none = tells_of_none(clause) and not words.afterwards.search(clause)
        kinds = none and denies(clause) and not words.put_off.search(clause)
        sound = words.fine.search(clause) and not words.not_quite.search(clause)
        free = not words.hindered.search(clause)

        def tells_nothing(form: str) -> bool:
            return (
                form in words.plain
                or (none and form in words.denied)
                or bool(kinds and words.denied_kinds.search(form))
                or bool(sound and form in words.sound)
                or (free and form in words.doing)
            )

        unknown = [place for place in places if not tells_nothing(place[0])]
        if not kinds:
            return unknown
        heads = {start for form, start, _ in places if words.denied_kinds.search(form)} | {a for a, _ in named}
        return [place for place in unknown if place[2] not in heads]  # 간질환 없음: the first half of what is denied

    def _told(
        self, said: Entities, unknown: Sequence[_Place], start: int, end: int, named: Sequence[tuple[int, int]]
    ) -> str:
        """The words of a clause from the first unknown one on, without what they ask and the insurances and jobs in
        them: 치매보험 tells of no illness, 직장인 of no risk. Beside what is denied or fine the unknown ones alone: the
        knee of 무릎은 이제 멀쩡해요."""
        first = unknown[0][1]
        start = max(said.text.rfind(" ", start, first) + 1, start)
        if negated := self._words.negated.search(said.text, 0, start):
            start = negated.start()
        beside = [a for a, b in named if start < b and a < end]
        if beside:
            end = next((b for _, _, b in reversed(unknown) if not any(first < a < b for a in beside)), unknown[0][2])
        asking = [match.start() for match in self._words.asks.finditer(said.text, first, end)]
        end = min([end, start + told_until(said.text[start:end], first + 1 - start), *asking])
        words = said.text[start:end]
        for mention in sorted({*said.products, *said.categories, *said.jobs}, key=lambda m: -m.start):
            if start <= mention.start < end:  # 암보험, cut before 보험, is no 암
                words = f"{words[: mention.start - start]} {words[mention.end - start :]}"
        return " ".join(words.split()).strip(" ,.?!~()/")
