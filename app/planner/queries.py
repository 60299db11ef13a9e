"""What is looked for in documents, asked once more of another product: 뉴스타트 약관 갱신 조항, then 골라담는은요."""

from __future__ import annotations

from typing import Any

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.follow_up import only_changes_facts
from app.planner.view import View


def of_another_product(
    args: dict[str, Any], view: View, entities: EntityReader, catalogue: Catalogue
) -> dict[str, Any]:
    """The same arguments; where the message only names another product, `query` is that of the last call with that
    product's name in the place of the one before."""
    before, code = view.kept("query"), args.get("product_code")
    if "query" not in args or not before or code is None:
        return args
    if args["query"] != before and not (view.said.product_codes and only_changes_facts(view.said)):
        return args
    text, name = str(before), catalogue.product(str(code)).name
    for mention in reversed(entities.read(text, view.today).products):
        if mention.code != code:
            text = f"{text[: mention.start]}{name}{text[mention.end :]}"
    return {**args, "query": text}
