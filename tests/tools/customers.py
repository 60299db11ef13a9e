"""A context on a real SQLite store with the shipped customers, and principals of every kind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

from app.access import Principal
from app.adapters.customer_seed import seed_customers
from app.adapters.customer_store import SqlCustomerStore
from app.adapters.database import open_database
from app.adapters.field_cipher import FieldCipher
from app.insurance.catalogue import Catalogue
from app.safety.personal_data import shipped_masker
from app.safety.phrases import PhraseChecker
from app.tools.context import ToolContext

DATA = Path(__file__).resolve().parents[2] / "data"
TODAY = date(2026, 3, 2)
STAFF = Principal(id="tmr-7", role="staff")
ANONYMOUS = Principal(id="web-1", role="customer")
MINSU = Principal(id="key-minsu", role="customer", customer_id="C0001")


@asynccontextmanager
async def customer_context(folder: Path, catalogue: Catalogue) -> AsyncIterator[ToolContext]:
    """Staff by default; `as_caller` makes it somebody else's."""
    database = await open_database(f"sqlite+aiosqlite:///{folder / 'customer.db'}", FieldCipher(b"k" * 32))
    try:
        await seed_customers(database, DATA, catalogue)
        yield ToolContext(
            principal=STAFF,
            catalogue=catalogue,
            customers=SqlCustomerStore(database),
            documents=None,  # type: ignore[arg-type]
            phrases=PhraseChecker(catalogue.reference.forbidden_phrases),
            masker=shipped_masker(),
            today=lambda: TODAY,
            thread_id="thread-1",
        )
    finally:
        await database.close()


def as_caller(context: ToolContext, principal: Principal, *approved: str) -> ToolContext:
    """The same services for another caller; `approved` are the tool call ids that the person approved."""
    return replace(context, principal=principal, approved=frozenset(approved))
