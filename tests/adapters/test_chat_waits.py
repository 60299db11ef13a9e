"""When waiting for a model is given up: its first sign, its speed, its thoughts, and one account for a whole turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from app.adapters.chat_faults import ProviderFault
from app.adapters.chat_link import CircuitBreaker, ProviderLink
from app.adapters.chat_model import Provider, openai_compatible
from app.adapters.chat_waits import CallWatch, FirstSigns, Waited, WaitLimits
from app.settings import Settings
from tests.api.openai_server import (
    ANSWER,
    Play,
    fails,
    hangs,
    one_after_another,
    openai_server,
    piece,
    says,
    streams,
    trickles,
)

LIMITS = WaitLimits(first_token_s=1.0, thinking_s=2.0, letters_per_s=5.0)
LONG = "보험료는 나이와 성별에 따라 달라집니다. " * 4


@asynccontextmanager
async def provider_of(*plays: Play, first_token_s: float = 1.0) -> AsyncIterator[Provider]:
    async with openai_server() as server:
        server.plays(*plays)
        settings = Settings(
            _env_file=None,
            llm_base_url=server.url,
            llm_first_token_timeout_s=first_token_s,
            llm_thinking_timeout_s=2 * first_token_s,
        )
        engine = openai_compatible(settings)
        assert engine is not None and engine.provider is not None
        yield engine.provider
        await engine.provider.close()


async def asked(
    provider: Provider, waited: Waited, limits: WaitLimits | None = LIMITS, whole_s: float = 30.0
) -> tuple[str, float]:
    """The answer, or the reason for having none; and the seconds that it took."""
    watch = CallWatch(limits, waited, provider.link.first_signs, whole_s)
    started = asyncio.get_running_loop().time()
    try:
        async with watch.running():
            told = str((await provider.watched(watch).ainvoke("안녕하세요")).content)
    except TimeoutError:
        told = watch.why
    except ProviderFault as fault:
        told = fault.kind
    return told, asyncio.get_running_loop().time() - started


async def test_a_model_that_gives_no_sign_is_given_up_after_its_time() -> None:
    async with provider_of(hangs()) as provider:
        told, took = await asked(provider, waited := Waited())
    assert told == "timeout" and 0.9 < took < 1.4
    assert waited.silent_s == pytest.approx(took, abs=0.1) and waited.unseen_s == waited.silent_s


async def test_a_head_and_empty_pieces_are_no_sign_of_life() -> None:
    empty = [piece({"role": "assistant", "content": ""})] * 3
    for play in (trickles("\n" * 50, 0.05), streams([*empty], delay_s=5.0)):
        async with provider_of(play) as provider:
            told, took = await asked(provider, Waited())
        assert told == "timeout" and took < 1.4


async def test_a_trickle_is_given_up_soon_after_it_began() -> None:
    async with provider_of(trickles(LONG, 0.5)) as provider:  # two letters a second
        told, took = await asked(provider, Waited())
    assert told == "trickle" and took < 1.6


async def test_a_model_that_slows_down_in_the_middle_is_given_up_after_a_window() -> None:
    play = one_after_another(trickles(LONG, 0.01), trickles(LONG, 1.0))
    async with provider_of(play) as provider:
        told, took = await asked(provider, Waited())
    assert told == "trickle" and 4.0 < took < 6.5


@pytest.mark.parametrize(
    "play",
    [says(LONG, step=2, delay_s=0.7), trickles(LONG, 0.1, step=2), trickles(LONG, 1.6, step=30)],
    ids=["late", "slow", "in-bursts"],
)
async def test_a_slow_but_healthy_model_keeps_its_turn(play: Play) -> None:
    async with provider_of(play) as provider:
        told, _ = await asked(provider, waited := Waited())
    assert told.strip() == LONG.strip() and waited.unseen_s < 1.0


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
async def test_thoughts_are_signs_of_life_but_have_a_bound_of_their_own(key: str) -> None:
    async with provider_of(one_after_another(trickles("음" * 150, 0.01, key=key), says(ANSWER))) as provider:
        told, took = await asked(provider, waited := Waited())
    assert told == ANSWER and took > 1.2 and waited.silent_s < 0.5 < waited.unseen_s
    async with provider_of(trickles("음" * 2000, 0.01, key=key)) as provider:
        told, took = await asked(provider, Waited())
    assert told == "thinking" and 1.8 < took < 2.5


async def test_thoughts_within_the_text_are_thoughts() -> None:
    async with provider_of(trickles("<think>" + "음" * 2000, 0.01)) as provider:
        told, took = await asked(provider, Waited())
    assert told == "thinking" and 1.8 < took < 2.5


async def test_the_calls_of_a_turn_share_what_may_be_waited() -> None:
    async with provider_of(says(ANSWER, delay_s=0.6), hangs(), hangs()) as provider:
        waited, began = Waited(), asyncio.get_running_loop().time()
        assert (await asked(provider, waited))[0] == ANSWER
        told, took = await asked(provider, waited)
        assert told == "timeout" and took < 0.6
        assert asyncio.get_running_loop().time() - began < 1.4
        assert CallWatch(LIMITS, waited, provider.link.first_signs, 30.0).hopeless


async def test_pauses_before_another_try_are_waiting_too() -> None:
    async with provider_of(*[fails(503)] * 9) as provider:
        told, took = await asked(provider, Waited())
    assert told in ("server", "timeout") and took < 1.4
    async with provider_of(fails(429, retry_after="4"), says(ANSWER)) as provider:
        told, took = await asked(provider, Waited())
    assert told == "rate_limited" and took < 0.5, "a pause that leaves no time to answer is not made"


async def test_an_answer_that_is_whole_is_not_lost_because_its_end_never_comes() -> None:
    async def play(line: object) -> None:
        await says(ANSWER, finish="stop")(_Endless(line))  # type: ignore[arg-type]

    async with provider_of(play) as provider:  # type: ignore[arg-type]
        told, took = await asked(provider, Waited())
    assert told == ANSWER and took < 3.0


class _Endless:
    """A line that stops in the middle of the last chunk and stays open."""

    def __init__(self, line: object) -> None:
        self._line = line

    def __getattr__(self, name: str) -> object:
        return getattr(self._line, name)

    async def event(self, data: object) -> None:
        if isinstance(data, dict) and data["choices"]:
            await self._line.event(data)  # type: ignore[attr-defined]

    async def end(self) -> None:
        await asyncio.sleep(30)


async def test_where_nobody_stands_in_the_model_has_all_the_time_there_is() -> None:
    async with provider_of(says(ANSWER, delay_s=1.5)) as provider:
        told, took = await asked(provider, Waited(), limits=None)
    assert told == ANSWER and took > 1.4
    async with provider_of(hangs()) as provider:
        told, took = await asked(provider, Waited(), limits=None, whole_s=0.5)
    assert told == "timeout" and took < 1.0


def test_the_time_for_a_first_sign_follows_the_provider_within_bounds() -> None:
    signs = FirstSigns(8.0)
    for _ in range(19):
        signs.took(0.4)
    assert signs.limit_s() == 8.0, "too little is known yet"
    signs.took(0.4)
    assert signs.limit_s() == 3.0, "never hastier than this"
    for _ in range(200):
        signs.took(1.5)
    assert signs.limit_s() == 4.5
    for _ in range(3):
        signs.took(30.0)
    assert signs.limit_s() == 8.0, "never longer than the setting"


def test_a_provider_that_has_become_slower_is_given_more_time_again() -> None:
    signs = FirstSigns(8.0)
    for _ in range(200):
        signs.took(0.4)
    limits = []
    for _ in range(4):
        limits.append(signs.limit_s())
        signs.missed(limits[-1])
    assert limits[0] == 3.0 and signs.limit_s() == 8.0 and limits == sorted(limits)


def test_a_short_setting_is_kept_below_the_least_limit() -> None:
    signs = FirstSigns(1.0)
    for _ in range(50):
        signs.took(0.1)
    assert signs.limit_s() == 1.0


def test_a_side_question_leaves_half_of_the_waiting_for_the_answer() -> None:
    assert LIMITS.side_question_s(Waited()) == 0.5
    assert LIMITS.side_question_s(Waited(silent_s=0.6, unseen_s=0.6)) == pytest.approx(0.2)
    assert LIMITS.side_question_s(Waited(silent_s=2.0, unseen_s=2.0)) == 0.0


def test_health_tells_the_limit_in_force() -> None:
    link = ProviderLink(attempts=1, retry_budget_s=1, breaker=CircuitBreaker(1, 1), first_token_s=8.0)
    assert link.health()["first_token_limit_s"] == 8.0


async def test_being_given_up_is_never_overheard_while_pieces_pour_in() -> None:
    limits = WaitLimits(first_token_s=3.0, thinking_s=3.0, letters_per_s=5.0)
    pouring = [trickles("음" * 20_000, 0.001, key="reasoning")] * 40
    async with provider_of(*pouring, first_token_s=3.0) as provider:
        ended = await asyncio.gather(*(asked(provider, Waited(), limits) for _ in pouring))
    assert {told for told, _ in ended} == {"thinking"} and max(took for _, took in ended) < 6.0
