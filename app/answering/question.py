"""What the operators need to know of a message: its form, what it names, and which of the things shown it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.dialogue.items import FieldLexicon, Item, Reason
from app.dialogue.state import Shown
from app.language.mentions import Entities
from app.language.normalise import compact
from app.understanding.forms import FormReading


@dataclass(frozen=True)
class Question:
    """A message with its form and mentions. `since`: months and days since the contract was made, where it was told."""

    reading: FormReading
    entities: Entities
    since: tuple[int, int] | None = None

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
        named = next((name for name in common if _named(fields.figures[name].words, said)), None)
        return named or next(iter(common), None), False

    def reason(self, shown: Shown) -> Reason | None:
        """Why something does not fit: of what the message names, or the only reason there is."""
        said, codes = compact(self.text), self.entities.product_codes
        named = [reason for reason in shown.reasons if reason.code in codes or compact(reason.name) in said]
        named = named or ([] if codes or len(shown.reasons) != 1 else list(shown.reasons))
        return named[0] if named else None

    def names(self, name: str, fields: FieldLexicon) -> bool:
        """Whether words of the message name this figure."""
        return _named(fields.figures[name].words, compact(self.text))

    @property
    def only_a_length(self) -> bool:
        """Whether a length of time is all that the message names."""
        return bool(self.entities.durations) and len(self.entities.all()) == len(self.entities.durations)

    @property
    def brings_nothing_new(self) -> bool:
        """Whether nothing is told that the figures shown would have to be reckoned anew for."""
        told = self.entities
        return not (told.ages or told.births or told.genders or told.people or told.names or told.benefits)

    def meant(self, shown: Sequence[Shown], least: int, *, pointed: bool = True) -> tuple[Item, ...]:
        """The items that the message means, of what was shown last; earlier ones beside them where `least` are needed
        and the last answer showed fewer."""
        items: tuple[Item, ...] = ()
        for answer in shown:
            known = {item.key for item in items}
            fresh = tuple(item for item in answer.items if item.key not in known)
            if items and fresh and not set(items[0].figures) & set(fresh[0].figures):
                break
            items = (*fresh, *items)
            if len(items) >= least:
                break
        return (self._pointed(items) if pointed else ()) or items

    def _pointed(self, items: tuple[Item, ...]) -> tuple[Item, ...]:
        said, codes = compact(self.text), self.entities.product_codes
        kinds = {m.category for m in self.entities.categories if m.category and not m.negated}
        named = [i for i in items if i.code in codes or compact(i.name) in said or i.facts.get("category") in kinds]
        if named:
            return tuple(named)
        for reference in self.entities.references:
            if reference.kind == "ordinal" and -len(items) <= reference.index < len(items):
                return (items[reference.index],)
            if reference.kind == "both" and reference.count and len(items) > reference.count:
                return items[: reference.count]
        return ()


def _named(words: Sequence[str], said: str) -> bool:
    return any(compact(word) in said for word in words)
