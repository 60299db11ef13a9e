"""Whether a short message only changes a fact of the last answer (여자는요, 55세면?) or asks something new."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from app.language.mentions import Entities
from app.planner.facts import Facts
from app.planner.rewriting import is_elliptic
from app.toolbox.declared import Declarations

# Which arguments a kind of mention can change. A kind that the last tool takes no argument for asks for another tool.
_ARGUMENTS: Mapping[str, frozenset[str]] = {
    kind: frozenset(names.split())
    for kind, names in {
        "products": "product_code product_codes contract_id",
        "references": "product_code product_codes rider customer_id",
        "categories": "category product_code product_codes contract_id",
        "ages": "age age_min age_max horizon_years monthly_budget",
        "births": "age",
        "genders": "gender",
        "people": "age gender history",
        "money": "monthly_budget sum_insured monthly_income debt details action",
        "durations": "years_paid horizon_years contract_date event_date lapse_date history",
        "dates": "lapse_date contract_date event_date history",
        "jobs": "job",
        "medical": "history event code_or_name term benefit claim_type keyword",
        "benefits": "benefit event keyword coverage_type term treatments rider goal claim_type",
        "riders": "rider keyword",
        "channels": "channel",
        "actions": "action",
        "claims": "claim_type event history treatments",
        "coverages": "coverage_type benefit history event claim_type treatments",
        "topics": "topic",
        "goals": "goal keyword",
        "plans": "plan",
        "cycles": "product_code",
        "states": "",
        "scripts": "topic",
        "documents": "",
        "names": "customer_name customer_id name",
        "revisions": "revision",
        "counts": "limit",
        "quotes": "text",
    }.items()
}
_ASKS = re.compile(
    r"\?|줘|주세요|주실|주십|달라|알려|보여|찾아|계산|비교|부탁|궁금|견적|할게|할래|싶|신청|접수|조회|검색|추천"
    r"|설명|필요"
    r"|얼마|뭐|무엇|언제|어디|어떻게|몇|되나|돼요|되죠|는지|인가|나요|까요|을까|ㄹ까|가능|나와|나오|있어|없어"
)
_ALSO_KINDS = frozenset({"medical", "benefits", "goals", "claims", "coverages"})
_FACT_KINDS = frozenset({"ages", "births", "genders", "medical", "dates", "durations", "money"})
_STATES = re.compile(
    r"(했고요|했어요|하셨어요|받았어요|받으셨어요|있어요|있고요|이고요|거든요|인데요|입니다|습니다)[.!~ ]*$"
)
_OF_A_SUM = frozenset({"money", "topics", "references"})
_PERSON_KINDS = frozenset({"ages", "births", "genders", "people"})
_PRICED_BY_PERSON = frozenset({"ages", "births"})
_ELSE_ASKED = re.compile(
    r"가입|들 ?수|되나|되는|되\?|돼|될|안 되|가능|봐 ?주|봐 ?줘|보는 ?중|보면|최대|상한|한도|나이|까지|부터|갱신"
    r"|면책|감액|특약|보장|환급|해지|비교|차이|채널|약관|서류"
    r"|심사|고지|청구|나오|나와|받|한도|설명|내용|멘트|주기|할인|얼마나 오|둘"
)
_MONEY_BACK = re.compile(r"돌려|낸 ?(돈|보험료)|원금|손해|환급|얼마")
_IS_THERE = re.compile(r"(있|없)(어|나|을|는|죠|음|습)|다른|말고|뭐|어떤|추천|찾")
_AMOUNT = re.compile(r"얼마.{0,6}(나와|나오|나올|받|줘|주|타|예요|에요|지급)|얼마(나|씩)?(요|죠)?[?？ ]*$|금액")
_HAPPENED = re.compile(r"(했|받았|때웠|뽑았|다쳤|씌웠|심었|걸렸|부러졌|진단)")
CONTRACT_NUMBER = re.compile(r"(?<![A-Za-z0-9])[Pp]\d{6}(?!\d)")
_ENDS_TALK = re.compile(r"감사|고마|수고|좋은 ?(?:하루|저녁|시간)|안녕|나중에|다음에|안 ?할|취소|됐어|아니")
_GO_AHEAD = re.compile(
    r"^(네|넵|넹|예(?![가-힣])|응(?!급)|ㅇㅇ|ㅇㅋ|ㄱㄱ|고고|그래(?![서도])|좋아|맞아|오케이|ok)|진행(해|이요|할게|부탁)"
    r"|접수(해|할게|부탁|넣어|진행)|신청(해 ?주|할게|부탁)"
)
# What holds words of several kinds.
WHOLE_CLAUSES = ("conditions", "motives")


def confirms(facts: Facts, question: str, declared: Declarations) -> bool:
    """A go-ahead for a contract action whose procedure was just explained: 네 진행해주세요, ㄱㄱ."""
    said = question.strip().lower()
    changing = declared.has(facts.last_tool, "changes_contract")
    return changing and bool(_GO_AHEAD.search(said)) and not _ENDS_TALK.search(said)


def hinted_tools(entities: Entities, facts: Facts, declared: Declarations) -> tuple[str, ...]:
    """Tools that the state of the talk speaks for: one of the riders just shown is pointed at (첫 번째 거 자세히)."""
    hinted = _hinted(entities, facts, declared)
    return (hinted,) if hinted else ()


def _hinted(entities: Entities, facts: Facts, declared: Declarations) -> str | None:
    last = facts.last_tool
    if prices_a_person(entities):
        quoting = declared.first("quotes")
        twin = declared.of(quoting).twin
        # After a tool that takes an age, a product and an age answer or change what was asked there.
        if not declared.takes(last, "age") or last in (quoting, twin and twin.several):
            return quoting
    if entities.unsold and not entities.products:
        return declared.first("finds_products")
    giving_up = declared.has(last, "changes_contract") and facts.action == "해지" and bool(facts.product_codes)
    if giving_up and _MONEY_BACK.search(entities.text):
        return declared.first("pays_back")
    if entities.non_renewing and not entities.products and _IS_THERE.search(entities.text):
        return declared.first("finds_products")
    if _asks_for_paid_amount(entities, facts, declared):
        return declared.first("pays", taking="event_date")
    ordinal = any(m.kind == "ordinal" for m in entities.references)
    pointed = ordinal or (asks(entities.text) and any(m.kind in ("that", "same") for m in entities.references))
    about_riders = declared.has(last, "shows_riders") and bool(facts.shown_riders)
    return declared.requiring("rider") if pointed and about_riders and not entities.products else None


def _asks_for_paid_amount(entities: Entities, facts: Facts, declared: Declarations) -> bool:
    """How much is paid for something that happened, the day of the contract known: the days decide (면책, 감액)."""
    text = entities.text
    if facts.contract_date is None or "보험료" in text:
        return False
    pays, dated = declared.has(facts.last_tool, "pays"), declared.takes(facts.last_tool, "event_date")
    if pays and not dated and (entities.dates or entities.durations) and not asks(text):
        return True  # 가입한 지 8개월 됐어요, after what is paid for a crown
    if not _AMOUNT.search(text):
        return False
    if pays and dated:
        return not entities.products
    return bool(_HAPPENED.search(text)) and bool(entities.benefits or entities.medical)


def prices_a_person(entities: Entities) -> bool:
    """A product and an age with nothing asked beside them (서른셋 여자 첫날부터암보험이요) ask for the premium."""
    kinds = set(mention_kinds(entities))
    only = kinds <= {"products", "references", "categories", *_PERSON_KINDS}
    named = "products" in kinds and len(entities.product_codes) == 1
    rest = entities.text
    for mention in entities.products:
        rest = rest.replace(mention.text, " ")  # 간편고지정기 names a product, not a 고지
    return only and named and bool(kinds & _PRICED_BY_PERSON) and not _ELSE_ASKED.search(rest)


def told_kinds(entities: Entities) -> tuple[str, ...]:
    """What a message tells of people: `conditions` of the person to insure or that they are `well`, `motives` of
    others."""
    return tuple(name for name in (*WHOLE_CLAUSES, "well") if getattr(entities, name))


def mention_kinds(entities: Entities) -> tuple[str, ...]:
    """The kinds of mention in a message, by the names of the fields of Entities; whole clauses are no mentions, and
    what was paid (60만원 들어왔어요) is no sum that changes anything."""
    paid = {"money"} if all(money.role == "paid" for money in entities.money) else set()
    return tuple(name for name in entities.kinds() if name not in (*WHOLE_CLAUSES, *paid))


def asks(text: str) -> bool:
    """The words ask or request something; a bare statement only adds facts."""
    return bool(_ASKS.search(text))


def answers_what_was_asked(kinds: Collection[str], facts: Facts) -> bool:
    """The message names what the last answer asked back for (예순하나시고 수술도 하셨어요, asked for the age)."""
    return any(_ARGUMENTS.get(kind, frozenset()) & set(facts.asked) for kind in kinds)


def describes_one_shown(entities: Entities, facts: Facts) -> bool:
    """갱신 안 되는 거, asked which of the products shown it is."""
    return entities.non_renewing and "product_code" in facts.asked and len(facts.shown_products) > 1


def names_the_customer(before: Facts, after: Facts, question: str) -> bool:
    """강다은, asked which customer: a name alone; 68년생이요, of those of one name: what tells one of them."""
    if after.customer_id in before.shown_customers and before.customer_id != after.customer_id:
        return True
    told = after.customer_name if {"customer_name", "name"} & set(before.asked) else None
    return bool(told) and told != before.customer_name and str(told) in question


def names_its_contract(facts: Facts, question: str, declared: Declarations) -> bool:
    """A contract number right after how a contract is changed: it is the contract that is to be changed."""
    return declared.has(facts.last_tool, "changes_contract") and bool(CONTRACT_NUMBER.search(question))


def changing_kinds(entities: Entities) -> tuple[str, ...]:
    """The kinds of mention as changes of the last answer: 치매는요 names a kind of insurance there, no illness."""
    spans = [(m.start, m.end) for m in entities.categories if not m.negated]
    # 골라담는까지 세 개로: the count only counts the products.
    counted = {"counts"} if entities.products and all(m.counter == "개" for m in entities.counts) else set()

    def covered(kind: str) -> bool:
        return all(any(s <= m.start and m.end <= e for s, e in spans) for m in getattr(entities, kind))

    # 누나가 그러는데 갑상선암이래: who only says it changes nothing
    asides = {"people"} if all(person.role != "insured" for person in entities.people) else set()
    kinds = [k for k in mention_kinds(entities) if k not in counted | asides]
    return tuple(k for k in kinds if k not in _ALSO_KINDS or not spans or not covered(k))


def tells_more(entities: Entities) -> bool:
    """A whole statement of facts and nothing asked: 저는 작년에 조직검사 했고요, 대출도 2억 남아 있어요."""
    kinds = set(mention_kinds(entities))
    facts = kinds & _FACT_KINDS
    return bool(facts) and kinds <= _FACT_KINDS | {"people"} and bool(_STATES.search(entities.text))


def only_changes_facts(entities: Entities) -> bool:
    """Nothing is in the message but facts and particles."""
    return is_elliptic(entities)


def tells_another_sum(entities: Entities, facts: Facts, declared: Declarations) -> bool:
    """가입금액 1억이면, right after what a cover pays: the same, of a contract of that sum."""
    last = facts.last_tool
    paid = declared.takes(last, "sum_insured") and (declared.has(last, "pays") or declared.takes(last, "event"))
    kinds = set(mention_kinds(entities))
    return paid and kinds <= _OF_A_SUM and any(m.role == "sum_insured" and not m.negated for m in entities.money)


def changed_by(kinds: Collection[str]) -> list[frozenset[str]]:
    """The arguments that each kind of mention can change, of those that can change any."""
    return [changed for kind in kinds if (changed := _ARGUMENTS.get(kind))]


def fits(kinds: Collection[str], tool: str, declared: Declarations) -> bool:
    """Every kind of mention changes an argument that the tool takes, or the person that it knows of."""
    known = _PERSON_KINDS if declared.has(tool, "knows_person") else frozenset[str]()
    taken = set(declared.arguments.get(tool, ()))
    return all(kind in known or _ARGUMENTS.get(kind, frozenset()) & taken for kind in kinds)
