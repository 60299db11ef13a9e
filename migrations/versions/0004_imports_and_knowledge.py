"""Imported tool sources; versions of knowledge files

Revision ID: 0004
Revises: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tool_sources",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("config", sa.JSON(), nullable=False),
        sa.Column("tools", sa.JSON(), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind in ('openapi', 'mcp')", name=op.f("ck_tool_sources_kind")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_tool_sources")),
    )
    op.create_table(
        "knowledge_versions",
        sa.Column("path", sa.String(200), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("origin", sa.String(16), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("change_key", sa.String(300), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("origin in ('file', 'edit', 'restore')", name=op.f("ck_knowledge_versions_origin")),
        sa.PrimaryKeyConstraint("path", "version", name=op.f("pk_knowledge_versions")),
        sa.UniqueConstraint("change_key", name=op.f("uq_knowledge_versions_change_key")),
    )


def downgrade() -> None:
    op.drop_table("knowledge_versions")
    op.drop_table("tool_sources")
