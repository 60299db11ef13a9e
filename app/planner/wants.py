"""What plain words ask for, so that a message is cut in two only where both halves ask for different things."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.planner.follow_up import asks

_NO_RIDER = "".join(f"(?<!{end} )" for end in "료암술원단비금당용형증") + r"(?<![가-힣])"
# Business by business the words that name it and the tools that answer them, likeliest first. The order decides where
# two would begin at the same place: 녹취 고지 멘트 is a 녹취, not a 멘트.
_WANTS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("recording_notice_script",), r"(?:녹취|녹음) ?(?:고지|안내)? ?(?:멘트|문구|스크립트)?"),
    (("compliance_required_disclosure",), r"설명 ?의무|(?:필수|의무) ?(?:설명|고지|안내)"),
    (("comparison_disclaimer_generator",), r"비교 ?(?:안내|면책|고지|유의)? ?(?:문구|단서)"),
    (("underwriting_questions_generator",), r"질문[지표]|(?:고지|건강|심사) ?(?:질문|문항)"),
    (
        ("underwriting_knockout_rules",),
        r"(?:인수 ?|무조건 ?)?거절 ?(?:사유|조건|룰|기준|되는 ?\S+)|가입 ?안 ?되는 ?(?:거|것|경우|사유|조건|병)",
    ),
    (
        ("underwriting_exclusions",),
        r"(?:절대 ?)?(?:(?:보장|보상|지급) ?)?(?:안 ?(?:되|돼|주|나오|나가|해 ?주)는|못 ?받는|제외되?는?)"
        r" ?(?:거|것|건|경우|때|사유|항목)"
        r"|면책 ?사[유항]",
    ),
    (
        ("underwriting_waiting_periods",),
        r"면책 ?기간|(?<!비교 )면책(?! ?(?:사[유항]|문구|조항|고지|안내|멘트|약관))|감액 ?기간|감액"
        r"|대기 ?기간|보장 ?개시일?|며칠 ?(?:을|은)? ?(?:기다|있어야|지나야)|언제부터 ?(?:보장|효력)",
    ),
    (
        ("renewal_premium_projection", "underwriting_renewal_premium_notice"),
        r"갱신 ?보험료|갱신(?:되면|할 ?때|하면|때) ?(?:얼마나 ?)?(?:오르|올라|인상)"
        r"|얼마나 ?(?:오르|올라)|인상 ?(?:폭|률)",
    ),
    (
        ("underwriting_renewal_eligibility",),
        r"갱신[은는이]? ?(?:나이|연령|한도|가능|여부|되는지|되나|몇 ?살까지)|(?:언제|몇 ?살)까지 ?(?:보장|갱신)",
    ),
    (("payment_cycle_options",), r"납입 ?주기|연납"),
    (("plan_options",), r"납입 ?기간|플랜 ?(?:종류|목록|뭐)"),
    (("surrender_value_explain",), r"(?:해약 ?|해지 ?)?환급금|해약금"),
    (
        ("premium_estimate", "premium_compare"),
        r"보험료(?! ?(?:할인|납입|면제|인상|오르|올라|차이|연체|미납))|월 ?납입액"
        r"|(?:한 ?달(?:에|엔)?|매달|다달이) ?(?:얼만지|얼마인지|얼마고|얼마예요|얼매|얼마(?:씩|나)? ?내)",
    ),
    (
        ("rider_list",),
        rf"특약 ?(?:은|이|는)? ?(?:목록|리스트|종류|구성|뭐|어떤)|(?:어떤|무슨) ?특약"
        rf"|{_NO_RIDER}특약(?=이?랑|하고|도|은|,|[?.! ]*$)",
    ),
    (("coverage_summary", "product_compare"), r"보장 ?(?:내용|요약|범위|항목|내역|전체)|(?:뭐|무엇)(?:를|을)? ?보장"),
    (("underwriting_docs_required",), r"(?:가입|심사|청약)(?:할 때|에)? ?(?:필요한? ?|구비 ?|내는 ?)?서류"),
    (
        ("claim_required_forms", "underwriting_docs_required"),
        r"(?:청구 ?|필요한? ?|구비 ?|제출 ?|내야 ?하는 ?|챙길 ?)?서류(?! ?심사)|뭐(?:를|뭐)? ?챙기?[겨길]",
    ),
    (("claim_guide",), r"청구 ?(?:방법|절차|하는 ?법|과정)|청구[는은]? ?어떻게"),
    (("claim_guide", "contract_manage"), r"(?<!가입 )(?<!심사 )(?<!가입)(?<!심사)절차"),
    (("claim_guide", "contract_manage"), r"(?:며칠|얼마나) ?걸리|언제(?:쯤)? ?(?:들어오|들어와|입금)"),
    (("underwriting_limitations",), r"가입 ?(?:금액|한도)(?: ?한도)?|얼마까지 ?(?:들|가입)"),
    (
        ("eligibility_by_product_rule", "underwriting_precheck"),
        r"가입 ?(?:나이|연령)|나이 ?제한|재가입|몇 ?살(?:부터|까지)(?: ?(?:들|가입))?",
    ),
    (
        ("benefit_amount_lookup",),
        r"(?:진단|수술|입원|통원|사망|간병|치료) ?(?:비|보험금|금|급여금|일당)(?! ?(?:특약|를|을 위))(?![가-힣]{2})"
        r"|(?:얼마(?:나|씩)?|돈을?) ?(?:주|나오|나와|받|지급)(?![가-힣]?는지 모)"
        r"|보험금(?! ?(?:청구|지급|신청|접수|수령))",
    ),
    (("benefit_limit_rules",), r"(?:지급|보장|연간) ?한도|횟수 ?(?:제한|한도)|몇 ?번까지"),
    (
        ("duplicate_enrollment_check",),
        r"중복(?! ?(?:보장|지급|수령|청구|으로|되|돼|해서)) ?(?:가입|여부|계약|체크|확인|인지)?",
    ),
    (("customer_followup_tasks",), r"할 ?일|후속 ?(?:업무|조치|관리|작업)"),
    (("customer_contract_lookup",), r"계약 ?(?:조회|내역|현황|목록|상태)"),
    (("contract_manage",), r"청약 ?철회|(?:해지|해약|대출|부활|수익자 ?변경|주소 ?변경) ?(?:방법|절차)"),
    (
        ("sales_channel_availability",),
        r"판매 ?채널|가입 ?(?:채널|경로)|(?:전화|온라인|인터넷|대면|방카)(?:로|으로)? ?가입",
    ),
    (("product_latest_version_check",), r"최신 ?(?:판|버전|개정)|개정 ?(?:일|판|여부)"),
    (("underwriting_high_risk_job_check",), r"(?:직업 ?)?위험 ?등급|상해 ?등급"),
    (("compliance_phrase_generator",), r"멘트|스크립트|화법"),
)
_WANT = re.compile("|".join(f"(?P<w{i}>{says})" for i, (_, says) in enumerate(_WANTS)))

# Nouns that may stand between what is asked for and the word that joins it: 설명의무 항목이랑.
_NOUN = (
    r"(?:항목|내용|기간|문구|방법|금액|목록|조건|사유|멘트|여부|질문|절차|안내|정보|표|관련|부분|거|것|건|쪽|나이|뭐|얼마"
    r"|조회|확인|계산|견적|정리|요약|설명|예상|대략|다|좀)"
)
# By nouns (보험료하고, 면책 기간이랑, 특약 목록,) …
_BY_NOUN = re.compile(
    rf"^(?P<tail>(?: ?{_NOUN}){{0,2}})"
    r"(?P<glue>이?랑|하고|하구|허고|과|와|에다가?| ?및| ?그리고|까지(?: ?해서)?|도| ?[,+/·&])(?:도)?"
    r"(?:,| 그리고)?(?:\s|(?=[가-힣A-Z])|$)(?P<head>.{0,22})$"
)
# … or by verbs: 보험료는 얼마고, 몇 살까지 되는지, 계약 조회해 주시고.
_BY_VERB = re.compile(
    r"^(?P<tail>[^.?!]{0,16}?(?:[는은인건]지|[일될할]지|얼마|며칠"
    r"|(?:해|알려|보여|뽑아|봐) ?(?:주시|주)?|하|이|있|되|시|주|고 싶)?)"
    r"(?P<glue>(?<=지)(?:이?랑|하고|도|,|까지)|(?<![라다냐자말빼니겠봤두됐됬지갖])고,?|(?<=얼마),|(?<=며칠),)\s(?P<head>.{0,22})$"
)
_SEQUENCE = re.compile(r"^(?:나서|나면|난|나니|싶|있|나중|다시|바로|보니|보면)|려면|려고")
# Where one thing is asked about a text or a list: what it names is not asked for itself.
_OF_A_TEXT = re.compile(
    r"[\"“”'‘’「」:]|약관|요약서|설명서|안내장|원문|자주 ?묻|라고|다고|냐고|라는"
    r"|다는|표현|말해도|써도|광고|[A-Za-z]\d{3}"
)
# 보험료랑 보험금이 어떻게 다른 건지: one question about the two.
_TOLD_APART = re.compile(
    r"(?:어떻게|뭐가|무엇이|뭐|무슨)\s?(?:가|이)?\s?(?:다[르른]|달라|틀[린려]|차이)|차이"
    r"|비교(?! ?(?:안내|면책|고지|유의)? ?(?:문구|단서))|기준으로|조항"
)
# A bare comma joins a list of three, or two things that 도, 둘 다 or 같이 hold together.
_ALL_OF_THEM = re.compile(r"도(?![가-힣])|도요|[둘다]\s?다|둘다|모두|전부|싹|같이|함께|한꺼번에|[두세]\s?(?:가지|개)")
_PLEASE = re.compile(r"^(?P<what>.*(?:해|알려|보여|뽑아|봐)) ?주시?$")
_ALIKE = re.compile(
    r"^(?P<of>.{1,20}?)(?:도|은|는|이?면|으?로도|으?로)?\s?"
    r"(?:똑같이|(?:같은|이런|그런)\s?식으로|마찬가지로|동일하게|(?:두|세)\s?(?:가지|개)\s?다)"
    r"|^(?:그럼\s?|그러면\s?)?(?:똑같이|같은\s조건으로)\s(?P<then>.{1,20}?)(?:으?로)?(?:도)?\s(?:둘|두\s?가지|세\s?(?:개|가지))"
)
_MOST = 3
_LISTED = 2


# Texts that are written about something, and what is asked for beside them.
_WRITTEN = frozenset({"compliance_phrase_generator"})
_BESIDE_WRITTEN = frozenset(
    {
        "recording_notice_script",
        "compliance_required_disclosure",
        "underwriting_questions_generator",
        "customer_followup_tasks",
        "comparison_disclaimer_generator",
    }
)


@dataclass(frozen=True)
class Want:
    """A place where plain words name what is wanted, and the tools for it, likeliest first."""

    tools: tuple[str, ...]
    start: int
    end: int


def wants(text: str) -> list[Want]:
    """What plain words of `text` ask for, in their order."""
    return [Want(_WANTS[int(str(m.lastgroup)[1:])][0], *m.span()) for m in _WANT.finditer(text)]


def wanted_tools(text: str) -> tuple[str, ...]:
    """The tools for the one thing that plain words of `text` ask for; none where they name nothing or several."""
    named = {want.tools for want in wants(text)}
    return next(iter(named)) if len(named) == 1 else ()


def tools_of(parts: Sequence[str]) -> list[tuple[str, ...]]:
    """The tools that plain words of each part name; papers asked for beside a claim are the claim's."""
    named = [wanted_tools(part) for part in parts]
    claimed = any(tools[:1] == ("claim_guide",) for tools in named)
    return [tools[:1] if claimed and tools[:1] == ("claim_required_forms",) else tools for tools in named]


