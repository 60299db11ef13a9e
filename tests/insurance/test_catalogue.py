"""Loading the catalogue: what it gives, and that every fault is told with file and line."""

from __future__ import annotations

import shutil
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from app.errors import DataFaults, Fault, ProductNotFound, RuleMissing
from app.insurance.catalogue import Catalogue, load_catalogue
from app.settings import ROOT

DATA = ROOT / "data"
CODES = """B00115023 B00155017 B00172014 B00197011 B00307007 B00312011
    B00317010 B00329010 B00343004 B00355005 B00364004 B00392004"""


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """A copy of the shipped data that a test may damage."""
    for folder in ("products", "premiums", "reference", "knowledge", "safety"):
        shutil.copytree(DATA / folder, tmp_path / "data" / folder)
    return tmp_path / "data"


def faults_of(content: Path) -> tuple[Fault, ...]:
    with pytest.raises(DataFaults) as caught:
        load_catalogue(content, "가나생명")
    return caught.value.faults


def edit(path: Path, change: Callable[[str], str]) -> None:
    before = path.read_text(encoding="utf-8")
    after = change(before)
    assert after != before
    path.write_text(after, encoding="utf-8")


def line_of(path: Path, needle: str) -> int:
    return next(n for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if needle in line)


def test_the_twelve_products_load_in_depth(catalogue: Catalogue) -> None:
    assert [product.code for product in catalogue.products] == CODES.split()
    assert all(len(product.riders) >= 6 for product in catalogue.products)


def test_the_reference_lists_have_the_promised_depth(catalogue: Catalogue) -> None:
    reference = catalogue.reference
    assert len(reference.kcd) >= 300
    assert len(reference.jobs) >= 200
    assert {job.risk_class for job in reference.jobs} == {"1급", "2급", "3급", "거절"}
    assert len(reference.glossary) >= 150
    assert len(reference.forbidden_phrases) >= 80


def test_loading_everything_takes_less_than_a_second() -> None:
    times = []
    for _ in range(3):
        started = time.process_time()
        load_catalogue(DATA, "라이나생명")
        times.append(time.process_time() - started)
    assert min(times) < 1.0


def test_the_company_name_is_put_into_texts_whatever_letters_it_has(content: Path) -> None:
    awkward = 'A&B: "생명" #1'
    path = content / "reference" / "disclaimers.yaml"
    path.write_text("- id: greeting\n  text: {company}이 알려 드립니다.\n" + path.read_text("utf-8"), encoding="utf-8")
    loaded = load_catalogue(content, awkward)
    assert loaded.reference.disclaimers[0].text == f"{awkward}이 알려 드립니다."
    assert "{company}" not in repr(loaded)


def test_an_unknown_code_names_the_codes_near_to_it(catalogue: Catalogue) -> None:
    with pytest.raises(ProductNotFound) as caught:
        catalogue.product("B00115024")
    assert caught.value.near[0] == "B00115023"
    assert "B00115024" in str(caught.value)


def test_a_name_given_for_a_code_names_the_products_near_to_it(catalogue: Catalogue) -> None:
    with pytest.raises(ProductNotFound) as caught:
        catalogue.product("뉴스타드 암보험")
    assert caught.value.near[0] == "뉴스타트암보험"


def test_an_age_outside_the_table_names_the_range(catalogue: Catalogue) -> None:
    with pytest.raises(RuleMissing, match=r"뉴스타트암보험.*20세부터 80세.*19세"):
        catalogue.premium("B00115023", 19, "M")
    with pytest.raises(ProductNotFound):
        catalogue.premium("B99999999", 45, "M")


def test_products_are_found_by_what_they_mention(catalogue: Catalogue) -> None:
    assert {product.category for product in catalogue.find(category="치아")} == {"치아"}
    assert catalogue.find("임플란트")[0].category == "치아"
    assert catalogue.find("뉴스타트")[0].code == "B00115023"
    assert catalogue.find("없는낱말이지요") == ()
    assert catalogue.find("%!") == ()
    assert all(product.simplified for product in catalogue.find(simplified=True))
    assert catalogue.find() == catalogue.products


