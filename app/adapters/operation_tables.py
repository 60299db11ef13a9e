"""The tables behind the console's overview and its list of tools, and the one that knows the keys of the database."""

from __future__ import annotations

from sqlalchemy import Column, DateTime, Float, ForeignKey, Index, Integer, String, Table, Text

from app.adapters.metadata import metadata

# One tool call of a turn, in the order of the turn. `status`: ok, error, waiting (for an approval) or rejected.
tool_calls = Table(
    "tool_calls",
    metadata,
    Column("run_id", ForeignKey("turns.run_id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("tool", String(64), nullable=False),
    Column("status", String(16), nullable=False),
    Column("took_ms", Float, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
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
    Column("at", DateTime(timezone=True), nullable=False),
)

# A fingerprint of each key that this database is used with (key_checks.py); no key can be told from it.
key_checks = Table(
    "key_checks",
    metadata,
    Column("name", String(16), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
)
