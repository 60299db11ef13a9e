"""Does a message tell what an argument asks for, or only much beside it? A judge trained on messages of both kinds.

형은 소방관인데 동생 하는 일이 위험직인지 알 수 있어요? holds a job, and not the one asked about. Rules take the
words out of a message; where this judge is sure that the message tells nothing of the kind, they are not taken and the
argument is asked for. So is the product, where the message is of another one than the talk, without a name: 저도 예전에
들어놓은 게 있는데 그건 몇 살까지 갱신되죠? Trained by `python -m scripts.train_told`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.errors import Unavailable
from app.language.feature_space import Floats
from app.language.features import TextAnalyser
from app.language.kernel_heads import KernelHeads
from app.language.kernel_store import heads_from_parts, heads_to_parts
from app.language.mentions import Entities
from app.language.morpheme_vectors import SimilarityModel
from app.language.normalise import compact
from app.messages import worded
from app.packed import SUFFIX, open_packed, write_packed
from app.planner.facts import Facts
from app.planner.follow_up import asks

SHIPPED = Path("models") / "told" / f"heads{SUFFIX}"
# Arguments under one head: what a product covers is called by the same words in both.
HEAD_OF: Mapping[str, str] = {"coverage_type": "benefit"}
PRODUCT = "product"
JUDGED = (
    PRODUCT,
    "action",
    "benefit",
    "case_summary",
    "code_or_name",
    "event",
    "goal",
    "history",
    "job",
    "query",
    "rider",
    "term",
    "text",
    "topic",
    "treatments",
)
_MESSAGES = 256


def names_product(said: Entities) -> bool:
    """Whether a message names a product or a kind of insurance, or points at some of those shown (다른 쪽은요?, 갱신 안
    되는 거)."""
    kinds = any(not kind.negated for kind in said.categories)
    pointed = said.non_renewing or any(pointed.kind != "that" for pointed in said.references)
    return bool(said.product_codes) or kinds or pointed


class ToldJudge:
    """One head an argument. A score is near 1 for messages that tell it and near -1 for those that do not."""

    def __init__(self, heads: KernelHeads, untold_below: Mapping[str, float], analyser: TextAnalyser) -> None:
        """`untold_below`: the score of each head below which a message is sure to tell nothing."""
        self.heads, self.untold_below, self._analyser = heads, dict(untold_below), analyser
        self._scores = lru_cache(maxsize=_MESSAGES)(self._read)

    def only_told(self, given: Mapping[str, Any], required: Collection[str], message: str) -> dict[str, Any]:
        """The arguments without those required ones that were taken out of a message which tells nothing of them; one
        of which a word stands elsewhere was told before."""
        said = compact(message)
        return {
            name: value
            for name, value in given.items()
            if name not in required
            or not all(compact(word) in said for word in str(value).split())
            or not self.untold(name, message)
        }

    def facts_for(self, message: str, said: Entities, facts: Facts) -> Facts:
        """The facts without the products of the talk, where the message is of another one that it does not name, or
        goes on telling of it instead of naming it."""
        if not facts.product_codes or names_product(said):
            return facts
        still = "product_code" in facts.asked and not asks(message)
        if not still and not self.untold(PRODUCT, message):
            return facts
        return facts.model_copy(update={"product_codes": (), "shown_products": (), "kinds": ()})

    def untold(self, name: str, message: str) -> bool:
        """Whether the message surely tells nothing for the argument; False for arguments without a head. About 1 ms,
        once a message."""
        head = HEAD_OF.get(name, name)
        if head not in self.untold_below:
            return False
        return float(self._scores(message)[self.heads.labels.index(head)]) < self.untold_below[head]

    def _read(self, message: str) -> Floats:
        return self.heads.scores(self._analyser.analyse(message))

    def save(self, path: Path) -> None:
        """Everything but the analyser, in one packed file. Raises OSError."""
        write_packed(path, {"untold_below": json.dumps(self.untold_below), **heads_to_parts(self.heads)})

    @classmethod
    def load(cls, path: Path, model: SimilarityModel, analyser: TextAnalyser) -> ToldJudge:
        """What `save` wrote. Raises Unavailable when the file is missing, damaged or of another version."""
        try:
            with open_packed(path) as stored:
                heads = heads_from_parts(stored, model)
                below: dict[str, float] = json.loads(stored.text("untold_below"))
            if heads is None:
                raise ValueError("format")
            return cls(heads, below, analyser)
        except (OSError, ValueError) as error:
            raise Unavailable(worded("told.unreadable", path=path)) from error
