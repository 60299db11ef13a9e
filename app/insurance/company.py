"""Who the company is: company.yaml of its content folder. The shipped data have none and are what all defaults mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from app.errors import DataFaults, Fault
from app.insurance.catalogue_files import DataReader, FaultLog
from app.insurance.models import Model
from app.settings import COMPANY_FILE

_Question = Annotated[str, Field(min_length=2, max_length=60)]


class Suggestions(Model):
    """Questions that the empty page offers under one heading."""

    title: str = Field(min_length=1, max_length=20)
    questions: tuple[_Question, ...] = Field(min_length=1, max_length=2)


class Company(Model):
    """A company whose products, tools and texts stand in a folder of its own.

    `modules` are the shipped tool modules that it uses beside its own ones in tools/.
    """

    name: str = Field(min_length=1, max_length=40, description="화면과 답변에 쓰는 회사 이름")
    modules: tuple[str, ...] = Field((), description="함께 쓰는 기본 도구 모듈, 예: rag_tools")
    suggestions: tuple[Suggestions, ...] = Field((), max_length=3, description="첫 화면의 보기 질문")


def chosen_modules(content_dir: Path, shipped: tuple[str, ...]) -> tuple[str, ...]:
    """Which of the `shipped` modules this folder uses: all, or those that its company.yaml names, in their order.

    Raises DataFaults for a broken file and for a name that is none of theirs.
    """
    company = read_company(content_dir)
    if company is None:
        return shipped
    place, known = f"{content_dir.name}/{COMPANY_FILE}", ", ".join(shipped)
    faults = [
        Fault(place, 0, f"modules: {name!r}라는 기본 도구 모듈은 없습니다 (쓸 수 있는 것: {known})")
        for name in company.modules
        if name not in shipped
    ]
    if faults:
        raise DataFaults(faults)
    return tuple(name for name in shipped if name in company.modules)


def read_company(content_dir: Path) -> Company | None:
    """The company of this folder; None where it has no company.yaml. Raises DataFaults with every fault of the file."""
    if not (content_dir / COMPANY_FILE).is_file():
        return None
    log = FaultLog()
    found = DataReader(content_dir, "", log).yaml_one(COMPANY_FILE, Company)
    log.check()
    return found.value if found else None
