"""What the operator console asks the server, one module a page; `routers` are all of them."""

from __future__ import annotations

from fastapi import APIRouter

from app.api.admin import (
    access,
    audit,
    cases,
    compliance,
    conversations,
    documents,
    evaluation,
    guards,
    handoffs,
    lessons,
    overview,
    reload,
    routing,
    tools,
)
from app.api.cards import overview_router

routers: tuple[APIRouter, ...] = (
    overview.router,
    tools.router,
    overview_router,
    routing.router,
    evaluation.router,
    cases.router,
    lessons.router,
    reload.router,
    access.router,
    audit.router,
    compliance.router,
    guards.router,
    conversations.router,
    documents.router,
    handoffs.router,
)
