"""Runs of an evaluation, and questions saved as its cases

Revision ID: 0007
Revises: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "evaluation_cases",
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
        sa.CheckConstraint("kind in ('routing', 'dialogue')", name=op.f("ck_evaluation_cases_kind")),
        sa.PrimaryKeyConstraint("case_id", name=op.f("pk_evaluation_cases")),
    )
    op.create_index("ix_evaluation_cases_kind_created", "evaluation_cases", ["kind", "created_at"])
    op.create_table(
        "evaluation_runs",
        sa.Column("run_id", sa.String(32), nullable=False),
        sa.Column("suite", sa.String(64), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("stop_asked", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("under", sa.JSON(), nullable=False),
        sa.Column("rates", sa.JSON(), nullable=False),
        sa.Column("outcomes", sa.JSON(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("started_by", sa.String(200), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "status in ('running', 'done', 'stopped', 'failed')", name=op.f("ck_evaluation_runs_status")
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_evaluation_runs")),
    )
    op.create_index("ix_evaluation_runs_suite_started", "evaluation_runs", ["suite", "started_at"])
    op.create_index("ix_evaluation_runs_status", "evaluation_runs", ["status"])


def downgrade() -> None:
    op.drop_table("evaluation_runs")
    op.drop_table("evaluation_cases")
