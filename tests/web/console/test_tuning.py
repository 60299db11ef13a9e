"""Cards, the routing playground and the evaluation in a real browser: a draft that keeps and measures itself,
publishing with a note and a reason, a question tried and saved, suites run and compared; at both sizes and themes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from playwright.async_api import Page, Route, expect

from tests.web.serving import Site, Watched

READY = "main h1"
LINE = "달빛 우산을 접으면 얼마를 돌려받는지 궁금해요"
TOOL = "surrender_value_explain"
CARD = f"/admin/cards/{TOOL}"
RUINED = "claim_required_forms"


@asynccontextmanager
async def console(site: Site, path: str, **options: Any) -> AsyncIterator[Watched]:
    """A page of the console, with what it loads."""
    async with site.page(path=path, ready=READY, **options) as seen:
        await settled(seen.page)
        yield seen


async def settled(page: Page) -> None:
    """Nothing is on its way any more."""
    await expect(page.locator(".waiting")).to_have_count(0, timeout=60_000)
    await expect(page.locator(".spinner")).to_have_count(0, timeout=60_000)


async def api(site: Site, method: str, path: str, body: Any = None) -> Any:
    async with httpx2.AsyncClient(base_url=site.url, timeout=120) as client:
        answer = await client.request(method, path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json()


@pytest.fixture(scope="module", autouse=True)
async def measured(site: Site) -> None:
    """Two saved cases, one of which fails, and two runs of them; what other tests saved goes first."""
    for case in (await api(site, "GET", "/api/admin/cases?limit=500"))["cases"]:
        await api(site, "DELETE", f"/api/admin/cases/{case['id']}")
    for query, tool in (
        ("예순둘 여자 실속치매 다달이 낼 돈이 궁금합니다", "premium_estimate"),
        ("쉰셋 남자 채우는335 다달이 낼 돈이 궁금합니다", "privacy_masking"),
    ):
        await api(site, "POST", "/api/admin/cases", {"query": query, "expected_tools": [tool]})
    for note in ("처음", "다시"):
        run = await api(site, "POST", "/api/admin/evaluation/runs", {"suite": "saved", "note": note})
        while (await api(site, "GET", f"/api/admin/evaluation/runs/{run['id']}"))["status"] == "running":
            pass


async def paths(site: Site) -> list[str]:
    newer, older = (await api(site, "GET", "/api/admin/evaluation/runs?suite=saved&limit=2"))["runs"]
    return [
        "/admin/cards",
        CARD,
        f"{CARD}?tab=diff",
        f"{CARD}?tab=versions",
        "/admin/routing",
        f"/admin/routing?q=그거 얼마야?&before=45세 남자 뉴스타트암보험 알려줘&against={TOOL}&version=draft",
        "/admin/evaluation?suite=saved",
        "/admin/evaluation?tab=cases",
        f"/admin/evaluation?run={newer['id']}&only=all",
        f"/admin/evaluation?run={older['id']}&with={newer['id']}",
    ]


@pytest.mark.requirement("console:tuning:clean")
@pytest.mark.parametrize(
    ("size", "options"),
    [((1280, 860), {"lang": "ko", "color_scheme": "dark"}), ((390, 844), {"lang": "en", "color_scheme": "light"})],
    ids=["wide-dark-korean", "phone-light-english"],
)
async def test_every_page_of_cards_routing_and_evaluation_is_clean(
    site: Site, size: tuple[int, int], options: dict[str, Any]
) -> None:
    card = (await api(site, "GET", f"/api/tools/{TOOL}/card"))["card"]
    draft = {**card, "when_to_use": [*card["when_to_use"], LINE]}
    await api(site, "PUT", f"/api/tools/{TOOL}/card", {"card": draft, "preview": False})
    async with console(site, "/admin/cards", size=size, **options) as seen:
        for path in await paths(site):
            await seen.page.goto(site.url + path)
            await seen.page.wait_for_selector(READY)
            await settled(seen.page)
            assert await seen.axe() == [], path
            assert await seen.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
    await api(site, "DELETE", f"/api/tools/{TOOL}/card/draft")


@pytest.mark.requirement("console:cards:edit")
async def test_a_card_is_edited_measured_published_with_a_note_and_rolled_back(site: Site) -> None:
    async with console(site, CARD) as seen:
        page = seen.page
        await page.get_by_text("대화에서 쓰는 선언").click()
        await expect(page.locator("details[open] pre")).to_contain_text("traits: pays_back")
        add = page.get_by_label("새 문장을 적고 Enter")
        await add.fill(LINE)
        await add.press("Enter")
        await expect(page.get_by_role("status").filter(has_text="초안 저장됨")).to_be_visible(timeout=30_000)
        effects = page.locator(".effects").filter(has_text=LINE)
        await expect(effects).to_contain_text("위", timeout=60_000)
        await page.reload()
        await expect(page.locator(".line-list li.fresh input")).to_have_value(LINE)
        await page.get_by_role("tab", name="바뀐 점").click()
        await expect(page.locator(".diff .come")).to_have_text(f"＋{LINE}")
        await settled(page)
        await page.get_by_role("button", name="게시", exact=True).click()
        dialog = page.locator("dialog[open]")
        assert await seen.axe() == []
        await dialog.get_by_role("button", name="게시", exact=True).click()
        await expect(dialog).to_contain_text("꼭 적어 주세요")
        await dialog.get_by_label("바꾼 이유").fill("우산을 묻는 말을 더함")
        await dialog.get_by_role("button", name="게시", exact=True).click()
        await expect(dialog).to_have_count(0, timeout=60_000)
        await page.goto(f"{site.url}{CARD}?tab=versions")
        newest = page.locator(".versions > li").first
        await expect(newest).to_contain_text("우산을 묻는 말을 더함")
        await expect(newest).to_contain_text("적용 중")
        kept = await api(site, "GET", f"/api/tools/{TOOL}/card")
        assert LINE in kept["card"]["when_to_use"] and kept["card"]["dialogue"] == kept["file_card"]["dialogue"]
        await page.locator(".versions > li").last.get_by_role("button", name="이 판으로 되돌리기").click()
        await page.locator("dialog[open]").get_by_role("button", name="이 판으로 되돌리기").click()
        await expect(page.locator(".versions > li").first).to_contain_text("되돌림", timeout=60_000)
        assert LINE not in (await api(site, "GET", f"/api/tools/{TOOL}/card"))["card"]["when_to_use"]
    await api(site, "POST", f"/api/tools/{TOOL}/card/rollback", {"version": 0})


@pytest.mark.requirement("console:cards:edit")
async def test_a_faulty_card_names_its_fault_at_the_field_and_cannot_be_published(site: Site) -> None:
    other = (await api(site, "GET", "/api/tools/premium_estimate/card"))["card"]["when_to_use"][3]
    async with console(site, CARD) as seen:
        page = seen.page
        add = page.get_by_label("새 문장을 적고 Enter")
        await add.fill(other)
        await add.press("Enter")
        await expect(page.locator(".refused, .fault").first).to_contain_text("premium_estimate", timeout=30_000)
        await expect(page.get_by_role("button", name="게시", exact=True)).to_be_disabled()
        await page.get_by_role("button", name="초안 버리기").click()
        await page.locator("dialog[open]").get_by_role("button", name="초안 버리기").click()
        await expect(page.locator(".line-list li.fresh")).to_have_count(0)
        await settled(page)


@pytest.mark.requirement("console:cards:a-fall-needs-a-reason")
async def test_a_card_that_lets_the_suite_fall_is_published_with_a_reason_that_the_audit_log_keeps(site: Site) -> None:
    card = (await api(site, "GET", f"/api/tools/{RUINED}/card"))["card"]
    lines = ["해와 달과 별 이야기를 들려주세요", "밤하늘 이야기"]
    ruined = {**card, "purpose": "별자리를 살펴본다.", "tags": [], "when_to_use": lines}
    await api(site, "PUT", f"/api/tools/{RUINED}/card", {"card": ruined, "preview": False})
    async with console(site, f"/admin/cards/{RUINED}") as seen:
        page = seen.page
        await expect(page.locator(".rates .bad").first).to_be_visible(timeout=60_000)
        await page.get_by_role("button", name="게시", exact=True).click()
        dialog = page.locator("dialog[open]")
        await expect(dialog).to_contain_text("평가가 떨어집니다")
        await dialog.get_by_label("바꾼 이유").fill("개편")
        await dialog.get_by_role("button", name="그래도 게시").click()
        await expect(dialog).to_contain_text("5글자 넘게")
        await dialog.get_by_label("떨어져도 게시하는 이유").fill("개편 중이라 잠시 내립니다")
        await dialog.get_by_role("button", name="그래도 게시").click()
        await expect(dialog).to_have_count(0, timeout=60_000)
    (entry, *_) = (await api(site, "GET", "/api/admin/audit?action=card.publish"))["entries"]
    assert entry["target"] == RUINED and entry["details"]["override_reason"] == "개편 중이라 잠시 내립니다"
    await api(site, "POST", f"/api/tools/{RUINED}/card/rollback", {"version": 0})


@pytest.mark.requirement("console:routing:shows-every-step")
async def test_a_question_is_tried_after_others_and_saved_as_a_case(site: Site) -> None:
    async with console(site, "/admin/routing") as seen:
        page = seen.page
        await page.get_by_role("button", name="앞선 질문").click()
        await page.get_by_label("앞선 질문 1", exact=True).fill("쉰둘 남자인데 치아보험 보험료 얼마예요?")
        await page.get_by_label("질문", exact=True).fill("그럼 예순이면요?")
        await page.get_by_label("질문", exact=True).press("Enter")
        planned = page.locator(".planned").first
        await expect(planned).to_contain_text("premium_estimate", timeout=60_000)
        await expect(planned).to_contain_text("60")
        await expect(page.locator(".candidates > li").first).to_contain_text("낱말")
        assert "before=" in page.url and "q=" in page.url
        await page.get_by_role("button", name="평가에 추가").click()
        dialog = page.locator("dialog[open]")
        await expect(dialog.get_by_role("checkbox", name="보험료 계산")).to_be_checked()
        await expect(dialog.get_by_role("button", name="저장")).to_be_enabled()
        assert await seen.axe() == []
        await dialog.get_by_label("인자까지 맞아야 합니다").check()
        await dialog.get_by_role("button", name="저장").click()
        await expect(dialog).to_have_count(0)
        await page.goto(f"{site.url}/admin/evaluation?tab=cases")
        row = page.locator("tbody tr").first
        await expect(row).to_contain_text("그럼 예순이면요?")
        await expect(row).to_contain_text("대화")
        async with page.expect_response(lambda told: told.request.method == "DELETE"):
            await row.get_by_role("button", name="지우기").click()
        await expect(page.locator("tbody tr").first).not_to_contain_text("그럼 예순이면요?")


@pytest.mark.requirement("console:evaluation:runs-in-the-background")
async def test_a_suite_is_started_watched_read_failing_first_and_compared(site: Site) -> None:
    async with console(site, "/admin/evaluation?suite=saved") as seen:
        page = seen.page
        before = await page.locator(".grid tbody tr").count()
        await page.get_by_label("남길 말").fill("화면에서")
        await page.get_by_role("button", name="평가 시작").click()
        newest = page.locator(".grid tbody tr").first
        await expect(newest).to_contain_text("화면에서")
        await expect(newest).to_contain_text("마침", timeout=60_000)
        assert await page.locator(".grid tbody tr").count() == before + 1
        await expect(page.locator(".chart svg").first).to_be_visible()
        await newest.locator("a.row-link").click()
        await settled(page)
        await expect(page.locator(".tile").first).to_contain_text("50%")
        rows = page.locator("tbody tr")
        await expect(rows).to_have_count(1)
        await expect(rows.first).to_contain_text("privacy_masking")
        await page.get_by_role("button", name="모두").click()
        await expect(rows).to_have_count(2)
        await expect(rows.first).to_contain_text("틀림")
        await page.go_back()
        await page.goto(f"{site.url}/admin/evaluation?suite=saved")
        for place in (0, 1):
            await page.locator(".grid tbody tr").nth(place).get_by_role("checkbox").check()
        await page.get_by_role("button", name="두 평가 견주기").click()
        await expect(page.locator("h1")).to_have_text("두 평가 견주기")
        await expect(page.locator("main")).to_contain_text("새로 틀린 사례가 없습니다.")
        await expect(page.locator("main")).to_contain_text("둘 다 틀린 것 1개")


async def test_what_is_not_there_and_what_is_refused_is_told(site: Site) -> None:
    async with console(site, "/admin/evaluation?suite=dialogues") as seen:
        await expect(seen.page.locator(".empty")).to_contain_text("아직 평가한 적이 없습니다")
        seen.expected_errors = True

        async def down(route: Route) -> None:
            body = {
                "type": "unavailable",
                "title": "Service Unavailable",
                "status": 503,
                "detail": "지금은 쓸 수 없어요",
            }
            await route.fulfill(status=503, content_type="application/problem+json", body=json.dumps(body))

        for address, path in (
            ("**/api/admin/evaluation/suites", "/admin/evaluation"),
            ("**/api/admin/cards?*", "/admin/cards"),
            ("**/api/admin/routing/try", "/admin/routing?q=보험료"),
        ):
            await seen.page.route(address, down)
            await seen.page.goto(site.url + path)
            await expect(seen.page.locator(".refused")).to_contain_text("지금은 쓸 수 없어요")
            await seen.page.unroute(address)
            await seen.page.locator(".refused").get_by_role("button", name="다시 시도").click()
            await expect(seen.page.locator(".refused")).to_have_count(0)
