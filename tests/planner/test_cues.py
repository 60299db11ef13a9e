"""Plain cues name the right tool on the cards' own lines; what is taken back with 말고 is no cue."""

from __future__ import annotations

from collections import Counter
from datetime import date

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.cues import CueReader
from app.planner.follow_up import mention_kinds
from app.toolbox.cards import load_cards
from tests.conftest import ROOT

TODAY = date(2026, 3, 2)
LEAST_PRECISION = 0.8


@pytest.fixture(scope="module")
def cues() -> CueReader:
    return CueReader(ROOT / "data" / "language" / "cues.yaml")


def test_each_cue_fits_its_own_tools_lines(cues: CueReader, catalogue: Catalogue) -> None:
    entities = EntityReader(catalogue)
    found, right = Counter[str](), Counter[str]()
    for path in sorted((ROOT / "data" / "tool_cards").glob("*.yaml")):
        for card in load_cards(path).values():
            for line in card.when_to_use:
                for tool in cues.tools(line, mention_kinds(entities.read(line, TODAY)))[:1]:
                    found[tool] += 1
                    right[tool] += tool == card.name
    weak = {tool: f"{right[tool]}/{count}" for tool, count in found.items() if right[tool] / count < LEAST_PRECISION}
    assert not weak and len(found) >= 20


@pytest.mark.parametrize(
    ("question", "tool"),
    [
        ("이 메모에서 전화번호 가려 줘", "privacy_masking"),
        ('"원금은 걱정 마세요"라고 써도 괜찮나', "compliance_misleading_check"),
        ("C34는 어떤 병이죠", "icd_mapping_lookup"),
        ("약관 원문에서 찾아 줘", "rag_terms_query_engine"),
        ("주소 변경 접수해 줘", "contract_manage"),
    ],
)
def test_a_plain_cue_names_the_tool(cues: CueReader, question: str, tool: str) -> None:
    assert cues.tools(question, ("medical",))[0] == tool


def test_words_that_are_taken_back_are_no_cue(cues: CueReader) -> None:
    assert cues.tools("해지 접수 말고 환급금만요", ()) == ()
