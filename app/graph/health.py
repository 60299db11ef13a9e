"""The state of every part in one answer: `GET /api/health`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from pathlib import Path
from sqlite3 import Error as SqliteError
from typing import Any

from app.adapters.checkpoints import Checkpoints
from app.adapters.database import Database
from app.adapters.disk import check_room
from app.adapters.key_checks import KeyChecks
from app.documents.search import DocumentSearch
from app.errors import Unavailable
from app.graph.turn import GraphServices
from app.routing.opening import Routing
from app.toolbox.snapshot import ToolSnapshot

log = logging.getLogger(__name__)


async def health_of(
    parts: GraphServices,
    snapshot: ToolSnapshot,
    routing: Routing,
    documents: DocumentSearch,
    database: Database,
    checkpoints: Checkpoints,
    key_checks: KeyChecks,
    data_dir: Path,
) -> dict[str, Any]:
    """Counts, versions and checks; `degraded` when a part is down or left out, and `faults` says why where a person can
    mend it. Source: api.md, "For other programs"."""
    faults: dict[str, str] = {}
    folders = {data_dir, database.folder or data_dir}
    checks = {
        "disk": await works(asyncio.to_thread(check_room, folders), faults, "disk"),
        "database": await works(database.ping()),
        "checkpoints": await works(checkpoints.ping()),
        "secret_key": await works(key_checks.confirm()),
        "vector_store": not routing.router.degraded,
        "documents": documents.chunk_count > 0,
    }
    provider = parts.engine.provider
    if provider is not None:
        checks["model"] = provider.link.breaker.state == "closed"
    calibration = routing.calibration
    return {
        "status": "ok" if all(checks.values()) else "degraded",
        "tools_count": snapshot.tools_count,
        "registry_version": snapshot.version,
        "vector_store": {
            "status": "ok" if checks["vector_store"] else "degraded",
            "embedding_model": parts.embedder.name,
        },
        "documents": {"documents": documents.document_count, "chunks": documents.chunk_count},
        "engine": parts.engine.name,
        "model": provider.link.health() if provider else None,
        "calibration": {
            "model": calibration.model,
            "data_hash": calibration.data_hash,
            "no_call": calibration.no_call.threshold,
            "domain": calibration.domain.threshold,
        },
        "checks": checks,
        "faults": faults,
    }


async def works(check: Awaitable[Any], faults: dict[str, str] | None = None, name: str = "") -> bool:
    """True when it comes to an end without an error; the log has the error, `faults` what people may read of it."""
    try:
        await check
    except (Unavailable, OSError, ValueError, SqliteError) as error:
        log.warning("health check failed: %s", error)
        if faults is not None and isinstance(error, Unavailable):
            faults[name] = str(error)
        return False
    return True
