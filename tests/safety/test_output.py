"""The output guard: what it finds, and the safe text that remains whatever the draft was."""

from __future__ import annotations

import base64

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.safety.output import OutputGuard
from app.settings import ROOT

EVIDENCE = ['{"name":"뉴스타트암보험","age":45,"premium":20625}']
CLEAN = "만 45세 남성의 뉴스타트암보험 월 보험료는 20,625원입니다.\n• 자세한 내용은 상담원에게 문의해 주세요."


def test_a_clean_answer_passes_unchanged(guard: OutputGuard) -> None:
    verdict = guard.judge(CLEAN, EVIDENCE)
    assert verdict.problems == ()
    assert verdict.safe_text == CLEAN


@pytest.mark.parametrize(
    ("draft", "kind", "gone"),
    [
        ("안내드립니다. 연락처는 010-0123-4567입니다.", "personal_data", "010-0123-4567"),
        ("안내드립니다. 암이면 무조건 보장됩니다.", "phrase", "무조건"),
        ("안내드립니다. 월 보험료는 99,999원입니다.", "grounding", "99,999"),
        ("premium_estimate 도구로 계산했습니다.", "internal_name", "premium_estimate"),
        ("`premium\\_estimate`를 썼습니다.", "internal_name", "premium"),
        ("안내드립니다. 무조건<think>음</think> 보장됩니다.", "phrase", "무조건"),
        ("안내드립니다. 무조건<thi<think>x</think>nk> 보장됩니다.", "phrase", "무조건"),
    ],
)
def test_each_problem_is_named_and_gone_from_the_safe_text(
    guard: OutputGuard, draft: str, kind: str, gone: str
) -> None:
    verdict = guard.judge(draft, EVIDENCE)
    assert kind in {problem.kind for problem in verdict.problems}
    assert all(problem.hint for problem in verdict.problems)
    assert gone not in verdict.safe_text


@pytest.mark.parametrize("draft", ["", "  \n", "<think>생각만 했습니다</think>", "<think>끝나지 않은 생각", "…", "**"])
def test_nothing_to_say_is_a_problem(guard: OutputGuard, draft: str) -> None:
    verdict = guard.judge(draft, EVIDENCE)
    assert [problem.kind for problem in verdict.problems] == ["empty"]
    assert verdict.safe_text == ""


def test_without_evidence_figures_are_not_judged(guard: OutputGuard) -> None:
    assert guard.judge("월 보험료는 99,999원입니다.", None).problems == ()


def test_thoughts_never_show(guard: OutputGuard) -> None:
    verdict = guard.judge("<THINK>비밀</THINK>\n\n답변입니다. <thinking>더</thinking>끝.", None)
    assert verdict.safe_text == "답변입니다. 끝."
    assert guard.judge("앞의 생각</think>답변입니다.", None).safe_text == "답변입니다."


CANARY = "a9f3c2e17b60d845"


@pytest.mark.parametrize(
    "shown",
    [
        CANARY,
        " ".join(CANARY),
        "-".join(CANARY),
        CANARY[::-1],
        CANARY.upper(),
        base64.b64encode(CANARY.encode()).decode(),
        base64.b64encode(f"the token is {CANARY}!".encode()).decode(),
        CANARY.encode().hex(),
        "\u200b".join(CANARY),
    ],
)
def test_a_canary_is_blocked_in_every_dress(guard: OutputGuard, shown: str) -> None:
    verdict = guard.judge(f"값은 {shown} 입니다.", None, canaries=(CANARY,))
    assert verdict.safe_text == ""
    assert not guard.sentence_ok(f"값은 {shown} 입니다.", canaries=(CANARY,))


PIECES = [
    "무조건 보장됩니다. ",
    "월 99,999원입니다. ",
    "010-0123-4567 ",
    "<think>",
    "</think>",
    "premium_estimate ",
    "안녕하세요. ",
    "\n",
    "무조건",
    " 보장",
    "됩니다.",
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(st.sampled_from(PIECES), max_size=8))
def test_the_safe_text_passes_the_guard_itself(guard: OutputGuard, parts: list[str]) -> None:
    safe = guard.judge("".join(parts), EVIDENCE).safe_text
    if safe:
        assert guard.sentence_ok(safe)


def test_the_assistants_own_small_talk_is_never_taken_for_sales_talk(guard: OutputGuard) -> None:
    rules = yaml.safe_load((ROOT / "data" / "language" / "small_talk.yaml").read_text(encoding="utf-8"))
    # A crisis is answered by the input guard and never judged here.
    answers = [answer for rule in rules if rule["kind"] != "crisis" for answer in rule["answers"]]
    assert len(answers) > 20
    assert [answer for answer in answers if guard.judge(answer, [answer]).problems] == []
