"""Arguments of calls that change or record something: whose contract, whether to submit, what is to be written down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.language.mentions import CUSTOMER, SPEAKER
from app.language.normalise import letters
from app.planner.facts import Facts
from app.planner.follow_up import CONTRACT_NUMBER, asks, confirms
from app.planner.view import View
from app.planner.words import PlannerWords
from app.toolbox.declared import Declarations

_SAYS_MORE = 3


def submit(view: View) -> bool | None:
    """A go-ahead counts as submitting only after the procedure of the same action was explained."""
    words = view.words.changes
    before = _change_before(view)
    action = view.first("actions", "action") or view.facts.action
    explained = view.after("changes_contract") or (bool(before) and before.get("action") == action)
    if words.farewell.search(view.said.text):
        return None  # 네 좋은 하루 보내세요: nobody asks for anything
    if words.registers.search(view.said.text) and not words.how.search(view.said.text):
        return True  # nothing is written before the approval, which shows what it does
    if _answers_details(view):
        return True
    if (
        CONTRACT_NUMBER.search(view.said.text)
        and words.orders.search(view.said.text)
        and not words.how.search(view.said.text)
    ):
        return True
    change = bool(words.change_it.search(view.said.text)) and not words.how.search(view.said.text)
    asked = change or bool(words.submit.search(view.said.text)) or confirms(view.facts, view.said.text, view.declared)
    # P000203이요, asked which contract to change.
    asked = asked or ("contract_id" in view.facts.asked and bool(CONTRACT_NUMBER.search(view.said.text)))
    asked = asked or (action == "대출" and bool(view.said.money) and bool(words.raised.search(view.said.text)))
    return True if asked and explained else None


def _change_before(view: View) -> Mapping[str, Any]:
    """What the last change of a contract was called with."""
    tool = view.declared.first("changes_contract", among=view.facts.calls)
    return view.facts.calls[tool] if tool else {}


def details(view: View) -> str | None:
    """What is to be recorded: the new address or beneficiary; of other actions the words, where they say more than the
    go-ahead itself."""
    words = view.words.changes
    action = view.first("actions", "action") or view.facts.action
    text = view.said.text
    if action in words.with_details:
        given = _place(view) if action == "주소변경" else _beneficiary(view)
        return text if given or _answers_details(view) else _told_before(view, action)
    rest = letters(words.go_ahead_words.sub(" ", text))
    return text if submit(view) and len(rest) >= _SAYS_MORE else None


def tells_details(words: PlannerWords, facts: Facts, question: str, declared: Declarations) -> bool:
    """대전 서구 둔산로 12, 배우자 박지연 님으로요: right after how an address or a beneficiary is changed, to what."""
    if not declared.has(facts.last_tool, "changes_contract"):
        return False
    if facts.action == "주소변경":
        return bool(
            words.changes.place.search(question) or words.changes.part_of_address.search(question)
        ) and not words.changes.how.search(question)
    return not asks(question) and facts.action == "수익자변경" and bool(words.changes.to_whom.search(question))


def _place(view: View) -> bool:
    return bool(
        view.words.changes.place.search(view.said.text) or any("주소" in quote.value for quote in view.said.quotes)
    )


def _beneficiary(view: View) -> bool:
    """우리 큰딸로, 배우자 조민지: a person, or a name, that the money is to go to."""
    words = view.words.changes
    text = view.said.text
    people = [m for m in view.said.people if m.who not in (SPEAKER, CUSTOMER) and not m.negated]
    # 받는 사람이 전남편으로 돼 있는데: who it goes to now is not who it shall go to.
    to_be = [m for m in people if not words.as_it_is.match(text[m.end :])]
    named = [m for m in view.said.names if m.name and not m.negated and words.beneficiary_name.search(text[: m.start])]
    return bool((to_be and (words.to.search(text) or "details" in view.facts.asked)) or named)


def _told_before(view: View, action: str) -> str | None:
    """What was told of the same change earlier in the talk."""
    before = _change_before(view)
    kept = before.get("details") if before.get("action") == action else None
    return str(kept) if kept else None


def _answers_details(view: View) -> bool:
    """Asked what to change it to, the words tell it: not a question, nor a number of a contract alone."""
    words = view.words.changes
    if "details" not in view.facts.asked or not view.after("changes_contract"):
        return False
    text = words.whose.sub(" ", view.said.text)
    if words.farewell.search(text) or words.how.search(text) or words.calls_off.search(text):
        return False
    rest = letters(words.go_ahead_words.sub(" ", text))
    return len(rest) >= _SAYS_MORE or _place(view) or _beneficiary(view)


def contract_id(view: View) -> str | None:
    """The number said, the contract of the product in focus among those looked up, or the only one."""
    if said := CONTRACT_NUMBER.search(view.question):
        return said.group().upper()
    told = view.kept("contract_id")
    if told and not view.entities.products and not view.entities.categories:
        return str(told)
    held = view.facts.contracts
    focus = [held[code] for code in view.facts.product_codes if code in held]
    found = focus if len(focus) == 1 else list(held.values())
    return found[0].contract_id if len(found) == 1 else None


def customer_id(view: View) -> str | None:
    """The number said, one of the customers of one name just shown (두 번째 분), or the customer spoken of."""
    if said := view.first("names", "customer_id"):
        return str(said)
    shown = view.facts.shown_customers
    for reference in view.said.references:
        if reference.kind == "ordinal" and -len(shown) <= reference.index < len(shown):
            return shown[reference.index]
    return view.facts.customer_id


def save(view: View) -> bool | None:
    words = view.words.changes
    said = words.save.search(view.question)
    return True if said and not words.not_saved.match(view.question[said.end() :]) else None
