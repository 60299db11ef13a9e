"""The protocol's own conformance suite and inspector against our server, over real sockets."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path

import pytest

SUITE = Path(__file__).resolve().parent.parent / "mcp"
BIN = SUITE / "node_modules" / ".bin"
ROW = re.compile(r"^[✓✗] ([\w-]+): \d+ passed, (\d+) failed$", re.MULTILINE)
UNSCORED = re.compile(r"^  [✓✗] ([\w-]+) \(", re.MULTILINE)


async def node(program: str, *arguments: str) -> tuple[int, str]:
    """Exit status and output of one of the npm programs, on the Node that came with them."""
    missing = "npm 패키지가 없습니다: 'python -m scripts.setup_mcp_tests'를 먼저 실행해 주세요"
    assert (BIN / program).exists(), missing
    env = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    pipe = asyncio.subprocess.PIPE
    running = await asyncio.create_subprocess_exec(
        BIN / program, *arguments, stdout=pipe, stderr=asyncio.subprocess.STDOUT, env=env, cwd=SUITE
    )
    output, _ = await asyncio.wait_for(running.communicate(), 60)
    return running.returncode or 0, output.decode()


async def scored(url: str, revision: str) -> tuple[set[str], set[str]]:
    """The scored scenarios that passed and that failed."""
    _, output = await node("conformance", "server", "--url", url, "--requirements", revision)
    rows = {name: failed == "0" for name, failed in ROW.findall(output)}
    left = set(UNSCORED.findall(output.partition("Not scored for")[2]))
    counted = {name: good for name, good in rows.items() if name not in left}
    assert counted, output
    return {name for name, good in counted.items() if good}, {name for name, good in counted.items() if not good}


@pytest.mark.requirement("mcp:conformance:fixtures")
async def test_the_test_build_passes_every_scored_scenario_of_2025_11_25(mcp_urls: dict[str, str]) -> None:
    passed, failed = await scored(mcp_urls["fixtures"], "2025-11-25")
    assert not failed and len(passed) == 30


@pytest.mark.requirement("mcp:conformance:fixtures")
async def test_the_test_build_passes_every_scored_scenario_of_2026_07_28(mcp_urls: dict[str, str]) -> None:
    passed, failed = await scored(mcp_urls["fixtures"], "2026-07-28")
    assert not failed and len(passed) == 37


@pytest.mark.requirement("mcp:conformance:product")
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_the_product_passes_every_scenario_that_needs_no_fixture(mcp_urls: dict[str, str], revision: str) -> None:
    baseline = str(SUITE / f"baseline-{revision}.yml")
    given = ("--requirements", revision, "--expected-failures", baseline)
    status, output = await node("conformance", "server", "--url", mcp_urls["http"], *given)
    assert status == 0, output[-3000:]


@pytest.mark.requirement("mcp:inspector:cli")
async def test_the_inspector_lists_and_calls_the_tools(mcp_urls: dict[str, str]) -> None:
    server = (mcp_urls["http"], "--transport", "http")
    _, output = await node("mcp-inspector", "--cli", *server, "--method", "tools/list")
    tools = json.loads(output)["tools"]
    assert {"insurance_chat", "search_documents", "premium_estimate"} <= {tool["name"] for tool in tools}
    answering = [tool for tool in tools if not tool["name"].startswith("knowledge_")]  # operators' own work
    assert len(answering) == 57 and all(tool["outputSchema"]["type"] == "object" for tool in answering)
    args = [part for value in ("product_code=B00115023", "age=45", "gender=M") for part in ("--tool-arg", value)]
    _, output = await node(
        "mcp-inspector", "--cli", *server, "--method", "tools/call", "--tool-name", "premium_estimate", *args
    )
    assert json.loads(output)["structuredContent"]["premium"] == 20625
