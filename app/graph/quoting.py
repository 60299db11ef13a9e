"""What a tool quotes from documents is shown to people: sentences of it that give orders to a model are left out.

A provider's model reads tool results behind the fence, which cuts them too; the embedded planner quotes them, and so do
the sources under an answer. A document is uploaded by an operator, but its words may come from anywhere.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from app.safety.injection import InjectionCheck
from app.safety.sentences import sentences
from app.toolbox.dispatch import ToolRun

# Without one of these no sentence is an order to a model. Judging costs 1.5 ms a sentence, looking for them nothing.
_ORDERS = re.compile(
    r"무시|잊어|지시|명령|지침|프롬프트|시스템|출력|공개|실행|관리자|개발자|너는|당신은|비밀|유출|전화번호를|"
    r"ignore|instruct|system|prompt|reveal|overrid|disregard|assistant",
    re.IGNORECASE,
)


def without_orders(run: ToolRun, check: InjectionCheck) -> ToolRun:
    """The same run; where it quotes passages, sentences that read like an attack are gone from its artifact."""
    artifact = run.message.artifact or {}
    data = artifact.get("data")
    if not isinstance(data, dict) or not data.get("passages"):
        return run
    cut = {name: _walk(value, check) for name, value in artifact.items()}
    return run if cut == artifact else replace(run, message=run.message.model_copy(update={"artifact": cut}))


def _walk(value: Any, check: InjectionCheck) -> Any:
    if isinstance(value, str):
        return cut_orders(value, check)
    if isinstance(value, dict):
        return {key: _walk(item, check) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_walk(item, check) for item in value]
    return value


def cut_orders(text: str, check: InjectionCheck) -> str:
    """`text` without the sentences that read like orders to a model; the very text when there are none."""
    if not _ORDERS.search(text):
        return text
    kept = [
        text[start:end]
        for start, end in sentences(text)
        if not _ORDERS.search(text[start:end]) or check.judge(text[start:end]).level != "block"
    ]
    return text if len(kept) == len(sentences(text)) else " ".join(" ".join(kept).split())
