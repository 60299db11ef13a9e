"""The sentence gate: nothing forbidden gets out at any split, and clean text flows."""

from __future__ import annotations

import itertools
import random
import statistics

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.safety.gate import SentenceGate
from app.safety.output import OutputGuard
from app.safety.thoughts import without_thoughts

CLEAN = (
    "안녕하세요. 만 45세 남성의 월 보험료는 20,625원입니다.\n• 가입금액 3,000만원, 10년 납입\n• 면책기간 "
    "90일\n\n1. 먼저 나이를 확인합니다.\n"
    "2. 다음으로 직업을 확인합니다. 더 궁금하신 점이 있으세요? 말씀해 주세요. "
)
FORBIDDEN = {
    "무조건 보장": "안녕하세요. 이 상품은 무조건 보장됩니다. 감사합니다. ",
    "무조건 보장 over a thought": "안녕하세요. 이 상품은 무조건<think>흠</think> 보장됩니다. 감사합니다. ",
    "010-0123-4567": "확인했습니다. 연락처는 010-0123-4567입니다. 감사합니다. ",
    "010. 0123. 4567": "확인했습니다. 연락처는 010. 0123. 4567 입니다. 감사합니다. ",
    "900101-1234567": "번호는 900101-1234567\n입니다. 끝. ",
    "premium_estimate": "먼저 premium_estimate 도구를 씁니다. 끝. ",
    "비밀 생각": "<think>비밀 생각입니다. 고객님은 모릅니다.</think>안녕하세요. 반갑습니다. ",
}


def run(guard: OutputGuard, text: str, cuts: list[int]) -> str:
    gate = SentenceGate(guard)
    points = [0, *sorted(cuts), len(text)]
    return "".join(gate.feed(text[a:b]) for a, b in itertools.pairwise(points)) + gate.rest()


def leak(piece: str, shown: str) -> bool:
    needle = piece.split(" over ")[0]
    return needle in shown


@pytest.mark.parametrize("piece", FORBIDDEN)
def test_nothing_forbidden_gets_out_at_any_split(guard: OutputGuard, piece: str) -> None:
    text = FORBIDDEN[piece]
    whole = without_thoughts(text).strip()
    for cuts in [[i] for i in range(len(text) + 1)] + [list(range(len(text)))]:
        shown = run(guard, text, cuts)
        assert not leak(piece, shown), cuts
        assert whole.startswith(shown), cuts
        assert "think" not in shown


@pytest.mark.parametrize("seed", range(20))
def test_random_chunks_show_the_same_as_one_chunk(guard: OutputGuard, seed: int) -> None:
    draw = random.Random(seed)
    for text in (*FORBIDDEN.values(), CLEAN):
        cuts = sorted(draw.choices(range(len(text)), k=draw.randint(1, 12)))
        assert run(guard, text, cuts) == run(guard, text, list(range(len(text))))


def test_clean_text_is_shown_whole_but_for_its_last_blank(guard: OutputGuard) -> None:
    assert run(guard, CLEAN + "\n", list(range(len(CLEAN)))) == CLEAN.rstrip()


def test_the_gate_stays_shut_after_a_failure(guard: OutputGuard) -> None:
    gate = SentenceGate(guard)
    assert gate.feed("무조건 보장됩니다. ") == ""
    assert gate.shut
    assert gate.feed("안녕하세요. 반갑습니다. ") == ""
    assert gate.rest() == ""


def test_the_end_waits_for_the_judgement_of_the_whole(guard: OutputGuard) -> None:
    assert run(guard, "안녕하세요. 끝 문장입니다.", []) == "안녕하세요."


def test_ordinary_sentences_are_held_for_a_short_while(guard: OutputGuard) -> None:
    gate, held, waits = SentenceGate(guard), 0, []
    for letter in CLEAN * 3:
        held += 1 - len(gate.feed(letter))
        waits.append(held)
    assert statistics.median(waits) <= 80


CANARY = "a9f3c2e17b60d845"


@pytest.mark.parametrize("shown", [CANARY, " ".join(CANARY), ". ".join(CANARY), CANARY[::-1]])
def test_a_canary_never_gets_out_whole(guard: OutputGuard, shown: str) -> None:
    gate = SentenceGate(guard, canaries=(CANARY,))
    out = "".join(gate.feed(letter) for letter in f"값은 다음과 같습니다. {shown} 입니다. 끝. ")
    letters = "".join(c for c in out if c.isalnum())
    assert CANARY not in letters and CANARY[::-1] not in letters
    assert gate.shut


PIECES = [
    "무조건 보장됩니다. ",
    "무조건 ",
    "보장됩니다.",
    "010-0123",
    "-4567 ",
    "<think>",
    "</think>",
    "premium_",
    "estimate ",
    "안녕하세요. ",
    "\n",
    "네. ",
]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(st.sampled_from(PIECES), max_size=10), cuts=st.lists(st.integers(0, 120), max_size=8))
def test_what_is_shown_always_passes_the_guard(guard: OutputGuard, parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    shown = run(guard, text, [min(cut, len(text)) for cut in cuts])
    assert not shown or guard.sentence_ok(shown)
    if "</think>" not in text.replace("<think>", "", 0).split("<think>")[0]:
        assert without_thoughts(text).lstrip().startswith(shown)
