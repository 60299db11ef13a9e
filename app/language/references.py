"""Words that point back or turn things round: 그거, 두 번째 거, 둘 중 싼 거, 실버 빼고, 아니 여자요; questions in one
message."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.language.mentions import CountMention, ReferenceKind, ReferenceMention, RevisionMention, TermMention
from app.language.numbers import NATIVE_PATTERN, parse_number

_THING = r"(?:거|것|껀|건|걸|꺼|상품|보험|특약|놈|애|녀석|쪽|계약|분(?!기|납|할))"
_ORDINAL_WORDS = {
    "첫": 0,
    "두": 1,
    "둘": 1,
    "세": 2,
    "셋": 2,
    "네": 3,
    "넷": 3,
    "다섯": 4,
    "여섯": 5,
    "1": 0,
    "2": 1,
    "3": 2,
    "4": 3,
    "5": 4,
    "6": 5,
}
_ORDINAL = re.compile(
    rf"(?<![가-힣\d])(?P<n>첫|두|둘|세|셋|네|넷|다섯|여섯"
    rf"|[1-6])\s?번\s?(?:[째쨰쩨재]\s?)?(?:로\s?나온\s?)?(?P<thing>{_THING})?"
)
# 1번이랑 3번 비교: places of a list; 2번 받았다 counts.
_NUMBERS = re.compile(r"(?<![\d가-힣])([1-6])\s?번(?:\s?(?:이?랑|하고|과|와|,)\s?|\s)([1-6])\s?번(?![째호])")
# 첫번쨰, 두번쩨: mistyped.
_NTH = re.compile(r"번\s?[째쨰쩨재]")
_LAST = re.compile(rf"(?P<n>마지막|맨\s?(?:끝|뒤|아래|밑|위|앞|처음))(?:에|의)?\s?(?:나온\s?)?{_THING}")
_THAT = re.compile(
    r"(?<![가-힣])(?:아까\s?)?(?:그|이|요|저)\s?(?:거(?!나|기)|것|게(?=\s|$|요|\?)|건(?!강)|걸(?!음)|꺼"
    r"|상품|보험(?!금|료|사|나|증)|특약|계약|조항|조(?=\s)|문구|표현)|(?<![가-힣])(?:그중|그 중)(?:에|에서"
    r"|에도)?|(?<![가-힣])(?:같은|동일한)\s?(?:상품|거|것|걸로|번호|조항|보험)"
)
_FORMER = re.compile(
    rf"(?:앞에|앞엣|앞의|앞|처음|먼저|전자|아까|원래)\s?(?:에\s?)?(?:본\s?|말한\s?|거\s?|그\s?)?(?:{_THING}|간편|그거)"
    rf"|전자(?=는|가|로)"
)
_LATTER = re.compile(rf"(?:뒤에|뒤엣|뒤의|나중|후자)\s?(?:에\s?)?(?:본\s?|말한\s?)?(?:{_THING}|분)|후자(?=는|가|로)")
_BOTH = re.compile(
    r"(?<![가-힣])(?:(?P<two>둘(?!째)|두\s?(?:개|분|상품|사람|가지|[가-힣]{1,4}보험))|(?P<three>셋(?!째)|세\s?(?:개|분|상품|사람))"
    r"|(?P<n>[2-4])\s?(?:개|분))(?:\s?(?P<all>다|모두|전부|같이|합치|합쳐|합하|거\s?합|만으로|비교"
    r"|각각))?(?![가-힣]째)"
)
# 두 개 보험료 차이가 커요, 그 두 개 뭐가 다른지: two things of the talk that are held against each other; 크라운 두 개
# counts teeth.
_BEFORE_TWO = re.compile(r"(?:^|(?:^|\s)(?:그럼|그러면|그래서|아니|그|저|이|위|되는\s?거|위에)\s)$")
_HELD_TOGETHER = re.compile(
    r"\s?(?:[가-힣]{1,5}\s)?(?:차이|뭐가|뭔|뭘|다[른르]|달라|비교|견주|견줘|값|보험료|가격|얼마|각각)"
)
_MIDDLE = re.compile(rf"(?<![가-힣])가운데\s?{_THING}")
_SIDES = re.compile(r"(?<![가-힣])양쪽\s?(?:다|모두|전부|것)")
_CHEAP = re.compile(
    rf"(?:더|제일|가장|젤|둘\s?중)?\s?(?:싼|저렴한|낮은|덜\s?내는|덜\s?비싼|덜\s?나가는)\s?(?:{_THING}|걸로|쪽)"
)
_DEAR = re.compile(rf"(?:더|제일|가장|젤)?\s?(?:비싼|높은)\s?(?:{_THING}|걸로|쪽)")
_REST = re.compile(r"나머지\s?(?:둘|셋|두\s?개|하나|거|것|상품)?")
# 다른 하나는요: of two, the one that was not spoken of now.
_OTHER_ONE = r"(?:다른|딴|나머지)\s?(?:하나|한\s?(?:개|쪽|상품)|쪽)"
_OTHER = re.compile(rf"(?<![가-힣]){_OTHER_ONE}(?!도\s?있|\s?없)")
_OTHER_FIRST = re.compile(rf"(?:그럼\s)?{_OTHER_ONE}(?:은|는|도)")
_HERE = re.compile(r"(?<![가-힣])(?:여기|거기)(?:에|서|에서|도|는)?(?=\s)")
_CORRECTION = re.compile(
    r"(?:^|\s)(?:아+\s?)?(?:아니(?!면|에요\?|야\?)|아냐|아니다|아니요|아뇨|아니구|미안|잘못|정정|다시|참\s)"
    r"|말고|이?\s?아니라|아니고|아니었|이었네|였네|바꿔서|바꾸|고쳐"
)
_NEGATION = re.compile(
    r"^\s?(?:보험|쪽|거|것|건|게|꺼|은|는|이|가|을|를|도|만|인|하고|으로|로|껀)?\s?(?:은|는|이|가|을|를"
    r"|도)?\s?(?:말고|빼고|빼면|뺀|제외|아니고|아니라|아니구|아니지만|아닌(?!가|지|감)|말구|말고는|빼줘|빼\s?주"
    # 채우는 건 아니에요; not 뉴스타트 아니에요?
    r"|아니(?:에|예)요(?![\s~]*[?？])|아닙니다|아녜요(?![\s~]*[?？])"
    r"|대신(?!\s?(?:내|받|청구))|안\s?만나|없이)"
)
_REVISION = re.compile(
    r"(?<![\d.,])(?P<n>\d{1,2})\s?(?:판(?!매|단|정|촉)|차\s?개정|번째?\s?(?:개정|판)|회\s?개정|쇄"
    # 3차예요, 5차라고 쓰여 있어요; not 2차 수술, 3차 병원
    r"|차(?=로(?:\s|$)|\s시행|\s적용|$|[?.,!]|라고|라는|라던|래|예요|에요|이에요|인데|인가|는요?|임|였|\s?(?:맞|최신|이거|이게|이것|둘)))"
    r"|(?:개정|버전|리비전|rev\.?)\s?(?:번호\s?)?(?P<m>\d{1,2})(?![\d.]|\s?(?:년|월|일))"
    r"|(?<![\d.,])(?P<k>\d{1,2})(?=이?라고\s?(?:찍|적|써|쓰|씌|나|돼|대\s?있|되어|인쇄|표시))"
)
# 간편건강은 12, 골라담는 3 맞나: a small number right behind a product that nothing is counted by.
_OF_PRODUCT = re.compile(
    r"^\s?(?:은|는|이|가|도)?\s(?P<n>1?\d)(?=\s?(?:맞|최신|$|[?!.,]|이?네|인데|이라|이요|으로\s?(?:나간|찍|된|돼)))"
)
_COUNT = re.compile(
    rf"(?<![가-힣\d.,])(?P<n>\d{{1,4}}|{NATIVE_PATTERN})\s?(?P<c>명|개(?!월|정|인|편)|번(?!째|호|대|댔)|회|가지"
    rf"|건(?!강)|분(?=\s|$|만|씩)|대(?=\s))"
)
_SPLIT = re.compile(
    r"(?<=[?!.])\s+|,\s?그리고\s|(?<=[가-힣]{2}\?)(?=[가-힣])|\s(?:그리고|그다음에|그 다음에|또한|아 그리고|그리구)\s"
    r"|(?<=요)\s(?=그리고|또)|(?<=하고)\s(?=그)"
)
_QUOTE = re.compile(r"[\"“”'‘’「](?P<q>[^\"“”'‘’」]{2,200})[\"“”'‘’」]")
# 이렇게 말해도 되나: … / 멘트 확인 - …: what follows the mark is the passage that is asked about.
_TOLD = re.compile(
    r"(?:말해|써|해|보내|안내해)도\s?(?:되|돼|괜찮|문제)[^:：\n]{0,12}[:：]\s?(?P<q>\S.{3,400})$"
    r"|(?:멘트|문구|문장|표현|스크립트|답변|금칙어|금지어)[^:：\n]{0,20}[:：]\s?(?P<r>\S.{3,400})$"
    # 만기 때 원금도 돌려드려요 라고 말해도 되나요?
    r"|^(?P<t>[^:：\n]{4,300}?)\s?(?:이?라고\s?(?:말|안내|설명|광고|써|적|해)\S{0,3}도\s?(?:되|돼|괜찮)|이거\s?(?:금칙|금지)어"
    r"|이\s?(?:말|표현|문구|멘트)(?:은|도)?\s?(?:써도|해도|괜찮|금칙|금지|위반))[^:：\n]{0,14}$",
    re.DOTALL,
)
_NON_RENEWING = re.compile(r"비갱신|갱신\s?(?:이\s?|은\s?)?(?:안\s?(?:되|하|돼)|없)|안\s?오르")


def find_references(text: str) -> list[ReferenceMention]:
    """Pointing words in order; where two overlap the longer one stays."""
    found: list[ReferenceMention] = []

    def add(start: int, end: int, kind: ReferenceKind, index: int = 0, count: int = 0) -> None:
        found.append(ReferenceMention(start, end, text[start:end], 0.9, False, kind, index, count))

    numbered = {at for match in _NUMBERS.finditer(text) for at in (match.start(1), match.start(2))}
    for match in _ORDINAL.finditer(text):
        # '두 번 했으면' counts; '두 번째', '1번 거' point.
        if _NTH.search(match.group()) or match["thing"] or match.start() in numbered:
            add(*match.span(), "ordinal", _ORDINAL_WORDS[match["n"]])
    for match in _LAST.finditer(text):
        add(*match.span(), "ordinal", 0 if match["n"][-1] in "위앞음" else -1)
    for match in _CHEAP.finditer(text):
        add(*match.span(), "cheapest")
    for match in _DEAR.finditer(text):
        add(*match.span(), "dearest")
    for match in _REST.finditer(text):
        add(*match.span(), "rest", 0, 2 if "둘" in match.group() or "두" in match.group() else 0)
    for match in _MIDDLE.finditer(text):
        add(*match.span(), "ordinal", 1)
    for match in _SIDES.finditer(text):
        add(*match.span(), "both", 0, 2)
    for match in _BOTH.finditer(text):
        count = 2 if match["two"] else 3 if match["three"] else int(match["n"])
        among = re.match(r"\s?중(?:에)?", text[match.end() : match.end() + 4])
        things = (match["two"] or match["three"] or "").endswith(("상품", "보험"))
        held = _BEFORE_TWO.search(text[: match.start()]) and _HELD_TOGETHER.match(text, match.end())
        things = things or bool(held)
        if match["all"] or things or match["two"] == "둘" or match["three"] == "셋" or (among and match["n"] is None):
            add(*match.span(), "both", 0, count)
    for match in _FORMER.finditer(text):
        add(*match.span(), "former")
    for match in _LATTER.finditer(text):
        add(*match.span(), "latter")
    for match in _THAT.finditer(text):
        add(*match.span(), "same" if match.group().startswith(("같은", "동일")) else "that")
    for match in _OTHER.finditer(text):
        add(*match.span(), "other")
    for match in _HERE.finditer(text):
        add(*match.span(), "place")
    kept: list[ReferenceMention] = []
    for mention in sorted(found, key=lambda m: (m.start - m.end, m.start)):
        if all(mention.end <= other.start or mention.start >= other.end for other in kept):
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)


def is_negated(text: str, end: int) -> bool:
    """Whether the words right after position `end` turn what stands before away: 암 말고, 실버는 빼고, 매형 아니고."""
    return bool(_NEGATION.match(text[end : end + 18]))


def opens_with_the_other(text: str) -> bool:
    """Whether the message begins with the other one of two: 다른 하나는요, 그럼 나머지 하나도요."""
    return bool(_OTHER_FIRST.match(text))


def is_correction(text: str) -> bool:
    """Whether the speaker takes something back: 아니 여자요, 45 말고 55, 아니다 150으로."""
    return bool(_CORRECTION.search(text))


def is_non_renewing(text: str) -> bool:
    """Whether a product that does not renew is described: 비갱신, 갱신 안 되는, 안 오르는."""
    return bool(_NON_RENEWING.search(text))


def find_revisions(text: str, products: Iterable[int] = ()) -> list[RevisionMention]:
    """Revision numbers: 5판, 7차 개정, 4라고 써 있어요. `products` are the ends of products' names, behind which a bare
    small number is one too (뉴스타트 5 맞나), though less surely."""
    found = [
        RevisionMention(*m.span(), m.group(), 0.95, False, int(m["n"] or m["m"] or m["k"]))
        for m in _REVISION.finditer(text)
    ]
    for end in products:
        if told := _OF_PRODUCT.match(text[end:]):
            start, stop = end + told.start("n"), end + told.end("n")
            if not any(m.start < stop and start < m.end for m in found):
                found.append(RevisionMention(start, stop, told["n"], 0.5, False, int(told["n"])))
    return sorted(found, key=lambda mention: mention.start)


def find_counts(text: str) -> list[CountMention]:
    """Counts with a counter: 10명, 세 개."""
    found = []
    for match in _COUNT.finditer(text):
        value = parse_number(match["n"])
        if value is not None:
            found.append(CountMention(*match.span(), match.group(), 0.9, False, value, match["c"]))
    return found


def find_quotes(text: str) -> list[TermMention]:
    """Quoted passages without their marks, or what stands behind the colon of a request to look at it."""
    quoted = [TermMention(*m.span(), m.group(), 1.0, False, m["q"].strip()) for m in _QUOTE.finditer(text)]
    told = None if quoted else _TOLD.search(text)
    if told is None:
        return quoted
    passage = next(name for name in ("q", "r", "t") if told[name])
    return [TermMention(*told.span(passage), told[passage], 0.9, False, told[passage].strip())]


def split_questions(text: str) -> tuple[str, ...]:
    """The questions of a message, one by one; a message with one question gives itself."""
    # A quoted passage is one thing, however many sentences it has.
    whole = _QUOTE.sub(lambda match: "\x00" * len(match.group()), text)
    parts, start = [], 0
    for cut in _SPLIT.finditer(whole):
        parts.append(text[start : cut.start()])
        start = cut.end()
    parts.append(text[start:])
    return tuple(part.strip() for part in parts if len(part.strip()) >= 2) or (text,)
