"""Answers without tools: small talk, the glossary and the questions people ask, or nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from itertools import islice
from typing import get_args

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from app.insurance.models import Category
from app.language.mentions import Entities
from app.messages import worded
from app.planner.brief import Brief
from app.planner.facts import Facts
from app.planner.follow_up import asks, mention_kinds
from app.planner.knowledge import NEARLY, SURELY, Knowledge, KnowledgeBase
from app.planner.moves import Say
from app.planner.ranking import SUBSTANCE
from app.planner.recalling import Recall
from app.planner.small_talk import SmallTalk, Talk
from app.toolbox.declared import Declarations
from app.tools.needs import choice_field
from app.tools.results import NeedsInput

NOTHING_SAID = worded("talk.nothing_yet")
ENGLISH = worded("english.unknown")
FOR_THE_KIND = worded("talk.which_insurance")
_HANGUL = re.compile(r"[가-힣ㄱ-ㅎㅏ-ㅣ]")
_ENGLISH_WORDS = re.compile(r"[A-Za-z]{2,}")
_SHORTENED = 2
_MEANING = re.compile(
    r"뭐예요|뭐에요|뭐야|뭐죠|뭔가요|뭔지|뭐임|무엇|무슨 ?(뜻|말|의미|소리)|뜻이|의미가|차이|왜 |어떻게 다른"
    r"|뭐가 ?(다르|달라)|다른 ?(거|점|건)|좋은 ?(거|건가|가요)"
)
_PLAINLY_ASKS = re.compile(
    r"\?|주세요|줘|주실|주십|알려|보여|얼마|언제|어디|어느|몇|되나|되죠|가능|나요|까요|였지|는지|인가|뭐가|뭔"
)
# The reaction to any remark at all.
_REMARK = "remark"
_DIFFERENT = re.compile(r"(이?랑|하고|와|과) ?.{0,6}(뭐가|어떻게|무엇이)? ?(다르|달라|다른|차이)")
# Talk that asks for nothing, whatever the router makes of it.
_PURE = frozenset(
    {
        "thanks",
        "goodbye",
        "wait",
        "acknowledge",
        "greeting",
        "human",
        "identity",
        "capability",
        "simplify",
        "repeat",
        "cancel",
        "upset",
        "sorry",
        "unsure",
        "certainty",
        "restart",
        "style",
        "screen",
        "chat",
        "test",
    }
)
# Talk that is what it says even where it sounds like a request (쉽게 설명해 줘, 그냥 유지할게요).
_FIRM = frozenset({"cancel", "simplify", "repeat", "wait", "goodbye", "style", "sorry", "certainty", "greeting_wish"})
# Mentions that mere talk may hold (할머니랑 얘기해볼게요, 택배가 와서 잠시만요).
_IDLE = frozenset({"people", "references", "jobs"})
# Who names one of these asks about a case, not about a word.
_ABOUT_A_CASE = frozenset(
    {"products", "references", "medical", "ages", "births", "genders", "people", "jobs", "names", "money"}
)
_OF_A_CASE = (_ABOUT_A_CASE - {"people"}) | {"benefits", "documents", "categories"}
# Shares of the question that an entry must cover: to answer instead of a tool, and to win over a short acknowledgement.
_SURE, _SURER = 0.6, 0.75
# This turn, the one before and the one before that.
_EARLIER = 3
# A glossary term that is all of the question is a word asked about, whatever tool defines terms of the policy.
_WHOLLY = 0.95


class Talker:
    """Talks from data/language/small_talk.yaml and data/knowledge; no sentence is made up."""

    def __init__(self, small_talk: SmallTalk, knowledge: KnowledgeBase, recall: Recall) -> None:
        self._small_talk, self._knowledge, self._recall = small_talk, knowledge, recall

    def recalled(self, asked: str, messages: Sequence[BaseMessage]) -> Say | None:
        """What was told earlier in the talk and is asked for again."""
        talk = (exchange.partition("\n") for exchange in exchanges(messages)[:-1])
        told = self._recall.sentence(asked, [(question, answer) for question, _, answer in talk])
        return Say(told, grounds=(told,)) if told else None

    def refusal(self, asked: str, facts: Facts) -> Say | None:
        """A refusal that comes before any tool (personal data of others, say). After a customer was looked up,
        전화번호 알려 줘 asks for theirs, not for the company's."""
        whose = f"{facts.customer_name or '고객'} " if facts.customer_name or facts.customer_id else ""
        refused = self._small_talk.refusal(f"{whose}{asked}") or self._small_talk.refusal(asked)
        return Say(refused.text, grounds=(refused.text,)) if refused else None

    def outright(self, asked: str, before: Sequence[str]) -> bool:
        """Whether an entry is kept for the words, by themselves or behind what was said `before`."""
        meant = self._knowledge.meant(asked, *before)
        return meant is not None and meant.share >= SURELY  # a side that no entry tells may be a tool's

    def prefers(self, asked: str, brief: Brief, entities: Entities, before: Sequence[str]) -> bool:
        """Mere talk, and what a general word means, need no tool, unless the policy's own definition is asked for.
        `before` is what was asked and answered last, the newest exchange first."""
        if self.outright(asked, before):
            return True
        if brief.cued:
            return False
        # 수술했는데 325간편건강 되나요: of somebody who told what they have had, no question in general
        of_a_case = any(not m.of_work for m in entities.conditions) and bool(entities.product_codes)
        by_itself = not brief.follow_up_of and brief.facts.last_tool is None and not of_a_case
        if by_itself and self.instead(asked, entities, brief.facts.calls, SURELY):
            return True
        if is_english(asked) and not set(mention_kinds(entities)) & {"products", "medical"}:
            return True
        talk = self._small_talk.reply(asked)
        if talk and talk.kind in _FIRM and set(mention_kinds(entities)) <= _IDLE:
            return True
        idle = set(mention_kinds(entities)) <= _IDLE and not brief.follow_up_of and not asks(asked)
        if idle and talk and talk.kind in _PURE:
            return True
        if not _MEANING.search(asked):
            return False
        if brief.parts and brief.declared.has(brief.parts[0][1][0], "defines"):
            whole = self._knowledge.answer(asked)
            about = set(mention_kinds(entities)) & (_ABOUT_A_CASE | {"benefits", "documents"})
            return whole is not None and whole.share >= _WHOLLY and not about and not brief.follow_up_of
        if set(mention_kinds(entities)) & _ABOUT_A_CASE or brief.follow_up_of:
            return False
        found = self._knowledge.answer(asked)
        return found is not None and found.share >= _SURE

    def knows(self, asked: str, *, only_product: bool = False) -> bool:
        """An entry of the knowledge base covers the question so well that asking back would be silly; a fair one does
        where the menu of products is all that could be said instead (`only_product`)."""
        found = self._knowledge.answer(asked)
        return found is not None and (only_product or found.share >= _SURER)

    def instead(
        self, asked: str, said: Entities, tools: Collection[str], least: float = NEARLY, ahead: float = math.inf
    ) -> Say | None:
        """The entry that a message is nearly worded as, instead of calls of these tools that the message fills nothing
        of; None where it names a case, or the entry is the business of one of them."""
        if set(mention_kinds(said)) & _OF_A_CASE:
            return None
        near = self._knowledge.nearest(asked, least, ahead)
        return _told(near) if near and near.tool not in tools else None

    def reaction(self, asked: str, brief: Brief, entities: Entities) -> Say | None:
        """What is said to a remark in the middle of a talk that asks nothing: of its own kind (휴 다행이다), or of any
        where it names nothing an insurer works with. None for the rest, of which it is told that nothing is known."""
        if brief.previous is None or _PLAINLY_ASKS.search(asked):
            return None
        talk = self._small_talk.reaction(asked)
        if talk is None or (talk.kind == _REMARK and (asks(asked) or set(mention_kinds(entities)) & SUBSTANCE)):
            return None
        return Say(talk.text, grounds=(talk.text,), idle=True)

    def answer(self, brief: Brief, messages: Sequence[BaseMessage]) -> Say | None:
        """The talk that fits, else the entry that covers the question; None where nothing does. '정기보험이랑 뭐가
        달라요' means the difference from what was asked about before."""
        asked, previous = brief.asked, brief.previous
        if is_english(asked):
            return Say(ENGLISH, grounds=(ENGLISH,))
        meant = self._knowledge.meant(asked, *said_before(messages, previous))
        if meant and not self._small_talk.refusal(asked):
            return _told(meant)
        found = self._knowledge.answer(asked)
        if previous and _DIFFERENT.search(asked) and (both := self._knowledge.answer(f"{previous} {asked}")):
            found = both
        surely = found is not None and found.share > _SURER
        talk = self._small_talk.reply(asked)
        if talk and not (surely and talk.kind in ("acknowledge", "repeat", "simplify")):
            return _small(talk, messages, brief.declared)
        if found:
            return _told(found)
        return None


