"""What the operators need to know of a message: its form, what it names, and which of the things shown it means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.answering.pieces import pieces_of
from app.dialogue.items import FieldLexicon, Item, Reason
from app.dialogue.state import Shown, Terms
from app.language.mentions import DurationMention, Entities
from app.language.normalise import compact
from app.understanding.forms import FormReading

# The share from which a form is sure.
SURELY = 0.45
MONTH_DAYS = 30
YEAR_MONTHS = 12
# This answer and the one before it.
_LAST = 2
_ENDING_CHARS = 4


@dataclass(frozen=True)
class Question:
    """A message with its form and mentions. `told` is what the talk told of the event before: the time since the
    contract was made, and what brought it about."""

    reading: FormReading
    entities: Entities
    told: Terms = field(default_factory=Terms)

    @property
    def text(self) -> str:
        """The message as it was read."""
        return self.entities.text

    def figure(self, items: Sequence[Item], fields: FieldLexicon) -> tuple[str | None, bool]:
        """The name of the figure asked about, and whether the most of it is: by words for its least or most, then by
        what else names it, else the first one declared that every item has."""
        common = [name for name in fields.figures if items and all(name in item.figures for item in items)]
        said = compact(self.text)
        for most in (True, False):
            of_degree = [n for n, kind in fields.figures.items() if _named(kind.most if most else kind.least, said)]
            if of_degree:  # 더 많이 주는 쪽 is no question of premiums, where nothing else was shown
                return next((name for name in common if name in of_degree), None), most
        named = next((name for name in common if self.names(name, fields)), None)
        return named or next(iter(common), None), False

    def reason(self, shown: Shown) -> Reason | None:
        """Why something does not fit: of what the message names, or the only reason there is."""
        said, codes = compact(self.text), self.entities.product_codes
        named = [reason for reason in shown.reasons if reason.code in codes or compact(reason.name) in said]
        named = named or ([] if codes or len(shown.reasons) != 1 else list(shown.reasons))
        return named[0] if named else None

    def points_at_a_degree(self, fields: FieldLexicon) -> bool:
        """Whether one of those shown is pointed at by how much it is (그중 높은 거 얼마)."""
        words = "|".join(w for kind in fields.figures.values() for w in (*kind.least, *kind.most))
        return self.says(fields.among) and self.says(fields.one.replace("{degree}", words))

    def names(self, name: str, fields: FieldLexicon) -> bool:
        """Whether words of the message name this figure."""
        kind, said = fields.figures[name], compact(self.text)
        return _named(kind.words, said) or (_named(kind.hints, said) and not self.names_a_case())

    def asks_what_is_paid(self, items: Sequence[Item], fields: FieldLexicon) -> bool:
        """Whether what some covers pay is named by its words, and nothing else is told (얼마쯤 받을까요)."""
        names = {name for item in items for name in item.figures if fields.figures[name].each_from}
        return self.only_changes_a_case and any(self.names(name, fields) for name in names)

    def steps(self, item: Item, name: str, fields: FieldLexicon) -> tuple[tuple[int, str], ...]:
        """By what a figure of an item is multiplied: the months, days or pieces that the message names, or all months
        that the item is paid for."""
        each = item.each.get(name, "")
        lengths = [m for m in self.entities.durations if not m.negated and not self._since_of(m, fields)]
        lengths = [m for m in lengths if m.role != "ago" and not matches(fields.later, self.text[m.end :])]
        plans = [(m.start, m.end) for m in self.entities.plans]  # 20년짜리로 하고
        lengths = [m for m in lengths if not any(s <= m.start and m.end <= e for s, e in plans)]
        if each == fields.monthly:
            said = compact(self.text)
            months = next((m.months for m in lengths if m.months > 1), 0)
            if not months and self.told_since(fields) is None:  # 든 지 반년 만에 is no half year of premiums
                months = next((n for word, n in fields.periods.items() if word in said), 0)
            if not months and self.says(fields.whole):
                months = all_months(item, fields)
            return ((months, fields.month),) if months else ()
        if each == fields.daily:
            days = next((m.days or m.months * MONTH_DAYS for m in lengths), 0)
            return ((days, fields.day),) if days else ()
        count, counter = pieces_of(self.entities, item, each, fields)
        return ((count, counter),) if count > 1 else ()

    def counts_one(self, item: Item, name: str, fields: FieldLexicon) -> bool:
        """Whether just one of what a figure is counted by is told."""
        return pieces_of(self.entities, item, item.each.get(name, ""), fields)[0] == 1

    def counts_on(self, items: Sequence[Item], fields: FieldLexicon) -> bool:
        """Whether the figure of one of them that is pointed at is to be taken so many times."""
        name, _ = self.figure(items, fields)
        pointed = any(m.kind in ("cheapest", "dearest") for m in self.entities.references)
        return pointed and name is not None and bool(self.steps(items[0], name, fields))

    def told_since(self, fields: FieldLexicon) -> tuple[int, int] | None:
        """Months and days since the contract was made, as the message itself tells them (가입 6개월째면)."""
        found = [m for m in self.entities.durations if not m.negated and self._since_of(m, fields)]
        if not found:
            return None
        months, days = found[-1].months, found[-1].days
        return (months, months * MONTH_DAYS) if months else (days // MONTH_DAYS, days)

    def tells_only_since(self, fields: FieldLexicon) -> bool:
        """Whether the time since the contract is all that is told, and nothing is asked of it in words (2년 지났으면요,
        not 10년 지나면 연장되나)."""
        found = [m for m in self.entities.durations if not m.negated and self._since_of(m, fields)]
        behind = self.text[found[-1].end :] if found else ""
        ends = [match.end() for match in matches(fields.since["after"], behind)] or [0]
        return bool(found) and len(compact(behind[ends[0] :]).strip("?？.!~")) <= _ENDING_CHARS

    def _since_of(self, length: DurationMention, fields: FieldLexicon) -> bool:
        before, after = self.text[: length.start], self.text[length.end :]
        if matches(fields.since["before"], before):
            return True
        return bool(matches(fields.since["after"], after)) and not matches(fields.since["against"], before)

    def cause(self, fields: FieldLexicon) -> str:
        """What brought it about, as the message itself tells it; '' else."""
        return cause_of(self.entities, fields)

    @property
    def names_an_illness(self) -> bool:
        """Whether an illness is named, as it is or by its word."""
        return any(not mention.negated for mention in self.entities.medical)

    @property
    def names_a_treatment(self) -> bool:
        """Whether what is paid for is named: a treatment, a benefit or a kind of cover."""
        told = self.entities
        return any(not mention.negated for mention in (*told.benefits, *told.coverages, *told.claims))

    @property
    def only_changes_a_case(self) -> bool:
        """Whether nothing is named but lengths of time, counts and what points back."""
        told = self.entities
        kept = (*told.durations, *told.counts, *told.references, *told.topics, *told.conditions)
        kept = (*kept, *(date for date in told.dates if date.value is None))
        kept = (*kept, *(money for money in told.money if money.role == "paid"))
        return not set(told.all()) - set(kept)

    @property
    def only_another_product(self) -> bool:
        """Whether a product is all that is named: the same is asked of it."""
        told = self.entities
        kept = (*told.products, *told.references, *told.conditions)
        return bool(told.product_codes) and not set(told.all()) - set(kept)

    @property
    def states(self) -> tuple[str, ...]:
        """The states of contracts that are named (해지, 실효, 유지)."""
        return tuple(dict.fromkeys(str(m.value) for m in self.entities.states if not m.negated))

    def names_only_what_was_shown(self, fields: FieldLexicon) -> bool:
        """Whether nothing is named but a kind of thing, what points back and until when."""
        told = self.entities
        known = [(m.start, m.end) for m in told.categories if not m.negated]
        known += [match.span() for match in matches(fields.whole, self.text)]
        kept = (*told.references, *told.topics, *told.conditions, *told.durations, *told.counts, *told.categories)
        return all(any(s <= m.start and m.end <= e for s, e in known) for m in set(told.all()) - set(kept))

    def of_the_kinds(self, items: tuple[Item, ...]) -> tuple[Item, ...]:
        """The items of the kinds named, or all where none is."""
        kinds = {m.category for m in self.entities.categories if m.category and not m.negated}
        return tuple(item for item in items if not kinds or item.facts.get("category") in kinds)

    def says(self, words: str) -> bool:
        """Whether a pattern is said, apart from the names of products."""
        names = [(m.start, m.end) for m in self.entities.products]
        found = (match.span() for match in matches(words, self.text))
        return any(not any(s < end and start < e for s, e in names) for start, end in found)

    def says_only(self, words: str) -> bool:
        """Whether a pattern is all that is said."""
        text = self.text.strip(" ?？.!~")
        return any(match.group() == text for match in matches(words, text))

    def asks_for_all(self, fields: FieldLexicon) -> bool:
        """Whether the sum of what was told before is asked for: of all, and nothing is counted."""
        return self.says(fields.everything) and not (self.entities.durations or self.entities.counts)

    def goes_on_with(self, items: Sequence[Item]) -> bool:
        """Whether every treatment or benefit that is named is one of the covers shown (입원 of 질병입원보험금), or a
        kind of cover that one of them is of (진단금)."""
        told = self.entities
        cases = (*told.benefits, *told.riders, *told.claims)
        names = [compact(item.name) for item in items]
        kinds = {item.facts.get("coverage_type") for item in items}
        of_kinds = [m for m in told.coverages if not (m.coverage_type in kinds or _in_one(m.text, names))]
        return bool(cases or told.coverages) and not of_kinds and all(_in_one(m.text, names) for m in cases)

    def names_a_case(self, but: Sequence[str] = (), *, but_kinds: bool = False) -> bool:
        """Whether an illness, a treatment or a benefit is named, apart from what the patterns of `but` say, and with
        `but_kinds` from what names a kind of insurance (치매 쪽)."""
        told = self.entities
        known = [match.span() for words in but for match in matches(words, self.text)]
        known += [(m.start, m.end) for m in told.categories if but_kinds]
        cases = (*told.benefits, *told.riders, *told.medical, *told.coverages, *told.claims)
        return any(not any(s <= m.start and m.end <= e for s, e in known) for m in cases)

    @property
    def only_a_length(self) -> bool:
        """Whether a length of time is all that the message names."""
        return bool(self.entities.durations) and len(self.entities.all()) == len(self.entities.durations)

    def of_later(self, fields: FieldLexicon) -> bool:
        """Whether a time to come is told (10년 뒤는): nothing is taken so many times."""
        return any(matches(fields.later, self.text[m.end :]) for m in self.entities.durations)

    @property
    def tells_nobody_new(self) -> bool:
        """Whether no fact of a person and no product is told."""
        told = self.entities
        return not (told.ages or told.births or told.names or told.benefits or told.products or told.medical)

    def tells_nobody_but(self, holder: str) -> bool:
        """Whether nobody is told of but whoever a pattern calls (고객이 기다리세요)."""
        told = self.entities
        others = [person for person in told.people if not matches(holder, person.text)]
        return not (told.ages or told.births or told.genders or told.names or others)

    @property
    def brings_nothing_new(self) -> bool:
        """Whether nothing is told that the figures shown would have to be reckoned anew for."""
        told = self.entities
        return not (told.ages or told.births or told.genders or told.people or told.names or told.benefits)

    def meant(self, shown: Sequence[Shown], least: int, *, pointed: bool = True) -> tuple[Item, ...]:
        """The items that the message means, of what was shown last; earlier ones beside them where `least` are needed
        and the last answer showed fewer."""
        items: tuple[Item, ...] = ()
        both = pointed and any(reference.kind == "both" for reference in self.entities.references)
        for answer in shown:
            fresh = tuple(item for item in answer.items if not any(item.is_same(known) for known in items))
            if items and fresh and not set(items[0].figures) & set(fresh[0].figures):
                break
            items = (*fresh, *items)
            if len((self.pointed(items) if both else ()) or items) >= least:
                break
        return (self.pointed(items) if pointed else ()) or items

    def against_others(self, shown: Sequence[Shown]) -> tuple[Item, ...]:
        """What the last two answers told, each product as it was told last, where one of them alone is named (그럼
        뉴스타트가 더 싸네요): what it is held against was told before. Empty where it is not so."""
        last: dict[str, Item] = {}
        for item in (item for answer in shown[:_LAST] for item in answer.items):
            last.setdefault(item.code, item)
        alike = len({tuple(item.person.items()) for item in last.values()}) == 1
        named = set(self.entities.product_codes)
        return tuple(last.values()) if alike and len(last) > 1 and len(named) == 1 and named <= set(last) else ()

    def pointed(self, items: tuple[Item, ...]) -> tuple[Item, ...]:
        """The items that the message names or counts; none where it does neither."""
        said, codes = compact(self.text), self.entities.product_codes
        kinds = {m.category for m in self.entities.categories if m.category and not m.negated}
        named = [i for i in items if i.code in codes or compact(i.name) in said or i.facts.get("category") in kinds]
        if named:
            return tuple(named)
        for reference in self.entities.references:
            if reference.kind == "ordinal" and -len(items) <= reference.index < len(items):
                return (items[reference.index],)
            apart = len({item.code or item.name for item in items}) == len(items)  # 둘이, of each for two people
            if reference.kind == "both" and apart and 0 < reference.count < len(items):
                return items[: reference.count]
        return ()


def _in_one(text: str, names: Sequence[str]) -> bool:
    return any(compact(text) in name for name in names)


def cause_of(said: Entities, fields: FieldLexicon) -> str:
    """What brought something about, where words of just one cause are said, else by the illness named; '' else."""
    found = [cause for cause, words in fields.causes.items() if matches(words, said.text)]
    if not found:
        codes = [mention.code for mention in said.medical if mention.code and not mention.negated]
        found = [cause for cause, begin in fields.cause_codes.items() if any(re.match(begin, c) for c in codes)]
    return found[0] if len(found) == 1 else ""


def _named(words: Sequence[str], said: str) -> bool:
    return any(compact(word) in said for word in words)


def matches(pattern: str, text: str) -> list[re.Match[str]]:
    """Where a declared pattern of data/language/figures.yaml stands in a text, in order."""
    return list(re.finditer(pattern, text))


def all_months(item: Item, fields: FieldLexicon) -> int:
    """For how many months an item is paid at all: by its limit, else by its term; 0 where neither tells."""
    if most := item.facts.get("limit_total"):
        return int(most)
    years = matches(fields.years, str(item.facts.get("payment_term", "")))
    return int(years[0][1]) * YEAR_MONTHS if years else 0
