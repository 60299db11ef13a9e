"""Who may do what: keys, tokens, local mode, proxies, roles and scopes (docs/api.md, "Who is calling")."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from fastapi import FastAPI
from sqlalchemy import text

from app.access import ROLE_ORDER
from app.api.principals import FAILED_LOGINS_PER_MINUTE
from app.errors import StartError
from tests.api.guarded import ROLES, Guarded, guarded
from tests.api.test_errors import check_problem
from tests.on_disk import bytes_on_disk

ISSUER, AUDIENCE = "https://login.example", "insurance-assistant"


@pytest.fixture
async def gate(app: FastAPI, tmp_path: Path) -> AsyncIterator[Guarded]:
    async with guarded(app, tmp_path, customers=True) as opened:
        yield opened


def held(folder: Path) -> bytes:
    """What the database's files hold."""
    return bytes_on_disk(folder, "customer.db*")


# --- keys ---------------------------------------------------------------------------------------------------------


async def test_a_key_is_accepted_in_both_headers_and_tells_its_role(gate: Guarded) -> None:
    made = await gate.key("operator")
    for headers in ({"X-API-Key": made.key}, {"Authorization": f"Bearer {made.key}"}):
        client = await gate.client()
        me = (await client.get("/api/me", headers=headers)).json()
        assert (me["role"], me["way"], me["local_mode"]) == ("operator", "key", False)
        assert me["id"] == f"key:{made.record.key_id}"


async def test_a_key_is_long_random_and_kept_as_a_digest_only(gate: Guarded, tmp_path: Path) -> None:
    keys = [(await gate.key("staff")).key for _ in range(3)]
    assert len(set(keys)) == 3 and all(len(key) == len("ins_") + 12 + 1 + 43 for key in keys)
    stored = held(tmp_path)
    assert all(key.encode() not in stored and key[-20:].encode() not in stored for key in keys)


@pytest.mark.parametrize("damage", ["last", "id", "empty", "shape", "long"])
async def test_a_wrong_key_is_401_with_a_challenge(gate: Guarded, damage: str) -> None:
    key = (await gate.key("admin")).key
    wrong = {
        "last": key[:-1] + ("A" if key[-1] != "A" else "B"),
        "id": "ins_" + "0" * 12 + key[16:],
        "empty": "",
        "shape": "guess",
        "long": "x" * 8000,
    }[damage]
    client = await gate.client()
    for headers in ({"X-API-Key": wrong}, {"Authorization": f"Bearer {wrong}"}):
        response = await client.get("/api/tools", headers=headers)
        check_problem(response, 401)
        assert response.headers["www-authenticate"] == "Bearer"
        assert "set-cookie" not in response.headers


async def test_a_revoked_key_is_refused_at_once(gate: Guarded) -> None:
    made = await gate.key("staff")
    client = await gate.client(made.key)
    assert (await client.get("/api/tools")).status_code == 200
    await gate.gate.keys.revoke(made.record.key_id)
    check_problem(await client.get("/api/tools"), 401)


async def test_an_expired_key_is_refused(gate: Guarded) -> None:
    made = await gate.key("staff", expires_at=datetime.now(UTC) + timedelta(milliseconds=300))
    client = await gate.client(made.key)
    assert (await client.get("/api/me")).json()["role"] == "staff"
    await asyncio.sleep(0.35)
    check_problem(await client.get("/api/me"), 401)


async def test_scopes_narrow_what_a_key_may_be_used_for(gate: Guarded) -> None:
    client = await gate.client((await gate.key("admin", scopes=("documents",))).key)
    assert (await client.get("/api/documents")).status_code == 200
    for path in ("/api/tools", "/api/admin/keys", "/api/threads", "/api/approvals"):
        check_problem(await client.get(path), 403)
    check_problem(await client.post("/api/chat", json={"query": "암보험"}), 403)


async def test_guessing_keys_is_slowed_down(gate: Guarded) -> None:
    guesser = await gate.client(address="198.51.100.5")
    answers = [
        (await guesser.get("/api/me", headers={"X-API-Key": f"guess{n}"})) for n in range(FAILED_LOGINS_PER_MINUTE + 1)
    ]
    assert {a.status_code for a in answers[:-1]} == {401}
    check_problem(answers[-1], 429)
    assert int(answers[-1].headers["retry-after"]) >= 1
    other = await gate.client((await gate.key("staff")).key, address="198.51.100.6")
    assert (await other.get("/api/me")).status_code == 200