def said_before(messages: Sequence[BaseMessage], previous: str | None) -> tuple[str, str]:
    """What was asked and answered last in this talk, and in the exchange before that, each as one text."""
    earlier = exchanges(messages)
    before = earlier[-_EARLIER] if len(earlier) >= _EARLIER else ""
    return f"{previous or ''}\n{last_answer(messages) or ''}".strip(), before


def exchanges(messages: Sequence[BaseMessage]) -> list[str]:
    """Each question with its answers as one text, the newest last."""
    turns: list[list[str]] = []
    for message in messages:
        if isinstance(message, HumanMessage):
            turns.append([str(message.content)])
        elif isinstance(message, AIMessage) and not message.tool_calls and message.content and turns:
            turns[-1].append(str(message.content))
    return ["\n".join(turn) for turn in turns]


def last_answer(messages: Sequence[BaseMessage]) -> str | None:
    """What was said last, this turn's calls aside."""
    return next(iter(last_answers(messages, 1)), None)


def last_answers(messages: Sequence[BaseMessage], most: int) -> list[str]:
    """What was said last, newest first, this turn's calls aside."""
    said = (str(m.content) for m in reversed(messages) if isinstance(m, AIMessage) and not m.tool_calls and m.content)
    return list(islice(said, most))


def means_a_word(text: str) -> bool:
    """What something is, means or differs in is asked, not what it comes to for somebody."""
    return bool(_MEANING.search(text))


def is_english(text: str) -> bool:
    """Words in Latin letters and none in Hangul; a code or two (B00115023, C73) are no English."""
    return not _HANGUL.search(text) and len(_ENGLISH_WORDS.findall(text)) > 1


def _told(known: Knowledge) -> Say:
    return Say(
        worded("talk.with_source", text=known.text, source=known.source),
        grounds=(known.text, known.source),
        topic=known.tool,
    )


def _small(talk: Talk, messages: Sequence[BaseMessage], declared: Declarations) -> Say:
    if talk.asks == "category":
        field = choice_field("category", worded("talk.insurance_kind"), get_args(Category))
        asks = NeedsInput(fields=(field,), reason=FOR_THE_KIND)
        return Say(talk.text, grounds=(talk.text,), asks=asks, pending=declared.first("finds_products"))
    if talk.use is None:
        return Say(talk.text, grounds=(talk.text,))
    last = last_answer(messages)
    if last is None:
        return Say(NOTHING_SAID)
    lines = [line for line in last.splitlines() if line.strip()]
    shown = lines[:_SHORTENED] if talk.use == "last_answer_short" else lines
    return Say("\n".join([talk.text, *shown]), grounds=(last,))
