"""Words whose meaning hangs on the talk, put as the question that they ask there (앞으로 보험료는 계속 내야 하나요,
after a diagnosis: 납입면제). Declared in data/language/restated.yaml."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from pydantic import TypeAdapter, ValidationError

from app.errors import DataFaults, Fault
from app.insurance.models import Model
from app.language.normalise import nfc
from app.yaml_text import read_yaml


class Restatement(Model):
    """Behind what `about` fits, words that `then` fits ask `asks`; see the head of the data file."""

    about: str
    then: str
    unless: str
    asks: str


class Restater:
    """Built once from the data file; raises DataFaults when it is missing or broken."""

    def __init__(self, path: Path) -> None:
        try:
            found = TypeAdapter(tuple[Restatement, ...]).validate_python(read_yaml(path.read_text(encoding="utf-8")))
            self._known = tuple(
                (re.compile(item.about), re.compile(item.then), re.compile(item.unless), item.asks) for item in found
            )
        except (OSError, yaml.YAMLError, ValidationError, re.error) as error:
            raise DataFaults([Fault(str(path), 0, f"고쳐 묻는 말을 읽을 수 없습니다: {error}")]) from error

    def restated(self, text: str, *before: str) -> str:
        """What the text asks behind what was asked and answered `before` it; the text itself where it says that."""
        plain = nfc(text)
        for about, then, unless, asks in self._known:
            if then.search(plain) and not unless.search(plain) and any(map(about.search, before)):
                return asks
        return text
