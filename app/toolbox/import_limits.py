"""What tools of other programs may do: the addresses and commands allowed, times and sizes."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from app.adapters.outside import NetworkRules
from app.adapters.source_auth import SourceAuth
from app.settings import Settings, listed


@dataclass(frozen=True)
class ImportLimits:
    """What imported tools may do. `commands` are the stdio command lines that may be run, arguments included."""

    rules: NetworkRules
    auth: Mapping[str, SourceAuth]
    commands: tuple[tuple[str, ...], ...]
    call_timeout_s: float
    connect_timeout_s: float
    result_chars: int


def import_limits(settings: Settings, auth: Mapping[str, SourceAuth]) -> ImportLimits:
    """The limits that the settings name."""
    commands = (tuple(shlex.split(line)) for line in settings.mcp_commands.split(";"))
    return ImportLimits(
        rules=NetworkRules(listed(settings.tool_source_hosts), listed(settings.tool_source_networks)),
        auth=auth,
        commands=tuple(command for command in commands if command),
        call_timeout_s=settings.tool_source_timeout_s,
        connect_timeout_s=settings.mcp_connect_timeout_s,
        result_chars=settings.tool_result_chars,
    )
