"""Puts edited knowledge and prompts in force: checked as a whole before they are written, swapped in afterwards."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from app.errors import DataFaults
from app.insurance.catalogue import Catalogue, load_catalogue
from app.planner.knowledge import KnowledgeBase
from app.toolbox.knowledge_files import FOLDERS

Prompts = TypeVar("Prompts")


class LiveKnowledge(Generic[Prompts]):
    """The catalogue and prompts in force. Readers take the reference; `reload` replaces it whole or not at all."""

    def __init__(
        self,
        content_dir: Path,
        company_name: str,
        catalogue: Catalogue,
        base: KnowledgeBase,
        prompts: Callable[[Path, Catalogue], Prompts],
        swapped: Callable[[Prompts], None],
    ) -> None:
        """`prompts` reads the prompt files of a content folder; `swapped` is handed what it read."""
        self._content_dir, self._company = content_dir, company_name
        self._base, self._prompts, self._swapped = base, prompts, swapped
        self.catalogue = catalogue

    def faults(self, path: str, text: str) -> list[str]:
        """Every fault that the data would have with `text` in the place of the file."""
        with tempfile.TemporaryDirectory(prefix="knowledge-") as made:
            folder = Path(made)
            for child in self._content_dir.iterdir():
                if child.name not in FOLDERS:
                    (folder / child.name).symlink_to(child.resolve())
            for name in FOLDERS:
                _mirror(self._content_dir / name, folder / name)
            target = folder / path
            target.unlink()
            target.write_bytes(text.encode("utf-8"))
            try:
                self._prompts(folder, load_catalogue(folder, self._company))
            except DataFaults as error:
                return [str(fault) for fault in error.faults]
        return []

    async def reload(self) -> None:
        """Read the files again and answer from them. Raises DataFaults; what was in force stays then."""
        catalogue = await asyncio.to_thread(load_catalogue, self._content_dir, self._company)
        prompts = await asyncio.to_thread(self._prompts, self._content_dir, catalogue)
        await asyncio.to_thread(self._base.reload, catalogue.reference)
        self.catalogue = catalogue
        self._swapped(prompts)


def _mirror(source: Path, target: Path) -> None:
    """The folder with links to its files, so that one of them can be another."""
    target.mkdir()
    for child in source.iterdir():
        if child.is_dir():
            _mirror(child, target / child.name)
        else:
            (target / child.name).symlink_to(child.resolve())
