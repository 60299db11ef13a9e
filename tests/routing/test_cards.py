"""What the shipped cards promise: enough lines, none twice, twins named, nothing of the evaluation in them."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from app.json_lines import read_jsonl
from app.language.normalise import compact
from app.routing.evaluation import Case, Leakage, load_cases, refuse_leakage
from app.routing.examples import training_lines
from tests.routing.conftest import DATA, Shipped

TWINS = [
    ("product_compare", "premium_compare"),
    ("product_get", "coverage_summary"),
    ("rider_list", "rider_search"),
    ("rider_search", "rider_get"),
    ("premium_estimate", "affordability_check"),
    ("plan_options", "payment_cycle_options"),
    ("amount_suggest", "underwriting_limitations"),
    ("renewal_premium_projection", "underwriting_renewal_premium_notice"),
    ("underwriting_renewal_premium_notice", "underwriting_renewal_eligibility"),
    ("surrender_value_explain", "contract_manage"),
    ("benefit_amount_lookup", "benefit_limit_rules"),
    ("event_eligibility_check", "underwriting_exclusions"),
    ("underwriting_precheck", "underwriting_disclosure_risk_score"),
    ("underwriting_waiting_periods", "underwriting_exclusions"),
    ("claim_guide", "claim_required_forms"),
    ("claim_required_forms", "underwriting_docs_required"),
    ("customer_contract_lookup", "duplicate_enrollment_check"),
    ("customer_search", "customer_contract_lookup"),
    ("rag_terms_query_engine", "rag_product_info_query_engine"),
    ("compliance_phrase_generator", "compliance_misleading_check"),
    ("comparison_disclaimer_generator", "product_compare"),
]


def test_all_54_tools_have_cards_of_their_own(shipped: Shipped) -> None:
    assert len(shipped.snapshot) == 54
    assert all(entry.has_own_card for entry in shipped.snapshot.entries)


def test_every_card_has_at_least_60_lines_and_is_complete(shipped: Shipped) -> None:
    for entry in shipped.snapshot.entries:
        card = entry.card
        assert len(card.when_to_use) >= 60, card.name
        assert 2 <= len(card.tags) <= 6, card.name
        assert re.search("[가-힣]", card.title), card.name
        assert card.when_not_to_use, card.name


def test_no_line_stands_in_two_cards_or_in_the_other_examples(shipped: Shipped) -> None:
    owner: dict[str, str] = {}
    for line in training_lines(DATA, shipped.snapshot):
        key = compact(line.text) or line.text
        assert key not in owner, (line.text, line.label, owner[key])
        owner[key] = str(line.label)


@pytest.mark.parametrize(("tool", "twin"), TWINS)
def test_confusable_twins_are_named(shipped: Shipped, tool: str, twin: str) -> None:
    cards = {entry.name: entry.card for entry in shipped.snapshot.entries}
    notes = [*cards[tool].when_not_to_use, *(note for note in cards[twin].when_not_to_use if tool in note)]
    assert any(twin in note or tool in note for note in notes)


def test_the_tools_named_in_notes_exist(shipped: Shipped) -> None:
    for entry in shipped.snapshot.entries:
        for note in entry.card.when_not_to_use:
            assert re.fullmatch(r".+ → [a-z_]+ 사용", note), note
            assert re.findall(r"→ ([a-z_]+) 사용", note)[0] in shipped.snapshot, note


def test_notes_never_reach_the_index(shipped: Shipped) -> None:
    indexed = {text for entry in shipped.snapshot.entries for _, _, text in entry.card.lines()}
    notes = {note for entry in shipped.snapshot.entries for note in entry.card.when_not_to_use}
    assert not indexed & notes


def test_disclaimers_named_by_cards_exist(shipped: Shipped) -> None:
    known = {item["id"] for item in yaml.safe_load((DATA / "reference" / "disclaimers.yaml").read_text("utf-8"))}
    for entry in shipped.snapshot.entries:
        assert set(entry.card.disclaimers) <= known, entry.name


@pytest.mark.parametrize("name", ["development.jsonl", "cases.jsonl"])
def test_no_evaluation_question_stands_in_a_card_or_in_training(shipped: Shipped, name: str) -> None:
    cases = load_cases(DATA / "evaluation" / "routing" / name)
    refuse_leakage(cases, shipped.snapshot, [line.text for line in training_lines(DATA, shipped.snapshot)])


def test_the_own_cases_are_as_many_as_promised(shipped: Shipped) -> None:
    cases = load_cases(DATA / "evaluation" / "routing" / "cases.jsonl")
    assert sum(bool(case.expected) for case in cases) >= 64
    assert sum(not case.expected for case in cases) >= 15
    assert {tool for case in cases for tool in case.expected} == set(shipped.snapshot.names())


def test_a_question_from_a_card_is_refused_and_named(shipped: Shipped) -> None:
    line = shipped.snapshot.entry("premium_estimate").card.when_to_use[0]
    with pytest.raises(Leakage) as caught:
        refuse_leakage([Case("1", f" {line} !!", ("premium_estimate",))], shipped.snapshot)
    assert "premium_estimate" in str(caught.value)
    assert caught.value.found == ((f" {line} !!", "premium_estimate"),)


def test_example_files_are_json_lines() -> None:
    for row in read_jsonl(DATA / "safety" / "domain_examples.jsonl"):
        assert row["label"] in {"in", "out"}, json.dumps(row, ensure_ascii=False)
