"""Arguments of calls that change or record something: whose contract, whether to submit, what is to be written down."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from app.language.normalise import letters
from app.planner.facts import Facts
from app.planner.follow_up import CONTRACT_NUMBER, asks, confirms
from app.planner.view import View
from app.toolbox.declared import Declarations

_SUBMIT = re.compile(
    r"(접수|신청|처리|진행)\s*(해|넣|좀|부탁|할게|이?요|바로|올려|가능하면)|되면\s?(?:바로\s?)?해\s?(?:주|줘)|^(네|예|넵|응|ㅇㅇ|ㄱㄱ|그래).{0,12}$|^(?:진행|접수)[.!~\s]*$"
)
_FAREWELL = re.compile(r"좋은\s?(?:하루|저녁|시간)|안녕|수고|고생|감사|고마|다음에|나중에|생각해")
# 지금 접수해 주세요, 부활 접수 넣자, 수익자 변경 접수: to be registered, not how it is done.
_REGISTER = re.compile(
    r"(?:접수|신청|등록)\s?(?:를|을|까지)?\s?(?:좀\s)?(?:합시다|하자|하시죠|하죠|해\s?(?:주|줘|요?[.!~\s]*$)|넣|올려|올리자|올릴게|부탁|할게|진행|바로|이?요[.!~\s]*$|[.!~\s]*$)"
    r"|(?:바로|지금|그냥|이대로)\s?(?:좀\s)?(?:올려|처리해|접수|신청|진행)\s?(?:해\s?)?(?:주|줘)"
    r"|(?:그대로|이대로)\s?(?:올려|올리|넣어|진행|보내)|(?:접수|신청|진행)\s?(?:ㄱㄱ|고고)|확인(?:했|됐|함)[가-힣]*\s?진행[.!~\s]*$"
    r"|(?:지금|여기서)\s?(?:바로\s|그냥\s)?접수|바꿔\s?(?:줘|주세요)\s?지금|지금\s?바꿔\s?(?:줘|주세요)"
)
# P000041 철회 올려주세요, P000015로 신청 넣자: with the number of the contract it is an order.
_ORDERS = re.compile(r"접수|신청|올[려리립릴]|넣[어자읍을]|걸어|진행|철회\s?(?:해|부탁)|처리")
_CHANGE_IT = re.compile(r"바꿔\s?(?:줘|주세요|주십|줄래|놔)|변경해\s?(?:줘|주세요|주십)|넣어\s?(?:줘|주세요)")
_HOW = re.compile(r"절차|방법|어떻게|어떡|어디|어찌|서류|준비|며칠|얼마|하려면|하려고|싶|언제|말고|건\s?확인|\?\s*$")
# Where somebody lives, and who gets the money: what a change of address or beneficiary is made to.
_PLACE = re.compile(
    r"\[[가-힣]*주소\]|[가-힣]{1,6}(?:특별시|광역시|시|군|구)\s?[가-힣0-9]{1,8}(?:동|읍|면|리|로|길|구)"
    r"|[가-힣0-9]{2,8}(?:동|읍|면|로|길)\s?\d|(?<![가-힣])(?!자동|이동|행동|활동|변동)[가-힣]{2,4}동(?:으로|이에요|예요|입니다|이요|$|[\s.,])"
    r"|(?:서울|부산|대구|인천|광주|대전|울산|세종|경기|강원|충북|충남|전북|전남|경북|경남|제주)\s?[가-힣]{1,6}(?:시|군|구)"
)
_PART_OF_ADDRESS = re.compile(r"\d+\s?(?:호|층|동|번지)(?![가-힣])|\d+\s?호(?:입니다|이에요|예요|요)")
_TO_WHOM = re.compile(r"[가-힣](?:으로|로|앞으로|한테|에게)(?:요|해\s?주세요|부탁[가-힣]*)?[\s.!~]*$")
# C0051 건 P000109: whose contract it is, not what it is changed to.
_WHOSE = re.compile(r"(?<![A-Za-z0-9])[CcPp]-?\d{3,8}(?!\d)|(?<![가-힣])(?:건|고객님?|번호)(?![가-힣])")
_GO_AHEAD_WORDS = re.compile(
    r"여기서|이대로|그대로|바로|지금|그럼|접수|신청|처리|진행|올려|부탁|가능|되면|되나|돼요|되죠|해\s?주세요|해줘|할게요|할게|주세요|줘"
    r"|수익자|주소|변경|바꿔|바꾸|연락처|계약|해지|해약|철회|부활|대출|네|예|응|좀|요|이|를|을|로|으로|은|는|도|해"
)
_RAISED = re.compile(r"(?:으로|로)\s?(?:올려|올릴|고쳐|바꿔|해 ?줘|해 ?주|다시|접수|부탁)")
_AS_IT_IS = re.compile(r"\s?(?:으로|로|한테|앞으로)\s?(?:돼|되어|된|해\s?놨|해\s?놓|지정)")
_TO = re.compile(r"(?:으로|로|에게|한테|앞으로|이름)(?:\s|하|바|변|해|접|신|지|$|[.!~])")
_BENEFICIARY_NAME = re.compile(r"수익자(?:는|를|을)?\s?(?:배우자|[가-힣]{1,4})?\s?$")
_CALLS_OFF = re.compile(r"취소|그만|됐어|안\s?할|나중에|아니요?[.!~]*$|모르")
_SAVE = re.compile(r"(저장|등록|남겨|기록|올려|잡아)")
_NOT_SAVED = re.compile(r"(?:하|까지|까진|은|는|도)*\s?(?:하지\s?)?(?:말|않|마라|마세|안\s)")
_SAYS_MORE = 3
# Registering these takes what it is to be changed to.
WITH_DETAILS = frozenset({"주소변경", "수익자변경"})


def submit(view: View) -> bool | None:
    """A go-ahead counts as submitting only after the procedure of the same action was explained."""
    before = _change_before(view)
    action = view.first("actions", "action") or view.facts.action
    explained = view.after("changes_contract") or (bool(before) and before.get("action") == action)
    if _FAREWELL.search(view.said.text):
        return None  # 네 좋은 하루 보내세요: nobody asks for anything
    if _REGISTER.search(view.said.text) and not _HOW.search(view.said.text):
        return True  # nothing is written before the approval, which shows what it does
    if _answers_details(view):
        return True
    if CONTRACT_NUMBER.search(view.said.text) and _ORDERS.search(view.said.text) and not _HOW.search(view.said.text):
        return True
    change = bool(_CHANGE_IT.search(view.said.text)) and not _HOW.search(view.said.text)
    asked = change or bool(_SUBMIT.search(view.said.text)) or confirms(view.facts, view.said.text, view.declared)
    # P000203이요, asked which contract to change.
    asked = asked or ("contract_id" in view.facts.asked and bool(CONTRACT_NUMBER.search(view.said.text)))
    asked = asked or (action == "대출" and bool(view.said.money) and bool(_RAISED.search(view.said.text)))
    return True if asked and explained else None


def _change_before(view: View) -> Mapping[str, Any]:
    """What the last change of a contract was called with."""
    tool = view.declared.first("changes_contract", among=view.facts.calls)
    return view.facts.calls[tool] if tool else {}


def details(view: View) -> str | None:
    """What is to be recorded: the new address or beneficiary; of other actions the words, where they say more than the
    go-ahead itself."""
    action = view.first("actions", "action") or view.facts.action
    text = view.said.text
    if action in WITH_DETAILS:
        given = _place(view) if action == "주소변경" else _beneficiary(view)
        return text if given or _answers_details(view) else _told_before(view, action)
    rest = letters(_GO_AHEAD_WORDS.sub(" ", text))
    return text if submit(view) and len(rest) >= _SAYS_MORE else None


def tells_details(facts: Facts, question: str, declared: Declarations) -> bool:
    """대전 서구 둔산로 12, 배우자 박지연 님으로요: right after how an address or a beneficiary is changed, to what."""
    if not declared.has(facts.last_tool, "changes_contract"):
        return False
    if facts.action == "주소변경":
        return bool(_PLACE.search(question) or _PART_OF_ADDRESS.search(question)) and not _HOW.search(question)
    return not asks(question) and facts.action == "수익자변경" and bool(_TO_WHOM.search(question))


def _place(view: View) -> bool:
    return bool(_PLACE.search(view.said.text) or any("주소" in quote.value for quote in view.said.quotes))


def _beneficiary(view: View) -> bool:
    """우리 큰딸로, 배우자 조민지: a person, or a name, that the money is to go to."""
    text = view.said.text
    people = [m for m in view.said.people if m.who not in ("본인", "고객") and not m.negated]
    # 받는 사람이 전남편으로 돼 있는데: who it goes to now is not who it shall go to.
    to_be = [m for m in people if not _AS_IT_IS.match(text[m.end :])]
    named = [m for m in view.said.names if m.name and not m.negated and _BENEFICIARY_NAME.search(text[: m.start])]
    return bool((to_be and (_TO.search(text) or "details" in view.facts.asked)) or named)


def _told_before(view: View, action: str) -> str | None:
    """What was told of the same change earlier in the talk."""
    before = _change_before(view)
    kept = before.get("details") if before.get("action") == action else None
    return str(kept) if kept else None


def _answers_details(view: View) -> bool:
    """Asked what to change it to, the words tell it: not a question, nor a number of a contract alone."""
    if "details" not in view.facts.asked or not view.after("changes_contract"):
        return False
    text = _WHOSE.sub(" ", view.said.text)
    if _FAREWELL.search(text) or _HOW.search(text) or _CALLS_OFF.search(text):
        return False
    rest = letters(_GO_AHEAD_WORDS.sub(" ", text))
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
    said = _SAVE.search(view.question)
    return True if said and not _NOT_SAVED.match(view.question[said.end() :]) else None
