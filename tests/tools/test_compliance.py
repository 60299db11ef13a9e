"""The compliance tools with the real phrase checker and masker."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.errors import BadRequest, ProductNotFound
from app.insurance.catalogue import Catalogue
from app.insurance.compliance import MaskedText, MisleadingCheck, PhraseScript, RequiredDisclosures, UnknownTopic
from app.safety.personal_data import shipped_masker
from app.safety.phrases import PhraseChecker
from app.tools import compliance
from app.tools.blocks import blocks_of
from app.tools.context import ToolContext

from .conftest import call_tool, say

NEW_START, FIRST_DAY, DENTAL = "B00115023", "B00355005", "B00197011"
BY_NAME = {tool.name: tool for tool in compliance.TOOLS}


@pytest.fixture
def guarded(context: ToolContext, catalogue: Catalogue) -> ToolContext:
    return replace(context, phrases=PhraseChecker(catalogue.reference.forbidden_phrases), masker=shipped_masker())


def test_the_tools_have_their_fixed_names_roles_and_arguments() -> None:
    schemas = {name: set(tool.tool_call_schema.model_json_schema()["properties"]) for name, tool in BY_NAME.items()}  # type: ignore[union-attr]
    assert schemas == {
        "compliance_required_disclosure": {"product_code", "channel"},
        "compliance_phrase_generator": {"topic", "product_code", "channel"},
        "compliance_misleading_check": {"text"},
        "comparison_disclaimer_generator": {"product_codes"},
        "recording_notice_script": {"channel"},
        "privacy_masking": {"text"},
    }
    roles = {name: (tool.metadata or {})["role"] for name, tool in BY_NAME.items()}
    assert {name for name, role in roles.items() if role == "customer"} == {"privacy_masking"}


@pytest.mark.parametrize(
    ("name", "args", "told"),
    [
        ("compliance_required_disclosure", {"product_code": NEW_START, "channel": "TM"}, ["TM 판매", "공통:", "법"]),
        ("compliance_phrase_generator", {"topic": "오프닝"}, ["오프닝 안내 멘트", "라이나생명", "이 상품에 대해"]),
        ("compliance_phrase_generator", {"topic": "마무리", "product_code": DENTAL}, ["건강한치아보험V", "고맙"]),
        ("compliance_phrase_generator", {"topic": "권하는 멘트"}, ["이 상품을 소개해"]),
        ("compliance_phrase_generator", {"topic": "가격", "product_code": NEW_START}, ["예시", "뉴스타트암보험의"]),
        ("compliance_phrase_generator", {"topic": "우주선"}, ["맞는 멘트가 없습니다", "갱신", "오프닝"]),
        ("compliance_misleading_check", {"text": "면책기간은 90일입니다."}, ["문제 표현 없음", "찾지 못했습니다"]),
        ("comparison_disclaimer_generator", {"product_codes": [NEW_START, FIRST_DAY]}, ["비교 자료는", "90일"]),
        ("recording_notice_script", {"channel": "TM"}, ["TM 녹취 고지", "라이나생명", "녹취됩니다"]),
        ("privacy_masking", {"text": "제 번호는 010-1234-5678"}, ["1건", "전화번호 1건", "[전화번호]"]),
        ("privacy_masking", {"text": "암보험 알려줘"}, ["찾지 못했습니다"]),
    ],
)
async def test_the_answer_holds_what_was_asked_for(
    guarded: ToolContext, name: str, args: dict[str, Any], told: list[str]
) -> None:
    answer = say(name, await call_tool(BY_NAME[name], args, guarded), show_codes=False)
    assert [part for part in told if part not in answer] == []
    assert "None" not in answer and "{" not in answer and "B00" not in answer


async def test_a_generated_script_passes_the_misleading_check(guarded: ToolContext, catalogue: Catalogue) -> None:
    topics = {script.topic for script in catalogue.reference.scripts if script.kind == "안내"}
    for topic in topics:
        for code in (None, NEW_START, DENTAL):
            args = {"topic": topic, **({"product_code": code} if code else {})}
            made = await call_tool(compliance.compliance_phrase_generator, args, guarded)
            assert isinstance(made, PhraseScript) and made.topic == topic and made.checked and made.hits == 0
            checked = await call_tool(compliance.compliance_misleading_check, {"text": made.script}, guarded)
            assert checked.verdict == "문제 표현 없음"
            assert all(fact in made.script for fact in made.product_facts)


async def test_an_unknown_topic_names_the_topics_there_are(guarded: ToolContext) -> None:
    told = await call_tool(compliance.compliance_phrase_generator, {"topic": "우주선"}, guarded)
    assert isinstance(told, UnknownTopic) and {"오프닝", "마무리", "갱신"} <= set(told.topics)


async def test_every_hit_has_its_span_rule_reason_and_rewording(guarded: ToolContext) -> None:
    text = "이 상품은 무조건 보험금이 나오고 원금이 100% 보장됩니다."
    found = await call_tool(compliance.compliance_misleading_check, {"text": text}, guarded)
    assert isinstance(found, MisleadingCheck) and found.verdict == "수정 필요" and found.count >= 1
    for finding in found.findings:
        assert text[finding.start : finding.end] == finding.text
        assert finding.rule_id and finding.why and finding.basis and finding.rewording
    answer = say("compliance_misleading_check", found)
    assert all(f'"{finding.text}" 표현' in answer and finding.rewording in answer for finding in found.findings)
    assert blocks_of(found)[0].data["rows"][0]["rewording"] == found.findings[0].rewording


async def test_the_spoken_verdict_itself_passes_the_phrase_check(guarded: ToolContext, catalogue: Catalogue) -> None:
    for rule in catalogue.reference.forbidden_phrases:
        for example in rule.examples:
            found = await call_tool(compliance.compliance_misleading_check, {"text": example}, guarded)
            spoken = say("compliance_misleading_check", found)
            assert [hit.text for hit in guarded.phrases.check(spoken)] == [], example


async def test_duties_become_a_table(guarded: ToolContext) -> None:
    result = await call_tool(compliance.compliance_required_disclosure, {"product_code": NEW_START}, guarded)
    assert isinstance(result, RequiredDisclosures)
    (table,) = blocks_of(result)
    assert len(table.data["rows"]) == result.count and table.data["rows"][0]["basis"]


async def test_masking_leaves_none_of_the_numbers_and_counts_by_korean_kind(guarded: ToolContext) -> None:
    text = "홍길동 900101-1234567, 010-1234-5678, hong@example.com"
    masked = await call_tool(compliance.privacy_masking, {"text": text}, guarded)
    assert isinstance(masked, MaskedText)
    assert masked.counts == {"주민등록번호": 1, "전화번호": 1, "이메일": 1} and masked.total == 3
    told = masked.model_dump_json() + say("privacy_masking", masked)
    assert not any(secret in told for secret in ("900101", "1234567", "5678", "hong@"))


async def test_wrong_products_are_refused(guarded: ToolContext) -> None:
    with pytest.raises(ProductNotFound):
        await call_tool(compliance.compliance_required_disclosure, {"product_code": "B99999999"}, guarded)
    with pytest.raises(BadRequest):
        await call_tool(compliance.comparison_disclaimer_generator, {"product_codes": [NEW_START]}, guarded)
