"""Questions for calibrating the confidence: on-topic ones from tool cards, off-topic ones from domain examples."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from app.errors import DataFaults, Fault

_MOST_OUTSIDERS = 200
_TOOLS = ("rag_terms_query_engine", "rag_product_info_query_engine")


def read_examples(content_dir: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(on-topic, off-topic) questions; both empty where the files are not there. Raises DataFaults for broken ones."""
    return _on_topic(content_dir / "tool_cards" / "rag_tools.yaml"), _off_topic(
        content_dir / "safety" / "domain_examples.jsonl"
    )


def _on_topic(path: Path) -> tuple[str, ...]:
    if not path.is_file():
        return ()
    try:
        cards = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise DataFaults([Fault(path.name, 0, f"YAML을 읽을 수 없습니다: {error}")]) from error
    return tuple(
        str(line) for card in cards or () if card.get("name") in _TOOLS for line in card.get("when_to_use", ())
    )


def _off_topic(path: Path) -> tuple[str, ...]:
    if not path.is_file():
        return ()
    found: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise DataFaults([Fault(path.name, number, f"JSON이 아닙니다: {error}")]) from error
        if row.get("label") == "out":
            found.append(str(row["text"]))
    return tuple(found[:: max(1, len(found) // _MOST_OUTSIDERS)])
