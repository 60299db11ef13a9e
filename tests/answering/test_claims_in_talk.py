"""What follows a claim is answered in the light of the talk: deaths, papers, waivers, proxies; through the service."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import Ask

TALKS: dict[str, list[tuple[str, str]]] = {
    "a death told in passing is a claim on the contract": [
        (
            "어머니가 간암으로 돌아가셨어요. 간편고지정기보험 5천만원짜리 들어 두셨고 가입한 지 5개월이에요",
            r"명복을[\s\S]*2,500만원",
        ),
        ("사고로 가신 거였으면 달라요?", r"재해사망보험금: 5,000만원"),
        ("준비할 서류는요", r"사망진단서"),
    ],
    "a death in a whole life policy": [
        ("할아버지가 그제 돌아가셨는데 건강해지는종신 들어 두신 게 있어요 뭐부터 하죠", r"사망진단서"),
        ("암으로 가셨고 가입 9개월째예요 깎이나요", r"사망보험금: 5,000만원"),
        ("자식 넷이 다 인감을 떼야 하나요", r"상속인 전원의 동의서"),
    ],
    "the papers are of what is asked for now": [
        ("백내장 수술한 거 청구하려면 어떻게 해요", r"수술 청구는"),
        ("입원한 것은 서류가 뭐예요", r"입퇴원확인서"),
    ],
    "the papers of all that was told at once": [
        ("대장암으로 수술하고 20일 입원했어요 뉴스타트암보험 든 지 4년인데 나오나요", r"암 진단보험금"),
        ("서류는 뭘 준비하죠", r"암 진단·수술·입원 청구에[\s\S]*조직검사 결과지[\s\S]*입퇴원확인서"),
    ],
    "premiums after a diagnosis": [
        ("언니가 유방암 진단받았어요 골라담는암보험 들어 놨어요", r"유방암"),
        ("앞으로도 보험료 계속 내야 돼요?", r"납입을 면제"),
        ("제 보험도 같은 날 든 건데 제 것도 안 내도 되나요", r"피보험자의 계약에만"),
    ],
    "nobody was named to claim": [
        ("장모님이 치매신데 제가 대신 청구해도 되나요", r"지정대리청구인"),
        ("지정해 둔 사람이 없는데요", r"위임장[\s\S]*후견"),
        ("서류는 뭐가 있어야 해요", r"대리 청구에 필요한 서류"),
    ],
    "waiting when it was diagnosed": [
        ("뉴스타트암보험 한 달 됐는데 대장암이래요", r"면책기간"),
        ("그동안 낸 보험료는 날리는 건가요", r"돌려드립니다"),
    ],
    "without giving up the contract": [
        ("뉴스타트암보험 2년 냈는데 해지하면 얼마 받아요", r"환급"),
        ("해지 안 하고 다른 방법은요", r"감액"),
    ],
    "told again": [
        ("보험료 세액공제 돼요?", r"100만원 한도"),
        ("뉴스타트암보험 33세 여자 보험료", r"월 보험료는"),
        ("아까 세액공제 한도 얼마라고 하셨죠", r"앞에서 이렇게 안내해 드렸어요\. .*100만원 한도"),
    ],
    "too late or not": [
        (
            "무릎 수술한 지 2년 됐는데 보험금 청구 지금 해도 되나요",
            r"^아직 보험금을 청구하실 수 있습니다[\s\S]*수술 청구는",
        ),
        ("그럼 4년 전에 입원한 건요", r"^기한이 지나"),
    ],
}


@pytest.mark.parametrize("name", TALKS)
async def test_what_follows_a_claim_is_answered_in_context(ask: Ask, name: str) -> None:
    for text, pattern in TALKS[name]:
        answer = (await ask(text, "claims-" + name.replace(" ", "-")))["answer"]
        assert re.search(pattern, answer, re.MULTILINE), f"{text}\n{answer}"
