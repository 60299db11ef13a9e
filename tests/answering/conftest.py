"""The talks go through the whole application, opened once a test process."""

from __future__ import annotations

from tests.api.conftest import app, ask, data_dir, staff

__all__ = ["app", "ask", "data_dir", "staff"]
