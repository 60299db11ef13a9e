"""What the talk has established so far: about the person spoken of, the others, the products and the last answer.

`Facts` is frozen and JSON-able; the graph keeps it in its state and `Reader` returns an updated copy a turn. The flat
fields (age, gender, history …) belong to the person spoken of now (`who`); everybody else stands in `people` and comes
back with all of it when the talk returns to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from app.insurance.models import ChannelName, Gender
from app.insurance.reference import ContractAction
from app.language.mentions import MoneyRole
from app.messages import worded

_FILLING = (
    "gender",
    "history",
    "job",
    "customer_name",
    "customer_id",
    "monthly_budget",
    "monthly_income",
    "goal",
    "plan",
    "channel",
    "benefit",
    "action",
    "claim_type",
)
PERSONAL = ("age", "birth_year", "birth_month", "birth_date", "gender", "history", "job", "diagnosis")
# The arguments of tools that are a person's own.
PERSONS_ARGUMENTS = frozenset({"age", "birth_date", "gender", "history", "job"})
MENTIONED_MAX = 8
REMEMBERED_CALLS = 4
CHOICE_MAX = 4


class PersonFacts(BaseModel):
    """What is known of one person. Age in 세 as said (만 나이); `birth_month` of whom no day is known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    who: str
    age: int | None = None
    birth_year: int | None = None
    birth_month: int | None = None
    birth_date: date | None = None
    gender: Gender | None = None
    history: str | None = None
    job: str | None = None
    diagnosis: str | None = None


