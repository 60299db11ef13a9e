"""What a tool declares of itself for the talk: the `dialogue:` block of its card, and those of a whole set together."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

from app.language.mentions import Entities
from app.messages import worded

Trait = Literal[
    # what it finds and tells
    "finds_products",  # products for a person or a need; the first step where a kind of insurance was named
    "finds_customers",  # customers by what they are or have; what is said of people are its criteria
    "looks_up_customer",  # the contracts of one customer
    "describes_product",  # a product as a whole
    "quotes",  # what one product costs one person; answers a product and an age with nothing asked
    "of_sums",  # by a sum insured: after it a bare 500 is one, in 만원
    "suggests_sum",  # how much cover somebody needs, by what it is for
    "pays",  # what a cover pays
    "pays_back",  # what is paid back to who gives a contract up
    "shows_riders",  # riders, of which one may be pointed at next
    "defines",  # what a word of the trade means
    "claim_steps",  # how something is claimed
    "claim_papers",  # which papers a claim takes
    # what it is for
    "changes_contract",  # explains a change of a contract and, on a go-ahead, registers it
    "judges_joining",  # whether a person may join
    "checks_held",  # what a customer holds already
    "writes_text",  # a text about something, which is not asked for itself
    "beside_text",  # is asked for beside such a text
    "hides_personal_data",  # personal data in a text
    # what it needs of a person
    "for_a_person",  # reckons for one: age and gender are asked for with whatever else is missing
    "knows_person",  # goes by age and gender though it takes no such arguments
    # what it does of no product, or of several
    "without_product",  # its business needs none: what is asked next stays with it
    "by_kind",  # asked of a kind of insurance, it is called for each product of it
    "search_first",  # asked of a kind, a search comes before it
    "search_instead",  # asked of no product, a search answers for the whole range
    "list_answers",  # of several products the whole list is the answer: which one is not asked
]
"""A fixed vocabulary: what a tool does, in terms of the field. The engine asks for these and knows no tool by name."""

KINDS = frozenset(f.name for f in fields(Entities) if "Mention" in str(f.type) and str(f.type).startswith("tuple"))
"""The kinds of mention that a tool can be asked for one at a time."""

_REPEATED_GROUP = re.compile(r"\)(?:[+*]|\{\d*,(?!\d\}))")
_NAME = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{2,63}$")]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=False)


def _readable(says: str) -> str:
    try:
        pattern = re.compile(says)
    except re.error as error:
        raise ValueError(worded("declared.bad_pattern", error=error)) from None
    if pattern.groups:
        raise ValueError(worded("declared.no_groups"))
    if _REPEATED_GROUP.search(says):
        raise ValueError(worded("declared.repeated_group"))
    if pattern.fullmatch(""):
        raise ValueError(worded("declared.matches_empty"))
    return says


_Pattern = Annotated[str, Field(min_length=2, max_length=600), AfterValidator(_readable)]


class Words(_Part):
    """Plain words that name the tool's business, as a pattern, and the tools that they may mean else, less likely."""

    says: _Pattern
    or_else: tuple[_NAME, ...] = Field((), max_length=4)


class Twin(_Part):
    """The tool that does the same for one thing alone, or for several side by side."""

    single: _NAME | None = None
    several: _NAME | None = None


class Verdict(_Part):
    """The field of the result that answers yes or no: `yes` and `no` are its words, without them its truth. It is read
    where the field `given` holds something and `unless` is not there; with something in `plain_unless` a yes is none.
    """

    field: str = Field(min_length=1, max_length=60)
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    given: str | None = None
    unless: str | None = None
    plain_unless: str | None = None

    def of(self, data: Mapping[str, Any]) -> bool | None:
        """Whether a result says yes; None where it says neither."""
        if (self.given and not data.get(self.given)) or (self.unless and self.unless in data):
            return None
        value = data.get(self.field)
        if self.yes or self.no:
            return True if value in self.yes else False if value in self.no else None
        if value and self.plain_unless and data.get(self.plain_unless):
            return None
        return bool(value)


class Joining(_Part):
    """The fields of a result, and of its rows, that say whether one may join: `no` are their words for a refusal,
    `doubtful` those for one that is likely."""

    fields: tuple[str, ...] = Field(min_length=1, max_length=4)
    no: tuple[str, ...] = Field(min_length=1)
    doubtful: tuple[str, ...] = ()

    def of(self, record: Mapping[str, Any]) -> int | None:
        """0 for a refusal, 1 for a doubtful case, 2 for any other verdict; None where there is none."""
        told = [record[name] for name in self.fields if isinstance(record.get(name), str)]
        if not told:
            return None
        return 0 if set(told) & set(self.no) else 1 if set(told) & set(self.doubtful) else 2