async def test_knowing_a_caller_takes_under_a_millisecond(gate: Guarded) -> None:
    key = (await gate.key("staff")).key
    await gate.gate.keys.verify(key)
    started = time.process_time()
    for _ in range(500):
        assert await gate.gate.keys.verify(key)
    assert (time.process_time() - started) / 500 < 0.001


async def test_when_a_key_was_used_is_written_down(gate: Guarded) -> None:
    made = await gate.key("admin")
    client = await gate.client(made.key)
    await client.get("/api/me")
    await gate.gate.keys.write_last_used()
    listed = (await client.get("/api/admin/keys")).json()
    assert listed["keys"][0]["last_used_at"] is not None
    assert made.key not in json.dumps(listed) and listed["keys"][0]["prefix"] == made.key[:16]


async def test_an_admin_makes_and_revokes_keys_over_http(gate: Guarded) -> None:
    admin = await gate.client((await gate.key("admin")).key)
    body = {"label": "지점", "role": "customer", "customer_id": "C0001", "expires_in_days": 7}
    made = (await admin.post("/api/admin/keys", json=body)).json()
    person = await gate.client(made["key"])
    assert (await person.get("/api/me")).json()["customer_id"] == "C0001"
    assert (await admin.delete(f"/api/admin/keys/{made['id']}")).status_code == 200
    check_problem(await person.get("/api/me"), 401)
    check_problem(await admin.delete(f"/api/admin/keys/{made['id']}"), 409)
    check_problem(await admin.delete("/api/admin/keys/000000000000"), 404)
    for wrong in ({"role": "staff", "customer_id": "C0001"}, {"role": "customer", "customer_id": "C9999"}):
        check_problem(await admin.post("/api/admin/keys", json={"label": "x", **wrong}), 400, 404)


# --- roles --------------------------------------------------------------------------------------------------------

# What a customer may call. Everything else must refuse one: a new call is closed until it stands here.
OPEN = {
    ("POST", "/api/chat"),
    ("POST", "/api/chat/stream"),
    ("GET", "/api/runs/{run_id}/events"),
    ("POST", "/api/runs/{run_id}/cancel"),
    ("GET", "/api/proposals"),
    ("POST", "/api/proposals"),
    ("GET", "/api/proposals/plan"),
    ("GET", "/api/proposals/{proposal_id}"),
    ("PATCH", "/api/proposals/{proposal_id}"),
    ("DELETE", "/api/proposals/{proposal_id}"),
    ("GET", "/api/proposals/{proposal_id}.pdf"),
    ("GET", "/api/proposals/{proposal_id}/compare"),
    ("GET", "/api/threads"),
    ("GET", "/api/threads/{thread_id}"),
    ("PATCH", "/api/threads/{thread_id}"),
    ("DELETE", "/api/threads/{thread_id}"),
    ("GET", "/api/threads/{thread_id}/export"),
    ("PATCH", "/api/threads/{thread_id}/facts"),
    ("POST", "/api/threads/{thread_id}/handoff"),
    ("POST", "/api/feedback"),
    ("GET", "/api/approvals"),
    ("GET", "/api/approvals/{approval_id}"),
    ("POST", "/api/approvals/{approval_id}"),
    ("POST", "/api/documents/search"),
    ("GET", "/api/documents"),
    ("GET", "/api/documents/{document_id}/pages/{number}.png"),
    ("GET", "/api/documents/{document_id}/original"),
    ("POST", "/api/login"),
    ("POST", "/api/logout"),
    ("GET", "/api/me"),
    ("DELETE", "/api/me/data"),
    ("GET", "/api/health"),
    ("GET", "/api/health/live"),
    ("GET", "/api/health/ready"),
}
# The least role of the others, by the beginning of their path; the longest one decides.
LEAST = {
    ("GET", "/api/tools"): "staff",
    ("POST", "/api/tools/{tool_name}/invoke"): "staff",
    ("POST", "/api/route"): "staff",
    ("POST", "/api/tools/reload-module/{module}"): "admin",
    ("DELETE", "/api/tools/{tool_name}"): "admin",
    ("POST", "/api/tools/import"): "admin",
    ("GET", "/api/tools/sources"): "operator",
    ("POST", "/api/tools/sources/{name}/refresh"): "admin",
    ("DELETE", "/api/tools/sources/{name}"): "admin",
    ("GET", "/api/admin/keys"): "admin",
    ("POST", "/api/admin/keys"): "admin",
    ("DELETE", "/api/admin/keys/{key_id}"): "admin",
    ("GET", "/api/admin/audit"): "operator",
    ("GET", "/api/admin/feedback"): "operator",
    ("GET", "/api/admin/handoffs"): "staff",
    ("GET", "/api/admin/webhooks"): "admin",
    ("POST", "/api/admin/webhooks"): "admin",
    ("DELETE", "/api/admin/webhooks/{webhook_id}"): "admin",
    ("GET", "/api/admin/webhooks/{webhook_id}/deliveries"): "admin",
    ("POST", "/api/admin/webhooks/{webhook_id}/deliveries/{delivery_id}/retry"): "admin",
}


