"""Proposals and their versions

Revision ID: 0012
Revises: 0011
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "proposals",
        sa.Column("proposal_id", sa.String(32), nullable=False),
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("thread_id", sa.String(128), nullable=True),
        sa.Column("customer_id", sa.String(16), nullable=True),
        sa.Column("kept_by", sa.String(200), nullable=True),
        sa.Column("kept_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("handed_to", sa.String(200), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["customer_id"],
            ["customers.customer_id"],
            name=op.f("fk_proposals_customer_id_customers"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("proposal_id", name=op.f("pk_proposals")),
    )
    op.create_index(op.f("ix_proposals_owner"), "proposals", ["owner"])
    op.create_index(op.f("ix_proposals_customer_id"), "proposals", ["customer_id"])
    op.create_index("ix_proposals_updated_at", "proposals", ["updated_at"])
    op.create_table(
        "proposal_versions",
        sa.Column("version_id", sa.String(48), nullable=False),
        sa.Column("proposal_id", sa.String(32), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("valid_until", sa.Date(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["proposal_id"],
            ["proposals.proposal_id"],
            name=op.f("fk_proposal_versions_proposal_id_proposals"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("version_id", name=op.f("pk_proposal_versions")),
    )
    op.create_index(
        "ix_proposal_versions_proposal_version", "proposal_versions", ["proposal_id", "version"], unique=True
    )


def downgrade() -> None:
    op.drop_table("proposal_versions")
    op.drop_table("proposals")
