"""RFC 9457 problem details: one place that turns errors into HTTP answers, with true status codes and a request id."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from app.adapters.disk import is_full
from app.documents.faults import FileTooLarge
from app.errors import (
    AppError,
    BadRequest,
    CannotPropose,
    Conflict,
    DiskFull,
    Forbidden,
    NotAuthenticated,
    NotFound,
    RuleMissing,
    ToolFailed,
    ToolLoadError,
    TooManyRequests,
    TurnFailed,
    Unavailable,
)

_STATUS: tuple[tuple[type[AppError], int], ...] = (
    (FileTooLarge, 413),
    (NotFound, 404),
    (RuleMissing, 422),
    (CannotPropose, 422),
    (ToolLoadError, 422),
    (ToolFailed, 422),
    (BadRequest, 400),
    (NotAuthenticated, 401),
    (TooManyRequests, 429),
    (Forbidden, 403),
    (Conflict, 409),
    (Unavailable, 503),
)
_TURN_STATUS = {"timeout": 504, "cancelled": 409, "unavailable": 503, "disk-full": 503}
_TEXTS = {
    400: "요청을 읽을 수 없습니다. 본문이 UTF-8 JSON인지 확인해 주세요.",
    401: "로그인이 필요합니다.",
    403: "이 작업을 할 권한이 없습니다.",
    404: "요청한 주소를 찾을 수 없습니다.",
    405: "이 주소에서 쓸 수 없는 방식입니다.",
    413: "본문이 너무 큽니다. 64kB 이하로 보내 주세요.",
    415: "Content-Type을 application/json으로 보내 주세요.",
}
_MESSAGES = {
    "missing": "꼭 필요한 값입니다.",
    "extra_forbidden": "알 수 없는 항목입니다.",
    "string_too_short": "내용을 입력해 주세요.",
    "string_too_long": "너무 깁니다. {max_length}자 이하로 줄여 주세요.",
    "string_type": "문자열이어야 합니다.",
    "json_invalid": "올바른 JSON이 아닙니다.",
    "string_pattern_mismatch": "형식이 맞지 않습니다(형식: {pattern}).",
    "literal_error": "다음 가운데 하나여야 합니다: {expected}.",
    "enum": "다음 가운데 하나여야 합니다: {expected}.",
    "int_parsing": "정수여야 합니다.",
    "int_type": "정수여야 합니다.",
    "float_parsing": "수여야 합니다.",
    "float_type": "수여야 합니다.",
    "bool_type": "true 또는 false여야 합니다.",
    "bool_parsing": "true 또는 false여야 합니다.",
    "dict_type": "객체여야 합니다.",
    "list_type": "목록이어야 합니다.",
    "greater_than_equal": "{ge} 이상이어야 합니다.",
    "less_than_equal": "{le} 이하여야 합니다.",
    "greater_than": "{gt}보다 커야 합니다.",
    "less_than": "{lt}보다 작아야 합니다.",
}


class ProblemResponse(JSONResponse):
    """`application/problem+json`."""

    media_type = "application/problem+json"


def problem(
    request: Request,
    status: int,
    kind: str,
    detail: str,
    *,
    errors: list[dict[str, Any]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> ProblemResponse:
    """One problem document. `kind` is the stable English type, `detail` Korean for people."""
    body: dict[str, Any] = {
        "type": kind,
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "request_id": getattr(request.state, "request_id", ""),
    }
    if errors is not None:
        body["errors"] = errors
    return ProblemResponse(body, status_code=status, headers=dict(headers or {}))


def status_of(error: AppError) -> int:
    """The HTTP status of one of our errors."""
    if isinstance(error, TurnFailed):
        return _TURN_STATUS.get(error.kind, 500)
    return next((code for kind, code in _STATUS if isinstance(error, kind)), 500)


def install(app: FastAPI) -> None:
    """Register the handlers on `app`."""

    @app.exception_handler(AppError)
    async def own(request: Request, error: AppError) -> ProblemResponse:
        status = status_of(error)
        faults = error.faults if isinstance(error, ToolLoadError) else (str(error),)
        own_field = error.field if isinstance(error, CannotPropose) else "value"
        field = "args" if isinstance(error, ToolFailed) else own_field
        errors = [{"field": field, "type": error.code, "message": fault} for fault in faults] if status == 422 else None
        return problem(request, status, error.code, str(error), errors=errors, headers=_headers(error))

    @app.exception_handler(OSError)
    async def system(request: Request, error: OSError) -> ProblemResponse:
        if not is_full(error):
            raise error
        return await own(request, DiskFull())

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> ProblemResponse:
        errors = [
            {
                "field": ".".join(str(part) for part in item["loc"] if part != "body"),
                "type": item["type"],
                "message": fault_message(item),
            }
            for item in error.errors()
        ]
        return problem(request, 422, "validation-error", "보낸 값에 잘못된 곳이 있습니다.", errors=errors)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> ProblemResponse:
        kind = HTTPStatus(error.status_code).phrase.lower().replace(" ", "-")
        detail = _TEXTS.get(error.status_code, str(error.detail))
        return problem(request, error.status_code, kind, detail, headers=error.headers)


def _headers(error: AppError) -> dict[str, str]:
    if isinstance(error, TooManyRequests):
        return {"Retry-After": str(error.retry_after_s)}
    return {"WWW-Authenticate": "Bearer"} if isinstance(error, NotAuthenticated) else {}


def fault_message(item: dict[str, Any]) -> str:
    """What is wrong with one value, in Korean."""
    template = _MESSAGES.get(item["type"])
    if template is None:
        return str(item["msg"]).removeprefix("Value error, ")
    return template.format(**(item.get("ctx") or {}))
