"""Personal numbers: 주민·외국인등록번호, phones, cards, passports, driving licences and accounts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from app.safety.sentences import sentence_around


class Found(NamedTuple):
    """A datum in the normalised text."""

    start: int
    end: int
    kind: str


_SEP = r"[-–—‐‑−ㅡ~.·ㆍ:_/]"
_NOT_AFTER = r"(?<![0-9A-Za-z*])(?<![0-9A-Za-z][-–])(?<!\d[.,])"
_REGISTRATION = re.compile(
    rf"{_NOT_AFTER}(\d(?: ?\d){{5}})(?: ?{_SEP}{{1,2}} ?| {{0,3}}|[\s,]{{0,2}}(?:이고|에|하고|다음|"
    rf"그리고)?[\s,]{{0,2}}(?:뒤|뒷자리|뒷번호|뒤에|뒤는)"
    r"[는은가이에]?\s?)([0-9](?: ?\d){6})(?![\d*])(?!-\d)"
)
# 850412, 2134567 behind a word for it: two halves in a list.
_LISTED_REGISTRATION = re.compile(rf"{_NOT_AFTER}(\d{{6}}), ?(\d{{7}})(?![\d*,.])")
_REGISTRATION_WORD = re.compile(r"주민|뒷자리|등록번호")
_COUNTRY = r"\+?82[-–. )]{0,2}\(?0?\)?[-–. ]?"
_PHONE_SEP = r"[-–—‐−ㅡ.·ㆍ:_ /()~*]{0,3}"
# The letter O for a zero; as long as what it stands for, so that places hold.
_LETTER_O = re.compile(r"(?<![0-9A-Za-z])[0oO]1[0oO](?=[-–.· ]?\d{3,4}[-–.· ]?\d{4})")
_MOBILE = re.compile(
    rf"(?<![0-9A-Za-z*])(?<![0-9A-Za-z]-)(?:{_COUNTRY}|\(?0 ?)1 ?[016789](?:{_PHONE_SEP}\d){{7,8}}(?![\d*])(?!-\d)"
)
_LANDLINE = re.compile(
    rf"(?<![0-9A-Za-z*])(?<![0-9A-Za-z]-)(?:{_COUNTRY}|\(?0)(?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4]|70|50[2-8])"
    r"(?:\) ?|[-–. ·]{1,3})\d{3,4}[-–. ·]{1,3}\d{4}(?![\d*])(?!-\d)"
)
_DESK = re.compile(r"\D1[568]\d{2}\D{1,3}\d{4}\Z")
_BARE_LANDLINE = re.compile(r"(?<![0-9A-Za-z*-])0(?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4]|70)\d{7,8}(?![\d*-])")
_CARD_SEP = r"[-–—ㅡ.·_ ]{1,3}"
_CARD = re.compile(
    rf"(?<![0-9A-Za-z*.,])(?<![0-9A-Za-z]-)(?:\d{{4}}(?:{_CARD_SEP}\d{{4}}){{3}}|"
    rf"\d{{4}}{_CARD_SEP}\d{{6}}{_CARD_SEP}\d{{4,5}}|\d{{13,16}}|"
    r"\d(?:[- ]{1,2}\d){12,15}|\d{8}[- ]\d{8})(?![\d*])(?!-\d)"
)
_PASSPORT = re.compile(
    r"(?<![A-Za-z0-9*-])(?:[MSRGDmsrgd][- ]?(?:\d{8}|\d{4}[- ]\d{4}|\d{3} ?[A-Za-z] ?\d{4})|[A-Za-z]{2}[- ]?\d{7})"
    r"(?![\dA-Za-z*-])"
)
_LICENCE = re.compile(
    r"(?<![0-9A-Za-z*.,])(?<![0-9A-Za-z]-)(?:1[1-9]|2[0-8])([-–ㅡ. ·/]{1,3})\d{2}\1\d{6}\1\d{2}(?![\d*])(?!-\d)"
)
_BARE_LICENCE = re.compile(r"(?<![0-9A-Za-z*-])(?:1[1-9]|2[0-8])(?:[- ]?\d){10}(?![\d*-])")
_OLD_LICENCE = re.compile(
    r"(?<![가-힣])(?:서울|부산|경기|강원|충북|충남|전북|전남|경북|경남|제주|대구|인천|광주|대전|울산) "
    r"?\(?\d{2}\)?[-–. ]{1,3}\d{6}[-–. "
    r"]{1,3}\d{2}(?![\d*])"
)
_ACCOUNT = re.compile(
    r"(?<![0-9A-Za-z*.,])(?<![0-9A-Za-z]-)(?:\d{2,6}(?:[-–—.·_] ?\d{1,8}){1,4}|\d{2,6}(?: \d{2,7}){1,4}|"
    r"\d{9,16}|\d(?: \d){8,15})(?![\d*])(?!-[\d*])"
)
_DATE_FIRST = re.compile(r"(?:19|20)\d{2}[-.–/ ](?:0?[1-9]|1[0-2])[-.–/ ](?:0?[1-9]|[12]\d|3[01])(?!\d)")

_BANKS = (
    r"(?:국민|신한|우리|하나|농협|기업|씨티|제일|산업|수출입|부산|대구|광주|전북|경남|제주|아이엠|iM|"
    r"SC제일|외환|수협|축협|신협|KB국민|NH농협|IBK기업|KDB산업|KB|"
    r"NH|IBK|KDB|SC)"
    r"(?:은행|뱅크|중앙회)?|[가-힣A-Za-z]{1,6}은행|[가-힣A-Za-z]{1,5}뱅크|카뱅|케뱅|토뱅|토스|우체국|새마을금고|새마을|"
    r"[가-힣A-Za-z]{0,4}저축(?:은행)?|상호금융|산림조합|[가-힣]{2,4}증권"
)
_BANK_JUST_BEFORE = re.compile(
    rf"(?:{_BANKS})[은는이가의에로 :]{{0,3}}(?:계좌|통장|예금)?(?:번호)?[은는이가의에로 :=(\[\"']{{0,5}}\Z",
    re.IGNORECASE,
)
_BANK_JUST_AFTER = re.compile(rf"\s?번?[,)]? ?[(\[,/|]? ?(?:{_BANKS})", re.IGNORECASE)
_ACCOUNT_WORD = re.compile(
    r"계좌|통장|입금(?:은|을)?[ :]|은행|뱅크|카뱅|케뱅|토뱅|농협|수협|신협|우체국|새마을금고|환급받을 "
    r"?(?:곳|번호)|자동이체|account|acct",
    re.IGNORECASE,
)
_ACCOUNT_WORD_AFTER = re.compile(
    r"[^\d\n.?!]{0,12}?(?:계좌|통장|예금주|은행|뱅크|(?:로|으로) ?(?:이체|입금|송금|환급))"
)
_OTHER_NUMBER = re.compile(
    r"(?:송장|운송장|등기|택배|계약|증권|고객|접수|승인|인증|설계|법인|사업자|주문|단체|상담|사건|문서|"
    r"심의|모델|제품|일련|쿠폰|영수증|사번|사원|예약|민원|처리|관리|조회|"
    r"상품|제안|청약|회원|등록)"
    r"(?:등록)?\s?(?:번호|코드|아이디|ID|필)?[은는이가의 :=#제]{0,4}[\"'(]?\Z",
    re.IGNORECASE,
)
_NUMBER_OF_PAPER = re.compile(r"(?:송장|운송장|설계|인증|접수|계약|증권)\s?번호[는은이가 :=]{0,3}\Z")
_NO_PERSON = re.compile(
    r"(?:송장|운송장|등기|계약|증권|접수|승인|인증|설계|법인|사업자|주문|단체|상담이력|심의필|모델|제품|"
    r"일련|쿠폰|영수증|청약|고객)\s?(?:등록)?\s?(?:번호|코드|ID)",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"대표\s?(?:번호|전화|메일|이메일)|고객\s?(?:센터|상담|만족)|콜\s?센터|상담\s?센터|민원\s?(?:실|센터)|"
    r"지점|대리점|본사|본점|영업점|영업소|지사|창구|"
    r"병원|의원|약국|금감원|금융감독원|협회|소비자원"
)
_PHONE_WORD = re.compile(r"전화|연락처|번호|휴대|핸드폰|폰|tel|phone|집전화", re.IGNORECASE)
_PASSPORT_WORD = re.compile(r"여권|passport", re.IGNORECASE)
_LICENCE_WORD = re.compile(r"면허|licen[cs]e", re.IGNORECASE)
_CODE_WORD = re.compile(r"(?:모델|상품|제품|코드|설계|단체|계약|증권|일련|부품|시리얼|품번)[^\d\n]{0,8}\Z")
_OTHER_FIGURES = re.compile(r"\d{5}|[?!]")
_MONEY_AFTER = re.compile(r"\s?(?:원|만|억|천|%|퍼센트|건|명|개|회|주|달러|번지|년|개월|월|점|자리)(?!호)")

# Every number below has nine digits or more with marks and blanks between them, or is a passport's; the words between
# the halves of a registration number stand before seven of them. No mark is one that parts the values of JSON.
_LONG_RUN = re.compile(
    r"\d(?:[^\d가-힣\"'{}\[\]]{0,6}\d){8}|\d(?: ?\d){5}[^\dA-Za-z\"'{}\[\]]{1,12}\d(?: ?\d){6}|"
    r"[MSRGDmsrgd][- ]?\d{3}(?:\d| ?[A-Za-z] ?\d)|[A-Za-z]{2}[- ]?\d{7}"
)
# Long runs that answers and results are full of: product codes, dates and round amounts.
_ORDINARY = re.compile(
    r"(?<![A-Za-z0-9])B00\d{6}(?!\d)|(?<![\d-])(?:19|20)\d{2}-[01]\d-[0-3]\d(?![\d-])|"
    r"(?<=\":)[1-9]\d{0,3}0{5,}(?=[,}\]])"
)

_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DIGITS = re.compile(r"\D")


def numbers(text: str) -> Iterator[Found]:
    """Personal numbers written in digits, surest kinds first."""
    if not _LONG_RUN.search(text) or not _LONG_RUN.search(_ORDINARY.sub("가", text)):
        return  # nearly every text, at a tenth of the cost
    yield from _registrations(text)
    yield from _listed_registrations(text)
    yield from _phones(text)
    yield from _cards(text)
    yield from _documents(text)
    yield from _accounts(text)


def _before(text: str, at: int, width: int = 25) -> str:
    start, _ = sentence_around(text, at)
    return text[max(start, at - width) : at]


def _after(text: str, at: int, width: int = 25) -> str:
    _, end = sentence_around(text, max(at - 1, 0))
    return text[at : min(end, at + width)]


def registration_kind(digits: str) -> str | None:
    """rrn or frn when 13 digits have a real date and a sex digit; numbers given since 2020-10-05 have no checksum."""
    if len(digits) != 13:
        return None
    month, day, sex = int(digits[2:4]), int(digits[4:6]), int(digits[6])
    if not (1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] and 1 <= sex <= 8):
        return None
    century = 1900 if sex in (1, 2, 5, 6) else 2000
    if month == 2 and day == 29:
        year = century + int(digits[:2])
        if year % 4:
            return None
    elif century + int(digits[:2]) > date.max.year:
        return None
    return "rrn" if sex <= 4 else "frn"


def _registrations(text: str) -> Iterator[Found]:
    for match in _REGISTRATION.finditer(text):
        kind = registration_kind(_DIGITS.sub("", match.group(1) + match.group(2)))
        if kind is None or re.search(r"법인|사업자", _before(text, match.start(), 15)):
            continue
        yield Found(match.start(), match.end(), kind)


def _listed_registrations(text: str) -> Iterator[Found]:
    for match in _LISTED_REGISTRATION.finditer(text):
        kind = registration_kind(match.group(1) + match.group(2))
        if kind and _REGISTRATION_WORD.search(_before(text, match.start())):
            yield Found(match.start(), match.end(), kind)


def _phones(text: str) -> Iterator[Found]:
    text = _LETTER_O.sub("010", text)
    for match in _MOBILE.finditer(text):
        digits = re.sub(r"^820?(?=1)", "0", _DIGITS.sub("", match.group()))
        if not re.fullmatch(r"010\d{8}|01[16789]\d{7,8}", digits) or _NUMBER_OF_PAPER.search(
            _before(text, match.start(), 14)
        ):
            continue
        yield Found(_opened(match), match.end(), "phone")
    for match in _LANDLINE.finditer(text):
        # 02-1588-0058: a number of a company's desk, though somebody put an area code before it.
        if _DESK.search(match.group()):
            continue
        if not _COMPANY.search(_before(text, match.start())) and not _COMPANY.match(
            _after(text, match.end()).lstrip(" (은는이가")
        ):
            yield Found(_opened(match), match.end(), "phone")
    for match in _BARE_LANDLINE.finditer(text):
        before = _before(text, match.start())
        if (
            _PHONE_WORD.search(before)
            and not _ACCOUNT_WORD.search(before)
            and not _COMPANY.search(before)
            and not _NO_PERSON.search(before)
        ):
            yield Found(match.start(), match.end(), "phone")


def _opened(match: re.Match[str]) -> int:
    """Where the number starts: with its bracket only when that closes within the number, as in (02)123-4567."""
    return match.start() + (match.group()[0] == "(" and ")" not in match.group())


def luhn(digits: str) -> bool:
    """The check digit rule of payment cards."""
    total = 0
    for place, letter in enumerate(reversed(digits)):
        value = int(letter) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0


_CARD_BEGINS: dict[int, tuple[str, ...]] = {
    13: ("4",),
    14: ("30", "36", "38", "39"),
    15: ("34", "37", "35", "9"),
    16: ("2", "3", "4", "5", "6", "9"),
}


_NEAR = 6
_CARD_WORD = re.compile(r"카드\s?(?:번호|결제)?\s?(?:는|은|가|이|:)?\s?$|카드\s?번호")


def _cards(text: str) -> Iterator[Found]:
    for match in _CARD.finditer(text):
        digits = _DIGITS.sub("", match.group())
        if not (13 <= len(digits) <= 16 and digits.startswith(_CARD_BEGINS[len(digits)])):
            continue
        before = _before(text, match.start())
        named = _CARD_WORD.search(before) or "카드" in _after(text, match.end(), _NEAR)
        if not luhn(digits) and not named:
            continue  # people mistype digits: the word 카드번호 beside a card-shaped number is enough
        if _OTHER_NUMBER.search(before) or _NO_PERSON.search(before[-14:]):
            continue
        if _BANK_JUST_BEFORE.search(before) and "카드" not in before and "계좌" in before:
            continue
        yield Found(match.start(), match.end(), "card")


def _documents(text: str) -> Iterator[Found]:
    for match in _PASSPORT.finditer(text):
        before, around = (
            _before(text, match.start(), 30),
            _before(text, match.start(), 30) + _after(text, match.end(), 20),
        )
        named = _PASSPORT_WORD.search(around)
        sure = match.group()[0] in "Mm" and not match.group()[1].isalpha() and " " not in match.group()
        if named or (sure and not _CODE_WORD.search(before)):
            yield Found(match.start(), match.end(), "passport")
    for match in _OLD_LICENCE.finditer(text):
        yield Found(match.start(), match.end(), "driver_license")
    for match in _LICENCE.finditer(text):
        before = _before(text, match.start())
        if not _OTHER_NUMBER.search(before) and not _BANK_JUST_BEFORE.search(before):
            yield Found(match.start(), match.end(), "driver_license")
    for match in _BARE_LICENCE.finditer(text):
        around = _before(text, match.start(), 20) + _after(text, match.end(), 15)
        if _LICENCE_WORD.search(around):
            yield Found(match.start(), match.end(), "driver_license")


def _accounts(text: str) -> Iterator[Found]:
    for match in _ACCOUNT.finditer(text):
        value = match.group()
        digits = _DIGITS.sub("", value)
        if not 9 <= len(digits) <= 16 or _DATE_FIRST.match(value) or _MONEY_AFTER.match(text, match.end()):
            continue
        if re.match(r"0?(?:15|16|18)\d{2}[- ]\d{4}\Z|080[- ]", value):
            continue
        before, after = _before(text, match.start(), 24), _after(text, match.end(), 20)
        if _OTHER_NUMBER.search(before) or not _near_bank(before, after):
            continue
        yield Found(match.start(), match.end(), "account")


def _near_bank(before: str, after: str) -> bool:
    """A bank or an account word stands close by, and no other number's name in between."""
    if _BANK_JUST_BEFORE.search(before) or _BANK_JUST_AFTER.match(after):
        return True
    ends = [word.end() for word in _ACCOUNT_WORD.finditer(before)]
    if ends and not _NO_PERSON.search(before[ends[-1] :]) and not _OTHER_FIGURES.search(before[ends[-1] :]):
        return True
    return _ACCOUNT_WORD_AFTER.match(after) is not None


