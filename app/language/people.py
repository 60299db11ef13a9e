"""Who is spoken of: kinship words, the speaker, customers by name or number, and gender words.

The words stand in data/language/people.yaml.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.insurance.models import Gender
from app.language.lexicon import KinshipEntry
from app.language.mentions import CUSTOMER, SPEAKER, GenderMention, NameMention, PersonMention, PersonRole
from app.language.phrases import Folded, PhraseMatch, PhraseTable
from app.word_files import Pattern, WordFiles, Words, WordSet


class FalseFriend(Words):
    """Words that look like a person, and what is around them where they are none."""

    word: Pattern
    before: Pattern | None = None
    behind: Pattern | None = None
    not_behind: Pattern | None = None

    def fits(self, word: str, before: str, behind: str) -> bool:
        """Whether `word` is no person between these words."""
        return (
            self.word.fullmatch(word) is not None
            and (self.before is None or self.before.search(before) is not None)
            and (self.behind is None or self.behind.match(behind) is not None)
            and (self.not_behind is None or self.not_behind.match(behind) is None)
        )


class NameSaid(Words):
    """Words around a name (group `name`), and how sure they make it."""

    said: Pattern
    confidence: float


class PeopleWords(Words):
    """people.yaml: each word is explained beside it."""

    aside: Pattern
    hearsay: Pattern
    elsewhere: Pattern
    children: WordSet
    old_people: WordSet
    old_predicate: Pattern
    old_bare: Pattern
    beneficiary: Pattern
    predicate: Pattern
    i_am: Pattern
    being: Pattern
    being_child: Pattern
    i_simply: Pattern
    am: Pattern
    speaker_words: WordSet
    in_brackets: Pattern
    speakers: Pattern
    aged_so: Pattern
    is_me: Pattern
    done_by_them: Pattern
    id: Pattern
    noted: Pattern
    noted_as: dict[str, tuple[str, Gender | None]]
    acquaintance: Pattern
    acquainted: str
    gender_of_word: dict[str, Gender]
    friend: str
    genders: dict[Gender, Pattern]
    gender_marks: tuple[Pattern, ...]
    mark_means: dict[str, Gender]
    no_marks: WordSet
    false_friends: tuple[FalseFriend, ...]
    names: tuple[NameSaid, ...]
    weak_title: str
    not_names: WordSet


class PeopleReader:
    """Reads persons, genders and names. Built once; every method is pure. Raises DataFaults."""

    def __init__(self, files: WordFiles) -> None:
        self._words = files.read("people", PeopleWords)
        self._not_begun = tuple(word for word in self._words.not_names if len(word) > 1)

    def people(
        self, folded: Folded, kinship: PhraseTable[KinshipEntry], taken: Iterable[tuple[int, int]]
    ) -> list[PersonMention]:
        """Persons in order of appearance. A person right before '말고'·'아니고' is marked by the caller."""
        text = folded.text
        read = (self._person(text, hit) for hit in kinship.find(folded, taken))
        found = [mention for mention in read if mention is not None]
        return sorted([*found, *self._noted(text, found)], key=lambda mention: mention.start)

    def _person(self, text: str, hit: PhraseMatch[KinshipEntry]) -> PersonMention | None:
        """The person of a word of kinship; None where it only looks like one."""
        words, entry, word = self._words, hit.value, text[hit.start : hit.end]
        before, after = text[max(0, hit.start - 12) : hit.start], text[hit.end : hit.end + 18]
        if any(row.fits(word, before, after) for row in words.false_friends):
            return None
        who = entry.who
        if self._is_aside(text, hit):
            return PersonMention(hit.start, hit.end, word, 1.0, False, who, entry.gender, "aside", entry.speaker)
        if self._of_speaker(entry, word, before, after):
            return PersonMention(
                hit.start, hit.end, word, 1.0, False, SPEAKER, entry.gender, "predicate", entry.speaker
            )
        old = word in words.old_people and (
            words.old_predicate.match(after) or (not after.strip(" .!~?") and words.old_bare.search(before))
        )
        child = who in words.children and words.being_child.match(after)
        told = bool(words.predicate.match(after) or old or child) and who != CUSTOMER
        if told and (word in words.speaker_words or entry.of_oneself):
            who = SPEAKER
        role: PersonRole = "predicate" if told else "insured"
        return PersonMention(hit.start, hit.end, word, 1.0, False, who, entry.gender, role, entry.speaker)

    def _is_aside(self, text: str, hit: PhraseMatch[KinshipEntry]) -> bool:
        """Whether somebody is only told of: they say, get or hear something, or live next door."""
        words, before = self._words, text[max(0, hit.start - 12) : hit.start]
        hears = hit.value.who == words.friend and words.hearsay.match(text[hit.end : hit.end + 34])
        if hears or words.elsewhere.search(before) or words.aside.match(text[hit.end : hit.end + 24]):
            return True
        return hit.value.who != SPEAKER and bool(words.beneficiary.search(before))

    def _of_speaker(self, entry: KinshipEntry, word: str, before: str, after: str) -> bool:
        """Whether a word of kinship tells what the speaker is (저는 서른여덟 아빠인데)."""
        words = self._words
        return bool(
            words.speakers.match(after)
            or (word in words.speaker_words and words.i_am.search(before) and words.being.match(after))
            or (words.i_simply.search(before) and words.am.match(after))
            or (words.in_brackets.search(before) and after.startswith(")"))
            or (
                entry.of_oneself
                and (words.aged_so.search(before) or words.is_me.match(after) or words.being.match(after))
            )
        )

    def _noted(self, text: str, found: Iterable[PersonMention]) -> Iterable[PersonMention]:
        """Persons in staff's shorthand, where no longer word stands."""
        for match in self._words.noted.finditer(text):
            who, gender = self._words.noted_as[match["word"]]
            gender = self._words.mark_means.get(match["gender"], gender)
            if all(match.end() <= m.start or m.end <= match.start() for m in found):
                yield PersonMention(*match.span(), match.group(), 0.9, False, who, gender, "insured")

    def acquaintances(self, text: str, people: Iterable[PersonMention]) -> list[PersonMention]:
        """The persons with those beside the family who want an insurance, too (직원 하나도 관심 있대요), each somebody
        else than the speaker; 아는 언니, put aside as one who is only told of, is one of them."""
        found = list(people)
        for match in self._words.acquaintance.finditer(text):
            start, end = match.span("word")
            known = [m for m in found if m.start < end and start < m.end]
            gender = next((m.gender for m in known if m.gender), None) or self._words.gender_of_word.get(match["word"])
            if all(m.role == "aside" for m in known):
                found = [m for m in found if m not in known]
                found.append(PersonMention(start, end, text[start:end], 0.9, False, self._words.acquainted, gender))
        return sorted(found, key=lambda mention: mention.start)

    def genders(self, text: str, taken: Iterable[tuple[int, int]] = ()) -> list[GenderMention]:
        """Gender words in order: 남자, 여성, 45남, 마흔여덟 여."""
        busy = list(taken)
        found: dict[int, GenderMention] = {}

        def add(start: int, end: int, gender: Gender, confidence: float) -> None:
            if not any(s <= start < e for s, e in busy) and start not in found:
                found[start] = GenderMention(start, end, text[start:end], confidence, False, gender)

        for gender, said in self._words.genders.items():
            for match in said.finditer(text):
                if match["friend"] is None:
                    add(*match.span(), gender, 1.0)
        for mark in self._words.gender_marks:
            for match in mark.finditer(text):
                start, end = match.span("word")
                if text[start : end + 1] not in self._words.no_marks:
                    add(start, end, self._words.mark_means[match["word"]], 0.9)
        return [found[start] for start in sorted(found)]

    def names(self, text: str, taken: Iterable[tuple[int, int]] = ()) -> list[NameMention]:
        """Customer names (김민수 고객, 이영희 님, 이름이 최수진) and ids (C00123), in order."""
        busy = list(taken)
        found: list[NameMention] = []
        for row in self._words.names:
            for match in row.said.finditer(text):
                name, start = match["name"], match.start("name")
                if self._no_name(name) or (len(name) == 2 and match.groupdict().get("title") == self._words.weak_title):
                    continue
                if any(s <= start < e for s, e in busy) or any(m.start <= start < m.end for m in found):
                    continue
                found.append(NameMention(start, start + len(name), name, row.confidence, False, name))
        ids = self._words.id.finditer(text)
        found.extend(NameMention(*m.span(), m.group(), 1.0, False, None, f"C{m.group(1)}") for m in ids)
        return sorted(found, key=lambda mention: mention.start)

    def _no_name(self, name: str) -> bool:
        words = self._words
        return name in words.not_names or bool(words.done_by_them.fullmatch(name)) or name.startswith(self._not_begun)
