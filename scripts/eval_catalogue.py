"""How a catalogue of another program is used that is known by names, descriptions and schemas alone: the right tool for
a question, and all of its arguments. `python -m scripts.eval_catalogue [--folder …] [--half odd|even] [--verbose]`

The folder holds `tools.json`, a list of {"name", "description", "parameters" (JSON Schema)}, and `talks.jsonl`, one
question a line: {"id", "text", "tool", "args", "either": {argument: [values]}, "contains": {argument: [parts]}}.
The catalogue is imported as an OpenAPI service beside the shipped tools, as `POST /api/tools/openapi` does, and every
question is asked as a customer in a thread of its own. `--router` asks the router alone, which takes seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from app.access import Principal
from app.composition import open_services
from app.evaluation.hearing import calls_of
from app.routing.router import Router
from app.services import Services
from app.settings import ROOT, Settings
from app.toolbox.snapshot import ToolSnapshot
from scripts.eval_new_tools import right_arguments

FOLDER = ROOT / "data" / "evaluation" / "catalogues" / "everyday"
_SOURCE, _WITHIN = "catalogue", 5


def described(tools: Sequence[Mapping[str, Any]], server: str) -> dict[str, Any]:
    """The catalogue as an OpenAPI description: an operation a tool, its arguments as the fields of its body."""
    paths: dict[str, Any] = {}
    for tool in tools:
        body = {"required": True, "content": {"application/json": {"schema": tool["parameters"]}}}
        operation = {"operationId": tool["name"], "description": tool["description"], "requestBody": body}
        answer = {"200": {"description": "done", "content": {"application/json": {"schema": {"type": "object"}}}}}
        paths[f"/{tool['name']}"] = {"post": {**operation, "responses": answer}}
    return {
        "openapi": "3.1.0",
        "info": {"title": _SOURCE, "version": "1"},
        "servers": [{"url": server}],
        "paths": paths,
    }


class _Done(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b'{"done": true}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: the figures are what is told."""


@contextmanager
def _serving() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Done)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


async def measured(
    folder: Path, today: date, *, half: str | None = None, router: bool = False, verbose: bool = False
) -> Counter[str]:
    """Counts: `questions`; by the router alone, the catalogue by itself and `beside` the shipped tools, `first`,
    `among` the best five, `lost` to "no tool"; of whole turns the right `tool`, all `args`, `asked` back, `refused`."""
    tools = json.loads((folder / "tools.json").read_text(encoding="utf-8"))
    talks = [json.loads(line) for line in (folder / "talks.jsonl").read_text(encoding="utf-8").splitlines() if line]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as state, _serving() as server:
        hosts = server.removeprefix("http://")
        settings = Settings(
            data_dir=Path(state), twin_process=False, tool_source_hosts=hosts, tool_source_networks="127.0.0.0/8"
        )
        async with open_services(settings, today=lambda: today) as services:
            spec = described(tools, server)
            done = await services.tools.imports.import_openapi(_SOURCE, "eval", spec=spec, role="customer")
            ours = {str((entry.tool.metadata or {})["path"])[1:]: entry.name for entry in done.registered}
            asked = [talk for number, talk in enumerate(talks, 1) if half is None or number % 2 == (half == "odd")]
            counts["questions"] = len(asked)
            whole = services.tools.registry.snapshot()
            for name, part in (("", whole.restricted(ours.values())), ("beside_", whole)):
                _routed(services.tools.routing.router.trial(part), part, asked, ours, name, counts)
            for talk in () if router else asked:
                await _asked(services, talk, ours[talk["tool"]], counts, verbose=verbose)
    return counts


def _routed(
    router: Router,
    part: ToolSnapshot,
    talks: Sequence[Mapping[str, Any]],
    ours: Mapping[str, str],
    name: str,
    counts: Counter[str],
) -> None:
    for talk in talks:
        route = router.route(talk["text"], part, top_k=_WITHIN)
        found = [candidate.tool for candidate in route.candidates]
        counts[f"{name}first"] += found[:1] == [ours[talk["tool"]]]
        counts[f"{name}among"] += ours[talk["tool"]] in found
        counts[f"{name}lost"] += route.no_call


async def _asked(
    services: Services, talk: Mapping[str, Any], wanted: str, counts: Counter[str], *, verbose: bool
) -> None:
    who = Principal(id="customer", role="customer")
    reply = await services.talk.runner.ask(talk["text"], who, f"catalogue-{talk['id']}")
    calls = [(call.tool, call.args) for call in calls_of(reply)]
    bound = reply["needs_input"]
    args = next((args for tool, args in calls if tool == wanted), None)
    turn = {
        "call": {"tool": wanted, "args": talk.get("args", {})},
        **{k: talk[k] for k in ("either", "contains") if k in talk},
    }
    good = args is not None and right_arguments(turn, args, {})
    counts["tool"] += args is not None
    counts["args"] += good
    counts["asked"] += bool(bound) and not calls
    counts["refused"] += reply["guard"].get("input") == "block"
    if verbose and not good:
        fields = sorted(set(bound))
        print(
            f"✗ {talk['id']} {talk['text']!r} → {talk['tool']} {turn} got {calls} asks {fields} "
            f"{reply['answer'][:60]!r}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--today", type=date.fromisoformat, default=date(2026, 11, 26), help="when the questions were")
    parser.add_argument("--half", choices=("odd", "even"), help="every second question alone")
    parser.add_argument("--router", action="store_true", help="no whole turns")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    counts = asyncio.run(
        measured(options.folder, options.today, half=options.half, router=options.router, verbose=options.verbose)
    )
    many = counts["questions"]
    print(f"{options.folder.name}, {many} questions")
    for name, told in (("", "the catalogue by itself"), ("beside_", "beside the shipped tools")):
        first, among, lost = (counts[f"{name}{key}"] for key in ("first", "among", "lost"))
        print(f"router, {told}: Hit@1 {first / many:.1%}, Recall@5 {among / many:.1%}, lost to no tool {lost}")
    if not options.router:
        print(
            f"whole turns: right tool {counts['tool'] / many:.1%}, with all arguments {counts['args'] / many:.1%}; "
            f"asked back {counts['asked']}, refused {counts['refused']}"
        )


if __name__ == "__main__":
    main()
