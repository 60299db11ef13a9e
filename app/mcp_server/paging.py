"""Pages of lists: opaque cursors that hold for one version of the list only."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import TypeVar

from mcp import MCPError
from mcp_types import INVALID_PARAMS

Item = TypeVar("Item")


def page(items: Sequence[Item], cursor: str | None, size: int, version: int = 0) -> tuple[list[Item], str | None]:
    """The page after `cursor` and the cursor of the next one. Raises MCPError for a cursor that is not ours."""
    start = 0
    if cursor is not None:
        try:
            held, start = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
            good = type(held) is int and type(start) is int and 0 < start < len(items)
        except (ValueError, TypeError, binascii.Error):
            good = False
        if not good:
            raise MCPError(INVALID_PARAMS, "cursor가 올바르지 않습니다. 처음부터 다시 불러 주세요.")
        if held != version:
            raise MCPError(INVALID_PARAMS, "그사이 목록이 바뀌었습니다. 처음부터 다시 불러 주세요.")
    end = start + size
    following = base64.urlsafe_b64encode(json.dumps([version, end]).encode()).decode() if end < len(items) else None
    return list(items[start:end]), following
