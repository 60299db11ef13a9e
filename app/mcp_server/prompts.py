"""The 8 prompts: ways to start a piece of work, with the data it needs. Their words stand in templates/mcp."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mcp_types as types
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from mcp import MCPError

from app.access import Principal, Role
from app.mcp_server.paging import page
from app.mcp_server.resources import ResourceFace
from app.settings import ROOT

MOST_CHARS = 5000


@dataclass(frozen=True)
class Argument:
    """One argument; `wanted` ones must be given. All are text, as the protocol has it."""

    name: str
    description: str
    wanted: bool = True


@dataclass(frozen=True)
class PromptSpec:
    """One prompt. `data` names resources to put beside the words; `{…}` is filled from the arguments."""

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    role: Role = "customer"
    data: tuple[str, ...] = ()


_CODE = Argument("product_code", "상품 코드 (예: B00115023)")
_AGE = Argument("age", "만 나이 (예: 45)", wanted=False)
_GENDER = Argument("gender", "성별: M 또는 F", wanted=False)
_PRODUCT = "insurance://products/{product_code}"

PROMPTS: tuple[PromptSpec, ...] = (
    PromptSpec(
        "analyze_product",
        "상품 분석",
        "한 상품의 보장, 보험료, 유의할 점을 정리합니다. (Analyse one product)",
        (_CODE, _AGE, _GENDER),
        data=(_PRODUCT, f"{_PRODUCT}/coverage", f"{_PRODUCT}/waiting-periods"),
    ),
    PromptSpec(
        "compare_products",
        "상품 비교",
        "두세 상품을 나란히 놓고 차이를 설명합니다. (Compare products)",
        (Argument("product_codes", "상품 코드 2~4개, 쉼표로 나눔"), _AGE, _GENDER),
        data=("insurance://products",),
    ),
    PromptSpec(
        "consultation_guide",
        "상담 길잡이",
        "고객의 말에서 상담을 시작해 끝까지 이끕니다. (Guide a consultation)",
        (Argument("customer_words", "고객이 한 말"), _AGE, _GENDER),
        data=("insurance://products",),
    ),
    PromptSpec(
        "needs_analysis",
        "보장 필요 분석",
        "가족, 소득, 예산에서 필요한 보장과 금액을 헤아립니다. (Analyse needs)",
        (
            Argument("age", "만 나이 (예: 45)"),
            Argument("gender", "성별: M 또는 F"),
            Argument("family", "가족 상황 (예: 배우자와 자녀 둘)", wanted=False),
            Argument("monthly_income", "월 소득, 원", wanted=False),
            Argument("monthly_budget", "월 예산, 원", wanted=False),
        ),
        data=("insurance://products",),
    ),
    PromptSpec(
        "underwriting_review",
        "가입 심사 검토",
        "병력과 직업으로 가입 가능성과 필요한 서류를 살핍니다. (Review an application)",
        (_CODE, Argument("history", "병력과 치료 이력"), Argument("job", "직업", wanted=False), _AGE, _GENDER),
        role="staff",
        data=(f"{_PRODUCT}/disclosures", "insurance://reference/knockout-rules"),
    ),
    PromptSpec(
        "compliance_review",
        "광고·화법 점검",
        "판매 문구에서 금지 표현과 빠진 안내를 찾습니다. (Review sales words)",
        (Argument("text", "점검할 문구"), Argument("product_code", "상품 코드", wanted=False)),
        role="staff",
        data=("insurance://reference/forbidden-phrases",),
    ),
    PromptSpec(
        "sales_script",
        "판매 화법",
        "설명 의무를 지키는 상담 화법을 씁니다. (Write a sales script)",
        (
            _CODE,
            Argument("channel", "판매 채널: TM, CM, 대면, 온라인, 방카", wanted=False),
            Argument("audience", "대상 (예: 50대 여성)", wanted=False),
        ),
        role="staff",
        data=(_PRODUCT, f"{_PRODUCT}/disclosures"),
    ),
    PromptSpec(
        "claim_assistance",
        "청구 도움",
        "있었던 일에서 받을 수 있는 보험금, 서류, 절차를 안내합니다. (Help with a claim)",
        (
            Argument("event", "있었던 일 (예: 맹장 수술로 3일 입원)"),
            Argument("product_code", "상품 코드", wanted=False),
        ),
        data=("insurance://claims/guides",),
    ),
)


class PromptFace:
    """Lists and fills prompts."""

    def __init__(
        self,
        resources: ResourceFace,
        specs: tuple[PromptSpec, ...] = PROMPTS,
        folder: Path = ROOT / "templates" / "mcp",
        page_size: int = 100,
    ) -> None:
        self._resources, self.specs, self._page_size = resources, specs, page_size
        self._words = Environment(
            loader=FileSystemLoader(folder),
            undefined=StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def listed(self, principal: Principal, cursor: str | None) -> types.ListPromptsResult:
        """One page of the prompts that the principal may use. Raises MCPError for a wrong cursor."""
        found, following = page([s for s in self.specs if principal.at_least(s.role)], cursor, self._page_size)
        shown = [
            types.Prompt(
                name=spec.name,
                title=spec.title,
                description=spec.description,
                arguments=[
                    types.PromptArgument(name=a.name, description=a.description, required=a.wanted)
                    for a in spec.arguments
                ],
            )
            for spec in found
        ]
        return types.ListPromptsResult(prompts=shown, next_cursor=following)

    async def filled(self, name: str, given: Mapping[str, str], principal: Principal) -> types.GetPromptResult:
        """The messages of a prompt. Raises MCPError: unknown prompt, argument missing, unknown or too long."""
        spec = next((s for s in self.specs if s.name == name and principal.at_least(s.role)), None)
        if spec is None:
            raise MCPError(types.INVALID_PARAMS, f"프롬프트 {name[:100]!r}를 찾을 수 없습니다.")
        values = _checked(spec, given)
        text = self._words.get_template(f"{spec.name}.j2").render(values)
        messages: list[types.PromptMessage] = [
            types.PromptMessage(role="user", content=types.EmbeddedResource(resource=contents))
            for uri in spec.data
            for contents in (await self._resources.read(uri.format_map(values), principal)).contents
        ]
        messages.append(types.PromptMessage(role="user", content=types.TextContent(text=text.strip())))
        return types.GetPromptResult(description=spec.description, messages=messages)


def _checked(spec: PromptSpec, given: Mapping[str, str]) -> dict[str, Any]:
    known = {argument.name for argument in spec.arguments}
    faults = [f"{name}: 이 프롬프트에 없는 인자입니다" for name in given if name not in known]
    faults += [
        f"{a.name}: 꼭 필요한 값입니다" for a in spec.arguments if a.wanted and not given.get(a.name, "").strip()
    ]
    faults += [f"{name}: {MOST_CHARS}자 이하여야 합니다" for name, value in given.items() if len(value) > MOST_CHARS]
    if faults:
        raise MCPError(types.INVALID_PARAMS, "인자가 올바르지 않습니다. " + "; ".join(faults))
    return {argument.name: given.get(argument.name, "").strip() for argument in spec.arguments}
