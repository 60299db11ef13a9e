"""Tool calls of turns, what turns took until the first sentence and cost, and the tools that are switched off

Revision ID: 0009
Revises: 0008
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_AT_ONCE = 200
_KINDS = ("reload", "remove", "card", "source", "knowledge", "documents")


def upgrade() -> None:
    op.create_table(
        "tool_calls",
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("tool", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("took_ms", sa.Float(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["turns.run_id"], name=op.f("fk_tool_calls_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "place", name=op.f("pk_tool_calls")),
    )
    op.create_index("ix_tool_calls_tool_created", "tool_calls", ["tool", "created_at"])
    op.create_index("ix_tool_calls_created_at", "tool_calls", ["created_at"])
    op.create_table(
        "tool_switches",
        sa.Column("tool", sa.String(64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("tool", name=op.f("pk_tool_switches")),
    )
    op.add_column("turn_details", sa.Column("first_ms", sa.Float(), nullable=True))
    op.add_column("turn_details", sa.Column("tokens", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("turn_details", sa.Column("cost_usd", sa.Float(), nullable=True))
    _allow_kinds(_KINDS, (*_KINDS, "switch"))
    _tell_of_kept_turns()


def downgrade() -> None:
    op.execute("DELETE FROM tool_changes WHERE kind = 'switch'")
    _allow_kinds((*_KINDS, "switch"), _KINDS)
    with op.batch_alter_table("turn_details") as table:
        table.drop_column("cost_usd")
        table.drop_column("tokens")
        table.drop_column("first_ms")
    op.drop_table("tool_switches")
    op.drop_table("tool_calls")


def _allow_kinds(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    """SQLite makes the table anew for it, and does not tell what its checks were: so this names the table as it is."""
    now = sa.Table(
        "tool_changes",
        sa.MetaData(),
        sa.Column("version", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("worker", sa.String(100), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(_check(before), name="ck_tool_changes_kind"),
    )
    with op.batch_alter_table("tool_changes", copy_from=now) as table:
        table.drop_constraint(op.f("ck_tool_changes_kind"), type_="check")
        table.create_check_constraint(op.f("ck_tool_changes_kind"), sa.text(_check(after)))


def _check(kinds: tuple[str, ...]) -> str:
    return f"kind in ({', '.join(repr(kind) for kind in kinds)})"


def _tell_of_kept_turns() -> None:
    """The calls and the usage of the turns that are kept already."""
    connection = op.get_bind()
    turns = sa.table(
        "turns", sa.column("run_id", sa.String), sa.column("reply", sa.JSON),
        sa.column("created_at", sa.DateTime(timezone=True)),
    )  # fmt: skip
    calls = sa.table(
        "tool_calls", sa.column("run_id", sa.String), sa.column("place", sa.Integer), sa.column("tool", sa.String),
        sa.column("status", sa.String), sa.column("took_ms", sa.Float),
        sa.column("created_at", sa.DateTime(timezone=True)),
    )  # fmt: skip
    details = sa.table(
        "turn_details", sa.column("run_id", sa.String), sa.column("tokens", sa.Integer), sa.column("cost_usd", sa.Float)
    )
    done = ""
    while True:
        page = sa.select(turns).where(turns.c.run_id > done).order_by(turns.c.run_id).limit(_AT_ONCE)
        rows = connection.execute(page).all()
        if not rows:
            return
        done = rows[-1].run_id
        for row in rows:
            reply = row.reply if isinstance(row.reply, dict) else json.loads(row.reply or "{}")
            if made := _calls(row.run_id, reply, row.created_at):
                connection.execute(sa.insert(calls), made)
            if usage := reply.get("usage"):
                figures = {"tokens": usage.get("total_tokens") or 0, "cost_usd": usage.get("cost_usd")}
                connection.execute(sa.update(details).where(details.c.run_id == row.run_id).values(figures))


def _calls(run_id: str, reply: dict[str, Any], at: Any) -> list[dict[str, Any]]:
    made = [item for item in reply.get("trace") or () if item.get("tool")]
    return [
        {
            "run_id": run_id,
            "place": place,
            "tool": str(item["tool"])[:64],
            "status": str(item.get("status") or "ok")[:16],
            "took_ms": float(item.get("duration_ms") or 0),
            "created_at": at,
        }
        for place, item in enumerate(made)
    ]
