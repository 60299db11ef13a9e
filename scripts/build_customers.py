"""Makes data/customers/{customers,contracts}.csv: `python -m scripts.build_customers [--check]`.

Everybody is made up from a fixed seed: names by chance, phone numbers from an unassigned range (010-0…), resident
registration numbers with a check digit that cannot be right. Premiums come from the tables at the contract date's
보험나이, by the product's pricing rule (app/insurance/pricing.py) plus the share of each chosen optional rider, so the
contracts agree with what the premium tools say. The same data and seed give the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import re
import sys
from collections.abc import Sequence
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

from app.adapters.customer_seed import SeedCustomer, rrn_check_digit
from app.insurance.ages import insurance_age
from app.insurance.catalogue import Catalogue, load_catalogue
from app.insurance.customers import Contract, ContractStatus
from app.insurance.models import Gender, Plan, Product, Rider
from app.insurance.pricing import max_sum_insured, monthly_premium
from app.insurance.wording import round_half_up
from app.settings import Settings

SEED = 20240315
AS_OF = date(2026, 9, 30)  # nothing happens in these files after this day
FIRST = date(2012, 1, 2)
PEOPLE = 232
SHARES: dict[ContractStatus, float] = {"유지": 0.58, "해지": 0.14, "실효": 0.1, "만기": 0.09, "부활": 0.09}
PERSONS_WANTED = {0: 4, 1: 70, 2: 96, 3: 45, 4: 13}  # how many customers hold how many contracts, the fixed ones aside

# the big surnames first: they are drawn more often, as in life
SURNAMES = "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민진"
GIVEN: dict[Gender, str] = {
    "M": """영수 정호 상철 병철 성호 동현 재훈 준영 태경 기범 승우 광식 창민 도윤 현석 종원 우진 경태 규완 세훈 형준
        인규 찬호 명수 덕진 용석 대현 민재 지환 선우 원석 희준 근호 시우 건우 재열 두현 윤성 학수 남규""",
    "F": """순자 미경 은주 정숙 지현 수연 혜진 유진 영미 경희 소연 현정 다은 서윤 민지 예린 보라 가은 하늘 선영 미선
        옥희 말순 춘자 명희 은서 채원 나래 주희 연수 세라 인숙 성희 윤아 지수 효정 진아 해린 복순 금주""",
}
GENDERS: tuple[Gender, ...] = ("M", "F")
Fixed = tuple[str, date, Gender, str, tuple[tuple[str, date], ...]]
FIXED: tuple[Fixed, ...] = (
    ("김민수", date(1978, 11, 2), "M", "사무직", (("B00115023", date(2024, 3, 15)), ("B00172014", date(2022, 6, 10)))),
    ("이영희", date(1968, 4, 12), "F", "주부", (("B00317010", date(2021, 5, 20)), ("B00355005", date(2023, 9, 4)))),
    ("이영희", date(1985, 9, 23), "F", "교사", (("B00197011", date(2022, 2, 15)), ("B00329010", date(2020, 11, 9)))),
)


class Maker:
    """Draws customers and contracts.

    Every person and contract has a generator of its own, seeded by its name: an edit of one product's data changes that
    product's contracts and leaves everything else as it was.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._random = _generator("numbers")
        self._jobs = [job.name for job in catalogue.reference.jobs if job.risk_class != "거절"]
        self._phones: set[str] = set()
        self.customers: list[SeedCustomer] = []
        self.contracts: list[Contract] = []

    def make(self) -> None:
        """Fill `customers` and `contracts`."""
        for name, birth, gender, job, held in FIXED:
            person = self._customer(name, birth, gender, self._job_like(job))
            for code, start in held:
                product = self._catalogue.product(code)
                self._add(person, product, "유지", start, product.default_plan, (), product.sum_insured.default)
        wanted = [count for count, people in PERSONS_WANTED.items() for _ in range(people)]
        wanted += [2] * (PEOPLE - len(FIXED) - len(wanted))
        _generator("counts").shuffle(wanted)
        taken = {person.name for person in self.customers}
        for number, count in enumerate(wanted):
            self._random = _generator(f"person/{number}")
            gender = self._random.choice(GENDERS)
            name = self._new_name(gender, taken)
            birth = date(1944, 1, 1) + timedelta(days=self._random.randrange(62 * 365))
            job = _generator(f"job/{number}").choice(self._jobs)
            person = self._customer(name, birth, gender, job)
            self._contracts(person, count)

    def _customer(self, name: str, birth: date, gender: Gender, job: str) -> SeedCustomer:
        century = (1 if gender == "M" else 2) + (2 if birth.year >= 2000 else 0)
        stem = f"{birth:%y%m%d}-{century}{self._random.randrange(100_000):05d}"
        wrong = (rrn_check_digit(stem + "0") + self._random.randrange(1, 10)) % 10
        person = SeedCustomer(
            customer_id=f"C{len(self.customers) + 1:04d}",
            name=name,
            birth_date=birth,
            gender=gender,
            job=job,
            phone=self._phone(),
            rrn=f"{stem}{wrong}",
        )
        self.customers.append(person)
        return person

    def _phone(self) -> str:
        while True:
            phone = f"010-0{self._random.randrange(1000):03d}-{self._random.randrange(10_000):04d}"
            if phone not in self._phones:
                self._phones.add(phone)
                return phone

    def _new_name(self, gender: Gender, taken: set[str]) -> str:
        while True:
            surname = SURNAMES[min(int(self._random.expovariate(0.11)), len(SURNAMES) - 1)]
            name = surname + self._random.choice(GIVEN[gender].split())
            if name not in taken:
                taken.add(name)
                return name

    def _job_like(self, job: str) -> str:
        near = [name for name in self._jobs if job in name]
        return near[0] if near else self._jobs[0]

    def _contracts(self, person: SeedCustomer, count: int) -> None:
        products = list(self._catalogue.products)
        _generator(f"order/{person.customer_id}").shuffle(products)
        made = 0
        for product in products:
            if made == count:
                return
            self._random = _generator(f"{person.customer_id}/{product.code}")
            status = self._random.choices(list(SHARES), weights=list(SHARES.values()))[0]
            made += self._try_contract(person, product, status)

    def _try_contract(self, person: SeedCustomer, product: Product, status: ContractStatus) -> bool:
        """Add a contract that fits the product's ages and the state's dates; False when there can be none."""
        plan = self._plan(product)
        years = term_years(plan)
        if status == "만기" and years is None:
            return False
        earliest, latest = FIRST, AS_OF - timedelta(days=60 if status == "유지" else 500)
        if years is not None and status == "만기":
            latest = add_years(AS_OF, -years)
        elif years is not None:
            earliest = max(earliest, add_years(AS_OF, -years) + timedelta(days=30))
        days = [start for start in self._some_days(earliest, latest) if self._may_enter(person, product, start)]
        if not days:
            return False
        start = days[0]
        age = insurance_age(person.birth_date, start)
        self._add(person, product, status, start, plan, self._riders(product, plan, age), self._sum(product, age))
        return True

    def _some_days(self, earliest: date, latest: date) -> list[date]:
        if latest < earliest:
            return []
        span = (latest - earliest).days + 1
        days = [earliest + timedelta(days=self._random.randrange(span)) for _ in range(12)]
        return [day for day in days if day.weekday() < 5]  # contracts are made on working days

    def _may_enter(self, person: SeedCustomer, product: Product, start: date) -> bool:
        return start > person.birth_date and insurance_age(person.birth_date, start) in product.entry_age

    def _plan(self, product: Product) -> Plan:
        return product.default_plan if self._random.random() < 0.75 else self._random.choice(product.plans)

    def _riders(self, product: Product, plan: Plan, age: int) -> tuple[Rider, ...]:
        if not plan.default or self._random.random() < 0.6:  # other plans are bundles of their own
            return ()
        optional = [r for r in product.riders if not r.mandatory and (r.entry_age is None or age in r.entry_age)]
        return tuple(
            sorted(self._random.sample(optional, min(len(optional), self._random.randint(1, 3))), key=lambda r: r.code)
        )

    def _sum(self, product: Product, age: int) -> int:
        bounds = product.sum_insured
        top = max_sum_insured(product, age)
        amounts = list(range(bounds.min, top + 1, bounds.step))
        if not amounts or (bounds.default <= top and self._random.random() < 0.55):
            return min(bounds.default, top)
        return self._random.choice(amounts)

    def _add(
        self,
        person: SeedCustomer,
        product: Product,
        status: ContractStatus,
        start: date,
        plan: Plan,
        riders: Sequence[Rider],
        sum_insured: int,
    ) -> None:
        age = insurance_age(person.birth_date, start)
        lapse, again, end = self._dates(status, start, end_of_term(plan, start, age))
        table = self._catalogue.premium(product.code, age, person.gender)
        codes = sorted([rider.code for rider in product.riders if rider.mandatory] + [rider.code for rider in riders])
        self.contracts.append(
            Contract(
                contract_id=f"P{len(self.contracts) + 1:06d}",
                customer_id=person.customer_id,
                product_code=product.code,
                status=status,
                contract_date=start,
                lapse_date=lapse,
                reinstated_date=again,
                end_date=end,
                premium=premium_of(table, product, plan, riders, sum_insured),
                sum_insured=sum_insured,
                plan=plan.name,
                rider_codes=tuple(codes),
            )
        )

    def _dates(
        self, status: ContractStatus, start: date, term_end: date | None
    ) -> tuple[date | None, date | None, date | None]:
        """Lapse, reinstatement and end of a contract, all on or before AS_OF except the end of a running term."""
        if status in ("유지", "만기"):
            return None, None, term_end
        last = min(term_end or AS_OF, AS_OF)
        if status == "해지":
            return None, None, self._between(start + timedelta(days=90), last)
        if status == "실효":
            return self._between(start + timedelta(days=90), last - timedelta(days=20)), None, term_end
        lapse = self._between(start + timedelta(days=90), last - timedelta(days=200))
        again = self._between(lapse + timedelta(days=20), min(last, add_years(lapse, 3)) - timedelta(days=1))
        return lapse, again, term_end

    def _between(self, first: date, last: date) -> date:
        return first + timedelta(days=self._random.randrange(max(1, (last - first).days + 1)))


