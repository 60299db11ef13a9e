"""A page of the console, opened and waited for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import expect

from tests.web.serving import Site, Watched

READY = "main h1"


@asynccontextmanager
async def console(site: Site, path: str, **options: Any) -> AsyncIterator[Watched]:
    """A page of the console, with what it loads."""
    async with site.page(path=path, ready=READY, **options) as seen:
        await settled(seen)
        yield seen


async def settled(seen: Watched) -> None:
    """Nothing is on its way any more."""
    await expect(seen.page.locator(".waiting")).to_have_count(0)
    await expect(seen.page.locator("[aria-busy=true]")).to_have_count(0)
