"""Text that stays on its line: what goes into logs and the audit log can neither begin a new line nor hide a part."""

from __future__ import annotations

import unicodedata

_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def one_line(text: str, most: int = 2000) -> str:
    """`text` with line breaks, control, bidi, zero-width and lone surrogate characters written as `\\uXXXX`, at most
    `most` characters long."""
    if text.isascii() and text.isprintable():
        return text[:most]
    return "".join(f"\\u{ord(c):04x}" if unicodedata.category(c) in _UNSEEN else c for c in text[:most])[:most]
