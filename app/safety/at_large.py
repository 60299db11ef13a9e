"""Insurance at large: what belongs to insurance in life though it is none of our products."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from app.errors import DataFaults, Fault
from app.yaml_text import read_yaml

AT_LARGE_FILE = "safety/insurance_at_large.yaml"


class AtLarge:
    """The words of data/safety/insurance_at_large.yaml."""

    def __init__(self, content_dir: Path) -> None:
        """Raises DataFaults when the file cannot be read."""
        path = content_dir / AT_LARGE_FILE
        try:
            data = read_yaml(path.read_text(encoding="utf-8"))
            self._names, self._asked, self._picture, self._aside = (
                re.compile("|".join(f"(?:{pattern})" for pattern in data[part]), re.IGNORECASE)
                for part in ("names", "asked", "picture", "aside")
            )
        except (OSError, ValueError, yaml.YAMLError, re.error, KeyError, TypeError) as error:
            raise DataFaults([Fault(str(path), 0, f"보험의 일을 알아보는 말을 읽을 수 없습니다: {error}")]) from error

    def names(self, text: str) -> bool:
        """Whether the text speaks of insurance, and not of it as a picture, a story, a word or a share; what asks of
        insurance itself may speak of something else too (결혼식 취소되면 보상해 주는 보험 있어요?)."""
        if self._names.search(text) is None or self._picture.search(text):
            return False
        return self._aside.search(text) is None or self._asked.search(text) is not None
