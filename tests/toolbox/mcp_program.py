"""A real MCP server for the tests: `python mcp_program.py [stdio|http|sse] [port]`. It can get another tool."""

from __future__ import annotations

import asyncio
import os
import sys

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

server = MCPServer("test", log_level="ERROR")
READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True)


@server.tool(annotations=READS)
def add_numbers(first: int, second: int) -> int:
    """Add two numbers."""
    return first + second


@server.tool(name="getWeather", annotations=READS)
def get_weather(city: str) -> dict[str, str]:
    """Tell the weather of a city."""
    return {"city": city, "sky": "맑음", "token": os.environ.get("WEATHER_TOKEN", "")}


@server.tool(annotations=ToolAnnotations(destructive_hint=True, read_only_hint=False))
def delete_file(path: str) -> str:
    """Delete a file."""
    return f"deleted {path}"


@server.tool()
def unhinted(text: str) -> str:
    """Say something back, with no hints at all."""
    return text


@server.tool(annotations=READS)
def refuses() -> str:
    """Always refuse."""
    raise ToolError("지금은 할 수 없습니다")


@server.tool(annotations=READS)
async def sleeps(seconds: float) -> str:
    """Wait for some seconds."""
    await asyncio.sleep(seconds)
    return "awake"


@server.tool(annotations=ToolAnnotations(read_only_hint=False))
def dies() -> str:
    """End the whole program."""
    os._exit(3)


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def grow(ctx: Context) -> str:
    """Add one more tool to this server."""

    def grown_later() -> str:
        """A tool that was not there at first."""
        return "new"

    server.add_tool(grown_later, name="grown_later")
    await ctx.notify_tools_changed()
    if ctx.request_context.protocol_version < "2026-07-28":
        await ctx.session.send_tool_list_changed()
    return "grown"


if __name__ == "__main__":
    kind = sys.argv[1] if len(sys.argv) > 1 else "stdio"
    if kind == "stdio":
        server.run("stdio")
    else:
        server.run("sse" if kind == "sse" else "streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
