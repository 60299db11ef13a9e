"""Blocks of the claims tools' results."""

from __future__ import annotations

from app.insurance.claims import ClaimForms
from app.insurance.contract_actions import ContractGuide, SubmissionPending
from app.insurance.followups import FollowupTasks
from app.tools.blocks import Block, blocks_of, column, notice, table


@blocks_of.register
def _(result: ClaimForms) -> tuple[Block, ...]:
    columns = [column("name", "서류"), column("where", "발급처"), column("required", "필수"), column("note", "참고")]
    return (table(f"{result.claim_type} 청구 서류", columns, [form.model_dump() for form in result.forms]),)


@blocks_of.register
def _(result: SubmissionPending) -> tuple[Block, ...]:
    return (notice(f"{result.action} 접수 대기", result.reason, "warning"),)


@blocks_of.register
def _(result: FollowupTasks) -> tuple[Block, ...]:
    columns = [column("due_date", "기한"), column("title", "할 일")]
    return (table("할 일", columns, [task.model_dump(mode="json") for task in result.tasks]),)


@blocks_of.register
def _(result: ContractGuide) -> tuple[Block, ...]:
    if not result.objection:
        return ()
    return (notice(f"{result.action} 불가", result.objection, "warning"),)
