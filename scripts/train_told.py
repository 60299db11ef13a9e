"""Trains the judge of whether a message tells what an argument asks for, and writes data/models/told/heads.packed.

    python -m scripts.train_told            # writes; under a minute
    python -m scripts.train_told --measure  # what the judge finds of lines that it did not see; writes nothing

It learns from data/told, one file an argument, and from the dialogues of data/dialogues, whose turns say which
arguments a message gives and which must be asked for. Evaluation dialogues are never read.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from app.errors import AppError
from app.evaluation.dialogues import load_dialogues
from app.insurance.catalogue import load_catalogue
from app.language.entities import EntityReader
from app.language.feature_space import Floats, build_space
from app.language.features import TextAnalyser
from app.language.kernel_heads import Alpha, KernelHeads, Supports
from app.language.normalise import compact
from app.language.particulars import ParticularsMask
from app.language.ridge import gram_of, solve
from app.language.tokenizer import Tokenizer
from app.planner.told import HEAD_OF, JUDGED, PRODUCT, SHIPPED, ToldJudge, names_product
from app.routing.opening import read_products
from app.settings import Settings

# So many of the messages that tell it may be taken for ones that do not, each scored as if it had not been learned:
# on 470 of evaluation dialogues that cost one. Most messages of a talk go on about its product, so there it is fewer.
_LOST, _LOST_PRODUCT = 0.02, 0.005
# Of the turns of dialogues that tell it so many are compared with; all of them set the threshold. With all 10,300 the
# judge found 3 % more of what tells nothing (1,342 instead of 1,306 of 2,075 lines) and took twice the memory.
_COMPARED, _COMPARED_PRODUCT = 120, 600
_TODAY = date(2026, 1, 2)  # which day it is says nothing of products
_WORD = re.compile(r"[가-힣A-Za-z0-9.]{2,}")


@dataclass(frozen=True)
class Line:
    """A message and whether it tells what the head's argument asks for. `written`: for this, not part of a dialogue."""

    head: str
    said: str
    told: bool
    written: bool


def main(argv: Sequence[str] | None = None) -> int:
    """Train, then write or measure; returns the exit code."""
    parser = argparse.ArgumentParser(description="되묻기 모델을 학습합니다.")
    parser.add_argument("--measure", action="store_true", help="재기만 하고 저장하지 않습니다")
    options = parser.parse_args(argv)
    settings = Settings()
    content = settings.content_dir
    try:
        entities = EntityReader(load_catalogue(content, settings.company_name), language_dir=content / "language")
        dialogues = content / "dialogues"
        spoken = [*_spoken(dialogues), *_of_the_same(dialogues, entities)]
        lines = list(dict.fromkeys([*_written(content / "told"), *spoken]))
        tokenizer = Tokenizer()
        analyser = TextAnalyser(tokenizer, ParticularsMask(read_products(content), content / "language"))
        judge, scores = train(lines, tokenizer, analyser)
        if not options.measure:
            judge.save(content / SHIPPED)
    except AppError as error:
        print(error, file=sys.stderr)
        return 2
    print(_table(lines, scores, judge))
    return 0


def train(lines: Sequence[Line], tokenizer: Tokenizer, analyser: TextAnalyser) -> tuple[ToldJudge, Floats]:
    """The judge, and each line's score as if it had not been learned."""
    compared = _compared(lines)
    space, rows, meaning = build_space((analyser.analyse(lines[number].said) for number in compared), tokenizer)
    width = len(space.vocabulary)
    alpha = np.zeros((len(compared), len(JUDGED)), dtype=np.float32)
    scores = np.zeros(len(lines), dtype=np.float32)
    for column, head in enumerate(JUDGED):
        own = [place for place, number in enumerate(compared) if lines[number].head == head]
        numbers = [compared[place] for place in own]
        target = np.array([[1.0 if lines[number].told else -1.0] for number in numbers], dtype=np.float32)
        found, diagonal = solve(gram_of([rows[place] for place in own], width, meaning[own]), target)
        alpha[own, column] = found[:, 0]
        scores[numbers] = (target - found / diagonal[:, None])[:, 0]
    spoken = Alpha(0, 0, np.ascontiguousarray(alpha.T))
    heads = KernelHeads(JUDGED, space, (Supports.of(rows, meaning, width),), (spoken,))
    for number in sorted(set(range(len(lines))) - set(compared)):
        scores[number] = heads.scores(analyser.analyse(lines[number].said))[JUDGED.index(lines[number].head)]
    below = {}
    for head in JUDGED:
        told = [scores[number] for number, line in enumerate(lines) if line.head == head and line.told]
        below[head] = float(np.quantile(told, _LOST_PRODUCT if head == PRODUCT else _LOST))
    return ToldJudge(heads, below, analyser), scores


