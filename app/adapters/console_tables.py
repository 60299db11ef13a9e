"""The tables of the operator console: runs of an evaluation, questions saved as cases, thresholds that were moved."""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, CheckConstraint, Column, DateTime, Float, Index, Integer, String, Table, Text

from app.adapters.metadata import metadata

# A question with what is right for it. `query`, `history` and `note` are masked by who saves them. A case of a guard
# says which one and what it should do (`label`), and of which stop of its turn it was made (`place`, from 0).
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
    Column("guard", String(16)),
    Column("label", String(8)),
    Column("place", Integer),
    CheckConstraint("kind in ('routing', 'dialogue', 'guard')", name="kind"),
    CheckConstraint("label in ('stop', 'pass')", name="label"),
    Index("ix_evaluation_cases_kind_created", "kind", "created_at"),
    Index("ix_evaluation_cases_source_run_id", "source_run_id"),
)

# The thresholds that are not as they were shipped; `shipped` is the one that was moved: where the files bring another,
# this row says nothing.
guard_thresholds = Table(
    "guard_thresholds",
    metadata,
    Column("guard", String(16), primary_key=True),
    Column("value", Float, nullable=False),
    Column("shipped", Float, nullable=False),
    Column("reason", Text, nullable=False),
    Column("author", String(200), nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
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
