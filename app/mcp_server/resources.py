"""The 19 read-only resources: product data, reference lists, claims, contracts, documents and the tool catalogue.

Each is the result of the same functions that the tools use, as JSON. What only staff may ask a tool for only staff may
read here.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp import MCPError
from pydantic import BaseModel

from app.access import Principal, Role
from app.documents.search import DocumentSearch
from app.errors import NotFound
from app.insurance.acceptance import knockout_rules
from app.insurance.catalogue import Catalogue
from app.insurance.compliance import required_disclosures
from app.insurance.coverage import summarise_coverage
from app.insurance.disclosure import disclosure_questions
from app.insurance.exclusions import list_exclusions
from app.insurance.models import Product
from app.insurance.products import product_facts
from app.insurance.riders import list_riders
from app.insurance.waiting import waiting_periods
from app.mcp_server.paging import page
from app.services import Knowledge, Talk, Tools

CATALOG = "insurance://tools/catalog"
_JSON = "application/json"
_VARIABLE = re.compile(r"\\?\{(\w+)\\?\}")
_SAFE_VALUE = r"(?P<value>[^/?#]{1,64})"


@dataclass(frozen=True)
class Reading:
    """What a resource is read from: the data in force, and who reads."""

    documents: DocumentSearch
    tools: Tools
    talk: Talk
    catalogue: Catalogue
    principal: Principal

    @property
    def reference(self) -> Any:
        return self.catalogue.reference


Read = Callable[[Reading, str], Any]
"""(reading, the value of the uri's variable or "") → JSON data, or an awaitable of it."""


@dataclass(frozen=True)
class ResourceSpec:
    """One resource; with a `{variable}` in its uri a template."""

    uri: str
    name: str
    title: str
    description: str
    read: Read
    role: Role = "customer"

    @property
    def is_template(self) -> bool:
        return self.variable is not None

    @property
    def variable(self) -> str | None:
        """The name of the uri's variable; None without one."""
        found = _VARIABLE.search(self.uri)
        return found[1] if found else None

    def match(self, uri: str) -> str | None:
        """The variable's value in a uri that this resource answers ("" without one); None for another's."""
        found = re.fullmatch(_VARIABLE.sub(lambda _: _SAFE_VALUE, re.escape(self.uri)), uri)
        return None if found is None else found.groupdict().get("value", "")


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


def _listing(items: Sequence[Any]) -> dict[str, Any]:
    return {"count": len(items), "items": _plain(tuple(items))}


def _of(make: Callable[[Reading, Product], BaseModel]) -> Read:
    return lambda reading, code: make(reading, reading.catalogue.product(code)).model_dump(mode="json")


def _products(reading: Reading, _: str) -> dict[str, Any]:
    told = ("code", "name", "category", "summary", "simplified", "revision", "effective_date")
    rows = [product_facts(product).model_dump(mode="json") for product in reading.catalogue.products]
    items = [{**{key: row[key] for key in told}, "uri": f"insurance://products/{row['code']}"} for row in rows]
    return {"count": len(items), "items": items}


def _premium_table(reading: Reading, code: str) -> dict[str, Any]:
    product, catalogue = reading.catalogue.product(code), reading.catalogue
    curves = {
        gender: [{"age": age, "premium": won} for age, won in catalogue.premium_curve(code, gender)]
        for gender in ("M", "F")
        if gender in catalogue.premiums[code]
    }
    return {
        "code": product.code,
        "name": product.name,
        "basis": "기본 플랜과 기본 가입금액의 월 보험료(원), 나이는 보험나이",
        "plan": next((plan.name for plan in product.plans if plan.default), product.plans[0].name),
        "sum_insured": product.sum_insured.default,
        "premiums": curves,
    }


def _disclosures(reading: Reading, code: str) -> dict[str, Any]:
    product = reading.catalogue.product(code)
    duties = required_disclosures(product, reading.reference.sales_duties, None).model_dump(mode="json")
    return {**duties, "questions": disclosure_questions(reading.reference, product).model_dump(mode="json")}


def _jobs(reading: Reading, _: str) -> dict[str, Any]:
    rules = {rule.risk_class: rule.model_dump(mode="json") for rule in reading.reference.job_rules}
    risky = [job for job in reading.reference.jobs if job.risk_class != min(rules)]
    return {"rules": list(rules.values()), **_listing(risky)}


def _phrases(reading: Reading, _: str) -> dict[str, Any]:
    rows = [item.model_dump(mode="json", exclude={"pattern"}) for item in reading.reference.forbidden_phrases]
    return {"count": len(rows), "items": rows}


def _forms(reading: Reading, _: str) -> dict[str, Any]:
    items = [{"name": claim.name, "forms": _plain(claim.forms)} for claim in reading.reference.claims]
    return {"count": len(items), "items": items}


def _guides(reading: Reading, _: str) -> dict[str, Any]:
    items = [claim.model_dump(mode="json", exclude={"forms"}) for claim in reading.reference.claims]
    return {"count": len(items), "items": items}


def _documents(reading: Reading, _: str) -> dict[str, Any]:
    found = reading.documents.documents()
    items = [item.model_dump(mode="json", by_alias=True, exclude={"file"}) for item in found]
    return {"count": len(items), "items": items}


def _catalog(reading: Reading, _: str) -> dict[str, Any]:
    snapshot = reading.tools.registry.snapshot()
    allowed = snapshot.allowed_for(reading.principal, "mcp")
    items = [
        {
            "name": entry.name,
            "title": entry.card.title,
            "group": entry.module,
            "purpose": entry.card.purpose,
            "when_to_use": list(entry.card.when_to_use),
            "when_not_to_use": list(entry.card.when_not_to_use),
            "role": entry.role,
            "source": entry.source,
        }
        for entry in snapshot.entries
        if entry.name in allowed
    ]
    return {"registry_version": snapshot.version, "count": len(items), "items": items}


_P = "insurance://products/{product_code}"
_R = "insurance://reference"
RESOURCES: tuple[ResourceSpec, ...] = (
    ResourceSpec(
        "insurance://products", "products", "상품 목록", "판매 중인 모든 상품의 코드, 이름, 분류, 한 줄 설명", _products
    ),
    ResourceSpec(
        _P, "product", "상품 정보", "한 상품의 가입 나이, 갱신, 심사, 주요 보장", _of(lambda _, p: product_facts(p))
    ),
    ResourceSpec(
        f"{_P}/riders", "product-riders", "특약 목록", "한 상품의 의무·선택 특약", _of(lambda _, p: list_riders(p))
    ),
    ResourceSpec(
        f"{_P}/coverage",
        "product-coverage",
        "보장 요약",
        "한 상품의 보장별 금액",
        _of(lambda _, p: summarise_coverage(p)),
    ),
    ResourceSpec(
        f"{_P}/premium-table", "product-premium-table", "보험료표", "한 상품의 나이·성별 월 보험료(원)", _premium_table
    ),
    ResourceSpec(
        f"{_P}/waiting-periods",
        "product-waiting-periods",
        "면책·감액 기간",
        "한 상품의 보장별 면책기간과 감액기간",
        _of(lambda _, p: waiting_periods(p)),
    ),
    ResourceSpec(
        f"{_P}/exclusions",
        "product-exclusions",
        "보장하지 않는 사항",
        "한 상품의 보장하지 않는 사항과 근거 조항",
        _of(lambda r, p: list_exclusions(r.reference, p)),
    ),
    ResourceSpec(
        f"{_P}/disclosures",
        "product-disclosures",
        "설명 의무와 고지 질문",
        "한 상품을 팔 때 알릴 사항과 계약 전 알릴 의무의 질문",
        _disclosures,
        "staff",
    ),
    ResourceSpec(
        f"{_R}/diagnosis-definitions",
        "diagnosis-definitions",
        "진단 정의",
        "약관의 진단 정의와 근거 조항",
        lambda r, _: _listing(r.reference.definitions),
    ),
    ResourceSpec(
        f"{_R}/icd-mappings",
        "icd-mappings",
        "질병 코드",
        "KCD 코드와 보장 분류",
        lambda r, _: _listing(r.reference.kcd),
    ),
    ResourceSpec(
        f"{_R}/high-risk-jobs", "high-risk-jobs", "위험 직업", "위험등급이 높은 직업과 인수 기준", _jobs, "staff"
    ),
    ResourceSpec(
        f"{_R}/knockout-rules",
        "knockout-rules",
        "인수 거절 기준",
        "해당하면 가입이 거절되는 사유",
        lambda r, _: knockout_rules(r.catalogue, None).model_dump(mode="json"),
        "staff",
    ),
    ResourceSpec(
        f"{_R}/forbidden-phrases",
        "forbidden-phrases",
        "금지 표현",
        "판매할 때 쓰면 안 되는 말과 바꿔 쓸 말",
        _phrases,
        "staff",
    ),
    ResourceSpec(
        f"{_R}/glossary", "glossary", "용어집", "보험 용어의 쉬운 설명", lambda r, _: _listing(r.reference.glossary)
    ),
    ResourceSpec("insurance://claims/guides", "claims-guides", "청구 안내", "청구 종류별 절차와 접수 방법", _guides),
    ResourceSpec("insurance://claims/forms", "claims-forms", "청구 서류", "청구 종류별 서류와 발급처", _forms),
    ResourceSpec(
        "insurance://contract/actions",
        "contract-actions",
        "계약 업무",
        "해지, 대출, 부활 같은 계약 업무의 절차와 효과",
        lambda r, _: _listing(r.reference.contract_actions),
    ),
    ResourceSpec(
        "insurance://documents", "documents", "문서 목록", "검색할 수 있는 약관, 요약서, 회사 문서", _documents
    ),
    ResourceSpec(CATALOG, "tools-catalog", "도구 목록", "등록된 도구의 쓰임과 쓰지 말아야 할 때", _catalog, "staff"),
)


@dataclass(frozen=True)
class ResourceFace:
    """Lists and reads resources."""

    knowledge: Knowledge
    tools: Tools
    talk: Talk
    specs: tuple[ResourceSpec, ...] = RESOURCES
    page_size: int = 100

    def listed(self, principal: Principal, cursor: str | None) -> types.ListResourcesResult:
        """One page of the resources without variables. Raises MCPError for a wrong cursor."""
        fixed = [spec for spec in self.specs if not spec.is_template and principal.at_least(spec.role)]
        found, following = page(fixed, cursor, self.page_size)
        shown = [
            types.Resource(uri=s.uri, name=s.name, title=s.title, description=s.description, mime_type=_JSON)
            for s in found
        ]
        return types.ListResourcesResult(resources=shown, next_cursor=following)

    def templates(self, principal: Principal, cursor: str | None) -> types.ListResourceTemplatesResult:
        """One page of the resources with a variable. Raises MCPError for a wrong cursor."""
        named = [spec for spec in self.specs if spec.is_template and principal.at_least(spec.role)]
        found, following = page(named, cursor, self.page_size)
        shown = [
            types.ResourceTemplate(
                uri_template=s.uri, name=s.name, title=s.title, description=s.description, mime_type=_JSON
            )
            for s in found
        ]
        return types.ListResourceTemplatesResult(resource_templates=shown, next_cursor=following)

    async def read(self, uri: str, principal: Principal) -> types.ReadResourceResult:
        """The data of a resource. Raises MCPError for one that does not exist or that the principal may not read."""
        for spec in self.specs:
            code = spec.match(uri)
            if code is not None and principal.at_least(spec.role):
                break
        else:
            raise MCPError(types.INVALID_PARAMS, f"리소스 {uri[:200]!r}를 찾을 수 없습니다.", {"uri": uri[:200]})
        context = self.talk.make_context(principal, "mcp", "mcp")
        reading = Reading(self.knowledge.documents, self.tools, self.talk, context.catalogue, principal)
        try:
            data = await asyncio.to_thread(spec.read, reading, code)
            if inspect.isawaitable(data):
                data = await data
        except NotFound as error:
            raise MCPError(types.INVALID_PARAMS, str(error), {"uri": uri[:200]}) from error
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=_JSON, text=text)])