_SPOKEN = dict(zip("공영령빵일이삼사오육륙칠팔구", "00001234566789", strict=True))
_SPOKEN_RUN = re.compile(
    r"(?<!\d)[공영령일이삼사오육륙칠팔구\d](?:(?:\s?(?:다시|대시|하이픈|짝대기|빼기|에)\s?|"
    r"[-–~.,· \t]{0,2})[공영령일이삼사오육륙칠팔구\d]){8,24}"
)
_LEAST_SPOKEN = 3
_IS_VERB = re.compile(r"[요예에고라며야죠지구든니랍]|입니|인데|이에|여서")


def spoken_numbers(text: str) -> Iterator[Found]:
    """Numbers read out by name, wholly or in part (공일공 일이삼사 …); 다시 is the dash."""
    for match in _SPOKEN_RUN.finditer(text):
        places = [(i, _SPOKEN.get(c, c)) for i, c in enumerate(match.group()) if c in _SPOKEN or c.isdigit()]
        spoken = sum(match.group()[i] in _SPOKEN for i, _ in places)
        # One or two syllables among digits (공1공-2345-6789) only disguise a mobile number's beginning.
        disguised = 0 < spoken < _LEAST_SPOKEN and match.group()[places[0][0]] in _SPOKEN
        if spoken < _LEAST_SPOKEN and not disguised:
            continue
        # …칠이에요: the last 이 may be a digit or the verb; kinds of a fixed length decide by themselves.
        is_verb = match.group()[places[-1][0]] == "이" and _IS_VERB.match(text, match.end()) is not None
        for first in range(min(4, len(places))):
            if first and match.group()[places[first][0] - 1].isdigit() and match.group()[places[first][0]].isdigit():
                continue  # a number written in digits is not begun in its middle: 2016-05-11
            found = _spoken_kind(places[first:], text, match.start(), is_verb)
            if found and not (disguised and (found[0] != "phone" or first)):
                kind, count = found
                last = places[first + count - 1][0]
                yield Found(match.start() + places[first][0], match.start() + last + 1, kind)
                break


def _spoken_kind(places: list[tuple[int, str]], text: str, start: int, is_verb: bool) -> tuple[str, int] | None:
    """The kind and how many digits belong to it."""
    digits = "".join(digit for _, digit in places)
    for extra in (0, 1):
        kept = digits[: len(digits) - extra]
        if kind := registration_kind(kept):
            return kind, len(kept)
        if re.fullmatch(r"010\d{8}|01[16789]\d{7,8}|0(?:2|[3-6]\d|70)\d{7,8}", kept):
            return "phone", len(kept)
        if len(kept) in (15, 16) and kept[0] in "234569" and luhn(kept):
            return "card", len(kept)
    digits = digits[: len(digits) - is_verb]
    absolute = start + places[0][0]
    before = _before(text, absolute)
    after = _after(text, start + places[len(digits) - 1][0] + 1, 15)
    if len(digits) == 12 and _LICENCE_WORD.search(before):
        return "driver_license", len(digits)
    if 9 <= len(digits) <= 16 and _near_bank(before, after) and not _OTHER_NUMBER.search(before):
        return "account", len(digits)
    return None
