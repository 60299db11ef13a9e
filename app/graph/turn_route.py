"""The route of a turn: tools ranked for the question as a whole and for its parts, and the few that are bound.

The steps, in order: which question is ranked (`_question`), what the message as a whole is after (`_aim`), where it is
cut in parts (`_cut`), what each part asks for (`_parts`), and what is bound (`planned_route`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.answering.question import SURELY
from app.graph.clause_route import as_one, clauses_of
from app.graph.last_tool import asked_anew, follow_up_of, tells
from app.graph.loaded_tools import claimed_by, filled_by, goes_on, loaded, settled
from app.graph.turn import StepContext
from app.planner import joints
from app.planner.brief import Clause
from app.planner.follow_up import asks
from app.planner.goals import led_by
from app.planner.questions import asked_among, is_asked
from app.planner.ranking import DECIDED, SUBSTANCE, Message, Ranking, parts_of
from app.planner.wants import as_before, parts_wanted, still_waiting, tools_of
from app.planning.filling import Filled
from app.planning.tools import Claim

_PART_TOOLS = 4
# The share from which half a message surely asks for a tool of its own.
_SURELY = 0.6
# … and how far down the whole message's own ranking it may stand.
_AMONG = 6

Ranked = tuple[str, Ranking]
"""A text and what it asks for by itself."""


@dataclass(frozen=True)
class _Question:
    """The message of a turn as it was read: `said` in its words, `alone` so that it can stand without the talk;
    `follow_up_of` is the tool that it seems to go on with, `allowed` are those that may be used."""

    turn: StepContext
    reading: dict[str, Any]
    said: str
    rewritten: str | None
    alone: str
    allowed: frozenset[str]
    follow_up_of: str | None

    def ranked(self, message: Message) -> Ranking:
        """The tools for a message that is told within this one."""
        told = replace(message, tells=tuple(self.reading["tells"]), story=self.said)
        return self.turn.services.ranker.rank(told, self.turn.snapshot, self.turn, self.allowed)

    def by_itself(self, text: str, previous: str | None = None) -> Ranking:
        """The tools for a part of the message, behind what was asked before it."""
        known = tuple(self.reading["known"])
        return self.ranked(Message(text, text, previous, self.named(text), self.reading["last_tool"], known=known))

    def named(self, text: str) -> tuple[str, ...]:
        """The kinds of mention in a part of the message."""
        return self.turn.services.reader.mentions(text, self.turn.today())


@dataclass(frozen=True)
class _Aim:
    """What the message as a whole is after: the ranking of it, the tool that it goes on with, the loaded tool that it
    speaks of (`claim`), and what it tells the last tool where that is a loaded one (`last_filled`)."""

    whole: Ranking
    follow_up_of: str | None
    claim: Claim | None
    last_filled: Filled | None
    last_is_loaded: bool

    @property
    def of_a_loaded_tool(self) -> bool:
        """Whether it is settled that a tool which nobody trained for is spoken of."""
        return self.claim is not None or self.last_filled is not None


@dataclass(frozen=True)
class _Parts:
    """What the parts of the message ask for, each with its best tools; `asides` are questions that no tool answers;
    `clauses` the questions of a message that asks several."""

    whole: Ranking
    asking: list[tuple[str, tuple[str, ...]]]
    asides: list[str]
    no_call: bool
    clauses: list[Clause]


def planned_route(
    turn: StepContext, reading: dict[str, Any], rewritten: str | None, restricted: bool
) -> dict[str, Any]:
    """Rank tools for the question as a whole, and for its parts where it asks several things; bind the best, at most
    k."""
    question = _question(turn, reading, rewritten, restricted)
    aim, texts, joined = _cut(question, _aim(question))
    parts = _parts(question, aim, texts, joined)
    whole, allowed = parts.whole, question.allowed
    filled = _filled(question, aim, parts)
    lookups = {tool: words for tool, words in turn.snapshot.lookups.items() if tool in allowed}
    unsure = _is_guess(question, aim, parts, filled)
    looks_up = parts.no_call or unsure or any(c.unsure or not c.tools for c in parts.clauses)
    again = asked_anew(reading, turn, allowed) if parts.no_call else None
    prerequisites = _prerequisites(question, aim, parts)
    top_k = turn.services.settings.tool_search_top_k
    if parts.no_call and not any(clause.tools for clause in parts.clauses):
        bound = [*([again] if again else []), *_customers(question)]
    else:
        left_out = lookups if looks_up else {}
        bound = [tool for tool in _order(question, aim, parts, prerequisites) if tool not in left_out][:top_k]
    if looks_up:
        bound += lookups
    return {
        "question": question.alone,
        "bound": bound,
        "parts": [{"question": text, "tools": list(tools)} for text, tools in parts.asking],
        "follow_up_of": aim.follow_up_of,
        "answered": _answered(question, aim),
        "prerequisites": prerequisites,
        "no_call": parts.no_call,
        # What is asked for itself is no look-up beside the talk.
        "lookups": lookups if looks_up else {t: words for t, words in lookups.items() if t not in bound},
        "unsure": unsure,
        "again": again,
        "cued": whole.cued,
        "sure": round(whole.sure, 4),
        "asides": parts.asides,
        "clauses": [asdict(clause) for clause in parts.clauses],
        "filled": filled,
        "shaped": aim.last_is_loaded,
        "counts": turn.services.slots.counted(question.said) if aim.last_is_loaded else (),
        "candidates": [{"tool": tool, "score": round(score, 4)} for tool, score in whole.tools[:top_k]],
    }


def _question(turn: StepContext, reading: dict[str, Any], rewritten: str | None, restricted: bool) -> _Question:
    said = str(reading["said"])
    allowed = turn.snapshot.allowed_for(turn.principal)
    if restricted:
        allowed -= {entry.name for entry in turn.snapshot.entries if entry.module == "customer_db"}
    going_on = follow_up_of(reading, turn, allowed, said)
    # New facts for another tool than the last one: the last question, kept in the rewritten one, would drown them.
    anew = going_on is None and reading["changes_facts"]
    return _Question(turn, reading, said, rewritten, said if anew else rewritten or said, allowed, going_on)


def _aim(question: _Question) -> _Aim:
    """What the whole message is after, before it is cut in parts."""
    reading, turn, going_on = question.reading, question.turn, question.follow_up_of
    whole = question.ranked(
        Message(
            question.said,
            question.alone,
            reading["previous"],
            tuple(reading["kinds"]),
            reading["last_tool"],
            tuple(reading["hints"]),
            reading["adds_facts"],
            going_on,
            tuple(reading["known"]),
        )
    )
    if whole.no_call and _asks_what_it_is(question):
        whole = led_by(whole, [t for t in question.allowed if turn.snapshot.declared.has(t, "describes_product")])
    if not (reading["confirms"] or reading["another_sum"] or tells(reading)) and (
        whole.no_call or whole.names(1) != (going_on,)
    ):
        going_on = None  # it only looks like the last question again
    ours = loaded(turn, question.allowed)
    claim = claimed_by(turn, ours, question.said, last=reading["last_tool"], ranked=whole)
    last = next((entry for entry in ours if entry.name == reading["last_tool"]), None)
    last_filled = goes_on(turn, last, reading, claim)
    if last_filled is not None:
        going_on = str(reading["last_tool"])
    elif (claim := settled(turn, reading, claim, whole, question.allowed)) is not None:
        whole = Ranking(((claim.tool, 1.0), *whole.tools), no_call=False, sure=whole.sure, cued=True)
        going_on = None
    return _Aim(whole, going_on, claim, last_filled, last is not None)


def _asks_what_it_is(question: _Question) -> bool:
    """Whether a message asks what a product is, and names nothing else (간편건강보험이 뭐예요)."""
    form, only = question.turn.services.forms.read(question.said), set(question.reading["kinds"]) - {"categories"}
    of_one = only == {"products"} or (only == {"references"} and question.reading["resolved"])
    return bool(of_one) and form.form == "define" and form.share >= SURELY


def _cut(question: _Question, aim: _Aim) -> tuple[_Aim, list[str], tuple[str, ...]]:
    """The texts that ask for something each, none where the message is one question; and the things that plain words
    join, which are the texts unless the message only confirms."""
    if aim.of_a_loaded_tool:
        return aim, [], ()
    texts = _questions(question, aim)
    joined, by_itself = _joined(question)
    if joined and (by_itself or not question.reading["confirms"]):
        return replace(aim, follow_up_of=None), list(joined), joined
    return aim, texts, joined


def _questions(question: _Question, aim: _Aim) -> list[str]:
    """The questions of the message, where there are several."""
    turn, reader = question.turn, question.turn.services.reader
    texts = asked_among(reader.words, question.reading["questions"])
    if any(turn.snapshot.declared.has(tool, "judges_joining") for tool in aim.whole.names(1)):
        # 두 달 전에 수술했어요. 가입할 수 있을지요: what is told of the person is judged with the question.
        today = turn.today()
        texts = [*(t for t in texts[:-1] if is_asked(reader.words, t) or not reader.tells(t, today)), *texts[-1:]]
    return texts if len(texts) > 1 else []


def _joined(question: _Question) -> tuple[tuple[str, ...], bool]:
    """The things that plain words ask for together, each as a text; and whether the message itself names them."""
    reading, said, declared = question.reading, question.said, question.turn.snapshot.declared
    words = question.turn.services.reader.words
    alike = as_before(words, said, reading["previous"], declared)
    own = parts_wanted(words, said, declared)
    joined = alike or (parts_wanted(words, question.rewritten, declared) if question.rewritten else own)
    if reading["answers"] and not (alike or own or declared.wants(said)):
        waiting = joined or parts_wanted(words, reading["previous"] or "", declared)
        joined = still_waiting(waiting, reading["told"], reading["asked_for"], declared)
    return joined, bool(alike or own)


def _parts(question: _Question, aim: _Aim, texts: list[str], joined: tuple[str, ...]) -> _Parts:
    """What each part asks for; the question as a whole where it is one, or where its parts say less than it does."""
    whole, rankings = _ranked_parts(question, aim, texts, joined)
    parts = parts_of(rankings, _PART_TOOLS)
    chosen = {text for text, _ in parts}
    asides = [text for text, _ in rankings if text not in chosen and asks(text)] if len(rankings) > 1 else []
    if len(parts) == 1 or (not parts and not whole.no_call):
        # The other sentences set the scene; what is asked is better understood with them.
        parts = [(question.alone, whole.names(_PART_TOOLS))]
    no_call = whole.no_call and not parts and aim.follow_up_of is None
    clauses = [] if aim.of_a_loaded_tool or aim.follow_up_of else clauses_of(question, aim.whole, rankings, _PART_TOOLS)
    if aim.last_filled is not None and aim.follow_up_of:
        parts = [(question.alone, (aim.follow_up_of,))]
    elif aim.claim is not None:
        parts = [(question.said, (aim.claim.tool,))]
    return _Parts(whole, parts, asides, no_call, clauses)


def _ranked_parts(
    question: _Question, aim: _Aim, texts: list[str], joined: tuple[str, ...]
) -> tuple[Ranking, list[Ranked]]:
    """The texts with their tools, and the whole's own, which the request at the end of a story may take over."""
    reading, whole = question.reading, aim.whole
    cut = texts == list(joined) or (reading["cut"] and texts == reading["questions"])
    named = tools_of(texts, question.turn.snapshot.declared) if cut else [()] * len(texts)
    rankings = [(text, led_by(question.by_itself(text), tools)) for text, tools in zip(texts, named, strict=True)]
    by_parts = any(ranking.cued for _, ranking in rankings)
    if not rankings or (whole.cued and not by_parts) or as_one(question, whole, rankings):
        rankings = [(question.alone, whole)]
    if len(rankings) > 1 or aim.follow_up_of is not None or aim.claim is not None:
        return whole, rankings
    if not reading["answers"] and (halves := _halved(question, rankings[0][0], whole)):
        return whole, halves
    if closing := _closing(question, whole):
        return closing, [(question.alone, closing)]
    return whole, rankings


