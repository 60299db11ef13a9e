"""The premium tables: complete, rising, anchored, and made by the documented script."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.insurance.catalogue_checks import table_ages
from scripts.build_premiums import FOLDER, csv_text, load_shapes, main, table

SHAPES = load_shapes()


def test_the_script_makes_the_stored_tables_byte_for_byte(capsys: pytest.CaptureFixture[str]) -> None:
    for code, shape in SHAPES.products.items():
        assert (FOLDER / f"{code}.csv").read_bytes() == csv_text(code, table(SHAPES, shape)).encode()
    assert main(["--check"]) == 0
    assert "B00115023" in capsys.readouterr().out


@pytest.mark.parametrize(("code", "won"), [("B00115023", 20_625), ("B00355005", 15_600)])
def test_the_published_premiums_of_a_man_of_45_are_exact(catalogue: Catalogue, code: str, won: int) -> None:
    assert catalogue.premium(code, 45, "M") == won


def test_every_product_has_every_entry_and_renewal_age_for_both_genders(catalogue: Catalogue) -> None:
    assert {product.code for product in catalogue.products} == set(SHAPES.products)
    for product in catalogue.products:
        ages = table_ages(product)
        for gender in ("M", "F"):
            held = [age for age, _ in catalogue.premium_curve(product.code, gender)]
            assert held == list(range(ages.min, ages.max + 1)), product.code


def test_premiums_never_fall_with_age(catalogue: Catalogue) -> None:
    for product in catalogue.products:
        for gender in ("M", "F"):
            premiums = [won for _, won in catalogue.premium_curve(product.code, gender)]
            assert premiums == sorted(premiums), (product.code, gender)


def test_level_premiums_rise_more_gently_than_renewable_ones(catalogue: Catalogue) -> None:
    def decade(code: str) -> float:
        return catalogue.premium(code, 60, "M") / catalogue.premium(code, 50, "M")

    renewable = [decade(code) for code in ("B00115023", "B00355005", "B00392004")]
    level = [decade(code) for code in ("B00197011", "B00312011", "B00317010", "B00329010")]
    assert max(level) < min(renewable)


def test_a_doubled_risk_doubles_a_renewable_premium_before_the_anchor() -> None:
    from scripts.build_premiums import gross

    shape = SHAPES.products["B00392004"]
    doubled = shape.model_copy(update={"risks": tuple(r.model_copy(update={"pays": r.pays * 2}) for r in shape.risks)})
    assert gross(SHAPES, doubled, "M", 45) == pytest.approx(2 * gross(SHAPES, shape, "M", 45))


def test_a_table_that_falls_with_age_is_refused() -> None:
    falling = SHAPES.model_copy(
        update={"tables": {**SHAPES.tables, "mortality": {g: {20: 9.0, 90: 1.0} for g in ("M", "F")}}}
    )
    with pytest.raises(ValueError, match="내려갑니다"):
        table(falling, SHAPES.products["B00392004"])


def test_every_renewal_rise_lies_in_the_range_the_product_states(catalogue: Catalogue) -> None:
    for product in catalogue.products:
        if product.renewal.kind != "갱신형":
            continue
        years, bounds = product.renewal.period_years, product.renewal.rise_range
        assert years is not None and bounds is not None
        for gender in ("M", "F"):
            curve = dict(catalogue.premium_curve(product.code, gender))
            rises = [curve[age + years] / curve[age] - 1 for age in curve if age + years in curve]
            assert bounds[0] <= min(rises) and max(rises) <= bounds[1], (product.code, gender, min(rises), max(rises))
