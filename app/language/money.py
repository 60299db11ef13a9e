"""Amounts in 원 as people type them: 3만5천, 삼만 원, 1억 2천만원, 20,625원, 월 7만, 빚이 8천, 대출 200으로.

An amount needs 원, a 만 or 억, or a word of money near it. Without unit and with a word that is counted in 만원 (소득,
빚, 대출, 가입금액), 사백 is 4,000,000원; the reader does the same for a bare 150 when the talk is of such a sum
already. The words stand in data/language/money.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.language.mentions import MoneyMention, MoneyRole
from app.language.numbers import HUNDRED_MILLION, MYRIAD, SMALL_UNITS, THOUSAND, Quantity, marked, quantities_at
from app.word_files import Pattern, WordFiles, Words

_IN_MAN: frozenset[MoneyRole] = frozenset({"income", "debt", "loan", "sum_insured"})
BUDGET_MAX = 3_000_000
_LEAST_SUM = 300_000  # 원: nobody is insured for less, so 7만원으로 들 보험 is what it may cost


def _past_number(text: str, start: int) -> int:
    end = start + 1
    while text[start].isdigit() and end < len(text) and (text[end].isdigit() or text[end] in ",."):
        end += 1
    return end


def _dangling(text: str, row: Quantity) -> bool:
    """Whether the row ends in a syllable that is rather a particle or begins a word: 8천이, 오백이, 3만이, 3만 이내."""
    before = text[row.start : row.end - 1].rstrip()
    return row.style != "arabic" and text[row.end - 1] in "이일오사" and bool(before) and before[-1] in "십백천만억"


def _colloquial(row: Quantity) -> int:
    """1억 5천 -> 150,000,000: after 억, a section in 천 or 백 without 만 is meant in 만."""
    rest, (_, large, after) = row.value % 10**8, row.unit_chars.partition(HUNDRED_MILLION)
    if large and MYRIAD not in after and 100 <= rest < 10**4 and row.unit_chars[-1] in SMALL_UNITS:
        return row.value - rest + rest * 10**4
    return row.value


def _in_myriads(row: Quantity) -> bool:
    return MYRIAD in row.unit_chars or HUNDRED_MILLION in row.unit_chars


def _last_end(words: re.Pattern[str], text: str) -> int:
    """Where the last match ends; 0 without one."""
    return max((match.end() for match in words.finditer(text)), default=0)


class MoneyWords(Words):
    """money.yaml: each word is explained beside it."""

    start: Pattern
    won: Pattern
    counter: Pattern
    tail: Pattern
    swapped: Pattern
    ends: Pattern
    clause: Pattern
    income_before: Pattern
    income_after: Pattern
    debt_before: Pattern
    loan_before: Pattern
    spent: Pattern
    sum_before: Pattern
    sum_after: Pattern
    named_sum: Pattern
    monthly: Pattern
    budget_before: Pattern
    budget_after: Pattern
    difference: Pattern
    owed: Pattern
    paid: Pattern
    paid_by_hearsay: Pattern
    paid_each: Pattern
    loan_is: Pattern
    being: Pattern
    cap: Pattern
    premium: Pattern
    follows: Pattern
    precedes: Pattern
    yearly: Pattern
    debt_after: Pattern
    loan_after: Pattern
    still_owed: Pattern


class MoneyReader:
    """Reads amounts. Built once; `find` is pure. Raises DataFaults."""

    def __init__(self, files: WordFiles) -> None:
        self._words = files.read("money", MoneyWords)

    def find(self, text: str, taken: Iterable[tuple[int, int]] = ()) -> list[MoneyMention]:
        """Amounts in order, outside the spans of `taken`. A bare number before 으로 or 말고 comes with confidence 0.4
        and its plain value: what it counts depends on the talk before."""
        busy = marked(text, taken)
        found: list[MoneyMention] = []
        at = 0
        while (start_match := self._words.start.search(text, at)) is not None:
            start = start_match.start()
            mention = None if busy[start] or not self._may_start(text, start) else self._money_at(text, start)
            if mention is None or any(busy[mention.start : mention.end]):
                at = _past_number(text, start)
                continue
            found.append(mention)
            at = mention.end
        return found

    def _may_start(self, text: str, start: int) -> bool:
        before = text[start - 1] if start else " "
        if text[start].isdigit():
            return not (before.isdigit() or before in ".,-" or (before.isascii() and before.isalpha()))
        if "가" <= before <= "힣":
            named = self._words.named_sum.search(
                text[max(0, start - 6) : start]
            )  # 가입금액일억으로, typed without blanks
            return bool(named) or (before in "월총약" and (start < 2 or not "가" <= text[start - 2] <= "힣"))
        return not before.isdigit()

    def _money_at(self, text: str, start: int) -> MoneyMention | None:
        words, rows = self._words, quantities_at(text, start)
        for row in rows:
            if won := words.won.match(text, row.end):
                if row.style == "hangul" and not row.unit_chars:
                    continue
                value = _colloquial(row) if row.style == "mixed" else row.value
                return self._mention(text, row, won.end(), value, explicit=True)
        ended = [
            row
            for row in rows
            if not words.counter.match(text, row.end) and words.tail.match(text, row.end) and not _dangling(text, row)
        ]
        for row in ended:
            if _in_myriads(row) and (len(row.unit_chars) > 1 or text[start] not in (MYRIAD, HUNDRED_MILLION)):
                # 이만 and 사만 are words too, 이억 is none.
                short = row.style == "hangul" and row.end - row.start <= 2 and HUNDRED_MILLION not in row.unit_chars
                swapped = text[row.start] != "이" and words.swapped.match(text, row.end)
                if not short or swapped or self._near_money(text, row):
                    return self._mention(text, row, row.end, _colloquial(row), explicit=True)
        return self._bare(text, ended[0]) if ended else None

    def _near_money(self, text: str, row: Quantity) -> bool:
        window = text[max(0, row.start - 10) : row.start]
        after = text[row.end : row.end + 12]
        return bool(
            self._words.monthly.search(window)
            or self._words.budget_before.search(window)
            or self._words.budget_after.match(after)
            or self._words.sum_before.search(window)
            or self._words.sum_after.match(after)
        )

    def _bare(self, text: str, row: Quantity) -> MoneyMention | None:
        """An amount without 원, 만 and 억: only where the words around name a sum, or before 으로·말고.

        2천짜리 is 2천만원: nobody insures or pays 2,000원 a month, so a bare 천 is taken in 만원 unless it is monthly.
        """
        thousands = row.style == "mixed" and row.unit_chars == THOUSAND
        monthly = self._words.monthly.search(text[max(0, row.start - 9) : row.start])
        worth = row.value * 10**4 if thousands and not monthly else row.value
        role = self._role(text, row.start, row.end, worth)
        big = any(unit in row.unit_chars for unit in "백천")
        if role in _IN_MAN and (big or (row.style == "arabic" and row.value >= 100)) and row.value < 10**4:
            return self._mention(text, row, row.end, row.value * 10**4, explicit=False, role=role)
        if big and row.style == "mixed" and (self._near_money(text, row) or role != "amount"):
            return self._mention(text, row, row.end, row.value, explicit=False, role=role)
        follows = self._words.follows.match(text[row.end : row.end + 8])
        follows = follows or (self._words.ends.match(text, row.end) if thousands else None)
        precedes = self._words.precedes.search(text[max(0, row.start - 6) : row.start])
        if (follows or precedes) and (row.value >= 100 or big) and row.value < 10**4:
            return MoneyMention(
                row.start, row.end, text[row.start : row.end], 0.4, False, row.value, "amount", False, False
            )
        return None

    def _mention(
        self, text: str, row: Quantity, end: int, value: int, *, explicit: bool, role: MoneyRole | None = None
    ) -> MoneyMention:
        role = role or self._role(text, row.start, end, value)
        monthly = role == "budget" or bool(self._words.monthly.search(text[max(0, row.start - 9) : row.start]))
        yearly = role == "income" and bool(self._words.yearly.search(text[max(0, row.start - 12) : row.start]))
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

    def _role(self, text: str, start: int, end: int, value: int) -> MoneyRole:
        words, before, after = self._words, text[max(0, start - 18) : start], text[end : end + 14]
        if words.spent.search(before) and not words.income_after.match(after):
            return "expense"
        cuts = [match.end() for match in words.clause.finditer(before)]
        before = before[cuts[-1] :] if cuts else before
        # 월급 350에 대출 1억: the word that stands nearest names the sum.
        named = (words.income_before, words.debt_before, words.loan_before)
        income, debt, loan = (_last_end(word, before) for word in named)
        if words.difference.match(after):
            return "premium"
        if words.owed.match(after) or (words.loan_is.search(before) and words.being.match(after)):
            return "debt"
        small = value <= BUDGET_MAX
        if small and words.cap.match(after) and not words.sum_before.search(before):
            return "budget"
        if words.income_after.match(after) or income > max(debt, loan):
            return "income"
        if debt > 0 or words.debt_after.match(after):
            return "debt"
        if loan > 0 or words.loan_after.match(after):
            return "debt" if words.still_owed.search(after) else "loan"
        by_hearsay = words.paid_by_hearsay.match(after) or words.paid_each.search(before)
        priced = words.premium.search(before)
        if not priced and (words.paid.match(after) or (small and by_hearsay and not words.budget_after.match(after))):
            return "paid"
        if small and (
            words.budget_before.search(before) or words.budget_after.match(after) or words.monthly.search(before[-9:])
        ):
            return "budget"
        called, insured = words.sum_before.search(before), words.sum_after.match(after)
        if insured and not called and value < _LEAST_SUM:
            return "budget"
        if called or insured or value >= 5_000_000:
            return "sum_insured"
        return "premium" if words.premium.search(before) else "amount"
