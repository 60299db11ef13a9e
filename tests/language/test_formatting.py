"""Figures and particles read as a Korean would write them."""

from __future__ import annotations

import pytest

from app.language.formatting import code_suffix, date_ko, josa, money, percent, won


@pytest.mark.parametrize(
    ("word", "pair", "said"),
    [
        ("뉴스타트암보험", "은/는", "뉴스타트암보험은"),
        ("뉴스타트암보험(B00115023)", "은/는", "뉴스타트암보험(B00115023)은"),
        ("THE건강한치아보험V", "은/는", "THE건강한치아보험V는"),
        ("채우는335", "을/를", "채우는335를"),
        ("서울", "으로/로", "서울로"),
        ("2,000만원", "으로/로", "2,000만원으로"),
        ("나이", "과/와", "나이와"),
        ("50%", "이/가", "50%가"),
        ("'갱신'", "은/는", "'갱신'은"),
    ],
)
def test_particles_follow_the_last_sound(word: str, pair: str, said: str) -> None:
    assert josa(word, pair) == said


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        (30_000_000, "3,000만원"),
        (120_000_000, "1억 2,000만원"),
        (100_000_000, "1억원"),
        (20_625, "20,625원"),
        (0, "0원"),
    ],
)
def test_round_sums_are_said_in_man_and_eok(amount: int, said: str) -> None:
    assert money(amount) == said


def test_figures_are_exact() -> None:
    assert won(20_625) == "20,625원"
    assert [percent(x) for x in (0.5, 0.125, 0.005, 1.1, 0.847)] == ["50%", "12.5%", "0.5%", "110%", "84.7%"]
    assert date_ko("2026-01-01") == "2026년 1월 1일"


def test_codes_are_shown_only_when_asked() -> None:
    assert code_suffix({"code": "B00115023"}, True) == "(B00115023)" and code_suffix({"code": "B00115023"}, False) == ""
