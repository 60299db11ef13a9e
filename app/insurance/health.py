"""Health histories in free words, read as condition rules with the time since.

Source: data/reference/condition_rules.yaml.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.insurance.catalogue import Reference
from app.insurance.names import name_key
from app.insurance.reference import ConditionRule

_NUMBERS = {
    "일": 1, "한": 1, "이": 2, "두": 2, "삼": 3, "세": 3, "사": 4, "네": 4, "오": 5, "다섯": 5, "육": 6, "여섯": 6,
    "칠": 7, "일곱": 7, "팔": 8, "여덟": 8, "구": 9, "아홉": 9, "십": 10, "열": 10,
}  # fmt: skip
_NUMBER = rf"(?:\d{{1,2}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_SINCE = re.compile(rf"(?P<n>{_NUMBER})\s?(?P<unit>년|개월|달|주|일)\s?(?:반\s?)?(?:전|됐|된|되었|지났|지난|경과|넘)")
_ABOUT = (
    (re.compile(r"재작년"), 2.0),
    (re.compile(r"작년|지난\s?해"), 1.0),
    (re.compile(r"올해|지난\s?달|이번\s?달|지난\s?주|이번\s?주|어제|얼마\s?전|최근|요즘"), 0.0),
)
_YEARS = {"년": 1.0, "개월": 1 / 12, "달": 1 / 12, "주": 1 / 52, "일": 1 / 365}
_CLAUSES = re.compile(r"[,;\n/·]|(?:하고|이고|있고|그리고|이랑|이며)\s|(?<=[가-힣])\.\s?| 및 ")
_CURRENT = re.compile(r"복용|먹고|드시|투약|약\s?(?:을|먹|복)|치료\s?중|다니고|관리\s?중|앓고|있는\s?중|투석")
_TREATED = re.compile(r"수술|입원|시술|절제|제왕\s?절개|스텐트|이식|절개")
_DENIED = re.compile(r"^(?:은|는|이|가|도|병|증|약|병력|이력|진단|수술|입원)*(?:없|아니|않|안했|안받)")
_NOTHING = re.compile(r"없|건강(?:해|합|함|한\s?편)|안\s?아[파프픈]|정상")
# What no keyword tells: a cancer by its KCD class or by the bare word, any operation, any stay in hospital.
_BARE_CANCER = re.compile(r"(?:^|\s)암(?:이|을|은|에|으로|도|\s|$)")
_CANCERS = frozenset({"일반암", "고액암", "유사암"})
_PLAIN = ((re.compile(r"수술|시술|절제"), "general_surgery"), (re.compile(r"입원"), "hospital_stay"))
# 암 진단 뒤 5년이 지나면 다른 규칙(완치된 암)으로 본다.
_CURED = {"cancer_surgery": "cancer_5y", "thyroid_cancer": "cancer_5y", "leukemia": "cancer_5y"}
CURED_YEARS = 5


@dataclass(frozen=True)
class Condition:
    """One thing of a history: its rule, the person's words, years since (None: untold), under treatment, operated."""

    rule: ConditionRule
    words: str
    years: float | None
    current: bool
    treated: bool


@dataclass(frozen=True)
class History:
    """A history as read. `unknown` are parts no rule answers to; `healthy` when the words say there is nothing."""

    conditions: tuple[Condition, ...]
    unknown: tuple[str, ...]
    healthy: bool


def read_history(reference: Reference, text: str) -> History:
    """The conditions a text names, each once, with the time told in the same clause."""
    conditions: dict[str, Condition] = {}
    unknown: list[str] = []
    for clause in (part.strip() for part in _CLAUSES.split(text) if part and part.strip()):
        found = _rules_in(reference, clause)
        found += _implied(reference, clause, {rule.id for rule in found})
        for rule in found:
            condition = _condition(reference, rule, clause)
            conditions.setdefault(condition.rule.id, condition)
        if not found and reference.codes.find(clause).codes and not _NOTHING.search(clause):
            unknown.append(clause)
    healthy = not conditions and not unknown and bool(_NOTHING.search(text))
    if not conditions and not unknown and not healthy:
        unknown.append(text.strip())
    return History(tuple(conditions.values()), tuple(unknown), healthy)


def years_since(text: str) -> float | None:
    """Years since, as told: '3년 전' → 3.0, '6개월 전' → 0.5, '작년' → 1.0; None when no time is told."""
    if match := _SINCE.search(text):
        count = match["n"]
        return (int(count) if count.isdigit() else _NUMBERS[count]) * _YEARS[match["unit"]]
    return next((years for said, years in _ABOUT if said.search(text)), None)


def since_words(years: float | None) -> str | None:
    """3.0 → '3년 전', 0.5 → '6개월 전', 0.0 → '최근'."""
    if years is None:
        return None
    if years >= 1:
        return f"{int(years)}년 전"
    months = round(years * 12)
    return f"{months}개월 전" if months else "최근"


def _condition(reference: Reference, rule: ConditionRule, clause: str) -> Condition:
    years = years_since(clause)
    if years is not None and years >= CURED_YEARS and rule.id in _CURED:
        rule = next((r for r in reference.condition_rules if r.id == _CURED[rule.id]), rule)
    named = rule.name + "".join(rule.keywords[:1])
    return Condition(
        rule=rule,
        words=clause,
        years=years,
        current=bool(_CURRENT.search(clause)),
        treated=bool(_TREATED.search(clause) or _TREATED.search(named)),
    )


def _rules_in(reference: Reference, clause: str) -> tuple[ConditionRule, ...]:
    """Rules whose keywords stand in the clause: a keyword inside a longer one, or denied, does not count."""
    key, starts = _compact(clause)
    hits: list[tuple[int, int, ConditionRule]] = []
    for rule in reference.condition_rules:
        for said, opens in rule.keyword_keys:
            at = key.find(said)
            while at >= 0:
                if not opens or at in starts:
                    hits.append((at, at + len(said), rule))
                at = key.find(said, at + 1)
    kept: dict[str, ConditionRule] = {}
    for start, end, rule in hits:
        inside = any(s <= start and end <= e and (e - s) > (end - start) for s, e, _ in hits)
        if not inside and not _DENIED.match(key[end:]):
            kept.setdefault(rule.id, rule)
    return tuple(kept.values())


def _implied(reference: Reference, clause: str, found: set[str]) -> tuple[ConditionRule, ...]:
    """Rules that the clause means without their keywords: a cancer of any site, else an operation or a stay."""
    if _NOTHING.search(clause):
        return ()
    wanted: set[str] = set()
    cancer = _BARE_CANCER.search(clause) or _CANCERS & set(reference.codes.find(clause).classes)
    if cancer and not found & {*_CURED, *_CURED.values()}:
        wanted.add("cancer_surgery")
    if not found and not wanted:
        wanted |= {name for said, name in _PLAIN if said.search(clause)}
    return tuple(rule for rule in reference.condition_rules if rule.id in wanted)


def _compact(text: str) -> tuple[str, frozenset[int]]:
    """The text as `name_key`, and the places in it where a word opens."""
    key, starts = "", set()
    for word in text.split():
        starts.add(len(key))
        key += name_key(word)
    return key, frozenset(starts)
