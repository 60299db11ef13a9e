"""What several workers share: changes of the tool set, ended sessions, messages that began a turn

Revision ID: 0005
Revises: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tool_changes",
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("worker", sa.String(100), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind in ('reload', 'remove', 'card', 'source', 'knowledge', 'documents')",
            name=op.f("ck_tool_changes_kind"),
        ),
        sa.PrimaryKeyConstraint("version", name=op.f("pk_tool_changes")),
    )
    op.create_table(
        "ended_sessions",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_ended_sessions")),
    )
    op.create_table(
        "message_claims",
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("message_id", sa.String(128), nullable=False),
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("owner", "message_id", name=op.f("pk_message_claims")),
    )
    op.create_index(op.f("ix_message_claims_at"), "message_claims", ["at"])


def downgrade() -> None:
    for table in ("message_claims", "ended_sessions", "tool_changes"):
        op.drop_table(table)
