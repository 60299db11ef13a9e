"""Arguments of calls that change or record something: whose contract, whether to submit, what is to be written down."""

from __future__ import annotations

import re

from app.planner.follow_up import CONTRACT_NUMBER, confirms
from app.planner.view import View

_SUBMIT = re.compile(
    r"(접수|신청|처리|진행)\s*(해|넣|좀|부탁|할게|이?요|바로|올려|가능하면)|되면\s?(?:바로\s?)?해\s?(?:주|줘)|^(네|예|넵|응|ㅇㅇ|ㄱㄱ|그래).{0,12}$"
)
_FAREWELL = re.compile(r"좋은\s?(?:하루|저녁|시간)|안녕|수고|고생|감사|고마|다음에|나중에|생각해")
_GO_AHEAD_WORDS = re.compile(
    r"여기서|이대로|그대로|바로|지금|그럼|접수|신청|처리|진행|올려|부탁|가능|되면|되나|돼요|되죠|해\s?주세요|해줘|할게요|할게|주세요|줘"
    r"|수익자|주소|변경|바꿔|바꾸|연락처|계약|해지|해약|철회|부활|대출|네|예|응|좀|요|이|를|을|로|으로|은|는|도|해"
)
_RAISED = re.compile(r"(?:으로|로)\s?(?:올려|올릴|고쳐|바꿔|해 ?줘|해 ?주|다시|접수|부탁)")
_SAVE = re.compile(r"(저장|등록|남겨|기록|올려|잡아)")
_NOT_SAVED = re.compile(r"(?:하|까지|까진|은|는|도)*\s?(?:하지\s?)?(?:말|않|마라|마세|안\s)")
_SAYS_MORE = 3


def submit(view: View) -> bool | None:
    """A go-ahead counts as submitting only after the procedure of the same action was explained."""
    before = view.facts.calls.get("contract_manage") or {}
    action = view.first("actions", "action") or view.facts.action
    explained = view.facts.last_tool == "contract_manage" or (bool(before) and before.get("action") == action)
    if _FAREWELL.search(view.said.text):
        return None  # 네 좋은 하루 보내세요: nobody asks for anything
    asked = bool(_SUBMIT.search(view.question)) or confirms(view.facts, view.question)
    # P000203이요, asked which contract to change.
    asked = asked or ("contract_id" in view.facts.asked and bool(CONTRACT_NUMBER.search(view.said.text)))
    asked = asked or (action == "대출" and bool(view.said.money) and bool(_RAISED.search(view.said.text)))
    return True if asked and explained else None


def details(view: View) -> str | None:
    """What is to be recorded: the words, where they say more than the go-ahead itself."""
    rest = re.sub(r"[^가-힣A-Za-z0-9]", "", _GO_AHEAD_WORDS.sub(" ", view.said.text))
    return view.question if submit(view) and len(rest) >= _SAYS_MORE else None


def contract_id(view: View) -> str | None:
    """The number said, the contract of the product in focus among those looked up, or the only one."""
    if said := CONTRACT_NUMBER.search(view.question):
        return said.group().upper()
    held = view.facts.contracts
    focus = [held[code] for code in view.facts.product_codes if code in held]
    return focus[0] if len(focus) == 1 else next(iter(held.values())) if len(held) == 1 else None


def customer_id(view: View) -> str | None:
    """The number said, one of the customers of one name just shown (두 번째 분), or the customer spoken of."""
    if said := view.first("names", "customer_id"):
        return str(said)
    shown = view.facts.shown_customers
    for reference in view.said.references:
        if reference.kind == "ordinal" and -len(shown) <= reference.index < len(shown):
            return shown[reference.index]
    # Where nothing but the name is known, the tool looks up whose it is.
    by_name = view.facts.customer_name if view.tool == "customer_followup_tasks" else None
    return view.facts.customer_id or by_name or None


def save(view: View) -> bool | None:
    said = _SAVE.search(view.question)
    return True if said and not _NOT_SAVED.match(view.question[said.end() :]) else None
