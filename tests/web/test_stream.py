"""Streams that break, stop, come twice: the transcript is the same in the end."""

from __future__ import annotations

import asyncio
import re

import pytest

from tests.web import scripts
from tests.web.serving import Site, Watched
from tests.web.stage import Cut, Refusal, Stage, Step

WHOLE = scripts.answered(
    said=(*scripts.SENTENCES, "\n\n※ 약관을 확인해 주세요."),
    answer=scripts.ANSWER + "\n\n※ 약관을 확인해 주세요.",
    blocks=scripts.blocks(("product_card", scripts.CARD), ("table", scripts.TABLE)),
    sources=scripts.SOURCES,
    facts=scripts.FACTS,
)


async def transcript(seen: Watched) -> str:
    """The conversation as it is read, without what tells the time."""
    await seen.page.wait_for_function("() => !document.querySelector('.chart.loading')")
    await seen.page.evaluate("() => document.querySelectorAll('.figures').forEach((item) => item.remove())")
    return re.sub(r"\d+ms|\d+\.\d초", "…", await seen.page.inner_text(".column"))


async def told(site: Site, stage: Stage, steps: list[Step]) -> str:
    stage.reset()
    stage.scripts["보험료"] = steps
    async with site.page() as seen:
        seen.expected_errors = True
        await seen.ask("보험료")
        await seen.answered()
        assert await seen.page.locator(".strip").count() == 0
        return await transcript(seen)


@pytest.mark.requirement("web:chat:broken-streams")
async def test_a_stream_cut_at_every_event_ends_as_the_uncut_one(site: Site, stage: Stage) -> None:
    uncut = await told(site, stage, list(WHOLE))
    stage.reset()
    assert "20,625원" in uncut and uncut.count("면책 기간은") == 1
    halves = [range(start, len(WHOLE), 2) for start in (0, 1)]
    for place in range(len(WHOLE)):
        stage.scripts[f"질문 {place}"] = scripts.cut_at(list(WHOLE), place)
    for found in await asyncio.gather(*(_told(site, half) for half in halves)):
        for place, text in found.items():
            assert text == uncut, f"cut before event {place + 1}"


async def _told(site: Site, places: range) -> dict[int, str]:
    """What stands on a page after each of these questions, asked in a new conversation."""
    texts = {}
    async with site.page() as seen:
        seen.expected_errors = True
        for place in places:
            await seen.ask(f"질문 {place}")
            await seen.answered()
            texts[place] = (await transcript(seen)).replace(f"질문 {place}", "보험료")
            await seen.page.keyboard.press("Control+Shift+O")
            await seen.page.wait_for_selector(".welcome")
    return texts


@pytest.mark.requirement("web:chat:broken-streams")
async def test_a_real_run_cut_on_the_way_ends_as_the_server_kept_it(site: Site, stage: Stage) -> None:
    question = "45세 남성인데 암보험 보험료가 얼마쯤 하나요?"
    texts = []
    for cut in (None, 3, 12, 25):
        stage.cut_real_after = cut
        async with site.page() as seen:
            seen.expected_errors = True
            await seen.ask(question)
            await seen.answered()
            texts.append(await transcript(seen))
            if cut == 25:  # live and reloaded turns are drawn alike
                await seen.page.reload()
                await seen.answered()
                assert (await transcript(seen)) == texts[-1]
    assert "20,625원" in texts[0] and len(set(texts)) == 1


