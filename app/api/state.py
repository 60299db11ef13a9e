"""What the lifespan yields and handlers read: the services and the gatekeeper."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from app.graph.runs import RunHub
from app.services import Services


async def services(request: Request) -> Services:
    """FastAPI dependency: the services of this process."""
    found: Services = request.state.services
    return found


async def hub(request: Request) -> RunHub:
    """FastAPI dependency: the runs of this process."""
    found: RunHub = request.state.hub
    return found


ServicesDep = Annotated[Services, Depends(services)]
HubDep = Annotated[RunHub, Depends(hub)]
