"""Encryption of single columns: AES-256-GCM, bound to the table, column and row that a value belongs to."""

from __future__ import annotations

import base64
import binascii
import os
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from app.errors import Unavailable
from app.messages import worded

MARK = "enc1:"
# What marks a column as encrypted (tables.py); its place is `table.column:primary key`. SQLAlchemy copies it.
ENCRYPTED: dict[Any, Any] = {"encrypted": True}
_NONCE_BYTES = 12


class FieldCipher:
    """Encrypts and decrypts texts. `place` (`table.column:row`) is authenticated: a moved value is refused."""

    def __init__(self, key: bytes) -> None:
        self._aead = AESGCM(key)

    def encrypt(self, text: str, place: str) -> str:
        """`enc1:` and the nonce with the ciphertext, URL-safe base64; different at every call."""
        nonce = os.urandom(_NONCE_BYTES)
        sealed = nonce + self._aead.encrypt(nonce, text.encode(), place.encode())
        return MARK + base64.urlsafe_b64encode(sealed).decode()

    def decrypt(self, stored: str, place: str) -> str:
        """The text. Raises Unavailable when key, place or value do not fit together."""
        try:
            sealed = base64.urlsafe_b64decode(stored.removeprefix(MARK).encode())
            return self._aead.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], place.encode()).decode()
        except (InvalidTag, binascii.Error, ValueError) as error:
            raise Unavailable(worded("field_cipher.cannot_decrypt")) from error


def is_encrypted(stored: str) -> bool:
    """True for what `encrypt` made."""
    return stored.startswith(MARK)


def private_place(column: str, customer_id: str) -> str:
    """The place of a column of `customer_private`."""
    return f"customer_private.{column}:{customer_id}"
