"""Node 3: routes the question to a few tools, binds them and lets the model decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime

from app.graph.after_reply import after_reply
from app.graph.apart import computed
from app.graph.briefing import system_message
from app.graph.consulted import consulted
from app.graph.deciding import decided, undecided
from app.graph.loaded_tools import claimed_by, filled_by, goes_on, loaded, settled
from app.graph.provider_reply import next_message, said_by
from app.graph.standing_in import as_changed, needs_stand_in
from app.graph.state import ThreadState
from app.graph.turn import Auto, StepContext, TurnContext
from app.messages import worded
from app.planner import joints
from app.planner.follow_up import asks, fits
from app.planner.goals import led_by
from app.planner.model import ENGINE_NAME
from app.planner.questions import asked_among
from app.planner.ranking import DECIDED, SUBSTANCE, Message, Ranking, parts_of
from app.planner.wants import as_before, parts_wanted, still_waiting, tools_of

_PART_TOOLS = 4
# The share from which half a message surely asks for a tool of its own.
_SURELY = 0.6
# … and how far down the whole message's own ranking it may stand.
_AMONG = 6
LIMIT_REACHED = worded("agent.long")


async def agent(state: ThreadState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    """One model call. The route is made once a turn; the model sees the same few tools until it answers."""
    turn = runtime.context
    route = state.get("route")
    update: dict[str, Any] = {"model_calls": state["model_calls"] + 1}
    if route is None:
        if not state["model_calls"] and (advised := await consulted(state, turn)) is not None:
            return {**update, **advised}
        restricted = bool(state["guard"].get("restricted"))
        route = await computed(turn, planned_route, state["reading"], state.get("rewritten"), restricted)
        update["route"] = route
        shown = {"tools": route["bound"], "candidates": route["candidates"]}
        runtime.stream_writer({"event": "tools_selected", "data": shown})
    settings = turn.services.settings
    spent = state["model_calls"] >= settings.max_model_calls or state["tool_calls"] >= settings.max_tool_calls
    if (auto := turn.services.auto) is not None and undecided(state, turn):
        draft = _planned(auto, state, turn, route, spent)
        left = after_reply(state, draft)
        if draft.tool_calls:
            return {**update, **left, "messages": [draft]}
        decision = decided(auto, cast(ThreadState, {**state, "route": route}), draft, turn)
        if decision["engine"] == "planner":
            return {**update, **left, "decision": decision, "engine": auto.planner.name, "messages": [draft]}
        # The model begins anew with what was found; its own calls are counted from here.
        update |= {"decision": decision, "model_calls": 1}
        state = cast(ThreadState, {**state, "decision": decision, "model_calls": 0})
        spent = state["tool_calls"] >= settings.max_tool_calls
    if not _can_still_speak(state, turn):
        taken = needs_stand_in(state, turn, spent=spent)
        if taken is not None:
            update |= taken
            state, spent = as_changed(state, taken), taken["tool_calls"] >= settings.max_tool_calls
        elif spent:
            return {**update, "messages": [AIMessage(LIMIT_REACHED)]}
    prompt: list[AnyMessage] = [system_message(state, turn, route, spent), *state["messages"]]
    schemas = _schemas(turn, route, spent)
    reply, came_about = await next_message(prompt, schemas, state, turn, runtime.stream_writer)
    update |= came_about
    update |= after_reply(state, reply)
    return {**update, "messages": [*update.get("messages", ()), reply]}


def _schemas(turn: TurnContext, route: dict[str, Any], spent: bool) -> list[dict[str, Any]]:
    bound = [] if spent else [turn.snapshot.entry(name) for name in route["bound"] if name in turn.snapshot]
    return [entry.openai_schema for entry in bound]


def _planned(auto: Auto, state: ThreadState, turn: TurnContext, route: dict[str, Any], spent: bool) -> AIMessage:
    """What the planner would do next, where it is not settled yet who answers."""
    prompt = [system_message(state, turn, route, spent, planned=True), *state["messages"]]
    return said_by(auto.planner.model, prompt, _schemas(turn, route, spent))


def after_agent(state: ThreadState) -> str:
    """The word at the edge: `call_tools` or `answer`."""
    newest = state["messages"][-1]
    return "call_tools" if isinstance(newest, AIMessage) and newest.tool_calls else "answer"


def _can_still_speak(state: ThreadState, turn: TurnContext) -> bool:
    """The embedded planner speaks from results at no cost; a paid model that has used up its calls does not go on."""
    return ENGINE_NAME in (turn.services.engine.name, state.get("engine"))


def planned_route(
    turn: StepContext, reading: dict[str, Any], rewritten: str | None, restricted: bool
) -> dict[str, Any]:
    """Rank tools for the question as a whole, and for its parts where it asks several things; bind the best, at most
    k."""
    asked = str(reading["said"])
    question = rewritten or asked
    declared = turn.snapshot.declared
    allowed = turn.snapshot.allowed_for(turn.principal)
    if restricted:
        allowed -= {entry.name for entry in turn.snapshot.entries if entry.module == "customer_db"}
    follow_up_of = _follow_up_of(reading, turn, allowed, asked)
    if follow_up_of is None and reading["changes_facts"]:
        # New facts for another tool than the last one: the last question, kept in the rewritten one, would drown them.
        question = asked

    def ranked(message: Message) -> Ranking:
        told = replace(message, tells=tuple(reading["tells"]), story=asked)
        return turn.services.ranker.rank(told, turn.snapshot, turn, allowed)

    kinds = tuple(reading["kinds"])
    hints = tuple(reading["hints"])
    known = tuple(reading["known"])
    whole = ranked(
        Message(
            asked,
            question,
            reading["previous"],
            kinds,
            reading["last_tool"],
            hints,
            reading["adds_facts"],
            follow_up_of,
            known,
        )
    )
    # 방광암이래요, asked what happened: an answer that names something is no mere talk, whatever the model makes of it.
    named = bool(SUBSTANCE & set(kinds)) or reading["for_the_change"] or reading["describes"]
    told = (reading["answers"] or reading["corrects"]) and named and not reading["asks"]
    if not (reading["confirms"] or told) and (whole.no_call or whole.names(1) != (follow_up_of,)):
        follow_up_of = None  # it only looks like the last question again
    ours = loaded(turn, allowed)
    claim = claimed_by(turn, ours, asked, last=reading["last_tool"])
    going = next((entry for entry in ours if entry.name == reading["last_tool"]), None)
    last_filled = goes_on(turn, going, reading, claim)
    if last_filled is not None:
        follow_up_of = str(reading["last_tool"])
    elif (claim := settled(turn, reading, claim, whole, allowed)) is not None:
        whole = Ranking(((claim.tool, 1.0), *whole.tools), no_call=False, sure=whole.sure, cued=True)
        follow_up_of = None
    words = turn.services.reader.words
    texts = asked_among(words, reading["questions"]) if last_filled is None and claim is None else []
    if any(declared.has(tool, "judges_joining") for tool in whole.names(1)):
        # 두 달 전에 수술했어요. 가입할 수 있을지요: what is told of the person is judged with the question.
        reader, today = turn.services.reader, turn.today()
        texts = [*(t for t in texts[:-1] if asks(t) or not reader.tells(t, today)), *texts[-1:]]
    texts = texts if len(texts) > 1 else []
    alike = as_before(words, asked, reading["previous"], declared)
    own = parts_wanted(words, asked, declared)
    joined = alike or (parts_wanted(words, rewritten, declared) if rewritten else own)
    if reading["answers"] and not (alike or own or declared.wants(asked)):
        waiting = joined or parts_wanted(words, reading["previous"] or "", declared)
        joined = still_waiting(waiting, reading["told"], reading["asked_for"], declared)
    if last_filled is not None or claim is not None:
        joined = ()
    if joined and (alike or own or not reading["confirms"]):
        follow_up_of, texts = None, list(joined)
    last_tool = reading["last_tool"]
    # 뉴스타트요, asked for the product: what the question named belongs to the answer.
    unanswered = follow_up_of is not None and reading["answers"] and not reading["told"].get(follow_up_of)
    answered = f"{reading['previous']} {asked}" if unanswered and reading["previous"] else None

    def by_itself(text: str) -> Ranking:
        mentions = turn.services.reader.mentions(text, turn.today())
        return ranked(Message(text, text, None, mentions, last_tool, known=known))

    # 면책기간하구 보헙료 좀요: what plain words of a part name leads it, though another part is misspelt.
    cut = texts == list(joined) or (reading["cut"] and texts == reading["questions"])
    tools_named = tools_of(texts, declared) if cut else [()] * len(texts)
    rankings = [(text, led_by(by_itself(text), tools)) for text, tools in zip(texts, tools_named, strict=True)]
    if not rankings or (whole.cued and not any(ranking.cued for _, ranking in rankings)):
        rankings = [(question, whole)]
    if len(rankings) == 1 and follow_up_of is None and claim is None and not reading["answers"]:
        rankings = _halved(rankings[0][0], whole, by_itself, turn) or rankings
    if (
        len(rankings) == 1
        and follow_up_of is None
        and claim is None
        and (request := joints.closing_request(words, asked))
    ):
        # A story in front says for whom and why, but what is asked for is asked at its end.
        closing = by_itself(request)
        surest = max(_SURELY, whole.tools[0][1] if whole.tools and not whole.no_call else 0.0)
        if closing.tools and not closing.no_call and closing.tools[0][1] >= surest:
            whole, rankings = closing, [(question, closing)]
    parts = parts_of(rankings, _PART_TOOLS)
    chosen = {text for text, _ in parts}
    asides = [text for text, _ in rankings if text not in chosen and asks(text)] if len(rankings) > 1 else []
    if len(parts) == 1 or (not parts and not whole.no_call):
        # The other sentences set the scene; what is asked is better understood with them.
        parts = [(question, whole.names(_PART_TOOLS))]
    no_call = whole.no_call and not parts and follow_up_of is None
    if last_filled is not None and follow_up_of:
        parts = [(question, (follow_up_of,))]
    elif claim is not None:
        parts = [(asked, (claim.tool,))]
    again = _asked_anew(reading, turn, allowed) if no_call else None
    # 몇 시까지 전화 받아요: a channel is named by who asks about the company, too.
    named = bool(reading["resolved"] or reading["answers"] or (SUBSTANCE - {"channels"}) & set(kinds))
    named = named or whole.cued or follow_up_of is not None
    best, share = next(iter(whole.tools), ("", 0.0))
    unsure = not named and share < DECIDED and len(parts) < 2 and best not in turn.snapshot.lookups
    lookups = {tool: words for tool, words in turn.snapshot.lookups.items() if tool in allowed}
    known_fills = {claim.tool: claim.filled} if claim is not None else {}
    if last_filled is not None:
        known_fills = {str(reading["last_tool"]): last_filled}
    filled = filled_by(turn, reading, [tool for _, tools in parts for tool in tools], known_fills)
    unsure = unsure and not known_fills and not (best in filled and filled[best]["args"])
    first_of_all = no_call or unsure
    first = [follow_up_of] if follow_up_of else []
    last = [reading["last_tool"]] if reading["last_tool"] in allowed else []
    top_k = turn.services.settings.tool_search_top_k
    meant = next(iter([*first, *(tools[0] for _, tools in parts)]), None)
    before = turn.services.router.prerequisites(meant, turn.snapshot) if meant and reading["needs_search"] else ()
    search = [tool for tool in before if tool in allowed]
    if reading["needs_customer"] and (customers := declared.first("looks_up_customer", among=allowed)):
        search.append(customers)
    order = [*first, *(tools[0] for _, tools in parts), *search, *last, *whole.names(top_k)]
    bound = [tool for tool in dict.fromkeys(order) if not (first_of_all and tool in lookups)][:top_k]
    if no_call:
        bound = [again] if again else []
    if first_of_all:
        bound += lookups
    return {
        "question": question,
        "bound": bound,
        "parts": [{"question": text, "tools": list(tools)} for text, tools in parts],
        "follow_up_of": follow_up_of,
        "answered": answered,
        "prerequisites": search,
        "no_call": no_call,
        # What is asked for itself is no look-up beside the talk.
        "lookups": lookups if first_of_all else {t: words for t, words in lookups.items() if t not in bound},
        "unsure": unsure,
        "again": again,
        "cued": whole.cued,
        "sure": round(whole.sure, 4),
        "asides": asides,
        "filled": filled,
        "shaped": going is not None,
        "counts": turn.services.slots.counted(asked) if going is not None else (),
        "candidates": [{"tool": tool, "score": round(score, 4)} for tool, score in whole.tools[:top_k]],
    }


def _halved(
    text: str,
    whole: Ranking,
    by_itself: Callable[[str], Ranking],
    turn: StepContext,
) -> list[tuple[str, Ranking]]:
    """Two halves of `text` of which each surely asks for something else; none where there are no such halves."""
    today, reader = turn.today(), turn.services.reader
    for halves in joints.halves(reader.words, text, lambda words: reader.ends_with_particular(words, today)):
        found: dict[str, tuple[str, Ranking]] = {}
        # The shorter one says less: where either asks for nothing, the other need not be ranked.
        for half in sorted(halves, key=len):
            ranking = by_itself(half)
            tool, share = next(iter(ranking.tools), ("", 0.0))
            if ranking.no_call or share < _SURELY or tool not in whole.names(_AMONG):
                break
            found[tool] = (half, ranking)
        if len(found) == len(halves):
            return sorted(found.values(), key=lambda part: halves.index(part[0]))
    return []


def _follow_up_of(reading: dict[str, Any], turn: StepContext, allowed: frozenset[str], asked: str) -> str | None:
    """The last tool, when the message only changes facts that it takes, answers its question or gives it the go-ahead;
    a tool before it, when only that one takes them (오만원으로는요, two answers after a budget)."""
    last = _last_tool(reading, turn, allowed)
    if last is None:
        return None
    kinds, changing, declared = reading["kinds"], reading["changing"], turn.snapshot.declared
    if reading["confirms"]:
        return last
    if reading["answers"]:
        # 치아보험 면책기간은요, though asked for an age: another question comes first.
        named = turn.services.ranker.names(asked, kinds) if reading["asks"] else ()
        return last if not named or last in named else None
    if reading["hypothetical"] and fits(kinds, last, declared):
        return last
    told = reading["tells_more"] or reading["corrects"]
    if told and not declared.has(last, "changes_contract") and fits(changing, last, declared):
        return last
    if not reading["changes_facts"]:
        return None
    usable = [tool for tool in (last, *reading["earlier_tools"]) if tool in allowed and tool in turn.snapshot]
    return next((tool for tool in usable if fits(changing, tool, declared)), None)


def _asked_anew(reading: dict[str, Any], turn: StepContext, allowed: frozenset[str]) -> str | None:
    """The last tool, where a message that asks for no tool tells something new that it takes (53이 아니라 63.. 손가락이
    미끄러졌어요): better than to say that nothing is known of it."""
    last = _last_tool(reading, turn, allowed)
    if last is None or not reading["changing"]:
        return None
    return last if fits(reading["changing"], last, turn.snapshot.declared) else None


def _last_tool(reading: dict[str, Any], turn: StepContext, allowed: frozenset[str]) -> str | None:
    """The tool that was used last, where it may be used now."""
    last: str | None = reading["last_tool"]
    return last if last in allowed and last in turn.snapshot else None
