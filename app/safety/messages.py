"""L1 on a whole message: what was pasted into it, what the talk before it adds, and what it holds of personal data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.safety.injection import InjectionCheck, InjectionVerdict
from app.safety.pasted import PastedTexts
from app.safety.personal_data import PersonalDataMasker

# A role is set up, a word is given a meaning, an order follows: that many messages before the newest are read with it.
EARLIER = 3
# … of which so many letters each; a longer newest message speaks for itself.
_LETTERS = 150
TALK = "talk"


@dataclass(frozen=True)
class MessageVerdict:
    """`attack` is L1's verdict on what is left; `text` the message without the `cut` orders of its pasted part; `own`
    the person's own words where the rest is pasted."""

    attack: InjectionVerdict
    text: str
    cut: tuple[str, ...] = ()
    own: str | None = None


class MessageCheck:
    """Judges messages of a talk. Thread-safe."""

    def __init__(self, check: InjectionCheck, pasted: PastedTexts, masker: PersonalDataMasker) -> None:
        self._check, self._pasted, self._masker = check, pasted, masker

    def over(self, check: InjectionCheck) -> MessageCheck:
        """The same check of messages with another one of their texts."""
        return MessageCheck(check, self._pasted, self._masker)

    def judge(self, text: str, before: Sequence[str] = ()) -> MessageVerdict:
        """The verdict on a message that follows the messages `before` of the same person, oldest first.

        Orders to a model in a pasted text cost the turn its customer tools and are cut; elsewhere they block.
        """
        attack = self._check.judge(text)
        if fenced := self._pasted.fenced(text, self._check, attack):
            if fenced.cut or attack.level != "pass":
                rule, family = attack.rule or "pasted", attack.family or "pasted"
                attack = replace(attack, level="restrict", rule=rule, family=family)
            found = MessageVerdict(attack, fenced.text, fenced.cut, fenced.own)
        else:
            found = MessageVerdict(self._without_numbers(text, attack), text)
        if found.attack.level == "block" or not before or len(text) > _LETTERS:
            return found
        if self._check.rules.only_counts(text):
            return found
        return self._in_talk(found, before)

    def plain(self, text: str) -> str:
        """The text without what it holds of personal data: a telephone number says nothing of what is asked."""
        kept, at = [], 0
        for span in self._masker.find(text):
            kept.append(text[at : span.start])
            at = span.end
        return "".join([*kept, text[at:]])

    def _without_numbers(self, text: str, attack: InjectionVerdict) -> InjectionVerdict:
        """Where letters alone speak against a message, it is judged by its words."""
        if attack.family != "classifier" or (plain := self.plain(text)) == text:
            return attack
        return self._check.judge(plain)

    def _in_talk(self, found: MessageVerdict, before: Sequence[str]) -> MessageVerdict:
        """An order in parts is none in any of them."""
        told = " ".join([*(earlier[:_LETTERS] for earlier in before[-EARLIER:]), found.text])
        whole = self._check.judge(told)
        if whole.level != "block":
            return found
        attack = replace(whole, rule=f"{TALK}:{whole.rule}")
        return MessageVerdict(attack, found.text, found.cut, found.own)
