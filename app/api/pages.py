"""The pages. The shell is rendered here; everything else is static files of this origin."""

from __future__ import annotations

import secrets

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates

from app.api.principals import Caller
from app.api.state import ServicesDep
from app.settings import ROOT

router = APIRouter(include_in_schema=False)
templates = Jinja2Templates(directory=ROOT / "templates")


@router.get("/", response_class=HTMLResponse)
async def chat_page(request: Request, principal: Caller, services: ServicesDep) -> HTMLResponse:
    nonce = secrets.token_urlsafe(16)
    page = templates.TemplateResponse(
        request,
        "chat.html",
        {
            "company": services.settings.company_name,
            "engine": services.engine_name,
            "role": principal.role,
            "local_mode": principal.id == "local",
            "nonce": nonce,
            "tool_titles": {entry.name: entry.card.title for entry in services.registry.snapshot().entries},
        },
    )
    page.headers["Content-Security-Policy"] = (
        f"default-src 'self'; script-src 'self' 'nonce-{nonce}'; style-src 'self'; img-src 'self' data:; "
        "object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
    )
    return page
