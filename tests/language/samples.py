"""A small catalogue of real shapes for the language tests: five products, a few diseases, jobs, rules and claims."""

from __future__ import annotations

from datetime import date
from typing import Any

from app.insurance.catalogue import Catalogue, Reference
from app.insurance.models import Gender, Product
from app.insurance.reference import ClaimType, ConditionRule, Job, KcdCode, ReinstatementRule

TODAY = date(2026, 2, 1)
NEW_START, PICK, DENTAL, DENTAL_V, SILVER = "B00115023", "B00155017", "B00172014", "B00197011", "B00307007"
DEMENTIA, CARE, LIFE, SIMPLE, FILL335, FIRST_DAY = (
    "B00312011",
    "B00317010",
    "B00329010",
    "B00343004",
    "B00364004",
    "B00355005",
)

_ROWS: tuple[tuple[str, str, str, tuple[str, ...], bool, int, str], ...] = (
    (NEW_START, "뉴스타트암보험", "암", ("뉴스타트", "뉴스타트암"), False, 20, "갱신형"),
    (PICK, "골라담는암보험", "암", ("골라담는", "골라담는암"), False, 50, "갱신형"),
    (FIRST_DAY, "첫날부터암보험", "암", ("첫날부터", "첫날암"), False, 20, "갱신형"),
    (DENTAL, "더건강한치아보험", "치아", ("더건강한치아",), False, 5, "갱신형"),
    (DENTAL_V, "THE건강한치아보험V", "치아", ("THE건강한치아", "더건강V"), False, 15, "비갱신형"),
    (SILVER, "실버치아보험", "치아", ("실버치아",), False, 50, "갱신형"),
    (DEMENTIA, "실속치매보험", "치매", ("실속치매",), False, 40, "갱신형"),
    (CARE, "치매간병보험", "치매", ("치매간병",), False, 40, "갱신형"),
    (LIFE, "건강해지는종신보험", "종신", ("건강해지는종신",), False, 15, "비갱신형"),
    (SIMPLE, "간편건강보험", "건강", ("간편건강",), True, 30, "갱신형"),
    (FILL335, "채우는335", "건강", ("채우는", "335"), True, 15, "갱신형"),
)


def _benefit(identity: str, name: str, *keywords: str) -> dict[str, Any]:
    return {
        "id": identity,
        "name": name,
        "coverage_type": "치료",
        "amount": 100_000,
        "unit": "회당",
        "condition": "치료를 받은 때",
        "keywords": keywords,
    }


def _rider(number: int, name: str) -> dict[str, Any]:
    return {
        "code": f"R{number:03d}",
        "name": name,
        "summary": "요약",
        "term": "10년",
        "premium_basis": "기준",
        "premium_share": 0.1,
        "benefits": [_benefit(f"r{number}", f"{name} 급부")],
    }


