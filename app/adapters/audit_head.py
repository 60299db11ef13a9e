"""Where the audit log ended when this installation last wrote to it: kept beside the database, signed.

The chain alone cannot tell that its newest rows were taken out. This file can: what it names must still be there.
Whoever can put back old copies of both the file and the database goes unnoticed here; the log lines hold the heads too.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from app.messages import worded

log = logging.getLogger(__name__)

HEAD_FILE = "audit.head"


@dataclass(frozen=True)
class Head:
    """A row of the log: its number and its link of the chain."""

    entry_id: int
    digest: str


class AuditHead:
    """The file. Once its row was missed it stays as it is, so that later entries do not cover that up."""

    def __init__(self, path: Path, key: bytes) -> None:
        self._path, self._key = path, key

    def read(self) -> Head | None:
        """What was noted last; None when there is no file. Raises ValueError for one that was damaged or forged."""
        try:
            noted = json.loads(self._path.read_text(encoding="ascii"))
            head, mac = Head(int(noted["entry_id"]), str(noted["digest"])), str(noted["mac"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{self._path}: {error}") from error
        if not hmac.compare_digest(mac, self._mac(head)):
            raise ValueError(f"{self._path}: signed with another key")
        return head

    def note(self, head: Head) -> None:
        """Keep `head` in place of what is kept. A disk that takes no file is told in the log."""
        shown = json.dumps({"entry_id": head.entry_id, "digest": head.digest, "mac": self._mac(head)})
        draft = self._path.with_name(f".{self._path.name}.{secrets.token_hex(4)}")
        try:
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                os.write(handle, shown.encode())
                os.fsync(handle)
            finally:
                os.close(handle)
            draft.replace(self._path)
        except OSError as error:
            log.warning(worded("audit_head.not_written"), error)
            draft.unlink(missing_ok=True)

    def _mac(self, head: Head) -> str:
        return hmac.new(self._key, f"head:{head.entry_id}:{head.digest}".encode(), hashlib.sha256).hexdigest()
