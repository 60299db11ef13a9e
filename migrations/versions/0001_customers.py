"""Customers, contracts, service requests, follow-up tasks

Revision ID: 0001
Revises:
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "customers",
        sa.Column("customer_id", sa.String(16), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("birth_date", sa.Date(), nullable=False),
        sa.Column("gender", sa.String(1), nullable=False),
        sa.Column("job", sa.String(100), nullable=False),
        sa.CheckConstraint("gender in ('M', 'F')", name=op.f("ck_customers_gender")),
        sa.PrimaryKeyConstraint("customer_id", name=op.f("pk_customers")),
    )
    op.create_index(op.f("ix_customers_name"), "customers", ["name"])
    op.create_table(
        "customer_private",
        sa.Column("customer_id", sa.String(16), nullable=False),
        sa.Column("phone", sa.String(20), nullable=False),
        sa.Column("rrn", sa.String(14), nullable=False),
        sa.ForeignKeyConstraint(
            ["customer_id"], ["customers.customer_id"], name=op.f("fk_customer_private_customer_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("customer_id", name=op.f("pk_customer_private")),
    )
    op.create_table(
        "contracts",
        sa.Column("contract_id", sa.String(16), nullable=False),
        sa.Column("customer_id", sa.String(16), nullable=False),
        sa.Column("product_code", sa.String(9), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("contract_date", sa.Date(), nullable=False),
        sa.Column("lapse_date", sa.Date(), nullable=True),
        sa.Column("reinstated_date", sa.Date(), nullable=True),
        sa.Column("end_date", sa.Date(), nullable=True),
        sa.Column("premium", sa.Integer(), nullable=False),
        sa.Column("sum_insured", sa.Integer(), nullable=False),
        sa.Column("plan", sa.String(100), nullable=False),
        sa.Column("rider_codes", sa.JSON(), nullable=False),
        sa.CheckConstraint("premium > 0", name=op.f("ck_contracts_premium")),
        sa.CheckConstraint("sum_insured > 0", name=op.f("ck_contracts_sum_insured")),
        sa.CheckConstraint("status in ('유지', '해지', '실효', '만기', '부활')", name=op.f("ck_contracts_status")),
        sa.ForeignKeyConstraint(
            ["customer_id"], ["customers.customer_id"], name=op.f("fk_contracts_customer_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("contract_id", name=op.f("pk_contracts")),
    )
    op.create_index(op.f("ix_contracts_customer_id"), "contracts", ["customer_id"])
    op.create_index(op.f("ix_contracts_product_code"), "contracts", ["product_code"])
    op.create_table(
        "service_requests",
        sa.Column("request_id", sa.String(16), nullable=False),
        sa.Column("request_key", sa.String(200), nullable=True),
        sa.Column("customer_id", sa.String(16), nullable=False),
        sa.Column("contract_id", sa.String(16), nullable=True),
        sa.Column("action", sa.String(20), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("requested_by", sa.String(200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["contract_id"], ["contracts.contract_id"], name=op.f("fk_service_requests_contract_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["customer_id"], ["customers.customer_id"], name=op.f("fk_service_requests_customer_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("request_id", name=op.f("pk_service_requests")),
        sa.UniqueConstraint("request_key", name=op.f("uq_service_requests_request_key")),
    )
    op.create_index(op.f("ix_service_requests_customer_id"), "service_requests", ["customer_id"])
    op.create_table(
        "followup_tasks",
        sa.Column("task_id", sa.String(16), nullable=False),
        sa.Column("customer_id", sa.String(16), nullable=False),
        sa.Column("title", sa.String(300), nullable=False),
        sa.Column("due_date", sa.Date(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.String(200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["customer_id"], ["customers.customer_id"], name=op.f("fk_followup_tasks_customer_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("task_id", name=op.f("pk_followup_tasks")),
    )
    op.create_index("ix_followup_tasks_customer_due", "followup_tasks", ["customer_id", "due_date"])


def downgrade() -> None:
    for table in ("followup_tasks", "service_requests", "contracts", "customer_private", "customers"):
        op.drop_table(table)