def parts_wanted(text: str) -> tuple[str, ...]:
    """`text` once for each of the things it asks for, where plain words name different ones and join them; empty
    otherwise."""
    if _OF_A_TEXT.search(text) or _TOLD_APART.search(text):
        return ()
    found = wants(text)
    parts: list[str] = []
    start = 0  # where the words of the current part begin
    front = text[: found[0].start] if found else ""
    for before, after in pairwise(found):
        if before.tools == after.tools:
            continue
        joint = _joint(text[before.end : after.start], listed=len(found) > _LISTED or bool(_ALL_OF_THEM.search(text)))
        if joint is None or (set(after.tools) & _WRITTEN and not set(before.tools) & _BESIDE_WRITTEN):
            return ()  # 보험료 환급금: one names the other; 감액까지 포함한 멘트: a text about the other
        tail, head = joint
        lead = front if parts else ""
        parts.append(asking(f"{lead}{text[start : before.end]}{tail}"))
        start = after.start - len(head)
    if not parts:
        return ()
    parts.append(asking(f"{front}{text[start:]}"))
    return tuple(parts[:_MOST])


def as_before(text: str, previous: str | None) -> tuple[str, ...]:
    """What `previous` asked for, asked of what `text` names: 표적항암도 같은 식으로요 after 유사암은 얼마 주고 며칠
    기다려요; empty where `text` asks for nothing of the kind or one thing alone was asked for."""
    alike = _ALIKE.match(text)
    if alike is None or not previous or len(parts_wanted(previous)) < _LISTED:
        return ()
    asked = {want.tools: previous[want.start : want.end] for want in wants(previous)}
    about = alike["of"] or alike["then"]
    return tuple(f"{about} {words} 알려 주세요" for words in asked.values())[:_MOST]


