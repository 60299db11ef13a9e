"""Tools known only by name and description, as an imported catalogue would bring them, for measuring the router."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from langchain_core.tools import StructuredTool

from app.json_lines import read_jsonl
from app.toolbox.cards import card_from_description
from app.toolbox.snapshot import ToolEntry

# Words of made-up tools for large catalogues; every combination is a tool of its own.
_VERBS = (
    ("get", "조회한다"), ("list", "목록을 보여준다"), ("search", "검색한다"), ("create", "만든다"),
    ("update", "고친다"),
    ("delete", "지운다"), ("export", "내보낸다"), ("approve", "승인한다"), ("share", "공유한다"),
    ("archive", "보관한다"),
)  # fmt: skip
_PLACES = (
    ("warehouse", "창고"), ("school", "학교"), ("hospital", "병원"), ("hotel", "호텔"), ("airport", "공항"),
    ("factory", "공장"), ("library", "도서관"), ("museum", "박물관"), ("farm", "농장"), ("studio", "작업실"),
    ("city", "시청"), ("bank", "은행"), ("shop", "가게"), ("team", "팀"), ("server", "서버"),
    ("harbor", "항구"), ("court", "법원"), ("station", "역"), ("garden", "정원"), ("stadium", "경기장"),
    ("theater", "극장"), ("clinic", "의원"), ("office", "사무실"), ("fleet", "차량대"), ("lab", "실험실"),
)  # fmt: skip
_THINGS = (
    ("invoice", "청구서"), ("schedule", "일정"), ("ticket", "표"), ("member", "회원"), ("stock", "재고"),
    ("report", "보고서"), ("photo", "사진"), ("message", "쪽지"), ("budget", "예산"), ("device", "기기"),
    ("visitor", "방문객"), ("menu", "식단"), ("repair", "수리 기록"), ("locker", "사물함"), ("survey", "설문"),
    ("badge", "출입증"), ("meter", "계량기"), ("permit", "허가증"), ("sensor", "감지기"), ("lesson", "수업"),
)  # fmt: skip


def foreign_entry(
    name: str, description: str, source: str = "openapi:measured", parameters: Mapping[str, Any] | None = None
) -> ToolEntry:
    """One such tool, with the JSON schema of its arguments where it has one; it is never called."""

    def refuse(**arguments: Any) -> str:
        raise NotImplementedError(name)

    tool = StructuredTool.from_function(
        refuse, name=name, description=description, infer_schema=False, args_schema=dict(parameters or {})
    )
    return ToolEntry(tool, card_from_description(name, description), source, source=source, has_own_card=False)


def read_foreign_tools(path: Path) -> list[ToolEntry]:
    """The tools of a JSON lines file with `name` and `description`."""
    return [foreign_entry(str(row["name"]), str(row["description"])) for row in read_jsonl(path)]


def made_up_tools(count: int) -> list[ToolEntry]:
    """The first `count` (up to 5,000) combinations of verb, place and thing; every second one is told in English."""
    named: Sequence[tuple[str, str]] = [
        (
            f"{verb}_{place}_{thing}",
            f"{there}의 {what}: {does}" if n % 2 else f"{verb.title()} a {thing} of the {place}",
        )
        for n, ((thing, what), (place, there), (verb, does)) in enumerate(
            (thing, place, verb) for thing in _THINGS for place in _PLACES for verb in _VERBS
        )
    ]
    return [foreign_entry(name, description) for name, description in named[:count]]
