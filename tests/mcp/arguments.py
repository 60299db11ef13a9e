"""Random arguments that fit a tool's schema, with values of the product's own world where the name tells which."""

from __future__ import annotations

import random
from typing import Any

WORDS = (
    "암", "임플란트", "수술비", "치매", "고혈압약 복용 중", "3년 전 디스크 수술", "갑상선암", "C50", "뇌출혈",
    "면책기간", "갱신", "간호사", "건설 현장 일용직", "골절로 입원", "암 진단", "해약환급금", "원금이 보장됩니다",
    "사망", "R001", "기본형",
)  # fmt: skip


def random_args(schema: dict[str, Any], codes: tuple[str, ...], draw: random.Random) -> dict[str, Any]:
    """Required arguments always, optional ones half of the time; nothing that would write."""
    wanted = set(schema.get("required", ()))
    args: dict[str, Any] = {}
    for name, argument in schema["properties"].items():
        if name in ("submit", "save") or (name not in wanted and draw.random() < 0.5):
            continue
        args[name] = _value(name, argument, codes, draw)
    return args


def _value(name: str, schema: dict[str, Any], codes: tuple[str, ...], draw: random.Random) -> Any:
    if "anyOf" in schema:
        kinds = [choice for choice in schema["anyOf"] if choice.get("type") != "null"]
        return _value(name, kinds[0], codes, draw)
    if "enum" in schema:
        return draw.choice(schema["enum"])
    if "const" in schema:
        return schema["const"]
    match schema["type"]:
        case "string":
            return _text(name, schema, codes, draw)
        case "integer":
            return _number(name, schema, draw)
        case "number":
            return float(_number(name, schema, draw))
        case "boolean":
            return draw.random() < 0.5
        case "array":
            many = draw.randint(max(1, schema.get("minItems", 2)), 3)
            if name == "product_codes":
                return draw.sample(codes, many)
            return [_value(name, schema["items"], codes, draw) for _ in range(many)]
    raise AssertionError(schema)


def _text(name: str, schema: dict[str, Any], codes: tuple[str, ...], draw: random.Random) -> str:
    if name == "product_code":
        return draw.choice(codes)
    if name == "contract_id":
        return f"P{draw.randint(1, 40):06d}"
    if name == "customer_id":
        return f"C{draw.randint(1, 30):04d}"
    if name == "customer_name":
        return draw.choice(("김민수", "이영희", "박지훈"))
    if name == "birth_date":
        return f"{draw.randint(1955, 2000)}-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}"
    if schema.get("format") == "date":
        return f"202{draw.randint(3, 5)}-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}"
    return draw.choice(WORDS)


def _number(name: str, schema: dict[str, Any], draw: random.Random) -> int:
    if name == "age":
        return draw.randint(20, 75)
    if any(part in name for part in ("budget", "income", "sum", "debt", "amount")):
        return draw.choice((50_000, 3_000_000, 30_000_000, 100_000_000))
    return draw.randint(int(schema.get("minimum", 0)), min(int(schema.get("maximum", 30)), 30))