def _compared(lines: Sequence[Line]) -> list[int]:
    """The numbers of the lines that messages are compared with, from all over the dialogues."""
    kept = [number for number, line in enumerate(lines) if line.written or not line.told]
    for head in JUDGED:
        told = [n for n, line in enumerate(lines) if line.head == head and line.told and not line.written]
        most = min(len(told), _COMPARED_PRODUCT if head == PRODUCT else _COMPARED)
        kept += [told[place] for place in np.linspace(0, len(told) - 1, most).astype(int)]
    return sorted(kept)


def _written(folder: Path) -> Iterator[Line]:
    for path in sorted(folder.glob("*.jsonl")):
        for row in path.read_bytes().splitlines():
            line: dict[str, Any] = json.loads(row)
            if line["slot"] in JUDGED:
                yield Line(line["slot"], line["said"], line["told"], True)


def _spoken(folder: Path) -> Iterator[Line]:
    """Turns that give an argument in their own words, and turns after which it must be asked for."""
    for path in sorted(folder.glob("*.jsonl")):
        for turn in (turn for dialogue in load_dialogues(path) for turn in dialogue.turns if turn.calls):
            for name in turn.needs_input:
                if HEAD_OF.get(name, name) in JUDGED:
                    yield Line(HEAD_OF.get(name, name), turn.user, False, False)
            for name, value in ((name, value) for call in turn.calls for name, value in call.args.items()):
                head = HEAD_OF.get(name, name)
                if head in JUDGED and name not in turn.needs_input and _says(turn.user, value):
                    yield Line(head, turn.user, True, False)


def _of_the_same(folder: Path, entities: EntityReader) -> Iterator[Line]:
    """Turns that name neither a product nor a kind: those that go on about the product of the turns before, and those
    that are of another one."""
    for dialogue in (dialogue for path in sorted(folder.glob("*.jsonl")) for dialogue in load_dialogues(path)):
        spoken_of: set[str] = set()
        for turn in dialogue.turns:
            codes = {str(call.args["product_code"]) for call in turn.calls if "product_code" in call.args}
            said = entities.read(turn.user, _TODAY)
            if spoken_of and turn.calls and not names_product(said):
                if "product_code" in turn.needs_input:
                    yield Line(PRODUCT, turn.user, False, False)
                elif codes == spoken_of:
                    yield Line(PRODUCT, turn.user, True, False)
            if codes:
                spoken_of = codes if len(codes) == 1 else set()


def _says(message: str, value: Any) -> bool:
    """Whether the message itself holds the beginning of a word of the value."""
    said = compact(message)
    return any(compact(word)[:2] in said for word in _WORD.findall(str(value)))


def _table(lines: Sequence[Line], scores: Floats, judge: ToldJudge) -> str:
    rows = ["| argument | told | of these lost | not told | of these found | of those written for this |"]
    rows.append("|---|---|---|---|---|---|")
    for head in JUDGED:
        own = [(line, scores[i] < judge.untold_below[head]) for i, line in enumerate(lines) if line.head == head]
        told = [found for line, found in own if line.told]
        untold = [found for line, found in own if not line.told]
        written = [found for line, found in own if not line.told and line.written]
        by_hand = f"{sum(written)} of {len(written)}"
        rows.append(f"| {head} | {len(told)} | {sum(told)} | {len(untold)} | {sum(untold)} | {by_hand} |")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
