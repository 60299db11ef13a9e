"""One thing that happened, told over several messages: what it pays by its circumstances; through the service."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import Ask

TALKS: dict[str, list[tuple[str, str]]] = {
    "months in other words than figures": [
        ("실버치아보험 브릿지 얼마 나오죠", r"50만원"),
        ("들고 일년반에 하모 얼만교", r"18개월[\s\S]*치아 1개당 25만원"),
    ],
    "an illness, then the operation, then the days, all together": [
        ("뉴스타트암보험 위암이면 얼마", r"3,000만원"),
        ("아니 갑상선암은요", r"유사암 진단보험금은 1회 600만원"),
        ("수술까지 받으면 다 해서 얼마죠", r"모두 더하면 900만원입니다\(600만원 \+ 300만원\)"),
        ("입원도 10일 했어요", r"10일이면 50만원"),
        ("싹 다 합치면요", r"모두 더하면 950만원"),
    ],
    "all of it with what was told first, and the same of another product": [
        ("뉴스타트암보험 2천만원짜리 2년 됐는데 폐암이면 얼마예요", r"2,000만원"),
        ("수술하고 8일 입원하면 그건 따로 줘요?", r"수술"),
        ("진단금까지 다 합하면 총 얼마죠", r"모두 더하면"),
    ],
    "why no more is paid, and why all of it": [
        ("더건강한치아보험 3년 됐고 임플란트 다섯 개 했어요. 얼마 나오죠", r"5개 가운데 3개만"),
        ("왜 500이 아니죠", r"한도가 있습니다[\s\S]*연간 3개까지"),
    ],
    "a sum that was paid is no sum insured": [
        ("첫날부터암보험 3천만원 들었는데 갑상선암이면 얼마 나와요", r"300만원"),
        ("전에 300만원 나왔거든요. 폐암이면 얼마예요?", r"1회 3,000만원입니다"),
    ],
    "what brought it about holds on": [
        ("채우는335 들어놨는데 빗길에 미끄러져 발목이 부러졌고 수술했어요", r"수술보험금[\s\S]*50만원"),
        ("닷새 입원했는데요", r"5일이면 15만원"),
        ("가입한 지 석 달 됐어요", r"감액하지 않고"),
    ],
    "two treatments of a tooth, and the same of another product": [
        ("THE건강한치아보험V 신경치료랑 크라운 같이 하면 얼마", r"모두 더하면 33만원"),
        ("더건강한치아보험은요", r"치수치료[\s\S]*크라운치료"),
    ],
    "treatments of which a rule pays one are not added": [
        ("더건강한치아보험 임플란트랑 크라운 같이 하면 얼마", r"^(?![\s\S]*모두 더하면)"),
    ],
    "pieces counted of one treatment are not those of the next": [
        ("더건강한치아보험 가입한 지 3년 됐는데 임플란트 두 개 심었어요. 얼마 나와요?", r"2개면 200만원"),
        ("크라운도 하나 했어요", r"치아 1개당 20만원을 모두 받습니다\.(?!\s?2개)"),
        ("그럼 다 합치면 얼마예요", r"모두 더하면 220만원"),
    ],
    "an operation after the accident that was told, and days in hospital that are none since the contract": [
        ("간편건강보험 3년 전에 가입했는데 15일 입원했어요 얼마 나와요", r"12일분 24만원"),
        ("교통사고였어요", r"12일분 24만원(?![\s\S]*2026-11)"),
        ("수술도 한 번 했어요", r"상해수술보험금"),
        ("모두 합하면요", r"모두 더하면 44만원"),
    ],
    "a stage that was paid for before": [
        ("치매간병보험 든 지 3년 됐고 어머니가 중등도 치매 진단받으셨어요", r"^[^•]*500만원을 모두"),
        ("재작년에 경증으로 받은 게 있는데 그건 빼고 주나요?", r"^중등도치매진단보험금[\s\S]*별도로 지급"),
    ],
    "once more": [
        ("간편건강보험 급성심근경색이면 얼마 나와요", r"500만원"),
        ("작년에 벌써 받았는데 또 나오나요", r"아니요, 급성심근경색증진단보험금은"),
    ],
    "once more within a yearly limit": [
        ("실버치아보험 임플란트 얼마예요", r"100만원"),
        ("작년에 했는데 올해 또 하면 나와요?", r"네, 임플란트치료보험금은[\s\S]*연간 2개"),
    ],
    "another sum insured": [
        ("간편고지정기보험 암 말고 그냥 사망하면 얼마", r"5,000만원"),
        ("가입금액 7천만원이면요", r"사망보험금은 1회 7,000만원"),
    ],
    "a stage by the word that people have": [
        ("치매간병보험 초기 치매면 얼마 줘요", r"경도치매진단보험금은 1회 200만원"),
        ("나중에 나빠지면 또 주나요", r"경도치매 \+ 중등도치매 \+ 중증치매|각 단계의 진단보험금"),
    ],
    "an illness that led to a death": [
        (
            "건강해지는종신보험 들어놨는데 아버지가 뇌출혈로 죽었어요 얼마 나오나요",
            r"명복[\s\S]*사망보험금은 1회 5,000만원",
        ),
        ("언제까지 청구하면 돼요", r"지급 사유가 생긴 날부터 3년"),
    ],
    "an event of a contract that is held is no question of joining": [
        ("제가 간편건강보험 가지고 있는데요 지난주에 폐렴으로 8일 입원했거든요", r"5일분 10만원"),
        ("대충 얼마 받을까요", r"10만원"),
        ("수술은 안 했어요", r"^(?![\s\S]*질병수술보험금)"),
    ],
    "without the rider": [
        ("간편건강보험 골절되면 나와요?", r"골절진단보험금"),
        ("특약은 안 들었는데요", r"그 특약에 가입하지 않았으면 받지 못하고"),
    ],
    "an exclusion that holds for some years": [
        ("건강해지는종신보험 가입 3년째인데 자살도 사망보험금 나오나요", r"지급 가능성 높음[\s\S]*5,000만원"),
        ("가입 1년째면요", r"2년 안에"),
    ],
    "of a year to come": [
        ("실버치아보험 틀니 얼마 나와요", r"100만원"),
        ("드신 지 1년 되셨어요", r"50만원"),
        ("내년에 하시면 다 나오죠?", r"감액 기간\(24개월\)이 지나 연 1회 100만원을 모두"),
    ],
    "a bare illness soon after joining": [
        ("뉴스타트 들고 두달만에 암이라네요", r"면책기간 90일"),
    ],
    "an accident has a cover of its own for a tooth": [
        ("더건강한치아보험 크라운 했는데 나와요?", r"크라운치료보험금"),
        ("계단에서 넘어진 거예요", r"상해치아보철치료보험금: 100만원"),
    ],
}


@pytest.mark.parametrize("name", TALKS)
async def test_what_an_event_pays_is_told_by_its_circumstances(ask: Ask, name: str) -> None:
    for text, pattern in TALKS[name]:
        answer = (await ask(text, "event-" + name.replace(" ", "-").replace(",", "")))["answer"]
        assert re.search(pattern, answer), f"{text}\n{answer}"
