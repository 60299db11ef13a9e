"""What each document says: the catalogue's facts put into the prose sources of data/documents/sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, Template

from app.insurance.catalogue import Catalogue
from app.insurance.models import Product
from app.insurance.pricing import default_premium, monthly_premium, usual_sum_insured
from app.insurance.wording import round_half_up
from scripts.documents.markup import Block, environment, parse, read_sections, read_template, render

ANNEXES = {
    "암": ("1", "2", "장해", "지연이자"),
    "치아": ("1", "2", "치과", "지연이자"),
    "치매": ("1", "2", "장기요양", "치매척도", "지연이자"),
    "종신": ("1", "2", "장해", "재해", "지연이자"),
    "건강": ("1", "2", "장해", "재해", "수술", "지연이자"),
    "정기": ("1", "2", "장해", "재해", "지연이자"),
}
STANDARD_ANNEXES = ("장해", "재해", "지연이자")
STANDARD_NAME = "[별표 15] 표준약관(질병·상해보험)"
CLAIMS_NAME, COMPANY_NAME = "보험금 청구 안내", "lina_info"
_AGE_STEP = 5


@dataclass(frozen=True)
class Composed:
    """One document: file name without ending, title of the running header, and blocks (or plain text for .txt)."""

    name: str
    title: str
    blocks: tuple[Block, ...] = ()
    text: str = ""
    contents: bool = False

    @property
    def file_name(self) -> str:
        return f"{self.name}.txt" if self.text else f"{self.name}.pdf"


class Composer:
    """Writes the words of every document. Raises jinja2.UndefinedError for a source that asks for what is not there."""

    def __init__(self, sources: Path, catalogue: Catalogue, company: str) -> None:
        env: Environment = environment()
        self._catalogue, self._company = catalogue, company
        self._outline: dict[str, Any] = yaml.safe_load((sources / "outline.yaml").read_text(encoding="utf-8"))
        self._articles = {
            **read_sections(env, sources / "articles.md"),
            **read_sections(env, sources / "line_articles.md"),
        }
        self._annexes = {
            key.split("|")[0].strip(): (key.split("|")[1].strip(), body)
            for key, body in read_sections(env, sources / "annexes.md").items()
        }
        self._services = yaml.safe_load((sources / "services.yaml").read_text(encoding="utf-8"))
        self._files: dict[str, Template] = {
            name: read_template(env, sources / name) for name in ("riders.md", "summary.md", "claims.md", "company.txt")
        }

    def all(self) -> Iterator[Composed]:
        """Every document of the corpus."""
        for product in self._catalogue.products:
            yield self.summary(product)
        for line in self._outline["lines"]:
            yield self.policy(line)
        yield self.standard()
        claims = {"claims": self._catalogue.reference.claims, "actions": self._catalogue.reference.contract_actions}
        yield Composed(
            CLAIMS_NAME,
            CLAIMS_NAME,
            tuple(parse(self._render("claims.md", company=self._company, **claims))),
            contents=True,
        )
        text = self._render("company.txt", company=self._company, products=self._catalogue.products)
        yield Composed(COMPANY_NAME, f"{self._company} 회사 안내", text=text)

    def summary(self, product: Product) -> Composed:
        """The product summary, named {code}_{revision}_S."""
        questions = [q for q in self._catalogue.reference.questions if q.form == product.disclosure_form]
        text = self._render(
            "summary.md",
            p=product,
            company=self._company,
            questions=questions,
            premiums=self._premiums(product),
            refunds={rule.kind: self._refunds(product, rule.kind) for rule in product.surrender_rules},
            refund_note={rule.kind: self._refund_note(product, rule.kind) for rule in product.surrender_rules},
            audience=self._outline["lines"][product.category].get("audience", ""),
        )
        title = f"{product.name} 상품요약서"
        return Composed(f"{product.code}_{product.revision}_S", title, tuple(parse(text)))

    def policy(self, line: str) -> Composed:
        """The policy terms of a product line with its riders and annexes."""
        settings = self._outline["lines"][line]
        products = [p for p in self._catalogue.products if p.category == line]
        outline = list(self._outline["policy"])
        values = self._values(line, products, settings["purpose"])
        values |= _references(outline, ANNEXES[line], self._annexes)
        values["kcd_groups"] = [
            (group, [code for code in self._catalogue.reference.kcd if group in code.classes])
            for group in settings["classes"]
        ]
        title = f"{line if line != '치매' else '치매간병'}보험 약관"
        parts = [f"# {title} 보통약관", _names(products)]
        parts += self._chapters(outline, values, settings["definitions"])
        parts.append(self._render("riders.md", **values, services=self._services))
        parts += self._tables(ANNEXES[line], values)
        return Composed(settings["file"], title, tuple(parse("\n".join(parts))), contents=True)

    def standard(self) -> Composed:
        """The general standard terms."""
        values = self._values("표준", [], "피보험자의 질병이나 상해") | {"std": True}
        outline = self._outline["standard"]
        values |= _references(outline, STANDARD_ANNEXES, self._annexes)
        title = "표준약관(질병·상해보험)"
        parts = [f"# [별표 15] {title}", *self._chapters(outline, values, ()), *self._tables(STANDARD_ANNEXES, values)]
        return Composed(STANDARD_NAME, title, tuple(parse("\n".join(parts))), contents=True)

    def _render(self, name: str, **values: Any) -> str:
        return render(self._files[name], values)

    def _values(self, line: str, products: list[Product], purpose: str) -> dict[str, Any]:
        forms = dict.fromkeys(p.disclosure_form for p in products if p.simplified)
        reference = self._catalogue.reference
        return {
            "line": line,
            "products": products,
            "purpose": purpose,
            "company": self._company,
            "std": False,
            "renewing": any(p.renewal.kind == "갱신형" for p in products),
            "nonpay": any(r.kind == "해약환급금 미지급형" for p in products for r in p.surrender_rules),
            "simplified": [(form, [q for q in reference.questions if q.form == form]) for form in forms],
            "reinstatement": reference.reinstatement,
            "exclusions": [item for item in reference.exclusions if _concerns(item.clause, line)],
            "kcd_groups": [],
        }

    def _chapters(self, outline: list[dict[str, Any]], values: dict[str, Any], terms: Any) -> Iterator[str]:
        for row in outline:
            if "part" in row:
                yield f"## {row['part']}"
            elif row.get("definitions"):
                yield from self._definitions(list(terms))
            else:
                yield f"### 제{_number(row['num'])}({row['title']})"
                yield render(self._articles[row.get("text", row["title"])], values)

    def _definitions(self, terms: list[str]) -> Iterator[str]:
        """One article a clause, 제3조의2 onwards, with every definition of that clause."""
        known = self._catalogue.reference.definitions
        clauses = dict.fromkeys(d.clause.split("'")[1] for term in terms for d in known if d.term == term)
        for number, clause in enumerate(clauses, 2):
            yield f"### 제3조의{number}({clause})"
            found = [d for d in known if f"'{clause}'" in d.clause]
            for mark, item in zip("①②③④⑤⑥⑦⑧⑨⑩⑪⑫", found, strict=False):
                also = f" 흔히 {', '.join(item.aliases[:3])} 등으로 부릅니다." if item.aliases else ""
                yield f"{mark} '{item.term}'의 뜻은 다음과 같습니다. {item.definition}{also}"

    def _tables(self, keys: tuple[str, ...], values: dict[str, Any]) -> Iterator[str]:
        yield "## 별표"
        for number, key in enumerate(keys, 1):
            title, body = self._annexes[key]
            yield f"### 별표 {number} {title}"
            yield render(body, values)

    def _premiums(self, product: Product) -> list[dict[str, int]]:
        ages = product.entry_age
        steps = sorted({ages.min, ages.max, *range(-(-ages.min // _AGE_STEP) * _AGE_STEP, ages.max + 1, _AGE_STEP)})
        return [
            {"age": age, **{g: default_premium(self._catalogue, product, age, g) for g in ("M", "F")}} for age in steps
        ]

    def _example_age(self, product: Product) -> int:
        return min(max(40, product.entry_age.min), product.entry_age.max)

    def _refunds(self, product: Product, kind: str) -> list[dict[str, Any]]:
        """Years, premiums paid, refund (원) and its share, for the first plan of this kind."""
        age = self._example_age(product)
        rule = next(rule for rule in product.surrender_rules if rule.kind == kind)
        plan = next(plan for plan in product.plans if plan.surrender == kind)
        table = self._catalogue.premium(product.code, age, "M")
        premium = monthly_premium(product, table, usual_sum_insured(product, age), plan)
        rows = []
        for step in rule.by_year:
            paid = premium * 12 * min(step.year, plan.payment_years)
            rows.append({"year": step.year, "paid": paid, "refund": _refund(paid, step.rate), "rate": step.rate})
        return rows

    def _refund_note(self, product: Product, kind: str) -> str:
        plan = next(plan for plan in product.plans if plan.surrender == kind)
        age = self._example_age(product)
        return f"다음은 {plan.name}({plan.payment_term})에 남성이 보험나이 {age}세에 가입하여 월납으로 낸 예시입니다."


def _refund(paid: int, rate: float) -> int:
    return round_half_up(paid * Fraction(str(rate)))


def _number(no: str) -> str:
    """'20의2' → '20조의2', '7' → '7조'."""
    base, _, branch = no.partition("의")
    return f"{base}조의{branch}" if branch else f"{base}조"


def _names(products: list[Product]) -> str:
    listed = ", ".join(f"{p.name}({p.code}, 개정 {p.revision}차)" for p in products)
    return f"이 약관은 다음 상품에 적용하는 모의(simulated) 약관입니다. 적용 상품: {listed}"


def _references(
    outline: list[dict[str, Any]], keys: tuple[str, ...], annexes: dict[str, tuple[str, Template]]
) -> dict[str, Callable[[str], str]]:
    numbers = {row["title"]: row["num"] for row in outline if "num" in row}

    def ref(title: str) -> str:
        return f"제{_number(numbers[title])}({title})"

    def table(key: str) -> str:
        wanted = "장해" if key == "3" else key
        return f"별표 {keys.index(wanted) + 1}({annexes[wanted][0]})"

    return {"ref": ref, "table": table}


def _concerns(clause: str, line: str) -> bool:
    """Whether a common exclusion belongs to this line: dental ones to dental terms, and so on."""
    if "치과" in clause:
        return line == "치아"
    return "상해" not in clause or line in ("건강", "종신", "정기", "치아")
