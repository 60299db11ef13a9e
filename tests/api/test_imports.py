"""POST /api/tools/import and what follows from it: found by questions, called, approved, kept, taken out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

from app.services import Services
from tests.api.own_app import own_app
from tests.toolbox.http_service import Service, http_service

SPECS = Path(__file__).resolve().parent.parent / "toolbox" / "specs"
SETTINGS = {
    "tool_source_hosts": "localhost:*",
    "tool_source_networks": "127.0.0.0/8,::1/128",
    "tool_source_auth": '{"pets": {"type": "bearer", "token": "tok-123456"}}',
}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with http_service() as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("imports-var")


@pytest.fixture(scope="module")
async def opened(folder: Path) -> AsyncIterator[tuple[Services, httpx2.AsyncClient]]:
    async with own_app(folder, **SETTINGS) as both:
        yield both


def wanted(service: Service, **more: Any) -> dict[str, Any]:
    spec = yaml.safe_load((SPECS / "petstore2.yaml").read_text(encoding="utf-8"))
    return {"kind": "openapi", "name": "pets", "spec": spec, "base_url": service.url, **more}


async def test_an_api_becomes_tools_that_are_found_called_approved_and_taken_out(
    opened: tuple[Services, httpx2.AsyncClient], service: Service, folder: Path
) -> None:
    services, client = opened
    before = (await client.get("/api/tools")).json()
    assert before["count"] == 54 and {t["name"] for t in before["operator_tools"]} == {
        "knowledge_read", "knowledge_search", "knowledge_edit",
    }  # fmt: skip
    assert (await client.get("/api/health")).json()["tools_count"] == 54
    answer = (await client.post("/api/tools/import", json=wanted(service))).json()
    assert answer["status"] == "ok" and answer["tools_count"] == 59
    assert answer["registry_version"] == before["registry_version"] + 1
    hints = {tool["name"]: tool["annotations"] for tool in answer["registered"]}
    assert hints["delete_pet"] == {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True}
    assert answer["skipped"][0]["operation"] == "uploadFile"

    routed = (await client.post("/api/route", json={"query": "find pets by status"})).json()
    assert "find_pets_by_status" in [candidate["tool"] for candidate in routed["candidates"]]
    called = await client.post("/api/tools/get_pet_by_id/invoke", json={"args": {"petId": 7}})
    assert called.status_code == 200 and called.json()["result"]["data"]["path"] == "/pet/7"
    assert "tok-123456" not in called.text and service.seen[-1]["headers"]["authorization"] == "Bearer tok-123456"

    seen = len(service.seen)
    asked = await client.post("/api/tools/delete_pet/invoke", json={"args": {"petId": 7}})
    assert asked.status_code == 202 and len(service.seen) == seen
    approval = asked.json()["approval"]["id"]
    decided = await client.post(f"/api/approvals/{approval}", json={"decision": "approve"})
    assert decided.status_code == 200 and service.seen[-1]["method"] == "DELETE" and len(service.seen) == seen + 1
    wrong = await client.post("/api/tools/delete_pet/invoke", json={"args": {"petId": "seven"}})
    assert wrong.status_code == 422 and "petId" in wrong.json()["detail"]

    listed = (await client.get("/api/tools/sources")).json()["sources"]
    assert listed[0]["name"] == "pets" and len(listed[0]["tools"]) == 5 and "spec" not in listed[0]
    smaller = (await client.post("/api/tools/import", json=wanted(service, include=["pet"]))).json()
    assert [tool["name"] for tool in smaller["registered"]] == ["get_pet_by_id"] and len(smaller["removed"]) == 4
    assert (await client.post("/api/tools/sources/pets/refresh")).json()["tools_count"] == 55
    gone = (await client.delete("/api/tools/sources/pets")).json()
    assert gone["tools_count"] == 54 and "get_pet_by_id" not in services.tools.registry.snapshot()
    assert (await client.delete("/api/tools/sources/pets")).status_code == 404


async def test_a_description_is_fetched_from_an_allowed_address(
    opened: tuple[Services, httpx2.AsyncClient], service: Service
) -> None:
    _, client = opened
    text = (SPECS / "weather.yaml").read_text(encoding="utf-8").replace("http://api.test/weather", "/weather")
    service.documents["weather.yaml"] = text
    answer = await client.post(
        "/api/tools/import", json={"kind": "openapi", "name": "weather", "url": f"{service.url}/docs/weather.yaml"}
    )
    assert answer.status_code == 200, answer.text
    assert "previous instructions" not in answer.text and answer.json()["warnings"]
    called = await client.post("/api/tools/get_current_weather/invoke", json={"args": {"q": "Seoul"}})
    assert called.json()["result"]["data"]["path"] == "/weather/current"
    await client.delete("/api/tools/sources/weather")


REFUSED = [
    ({"kind": "openapi", "name": "x", "spec": {"openapi": "3.0.0", "paths": {}}}, 422),
    ({"kind": "openapi", "name": "xx", "spec": {"openapi": "3.0.0", "paths": {}}}, 400),
    ({"kind": "openapi", "name": "xx"}, 400),
    ({"kind": "openapi", "name": "xx", "url": "http://evil.test/spec"}, 400),
    ({"kind": "openapi", "name": "xx", "url": "file:///etc/passwd"}, 400),
    ({"kind": "mcp", "name": "xx", "transport": "stdio", "command": "/bin/sh", "args": ["-c", "id"]}, 400),
    ({"kind": "mcp", "name": "xx", "transport": "stdio"}, 422),
    ({"kind": "mcp", "name": "xx", "transport": "http", "url": "http://evil.test/mcp"}, 400),
    ({"kind": "mcp", "name": "xx", "transport": "http", "url": "http://localhost:9/mcp"}, 503),
    ({"kind": "soap", "name": "xx"}, 422),
]


@pytest.mark.parametrize(("body", "status"), REFUSED)
async def test_what_cannot_be_imported_is_refused_and_changes_nothing(
    opened: tuple[Services, httpx2.AsyncClient], body: dict[str, Any], status: int
) -> None:
    services, client = opened
    before = services.tools.registry.snapshot()
    answer = await client.post("/api/tools/import", json=body)
    assert answer.status_code == status, answer.text
    assert (
        services.tools.registry.snapshot() is before and (await client.get("/api/tools/sources")).json()["count"] == 0
    )


COURSE = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "region": {"type": "string"},
        "green_fee": {"type": "integer", "description": "그린피, 원"},
        "teeOff": {"type": "string", "description": "첫 티오프(현지 시각)"},
    },
}
GOLF = {
    "openapi": "3.0.0",
    "info": {"title": "golf", "version": "1"},
    "paths": {
        "/courses": {
            "get": {
                "operationId": "listCourses",
                "summary": "골프장 목록 조회",
                "description": "지역별 골프장과 그린피를 알려 줍니다. 골프장 알려줘, 골프장 어디 있어.",
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {
                                "schema": {"properties": {"courses": {"type": "array", "items": COURSE}}}
                            }
                        }
                    }
                },
            }
        },
        "/bookings": {
            "post": {"operationId": "create_booking", "summary": "골프장 예약 만들기"},
            "delete": {"operationId": "cancelBooking"},
        },
    },
}
COURSES = {
    "courses": [
        {"name": "한라 CC", "region": "제주", "green_fee": 180000, "teeOff": "2026-08-01T06:30:00+09:00"},
        {"name": "남서울 CC", "region": "경기", "green_fee": 231500, "teeOff": "2026-08-01T07:10:00+09:00"},
    ]
}


@pytest.mark.requirement("answers:unknown-tools:by-shape")
async def test_results_of_imported_tools_are_told_in_words(
    opened: tuple[Services, httpx2.AsyncClient], service: Service
) -> None:
    _, client = opened
    service.answers["/courses"] = COURSES
    body = {"kind": "openapi", "name": "golf", "spec": GOLF, "base_url": service.url}
    assert (await client.post("/api/tools/import", json=body)).status_code == 200
    reply = (await client.post("/api/chat", json={"query": "골프장 목록 조회해 줘"})).json()
    await client.delete("/api/tools/sources/golf")
    assert reply["tools_used"] == ["list_courses"]
    assert "| 한라 CC | 제주 | 180,000원 | 2026년 8월 1일 6시 30분 |" in reply["answer"]
    assert "| 이름 | 지역 | 그린피 | 첫 티오프 |" in reply["answer"] and "231,500원" in reply["answer"]
    assert not any(raw in reply["answer"] for raw in ("green_fee", "courses", "{", "source", "golf"))


@pytest.mark.requirement("imports:titles:words")
async def test_titles_of_imported_tools_and_their_approvals_are_words(
    opened: tuple[Services, httpx2.AsyncClient], service: Service
) -> None:
    _, client = opened
    body = {"kind": "openapi", "name": "golf", "spec": GOLF, "base_url": service.url}
    await client.post("/api/tools/import", json=body)
    rows = (await client.get("/api/admin/tools")).json()["tools"]
    titles = {row["name"]: row["title"] for row in rows if row["source"] == "openapi:golf"}
    asked = [(await client.post(f"/api/tools/{name}/invoke", json={"args": {}})).json() for name in titles]
    kept = (await client.get("/api/approvals")).json()["approvals"]
    await client.delete("/api/tools/sources/golf")
    left = (await client.get("/api/approvals")).json()["approvals"]
    assert titles == {
        "list_courses": "골프장 목록 조회", "create_booking": "골프장 예약 만들기", "cancel_booking": "Cancel booking",
    }  # fmt: skip
    waiting = [answer["approval"] for answer in asked if answer.get("status") == "pending"]
    assert {card["title"] for card in waiting} == {"골프장 예약 만들기", "Cancel booking"}
    for card in (*waiting, *kept, *left):
        assert card["tool"] not in card["title"] and card["tool"] not in card["effect"], card
        assert "cancelBooking" not in card["effect"] and "/bookings" not in card["effect"], card


async def test_what_was_imported_is_there_after_a_restart_even_when_its_server_is_not(tmp_path: Path) -> None:
    with http_service() as service:
        async with own_app(tmp_path, **SETTINGS) as (_, client):
            assert (await client.post("/api/tools/import", json=wanted(service))).status_code == 200
    async with own_app(tmp_path, **SETTINGS) as (services, client):
        assert "get_pet_by_id" in services.tools.registry.snapshot()
        answer = await client.post("/api/tools/get_pet_by_id/invoke", json={"args": {"petId": 1}})
        assert answer.status_code == 422 and "연결할 수 없습니다" in answer.json()["detail"]
        assert (await client.get("/api/health")).json()["tools_count"] == 59
