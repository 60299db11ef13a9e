"""Calls to servers that an operator allowed: names by list, addresses checked and pinned, sizes and times bounded."""

from __future__ import annotations

import asyncio
import random
import socket
from contextlib import aclosing
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

import httpx2

from app.errors import BadRequest, Unavailable
from app.messages import worded

_NAT64 = ip_network("64:ff9b::/96")
_TRIES = 3
_FIRST_WAIT_S = 0.2
_MOST_WAIT_S = 2.0
_TEMPORARY = (429, 502, 503, 504)
_MOST_REDIRECTS = 3
_MOST_REPLY_BYTES = 2 * 1024 * 1024
_REDIRECTS = (301, 302, 303, 307, 308)
_PORTS = {"http": 80, "https": 443}

Address = IPv4Address | IPv6Address


@dataclass(frozen=True)
class NetworkRules:
    """`hosts` are names or patterns (*.example.org), each with the port that may be called: host:8443, host:* for any,
    and without one the scheme's own (80, 443). `networks` are the private ranges allowed.

    `settings` begins the names of the settings they come from, for the refusals.
    """

    hosts: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    settings: str = "TOOL_SOURCE"

    def check_name(self, url: str) -> httpx2.URL:
        """The address, if its scheme, name and port are allowed. Raises BadRequest."""
        try:
            parsed = httpx2.URL(url)
        except httpx2.InvalidURL as error:
            raise BadRequest(worded("outside.bad_url", url=url[:200])) from error
        host, port = parsed.host.lower(), port_of(parsed)
        if parsed.scheme not in ("http", "https") or not host or parsed.userinfo:
            raise BadRequest(worded("outside.only_http"))
        usual = str(_PORTS[parsed.scheme])
        allowed = (_host_and_port(pattern.lower()) for pattern in self.hosts)
        if not any(fnmatchcase(host, name) and fnmatchcase(f"{port}", wanted or usual) for name, wanted in allowed):
            told = _authority(parsed) if parsed.port else host
            raise BadRequest(worded("outside.not_allowed", told=told, settings=self.settings))
        return parsed

    async def pinned(self, host: str, port: int) -> str:
        """One address of `host`; every one it has must be allowed. Raises BadRequest, Unavailable."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise Unavailable(worded("outside.no_address", host=host)) from error
        addresses = [ip_address(str(item[4][0]).partition("%")[0]) for item in found]
        for address in addresses:
            if not self._allowed(address):
                raise BadRequest(worded("outside.internal", host=host, settings=self.settings))
        return str(addresses[0])

    def _allowed(self, address: Address) -> bool:
        real = _embedded(address)
        if any(real in ip_network(part, strict=False) for part in self.networks):
            return True
        return real.is_global and not real.is_multicast and not real.is_reserved


def _host_and_port(pattern: str) -> tuple[str, str]:
    """'api.test:8443' → its two parts; the port is '' where none is named. An IPv6 address is bare, or in brackets."""
    if pattern.startswith("["):
        host, _, rest = pattern[1:].partition("]")
        return host, rest.removeprefix(":")
    host, _, port = pattern.partition(":")
    return (pattern, "") if ":" in port else (host, port)


def port_of(url: httpx2.URL) -> int:
    """The port that the address names, else its scheme's."""
    return url.port or _PORTS.get(url.scheme, 0)


def _authority(url: httpx2.URL) -> str:
    """Host and port as an address writes them."""
    return url.netloc.decode("ascii", "replace").rpartition("@")[2]


def _origin(url: httpx2.URL) -> tuple[str, str, int]:
    """What makes two addresses those of one server (RFC 6454)."""
    return url.scheme, url.host.lower(), port_of(url)


