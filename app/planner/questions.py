"""Several questions in one sentence: '면책기간하고 보험료 좀요' asks for both."""

from __future__ import annotations

from collections.abc import Sequence

from app.planner.follow_up import asks
from app.planner.wants import asking, parts_wanted
from app.planner.words import PlannerWords
from app.toolbox.declared import Declarations


def _numbered(words: PlannerWords, text: str) -> tuple[str, ...]:
    """The items of a list counted from 1, each behind what stands in front of the list."""
    marks = list(words.questions.numbered.finditer(text))
    if len(marks) < 2 or [int(mark["n"]) for mark in marks] != list(range(1, len(marks) + 1)):
        return ()
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    front = words.questions.so_many.sub("", text[: marks[0].start()]).strip()
    items = (text[mark.end() : end].strip(" ,.") for mark, end in zip(marks, ends, strict=True))
    return tuple(asking(f"{front} {item}".strip()) for item in items if item)


def joined_questions(words: PlannerWords, text: str, declared: Declarations) -> tuple[str, ...]:
    """The sentence once for each of the joined things or questions; empty when it joins none."""
    own = words.questions
    if items := _numbered(words, text):
        return items
    if parts := parts_wanted(words, text, declared):
        return parts
    for match in own.joined.finditer(text):
        left, right = match["left"], match["right"]
        if own.is_topic.search(left) or own.starts_topic.match(right):
            first = text[: match.end("left")] + text[match.end("right") :]
            second = text[: match.start("left")] + text[match.start("right") :]
            return (first, second)
    if apart := own.apart.search(text):
        # 면책기간이랑 만 50세 남자 보험료 둘 다: what stands between belongs to the second.
        before, after = text[: apart.start()], text[apart.end() :]
        return (f"{before}{apart['left']}{after}", f"{before}{apart['middle']}{apart['right']}{after}")
    return ()


def is_asked(words: PlannerWords, text: str) -> bool:
    """Whether a part of a message asks for something."""
    return bool(asks(text) or words.questions.asked.search(text))


def clauses(words: PlannerWords, text: str) -> tuple[str, ...]:
    """The questions of a sentence, cut where one ends and another begins, each with an end of its own."""
    own, found, start = words.questions, [], 0
    if words.wants.of_a_text.search(text):
        return (text,)
    for cut in own.ends.finditer(text):
        before, after = text[start : cut.start("glue")].strip(), text[cut.end() :].strip()
        joint = cut["glue"].strip(" ,.")
        joined = joint in own.joints and own.and_asked.search(after)
        if not (own.asked.search(before) and (is_asked(words, after) or joined)):
            continue
        if own.which_one.search(before) and own.its_price.match(after):
            continue  # 제일 비싼 건 뭐고 얼마예요: one question
        if own.goes_on.match(after) or words.joints.bare_request.fullmatch(after):
            continue
        ending = own.closes[bool(own.of_noun.search(before))] if joint in own.joints else ""
        found.append(f"{before}{ending}")
        start = cut.end()
    return (*found, text[start:].strip())


def asked_among(words: PlannerWords, sentences: Sequence[str]) -> list[str]:
    """The sentences of a message without those before the last that only set the scene: what the speaker knows and has
    confirmed (V가 갱신 안 되는 거 맞지요?), wonders at (싸네요) or is at work on (청구 건 검토 중입니다)."""
    if len(sentences) > 1 and words.questions.go_ahead.match(sentences[-1]):
        sentences = sentences[:-1]
    sentences = _whole(words, sentences)
    asked = [text for text in sentences[:-1] if not words.questions.sets_scene.search(text)]
    return [*asked, *sentences[-1:]]


def _whole(words: PlannerWords, sentences: Sequence[str]) -> list[str]:
    """The sentences, one that goes on with the question before it put to that (나오는 건지 / 판단 좀 해 주세요)."""
    found: list[str] = []
    for text in sentences:
        if found and words.questions.goes_on.match(text):
            found[-1] = f"{found[-1]} {text}"
        else:
            found.append(text)
    return found
