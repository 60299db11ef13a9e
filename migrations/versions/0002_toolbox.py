"""Approvals of writing calls, drafts and versions of tool cards, the audit log

Revision ID: 0002
Revises: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "approvals",
        sa.Column("approval_id", sa.String(32), nullable=False),
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("owner_role", sa.String(16), nullable=False),
        sa.Column("owner_customer_id", sa.String(16), nullable=True),
        sa.Column("thread_id", sa.String(200), nullable=True),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("tool", sa.String(64), nullable=False),
        sa.Column("args", sa.JSON(), nullable=False),
        sa.Column("args_hash", sa.String(64), nullable=False),
        sa.Column("effect", sa.Text(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("decided_args", sa.JSON(), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("decided_by", sa.String(200), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "status in ('pending', 'approved', 'edited', 'rejected', 'expired', 'withdrawn')",
            name=op.f("ck_approvals_status"),
        ),
        sa.PrimaryKeyConstraint("approval_id", name=op.f("pk_approvals")),
    )
    op.create_index("ix_approvals_owner_status", "approvals", ["owner", "status"])
    op.create_index("ix_approvals_status_expires", "approvals", ["status", "expires_at"])
    op.create_index("ix_approvals_owner_thread", "approvals", ["owner", "thread_id"])
    op.create_table(
        "card_drafts",
        sa.Column("tool", sa.String(64), nullable=False),
        sa.Column("card", sa.JSON(), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("tool", name=op.f("pk_card_drafts")),
    )
    op.create_table(
        "card_versions",
        sa.Column("tool", sa.String(64), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("card", sa.JSON(), nullable=False),
        sa.Column("origin", sa.String(16), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("origin in ('file', 'published', 'rollback')", name=op.f("ck_card_versions_origin")),
        sa.PrimaryKeyConstraint("tool", "version", name=op.f("pk_card_versions")),
    )
    op.create_table(
        "audit_log",
        sa.Column("entry_id", sa.Integer(), nullable=False, autoincrement=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String(200), nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("target", sa.String(300), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("entry_id", name=op.f("pk_audit_log")),
    )
    op.create_index(op.f("ix_audit_log_at"), "audit_log", ["at"])


def downgrade() -> None:
    for table in ("audit_log", "card_versions", "card_drafts", "approvals"):
        op.drop_table(table)
