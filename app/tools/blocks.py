"""What the page draws beside the words: product cards, tables, charts, forms and notices, made from typed results.

`blocks_of(result)` is a singledispatch function: each area registers its own results in `blocks_<area>.py`.
A result nobody registered has no blocks.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any, Literal

from pydantic import BaseModel, Field

from app.insurance.models import Model
from app.tools.results import NeedsInput

_EMPTY = (None, "", "-")

BlockType = Literal["product_card", "table", "chart", "form", "notice", "proposal"]


class Block(Model):
    """One drawing for the page. `id` is given by the runner, unique in its turn; `data` is plain JSON.

    Shapes of `data`:
    product_card  code, name, category, entry_age "20~65세", renewal, simplified, summary, points[3], premium? (원)
    table         title, columns [{key, label, align?}], rows [{key: text or number}], differs? [row numbers], note?
    chart         kind "line"|"step"|"bar", title, x {label, unit}, y {label, unit}, series [{name, points [[x, y]]}],
                  marks? [{x, y, label}], summary (one sentence for screen readers), note?
    form          reason, fields [{name, label, type, options [{label, value}]}]
    notice        level "info"|"warning", title, text
    proposal      id, version of the proposal that this turn made or changed (docs/proposals.md)
    """

    id: str = ""
    type: BlockType
    data: dict[str, Any] = Field(default_factory=dict)


@singledispatch
def blocks_of(result: BaseModel) -> tuple[Block, ...]:
    """The blocks of one tool result; none unless the result's area registered some."""
    return ()


@blocks_of.register
def _(result: NeedsInput) -> tuple[Block, ...]:
    return (Block(type="form", data=result.model_dump(mode="json")),)


def column(key: str, label: str, align: Literal["left", "right"] = "left") -> dict[str, str]:
    """One column of a table block; numbers stand to the right."""
    return {"key": key, "label": label, "align": align}


def table(title: str, columns: list[dict[str, str]], rows: list[dict[str, Any]], **more: Any) -> Block:
    """A table block without columns that are empty in every row. `more` may hold `differs` (row numbers) and `note`."""
    filled = [c for c in columns if not rows or any(row.get(c["key"]) not in _EMPTY for row in rows)]
    return Block(type="table", data={"title": title, "columns": filled, "rows": rows, **more})


def notice(title: str, text: str, level: Literal["info", "warning"] = "info") -> Block:
    """A notice block: something that must not be overlooked."""
    return Block(type="notice", data={"level": level, "title": title, "text": text})
