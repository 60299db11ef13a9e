"""Tables in Markdown: pages draw them, and they read well as text."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

MOST_ROWS, MOST_COLUMNS, _MOST_CELL = 10, 6, 60
_EMPTY = "-"


def columns_of(
    rows: Sequence[Mapping[str, str]], labels: Mapping[str, str], *, unsaid: Collection[str] = ()
) -> list[str]:
    """The fields that are shown, in their order: those with a label first where there are too many. Fields of `unsaid`
    need one."""
    filled = [key for key in labels if any(row.get(key) for row in rows) and (labels[key] or key not in unsaid)]
    chosen = sorted(filled, key=lambda key: not labels[key])[:MOST_COLUMNS]
    return [key for key in filled if key in chosen]


def table(rows: Sequence[Mapping[str, str]], columns: Sequence[str], labels: Mapping[str, str]) -> list[str]:
    """The lines of a table with its header; of one column, a list."""
    if len(columns) == 1:
        return [f"• {row[columns[0]]}" for row in rows if row.get(columns[0])]
    lines = [_line([labels[key] for key in columns]), _line(["---"] * len(columns))]
    return lines + [_line([row.get(key) or _EMPTY for key in columns]) for row in rows]


def cut(text: str) -> str:
    """A text short enough for a cell, cut between words."""
    if len(text) <= _MOST_CELL:
        return text
    return f"{text[:_MOST_CELL].rpartition(' ')[0] or text[:_MOST_CELL]}…"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '｜') for cell in cells)} |"
