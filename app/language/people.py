"""Who is spoken of: kinship words, the speaker, customers by name or number, and gender words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.insurance.models import Gender
from app.language.lexicon import KinshipEntry
from app.language.mentions import GenderMention, NameMention, PersonMention
from app.language.phrases import Folded, PhraseTable

_MALE = re.compile(
    r"(?<![A-Za-z])[Mm]ale(?![A-Za-z])|남자친구|남자|남잔|남잡|아저씨|남성(?!특정|암(?!보)|질환|질병)|사내|남학생|남아(?![있])"
    r"|머시매|머시마|머스마|총각|왕자님|할아범|남직원"
)
_FEMALE = re.compile(
    r"(?<![A-Za-z])[Ff]emale(?![A-Za-z])|여자친구|여자|여성(?!특정|암(?!보)|질환|질병|생식)|여학생|여아|여잔|여잡|여사장|여직원|공주님|가시나|아줌마|아주머니|미혼\s?여|여대생|여고생|할망구|할멈"
)
_LONE = re.compile(
    r"(?:(?<=[\d년])|(?<=\d[살세])|(?<=년생)|(?<=[가-힣\d] )|^|(?<=,)|(?<=, ))(?P<word>남|여)"
    r"(?=$|[\s,./)!?~]*$|[,./]|이?요[.!~ ]*$|이고|이에요|예요|인데|입니다|\s\d(?!녀)"
    r"|\s[가-힣]*(?:뉴|보험|월|얼마|첫|비교|견적))"
)
# An age or a decade, spelled out or not: 주세여, 한대여 are no women.
_AGED = (
    r"(?:\d|(?:열|스물|서른|설흔|마흔|마은|예슨|쉰|예순|일흔|여든|아흔)"
    r"\s?(?:하나|둘|셋|넷|다섯|여섯|일곱|여덟|여덜|아홉|한|두|세|네)?|[이삼사오육칠팔구]십\s?[일이삼사오육칠팔구]?|육)"
)
_AFTER_AGE = re.compile(
    rf"(?:{_AGED}\s?(?:세|살|대)?|년생)\s?/?\s?(?P<word>남|여)(?=$"
    r"|[\s,./)!?~]|이?요|이고|고(?=\s)|이에|예요|인데|임|입니|도|은|는|이?면|으로|로|기준|이?랑|하고|와|과)(?!\s?(?:개|명(?!의)|가지|건(?!강)|번|년|분|\d녀))"
)
# 여47: the gender in front of the age.
_BEFORE_AGE = re.compile(
    r"(?<![가-힣A-Za-z])(?P<word>남|여)\s?(?=\d{2}(?![\d.,%]|\s?(?:만|천|원|개|명|번|회|건(?!강)|년\b)))"
)
# 성별 여로 바꿔서
_OF_GENDER = re.compile(r"성별(?:을|은|이|도|만)?\s?:?\s?(?P<word>남|여)(?=으?로|이?[고요임]|\s|$|[,./])")
_ASIDE = re.compile(
    r"^(?:님|분|께서|께|씨)?(?:\s?(?:랑|이랑|하고|와|과|한테|에게|헌티|한티)\s?(?:은\s"
    r"|는\s)?\s?(?:[가-힣]{1,4}\s)?(?:얘기|이야기|상의|의논|말해|물어|상담|통화|좀\s?더)"
    r"|\s?(?:말로는|말씀으로는|얘기로는)|(?:\s?이|\s?가|께서)?\s?(?:그러는데|그러던데|추천|소개|권해|권하|그랬|말하기를|그러시)"
    r"|(?:이|가|를)?\s?(?:태어나|태어난|낳|갖|가졌|생겨|생기|울|보채|깨서|자고\s|(?:이거\s|그거\s|앱을?\s|여기\s)?(?:깔아|알려\s?줘서|가르쳐|보내\s?줘서|시켜서))"
    r"|(?:이|가)?\s?(?:둘|셋|넷|[2-9]\s?명)(?:이라|이나|이고|\s?있)"
    r"|(?:를|을)?\s?(?:수익자|상속인)|(?:\s?이름|\s?명의)(?:으로|로)(?!\s?(?:\S{2,14}\s)?(?:하나|새로|더|들|가입|넣|또))|\s?(?:으로|로|앞으로)\s?(?:바꾸|변경|지정"
    r"|하고 싶|바꿔|바꿀|돌[려리릴]|옮[기길]|넘[기길])|\s?(?:몰래|대신)"
    r"|\s?(?:거|것|꺼|나이)?(?:이?랑|하고|와|과)\s?(?:헷갈|착각|혼동)"
    # 애들한테 돈 나오는 거: whom the money goes to
    r"|(?:들)?(?:한테|에게|께)\s?(?:돈|보험금|목돈|유산|재산)?(?:이|을|를|라도)?\s?(?:좀\s)?(?:나오|나와|남기|남겨|물려|돌아가는|가는|가게)"
    # 사위가 간편한 거 있다던데: who has heard of an insurance
    r"|(?:이|가|께서)\s.{0,14}?(?:있|좋|괜찮|된|싸)다(?:던데|더라|고\s?(?:하|해|그러))"
    # 손주 보느라 바쁘게 살다가: for whom the speaker was busy
    r"|(?:들)?(?:을|를)?\s?(?:보|돌보|키우|챙기|뒷바라지하|모시|기르|거두)느라"
    # who is upset, orders or asks for something is not the one to insure
    r"|(?:이|가|께서)?\s?(?:난리|반대|화를?\s?(?:내|낸|나)|화났|뭐라|말려|말리|잔소리|못\s?갚|부탁(?:해|받)|그러셔|그러셨|계약자)"
    r"|(?:이|가|께서)\s.{0,16}(?:달래|달라(?:고|네|는)|보라네|알아보라))"
)
# 보험하는 친구가 … 안 될 수도 있다 그래서: a friend tells what they heard.
_HEARSAY = re.compile(r"^(?:이|가)\s.{0,25}(?:다|라|래)고?\s?(?:그래|그러|하던|하길|해서)")
_ELSEWHERE = re.compile(r"(?:옆집|앞집|윗집|아랫집|이웃|동네|친구네|남의\s?집|아는|돌아가신)\s?(?:집\s?)?$")
_CHILDREN = frozenset({"아들", "딸", "손자", "손녀", "며느리", "사위", "조카"})
_OLD_PEOPLE = frozenset({"할머니", "할머님", "할매", "할무니", "할아버지", "할아버님", "할배", "영감", "할멈"})
# 할매여, 예순하나 할배: old people tell so of themselves what they are.
_OLD_PREDICATE = re.compile(
    r"^(?:이오|이우|이라오|이?여(?=$|[\s.!~])|이[구고](?=[\s,])|에요|이라|이제|이지|지(?=$|[\s.!~])|요(?=$|[\s.!~])|구먼|랑께|인[데디](?=\s))"
)
_OLD_BARE = re.compile(r"(?:\d|살|세|하나|둘|셋|넷|섯|곱|덟|홉|른|흔|쉰|순|든|먹은)\s$")
_BENEFICIARY = re.compile(r"수익자|받는\s?사람|상속인|청구인")
_PREDICATE = re.compile(
    r"^(?:님|분)?\s?(?:이에요|예요|이예요|입니다|이고요|인데요|이거든요|이요|임|이야|거든요|이랍니다)"
)
# 저는 서른여덟 아빠인데: the speaker tells what they are.
_I_AM = re.compile(r"(?:^|\s)(?:저는|전|나는|난|제가|내가|저도|나도)\s[^.?!,]{0,10}$")
_BEING = re.compile(r"^(?:인데|이고|구요|고요)(?=[\s,.!?]|$)")
# 저는 손녀예요: whose grandchild the speaker is.
_I_SIMPLY = re.compile(r"(?:^|[\s.,!?])(?:저는|전|나는|난)\s?$")
_AM = re.compile(r"^(?:이?에요|예요|입니다|인데|이고|라서|이라|이거든)")
_SPEAKER_WORDS = frozenset({"엄마", "아빠", "어머니", "아버지"})
# 애 엄마인 저는: the word tells who the speaker is.
_SPEAKERS = re.compile(r"^인\s(?:저|제|나는|내)")
# 38 애아빠, 애엄마 나: behind an age, or before the speaker's own word, who says it is meant.
_AGED_SO = re.compile(r"(?:^|[\s,])[1-9]\d(?:\s?[살세])?\s?$")
_IS_ME = re.compile(r"\s(?:나|저|제|내)(?![가-힣]{2})")
_SURNAMES = (
    "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민진지엄채원천방공"
    "현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용예경봉사부가복태목계형피두감음"
)
# What given names are made of: 나래 계약, 다음 콜 조예린. Few other words are a surname and two of these.
_GIVEN = (
    "가건경겸광권규균근금기길나난남늘다담대덕도동두라란람래려련령로룡루름리린림마말명모무문미민배백범별병보복봄봉빈빛산상새서석선설섭성세소솔송수숙순술슬"
    "승시식신심아안애양언여연열엽영예오옥온완용우욱운웅원월유윤율은의이익인일자재전정제조종주준중지진찬창채천철춘출충치탁태택표필하학한해향혁현형혜호홍화환"
    "회효후훈휘흥희"
)
# 나 is also the speaker: 나이도, 나한테, 나머지.
_NA_NAME = rf"나(?![이도의만오한하온라중머가갈])[{_GIVEN}]{{2}}"
_CUSTOMER = re.compile(
    rf"(?<![가-힣])(?P<name>[{_SURNAMES}][가-힣]{{1,3}}|{_NA_NAME})\s?(?P<title>고객님|고객|회원님|손님|어르신|여사님|씨|님)"
    r"(?![가-힣]{3}(?<!이세요)(?<!이신데)(?<!이십니)(?<!입니다)(?<!이라고)(?<!이고요))"
)
# 민원인이 신복순인데: who the customer is said to be.
_SAID_TO_BE = re.compile(
    rf"(?:고객|손님|민원인|계약자|피보험자|가입자)(?:님)?(?:은|는|이|가|께서)?\s(?P<name>[{_SURNAMES}][가-힣]{{2}}|{_NA_NAME})"
    r"(?=인데|이고|이에요|예요|입니다|이라고|이라는|이래요|\s(?:계약|보험|조회|가입))"
)
_NAMED = re.compile(
    rf"(?:이름(?:이|은|에)?|성함(?:이|은)?|고객명)\s?:?\s?'?(?P<name>[{_SURNAMES}][가-힣]{{1,3}}?|{_NA_NAME})(?=$"
    rf"|[\s,.'\"]|(?:이|인|이고|고|이란|이라|들어|로|으로|이에|에요|예|입|요|씨|님))"
)
_INTRODUCED = re.compile(
    rf"(?:(?:저는|제가|전|나는|나)\s|^)(?P<name>[{_SURNAMES}][가-힣]{{2}})(?:이라고|라고|이라|라)\s?(?:하|해|합|불|부)"
)
_CALLED = re.compile(rf"(?<![가-힣])(?P<name>[{_SURNAMES}][가-힣]{{2}})(?:이란|이라는|라는|란)\s?(?:이름|고객|사람)")
_QUOTED = re.compile(
    rf"['\"‘“](?P<name>[{_SURNAMES}][가-힣]{{2}})['\"’”]\s?(?:다|고객|계약|이름|님|씨|으로|검색|조회|띄)"
)
_OWNED = re.compile(
    rf"(?:^|^(?:그|이)\s?중(?:에|에서)?\s|^(?:해당|그)\s고객\s)(?P<name>[{_SURNAMES}][가-힣]{{2}})\s(?:\d{{2,4}}년생\s)?(?:분\s)?(?:계약|보험\s?내역|가입\s?내역|조회)"
)
_MODIFIER = "(?![가-힣]{2}[한인은는])"  # 이상한 거, 정한 건
# 야 정정호 계약 뭐냐, 강명희 할머님, 다음콜 박희준: somebody whose business it is, by the name alone.
_BY_NAME = re.compile(
    rf"(?<![가-힣])(?P<name>(?!여성용|남성용|신상품|주소지|유의점|고민중|전자서){_MODIFIER}[{_SURNAMES}][{_GIVEN}]{{2}})"
    r"(?=\s(?:(?:그\s)?(?:양반|아저씨|아주머니|아줌마|할머님|할머니|할아버님|할아버지|할매|할배|여사|사장님|선생님)|거\s계약|건(?=\s|$)|계약|콜|열람"
    r"|조회|띄워|불러)|\s?(?:이래|이라네|입니다|이에요|예요|이고|인데)\s?(?:[가-힣]{0,4}\s?)?(?:계약|조회|고객))"
)
_NEXT_NAMED = re.compile(
    r"(?:(?:다음|이번)\s?(?:콜|고객|손님|분|은)?[\s,:]\s?|^(?:그|이)\s?중(?:에|에서)?\s)"
    rf"(?P<name>[{_SURNAMES}][{_GIVEN}]{{2}})[\s.!]*$"
)
# 해당 고객 계약 조회. 홍원석: who it is comes last, alone.
_NAMED_LAST = re.compile(
    rf"(?:고객|손님|계약자)[^.,:]{{0,14}}(?:[.,:]|(?:줘|조회|확인|주세요|부탁)(?=\s))\s?(?P<name>"
    rf"(?:(?<=[.,:])|(?<=[.,:]\s))(?:[{_SURNAMES}][가-힣]{{2}}|{_NA_NAME})|[{_SURNAMES}][{_GIVEN}]{{2}})[\s.!]*$"
)
# 창구에 오신 고객님: who came, not what they are called.
_DONE_BY_THEM = re.compile(r"(?:오|가|계|하|주|사|우|모)(?:신|실|시는|는|던|실래|시던)")
_ID = re.compile(r"(?<![A-Za-z0-9])[Cc]-?(\d{3,8})(?!\d)")
_NOT_NAMES_LIST = (
    "계약 고객 부모 어머 아버 장모 장인 선생 할머 할아버 누 형 사장 원장 시어머 시아버 사모 기존 신규 여성 남성"
    " 전체 모든 해당 이번 우리 여자 남자 가진 가입 보유 "
    "유지 이런 그런 지난달 이번달 이전 이후 전화 문의 하나 두 세 고령 우수 일반 소개 신청 방문 상담 진상"
    " 오늘 어제 내일 아드 따 도련 형수 이모 고모 사위 며느 "
    "손 원고 주인 담당 대표 보험사 설계사 이 저 그 한 전 의사 기사 간호사 임원 여사 김여사 공무원 남편 신랑"
    " 여러 방금 지금 조금 아까 저번 그때 다음 다른 최근 요즘 치아 정기 암 기타 이상 이하 남은 만기 해지 "
    "실효 명의 연락 주소 정해진 주어진 이어진 "
    "지점 민원인 민원 외국인 장애인 군인 여든 마흔 서른 일흔 예순 아흔 이미 차라리 여기"
)
_NOT_NAMES = frozenset(_NOT_NAMES_LIST.split())
# 부58 모56 자(남)27 처42: how staff note a family down.
_NOTED = re.compile(
    r"(?<![가-힣A-Za-z])(?P<word>부|모|처|자|녀)(?:\((?P<gender>남|여)\))?"
    r"(?=\s?[남여]?\s?[1-9]\d(?![\d.,%]|\s?(?:만|천|원|개|명|번|회|년|월|일|건|대|%)))"
)
# 회사 선배도 관심있다는데, 옆집 아주머니도 물어보시던데, 팀장님이 들까 한대요
_ACQUAINTANCE = re.compile(
    r"(?<![가-힣])(?:(?:직장|회사|우리|저희|거래처|교회|학교|동네|아는|친한|같이\s일하는|옆집|앞집|윗집|아랫집|이웃|이웃집)\s?)?"
    r"(?P<word>직원|선배|후배|팀장|부장|과장|차장|대리|실장|사장|원장|이웃|동창|동기|룸메이트|룸메|상사|사수|아주머니|아줌마|아저씨"
    r"|(?<=(?:아는|친한|동네|이웃|옆집|앞집|윗집)\s)(?:언니|오빠|형|누나|동생|할머니|할아버지|사람|분))(?:님|분)?(?:\s?(?:하나|한\s?(?:명|분|사람)))?"
    r"(?:(?:이|가|께서)?(?:도)?\s(?:[가-힣]{1,6}\s)?(?:관심(?!\s?없)|들고\s?싶|들려고|들까|들겠|하나\s?들|같이\s?들|가입하고\s?싶|가입하겠|넣고\s?싶)"
    r"|(?:이|가|께서)?도\s(?:[가-힣]{1,6}\s)?(?:물어\s?보|물어\s?봤|궁금|알아\s?봐|부러))"
)
_GENDER_OF_WORD: dict[str, Gender] = {"아주머니": "F", "아줌마": "F", "아저씨": "M"}
_NOTED_AS: dict[str, tuple[str, Gender | None]] = {
    "부": ("아버지", "M"),
    "모": ("어머니", "F"),
    "처": ("배우자", "F"),
    "자": ("자녀", None),
    "녀": ("딸", "F"),
}


def find_people(
    folded: Folded, kinship: PhraseTable[KinshipEntry], taken: Iterable[tuple[int, int]]
) -> list[PersonMention]:
    """Persons in order of appearance. A person right before '말고'·'아니고' is marked by the caller."""
    text = folded.text
    found = []
    for hit in kinship.find(folded, taken):
        entry = hit.value
        before, after = text[max(0, hit.start - 12) : hit.start], text[hit.end : hit.end + 18]
        word = text[hit.start : hit.end]
        if _false_friend(word, before, after):
            continue
        told = _ELSEWHERE.search(before) or (entry.who == "친구" and _HEARSAY.match(text[hit.end : hit.end + 34]))
        beside = told or _ASIDE.match(text[hit.end : hit.end + 24])
        role = "aside" if beside or (_BENEFICIARY.search(before) and entry.who != "본인") else "insured"
        who, gender = entry.who, entry.gender
        old = word in _OLD_PEOPLE and (
            _OLD_PREDICATE.match(after) or (not after.strip(" .!~?") and _OLD_BARE.search(before))
        )
        child = entry.who in _CHILDREN and re.match(r"이고|인데", after)  # 둘째는 일곱살 아들인데
        told_of_speaker = (
            _SPEAKERS.match(after)
            or (word in _SPEAKER_WORDS and _I_AM.search(before) and _BEING.match(after))
            or (_I_SIMPLY.search(before) and _AM.match(after))
            or (entry.of_oneself and (_AGED_SO.search(before) or _IS_ME.match(after) or _BEING.match(after)))
        )
        if role == "insured" and told_of_speaker:
            role, who = "predicate", "본인"
        elif role == "insured" and (_PREDICATE.match(after) or old or child) and who != "고객":
            role = "predicate"
            if word in _SPEAKER_WORDS or entry.of_oneself:
                who = "본인"
        end = hit.end
        found.append(
            PersonMention(
                hit.start,
                end,
                word,
                1.0,
                False,
                who,
                gender,
                "aside" if role == "aside" else "predicate" if role == "predicate" else "insured",
                entry.speaker,
            )
        )
    return sorted([*found, *_noted(text, found)], key=lambda mention: mention.start)


def _noted(text: str, found: Iterable[PersonMention]) -> Iterable[PersonMention]:
    """Persons in staff's shorthand, where no longer word stands."""
    for match in _NOTED.finditer(text):
        who, gender = _NOTED_AS[match["word"]]
        if match["gender"]:
            gender = "M" if match["gender"] == "남" else "F"
        if all(match.end() <= m.start or m.end <= match.start() for m in found):
            yield PersonMention(*match.span(), match.group(), 0.9, False, who, gender, "insured")


