"""One served application and one browser for all tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.state import lay_out
from tests.web.serving import Site, open_site
from tests.web.stage import Stage


@pytest.fixture(scope="session")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    """The application and the browser; tests/left_out.py takes these tests away where there is no Chromium."""
    async with open_site(lay_out(tmp_path_factory.mktemp("web"))) as opened:
        yield opened


@pytest.fixture
def stage(site: Site) -> Stage:
    """The stage, without earlier scripts."""
    site.stage.reset()
    return site.stage
