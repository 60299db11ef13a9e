"""The content folder in force. A company's folder holds what is the company's; what every company shares (language,
guards, models) comes from the shipped data, and a file of the same name in the company's folder goes before it.

The whole is a tree of links in DATA_DIR/content, put right at each start, so that whoever reads a content folder finds
everything in one place.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from app.errors import DataFaults, Unavailable
from app.insurance.company import read_company
from app.settings import ROOT, Settings

NEUTRAL = ROOT / "templates" / "company"
"""A company that sells nothing yet: `scripts.new_company` copies it, and its language files say nothing of products."""
_NEUTRAL_FOLDERS = ("language",)
_SHARED_FOLDERS = ("language", "safety", "models", "forms", "told", "prompts")
_NOT_SHARED = ("models/routing", "safety/development")
_SHARED_FILES = (
    "reference/kcd.csv", "reference/jobs.csv", "reference/job_rules.yaml", "reference/findings.yaml",
    "reference/condition_rules.yaml", "reference/disclosure_questions.yaml", "reference/reinstatement.yaml",
    "reference/disclaimers.yaml", "routing/no_tool.jsonl", "utterances/no_tool.txt", "utterances/outside.txt",
    "utterances/inside.txt", "tool_cards/rag_tools.yaml", "evaluation/routing/development.jsonl",
)  # fmt: skip
_ALWAYS = ("products", "premiums", "knowledge", "documents", "evaluation", "dialogues")


def named(settings: Settings) -> Settings:
    """The settings with the company's own name, unless COMPANY_NAME says another; as they are where the folder names no
    company, or its company.yaml is broken: opening tells that."""
    try:
        company = read_company(settings.content_dir)
    except DataFaults:
        company = None
    if company is None or "company_name" in settings.model_fields_set:
        return settings
    return settings.model_copy(update={"company_name": company.name})


def settings_in_force(settings: Settings) -> Settings:
    """The settings with the company's name and its whole content folder; as they are where the folder names no company.

    Raises DataFaults for a broken company.yaml, Unavailable where DATA_DIR cannot be written.
    """
    if read_company(settings.content_dir) is None:
        return settings
    try:
        whole = join(settings.content_dir, settings.data_dir / "content")
    except OSError as error:
        place = settings.data_dir
        raise Unavailable(
            f"자료 폴더를 {place}에 펼칠 수 없습니다({error.strerror}). 디스크 공간과 권한을 확인해 주세요."
        ) from error
    return named(settings).model_copy(update={"content_dir": whole})


def join(company: Path, place: Path) -> Path:
    """The tree of links below `place` that holds the company's files over the shared ones. Raises OSError."""
    root = place / company.resolve().name
    wanted = _wanted(company.resolve())
    for name in (*_ALWAYS, *{Path(name).parent.as_posix() for name in wanted}):
        _real_folder(root / name)
    for name, target in wanted.items():
        _link(root / name, target)
    for path in sorted(root.rglob("*"), reverse=True):
        if path.is_symlink() and path.relative_to(root).as_posix() not in wanted:
            path.unlink()
    return root


def _wanted(company: Path) -> dict[str, Path]:
    """Each file of the whole, by its name below it; the company's folders that share nothing are one link each."""
    shipped = ROOT / "data"
    wanted = {name: shipped / name for name in _SHARED_FILES}
    for folder in _SHARED_FOLDERS:
        wanted |= {name: shipped / name for name in _files(shipped, folder) if not name.startswith(_NOT_SHARED)}
    for folder in _NEUTRAL_FOLDERS:
        wanted |= {name: NEUTRAL / name for name in _files(NEUTRAL, folder)}
    mixed = {Path(name).parts[0] for name in wanted} | {"knowledge"}
    for child in sorted(company.iterdir()):
        if child.name.startswith((".", "__")):
            continue
        if child.is_dir() and child.name in mixed:
            wanted |= {name: company / name for name in _files(company, child.name)}
        else:
            wanted[child.name] = child
    return wanted


def _files(root: Path, folder: str) -> Iterator[str]:
    for path in sorted((root / folder).rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            yield path.relative_to(root).as_posix()


def _real_folder(path: Path) -> None:
    if path.is_symlink():
        path.unlink()
    path.mkdir(parents=True, exist_ok=True)


def _link(path: Path, target: Path) -> None:
    """Several processes of one DATA_DIR may do this at once: each exchanges a link whole."""
    if path.is_symlink() and path.readlink() == target:
        return
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.symlink_to(target)
    draft.replace(path)