def still_waiting(parts: Sequence[str], told: Collection[str], asked_for: Collection[str]) -> tuple[str, ...]:
    """Those of the things asked for together that wait for the answer to a question back: all where the product was
    asked for, else those whose tools were not called; empty where that is not more than one."""
    if "product_code" not in asked_for:
        parts = [part for part, tools in zip(parts, tools_of(parts), strict=True) if not set(tools[:1]) & set(told)]
    return tuple(parts) if len(parts) >= _LISTED else ()


def _joint(between: str, *, listed: bool) -> tuple[str, str] | None:
    """What belongs to the thing before and to the one after a joint; None where the two are not joined."""
    found = _BY_NOUN.match(between) or _BY_VERB.match(between)
    if found is None or _SEQUENCE.search(found["head"]) or (found["glue"].strip() == "," and not listed):
        return None
    return _ended(found["tail"], found["glue"]), found["head"]


def _ended(tail: str, glue: str) -> str:
    """The words before a joint with an end of their own: 얼마 주(고) -> 얼마 주는지, 조회해 주시(고) -> 조회해
    주세요."""
    if "고" not in glue or glue in ("하고", "이고"):
        return tail
    if please := _PLEASE.match(tail):
        return f"{please['what']} 주세요"
    return f"{tail}{'인지' if tail.endswith(('얼마', '며칠', '이')) else '는지'}"


def asking(part: str) -> str:
    """A part of a message as a request of its own."""
    return part.strip() if asks(part) else f"{part.strip()} 알려 주세요"
