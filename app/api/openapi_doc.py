"""The OpenAPI description: Korean and English words, an example for every call, shapes of answers and errors.

Words and examples stand in templates/openapi/calls.yaml by operation id; routes themselves hold the Korean summary.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from app.api.shapes import ANSWERS, OpenAiProblem, Problem
from app.graph.reply_shape import EVENTS
from app.settings import ROOT
from app.yaml_text import read_yaml

CALLS_FILE = ROOT / "templates" / "openapi" / "calls.yaml"
_REF = "#/components/schemas/{model}"
_ERRORS = (401, 403, 404, 422, 429)
_FREE_ERRORS = (422, 429)
_OPEN = ("live", "ready", "health")
_TAGS = {
    "chat": "질문과 답변 (Questions and answers)",
    "threads": "대화 (Conversations)",
    "proposals": "제안서 (Proposals)",
    "tools": "도구 (Tools)",
    "cards": "도구 카드 (Tool cards)",
    "imports": "밖의 도구 (Tools of other programs)",
    "approvals": "승인 (Approvals)",
    "documents": "문서 (Documents)",
    "account": "로그인과 내 정보 (Login and your data)",
    "admin": "관리 (Administration)",
    "webhooks": "다른 프로그램에 알리기 (Webhooks)",
    "health": "상태 (Health)",
    "openai": "OpenAI 호환 (OpenAI-compatible)",
}


def install(app: FastAPI) -> None:
    """Give `app` its whole description; made once, when it is first asked for."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = describe(app)
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


def load_calls(path: Path = CALLS_FILE) -> dict[str, dict[str, Any]]:
    """What is told of each call, by operation id: `en`, `path`, `query`, `request`, `status`, `response`."""
    told: dict[str, dict[str, Any]] = read_yaml(path.read_text(encoding="utf-8"))
    return told


def describe(app: FastAPI) -> dict[str, Any]:
    """The description of `app` as JSON data."""
    made = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    models: list[type[BaseModel]] = [*ANSWERS.values(), *EVENTS.values(), Problem, OpenAiProblem]
    _, shapes = models_json_schema([(model, "serialization") for model in dict.fromkeys(models)], ref_template=_REF)
    parts = made.setdefault("components", {})
    own = parts.setdefault("schemas", {})
    own |= shapes["$defs"]
    for name in ("HTTPValidationError", "ValidationError"):
        own.pop(name, None)
    own["StreamEvent"] = {
        "description": "SSE의 data. 이벤트 이름은 event에 있습니다. (The data of one server-sent event)",
        "anyOf": [{"$ref": _REF.format(model=model.__name__)} for model in EVENTS.values()],
    }
    parts["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "description": "API 키 또는 JWT (API key or JWT)"},
        "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    }
    made["security"] = [{}, {"bearer": []}, {"apiKey": []}]
    calls = load_calls()
    used = set()
    for path, methods in made["paths"].items():
        for call in methods.values():
            used |= set(call.get("tags", ()))
            _tell(call, path, calls.get(call["operationId"], {}))
    made["tags"] = [{"name": tag, "description": _TAGS.get(tag, tag)} for tag in sorted(used)]
    return made


def _tell(call: dict[str, Any], path: str, told: Mapping[str, Any]) -> None:
    """Words, examples and shapes of one call."""
    name = call["operationId"]
    if "en" in told:
        call["description"] = told["en"]
    for parameter in call.get("parameters", ()):
        example = {**told.get("path", {}), **told.get("query", {})}.get(parameter["name"])
        if example is not None:
            parameter["example"] = example
    for content in call.get("requestBody", {}).get("content", {}).values():
        if "request" in told:
            content["example"] = told["request"]
    answers = call["responses"]
    good = next((code for code in answers if code.startswith("2")), "200")
    for kind, content in answers.setdefault(good, {"description": "OK"}).setdefault("content", {}).items():
        if kind == "application/json":
            shape = ANSWERS.get(name)
            content["schema"] = {"$ref": _REF.format(model=shape.__name__)} if shape else {"type": "object"}
            if told.get("response") is not None:
                content["example"] = told["response"]
        elif kind == "text/event-stream":
            content["schema"] = {"type": "string", "description": "StreamEvent마다 한 번 (one StreamEvent each)"}
            content["example"] = _STREAM
    openai = path.startswith("/v1/")
    kind, model = ("application/json", OpenAiProblem) if openai else ("application/problem+json", Problem)
    for status in _FREE_ERRORS if name in _OPEN else _ERRORS:
        code = 400 if openai and status == 422 else status
        if openai:
            answers.pop("422", None)
        schema = {"$ref": _REF.format(model=model.__name__)}
        answers[str(code)] = {"description": HTTPStatus(code).phrase, "content": {kind: {"schema": schema}}}


_STREAM = (
    'id: 1\nevent: node_start\ndata: {"node":"input_guardrail","run_id":"49a0059006a941cdb96974530e1ad468"}\n\n'
    'id: 24\nevent: token\ndata: {"text":"치아보험은 2개입니다.","run_id":"49a0059006a941cdb96974530e1ad468"}\n\n'
)
