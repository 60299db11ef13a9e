"""The tables of the operator console: evaluations, cases, thresholds, tools that are off, what turns are found by and
judged, uploads that are being read; and the one that knows the keys of the database."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
)

from app.adapters.metadata import UtcTime, metadata

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
    Column("created_at", UtcTime, nullable=False),
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
    Column("at", UtcTime, nullable=False),
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
    Column("started_at", UtcTime, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    CheckConstraint("status in ('running', 'done', 'stopped', 'failed')", name="status"),
    Index("ix_evaluation_runs_suite_started", "suite", "started_at"),
    Index("ix_evaluation_runs_status", "status"),
)

# One tool call of a turn, in the order of the turn. `status`: ok, error, waiting (for an approval) or rejected.
tool_calls = Table(
    "tool_calls",
    metadata,
    Column("run_id", ForeignKey("turns.run_id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("tool", String(64), nullable=False),
    Column("status", String(16), nullable=False),
    Column("took_ms", Float, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Index("ix_tool_calls_tool_created", "tool", "created_at"),
    Index("ix_tool_calls_created_at", "created_at"),
)

# The tools that are switched off; a tool without a row is on.
tool_switches = Table(
    "tool_switches",
    metadata,
    Column("tool", String(64), primary_key=True),
    Column("reason", Text, nullable=False),
    Column("author", String(200), nullable=False),
    Column("at", UtcTime, nullable=False),
)

# A fingerprint of each key that this database is used with (key_checks.py); no key can be told from it.
key_checks = Table(
    "key_checks",
    metadata,
    Column("name", String(16), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("at", UtcTime, nullable=False),
)

# What a turn is found by, and what only staff see of it (`shown`: candidates and results, personal data masked).
# `words` is question and answer without spaces and signs, `initials` the question's first consonants, `first_ms` the
# time until the first sentence could be read (null: none could), `tokens` and `cost_usd` what a provider's model took,
# `stops` what guards stopped, between blanks (" injection refused "; each told in `shown`).
turn_details = Table(
    "turn_details",
    metadata,
    Column("run_id", ForeignKey("turns.run_id", ondelete="CASCADE"), primary_key=True),
    Column("role", String(16), nullable=False),
    Column("customer_id", String(16)),
    Column("engine", String(100), nullable=False),
    Column("took_ms", Float, nullable=False),
    Column("first_ms", Float),
    Column("tokens", Integer, nullable=False, server_default="0"),
    Column("cost_usd", Float),
    Column("blocked", Boolean, nullable=False),
    Column("replaced_text", Boolean, nullable=False),
    Column("failed", Boolean, nullable=False),
    Column("sources", Integer, nullable=False),
    Column("tools", Text, nullable=False),
    Column("words", Text, nullable=False),
    Column("initials", Text, nullable=False),
    Column("shown", JSON, nullable=False),
    Column("stops", Text, nullable=False, server_default=""),
    Column("created_at", UtcTime, nullable=False, index=True),
    Index("ix_turn_details_blocked_created", "blocked", "created_at"),
)

# What an operator judged of a turn. `tags` stand between bars: "|말투|근거 없음|".
turn_reviews = Table(
    "turn_reviews",
    metadata,
    Column("run_id", ForeignKey("turns.run_id", ondelete="CASCADE"), primary_key=True),
    Column("verdict", String(8), nullable=False),
    Column("tags", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("author", String(200), nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    CheckConstraint("verdict in ('', 'right', 'wrong')", name="verdict"),
)

# An uploaded document on its way into the index. `seen_at` is when its worker last wrote.
document_jobs = Table(
    "document_jobs",
    metadata,
    Column("job_id", String(32), primary_key=True),
    Column("name", String(300), nullable=False),
    Column("project", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("chunks", Integer, nullable=False),
    Column("author", String(200), nullable=False),
    Column("created_at", UtcTime, nullable=False, index=True),
    Column("seen_at", UtcTime, nullable=False),
    CheckConstraint("state in ('waiting', 'reading', 'ready', 'failed')", name="state"),
)
