"""API keys, threads with their turns, feedback, handoffs; the audit chain; personal columns encrypted

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import context, op

from app.adapters.field_cipher import is_encrypted, private_place

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("customer_private") as batch:
        batch.alter_column("phone", existing_type=sa.String(20), type_=sa.Text(), existing_nullable=False)
        batch.alter_column("rrn", existing_type=sa.String(14), type_=sa.Text(), existing_nullable=False)
    _encrypt_rows()
    with op.batch_alter_table("audit_log") as batch:
        batch.add_column(sa.Column("result", sa.String(16), nullable=False, server_default="ok"))
        batch.add_column(sa.Column("request_id", sa.String(64), nullable=False, server_default=""))
        batch.add_column(sa.Column("digest", sa.String(64), nullable=False, server_default=""))
    op.create_table(
        "api_keys",
        sa.Column("key_id", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("label", sa.String(100), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("customer_id", sa.String(16), nullable=True),
        sa.Column("created_by", sa.String(200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("role in ('customer', 'staff', 'operator', 'admin')", name=op.f("ck_api_keys_role")),
        sa.PrimaryKeyConstraint("key_id", name=op.f("pk_api_keys")),
    )
    op.create_table(
        "threads",
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("thread_id", sa.String(128), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("owner", "thread_id", name=op.f("pk_threads")),
    )
    op.create_index("ix_threads_owner_updated", "threads", ["owner", "updated_at"])
    op.create_index("ix_threads_updated_at", "threads", ["updated_at"])
    op.create_table(
        "turns",
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("thread_id", sa.String(128), nullable=False),
        sa.Column("message_id", sa.String(128), nullable=True),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("reply", sa.JSON(), nullable=False),
        sa.Column("replaced", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner", "thread_id"], ["threads.owner", "threads.thread_id"], name=op.f("fk_turns_owner"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_turns")),
        sa.UniqueConstraint("owner", "message_id", name=op.f("uq_turns_owner")),
    )
    op.create_index("ix_turns_owner_thread", "turns", ["owner", "thread_id", "number"])
    op.create_table(
        "feedback",
        sa.Column("run_id", sa.String(64), nullable=False),
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("rating", sa.String(8), nullable=False),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["turns.run_id"], name=op.f("fk_feedback_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_feedback")),
    )
    op.create_index(op.f("ix_feedback_owner"), "feedback", ["owner"])
    op.create_table(
        "handoffs",
        sa.Column("handoff_id", sa.String(32), nullable=False),
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("thread_id", sa.String(128), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("contact", sa.Text(), nullable=True),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("status in ('접수', '처리중', '완료')", name=op.f("ck_handoffs_status")),
        sa.ForeignKeyConstraint(
            ["owner", "thread_id"], ["threads.owner", "threads.thread_id"], name=op.f("fk_handoffs_owner"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("handoff_id", name=op.f("pk_handoffs")),
    )
    op.create_index(op.f("ix_handoffs_owner"), "handoffs", ["owner"])


def downgrade() -> None:
    """The personal columns stay encrypted and wide: going back must not write them in the clear."""
    for table in ("handoffs", "feedback", "turns", "threads", "api_keys"):
        op.drop_table(table)
    with op.batch_alter_table("audit_log") as batch:
        for column in ("digest", "request_id", "result"):
            batch.drop_column(column)


def _encrypt_rows() -> None:
    table = sa.table("customer_private", sa.column("customer_id"), sa.column("phone"), sa.column("rrn"))
    connection = op.get_bind()
    rows = [row for row in connection.execute(sa.select(table)) if not is_encrypted(row.phone)]
    if not rows:
        return
    cipher = context.config.attributes.get("cipher")
    if cipher is None:
        raise ValueError("no key for the personal columns")
    connection.execute(
        sa.update(table)
        .where(table.c.customer_id == sa.bindparam("row"))
        .values(phone=sa.bindparam("new_phone"), rrn=sa.bindparam("new_rrn")),
        [
            {
                "row": row.customer_id,
                "new_phone": cipher.encrypt(row.phone, private_place("phone", row.customer_id)),
                "new_rrn": cipher.encrypt(row.rrn, private_place("rrn", row.customer_id)),
            }
            for row in rows
        ],
    )
