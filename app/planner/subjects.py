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
    r"급하게|급히|얼른|하나만|한\s?가지만|실래|만한|라도|(?:지난|저번|이번)\s?주|거에"
    r"|오케이|ㅇㅋ|하자|여보세요|방금|해당|관련|그대로|통과|하나|한\s?개|이거|그거|저거|이것|그것|이건|그건|여기"
    r"|지금|먼저|빨리|다시|제대로"
    r"|필요|원하|부탁"
    r"|요청|의뢰|문의|조회|확인|점검|검토"
    r"|검수|검사|심의|판단|산출|계산|분석|추천|생성|작성|제작|골라|뽑아|만들|찾아|봐\s?주|봐\s?줘|봐|알려"
    r"|알고\s?싶|궁금|보여|해\s?주|해\s?줘|해\s?드|드려|드릴"
    r"|드립|드리|싶|만한|시켜|주세요?|주십시오|주시|주실|(?:[인는은을일될할한])지|줄\s?수|줘요?|줄래|할까|할게"
    r"|하고|하는|하려|해야|한다|합니다|입니다|인데|있나|있어"
    r"|있는|되나|되는|될까|될|된|돼|되|가능|수도?\s?있"
    r"|모르겠|모르|어떻게|어떤|무슨|무엇|뭐|뭘|뭔|몇|얼마|언제|누가|어디|왜|고객님?|손님|저희|우리|제가|저는|저의"
    r"|(?<![가-힣])(?:남편|신랑|아내|와이프|집사람|아들|딸|어머니|아버지|엄마|아빠|부모님?|이번|최근|요즘|새로|전)(?![가-힣]{2})"
    r"|본인|나는|내가|제|님|씨|분|좀|요|네"
)
_OF_FIELD: Mapping[str, str] = {
    "job": r"직업|직종|직무|업종|하는\s?일|일|위험|등급|급수|직급|상해|가입|심사|영향|보험|인수|여부|때문|있|변경"
    "|바뀌|바꾸|올라|오르|비싸|사실|정말|진짜|안전|나쁜|나쁘|좋은|좋은가|급|영업|정해|들어|들|괜찮|나오|나와|나옵|급인"
    r"|거절|거부|경우|걸리|문제|제한|받아|위험한|말해|옮기|데로|다던데|저도|못|드나|들나|특이|특수|애매|나올지|나올까",
    "text": r"상담원|광고|문안|문구|문장|멘트|표현|스크립트|대본|안내문|안내장|글|텍스트|녹취|내용|문서|파일"
    r"|개인\s?정보"
    r"|민감\s?정보|정보|비식별|마스킹|가리|가려|블라인드"
    r"|준법|금지|과장|오인|위반|문제|괜찮|처리|아래|위|올리기?|내보내|나가|쓰기"
    r"|고쳐|고치|고칠|고친|바꿔|바꾸|바꿀|다듬|수정|써|쓰면|쓸|말|그럼|그러면|그래서|대신|못",
    "code_or_name": r"질병|질환|병명|병|상병|분류|코드|번호|진단서?|진단명|KCD|kcd|적혀|적힌|써|쓰여|나와|나온"
    "|의미|뜻|맞|병원|시작|돈|나오|나옵|보험금|지급|보장",
    "topic": r"금지어|심의|과장|걸리|걸린|걸릴|통과|상담원|센터|채널|(?<![A-Za-z])(?:TM|CM|GA|tm|cm)(?![A-Za-z])"
    r"|멘트|문구|문장|표현|스크립트|대본|안내|설명|말|할\s?말|상담|통화|응대|용|읽|준법|표준|짧|간단|쉬운"
    r"|부드럽|공손|버전|바꿔|바꾸|고쳐|기준|지어|써|상품|손님|고객|전화|새로|\d+\s?(?:분|초|줄)|안쪽|이내|길이",
    "goal": r"특약|조합|구성|설계|묶음|세트|플랜|목적|목표|예산|금액|가입|보험료?|월|만\s?원|원|천|이내|안에서"
    r"|이하|한도|맞춰|맞추|맞게|짜|넣|붙|좋은|괜찮은|상품|보장|\d+|안쪽|안짝|하려|려는데|[남여]자",
    "event": r"보험금|지급|청구|대상|보상|보장|받|나오|나올|나와|타|가능|여부|사고|되는지|해당|내역|건"
    r"|이런\s?경우|경우",
    "benefit": r"보장|보험금|금액|지급|받|나오|나와|나올|주|줘|한도|횟수|까지|매달|매월|한\s?번|돈",
    "rider": r"하나만|정확히?|특약|이름|내용|조건|붙|넣|가입|추가|얼마|보장|지급|나오|나와|받|주|설명|자세|상세|그"
    r"|이|저|할|하",
    "case_summary": r"할\s?일|후속|투두|TODO|todo|팔로업|남겨|남기|남길|저장|등록|기록|정리|메모|올려|잡아"
    r"|조금|전에|끝|업무|끊은|끊|통화|전화|콜(?!백)|다른|딴|후속조치|오늘|아까|좀\s?전"
    r"|고객|상담|내용|건|목록|리스트|적어|챙기|챙길|C\d+|조치|에도|위|방금|까지"
    r"|\d+\s?(?:세|살|시|분|통|건|번째|째)|[여남]자|[여남]성|통째|째다|휴|힘들|피곤|바쁘",
    "query": r"보통\s?약관|특별\s?약관|약관|조항|조문|문구|문장|내용|부분|요약서|설명서|자료|안내장|문서|페이지"
    r"|쪽|원문|근거|검색|찾"
    r"|상품|보험|하나씩|번째|정확|그대로|읽|적혀|써|쓰여|나와|이번|다른|딴|같은|또|더",
    "keyword": r"특약|검색|이름|전\s?상품|전체|모든|상품|상관|전부|다에서|돌려|돌리|찾|하나|더|있|목록|리스트"
    r"|쪽|관련|보험",
    "term": r"약관상?|나오는?|정확한|하나만|정의|용어|단어|뜻풀이|뜻|의미|풀이|말하는|말|정확히|적혀|써|쓰여"
    r"|나와|설명|어렵|어려운"
    r"|고객|물어보|묻"
    r"|병|질병|기준|상품|보험|콜|대기|근거",
    "case": r"심사|인수|서류|준비|제출|가입|청약|내야|챙겨|필요",
}
# What tells that a longer message names the thing at all: of 'this is hard work' no job is known, of 'I was at the
# hospital' no event. A few words said in answer need none of it.
_TELLS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(words)
    for name, words in {
        "job": r"[가-힣](?:원|사|공|기사|관|군|꾼|장이|아저씨|이모)(?![가-힣]{2})|알바|작업|배달|농사|장사|가게"
        r"|식당|공장|현장"
        r"|(?:일을?|만)\s?(?:해|하[고지]|합|한[다대]|함|했)|몰아|몰고|모는|다니|다녀|근무|나가|톤|취재"
        r"|(?<!하)는\s?일(?=\s|$)"
        # 배민 뛰는데, 유리창 닦아요, 분식집 하는데
        r"|뛰(?:는|고|어|면)|뛴|닦(?:아|고|는)|타고\s|(?:집|점|샵|네|업|소|장)\s?(?:을\s?)?(?:하는데|하시|해요|합니다|운영)|일합|일하",
        "text": r"[\"'“”‘’「」:：→]|라(?:고|는)|다(?:고|는)\s|최저|최고|유일|무조건|100|%|퍼센트|프로|확정|원금"
        r"|수익|공짜|무료|누구나|고친"
        r"|걱정|하나면|가입만|혜택|안심|드립니다|받으세요|만\s?원|보험(?:이|은|으로|만)|(?:하세요|드려요)\s?!"
        r"|평생|손해|돌려\s?드|보장(?:합|해|됩|받)|\d{3}|@",
        "benefit": r"수술|입원|통원|진단|치료|간병|사망|장해|면제|심장|뇌|암|치매|혈관|골절|재해|상해|여성|남성"
        r"|치아|보철|틀니"
        r"|임플란트|크라운|발치",
        "goal": r"암|심장|뇌|치매|간병|입원|수술|통원|치료|치과|치아|진단|사망|죽|노후|은퇴|상속|자녀|아이|애들"
        r"|교육|여성|[여남]자(?:들|한테)"
        r"|남성|재발|전이|골절|다치|재해|상해|생활비|소득|병원비|유족|장례|빚|쪽|위주|대비|중심|걱정|무서|불안"
        r"|든든|저렴|알뜰",
        "event": r"다치|다쳤|넘어|미끄|부러|금\s?[가갔]|찢|데였|데이|화상|사고|부딪|박았|치였|떨어|추락|쓰러"
        r"|물렸|물려|베였|베어"
        r"|삐었|삐끗|접질|수술|입원|치료|걸렸|걸리|아프|아파|앓|죽|사망|돌아가|뽑|때우|때웠|씌|심었"
        r"|출산|임신|응급"
        r"|골절|검사|시술|깁스|임플란트|보철|틀니|CT|MRI|[가-힣](?:암|병|증|염)(?:이|으로|에|을|를|도|은|\s|$)",
        "code_or_name": r"[A-Za-z]\s?\d|\d{2,3}\.\d"
        r"|(?:에이|비|씨|디|에프|지|아이|제이|케이|엘|엠|엔|에스|티)\s?[일이삼사오육칠팔구영공]{2}"
        r"|[가-힣](?:암|증|염|종양|경색|출혈|골절|결석|장애|질환|당뇨|혈압|디스크)(?:이|은|는|요|에|으로|을|를|도|인데|\s|$)",
    }.items()
}
# Words of insurance that look like mere endings.
_WHOLE = re.compile(r"해지|할인|해약|요약(?!서)|면제|철회|부활|실효|대출|나이|이자|의무|취소|무효|시효|\d\.\d")
_TAKES_THEM = frozenset({"query", "term", "keyword"})
# Kinds of diseases and of places, which are no disease themselves.
_NO_DISEASE = re.compile(r"(?:무슨|어떤|어느|이|그|저|큰)\s?병|병원|(?:소액|유사|일반|고액)암")
# 이름이 생각이 안 나네, 다른 특약 하나: that the speaker names nothing is said outright.
_UNNAMED = re.compile(
    r"이름(?:이|을|은|도)?\s?(?:생각|기억|길|모르|까먹|못)|뭐더라|기억이?\s?(?:안|못)|못\s?받아\s?적"
    r"|(?:하나|한\s?(?:개|가지))(?:만|씩)?\s?(?:더|콕)|(?:딴|다른)\s?(?:특약|내용|단어|용어|거\s?하나)"
    r"|(?:찾을|찾아볼|볼|손볼)\s?(?:게|거|것)(?:이|가)?\s?(?:하나\s?)?있"
)
_OF_A_PERSON = frozenset({"goal", "case_summary"})
_PARTICULARS = ("ages", "births", "genders", "jobs", "money", "durations", "counts")
# A message this short is an answer, or names its thing and nothing else, 글자.
_BRIEF = 14
# What a rider, a job, a topic or a term is called is never longer, 글자.
_LONGEST_NAME = 24
_CALLED = frozenset({"job", "topic", "benefit", "rider", "keyword", "term", "code_or_name"})
_PATTERNS = {name: re.compile(f"{words}|{_ASKED_FOR}") for name, words in _OF_FIELD.items()}
# What may be left of words of asking once their stems are gone: endings and particles, which name nothing.
_ENDINGS = re.compile(
    r"[A-Za-z]?(?:한데|인데|인가|간다|한다|였|았|었|는데|은데|던데|ㄴ데|다는|라는|다고|라고|냐고|냐는|거든|는지|은지|한지|인지|을까|할까|까|합니다|습니다|ㅂ니다|니다|니까"
    r"|네요|어요|아요|에요|예요|이에요|여요|다가|면서|서|으면|면|수도|수|거|것|게|건|걸|데|줄|지|죠|요|다|고|나"
    r"|냐|어|아|야|을|를|은|는|이|가|도|만|로"
    r"|으로|에|의|해|한|할|하|료|기|저|용|때|더|또|그|이런|저런|든|던|인|같|네|데요|거예|예|면서도|니|랑|하고"
    r"|야|원|래)+"
)
_PARTICLES = re.compile(
    r"(?<=[가-힣])(?:으로|에서|에게|한테|까지|부터|이랑|하고|은|는|이|가|을|를|의|도|만|로|에|와|과|랑|요|죠"
    r"|지)(?=\s|$)"
)


