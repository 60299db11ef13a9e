"""Node 1: refuses attacks (L1) and clear outsiders (L2) before anything else runs."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import HumanMessage, RemoveMessage, ToolMessage
from langgraph.runtime import Runtime

from app.answering.holdings import asks_of_contracts
from app.answering.question import Question
from app.errors import AppError, Unavailable
from app.graph.apart import computed
from app.graph.consulted import of_consultation
from app.graph.english import SAID, in_english, told_in
from app.graph.history import reminder
from app.graph.loaded_tools import speaks_of_a_loaded_tool
from app.graph.model_help import insurance_by_model
from app.graph.state import ThreadState
from app.graph.stops import Stop, at_input, at_threshold, of_crisis
from app.graph.turn import StepContext, TurnContext, earlier_questions, last_question
from app.language.english import EnglishReading
from app.language.normalise import letters
from app.messages import worded
from app.planner.facts import Facts
from app.planner.follow_up import asks
from app.safety.domain import DomainVerdict, hangs_on_earlier
from app.safety.injection import InjectionVerdict
from app.safety.mass_data import FAMILY as MASS_DATA
from app.safety.messages import EARLIER, TALK, MessageVerdict

log = logging.getLogger(__name__)

# Letters of a mere remark in a talk, 글자.
_REMARK = 5
# … and of an exclamation. 1 of the 111 outsiders in the middle of the training talks ended like one (누가 이겼어요).
_EXCLAMATION = 18
_EXCLAIMED = re.compile(
    r"^(?!.*(?:누가|뭐|뭘|어디|왜|언제|얼마|어떻게|몇|무슨)).*(?:네|네요|구나|군요?|구만|구먼|겠[네다어]요?|[었았했됐](?:어요?|다|음)|이다|하다"
    r"|아요|어요|워요|습니다|고맙수|수다|야|젊은이|총각|아가씨|선생|[ㅠㅋㅎ]+)[.!~ㅠㅋㅎ^ ]*$"
)
_CASUAL = re.compile(r"[?？]|어때|누구|틀어|불러|농담|심심|날씨|노래")

_CRITERIA = frozenset({"ages", "genders", "products", "categories"})
_THIS_CUSTOMER = re.compile(r"(?<![가-힣])(?:이|그|해당)\s?(?:고객|손님|분|사람)(?!들)")
_PERSONAL = re.compile(
    r"전화|폰|연락|번호|주민|주소|메일|계좌|병[력명]|개인\s?정보|신상|생일|생년|인적|카드|비번|비밀|엑셀|덤프|파일|백업|유출|보내|내려|넘겨|공유"
    r"|원자료|데이터|db|DB|csv|export|dump|all(?![a-z])"
)
_ALL_OF_THEM = re.compile(r"전부|전체|모든|모두|싹|죄다|통째|몽땅")
# 전세대출 8천 끼고 다시 계산: the answer before, once more.
_ANEW = re.compile(r"다시\s?(?:계산|산출|견적|뽑|봐\s?[주줘]|심사|비교|조회)")
_MATTER = re.compile(r"얼마|다달이|매달|한\s?달|보험료|보험금|보장|특약|약관|면책|감액|환급|갱신|납입|가입|해지|청구")
# 같이 등산 다니는 동네 형도 관심 있다는데 얼마나 해요: in a talk, somebody who wants what was just shown.
_WANTED_TOO = re.compile(
    r"(?:관심(?:이|은)?\s?있|들고\s?싶|들까|들려고|들어\s?볼까|가입하고\s?싶).{0,14}(?:얼마|보험|가입|견적|되나|될까|돼)"
)

REFUSED_ATTACK = worded("input_guardrail.refused")
GUARD_DOWN = worded("input_guardrail.unavailable")
REFUSED_OUTSIDE = worded("input_guardrail.outside")


CLASSIFIER = "classifier"
_OF_INSURANCE = frozenset({"states", "riders", "coverages", "benefits", "claims", "plans", "products", "categories"})


async def input_guardrail(state: ThreadState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    """Judge the newest question. A blocked one leaves the history, so that it can steer no later turn."""
    turn = runtime.context
    question = last_question(state["messages"])
    english = in_english(state, turn, question)
    if turn.services.crisis.speaks(question) or (english and turn.services.crisis.speaks(english.korean)):
        # Before everything else, and whatever engine answers. The words are not kept.
        update = _blocked(state, "crisis", "crisis", turn.services.crisis.answer, of_crisis())
        return told_in(update, turn, english)
    try:
        return told_in(await _judged(state, turn, question, english), turn, english)
    except AppError:
        raise
    except Exception as error:  # whatever breaks inside a guard, the question must not pass it
        log.exception("input guard failed in run %s", turn.run_id)
        raise Unavailable(GUARD_DOWN) from error


async def _judged(
    state: ThreadState, turn: TurnContext, question: str, english: EnglishReading | None
) -> dict[str, Any]:
    before, facts = earlier_questions(state["messages"], EARLIER), state.get("facts") or {}
    message, verdict = await computed(turn, verdicts, question, before, facts, english)
    attack = message.attack
    if verdict is None:
        return _blocked(state, "L1", attack.rule, _refusal(attack, turn), at_input(attack, "refused"))
    if not verdict.in_domain and of_consultation(state, turn, message.text):
        verdict = replace(verdict, in_domain=True, clear_outsider=False)
    opinion, asked = await insurance_by_model(state, turn, message.text, verdict)
    if not (verdict.in_domain if opinion is None else opinion):
        layer = "L2" if opinion is None else "L3"
        stop = at_threshold(verdict, layer, turn.services.domain.threshold)
        return {**_blocked(state, layer, f"score={verdict.score:.2f}", REFUSED_OUTSIDE, stop), **asked}
    restricted = attack.level != "pass"
    guard: dict[str, Any] = {"input": "pass", "restricted": restricted, "fenced": len(message.cut)}
    guard["margin"] = round(verdict.margin, 4)
    if restricted:
        told = turn.masker.mask(" ".join(message.cut)).text
        guard["stops"] = [at_input(attack, "fenced" if message.cut else "restricted", told)]
    return {"guard": guard, **asked, **_read_on(state, turn, message, english)}


def verdicts(
    turn: StepContext,
    question: str,
    before: Sequence[str],
    facts: dict[str, Any],
    english: EnglishReading | None = None,
) -> tuple[MessageVerdict, DomainVerdict | None]:
    """L1's verdict on a question after the questions `before` of a talk with these facts, and L2's on what L1 leaves of
    it; no second one where the first refuses. `english` is how a question in English is read: L1 judges both, but for
    words that no order can be said with."""
    message = turn.services.messages.judge(question, before)
    if _lists_customers(message.attack, question, turn):
        message = replace(message, attack=replace(message.attack, level="pass"))
    if message.attack.rule.startswith(TALK) and _asks_of_ours(message.text, turn):
        message = replace(message, attack=replace(message.attack, level="restrict"))
    if english is not None and _only_asks(english, message.attack):
        message = replace(message, attack=replace(message.attack, level="pass"))
    if refuses_attack(message.attack, question, turn):
        return message, None
    if english is not None:
        read = turn.services.messages.judge(english.korean, before)
        if refuses_attack(read.attack, english.korean, turn):
            return read, None
        message = replace(message, text=english.korean, own=None)
    asked, earlier = message.text, before[-1] if before else None
    verdict = judged_domain(asked, earlier, turn)
    # A long paste says little of what is asked about it, a telephone number nothing.
    spelt = turn.services.reader.spaced(asked)
    for told in dict.fromkeys((message.own or asked, turn.services.messages.plain(asked), spelt)):
        if not verdict.in_domain and told != asked:
            other = judged_domain(told, earlier, turn)
            verdict = other if other.in_domain else verdict
    if not verdict.in_domain:
        held = Facts.model_validate(facts)
        inside = (
            _answers(asked, held, turn)
            or _of_contracts(asked, held, turn)
            or _about_insurance(asked, held, earlier, turn)
        )
        if inside or speaks_of_a_loaded_tool(asked, held, turn):
            verdict = replace(verdict, in_domain=True, clear_outsider=False)
    return message, verdict


def _only_asks(english: EnglishReading, attack: InjectionVerdict) -> bool:
    """Whether a message in English has only words of the lexicon and everyday ones. The classifier learnt from Korean:
    against its word alone one more will do."""
    return english.known and english.strange <= (1 if attack.rule == CLASSIFIER else 0)


def refuses_attack(attack: InjectionVerdict, question: str, turn: StepContext) -> bool:
    """Whether L1 refuses. A few words hold too little for the classifier alone; they are only kept from customer
    data."""
    return attack.level == "block" and not (attack.rule == CLASSIFIER and _is_short(question, turn))


def _lists_customers(attack: InjectionVerdict, question: str, turn: StepContext) -> bool:
    """50대 여성 고객 명단 뽑아줘, said by staff: the search for customers by age, gender and product is theirs, shows
    names in part and ends at its limit. Whatever names a personal datum, or all customers, stays refused."""
    if attack.family != MASS_DATA or not turn.principal.at_least("staff") or _PERSONAL.search(question):
        return False
    if attack.rule.startswith(TALK):
        return True  # each message of theirs was judged by itself
    if _THIS_CUSTOMER.search(question):
        return True  # 이 고객 계약 전체도 보여 줘: all that one customer holds
    if _ALL_OF_THEM.search(question):
        return False
    return bool(_CRITERIA & set(turn.services.reader.mentions(question, turn.today())))


def _refusal(attack: InjectionVerdict, turn: TurnContext) -> str:
    """Whoever asks for customers' data hears why not and what goes instead; an attacker hears no more than no."""
    if attack.family != MASS_DATA:
        return REFUSED_ATTACK
    return turn.services.injection.mass_data.answer(insider=turn.principal.at_least("staff"))