def calls(app: FastAPI) -> list[tuple[str, str]]:
    """Every call of the OpenAPI description."""
    return [(m.upper(), path) for path, methods in app.openapi()["paths"].items() for m in methods]


def filled(path: str) -> str:
    """A path with values that name nothing."""
    values = {"key_id": "0" * 12, "module": "nothing", "tool_name": "nothing", "number": "1"}
    values |= {"webhook_id": f"wh_{'0' * 16}", "delivery_id": f"evt_{'0' * 24}"}
    for part in path.split("/"):
        if part.startswith("{"):
            name = part.strip("{}").removesuffix("}.png")
            path = path.replace("{" + name + "}", values.get(name, "nothing"))
    return path


@pytest.mark.requirement("api:access:roles-are-enforced")
async def test_each_call_refuses_the_roles_below_its_own(app: FastAPI, gate: Guarded) -> None:
    assert set(calls(app)) >= {*OPEN, *LEAST} - {("POST", "/api/tools/reload-module/{module}")}
    clients = {role: await gate.client((await gate.key(role)).key) for role in ROLES}
    clients["visitor"] = await gate.client(address="203.0.113.77")
    for method, path in calls(app):
        if (method, path) in OPEN or path.startswith(("/v1/", "/mcp")):
            continue
        least = LEAST.get((method, path), "staff")
        below = ["visitor", *ROLE_ORDER[: ROLE_ORDER.index(least)]]
        for role in below:
            response = await clients[role].request(method, filled(path), json={})
            assert response.status_code == 403, (method, path, role, response.status_code)
            check_problem(response, 403)


@pytest.mark.parametrize(("method", "path"), sorted(LEAST))
async def test_a_role_that_is_high_enough_is_not_refused(gate: Guarded, method: str, path: str) -> None:
    client = await gate.client((await gate.key(LEAST[method, path])).key)  # type: ignore[arg-type]
    assert (await client.request(method, filled(path), json={})).status_code not in (401, 403)


async def test_a_customer_key_sees_its_own_contracts_only(gate: Guarded) -> None:
    own = await gate.client((await gate.key("customer", customer_id="C0001")).key)
    unbound = await gate.client((await gate.key("customer")).key)
    services = gate.state["services"]
    name = (await services.talk.make_context(None, "t", "r").customers.get_customer("C0001")).name
    mine = (await own.post("/api/chat", json={"query": "내 계약 현황 보여 주세요"})).json()
    assert mine["tools_used"] == ["customer_contract_lookup"] and name in mine["answer"]
    other = (await own.post("/api/chat", json={"query": "이영희 고객 계약 현황 알려줘"})).json()
    assert "이영희" not in json.dumps(other["blocks"], ensure_ascii=False) and not other["blocks"]
    nobody = (await unbound.post("/api/chat", json={"query": "내 계약 현황 보여 주세요"})).json()
    assert not nobody["blocks"]


# --- local mode, containers, proxies ------------------------------------------------------------------------------


async def role_of(client: httpx2.AsyncClient, **headers: str) -> str:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    role: str = (await client.get("/api/me", headers=sent)).json()["role"]
    return role


async def test_local_mode_is_for_loopback_without_proxies_keys_and_other_names(app: FastAPI, tmp_path: Path) -> None:
    async with guarded(app, tmp_path) as gate:
        local = await gate.client(address="127.0.0.1")
        assert await role_of(local) == "admin"
        assert (await (await gate.client(address="::1")).get("/api/me")).json()["local_mode"] is True
        for header in ("Forwarded", "X-Forwarded-For", "X-Real-IP"):
            assert await role_of(local, **{header: "127.0.0.1"}) == "customer"
        assert await role_of(local, Host="attacker.example") == "customer"
        assert await role_of(await gate.client(address="192.0.2.1")) == "customer"
        made = await gate.key("staff")
        assert await role_of(local) == "customer"
        await gate.gate.keys.revoke(made.record.key_id)
        assert await role_of(local) == "customer"  # revoking the last key opens nothing


