"""JWT bearer tokens of an OIDC provider: signature by JWKS, issuer, audience, times; role and customer from claims."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
import urllib.request
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import jwt

from app.access import ROLE_ORDER, Role
from app.errors import NotAuthenticated, StartError, Unavailable
from app.messages import worded
from app.settings import Settings, listed

log = logging.getLogger(__name__)

KEPT_S = 600.0  # keys are fetched anew after ten minutes
STALE_S = 86_400.0  # a provider that is down is forgiven for a day
REFETCH_S = 10.0  # an unknown key id makes the keys be fetched anew, at most this often
_FETCH_TIMEOUT_S = 5
_MOST_BYTES = 256 * 1024
_LOCAL = ("127.0.0.1", "::1", "localhost")
_REFUSED = worded("token_verifier.invalid")


@dataclass(frozen=True)
class TokenPerson:
    """Who a token speaks for. `principal_id` is stable for issuer and subject."""

    principal_id: str
    role: Role
    customer_id: str | None
    expires_at: datetime


class KeySet:
    """The provider's public keys, from an https address or a file; kept, and read anew when a key id is unknown."""

    def __init__(self, source: str) -> None:
        """Raises StartError for an address that is not https (http is for loopback only)."""
        parts = urlsplit(source)
        self._url = source if parts.scheme in ("http", "https") else None
        if parts.scheme == "http" and parts.hostname not in _LOCAL:
            raise StartError(worded("token_verifier.only_https"))
        self._path = None if self._url else Path(source)
        if self._path is not None and not self._path.is_file():
            raise StartError(worded("token_verifier.no_file", path=self._path))
        self._keys: dict[str, jwt.PyJWK] = {}
        self._read_at = self._tried_at = float("-inf")
        self._lock = asyncio.Lock()

    async def key(self, key_id: str) -> jwt.PyJWK | None:
        """The key of this id; None when the provider has none. Raises Unavailable when the keys cannot be had."""
        now = time.monotonic()
        fresh = now - self._read_at < KEPT_S
        if fresh and key_id in self._keys:
            return self._keys[key_id]
        async with self._lock:
            if time.monotonic() - self._tried_at >= REFETCH_S:
                await self._refresh()
        if time.monotonic() - self._read_at > STALE_S:
            raise Unavailable(worded("token_verifier.no_keys"))
        return self._keys.get(key_id)

    async def _refresh(self) -> None:
        self._tried_at = time.monotonic()
        try:
            found = _parsed(await asyncio.to_thread(self._read))
        except (OSError, HTTPException, ValueError, jwt.PyJWTError) as error:  # URLError is an OSError
            log.warning("JWKS could not be read: %s", type(error).__name__)
            return
        self._keys, self._read_at = found, time.monotonic()

    def _read(self) -> bytes:
        if self._path is not None:
            return self._path.read_bytes()
        assert self._url is not None
        request = urllib.request.Request(self._url, headers={"Accept": "application/json"})
        with urllib.request.urlopen(request, timeout=_FETCH_TIMEOUT_S) as response:
            content: bytes = response.read(_MOST_BYTES)
        return content


class TokenVerifier:
    """Checks bearer tokens against the configured provider."""

    def __init__(self, settings: Settings) -> None:
        """Raises StartError when only a part of the OIDC settings is given."""
        given = (settings.oidc_issuer, settings.oidc_audience, settings.oidc_jwks)
        if not all(given):
            raise StartError(worded("token_verifier.together"))
        self._issuer, self._audience, _ = given
        self._algorithms = listed(settings.oidc_algorithms)
        self._role_claim, self._customer_claim = settings.oidc_role_claim, settings.oidc_customer_claim
        self._leeway = settings.oidc_leeway_s
        self._keys = KeySet(settings.oidc_jwks)

    @classmethod
    def configured(cls, settings: Settings) -> TokenVerifier | None:
        """The verifier, or None where no provider is configured. Raises StartError."""
        wanted = settings.oidc_issuer or settings.oidc_audience or settings.oidc_jwks
        return cls(settings) if wanted else None

    async def verify(self, token: str) -> TokenPerson:
        """Who the token speaks for. Raises NotAuthenticated for one that is not good, Unavailable without keys."""
        try:
            header = jwt.get_unverified_header(token)
            algorithm, key_id = header.get("alg"), header.get("kid")
            if algorithm not in self._algorithms or not isinstance(key_id, str):
                raise NotAuthenticated(_REFUSED)
            key = await self._keys.key(key_id)
            # The algorithm is the key's own: a token cannot choose another way to read it.
            if key is None or key.algorithm_name != algorithm or key.public_key_use not in (None, "sig"):
                raise NotAuthenticated(_REFUSED)
            claims = jwt.decode(
                token,
                key=key.key,
                algorithms=[algorithm],
                audience=self._audience,
                issuer=self._issuer,
                leeway=self._leeway,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            raise NotAuthenticated(_REFUSED) from error
        return self._person(claims)

    def _person(self, claims: dict[str, Any]) -> TokenPerson:
        subject = str(claims["sub"])
        name = quote(subject, safe="")
        if not subject or len(name) > 120:
            name = hashlib.sha256(subject.encode()).hexdigest()
        role = _highest_role(_claim(claims, self._role_claim))
        customer = _claim(claims, self._customer_claim)
        return TokenPerson(
            principal_id=f"token:{name}",
            role=role,
            customer_id=customer if role == "customer" and isinstance(customer, str) and customer else None,
            expires_at=datetime.fromtimestamp(float(claims["exp"]), UTC),
        )


def _parsed(content: bytes) -> dict[str, jwt.PyJWK]:
    data = json.loads(content)
    if not isinstance(data, dict) or not isinstance(data.get("keys"), list):
        raise ValueError("not a JWKS")
    found: dict[str, jwt.PyJWK] = {}
    for item in data["keys"]:
        # A symmetric key in a public set would let anybody sign.
        if not isinstance(item, dict) or item.get("kty") == "oct" or not isinstance(item.get("kid"), str):
            continue
        try:
            found[item["kid"]] = jwt.PyJWK(item)
        except jwt.PyJWTError as error:
            log.warning("a key of the JWKS is not usable: %s", type(error).__name__)
    return found


def _claim(claims: dict[str, Any], path: str) -> Any:
    value: Any = claims
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _highest_role(value: Any) -> Role:
    """The highest role that a claim names; a claim that names none is a customer's."""
    names = value if isinstance(value, list) else str(value or "").split()
    found = [role for role in ROLE_ORDER if role in names]
    return found[-1] if found else "customer"
