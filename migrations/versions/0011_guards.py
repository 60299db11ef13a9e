"""What guards stopped, cases made of it, and the thresholds that were moved

Revision ID: 0011
Revises: 0010
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_AT_ONCE = 200
_CHANGES = ("reload", "remove", "card", "source", "knowledge", "documents", "switch")
_CASES = ("routing", "dialogue")


def upgrade() -> None:
    op.create_table(
        "guard_thresholds",
        sa.Column("guard", sa.String(16), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.Column("shipped", sa.Float(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("guard", name=op.f("pk_guard_thresholds")),
    )
    op.add_column("turn_details", sa.Column("stops", sa.Text(), nullable=False, server_default=""))
    _allow_kinds("tool_changes", _changes(_CHANGES), _CHANGES, (*_CHANGES, "guard"))
    _allow_kinds("evaluation_cases", _cases(_CASES), _CASES, (*_CASES, "guard"))
    with op.batch_alter_table("evaluation_cases", copy_from=_cases((*_CASES, "guard"))) as table:
        table.add_column(sa.Column("guard", sa.String(16), nullable=True))
        table.add_column(sa.Column("label", sa.String(8), nullable=True))
        table.add_column(sa.Column("place", sa.Integer(), nullable=True))
        table.create_check_constraint(op.f("ck_evaluation_cases_label"), sa.text("label in ('stop', 'pass')"))
    op.create_index("ix_evaluation_cases_source_run_id", "evaluation_cases", ["source_run_id"])
    _tell_of_kept_turns()


def downgrade() -> None:
    op.execute("DELETE FROM evaluation_cases WHERE kind = 'guard'")
    op.execute("DELETE FROM tool_changes WHERE kind = 'guard'")
    op.drop_index("ix_evaluation_cases_source_run_id", "evaluation_cases")
    now = _cases((*_CASES, "guard"), sa.Column("guard", sa.String(16)), sa.Column("label", sa.String(8)),
                 sa.Column("place", sa.Integer()),
                 sa.CheckConstraint("label in ('stop', 'pass')", name="ck_evaluation_cases_label"))  # fmt: skip
    with op.batch_alter_table("evaluation_cases", copy_from=now) as table:
        table.drop_constraint(op.f("ck_evaluation_cases_label"), type_="check")
        for name in ("place", "label", "guard"):
            table.drop_column(name)
    _allow_kinds("evaluation_cases", _cases((*_CASES, "guard")), (*_CASES, "guard"), _CASES)
    _allow_kinds("tool_changes", _changes((*_CHANGES, "guard")), (*_CHANGES, "guard"), _CHANGES)
    with op.batch_alter_table("turn_details") as table:
        table.drop_column("stops")
    op.drop_table("guard_thresholds")


def _allow_kinds(name: str, now: sa.Table, before: tuple[str, ...], after: tuple[str, ...]) -> None:
    """SQLite makes the table anew for it, and does not tell what its checks were: so `now` names it as it is."""
    with op.batch_alter_table(name, copy_from=now) as table:
        table.drop_constraint(op.f(f"ck_{name}_kind"), type_="check")
        table.create_check_constraint(op.f(f"ck_{name}_kind"), sa.text(_check(after)))


def _changes(kinds: tuple[str, ...]) -> sa.Table:
    return sa.Table(
        "tool_changes",
        sa.MetaData(),
        sa.Column("version", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("worker", sa.String(100), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(_check(kinds), name="ck_tool_changes_kind"),
    )


def _cases(kinds: tuple[str, ...], *more: Any) -> sa.Table:
    return sa.Table(
        "evaluation_cases",
        sa.MetaData(),
        sa.Column("case_id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("history", sa.JSON(), nullable=False),
        sa.Column("expected_tools", sa.JSON(), nullable=False),
        sa.Column("expected_args", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("source_run_id", sa.String(64), nullable=True),
        sa.Column("created_by", sa.String(200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        *more,
        sa.CheckConstraint(_check(kinds), name="ck_evaluation_cases_kind"),
        sa.PrimaryKeyConstraint("case_id", name="pk_evaluation_cases"),
        sa.Index("ix_evaluation_cases_kind_created", "kind", "created_at"),
    )


def _check(kinds: tuple[str, ...]) -> str:
    return f"kind in ({', '.join(repr(kind) for kind in kinds)})"


def _tell_of_kept_turns() -> None:
    """The questions that were refused already; what was wrong with replaced answers was not kept."""
    connection = op.get_bind()
    turns = sa.table("turns", sa.column("run_id", sa.String), sa.column("reply", sa.JSON))
    details = sa.table(
        "turn_details", sa.column("run_id", sa.String), sa.column("blocked", sa.Boolean), sa.column("stops", sa.Text)
    )
    blocked = sa.select(turns).join(details, details.c.run_id == turns.c.run_id).where(details.c.blocked.is_(True))
    done = ""
    while True:
        page = blocked.where(turns.c.run_id > done).order_by(turns.c.run_id).limit(_AT_ONCE)
        rows = connection.execute(page).all()
        if not rows:
            return
        done = rows[-1].run_id
        for row in rows:
            reply = row.reply if isinstance(row.reply, dict) else json.loads(row.reply or "{}")
            layer = str((reply.get("guard") or {}).get("layer", ""))
            guard = {"crisis": "crisis", "L1": "injection"}.get(layer, "domain")
            of_turn = details.c.run_id == row.run_id
            connection.execute(sa.update(details).where(of_turn).values(stops=f" {guard} refused "))
