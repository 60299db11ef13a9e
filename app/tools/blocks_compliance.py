"""Blocks of the compliance tools' results."""

from __future__ import annotations

from app.insurance.compliance import MisleadingCheck, RequiredDisclosures
from app.tools.blocks import Block, blocks_of, column, table


@blocks_of.register
def _(result: RequiredDisclosures) -> tuple[Block, ...]:
    columns = [column("item", "항목"), column("text", "설명할 내용"), column("basis", "근거")]
    rows = [duty.model_dump(include={"item", "text", "basis"}) for duty in result.duties]
    return (table(f"{result.name} 필수 설명 사항 {result.count}개", columns, rows),)


@blocks_of.register
def _(result: MisleadingCheck) -> tuple[Block, ...]:
    if not result.findings:
        return ()
    columns = [column("text", "표현"), column("why", "이유"), column("basis", "근거"), column("rewording", "바꿔 쓰기")]
    rows = [finding.model_dump(include={"text", "why", "basis", "rewording"}) for finding in result.findings]
    return (table("고쳐야 할 표현", columns, rows),)
