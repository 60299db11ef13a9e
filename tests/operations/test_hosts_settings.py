"""The lists of servers that may be called: names with their ports, never addresses."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from app.settings import Settings


@pytest.mark.parametrize(
    "value", ["", "api.test", "api.test:8443, *.example.org:*", "10.0.0.1:80", "[2001:db8::1]:8443", "2001:db8::1"]
)
def test_names_and_ports_are_taken(value: str) -> None:
    assert Settings(_env_file=None, tool_source_hosts=value, webhook_hosts=value).tool_source_hosts == value


@pytest.mark.parametrize("value", ["https://api.test", "api.test/v1", "api.test:https", "[2001:db8::1]:x"])
def test_what_is_no_name_with_its_port_is_told_at_the_start(value: str) -> None:
    for setting in ("tool_source_hosts", "webhook_hosts"):
        with pytest.raises(ValidationError, match="이름:포트"):
            Settings(_env_file=None, **{setting: value})