class Dialogue(_Part):
    """What a card declares for the talk. All of it may be left out: the tool is then asked by its lines and slots.

    `words` name its business; `bare` ask for it and for nothing else, so that of no product the product is asked for;
    `only_where` these stand, or right after it was used, it is meant; `one_each` are the kinds of mention that it is
    asked for one at a time.
    """

    traits: tuple[Trait, ...] = ()
    words: tuple[Words, ...] = Field((), max_length=20)
    bare: tuple[_Pattern, ...] = Field((), max_length=20)
    only_where: tuple[_Pattern, ...] = Field((), max_length=20)
    one_each: tuple[str, ...] = ()
    twin: Twin | None = None
    verdict: Verdict | None = None
    joining: Joining | None = None

    @field_validator("one_each")
    @classmethod
    def _known(cls, kinds: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := [kind for kind in kinds if kind not in KINDS]:
            raise ValueError(
                worded("declared.unknown_kinds", unknown=", ".join(unknown), kinds=", ".join(sorted(KINDS)))
            )
        return kinds


NOTHING = Dialogue()
TRAITS: tuple[Trait, ...] = get_args(Trait)


@dataclass(frozen=True)
class Want:
    """A place where plain words name what is wanted, and the tools for it, likeliest first."""

    tools: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Declarations:
    """What the tools of one set declare, and the arguments they take; of a tool that is unknown, nothing."""

    blocks: Mapping[str, Dialogue] = field(default_factory=dict)
    arguments: Mapping[str, Collection[str]] = field(default_factory=dict)
    required: Mapping[str, Collection[str]] = field(default_factory=dict)

    def of(self, tool: str | None) -> Dialogue:
        """The block of one tool."""
        return self.blocks.get(tool or "", NOTHING)

    def has(self, tool: str | None, *traits: Trait) -> bool:
        """Whether a tool declares one of these traits."""
        return any(trait in self.of(tool).traits for trait in traits)

    def takes(self, tool: str | None, argument: str) -> bool:
        """Whether a call of the tool may give this argument."""
        return argument in self.arguments.get(tool or "", ())

    def requires(self, tool: str | None, argument: str) -> bool:
        """Whether a call of the tool cannot do without this argument."""
        return argument in self.required.get(tool or "", ())

    def first(self, trait: Trait, *, taking: str | None = None, among: Collection[str] | None = None) -> str | None:
        """The first tool of the set that declares a trait, takes an argument where one is named and stands `among`
        those that may be called now; None where there is none."""
        fitting = (tool for tool in self._with.get(trait, ()) if taking is None or self.takes(tool, taking))
        return next((tool for tool in fitting if among is None or tool in among), None)

    def fits(self, tool: str, text: str) -> bool:
        """Whether `text` holds words that the tool is meant by, where it is meant by no others."""
        only = self.of(tool).only_where
        return not only or any(_compiled(says).search(text) for says in only)

    def barely(self, text: str) -> str | None:
        """The tool that `text` asks for with no word of anything else."""
        return next((tool for tool, says in self._bare if says.search(text)), None)

    def requiring(self, argument: str) -> str | None:
        """The first tool of the set that cannot do without an argument."""
        return next((tool for tool, names in self.required.items() if argument in names), None)

    def wants(self, text: str) -> list[Want]:
        """What plain words of `text` ask for, in their order. Where two would begin at one place the longer one is
        meant, as 녹취 고지 멘트 is a 녹취 and no 멘트."""
        any_words, each = self._words
        found: list[Want] = []
        at = 0
        while each and (place := any_words.search(text, at)):
            start = place.start()
            said = [(match.end(), tools) for pattern, tools in each if (match := pattern.match(text, start))]
            end, tools = max(said, key=lambda pair: pair[0])
            found.append(Want(tools, start, end))
            at = end
        return found

    @cached_property
    def _with(self) -> Mapping[Trait, tuple[str, ...]]:
        return {trait: tuple(tool for tool in self.blocks if self.has(tool, trait)) for trait in TRAITS}

    @cached_property
    def _bare(self) -> list[tuple[str, re.Pattern[str]]]:
        return [(tool, _compiled(says)) for tool, block in self.blocks.items() for says in block.bare]

    @cached_property
    def _words(self) -> tuple[re.Pattern[str], list[tuple[re.Pattern[str], tuple[str, ...]]]]:
        each = [
            (_compiled(words.says), (tool, *words.or_else))
            for tool, block in self.blocks.items()
            for words in block.words
        ]
        return _compiled("|".join(f"(?:{pattern.pattern})" for pattern, _ in each)), each


UNDECLARED = Declarations()
"""Of tools that declare nothing."""


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    # `re` keeps fewer than one set of cards has, and a reload brings most of them again.
    return re.compile(pattern)
