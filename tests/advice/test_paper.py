"""A proposal on paper: all of it, however its pages break."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pymupdf
import pytest

from app.adapters.proposal_store import KeptProposal, ProposalVersion
from app.advice.book import AdviceBook
from app.advice.desk import Shown
from app.advice.models import ProposalRequest
from app.advice.paper import as_pdf
from tests.advice.conftest import ROOT, Propose

AT = datetime(2026, 3, 2, tzinfo=UTC)
SAMPLES: tuple[list[dict[str, Any]], ...] = (
    [{"age": 45, "sex": "M", "told": ["고혈압약 복용 중"]}, {"age": 42, "sex": "F"}, {"age": 12, "sex": "M"}],
    [{"age": 30, "sex": "F"}],
    [{"age": 52, "sex": "M", "job": "용접공"}, {"age": 50, "sex": "F", "told": ["당뇨로 투약 중"]}],
    [{"age": 71, "sex": "F", "told": ["3년 전 유방암 수술"]}, {"age": 9, "sex": "M"}],
    [{"age": 105, "sex": "F", "label": "<할머니 & 가족>"}],
)


@pytest.mark.requirement("advice:paper:whole")
@pytest.mark.parametrize("chosen", ["lean", "balanced", "wide"])
@pytest.mark.parametrize("people", SAMPLES, ids=len)
async def test_nothing_is_lost_where_a_page_breaks(
    book: AdviceBook, propose: Propose, people: list[dict[str, Any]], chosen: str
) -> None:
    proposal = (await propose(household={"people": people}, wishes={"chosen": chosen})).proposal
    request = ProposalRequest(household=proposal.household, wishes=proposal.wishes)
    name = "PR0123456789abcdef"
    kept = KeptProposal(name, "web", None, None, None, None, None, None, 1, AT, AT)
    shown = Shown(kept, ProposalVersion(1, "web", "", date(2026, 4, 1), AT), request, proposal, "valid", ("알립니다",))
    document = pymupdf.open("pdf", as_pdf(shown, book, "라이나생명", ROOT / "templates"))
    foot = f"{name}·2026-03-02·시연을위해만든가상의자료이며실제가입권유가아닙니다"
    pages = ["".join(page.get_text().split()) for page in document]
    assert all(foot in page for page in pages)
    text = "".join(page.partition(foot)[0] for page in pages)
    expected = [item.text for item in (*proposal.questions, *proposal.disclosures)]
    expected += [refusal.product.name for refusal in proposal.refused]
    for variant in proposal.variants:
        expected.append(f"{variant.premium:,}원")
        if variant.chosen:
            expected += [f"{point.premium:,}원" for point in variant.premiums_by_year]
            expected += [open.text for open in variant.left_open]
            expected += [item for part in variant.people for line in part.lines for item in line.not_covered[:2]]
    expected += [person.label for person in proposal.household.people]
    lost = [words for words in expected if "".join(words.split())[:24] not in text]
    assert not lost and "알립니다" in text
