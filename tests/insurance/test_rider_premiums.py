"""What riders cost beside the main contract: a share of its table line, for who may have them."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import EntryAge
from app.insurance.premium import PremiumQuote, quote

CHOSEN = "B00155017"  # its targeted therapy costs 16 % of the table line, its robot surgery may be had up to 70


def _quoted(catalogue: Catalogue, age: int, riders: list[str]) -> PremiumQuote:
    found = quote(catalogue, catalogue.product(CHOSEN), EntryAge(age), "M", riders=riders)
    assert isinstance(found, PremiumQuote)
    return found


@pytest.mark.parametrize("words", ["표적항암", "표적항암약물허가치료 특약", "R001"])
def test_a_rider_costs_its_share_of_the_table_line(catalogue: Catalogue, words: str) -> None:
    found = _quoted(catalogue, 58, [words])
    assert found.premium == 28_050
    assert [rider.costs for rider in found.riders] == [4_488]
    assert found.with_riders == 32_538


def test_who_is_too_old_for_a_rider_is_told_so(catalogue: Catalogue) -> None:
    [rider] = _quoted(catalogue, 72, ["로봇수술"]).riders
    assert rider.costs is None
    assert rider.reason is not None and "50~70세" in rider.reason


def test_words_of_no_rider_are_named_and_nothing_is_added(catalogue: Catalogue) -> None:
    found = _quoted(catalogue, 58, ["임플란트"])
    assert found.riders == () and found.with_riders is None and found.riders_unknown == ("임플란트",)


def test_words_of_several_riders_add_up_to_no_sum(catalogue: Catalogue) -> None:
    found = _quoted(catalogue, 58, ["수술"])
    assert len(found.riders) > 1 and found.with_riders is None
