"""Writes docs/events.schema.json from the shapes of the events.

python -m scripts.write_event_schema
"""

from __future__ import annotations

import json

from app.graph.reply_shape import event_schema
from app.settings import ROOT


def main() -> int:
    """0 when the file is written."""
    text = json.dumps(event_schema(), ensure_ascii=False, indent=1)
    (ROOT / "docs" / "events.schema.json").write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