def acquaintances(text: str, people: Iterable[PersonMention]) -> list[PersonMention]:
    """The persons with those beside the family who want an insurance, too (직원 하나도 관심 있대요), each somebody else
    than the speaker; 아는 언니, put aside as one who is only told of, is one of them."""
    found = list(people)
    for match in _ACQUAINTANCE.finditer(text):
        start, end = match.span("word")
        known = [m for m in found if m.start < end and start < m.end]
        gender = next((m.gender for m in known if m.gender), None) or _GENDER_OF_WORD.get(match["word"])
        if all(m.role == "aside" for m in known):
            found = [m for m in found if m not in known]
            found.append(PersonMention(start, end, text[start:end], 0.9, False, "지인", gender))
    return sorted(found, key=lambda mention: mention.start)


def _false_friend(word: str, before: str, after: str) -> bool:
    """Short words that look like persons: 저(that), 나(or), 전(ago), 형(kind), 처(place), 애가(love)."""
    within = bool(before) and "가" <= before[-1] <= "힣"
    if within and (
        word in ("나", "저", "처", "난", "전", "형", "딸", "동생", "친구") or word.startswith(("제 ", "내 "))
    ):
        return True  # 실제 보험료, 이제 보험료
    if word in ("저 두", "나 두"):
        return True  # 저 두 개
    if word in ("저", "나") and not re.match(
        r"(?:는|도|만|의|랑|한테|하고|보다|로(?:요|는)?(?=$|[\s,.?!])(?!\s?(?:바꾸|바꿔|변경|돌려|지정))|\s?혼자|\s?[둘셋]\s?(?:다|이|모두)|\s?가입|요|,|$|(?=\d\d(?!\d|[만천백개번원]))|\s(?:\d|[가-힣]{1,3}(?:살|세|년생)|남자|여자|스물"
        r"|서른|마흔|쉰|예순|보험|가입|\S{2,14}\s(?:들\s?(?:수|까|려)|들어|가입)))",
        after,
    ):
        return True
    if word == "나" and after.startswith("요") and before.strip():
        return True  # 차이가 얼마나 나요, 열이 나요
    if word in ("전", "난") and not re.match(r"\s(?!상품|세계|체|부|기간|혀|남편|부터|에|후|화)", after):
        return True
    if word == "본인" and re.match(r"\s?(?:확인|인증|부담|서명|동의)", after):
        return True
    if word == "전" and re.search(r"(?:\d|년|달|일|주|개월|하기|기)\s?$", before):
        return True
    if word in ("처", "형") and not re.match(r"(?:이|가|은|는|도|랑|님|의|$|\s)", after):
        return True
    if word == "아이" and re.match(r"고|구|쿠|참", after):
        return True  # 아이고: a sigh
    if word == "고객" and re.match(r"\s?(?:센터|번호|상담|서비스|만족|응대|정보)", after):
        return True
    return word == "가입자" and "수" in after[:2]


