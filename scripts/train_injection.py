"""Trains the L1 classifier: `python -m scripts.train_injection [--report]`.

Writes data/safety/{injection,likeness}.packed.

Texts: data/safety/development/*.jsonl (attacks, look-alikes, documents, ordinary questions). Thresholds come from
scores of texts that were left out of training (5 folds), so they hold for texts the classifier has not seen.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from app.language.tokenizer import Tokenizer
from app.safety.disguises import squeezed
from app.safety.injection import LIKENESS_WEIGHT, MODEL_FILE, RULES_FILE, InjectionRules
from app.safety.likeness import LIKENESS_FILE
from app.safety.sentences import sentences
from app.safety.text_classifier import SIZE, Floats, Indices, TextClassifier, features
from app.settings import Settings
from scripts.train_likeness import LikenessTrainer, Line

_FOLDS = 5
_STRENGTH = 30.0
_TAGS = re.compile(r"[\U000E0000-\U000E007F]")
# How much one text of a kind counts for the letters, and when it is compared with others (0: left out).
_WEIGHTS = {
    **dict.fromkeys(("attacks", "lookalikes", "documents", "ordinary"), 2.0),
    **dict.fromkeys(("drawn", "plain", "told"), 0.4),
}
# Learned by their letters alone and never left out: there are many of them.
_EXTRA = ("drawn", "plain", "told")
# Files of data/utterances that are no plain insurance questions: a list of customers is asked for in an attack's words.
_NOT_PLAIN = ("customer_search", "no_tool", "outside")
# What tools and documents say, except the file that speaks of forbidden talk.
_TOLD = ("knowledge", "reference", "products", "documents/sources")
_NOT_TOLD = ("forbidden_phrases",)
_TOLD_MARKS = re.compile(r"^[\s\-|•]*(?:[a-z_]+: )?['\"]?")
_TOLD_LENGTHS, _TOLD_SENTENCES = (12, 260), 5000
_COMPARED = {"attacks": 2.0, "lookalikes": 2.0, "documents": 2.0, "ordinary": 1.5}
_VIEWS, _FURTHER_VIEWS = 3, 0.5
_DRAWN = 90
# Shares of unseen benign texts that may be restricted and blocked by the classifier.
_LOOKALIKES_RESTRICTED, _ORDINARY_RESTRICTED = 0.022, 0.005
_BLOCK_MARGIN = 2.0
# The score that a rule needs beside it: below, the text as a whole speaks against it.
_RULE_MARGIN = 1.5


@dataclass(frozen=True)
class Example:
    """One text as the classifier meets it: its views and their features."""

    kind: str
    attack: bool
    views: tuple[str, ...]
    rows: tuple[tuple[Indices, Floats], ...]


def main() -> int:
    """Trains, saves and prints what was found in left-out texts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="store_true", help="재기만 하고 저장하지 않습니다")
    options = parser.parse_args()
    content = Settings().content_dir
    rules = InjectionRules(content / RULES_FILE)
    examples = read_examples(content / "safety" / "development", rules)
    examples += [_example("plain", False, text, rules) for text in plain_texts(content)]
    examples += [_example("told", False, text, rules) for text in told_texts(content)]
    folds = np.random.default_rng(20).integers(0, _FOLDS, len(examples))
    folds[[e.kind in _EXTRA for e in examples]] = _FOLDS
    trainer = likeness_trainer(examples)
    scores = left_out_scores(examples, folds) + LIKENESS_WEIGHT * left_out_likeness(examples, folds, trainer)
    restrict_at = _threshold(examples, scores)
    at = {"restrict_at": restrict_at, "block_at": restrict_at + _BLOCK_MARGIN, "rule_at": restrict_at - _RULE_MARGIN}
    ruled = np.array([any(rules.first(rules.bare(view)) for view in e.views) for e in examples])
    found = (scores >= restrict_at) | (ruled & (scores >= restrict_at - _RULE_MARGIN))
    for kind in _WEIGHTS:
        for attack in (True, False):
            held = np.array([e.kind == kind and e.attack == attack for e in examples])
            if held.any():
                label, blocked = "공격" if attack else "정상", (scores[held] >= at["block_at"]).mean()
                print(f"{kind:11} {label} {held.sum():5}개 중 {found[held].mean():.1%} 검출, {blocked:.1%} 차단")
    print("문턱: " + ", ".join(f"{name} {value:.2f}" for name, value in at.items()))
    if not options.report:
        replace(fit(examples), restrict_at=at["restrict_at"], block_at=at["block_at"], rule_at=at["rule_at"]).save(
            content / MODEL_FILE
        )
        trainer.fit().save(content / LIKENESS_FILE)
    return 0


def likeness_trainer(examples: list[Example]) -> LikenessTrainer:
    """Every view of every text but the drawn ones; the further views of harmless texts are only scored."""
    lines = []
    for group, example in enumerate(examples):
        if example.kind in _EXTRA:
            continue
        for number, view in enumerate(example.views[:_VIEWS]):
            further = _FURTHER_VIEWS if example.attack else 0.0
            lines.append(Line(view, example.attack, _COMPARED[example.kind] * (further if number else 1.0), group))
    return LikenessTrainer(lines, Tokenizer())


def left_out_likeness(
    examples: list[Example], folds: NDArray[np.int_], trainer: LikenessTrainer
) -> NDArray[np.float64]:
    """The highest score of each text's views under comparison with other folds' texts."""
    groups = np.array([line.group for line in trainer.lines])
    by_line = trainer.left_out(folds[groups])
    best = np.full(len(examples), -1.0)
    np.maximum.at(best, groups, by_line)
    return best


