"""What a message holds of personal data is masked, and its question is answered."""

from __future__ import annotations

import json

import pytest

from app.graph.input_guardrail import REFUSED_ATTACK, REFUSED_OUTSIDE
from tests.api.conftest import Ask

PHONE, PASSPORT, ACCOUNT = "010-4471-2903", "M48213075", "국민 420301-04-118257"
# Numbers given since October 2020 hold no check digit.
NEW_RESIDENT, NEW_FOREIGNER = "201105-3000001", "201105-7000001"


@pytest.mark.parametrize(
    "told",
    [
        f"제 번호는 {PHONE}이고 여권은 {PASSPORT}, 계좌는 {ACCOUNT}인데 골절 진단비 청구하려면 서류 뭐 필요해요?",
        f"골절 진단비 청구 서류 알려 주세요. 여권 {PASSPORT}, 입금은 {ACCOUNT}로, 연락은 {PHONE}로요",
        f"주민번호 {NEW_RESIDENT} 아이인데 골절 진단비 청구 서류 뭐 필요해요? 엄마 번호 {PHONE}",
        f"외국인등록번호 {NEW_FOREIGNER}이고 {PHONE}입니다. 골절 진단비 청구 서류가 뭐예요?",
    ],
)
async def test_the_question_beside_personal_data_is_answered(ask: Ask, told: str) -> None:
    reply = await ask(told, f"data-{len(told)}")
    assert reply["answer"] not in (REFUSED_ATTACK, REFUSED_OUTSIDE) and "서류" in reply["answer"]
    shown = json.dumps(reply, ensure_ascii=False)
    for datum in (PHONE, PASSPORT, "420301-04-118257", NEW_RESIDENT, NEW_FOREIGNER):
        assert datum not in shown
