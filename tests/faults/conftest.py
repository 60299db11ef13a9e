"""Whole applications on state folders of their own, so that a fault in one disturbs no other test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from app.access import LOCAL_ADMIN
from app.composition import open_services
from app.graph.events import Event
from app.services import Services
from app.settings import Settings
from tests.state import lay_out

QUESTION = "뉴스타트암보험 45세 남자 보험료 알려줘"
PRICE = "20,625원"


@pytest.fixture(scope="module")
async def services(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Services]:
    """One application a module; each test undoes its own fault."""
    settings = Settings(_env_file=None, data_dir=lay_out(tmp_path_factory.mktemp("var")))
    async with open_services(settings) as opened:
        yield opened


async def last_event(services: Services, question: str = QUESTION, thread: str | None = None) -> Event:
    """How a turn ended; text that was shown but belongs to no `done` would be unguarded."""
    events = [event async for event in services.talk.runner.stream(question, LOCAL_ADMIN, thread)]
    assert events[-1].type in ("done", "error")
    return events[-1]


def told_in_korean(event: Event) -> bool:
    """Whether an error says in our own words what happened, and nothing of another library's."""
    text = event.data["error"]
    leaked = ("Traceback", "sqlite", "httpx", "openai", "Error", "Exception", "/", "File ")
    return any("가" <= letter <= "힣" for letter in text) and not any(word in text for word in leaked)
