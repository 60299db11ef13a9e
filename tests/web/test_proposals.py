"""The proposal beside the talk: asked for, changed here and in the talk as one, looked into, kept; for everybody."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Any

import httpx2
import pytest
from sqlalchemy import update

from app.adapters.proposal_tables import proposal_versions
from tests.web import scripts
from tests.web.serving import Site, Watched
from tests.web.stage import Stage
from tests.web.test_access import focused, tab_to, task_times

PEOPLE = [
    {"age": 45, "sex": "M", "role": "self", "job": "택시기사", "told": ["고혈압 약 복용"], "worries": ["cancer"]},
    {"age": 43, "sex": "F", "role": "partner", "has": [{"need": "cancer", "amount": 10_000_000}]},
    {"age": 16, "sex": "F", "role": "child"},
]
HOUSEHOLD = {"people": PEOPLE, "budget": {"amount": 200_000}}


async def made(site: Site, **more: Any) -> dict[str, Any]:
    """A proposal of the real service."""
    async with httpx2.AsyncClient(base_url=site.url, timeout=60) as client:
        answer = await client.post("/api/proposals", json={"household": HOUSEHOLD, **more})
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found


async def edited(site: Site, proposal_id: str, *edits: dict[str, Any]) -> dict[str, Any]:
    async with httpx2.AsyncClient(base_url=site.url, timeout=60) as client:
        answer = await client.patch(f"/api/proposals/{proposal_id}", json={"edits": list(edits)})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


async def shown(seen: Watched, version: int | None = None) -> None:
    """The panel shows a whole proposal, of that version."""
    await seen.page.wait_for_selector(".proposal .variant-head")
    if version is not None:
        await seen.page.wait_for_selector(f".proposal-head >> text={version}번째 판")


async def begin(seen: Watched) -> None:
    await seen.page.click(".bar .plan")
    await seen.page.wait_for_selector(".proposal form.begin")


@pytest.mark.requirement("web:proposal:panel")
async def test_a_proposal_is_asked_for_on_the_page_and_a_reload_shows_it_again(site: Site, stage: Stage) -> None:
    async with site.page() as seen:
        seen.expected_errors = True  # the refused request
        await begin(seen)
        form = seen.page.locator("form.begin")
        await form.get_by_label("직업").fill("택시기사")
        await form.get_by_label("한 달 예산").fill("0")
        await form.get_by_text("설계안 만들기").click()
        await form.get_by_text("만 나이를 숫자로 적어 주세요.").wait_for()
        assert await form.get_by_text("성별을 골라 주세요.").count() == 1
        await form.get_by_label("나이").fill("45")
        await form.locator("input[value=M]").check(force=True)
        await form.get_by_text("설계안 만들기").click()
        await form.get_by_text("예산이 0원이면").wait_for()  # the server's sentence, beside the field
        assert await form.get_by_label("한 달 예산").get_attribute("aria-invalid") == "true"
        assert await form.get_by_label("직업").input_value() == "택시기사"
        await seen.page.click(".proposal-head [aria-label='설계안 닫기']")
        await begin(seen)  # closed and opened again, what was entered stands there
        assert await form.get_by_label("직업").input_value() == "택시기사"
        await form.get_by_label("한 달 예산").fill("15")
        await form.get_by_text("설계안 만들기").click()
        await shown(seen, 1)
        assert await seen.page.locator(".variants thead th").count() == 3
        assert "택시기사" in await seen.page.inner_text(".people")
        assert "proposal=PR" in seen.page.url and "thread=" in seen.page.url
        total = await seen.page.inner_text(".variant-total")
        await seen.page.reload()
        await shown(seen, 1)
        assert await seen.page.inner_text(".variant-total") == total


@pytest.mark.requirement("web:proposal:one-state")
async def test_people_sums_and_wishes_are_changed_and_refusals_keep_what_was_entered(site: Site, stage: Stage) -> None:
    told = await made(site)
    async with site.page(path=f"/?proposal={told['id']}") as seen:
        seen.expected_errors = True
        await shown(seen, 1)
        page = seen.page
        await page.click("[aria-label='배우자 고치기']")
        form = page.locator("form.person-form")
        await form.get_by_label("나이").fill("130")
        await form.get_by_text("저장").click()
        await form.get_by_text("120 이하여야 합니다.").wait_for()
        assert await form.get_by_label("나이").input_value() == "130"
        await page.wait_for_function("() => document.activeElement.name === 'age'")
        await form.get_by_label("나이").fill("50")
        await form.get_by_text("저장").click()
        await shown(seen, 2)
        await page.wait_for_function(
            "() => document.activeElement.getAttribute('aria-label') === '배우자 고치기'"
        )  # the focus goes back
        assert "만 50세" in await page.inner_text(".people")
        await page.click("[aria-label='자녀 빼기']")
        await shown(seen, 3)
        assert await page.locator(".people li").count() == 2
        await page.wait_for_function("() => document.activeElement.matches('.proposal-head h2')")
        await page.click(".variant-person:first-of-type .line >> nth=0 >> text=원하는 금액 고치기")
        await page.get_by_label("암 필요한 금액").fill("3000")
        await page.locator(".small-form").get_by_text("저장").click()
        await shown(seen, 4)
        assert "암 3,000만원" in await page.inner_text("section[aria-labelledby=proposal-wishes]")
        await page.click("section[aria-labelledby=proposal-wishes] [aria-label='예산과 바라는 점 고치기']")
        await page.check("form.person-form input[name=without][value=dental]", force=True)
        await page.fill("form.person-form input[name=amount]", "30")
        await page.locator("form.person-form").get_by_text("저장").click()
        await shown(seen, 5)
        wishes = await page.inner_text("section[aria-labelledby=proposal-wishes]")
        assert "월 30만원" in wishes and "치아 빼고" in wishes
        await page.click("[aria-label='치아 빼고, 되돌리기']")
        await shown(seen, 6)
        assert "치아 빼고" not in await page.inner_text("section[aria-labelledby=proposal-wishes]")
        await page.click("[aria-label='든든안: 이 안으로'] >> nth=0")
        await shown(seen, 7)
        assert "든든안" in await page.inner_text(".variants th.chosen")


@pytest.mark.requirement("web:proposal:one-state")
async def test_what_was_changed_elsewhere_is_shown_and_the_open_form_stays(site: Site, stage: Stage) -> None:
    told = await made(site)
    async with site.page(path=f"/?proposal={told['id']}") as seen:
        seen.expected_errors = True
        await shown(seen, 1)
        await seen.page.click("[aria-label='배우자 고치기']")
        await seen.page.fill("form.person-form input[name=job]", "간호사")
        await edited(site, told["id"], {"kind": "without", "what": "dental"})
        await seen.page.click("form.person-form button[type=submit]")
        await seen.page.wait_for_selector("form.person-form .fault >> text=2번째 판으로 바뀌었습니다")
        await shown(seen, 2)
        assert await seen.page.input_value("form.person-form input[name=job]") == "간호사"
        await seen.page.click("form.person-form button[type=submit]")
        await shown(seen, 3)
        assert "간호사" in await seen.page.inner_text(".people")


@pytest.mark.requirement("web:proposal:one-state")
async def test_a_turn_with_a_proposal_opens_it_and_a_later_one_renews_it(site: Site, stage: Stage) -> None:
    told = await made(site)

    def turn(version: int) -> list[Any]:
        return scripts.answered(blocks=scripts.blocks(("proposal", {"id": told["id"], "version": version})))

    stage.scripts["설계해 줘"] = turn(1)
    async with site.page() as seen:
        await seen.ask("설계해 줘")
        await shown(seen, 1)
        assert await focused(seen) == "question"  # whoever types goes on
        newer = await edited(site, told["id"], {"kind": "without", "what": "cancer"})
        stage.scripts["암은 빼고"] = turn(newer["version"])
        await seen.ask("암은 빼고")
        await shown(seen, 2)
        assert "암 빼고" in await seen.page.inner_text("section[aria-labelledby=proposal-wishes]")
        await seen.page.click(".bar [aria-label='새 대화']")
        assert await seen.page.locator("aside.proposal").count() == 0 and "proposal=" not in seen.page.url
    async with site.page(size=(390, 844)) as seen:  # on a phone the answer stays in front
        await seen.ask("설계해 줘")
        await seen.answered()
        assert await seen.page.locator("aside.proposal").count() == 0
        await seen.page.click(".proposal-card button")
        await shown(seen, 2)
        await seen.ask("암은 빼고")
        await seen.answered(2)
        assert await seen.page.locator(".frame.under").count() == 1
        await seen.page.click(".switch-half >> text=설계안")
        assert await seen.page.locator(".variant-head").is_visible()


@pytest.mark.requirement("web:proposal:one-state")
async def test_the_talk_goes_on_from_what_the_panel_changed(site: Site, stage: Stage) -> None:
    async with site.page() as seen:
        await seen.ask("45세 남성인데 월 10만원 정도로 들 만한 보험 추천해 주세요")
        await shown(seen, 1)
        await seen.ask("치아 빼고")
        await shown(seen, 2)
        assert "치아 빼고" in await seen.page.inner_text("section[aria-labelledby=proposal-wishes]")
        await seen.page.click("[aria-label='든든안: 이 안으로'] >> nth=0")
        await shown(seen, 3)
        total = (await seen.page.inner_text(".variants th.chosen strong")).removeprefix("월 ")
        await seen.ask("총합 얼마예요")
        await seen.answered(3)
        assert total in await seen.page.locator(".answer .prose").last.inner_text()


@pytest.mark.requirement("web:proposal:figures")
async def test_a_figure_tells_its_call_its_sum_and_its_clause(site: Site, stage: Stage) -> None:
    told = await made(site)
    chosen = next(variant for variant in told["variants"] if variant["chosen"])
    line = chosen["people"][0]["lines"][0]
    async with site.page(path=f"/?proposal={told['id']}") as seen:
        await shown(seen)
        page = seen.page
        await page.click(".variant-total .figure")
        parts = await page.inner_text("dialog[open] table.sum")
        assert all(f"{part['premium']:,}원" in parts for part in chosen["people"] if part["premium"] % 10_000)
        await page.keyboard.press("Escape")
        assert await page.locator("aside.proposal").count() == 1  # the dialog alone is closed
        await page.click(".line-premium .figure >> nth=0")
        ground = await page.inner_text("dialog[open]")
        assert "premium_estimate" in ground and line["product"]["name"] in ground and "만 45세" in ground
        await page.keyboard.press("Escape")
        await page.click(f"[aria-label='{line['product']['name']} 면책, 근거 보기']")
        await page.click("dialog[open] >> text=약관에서 찾아보기")
        await page.wait_for_function("() => document.querySelector('dialog[open] img')?.naturalWidth > 300")
        assert await page.locator("dialog[open] blockquote").count() == 1
        await page.keyboard.press("Escape")
        await page.wait_for_function("() => document.activeElement.matches('.why')")


@pytest.mark.requirement("web:proposal:figures")
async def test_both_charts_stand_as_tables_too(site: Site, stage: Stage) -> None:
    told = await made(site)
    chosen = next(variant for variant in told["variants"] if variant["chosen"])
    async with site.page(path=f"/?proposal={told['id']}") as seen:
        await shown(seen)
        await seen.page.wait_for_selector(".chart:not(.cover) svg .mark.own")
        rows = await seen.page.locator(".chart:not(.cover) table.visually-hidden tbody tr").count()
        years = {step["year"] for variant in told["variants"] for step in variant["premiums_by_year"]}
        assert rows == len(years)
        label = await seen.page.get_attribute(".chart.cover [role=img]", "aria-label")
        needs = [row for row in chosen["cover"] if row["wanted"]]
        assert label and f"{len(needs)}개" in label
        assert await seen.page.locator(".chart.cover table.visually-hidden tbody tr").count() == len(needs)
        await seen.page.click(".chart.cover .chart-more")
        assert await seen.page.locator(".chart.cover table.data tbody tr").count() == len(needs)
        await seen.page.focus(".chart:not(.cover) .plot")
        await seen.page.keyboard.press("Home")
        assert f"{chosen['premium']:,}원" in await seen.page.inner_text(".chart:not(.cover) .reading")


@pytest.mark.requirement("web:proposal:everybody")
async def test_the_panel_works_by_keyboard_alone(site: Site, stage: Stage) -> None:
    told = await made(site)
    async with site.page() as seen:
        await seen.page.keyboard.press("Alt+4")
        await seen.page.wait_for_selector("form.begin")
        assert await focused(seen) == "설계안"
        await seen.page.keyboard.press("Escape")
        assert await seen.page.locator("aside.proposal").count() == 0
        await seen.page.wait_for_function("() => document.activeElement.id === 'question'")
    async with site.page(path=f"/?proposal={told['id']}") as seen:
        await shown(seen)
        await seen.page.focus(".proposal-head h2")
        await tab_to(seen, "본인 고치기")
        await seen.page.keyboard.press("Enter")
        await seen.page.wait_for_function("() => document.activeElement.name === 'role'")
        await seen.page.keyboard.press("Escape")  # the form first, then the panel
        await seen.page.wait_for_function("() => document.activeElement.dataset.edit === 'p1'")
        await seen.page.keyboard.press("Escape")
        assert await seen.page.locator("aside.proposal").count() == 0
    async with site.page(size=(360, 740), path=f"/?proposal={told['id']}") as seen:
        await shown(seen)
        await seen.page.focus(".variant-tabs [role=tab][aria-selected=true]")
        before = await seen.page.inner_text(".variant-total")
        await seen.page.keyboard.press("ArrowRight")
        assert await seen.page.get_attribute("[data-tab=wide]", "aria-selected") == "true"
        assert await focused(seen) != "" and await seen.page.inner_text(".variant-total") != before
        await seen.page.keyboard.press("Home")
        assert await seen.page.get_attribute("[data-tab=lean]", "aria-selected") == "true"


@pytest.mark.requirement("web:proposal:kept")
async def test_it_is_printed_kept_with_a_customer_compared_found_and_deleted(site: Site, stage: Stage) -> None:
    told = await made(site)
    await edited(site, told["id"], {"kind": "without", "what": "cancer"})

    async def choose(seen: Watched, item: str) -> None:
        await seen.page.click(".proposal-head [aria-haspopup=menu]")
        await seen.page.click(f"[role=menuitem] >> text={item}")
        await seen.page.wait_for_selector("dialog[open]")

    async with site.page(path=f"/?proposal={told['id']}") as seen:
        seen.expected_errors = True
        await shown(seen, 2)
        async with seen.page.expect_download() as waiting:
            await seen.page.click(".proposal-head >> text=PDF")
        assert (await (await waiting.value).path()).read_bytes().startswith(b"%PDF")
        await choose(seen, "고객에게 보관")
        await seen.page.fill("dialog[open] input[name=customer_id]", "C9")
        await seen.page.click("dialog[open] .primary")
        await seen.page.wait_for_selector("dialog[open] [aria-invalid=true]")
        await seen.page.fill("dialog[open] input[name=customer_id]", "C0001")
        await seen.page.fill("dialog[open] input[name=handed_to]", "김설계")
        await seen.page.click("dialog[open] .primary")
        await seen.page.wait_for_selector(".badge.kept >> text=C0001")
        await choose(seen, "판 비교하기")
        await seen.page.wait_for_selector("dialog[open] .differences del")
        assert await seen.page.locator("dialog[open] table.data tbody tr").count() == 3
        assert await seen.axe() == []
        await seen.page.keyboard.press("Escape")
        await choose(seen, "설계안 찾기")
        await seen.page.fill("dialog[open] input[name=customer_id]", "C0001")
        await seen.page.click("dialog[open] .primary")
        await seen.page.wait_for_selector("dialog[open] .shelf li >> text=C0001")
        await seen.page.click("dialog[open] .shelf button >> nth=0")
        await seen.page.wait_for_function("() => !document.querySelector('dialog[open]')")
        await choose(seen, "설계안 지우기")
        await seen.page.click("dialog[open] .danger")
        await seen.page.wait_for_function("() => !document.querySelector('aside.proposal')")
        await seen.page.goto(f"{site.url}/?proposal={told['id']}")
        await seen.page.wait_for_selector(".proposal .notice >> text=찾을 수 없습니다")


@pytest.mark.requirement("web:proposal:one-state")
async def test_an_expired_proposal_says_so_and_is_computed_again(site: Site, stage: Stage) -> None:
    told = await made(site)
    database = site.stage.state["services"].storage.database
    past = date.today() - timedelta(days=1)  # noqa: DTZ011  the day of the service
    await database.change(
        update(proposal_versions).where(proposal_versions.c.proposal_id == told["id"]).values(valid_until=past)
    )
    async with site.page(path=f"/?proposal={told['id']}") as seen:
        await seen.page.wait_for_selector(".proposal .notice >> text=유효했던 제안서입니다")
        await seen.page.click(".proposal .notice button")
        await shown(seen, 2)
        await seen.page.wait_for_function("() => !document.querySelector('.proposal .notice.warning')")


Drive = Callable[[Watched], Awaitable[None]]


async def asking(seen: Watched) -> None:
    if await seen.page.locator("aside.proposal").count() == 0:
        await seen.page.keyboard.press("Alt+4")
    await seen.page.wait_for_selector("form.begin")
    await seen.page.click("form.begin .add")
    await seen.page.click("form.begin button[type=submit]")
    await seen.page.wait_for_selector("form.begin .fault")


async def whole(seen: Watched) -> None:
    await shown(seen)
    await seen.page.wait_for_selector(".chart:not(.cover) svg")


async def editing(seen: Watched) -> None:
    await shown(seen)
    await seen.page.click("[data-edit=p2]")
    await seen.page.click("section[aria-labelledby=proposal-wishes] .person-row .button")
    await seen.page.click(".line .actions .button >> nth=0")
    await seen.page.wait_for_selector(".small-form")


async def ground(seen: Watched) -> None:
    await shown(seen)
    await seen.page.click(".line-premium .figure >> nth=0")
    await seen.page.wait_for_selector("dialog[open] .call")


@pytest.mark.requirement("web:proposal:everybody")
@pytest.mark.parametrize("drive", [asking, whole, editing, ground], ids=lambda drive: drive.__name__)
async def test_axe_finds_nothing_and_nothing_scrolls_sideways(site: Site, stage: Stage, drive: Drive) -> None:
    told = await made(site)
    path = "/" if drive is asking else f"/?proposal={told['id']}"
    found = []
    for lang in ("ko", "en"):
        async with site.page(lang=lang, path=path, reduced_motion="reduce") as seen:
            await drive(seen)
            assert await seen.page.evaluate("() => document.getAnimations().length") == 0
            for width, height in ((1280, 860), (360, 740), (320, 640)):
                await seen.page.set_viewport_size({"width": width, "height": height})
                for theme in ("light", "dark"):
                    await seen.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
                    await seen.page.wait_for_timeout(50)
                    lines = await seen.axe(*(("color-contrast",) if theme == "dark" else ()))
                    found += [f"{lang} {width} {theme} {line}" for line in lines]
                beyond = await seen.page.evaluate(
                    "() => [...document.querySelectorAll('aside.proposal *, dialog[open] *')]"
                    ".filter((item) => item.getBoundingClientRect().right > innerWidth + 1)"
                    ".filter((item) => !item.closest('.table-scroll, svg, .visually-hidden, .page-image'))"
                    ".map((item) => item.className + ' ' + item.innerText?.slice(0, 30))"
                )
                found += [f"{lang} {width} beyond the edge: {line}" for line in beyond]
                if await seen.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                    found.append(f"{lang} {width} scrolls sideways")
    assert found == [], "\n".join(found)


@pytest.mark.requirement("web:proposal:everybody")
async def test_the_english_panel_has_english_words(site: Site, stage: Stage) -> None:
    told = await made(site)
    async with site.page(lang="en", path=f"/?proposal={told['id']}") as seen:
        await shown(seen)
        own = await seen.page.evaluate(
            "() => { document.querySelectorAll('aside.proposal [lang=ko]').forEach((item) => item.remove());"
            " return document.querySelector('aside.proposal').innerText.split('\\n')"
            ".filter((line) => /[가-힣]/.test(line)); }"
        )
        assert own == []


@pytest.mark.requirement("web:proposal:quick")
async def test_no_task_takes_long_while_a_proposal_is_edited(site: Site, stage: Stage) -> None:
    told = await made(site)
    async with site.page(path=f"/?proposal={told['id']}") as seen:
        await shown(seen, 1)
        await seen.page.wait_for_timeout(500)
        async with task_times(seen) as tasks:
            await seen.page.click("[aria-label='배우자 고치기']")
            await seen.page.fill("form.person-form input[name=age]", "44")
            await seen.page.click("form.person-form button[type=submit]")
            await shown(seen, 2)
            await seen.page.click("[data-tab=wide]")
            await seen.page.click("[aria-label='든든안: 이 안으로'] >> nth=0")
            await shown(seen, 3)
            await seen.page.click("[aria-label='자녀 빼기']")
            await shown(seen, 4)
            await seen.page.wait_for_timeout(300)
        assert len(tasks) > 20 and max(tasks) <= 50, sorted(tasks)[-5:]
