"""The two secrets of an installation: one signs (cookies, key digests, the audit chain), one encrypts personal columns.

Each comes from the settings, or is made once in a file of the state folder that its owner alone can read.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from app.errors import StartError
from app.messages import worded
from app.settings import Settings

log = logging.getLogger(__name__)

LEAST_CHARS = 32
SIGNING_FILE, DATA_FILE = "secret.key", "data.key"
SIGNING_NAME, DATA_NAME = "SECRET_KEY", "DATA_KEY"


@dataclass(frozen=True)
class Secrets:
    """Both secrets as bytes; never shown by repr."""

    signing: bytes = field(repr=False)
    data: bytes = field(repr=False)

    def signing_key(self, purpose: str) -> bytes:
        """A 32-byte key for one purpose; keys of other purposes tell nothing about it."""
        return hmac.digest(self.signing, f"signing:{purpose}".encode(), hashlib.sha256)

    def data_key(self) -> bytes:
        """The 32-byte key of the personal columns."""
        return hmac.digest(self.data, b"data:columns", hashlib.sha256)

    def fingerprints(self) -> dict[str, str]:
        """By the setting's name, what tells this secret from another one without telling it."""
        return {
            SIGNING_NAME: self.signing_key("fingerprint").hex(),
            DATA_NAME: hmac.digest(self.data, b"data:fingerprint", hashlib.sha256).hex(),
        }


def known_secrets(settings: Settings) -> Secrets | None:
    """The secrets of this installation, none made: None where one does not exist yet. Raises StartError."""
    kept = {SIGNING_FILE: settings.secret_key, DATA_FILE: settings.data_key}
    there = all(_is_given(value) or (settings.data_dir / name).is_file() for name, value in kept.items())
    return open_secrets(settings) if there else None


def open_secrets(settings: Settings) -> Secrets:
    """The secrets of this installation. Raises StartError for one that is too short or cannot be read or written."""
    signing = _given(SIGNING_NAME, settings.secret_key) or _kept(settings.data_dir / SIGNING_FILE)
    data = _given(DATA_NAME, settings.data_key)
    if data is None:
        path = settings.data_dir / DATA_FILE
        if not path.exists():
            log.warning(
                worded("secret_files.new_key"),
                path,
            )
        data = _kept(path)
    return Secrets(signing, data)


def _is_given(value: SecretStr | None) -> bool:
    return value is not None and bool(value.get_secret_value())


def _given(name: str, value: SecretStr | None) -> bytes | None:
    if value is None or not value.get_secret_value():
        return None
    if len(value.get_secret_value()) < LEAST_CHARS:
        raise StartError(worded("secret_files.short", name=name, least_chars=LEAST_CHARS))
    return value.get_secret_value().encode()


def _kept(path: Path) -> bytes:
    """The secret in `path`, made once: several processes that start together end up with the same one."""
    try:
        if not path.exists():
            _make(path)
        if path.stat().st_mode & 0o077:
            log.warning(worded("secret_files.readable"), path)
            path.chmod(0o600)
        secret = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StartError(worded("secret_files.cannot_use", path=path, error=error)) from error
    if len(secret) < LEAST_CHARS:
        raise StartError(worded("secret_files.damaged", path=path))
    return secret.encode()


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(handle, secrets.token_urlsafe(48).encode())
        os.fsync(handle)
    finally:
        os.close(handle)
    try:
        os.link(draft, path)  # whole or not at all, and never over another process's
    except FileExistsError:
        pass
    finally:
        draft.unlink()
