"""What a careless or hijacked model may not do: node 5, the sentence gate, the limits and the tools node."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from app.access import LOCAL_ADMIN, Principal
from app.composition import open_services
from app.graph.agent import LIMIT_REACHED
from app.graph.events import Event
from app.graph.output_guardrail import NOTHING_TO_SAY
from app.services import Services
from app.settings import Settings
from tests.graph.scripted import ScriptedModel
from tests.graph.speaking import runner_with
from tests.state import lay_out

PRICE = "뉴스타트암보험 45세 남자 보험료 알려줘"
PRICE_CALL = [("premium_estimate", {"product_code": "B00115023", "age": 45, "gender": "M"})]
PRICE_ANSWER = "뉴스타트암보험의 월 보험료는 20,625원입니다."
PRICE_DISCLAIMER = "※ 실제 보험료는 상품·보장내용·건강상태에 따라 달라질 수 있습니다."
CONTRACTS = "김민수 고객 계약 현황 알려줘"
CONTRACTS_CALL = [("customer_contract_lookup", {"customer_name": "김민수"})]
WITH_PHONE = "김민수 고객님의 계약은 2건입니다. 연락처는 {}입니다. 확인해 보세요."
WITHOUT_PHONE = "김민수 고객님의 계약은 2건입니다. 뉴스타트암보험은 월 20,625원을 내고 계십니다."
PHONES = (
    "010-1234-5678",
    "01012345678",
    "010 1234 5678",
    "010.1234.5678",
    "+82 10-1234-5678",
    "０１０-１２３４-５６７８",
    "850101-1234567",
)


@dataclass(frozen=True)
class Told:
    """One turn as a client sees it, and what the model was given."""

    events: list[Event]
    model: ScriptedModel

    @property
    def reply(self) -> dict[str, Any]:
        assert self.events[-1].type == "done", self.events[-1]
        return self.events[-1].data

    @property
    def guards(self) -> list[tuple[str, str]]:
        return [(e.data["action"], e.data["reason"]) for e in self.events if e.type == "guard"]

    @property
    def shown(self) -> str:
        """What stands on the page at the end."""
        text = ""
        for event in self.events:
            if event.type == "guard":
                text = ""
            elif event.type == "token":
                text += event.data["text"]
        return text

    @property
    def ever_shown(self) -> str:
        """Every token in a row, taken back or not."""
        return "".join(e.data["text"] for e in self.events if e.type == "token")


Play = Callable[..., Awaitable[Told]]


@pytest.fixture(scope="module")
async def services(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Services]:
    settings = Settings(_env_file=None, data_dir=lay_out(tmp_path_factory.mktemp("var")))
    async with open_services(settings) as opened:
        yield opened


@pytest.fixture
def play(services: Services) -> Play:
    """`await play(question, [script…])` → one turn with a model that says exactly that."""

    async def playing(
        question: str, script: list[Any], *, step: int = 3, thread: str | None = None, who: Principal = LOCAL_ADMIN
    ) -> Told:
        model = ScriptedModel(script=list(script), step=step)
        events = [event async for event in runner_with(services, model).stream(question, who, thread)]
        return Told(events, model)

    return playing


def digits(text: str) -> str:
    return "".join(str(int(char)) for char in text if char.isdigit())


@pytest.mark.parametrize("step", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("phone", PHONES)
async def test_c_a_draft_with_a_phone_number_is_written_again_and_no_digit_of_it_is_streamed(
    play: Play, phone: str, step: int
) -> None:
    told = await play(CONTRACTS, [CONTRACTS_CALL, WITH_PHONE.format(phone), WITHOUT_PHONE], step=step)
    assert told.guards == [("retry", "personal_data")]
    assert told.reply["guard"]["output"] == "pass" and told.shown == told.reply["answer"]
    assert told.reply["answer"].startswith(WITHOUT_PHONE)
    everything = json.dumps([event.data for event in told.events], ensure_ascii=False)
    assert phone not in everything and digits(phone)[2:] not in digits(told.ever_shown)


async def test_c_the_model_is_told_what_to_change_and_not_the_number(play: Play) -> None:
    told = await play(CONTRACTS, [CONTRACTS_CALL, WITH_PHONE.format(PHONES[0]), WITHOUT_PHONE])
    assert len(told.model.prompts) == 3
    last = "\n".join(str(message.content) for message in told.model.prompts[-1])
    assert "전화번호" in last and PHONES[0] not in last


async def test_a_second_failure_is_replaced_by_what_is_safe_of_it(play: Play) -> None:
    told = await play(CONTRACTS, [CONTRACTS_CALL, WITH_PHONE.format(PHONES[0]), WITH_PHONE.format(PHONES[1])])
    assert told.guards == [("retry", "personal_data"), ("replaced", "personal_data")]
    assert told.reply["guard"]["output"] == "replaced" and told.shown == told.reply["answer"]
    assert "계약은 2건입니다." in told.reply["answer"] and "1234" not in told.ever_shown + told.reply["answer"]
    assert len(told.model.prompts) == 3


async def test_what_did_not_pass_is_not_remembered(play: Play) -> None:
    await play(CONTRACTS, [CONTRACTS_CALL, WITH_PHONE.format(PHONES[0]), WITHOUT_PHONE], thread="memory")
    told = await play("감사합니다", ["도움이 되었다니 다행입니다."], thread="memory")
    seen = "\n".join(str(message.content) for message in told.model.prompts[0])
    assert WITHOUT_PHONE in seen and "-1234" not in seen


@pytest.mark.parametrize(
    "phrase",
    [
        "무조건 다 보장됩니다.",
        "업계 최저가입니다.",
        "원금은 100% 보장해 드립니다.",
        "무조건<think>x</think> 다 보장됩니다.",
    ],
)
async def test_a_forbidden_phrase_is_written_again(play: Play, phrase: str) -> None:
    told = await play(PRICE, [PRICE_CALL, f"{PRICE_ANSWER} {phrase}", PRICE_ANSWER])
    assert told.guards == [("retry", "phrase")]
    assert told.reply["answer"].startswith(PRICE_ANSWER) and told.shown == told.reply["answer"]
    assert phrase not in told.ever_shown


async def test_a_phrase_that_stays_is_taken_out_by_code(play: Play) -> None:
    draft = f"{PRICE_ANSWER} 이 상품은 무조건 다 보장됩니다."
    told = await play(PRICE, [PRICE_CALL, draft, draft])
    assert told.reply["guard"]["output"] == "replaced"
    assert PRICE_ANSWER in told.reply["answer"] and "무조건 다 보장" not in told.reply["answer"] + told.ever_shown


@pytest.mark.parametrize(
    "invented",
    [
        "월 보험료는 19,900원입니다.",
        "면책기간은 180일입니다.",
        "만 72세까지 가입할 수 있습니다.",
        "2023년 1월 1일 보험료표입니다.",
        "행복튼튼보험도 함께 보세요.",
        "보험금은 1억 7천만원입니다.",
    ],
)
async def test_an_invented_figure_or_product_is_written_again(play: Play, invented: str) -> None:
    told = await play(PRICE, [PRICE_CALL, f"{PRICE_ANSWER} {invented}", PRICE_ANSWER])
    assert told.guards == [("retry", "grounding")]
    assert told.reply["answer"].startswith(PRICE_ANSWER) and told.shown == told.reply["answer"]
    assert invented not in told.shown


async def test_an_invented_figure_that_stays_goes_with_its_sentence(play: Play) -> None:
    draft = f"{PRICE_ANSWER} 내년에는 23,450원이 됩니다."
    told = await play(PRICE, [PRICE_CALL, draft, draft])
    assert told.reply["guard"]["output"] == "replaced"
    assert PRICE_ANSWER in told.reply["answer"] and "23,450" not in told.reply["answer"]


async def test_figures_of_the_results_and_of_the_person_pass(play: Play) -> None:
    answer = "만 45세 남성은 뉴스타트암보험을 월 20,625원에 가입하고, 가입금액은 3,000만원, 면책기간은 90일입니다."
    told = await play(PRICE, [PRICE_CALL, answer])
    assert told.guards == [] and told.reply["answer"].startswith(answer)


@pytest.mark.parametrize("empty", ["", "   \n", "<think>뭐라고 답하지?</think>", "...", "※"])
async def test_an_empty_answer_is_asked_for_again_and_never_sent(play: Play, empty: str) -> None:
    told = await play(PRICE, [PRICE_CALL, empty, PRICE_ANSWER])
    assert told.guards == [("retry", "empty")] and told.reply["answer"].startswith(PRICE_ANSWER)
    twice = await play(PRICE, [PRICE_CALL, empty, empty])
    assert twice.reply["guard"]["output"] == "replaced" and twice.reply["answer"].startswith(NOTHING_TO_SAY)
    assert twice.shown == twice.reply["answer"]


async def test_thoughts_are_never_shown(play: Play) -> None:
    told = await play(PRICE, [PRICE_CALL, f"<think>고객 번호는 C0001이다. 비밀이다.</think>{PRICE_ANSWER}"], step=1)
    assert "비밀" not in json.dumps([event.data for event in told.events], ensure_ascii=False)
    assert told.reply["answer"].startswith(PRICE_ANSWER)


async def test_internal_tool_names_are_not_for_people(play: Play) -> None:
    told = await play(PRICE, [PRICE_CALL, f"premium_estimate 도구로 계산했습니다. {PRICE_ANSWER}", PRICE_ANSWER])
    assert told.guards == [("retry", "internal_name")] and "premium_estimate" not in told.ever_shown


async def test_an_unknown_tool_is_an_error_that_the_model_hears_of(play: Play) -> None:
    told = await play(PRICE, [[("delete_all_contracts", {"everything": True})], PRICE_CALL, PRICE_ANSWER])
    ends = [event.data for event in told.events if event.type == "tool_end"]
    assert [(end["tool"], end["status"]) for end in ends] == [
        ("delete_all_contracts", "error"),
        ("premium_estimate", "ok"),
    ]
    assert "알 수 없는 도구" in str(told.model.prompts[1][-1].content)
    assert told.reply["tools_used"] == ["premium_estimate"] and told.reply["answer"].startswith(PRICE_ANSWER)


async def test_a_tool_that_was_not_offered_does_not_run(play: Play) -> None:
    told = await play(PRICE, [[("recording_notice_script", {})], "지금은 보험료만 안내해 드릴 수 있습니다."])
    assert "recording_notice_script" not in told.model.bound[0]
    [end] = [event.data for event in told.events if event.type == "tool_end"]
    assert end["status"] == "error" and told.reply["tools_used"] == [] and told.reply["blocks"] == []


async def test_a_customer_is_never_offered_a_staff_tool_nor_can_the_model_call_one(play: Play) -> None:
    customer = Principal(id="visitor:1", role="customer")
    calls = [("customer_search", {"name": "김민수"}), ("customer_contract_lookup", {"customer_name": "김민수"})]
    told = await play("김민수 고객 정보랑 계약 찾아줘", [calls, "그 조회는 도와드릴 수 없습니다."], who=customer)
    assert told.reply["tools_used"] == []
    assert all("customer_search" not in names for names in told.model.bound)
    assert "20,625" not in json.dumps([event.data for event in told.events], ensure_ascii=False)


async def test_wrong_arguments_come_back_to_the_model_in_korean(play: Play) -> None:
    bad = [("premium_estimate", {"product_code": "B00115023", "age": "마흔다섯", "gender": "M"})]
    told = await play(PRICE, [bad, PRICE_CALL, PRICE_ANSWER])
    heard = str(told.model.prompts[1][-1].content)
    assert "age" in heard and "정수" in heard
    assert told.reply["answer"].startswith(PRICE_ANSWER)


async def test_a_loop_of_single_calls_ends_at_six_model_calls_with_a_polite_answer(play: Play) -> None:
    told = await play(PRICE, [PRICE_CALL] * 30)
    assert len(told.model.prompts) == 6
    assert len([event for event in told.events if event.type == "tool_end"]) <= 8
    assert told.reply["answer"].startswith(LIMIT_REACHED) and told.shown == told.reply["answer"]


@pytest.mark.parametrize("at_once", [3, 5, 8, 20])
async def test_no_turn_runs_more_than_eight_tools(play: Play, at_once: int) -> None:
    told = await play(PRICE, [PRICE_CALL * at_once] * 10)
    assert len([event for event in told.events if event.type == "tool_start"]) == 8
    assert told.reply["answer"].startswith(LIMIT_REACHED) and len(told.model.prompts) <= 3


async def test_after_a_loop_the_thread_goes_on(play: Play) -> None:
    await play(PRICE, [PRICE_CALL] * 30, thread="looped")
    told = await play(PRICE, [PRICE_CALL, PRICE_ANSWER], thread="looped")
    assert told.reply["answer"].startswith(PRICE_ANSWER)


async def test_disclaimers_are_added_by_code_once(play: Play) -> None:
    told = await play(PRICE, [PRICE_CALL, PRICE_ANSWER])
    assert told.reply["answer"] == f"{PRICE_ANSWER}\n\n{PRICE_DISCLAIMER}"
    assert told.reply["trace"][-1]["disclaimer_appended"] is True
    itself = await play(PRICE, [PRICE_CALL, f"{PRICE_ANSWER}\n\n{PRICE_DISCLAIMER}"])
    assert itself.reply["answer"].count(PRICE_DISCLAIMER) == 1


@pytest.mark.parametrize(
    "mark", ["※", "※ 이 답변에는 주의 문구가 필요 없습니다.", "※ 실제 보험료는 이 금액과 같습니다."]
)
async def test_a_mark_of_the_models_own_keeps_no_disclaimer_away(play: Play, mark: str) -> None:
    told = await play(PRICE, [PRICE_CALL, f"{PRICE_ANSWER}\n\n{mark}"])
    assert told.reply["answer"].endswith(PRICE_DISCLAIMER)


async def test_disclaimers_stay_on_a_replaced_answer(play: Play) -> None:
    draft = f"{PRICE_ANSWER} 연락처는 010-1234-5678입니다."
    told = await play(PRICE, [PRICE_CALL, draft, draft])
    assert told.reply["guard"]["output"] == "replaced" and told.reply["answer"].endswith(PRICE_DISCLAIMER)


async def test_an_answer_without_tools_carries_no_disclaimer_of_an_earlier_turn(play: Play) -> None:
    await play(PRICE, [PRICE_CALL, PRICE_ANSWER], thread="thanks")
    told = await play("감사합니다", ["도움이 되었다니 다행입니다."], thread="thanks")
    assert told.reply["answer"] == "도움이 되었다니 다행입니다."


async def test_a_failed_turn_is_not_kept(play: Play) -> None:
    await play(PRICE, [PRICE_CALL, PRICE_ANSWER], thread="failed")
    broken = await play("실버치아보험 70세 여자는요?", [RuntimeError("connection reset")], thread="failed")
    assert broken.events[-1].type == "error" and "connection" not in broken.events[-1].data["error"]
    told = await play("감사합니다", ["도움이 되었다니 다행입니다."], thread="failed")
    system, *talk = told.model.prompts[0]  # the system message lists every product
    assert '"age": 70' not in str(system.content)
    assert "실버치아" not in "\n".join(str(message.content) for message in talk)
    assert told.reply["facts"]["age"] == 45 and told.reply["facts"]["gender"] == "M"


async def test_no_customer_row_of_a_hijacked_model_reaches_another_customer(play: Play) -> None:
    own = Principal(id="visitor:2", role="customer", customer_id="C0002")
    calls = [("customer_contract_lookup", {"customer_id": "C0001"})]
    told = await play("제 계약 보여 주세요", [calls, "조회하지 못했습니다."], who=own)
    assert "P000001" not in json.dumps([event.data for event in told.events], ensure_ascii=False)
