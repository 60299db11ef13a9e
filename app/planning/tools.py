"""Tools that were not built with the product: their slots from schema and card, and what a message fills of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from app.answering.labels import Labels
from app.answering.schema import SchemaView
from app.answering.words import FieldWords
from app.language.normalise import compact
from app.planning.filling import Filled, SlotFiller
from app.planning.message import Frame
from app.planning.slots import Kind, Slot, slots_of, untold
from app.planning.words import SlotWords
from app.toolbox.cards import ToolCard
from app.toolbox.snapshot import ToolEntry
from app.tools.needs import choice_field, number_field, text_field
from app.tools.results import FieldType, NeededField

_MOST_OPTIONS, _MOST_NAMED, _MOST_FIELDS = 12, 60, 40
# A word of many tools' lines tells for none of them: from so many on it weighs nothing.
_COMMON = 14
# A word of the tool's title or of many of its lines, one of its choices, one of a line, the beginning or end of one.
_OWN, _CHOSEN, _ONCE, _PARTLY = 1.0, 0.8, 0.5, 0.6
_LEAST_BUSINESS = 0.4
# From this share on the router's word stands for the tool's own.
_LED = 0.4
_MUCH_TOLD, _HINT = 2.0, 0.15
_LEAD = 0.5
_CARRIED: frozenset[Kind] = frozenset({"choice", "code", "number", "place", "person"})
PLAINLY = 0.8
"""From this weight of its own words another tool is spoken of, though a message also tells what the last one takes."""
_UNEXPLAINED, _LACKING, _NAMED = 0.3, 0.3, 0.7
_WORTH: Mapping[Kind, float] = {
    "code": 2.0, "choice": 1.0, "date": 0.6, "time": 0.7, "moment": 0.9, "person": 0.5, "place": 0.5,
    "number": 0.6, "money": 0.4, "flag": 0.6, "text": 0.0, "month": 0.5, "id": 0.5,
}  # fmt: skip
"""How much a slot that was told says for its tool: what few messages hold says most."""
# Beside a likeness (a cosine and more): what is told, all that is needed, a word that nothing explains. Chosen on half
# of a foreign catalogue's questions: 78 to 84 % right tools, on the other half 68 to 75 %.
_MOST_ALIKE = 8
_TOLD_ALIKE, _WHOLE_ALIKE, _STRANGE_ALIKE, _LEAD_ALIKE, _PLAINLY_ALIKE = 0.2, 0.1, 0.03, 0.2, 0.2
INSIDE, LIKELY, SURE = 0.8, 1.2, 1.8
"""Scores of a claim; the least is enough where the message would be refused else. Of 1,785 questions to other tools and
of outsiders 21 reach LIKELY and 6 SURE; of 360 to twelve new tools 348 and 327."""


@dataclass(frozen=True)
class Claim:
    """A tool whose words and slots a message holds, and how surely it is meant."""

    tool: str
    score: float
    filled: Filled
    business: float


@dataclass(frozen=True)
class _Known:
    entry: ToolEntry
    slots: tuple[Slot, ...]
    frame: Frame
    weights: Mapping[str, float]
    lines: frozenset[str]


class ToolSlots:
    """Fills the arguments of tools by their schemas. What was read of a tool is kept while its entry lives."""

    def __init__(
        self, words: SlotWords, fields: FieldWords, filler: SlotFiller, korean: Callable[[str], str] = untold
    ) -> None:
        """`korean` translates English words."""
        self._words, self._fields, self._filler, self._korean = words, fields, filler, korean
        self._known: dict[str, _Known] = {}

    @staticmethod
    def by_schema(entry: ToolEntry) -> bool:
        """Whether nothing but its schema says what fills the tool's arguments."""
        return entry.source != "builtin"

    def fill(
        self,
        entry: ToolEntry,
        text: str,
        today: date,
        *,
        asked: Collection[str] = (),
        before: Mapping[str, Any] | None = None,
    ) -> Filled:
        """What `text` tells of the tool's arguments; `asked` were asked back for, `before` is what was known."""
        known = self._of(entry)
        return self._filler.fill(known.slots, text, today, known.frame, asked=asked, before=before)

    def counted(self, text: str) -> tuple[str, ...]:
        """Words for what a text asks the number of, by all names of its unit (몇 번: 번, 회)."""
        found: list[str] = []
        for word, of_unit in self._words.how_many.items():
            behind = text.partition(word)[2].lstrip() if word in text else ""
            for unit, names in self._words.units.items():
                if (unit == of_unit and word in text) or (not of_unit and behind.startswith(names)):
                    found += [unit, *names]
        return tuple(dict.fromkeys(found))

    def carried(
        self, entry: ToolEntry, filled: Filled, calls: Mapping[str, Mapping[str, Any]], others: Mapping[str, ToolEntry]
    ) -> Filled:
        """`filled` with what the talk tells of the slots that are missing: what the tool used last means by the card,
        else what the newest of the `calls` (oldest first) was given for a slot of the same name and values. `others`
        are the tools of these calls whose schema is known."""
        found: dict[str, Any] = {}
        last = next(reversed(list(calls)), "")
        if last == entry.name and filled.missing:
            return self._gone_on_with(entry, filled, calls[last])
        for slot in filled.missing:
            meant = [value for tool, value in slot.after if tool == last]
            same = (
                args[slot.name]
                for tool, args in reversed(list(calls.items()))
                if slot.name in args and tool in others and self._same(slot, others[tool])
            )
            if meant:
                found[slot.name] = meant[0]
            elif (value := next(same, None)) is not None:
                found[slot.name] = value
        missing = tuple(slot for slot in filled.missing if slot.name not in found)
        return replace(filled, args={**filled.args, **found}, missing=missing)

    def _gone_on_with(self, entry: ToolEntry, filled: Filled, before: Mapping[str, Any]) -> Filled:
        """The last call of the same tool with what is told now: it lacks something else, so that it is no new one."""
        names = {slot.name for slot in self._of(entry).slots}
        args = {**{name: value for name, value in before.items() if name in names}, **filled.args}
        return replace(filled, args=args, missing=tuple(s for s in filled.missing if s.name not in args))

    def _same(self, slot: Slot, other: ToolEntry) -> bool:
        """Whether another tool has the slot, too."""
        theirs = next((own for own in self._of(other).slots if own.name == slot.name), None)
        if theirs is None or slot.kind not in _CARRIED or theirs.kind != slot.kind or slot.many != theirs.many:
            return False
        values = [[choice.value for choice in each.choices] for each in (slot, theirs)]
        return values[0] == values[1] and (slot.pattern, slot.unit) == (theirs.pattern, theirs.unit)

    def labels(self, entry: ToolEntry) -> dict[str, str]:
        """What fields of the result are called: by the card, else as the argument of the same name is."""
        own = {slot.name: slot.label for slot in self._of(entry).slots if slot.label != slot.name}
        return {**own, **entry.card.labels}

    def value_names(self, entry: ToolEntry) -> dict[str, dict[str, str]]:
        """What the values of each argument are called, by the argument's name."""
        slots = (slot for slot in self._of(entry).slots if 0 < len(slot.choices) <= _MOST_NAMED)
        named = {slot.name: {str(c.value): c.words[0] for c in slot.choices if c.words[0] != c.value} for slot in slots}
        return {name: words for name, words in named.items() if words}

    def claimed(
        self,
        entries: Iterable[ToolEntry],
        text: str,
        today: date,
        holders: Callable[[str], int],
        *,
        least: float = LIKELY,
        goes_on: str | None = None,
        shares: Mapping[str, float] | None = None,
    ) -> Claim | None:
        """The tool, among those that nobody trained for, whose business and slots the message speaks of; None where no
        score reaches `least`. `holders` tells in how many tools' lines a word stands, `shares` how likely the router
        holds each tool; the tool that the talk `goes_on` with is left only for one that is meant more plainly."""
        forms, given = self._filler.content(text), shares or {}
        found = (
            self._claim(self._of(entry), text, forms, today, holders, given.get(entry.name, 0.0)) for entry in entries
        )
        claims = {claim.tool: claim for claim in found if claim}
        best = max(claims.values(), key=lambda claim: claim.score, default=None)
        going = claims.get(goes_on or "")
        if best is not None and going is not None and going.score + _LEAD > best.score:
            best = going
        return best if best is not None and best.score >= least else None

    def likeliest(
        self,
        entries: Iterable[ToolEntry],
        text: str,
        today: date,
        alike: Mapping[str, float],
        *,
        goes_on: str | None = None,
    ) -> Claim | None:
        """The tool that a message is `alike` (by name; over 0 where it may be meant at all) and whose slots it fills;
        None where it is like none of them."""
        near = sorted((e for e in entries if e.name in alike), key=lambda entry: -alike[entry.name])[:_MOST_ALIKE]
        if not near or alike[near[0].name] <= 0:
            return None
        claims = [self._like(self._of(entry), text, today, alike[entry.name]) for entry in near]
        best = max(claims, key=lambda claim: claim.score)
        going = next((claim for claim in claims if claim.tool == goes_on), best)
        return going if going.score + _LEAD_ALIKE > best.score else best

    def _like(self, known: _Known, text: str, today: date, alike: float) -> Claim:
        filled = self._filler.fill(known.slots, text, today, known.frame)
        told = min(sum(_WORTH[slot.kind] for slot in known.slots if slot.name in filled.said), _MUCH_TOLD)
        whole = not filled.missing and any(slot.required for slot in known.slots)
        score = SURE + alike + _TOLD_ALIKE * told + _WHOLE_ALIKE * whole - _STRANGE_ALIKE * len(filled.rest)
        return Claim(known.entry.name, score, filled, PLAINLY if alike > _PLAINLY_ALIKE else 0.0)

    def _claim(
        self,
        known: _Known,
        text: str,
        forms: frozenset[str],
        today: date,
        holders: Callable[[str], int],
        share: float,
    ) -> Claim | None:
        business = sum(_weight(form, known.weights, holders) for form in forms)
        line = compact(text) in known.lines
        codes = {slot.name for slot in known.slots if slot.kind == "code"}
        several = sum(slot.required for slot in known.slots) > 1
        led = share >= _LED
        if business < _HINT and not (line or codes or several or led):
            return None  # nothing that it could tell would be enough
        filled = self._filler.fill(known.slots, text, today, known.frame)
        whole = several and not filled.missing and not filled.rest
        told = sum(_WORTH[slot.kind] for slot in known.slots if slot.name in filled.said)
        much = line or (told >= _MUCH_TOLD and business >= _HINT)
        if business < _LEAST_BUSINESS and not (whole or much or led or codes & filled.said):
            return None
        strange = sum(1 for form in filled.rest if form not in known.weights)
        score = share + business + told - _UNEXPLAINED * strange - _LACKING * len(filled.missing)
        if business >= _NAMED and not filled.rest and forms <= known.weights.keys():
            score = max(score, LIKELY)  # 택배 어디쯤이에요: it names the business and nothing beside
        if line:
            score = max(score, SURE)
        return Claim(known.entry.name, score, filled, business)

    def _of(self, entry: ToolEntry) -> _Known:
        known = self._known.get(entry.name)
        if known is None or known.entry is not entry:
            card = entry.card
            labels = Labels(self._fields, card.labels)
            slots = slots_of(entry.openai_schema["function"], self._words, labels, self._korean, card.arguments)
            frame = self._filler.frame(card.when_to_use, (card.title, card.purpose), slots, _fields_told(entry, labels))
            known = self._known[entry.name] = _Known(
                entry, slots, frame, self._weights(card, slots, frame), frozenset(map(compact, card.when_to_use))
            )
        return known

    def _weights(self, card: ToolCard, slots: Iterable[Slot], frame: Frame) -> dict[str, float]:
        content = self._filler.content
        titled = content(f"{card.title} {card.purpose}")
        weights = {form: _ONCE for line in card.when_to_use for form in content(line) if len(form) > 1}
        weights |= {form: _OWN for form in frame.business if len(form) > 1 or form in titled}
        chosen = {form for slot in slots for choice in slot.choices for word in choice.words for form in content(word)}
        telling = chosen - self._words.everyday
        weights |= {form: max(weights.get(form, 0.0), _CHOSEN) for form in telling if len(form) > 1}
        return weights


