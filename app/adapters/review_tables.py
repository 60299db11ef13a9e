"""The tables behind the console's conversations and documents: what a turn is found by, what was judged of it, and
uploads that are being read."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
)

from app.adapters.metadata import metadata

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
    Column("created_at", DateTime(timezone=True), nullable=False, index=True),
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
    Column("updated_at", DateTime(timezone=True), nullable=False),
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
    Column("created_at", DateTime(timezone=True), nullable=False, index=True),
    Column("seen_at", DateTime(timezone=True), nullable=False),
    CheckConstraint("state in ('waiting', 'reading', 'ready', 'failed')", name="state"),
)
