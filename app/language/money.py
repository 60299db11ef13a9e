"""Amounts in 원 as people type them: 3만5천, 삼만 원, 1억 2천만원, 20,625원, 월 7만, 빚이 8천, 대출 200으로.

An amount needs 원, a 만 or 억, or a word of money near it. Without unit and with a word that is counted in 만원 (소득,
빚, 대출, 가입금액), 사백 is 4,000,000원; the reader does the same for a bare 150 when the talk is of such a sum
already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.language.mentions import MoneyMention, MoneyRole
from app.language.numbers import Quantity, format_mixed, format_short, format_sino, quantities_at

_START = re.compile(r"[0-9일이삼사오육륙칠팔구십백천만억]")
_WON = re.compile(r"\s?원(?!인|래|하|금|장|칙|본|문|활|래)")
_COUNTER = re.compile(
    r"\s?(?:명|개|건|년|세|살|번(?!대|댔|다)|회|분|좌|일|월(?!\s?(?:얼|보험|\d|몇|납))|주|층|쪽|조|항|호|판|차|급|대|%|퍼|프로|째|가지|살|인(?!데|가|지|거|듯)|km|kg|cm"
    r"|점|배|위)"
)
_TAIL = re.compile(
    r"(?:$|[\s,.!?~/)\"']|이고|이나|이에|인데|이라|으로|로|쯤|정도|까지|가지|짜리|이하|이내|안|밑|대|에|은"
    r"|는|이|만|도|을|를|말고|씩|쓸|벌|버|요|예|입|있|잇|"
    r"보다|부터|넘|잡|남|미만|이상|내|선|한도|임|들|됨|되|가량|만큼|의|아니|빌)"
)
# 육만 말고 팔만으로, 사만이면
_SWAPPED = re.compile(
    r"\s?(?:으로|말고|짜리|이?면(?=[\s?.,요]|$)|까지|까진|쯤|정도|이하|이요(?=[\s.,!~]|$)|이에요|입니다)"
)
# 3천, said by itself or before a condition, is a sum in 만원: 55남 뉴스타트 3천 월 얼마, 2천이면.
_ENDS = re.compile(r"\s?(?:이?면|인데|기준|이?요|짜리)?(?=$|[\s,.?!~])")
_CLAUSE = re.compile(r"[.!?\n]|(?<=[가-힣])(?:(?<!말)고|는데|지만|면서)\s")
_INCOME = re.compile(r"월급|소득|수입|연봉|벌이|급여|봉급|세후|세전|실수령(?:액)?|통장에\s?찍히")
_INCOME_AFTER = re.compile(
    r"^\s?원?\s?(?:쯤|정도|씩)?\s?(?:을|를)?\s?(?:벌|버는|버니|번다|번대|번댔|버신|버셔|벌어|받으며|(?:이?랍니다|이?래요?|이?에요|예요|이?라고요?)\s(?:월급|소득|수입)|(?:월급|소득|수입)(?!은|는|이|도|\s?월))"
)
_DEBT = re.compile(
    r"빚|부채|채무|주담대|주택\s?담보|담보\s?대출|융자|전세\s?대출|신용\s?대출|대출\s?(?:잔액|금)"
    r"|마이너스\s?통장|집\s?대출|학자금"
)
_LOAN = re.compile(r"대출|빌리|빌려|땡기|약관\s?대출")
# 월세 55만원, 통신비만 7만8천원: what goes elsewhere is no budget.
_SPENT = re.compile(
    r"(?:월세|전세금|관리비|통신비|전기세|가스비|난방비|학원비|등록금|기름값|교통비|생활비|식비|폰\s?요금|핸드폰\s?(?:비|요금)|할부금?|구독료)"
    r"(?:만|가|는|은|도|로|이)?\s?(?:한\s?)?(?:달에\s?|월\s?)?$"
)
_SUM = re.compile(
    r"가입\s?금액|사망\s?보험금|진단비|진단금|보장\s?금액|보험\s?금액|사망\s?(?=$|\s)|보험금|보장을?|한도"
    r"|사망금"
)
_SUM_AFTER = re.compile(
    r"^\s?원?\s?(?:을|를|으로|로)?\s?(?:잡|맞출|맞추|설정|가입할|가입하|짜리\s?(?:로|보험|하나)|보장|들"
    r"|까지\s?(?:올|늘|들|가입))"
)
_NAMED_SUM = re.compile(r"(?:가입금액|보험금|진단비|예산|소득|월급)(?:은|을|를|이)?$")
_MONTHLY = re.compile(
    r"(?:한\s?달|매달|매월|다달이|달마다|달에|(?<![가-힣\d])월(?!요일)|월\s?보험료|월납)\s?(?:에|로|에는)?"
)
_BUDGET = re.compile(r"예산|여유|쓸\s?수|부담|생각(?:하|은)")
_BUDGET_AFTER = re.compile(
    r"^\s?원?\s?(?:쯤|정도|선|대)?\s?(?:이하|이내|안쪽|안으로|안에|안\s?넘|미만|밑|아래|언저리|까지|까진|가지"
    r"|짜리|쓸|낼\s?수|생각|예산|내외|안팎|가능|맞춰|맞추|에\s?맞춰|에\s?맞추|넘으면\s?(?:못|안|곤란|부담|힘)"
    r"|넘기면|넘기지|이면\s?(?:충분|되|돼|가능|괜찮)|으?론\s?(?:빠듯|부족|모자))"
)
# 만오천원이나 올랐는데, 600원 모자라네: a difference, no sum that somebody has.
_DIFFERENCE = re.compile(r"^\s?원?(?:이나|씩|만|이|가|도)?\s?(?:모자라|모자란|부족|올랐|오르|올라|차이|비싸|싸네|깎)")
# 이억 갚아야, 대출은 2억요: what is owed.
_OWED = re.compile(r"^\s?원?\s?(?:을|를|은|정도|쯤|더)?\s?(?:갚아야|갚을|갚는|갚고)")
_LOAN_IS = re.compile(r"대출(?:은|이|금은|금이|도)\s?$")
_IS = re.compile(r"^\s?원?\s?(?:이고|이에요|예요|입니다|이요|요(?=$|[\s.,!])|인데|정도|쯤|있|남)")
# 15만 한도: a limit to what is paid, whatever was named before.
_CAP = re.compile(r"^\s?원?\s?(?:한도|예산|안쪽|안에서)")
_PREMIUM = re.compile(r"보험료(?:가|는|로|를)?\s?(?:지금\s?)?$")
_IN_MAN: frozenset[MoneyRole] = frozenset({"income", "debt", "loan", "sum_insured"})
BUDGET_MAX = 3_000_000


def find_money(text: str, taken: Iterable[tuple[int, int]] = ()) -> list[MoneyMention]:
    """Amounts in order, outside the spans of `taken`. A bare number before 으로 or 말고 comes with confidence 0.4 and
    its plain value: what it counts depends on the talk before."""
    busy = bytearray(len(text) + 1)
    for start, end in taken:
        busy[start:end] = b"\1" * (end - start)
    found: list[MoneyMention] = []
    at = 0
    while (start_match := _START.search(text, at)) is not None:
        start = start_match.start()
        mention = None if busy[start] or not _may_start(text, start) else _money_at(text, start)
        if mention is None or any(busy[mention.start : mention.end]):
            at = _past_number(text, start)
            continue
        found.append(mention)
        at = mention.end
    return found


def _past_number(text: str, start: int) -> int:
    end = start + 1
    while text[start].isdigit() and end < len(text) and (text[end].isdigit() or text[end] in ",."):
        end += 1
    return end


def _may_start(text: str, start: int) -> bool:
    before = text[start - 1] if start else " "
    if text[start].isdigit():
        return not (before.isdigit() or before in ".,-" or (before.isascii() and before.isalpha()))
    if "가" <= before <= "힣":
        named = _NAMED_SUM.search(text[max(0, start - 6) : start])  # 가입금액일억으로, typed without blanks
        return bool(named) or (before in "월총약" and (start < 2 or not "가" <= text[start - 2] <= "힣"))
    return not before.isdigit()


def _money_at(text: str, start: int) -> MoneyMention | None:
    rows = quantities_at(text, start)
    for row in rows:
        if won := _WON.match(text, row.end):
            if row.style == "hangul" and not row.unit_chars:
                continue
            value = _colloquial(row) if row.style == "mixed" else row.value
            return _mention(text, row, won.end(), value, explicit=True)
    for row in rows:
        if _COUNTER.match(text, row.end) or not _TAIL.match(text, row.end) or _dangling(text, row):
            continue
        if ("만" in row.unit_chars or "억" in row.unit_chars) and (
            len(row.unit_chars) > 1 or text[start] not in "만억"
        ):
            # 이만 and 사만 are words too, 이억 is none.
            short = row.style == "hangul" and row.end - row.start <= 2 and "억" not in row.unit_chars
            swapped = text[row.start] != "이" and _SWAPPED.match(text, row.end)
            if short and not (_near_money(text, row) or swapped):
                continue
            return _mention(text, row, row.end, _colloquial(row), explicit=True)
    for row in rows:
        if not _COUNTER.match(text, row.end) and _TAIL.match(text, row.end) and not _dangling(text, row):
            return _bare(text, row)
    return None


def _dangling(text: str, row: Quantity) -> bool:
    """Whether the row ends in a syllable that is rather a particle: 8천이, 오백이, 3만이."""
    return (
        row.style != "arabic"
        and text[row.end - 1] in "이일오사"
        and row.end - row.start > 1
        and text[row.end - 2] in "십백천만억"
    )


def _near_money(text: str, row: Quantity) -> bool:
    window = text[max(0, row.start - 10) : row.start]
    after = text[row.end : row.end + 12]
    return bool(
        _MONTHLY.search(window)
        or _BUDGET.search(window)
        or _BUDGET_AFTER.match(after)
        or _SUM.search(window)
        or _SUM_AFTER.match(after)
    )


def _colloquial(row: Quantity) -> int:
    """1억 5천 -> 150,000,000: after 억, a section in 천 or 백 without 만 is meant in 만."""
    rest = row.value % 10**8
    chars = row.unit_chars
    if "억" in chars and "만" not in chars[chars.index("억") :] and 100 <= rest < 10**4 and chars[-1] in "천백십":
        return row.value - rest + rest * 10**4
    return row.value


def _bare(text: str, row: Quantity) -> MoneyMention | None:
    """An amount without 원, 만 and 억: only where the words around name a sum, or before 으로·말고."""
    role = _role(text, row.start, row.end, row.value)
    big = any(unit in row.unit_chars for unit in "백천")
    if role in _IN_MAN and (big or (row.style == "arabic" and row.value >= 100)) and row.value < 10**4:
        return _mention(text, row, row.end, row.value * 10**4, explicit=False, role=role)
    if big and row.style == "mixed" and (_near_money(text, row) or role != "amount"):
        return _mention(text, row, row.end, row.value, explicit=False, role=role)
    follows = re.match(
        r"\s?(?:으로|로|말고|이?\s?아니라|아니고|이?에요|이?요(?=[\s.!~]|$)|입니다)", text[row.end : row.end + 8]
    )
    thousands = row.style == "mixed" and row.unit_chars == "천"
    follows = follows or (_ENDS.match(text, row.end) if thousands else None)
    precedes = re.search(r"(?:말고|아니라|아니고|아니다|아니)\s?$", text[max(0, row.start - 6) : row.start])
    if (follows or precedes) and (row.value >= 100 or big) and row.value < 10**4:
        return MoneyMention(
            row.start, row.end, text[row.start : row.end], 0.4, False, row.value, "amount", False, False
        )
    return None


def _mention(
    text: str, row: Quantity, end: int, value: int, *, explicit: bool, role: MoneyRole | None = None
) -> MoneyMention:
    role = role or _role(text, row.start, end, value)
    monthly = role == "budget" or bool(_MONTHLY.search(text[max(0, row.start - 9) : row.start]))
    yearly = role == "income" and bool(
        re.search(r"연봉(?!\s?말고)|연\s?소득|일\s?년에|1년에|연\s?수입", text[max(0, row.start - 12) : row.start])
    )
    return MoneyMention(
        row.start,
        end,
        text[row.start : end],
        1.0 if explicit else 0.7,
        False,
        value,
        role,
        monthly and not yearly,
        explicit,
        yearly,
    )


def _last_end(words: re.Pattern[str], text: str) -> int:
    """Where the last match ends; 0 without one."""
    return max((match.end() for match in words.finditer(text)), default=0)


def _role(text: str, start: int, end: int, value: int) -> MoneyRole:
    before, after = text[max(0, start - 18) : start], text[end : end + 14]
    if _SPENT.search(before) and not _INCOME_AFTER.match(after):
        return "expense"
    cuts = [match.end() for match in _CLAUSE.finditer(before)]
    before = before[cuts[-1] :] if cuts else before
    # 월급 350에 대출 1억: the word that stands nearest names the sum.
    income, debt, loan = (_last_end(words, before) for words in (_INCOME, _DEBT, _LOAN))
    if _DIFFERENCE.match(after):
        return "premium"
    if _OWED.match(after) or (_LOAN_IS.search(before) and _IS.match(after)):
        return "debt"
    if value <= BUDGET_MAX and _CAP.match(after) and not _SUM.search(before):
        return "budget"
    if _INCOME_AFTER.match(after) or income > max(debt, loan):
        return "income"
    if debt > 0 or re.match(r"\s?원?\s?(?:짜리)?\s?(?:빚|부채|주담대|융자)", after):
        return "debt"
    if loan > 0 or re.match(r"\s?원?\s?(?:만)?\s?(?:대출|빌리|빌려|땡기|당겨)", after):
        return "debt" if re.search(r"남|갚|있", after) else "loan"
    if value <= BUDGET_MAX and (_BUDGET.search(before) or _BUDGET_AFTER.match(after) or _MONTHLY.search(before[-9:])):
        return "budget"
    if _SUM.search(before) or _SUM_AFTER.match(after) or value >= 5_000_000:
        return "sum_insured"
    if _PREMIUM.search(before):
        return "premium"
    return "amount"


def won_forms(amount: int) -> tuple[str, ...]:
    """The ways to write an amount (원, 1 or more) that `find_money` reads back: 35,000원, 3만 5,000원, 삼만 오천 원,
    3만5천원."""
    forms = [f"{amount:,}원", f"{amount}원", f"{format_mixed(amount)}원", f"{format_mixed(amount)} 원"]
    if amount >= 10:
        forms += [f"{format_sino(amount)}원", f"{format_sino(amount, spaced=True)} 원"]
    short = f"{format_short(amount)}원"
    # '1억5천원' is said for 150,000,000, so it is no form of 100,005,000.
    colloquial = amount >= 10**8 and 100 <= amount % 10**8 < 10**4 and "천" in short[-3:]
    return (*forms,) if colloquial else (*forms, short)


def format_won(amount: int) -> str:
    """20625 -> '20,625원'."""
    return f"{amount:,}원"
