"""A catalogue that is imported with names, descriptions and schemas alone: its tools are called with what was said."""

from __future__ import annotations

import asyncio
import json
from datetime import date
from pathlib import Path

from app.routing.examples import training_lines
from scripts.eval_catalogue import FOLDER, measured
from tests.routing.conftest import DATA, Shipped

TALKS = (
    {"id": "1", "text": "온실 토마토에 물 10분 줘", "tool": "water.plants", "args": {"minutes": 10, "plant": "tomato"}},
    {
        "id": "2",
        "text": "빌린 공구 T-77 내일 돌려줄게",
        "tool": "returnTool",
        "args": {"tool_no": "T-77", "day": "2026-11-27"},
    },
)
TOOLS = [
    {"name": "water.plants", "description": "Water the plants of the greenhouse", "parameters": {
        "type": "object", "required": ["plant", "minutes"],
        "properties": {"plant": {"type": "string", "enum": ["tomato", "lettuce"]}, "minutes": {"type": "integer"}}}},
    {"name": "returnTool", "description": "빌려 간 공구의 반납을 접수한다", "parameters": {
        "type": "object", "required": ["tool_no", "day"],
        "properties": {"tool_no": {"type": "string"}, "day": {"type": "string", "format": "date"}}}},
    *({"name": f"{verb}_{thing}", "description": f"{verb.title()} a {thing} of the museum", "parameters": {
        "type": "object", "properties": {}}} for verb in ("list", "archive", "approve", "share", "export")
      for thing in ("painting", "statue", "coin", "vase", "carpet")),
]  # fmt: skip


def test_questions_are_answered_by_the_tools_of_a_catalogue(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    (tmp_path / "talks.jsonl").write_text("\n".join(map(json.dumps, TALKS)), encoding="utf-8")
    counts = asyncio.run(measured(tmp_path, date(2026, 11, 26)))
    assert (counts["questions"], counts["first"], counts["beside_first"], counts["lost"]) == (2, 2, 2, 0)
    assert (counts["tool"], counts["args"], counts["refused"]) == (2, 2, 0)


def test_no_question_of_the_catalogue_is_trained_on(shipped: Shipped) -> None:
    asked = {json.loads(line)["text"] for line in (FOLDER / "talks.jsonl").read_text(encoding="utf-8").splitlines()}
    assert not asked & {line.text for line in training_lines(DATA, shipped.snapshot)}
