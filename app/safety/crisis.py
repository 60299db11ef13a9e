"""Despair: words of a person who may hurt themselves are met with a helpline, before any guard, tool or model."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from app.errors import DataFaults, Fault
from app.safety.normalise import plain
from app.yaml_text import read_yaml

CRISIS_FILE = "safety/crisis.yaml"
_NOT_LETTERS = re.compile(r"[^0-9a-z가-힣]+")


class CrisisCheck:
    """The patterns and the answer of data/safety/crisis.yaml."""

    def __init__(self, content_dir: Path) -> None:
        """Raises DataFaults when the file cannot be read."""
        path = content_dir / CRISIS_FILE
        try:
            data = read_yaml(path.read_text(encoding="utf-8"))
            self.answer: str = data["answer"]
            self._says = re.compile("|".join(data["says"]))
            self._except = re.compile("|".join(data["except"]))
        except (OSError, ValueError, yaml.YAMLError, re.error, KeyError, TypeError) as error:
            raise DataFaults([Fault(str(path), 0, f"위기 대응 문구를 읽을 수 없습니다: {error}")]) from error

    def speaks(self, text: str) -> bool:
        """Whether the person speaks of ending their own life, in any spacing. Questions about contracts do not."""
        letters = _NOT_LETTERS.sub("", plain(text[:2000]).text.lower())
        return self._says.search(letters) is not None and self._except.search(letters) is None
