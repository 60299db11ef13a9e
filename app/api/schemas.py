"""The bodies of requests. Every field is checked; unknown ones are refused."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

AGAIN = "다시 답해 주세요."


def _plain_text(text: str) -> str:
    """NFC text without control characters or lone surrogates; blank text is refused."""
    if any(unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\r\t" for char in text):
        raise ValueError("제어 문자나 깨진 글자가 들어 있습니다. UTF-8 글자로 보내 주세요.")
    text = unicodedata.normalize("NFC", text).strip()
    if not text:
        raise ValueError("내용을 입력해 주세요.")
    return text


PlainText = AfterValidator(_plain_text)
Question = Annotated[
    str, Field(min_length=1, max_length=5000, description="질문, 1~5,000자"), AfterValidator(_plain_text)
]
ThreadId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:\-]{1,128}$", description="대화 id. 없으면 새로 만듭니다.")]


class Body(BaseModel):
    """Base of request bodies."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ChatRequest(Body):
    """One question, in a thread or a new one."""

    query: Question
    thread_id: ThreadId | None = None
    session_id: ThreadId | None = Field(None, description="thread_id와 같은 뜻. 둘 다 있으면 thread_id를 씁니다.")
    message_id: ThreadId | None = Field(None, description="같은 id로 두 번 보내면 한 번만 처리합니다.")
    rerun_of: Annotated[
        str | None, Field(pattern=r"^[0-9a-f]{32}$", description="다시 답할 답변의 run_id. query는 비워 둡니다.")
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _asks_anew_or_again(cls, data: Any) -> Any:
        """`rerun_of` brings its own question."""
        if isinstance(data, dict) and data.get("rerun_of") is not None and "query" not in data:
            return {**data, "query": AGAIN}
        return data

    @property
    def thread(self) -> str | None:
        return self.thread_id or self.session_id


class InvokeRequest(Body):
    """The arguments of one tool call."""

    args: dict[str, Any] = Field(default_factory=dict)


class RouteRequest(Body):
    """A question to route without any model call."""

    query: Question
    thread_id: ThreadId | None = None
    top_k: Annotated[int, Field(ge=1, le=54)] = 5
