"""The chat on another site's page: in a frame of named sites only, without cookies, never as local mode's admin."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
import uvicorn

from tests.web.serving import Site
from tests.web.stage import Stage


@asynccontextmanager
async def other_site(page: str) -> AsyncIterator[str]:
    """Another origin (its own port, its own name) that serves one page."""

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": page.encode()})

    server = uvicorn.Server(uvicorn.Config(app, port=0, ws="none", log_config=None, lifespan="off"))  # type: ignore[arg-type]
    task = asyncio.create_task(server.serve())
    async with asyncio.timeout(20):
        while not server.started:  # noqa: ASYNC110  uvicorn tells it by this flag alone
            await asyncio.sleep(0.01)
    yield f"http://localhost:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = server.force_exit = True
    await task


@pytest.fixture
def allow(site: Site) -> Any:
    """Changes which origins may show the widget, for one test."""
    services = site.stage.state["services"]
    before = services.settings

    def allowing(origins: str) -> None:
        object.__setattr__(services, "settings", before.model_copy(update={"widget_origins": origins}))

    yield allowing
    object.__setattr__(services, "settings", before)


async def test_without_a_named_site_there_is_no_widget(site: Site, stage: Stage) -> None:
    async with httpx2.AsyncClient(base_url=site.url) as client:
        for path in ("/widget", "/widget.js"):
            assert (await client.get(path)).status_code == 404


@pytest.mark.requirement("web:widget:named-sites-only")
async def test_a_named_site_shows_the_chat_and_asks_without_cookies(site: Site, stage: Stage, allow: Any) -> None:
    async with other_site(f"<h1>다른 사이트</h1><script src='{site.url}/widget.js'></script>") as outside:
        allow(outside)
        context = await site.browser.new_context(locale="ko-KR", viewport={"width": 1280, "height": 860})
        page = await context.new_page()
        await page.goto(outside)
        await page.get_by_role("button", name="보험 상담 열기").click()
        frame = page.frame_locator("iframe[title='보험 상담 도우미']")
        await frame.locator("#question").fill("갱신형이 무슨 말이에요?")
        await frame.locator("#question").press("Enter")
        await frame.locator(".answer-actions").wait_for()
        await frame.locator(".bar [aria-label='내 메뉴']").click()
        menu = await frame.locator("[role=menu]").inner_text()
        assert "고객" in menu and "관리자" not in menu and "운영 화면" not in menu
        await page.keyboard.press("Escape")
        await frame.locator(".bar [aria-label='닫기']").click()
        await page.wait_for_function("() => document.activeElement !== document.body")
        await page.get_by_role("button", name="보험 상담 열기").wait_for()
        assert [cookie["name"] for cookie in await context.cookies(site.url) if cookie["name"] != "visitor"] == []
        await context.close()


@pytest.mark.requirement("web:widget:named-sites-only")
async def test_another_site_gets_no_frame(site: Site, stage: Stage, allow: Any) -> None:
    async with other_site(f"<iframe src='{site.url}/widget'></iframe>") as outside:
        allow("https://shop.example")
        context = await site.browser.new_context()
        page = await context.new_page()
        await page.goto(outside)
        await page.wait_for_timeout(500)
        assert await page.frame_locator("iframe").locator("#question").count() == 0
        await context.close()


@pytest.mark.requirement("web:widget:named-sites-only")
async def test_a_widget_visitor_sees_own_conversations_only_and_never_acts_as_admin(
    site: Site, stage: Stage, allow: Any
) -> None:
    allow("https://shop.example")
    async with httpx2.AsyncClient(base_url=site.url) as client:
        page = await client.get("/widget")
        assert "frame-ancestors https://shop.example;" in page.headers["content-security-policy"]
        token = page.text.split('"visitor": "')[1].split('"')[0]
        me = (await client.get("/api/me", headers={"X-Visitor": token})).json()
        assert me["role"] == "customer" and me["way"] == "visitor"
        assert (await client.get("/api/threads", headers={"X-Visitor": token})).json()["count"] == 0
        assert (await client.get("/api/me", headers={"X-Visitor": "made-up"})).status_code == 401
        assert (await client.get("/api/tools", headers={"X-Visitor": token})).status_code == 403
