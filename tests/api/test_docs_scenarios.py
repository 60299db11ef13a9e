"""The five scenarios of docs/scenarios.md are answered as the page says."""

from __future__ import annotations

import json
import re

import httpx2
import pytest

from app.settings import ROOT

_SECTION = re.compile(r"^\*\*([A-E])\. (.*?)(?=^\*\*[A-E]\. |\Z)", re.MULTILINE | re.DOTALL)
SCENARIOS = _SECTION.findall((ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8"))


def test_there_are_five_of_them() -> None:
    assert [letter for letter, _ in SCENARIOS] == list("ABCDE")


@pytest.mark.parametrize(("letter", "text"), SCENARIOS, ids=[letter for letter, _ in SCENARIOS])
async def test_a_scenario_is_answered_as_the_page_says(staff: httpx2.AsyncClient, letter: str, text: str) -> None:
    asked = [json.loads(body) for body in re.findall(r"^ask '(.+)'$", text, re.MULTILINE)]
    (shown,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    assert asked
    for body in asked:
        answer = await staff.post("/api/chat", json={**body, "thread_id": f"page-{letter}"})
        assert answer.status_code == 200, answer.text
    reply = answer.json()
    for line in filter(None, (line.rstrip("… ") for line in shown.splitlines())):
        assert line in reply["answer"]
    tools = re.search(r"도구 ((?:`\w+`(?:, )?)+)", text)
    if tools:
        assert set(re.findall(r"\w+", tools[1])) <= set(reply["tools_used"])
    layer = re.search(r'"layer": "(L\d)"', text)
    assert (reply["guard"]["input"], reply["guard"].get("layer")) == (("block", layer[1]) if layer else ("pass", None))
