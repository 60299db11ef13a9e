"""Questions that belong to no tool are looked up in the documents: what is looked for, which passage answers, and what
is said where none is sure enough.

Which tools look up, and by which argument, is declared with them (`insurance_tool(looks_up=…)`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import yaml
from pydantic import Field, ValidationError

from app.answering.repeating import first_sentence
from app.errors import DataFaults, Fault
from app.insurance.models import Model
from app.language.normalise import letters
from app.messages import worded
from app.planner.moves import Call, Done, Say
from app.yaml_text import read_yaml

Share = Annotated[float, Field(ge=0, le=1)]


class LookUpData(Model):
    """data/language/look_up.yaml: the confidence (0 to 1) from which a passage is told, how many letters (글자) a
    message has that is looked up by itself, what stands before a passage, and what is said instead of one."""

    confidence: Share
    alone_letters: Annotated[int, Field(ge=0)]
    found: str
    unknown: str
    same: str


class LookUp:
    """Raises DataFaults when its file is missing or broken."""

    def __init__(self, path: Path) -> None:
        try:
            self._data = LookUpData.model_validate(read_yaml(path.read_text(encoding="utf-8")))
        except (OSError, yaml.YAMLError, ValidationError) as error:
            raise DataFaults([Fault(str(path), 0, worded("look_up.unreadable", error=error))]) from error

    def unknown(self) -> Say:
        """That it is not known, and who does know."""
        return Say(self._data.unknown, grounds=(self._data.unknown,), idle=True, cites=())

    def same(self, text: str) -> Say:
        """That nothing changes, with the sentence that says what stands."""
        sentence = first_sentence(text)
        return Say(f"{self._data.same}\n{sentence}", grounds=(self._data.same,))

    def stands_alone(self, asked: str) -> bool:
        """Whether a message has words enough to be looked up by itself."""
        return len(letters(asked)) >= self._data.alone_letters

    def calls(
        self,
        asked: str,
        previous: str | None,
        tools: Mapping[str, str],
        of: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    ) -> tuple[Call, ...]:
        """One call a tool that looks up (tool → the argument for the words), and one more where it can look among the
        documents `of` what is spoken of (tool → arguments). A few words are looked up together with the question
        before them."""
        alone = previous is None or self.stands_alone(asked)
        words = asked if alone else f"{previous} {asked}"
        narrow = (Call(tool, {tools[tool]: words, **args}) for tool, args in of.items() if tool in tools)
        return (*narrow, *(Call(tool, {argument: words}) for tool, argument in tools.items()))

    def answer(self, done: Sequence[Done], codes: Collection[str] = ()) -> Say | None:
        """The passage that the documents of what is spoken of (`codes`) are surest of, else that of the documents of no
        product, with its place; None where none is sure enough."""
        narrow = [item for item in done if item.ok and len(item.args) > 1]
        best = self._surest(narrow, codes) or self._surest([item for item in done if item.ok], codes)
        if best is None:
            return None
        text = f"{self._data.found}\n{best['snippet']} [1]\n{_source(best)}"
        return Say(text, cites=(str(best["chunk_id"]),))

    def _surest(self, done: Sequence[Done], codes: Collection[str]) -> Mapping[str, Any] | None:
        passages = [passage for item in done for passage in item.data.get("passages", ())]
        if codes:  # what another product says is no answer
            passages = [passage for passage in passages if passage.get("product_code", "") in ("", *codes)]
        best = max(passages, key=lambda passage: float(passage.get("confidence", 0.0)), default=None)
        return best if best and float(best.get("confidence", 0.0)) >= self._data.confidence else None


def _source(passage: Mapping[str, Any]) -> str:
    place = str(passage["heading_path"]).split(" > ")[-1]
    return worded("look_up.source", title=passage["title"], place=place, page=passage["page"])
