"""Completions of arguments: product codes by code or name, and the few values that the data know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import mcp_types as types
from mcp import MCPError

from app.access import Principal
from app.insurance.catalogue import Catalogue
from app.insurance.models import ChannelName
from app.insurance.names import name_key, names_of
from app.mcp_server.prompts import PromptFace
from app.mcp_server.resources import ResourceFace

MOST_VALUES = 100
_FIXED: dict[str, tuple[str, ...]] = {"gender": ("M", "F"), "channel": get_args(ChannelName)}


def completions(
    params: types.CompleteRequestParams,
    principal: Principal,
    catalogue: Catalogue,
    prompts: PromptFace,
    resources: ResourceFace,
) -> types.CompleteResult:
    """What the argument could be. Raises MCPError for a prompt or template that does not exist."""
    ref, name = params.ref, params.argument.name
    if isinstance(ref, types.PromptReference):
        spec = next((s for s in prompts.specs if s.name == ref.name and principal.at_least(s.role)), None)
        known: Any = spec and {argument.name for argument in spec.arguments}
    else:
        template = next((s for s in resources.specs if s.uri == ref.uri and principal.at_least(s.role)), None)
        known = template and ({template.variable} if template.variable else set())
    if known is None:
        raise MCPError(types.INVALID_PARAMS, "완성할 프롬프트나 리소스를 찾을 수 없습니다.")
    found = _values(name, params.argument.value, catalogue) if name in known else []
    shown = found[:MOST_VALUES]
    return types.CompleteResult(
        completion=types.Completion(values=shown, total=len(found), has_more=len(found) > len(shown))
    )


def _values(name: str, typed: str, catalogue: Catalogue) -> list[str]:
    if name == "product_code":
        return _codes(typed, catalogue)
    if name == "product_codes":
        *before, last = typed.split(",")
        chosen = [part.strip() for part in before]
        return [",".join([*chosen, code]) for code in _codes(last, catalogue) if code not in chosen]
    return _starting(typed, _FIXED.get(name, ()))


def _codes(typed: str, catalogue: Catalogue) -> list[str]:
    """Codes that begin so; after them those of products whose name, nickname or kind holds the words."""
    wanted, words = typed.strip().upper(), name_key(typed)
    by_code = [product.code for product in catalogue.products if product.code.startswith(wanted)]
    by_name = [
        product.code
        for product in catalogue.products
        if words and any(words in name_key(name) for name in (*names_of(product), product.category))
    ]
    return list(dict.fromkeys((*by_code, *by_name)))


def _starting(typed: str, values: Sequence[str]) -> list[str]:
    return [value for value in values if value.casefold().startswith(typed.strip().casefold())]
