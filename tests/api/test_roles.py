"""The calls that change the tool set, the cards and the approvals refuse every role below their own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from app.access import ROLE_ORDER, Role
from tests.api.guarded import Guarded, guarded

CALLS: tuple[tuple[str, str, Any, Role], ...] = (
    ("GET", "/api/tools", None, "staff"),
    ("POST", "/api/tools/nothing/invoke", {"args": {}}, "staff"),
    ("POST", "/api/tools/reload-module/nothing", None, "admin"),
    ("DELETE", "/api/tools/nothing", None, "admin"),
    ("GET", "/api/tools/nothing/card", None, "operator"),
    ("PUT", "/api/tools/nothing/card", {"card": {}}, "operator"),
    ("GET", "/api/tools/nothing/card/versions", None, "operator"),
    ("POST", "/api/tools/nothing/card/rollback", {"version": 1}, "operator"),
)


@pytest.fixture(scope="module")
async def gate(app: FastAPI, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Guarded]:
    folder: Path = tmp_path_factory.mktemp("roles-var")
    async with guarded(app, folder) as opened:
        yield opened


@pytest.mark.parametrize(("method", "path", "body", "least"), CALLS, ids=[f"{c[0]} {c[1]}" for c in CALLS])
async def test_each_call_refuses_the_roles_below_its_own(
    gate: Guarded, method: str, path: str, body: Any, least: Role
) -> None:
    visitor = await gate.client(address="203.0.113.78")
    assert (await visitor.request(method, path, json=body)).status_code == 403
    for role in ROLE_ORDER:
        client = await gate.client((await gate.key(role)).key)
        status = (await client.request(method, path, json=body)).status_code
        if ROLE_ORDER.index(role) < ROLE_ORDER.index(least):
            assert status == 403, (role, status)
        else:
            assert status not in (401, 403), (role, status)


async def test_everybody_sees_their_own_approvals_and_nobody_elses(gate: Guarded) -> None:
    for role in ROLE_ORDER:
        client = await gate.client((await gate.key(role)).key)
        found = await client.get("/api/approvals")
        assert found.status_code == 200
        assert (await client.post("/api/approvals/ap_nothing", json={"decision": "approve"})).status_code == 404


async def test_a_role_cannot_invoke_what_is_above_it(gate: Guarded) -> None:
    customer = await gate.client((await gate.key("customer")).key)
    assert (await customer.post("/api/tools/premium_estimate/invoke", json={"args": {}})).status_code == 403