def _halved(question: _Question, text: str, whole: Ranking) -> list[Ranked]:
    """Two halves of `text` of which each surely asks for something else; none where there are no such halves."""
    today, reader = question.turn.today(), question.turn.services.reader
    for halves in joints.halves(reader.words, text, lambda words: reader.ends_with_particular(words, today)):
        if any(reader.words.questions.goes_on.match(half) for half in halves[1:]):
            continue
        found: dict[str, Ranked] = {}
        # The shorter one says less: where either asks for nothing, the other need not be ranked.
        for half in sorted(halves, key=len):
            ranking = question.by_itself(half)
            tool, share = next(iter(ranking.tools), ("", 0.0))
            if ranking.no_call or share < _SURELY or tool not in whole.names(_AMONG):
                break
            found[tool] = (half, ranking)
        if len(found) == len(halves):
            return sorted(found.values(), key=lambda part: halves.index(part[0]))
    return []


def _closing(question: _Question, whole: Ranking) -> Ranking | None:
    """What the request at the end of a story asks for, where it says so more surely than the whole."""
    request = joints.closing_request(question.turn.services.reader.words, question.said)
    if not request:
        return None
    closing = question.by_itself(request)
    surest = max(_SURELY, whole.tools[0][1] if whole.tools and not whole.no_call else 0.0)
    return closing if closing.tools and not closing.no_call and closing.tools[0][1] >= surest else None