async def test_nobody_is_let_in_while_the_keys_cannot_be_read(app: FastAPI, tmp_path: Path) -> None:
    async with guarded(app, tmp_path) as gate:
        made = await gate.key("admin")
        await gate.gate.keys._database.change(text("ALTER TABLE api_keys RENAME TO lost"))
        gate.gate.keys.forget_known()
        for client in (await gate.client(made.key), await gate.client(address="127.0.0.1")):
            response = await client.get("/api/admin/audit")
            assert response.status_code == 503 and response.json()["type"] == "unavailable"


@pytest.mark.parametrize("settings", [{"trusted_proxies": "10.0.0.0/8"}, {"host": "0.0.0.0"}])
async def test_a_server_that_others_can_reach_has_no_local_mode(
    app: FastAPI, tmp_path: Path, settings: dict[str, str]
) -> None:
    async with guarded(app, tmp_path, **settings) as gate:
        assert await role_of(await gate.client(address="127.0.0.1")) == "customer"


async def test_a_container_tells_its_admin_key_once(
    app: FastAPI, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "app.api.principals"):
        async with guarded(app, tmp_path, host="0.0.0.0") as gate:
            [line] = [r.getMessage() for r in caplog.records if "관리자 키" in r.getMessage()]
            key = next(word for word in line.split() if word.startswith("ins_"))
            visitor = await gate.client(address="127.0.0.1")
            check_problem(await visitor.get("/api/admin/keys"), 403)
            assert (await visitor.get("/api/admin/keys", headers={"X-API-Key": key})).status_code == 200
        caplog.clear()
        async with guarded(app, tmp_path, host="0.0.0.0") as again:
            assert not caplog.records
            assert await role_of(await again.client(key)) == "admin"


async def test_proxy_headers_are_believed_from_listed_proxies_only(app: FastAPI, tmp_path: Path) -> None:
    async with guarded(
        app, tmp_path, trusted_proxies="10.0.0.0/8", host="0.0.0.0", rate_limit_address_per_minute=2
    ) as gate:
        proxy = await gate.client(address="10.1.2.3")
        stranger = await gate.client(address="192.0.2.66")

        async def status(client: httpx2.AsyncClient, caller: str) -> int:
            return (await client.get("/api/me", headers={"X-Forwarded-For": caller})).status_code

        # each caller behind the proxy has a bucket of their own, whatever they claim to come from
        assert [await status(proxy, "198.51.100.1") for _ in range(3)] == [200, 200, 429]
        assert await status(proxy, "198.51.100.2") == 200
        assert await status(proxy, "198.51.100.7, 198.51.100.1") == 429
        # a stranger's header changes nothing
        assert [await status(stranger, f"198.51.100.{n}") for n in range(10, 13)] == [200, 200, 429]
        secure = await proxy.get("/", headers={"X-Forwarded-Proto": "https", "X-Forwarded-For": "198.51.100.20"})
        assert "strict-transport-security" in secure.headers


# --- tokens -------------------------------------------------------------------------------------------------------


