"""The sentence gate: of a text that still comes in pieces, only sentences that passed every check get out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence

from app.safety import sentences
from app.safety.evidence import Evidence
from app.safety.output import OutputGuard
from app.safety.overlap import Repeating
from app.safety.thoughts import ThoughtStripper

log = logging.getLogger(__name__)

_CONTEXT = 400
_LONGEST_WAIT = 20_000


class SentenceGate:
    """One stream's gate. What it released is always a prefix of the text without its thoughts and leading blanks.

    A sentence is released when it has ended, passed `OutputGuard.sentence_ok` together with what stands before it, and
    nothing that follows can change that. After a sentence that fails nothing more gets out; while much of the text is
    like texts that are not for people, what passed waits.
    """

    def __init__(
        self,
        guard: OutputGuard,
        canaries: Collection[str] = (),
        evidence: Callable[[], Sequence[str]] | None = None,
        repeating: Repeating | None = None,
    ) -> None:
        """`evidence` tells what figures may rest on; None where that is known only when the answer is whole.

        `repeating` counts what the stream repeats of texts that are not for people.
        """
        self._guard, self._canaries, self._evidence = guard, canaries, evidence
        self._given: Evidence | None = None
        self._repeating = repeating
        self._thoughts = ThoughtStripper()
        self._last: list[str] = []
        self._pending = ""
        self._held: list[str] = []
        self._shut = False

    @property
    def shut(self) -> bool:
        """Whether a sentence failed."""
        return self._shut

    def feed(self, delta: str) -> str:
        """The text that may be shown now, given the next piece of the stream; often empty."""
        if self._shut:
            return ""
        self._pending += self._thoughts.feed(delta)
        if self._thoughts.lone_close or len(self._pending) > _LONGEST_WAIT:
            # All before a closing tag without an opening one was thought.
            return self._close()
        if not self._last:
            self._pending = self._pending.lstrip()
        return "".join(self._passed())

    def rest(self) -> str:
        """Always empty: the last sentence waits for the judgement of the whole answer."""
        return ""

    def _passed(self) -> list[str]:
        out: list[str] = []
        lead = len(self._pending) - len(self._pending.lstrip())
        taken = 0
        for cut in sentences.ends(self._pending[lead:]):
            # The blank behind a sentence waits for the next one, so that releases end in a visible letter.
            piece = self._pending[taken : lead + cut].rstrip()
            if not piece.strip():
                continue
            context = "".join(self._last) + piece
            if not self._passes(context, piece):
                self._close()
                return out
            taken += len(piece)
            self._remember(piece)
            self._held.append(piece)
            if self._repeating is None or not self._repeating.wary:
                out += self._held
                self._held = []
        self._pending = self._pending[taken:]
        return out

    def _passes(self, context: str, piece: str) -> bool:
        try:
            if not self._guard.sentence_ok(context, self._canaries):
                return False
            if self._guard.partial_leak(context, self._canaries):
                return False
            if self._repeating is not None and self._repeating.beyond(piece):
                return False
            if self._evidence is None:
                return True
            if self._given is None:
                self._given = Evidence(self._evidence())
            return self._guard.grounded(piece, self._given)
        except Exception:  # whatever breaks inside a guard, the sentence must not pass it
            log.exception("sentence gate failed")
            return False

    def _remember(self, piece: str) -> None:
        """Keeps the last sentences: no match may arise from them and the next one together."""
        self._last.append(piece)
        while len(self._last) > 2 and sum(map(len, self._last)) > _CONTEXT:
            del self._last[0]

    def _close(self) -> str:
        self._shut = True
        self._pending, self._held = "", []
        return ""
