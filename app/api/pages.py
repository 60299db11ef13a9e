"""The pages. Their shells are rendered here; scripts and styles come from the bundle (assets.py), of this origin only.

Their content policy admits scripts with the page's nonce and of this origin only; no text becomes script, and HTML is
made of text in one place alone, by the sanitiser (the Trusted Types policy `dompurify`).
"""

from __future__ import annotations

import secrets
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates

from app.api.assets import page_files
from app.api.principals import KnownCaller, VerifiedCaller
from app.api.state import ServicesDep
from app.insurance.wording import age_span
from app.services import Services
from app.settings import ROOT

router = APIRouter(include_in_schema=False)
templates = Jinja2Templates(directory=ROOT / "templates")

Language = Literal["ko", "en"]
_NOBODY = "'none'"


@router.get("/", response_class=HTMLResponse)
async def chat_page(request: Request, known: KnownCaller, services: ServicesDep) -> HTMLResponse:
    return shell(request, "chat", known, services)


@router.get("/admin", response_class=HTMLResponse)
@router.get("/admin/{place:path}", response_class=HTMLResponse)
async def console_page(request: Request, known: KnownCaller, services: ServicesDep) -> HTMLResponse:
    """The operator console, whatever its place: what may be seen there is decided by the calls it makes."""
    return shell(request, "console", known, services)


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
    return rendered(request, services, "api.html", values)


def shell(
    request: Request,
    page: str,
    known: VerifiedCaller,
    services: Services,
    more: dict[str, Any] | None = None,
    *,
    parents: tuple[str, ...] = (),
) -> HTMLResponse:
    """The shell of a bundled page: what it may know before its script runs. `more` is added to what the script reads;
    `parents` are the origins whose pages may hold it in a frame.

    Without the bundle it says, with 503, which command makes it.
    """
    files = page_files(page)
    if files is None:
        answer = rendered(request, services, "unbuilt.html", {})
        answer.status_code = 503
        return answer
    language = language_of(request)
    boot = {
        "page": page,
        "company": services.settings.company_name,
        "engine": services.talk.engine_name,
        "role": known.principal.role,
        "way": known.way,
        "csrf": known.csrf_token or "",
        "fonts": f"/assets/{files.fonts}",
        **({"products": _products(services), **_suggestions(services), **_advice(services)} if page == "chat" else {}),
        "titles": {entry.name: entry.card.title for entry in services.tools.registry.snapshot().entries},
        **(more or {}),
    }
    values = {"page": page, "files": files, "lang": language, "boot": boot}
    return rendered(request, services, "page.html", values, trusted_types="dompurify", parents=parents)


def _products(services: Services) -> list[dict[str, Any]]:
    """The products on sale, as the catalogue dialog and the fact chips name them."""
    return [
        {
            "code": product.code,
            "name": product.name,
            "category": product.category,
            "entry_age": age_span(product.entry_age),
            "renewal": product.renewal.kind,
            "simplified": product.simplified,
        }
        for product in services.knowledge.catalogue.products
    ]


def _suggestions(services: Services) -> dict[str, Any]:
    """The questions that a company's own folder offers on the empty page; without any the page has its own."""
    offered = services.company.suggestions if services.company else ()
    return {"suggestions": [group.model_dump(mode="json") for group in offered]} if offered else {}


def _advice(services: Services) -> dict[str, Any]:
    """What the panel of proposals offers and asks for: the needs, and which tool tells what of a line. Nothing where no
    advice is given."""
    if services.talk.proposals is None:
        return {}
    book = services.talk.proposals.book
    needs = [need.model_dump(include={"id", "title"}) for need in book.needs]
    return {"advice": {"needs": needs, "tools": book.sources.tools.model_dump(), "most_people": book.plan.most_people}}


def language_of(request: Request) -> Language:
    """What the person chose, else the browser's first language, else Korean."""
    chosen = request.cookies.get("lang")
    if chosen in ("ko", "en"):
        return "en" if chosen == "en" else "ko"
    first = request.headers.get("accept-language", "").split(",")[0].strip().lower()
    return "en" if first.startswith("en") else "ko"


def rendered(
    request: Request,
    services: Services,
    template: str,
    values: dict[str, Any],
    *,
    trusted_types: str = "'none'",
    parents: tuple[str, ...] = (),
) -> HTMLResponse:
    """A page with its content policy, a fresh nonce each time. `trusted_types` names who may make HTML of text."""
    nonce = secrets.token_urlsafe(16)
    context = {"company": services.settings.company_name, "nonce": nonce, **values}
    page = templates.TemplateResponse(request, template, context)
    page.headers["Content-Security-Policy"] = (
        f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; font-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; "
        f"frame-ancestors {' '.join(parents) or _NOBODY}; form-action 'self'; "
        f"require-trusted-types-for 'script'; trusted-types {trusted_types}"
    )
    page.headers["Cache-Control"] = "no-store"
    return page
