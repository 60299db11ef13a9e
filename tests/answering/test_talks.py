"""The first sentence answers the form asked, over what the talk showed; whole talks through the service."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import Ask

# Figures by hand from data/premiums and data/products.
TALKS: dict[str, list[tuple[str, str]]] = {
    "what a word of the answer means": [
        ("치매보험 들면 바로 보장되나요", r"면책"),
        ("면책기간이 뭔데요", r"^가입 후 보장이 시작되지 않는 기간"),
    ],
    "alternatives are not added up": [
        ("치아보험 비교해 주세요 38세 여성", r"원"),
        ("6년 뒤엔 얼마예요", r"^(?!.*모두 더하면)"),
    ],
    "a year of one premium": [
        ("뉴스타트암보험 38세 여자 얼마예요", r"월 보험료는"),
        ("1년이면요", r"^월 ([\d,]+)원 × 12개월 = ([\d,]+)원입니다"),
    ],
    "two products together, then a year, then apart": [
        ("더건강한치아보험이랑 THE건강한치아보험V 36세 남자 각각 얼마예요", r"더건강한치아보험"),
        ("둘을 합치면요", r"모두 더하면 월 [\d,]+원입니다\([\d,]+원 \+ [\d,]+원\)"),
        ("두 개 차이는 얼마나 나나요", r"월 보험료 차이는 [\d,]+원입니다"),
        ("저렴한 쪽은 왜 저렴한가요", r"갱신 여부: .*갱신형.*비갱신형"),
    ],
    "a day of a premium": [
        ("실버치아보험 62세 여자 보험료", r"월 보험료는"),
        ("하루로 나누면 얼마꼴이에요", r"하루 약 [\d,]+원입니다\(월 [\d,]+원 ÷ 30일\)"),
    ],
    "days in hospital": [
        ("채우는335 입원하면 하루 얼마 나와요", r"1일당 3만원"),
        ("열흘이면 얼마예요", r"10일이면 30만원입니다\(1일당 3만원 × 10일\)"),
    ],
    "contracts as they are": [
        ("김민수 고객 계약 보여줘", r"20,625원"),
        ("그중 치아는 얼마 내고 있어?", r"더건강한치아보험의 월 보험료는 월 14,900원"),
        ("합치면 한 달에 얼마야", r"월 35,525원입니다\(20,625원 \+ 14,900원\)"),
    ],
}


@pytest.mark.parametrize("name", TALKS)
async def test_the_form_is_answered_first(ask: Ask, name: str) -> None:
    before = None
    for text, pattern in TALKS[name]:
        answer = (await ask(text, "forms-" + name.replace(" ", "-").replace(",", "")))["answer"]
        assert re.search(pattern, answer, re.MULTILINE), answer
        assert answer != before
        before = answer


async def test_the_product_is_the_number_times_its_count(ask: Ask) -> None:
    first = (await ask("첫날부터암보험 52세 남자 보험료는요", "forms-product"))["answer"]
    premium = int(re.search(r"월 보험료는 ([\d,]+)원", first)[1].replace(",", ""))  # type: ignore[index]
    second = (await ask("두 달이면", "forms-product"))["answer"]
    assert f"{premium * 2:,}원" in second


# What covers pay, reckoned by time, cause, days and pieces; figures by hand from data/products.
PAID: dict[str, list[tuple[str, str]]] = {
    "the first days of a stay": [
        ("간편건강보험 병으로 9일 입원하면 얼마 나와요", r"처음 3일을 뺀 6일분 12만원"),
        ("사흘만 입원하면 얼마예요", r"받는 금액이 없습니다"),
    ],
    "a stay longer than is paid": [
        ("채우는335로 45일 입원하면 얼마 받아요", r"90만원입니다\(1일당 3만원 × 30일\)\.\n.*45일 가운데 30일만"),
    ],
    "the same case of another product": [
        ("간편건강보험 질병으로 12일 입원하면 얼마죠", r"9일분 18만원"),
        ("채우는335라면요", r"12일이면 36만원"),
        ("왜 다른가요", r"처음에 지급하지 않는 날: .*3일.*0일"),
    ],
    "two treatments, another time, another cause": [
        ("채우는335 담석 수술하고 6일 입원하면 얼마 나와요 가입 3년 지나서요", r"모두 더하면 68만원입니다"),
        ("가입 5개월째라면요", r"모두 더하면 34만원입니다"),
        ("교통사고로 수술하면 그때도 절반만 주나요", r"재해가 원인이면 감액하지 않고 수술 1회당 50만원"),
    ],
    "pieces, told one after the other": [
        ("더건강한치아보험 임플란트 두 개 하면 얼마 받아요", r"2개면 200만원"),
        ("가입한 지는 1년 반이에요", r"줄어든 금액인 치아 1개당 50만원입니다\. 2개면 100만원"),
        ("아니 3년 됐네요", r"모두 받습니다\. 2개면 200만원"),
    ],
    "several answers added up": [
        ("골라담는암보험 위암 진단받으면 얼마 나와요 가입 4년 됐어요", r"2,000만원을 모두 받습니다"),
        ("입원은 20일이면요", r"100만원"),
        ("전부 합치면 얼마예요", r"모두 더하면 2,100만원입니다"),
    ],
    "diagnoses that a rule pays together": [
        ("첫날부터암보험 췌장암이면 얼마 받나요 가입 2년 됐어요", r"모두 더하면 3,000만원입니다"),
    ],
    "a death by accident after a death by illness": [
        ("간편고지정기보험 질병으로 사망하면 얼마 나와요 가입 7개월 됐어요", r"2,500만원"),
        ("사고로 죽으면요", r"5,000만원"),
    ],
    "months to the last": [
        ("간편고지정기보험 유족생활자금 얼마예요", r"매월 100만원"),
        ("그걸 끝까지 받으면 총 얼마예요", r"24개월이면 2,400만원"),
    ],
    "a stage that pays what is left": [
        ("실속치매보험 중등도치매 진단금 얼마예요", r"300만원"),
        ("그거 받고 나중에 중증치매가 되면 얼마 더 줘요", r"700만원을 더 받습니다"),
    ],
    "an illness and the time since the contract": [
        ("채우는335 든 지 반년인데 대상포진으로 일주일 입원했어요", r"7일이면 105,000원입니다"),
        ("가입 2년째였으면요", r"모두 받습니다\. 7일이면 21만원"),
    ],
    "the cause by the illness": [
        (
            "간편건강보험 넉 달 전에 가입했는데 급성 췌장염으로 8일 입원했어요 얼마 받나요",
            r"^가입 후 4개월이면.*5일분 5만원",
        ),
    ],
    "judged by a date, then another time": [
        ("첫날부터암보험 대장암이면 얼마 나와요", r"2,000만원"),
        ("가입한 지 4개월이면요", r"1,000만원"),
        ("두 해 지났으면?", r"^감액 기간\(12개월\)이 지나 1회 2,000만원을 모두 받습니다"),
    ],
    "a correction of the time holds on": [
        ("더건강한치아보험 브릿지 한 개 하면 얼마 나와요", r"50만원"),
        ("든 지는 1년 됐어요", r"줄어든 금액인 치아 1개당 25만원"),
        ("아니다 4년 됐네 4년", r"치아 1개당 50만원을 모두 받습니다"),
        ("그럼 두 개면", r"2개면 100만원"),
    ],
    "within the waiting period, then the same of another product": [
        ("뉴스타트암보험 가입하고 한 달 만에 암이면 어떻게 되나요", r"면책기간 90일 안의 일"),
        ("첫날부터암보험은 한 달이면 얼마 받아요", r"가입 후 1개월이면 .*1회 1,000만원"),
    ],
    "another part of the body is another cancer": [
        ("골라담는암보험 들고 석 달 만에 유방암이래요 얼마 받아요", r"가입 후 3개월이면 .*1회 1,000만원"),
        ("갑상선이면요", r"유사암"),
    ],
    "of each of two": [
        ("간편건강보험 병으로 8일 입원하면 얼마예요", r"5일분 10만원"),
        ("채우는335는요", r"8일이면 24만원"),
        ("2일만 누워 있으면 각각 얼마죠", r"간편건강보험.*받는 금액이 없습니다\.\n.*채우는335.*2일이면 6만원"),
    ],
    "from the first day": [("채우는335 입원비는 며칠째부터 나와요", r"입원 첫날부터 지급합니다")],
}
# What earlier answers told, and which thing is meant.
RECALLED: dict[str, list[tuple[str, str]]] = {
    "both together, then another pair": [
        (
            "52세 남자 뉴스타트암보험이랑 실버치아보험 둘 다 들면 한 달에 얼마 내요",
            r"모두 더하면 월 [\d,]+원입니다",
        ),
        ("암보험을 첫날부터암보험으로 바꾸면 합이 얼마예요", r"첫날부터암보험, 실버치아보험을 모두 더하면"),
        ("처음 거보다 얼마나 줄어요", r"월 보험료가 [\d,]+원 적습니다"),
    ],
    "each, the dearer and the cheaper": [
        ("57세 여자 치매보험 두 가지 얼마씩인가요", r"실속치매보험.*\n.*치매간병보험"),
        ("각자 몇 년 동안 내나요", r"실속치매보험: 납입 기간 10년납\n• 치매간병보험: 납입 기간 20년납"),
        ("비싼 쪽을 만기까지 다 내면 총 얼마인가요", r"치매간병보험은 월 [\d,]+원 × 240개월 = "),
        ("아까 싼 거 얼마였더라", r"^실속치매보험의 월 보험료는"),
    ],
    "two kinds of one product each": [
        ("40세 남자 종신보험이랑 정기보험 둘 다 얼마예요", r"건강해지는종신보험"),
        ("왜 이렇게 차이가 나요", r"보장 기간: .*종신"),
    ],
    "why one person pays more": [
        ("더건강한치아보험 남편 51살 아내 46살 각각 얼마예요", r"만 51세 남성"),
        ("왜 남편이 더 비싸요", r"차이가 납니다\.\n나이와 성별에 따라 .*위험률"),
        ("누가 더 싸요? 이유는요", r"위험률"),
    ],
    "why it is that sum": [
        ("실속치매보험 경도치매 진단받으면 얼마예요", r"100만원"),
        ("왜 천만원이 아니고요", r"^경도치매진단보험금은 1회 100만원입니다\.\n지급 조건: "),
    ],
    "why one product takes and another does not": [
        ("60세 남자 2년 반 전에 담낭 수술했는데 간편건강보험 가입되나요", r"2년"),
        ("채우는335는요", r"3년"),
        ("왜 하나는 되고 하나는 안 되죠", r"^• 간편건강보험 - .*2년[^\n]*\n• 채우는335 - .*3년"),
    ],
    "the rule that leaves a product out": [
        ("45세 여자 암보험 얼마예요", r"뉴스타트암보험"),
        ("골라담는암보험은 왜 안 나와요", r"^골라담는암보험은 가입 나이가 50~75세라서"),
    ],
}


@pytest.mark.parametrize("name", {**PAID, **RECALLED})
async def test_what_was_told_is_reckoned_with(ask: Ask, name: str) -> None:
    for text, pattern in {**PAID, **RECALLED}[name]:
        answer = (await ask(text, "told-" + re.sub(r"\W+", "-", name)))["answer"]
        assert re.search(pattern, answer, re.MULTILINE), (text, answer)


# What the documents, the rules and the company say, behind what was just answered.
BEHIND: dict[str, list[tuple[str, str]]] = {
    "the interest of a loan": [
        ("건강해지는종신보험 기본형 7년 냈는데 대출 되나요", r"."),
        ("금리는 어느 정도예요", r"연 4\.0%"),
    ],
    "how a withdrawal is told": [
        ("2주 전에 전화로 골라담는암보험 들었는데 취소 되나요", r"아직 청약을 철회하실 수 있습니다"),
        ("전화로 말씀드리면 되나요", r"청약철회는 이렇게 진행됩니다"),
    ],
    "cover after a reinstatement": [
        ("간편건강보험 8월 3일에 실효됐는데 살릴 수 있나요", r"까지\(실효일부터 3년\) 부활을 청약할 수 있고"),
        ("돈 내면 암은 바로 보장돼요?", r"부활일부터 그 기간을 다시 계산합니다"),
    ],
    "where to complain": [
        ("직원이 다 된다고 했는데 안 준대요 어디에 따져야 해요", r"소비자보호실.*1332"),
        ("답은 언제 와요", r"14일 안에"),
    ],
}


@pytest.mark.parametrize("name", BEHIND)
async def test_what_is_asked_next_is_of_what_was_answered(ask: Ask, name: str) -> None:
    for text, pattern in BEHIND[name]:
        answer = (await ask(text, "behind-" + re.sub(r"\W+", "-", name)))["answer"]
        assert re.search(pattern, answer), (text, answer)


async def test_what_is_looked_up_is_of_the_product_spoken_of(ask: Ask) -> None:
    await ask("간편건강보험 병으로 11일 입원하면 얼마 받아요", "looked-up")
    answer = await ask("왜 11일치를 다 안 줘요", "looked-up")
    assert "3일" in answer["answer"] and "치아" not in answer["answer"]


async def test_a_length_of_time_beside_another_question_is_no_amount(ask: Ask) -> None:
    await ask("THE건강한치아보험V 임플란트 네 개 얼마 나와요", "told-other")
    answer = (await ask("10년이 지나면 저절로 연장되나요", "told-other"))["answer"]
    assert "4개면" not in answer


async def test_the_cheaper_is_for_both_people(ask: Ask) -> None:
    talk = "told-cheaper"
    await ask("아내가 66세인데 치매보험 얼마예요", talk)
    await ask("저는 72세 남자인데 저도 들 수 있어요", talk)
    reply = await ask("싼 걸로 둘 다 들면 한 달에 모두 얼마예요", talk)
    assert re.search(r"모두 더하면 월 [\d,]+원입니다", reply["answer"])
    assert "치매간병보험" not in reply["answer"]
