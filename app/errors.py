"""Every error the product raises on purpose.

AppError                     has a Korean message for people, with the way out, and a stable `code` for programs
├── StartError               the service cannot start (exit code 1)
│   ├── DataFaults           faults in data files; all of them, each with file and line
│   └── IndexBuildError      an index could not be built or opened
├── BadRequest               the caller's values are wrong
│   ├── NotFound             what was named does not exist
│   │   ├── ProductNotFound
│   │   ├── CustomerNotFound
│   │   └── ToolNotFound
│   ├── RuleMissing          the data hold no rule or price for these values (an age outside the table, say)
│   ├── Ambiguous            several things fit; the caller must choose
│   └── CannotPropose        what was told or wished allows no proposal; `field` says which of it
├── NotAuthenticated         the key, token or login is wrong or has ended
├── Forbidden                the principal may not do this
├── TooManyRequests          a limit is reached; `retry_after_s` says when to try again
├── Conflict                 already decided, already running, already there
├── ToolLoadError            a tool module or its cards are broken; nothing was changed
│   └── CardRefused          a card may not be published as it is; nothing was changed
├── ToolFailed               a tool answered with an error; the message is the tool's own
├── ToolBroken               a tool's own code failed, whatever it was given
├── TurnFailed               a turn ended without an answer; `kind` is timeout, cancelled or internal
└── Unavailable              a part is down for now (model, vector store, database)
    ├── DiskFull             there is no room to keep anything
    └── ChangeTooSlow        a change of the tool set ran out of time
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal


class AppError(Exception):
    """An error whose message may be shown to a person. `code` is its stable English name."""

    code = "error"


class StartError(AppError):
    """The service cannot start; the message says what to do."""

    code = "start-error"


@dataclass(frozen=True)
class Fault:
    """One fault of one data file. `line` counts from 1; 0 when the whole file is meant."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class DataFaults(StartError):
    """Every fault found in the data files, reported together."""

    code = "data-faults"

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        lines = "\n".join(f"  {fault}" for fault in self.faults)
        super().__init__(f"데이터 파일에 오류가 {len(self.faults)}건 있습니다. 고친 뒤 다시 시작해 주세요.\n{lines}")


class IndexBuildError(StartError):
    """An index could not be built or opened."""

    code = "index-error"


class BadRequest(AppError):
    """The caller's values are wrong; the message names the value and the way out."""

    code = "bad-request"


class OutOfRange(BadRequest):
    """A threshold may not stand there; the message names its range."""

    def __init__(self, low: float, high: float) -> None:
        super().__init__(f"기준은 {low:g}부터 {high:g}까지 정할 수 있습니다.")


class NotFound(BadRequest):
    """What was named does not exist."""

    code = "not-found"


class ProductNotFound(NotFound):
    """No product has this code. `near` holds codes or names that look alike."""

    code = "product-not-found"

    def __init__(self, product_code: str, near: Sequence[str] = ()) -> None:
        self.product_code, self.near = product_code, tuple(near)
        hint = f" 비슷한 상품: {', '.join(near)}" if near else ""
        super().__init__(f"상품 코드 {product_code!r}를 찾을 수 없습니다.{hint}")


class CustomerNotFound(NotFound):
    """No customer fits the name or id."""

    code = "customer-not-found"


class ToolNotFound(NotFound):
    """No tool of this name is registered."""

    code = "tool-not-found"

    def __init__(self, tool: str) -> None:
        self.tool = tool
        super().__init__(f"도구 {tool!r}는 등록되어 있지 않습니다.")


class RuleMissing(BadRequest):
    """The data hold no rule or price for these values."""

    code = "rule-missing"


class Ambiguous(BadRequest):
    """Several things fit; `choices` names them."""

    code = "ambiguous"

    def __init__(self, message: str, choices: Sequence[str]) -> None:
        self.choices = tuple(choices)
        super().__init__(message)


class CannotPropose(BadRequest):
    """What was told or wished allows no proposal, or an edit is impossible; nothing that was entered is lost.

    The message tells the way out, `field` the place in the request.
    """

    code = "cannot-propose"

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


class NotAuthenticated(AppError):
    """The key, token or login is wrong or has ended."""

    code = "unauthorized"


class TooManyRequests(AppError):
    """A limit is reached. `retry_after_s` is the number of whole seconds after which trying again is sensible."""

    code = "too-many-requests"

    def __init__(self, message: str, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class Forbidden(AppError):
    """The principal may not do this."""

    code = "forbidden"


class Conflict(AppError):
    """The thing was already decided, is already running or is already there."""

    code = "conflict"


class ToolLoadError(AppError):
    """A tool module or its cards are broken; nothing was changed. `faults` lists every reason."""

    code = "tool-load-error"

    def __init__(self, module: str, faults: Sequence[str]) -> None:
        self.module, self.faults = module, tuple(faults)
        super().__init__(f"도구 모듈 {module!r}를 불러올 수 없습니다: " + "; ".join(self.faults))


class CardRefused(ToolLoadError):
    """A card may not be published; nothing was changed. `faults` lists every reason."""

    code = "card-refused"

    def __init__(self, tool: str, faults: Sequence[str]) -> None:
        super().__init__(tool, faults)
        self.args = (f"도구 {tool!r}의 카드를 게시할 수 없습니다: " + "; ".join(self.faults),)


class ToolFailed(AppError):
    """A tool answered with an error; the message is the tool's own."""

    code = "tool-error"


class ToolBroken(AppError):
    """A tool's own code failed; nothing that the caller gave is to blame."""

    code = "tool-broken"

    def __init__(self) -> None:
        super().__init__(
            "말씀하신 내용의 잘못이 아니라 이 기능 안에서 오류가 발생해 결과를 확인하지 못했으니, "
            "잠시 뒤 다시 시도하시거나 상담원에게 연결해 달라고 말씀해 주세요."
        )


class TurnFailed(AppError):
    """A turn ended without an answer. `kind`: timeout, cancelled, internal, or the code of the error behind it."""

    def __init__(self, message: str, kind: str) -> None:
        self.code = self.kind = kind
        super().__init__(message)


class Unavailable(AppError):
    """A part is down for now; trying again later is sensible."""

    code = "unavailable"


class DiskFull(Unavailable):
    """There is no room to keep anything."""

    code = "disk-full"

    def __init__(self) -> None:
        super().__init__("서버의 저장 공간이 가득 차 저장하지 못했습니다. 관리자가 공간을 비운 뒤 다시 시도해 주세요.")


class ChangeTooSlow(Unavailable):
    """A change of the tool set did not end in its time. `stage`: waiting (for another one), undone, or unsettled (it is
    in force, but what it left behind was not cleared away)."""

    _TOLD: ClassVar[Mapping[str, str]] = {
        "waiting": "도구를 바꾸는 다른 작업이 {:g}초 안에 끝나지 않아 시작하지 않았습니다. 잠시 뒤 다시 시도해 주세요.",
        "undone": "{:g}초 안에 끝나지 않아 그만두었고 이전 도구를 그대로 씁니다. 잠시 뒤 다시 시도해 주세요.",
        "unsettled": "바뀐 도구는 쓰이고 있지만 뒷정리가 {:g}초 안에 끝나지 않았습니다. 벡터 저장소를 확인해 주세요.",
    }

    def __init__(self, stage: Literal["waiting", "undone", "unsettled"], limit_s: float) -> None:
        self.stage = stage
        super().__init__(self._TOLD[stage].format(limit_s))