def test_faults_of_several_files_are_told_together_each_at_its_line(content: Path) -> None:
    product = content / "products" / "B00115023.yaml"
    edit(product, lambda text: text.replace("revision: 6", "revision: -6").replace("category: 암", "category: 자동차"))
    edit(
        content / "premiums" / "B00355005.csv", lambda text: text.replace("B00355005,45,M,15600", "B00355005,45,M,무료")
    )
    edit(content / "reference" / "jobs.csv", lambda text: text + "우주비행사,9급,기타,,\n")
    (content / "reference" / "claims.yaml").unlink()
    faults = {(fault.file, fault.line) for fault in faults_of(content)}
    assert ("data/products/B00115023.yaml", line_of(product, "revision:")) in faults
    assert ("data/products/B00115023.yaml", line_of(product, "category:")) in faults
    premiums = content / "premiums" / "B00355005.csv"
    assert ("data/premiums/B00355005.csv", line_of(premiums, ",45,M,")) in faults
    jobs = content / "reference" / "jobs.csv"
    assert ("data/reference/jobs.csv", len(jobs.read_text("utf-8").splitlines())) in faults
    assert ("data/reference/claims.yaml", 0) in faults


def test_a_nested_fault_stands_at_its_own_line(content: Path) -> None:
    path = content / "products" / "B00172014.yaml"
    lines = path.read_text("utf-8").splitlines()
    number = [n for n, line in enumerate(lines, 1) if line.strip().startswith("coverage_type:")][3]
    lines[number - 1] = lines[number - 1].split(":")[0] + ": 미용"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (fault,) = faults_of(content)
    assert (fault.line, "미용" in fault.message) == (number, True)


@pytest.mark.parametrize(
    ("file", "change", "needle", "message"),
    [
        ("products/B00115023.yaml", lambda t: t.replace("2025-04-01", "2025-04-31"), "effective_date:", "날짜"),
        ("products/B00115023.yaml", lambda t: t.replace("summary:", "sumary:", 1), "sumary:", "모르는 항목"),
        ("products/B00115023.yaml", lambda t: "summary: 하나\n" + t, "summary: 암", "두 번"),
        (
            "products/B00172014.yaml",
            lambda t: t.replace("nicknames: [", "nicknames: [뉴스타트 암보험, "),
            "nicknames:",
            "도 씁니다",
        ),
        ("products/B00115023.yaml", lambda t: t.replace("category: 암", "category: [암"), "", "YAML"),
        ("premiums/B00115023.csv", lambda t: t + "B00115023,45,M,1\n", "B00115023,45,M,1\n", "두 번"),
        ("premiums/B00115023.csv", lambda t: t + "B00115023,99,M,1\n", "", "가입·갱신 나이가 아닌"),
        ("premiums/B00115023.csv", lambda t: t.replace("B00115023,46,F,", "B00355005,46,F,"), ",46,F,", "파일 이름과"),
        ("premiums/B00115023.csv", lambda t: t.replace("B00115023,46,F,", "B00115023,46,F,1,"), ",46,F,", "칸의 수"),
        ("premiums/B00115023.csv", lambda t: t.replace("product_code,", "code,"), "code,", "첫 줄"),
        ("reference/kcd.csv", lambda t: t + "C16,또 위암,일반암,,\n", "또 위암", "두 번"),
        ("reference/kcd.csv", lambda t: t + "X1,이상한 코드,일반암,,\n", "이상한 코드", "형식"),
        (
            "safety/forbidden_phrases.yaml",
            lambda t: t.replace("pattern: ", "pattern: '(' #", 1),
            "pattern: '('",
            "정규식",
        ),
        ("knowledge/glossary.yaml", lambda t: unicodedata.normalize("NFD", t[:40]) + t[40:], "", "NFC"),
        ("reference/exclusions.yaml", lambda t: "", "", "내용이 없습니다"),
        ("reference/exclusions.yaml", lambda t: "item: 하나\n", "", "목록"),
    ],
)
def test_each_kind_of_fault_is_found_where_it_stands(
    content: Path, file: str, change: Callable[[str], str], needle: str, message: str
) -> None:
    path = content / file
    edit(path, change)
    found = [fault for fault in faults_of(content) if message in fault.message]
    assert found and found[0].file == f"data/{file}"
    if needle:
        assert found[0].line in [n for n, x in enumerate(path.read_text("utf-8").splitlines(True), 1) if needle in x]


