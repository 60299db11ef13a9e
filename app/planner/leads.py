"""Yes or no first: what stands in front of an answer to a question that asks for it (비갱신형 암보험 있어요? 네, …)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.language.formatting import josa, money
from app.language.mentions import Entities
from app.messages import worded
from app.planner.moves import Done
from app.planner.words import PlannerWords
from app.toolbox.declared import Declarations

_FIXED = "비갱신형"


def lead(words: PlannerWords, done: Sequence[Done], asked: str, entities: Entities, declared: Declarations) -> str:
    """The words to put in front: '네, ', '아니요, ', a whole sentence with a line break, or nothing.

    Only for answers whose first sentence states the verdict; a claim's outcome gets none: the review decides it.
    """
    good = [item for item in done if item.ok]
    if not good:
        return ""
    searched = declared.has(good[-1].tool, "finds_products")
    first = good[-1] if searched else good[0]
    if entities.non_renewing and searched and len(good) == 1:
        return _non_renewing(first.data)
    if len({item.tool for item in good}) > 1 or len(good) > 1 or not _asks_whether(words, asked):
        return ""
    says = declared.of(first.tool).verdict
    verdict = says.of(first.data) if says else None
    if verdict is None:
        return ""
    agrees = verdict != bool(words.leads.negative.search(asked))
    return "네, " if agrees else "아니요, "


def fixed_one(done: Sequence[Done], entities: Entities, declared: Declarations) -> str:
    """The code of the only product found that keeps its premium, where one was asked for: the talk goes on with it."""
    found = done[-1].data.get("products") if entities.non_renewing and done[-1].ok else None
    codes = [str(row["code"]) for row in found or () if row.get("renewal") == _FIXED]
    return codes[0] if len(codes) == 1 and declared.has(done[-1].tool, "finds_products") else ""


def for_several(words: PlannerWords, done: Sequence[Done], entities: Entities, declared: Declarations) -> str:
    """'크라운 3개면': the amount of one benefit paid a piece, times the count that was said; '' for anything else."""
    counts = [m.count for m in entities.counts if m.counter in ("개", "번", "회", "대") and m.count > 1]
    if len(done) != 1 or not done[0].ok or len(counts) != 1:
        return ""
    covers = done[0].data.get("covers") or ()
    if not covers or not declared.has(done[0].tool, "pays"):
        return ""
    cover, count = covers[0], counts[0]
    unit = str(cover.get("unit") or "")
    each = cover.get("payable") if "payable" in cover else cover.get("amount")
    if not each or not words.leads.per_piece.search(unit):
        return ""
    piece = words.leads.per_piece.sub("", unit).strip()
    limit = f" {cover['limit']}" if cover.get("limit") else ""
    counter = "개" if "개" in unit else "회"
    return f"• {piece} {count}{counter}면 {money(each * count)}입니다({money(each)} × {count}).{limit}".replace(
        "•  ", "• "
    )


def _asks_whether(words: PlannerWords, asked: str) -> bool:
    return bool(words.leads.asks_whether.search(asked)) and not words.leads.open.search(asked)


def _non_renewing(data: Mapping[str, Any]) -> str:
    """Whether any of the products found keeps its premium, by name."""
    found = data.get("products") or ()
    fixed = [str(p["name"]) for p in found if p.get("renewal") == _FIXED]
    kind = str(data.get("kind_label") or "상품")
    if fixed:
        return worded("leads.fixed", products=josa(", ".join(fixed), "을/를"))
    return worded("leads.none_fixed", kind=josa(kind, "은/는")) if found else ""