def _generator(name: str) -> random.Random:
    return random.Random(f"{SEED}/{name}")


def premium_of(table: int, product: Product, plan: Plan, riders: Sequence[Rider], sum_insured: int) -> int:
    """Monthly premium (원) of a contract: the main contract by the pricing rule, chosen riders on top."""
    extra = sum(round_half_up(table * Fraction(str(rider.premium_share))) for rider in riders)
    return monthly_premium(product, table, sum_insured, plan) + extra


def term_years(plan: Plan) -> int | None:
    """The years of a term such as '10년 만기 갱신'; None for '85세 만기' and '종신'."""
    found = re.search(r"(\d+)년 만기", plan.coverage_term)
    return int(found[1]) if found else None


def end_of_term(plan: Plan, start: date, age: int) -> date | None:
    """The contract anniversary on which the plan's term runs out; None for life-long cover."""
    if (years := term_years(plan)) is not None:
        return add_years(start, years)
    if found := re.search(r"(\d+)세 만기", plan.coverage_term):
        return add_years(start, int(found[1]) - age)
    if "종신" in plan.coverage_term:
        return None
    raise ValueError(f"보험기간을 읽을 수 없습니다: {plan.coverage_term!r}")


def add_years(day: date, years: int) -> date:
    """The same day in another year; 28 February where there is no 29th."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return day.replace(year=day.year + years, day=28)


def csv_text(rows: Sequence[SeedCustomer] | Sequence[Contract]) -> str:
    """Rows as a CSV file, tuples joined by '|'."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(type(rows[0]).model_fields), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: _cell(value) for key, value in row.model_dump(mode="json").items()})
    return out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return "|".join(value)
    return "" if value is None else value


def build(catalogue: Catalogue) -> dict[str, str]:
    """The text of both files by name."""
    maker = Maker(catalogue)
    maker.make()
    return {"customers.csv": csv_text(maker.customers), "contracts.csv": csv_text(maker.contracts)}


def main(arguments: list[str] | None = None) -> int:
    """Write (or check) both files; the exit status is 1 when `--check` finds a difference."""
    parser = argparse.ArgumentParser(description="모의 고객과 계약을 만듭니다.")
    parser.add_argument("--check", action="store_true", help="쓰지 않고, 저장된 파일과 같은지만 확인합니다.")
    options = parser.parse_args(arguments)
    settings = Settings()
    folder: Path = settings.content_dir / "customers"
    files = build(load_catalogue(settings.content_dir, settings.company_name))
    different = [
        name
        for name, text in files.items()
        if not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text
    ]
    if options.check:
        print(f"다른 파일: {', '.join(different)}" if different else "고객·계약 파일이 최신입니다.")
        return 1 if different else 0
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
        print(f"{name}: {text.count(chr(10)) - 1:,}행")
    return 0


if __name__ == "__main__":
    sys.exit(main())
