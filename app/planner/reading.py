"""Reading one message in the light of the talk: entities, the facts they change, the products meant, and the question
rewritten so that it stands alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from app.language.entities import EntityReader
from app.language.mentions import CUSTOMER, SPEAKER, Entities, MoneyMention, MoneyRole, outside_quotes
from app.language.numbers import parse_number
from app.planner.birthdays import namesake_of_age
from app.planner.changes import tells_details
from app.planner.claimed import claim_told
from app.planner.contract_dates import add_dates, joined_ago
from app.planner.corrections import Correction, corrected
from app.planner.facts import Facts
from app.planner.focus import FocusResolver
from app.planner.follow_up import mention_kinds, told_kinds
from app.planner.health import Health, read_health
from app.planner.kin import spouses_apart
from app.planner.news import DEATH, NewsReader
from app.planner.persons import update_persons
from app.planner.rewriting import is_elliptic, stand_alone
from app.planner.words import PlannerWords
from app.toolbox.declared import UNDECLARED, Declarations

_OWN_FIELDS = frozenset(
    {
        "monthly_income",
        "debt",
        "loan_amount",
        "monthly_budget",
        "years_paid",
        "plan",
        "contract_state",
        "lapse_date",
        "contract_date",
        "event_date",
    }
)
_IN_MAN: frozenset[MoneyRole] = frozenset({"income", "debt", "loan", "sum_insured"})
_FIELD_OF_ROLE: dict[MoneyRole, str] = {
    "budget": "monthly_budget",
    "income": "monthly_income",
    "debt": "debt",
    "loan": "loan_amount",
    "sum_insured": "sum_insured",
}
_NAMED, _BARE = 0.6, 0.5  # how sure a name is that words tell, and that stands alone
Kept = Callable[[str, str], object]


@dataclass(frozen=True)
class Reading:
    """A message understood. `facts` are the updated facts; `resolved_text` the question as it would be asked alone.

    `resolved_products` are the products meant now (empty: none). `refers_back` when the message cannot be understood
    without the talk before it. `details_told` when it tells what a contract is changed to.
    """

    entities: Entities
    facts: Facts
    refers_back: bool
    resolved_products: tuple[str, ...]
    corrections: tuple[Correction, ...]
    resolved_text: str
    hypothetical: bool = False
    details_told: bool = False


class Reader:
    """Reads messages in context. Built once on an EntityReader; `read` is pure and thread-safe."""

    def __init__(
        self,
        entities: EntityReader,
        words: PlannerWords,
        spaced: Callable[[str], str] = str,
        kept: Kept | None = None,
        news: NewsReader | None = None,
        restated: Callable[..., str] = lambda text, *before: text,
    ) -> None:
        """`spaced` puts blanks into messages that have none; `kept` finds the answer kept for plain words; `news` tells
        whether somebody died, `restated` what words ask behind what was said before."""
        self.restated = restated
        self._entities, self.spaced, self._kept, self._news = entities, spaced, kept, news
        self.words, self._focus = words, FocusResolver(entities.catalogue, words)
        self._claims = {claim.name: claim for claim in entities.catalogue.reference.claims}
        self._names = {product.code: product.name for product in entities.catalogue.products}
        self._kind_of = {product.code: product.category for product in entities.catalogue.products}

    def read(
        self,
        text: str,
        facts: Facts,
        today: date,
        declared: Declarations = UNDECLARED,
        *,
        staff: bool = False,
        insider: bool = False,
    ) -> Reading:
        """`text` read after a talk with `facts`; `declared` is what the tools say of themselves. `staff`: the speaker
        asks for a customer, so a person without a word for them is 고객, not 본인. `insider`: they may ask for either;
        45남 뉴스타트 is said of a customer."""
        words = self.words.reading
        entities = self._entities.read(text, today)
        names = tuple(m for m in entities.names if m.confidence >= (_BARE if facts.customer_name else _NAMED))
        entities = replace(entities, names=names)
        spoken = spouses_apart(self.words, outside_quotes(entities))
        hypothetical = bool(words.hypothetical.search(spoken.text))
        updated = facts
        searching = bool(words.search.search(spoken.text)) or (
            declared.has(facts.last_tool, "finds_customers") and not spoken.people
        )
        if not searching:
            # Of what somebody died is told for the claim, not for an insurance of theirs.
            health = Health() if self._of_death(spoken) else read_health(self.words, spoken, facts, declared)
            default_who = CUSTOMER if staff or (insider and words.terse.search(spoken.text)) else SPEAKER
            updated = update_persons(
                self.words,
                spoken,
                facts,
                health,
                declared,
                today,
                default_who=default_who,
                hypothetical=hypothetical,
            )
        changes = _contract_changes(self.words, spoken, facts, today, declared, hypothetical=hypothetical)
        own = _OWN_FIELDS & changes.keys() or (not spoken.names and words.own_matter.search(spoken.text))
        changes |= claim_told(self._claims, spoken, facts, died=self._of_death(spoken), hypothetical=hypothetical)
        if updated.who is None and own:
            changes["who"] = CUSTOMER if staff else SPEAKER
        if changes:
            updated = updated.model_copy(update=changes)
        focus = self._focus.resolve(spoken, updated)
        if focus.cleared or focus.codes != updated.product_codes:
            updated = updated.focused_on(() if focus.cleared else focus.codes)
        if kinds := self._kinds(spoken, updated):
            updated = updated.model_copy(update={"kinds": kinds})
        elliptic = is_elliptic(spoken)
        refers = focus.pointed or bool(spoken.references) or elliptic
        previous = self._entities.read(facts.last_question, today) if elliptic and facts.last_question else None
        resolved = stand_alone(spoken, previous, facts, updated, focus, self._names)
        corrections = corrected(facts, updated) if spoken.is_correction else ()
        updated = updated.model_copy(update={"last_question": resolved})
        details = tells_details(self.words, facts, entities.text, declared)
        return Reading(entities, updated, refers, focus.codes, corrections, resolved, hypothetical, details)

    def _of_death(self, spoken: Entities) -> bool:
        """Whether the death of somebody of the family is told."""
        found = self._news.told(spoken.text) if self._news else None
        return found is not None and found.kind == DEATH

    def entities(self, text: str, today: date) -> Entities:
        """Everything that `text` names, but for what stands in quotation marks."""
        return outside_quotes(self._entities.read(text, today))

    def asks_for_unsold(self, text: str) -> bool:
        """Whether a kind of insurance is asked for that is not sold."""
        return self._entities.unsold.asked_for(text) is not None

    def names_particulars(self, text: str, today: date) -> bool:
        """Whether `text` names what an insurer asks about: a product, an age, an illness or a job."""
        found = self._entities.read(text, today)
        return bool(found.products or found.ages or found.medical or found.jobs or found.names)

    def only_particulars(self, text: str, today: date) -> bool:
        """Whether nothing but such particulars and particles is in `text` (예순둘 여, 스케일링은요)."""
        return is_elliptic(self._entities.read(text, today))

    def ends_with_particular(self, text: str, today: date) -> bool:
        """Whether the last word of `text` names what a request may be about: a product, a cover, a person, a job."""
        found = self._entities.read(text, today)
        kinds = (found.products, found.categories, found.benefits, found.medical, found.riders, found.people)
        more = (found.names, found.jobs, found.ages, found.genders, found.channels, found.plans, found.references)
        return any(mention.end >= len(text.rstrip()) for mentions in (*kinds, *more) for mention in mentions)

    def has_an_answer(self, text: str, earlier: str = "") -> bool:
        """Whether an insurer's answer is kept for the words: an unsold kind, or a general question asked outright, or
        asked behind the `earlier` one."""
        return bool((self._kept and self._kept(text, earlier)) or self._entities.unsold.asked_for(text))

    def tells_details(self, facts: Facts, text: str, declared: Declarations) -> bool:
        """Whether `text` tells what an address or a beneficiary is changed to, right after how that is done."""
        return tells_details(self.words, facts, text, declared)

    def mentions(self, text: str, today: date) -> tuple[str, ...]:
        """The kinds of mention in `text`."""
        return mention_kinds(self._entities.read(text, today))

    def tells(self, text: str, today: date) -> bool:
        """Whether `text` tells of the health, care, teeth, work or circumstances of somebody to insure."""
        return bool(told_kinds(self._entities.read(text, today)))

    def _kinds(self, entities: Entities, facts: Facts) -> tuple[str, ...]:
        """The kinds of insurance that the talk is about now; 치아도 같이 adds one, a product stands for its kind."""
        named = [m.category for m in entities.categories if m.category and not m.negated]
        named = named or [self._kind_of[code] for code in entities.product_codes if code in self._kind_of]
        before = facts.kinds if named and self.words.reading.also.search(entities.text) else ()
        return tuple(dict.fromkeys((*before, *named)))


def _contract_changes(
    words: PlannerWords, entities: Entities, facts: Facts, today: date, declared: Declarations, *, hypothetical: bool
) -> dict[str, Any]:
    """Changes of everything that does not belong to one person: money, dates, plan, channel, customer …"""
    changes: dict[str, Any] = {}
    for money in entities.money:
        _add_money(words, changes, money, facts, entities.text, declared)
    told = words.reading.amount_told.search(entities.text) or words.reading.spelt_told.match(entities.text)
    if not entities.money and told:
        # 세후 430 정도 됩니다, asked for the income: counted in 만원.
        for field in ("monthly_income", "monthly_budget"):
            if field in facts.asked:
                changes[field] = (parse_number(told["amount"]) or 0) * 10_000
    for name, mentions in (("channel", entities.channels), ("action", entities.actions)):
        kept = [m for m in mentions if not m.negated]
        if kept:
            changes[name] = getattr(kept[-1], name)
    benefits = [m for m in entities.benefits if not m.negated]
    if benefits:
        changes["benefit"] = benefits[-1].benefit
    if topics := [m for m in entities.topics if not m.negated]:
        changes["topic"] = topics[0].value
    _add_names(words, changes, entities, facts, today)
    if not hypothetical:
        _add_contract(words, changes, entities, facts, today, declared)
    if (goal := _goal(words, entities, facts)) is not None:
        changes["goal"] = goal or None
    return changes


def _add_money(
    words: PlannerWords, changes: dict[str, Any], money: MoneyMention, facts: Facts, text: str, declared: Declarations
) -> None:
    if money.negated:
        return
    role, amount = money.role, money.amount
    if facts.monthly_budget and role in ("amount", "budget") and words.reading.more.match(text[money.end :]):
        changes["monthly_budget"] = facts.monthly_budget + amount
        return
    if role == "amount" and facts.money_role is None and money.explicit_unit:
        # 이만원, asked for the budget
        role = next((r for r, field in _FIELD_OF_ROLE.items() if field in facts.asked), role)
    lending = facts.action == "대출" or facts.money_role == "loan"
    if role == "amount" and facts.money_role == "income" and 1_000 <= amount < 10_000 and not money.explicit_unit:
        role = "sum_insured"  # 5천으로 하면, after an income: nobody earns that a month
    elif role == "amount" or (role == "sum_insured" and lending and not facts.sum_insured):
        role = "loan" if lending else facts.money_role or "amount"
    if not money.explicit_unit and money.role == "amount" and role in _IN_MAN:
        amount *= 10_000  # 오백 말고 삼백: of a loan, an income or a sum insured, hundreds are counted in 만원
    elif not money.explicit_unit and role in ("amount", "budget") and _is_sum(amount, facts, declared):
        role, amount = "sum_insured", amount * 10_000  # 3천으로 하면요: the sum insured is counted in 만원
    field = _FIELD_OF_ROLE.get(role)
    if field is None or (not money.explicit_unit and role == "budget" and amount < 1_000):
        return
    if money.yearly:
        amount //= 12
    changes[field] = amount
    changes["money_role"] = role


def _add_names(words: PlannerWords, changes: dict[str, Any], entities: Entities, facts: Facts, today: date) -> None:
    names = entities.names
    if (
        not names
        and {"customer_name", "name"} & set(facts.asked)
        and (told := words.reading.name_told.match(entities.text))
        and not (entities.products or entities.categories)
    ):
        changes["customer_name"], changes["customer_id"] = told["name"], None
        return
    if not names or (facts.customer_name in {m.name for m in names} and namesake_of_age(entities, facts, today)):
        _add_pointed_customer(changes, entities, facts, today)
        return
    changes |= {"shown_customers": (), "shown_ages": ()}
    if name := next((m.name for m in reversed(names) if m.name and not m.negated), None):
        said_as_criterion = re.search(r"(?:이란|라는)\s?이름|이름에|이름(?:이|을)?\s?가진", entities.text)
        if not said_as_criterion and not re.search(r"(?:옆집|친구)", entities.text):
            changes["customer_name"], changes["customer_id"] = name, None
            if facts.customer_name != name:
                changes["contracts"] = {}
            if facts.customer_name and facts.customer_name != name:
                earlier = [n for n in facts.earlier_customers if n != facts.customer_name]
                changes["earlier_customers"] = (*earlier, facts.customer_name)
    if customer_id := next((m.customer_id for m in reversed(names) if m.customer_id), None):
        changes["customer_id"] = customer_id
        if "customer_name" not in changes and facts.customer_id not in (None, customer_id):
            changes["customer_name"] = None  # the number names another customer than the one talked of


def _add_pointed_customer(changes: dict[str, Any], entities: Entities, facts: Facts, today: date) -> None:
    """두 번째 분, 68년생 그분: one of the customers of one name just shown; 앞의 분: the customer spoken of before."""
    if one := namesake_of_age(entities, facts, today):
        changes["customer_id"] = one
        return
    shown = facts.shown_customers
    for reference in entities.references:
        if reference.kind == "ordinal" and shown and -len(shown) <= reference.index < len(shown):
            changes["customer_id"] = shown[reference.index]
            return
        person = re.search(r"분|고객|사람", entities.text[reference.start : reference.end + 4])
        if reference.kind == "former" and person and facts.earlier_customers:
            now = facts.customer_name
            earlier = [n for n in facts.earlier_customers[:-1] if n != now]
            changes |= {
                "customer_name": facts.earlier_customers[-1],
                "customer_id": None,
                "earlier_customers": (*earlier, *((now,) if now else ())),
            }
            return


def _is_sum(amount: int, facts: Facts, declared: Declarations) -> bool:
    """A bare number that can only be a sum insured: thousands always, hundreds where a premium was just told."""
    return 1_000 <= amount < 100_000 or (100 <= amount < 1_000 and declared.has(facts.last_tool, "of_sums"))


def _add_contract(
    words: PlannerWords, changes: dict[str, Any], entities: Entities, facts: Facts, today: date, declared: Declarations
) -> None:
    paid = [m for m in entities.durations if m.role == "paid" and m.months >= 12]
    if paid:
        changes["years_paid"] = paid[-1].years
    plans = list(dict.fromkeys(m.value for m in entities.plans if not m.negated))
    if len(plans) == 1:
        changes["plan"] = plans[0]
    add_dates(words, changes, entities, facts, declared)
    if "contract_date" not in changes and (joined := joined_ago(words, entities, today)) is not None:
        changes["contract_date"] = joined
    if re.search(r"실효(?:됐|되었|된|돼)", entities.text) and "lapse_date" not in changes and not facts.customer_name:
        changes["contract_state"] = "실효"


def _goal(words: PlannerWords, entities: Entities, facts: Facts) -> str | None:
    """The new goal; '' when every goal was taken back; None when nothing is said of one."""
    if not entities.goals or not (words.reading.goal.search(entities.text) or facts.goal):
        return None
    said = [m.value for m in entities.goals if not m.negated]
    gone = {m.value for m in entities.goals if m.negated}
    if said:
        return "·".join(dict.fromkeys(said))
    held = (facts.goal or "").split("·")
    return "·".join(goal for goal in held if goal and goal not in gone)