def _fields_told(entry: ToolEntry, labels: Labels) -> tuple[str, ...]:
    """What the fields of a tool's result are called."""
    result = SchemaView.of(entry.result_schema)
    properties = (entry.result_schema or {}).get("properties")
    names = [name for name in properties if isinstance(name, str)] if isinstance(properties, Mapping) else []
    return tuple(labels.of(name, result.member(name)) for name in names[:_MOST_FIELDS])


def _weight(form: str, weights: Mapping[str, float], holders: Callable[[str], int]) -> float:
    if (own := weights.get(form)) is not None:
        return own * max(0.0, 1 - holders(form) / _COMMON)
    if len(form) <= 2:
        return 0.0
    parts = (word for word in weights if len(word) > 1 and (form.startswith(word) or form.endswith(word)))
    return _PARTLY * max((weights[word] * max(0.0, 1 - holders(word) / _COMMON) for word in parts), default=0.0)


def field_of(slot: Slot) -> NeededField:
    """The field that asks for a slot, its unit behind its label and a few choices to pick from."""
    return _plain_field(slot).model_copy(update={"ask": slot.ask})


def _plain_field(slot: Slot) -> NeededField:
    label = f"{slot.label}({slot.unit})" if slot.unit and slot.unit not in slot.label else slot.label
    if slot.choices and len(slot.choices) <= _MOST_OPTIONS:
        return choice_field(slot.name, label, [(choice.words[0], str(choice.value)) for choice in slot.choices])
    if slot.kind in ("number", "money"):
        return number_field(slot.name, label)
    kinds: dict[str, FieldType] = {"date": "date"}
    field = text_field(slot.name, label)
    return field.model_copy(update={"type": kinds.get(slot.kind, field.type)})
