"""What plain words ask for, so that a message is cut in two only where both halves ask for different things."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from app.planner.follow_up import asks
from app.toolbox.declared import Declarations

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


def wanted_tools(text: str, declared: Declarations) -> tuple[str, ...]:
    """The tools for the one thing that plain words of `text` ask for; none where they name nothing or several."""
    named = {want.tools for want in declared.wants(text)}
    return next(iter(named)) if len(named) == 1 else ()


def tools_of(parts: Sequence[str], declared: Declarations) -> list[tuple[str, ...]]:
    """The tools that plain words of each part name; papers asked for beside a claim are the claim's."""
    named = [wanted_tools(part, declared) for part in parts]
    claimed = any(declared.has(tool, "claim_steps") for tools in named for tool in tools[:1])
    return [tools[:1] if claimed and tools and declared.has(tools[0], "claim_papers") else tools for tools in named]


def parts_wanted(text: str, declared: Declarations) -> tuple[str, ...]:
    """`text` once for each of the things it asks for, where plain words name different ones and join them; empty
    otherwise."""
    if _OF_A_TEXT.search(text) or _TOLD_APART.search(text):
        return ()
    found = declared.wants(text)
    parts: list[str] = []
    start = 0  # where the words of the current part begin
    front = text[: found[0].start] if found else ""
    for before, after in pairwise(found):
        if before.tools == after.tools:
            continue
        joint = _joint(text[before.end : after.start], listed=len(found) > _LISTED or bool(_ALL_OF_THEM.search(text)))
        a_text = any(declared.has(tool, "writes_text") for tool in after.tools)
        if joint is None or (a_text and not any(declared.has(tool, "beside_text") for tool in before.tools)):
            return ()  # 보험료 환급금: one names the other; 감액까지 포함한 멘트: a text about the other
        tail, head = joint
        lead = front if parts else ""
        parts.append(asking(f"{lead}{text[start : before.end]}{tail}"))
        start = after.start - len(head)
    if not parts:
        return ()
    parts.append(asking(f"{front}{text[start:]}"))
    return tuple(parts[:_MOST])


def as_before(text: str, previous: str | None, declared: Declarations) -> tuple[str, ...]:
    """What `previous` asked for, asked of what `text` names: 표적항암도 같은 식으로요 after 유사암은 얼마 주고 며칠
    기다려요; empty where `text` asks for nothing of the kind or one thing alone was asked for."""
    alike = _ALIKE.match(text)
    if alike is None or not previous or len(parts_wanted(previous, declared)) < _LISTED:
        return ()
    asked = {want.tools: previous[want.start : want.end] for want in declared.wants(previous)}
    about = alike["of"] or alike["then"]
    return tuple(f"{about} {words} 알려 주세요" for words in asked.values())[:_MOST]


def still_waiting(
    parts: Sequence[str], told: Collection[str], asked_for: Collection[str], declared: Declarations
) -> tuple[str, ...]:
    """Those of the things asked for together that wait for the answer to a question back: all where the product was
    asked for, else those whose tools were not called; empty where that is not more than one."""
    if "product_code" not in asked_for:
        parts = [
            part for part, tools in zip(parts, tools_of(parts, declared), strict=True) if not set(tools[:1]) & set(told)
        ]
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
