"""What turns are found by, what was judged of them, uploads on their way, and who took a handoff

Revision ID: 0008
Revises: 0007
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_AT_ONCE = 200
_FIRST = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"


def upgrade() -> None:
    op.create_table(
        "turn_details",
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("customer_id", sa.String(16), nullable=True),
        sa.Column("engine", sa.String(100), nullable=False),
        sa.Column("took_ms", sa.Float(), nullable=False),
        sa.Column("blocked", sa.Boolean(), nullable=False),
        sa.Column("replaced_text", sa.Boolean(), nullable=False),
        sa.Column("failed", sa.Boolean(), nullable=False),
        sa.Column("sources", sa.Integer(), nullable=False),
        sa.Column("tools", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("initials", sa.Text(), nullable=False),
        sa.Column("shown", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["turns.run_id"], name=op.f("fk_turn_details_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_turn_details")),
    )
    op.create_index(op.f("ix_turn_details_created_at"), "turn_details", ["created_at"])
    op.create_index("ix_turn_details_blocked_created", "turn_details", ["blocked", "created_at"])
    op.create_table(
        "turn_reviews",
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("verdict", sa.String(8), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("verdict in ('', 'right', 'wrong')", name=op.f("ck_turn_reviews_verdict")),
        sa.ForeignKeyConstraint(
            ["run_id"], ["turns.run_id"], name=op.f("fk_turn_reviews_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_turn_reviews")),
    )
    op.create_table(
        "document_jobs",
        sa.Column("job_id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(300), nullable=False),
        sa.Column("project", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state in ('waiting', 'reading', 'ready', 'failed')", name=op.f("ck_document_jobs_state")
        ),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_document_jobs")),
    )
    op.create_index(op.f("ix_document_jobs_created_at"), "document_jobs", ["created_at"])
    op.add_column("handoffs", sa.Column("taken_by", sa.String(200), nullable=True))
    op.add_column("handoffs", sa.Column("changed_at", sa.DateTime(timezone=True), nullable=True))
    _tell_of_what_was_said()


def downgrade() -> None:
    with op.batch_alter_table("handoffs") as table:
        table.drop_column("changed_at")
        table.drop_column("taken_by")
    op.drop_table("document_jobs")
    op.drop_table("turn_reviews")
    op.drop_table("turn_details")


def _tell_of_what_was_said() -> None:
    """Details of the turns that are kept already; who asked them is known of visitors and local mode alone."""
    connection = op.get_bind()
    turns = sa.table(
        "turns", sa.column("run_id", sa.String), sa.column("owner", sa.String), sa.column("query", sa.Text),
        sa.column("reply", sa.JSON), sa.column("created_at", sa.DateTime(timezone=True)),
    )  # fmt: skip
    details = sa.table(
        "turn_details", *(sa.column(name) for name in (
            "run_id", "role", "customer_id", "engine", "took_ms", "blocked", "replaced_text", "failed", "sources",
            "tools", "words", "initials",
        )), sa.column("shown", sa.JSON), sa.column("created_at", sa.DateTime(timezone=True)),
    )  # fmt: skip
    done = ""
    while True:
        page = sa.select(turns).where(turns.c.run_id > done).order_by(turns.c.run_id).limit(_AT_ONCE)
        rows = connection.execute(page).all()
        if not rows:
            return
        done = rows[-1].run_id
        connection.execute(sa.insert(details), [_detail(row) for row in rows])


def _detail(row: Any) -> dict[str, Any]:
    reply = row.reply if isinstance(row.reply, dict) else json.loads(row.reply or "{}")
    trace, guard = reply.get("trace") or [], reply.get("guard") or {}
    return {
        "run_id": row.run_id,
        "role": {"visitor": "customer", "local": "admin"}.get(row.owner.partition(":")[0], ""),
        "customer_id": None,
        "engine": str(reply.get("engine") or "")[:100],
        "took_ms": sum(item.get("duration_ms") or 0 for item in trace),
        "blocked": guard.get("input") == "block",
        "replaced_text": guard.get("output", "pass") != "pass",
        "failed": bool(reply.get("engine_fault")) or any(item.get("status") == "error" for item in trace),
        "sources": len(reply.get("sources") or ()),
        "tools": f" {' '.join(reply.get('tools_used') or ())} ",
        "words": f"{_compact(row.query)}\n{_compact(reply.get('answer') or '')}",
        "initials": "".join(map(_first, _compact(row.query))),
        "shown": {},
        "created_at": row.created_at,
    }


def _compact(text: str) -> str:
    return re.sub(r"[^0-9a-z가-힣ㄱ-ㅎㅏ-ㅣ]+", "", unicodedata.normalize("NFC", text).lower())


def _first(letter: str) -> str:
    place = ord(letter) - 0xAC00
    return _FIRST[place // 588] if 0 <= place < 11172 else letter