class Held(BaseModel):
    """A contract of the customer spoken of that gives cover. `sum_insured` 원, `riders` by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    contract_id: str
    contract_date: date
    sum_insured: int
    riders: tuple[str, ...] = ()
    reinstated_date: date | None = None

    @property
    def covers_since(self) -> date:
        """The day from which waiting and reduction count: anew where it was reinstated."""
        return self.reinstated_date or self.contract_date


class Facts(BaseModel):
    """The facts of a conversation. Money is 원; `None` and empty mean not said. `claims` are the kinds of claim told in
    one message, `event` what is judged whatever else was told, of a claim that says so (a death)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    who: str | None = Field(None, description=worded("facts.who"))
    age: int | None = None
    birth_year: int | None = None
    birth_month: int | None = None
    birth_date: date | None = None
    gender: Gender | None = None
    history: str | None = None
    job: str | None = None
    diagnosis: str | None = None
    people: tuple[PersonFacts, ...] = Field((), description=worded("facts.everyone"))
    meant: tuple[str, ...] = Field((), description=worded("facts.group"))

    product_codes: tuple[str, ...] = Field((), description=worded("facts.focus"))
    shown_products: tuple[str, ...] = Field((), description=worded("facts.shown"))
    told_products: tuple[str, ...] = Field((), description=worded("facts.told"))
    shown_riders: tuple[str, ...] = Field((), description=worded("facts.riders"))
    mentioned_products: tuple[str, ...] = Field((), description=worded("facts.mentioned"))

    kinds: tuple[str, ...] = Field((), description=worded("facts.kinds"))
    judged: dict[str, int] = Field(default_factory=dict, description=worded("facts.judged"))

    customer_name: str | None = None
    customer_id: str | None = None
    earlier_customers: tuple[str, ...] = Field((), description=worded("facts.customers"))

    shown_customers: tuple[str, ...] = Field((), description=worded("facts.shown_customers"))
    shown_ages: tuple[int, ...] = Field((), description=worded("facts.shown_ages"))

    monthly_budget: int | None = None
    monthly_income: int | None = None
    debt: int | None = None
    loan_amount: int | None = None
    sum_insured: int | None = None
    money_role: MoneyRole | None = Field(None, description=worded("facts.money_role"))
    goal: str | None = None
    plan: str | None = None
    channel: ChannelName | None = None
    years_paid: int | None = None
    lapse_date: date | None = None
    contract_date: date | None = None
    event_date: date | None = None
    contract_state: str | None = None
    benefit: str | None = None
    action: ContractAction | None = None
    claim_type: str | None = None
    claims: tuple[str, ...] = ()
    event: str | None = None
    topic: str | None = None

    last_question: str | None = Field(None, description=worded("facts.last_question"))
    asked: tuple[str, ...] = Field((), description=worded("facts.asked"))
    contracts: dict[str, Held] = Field(default_factory=dict, description=worded("facts.contracts"))
    last_tool: str | None = None
    last_args: dict[str, Any] = Field(default_factory=dict)
    last_who: str | None = Field(None, description=worded("facts.last_who"))
    calls: dict[str, dict[str, Any]] = Field(default_factory=dict, description=worded("facts.calls"))

    @field_validator("contracts", mode="before")
    @classmethod
    def _kept_by_an_older_version(cls, contracts: Any) -> Any:
        """Without contracts of which the number alone was kept: they are looked up again where they are asked for."""
        return {code: held for code, held in dict(contracts or {}).items() if not isinstance(held, str)}

    @property
    def tells_age(self) -> bool:
        """An age, or a year of birth, is known of the current person."""
        return self.age is not None or self.birth_year is not None

    def person(self, who: str | None) -> PersonFacts | None:
        """What is known of `who`, the current person included; None for a stranger."""
        if who is not None and who == self.who:
            return PersonFacts(who=who, **{name: getattr(self, name) for name in PERSONAL})
        return next((person for person in self.people if person.who == who), None)

    def everyone(self) -> tuple[PersonFacts, ...]:
        """Everybody spoken of, the current person last."""
        current = self.person(self.who)
        return (*self.people, current) if current is not None else self.people

    def turned_to(self, who: str) -> Facts:
        """The same facts with `who` as the person spoken of: the old person is put aside, a known one brought back."""
        if who == self.who:
            return self
        known = self.person(who) or PersonFacts(who=who)
        others = [person for person in self.everyone() if person.who != who]
        return self.model_copy(
            update={
                "who": who,
                "people": tuple(others),
                "judged": {},
                **{name: getattr(known, name) for name in PERSONAL},
            }
        )

    def renamed(self, old: str, new: str) -> Facts:
        """The same facts where the person `old` is called `new` (매형 아니고 누나)."""
        people = tuple(p.model_copy(update={"who": new}) if p.who == old else p for p in self.people)
        return self.model_copy(update={"who": new if self.who == old else self.who, "people": people})

    def after_answer(
        self, tool: str | None, args: dict[str, Any], products: tuple[str, ...] = (), riders: tuple[str, ...] = ()
    ) -> Facts:
        """The facts after an answer: the tool that gave it, and the lists it showed (kept as they were when it showed
        none)."""
        update: dict[str, Any] = {"last_tool": tool, "last_args": args, "last_who": self.who}
        if tool is not None:
            earlier = {name: given for name, given in self.calls.items() if name != tool}
            update["calls"] = dict(list({**earlier, tool: args}.items())[-REMEMBERED_CALLS:])
        if products:
            update |= {"shown_products": products, "shown_riders": ()}
        if riders:
            update["shown_riders"] = riders
        return self.model_copy(update=update)

    def awaiting(
        self, tool: str | None, asked: Mapping[str, tuple[str, ...]], given: Mapping[str, Any] | None = None
    ) -> Facts:
        """The facts after a question back: what was `asked` with the options shown for it; `tool` waits for the answer
        where it was not called yet, with the arguments `given` so far. A few products to choose from count as shown
        (두 번째 거요, 갱신 안 되는 거)."""
        update: dict[str, Any] = {"asked": tuple(asked)}
        if 1 < len(products := asked.get("product_code", ())) <= CHOICE_MAX:
            update |= {"shown_products": products, "shown_riders": ()}
        if tool is not None:
            calls = {name: given for name, given in self.calls.items() if name != tool}
            known = dict(given or {})
            if known:
                calls = dict(list({**calls, tool: known}.items())[-REMEMBERED_CALLS:])
            update |= {"last_tool": tool, "last_args": known, "last_who": self.who, "calls": calls}
        return self.model_copy(update=update)

    def turned_to_topic(self, tool: str) -> Facts:
        """The facts after a general answer of a tool's business (who may claim for another): what is asked next goes on
        there."""
        return self.model_copy(update={"last_tool": tool, "last_args": self.calls.get(tool, {}), "last_who": self.who})

    def focused_on(self, codes: tuple[str, ...]) -> Facts:
        """The same facts with these products in focus."""
        return self.model_copy(update={"product_codes": codes, **self._mention(codes)})

    def _mention(self, codes: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        kept = tuple(code for code in self.mentioned_products if code not in codes)
        return {"mentioned_products": (*kept, *codes)[-MENTIONED_MAX:]}

    def filled(self) -> tuple[str, ...]:
        """The names of tools' arguments that the facts fill."""
        values = {name: getattr(self, name) for name in _FILLING}
        values["age"] = self.age if self.age is not None else self.birth_year
        values |= {"product_code": self.product_codes, "product_codes": len(self.product_codes) > 1 or None}
        values |= {"event": self.event or self.diagnosis or self.benefit, "code_or_name": self.diagnosis}
        return tuple(name for name, value in values.items() if value)

    def told(self) -> dict[str, Any]:
        """The facts a person told, JSON-able, in the shape of the development dialogues; nothing that is unknown."""
        names = (
            "customer_name",
            "customer_id",
            "monthly_budget",
            "monthly_income",
            "debt",
            "loan_amount",
            "sum_insured",
            "goal",
            "plan",
            "channel",
            "years_paid",
            "lapse_date",
            "contract_date",
            "event_date",
            "contract_state",
        )
        dumped = self.model_dump(mode="json", exclude_none=True)
        told = {name: dumped[name] for name in names if name in dumped}
        if len(self.meant) > 1:
            people = [
                person.model_dump(mode="json", exclude_none=True) for who in self.meant if (person := self.person(who))
            ]
            told["people"] = people
        if self.who is not None:
            told["who"] = self.who
        return {**told, **{name: dumped[name] for name in PERSONAL if name in dumped}}
