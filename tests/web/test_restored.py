"""What a reloaded chat page still knows, and how past conversations are found: on real turns."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.web.serving import Site
from tests.web.stage import Stage


@pytest.mark.requirement("chat:history:searched")
async def test_past_talks_are_found_by_what_was_said_in_them(site: Site, stage: Stage) -> None:
    async with site.page() as seen:
        await seen.ask("운전자보험 벌금 담보를 알려 주세요")
        await seen.answered()
        await seen.ask("고혈압이 있어도 간편건강보험에 가입할 수 있나요?")
        await seen.answered(2)
        await seen.page.get_by_role("button", name="새 대화").first.click()
        search = seen.page.locator("#history-search")
        await search.fill("고혈압이있어도")
        found = seen.page.locator(".history-list .thread-name")
        await expect(found).to_have_count(1)
        await expect(found).to_contain_text("운전자보험 벌금 담보")
        await expect(found.locator(".thread-found")).to_have_text("고혈압이 있어도 간편건강보험에 가입할 수 있나요?")
        await search.fill("아무도하지않은말")
        await expect(seen.page.locator(".history-list .hint")).to_be_visible()


@pytest.mark.requirement("console:conversations:trace-kept")
async def test_ratings_and_results_are_there_after_a_reload(site: Site, stage: Stage) -> None:
    async with site.page() as seen:
        await seen.ask("45세 남성 뉴스타트암보험 보험료 알려 주세요")
        await seen.answered()
        await seen.page.get_by_role("button", name="도움이 됐어요").click()
        await expect(seen.page.locator(".answer-actions [aria-pressed=true]")).to_have_count(1)
        await seen.page.reload()
        await seen.answered()
        await expect(seen.page.locator(".answer-actions [aria-pressed=true]")).to_have_count(1)
        await seen.page.keyboard.press("Alt+2")
        await seen.page.locator(".trace summary").first.click()
        await expect(seen.page.locator(".trace .call-result").first).to_contain_text("20625")
        await expect(seen.page.locator(".candidates li").first).to_be_visible()


@pytest.mark.requirement("console:documents:listed")
async def test_the_drawer_tells_since_when_a_document_holds(site: Site, stage: Stage) -> None:
    async with site.page() as seen:
        await seen.ask("뉴스타트암보험 상품요약서에서 면책기간을 찾아 주세요")
        await seen.answered()
        await seen.page.locator(".source-chip").first.click()
        await expect(seen.page.locator(".page-head .hint")).to_contain_text("2025년 4월 1일")


@pytest.mark.requirement("console:approvals:decided")
async def test_the_card_names_whom_a_call_concerns_without_the_whole_name(site: Site, stage: Stage) -> None:
    async with site.page() as seen:
        for number, question in enumerate(
            (
                "김민수 고객님 치아보험 계약 살아 있나요?",
                "그 계약 해지하면 어떻게 되는지 알려 주세요",
                "그럼 해지로 접수해 주세요",
            ),
            1,
        ):
            await seen.ask(question)
            await seen.answered(number)
        await expect(seen.page.locator(".approval .facts-list")).to_contain_text("김*수 (C***01)")
        await seen.page.locator(".approval").get_by_role("button", name="거절").click()
        await expect(seen.page.locator(".approval .decided")).to_be_visible()