def _known_fills(question: _Question, aim: _Aim) -> dict[str, Filled]:
    """What was read of loaded tools' arguments while the aim was judged."""
    if aim.last_filled is not None:
        return {str(question.reading["last_tool"]): aim.last_filled}
    return {aim.claim.tool: aim.claim.filled} if aim.claim is not None else {}


def _filled(question: _Question, aim: _Aim, parts: _Parts) -> dict[str, dict[str, Any]]:
    """The arguments of loaded tools that the message tells."""
    tools = [tool for _, tools in parts.asking for tool in tools]
    return filled_by(question.turn, question.reading, tools, _known_fills(question, aim))


def _is_guess(question: _Question, aim: _Aim, parts: _Parts, filled: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the best tool is only guessed at: the message names nothing that it works with, and tells it nothing."""
    reading, whole = question.reading, parts.whole
    # 몇 시까지 전화 받아요: a channel is named by who asks about the company, too.
    named = bool(reading["resolved"] or reading["answers"] or (SUBSTANCE - {"channels"}) & set(reading["kinds"]))
    if named or whole.cued or aim.follow_up_of is not None or aim.of_a_loaded_tool:
        return False
    best, share = next(iter(whole.tools), ("", 0.0))
    guessed = share < DECIDED and len(parts.asking) < 2 and best not in question.turn.snapshot.lookups
    return guessed and not (best in filled and filled[best]["args"])


def _prerequisites(question: _Question, aim: _Aim, parts: _Parts) -> list[str]:
    """The tools to be called before the one that is meant: what finds the product, and the customer."""
    reading, turn = question.reading, question.turn
    meant = aim.follow_up_of or next((tools[0] for _, tools in parts.asking), None)
    before = turn.services.router.prerequisites(meant, turn.snapshot) if meant and reading["needs_search"] else ()
    search = [tool for tool in before if tool in question.allowed]
    return [*search, *_customers(question)]


def _customers(question: _Question) -> list[str]:
    """The tool that looks a customer up, where one was named and not looked up yet."""
    tool = question.turn.snapshot.declared.first("looks_up_customer", among=question.allowed)
    return [tool] if tool and question.reading["needs_customer"] else []


def _order(question: _Question, aim: _Aim, parts: _Parts, prerequisites: Sequence[str]) -> tuple[str, ...]:
    """The tools in the order in which they are bound."""
    last = question.reading["last_tool"]
    first = [aim.follow_up_of] if aim.follow_up_of else []
    kept = [last] if last in question.allowed else []
    best = [tools[0] for _, tools in parts.asking] + [c.tools[0] for c in parts.clauses if c.tools]
    others = parts.whole.names(question.turn.services.settings.tool_search_top_k)
    return tuple(dict.fromkeys([*first, *best, *prerequisites, *kept, *others]))


def _answered(question: _Question, aim: _Aim) -> str | None:
    """The question before with this answer to what was asked back."""
    reading = question.reading
    unanswered = aim.follow_up_of is not None and reading["answers"] and not reading["told"].get(aim.follow_up_of)
    return f"{reading['previous']} {question.said}" if unanswered and reading["previous"] else None