def product(
    code: str, name: str, category: str, nicknames: tuple[str, ...], simplified: bool, least: int, renewal: str
) -> Product:
    """One valid product of the given names."""
    rules = {"period_years": 10, "max_age": 99, "rise_range": (0.1, 0.5)} if renewal == "갱신형" else {}
    dental = category == "치아"
    benefits = (
        [_benefit("crown", "크라운치료", "크라운"), _benefit("implant", "임플란트치료", "임플란트")]
        if dental
        else [
            _benefit("main", "진단급여금", "진단비"),
            _benefit("extra", "유사암진단", "유사암"),
        ]
    )
    faq = {"topic": "가입", "question": "언제?", "answer": "지금", "source": "약관"}
    disclosure = {"item": "항목", "text": "내용", "basis": "근거"}
    return Product.model_validate(
        {
            "code": code,
            "name": name,
            "official_name": f"무배당 {name}",
            "nicknames": nicknames,
            "category": category,
            "summary": "요약",
            "points": ("가", "나", "다"),
            "revision": 1,
            "effective_date": date(2025, 1, 1),
            "simplified": simplified,
            "disclosure_form": "3·3·5 간편고지" if simplified else "표준고지",
            "entry_age": {"min": least, "max": 75},
            "renewal": {"kind": renewal, **rules},
            "channels": (),
            "payment_cycles": (),
            "plans": [
                {
                    "name": "기본형",
                    "description": "기본",
                    "payment_term": "10년납",
                    "coverage_term": "10년",
                    "surrender": "순수보장형",
                    "payment_years": 10,
                    "default": True,
                }
            ],
            "sum_insured": {"min": 1_000_000, "max": 100_000_000, "default": 10_000_000, "step": 1_000_000},
            "benefits": benefits,
            "riders": [
                _rider(i, n)
                for i, n in enumerate(
                    ("표적항암치료특약", "로봇수술특약", "간병인사용특약", "입원특약", "수술특약", "골절특약")
                )
            ],
            "exclusions": ("고의", "음주"),
            "conflict_rules": [{"treatments": ("수술", "입원"), "rule": "둘 다", "pays": "둘 다"}],
            "surrender_rules": [{"kind": "순수보장형", "explanation": "없음", "by_year": (), "source": "약관"}],
            "faqs": [faq] * 8,
            "disclosures": [disclosure] * 3,
            "knockouts": [{"id": "hiv", "rule": "HIV 감염", "reason": "위험", "when": [{"findings": ["hiv"]}]}],
        }
    )


def _condition(identity: str, name: str, *keywords: str) -> ConditionRule:
    return ConditionRule.model_validate(
        {
            "id": identity,
            "name": name,
            "keywords": keywords,
            "simplified_verdict": "가능",
            "years_clear": 5,
            "period": "5년",
            "score": 30,
            "category_verdicts": dict.fromkeys(("암", "치아", "치매", "종신", "건강", "정기"), "조건부"),
            "reason": "이유",
        }
    )


def catalogue() -> Catalogue:
    """The catalogue of the tests; premiums are flat, dearest first in the order of the rows."""
    products = tuple(product(*row) for row in _ROWS)
    reference = Reference(
        kcd=(
            KcdCode(code="C50", name="유방의 악성신생물", classes=("일반암",), synonyms=("유방암",)),
            KcdCode(code="C73", name="갑상선의 악성신생물", classes=("유사암",), synonyms=("갑상선암",)),
            KcdCode(code="F06.7", name="경도인지장애", classes=("치매",)),
            KcdCode(code="D12", name="결장의 양성신생물", classes=("기타",), synonyms=("대장용종",)),
        ),
        jobs=(
            Job(name="사무직 회사원", risk_class="1급", group="사무", synonyms=("사무직", "회사원")),
            Job(name="간호사", risk_class="1급", group="의료"),
            Job(name="비계공", risk_class="3급", group="건설"),
            Job(name="의사", risk_class="1급", group="의료"),
        ),
        condition_rules=(
            _condition("disc", "디스크", "디스크", "허리디스크"),
            _condition("polyp", "용종", "용종", "대장용종"),
            _condition("infarct", "뇌경색", "뇌경색"),
            _condition("pressure", "고혈압", "고혈압", "혈압약"),
        ),
        claims=(
            ClaimType(
                name="수술",
                keywords=("수술",),
                categories=("건강",),
                steps=("접수",),
                channels=("앱",),
                days="3일",
                forms=(),
            ),
        ),
        reinstatement=ReinstatementRule(
            within_years=3,
            notice_days=14,
            overdue_interest_note="이자",
            requirements=("청약",),
            waiting_again="다시",
            clause="제1조",
        ),
        job_rules=(),
        definitions=(),
        glossary=(),
        questions=(),
        knockouts=(),
        findings=(),
        join_documents=(),
        exclusions=(),
        contract_actions=(),
        sales_duties=(),
        scripts=(),
        forbidden_phrases=(),
        disclaimers=(),
        knowledge=(),
    )
    genders: tuple[Gender, ...] = ("M", "F")
    premiums = {
        p.code: {g: dict.fromkeys(range(100), 30_000 - 1_000 * i) for g in genders} for i, p in enumerate(products)
    }
    return Catalogue(products, reference, premiums)
