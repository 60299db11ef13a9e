"""The clauses in which people tell of themselves, and what the words around a thing named say of it: that it is denied
(당뇨는 없고), only feared (치매 걸리면), the name of an insurance (치매보험), or asked about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.insurance.reference import Finding

# A clause ends behind what joins it to the next: 당뇨는 없고 | 고혈압만 있는데 | 가입돼요?
_JOINT = re.compile(
    r"(?:(?<=[가-힣])|(?<=[긴는도] ))(?:[는은인던한운신][데대디]|ㄴ데|지만|거든요?"
    r"|(?<![하먹받고앓쓰끼])고요?(?!\s?(?:있|계|싶|나서|다니|살))"
    r"|(?<=[먹받앓쓰끼하])고(?=,|요)|(?<=하)고(?=\s)(?!\s?(?:있|계|싶|나서|다니|살))"
    r"|[아어해셔라가와려여켜겨쳐져]서|니까|으며|이며|이고요?)(?:요|유|예|도)?(?=[\s,.?!~]|$)"
    r"|(?<=[가-힣])고는(?=\s)(?!\s?(?:있|계|싶))"
    r"|(?<=[았었였했앗엇])지(?=\s)(?!\s?(?:않|안|못|말|만))|(?<=[가-힣])[심슴씸읍]니?[더다](?=\s)"
    r"|(?<=[가-힣])[요죠](?=\s)|(?<=\s)(?:걸|거|것을?)\s?보(?:니|면서)(?=\s)|(?:[,;?!\n()]|[./](?!\d)|(?<!\d)[./])+"
)
# 저(43)는, 수술력(-): one clause
_IN_BRACKETS = re.compile(r"(?<=[가-힣])\((?:\d{1,3}\s?(?:세|살)?[\s,/]?[남여]?[자성]?|[-－+])\)")
# What denies the finding right before it, within the clause. '가입 안 되나요' and '방법이 없나요' deny nothing told.
_DENIED = re.compile(
    r"(?<!의심이 )아니(?!면)|아닙|아님|아닌(?!가|지)|아이(?:고|다|라)|않|음성|정상|이상\s?무|전무"
    r"|(?:(?<![가-힣])|(?<=[병투치증질장수이검소사진]력)|(?<=[병약술원염증환항료]))무(?![가-힣])"
    r"|(?<![A-Za-z])(?:[xX×✕]|[Nn][Oo]|NO|[Nn]one)(?![A-Za-z\d])|(?<![\d.])0\s?(?:건|회|번)|\([-－]\)"
    r"|업(?:고|어|습|는|다|답|슈|시|대|심)|(?<!수 )(?<!수가 )(?<!문제 )(?<!문제)(?<!상관)(?<!방법이 )(?<!수는 )"
    r"없(?!이|어지|애|으면|인(?![가-힣])|진\s?않|지는?\s?않)"
)
# Not done. What was advised and not done yet is still ahead (재검 통보받고 아직 안 갔어요).
_UNDONE = re.compile(
    r"(?<![가-힣])안\s?(?:받|했|햇|함|해|하|할|합|걸|앓|먹|머|묵|써|쓰|맞|끼|다쳤|나왔|났|피|마|드[시셔신십]|잡[수숫])"
    r"|(?:전혀|아직)\s?안|못\s?받"
)
# 병원도 안 다녀요 tells of no treatment; of an illness named beside it (고혈압인데) it takes nothing back.
_STAYS_AWAY = re.compile(
    r"(?<![가-힣])안\s?(?:다[니닌닙녀님]|[댕당][기겨긴김]|가(?![능입])|[간갔갑감]|밟|들르|찾[는아을]|썩|빠[졌지진]|아[파프픈픕])"
)
# 백내장 수술 말곤 없어요, 이가 여덟 개밖에 안 남았어요: all else is denied, and this is so.
_ONLY = re.compile(
    r"(?:(?:말고|빼고|제외하고|이?외에|그것)는?|말곤|빼곤|이?외엔|\s이?외(?=\s))\s?[^.,?!]{0,24}?"
    r"(?:없|안\s|못|않|아무|이상\s?무|[무無](?![가-힣]))"
    r"|밖에(?:는|도)?\s?[^.,?!]{0,8}(?:안|없|못)"
)
# What never came of it, or is made little of, does not take the illness back (갑상선암 떼고 재발 없음, 별거 아니겠죠).
_COME_OF_IT = re.compile(
    r"(?:재발|전이|후유증|합병증|악화|잔존|증상|통증|불편|부작용)[가-힣]{0,2}\s?(?:전혀\s?|아직\s?|하나도\s?)?"
    r"(?:없|업|안\s?[가-힣]|[xX×무])[가-힣]*"
    r"|(?:별\s?[거것일]|큰\s?[병일거것]|심각한\s?[거것건])[가-힣]{0,2}\s?(?:아니|아닌|아닐|없)[가-힣]*"
)
# 4년 전 잇몸수술 이후 이상 없음: how it is since; what was done was done.
_FINE = (
    r"(?:이상|문제|탈|별\s?일)(?:은|이|도)?\s?(?:전혀\s)?(?:없|무(?![가-힣]))[가-힣]*"
    r"|정상[가-힣]*|멀쩡[가-힣]*|음성[가-힣]*"
)
_FINE_SINCE = re.compile(rf"(?:후|뒤|나서|난\s?다음|지금|현재|이제|다\s?나[아았은])[^.,]{{0,16}}?(?:{_FINE})")
_FINE_EVER = re.compile(_FINE)
_ONLY_REACH = 8  # letters between what is so and the words that except it (백내장 수술하신 거 말곤)
# 자궁근종 경과관찰 무, 당뇨 약은 없음: nothing is done for the illness, which is there.
_UNTREATED = re.compile(
    r"^(?:은|는|이|가)?\s(?:현재\s|지금\s|따로\s)?(?:약|투약|복용|처방|주사|경과\s?관찰|추적\s?(?:관찰|검사)?)(?:은|는|도|을|이)?"
    r"\s?(?:전혀\s|현재\s|따로\s)?(?:없|안\s?[먹드]|[무無xX](?![가-힣A-Za-z]))"
)
_NEVER_ADVISED = re.compile(r"[가-힣]{0,3}\s?(?:안|못)\s?받")
_ASKED = re.compile(
    r"가입|들\s?수|들어\s?(?:도|드|주|줄)|들려|들까|(?:들|넣)고\s?싶|넣어\s?(?:드리|주)"
    r"|(?<!하면)(?<!하면 )(?:되나|돼요|될까|되는|되죠|돼나)|가능|받아\s?(?:주|줄)|보험(?!\s?사기|금)"
)
# Behind the name of an illness that is also a kind of insurance: it is the illness of somebody.
_HAD = re.compile(
    r"^\s*(?:이|가|을|를|으?로|도|은|는|에|만)?\s*(?:또\s|한\s?번\s|이미\s|벌써\s|지금\s)?(?:걸[렸려린렷]|걸리[고신셨]|앓|투병|완치|선고|판정|확진|가[셨신]|돌아가|떠[나났]|사망|별세|숨"
    r"|(?:진단|수술|시술|치료|입원|제거|절제)(?!비|금|자금|보험|보장|특약|급여|일당|\s?시\s)|재발|전이|이력|병력|환자|유병|경험|생존|겪|생[겼겨긴]|왔|온\s|오[셨신]"
    r"|나[왔온]|나와서|발견|때문|[초중말]기|[중경]증\s?(?:이|인|으로|세)|\d\s?기|덩어리|세포|떼|항암|의심|증상|증세|기운|끼|약(?!관|속)|나[았은아]|이겨|극복|싸우|심[하해]"
    r"|있(?!나|냐|는지|을까|습니까|(?:어|으세|으신가)요\?|는\s?(?:보험|상품|거|걸|게)))"
    r"|^이(?:에요|예요|신|시|세|셔|었|래|라(?=[고는서네더\s])|고|거든|지만|며|니)|^(?:였|입니다|인(?=\s|데|지|가|분|걸)|임(?=[\s,.]))"
    r"|^(?:예요|에요|세요|셔|신|시(?=[고라니다])|래|라(?=[고는서네더\s])|고(?=[\s,])|거든|지만)"
)
# Behind a finding: an insurance or a cover of that name, or a thing only feared.
_NOT_TOLD = re.compile(
    r"^(?:비|금)(?:[\s이가을를도는은]|$)|^\s*(?:간병\s*|치료\s*|진단\s*|수술\s*|입원\s*)?(?:(?:이|가|도|은|는|을|를|까지|만|에)?\s*(?:보장|보상|나오(?:나|는지|죠)|나와요|나올|지급|커버)|보험|보장|특약|진단비|보험금|담보|상품|수술비|입원비|치료비|일당|급여금"
    r"|(?:이|가|에|으로|를)?\s*(?:걱정|무서|무섭|두려|대비|예방|걸리면|걸렸을\s?때|걸릴|생기면|생길|생겼을\s?때|되면|오면|올까|나면"
    r"|[가-힣\s]{0,6}지면|필요하면|받으면|하면|하게\s?되면|진단받으면|진단되면))"
)
# A condition that the asking follows is of somebody who has it: 투석하면 가입 안 되죠, 암 걸리면 암보험 못 드나요.
_ASKED_IF = re.compile(
    r"[가-힣\s]{0,8}면\s*(?:\S{0,12}보험(?:에|은|을)?\s*)?(?:가입|인수|심사|거절|(?:안|못)\s?(?:들|드|되|돼|받)|들\s?수|되나|돼요|될까|받아\s?주)"
)
# 감기로도 병원을 안 가요, 잔병치레도 안 해요: not even that.
_NOT_EVEN = re.compile(
    r"^(?:으?로도|도|조차|한\s?번)\s?(?:잘\s|거의\s)?(?:병원[가-힣]{0,2}\s)?(?:잘\s|거의\s)?"
    r"(?:안|못)\s?(?:가|간|갔|다니|댕기|걸|하|해)"
)
_LEADS_ON = re.compile(r"[아어해셔라가와려여켜겨쳐져]서[\s,]*$")
# Dialect and haste in the words that deny or tell, letter by letter, so that places stay.
_SPELT = str.maketrans("읎혔햇無", "없했했무")
# 입원이나 수술, 입원한 적도 수술한 적도: what is said behind the second is said of both.
_AND = re.compile(
    r"\s*(?:(?:한|하신|받은|받으신|간|된|했던)?\s?(?:적|일|경험|이력|기록))?(?:이나|나|도|또는|하고|이랑|랑|과|와|및|·|/)?\s*"
)


@dataclass(frozen=True)
class Hit:
    """A finding named in a text."""

    start: int
    end: int
    finding: Finding
    count: int | None = None


_NOTHING = Finding(id="none", name="", says=("-",))


def denies(text: str) -> bool:
    """Whether a clause says of something that it is not so."""
    return _denies(_before_asking(text))


def tells_of_none(text: str) -> bool:
    """Whether a clause denies something, or says that there was no need of it (병원도 안 다녀요)."""
    return denies(text) or bool(_STAYS_AWAY.search(_before_asking(text)) and not _ONLY.search(text))


def only_that(behind: str) -> bool:
    """Whether the words behind something named deny everything but it (말곤 없어요)."""
    found = _ONLY.search(behind)
    return found is not None and found.start() <= _ONLY_REACH


def is_told(text: str, end: int) -> bool:
    """Whether a thing named up to `end` is told, not denied, feared or the name of an insurance."""
    return not taken_back(text[end:], Hit(end, end, _NOTHING), ())


def is_had(text: str, end: int) -> bool:
    """Whether words behind the name of an illness, up to `end`, say that somebody has or had it (암에 걸려)."""
    return bool(_HAD.match(text[end:]) or asked_if(text[end:]))


def is_denied(text: str, end: int) -> bool:
    """Whether the clause in which something is named up to `end` says that it is not so (수술한 적도 없는)."""
    clause_end = next((stop for start, stop in clauses(text) if start < end <= stop), len(text))
    return denies(text[end:clause_end])


def told_until(text: str, told_to: int = 0) -> int:
    """Where a clause stops telling and asks to join; not before `told_to` (또 들 수 있나요 tells of one held)."""
    return max(told_to, len(_before_asking(text)))


def asks_to_join(text: str) -> bool:
    """Whether a clause speaks of joining."""
    return bool(_ASKED.search(text))


def clauses(text: str) -> list[tuple[int, int]]:
    """The spans of the clauses of a text, without what joins them."""
    spans, at = [], 0
    for joint in _JOINT.finditer(_IN_BRACKETS.sub(lambda m: "0" * len(m[0]), text)):
        if text[at : joint.end()].strip():
            spans.append((at, joint.end()))
        at = joint.end()
    if text[at:].strip():
        spans.append((at, len(text)))
    return spans


def asked_if(behind: str) -> bool:
    """Whether the words behind a thing named (as it begins: 면 …) ask to join with it, as somebody does who has it."""
    return bool(_ASKED_IF.match(behind))


def joins(between: str) -> bool:
    """Whether two things named with these words between them are one list (입원한 적도 수술한 적도)."""
    return _AND.fullmatch(between) is not None


def leads_on(clause: str) -> bool:
    """Whether a clause tells what led to the next (뇌를 다쳐서): what is told of both happened at one time."""
    return bool(_LEADS_ON.search(clause))


def taken_back(behind: str, hit: Hit, hits: Sequence[Hit]) -> bool:
    """Whether the words behind a finding, up to the end of its clause, deny it or only name an insurance or a fear."""
    behind = behind.translate(_SPELT)
    untreated = not hit.finding.event and _UNTREATED.match(behind)
    if asked_if(behind) or only_that(behind) or untreated:
        return False
    if _NOT_TOLD.match(behind) or (_NOT_EVEN.match(behind) and not hit.finding.pending):
        return True
    later = [k.start - hit.end for k in hits if k.start >= hit.end > hit.start and not k.finding.healthy]
    following = min(later, default=len(behind))
    window = behind[:following]
    if later and joins(window):
        window = behind  # 입원이나 수술한 적 없어요: the denial is of both
    said = (_FINE_EVER if hit.finding.event else _FINE_SINCE).sub("", _COME_OF_IT.sub("", _before_asking(window)))
    return bool(_DENIED.search(said)) or bool(
        _NEVER_ADVISED.match(said) if hit.finding.pending else _UNDONE.search(said)
    )


def _denies(text: str) -> bool:
    text = _COME_OF_IT.sub("", text.translate(_SPELT))
    if _ONLY.search(text):
        return False
    return bool(_DENIED.search(text) or _UNDONE.search(text))


def _before_asking(text: str) -> str:
    asked = _ASKED.search(text)
    return text[: asked.start()] if asked else text
