"""Where the files of a project lie, and what it is called in Chroma."""

from __future__ import annotations

import hashlib
import re
import time
from pathlib import Path

from app.documents.search import DEFAULT_PROJECT
from app.settings import Settings

COLLECTION = "rag_documents"
_SAFE_NAME = re.compile(r"(?:[A-Za-z0-9]|(?<=[A-Za-z0-9])[._-](?=[A-Za-z0-9]))+")
_LEFT_S = 3600.0


def default_folders(settings: Settings) -> tuple[Path, ...]:
    """Where the insurance project's documents lie: shipped ones and the operator's."""
    return settings.content_dir / "documents", settings.data_dir / "documents"


def uploads_folder(settings: Settings, project: str) -> Path:
    """Where uploaded documents of a project lie."""
    return settings.data_dir / "documents" if project == DEFAULT_PROJECT else settings.data_dir / "projects" / project


def collection_of(project: str) -> str:
    """The Chroma collection of a project; a name that Chroma would not take goes by its hash."""
    if project == DEFAULT_PROJECT:
        return COLLECTION
    safe = project if _SAFE_NAME.fullmatch(project) else hashlib.sha256(project.encode()).hexdigest()[:16]
    return f"{COLLECTION}.{safe}"


def clear_received(settings: Settings) -> None:
    """Remove received files whose server died before it had read them; nobody waits for them any more."""
    for left in (settings.data_dir / "uploads").glob("*"):
        if left.is_file() and time.time() - left.stat().st_mtime > _LEFT_S:
            left.unlink(missing_ok=True)
