"""The real application behind a stage, one Chromium, and pages that are watched: other origins, the content policy,
errors of scripts."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from playwright.async_api import Browser, BrowserContext, Page, TimeoutError, async_playwright, expect

from app.api.app import create_app
from app.settings import Settings
from tests.web.stage import WEB, Stage

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
WATCH = """
  window.__violations = [];
  document.addEventListener("securitypolicyviolation", (event) =>
    window.__violations.push(event.violatedDirective + " " + event.blockedURI));
"""

STILL = """() => Promise.all(document.getAnimations()
  .filter((item) => item.effect.getComputedTiming().iterations !== Infinity)
  .map((item) => item.finished.catch(() => {})))"""

# Two browsers and a second test process share two cores: what takes seconds there takes a blink for a person.
PATIENCE_MS = 90_000


@dataclass
class Site:
    """The served application and the browser that looks at it."""

    url: str
    stage: Stage
    browser: Browser

    @asynccontextmanager
    async def page(
        self,
        *,
        lang: str = "ko",
        size: tuple[int, int] = (1280, 860),
        path: str = "/",
        ready: str = "#question",
        **options: Any,
    ) -> AsyncIterator[Watched]:
        """A watched page in a context of its own, once what `ready` selects is there."""
        locale = "en-US" if lang == "en" else "ko-KR"
        viewport = {"width": size[0], "height": size[1]}
        context = await self.browser.new_context(locale=locale, viewport=viewport, **options)  # type: ignore[arg-type]
        await context.grant_permissions(["clipboard-read", "clipboard-write"], origin=self.url)
        await context.add_init_script(WATCH)
        context.set_default_timeout(PATIENCE_MS)
        watched = Watched(self, context, await context.new_page())
        watched.watch()
        try:
            await watched.page.goto(self.url + path)
            await watched.page.wait_for_selector(ready)
            yield watched
            await watched.check()
        finally:
            await context.close()


@dataclass
class Watched:
    """A page, with what must not happen on it."""

    site: Site
    context: BrowserContext
    page: Page
    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    expected_errors: bool = False

    def watch(self) -> None:
        self.page.on("request", lambda request: self._request(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)

    def _request(self, url: str) -> None:
        if not url.startswith((self.site.url, "data:", "blob:")):
            self.foreign.append(url)

    async def check(self) -> None:
        """No other origin was asked, the content policy stopped nothing, no script failed."""
        assert self.foreign == []
        assert await self.page.evaluate("window.__violations ?? []") == []
        if not self.expected_errors:
            assert self.errors == []

    async def ask(self, text: str) -> None:
        await self.page.fill("#question", text)
        await self.page.press("#question", "Enter")

    async def answered(self, count: int = 1) -> None:
        """That many answers are whole. Where none comes, what stands on the page instead is told."""
        try:
            await self.page.wait_for_function(
                "(count) => document.querySelectorAll('.answer[aria-busy=false]').length >= count", arg=count
            )
        except TimeoutError as error:
            stands = await self.page.inner_text("body")
            raise AssertionError(f"no answer; errors {self.errors}; the page says:\n{stands[-2000:]}") from error

    async def axe(self, *rules: str) -> list[str]:
        """What axe finds against WCAG 2.2 AA (or by these rules alone), one line a node."""
        await self.page.evaluate(STILL)
        if not await self.page.evaluate("'axe' in window"):
            await self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = await self.page.evaluate(
            "async (only) => (await axe.run(document, {runOnly: only, resultTypes: ['violations']})).violations",
            {"type": "rule" if rules else "tag", "values": rules or WCAG},
        )
        return [
            f"{item['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
            for item in found
            for node in item["nodes"]
        ]


@asynccontextmanager
async def open_site(folder: Path) -> AsyncIterator[Site]:
    """The application, served on loopback (so the caller is admin), with its state in `folder`."""
    expect.set_options(timeout=PATIENCE_MS)
    app = create_app(Settings(_env_file=None, data_dir=folder))
    async with app.router.lifespan_context(app) as state, async_playwright() as playwright:
        stage = Stage(app, dict(state))
        config = uvicorn.Config(stage, port=0, ws="none", log_config=None, lifespan="off")  # type: ignore[arg-type]
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve())
        async with asyncio.timeout(20):
            while not server.started:  # noqa: ASYNC110  uvicorn tells it by this flag alone
                await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield Site(f"http://127.0.0.1:{port}", stage, browser)
        await browser.close()
        server.should_exit = server.force_exit = True
        await task
