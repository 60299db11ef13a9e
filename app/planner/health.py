"""Which illness, treatment and job a message tells of, and of whom: '아빠는 당뇨, 엄마는 고혈압' tells of two."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.language.conditions import is_said_not
from app.language.mentions import DurationMention, Entities, MedicalMention
from app.planner.facts import Facts
from app.planner.occupations import current
from app.toolbox.declared import Declarations

_EVENT = re.compile(
    r"진단\s?받|확진|나오나|나와|나오|나올|나가|지급|보험금|청구|진단비|골절됐|받을\s?수|탈\s?수|보장(?:돼|되|받)|코드"
)
_PAYMENT = re.compile(r"나오나|나와|나오|나올|나가|지급|보험금|청구|진단비|받을\s?수|탈\s?수|보장(?:돼|되|받)|코드")
_UNDERWRITING = re.compile(
    r"인수|떼셨|떼었|뗐|제거했|제거하|절제|됩니까|되냐|소견|이력|완치|종결|추적|관찰|보유|재발|전이\s없|가입|드시|괜찮을까|괜찮나|가능|있어도|들\s?수|들수|들\s?려|들어도|심사|고지|알려야|알릴|적어야|말해야|앓|병력|먹|복용|있으|있었|있는데|있어요|있고"
    r"|돼요|되나|될까|거절|하셨|했는데|했고|했대|수술했|입원했|힘들|받아\s?줄|안이래|이래|이 있|있거든|있습니다|있대"
)
_JOB_ELLIPSIS = re.compile(
    r"^(?:그럼\s|그러면\s)?(?!.*(?:서류|보험|질문|가입|한도|고지|심사|보장|특약|얼마|그것|이것|약관|면책|갱신))"
    r"(?P<job>[가-힣A-Za-z ]{2,12}?)(?:은|는|도)(?:요)?\s?\??$"
)
_UNDERGONE = re.compile(
    r"하셨|했(?!으면)|받았(?!으면)|앓|복용|먹(?:어|고|는|었)|드시|치료\s?중|이미|벌써|[가-힣]신데|끼(?:고|셨|세)|쓰(?:고|세|시)"
)
_JUDGED = re.compile(r"인수|고지|이력|병력|소견|완치|(?:년|달|개월|주)\s?전")
_PAST_TREATMENT = re.compile(r"(?:했|하셨|받았|받으셨|때웠|뽑았|넣었|심었)(?:는데|어요|습니다|고|거든|었)")
HEALTHY = re.compile(
    r"아픈\s?(?:데|곳|적)(?:은|는|도|이|가)?\s?(?:없|하나)|(?:병력|지병|질환|병)(?:은|이|도)?\s?없|건강(?:해요|합니다|하세요|하셔|한\s?편)"
    r"|안\s?아[파프]|병원\s?(?:간|갈)\s?(?:적|일)(?:이|도)?\s?없"
)
HISTORY_MAX = 6


@dataclass(frozen=True)
class Health:
    """What a message says of health and work. `of` are histories that surely belong to one named person each, `mine`
    those of whoever is spoken of; `gone` are diseases taken back (고혈압은 아니고)."""

    mine: tuple[str, ...] = ()
    of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    diagnosis: str | None = None
    job: str | None = None
    healthy: bool = False


def read_health(entities: Entities, facts: Facts, declared: Declarations) -> Health:
    """A disease counts as a claim event or as a health history by the words around it."""
    text = entities.text
    gone = frozenset((*(m.term for m in entities.medical if m.negated), *entities.denied))
    told = _told_diseases(entities)
    mine: tuple[str, ...] = ()
    of: dict[str, tuple[str, ...]] = {}
    diagnosis = None
    if told:
        personal = bool(entities.people or entities.durations or entities.dates or facts.who)
        longest = max(told, key=lambda m: len(m.phrase))
        event = bool(_EVENT.search(text)) or any(m.code == m.text.upper() for m in told)
        if event:
            typed = next((m.code for m in told if m.code and m.text[:1].isascii()), None)
            diagnosis = typed or longest.term
        paid_for = bool(_PAYMENT.search(text))
        joins = bool(_UNDERWRITING.search(text)) or (declared.requires(facts.last_tool, "history") and personal)
        # 담석 제거 수술했는데 수술비 나와요: it happened to the person, so a later check of health knows it too.
        if (joins and not paid_for) or (event and _PAST_TREATMENT.search(text)):
            mine, of = _by_person(told, entities)
    return Health(
        mine,
        of,
        gone,
        diagnosis,
        _job(entities, of_jobs=declared.requires(facts.last_tool, "job")),
        bool(HEALTHY.search(text)),
    )


def merged(before: str | None, news: Sequence[str], gone: frozenset[str], *, replace: bool) -> str | None:
    """The history of a person with the news: added to what was told before unless `replace` (아니 당뇨가 아니라)."""
    held = [] if replace or not before else [part for part in before.split(", ") if part]
    held = [part for part in held if not any(term in part for term in gone)]
    for phrase in news:
        # 고혈압 and 고혈압약 복용 are one illness: the fuller words stay.
        held = [part for part in held if part not in phrase]
        if not any(phrase in part for part in held):
            held.append(phrase)
    return ", ".join(held[-HISTORY_MAX:]) or None


def _told_diseases(entities: Entities) -> list[MedicalMention]:
    text = entities.text
    kinds = [(m.start, m.end) for m in entities.categories]
    diseases = [
        m
        for m in entities.medical
        if not is_said_not(entities, m)
        and m.confidence >= 0.7
        and not any(s <= m.start < e for s, e in kinds)
        and not text[m.end :].lstrip().startswith(("보험", "쪽", "담보", "특약"))
    ]
    treated = [(m.start, m.end) for m in (*entities.benefits, *entities.riders, *entities.goals)]
    # A treatment that a product pays for (틀니, 표적항암) is asked about, not suffered, unless it is a disease with a
    # code.
    undergone = bool(_UNDERGONE.search(text))
    judged = bool(_JUDGED.search(text))
    return [
        m
        for m in diseases
        if undergone or m.code or (judged and m.rule_id) or not any(s < m.end and m.start < e for s, e in treated)
    ]


def _by_person(
    diseases: Sequence[MedicalMention], entities: Entities
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Each disease with its person where several are named; else all of them belong to whoever is spoken of."""
    people = [m for m in entities.people if not m.negated and m.role == "insured"]
    if len({m.who for m in people}) < 2:
        return tuple(dict.fromkeys(_with_length(m, entities.durations) for m in diseases)), {}
    of: dict[str, list[str]] = {}
    for disease in diseases:
        before = [m for m in people if m.end <= disease.start]
        owner = before[-1] if before else people[0]
        of.setdefault(owner.who, []).append(_with_length(disease, entities.durations))
    return (), {who: tuple(dict.fromkeys(phrases)) for who, phrases in of.items()}


def _with_length(disease: MedicalMention, durations: Sequence[DurationMention]) -> str:
    """'위염약을 한 달 먹었는데': how long a medicine was taken belongs to the history, in days."""
    if not disease.phrase.endswith("복용"):
        return disease.phrase
    taken = next((d for d in durations if 0 <= d.start - disease.end <= 6 and d.role == "span"), None)
    if taken is None:
        return disease.phrase
    days = taken.days or taken.months * 30
    return f"{disease.phrase.removesuffix('복용')}{days}일 복용"


def _job(entities: Entities, *, of_jobs: bool) -> str | None:
    jobs = [m for m in current(entities) if m.confidence >= 0.7 or of_jobs]
    if not jobs and of_jobs and (asked := _JOB_ELLIPSIS.match(entities.text)):
        return asked["job"]
    return jobs[-1].job if jobs else None
