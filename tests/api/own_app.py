"""An application of its own for tests that change the tool set."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from app.api.app import create_app
from app.services import Services
from app.settings import Settings
from tests.api.conftest import _client
from tests.api.openai_server import OpenAiServer
from tests.state import lay_out

PLAYED = "played-model"
# A tool of its own for tests that load one: the card of `policy_parcel`.
PARCEL_CARD = """
- name: policy_parcel
  title: 증권 우편 무게
  purpose: 보험증권 등기우편의 무게가 몇 그램인지 알려 준다.
  when_to_use: [보험증권 등기우편 무게가 얼마예요, 증권 우편 몇 그램이에요, 보험증권 등기 무게 좀 재 주세요]
  when_not_to_use: [보험료 계산 → premium_estimate 사용]
  tags: [등기우편, 무게]
"""


@asynccontextmanager
async def own_app(folder: Path, **settings: Any) -> AsyncIterator[tuple[Services, httpx2.AsyncClient]]:
    """Its services and a client that is admin in local mode."""
    async with running_app(folder, **settings) as application, _client(application) as client:
        yield application.state.yielded["services"], client


def opened_with(**settings: Any) -> Any:
    """The fixture `opened` of a module that wants an application of its own: its services and a client."""

    @pytest.fixture(scope="module")
    async def opened(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Services, httpx2.AsyncClient]]:
        async with own_app(tmp_path_factory.mktemp("own"), **settings) as both:
            yield both

    return opened


def opened_with_model(**settings: Any) -> Any:
    """As `opened_with`, with a provider's model played by `server`; its breaker is out of reach."""

    @pytest.fixture(scope="module")
    async def opened(
        tmp_path_factory: pytest.TempPathFactory, server: OpenAiServer
    ) -> AsyncIterator[tuple[Services, httpx2.AsyncClient]]:
        model = {"llm_base_url": server.url, "openrouter_model": PLAYED, "llm_breaker_failures": 100}
        async with own_app(tmp_path_factory.mktemp("model"), **model, **settings) as both:
            yield both

    return opened


@asynccontextmanager
async def running_app(folder: Path, **settings: Any) -> AsyncIterator[FastAPI]:
    """The application itself, its lifespan running; `state.yielded` is what that gave."""
    application: FastAPI = create_app(Settings(_env_file=None, data_dir=lay_out(folder), **settings))
    async with application.router.lifespan_context(application) as state:
        application.state.yielded = state
        yield application
