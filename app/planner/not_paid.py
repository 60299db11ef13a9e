"""What a product never pays, where a message names it: the clause's own words instead of what a cover pays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jinja2 import Environment

from app.answering.wording import joined
from app.dialogue.items import FieldLexicon
from app.insurance.catalogue import Catalogue
from app.insurance.exclusions import list_exclusions
from app.insurance.models import Product
from app.language.formatting import answer_environment
from app.language.mentions import Entities
from app.language.normalise import compact
from app.language.plain_words import PlainWords
from app.language.tokenizer import Tokenizer
from app.planner.moves import Done, Say
from app.toolbox.declared import Declarations

_NOUNS = frozenset({"NNG", "NNP", "XR", "SL"})
# Mentions that say of whom, when or how much, and not what.
_BESIDE = ("products", "people", "genders", "ages", "births", "dates", "durations", "money", "counts", "names")
_LEAST_CHARS = 2
NOT_PAID = "not_paid"


@dataclass(frozen=True)
class _LeftOut:
    text: str
    nouns: frozenset[str]
    called: str = ""


@dataclass(frozen=True)
class _Known:
    """Of one product: the words of what it pays, what it leaves out, and what all products do."""

    product: Product
    paid: str
    left_out: tuple[_LeftOut, ...]
    of_all: tuple[_LeftOut, ...]


class NotPaid:
    """Built once; reads a product when it is first asked about. `words` tell how a sentence of a cover's condition
    ends that leaves something out, and what people call what clauses leave out."""

    def __init__(
        self,
        catalogue: Catalogue,
        tokenizer: Tokenizer,
        plain: PlainWords,
        words: FieldLexicon,
        templates: Path,
        environment: Environment | None = None,
    ) -> None:
        """`environment` has the sentences of another language."""
        self._catalogue, self._tokenizer, self._plain, self._ends = catalogue, tokenizer, plain, tuple(words.left_out)
        self._called = {said: re.compile(words) for said, words in words.left_out_called.items()}
        self._say: Any = (environment or answer_environment(templates / "answers")).get_template("_forms.j2").module
        self._known: dict[str, _Known] = {}

    def told(self, done: Sequence[Done], said: Entities, declared: Declarations) -> Say | None:
        """That what a message names is not paid, where one product was asked what it pays or for an event; None where
        the message names nothing that the product leaves out, or the tool said so itself."""
        codes = {item.args.get("product_code") for item in done if item.ok}
        asked = all(declared.has(d.tool, "pays") or declared.takes(d.tool, "event") for d in done)
        if len(codes) != 1 or not asked or any(item.data.get("exclusions") for item in done):
            return None
        code = next(iter(codes))
        known = self._of(self._catalogue.product(str(code))) if code else None
        found = self._named(known, said) if known else None
        if known is None or found is None:
            return None
        text = joined(self._say.not_paid(known.product.name, found.text, found.called))
        return Say(text, grounds=(text,), operator=NOT_PAID)

    def _named(self, known: _Known, said: Entities) -> _LeftOut | None:
        """What the product leaves out that holds all that a message names beside what is paid: words in a row as one
        (인지지원등급), else each by itself."""
        nouns, rows = self._nouns(said)
        if called := self._by_another_name(known, said.text):
            return called
        own_rows = [row for row in rows if row not in known.paid]
        own = frozenset(noun for noun in nouns if noun not in known.paid)
        in_a_row = (item for item in known.left_out if own_rows and all(row in compact(item.text) for row in own_rows))
        each = (item for item in known.left_out if own and own <= item.nouns)
        return next(in_a_row, None) or next(each, None)

    def _by_another_name(self, known: _Known, text: str) -> _LeftOut | None:
        """What is left out that people call otherwise than its clause does (쌍꺼풀 수술: 미용 성형)."""
        said = [(clause, found.group()) for clause, words in self._called.items() if (found := words.search(text))]
        items = (*known.left_out, *known.of_all)
        named = (replace(item, called=word) for clause, word in said for item in items if clause in compact(item.text))
        return next(named, None)

    def _nouns(self, said: Entities) -> tuple[frozenset[str], tuple[str, ...]]:
        """The nouns of a message that tell what is asked after, and those that are written together as one word."""
        beside = [(m.start, m.end) for kind in _BESIDE for m in getattr(said, kind)]
        nouns: list[str] = []
        rows: list[str] = []
        end = -1
        for form, tag, start, stop in self._tokenizer.placed(said.text):
            if tag not in _NOUNS or any(a < stop and start < b for a, b in beside):
                continue
            nouns.append(form)
            rows = [*rows[:-1], rows[-1] + form] if start == end else [*rows, form]
            end = stop
        return frozenset(filter(self._tells, nouns)), tuple(filter(self._tells, rows))

    def _tells(self, word: str) -> bool:
        return len(word) >= _LEAST_CHARS and not self._plain.tells_nothing(word)

    def _of(self, product: Product) -> _Known:
        known = self._known.get(product.code)
        if known is None or known.product is not product:
            known = self._read(product)
            self._known[product.code] = known
        return known

    def _read(self, product: Product) -> _Known:
        paid: list[Any] = [product.name]
        left_out = [_LeftOut(item, self._nouns_of(item)) for item in product.exclusions]
        for benefit, _ in product.all_benefits:
            paid += [benefit.name, *benefit.keywords, benefit.limit.text if benefit.limit else ""]
            for sentence in benefit.condition.replace(". ", ".\n").splitlines():
                if sentence.endswith(self._ends):
                    left_out.append(_LeftOut(f"{benefit.name}: {sentence}", self._nouns_of(sentence)))
                else:
                    paid.append(sentence)
        common = list_exclusions(self._catalogue.reference, product).common
        of_all = tuple(_LeftOut(exclusion.item, frozenset()) for exclusion in common)
        return _Known(product, compact(" ".join(paid)), tuple(left_out), of_all)

    def _nouns_of(self, text: str) -> frozenset[str]:
        return frozenset(form for form, tag in self._tokenizer.tagged(text) if tag in _NOUNS)