@pytest.mark.requirement("web:chat:stop-and-retry")
async def test_stop_at_every_place_keeps_what_was_said_and_what_ran(site: Site, stage: Stage) -> None:
    async with site.page() as seen:
        for place in range(1, len(WHOLE) - 1):
            steps, _ = scripts.held(*WHOLE[:place])
            stage.scripts[f"보험료 {place}"] = steps
            await seen.ask(f"보험료 {place}")
            await seen.page.wait_for_selector(".round.stop")
            await seen.page.wait_for_timeout(40)
            await seen.page.keyboard.press("Escape")
            await seen.page.wait_for_selector(f".turn:nth-of-type({place}) .stopped")
            assert len(stage.cancels) == place
            turn = seen.page.locator(".turn").nth(place - 1)
            shown = await turn.inner_text()
            for kind, data in WHOLE[:place]:  # type: ignore[misc]
                if kind == "token":
                    assert data["text"].strip().replace("• ", "").replace("**", "").replace("※ ", "")[:12] in shown
            assert await turn.locator("details.steps").count() == (1 if place >= 7 else 0)


@pytest.mark.requirement("web:chat:stop-and-retry")
async def test_after_a_stop_the_answer_goes_on_from_where_it_was(site: Site, stage: Stage) -> None:
    steps, hold = scripts.held(*scripts.OPENING, *scripts.tokens(*scripts.SENTENCES[:2]))
    stage.scripts["보험료"] = steps
    async with site.page() as seen:
        await seen.ask("보험료")
        await seen.page.wait_for_selector(".prose li")
        await seen.page.click(".round.stop")
        await seen.page.wait_for_selector(".stopped")
        stage.scripts["보험료"] = scripts.answered()
        hold.release()
        await seen.page.click(".stopped .button >> nth=0")
        await seen.page.wait_for_selector(".answer-actions")
        assert (await seen.page.inner_text(".prose")).count("면책 기간은") == 1
        assert len({asked["message_id"] for asked in stage.asked}) == 1  # the same message: never two turns


@pytest.mark.requirement("web:chat:stop-and-retry")
async def test_a_retry_uses_the_same_message_id_and_partial_text_stays(site: Site, stage: Stage) -> None:
    stage.scripts["보험료"] = scripts.failed("timeout")
    async with site.page() as seen:
        await seen.ask("보험료")
        await seen.page.wait_for_selector(".fault-card")
        assert "월 보험료는" in await seen.page.inner_text(".prose") and "너무 오래" in await seen.page.inner_text(
            ".fault-card"
        )
        stage.scripts["보험료"] = scripts.answered()
        stage.runs.clear()
        stage._by_message.clear()
        await seen.page.click(".fault-card .button >> nth=0")
        await seen.page.wait_for_selector(".answer-actions")
        assert len({asked["message_id"] for asked in stage.asked}) == 1
        assert await seen.page.locator(".mine").count() == 1 and await seen.page.locator(".fault-card").count() == 0


async def test_refusals_say_what_to_do_next(site: Site, stage: Stage) -> None:
    async with site.page() as seen:
        seen.expected_errors = True
        stage.scripts["하나"] = Refusal(401, {"type": "not_authenticated", "detail": "로그인이 필요합니다."})
        await seen.ask("하나")
        await seen.page.wait_for_selector(".fault-card .primary")
        await seen.page.click(".fault-card .primary")
        await seen.page.wait_for_selector("dialog[open] input[name=key]")
        await seen.page.keyboard.press("Escape")
        stage.scripts["둘"] = Refusal(
            422, {"type": "invalid", "errors": [{"field": "query", "message": "질문이 너무 깁니다."}]}
        )
        await seen.ask("둘")
        await seen.answered(2)
        await seen.page.click(".fault-card >> nth=1 >> .button >> nth=0")
        assert await seen.page.input_value("#question") == "둘"
        await seen.page.fill("#question", "")
        stage.scripts["셋"] = Refusal(429, {"type": "busy", "detail": "잠시 뒤"}, {"retry-after": "2"})
        await seen.ask("셋")
        await seen.answered(3)
        again = seen.page.locator(".fault-card >> nth=2 >> .button >> nth=0")
        assert await again.is_disabled()
        await seen.page.wait_for_function(
            "() => !document.querySelectorAll('.fault-card')[2].querySelector('.button').disabled"
        )
        stage.scripts["넷"] = Refusal(500, {"type": "internal", "detail": "서버 오류"})
        await seen.ask("넷")
        await seen.answered(4)
        assert "서버에 문제" in await seen.page.inner_text(".fault-card >> nth=3")


