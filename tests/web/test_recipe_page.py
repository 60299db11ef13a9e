"""A page of the console, added as CONTRIBUTING.md says, is built and opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.api import assets
from tests.recipes import copied, follow
from tests.web.serving import Site


@pytest.mark.requirement("run:recipes:replayed")
async def test_a_page_is_added_as_contributing_says(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    copy = copied(tmp_path)
    assert len(follow("Add a page", copy)) == 6
    monkeypatch.setattr(assets, "FOLDER", copy / "web" / "dist")
    for lang, name, works in (("ko", "부분의 상태", "정상"), ("en", "Parts", "Works")):
        async with site.page(lang=lang, path="/admin/health", ready=".loaded") as seen:
            assert await seen.page.inner_text("h1") == name
            assert await seen.page.inner_text('nav a[aria-current="page"]') == name
            assert works in await seen.page.inner_text(".loaded")
            assert await seen.axe() == []
