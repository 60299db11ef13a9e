"""A sales text is checked, and what was checked is mended when that is asked for."""

from __future__ import annotations

import pytest

from tests.api.conftest import Ask

CHECKED = '이 멘트 검사해줘 "만기 되면 원금도 돌려드려요"'


@pytest.mark.parametrize("asked", ["그럼 어떻게 고쳐", "고쳐줘"])
async def test_what_was_just_checked_is_mended(ask: Ask, asked: str) -> None:
    thread = f"mend-{len(asked)}"
    first = await ask(CHECKED, thread)
    assert "수정 필요" in first["answer"] and "고쳐 쓴 글" in first["answer"]
    again = await ask(asked, thread)
    assert "고쳐 쓴 글" in again["answer"] and "낸 보험료보다 적거나 없을 수" in again["answer"]


async def test_a_text_asked_about_without_marks_is_checked(ask: Ask) -> None:
    reply = await ask("만기 때 원금도 돌려드려요 라고 말해도 되나요?", "asked-about")
    assert "원금도 돌려드려요" in reply["answer"] and "수정 필요" in reply["answer"]


@pytest.mark.parametrize(
    "pitch",
    [
        "원금 손실 제로, 수익은 무한대!",
        "은행에 넣어두느니 여기 넣는 게 훨씬 낫지 않으세요?",
        "만기 되면 원금도 돌려드려요",
    ],
)
async def test_what_is_said_instead_passes_the_check(ask: Ask, pitch: str) -> None:
    thread = f"passes-{len(pitch)}"
    assert "수정 필요" in (await ask(f'이 멘트 검사해줘 "{pitch}"', thread))["answer"]
    mended = (await ask("그럼 어떻게 고쳐", thread))["answer"]
    better = mended.split("고쳐 쓴 글", 1)[1].strip(" :\n*").split("\n")[0].strip()
    assert better and "문제 표현 없음" in (await ask(f'이 멘트 검사해줘 "{better}"', f"{thread}-again"))["answer"]