@pytest.mark.requirement("web:chat:broken-streams")
async def test_a_page_that_is_reloaded_while_it_waits_gets_the_same_run(site: Site, stage: Stage) -> None:
    steps, hold = scripts.held(*scripts.OPENING, *scripts.tokens("첫 문장입니다."))
    stage.scripts["보험료"] = steps
    async with site.page() as seen:
        seen.expected_errors = True
        await seen.ask("보험료")
        await seen.page.wait_for_selector(".prose")
        await seen.page.reload()
        await seen.page.wait_for_selector(".prose")
        hold.release()
        await seen.answered()
        assert len(stage.runs) >= 1 and len({asked["message_id"] for asked in stage.asked}) == 1
        assert await seen.page.locator(".mine").count() == 1


async def test_withdrawn_drafts_are_cleared_and_unknown_events_ignored(site: Site, stage: Stage) -> None:
    stage.scripts["보험료"] = [
        *scripts.tokens("사라질 글"),
        ("surprise", {"x": 1}),
        ("guard", {"stage": "output", "action": "retry", "reason": "figures"}),
        *scripts.tokens(*scripts.SENTENCES),
        ("done", scripts.reply(scripts.ANSWER)),
    ]
    async with site.page() as seen:
        await seen.ask("보험료")
        await seen.answered()
        assert "사라질" not in await seen.page.inner_text(".column")


async def test_only_the_last_event_is_enough(site: Site, stage: Stage) -> None:
    whole = await told(site, stage, list(WHOLE))
    only = await told(site, stage, [WHOLE[-1], Cut()])
    assert only.replace("\n\n", "\n") == whole.replace("\n\n", "\n")


async def test_two_tabs_back_and_forward_and_a_new_chat(site: Site, stage: Stage) -> None:
    async with site.page() as seen:
        await seen.ask("암보험 종류 알려 주세요")
        await seen.answered()
        address = seen.page.url
        assert "?thread=" in address
        other = await seen.context.new_page()
        await other.goto(address)
        await other.wait_for_selector(".answer[aria-busy=false]")
        await seen.ask("뉴스타트암보험 보장 내용을 알려 주세요")
        await seen.answered(2)
        await other.wait_for_function("() => document.querySelectorAll('.mine').length === 2")
        await seen.page.keyboard.press("Control+Shift+O")
        await seen.page.wait_for_selector(".welcome")
        await seen.page.go_back()
        await seen.answered(2)
        await seen.page.go_forward()
        await seen.page.wait_for_selector(".welcome")
        await other.close()


@pytest.mark.requirement("web:chat:approvals-in-tabs")
async def test_a_real_approval_survives_a_reload_is_decided_once_and_shown_in_the_other_tab(
    site: Site, stage: Stage
) -> None:
    async with site.page() as seen:
        asked = (
            "김민수 고객님 치아보험 계약 살아 있나요?",
            "그 계약 해지하면 어떻게 되는지 알려 주세요",
            "그럼 해지로 접수해 주세요",
        )
        for number, text in enumerate(asked, 1):
            await seen.ask(text)
            await seen.answered(number)
        await seen.page.wait_for_selector(".approval.open")
        await seen.page.reload()
        await seen.page.wait_for_selector(".approval.open .primary")
        other = await seen.context.new_page()
        await other.goto(seen.page.url)
        await other.wait_for_selector(".approval.open")
        await seen.page.click(".approval .button >> text=거절")
        await seen.page.wait_for_selector(".decided >> text=거절했습니다")
        await other.wait_for_selector(".decided >> text=거절했습니다")
        await seen.page.reload()
        await seen.page.wait_for_selector(".decided >> text=거절했습니다")
        assert await seen.page.locator(".approval .button").count() == 0
        await other.close()