def test_a_missing_age_is_told_with_the_ages_needed(content: Path) -> None:
    path = content / "premiums" / "B00115023.csv"
    edit(path, lambda text: "".join(x for x in text.splitlines(True) if ",33,F," not in x))
    (fault,) = faults_of(content)
    assert fault.file == "data/premiums/B00115023.csv"
    assert "33세" in fault.message and "20~80세" in fault.message


def test_a_product_without_a_table_and_a_table_without_a_product_are_faults(content: Path) -> None:
    (content / "premiums" / "B00115023.csv").rename(content / "premiums" / "B99999999.csv")
    messages = [fault.message for fault in faults_of(content)]
    assert any("premiums/B00115023.csv" in message for message in messages)
    assert any("products/B99999999.yaml" in message for message in messages)


def test_a_file_named_unlike_its_code_is_a_fault(content: Path) -> None:
    (content / "products" / "B00115023.yaml").rename(content / "products" / "B99999999.yaml")
    (content / "premiums" / "B00115023.csv").rename(content / "premiums" / "B99999999.csv")
    assert any("파일 이름과 상품 코드" in fault.message for fault in faults_of(content))


def test_a_product_without_knockouts_is_refused(content: Path) -> None:
    path = content / "products" / "B00317010.yaml"
    edit(path, lambda text: text[: text.index("knockouts:")] + "max_contracts: 1\n")
    (fault,) = faults_of(content)
    assert fault.file.endswith("B00317010.yaml") and "knockouts" in fault.message
    edit(path, lambda text: text + "knockouts: []\n")
    (fault,) = faults_of(content)
    assert "1개 이상" in fault.message and fault.line == line_of(path, "knockouts: []")


def test_a_knockout_that_nothing_told_can_meet_is_a_fault(content: Path) -> None:
    path = content / "products" / "B00317010.yaml"
    more = "knockouts:\n  - { id: odd_one, rule: 규칙, reason: 이유 }\n"
    edit(path, lambda text: text.replace("knockouts:\n", more))
    (fault,) = faults_of(content)
    assert "when" in fault.message and fault.line == line_of(path, "odd_one")


def test_a_knockout_of_an_unknown_finding_is_a_fault(content: Path) -> None:
    path = content / "products" / "B00317010.yaml"
    more = "knockouts:\n  - { id: odd_one, rule: 규칙, reason: 이유, when: [{ findings: [nothing_known] }] }\n"
    edit(path, lambda text: text.replace("knockouts:\n", more))
    (fault,) = faults_of(content)
    assert "nothing_known" in fault.message and fault.line == line_of(path, "odd_one")


def test_a_knockout_that_every_product_has_stands_in_no_product(content: Path) -> None:
    path = content / "products" / "B00317010.yaml"
    more = "knockouts:\n  - { id: hiv, rule: 규칙, reason: 이유, when: [{ findings: [hiv] }] }\n"
    edit(path, lambda text: text.replace("knockouts:\n", more))
    (fault,) = faults_of(content)
    assert "hiv" in fault.message and "두 번" in fault.message


def test_bytes_that_are_no_utf8_are_told_with_their_line(content: Path) -> None:
    path = content / "reference" / "exclusions.yaml"
    path.write_bytes(b"# one\n- item: \xff\n")
    assert [(fault.line, fault.message) for fault in faults_of(content)] == [(2, "UTF-8 글자가 아닙니다")]


def test_an_empty_folder_tells_every_missing_file(tmp_path: Path) -> None:
    files = {fault.file for fault in faults_of(tmp_path)}
    assert len(files) == 20 and any("kcd.csv" in file for file in files)
