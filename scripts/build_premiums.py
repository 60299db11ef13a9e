"""Makes data/premiums/{code}.csv from data/premiums/shapes.yaml: `python -m scripts.build_premiums [--check]`.

The same shapes give the same bytes. `--check` writes nothing and exits 1 when a table on disk differs.
How a premium comes about stands at the top of shapes.yaml; `level` in the printed table is the factor that makes the
anchor exact, so it shows at a glance how far a product's price lies from the plain calculation.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import Field, model_validator

from app.insurance.models import Gender, Model, ProductCode
from app.settings import ROOT

FOLDER = ROOT / "data" / "premiums"
STEP = 5  # 원: premiums are rounded to this
GENDERS: tuple[Gender, ...] = ("M", "F")
Knots = Annotated[Mapping[int, Annotated[float, Field(gt=0)]], Field(min_length=1)]


class Risk(Model):
    """One benefit in the calculation: how often (a table) and how much (share of the default sum insured)."""

    table: str
    pays: Annotated[float, Field(gt=0)]
    ends: bool = False


class Anchor(Model):
    """The published premium that fixes a product's level."""

    age: int
    gender: Gender
    premium: Annotated[int, Field(gt=0)]


class ProductShape(Model):
    """How one product is priced. Cover lasts `cover_years` or until `until_age`, paid for `pay_years` at most."""

    ages: tuple[int, int]
    cover_years: int | None = None
    until_age: int | None = None
    pay_years: int | None = None
    loading: Annotated[float, Field(ge=0, lt=0.6)]
    anchor: Anchor
    risks: tuple[Risk, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _one_term(self) -> ProductShape:
        if (self.cover_years is None) == (self.until_age is None):
            raise ValueError("cover_years와 until_age 중 하나만 필요합니다")
        return self

    def term(self, age: int) -> int:
        """Years of cover for somebody who enters at `age`."""
        return self.cover_years if self.cover_years is not None else (self.until_age or 0) - age


class Shapes(Model):
    """The whole of shapes.yaml."""

    interest: Annotated[float, Field(ge=0, lt=0.1)]
    tables: Mapping[str, Mapping[Literal["M", "F"], Knots]]
    products: Mapping[ProductCode, ProductShape]

    def rate(self, table: str, gender: Gender, age: int) -> float:
        """Events per person and year at an age: log-linear between knots, constant beyond them."""
        knots = sorted(self.tables[table][gender].items())
        if age <= knots[0][0]:
            return knots[0][1] / 1000
        for (low, left), (high, right) in itertools.pairwise(knots):
            if age <= high:
                share = (age - low) / (high - low)
                return math.exp(math.log(left) * (1 - share) + math.log(right) * share) / 1000
        return knots[-1][1] / 1000


def gross(shapes: Shapes, shape: ProductShape, gender: Gender, age: int) -> float:
    """Monthly gross premium per 원 of the default sum insured, before `level`."""
    term = shape.term(age)
    pay = min(term, shape.pay_years or term)
    alive, paid_out, paid_in = 1.0, 0.0, 0.0
    for year in range(term):
        discount = (1 + shapes.interest) ** -(year + 0.5)
        rates = [(risk, shapes.rate(risk.table, gender, age + year)) for risk in shape.risks]
        paid_out += alive * discount * sum(rate * risk.pays for risk, rate in rates)
        if year < pay:
            paid_in += alive * discount
        leaving = shapes.rate("mortality", gender, age + year) + sum(rate for risk, rate in rates if risk.ends)
        alive *= max(0.0, 1 - leaving)
    return paid_out / paid_in / 12 / (1 - shape.loading)


def table(shapes: Shapes, shape: ProductShape) -> dict[Gender, dict[int, int]]:
    """The premiums (원) of one product by gender and age. Raises ValueError when they fall with age anywhere."""
    level = shape.anchor.premium / gross(shapes, shape, shape.anchor.gender, shape.anchor.age)
    made: dict[Gender, dict[int, int]] = {}
    for gender in GENDERS:
        ages = range(shape.ages[0], shape.ages[1] + 1)
        made[gender] = {age: round(level * gross(shapes, shape, gender, age) / STEP) * STEP for age in ages}
        falls = [age for age in ages if age > ages[0] and made[gender][age] < made[gender][age - 1]]
        if falls:
            raise ValueError(f"{gender} 보험료가 나이 {falls}에서 내려갑니다. 위험률 매듭을 확인해 주세요.")
    return made


def csv_text(code: str, premiums: Mapping[Gender, Mapping[int, int]]) -> str:
    """A table as it stands on disk: by gender, then age."""
    rows = [f"{code},{age},{gender},{won}" for gender in GENDERS for age, won in premiums[gender].items()]
    return "\n".join(["product_code,age,gender,premium", *rows]) + "\n"


def load_shapes(folder: Path = FOLDER) -> Shapes:
    """shapes.yaml, checked."""
    return Shapes.model_validate(yaml.safe_load((folder / "shapes.yaml").read_text(encoding="utf-8")))


def main(arguments: list[str] | None = None) -> int:
    """Write (or check) every table; the exit status is 1 when `--check` finds a difference."""
    parser = argparse.ArgumentParser(description="위험률 모양에서 보험료표를 만듭니다.")
    parser.add_argument("--check", action="store_true", help="쓰지 않고, 저장된 표와 같은지만 확인합니다.")
    options = parser.parse_args(arguments)
    shapes, different = load_shapes(), []
    print(f"{'상품':<12}{'나이':>8}{'처음 남/여':>18}{'기준':>16}{'마지막 남/여':>20}  level(원)")
    for code, shape in shapes.products.items():
        premiums, path = table(shapes, shape), FOLDER / f"{code}.csv"
        text = csv_text(code, premiums)
        if options.check:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                different.append(path.name)
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
        first, last = shape.ages
        ends = [f"{premiums['M'][age]:,}/{premiums['F'][age]:,}" for age in (first, last)]
        anchor = f"{shape.anchor.age}{shape.anchor.gender} {shape.anchor.premium:,}"
        level = shape.anchor.premium / gross(shapes, shape, shape.anchor.gender, shape.anchor.age)
        print(f"{code:<12}{first:>4}~{last:<4}{ends[0]:>18}{anchor:>16}{ends[1]:>20}  {level:,.0f}")
    if different:
        print(f"shapes.yaml과 다른 표: {', '.join(different)}. python -m scripts.build_premiums 로 다시 만들어 주세요.")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
