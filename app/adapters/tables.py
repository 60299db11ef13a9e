"""The tables of the service database. Every change here comes with a migration in migrations/versions.

The tables of the console stand in console_tables.py; all are one schema with one chain of migrations.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from app.adapters.console_tables import document_jobs as document_jobs
from app.adapters.console_tables import evaluation_cases as evaluation_cases
from app.adapters.console_tables import evaluation_runs as evaluation_runs
from app.adapters.console_tables import key_checks as key_checks
from app.adapters.console_tables import tool_calls as tool_calls
from app.adapters.console_tables import tool_switches as tool_switches
from app.adapters.console_tables import turn_details as turn_details
from app.adapters.console_tables import turn_reviews as turn_reviews
from app.adapters.field_cipher import ENCRYPTED
from app.adapters.metadata import UtcTime
from app.adapters.metadata import metadata as metadata
from app.adapters.proposal_tables import proposal_versions as proposal_versions
from app.adapters.proposal_tables import proposals as proposals

customers = Table(
    "customers",
    metadata,
    Column("customer_id", String(16), primary_key=True),
    Column("name", String(100), nullable=False, index=True),
    Column("birth_date", Date, nullable=False),
    Column("gender", String(1), nullable=False),
    Column("job", String(100), nullable=False),
    CheckConstraint("gender in ('M', 'F')", name="gender"),
)

# Apart from `customers`, so that no query for a tool can select them by accident; nothing in app/ reads this table but
# the check of the key. `info=ENCRYPTED` marks a column of `enc1:…` (field_cipher.py), here and below.
customer_private = Table(
    "customer_private",
    metadata,
    Column("customer_id", ForeignKey("customers.customer_id", ondelete="CASCADE"), primary_key=True),
    Column("phone", Text, nullable=False, info=ENCRYPTED),
    Column("rrn", Text, nullable=False, info=ENCRYPTED),
)

contracts = Table(
    "contracts",
    metadata,
    Column("contract_id", String(16), primary_key=True),
    Column("customer_id", ForeignKey("customers.customer_id", ondelete="CASCADE"), nullable=False, index=True),
    Column("product_code", String(9), nullable=False, index=True),
    Column("status", String(8), nullable=False),
    Column("contract_date", Date, nullable=False),
    Column("lapse_date", Date),
    Column("reinstated_date", Date),
    Column("end_date", Date),
    Column("premium", Integer, nullable=False),
    Column("sum_insured", Integer, nullable=False),
    Column("plan", String(100), nullable=False),
    Column("rider_codes", JSON, nullable=False),
    CheckConstraint("premium > 0", name="premium"),
    CheckConstraint("sum_insured > 0", name="sum_insured"),
    CheckConstraint("status in ('유지', '해지', '실효', '만기', '부활')", name="status"),
)

service_requests = Table(
    "service_requests",
    metadata,
    Column("request_id", String(16), primary_key=True),
    Column("request_key", String(200), unique=True),
    Column("customer_id", ForeignKey("customers.customer_id", ondelete="CASCADE"), nullable=False, index=True),
    Column("contract_id", ForeignKey("contracts.contract_id", ondelete="CASCADE")),
    Column("action", String(20), nullable=False),
    Column("details", JSON, nullable=False),
    Column("status", String(8), nullable=False),
    Column("requested_by", String(200), nullable=False),
    Column("created_at", UtcTime, nullable=False),
)

followup_tasks = Table(
    "followup_tasks",
    metadata,
    Column("task_id", String(16), primary_key=True),
    Column("customer_id", ForeignKey("customers.customer_id", ondelete="CASCADE"), nullable=False),
    Column("title", String(300), nullable=False),
    Column("due_date", Date, nullable=False),
    Column("note", Text, nullable=False),
    Column("done", Boolean, nullable=False),
    Column("created_by", String(200), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Index("ix_followup_tasks_customer_due", "customer_id", "due_date"),
)

# A writing tool call that waits for a person, and how it was decided. `used_at`: an approval runs its call once.
approvals = Table(
    "approvals",
    metadata,
    Column("approval_id", String(32), primary_key=True),
    Column("owner", String(200), nullable=False),
    Column("owner_role", String(16), nullable=False),
    Column("owner_customer_id", String(16)),
    Column("thread_id", String(200)),
    Column("run_id", String(64), nullable=False),
    Column("tool", String(64), nullable=False),
    Column("args", JSON, nullable=False),
    Column("args_hash", String(64), nullable=False),
    Column("effect", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("decided_args", JSON),
    Column("comment", Text),
    Column("decided_by", String(200)),
    Column("decided_at", UtcTime),
    Column("used_at", UtcTime),
    Column("outcome", JSON),
    Column("created_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    CheckConstraint(
        "status in ('pending', 'approved', 'edited', 'rejected', 'expired', 'withdrawn')",
        name="status",
    ),
    Index("ix_approvals_owner_status", "owner", "status"),
    Index("ix_approvals_status_expires", "status", "expires_at"),
    Index("ix_approvals_owner_thread", "owner", "thread_id"),
)

card_drafts = Table(
    "card_drafts",
    metadata,
    Column("tool", String(64), primary_key=True),
    Column("card", JSON, nullable=False),
    Column("author", String(200), nullable=False),
    Column("updated_at", UtcTime, nullable=False),
)

# Every card that was ever in force after an edit. One row a tool is `active`; none means the card of the file.
card_versions = Table(
    "card_versions",
    metadata,
    Column("tool", String(64), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("card", JSON, nullable=False),
    Column("origin", String(16), nullable=False),
    Column("author", String(200), nullable=False),
    Column("note", Text, nullable=False),
    Column("report", JSON, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    CheckConstraint("origin in ('file', 'published', 'rollback')", name="origin"),
)

audit_log = Table(
    "audit_log",
    metadata,
    Column("entry_id", Integer, primary_key=True, autoincrement=True),
    Column("at", UtcTime, nullable=False, index=True),
    Column("actor", String(200), nullable=False),
    Column("action", String(64), nullable=False),
    Column("target", String(300), nullable=False),
    Column("details", JSON, nullable=False),
    # The chain: HMAC over the row and the digest before it (audit_log.py).
    Column("result", String(16), nullable=False, server_default="ok"),
    Column("request_id", String(64), nullable=False, server_default=""),
    Column("digest", String(64), nullable=False, server_default=""),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("key_id", String(16), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("label", String(100), nullable=False),
    Column("role", String(16), nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("customer_id", String(16)),
    Column("created_by", String(200), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime),
    Column("revoked_at", UtcTime),
    Column("last_used_at", UtcTime),
    CheckConstraint("role in ('customer', 'staff', 'operator', 'admin')", name="role"),
)

# A conversation belongs to its owner (a principal's id): the same thread_id of two owners is two threads.
threads = Table(
    "threads",
    metadata,
    Column("owner", String(200), primary_key=True),
    Column("thread_id", String(128), primary_key=True),
    Column("title", String(200), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Index("ix_threads_owner_updated", "owner", "updated_at"),
    Index("ix_threads_updated_at", "updated_at"),
)

# A finished turn as the person saw it, personal data masked. `replaced`: asked again with other facts.
turns = Table(
    "turns",
    metadata,
    Column("run_id", String(64), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("owner", String(200), nullable=False),
    Column("thread_id", String(128), nullable=False),
    Column("message_id", String(128)),
    Column("query", Text, nullable=False),
    Column("reply", JSON, nullable=False),
    Column("replaced", Boolean, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    ForeignKeyConstraint(["owner", "thread_id"], ["threads.owner", "threads.thread_id"], ondelete="CASCADE"),
    UniqueConstraint("owner", "message_id"),
    Index("ix_turns_owner_thread", "owner", "thread_id", "number"),
)

feedback = Table(
    "feedback",
    metadata,
    Column("run_id", ForeignKey("turns.run_id", ondelete="CASCADE"), primary_key=True),
    Column("owner", String(200), nullable=False, index=True),
    Column("rating", String(8), nullable=False),
    Column("reason", String(200), nullable=False),
    Column("comment", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
)

# A conversation handed to a person. `contact` is encrypted, `note` masked.
handoffs = Table(
    "handoffs",
    metadata,
    Column("handoff_id", String(32), primary_key=True),
    Column("owner", String(200), nullable=False, index=True),
    Column("thread_id", String(128), nullable=False),
    Column("note", Text, nullable=False),
    Column("contact", Text, info=ENCRYPTED),
    Column("status", String(16), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("taken_by", String(200)),
    Column("changed_at", UtcTime),
    ForeignKeyConstraint(["owner", "thread_id"], ["threads.owner", "threads.thread_id"], ondelete="CASCADE"),
    CheckConstraint("status in ('접수', '처리중', '완료')", name="status"),
)

# Tools of other programs: how a source is reached, and what an MCP server listed last. Never holds a secret.
tool_sources = Table(
    "tool_sources",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("role", String(16), nullable=False),
    Column("config", JSON, nullable=False),
    Column("tools", JSON, nullable=False),
    Column("author", String(200), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    CheckConstraint("kind in ('openapi', 'mcp')", name="kind"),
)

# Knowledge and prompt files as they were before and after each edit. `change_key` names the approved call: run again,
# it comes to the same version.
knowledge_versions = Table(
    "knowledge_versions",
    metadata,
    Column("path", String(200), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("text", Text, nullable=False),
    Column("origin", String(16), nullable=False),
    Column("author", String(200), nullable=False),
    Column("note", Text, nullable=False),
    Column("change_key", String(300), unique=True),
    Column("created_at", UtcTime, nullable=False),
    CheckConstraint("origin in ('file', 'edit', 'restore')", name="origin"),
)

# Changes of the tool set that every worker applies, in this order (change_log.py).
tool_changes = Table(
    "tool_changes",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("name", String(200), nullable=False),
    Column("details", JSON, nullable=False),
    Column("author", String(200), nullable=False),
    Column("worker", String(100), nullable=False),
    Column("at", UtcTime, nullable=False),
    CheckConstraint(
        "kind in ('reload', 'remove', 'card', 'source', 'knowledge', 'documents', 'switch', 'guard')", name="kind"
    ),
)

# Logins that were ended before their time: a copy of the cookie is no good anywhere. `digest` is a SHA-256.
ended_sessions = Table(
    "ended_sessions",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("until", UtcTime, nullable=False),
)

# Which run a message of a person began: the same message sent to two workers is one turn.
message_claims = Table(
    "message_claims",
    metadata,
    Column("owner", String(200), primary_key=True),
    Column("message_id", String(128), primary_key=True),
    Column("run_id", String(64), nullable=False),
    Column("at", UtcTime, nullable=False, index=True),
)

# Where other programs want to be told. `secret` is encrypted (webhook_store.py).
webhooks = Table(
    "webhooks",
    metadata,
    Column("webhook_id", String(32), primary_key=True),
    Column("url", String(2000), nullable=False),
    Column("events", JSON, nullable=False),
    Column("label", String(100), nullable=False),
    Column("secret", Text, nullable=False, info=ENCRYPTED),
    Column("created_by", String(200), nullable=False),
    Column("created_at", UtcTime, nullable=False),
)

# One event for one webhook, until it was delivered or given up (`dead`). `next_at` is also the claim of a worker.
webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("delivery_id", String(32), primary_key=True),
    Column("webhook_id", ForeignKey("webhooks.webhook_id", ondelete="CASCADE"), nullable=False),
    Column("event", String(64), nullable=False),
    Column("body", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", UtcTime, nullable=False),
    Column("answer", Integer),
    Column("problem", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    CheckConstraint("status in ('pending', 'delivered', 'dead')", name="status"),
    Index("ix_webhook_deliveries_status_next", "status", "next_at"),
    Index("ix_webhook_deliveries_webhook_created", "webhook_id", "created_at"),
)