def _embedded(address: Address) -> Address:
    """The IPv4 address that an IPv6 one carries, else itself."""
    if isinstance(address, IPv6Address):
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
        carried = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        return carried or address
    return address


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Checks every request, redirected ones too, and connects to the very address that was checked. An answer that
    sends the caller to another origin (scheme, host or port) is refused, so that nobody can follow it."""

    def __init__(self, rules: NetworkRules) -> None:
        self._rules, self._inner = rules, httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = self._rules.check_name(str(request.url))
        address = await self._rules.pinned(url.host, port_of(url))
        sent = httpx2.Request(
            request.method,
            request.url.copy_with(host=address),
            headers=request.headers,  # Host still names the server
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": url.host},
        )
        response = await self._inner.handle_async_request(sent)
        try:
            _stays(response, url)
        except BadRequest:
            await response.aclose()
            raise
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


def _stays(response: httpx2.Response, url: httpx2.URL) -> None:
    """Raises BadRequest where the answer to `url` sends on to another origin."""
    if response.status_code not in _REDIRECTS or "location" not in response.headers:
        return
    try:
        target = url.join(response.headers["location"])
    except httpx2.InvalidURL as error:
        raise BadRequest(worded("outside.unknown_redirect", authority=_authority(url))) from error
    if _origin(target) != _origin(url):
        raise BadRequest(
            worded("outside.other_server", authority=_authority(url), scheme=target.scheme, target=_authority(target))
        )


@dataclass(frozen=True)
class OutsideRequest:
    """One request. `secrets` go to the origin of `url` alone: no redirect leads to another."""

    method: str
    url: str
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = field(default=None, repr=False)
    secret_headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    secret_query: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class OutsideReply:
    """The answer; `complete` is False when the body was longer than what is kept."""

    status: int
    content_type: str
    body: bytes
    complete: bool = True


class OutsideClient:
    """HTTP to allowed servers. Close it when done."""

    def __init__(self, rules: NetworkRules, timeout_s: float) -> None:
        """`timeout_s` bounds a whole call with its repetitions (s)."""
        self.rules, self._timeout_s = rules, timeout_s
        self._client = httpx2.AsyncClient(
            transport=GuardedTransport(rules), timeout=timeout_s, follow_redirects=False, trust_env=False
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._client.aclose()

    async def fetch(self, url: str, most_bytes: int) -> bytes:
        """What an address answers to GET. Raises BadRequest, Unavailable."""
        reply = await self.send(OutsideRequest("GET", url), idempotent=True, most_bytes=most_bytes)
        if reply.status != 200:
            raise BadRequest(worded("outside.not_fetched", status=reply.status))
        if not reply.complete:
            raise BadRequest(worded("outside.too_large", most_bytes=most_bytes // 2**20))
        return reply.body

    async def send(
        self, request: OutsideRequest, *, idempotent: bool, most_bytes: int = _MOST_REPLY_BYTES
    ) -> OutsideReply:
        """The answer; idempotent requests are tried up to three times. Raises BadRequest, Unavailable."""
        host = self.rules.check_name(request.url).host
        try:
            async with asyncio.timeout(self._timeout_s):
                for attempt in range(1, _TRIES + 1):
                    last = attempt == _TRIES or not idempotent
                    try:
                        reply, wait = await self._followed(request, most_bytes)
                    except httpx2.HTTPError as error:
                        if last:
                            raise Unavailable(
                                worded("outside.cannot_connect", host=host, error=type(error).__name__)
                            ) from error
                        wait = None
                    else:
                        if last or reply.status not in _TEMPORARY or (wait or 0) > _MOST_WAIT_S:
                            return reply
                    pause = min(_FIRST_WAIT_S * 2 ** (attempt - 1), _MOST_WAIT_S) * random.uniform(0.75, 1.25)
                    await asyncio.sleep(max(pause, wait or 0))
        except TimeoutError as error:
            raise Unavailable(worded("outside.no_answer_in_time", host=host, timeout_s=self._timeout_s)) from error
        raise AssertionError("unreachable")

    async def _followed(self, request: OutsideRequest, most_bytes: int) -> tuple[OutsideReply, float | None]:
        url = httpx2.URL(request.url)
        url = url.copy_merge_params(list(request.query)) if request.query else url
        for _ in range(_MOST_REDIRECTS + 1):
            headers = [*request.headers, *request.secret_headers]
            sent = url.copy_merge_params(list(request.secret_query)) if request.secret_query else url
            made = self._client.build_request(request.method, sent, headers=headers, content=request.body)
            response = await self._client.send(made, stream=True)
            try:
                following = self._next(request, response, url)
                if following is None:
                    body, complete = await _read(response, most_bytes)
                    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                    return OutsideReply(response.status_code, kind, body, complete), _retry_after(response)
                url = following
            finally:
                await response.aclose()
        raise Unavailable(worded("outside.endless", authority=_authority(url)))

    def _next(self, request: OutsideRequest, response: httpx2.Response, url: httpx2.URL) -> httpx2.URL | None:
        """Where on the same server the request is sent on to; writing ones only where the method stays the same."""
        if response.status_code not in _REDIRECTS or "location" not in response.headers:
            return None
        if request.method not in ("GET", "HEAD") and response.status_code not in (307, 308):
            return None
        return self.rules.check_name(str(url.join(response.headers["location"])))


async def _read(response: httpx2.Response, most_bytes: int) -> tuple[bytes, bool]:
    parts: list[bytes] = []
    size = 0
    async with aclosing(response.aiter_bytes()) as received:
        async for part in received:
            parts.append(part)
            size += len(part)
            if size > most_bytes:
                return b"".join(parts)[:most_bytes], False
    return b"".join(parts), True


def _retry_after(response: httpx2.Response) -> float | None:
    told = response.headers.get("retry-after", "")
    return float(told) if told.isdigit() else None


def client_options(rules: NetworkRules) -> dict[str, Any]:
    """How other HTTP clients of this program (MCP) are opened under the same rules."""
    return {"transport": GuardedTransport(rules), "trust_env": False}