def subject(view: View, field: str) -> str | None:
    """The words that name what `field` asks for, as they were said; None where nothing but words of asking is left, or
    a whole story: nothing is called by that many words."""
    words = view.topic_words() if is_named(view, field) else None
    return None if words and field in _CALLED and len(words) > _LONGEST_NAME else words


def is_named(view: View, field: str) -> bool:
    """Whether the question names what `field` asks for."""
    # 3.3.5가 뭔 뜻인지: what is also a product's name may be the word that is asked for
    text = view.question if field == "term" else view.without_products()
    # 58세 여성분이고 3시에 끝: who it was for is not what it was about
    told = view.without("products", *_PARTICULARS) if field in _OF_A_PERSON else text
    if not names(told, field):
        return False
    if len(text) <= _BRIEF or field in view.facts.asked:
        return True
    tells = _TELLS.get(field)
    return not _UNNAMED.search(text) and (tells is None or bool(tells.search(_NO_DISEASE.sub(" ", text))))


def another(view: View) -> bool:
    """Whether one more, another, or one whose name is not known is asked for: none that the talk has had."""
    return bool(_UNNAMED.search(view.said.text))


def names(text: str, field: str) -> bool:
    """Whether anything but words of asking, and words for the kind of thing, is in the text."""
    if field in _TAKES_THEM and _WHOLE.search(text):
        return True
    rest = _PATTERNS[field].sub(" ", _PARTICLES.sub(" ", text))
    return any(len(word) >= _LEAST and not _ENDINGS.fullmatch(word) for word in _LETTERS.findall(rest))
