"""What a question names in its own words: the words left over when those of asking, and those that only name the kind
of thing asked for, are gone. '광고 문안 검수 좀 해줘요' names no text to be checked, '위험등급 조회' no job."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.planner.view import View

_LEAST = 2
_LETTERS = re.compile(r"[가-힣A-Za-z0-9]+")
# Words that say what is wanted and for whom, whatever it is.
_ASKED_FOR = (
    r"해당|관련|그대로|통과|하나|한\s?개|이거|그거|저거|이것|그것|이건|그건|여기|지금|먼저|빨리|다시|제대로|필요|원하|부탁"
    r"|요청|의뢰|문의|조회|확인|점검|검토"
    r"|검수|검사|심의|판단|산출|계산|분석|추천|생성|작성|제작|골라|뽑아|만들|찾아|봐\s?주|봐\s?줘|봐|알려"
    r"|알고\s?싶|궁금|보여|해\s?주|해\s?줘|해\s?드|드려|드릴"
    r"|드립|드리|싶|만한|시켜|주세요?|주십시오|주시|주실|(?:[인는은을일될할한])지|줄\s?수|줘요?|줄래|할까|할게|하고|하는|하려|해야|한다|합니다|입니다|인데|있나|있어"
    r"|있는|되나|되는|될까|될|된|돼|되|가능|수도?\s?있"
    r"|모르겠|모르|어떻게|어떤|무슨|무엇|뭐|뭘|뭔|몇|얼마|언제|누가|어디|왜|고객님?|손님|저희|우리|제가|저는|저의"
    r"|(?<![가-힣])(?:남편|신랑|아내|와이프|집사람|아들|딸|어머니|아버지|엄마|아빠|부모님?|이번|최근|요즘|새로|전)(?![가-힣]{2})"
    r"|본인|나는|내가|제|님|씨|분|좀|요|네"
)
_OF_FIELD: Mapping[str, str] = {
    "job": r"직업|직종|직무|업종|하는\s?일|일|위험|등급|급수|직급|상해|가입|심사|영향|보험|인수|여부|때문|있|변경"
    "|바뀌|바꾸|올라|오르|비싸|사실|정말|진짜|안전|나쁜|나쁘|좋은|좋은가|급|영업|정해|들어|들|괜찮|나오|나와|나옵|급인"
    r"|거절|거부|경우|걸리|문제|제한|받아|위험한|말해|옮기|데로|다던데|저도|못|드나|들나",
    "text": r"광고|문안|문구|문장|멘트|표현|스크립트|대본|안내문|안내장|글|텍스트|녹취|내용|문서|파일|개인\s?정보"
    r"|민감\s?정보|정보|비식별|마스킹|가리|가려|블라인드"
    r"|준법|금지|과장|오인|위반|문제|괜찮|처리|아래|위|올리기?|내보내|나가|쓰기",
    "code_or_name": r"질병|질환|병명|병|상병|분류|코드|번호|진단서?|진단명|KCD|kcd|적혀|적힌|써|쓰여|나와|나온"
    "|의미|뜻|맞|병원|시작|돈|나오|나옵|보험금|지급|보장",
    "topic": r"멘트|문구|문장|표현|스크립트|대본|안내|설명|말|할\s?말|상담|통화|응대|용|읽|준법|표준|짧|간단|쉬운"
    "|부드럽|공손|버전|지어|써|상품|손님|고객|전화|새로",
    "goal": r"특약|조합|구성|설계|묶음|세트|플랜|목적|목표|예산|금액|가입|보험료?|월|만\s?원|원|천|이내|안에서"
    r"|이하|한도|맞춰|맞추|맞게|짜|넣|붙|좋은|괜찮은|상품|보장|\d+",
    "event": r"보험금|지급|청구|대상|보상|보장|받|나오|나올|나와|타|가능|여부|사고|되는지|해당|내역|건"
    r"|이런\s?경우|경우",
    "benefit": r"보장|보험금|금액|지급|받|나오|나와|나올|주|줘|한도|횟수|까지|매달|매월|한\s?번|돈",
    "rider": r"특약|이름|내용|조건|붙|넣|가입|추가|얼마|보장|지급|나오|나와|받|주|설명|자세|상세|그|이|저|할|하",
    "case_summary": r"할\s?일|후속|투두|TODO|todo|팔로업|남겨|남기|남길|저장|등록|기록|정리|메모|올려|잡아"
    r"|고객|상담|내용|건|목록|리스트|적어|챙기|챙길|C\d+|조치|에도|위|방금|까지",
    "case": r"심사|인수|서류|준비|제출|가입|청약|내야|챙겨|필요",
}
_PATTERNS = {name: re.compile(f"{words}|{_ASKED_FOR}") for name, words in _OF_FIELD.items()}
# What may be left of words of asking once their stems are gone: endings and particles, which name nothing.
_ENDINGS = re.compile(
    r"[A-Za-z]?(?:한데|인데|인가|간다|한다|였|았|었|는데|은데|던데|ㄴ데|다는|라는|다고|라고|냐고|냐는|거든|는지|은지|한지|인지|을까|할까|까|합니다|습니다|ㅂ니다|니다|니까"
    r"|네요|어요|아요|에요|예요|이에요|여요|다가|면서|서|으면|면|수도|수|거|것|게|건|걸|데|줄|지|죠|요|다|고|나|냐|어|아|야|을|를|은|는|이|가|도|만|로"
    r"|으로|에|의|해|한|할|하|료|기|저|용|때|더|또|그|이런|저런|든|던|인|같|네|데요|거예|예|면서도|니|랑|하고|야|원|래)+"
)
_PARTICLES = re.compile(
    r"(?<=[가-힣])(?:으로|에서|에게|한테|까지|부터|이랑|하고|은|는|이|가|을|를|의|도|만|로|에|와|과|랑|요|죠"
    r"|지)(?=\s|$)"
)


def subject(view: View, field: str) -> str | None:
    """The words that name what `field` asks for, as they were said; None where nothing but words of asking is left."""
    return view.topic_words() if names(view.without_products(), field) else None


def names(text: str, field: str) -> bool:
    """Whether anything but words of asking, and words for the kind of thing, is in the text."""
    rest = _PATTERNS[field].sub(" ", _PARTICLES.sub(" ", text))
    return any(len(word) >= _LEAST and not _ENDINGS.fullmatch(word) for word in _LETTERS.findall(rest))
