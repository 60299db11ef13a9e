"""The pages. Their shells are rendered here; everything else is static files of this origin.

Their content policy admits scripts with the page's nonce and of this origin only, and no text as script or HTML.
"""

from __future__ import annotations

import secrets
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates

from app.api.principals import KnownCaller
from app.api.state import ServicesDep
from app.settings import ROOT

router = APIRouter(include_in_schema=False)
templates = Jinja2Templates(directory=ROOT / "templates")


@router.get("/", response_class=HTMLResponse)
async def chat_page(request: Request, known: KnownCaller, services: ServicesDep) -> HTMLResponse:
    values = {
        "engine": services.engine_name,
        "role": known.principal.role,
        "local_mode": known.way == "local",
        "logged_in": known.way == "session",
        "csrf_token": known.csrf_token or "",
        "tool_titles": {entry.name: entry.card.title for entry in services.registry.snapshot().entries},
    }
    return _page(request, services.settings.company_name, "chat.html", values)


@router.get("/docs", response_class=HTMLResponse)
async def api_page(request: Request, services: ServicesDep) -> HTMLResponse:
    """Every call of the OpenAPI description, to read: no script and no other site is needed for it."""
    description: dict[str, Any] = request.app.openapi()
    calls = [
        {"path": path, "method": method.upper(), **call}
        for path, methods in description["paths"].items()
        for method, call in methods.items()
    ]
    groups = sorted({tag for call in calls for tag in call.get("tags", ())})
    values = {
        "groups": [(tag, [call for call in calls if tag in call.get("tags", ())]) for tag in groups],
        "schemas": description.get("components", {}).get("schemas", {}),
    }
    return _page(request, services.settings.company_name, "api.html", values)


def _page(request: Request, company: str, template: str, values: dict[str, Any]) -> HTMLResponse:
    nonce = secrets.token_urlsafe(16)
    page = templates.TemplateResponse(request, template, {"company": company, "nonce": nonce, **values})
    page.headers["Content-Security-Policy"] = (
        f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; font-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; "
        "frame-ancestors 'none'; form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    page.headers["Cache-Control"] = "no-store"
    return page
