"""Where tool modules live, and how one is loaded afresh: app/tools with its cards in data/tool_cards, and the tools
folder of a company and TOOL_PATHS, whose modules have their cards beside them."""

from __future__ import annotations

import hashlib
import itertools
import re
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from app.errors import DataFaults, Fault, NotFound, ToolLoadError
from app.messages import worded
from app.settings import ROOT
from app.toolbox.cards import ToolCard, load_cards
from app.toolbox.checker import ModuleChecker
from app.toolbox.loader import BUILTIN_MODULES, entries_of, shipped_modules
from app.toolbox.module_code import execute, fault_of
from app.toolbox.snapshot import COMPANY, ToolEntry

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_TOOLS = re.compile(r"^TOOLS\b", re.M)
TOOLS_FOLDER = ROOT / "app" / "tools"
COMPANY_TOOLS = "tools"


@dataclass(frozen=True)
class ToolModule:
    """One loadable module: its source file, its cards, and the `source` of its tools."""

    name: str
    file: Path
    cards: Path
    source: str
    package: str


class ToolModules:
    """Finds and loads tool modules by name."""

    def __init__(
        self,
        content_dir: Path,
        folders: Sequence[Path] = (),
        *,
        timeout_s: float = 10.0,
        tools_folder: Path = TOOLS_FOLDER,
    ) -> None:
        """`folders` are TOOL_PATHS; `timeout_s` is how long an import may take (s)."""
        self._cards, self._tools = content_dir / "tool_cards", tools_folder
        self._shipped = shipped_modules(content_dir)
        self._company = (content_dir / COMPANY_TOOLS).resolve()
        self.folders = tuple(folder.expanduser().resolve() for folder in folders)
        self._timeout_s = timeout_s
        self._checker = ModuleChecker()
        self._numbers = itertools.count(1)
        self._loaded: dict[str, str] = {}
        self._digests: dict[str, str] = {}
        self._passed: dict[tuple[str, str], str] = {}

    @property
    def watched(self) -> tuple[Path, ...]:
        """The folders that hold modules and cards."""
        return (self._tools, self._cards, *self._places)

    @property
    def _places(self) -> tuple[Path, ...]:
        return (*([self._company] if self._company.is_dir() else []), *self.folders)

    def find(self, name: str) -> ToolModule:
        """A module that may be loaded: shipped, or a file with TOOLS or cards. Raises NotFound."""
        if _NAME.fullmatch(name):
            own = self._own(name)
            added = name not in BUILTIN_MODULES and own.file.is_file() and _is_tool_module(own)
            if name in self._shipped or added:
                return own
            for folder in self._places:
                if (folder / f"{name}.py").is_file():
                    source = COMPANY if folder == self._company else "local"
                    return ToolModule(name, folder / f"{name}.py", folder / f"{name}.yaml", source, "")
        raise NotFound(worded("modules.not_found", name=name, names=", ".join(self.names())))

    def names(self) -> tuple[str, ...]:
        """Every loadable module: the shipped ones, then what was added, by name."""
        found = [path.stem for path in sorted(self._tools.glob("*.py")) if path.stem not in BUILTIN_MODULES]
        added = [name for name in found if _is_tool_module(self._own(name))]
        added += [path.stem for folder in self._places for path in sorted(folder.glob("*.py"))]
        return tuple(dict.fromkeys((*self._shipped, *(name for name in added if _NAME.fullmatch(name)))))

    def _own(self, name: str) -> ToolModule:
        return ToolModule(name, self._tools / f"{name}.py", self._cards / f"{name}.yaml", "builtin", "app.tools")

    def load(self, name: str, *, tried: bool = True, kept: bool = True) -> tuple[ToolEntry, ...]:
        """The module's tools out of a fresh module object, joined with its cards.

        `tried`: it first has to pass in another process. `kept`: the tools are to be put in force, so that the module
        loaded before goes. Raises NotFound, and ToolLoadError with every fault of module and cards; nothing else is
        touched then.
        """
        module = self.find(name)
        source = _source_of(module)
        number = f"{module.package or 'tool_paths'}.{name}__{next(self._numbers)}"
        faults: list[str] = []
        cards: dict[str, ToolCard] = {}
        with ThreadPoolExecutor(max_workers=1) as aside:
            trial = aside.submit(self._trial, source, module, number) if tried else None
            if name in self._shipped or module.cards.exists():
                try:
                    cards = load_cards(module.cards)
                except DataFaults as error:
                    faults += [str(fault) for fault in error.faults]
            if trial is not None and (fault := trial.result()) is not None:
                raise ToolLoadError(name, [*faults, f"{module.file.name}: {fault}"])
        try:
            made = self._executed(source, module, number)
            entries = entries_of(made, name, cards if not faults else {}, module.source)
        except ToolLoadError as error:
            sys.modules.pop(number, None)
            raise ToolLoadError(name, [*faults, *error.faults]) from error
        if faults:
            sys.modules.pop(number, None)
            raise ToolLoadError(name, faults)
        older = self._loaded.get(name) if kept else number
        if older is not None:
            sys.modules.pop(older, None)
        if kept:
            self._loaded[name] = number
            self._digests[name] = self.digest(name)
        return entries

    def digest(self, name: str) -> str:
        """A hash of the module's source and cards as they lie here. Raises NotFound."""
        module = self.find(name)
        found = hashlib.sha256(_source_of(module))
        found.update(b"\0" + (module.cards.read_bytes() if module.cards.is_file() else b""))
        return found.hexdigest()

    def note_files(self) -> None:
        """From now on `changed` means: changed since now."""
        for name in self.names():
            try:
                self._digests[name] = self.digest(name)
            except (ToolLoadError, OSError):
                self._digests.pop(name, None)

    def changed(self, name: str) -> bool:
        """True when the files are others than those that were loaded last. Raises NotFound, ToolLoadError."""
        return self.digest(name) != self._digests.get(name)

    def load_added(self) -> tuple[ToolEntry, ...]:
        """The tools of every module that does not ship with the service. Raises DataFaults with every fault of all."""
        entries: list[ToolEntry] = []
        faults: list[Fault] = []
        for name in self.names()[len(self._shipped) :]:
            try:
                entries += self.load(name, tried=False)
            except ToolLoadError as error:
                faults += [Fault(self.find(name).file.name, 0, reason) for reason in error.faults]
        if faults:
            raise DataFaults(faults)
        return tuple(entries)

    def abandon(self) -> None:
        """Leave a load that hangs behind: the next one gets another process to try modules out. Waits for nothing."""
        hanging, self._checker = self._checker, ModuleChecker()
        hanging.kill()

    def close(self) -> None:
        """Stop the process that tries modules out."""
        self._checker.close()

    def _trial(self, source: bytes, module: ToolModule, number: str) -> str | None:
        """Its fault; source that passed and has not changed since is not tried again (some 80 ms)."""
        place, digest = (module.package, str(module.file)), hashlib.sha256(source).hexdigest()
        if self._passed.get(place) == digest:
            return None
        fault = self._checker.fault(source, str(module.file), number, module.package, self._timeout_s)
        if fault is None:
            self._passed[place] = digest
        return fault

    def _executed(self, source: bytes, module: ToolModule, name: str) -> ModuleType:
        """Run it here, in a thread of its own: one that hangs here after all is left behind."""
        made: list[ModuleType] = []
        faults: list[str] = []

        def work() -> None:
            try:
                made.append(execute(source, str(module.file), name, module.package))
            except BaseException as error:  # sys.exit ends only this thread; every reason is told
                faults.append(fault_of(error, str(module.file)))

        thread = threading.Thread(target=work, name=f"load-{module.name}", daemon=True)
        thread.start()
        thread.join(self._timeout_s)
        if thread.is_alive():
            faults.append(worded("modules.too_slow", timeout_s=self._timeout_s))
        if faults:
            raise ToolLoadError(module.name, [f"{module.file.name}: {fault}" for fault in faults])
        return made[0]


def _source_of(module: ToolModule) -> bytes:
    try:
        return module.file.read_bytes()
    except OSError as error:
        raise ToolLoadError(
            module.name, [worded("modules.cannot_read", name=module.file.name, strerror=error.strerror)]
        ) from error


def _is_tool_module(module: ToolModule) -> bool:
    """It has cards, or TOOLS at its top level; app/tools holds helpers too."""
    if module.cards.is_file():
        return True
    try:
        return bool(_TOOLS.search(module.file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError):
        return False