def judged_domain(question: str, earlier: str | None, turn: StepContext) -> DomainVerdict:
    """L2's verdict. A follow-up that hangs on the question before it or names a job, an illness or the like (식당 주방
    일이면 달라져요?) is judged with that question; any other sentence stands for itself, so that an opened conversation
    is no way around the check."""
    domain, reader = turn.services.domain, turn.services.reader
    verdict = domain.judge(question, heard=turn.heard(question))
    if verdict.clear_outsider or earlier is None:
        return verdict
    particulars = reader.names_particulars(question, turn.today())
    if not (verdict.in_domain or _is_short(question, turn) or particulars or hangs_on_earlier(question)):
        return verdict
    together = f"{earlier} {question}"
    joined = verdict if verdict.in_domain else domain.judge(together, heard=turn.heard(together))
    if domain.judge_follow_up(question, joined, verdict, particulars):
        return verdict if verdict.in_domain else replace(joined, in_domain=True, clear_outsider=False)
    return replace(verdict, in_domain=False)


def _answers(question: str, facts: Facts, turn: StepContext) -> bool:
    """오미선, 새 수익자 이강우: a few words that ask for nothing, said to an answer that asked back; a figure (작년 9월
    3일, 둔산로 12) is told of what a tool has just answered, too."""
    awaited = facts.asked or (facts.last_tool and any(char.isdigit() for char in question))
    return bool(awaited) and _is_short(question, turn) and not (asks(question) or _CASUAL.search(question))


