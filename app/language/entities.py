"""Reading everything a message names: one pass over the text with tables that were built once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from app.insurance.catalogue import Catalogue
from app.insurance.told import only_that
from app.insurance.unsold import UnsoldKinds
from app.language.ages import AgeReader
from app.language.benefits import BenefitReader
from app.language.births import find_births
from app.language.conditions import denied, find_conditions, without_motives
from app.language.dates import DateReader
from app.language.lay_words import load_lay_words
from app.language.lexicon import load_lexicon
from app.language.medical import ClaimReader, JobReader, MedicalReader
from app.language.mentions import (
    ActionMention,
    ChannelMention,
    ClaimMention,
    CoverageMention,
    Entities,
    MedicalMention,
    Mention,
    NameMention,
    TermMention,
)
from app.language.money import MoneyReader
from app.language.motives import without_motive
from app.language.normalise import nfc
from app.language.numbers import NUMERALS
from app.language.people import PeopleReader
from app.language.phrases import Folded, PhraseTable, fold
from app.language.products import ProductReader
from app.language.reading_words import LanguageWords
from app.language.references import (
    find_counts,
    find_quotes,
    find_references,
    find_revisions,
    is_correction,
    is_negated,
    is_non_renewing,
    split_questions,
)
from app.settings import ROOT
from app.word_files import WordFiles

M = TypeVar("M", bound=Mention)
MAX_CHARS = 2000
_PHONE_CHANNEL = re.compile(
    r"전화\s?(?:번호|기)|은행\s?(?:계좌|이체)|인터넷\s?(?:뱅킹|쇼핑)|(?:신한|국민|하나|우리|농협)\s?은행|은행원|은행(?:에|을)?\s?다[니녀]|은행에서\s?(?:일|근무)|은행\s?직원"
)


def _spans(*groups: Sequence[Mention]) -> list[tuple[int, int]]:
    return [(mention.start, mention.end) for group in groups for mention in group]


def _turned(text: str, mentions: Iterable[M], undone: re.Pattern[str] | None = None) -> tuple[M, ...]:
    """The mentions, those before 말고·빼고·아니고, or before what says that it was `undone`, marked as negated."""

    def ruled_out(end: int) -> bool:
        return is_negated(text, end) or bool(undone and undone.match(text, end))

    return tuple(m if m.negated or not ruled_out(m.end) else replace(m, negated=True) for m in mentions)


def _of_one_sentence(mention: MedicalMention) -> MedicalMention:
    """만성신부전. 투석은 안 해요 names two things, though a rule of underwriting has both in its name."""
    end = _SENTENCE_END.search(mention.text)
    if end is None:
        return mention
    words = mention.text[: end.start()]
    phrase = _SENTENCE_END.split(mention.phrase)[0]
    return replace(mention, end=mention.start + len(words), text=words, phrase=phrase)


_REMEMBERED = 256
_SENTENCE_END = re.compile(r"[.?!](?=\s|$)")


class EntityReader:
    """Reads a Korean message into typed entities.

    Built once from the catalogue and the word lists of `language_dir` (data/language); `read` is pure and thread-safe
    and takes well under 3 ms for a chat message. Only the first 2,000 characters are read. Raises DataFaults when
    built.
    """

    def __init__(self, catalogue: Catalogue, *, language_dir: Path = ROOT / "data" / "language") -> None:
        plans = {plan.name for product in catalogue.products for plan in product.plans}
        self._lexicon = load_lexicon(language_dir, plans)
        files = WordFiles(language_dir, NUMERALS)
        words = self._words = LanguageWords.read(files)
        self._ages, self._people = AgeReader(files), PeopleReader(files)
        self._dates, self._money = DateReader(files), MoneyReader(files)
        self._products = ProductReader(catalogue.products, words)
        lay = language_dir / "lay_words"
        self._medical = MedicalReader(catalogue, load_lay_words(lay / "illnesses.yaml"), words)
        self._benefits = BenefitReader(catalogue, load_lay_words(lay / "covers.yaml"))
        self._claims = ClaimReader(catalogue, words)
        self._jobs = JobReader(catalogue, load_lay_words(lay / "jobs.yaml"), words)
        self.catalogue = catalogue
        self.unsold = UnsoldKinds(language_dir)
        # Guard, rewriter and planner read the same question several times in one turn.
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._read)

    def read(self, text: str, today: date) -> Entities:
        """Everything named in `text`; relative dates count from `today`. A text read lately is not read again."""
        return self._remembered(text, today)

    def names(self, text: str) -> list[NameMention]:
        """The customers' names and ids that a text says, wherever they stand."""
        return self._people.names(text)

    def _read(self, text: str, today: date) -> Entities:
        text = nfc(text)[:MAX_CHARS]
        folded = fold(text)
        products = self._products.find(folded)
        quotes = find_quotes(self._words, text)
        births = find_births(self._words, text, today)
        fixed = _spans(products, births)
        dates = self._dates.dates(text, today, fixed)
        people = self._people.acquaintances(text, self._people.people(folded, self._lexicon.kinship, _spans(products)))
        names = self._people.names(text, _spans(products))
        revisions = find_revisions(self._words, text, [m.end for m in products])
        durations = self._dates.durations(text, [*fixed, *_spans(dates)])
        spent = [*fixed, *_spans(dates, durations, revisions)]
        ages = self._ages.find(text, spent, [m.end for m in people], [m.start for m in people])
        money = self._money.find(text, [*spent, *_spans(ages)])
        genders = self._people.genders(text, _spans(products, people))
        categories = self._products.find_categories(folded, _spans(products))
        # 치매보험 names a kind of insurance, no illness; 암 alone may be either.
        kinds = [m for m in categories if m.text.endswith(("보험", "보험거", "쪽")) and len(m.text) > 1]
        spoken_for = [*_spans(products), *_spans(kinds)]
        medical = [
            replace(m, negated=denied(text, m.end)) if not m.negated else m
            for m in map(_of_one_sentence, self._medical.find(folded, spoken_for))
        ]
        jobs = self._jobs.find(folded, _spans(products, people, medical))
        entities = Entities(
            text=text,
            products=_turned(text, products),
            categories=_turned(text, categories),
            references=tuple(find_references(self._words, text)),
            people=_turned(text, people),
            genders=_turned(text, genders),
            ages=_turned(text, ages),
            births=_turned(text, births),
            money=_turned(text, money),
            durations=_turned(text, durations),
            dates=_turned(text, dates),
            jobs=_turned(text, jobs),
            medical=tuple(
                m if only_that(text[m.end :]) else turned
                for m, turned in zip(medical, _turned(text, medical), strict=True)
            ),
            benefits=_turned(text, self._benefits.find(folded, [*spoken_for, *_spans(jobs)])),
            riders=_turned(text, self._benefits.find_riders(folded, _spans(products))),
            claims=_turned(text, _told_apart(self._claims.find(folded), spoken_for), self._words.references.undone),
            names=tuple(names),
            revisions=tuple(revisions),
            counts=tuple(find_counts(self._words, text)),
            quotes=tuple(quotes),
            is_correction=is_correction(self._words, text),
            questions=split_questions(text),
            non_renewing=is_non_renewing(self._words, text),
            unsold=self.unsold.asked_for(text),
        )
        whose = find_conditions(
            self._words, self.catalogue.reference, text, people, spoken_for, categories, medical, jobs
        )
        entities = without_motives(entities, whose)
        return without_motive(self._words, self._with_terms(entities, folded, _spans(products)))

    def _with_terms(self, entities: Entities, folded: Folded, taken: Sequence[tuple[int, int]]) -> Entities:
        """The closed lists: channels, actions, topics, covers, goals, plans, cycles, states, scripts, documents."""
        text, words = folded.text, self._lexicon

        timed = [*taken, *_spans(entities.durations)]  # 두 해 지났으면 gives nothing up (해지)

        def terms(table: PhraseTable[str], taken: Sequence[tuple[int, int]] = taken) -> tuple[TermMention, ...]:
            hits = table.find(folded, taken)
            return _turned(
                text, [TermMention(h.start, h.end, text[h.start : h.end], 0.9, False, h.value) for h in hits]
            )

        not_channels = [*taken, *(m.span() for m in _PHONE_CHANNEL.finditer(text))]
        channels = [
            ChannelMention(h.start, h.end, text[h.start : h.end], 0.9, False, h.value)
            for h in words.channels.find(folded, not_channels)
        ]
        actions = [
            ActionMention(h.start, h.end, text[h.start : h.end], 0.9, False, h.value)
            for h in words.actions.find(folded, timed)
        ]
        covers = [
            CoverageMention(h.start, h.end, text[h.start : h.end], 0.9, False, h.value)
            for h in words.coverages.find(folded, taken)
        ]
        return replace(
            entities,
            channels=_turned(text, channels),
            actions=tuple(m if not _kept_off(text, m.end) else replace(m, negated=True) for m in actions),
            coverages=_turned(text, covers),
            topics=terms(words.topics, timed),
            goals=terms(words.goals),
            plans=terms(words.plans),
            cycles=terms(words.cycles),
            states=terms(words.states, timed),
            scripts=terms(words.scripts),
            documents=terms(words.documents),
        )


def _told_apart(claims: Sequence[ClaimMention], names: Sequence[tuple[int, int]]) -> list[ClaimMention]:
    """The claims told beside the names of products and kinds; those within a name only where no other is told."""
    beside = [m for m in claims if not any(start <= m.start and m.end <= end for start, end in names)]
    return beside or list(claims)


def _kept_off(text: str, end: int) -> bool:
    """'깨지 말고', '해지하지 않고': an action that is ruled out."""
    return is_negated(text, end) or bool(re.match(r"(?:하)?지\s?(?:말|않|마)", text[end : end + 6]))
