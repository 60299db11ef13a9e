"""Imported operations called at a real service: what is sent, what comes back, and where no call ever goes."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from app.adapters.outside import NetworkRules, OutsideClient, OutsideRequest
from app.adapters.source_auth import read_auth
from app.errors import AppError, BadRequest, StartError, ToolFailed, Unavailable
from app.toolbox.openapi_ingest import openapi_entries, parse_openapi
from app.toolbox.snapshot import ToolEntry

from .http_service import Service, http_service

SPECS = Path(__file__).resolve().parent / "specs"
LOCAL = NetworkRules(("localhost:*",), ("127.0.0.0/8", "::1/128"))


@pytest.fixture(scope="module")
def running() -> Iterator[Service]:
    with http_service() as service:
        yield service


@pytest.fixture
def service(running: Service) -> Service:
    running.seen.clear()
    running.failing = 0
    return running


@pytest.fixture
async def client() -> AsyncIterator[OutsideClient]:
    made = OutsideClient(LOCAL, 2.0)
    yield made
    await made.close()


def entries(client: OutsideClient, spec: Any, base: str, auth: str | None = None, **more: Any) -> dict[str, ToolEntry]:
    held = read_auth(SecretStr(auth) if auth else None).get("src")
    parsed = parse_openapi(spec, "src", base_url=base)
    return {entry.name: entry for entry in openapi_entries(parsed, "src", client, held, **more)}


async def called(entry: ToolEntry, **args: Any) -> Any:
    call = {"name": entry.name, "args": args, "id": "1", "type": "tool_call"}
    message = await entry.tool.ainvoke(call)
    return message.artifact.data


def operation(path: str, method: str = "get", **more: Any) -> dict[str, Any]:
    return {"openapi": "3.0.0", "paths": {path: {method: {"operationId": "doIt", **more}}}}


async def test_path_query_and_header_arguments_go_where_they_belong(service: Service, client: OutsideClient) -> None:
    found = entries(client, SPECS / "code_host.yaml", f"{service.url}/code")
    sent = await called(
        found["issues_list_for_repo"], owner="a b/../c", repo="r?x=1", labels=["bug", "ui"], filter={"state": "open"}
    )
    assert sent["path"] == "/code/repos/a%20b%2F..%2Fc/r%3Fx%3D1/issues"
    assert sent["query"] == [["labels", "bug,ui"], ["filter[state]", "open"]]
    pets = entries(client, SPECS / "petstore3.json", service.url)
    sent = await called(pets["list_pets"], **{"limit": 3, "X-Trace": "t-1"})
    assert sent["query"] == [["limit", "3"]] and sent["headers"]["x-trace"] == "t-1"


async def test_bodies_are_json_or_forms(service: Service, client: OutsideClient) -> None:
    pets = entries(client, SPECS / "petstore2.yaml", service.url)
    sent = await called(pets["add_pet"], name="콩이")
    assert json.loads(sent["body"]) == {"name": "콩이"} and sent["headers"]["content-type"] == "application/json"
    sent = await called(pets["update_pet_with_form"], petId=3, name="별이", status="sold")
    assert sent["body"] == "name=%EB%B3%84%EC%9D%B4&status=sold" and sent["path"] == "/pet/3"
    pay = entries(client, SPECS / "payments.yaml", service.url)
    assert json.loads((await called(pay["post_transfers"], body={"bank": "k"}))["body"]) == {"bank": "k"}
    sent = await called(pets["find_pets_by_status"], status=["sold", "pending"])
    assert sent["query"] == [["status", "sold"], ["status", "pending"]]


AUTH = [
    ('{"src": {"type": "bearer", "token": "tok-123456"}}', "authorization", "Bearer tok-123456"),
    ('{"src": {"type": "basic", "username": "u", "password": "pw-1234"}}', "authorization", "Basic dTpwdy0xMjM0"),
    ('{"src": {"type": "api_key", "value": "key-9876"}}', "api_key", "key-9876"),
    ('{"src": {"type": "api_key", "value": "key-9876", "name": "sid", "in": "cookie"}}', "cookie", "sid=key-9876"),
]


@pytest.mark.parametrize(("auth", "header", "value"), AUTH)
async def test_credentials_are_sent_and_never_come_back(
    service: Service, client: OutsideClient, auth: str, header: str, value: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    found = entries(client, SPECS / "petstore2.yaml", service.url, auth)
    answer = await called(found["get_pet_by_id"], petId=1)
    assert service.seen[-1]["headers"][header] == value
    secret = value.split()[-1].removeprefix("sid=")
    assert secret not in json.dumps(answer) and "***" in json.dumps(answer)
    assert secret not in caplog.text and secret not in repr(found)


async def test_a_key_goes_into_the_query_where_the_description_says_so(service: Service, client: OutsideClient) -> None:
    found = entries(client, SPECS / "payments.yaml", service.url, '{"src": {"type": "api_key", "value": "k-12345"}}')
    await called(found["get_charge"], id="c1")
    assert ("key", "k-12345") in [tuple(pair) for pair in service.seen[-1]["query"]]


@pytest.mark.parametrize("raw", ["{", '{"src": {"type": "magic"}}', '{"src": {"type": "bearer", "tokn": "s3cret"}}'])
def test_credentials_that_cannot_be_read_stop_the_start_unseen(raw: str) -> None:
    with pytest.raises(StartError, match="TOOL_SOURCE_AUTH") as refused:
        read_auth(SecretStr(raw))
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(("method", "calls"), [("get", 3), ("put", 3), ("delete", 3), ("post", 1), ("patch", 1)])
async def test_only_idempotent_calls_are_tried_again(
    service: Service, client: OutsideClient, method: str, calls: int
) -> None:
    found = entries(client, operation("/thing", method), service.url)
    service.failing = 10
    with pytest.raises(Unavailable, match="503"):
        await called(found["do_it"])
    assert len(service.seen) == calls
    if calls > 1:
        service.failing = 1
        assert (await called(found["do_it"]))["method"] == method.upper()


async def test_a_slow_server_costs_its_time_out_and_a_dead_one_nothing(service: Service) -> None:
    client = OutsideClient(LOCAL, 0.5)
    found = entries(client, operation("/special/slow"), service.url)
    started = time.monotonic()
    with pytest.raises(Unavailable, match=r"0\.5초"):
        await called(found["do_it"])
    assert time.monotonic() - started < 1.5
    dead = entries(client, operation("/x", "post"), "http://localhost:9")
    with pytest.raises(Unavailable, match="연결할 수 없습니다"):
        await called(dead["do_it"])
    await client.close()


async def test_refusals_are_told_with_their_reason(service: Service, client: OutsideClient) -> None:
    found = entries(client, operation("/special/refused"), service.url)
    with pytest.raises(ToolFailed, match=r"404.*no such pet"):
        await called(found["do_it"])


async def test_long_answers_are_trimmed_and_say_so(service: Service, client: OutsideClient) -> None:
    found = entries(client, operation("/special/long"), service.url, limit=1500)
    message = await found["do_it"].tool.ainvoke({"name": "do_it", "args": {}, "id": "1", "type": "tool_call"})
    assert message.artifact.truncated and "1000개 가운데" in message.artifact.note
    assert len(message.content) < 2000 and message.artifact.data[0]["id"] == 0
    for kind in ("huge", "picture", "plain"):
        found = entries(client, operation(f"/special/{kind}"), service.url, limit=1500)
        assert len(json.dumps(await called(found["do_it"]), ensure_ascii=False)) < 2000


async def test_bad_arguments_never_leave(service: Service, client: OutsideClient) -> None:
    pets = entries(client, SPECS / "petstore2.yaml", service.url)
    with pytest.raises(BadRequest, match="petId: 종류"):
        await called(pets["get_pet_by_id"], petId="one")
    found = entries(client, SPECS / "code_host.yaml", service.url)
    with pytest.raises(BadRequest, match="주소에 쓸 수 없는"):
        await called(found["issues_create"], owner="..", repo="r", title="t")
    with pytest.raises(BadRequest, match="헤더"):
        await called(entries(client, SPECS / "petstore3.json", service.url)["list_pets"], **{"X-Trace": "a\r\nHost: b"})
    assert service.seen == []


@pytest.mark.requirement("imports:network:origin")
async def test_a_redirect_is_followed_on_its_own_server_alone(service: Service) -> None:
    client = OutsideClient(NetworkRules(("localhost:*", "127.0.0.1:*", "169.254.169.254"), LOCAL.networks), 2.0)
    secret = (("Authorization", "Bearer tok-123456"),)
    reply = await client.send(
        OutsideRequest("GET", f"{service.url}/special/inside", secret_headers=secret), idempotent=True
    )
    assert json.loads(reply.body)["headers"]["authorization"] == "Bearer tok-123456"
    posted = await client.send(OutsideRequest("POST", f"{service.url}/special/inside"), idempotent=False)
    assert posted.status == 302
    with pytest.raises(Unavailable, match="끝없이"):
        await client.send(OutsideRequest("GET", f"{service.url}/special/round"), idempotent=True)
    service.seen.clear()
    # Both servers are allowed, and still neither sends callers to the other, nor to another port or scheme of its own.
    for method in ("GET", "POST"):
        for kind in ("sideways", "outside", "next-door", "upgraded"):
            with pytest.raises(BadRequest, match=r"다른 서버.*따라가지 않았습니다"):
                await client.send(OutsideRequest(method, f"{service.url}/special/{kind}"), idempotent=method == "GET")
    assert {seen["path"].rpartition("/")[0] for seen in service.seen} == {"/special"}
    await client.close()


PORTS = [
    ("api.test", "https://api.test/x", True),
    ("api.test", "http://api.test/x", True),
    ("api.test", "https://api.test:443/x", True),
    ("api.test", "https://api.test:80/x", False),
    ("api.test", "http://api.test:22/x", False),
    ("api.test", "https://api.test:8443/x", False),
    ("api.test:8443", "https://api.test:8443/x", True),
    ("api.test:8443", "https://api.test/x", False),
    ("api.test:443", "http://api.test/x", False),
    ("api.test:*", "http://api.test:9999/x", True),
    ("*.test", "http://api.test:6379/x", False),
    ("*.test:6379", "http://api.test:6379/x", True),
    ("API.test", "https://api.TEST/x", True),
    ("[2001:db8::1]:8443", "https://[2001:db8::1]:8443/x", True),
    ("2001:db8::1", "https://[2001:db8::1]/x", True),
    ("2001:db8::1", "https://[2001:db8::1]:8443/x", False),
]


@pytest.mark.requirement("imports:network:origin")
@pytest.mark.parametrize(("listed", "url", "allowed"), PORTS)
def test_a_server_is_allowed_with_its_port(listed: str, url: str, allowed: bool) -> None:
    rules = NetworkRules((listed,))
    if allowed:
        rules.check_name(url)
        return
    with pytest.raises(BadRequest, match="허락되지 않은 서버"):
        rules.check_name(url)


NOWHERE = [
    "http://localhost:1/",
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0.0.0.0/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://100.64.0.1/",
    "http://224.0.0.1/",
    "http://[fe80::1]/",
    "http://[fc00::1]/",
]


@pytest.mark.parametrize("url", NOWHERE)
async def test_private_addresses_are_refused_however_they_are_written(url: str) -> None:
    client = OutsideClient(NetworkRules(("*:*",)), 2.0)
    with pytest.raises(BadRequest, match="내부망"):
        await client.fetch(url, 1000)
    await client.close()


@pytest.mark.parametrize(
    "url", ["ftp://api.test/", "file:///etc/passwd", "http://user:pw@api.test/", "http://other.test/", "http:///x", "x"]
)
async def test_servers_that_are_not_listed_are_refused(url: str) -> None:
    client = OutsideClient(NetworkRules(("api.test", "*.example.org")), 2.0)
    with pytest.raises(BadRequest):
        await client.fetch(url, 1000)
    await client.close()


async def test_the_address_that_was_checked_is_the_one_that_is_called(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that points elsewhere at the second question (DNS rebinding) is asked for once."""
    rules = NetworkRules(("rebind.test:*",), ("127.0.0.0/8",))
    asked: list[str] = []

    async def pinned(self: NetworkRules, host: str, port: int) -> str:
        asked.append(host)
        return "127.0.0.1"

    monkeypatch.setattr(NetworkRules, "pinned", pinned)
    client = OutsideClient(rules, 2.0)
    reply = await client.send(OutsideRequest("GET", f"http://rebind.test:{service.port}/hello"), idempotent=True)
    assert asked == ["rebind.test"] and json.loads(reply.body)["headers"]["host"] == f"rebind.test:{service.port}"
    await client.close()


async def test_a_document_is_fetched_within_its_size(service: Service, client: OutsideClient) -> None:
    service.documents["spec.yaml"] = "x" * 5000
    assert len(await client.fetch(f"{service.url}/docs/spec.yaml", 5000)) == 5000
    with pytest.raises(AppError, match="너무 큽니다"):
        await client.fetch(f"{service.url}/docs/spec.yaml", 4999)
