"""Schemathesis over the whole OpenAPI description: whatever is sent, no call ends in a fault of the server."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.api.guarded import guarded

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import schemathesis

EXAMPLES = 12
# What would change the tools of the shared application for other tests.
APART = {"delete_tool", "reload_module", "import_tools"}
UNLIMITED = 1_000_000


def test_every_call_is_described(app: FastAPI) -> None:
    for path, methods in app.openapi()["paths"].items():
        for method, call in methods.items():
            assert call.get("operationId") and call.get("summary") and call.get("tags"), (method, path)


@pytest.mark.requirement("api:openapi:no-server-errors")
async def test_no_generated_call_is_a_server_error(app: FastAPI, tmp_path: Path) -> None:
    limits = ("rate_limit_per_minute", "rate_limit_turns_per_minute", "rate_limit_address_per_minute")
    async with guarded(app, tmp_path, **dict.fromkeys(limits, UNLIMITED)) as gate:
        try:
            seen = await fuzz(app, await gate.client((await gate.key("admin")).key))
        finally:
            await as_it_was(app)
    assert len(seen) >= 25 and all(seen.values())


async def as_it_was(app: FastAPI) -> None:
    """Tools that a generated call switched off, and thresholds that it moved: other tests share the application."""
    services = app.state.yielded["services"]
    if off := await services.desks.switches.off():
        await services.desks.switches.switch(tuple(off), off=False, reason="시험이 끝나 다시 켭니다", author="test")
    for dial in services.desks.thresholds.dials():
        await services.desks.thresholds.move(dial.guard, dial.shipped, "시험이 끝나 되돌립니다", "test")


async def fuzz(app: FastAPI, client: httpx2.AsyncClient) -> dict[str, int]:
    """Send generated requests to every call; how many of each. Fails at the first server error."""
    schema = schemathesis.openapi.from_dict(app.openapi())
    loop = asyncio.get_running_loop()
    seen: dict[str, int] = {}

    def send(case: Any) -> int:
        values = case.as_transport_kwargs(base_url="http://127.0.0.1")
        request = {key: values[key] for key in ("method", "url", "params", "headers", "json") if values.get(key)}
        if isinstance(values.get("data"), bytes | str):
            request["content"] = values["data"]
        future = asyncio.run_coroutine_threadsafe(client.request(**request), loop)
        try:
            return future.result(60).status_code
        except (httpx2.InvalidURL, httpx2.LocalProtocolError, UnicodeEncodeError):
            return 0  # what no client can send

    def check(operation: Any) -> None:
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(data=st.data())
        def run(data: st.DataObject) -> None:
            case = data.draw(operation.as_strategy())
            status = send(case)
            seen[operation.label] = seen.get(operation.label, 0) + 1
            assert status < 500, (operation.label, status, case.as_curl_command())

        run()

    for operation in _operations(schema):
        await asyncio.to_thread(check, operation)
    return seen


def _operations(schema: Any) -> Iterator[Any]:
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.definition.raw.get("operationId") not in APART:
            yield operation
