"""A service whose disk takes nothing more for a while: `python -m tests.faults.full_disk FOLDER` tells in JSON lines.

The process may write no file beyond 4 kB meanwhile, as under a quota that is used up: the system refuses, not a mock.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from pathlib import Path

from fastapi import Response

from app.access import LOCAL_ADMIN
from app.api.health import ready
from app.api.problems import status_of
from app.composition import open_services
from app.errors import TurnFailed
from app.services import Services
from app.settings import Settings
from tests.faults.conftest import QUESTION

FULL_BYTES = 4096


async def _look(services: Services, when: str) -> None:
    response = Response()
    state = await ready(services, response)
    try:
        answer = (await services.talk.runner.ask(QUESTION, LOCAL_ADMIN, "full"))["answer"]
        turn = {"status": 200, "type": "done", "text": answer}
    except TurnFailed as error:
        turn = {"status": status_of(error), "type": error.kind, "text": str(error)}
    told = {"when": when, "ready": response.status_code, "faults": state["faults"], "turn": turn}
    sys.stdout.write(f"{json.dumps(told)}\n")


async def main(folder: Path) -> None:
    async with open_services(Settings(_env_file=None, data_dir=folder)) as services:
        await _look(services, "before")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (FULL_BYTES, hard))
        await _look(services, "full")
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        await _look(services, "after")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
