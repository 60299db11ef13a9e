"""E-mail addresses and detailed postal addresses (road and lot grammar)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.safety.personal_numbers import Found
from app.safety.sentences import sentence_around

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+*-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}(?:\s?@\s?|\s?(?:\(at\)|\[at\]|\{at\}|"
    r"\(골뱅이\)|골뱅이|앳)\s?)"
    r"(?:[A-Za-z0-9-]{1,40}|[가-힣]{2,10}(?=\s?(?:\.|점|닷|쩜)\s?(?:한국|com|net|kr|co|컴|넷)))(?:\s?(?:\(dot\)|\[dot\]|점|닷|쩜)\s?"
    r"(?:[A-Za-z0-9-]{2,20}|컴|넷|케이알|씨오)|\s?\.\s?(?:[A-Za-z0-9-]{2,40}|한국)){1,4}",
    re.IGNORECASE,
)
_AT_SIGN = re.compile(r"@|골뱅이|앳|\(at\)|\[at\]|\{at\}", re.IGNORECASE)
_COMPANY_BOX = re.compile(
    r"(?:help|helpdesk|info|contact|support|cs|service|webmaster|admin|no-?reply|privacy|claims?|"
    r"customer(?:center)?|voc|press|ir|recruit|sales|center|insurance|master|postmaster)(?:\s?@|\s?골뱅이|"
    r"\s?\(at\))",
    re.IGNORECASE,
)
_COMPANY_MAIL = re.compile(
    r"대표\s?(?:메일|이메일)|고객\s?센터|회사\s?(?:대표|공식)|공식\s?(?:메일|이메일)|콜센터|민원"
)

_SIDO = (
    r"(?:서울(?:특별시|시)?|부산(?:광역시|시)?|대구(?:광역시|시)?|인천(?:광역시|시)?|광주(?:광역시|시)?|"
    r"대전(?:광역시|시)?|울산(?:광역시|시)?|"
    r"세종(?:특별자치시|시)?|경기(?:도)?|강원(?:특별자치도|도)?|충청?[남북]도?|충북|충남|전라?[남북]도?|"
    r"전북(?:특별자치도)?|전남|경상?[남북]도?|경북|경남|"
    r"제주(?:특별자치도|도|시)?)"
)
# Words that end like a town but are none.
_NO_TOWN = (
    r"(?!(?:다|역|혹|반드|즉|일|당|필요|진단|사망|수술|입원|발생|가입|청구|지급|해지|확정|치료|통원|만기)시|"
    r"(?:청|요|연|기|도|친|입|출|식|영)구)"
)
_LOCAL = _NO_TOWN + r"[가-힣]{1,4}(?:시|군|구)"
_TOWN = r"[가-힣]{1,5}(?:읍|면)"
_REGION = rf"(?:{_SIDO}\s?(?:{_LOCAL}\s?){{0,2}}|{_LOCAL}\s(?:{_LOCAL}\s?)?)(?:{_TOWN}\s?)?"
_NUMBER = r"(?:지하\s?)?\d{1,4}(?:-\d{1,4})?(?:번지)?"
_RO = r"(?<!으)(?<!나이)로"  # 이름으로, 보험나이로 are no roads
_ROAD = rf"[가-힣][가-힣A-Za-z0-9·.]{{0,11}}?(?:대로|{_RO}|길)(?:\s?\d{{1,4}}(?:번)?[가-하]?길)?\s?{_NUMBER}"
_LOT = rf"[가-힣]{{1,5}}\d?(?:동|리|가|읍|면)(?:\s?\d가)?\s(?:산\s?)?{_NUMBER}"
_HOUSE = (
    r"(?:아파트|빌라|오피스텔|빌딩|타워|맨션|연립|주택|마을|단지|하우스|캐슬|파크|힐스|자이|빌|타운|빌리지|APT|"
    r"apt|팰리스|스테이트|시티|고시원|원룸|상가|리버뷰|푸르지오|래미안)"
)
_HOUSE_NAME = rf"[가-힣A-Za-z0-9]{{1,12}}{_HOUSE}(?:\s?[A-Za-z0-9가-힣]{{1,4}}(?:단지|차))?"
_UNIT = (
    r"(?:(?:지하|B)?\s?\d{1,4}\s?호실?|(?:지상|지하|B)?\s?\d{1,3}\s?층|제?(?:\d{1,4}|[가-하A-Za-z])\s?동(?![가-힣])|"
    r"제?(?:\d{1,4}|[가-하A-Za-z])\s?동(?=\s?\d)|지하|반지하|옥탑(?:방)?|[A-Za-z]\s?동|\d{2,4}-\d{2,4}|"
    r"\d{3,4}(?=[호에로]|\s|"
    r"$))"
)
# Any other name (두산위브, 자이2차) is a house's where a building and a door follow it.
_NAMED_UNIT = r"[가-힣A-Za-z0-9]{3,12}(?=\s?(?:제?\d{1,4}\s?동\s?)?\d{2,4}\s?호)|(?:원룸|빌라|오피스텔)\s?\d{3,4}"
_TAIL = rf"(?:[,\s]{{0,2}}(?:\([^()\n]{{1,30}}\)|{_HOUSE_NAME}|{_UNIT}|{_NAMED_UNIT})){{0,6}}"
_NOT_COUNT = (
    r"(?!\d)(?!,\d{3})(?!-\d)"
    r"(?!\s?(?:만|천|억|원|%|년|월|일(?!로)|개|명|건(?!물)|회|차|세|살(?![고아았며던지는기])|퍼센트|배|시간|분|인(?:[용실승]|가[족구]|(?![가-힣]))))"
)
_ADDRESSES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<![가-힣]){_REGION}(?:[가-힣]{{1,5}}동\s)?{_ROAD}{_NOT_COUNT}{_TAIL}",
        rf"(?<![가-힣]){_REGION}{_LOT}{_NOT_COUNT}{_TAIL}",
        rf"(?<![가-힣]){_REGION}(?:[가-힣]{{1,5}}동\s)?{_HOUSE_NAME}\s?(?:제?\d{{1,4}}\s?동\s?)?(?:지하\s?)?\d{{1,4}}"
        rf"\s?(?:호|동)(?:\s?\d{{1,4}}호)?",
        r"(?<![가-힣])(?:[가-힣]{1,5}동\s)?[가-힣A-Za-z0-9]{1,12}"
        + _HOUSE
        + r"\s(?:[가-힣0-9]{1,4}단지\s)?제?\d{1,4}\s?동\s?\d{1,4}\s?호",
        rf"(?<![가-힣])[가-힣][가-힣0-9]{{1,8}}(?:대로|{_RO}|"
        rf"길)(?:\s?\d{{1,4}}번?[가-하]?길)?\s?{_NUMBER}{_NOT_COUNT}[,\s]{{"
        rf"1,2}}(?:\([^()\n]{{1,30}}\)\s?)?"
        rf"(?:{_HOUSE_NAME}\s?)?(?:제?\d{{1,4}}\s?동\s?)?(?:지하\s?)?\d{{1,4}}\s?(?:호|층)",
        rf"(?<![가-힣\d]){_TOWN}\s(?:(?:[가-힣]{{1,5}}리\s)?{_ROAD}|"
        rf"[가-힣]{{1,5}}리\s?(?:산\s?)?\d{{1,4}}(?:-\d{{1,4}})?(?:번지)?){_NOT_COUNT}{_TAIL}",
    )
)
_BARE = re.compile(
    rf"(?<![가-힣])(?:[가-힣][가-힣0-9]{{1,8}}(?:대로|{_RO}|길)(?:\s?\d{{1,4}}번?[가-하]?길)?\s?{_NUMBER}|"
    rf"\d{{2,4}}\s?동\s?\d{{3,4}}\s?호|[가-힣]{{2,5}}동\s\d{{1,4}}(?:-\d{{1,4}})?번지){_NOT_COUNT}{_TAIL}"
)
_LIVES_THERE = re.compile(r"(?:에|에서)?\s?(?:사는|살아|살고|삽니다|거주)")
_PLACE_WORD = re.compile(r"주소|사는 ?(?:곳|데)|거주|배송|택배|우편|집(?:은|이|:)|자택|addr", re.IGNORECASE)
_PUBLIC_PLACE = re.compile(
    r"지점|고객\s?센터|본사|본점|대리점|병원|의원|약국|지사|영업소|영업점|사옥|창구|금감원|금융감독원|협회|"
    r"센터|학교|공장|회사"
)
_NEEDED = re.compile(r"(?:로|길|동|리|가)\s?(?:지하\s?|산\s?)?\d|\d\s?(?:호|번지|번길|동(?![가-힣]))")


# No address goes on over a quotation mark: of a tool's result only the values that may hold one are read.
_VALUE = re.compile(r'[^"]+')


def emails(text: str) -> Iterator[Found]:
    """Personal e-mail addresses; those of a company's desk are left out."""
    for match in _EMAIL.finditer(text) if _AT_SIGN.search(text) else ():
        start, end = sentence_around(text, match.start())
        around = (
            text[max(start, match.start() - 20) : match.start()] + " " + text[match.end() : min(end, match.end() + 12)]
        )
        if _COMPANY_BOX.match(match.group()) or _COMPANY_MAIL.search(around):
            continue
        yield Found(match.start(), match.end(), "email")


