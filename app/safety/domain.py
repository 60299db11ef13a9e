"""L2: is a question about insurance at all? A classifier over words and meaning, with calibrated thresholds.

Small talk and questions about the conversation itself are inside: they are answered, only without a tool.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, replace

from app.language.evidence import FactReader, Judge
from app.language.features import Analysis, TextAnalyser
from app.language.kernel_heads import HeardText, KernelHeads
from app.safety.at_large import AtLarge

# Words that hang on what was said before: "여자는요?", "군대 가면?", "그러면 달라져요?".
_HANGS_ON = re.compile(
    r"(?:[은는도면엔만랑]|이나|까지|부터|[은는한인]데|이라|으로|[가-힣]로)요?[\s?？~.!…ㅎㅋ]*$|"
    r"(?:달라지|달라져|바뀌|되나|돼요|돼(?=\?)|되죠|괜찮|상관|가능|불이익|포함)[가-힣]{0,4}[\s?？~.!]*$|"
    r"^(?:그럼|그러면|대충)?\s?얼마(?:쯤|정도|나|씩)?\s?(?:을|를|이|가)?\s?(?:받|나오|나와|나올|주|줄|줘|타)[가-힣]{0,5}[\s?？~.!]*$"
)
_SHORT_WORD = 6
# Morphemes that name something; a text without any (헐, 졸리다, 더 싸게요) has no subject that could lie outside.
_NAMING = frozenset(("NNG", "NNP", "NR", "XR", "SL", "SH", "SN"))
# Whole sentences in the middle of a talk have no need of it: they are refused a little below the threshold already.
_MID_TALK = 0.95


@dataclass(frozen=True)
class DomainVerdict:
    """`score`: how surely outside (0-1). `margin`: how far below the refusal threshold (negative when refused).

    `clear_outsider`: outside whatever was said before; only these are refused on a follow-up.
    """

    in_domain: bool
    score: float
    margin: float
    clear_outsider: bool


class DomainCheck:
    """Judges texts. `judge.threshold` refuses, `clear_threshold` (higher) refuses follow-ups too."""

    def __init__(
        self,
        analyser: TextAnalyser,
        heads: KernelHeads,
        facts: FactReader,
        judge: Judge,
        clear_threshold: float,
        at_large: AtLarge | None = None,
    ) -> None:
        """`at_large` lets in what speaks of insurance, whatever the classifier learned of such texts."""
        self._analyser, self._heads, self._facts, self._at_large = analyser, heads, facts, at_large
        self.judge_model, self.clear_threshold = judge, clear_threshold
        self._clear_from = clear_threshold

    @property
    def threshold(self) -> float:
        """How surely outside (0-1) a first message must be to be refused."""
        return self.judge_model.threshold

    def put(self, threshold: float) -> None:
        """Refuse from this score on, from the next text on. What is clearly outside is never below it."""
        self.clear_threshold = max(self._clear_from, threshold)
        self.judge_model = replace(self.judge_model, threshold=threshold)

    def over(self, threshold: float) -> DomainCheck:
        """The same check with another threshold, beside this one."""
        other = copy.copy(self)
        other.put(threshold)
        return other

    def heard(self, text: str) -> HeardText:
        """The text as `judge` and the router take it, so that both read it once."""
        return HeardText(self._analyser.analyse(text))

    def judge(self, text: str, heard: HeardText | None = None) -> DomainVerdict:
        """The verdict on one question, about 0.5 ms.

        A text that names nothing is inside, and one that speaks of insurance.
        """
        score, threshold = self.weight(text, heard), self.judge_model.threshold
        return DomainVerdict(
            in_domain=score < threshold,
            score=round(score, 4),
            margin=round(threshold - score, 4),
            clear_outsider=score >= self.clear_threshold,
        )

    def weight(self, text: str, heard: HeardText | None = None) -> float:
        """What `threshold` is held against: how surely outside (0-1); 0 where words alone say that it is inside."""
        if self.speaks_of_insurance(text):
            return 0.0
        heard = heard or self.heard(text)
        read = heard.analysis
        if not _names_something(read):
            return 0.0
        _, scores = heard.by(self._heads)
        return self.judge_model.probability(self._facts.facts(scores, self._heads.labels, read))

    def speaks_of_insurance(self, text: str) -> bool:
        """Whether the words are of insurance at large, by its file."""
        return self._at_large is not None and self._at_large.names(text)

    def judge_follow_up(self, text: str, joined: DomainVerdict, alone: DomainVerdict, particulars: bool) -> bool:
        """Whether a message in the middle of a talk belongs to it. `joined` judges it behind the question before.

        Only what hangs on that question (or names a job, an illness or the like: `particulars`) is saved by it.
        """
        if alone.clear_outsider:
            return False
        hangs_on = particulars or hangs_on_earlier(text)
        if alone.in_domain:
            return hangs_on or len(text) < _SHORT_WORD or alone.score < _MID_TALK * self.judge_model.threshold
        above = self.clear_threshold - self.judge_model.threshold
        if hangs_on:
            return joined.score < self.judge_model.threshold + above / 2
        return alone.score < self.judge_model.threshold + above / 4 and joined.in_domain


def hangs_on_earlier(text: str) -> bool:
    """Whether the words are no sentence of their own but continue what was asked."""
    return _HANGS_ON.search(text.strip()) is not None


def _names_something(read: Analysis) -> bool:
    return any(tag.partition("-")[0] in _NAMING for _, tag in read.tagged)
