"""Logging a browser in: the cookie, the CSRF token, and what ends a login."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI

from tests.api.guarded import Guarded, guarded
from tests.api.test_errors import check_problem

HERE = {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin"}


@pytest.fixture
async def gate(app: FastAPI, tmp_path: Path) -> AsyncIterator[Guarded]:
    async with guarded(app, tmp_path, host="0.0.0.0") as opened:
        yield opened


async def logged_in(gate: Guarded, role: str = "staff", **where: str) -> tuple[httpx2.AsyncClient, str, str]:
    """A browser that logged in: client, CSRF token, key id."""
    made = await gate.key(role)  # type: ignore[arg-type]
    client = await gate.client(**where)
    reply = (await client.post("/api/login", json={"key": made.key}, headers=HERE)).json()
    return client, reply["csrf_token"], made.record.key_id


async def test_a_key_logs_a_browser_in_and_the_cookie_is_out_of_reach_of_scripts(gate: Guarded) -> None:
    made = await gate.key("operator")
    client = await gate.client()
    response = await client.post("/api/login", json={"key": made.key}, headers=HERE)
    assert response.status_code == 200 and response.json()["role"] == "operator"
    cookie = response.headers["set-cookie"].lower()
    assert cookie.startswith("session=") and "httponly" in cookie and "samesite=lax" in cookie and "path=/" in cookie
    assert made.key not in response.text and made.key.lower() not in cookie
    me = (await client.get("/api/me")).json()
    assert (me["role"], me["way"], me["id"]) == ("operator", "session", f"key:{made.record.key_id}")


async def test_behind_tls_the_cookies_are_secure(gate: Guarded) -> None:
    made = await gate.key("staff")
    client = await gate.client(base="https://127.0.0.1")
    response = await client.post("/api/login", json={"key": made.key})
    assert "secure" in response.headers["set-cookie"].lower()
    visitor = await (await gate.client(base="https://127.0.0.1")).get("/api/me")
    assert "secure" in visitor.headers["set-cookie"].lower()


async def test_a_wrong_key_logs_nobody_in(gate: Guarded) -> None:
    client = await gate.client()
    response = await client.post("/api/login", json={"key": "ins_000000000000_" + "a" * 43}, headers=HERE)
    check_problem(response, 401)
    assert "set-cookie" not in response.headers
    assert (await client.get("/api/me")).json()["role"] == "customer"


async def test_an_unsafe_call_of_a_login_repeats_its_csrf_token(gate: Guarded) -> None:
    client, token, _ = await logged_in(gate)
    body = {"query": "암보험 종류"}
    check_problem(await client.post("/api/route", json=body, headers=HERE), 403)
    check_problem(await client.post("/api/route", json=body, headers={**HERE, "X-CSRF-Token": token + "x"}), 403)
    _, other, _ = await logged_in(gate)
    check_problem(await client.post("/api/route", json=body, headers={**HERE, "X-CSRF-Token": other}), 403)
    assert (await client.post("/api/route", json=body, headers={**HERE, "X-CSRF-Token": token})).status_code == 200
    assert (await client.get("/api/tools")).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://attacker.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1"},
        {"Origin": "http://127.0.0.1:9999"},
    ],
)
async def test_another_sites_page_can_do_nothing_unsafe(
    gate: Guarded, staff: httpx2.AsyncClient, headers: dict[str, str]
) -> None:
    client, token, _ = await logged_in(gate)
    sent = {**headers, "X-CSRF-Token": token}
    check_problem(await client.post("/api/route", json={"query": "암보험"}, headers=sent), 403)
    check_problem(await client.post("/api/login", json={"key": "x"}, headers=headers), 403)
    # nor in local mode, where no cookie is needed at all
    check_problem(await staff.post("/api/chat", json={"query": "암보험"}, headers=headers), 403)


async def test_a_proxy_that_changes_the_host_does_not_shut_the_page_out(gate: Guarded) -> None:
    client, token, _ = await logged_in(gate)
    sent = {"Origin": "https://chat.example", "Sec-Fetch-Site": "same-origin", "X-CSRF-Token": token}
    assert (await client.post("/api/route", json={"query": "암보험"}, headers=sent)).status_code == 200


async def test_logging_out_ends_the_cookie_and_its_copies(gate: Guarded) -> None:
    client, token, _ = await logged_in(gate)
    copy = await gate.client()
    copy.cookies = httpx2.Cookies(client.cookies)
    assert (await copy.get("/api/me")).json()["role"] == "staff"
    assert (await client.post("/api/logout", headers={**HERE, "X-CSRF-Token": token})).status_code == 200
    assert (await client.get("/api/me")).json()["role"] == "customer"
    assert (await copy.get("/api/me")).json()["role"] == "customer"


async def test_revoking_the_key_ends_its_logins(gate: Guarded) -> None:
    client, _, key_id = await logged_in(gate)
    await gate.gate.keys.revoke(key_id)
    assert (await client.get("/api/me")).json()["way"] == "visitor"


async def test_a_cookie_that_was_changed_or_signed_elsewhere_is_no_login(gate: Guarded, app: FastAPI) -> None:
    client, _, _ = await logged_in(gate, "admin")
    good = client.cookies["session"]
    from itsdangerous import URLSafeTimedSerializer

    forged = str(
        URLSafeTimedSerializer("guess", salt="session").dumps({"t": ["local", "admin", None], "e": 9e9, "c": "c"})
    )
    for cookie in (good[:-3] + "abc", forged, "x", client.cookies.get("visitor") or "y"):
        stranger = await gate.client(Cookie=f"session={cookie}")
        assert (await stranger.get("/api/me")).json()["way"] == "visitor"


async def test_a_login_and_its_key_share_their_conversations(gate: Guarded) -> None:
    made = await gate.key("customer")
    browser = await gate.client()
    token = (await browser.post("/api/login", json={"key": made.key})).json()["csrf_token"]
    asked = {"query": "암보험 종류 알려 주세요", "thread_id": "login-share"}
    assert (await browser.post("/api/chat", json=asked, headers={"X-CSRF-Token": token})).status_code == 200
    program = await gate.client(made.key)
    assert [t["thread_id"] for t in (await program.get("/api/threads")).json()["threads"]] == ["login-share"]


async def test_the_page_offers_a_login_outside_local_mode_and_carries_the_token(
    gate: Guarded, staff: httpx2.AsyncClient
) -> None:
    client, token, _ = await logged_in(gate)
    assert f'"csrf": "{token}"' in (await client.get("/")).text
    assert '"way": "session"' in (await client.get("/")).text
    stranger = (await (await gate.client()).get("/")).text
    assert '"way": "visitor"' in stranger and '"role": "customer"' in stranger
    assert '"way": "local"' in (await staff.get("/")).text
