"""Compliance tools: duties to explain, scripts, the check of sales texts, recording notices and masking."""

from __future__ import annotations

from typing import Annotated

from langgraph.prebuilt import ToolRuntime
from pydantic import Field

import app.tools.blocks_compliance  # noqa: F401  registers the blocks of these results
from app.insurance.comparison import read_codes
from app.insurance.compliance import (
    ComparisonDisclaimer,
    MaskedText,
    MisleadingCheck,
    PhraseFinding,
    PhraseScript,
    RecordingNotice,
    RequiredDisclosures,
    UnknownTopic,
    comparison_disclaimer,
    find_scripts,
    product_facts,
    recording_notice,
    required_disclosures,
    written_out,
)
from app.safety.personal_data import KINDS
from app.tools.arguments import ChannelArg, CodeArg, CodesArg
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told

Runtime = ToolRuntime[ToolContext]
TextArg = Annotated[str, Field(min_length=1, max_length=5000, description="검사하거나 가릴 글")]
_OTHER_TOPICS = 6


@insurance_tool(role="staff")
async def compliance_required_disclosure(
    product_code: CodeArg, runtime: Runtime, channel: ChannelArg | None = None
) -> tuple[str, RequiredDisclosures]:
    """상품을 팔 때 반드시 설명해야 하는 사항을 법령 근거와 함께 알려 준다."""
    context = runtime.context
    product = context.catalogue.product(product_code)
    return told(required_disclosures(product, context.catalogue.reference.sales_duties, channel))


@insurance_tool(role="staff")
async def compliance_phrase_generator(
    topic: Annotated[
        str, Field(min_length=1, max_length=200, description="멘트 주제 (예: 갱신, 면책, 오프닝, 청약철회)")
    ],
    runtime: Runtime,
    product_code: CodeArg | None = None,
    channel: ChannelArg | None = None,
) -> tuple[str, UnknownTopic | PhraseScript]:
    """주제에 맞는, 금칙어 검사를 통과한 상담 멘트를 만든다."""
    context = runtime.context
    product = context.catalogue.product(product_code) if product_code else None
    scripts = context.catalogue.reference.scripts
    topics = tuple(dict.fromkeys(script.topic for script in scripts if script.kind == "안내"))
    for script in find_scripts(scripts, "안내", topic, channel):
        facts = product_facts(script, product)
        text = " ".join((written_out(script, product), *facts))
        if not context.phrases.check(text, pitch=True):
            others = tuple(other for other in topics if other != script.topic)[:_OTHER_TOPICS]
            return told(
                PhraseScript(
                    topic=script.topic,
                    code=product.code if product else None,
                    name=product.name if product else None,
                    channel=channel,
                    script=text,
                    product_facts=facts,
                    checked=True,
                    hits=0,
                    other_topics=others,
                )
            )
    return told(UnknownTopic(topic=topic, topics=topics))


@insurance_tool(role="staff")
async def compliance_misleading_check(text: TextArg, runtime: Runtime) -> tuple[str, MisleadingCheck]:
    """판매 문구에 금지·과장 표현이 있는지 검사하고 고칠 문장을 제안한다."""
    hits = runtime.context.phrases.check(text, pitch=True)
    findings = tuple(
        PhraseFinding(
            start=hit.start,
            end=hit.end,
            text=hit.text,
            rule_id=hit.rule_id,
            category=hit.category,
            why=hit.why,
            basis=hit.basis,
            rewording=hit.rewording,
        )
        for hit in hits
    )
    verdict = "수정 필요" if findings else "문제 표현 없음"
    mended = runtime.context.phrases.mended(text) if findings else None
    return told(MisleadingCheck(text=text, verdict=verdict, findings=findings, count=len(findings), mended=mended))


@insurance_tool(role="staff")
async def comparison_disclaimer_generator(
    product_codes: CodesArg, runtime: Runtime
) -> tuple[str, ComparisonDisclaimer]:
    """상품 비교 안내에 붙일 유의 문구를 그 상품들의 차이에 맞춰 만든다."""
    catalogue = runtime.context.catalogue
    return told(comparison_disclaimer(read_codes(catalogue, product_codes), catalogue.reference.scripts))


@insurance_tool(role="staff")
async def recording_notice_script(runtime: Runtime, channel: ChannelArg | None = None) -> tuple[str, RecordingNotice]:
    """녹취를 시작할 때 읽는 고지 멘트를 채널에 맞춰 보여 준다."""
    reference = runtime.context.catalogue.reference
    return told(recording_notice(reference.scripts, reference.sales_duties, channel))


@insurance_tool()
async def privacy_masking(text: TextArg, runtime: Runtime) -> tuple[str, MaskedText]:
    """글 속의 주민등록번호, 전화번호, 계좌번호 같은 개인정보를 가린다."""
    found = runtime.context.masker.mask(text)
    counts = {KINDS[kind]: count for kind, count in found.counts.items()}
    return told(MaskedText(masked=found.text, counts=counts, total=sum(counts.values())))


TOOLS = [
    compliance_required_disclosure,
    compliance_phrase_generator,
    compliance_misleading_check,
    comparison_disclaimer_generator,
    recording_notice_script,
    privacy_masking,
]
