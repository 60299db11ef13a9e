"""The tables behind proposals: whose they are, with whom they are kept, and every version that was computed."""

from __future__ import annotations

from sqlalchemy import Column, Date, ForeignKey, Index, Integer, String, Table, Text

from app.adapters.field_cipher import ENCRYPTED
from app.adapters.metadata import UtcTime, metadata

# A proposal of an owner. `customer_id`: the customer with whom staff keeps it, and who did.
proposals = Table(
    "proposals",
    metadata,
    Column("proposal_id", String(32), primary_key=True),
    Column("owner", String(200), nullable=False, index=True),
    Column("thread_id", String(128)),
    Column("customer_id", ForeignKey("customers.customer_id", ondelete="CASCADE"), index=True),
    Column("kept_by", String(200)),
    Column("kept_at", UtcTime),
    Column("handed_to", String(200)),
    Column("note", Text, info=ENCRYPTED),
    Column("version", Integer, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Index("ix_proposals_updated_at", "updated_at"),
)

# One version: what it was computed from and the proposal itself, with the health that was told. `version_id` is
# `proposal.version`: an encrypted column belongs to a row of one key.
proposal_versions = Table(
    "proposal_versions",
    metadata,
    Column("version_id", String(48), primary_key=True),
    Column("proposal_id", ForeignKey("proposals.proposal_id", ondelete="CASCADE"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("author", String(200), nullable=False),
    Column("document", Text, nullable=False, info=ENCRYPTED),
    Column("valid_until", Date, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Index("ix_proposal_versions_proposal_version", "proposal_id", "version", unique=True),
)