def read_examples(folder: Path, rules: InjectionRules) -> list[Example]:
    """Every development text with its label."""
    examples = []
    for kind in (kind for kind in _WEIGHTS if kind not in _EXTRA):
        for line in (folder / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            attack = kind == "attacks" or row.get("label") == "injected"
            examples.append(_example(kind, attack, row["text"], rules))
    examples += [_example("drawn", attack, text, rules) for attack, text in drawn_texts(folder / "templates.yaml")]
    return examples


def plain_texts(content: Path) -> list[str]:
    """The utterances that the router learns, turns of the training talks, and what is asked of products by name."""
    lines = [
        line
        for path in sorted((content / "utterances").glob("*.txt"))
        if path.stem not in _NOT_PLAIN
        for line in path.read_text(encoding="utf-8").split("\n")
    ]
    products = yaml.safe_load((content / "safety" / "development" / "templates.yaml").read_text(encoding="utf-8"))
    named = [f"{name} {asked}" for name in products["slots"]["상품"] for asked in products["plain"]]
    return list(dict.fromkeys(text for text in (*lines, *named, *_turns(content / "dialogues")) if text.strip()))


def _turns(folder: Path) -> Iterator[str]:
    """What people say in talks whose authors expect an answer."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            for turn in json.loads(line)["turns"]:
                if turn.get("guard") is None and not {*turn.get("expected_tools", ())} & {*_NOT_PLAIN}:
                    yield turn["user"]


def told_texts(content: Path) -> list[str]:
    """Sentences of what the tools and documents tell; a part of them, the same one each time."""
    found: dict[str, None] = {}
    for folder in _TOLD:
        for path in sorted((content / folder).rglob("*")):
            if path.suffix in (".yaml", ".md", ".json", ".txt") and path.stem not in _NOT_TOLD:
                text = path.read_text(encoding="utf-8")
                found |= dict.fromkeys(_TOLD_MARKS.sub("", text[a:b]).strip() for a, b in sentences(text))
    kept = [text for text in found if _TOLD_LENGTHS[0] <= len(text) <= _TOLD_LENGTHS[1] and "{%" not in text]
    return random.Random(20).sample(kept, min(_TOLD_SENTENCES, len(kept)))


def drawn_texts(path: Path) -> list[tuple[bool, str]]:
    """Sentences drawn from the templates, the same ones each time."""
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    draw = random.Random(20)
    texts = {}
    for label in ("attacks", "benign"):
        for template in data[label]:
            for _ in range(_DRAWN):
                text = re.sub(r"\{(\w+)\}", lambda match: draw.choice(data["slots"][match.group(1)]), template)
                texts[text] = label == "attacks"
    return [(attack, text) for text, attack in texts.items()]


def _example(kind: str, attack: bool, text: str, rules: InjectionRules) -> Example:
    shown = [view for view in rules.views(text) if squeezed(view)]
    if attack and len(shown) > 1 and _TAGS.search(text):
        # What is written in invisible letters is the attack; what covers it is an ordinary question.
        shown = shown[1:]
    return Example(kind, attack, tuple(shown), tuple(features(squeezed(view), rules.concepts) for view in shown))


def left_out_scores(examples: list[Example], folds: NDArray[np.int_]) -> NDArray[np.float64]:
    """The score of each text's letters under a model trained without it."""
    scores = np.zeros(len(examples))
    for fold in range(_FOLDS):
        model = fit([e for e, f in zip(examples, folds, strict=True) if f != fold])
        for place in np.flatnonzero(folds == fold):
            scores[place] = max(
                (float(model.weights[p] @ v + model.bias) for p, v in examples[place].rows), default=-99.0
            )
    return scores


def fit(examples: list[Example]) -> TextClassifier:
    """Logistic regression over all texts; of an attack's further views each counts half."""
    rows: list[tuple[Indices, Floats]] = []
    labels: list[bool] = []
    weights: list[float] = []
    for example in examples:
        for number, row in enumerate(example.rows[: 3 if example.attack else 1]):
            rows.append(row)
            labels.append(example.attack)
            weights.append(_WEIGHTS[example.kind] * (1.0 if number == 0 else 0.5))
    return fit_rows(rows, np.array(labels), np.array(weights))


def fit_rows(
    rows: list[tuple[Indices, Floats]], labels: NDArray[np.bool_], weights: NDArray[np.float64]
) -> TextClassifier:
    """Logistic regression over feature rows; thresholds are left at 0."""
    starts = np.concatenate([[0], np.cumsum([len(places) for places, _ in rows])])
    matrix = csr_matrix(
        (np.concatenate([values for _, values in rows]), np.concatenate([places for places, _ in rows]), starts),
        shape=(len(rows), SIZE),
    )
    regression = LogisticRegression(C=_STRENGTH, solver="liblinear", max_iter=500, random_state=20)
    regression.fit(matrix, labels, sample_weight=weights)
    return TextClassifier(regression.coef_[0].astype(np.float32), float(regression.intercept_[0]), 0.0, 0.0, 0.0)


def _threshold(examples: list[Example], scores: NDArray[np.float64]) -> float:
    """The lowest score at which few enough benign texts are touched."""
    kinds = np.array([e.kind for e in examples])
    benign = ~np.array([e.attack for e in examples])
    lookalikes = float(np.quantile(scores[benign & (kinds == "lookalikes")], 1 - _LOOKALIKES_RESTRICTED))
    ordinary = float(np.quantile(scores[benign & (kinds == "ordinary")], 1 - _ORDINARY_RESTRICTED))
    return round(max(lookalikes, ordinary), 3)


if __name__ == "__main__":
    sys.exit(main())