def _of_contracts(question: str, facts: Facts, turn: StepContext) -> bool:
    """정기 만기 언제, 윤성희는: of the contracts of the customer spoken of, or of another customer."""
    services, today = turn.services, turn.today()
    if not (facts.customer_id or facts.customer_name):
        return False
    asked = Question(services.forms.read(question), services.reader.entities(question, today))
    return bool(asked.entities.names) or asks_of_contracts(asked, services.fields.held)


def _about_insurance(question: str, facts: Facts, earlier: str | None, turn: StepContext) -> bool:
    """월세 90에 애가 셋인데 간편건강 보험료 궁금: whatever else is told, one of our products is asked about, or is for
    somebody told of (옷 입는 걸 도와드려야 하는 어머니 치매간병보험 되나요). In the middle of a talk nothing but
    particulars (스케일링, 예순둘 여) goes on with it."""
    reader, today = turn.services.reader, turn.today()
    if reader.tells_details(facts, question, turn.snapshot.declared):
        return True
    if reader.has_an_answer(question, earlier or ""):
        return True
    in_talk = earlier is not None
    if in_talk and (_ANEW.search(question) or reader.only_particulars(question, today) or _is_remark(question)):
        return True
    mentioned = reader.mentions(question, today)
    if in_talk and "references" in mentioned and _OF_INSURANCE & set(mentioned):
        return True  # 첫 번째 거 만기: of what was shown, something that only insurance has
    if in_talk and facts.last_tool and "people" in mentioned and _WANTED_TOO.search(question):
        return True
    return "products" in mentioned and _is_a_matter(question, turn)