class Provider:
    """A login provider: a JWKS file and tokens."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "jwks.json"
        self.rsa = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.ec = ec.generate_private_key(ec.SECP256R1())
        self.publish("a")

    def publish(self, rsa_name: str) -> None:
        keys = [
            {
                **jwt.algorithms.RSAAlgorithm.to_jwk(self.rsa.public_key(), as_dict=True),
                "kid": rsa_name,
                "alg": "RS256",
            },
            {**jwt.algorithms.ECAlgorithm.to_jwk(self.ec.public_key(), as_dict=True), "kid": "e", "alg": "ES256"},
        ]
        self.path.write_text(json.dumps({"keys": keys}), encoding="utf-8")

    def token(self, kid: str = "a", algorithm: str = "RS256", key: Any = None, **claims: Any) -> str:
        values = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": "kim",
            "exp": datetime.now(UTC) + timedelta(minutes=5),
            "role": "staff",
            **claims,
        }
        given = {name: value for name, value in values.items() if value is not None}
        signer = key if key is not None else self.rsa if algorithm.startswith("RS") else self.ec
        return jwt.encode(given, signer, algorithm=algorithm, headers={"kid": kid})


@pytest.fixture
async def provider(tmp_path: Path) -> Provider:
    return Provider(tmp_path)


@pytest.fixture
async def oidc(app: FastAPI, tmp_path: Path, provider: Provider) -> AsyncIterator[Guarded]:
    settings = {"oidc_issuer": ISSUER, "oidc_audience": AUDIENCE, "oidc_jwks": str(provider.path)}
    async with guarded(app, tmp_path, oidc_role_claim="realm.roles", **settings) as opened:
        yield opened


async def told(gate: Guarded, token: str) -> dict[str, Any]:
    client = await gate.client(Authorization=f"Bearer {token}")
    response = await client.get("/api/me")
    return {"status": response.status_code, **response.json()}


async def test_a_token_of_the_provider_is_accepted(oidc: Guarded, provider: Provider) -> None:
    roles = {"realm": {"roles": ["viewer", "staff", "operator"]}}
    me = await told(oidc, provider.token(**roles))
    assert (me["status"], me["role"], me["way"], me["id"]) == (200, "operator", "token", "token:kim")
    assert (await told(oidc, provider.token("e", "ES256", **roles)))["role"] == "operator"
    assert (await told(oidc, provider.token()))["role"] == "customer"  # no known role in the claim
    bound = await told(oidc, provider.token(customer_id="C0001"))
    assert (bound["role"], bound["customer_id"]) == ("customer", "C0001")
    odd = await told(oidc, provider.token(sub="a:b/c"))
    assert odd["id"] == "token:a%3Ab%2Fc"


async def test_a_token_that_is_not_good_is_401(oidc: Guarded, provider: Provider) -> None:
    now = datetime.now(UTC)
    public = provider.rsa.public_key()
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    header = jwt.utils.base64url_encode(json.dumps({"alg": "none", "kid": "a"}).encode()).decode()
    body = provider.token().split(".")[1]
    import hashlib
    import hmac

    confused = f"{jwt.utils.base64url_encode(json.dumps({'alg': 'HS256', 'kid': 'a'}).encode()).decode()}.{body}"
    signature = jwt.utils.base64url_encode(hmac.new(pem, confused.encode(), hashlib.sha256).digest()).decode()
    bad = {
        "expired": provider.token(exp=now - timedelta(minutes=2)),
        "not yet": provider.token(nbf=now + timedelta(minutes=5)),
        "issuer": provider.token(iss="https://other.example"),
        "audience": provider.token(aud="other"),
        "no audience": provider.token(aud=None),
        "no expiry": provider.token(exp=None),
        "no subject": provider.token(sub=None),
        "unknown key": provider.token(kid="zz"),
        "another's key": provider.token(key=rsa.generate_private_key(public_exponent=65537, key_size=2048)),
        "algorithm not allowed": provider.token(algorithm="RS512"),
        "key of another kind": provider.token("e"),
        "none": f"{header}.{body}.",
        "public key as secret": f"{confused}.{signature}",
        "changed": provider.token()[:-8] + "AAAAAAAA",
        "no token": "abc",
        "dots": "a.b.c",
    }
    for name, token in bad.items():
        oidc.gate._failures.local._left.clear()
        assert (await told(oidc, token))["status"] == 401, name


async def test_keys_that_the_provider_changes_are_read_anew(
    oidc: Guarded, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.adapters.token_verifier.REFETCH_S", 0.0)
    assert (await told(oidc, provider.token()))["status"] == 200
    provider.rsa = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    provider.publish("b")
    assert (await told(oidc, provider.token("b")))["status"] == 200
    assert (await told(oidc, provider.token("a")))["status"] == 401


async def test_a_provider_ends_local_mode_and_half_a_provider_does_not_start(app: FastAPI, tmp_path: Path) -> None:
    provider = Provider(tmp_path)
    async with guarded(app, tmp_path, oidc_issuer=ISSUER, oidc_audience=AUDIENCE, oidc_jwks=str(provider.path)) as gate:
        assert await role_of(await gate.client(address="127.0.0.1")) == "customer"
    for settings in ({"oidc_issuer": ISSUER}, {"oidc_issuer": "i", "oidc_audience": "a", "oidc_jwks": "http://x/y"}):
        with pytest.raises(StartError):
            async with guarded(app, tmp_path, **settings):
                pass
