"""Words whose meaning hangs on the talk, put as the question that they ask there: whether premiums go on, asked
after a diagnosis, asks for the waiver; a part of the body, after a cancer, is the cancer of it. Declared in
data/language/restated.yaml."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import RootModel

from app.insurance.models import Model
from app.language.normalise import nfc
from app.yaml_text import read_model


class Restatement(Model):
    """Behind what `about` fits, a message that `then` fits asks `asks`, or the words that it fits mean `puts`; see the
    head of the data file."""

    about: re.Pattern[str]
    then: re.Pattern[str]
    unless: re.Pattern[str]
    asks: str = ""
    puts: str = ""


class _Restatements(RootModel[tuple[Restatement, ...]]):
    pass


class Restater:
    """Built once from the data file; raises DataFaults when it is missing or broken."""

    def __init__(self, path: Path) -> None:
        self._known = read_model(path, _Restatements).root

    def restated(self, text: str, *before: str) -> str:
        """What the text asks behind what was asked and answered `before` it; the text itself where it says that."""
        plain = nfc(text)
        for item in self._known:
            behind = item.then.search(plain) and not item.unless.search(plain)
            if behind and any(map(item.about.search, before)):
                return item.then.sub(item.puts, plain) if item.puts else item.asks
        return text
