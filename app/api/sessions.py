"""Signed cookies: who a browser is logged in as, and which anonymous visitor it is."""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fastapi import Request, Response
from itsdangerous import BadData, URLSafeTimedSerializer

from app.access import Principal
from app.adapters.key_store import KeyRecord, KeyStore
from app.adapters.shared_store import EndedSessions
from app.adapters.token_verifier import TokenPerson

SESSION_COOKIE, VISITOR_COOKIE = "session", "visitor"
_MOST_ENDED = 10_000
_YEAR_S = 365 * 86_400


@dataclass(frozen=True)
class Session:
    """A login: its principal, and the token that unsafe calls must repeat in `X-CSRF-Token`."""

    principal: Principal
    csrf_token: str


def key_principal(record: KeyRecord) -> Principal:
    """The principal of a key; a login with the key is the same one, so both see the same threads."""
    return Principal(f"key:{record.key_id}", record.role, record.customer_id, frozenset(record.scopes))


def token_principal(person: TokenPerson) -> Principal:
    """The principal of a verified token."""
    return Principal(person.principal_id, person.role, person.customer_id)


class Cookies:
    """Reads and writes both cookies. `key` signs them; a session lasts `max_age_s` seconds."""

    def __init__(self, key: bytes, keys: KeyStore, max_age_s: int, ended: EndedSessions | None = None) -> None:
        """`ended` keeps logins that were ended, for every worker and over restarts."""
        kwargs = {"key_derivation": "hmac", "digest_method": hashlib.sha256}
        self._sessions = URLSafeTimedSerializer(key, salt="session", signer_kwargs=kwargs)
        self._visitors = URLSafeTimedSerializer(key, salt="visitor", signer_kwargs=kwargs)
        self._keys, self.max_age_s = keys, max_age_s
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._ended_anywhere = ended

    def begin(self, request: Request, response: Response, login: KeyRecord | TokenPerson) -> Session:
        """Log the browser in; the session ends with the key or token at the latest."""
        csrf = secrets.token_urlsafe(24)
        data: dict[str, Any] = {"c": csrf}
        if isinstance(login, KeyRecord):
            principal = key_principal(login)
            data["k"] = login.key_id
        else:
            principal = token_principal(login)
            data |= {"t": [principal.id, principal.role, principal.customer_id], "e": login.expires_at.timestamp()}
        self._set(request, response, SESSION_COOKIE, str(self._sessions.dumps(data)), self.max_age_s)
        return Session(principal, csrf)

    async def session(self, request: Request) -> Session | None:
        """The session of a request, if it has a good one. A revoked or expired key ends its sessions too."""
        cookie = request.cookies.get(SESSION_COOKIE)
        if not cookie:
            return None
        try:
            data = self._sessions.loads(cookie, max_age=self.max_age_s)
        except BadData:
            return None
        if data["c"] in self._ended:
            return None
        if self._ended_anywhere is not None and await self._ended_anywhere.ended(data["c"]):
            return None
        if "k" in data:
            record = await self._keys.usable(data["k"])
            return Session(key_principal(record), data["c"]) if record else None
        if datetime.now(UTC).timestamp() >= data["e"]:
            return None
        name, role, customer_id = data["t"]
        return Session(Principal(name, role, customer_id), data["c"])

    async def end(self, response: Response, session: Session | None) -> None:
        """Log the browser out; a copy of the cookie is no good either. Raises Unavailable where that cannot be kept."""
        if session is not None:
            if self._ended_anywhere is not None:
                await self._ended_anywhere.end(session.csrf_token, self.max_age_s)
            self._ended[session.csrf_token] = None
            while len(self._ended) > _MOST_ENDED:
                self._ended.popitem(last=False)
        response.delete_cookie(SESSION_COOKIE, path="/")

    def new_visitor(self) -> str:
        """The token of a new anonymous visitor whose page keeps it itself (a frame on another site has no cookie)."""
        return str(self._visitors.dumps(secrets.token_urlsafe(16)))

    def named_visitor(self, token: str) -> Principal | None:
        """The visitor of such a token; None for one that we did not make."""
        try:
            return Principal(f"visitor:{self._visitors.loads(token, max_age=_YEAR_S)}", "customer")
        except BadData:
            return None

    def visitor(self, request: Request, response: Response) -> Principal:
        """The anonymous visitor of a request; a new one gets a cookie."""
        try:
            name = self._visitors.loads(request.cookies.get(VISITOR_COOKIE, ""), max_age=_YEAR_S)
        except BadData:
            name = secrets.token_urlsafe(16)
            self._set(request, response, VISITOR_COOKIE, str(self._visitors.dumps(name)), _YEAR_S)
        return Principal(f"visitor:{name}", "customer")

    def _set(self, request: Request, response: Response, name: str, value: str, max_age_s: int) -> None:
        secure = request.url.scheme == "https"
        response.set_cookie(name, value, max_age=max_age_s, httponly=True, samesite="lax", secure=secure, path="/")