def addresses(text: str) -> Iterator[Found]:
    """Addresses that lead to a door: with a building, lot or unit number. Regions alone are not personal."""
    stretches = [part.span() for part in _VALUE.finditer(text) if _NEEDED.search(text, *part.span())]
    for pattern in _ADDRESSES:
        for match in _in(stretches, pattern, text):
            if not _public(text, match.start(), match.end()):
                yield _found(match)
    for match in _in(stretches, _BARE, text):
        start, _ = sentence_around(text, match.start())
        told = _PLACE_WORD.search(text[max(start, match.start() - 20) : match.start()])
        if (told or _LIVES_THERE.match(text, match.end())) and not _public(text, match.start(), match.end()):
            yield _found(match)


def _in(stretches: Sequence[tuple[int, int]], pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches within each stretch, each read with what stands before it."""
    return (match for start, end in stretches for match in pattern.finditer(text, start, end))


def _found(match: re.Match[str]) -> Found:
    value = match.group().rstrip(" ,")
    return Found(match.start(), match.start() + len(value), "address")


def _public(text: str, start: int, end: int) -> bool:
    first, last = sentence_around(text, start)
    return bool(
        _PUBLIC_PLACE.search(text[max(first, start - 15) : start])
        or re.match(
            r"[^가-힣]{0,4}(?:[가-힣0-9]{1,8}(?:층|호)\s?)?(?:에 있는 |의 )?(?:지점|고객센터|본사|대리점|"
            r"병원|센터|[가-힣]{1,8}(?:팀|부|과|"
            r"실) ?앞)",
            text[end : min(last, end + 20)],
        )
    )
