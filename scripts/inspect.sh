#!/bin/sh
# Opens the MCP Inspector on a running server, or on one that it starts itself over stdio.
#   scripts/inspect.sh                              http://127.0.0.1:8000/sse
#   scripts/inspect.sh http://127.0.0.1:8080/mcp    the web server's
#   scripts/inspect.sh stdio                        starts run_mcp.py
#   scripts/inspect.sh cli [URL|stdio] ARGS…        in the terminal, for example: cli stdio --method tools/list
set -eu
cd "$(dirname "$0")/.."
OWN=tests/mcp/node_modules/.bin
if [ -x "$OWN/mcp-inspector" ]; then
  PATH="$PWD/$OWN:$PATH"
  inspector="mcp-inspector"
else
  inspector="npx --yes @modelcontextprotocol/inspector"
fi
command -v "${inspector%% *}" >/dev/null || { echo "npx가 없습니다. Node.js를 설치한 뒤 다시 실행해 주세요. (Node.js is needed.)" >&2; exit 1; }
PYTHON=.venv/bin/python
[ -x "$PYTHON" ] || PYTHON=python3

mode=""
if [ "${1:-}" = "cli" ]; then
  mode="--cli"
  shift
fi
target="${1:-http://127.0.0.1:8000/sse}"
[ $# -gt 0 ] && shift
if [ "$target" = "stdio" ]; then
  [ -n "$mode" ] && mode="$mode --connect-timeout 60000"
  exec $inspector $mode "$PYTHON" run_mcp.py stdio "$@"
fi
case "$target" in
  */sse) transport=sse ;;
  *) transport=http ;;
esac
if [ -n "$mode" ]; then
  exec $inspector --cli "$target" --transport "$transport" "$@"
fi
exec $inspector --transport "$transport" --server-url "$target" "$@"
