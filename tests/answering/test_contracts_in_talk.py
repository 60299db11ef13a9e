"""What a customer's contract says is read from the contract, and what follows is reckoned by it; whole talks."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import Ask

# Figures by hand from data/customers/contracts.csv and data/products.
TALKS: dict[str, list[tuple[str, str]]] = {
    "the days of a contract": [
        ("김민수 고객님 계약 좀 열어 주세요", r"가입금액 3,000만원"),
        ("암은 가입일이 며칠이죠", r"^뉴스타트암보험의 가입일은 2024년 3월 15일입니다"),
        ("그 계약 만기는", r"2034년 3월 15일"),
        ("치아 쪽은 언제 든 거예요", r"^더건강한치아보험의 가입일은 2022년 6월 10일입니다"),
    ],
    "several fields at once": [
        ("김민수 고객 계약 현황", r"35,525원"),
        ("암보험 계약일이랑 가입금액, 보험료 불러 줘요", r"가입일 2024년 3월 15일[\s\S]*20,625원[\s\S]*3,000만원"),
    ],
    "states of contracts": [
        ("조상철 고객 계약 조회", r"부활하여 유지 중"),
        ("해지된 계약은 어떤 건가요", r"해지 상태인 계약은 2건"),
        ("종신 부활일이 언제로 돼 있어요", r"^건강해지는종신보험의 부활일은 2026년 3월 5일입니다"),
        ("종신은 납입이 언제까지죠", r"납입이 끝나는 날은 2035년 2월 2일입니다"),
    ],
    "which contract, and on with it": [
        ("조상철 고객 계약 중에 보험료 제일 비싼 게 어느 거예요", r"가장 높은 것은 건강해지는종신보험"),
        ("그거 만기가 있나요", r"^건강해지는종신보험은 평생 보장하는 계약이라"),
    ],
    "the contract that pays, at its own sum and day": [
        ("김민수 고객 계약 보여 주세요", r"더건강한치아보험"),
        ("폐암이면 얼마 지급돼요", r"^뉴스타트암보험.*3,000만원"),
        ("임플란트는요", r"^더건강한치아보험.*임플란트치료보험금은 치아 1개당 100만원"),
        ("감액은 지났나요", r"계약일\(2022년 6월 10일\)로 보면 면책기간과 감액기간이 모두 지났습니다"),
    ],
    "one of them, then somebody else": [
        ("김민수 고객 계약 뭐 있어요", r"20,625원"),
        ("둘 중 더 비싼 건요", r"가장 높은 것은 뉴스타트암보험"),
        ("그거 깨면 얼마 나와요", r"^뉴스타트암보험.*순수보장형"),
        ("임현석 고객님은요", r"임현석 고객님의 계약"),
    ],
    "since when it is in the state just told": [
        (
            "박건우 고객 뉴스타트 지금 살아 있나요",
            r"^네, 뉴스타트암보험은 부활하여 유지 중입니다. 부활일은 2026년 4월 15일",
        ),
        ("언제부터요", r"^뉴스타트암보험의 부활일은 2026년 4월 15일입니다"),
        ("그중 보험료 비싼 거 얼마", r"가장 높은 것은 치매간병보험\(월 25,110원\)"),
    ],
    "whether a contract is in a state, and the one that is not": [
        ("남나래 고객님 계약 상태 좀", r"실속치매보험: 상태 실효"),
        ("부활됐나요? 고객님이 기다리세요", r"^아니요, 실속치매보험은 실효 상태입니다. 실효일은 2022년 3월 7일"),
        ("언제 그랬죠", r"실효일은 2022년 3월 7일"),
    ],
    "two customers together, and one against the other": [
        ("강인숙 고객 보유 계약", r"13,902원"),
        ("김선영 고객님 것도 보여 주세요", r"330,228원"),
        ("두 분 걸 합하면 매달 얼마인가요", r"모두 더하면 월 344,130원입니다\(13,902원 \+ 330,228원\)"),
        ("누가 더 많이 내시죠", r"김선영 고객님이 316,326원 더 많이 냅니다"),
    ],
    "of one name, told apart by the year of birth": [
        ("이영희 85년생 계약 조회", r"건강해지는종신보험[\s\S]*102,805원"),
        ("아니 68년생 이영희 님이요", r"첫날부터암보험[\s\S]*62,005원"),
        ("두 분이 얼마나 차이 나죠", r"이영희\(C0003\) 고객님이 40,800원 더 많이 냅니다"),
    ],
    "by the years, and who it is": [
        ("박수연 고객 계약 열어 줘", r"108,415원"),
        ("2025년 이후에 가입한 것만 보여 줘요", r"^• 간편건강보험(?![\s\S]*더건강한치아보험)[\s\S]*THE건강한치아보험V"),
        ("2022년 전에 든 건", r"^• 치매간병보험(?![\s\S]*간편건강보험)"),
        ("이분 직업이 뭐로 돼 있나요", r"^박수연 고객님의 직업은 가구 제조원"),
    ],
    "the fields of those in a state": [
        ("신기범 고객 보유 계약", r"간편고지정기보험"),
        ("유지되는 거 가입일하고 가입금액이요", r"^• 간편고지정기보험: 가입일 2020년 7월 30일, 가입금액 5,500만원"),
    ],
    "a case is no question of premiums, and until when is none of the day itself": [
        ("임현석 고객 계약 보여 주세요", r"채우는335"),
        ("실효된 거 언제까지 되살릴 수 있나요", r"2027년 4월 14일까지"),
        ("홍원석 고객 계약 조회", r"간편건강보험"),
        ("독감으로 8일 입원했대요 얼마 나가요", r"질병입원보험금|1일당"),
    ],
    "plan and riders": [
        (
            "한명수 고객 실버치아 가입일이랑 가입금액",
            r"^실버치아보험|^• 실버치아보험: 가입일 2020년 7월 16일, 가입금액 100만원",
        ),
        ("플랜은요", r"^실버치아보험의 플랜은 기본형입니다"),
    ],
    "reduced by the day of the contract": [
        ("임현석 고객 계약 보여줘", r"채우는335"),
        ("지난주에 폐암 진단 나왔다는데 진단금 얼마", r"1,500만원"),
        ("왜 3천만원이 아니죠", r"12개월이 지나기 전에는 50%만 지급하는 감액 기간이라"),
    ],
    "waited for anew since it was reinstated": [
        ("박건우 고객 계약 조회", r"부활하여 유지 중"),
        ("뉴스타트에서 6/20 위암 진단이면 얼마 나가요", r"면책"),
    ],
    "a lapsed contract of a customer just named": [
        ("임현석 고객 335 실효된 거 부활시킬 수 있나요", r"2024년 4월 14일에 실효된 계약은 2027년 4월 14일까지"),
    ],
}


@pytest.mark.parametrize("name", TALKS)
async def test_contracts_answer_for_themselves(ask: Ask, name: str) -> None:
    for text, pattern in TALKS[name]:
        answer = (await ask(text, "held-" + name.replace(" ", "-").replace(",", "")))["answer"]
        assert re.search(pattern, answer, re.MULTILINE), answer


async def test_a_contract_to_be_made_is_no_contract_held(ask: Ask) -> None:
    await ask("김민수 고객 계약 보여줘", "held-anew")
    answer = (await ask("치아보험을 지금 새로 들면 보험료가 얼마예요", "held-anew"))["answer"]
    assert "14,900원" not in answer


async def test_a_sum_insured_that_is_told_is_what_covers_are_reckoned_at(ask: Ask) -> None:
    first = (await ask("간편고지정기보험 가입금액 7천만원이면 병으로 죽었을 때 얼마 나와요", "held-sum"))["answer"]
    assert "7,000만원" in first
