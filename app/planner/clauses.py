"""A message that asks several things is answered question by question: each as a turn of its own that knows what was
asked, told and found before it, and all of them in one answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain

from app.answering.answering import Answering
from app.answering.repeating import fitting_lines, fitting_sentences
from app.dialogue.state import DialogueState
from app.language.entities import EntityReader
from app.messages import worded
from app.planner.brief import Brief, Clause
from app.planner.moves import Call, Done, Move, Say
from app.planner.speak import Speaker, without_repeats
from app.tools.results import NeedsInput

_MOST_MOVES = 4
# What is told of a person is put in other words once more is known of them.
_RETOLD = frozenset({"conditions", "history"})
_CLOSING = " ?？.!~"

Moves = Callable[[Brief, Sequence[Done]], Move]
"""The move of a turn that has found so much."""


class Clauses:
    """Pure; built once."""

    def __init__(self, speaker: Speaker, answering: Answering, entities: EntityReader) -> None:
        self._speaker, self._answering, self._entities = speaker, answering, entities

    def move(self, brief: Brief, found: Sequence[Done], move_of: Moves) -> Move | None:
        """The calls that the questions still want, else their answers in one; None where none of them can be answered
        by itself. `found` is what this turn's calls found."""
        wanted: dict[int, Call] = {}
        told: list[tuple[Clause, Say]] = []
        dialogue = brief.earlier or brief.dialogue
        for clause in brief.clauses:
            part = replace(
                brief,
                asked=clause.text,
                question=clause.question,
                parts=((clause.question, clause.tools),) if clause.tools else (),
                no_call=not clause.tools,
                unsure=clause.unsure,
                follow_up_of=None,
                answered=None,
                again=None,
                clauses=(),
                bare=clause.bare,
                lookups=brief.lookups
                if clause.unsure or not clause.tools
                else {tool: words for tool, words in brief.lookups.items() if tool not in clause.tools[:1]},
            )
            move, done = self._played(replace(part, dialogue=dialogue), found, move_of)
            dialogue = self._showing(dialogue, part, done)
            if isinstance(move, Say):
                if not (told and self._told_by(clause, told[-1][1], move, brief.today)):
                    told.append((clause, move))
            else:
                wanted |= {len(wanted) + number: call for number, call in enumerate(move)}
        if wanted:
            return tuple(call for number, call in wanted.items() if call not in list(wanted.values())[:number])
        return self._together(told)

    def _played(self, part: Brief, found: Sequence[Done], move_of: Moves) -> tuple[Move, list[Done]]:
        """The move of one question after all of its calls that were made, and what those found."""
        done: list[Done] = []
        move: Move = ()
        before = part.dialogue
        for _ in range(_MOST_MOVES):
            move = move_of(replace(part, dialogue=self._showing(before, part, done)), done)
            if isinstance(move, Say):
                break
            known = [item for item in found if any(_made(call, item) for call in move) and item not in done]
            lacking = tuple(call for call in move if not any(_made(call, item) for item in found))
            if lacking or not known:
                return lacking or Say("", idle=True), done
            done += known
        return move, done

    def _told_by(self, clause: Clause, before: Say, now: Say, today: date) -> bool:
        """Whether what a question asks was told with the one before it (… 며칠 걸려요), so that it needs none of what
        would be said `now`."""
        if before.idle or before.asks:
            return False
        if clause.bare and self._answering.lines(self._entities.read(clause.text, today), before.text):
            return True
        lacking = self._only_asks(now) or (clause.bare and now.idle)
        return lacking and bool(fitting_sentences(before.text, clause.text))

    def _only_asks(self, say: Say) -> bool:
        return say.asks is not None and say.text == self._speaker.ask(say.asks).text

    def _showing(self, before: DialogueState, part: Brief, done: Sequence[Done]) -> DialogueState:
        """What was shown and is shown with what was found, but in documents."""
        shown = [(item.tool, item.data) for item in done if item.ok and item.tool not in part.lookups]
        return self._answering.showing(before, shown)

    def _together(self, told: Sequence[tuple[Clause, Say]]) -> Say | None:
        """The answers in one, each line once, with one question back for all that is lacking; None where nothing is
        answered, or all is asked back."""
        asking = [say for _, say in told if say.asks]
        only_asks = [say for say in asking if self._only_asks(say)]
        said = [say for _, say in told if not say.idle]
        if len(said) == len(only_asks):
            return None
        texts = [
            worded("planner.not_answered", asked=clause.text.strip(_CLOSING)) if say.idle else say.text
            for clause, say in told
            if say not in only_asks
        ]
        texts = _apart(texts, [clause.text for clause, say in told if say not in only_asks])
        lacking = [say.asks for say in only_asks if say.asks]
        question = self._speaker.ask(_joint(lacking)) if lacking else None
        waits = next((say for say in asking if say.pending), Say(""))
        cites = [say.cites for say in said if say.cites is not None]
        return replace(
            next((say for say in reversed(said) if say.operator), Say("")),
            text="\n\n".join(without_repeats([*texts, *([question.text] if question else [])])),
            grounds=tuple(chain.from_iterable(say.grounds for say in said)),
            derivations=tuple(chain.from_iterable(say.derivations for say in said)),
            reckoned="\n".join(say.reckoned for say in said if say.reckoned),
            asks=question.asks if question else next((say.asks for say in reversed(asking)), None),
            pending=waits.pending,
            given=waits.given,
            topic=next((say.topic for say in reversed(said) if say.topic), None),
            cites=tuple(chain.from_iterable(cites)) if cites and len(cites) == len(said) else None,
        )


def _apart(texts: Sequence[str], asked: Sequence[str]) -> list[str]:
    """The texts, each once; of one that answers several questions only the lines that they ask for, where each finds
    some."""
    fitting = [fitting_lines(text, question) for text, question in zip(texts, asked, strict=True)]
    shared = {text for text in texts if texts.count(text) > 1}
    shared = {text for text in shared if all(lines for lines, own in zip(fitting, texts, strict=True) if own == text)}
    return ["\n".join(lines) if text in shared else text for lines, text in zip(fitting, texts, strict=True)]


def _joint(lacking: Sequence[NeedsInput]) -> NeedsInput:
    fields = {field.name: field for needs in lacking for field in needs.fields}
    return lacking[0].model_copy(update={"fields": tuple(fields.values())})


def _made(call: Call, item: Done) -> bool:
    """Whether a call was made, with what was known then."""
    told = {name: value for name, value in item.args.items() if name not in _RETOLD}
    return item.tool == call.tool and told.items() <= call.args.items()
