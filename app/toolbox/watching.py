"""RELOAD_ON_CHANGE: modules and cards are reloaded when their file is saved. For authors; off by default."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from watchfiles import awatch

from app.errors import NotFound, ToolLoadError
from app.messages import worded
from app.toolbox.toolbox import Toolbox

log = logging.getLogger(__name__)

_SUFFIXES = (".py", ".yaml")


async def reload_on_change(toolbox: Toolbox) -> None:
    """Reload the module of each saved file until cancelled; faults are logged, the old set goes on."""
    folders = [folder for folder in toolbox.modules.watched if folder.is_dir()]
    log.info(worded("watching.watches"), ", ".join(map(str, folders)))
    async for changes in awatch(*folders, recursive=False, debounce=200):
        for name in sorted({Path(path).stem for _, path in changes if Path(path).suffix in _SUFFIXES}):
            await _reloaded(toolbox, name)


async def _reloaded(toolbox: Toolbox, name: str) -> None:
    try:
        done = await asyncio.to_thread(toolbox.reload, name)
    except NotFound:
        return  # a helper module, or a file that was taken away
    except ToolLoadError as error:
        log.warning(worded("watching.not_reloaded"), name, "\n  ".join(error.faults))
        return
    log.info(worded("watching.reloaded"), name, len(done.registered), done.snapshot.version)
