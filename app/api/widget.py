"""GET /widget.js and /widget: the chat in a frame on the pages of the sites named in WIDGET_ORIGINS.

A frame of another site gets none of our cookies, so its visitor is named by a signed token that the page keeps and
sends as `X-Visitor`; whoever comes with one is an anonymous customer, on this machine too.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse

from app.access import Principal
from app.api.pages import shell
from app.api.principals import GatekeeperDep, VerifiedCaller
from app.api.state import ServicesDep
from app.errors import NotFound
from app.settings import ROOT, Settings, listed

router = APIRouter(include_in_schema=False)


def _allowed(settings: Settings) -> tuple[str, ...]:
    """The origins that may show the widget. Raises NotFound while there are none."""
    origins = listed(settings.widget_origins)
    if not origins:
        raise NotFound("위젯이 꺼져 있습니다. WIDGET_ORIGINS에 넣을 사이트의 출처를 적어 주세요.")
    return origins


@router.get("/widget.js")
async def script(services: ServicesDep) -> FileResponse:
    _allowed(services.settings)
    headers = {"Cross-Origin-Resource-Policy": "cross-origin", "Cache-Control": "public, max-age=300"}
    return FileResponse(ROOT / "app" / "web" / "widget.js", media_type="text/javascript", headers=headers)


@router.get("/widget", response_class=HTMLResponse)
async def frame(request: Request, services: ServicesDep, gate: GatekeeperDep) -> HTMLResponse:
    origins = _allowed(services.settings)
    token = gate.cookies.new_visitor()
    stranger = VerifiedCaller(Principal("visitor:new", "customer"), "visitor")
    more = {"embedded": True, "visitor": token, "parents": origins}
    return shell(request, "chat", stranger, services, more, parents=origins)
