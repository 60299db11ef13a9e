"""What plain words ask for, so that a message is cut in two only where both halves ask for different things."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from app.planner.follow_up import asks
from app.planner.words import PlannerWords
from app.toolbox.declared import Declarations

_MOST = 3
_LISTED = 2


def wanted_tools(text: str, declared: Declarations) -> tuple[str, ...]:
    """The tools for the one thing that plain words of `text` ask for; none where they name nothing or several."""
    named = {want.tools for want in declared.wants(text)}
    return next(iter(named)) if len(named) == 1 else ()


def tools_of(parts: Sequence[str], declared: Declarations) -> list[tuple[str, ...]]:
    """The tools that plain words of each part name; papers asked for beside a claim are the claim's."""
    named = [wanted_tools(part, declared) for part in parts]
    claimed = any(declared.has(tool, "claim_steps") for tools in named for tool in tools[:1])
    return [tools[:1] if claimed and tools and declared.has(tools[0], "claim_papers") else tools for tools in named]


def parts_wanted(words: PlannerWords, text: str, declared: Declarations) -> tuple[str, ...]:
    """`text` once for each of the things it asks for, where plain words name different ones and join them; empty
    otherwise."""
    if words.wants.of_a_text.search(text) or words.wants.told_apart.search(text):
        return ()
    found = declared.wants(text)
    parts: list[str] = []
    start = 0  # where the words of the current part begin
    front = text[: found[0].start] if found else ""
    for before, after in pairwise(found):
        if before.tools == after.tools:
            continue
        joint = _joint(
            words,
            text[before.end : after.start],
            listed=len(found) > _LISTED or bool(words.wants.all_of_them.search(text)),
        )
        a_text = any(declared.has(tool, "writes_text") for tool in after.tools)
        if joint is None or (a_text and not any(declared.has(tool, "beside_text") for tool in before.tools)):
            return ()  # 보험료 환급금: one names the other; 감액까지 포함한 멘트: a text about the other
        tail, head = joint
        lead = front if parts else ""
        parts.append(asking(f"{lead}{text[start : before.end]}{tail}"))
        start = after.start - len(head)
    if not parts:
        return ()
    parts.append(asking(f"{front}{text[start:]}"))
    return tuple(parts[:_MOST])


def as_before(words: PlannerWords, text: str, previous: str | None, declared: Declarations) -> tuple[str, ...]:
    """What `previous` asked for, asked of what `text` names: 표적항암도 같은 식으로요 after 유사암은 얼마 주고 며칠
    기다려요; empty where `text` asks for nothing of the kind or one thing alone was asked for."""
    alike = words.wants.alike.match(text)
    if alike is None or not previous or len(parts_wanted(words, previous, declared)) < _LISTED:
        return ()
    asked = {want.tools: previous[want.start : want.end] for want in declared.wants(previous)}
    about = alike["of"] or alike["then"]
    return tuple(f"{about} {words} 알려 주세요" for words in asked.values())[:_MOST]


def still_waiting(
    parts: Sequence[str], told: Collection[str], asked_for: Collection[str], declared: Declarations
) -> tuple[str, ...]:
    """Those of the things asked for together that wait for the answer to a question back: all where the product was
    asked for, else those whose tools were not called; empty where that is not more than one."""
    if "product_code" not in asked_for:
        parts = [
            part for part, tools in zip(parts, tools_of(parts, declared), strict=True) if not set(tools[:1]) & set(told)
        ]
    return tuple(parts) if len(parts) >= _LISTED else ()


def _joint(words: PlannerWords, between: str, *, listed: bool) -> tuple[str, str] | None:
    """What belongs to the thing before and to the one after a joint; None where the two are not joined."""
    found = words.wants.by_noun.match(between) or words.wants.by_verb.match(between)
    if found is None or words.wants.sequence.search(found["head"]) or (found["glue"].strip() == "," and not listed):
        return None
    return _ended(words, found["tail"], found["glue"]), found["head"]


def _ended(words: PlannerWords, tail: str, glue: str) -> str:
    """The words before a joint with an end of their own: 얼마 주(고) -> 얼마 주는지, 조회해 주시(고) -> 조회해
    주세요."""
    if "고" not in glue or glue in ("하고", "이고"):
        return tail
    if please := words.wants.please.match(tail):
        return f"{please['what']} 주세요"
    return f"{tail}{'인지' if tail.endswith(('얼마', '며칠', '이')) else '는지'}"


def asking(part: str) -> str:
    """A part of a message as a request of its own."""
    return part.strip() if asks(part) else f"{part.strip()} 알려 주세요"