def find_genders(text: str, taken: Iterable[tuple[int, int]] = ()) -> list[GenderMention]:
    """Gender words in order: 남자, 여성, 45남, 마흔여덟 여."""
    busy = list(taken)
    found: dict[int, GenderMention] = {}

    def add(start: int, end: int, gender: Gender, confidence: float) -> None:
        if not any(s <= start < e for s, e in busy) and start not in found:
            found[start] = GenderMention(start, end, text[start:end], confidence, False, gender)

    for match in _MALE.finditer(text):
        if not match.group().endswith("친구"):
            add(*match.span(), "M", 1.0)
    for match in _FEMALE.finditer(text):
        if not match.group().endswith("친구"):
            add(*match.span(), "F", 1.0)
    for pattern in (_AFTER_AGE, _LONE, _BEFORE_AGE, _OF_GENDER):
        for match in pattern.finditer(text):
            start, end = match.span("word")
            if text[start : end + 1] not in ("남자", "남성", "여자", "여성", "남편", "여잔"):
                add(start, end, "M" if match["word"] == "남" else "F", 0.9)
    return [found[start] for start in sorted(found)]


def find_names(text: str, taken: Iterable[tuple[int, int]] = ()) -> list[NameMention]:
    """Customer names (김민수 고객, 이영희 님, 이름이 최수진) and ids (C00123), in order."""
    busy = list(taken)
    found: list[NameMention] = []
    for pattern, confidence in (
        (_CUSTOMER, 0.95),
        (_NAMED, 0.9),
        (_SAID_TO_BE, 0.8),
        (_NAMED_LAST, 0.8),
        (_CALLED, 0.9),
        (_INTRODUCED, 0.9),
        (_QUOTED, 0.85),
        (_OWNED, 0.6),
        (_BY_NAME, 0.7),
        (_NEXT_NAMED, 0.7),
    ):
        for match in pattern.finditer(text):
            name, start = match["name"], match.start("name")
            if (
                name in _NOT_NAMES
                or _DONE_BY_THEM.fullmatch(name)
                or any(name.startswith(word) and len(word) >= 2 for word in _NOT_NAMES)
            ):
                continue
            if len(name) == 2 and match.groupdict().get("title") == "님":
                continue  # 장모님, 부인님: two letters before 님 are more often a title than a name
            if any(s <= start < e for s, e in busy) or any(m.start <= start < m.end for m in found):
                continue
            found.append(NameMention(start, start + len(name), name, confidence, False, name))
    found.extend(NameMention(*m.span(), m.group(), 1.0, False, None, f"C{m.group(1)}") for m in _ID.finditer(text))
    return sorted(found, key=lambda mention: mention.start)
