"""One served application and one browser for all tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.state import lay_out
from tests.web.serving import CHROMIUM, Site, open_site
from tests.web.stage import Stage


@pytest.fixture(scope="session")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    """The application and the browser; skipped only where there is no Chromium (CI installs it)."""
    if CHROMIUM is None:
        pytest.skip("Chromium이 없어 화면 시험을 건너뜁니다. (Debian: apt-get install chromium)")
    async with open_site(lay_out(tmp_path_factory.mktemp("web"))) as opened:
        yield opened


@pytest.fixture
def stage(site: Site) -> Stage:
    """The stage, without earlier scripts."""
    site.stage.reset()
    return site.stage
