"""Ages as people say them: 45살, 만 45세, 마흔다섯, 육십사 세, 45남, 환갑, 40대 중반.

A number without a unit counts as an age only where its neighbours say so (a gender, 나이, 만으로, a person, 말고
between two two-digit numbers) or when it is the whole message. Money, durations and counts are told apart by their
units.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from app.language.mentions import AgeMention
from app.language.numbers import NATIVE_PATTERN, format_native, format_sino, parse_number

WORDS = {"환갑": 60, "회갑": 60, "진갑": 61, "칠순": 70, "고희": 70, "팔순": 80, "구순": 90, "불혹": 40, "지천명": 50}
BABIES = {"갓 태어난": 0, "갓난": 0, "신생아": 0, "돌 지난": 1, "돌 지났": 1, "첫돌": 1, "두 돌": 2, "두돌": 2}
_TENS = r"(?:스물|서른|설흔|마흔|마은|예슨|쉰|예순|일흔|여든|아흔)"
# 여든하난데: 하나인데 as it is spoken.
_ONES = r"(?:하난(?=[데디])|하나|한|둘|두|셋|세|넷|네|다섯|여섯|일곱|여덟|여덜|아홉)"
_MIXED = r"[이삼사오육칠팔구]십\s?(?:하난(?=[데디])|하나|둘|셋|넷|다섯|여섯|일곱|여덟|여덜|아홉)"
_SINO = r"(?:(?:백)?[이삼사오육칠팔구]?십[일이삼사오육칠팔구]?|백[일이]?)"
_FULL = r"(?P<full>(?<![\d가-힣])만(?:으로는|으로|나이로?)?\s?)?"
_UNIT_AGE = re.compile(
    rf"{_FULL}(?<![\d.,])(?P<number>\d{{1,3}}|{_TENS}\s?{_ONES}?|{_MIXED}|{_SINO}|열\s?{_ONES}?|스무)\s?(?P<unit>살|세)"
    r"(?!(?<=이세)요)(?!대|트|기|탁|금|무|계|상|요일|제|부(?!터)|살|리|려|릴|아나|고 싶|\s?(?:가지|개|명|번|분))"
)
_SMALL_AGE = re.compile(
    r"(?<![가-힣\d])(?P<full>만\s?)?(?P<number>한|두|세|네|다섯|여섯|일곱|여덟|여덜|아홉)\s?살(?![리려릴])"
)
_NO_COUNTER = (
    r"(?!\s?(?:개|명|번|가지|건|장(?![모인])|분(?!이)|군데|날|해|마리|권|달|년|일(?!\s|곱)|원|만|천|억|다"
    r"|목|밥))"
)
_BARE_NATIVE = re.compile(
    rf"{_FULL}(?<![가-힣])(?P<number>{_TENS}(?:(?!\s?네(?:요|$|[.,!~]))\s?{_ONES})?|{_MIXED})"
    rf"(?!(?!네요|네(?=$|[\s.,!~])){_ONES})"
    rf"{_NO_COUNTER}"
)
# 열여섯 alone counts anything; only as what somebody is, it is an age.
_TEENS = re.compile(
    r"(?<![가-힣])(?P<number>열\s?(?:하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉))(?=이?에요|예요|입니다|이고|인데|이요|이야|이구|이라|[.,]\s|\s(?:아들|딸|조카|손[자녀]|학생))"
)
_FULL_NATIVE = re.compile(
    rf"(?<![\d가-힣])(?P<full>만(?:으로는|으로|나이로?))\s?(?P<number>열\s?{_ONES}?|하나|둘|셋|넷|다섯|여섯"
    rf"|일곱|여덟|아홉|\d{{1,2}})"
    rf"{_NO_COUNTER}(?!\d)"
)
# 칠십이신데, 70이세요: only a person is spoken of with 이시-.
_HONOURED = re.compile(
    r"(?<![\d.,])(?P<number>\d{2}|[이삼사오육칠팔구]?십[일이삼사오육칠팔구]?)"
    r"(?=이(?:신(?:데|디|가|지|분)|셔|세요|시고|십니|시라|시거든|시네|시면|시니))"
)
# 올해 육십이라, 오십 된 여자: as what somebody is.
_OF_SOMEBODY = re.compile(
    r"(?<![가-힣\d.,])(?P<number>[이삼사오육칠팔구]십[일이삼사오육칠팔구]?)"
    r"(?=이라[\s.,!~]|이라$|\s?(?:된|먹은|묵은)\s?(?:여|남|사람|노인|할|아)"
    r"|\s?(?:(?:남자|여자|남성|여성)|[남여](?=$|[\s,./!?~])))"
)
# 48이요 예산은 …, 70이고 할머니예요: the message begins with what somebody is.
_OPENING = re.compile(
    r"(?:^(?:네|예|음|어|아|저는|전|저|나는|난)?[\s,]*|(?<=[요다,.])\s)(?P<full>만\s?)?"
    r"(?P<number>[1-9]\d|[이삼사오육칠팔구]십[일이삼사오육칠팔구]?)(?=(?:이?요|이고요?|이구요?|입니다|이에요|예요|인데요?|이야|임)[\s,.])"
)
# 만 47인데: 만 before a number that no unit follows.
_FULL_BARE = re.compile(
    r"(?<![\d가-힣])(?<!\d )(?P<full>만)\s(?P<number>[1-9]\d)"
    r"(?=인데|이에요|예요|이고|이요|입니다|이면|임|이라|,|\s[남여]|$)"
)
# 70이면 얼마 내요 여자: the gender makes it an age, the price what is asked at it.
_AT_AGE = re.compile(r"(?<![\d.,A-Za-z])(?P<number>[1-9]\d)(?=이면\s(?:얼마|보험료|월|한\s?달|가입|되))")
_GENDER_SAID = re.compile(r"남자|여자|남성|여성")
# 45 넘는 사람만: a bound, where persons are counted.
_BOUND_OF = re.compile(
    r"(?<![\d.,])(?P<number>[1-9]\d)(?=\s?(?:(?:넘|지나|안\s?되)(?:는|은|ㄴ)|이상|이하|미만|초과)(?:인|의)?\s?(?:사람|고객|분|남|여))"
)
# 50되면 셋 다: the age one will have. What a premium rises to at an age is told by the bound.
_BECOMING = re.compile(
    rf"(?<![\d.,가-힣])(?P<number>[1-9]\d|{_TENS}(?:\s?{_ONES})?|{_MIXED})(?P<unit>세|살)?"
    r"(?=\s?되면(?!.{0,12}(?:오르|올라|인상|갱신|뛰|내려|끝)))"
)
_GENDER_AFTER = re.compile(
    r"(?<![\d.,A-Za-z])(?P<number>\d{1,2})\s?[,/]?\s?(?=(?:남자|여자|남성|여성|[남여](?!\s?(?:개|명(?!의)|가지|건|번|년|분|\d녀))"
    r"(?=$|[\s,./)!?~]|요|이|인|예|고|도|은|는|면|으로|로|기준)))"
)
_GENDER_BEFORE = re.compile(
    r"(?:남자|여자|남성|여성|(?<![가-힣])[남여])[\s,/]{0,2}(?P<number>\d{2})(?![\d.,%]|\s?(?:만|천|원|년|개"
    r"|명|일|월|대|번|회|건|살|세))"
)
_NAMED = re.compile(
    # 보험나이 is reckoned, not the age that was asked for.
    r"(?<!보험)(?<!보험\s)(?:나이|연령|연세|춘추)(?:(?:는|은|가|도)?|만\s?(?:앎|알아요?|알고))\s?:?\s?(?P<full>만\s?)?"
    # 팔십이셔: the 이 belongs to the verb.
    r"(?P<number>\d{2,3}(?!\))|\d(?!\s?[.)])|[이삼사오육칠팔구]?십(?=이(?:셔|시|세요|신|십니|에요|예요|야|고|네|라))|"
    + f"{_MIXED}|{_SINO}"
    + r")(?![\d만천원년개월])"
)
_SINO_TENS = r"[이삼사오육칠팔구]십[일이삼사오육칠팔구](?![만천백억])"
_INSTEAD = re.compile(
    rf"(?<![\d.,])(?P<old>\d{{2}}|{_SINO_TENS})(?P<unit>세|살)?\s?(?:은|는|가|이)?\s?(?:말고|아니고|아니라"
    rf"|아니구)\s?(?P<new>\d{{2}}|{_SINO_TENS})(?!\d|[.,]\d|\s?(?:만|천|원|년|개|명|%))"
)
_WHOLE = re.compile(
    rf"^(?:네|음|어|아|저는|전|그러면|그럼)?[\s,]*(?P<full>만(?:으로)?\s?)?(?P<number>\d{{1,3}}"
    rf"|{_TENS}(?:\s?{_ONES})?|{_MIXED}|열\s?{_ONES}|{_SINO})\s?"
    r"(?:이?요|입니다|이에요|예요|이예요|이고요|인데요|이야|임|여|이여|이욤|이?면(?:은|요)?|[은는]요?)?[\s.!~?]*$"
)
_UNTIL = re.compile(
    r"(?<![가-힣\d])(?P<number>[이삼사오육칠팔구]십[일이삼사오육칠팔구]?|[1-9]\d)(?=\s?까지(?:\s?(?:쭉|계속"
    r"|가면|들|갱신|되)|$))"
)
_BAND = re.compile(
    rf"(?<![\d가-힣])(?P<number>[1-9]0|{_SINO})\s?대(?!\s?(?:면|출|리|상|기|장|신|로(?![\s요,.?!]|$|만)|충|략"
    rf"|표))(?:\s?(?P<part>초반|중반|후반|초|말(?!고)))?"
)
# 50에서 55 사이 남자 고객: two ends of a band.
_RANGE = re.compile(
    r"(?<![\d.,])(?P<low>[1-9]\d)\s?(?:세|살)?\s?(?:에서|부터|~|-)\s?(?P<high>[1-9]\d)\s?"
    r"(?:(?:세|살)?\s?(?:사이|까지의)|(?:세|살)\s?(?=남|여|고객|사람|분들))"
)
_RELATIVE = re.compile(
    rf"(?P<number>\d{{1,2}}|{NATIVE_PATTERN})\s?살\s?(?:차이로\s?)?(?:더\s?)?(?P<way>위|많|연상|먹었|먹은|드셨|드신"
    rf"|아래|어리|어린|어려|어림|젊|적|연하|밑)"
)
_SAME_AGE = re.compile(
    r"동갑|갑장|동년배|같은\s?나이(?=이|예|에요|여|인|야|고|입|래|$|[\s,.!])|나이(?:가|는|도)?\s?(?:저랑|서로)?\s?(?:똑같|같(?!은\s?(?:거|것|상품)))"
)
_OF_PERSON = r"(?:님|분|께서)?\s?(?:[꺼거것])?(?:은|는|이|가|도|만|부터)?\s?"
_AFTER_PERSON = re.compile(rf"{_OF_PERSON}(?P<number>열\s?{_ONES})(?:이(?=[고구])|(?=[\s,.]|$)){_NO_COUNTER}")
_DIGITS_AFTER_PERSON = re.compile(
    rf"{_OF_PERSON}(?P<number>\d{{2}})(?!\d|[.,]\d|%|\s?(?:만|천|원|년|개|명|일|월|대|번|회|건))"
)
# 저 30 신랑 33 애기 2: in a row of ages.
_DIGIT_IN_ROW = re.compile(r"\s(?P<number>\d)(?=$|[\s,.?!])(?!\s?(?:개|명|번|회|건|만|천))")
# 38 애아빠: how old somebody is opens the message.
_BEFORE_PERSON = re.compile(r"(?:^|(?<=[,.]\s))(?:아|음|네|저는|전|저|나|난)?\s?(?P<number>[1-9]\d)(?=\s?(?:된\s)?$)")
# 아니 54, 미안 43이네, 엄마도 같이 든대 37, 남편 나이 잘못 들음 54: a number at the end, where words before it tell of
# whom or that it is put right.
_LAST = re.compile(
    r"(?<![\d.,A-Za-z만천])(?P<number>\d{2})\s?(?:이?네요?|이?래요?|이?라네요?|이?랍니다|이?라고|이?고요?|이?야|임|세|이?요|인데요?|이에요|예요|입니다|이거든요?|되셨어요|됐어요)?[\s.!~]*$"
)
_PUT_RIGHT = re.compile(r"아니|아냐|미안|잘못|정정|다시|나이|연세")
_GAP = re.compile(
    rf"(?:\d{{1,2}}|{NATIVE_PATTERN})\s?살\s?(?:차이|차로|터울|모자라|모자란|부족|더\s?먹|남(?:았|은|네|구)|넘|씩|만\s?(?:더|젊|어렸))"
)
# 서른도 안 됐는데: younger than that.
_NOT_YET = re.compile(
    rf"(?<![\d.,가-힣])(?:[1-9]\d|{_TENS}(?:\s?{_ONES})?|{_MIXED}|{_SINO})\s?(?:살|세)?(?:도|이)\s?(?:채\s?)?(?:안|못)\s?(?:된|됐|되|넘)"
)
_BOUND = re.compile(r"\s?(?:이상|이하|미만|초과|넘|지나|지난|부터|까지|까진|전까지|이전|이후|될 때|되면)")
_BELOW, _ABOVE = re.compile(r"\s?미만"), re.compile(r"\s?초과")
_AT_LEAST, _AT_MOST = re.compile(r"\s?(?:이상|초과|넘|부터|이후)"), re.compile(r"\s?(?:이하|미만|까지|이전|전까지)")
_TERM = re.compile(r"\s?(?:만기|납(?!득)|형)")
_ABOUT = re.compile(r"\s?(?:쯤|정도|가량|안팎|언저리|가까|다 돼|다 되|초반|중반|후반|바라보|좀 안)")
# 내년이면 마흔둘: one less today; 내년에 쉰 되면 asks of then.
_NEXT_YEAR = re.compile(r"(?<![가-힣])내년(?:이면|이|에는?|엔)?\s?(?:벌써|이제|드디어|저도|나도|저|만으로|만)?\s?$")
_SLIP = re.compile(r"\s?(?:살|세)?\s?[,.]*\s?(?:아\s?)?아니(?:다|지|야|구나|고)?\s?[,.]*\s?")
_THEN = re.compile(r"\s?(?:살|세)?\s?(?:이?\s?되면|이?면|될\s?때|때|부터|에)")


def find_ages(
    text: str, taken: Iterable[tuple[int, int]] = (), after: Iterable[int] = (), before: Iterable[int] = ()
) -> list[AgeMention]:
    """Ages in order, outside the spans of `taken`. `after` are positions (ends of person words) where a bare two-digit
    number is an age (남편 45), `before` their beginnings, where one may open the message (38 애아빠)."""
    busy = bytearray(len(text) + 1)
    for start, end in taken:
        busy[start:end] = b"\1" * (end - start)
    found: list[AgeMention] = []

    def add(mention: AgeMention | None) -> None:
        if mention is not None and 0 <= mention.age <= 120 and not any(busy[mention.start : mention.end]):
            busy[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
            found.append(mention)

    for match in _RELATIVE.finditer(text):
        years = parse_number(match["number"]) or 0
        older = match["way"] in ("위", "많", "연상", "먹었", "먹은", "드셨", "드신")
        add(AgeMention(*match.span(), match.group(), kind="relative", delta=years if older else -years))
    for pattern in (_GAP, _NOT_YET):
        for match in pattern.finditer(text):
            busy[match.start() : match.end()] = b"\1" * len(match.group())  # 한 살 차이로: nobody's age
    for match in _SAME_AGE.finditer(text):
        add(AgeMention(*match.span(), match.group(), kind="relative", delta=0))
    for match in _RANGE.finditer(text):
        low, high = int(match["low"]), int(match["high"])
        add(AgeMention(*match.span(), match.group(), 0.9, age=low, kind="band", approximate=True, low=low, high=high))
    for match in _BAND.finditer(text):
        add(_band(match))
    for match in _INSTEAD.finditer(text):
        add(AgeMention(match.start("old"), match.end("old"), match["old"], 0.7, True, parse_number(match["old"]) or 0))
        add(AgeMention(match.start("new"), match.end("new"), match["new"], 0.7, False, parse_number(match["new"]) or 0))
    for match in _BECOMING.finditer(text):
        add(_sure(match))
    for pattern, confidence in (
        (_UNIT_AGE, 1.0),
        (_SMALL_AGE, 1.0),
        (_NAMED, 0.95),
        (_HONOURED, 0.9),
        (_OF_SOMEBODY, 0.9),
        (_FULL_BARE, 0.9),
        (_OPENING, 0.7),
        (_BOUND_OF, 0.9),
        (_GENDER_AFTER, 0.9),
        (_GENDER_BEFORE, 0.9),
    ):
        for match in pattern.finditer(text):
            add(_age(text, match, confidence))
    if _GENDER_SAID.search(text):
        for match in _AT_AGE.finditer(text):
            add(_age(text, match, 0.8))
    for match in _UNTIL.finditer(text):
        add(_age(text, match, 0.6))
    for match in _FULL_NATIVE.finditer(text):
        add(_age(text, match, 0.8))
    for pattern in (_BARE_NATIVE, _TEENS):
        for match in pattern.finditer(text):
            add(_age(text, match, 0.9))
    for table in (WORDS, BABIES):
        for word, age in table.items():
            for at in _positions(text, word):
                add(_word_age(text, at, word, age))
    if whole := _WHOLE.match(text):
        add(_age(text, whole, 0.6))
    ends = list(after)
    if (last := _LAST.search(text)) and (ends or _PUT_RIGHT.search(text[: last.start()])):
        add(_age(text, last, 0.65))
    for end in ends:
        if named := _AFTER_PERSON.match(text, end) or _DIGITS_AFTER_PERSON.match(text, end):
            add(_age(text, named, 0.8))
        elif found and (small := _DIGIT_IN_ROW.match(text, end)):
            add(_age(text, small, 0.7))
    for start in before:
        if opening := _BEFORE_PERSON.search(text[:start]):
            add(_age(text, opening, 0.7))
    return _put_right(sorted(found, key=lambda mention: mention.start), text)


def _put_right(ages: list[AgeMention], text: str) -> list[AgeMention]:
    """쉰다섯 아니 쉰여섯: the first was a slip."""
    for at, (slip, meant) in enumerate(pairwise(ages)):
        if slip.kind == meant.kind == "age" and _SLIP.fullmatch(text[slip.end : meant.start]):
            ages[at] = replace(slip, negated=True)
    return ages


def _age(text: str, match: re.Match[str], confidence: float) -> AgeMention | None:
    value = parse_number(match["number"].replace("하난", "하나"))
    if value is None:
        return None
    groups = match.groupdict()
    full = bool(groups.get("full"))
    start = match.start("full") if full else match.start("number")
    end = match.end("unit") if groups.get("unit") else match.end("number")
    if _NEXT_YEAR.search(text[:start]) and not _THEN.match(text, end):
        value -= 1
    if match.re is _SMALL_AGE:
        end = match.end()
    kind, approximate = _nature(text, start, end)
    if kind == "bound":
        low = value + bool(_ABOVE.match(text, end)) if _AT_LEAST.match(text, end) else None
        high = value - bool(_BELOW.match(text, end)) if _AT_MOST.match(text, end) else None
        return AgeMention(
            start,
            end,
            text[start:end],
            confidence,
            age=value,
            kind="bound",
            approximate=True,
            low=low,
            high=high,
            full=full,
        )
    if kind == "term":
        return AgeMention(start, end, text[start:end], confidence, age=value, kind="term", full=full)
    return AgeMention(start, end, text[start:end], confidence, age=value, approximate=approximate, full=full)


def _sure(match: re.Match[str]) -> AgeMention | None:
    """An age that the words behind it make no bound."""
    value = parse_number(match["number"].replace("하난", "하나"))
    return None if value is None else AgeMention(*match.span(), match.group(), 0.8, age=value)


def _nature(text: str, start: int, end: int) -> tuple[str, bool]:
    """('age' | 'bound' | 'term', approximate) by the words around a number of years."""
    if _TERM.match(text, end):
        return "term", False
    if _BOUND.match(text, end):
        return "bound", True
    about = bool(_ABOUT.match(text, end)) or bool(
        re.search(r"(?<![가-힣])(?:약|대략|거의|한)\s?$", text[max(0, start - 4) : start])
    )
    return "age", about


def _band(match: re.Match[str]) -> AgeMention | None:
    low = parse_number(match["number"])
    if low is None or low % 10 or not 10 <= low <= 90:
        return None
    first, last = {"초반": (0, 3), "초": (0, 3), "중반": (4, 6), "후반": (7, 9), "말": (7, 9)}.get(
        match["part"] or "", (0, 9)
    )
    return AgeMention(
        *match.span(), match.group(), 0.9, age=low, kind="band", approximate=True, low=low + first, high=low + last
    )


def _word_age(text: str, at: int, word: str, age: int) -> AgeMention:
    end = at + len(word)
    kind, approximate = _nature(text, at, end)
    if kind == "bound":
        return AgeMention(at, end, word, 0.9, age=age, kind="bound", approximate=True)
    return AgeMention(at, end, word, 0.9, age=age, approximate=approximate)


def _positions(text: str, word: str) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(word), text)]


def age_forms(age: int) -> tuple[str, ...]:
    """The ways to say an age (1-120 세) that `find_ages` reads back: 45세, 만 45세, 45살, 마흔다섯 살, 사십오 세."""
    forms = [f"{age}세", f"만 {age}세", f"{age}살", f"만으로 {age}살"]
    if age <= 99:
        forms.append(f"{format_native(age, before_noun=True)} 살")
    if 20 <= age <= 99 and age % 10:
        forms.append(format_native(age))
    if 10 <= age <= 99:
        forms.append(f"{format_sino(age)} 세")
    return tuple(forms)
