"""The composer: Korean composition over CDP, line breaks, drafts, what is pasted, the queue."""

from __future__ import annotations

import asyncio

import pytest

from tests.web import scripts
from tests.web.serving import Site, Watched
from tests.web.stage import Stage

ENTER = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}


async def composing(seen: Watched, text: str) -> None:
    cdp = await seen.context.new_cdp_session(seen.page)
    await seen.page.focus("#question")
    await cdp.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})


async def press(seen: Watched, **more: object) -> None:
    cdp = await seen.context.new_cdp_session(seen.page)
    await cdp.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **ENTER, **more})
    if "windowsVirtualKeyCode" not in more:
        await cdp.send("Input.dispatchKeyEvent", {"type": "char", **ENTER, "text": "\r"})
    await cdp.send("Input.dispatchKeyEvent", {"type": "keyUp", **ENTER})


@pytest.mark.requirement("web:chat:korean-input")
async def test_an_enter_that_ends_a_composition_sends_nothing_and_the_next_one_sends_once(
    site: Site, stage: Stage
) -> None:
    stage.scripts["암보험 보험료"] = scripts.answered()
    async with site.page() as seen:
        await composing(seen, "암보험 보험료")
        await press(seen, windowsVirtualKeyCode=229, key="Process")
        await asyncio.sleep(0.1)
        assert stage.asked == []
        await press(seen)
        await asyncio.sleep(0.1)
        assert stage.asked == [] and "\n" not in await seen.page.input_value("#question")
        cdp = await seen.context.new_cdp_session(seen.page)
        await cdp.send("Input.insertText", {"text": "암보험 보험료"})  # commits the composition
        assert await seen.page.input_value("#question") == "암보험 보험료"
        await press(seen)
        await seen.answered()
        assert [asked["query"] for asked in stage.asked] == ["암보험 보험료"]
        assert await seen.page.input_value("#question") == ""


@pytest.mark.requirement("web:chat:korean-input")
async def test_streaming_never_touches_what_is_composed(site: Site, stage: Stage) -> None:
    steps, hold = scripts.held(*scripts.OPENING, *scripts.tokens("첫 문장."))
    stage.scripts["질문"] = steps
    async with site.page() as seen:
        await seen.ask("질문")
        await seen.page.wait_for_selector(".prose")
        await composing(seen, "다음 질무")
        hold.release()
        await seen.answered()
        assert await seen.page.input_value("#question") == "다음 질무"
        assert await seen.page.evaluate("document.activeElement.id") == "question"


@pytest.mark.requirement("web:chat:korean-input")
async def test_shift_enter_breaks_the_line_and_the_setting_switches_to_ctrl_enter(site: Site, stage: Stage) -> None:
    stage.scripts["첫 줄\n둘째 줄"] = scripts.answered()
    stage.scripts["셋째\n줄"] = scripts.answered()
    async with site.page() as seen:
        await seen.page.type("#question", "첫 줄")
        await seen.page.keyboard.press("Shift+Enter")
        await seen.page.type("#question", "둘째 줄")
        await seen.page.keyboard.press("Enter")
        await seen.answered()
        await seen.page.click("#main .brand, .bar .brand")
        await seen.page.keyboard.press("?")
        await seen.page.uncheck("dialog[open] input[type=checkbox] >> nth=0")
        await seen.page.keyboard.press("Escape")
        await seen.page.type("#question", "셋째")
        await seen.page.keyboard.press("Enter")
        await seen.page.type("#question", "줄")
        assert len(stage.asked) == 1
        await seen.page.keyboard.press("Control+Enter")
        await seen.answered(2)
    assert [asked["query"] for asked in stage.asked] == ["첫 줄\n둘째 줄", "셋째\n줄"]


async def test_on_a_touch_keyboard_enter_breaks_the_line(site: Site, stage: Stage) -> None:
    async with site.page(size=(390, 844), has_touch=True, is_mobile=True) as seen:
        await seen.page.tap("#question")
        await seen.page.keyboard.type("첫 줄")
        await seen.page.keyboard.press("Enter")
        await seen.page.keyboard.type("둘째")
        assert await seen.page.input_value("#question") == "첫 줄\n둘째" and stage.asked == []


