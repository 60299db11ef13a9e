"""An application of its own for tests that change the tool set."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from fastapi import FastAPI

from app.api.app import create_app
from app.services import Services
from app.settings import Settings
from tests.api.conftest import _client
from tests.state import lay_out


@asynccontextmanager
async def own_app(folder: Path, **settings: Any) -> AsyncIterator[tuple[Services, httpx2.AsyncClient]]:
    """Its services and a client that is admin in local mode."""
    async with running_app(folder, **settings) as application, _client(application) as client:
        yield application.state.yielded["services"], client


@asynccontextmanager
async def running_app(folder: Path, **settings: Any) -> AsyncIterator[FastAPI]:
    """The application itself, its lifespan running; `state.yielded` is what that gave."""
    application: FastAPI = create_app(Settings(_env_file=None, data_dir=lay_out(folder), **settings))
    async with application.router.lifespan_context(application) as state:
        application.state.yielded = state
        yield application
