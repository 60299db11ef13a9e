"""Checks every data file: `python -m scripts.lint_data`. Prints counts, or every fault with its line (exit 1)."""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import fields

from app.adapters.customer_seed import load_customers
from app.advice.book import load_advice
from app.errors import DataFaults
from app.insurance.catalogue import load_catalogue
from app.routing.examples import example_lines, read_utterances
from app.settings import Settings
from app.toolbox.loader import load_builtin_entries
from app.toolbox.snapshot import ToolSnapshot


def main() -> int:
    """0 when the data are sound, 1 otherwise."""
    settings = Settings()
    started = time.perf_counter()
    try:
        catalogue = load_catalogue(settings.content_dir, settings.company_name)
        files = load_customers(settings.content_dir, catalogue)
        advice = load_advice(settings.content_dir, settings.company_name, catalogue)
    except DataFaults as error:
        print(error, file=sys.stderr)
        return 1
    took = time.perf_counter() - started
    print(f"상품 {len(catalogue.products)}개")
    for product in catalogue.products:
        rows = sum(map(len, catalogue.premiums[product.code].values()))
        print(
            f"  {product.code} {product.name}: 급부 {len(product.all_benefits)}, 특약 {len(product.riders)}, "
            f"플랜 {len(product.plans)}, FAQ {len(product.faqs)}, 보험료 {rows}행"
        )
    counts = {
        field.name: len(value)
        for field in fields(catalogue.reference)
        if isinstance(value := getattr(catalogue.reference, field.name), tuple)
    }
    print("기준 정보: " + ", ".join(f"{name} {count}" for name, count in counts.items()))
    if advice is not None:
        answers = sum(len(need.answers) for need in advice.needs)
        print(f"제안: 보장 {len(advice.needs)}가지, 상품 연결 {answers}개, 안 {len(advice.plan.variants)}개")
    states = Counter(contract.status for contract in files.contracts)
    print(f"고객 {len(files.customers)}명, 계약 {len(files.contracts)}건 " + str(dict(states)))
    snapshot = ToolSnapshot(1, load_builtin_entries(settings.content_dir))
    known = example_lines(settings.content_dir, snapshot)
    told = read_utterances(settings.content_dir, snapshot, known)
    print(f"라우터가 배우는 문장: 카드와 예문 {len(known)}, 발화 폴더 {len(told.lines)} ({len(told.counts)}가지)")
    for fault in told.faults:
        print(f"  배우지 않음: {fault}")
    print(f"오류 없음 ({took:.2f}초)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
