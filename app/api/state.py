"""What the lifespan yields and handlers read: the services, a bundle each, the runs and the gatekeeper."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from app.graph.runs import RunHub
from app.services import Desks, Knowledge, Services, Storage, Talk, Tools
from app.settings import Settings


async def services(request: Request) -> Services:
    """FastAPI dependency: the services of this process."""
    found: Services = request.state.services
    return found


ServicesDep = Annotated[Services, Depends(services)]


async def settings(opened: ServicesDep) -> Settings:
    """FastAPI dependency: the settings in force."""
    return opened.settings


async def storage(opened: ServicesDep) -> Storage:
    """FastAPI dependency: what is written."""
    return opened.storage


async def knowledge(opened: ServicesDep) -> Knowledge:
    """FastAPI dependency: what the company sells, and its documents."""
    return opened.knowledge


async def tools(opened: ServicesDep) -> Tools:
    """FastAPI dependency: the living tool set."""
    return opened.tools


async def talk(opened: ServicesDep) -> Talk:
    """FastAPI dependency: turns, threads and what belongs to them."""
    return opened.talk


async def desks(opened: ServicesDep) -> Desks:
    """FastAPI dependency: what operators work with."""
    return opened.desks


async def hub(request: Request) -> RunHub:
    """FastAPI dependency: the runs of this process."""
    found: RunHub = request.state.hub
    return found


SettingsDep = Annotated[Settings, Depends(settings)]
StorageDep = Annotated[Storage, Depends(storage)]
KnowledgeDep = Annotated[Knowledge, Depends(knowledge)]
ToolsDep = Annotated[Tools, Depends(tools)]
TalkDep = Annotated[Talk, Depends(talk)]
DesksDep = Annotated[Desks, Depends(desks)]
HubDep = Annotated[RunHub, Depends(hub)]
