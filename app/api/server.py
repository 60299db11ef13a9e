"""The HTTP protocol of our server: uvicorn's, with a bound on how large and how slow the head of a request may be.

uvicorn's fast parser keeps whatever it is sent until the head is complete: one connection could fill the memory, or be
held open for ever. The exact limit, with a proper answer, is GateMiddleware's; this one only ends what is far beyond.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 256 * 1024
HEAD_TIMEOUT_S = 10.0


class GuardedProtocol(HttpToolsProtocol):
    """Closes a connection whose request line and headers exceed HEAD_BYTES or take longer than HEAD_TIMEOUT_S."""

    _head_bytes = 0
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """A head must follow soon."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more is waited for."""
        self._head_is_here()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """The next head begins, perhaps on a connection that was used before."""
        super().on_message_begin()
        self._await_head()

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._head_is_here()
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        """Counts what comes before the head is whole."""
        super().data_received(data)
        if self._head_timer is not None:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
                self._head_is_here()
                self.transport.write(b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n\r\n")
                self.transport.close()

    def _await_head(self) -> None:
        self._head_is_here()
        self._head_bytes = 0
        self._head_timer = self.loop.call_later(HEAD_TIMEOUT_S, self._give_up)

    def _head_is_here(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        self._head_timer = None
        self.transport.close()
