"""The tables of the operator console: runs of an evaluation, and questions saved as cases."""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, CheckConstraint, Column, DateTime, Index, Integer, String, Table, Text

from app.adapters.metadata import metadata

# A question with what is right for it. `query`, `history` and `note` are masked by who saves them.
evaluation_cases = Table(
    "evaluation_cases",
    metadata,
    Column("case_id", String(32), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("query", Text, nullable=False),
    Column("history", JSON, nullable=False),
    Column("expected_tools", JSON, nullable=False),
    Column("expected_args", JSON, nullable=False),
    Column("note", Text, nullable=False),
    Column("source_run_id", String(64)),
    Column("created_by", String(200), nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    CheckConstraint("kind in ('routing', 'dialogue')", name="kind"),
    Index("ix_evaluation_cases_kind_created", "kind", "created_at"),
)

# One run of a suite. `seen_at` is when its worker last wrote: a run whose worker died is known by it.
evaluation_runs = Table(
    "evaluation_runs",
    metadata,
    Column("run_id", String(32), primary_key=True),
    Column("suite", String(64), nullable=False),
    Column("status", String(16), nullable=False),
    Column("done", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("stop_asked", Boolean, nullable=False),
    Column("note", Text, nullable=False),
    Column("under", JSON, nullable=False),
    Column("rates", JSON, nullable=False),
    Column("outcomes", JSON, nullable=False),
    Column("problem", Text, nullable=False),
    Column("started_by", String(200), nullable=False),
    Column("started_at", DateTime(timezone=True), nullable=False),
    Column("seen_at", DateTime(timezone=True), nullable=False),
    Column("ended_at", DateTime(timezone=True)),
    CheckConstraint("status in ('running', 'done', 'stopped', 'failed')", name="status"),
    Index("ix_evaluation_runs_suite_started", "suite", "started_at"),
    Index("ix_evaluation_runs_status", "status"),
)
