"""A turn's answer in English: the planner's own answer from the same results, told once more with English sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage

from app.insurance.catalogue import Catalogue, Reference
from app.language.english import EnglishReader
from app.language.english_names import called_in
from app.language.english_values import EnglishValues, has_hangul
from app.language.glossary import load_glossary
from app.language.hangul import letters_of
from app.messages import worded
from app.planner.english_shapes import QUOTED
from app.planner.moves import Say
from app.planner.planner import Planner
from app.planner.small_talk import SmallTalk

TOLD = "english"
"""Under which name the answer in English rides on the planner's message."""

UNKNOWN = worded("english.unknown")
_SHARE = 0.6
_GAP = "\n\n\n"


class EnglishTeller:
    """Tells in English. `planner` decides as the Korean one does and has English templates."""

    def __init__(self, planner: Planner, values: EnglishValues) -> None:
        self._planner, self._values = planner, values

    def told(self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """What rides on the message of this turn: the answer in English and what its figures rest on."""
        move = self._planner.next(messages, tools)
        if not isinstance(move, Say):
            return {}
        return {TOLD: self.plain(move.text) or UNKNOWN, "english_grounds": [*move.grounds]}

    def plain(self, text: str) -> str:
        """The lines that are in English, each sentence that is known translated; the others are left out."""
        leads = self._values.words.leads
        first, parted, rest = text.partition(", ")
        whole = not has_hangul(self._values.text(text.partition("\n")[0]))
        front, text = (f"{leads[first]}. ", rest) if parted and first in leads and not whole else ("", text)
        lines = [self._line(line) for line in text.splitlines()]
        told = "\n".join(line for line in lines if line is not None).strip()
        while _GAP in told:
            told = told.replace(_GAP, _GAP[1:])
        told = told if told.startswith((*leads.values(),)) else f"{front}{told}"
        return f"{told[:1].upper()}{told[1:]}"

    def _line(self, line: str) -> str | None:
        if line.startswith(QUOTED):
            return line.removeprefix(QUOTED)
        if not has_hangul(line) or self._is_english(line):
            return line
        mark, core = self._values.words.mark.match(line).groups()  # type: ignore[union-attr]  # it fits any line
        told = self._values.text(core)
        if not has_hangul(told) or (told != core and self._is_english(told)):
            return f"{mark or ''}{told}"
        return None

    @staticmethod
    def _is_english(line: str) -> bool:
        """More than half of the letters are Latin: names of ours stand among them."""
        latin = sum(letter.isascii() and letter.isalpha() for letter in line)
        return latin > _SHARE * sum(letters_of(letter) is not None for letter in line)


def english_reader(folder: Path, catalogue: Catalogue, talk: SmallTalk) -> EnglishReader:
    """The reader of the files of `folder` for what a catalogue sells."""
    return EnglishReader(
        folder / "english_words",
        [product.name for product in catalogue.products],
        entries_told(catalogue.reference, talk),
        called_in(catalogue),
        load_glossary(folder / "english.yaml"),
    )


def entries_told(reference: Reference, talk: SmallTalk) -> list[tuple[str, str]]:
    """What terms, general questions and small talk are answered with, behind their names."""
    told = [(term.term, term.plain) for term in reference.glossary]
    told += [(f"definition_{defined.term}", defined.definition) for defined in reference.definitions]
    told += [(known.id, known.answer) for known in reference.knowledge]
    return [*told, *((f"talk_{kind}", text) for kind, text in talk.texts())]
