"""Turns whose figures are known, and the check that a database reckons them so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import update

from app.adapters.case_store import CaseStore
from app.adapters.database import Database
from app.adapters.people_store import PeopleStore
from app.adapters.switch_store import SwitchStore
from app.adapters.tables import turn_details
from app.adapters.thread_store import ThreadStore, Turn, TurnDetail
from app.adapters.threshold_store import ThresholdStore
from app.adapters.tool_records import ToolRecords
from app.adapters.turn_figures import Middle, Span, TurnFigures
from app.adapters.turn_store import TurnFilter, TurnStore


async def check_figures(database: Database) -> None:
    """Keep a hundred turns of 1 to 100 ms and count them in every way."""
    store, now = ThreadStore(database), datetime.now(UTC)
    hour = now.replace(minute=0, second=0, microsecond=0)
    for number in range(1, 101):
        reply = {
            "answer": "네", "engine": "m", "guard": {}, "usage": {"total_tokens": 10, "cost_usd": 0.5},
            "trace": [{"tool": "t", "status": "ok" if number > 3 else "error", "duration_ms": number}],
        }  # fmt: skip
        first = None if number % 2 else float(number)
        detail = TurnDetail("staff", None, float(number), first, "", "", {})
        await store.record(Turn(f"{number:032x}", "local", "t", "질문", reply, detail=detail))
    await store.save_feedback("local", f"{1:032x}", "down", "", "")
    figures, span = TurnFigures(database), Span(hour - timedelta(hours=1), timedelta(hours=1), 3)
    sums = await figures.sums(span)
    assert (sums.turns, sums.failed, sums.tokens, sums.cost_usd, sums.people) == (100, 3, 1000, 50.0, 1)
    assert (sums.blocked, sums.down, sums.up) == (0, 1, 0)
    assert (sums.took, sums.first) == (Middle(50, 95), Middle(50, 96))
    parts = await figures.series(span)
    assert sum(part.turns for part in parts) == 100 and sum(part.failed for part in parts) == 3
    assert [part.start for part in parts] == [span.start + span.step * number for number in range(3)]
    assert parts[0].turns == 0 and parts[0].took == Middle()
    used = (await figures.tools(span.start))["t"]
    assert (used.calls, used.errors, used.took) == (100, 3, Middle(50, 95))
    assert used.last is not None and abs(used.last - now) < timedelta(minutes=5)
    assert sum(calls for _, calls, _ in await figures.tool_series("t", span)) == 100
    assert await figures.calls(span) == {"calls": 100, "errors": 3}
    assert await figures.engines(span) == ({"engine": "m", "turns": 100, "tokens": 1000, "cost_usd": 50.0},)
    assert await figures.waiting() == {"approvals": 0, "handoffs": 0}
    [person], total = await PeopleStore(database).page(kind="local", words="", offset=0, limit=10)
    assert (person.owner, person.role, person.turns, total) == ("local", "staff", 100, 1)
    assert await ToolRecords(database).events(("tools.switch",), ("t",)) == ()
    await database.change(update(turn_details).values(created_at=now - timedelta(days=3)))
    later = await figures.sums(span)
    assert (later.turns, later.cost_usd, later.took) == (0, None, Middle())


async def check_switches(database: Database) -> None:
    """Switch tools off and on, over and over."""
    store = SwitchStore(database)
    await store.turn_off(("a", "b"), "시험", "local")
    await store.turn_off(("b",), "다시", "key:1")
    before = await store.off()
    assert {name: (item.reason, item.author) for name, item in before.items()} == {
        "a": ("시험", "local"),
        "b": ("다시", "key:1"),
    }
    assert all(item.at.tzinfo is not None for item in before.values())
    await store.turn_on(("a", "unknown"))
    assert set(await store.off()) == {"b"}
    await store.put_back(before)
    assert set(await store.off()) == {"a", "b"}
    await store.put_back({})
    assert await store.off() == {}


async def check_stops(database: Database) -> None:
    """Keep stopped turns, judge them, find them by that, and forget them."""
    threads, turns, cases = ThreadStore(database), TurnStore(database), CaseStore(database)
    for number, stops in enumerate((" injection refused ", " phrase replaced masked personal_data ", ""), 901):
        detail = TurnDetail("staff", None, 1.0, None, "", "", {"stops": []}, stops)
        reply = {"answer": "네", "engine": "m", "guard": {}, "trace": []}
        await threads.record(Turn(f"{number:032x}", "stopped", "t", "질문", reply, detail=detail))

    async def found(**wanted: Any) -> list[int]:
        page, total = await turns.page(TurnFilter(guards=True, **wanted))
        assert total == len(page)
        return sorted(int(turn.run_id, 16) for turn in page)

    assert await found() == [901, 902]
    assert await found(guard="phrase") == await found(did="masked") == [902] and await found(guard="mask") == []
    for label in ("pass", "stop"):
        await cases.add(
            "guard", "질문", "local", source_run_id=f"{901:032x}", guard="injection", label=label, place=0
        )  # fmt: skip
    judged = await cases.of_stops([f"{number:032x}" for number in (901, 902)])
    assert [(key, case.label) for key, case in judged.items()] == [((f"{901:032x}", 0), "stop")]
    assert await cases.labels() == {"injection": {"stop": 1}}
    assert await found(judged="right") == [901] and await found(judged="open") == [902]
    assert await found(judged="wrong") == []
    assert await cases.withdraw(f"{901:032x}", 0) and not await cases.withdraw(f"{901:032x}", 0)
    assert await found(judged="open") == [901, 902]
    await threads.forget_owner("stopped")
    assert await found() == []


async def check_thresholds(database: Database) -> None:
    """Move a threshold, move it again, and back."""
    store = ThresholdStore(database)
    await store.move("domain", 0.7, 0.6, "시험", "local")
    await store.move("domain", 0.8, 0.6, "다시", "key:1")
    before = await store.moved()
    assert [(item.value, item.reason, item.author) for item in before.values()] == [(0.8, "다시", "key:1")]
    assert before["domain"].at.tzinfo is not None
    await store.move("domain", 0.6, 0.6, "처음으로", "local")
    assert await store.moved() == {}
    await store.put_back(before)
    assert await store.moved() == before
    await store.put_back({})
