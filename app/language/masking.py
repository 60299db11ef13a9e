"""A text with its particulars replaced by their kinds, so that '47세 여자 3만원' does not steer the choice of a
tool."""

from __future__ import annotations

import re

from app.language.mentions import Entities, Mention

_NUMBER = re.compile(r"(?<![A-Za-z가-힣\d])\d[\d,.]*")
# Kinds in order of precedence: where two mentions overlap the earlier kind wins.
_LABELS: tuple[tuple[str, str], ...] = (
    ("products", "상품"),
    ("names", "고객"),
    ("births", "출생연도"),
    ("dates", "날짜"),
    ("ages", "나이"),
    ("money", "금액"),
    ("durations", "기간"),
    ("genders", "성별"),
    ("revisions", "개정판"),
    ("counts", "개수"),
)


def mask(text: str, entities: Entities | None = None, *, people: bool = False) -> str:
    """`text` with products, names, ages, money, dates, durations and genders replaced by 상품, 고객, 나이, 금액 …

    Without `entities` only bare numbers become 숫자. With `people`, kinship words become 가족 too. `entities` must have
    been read from the same text; spacing is normalised as there.
    """
    if entities is None:
        return _NUMBER.sub("숫자", text)
    plain = entities.text
    chosen: list[tuple[Mention, str]] = []
    labels = (*_LABELS, ("people", "가족")) if people else _LABELS
    for field, label in labels:
        for mention in getattr(entities, field):
            label_of = "가족" if field == "people" and mention.who != "본인" else label
            if field == "people" and mention.who in ("본인", "고객"):
                continue
            if all(mention.end <= other.start or mention.start >= other.end for other, _ in chosen):
                chosen.append((mention, label_of))
    for mention, label in sorted(chosen, key=lambda pair: pair[0].start, reverse=True):
        plain = f"{plain[: mention.start]}{_padded(plain, mention, label)}{plain[mention.end :]}"
    return _NUMBER.sub("숫자", re.sub(r"\s+", " ", plain)).strip()


def _padded(text: str, mention: Mention, label: str) -> str:
    """The label with a space where two labels would otherwise grow together (45남 -> 나이 성별)."""
    before = text[mention.start - 1 : mention.start]
    after = text[mention.end : mention.end + 1]
    head = " " if before.isdigit() or before.isalpha() else ""
    tail = " " if after in ("남", "여") or after.isdigit() else ""
    return f"{head}{label}{tail}"