async def test_a_held_enter_sends_once_and_an_empty_question_never(site: Site, stage: Stage) -> None:
    steps, hold = scripts.held()
    stage.scripts["한 번만"] = steps
    async with site.page() as seen:
        await seen.page.focus("#question")
        await press(seen)
        await seen.page.fill("#question", "한 번만")
        await press(seen)
        await press(seen, autoRepeat=True)
        await asyncio.sleep(0.1)
        assert len(stage.asked) == 1 and await seen.page.locator(".mine.waiting").count() == 0
        hold.release()
        await seen.answered()


@pytest.mark.requirement("web:chat:personal-numbers")
async def test_personal_numbers_raise_a_notice_and_leave_masked(site: Site, stage: Stage) -> None:
    masked = "주민번호 900101-1****** 카드 4111-****-****-1111 계좌 ***-***-***901 보험료"
    stage.scripts[masked] = scripts.answered()
    async with site.page() as seen:
        await seen.page.fill("#question", "주민번호 900101-1234567 카드 4111 1111 1111 1111 계좌 110-234-567901 보험료")
        notice = await seen.page.inner_text(".personal")
        assert all(word in notice for word in ("주민등록번호", "카드번호", "계좌번호"))
        await seen.page.press("#question", "Enter")
        await seen.answered()
    assert stage.asked[0]["query"] == masked


@pytest.mark.requirement("web:chat:personal-numbers")
async def test_ordinary_numbers_are_no_personal_data(site: Site) -> None:
    async with site.page() as seen:
        for text in (
            "보험료 20,625원 3000만원",
            "2026년 3월 1일부터 10년",
            "증권번호 123456",
            "전화 주세요 4111 1111 1111 1112",
        ):
            await seen.page.fill("#question", text)
            assert await seen.page.locator(".personal").count() == 0, text


async def test_the_counter_shows_from_4500_characters(site: Site) -> None:
    async with site.page() as seen:
        await seen.page.fill("#question", "가" * 4499)
        assert await seen.page.locator(".composer-hint [role=status]").count() == 0
        await seen.page.type("#question", "나")
        assert "4,500 / 5,000" in await seen.page.inner_text(".composer-hint")


async def test_a_second_question_waits_can_be_taken_back_and_a_draft_survives_a_reload(
    site: Site, stage: Stage
) -> None:
    steps, hold = scripts.held()
    stage.scripts |= {"첫째": steps, "셋째": scripts.answered()}
    async with site.page() as seen:
        for text in ("첫째", "둘째", "셋째"):
            await seen.ask(text)
        assert await seen.page.locator(".mine.waiting").count() == 2
        await seen.page.click(".mine.waiting .link >> nth=0")
        hold.release()
        await seen.answered(2)
        assert [asked["query"] for asked in stage.asked] == ["첫째", "셋째"]
        seen.expected_errors = True  # a scripted conversation is not kept: the reload finds none
        await seen.page.type("#question", "쓰다 만 글")
        await seen.page.reload()
        await seen.page.wait_for_selector("#question")
        assert await seen.page.input_value("#question") == "쓰다 만 글"


async def test_number_keys_choose_a_quick_reply_and_its_label_is_what_is_sent(site: Site, stage: Stage) -> None:
    stage.scripts |= {"보험료": scripts.asking([scripts.FIELDS[1]]), "남성": scripts.answered()}
    async with site.page() as seen:
        await seen.ask("보험료")
        await seen.page.wait_for_selector(".quick button")
        await seen.page.keyboard.press("2")  # the composer has the focus: it is a digit there
        assert await seen.page.input_value("#question") == "2" and len(stage.asked) == 1
        await seen.page.focus(".quick button >> nth=0")
        await seen.page.keyboard.press("2")
        await seen.answered(2)
        assert stage.asked[1]["query"] == "남성"
        assert await seen.page.locator(".quick").count() == 0  # answered controls become text


async def test_an_inline_form_sends_what_it_shows(site: Site, stage: Stage) -> None:
    stage.scripts |= {"보험료": scripts.asking(scripts.FIELDS), "54세, 여성": scripts.answered()}
    async with site.page() as seen:
        await seen.ask("보험료")
        await seen.page.click(".inline-form .primary")
        await seen.page.wait_for_selector(".inline-form .fault")
        await seen.page.fill(".inline-form input[name=age]", "54")
        await seen.page.check(".inline-form input[value=F]", force=True)
        await seen.page.click(".inline-form .primary")
        await seen.answered(2)
    assert stage.asked[1]["query"] == "54세, 여성"