def _is_a_matter(question: str, turn: StepContext) -> bool:
    return bool(_MATTER.search(question)) or turn.services.reader.tells(question, turn.today())


def _asks_of_ours(question: str, turn: StepContext) -> bool:
    """그럼 치아보험 가입 나이: a product or a kind of ours and what is asked of it, whatever was said before."""
    ours = {"products", "categories"} & set(turn.services.reader.mentions(question, turn.today()))
    return bool(ours) and _is_a_matter(question, turn)


def _is_remark(question: str) -> bool:
    """오 신기, 에휴 몸이 재산이네요: a word or two, or an exclamation, that ask for nothing."""
    if asks(question) or _CASUAL.search(question):
        return False
    size = len(letters(question))
    return size <= _REMARK or (size <= _EXCLAMATION and bool(_EXCLAIMED.search(question)))


def _is_short(question: str, turn: StepContext) -> bool:
    return len(question) < turn.services.settings.rewrite_threshold_chars


def after_input(state: ThreadState) -> str:
    """The word at the edge: `blocked` or `passed`."""
    return "blocked" if state["guard"].get("input") == "block" else "passed"


def _blocked(state: ThreadState, layer: str, reason: str, answer: str, stop: Stop) -> dict[str, Any]:
    newest = next(m for m in reversed(state["messages"]) if isinstance(m, HumanMessage))
    return {
        "guard": {"input": "block", "layer": layer, "reason": reason, "stops": [stop]},
        "answer": answer,
        "messages": [RemoveMessage(id=str(newest.id))],
    }


def _read_on(
    state: ThreadState, turn: TurnContext, message: MessageVerdict, english: EnglishReading | None
) -> dict[str, Any]:
    """What the turn goes on with: neither it nor the history holds orders that were cut, and what was asked in English
    is held as it is read."""
    update = _trimmed(state, turn)
    if not message.cut and english is None:
        return update
    newest = next(m for m in reversed(state["messages"]) if isinstance(m, HumanMessage))
    changed: dict[str, Any] = {"content": message.text}
    if english is not None:
        said = turn.masker.mask(str(newest.content)).text  # what stays in the thread holds no personal data
        changed["additional_kwargs"] = {**newest.additional_kwargs, SAID: said}
    return {"messages": [*update.get("messages", ()), newest.model_copy(update=changed)]}


def _trimmed(state: ThreadState, turn: TurnContext) -> dict[str, Any]:
    """Forgets what lies further back than the turns that are kept, and of earlier results what only their own turn
    needed: a thread is read and written as a whole each turn."""
    messages = state["messages"]
    starts = [i for i, m in enumerate(messages) if isinstance(m, HumanMessage)]
    keep = turn.services.settings.max_conversation_turns
    first = starts[-keep] if len(starts) > keep else 0
    shorter = [
        reminder(m) for m in messages[first : starts[-1]] if isinstance(m, ToolMessage) and m.artifact is not None
    ]
    gone = [RemoveMessage(id=str(m.id)) for m in messages[:first]]
    return {"messages": [*gone, *shorter]} if gone or shorter else {}
