"""Measures what leaves the house: changed figures in answers, and streams fed in every possible split."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from app.insurance.catalogue import load_catalogue
from app.language.tokenizer import Tokenizer
from app.safety.figures import figures
from app.safety.gate import SentenceGate
from app.safety.grounding import ProductNames, ungrounded
from app.safety.output import OutputGuard
from app.safety.personal_data import shipped_masker
from app.safety.phrase_classifier import PhraseClassifier
from app.safety.phrases import PhraseChecker
from app.settings import Settings

Row = dict[str, Any]

_RANDOM_SPLITS = 20
_DIGIT = re.compile(r"\d")


def rate(hits: int, total: int) -> Row:
    """A share with its Wilson 95 % interval."""
    if not total:
        return {"hits": 0, "total": 0, "rate": None, "low": None, "high": None}
    z, share = 1.96, hits / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * np.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return {
        "hits": hits,
        "total": total,
        "rate": round(share, 4),
        "low": round(max(0.0, middle - half), 4),
        "high": round(min(1.0, middle + half), 4),
    }


def measure_grounding(rows: Sequence[Row], settings: Settings, *, verbose: bool = False) -> Row:
    """How many one-figure changes are caught, and how many unchanged answers are doubted."""
    catalogue = load_catalogue(settings.content_dir, settings.company_name)
    names = ProductNames([product.name for product in catalogue.products])
    caught = total = doubted = 0
    took: list[float] = []
    draw = random.Random(20)
    for row in rows:
        started = time.perf_counter()
        loose = ungrounded(row["text"], row["evidence"], names)
        took.append((time.perf_counter() - started) * 1000)
        doubted += bool(loose)
        if loose and verbose:
            print(f"오탐: {row['text']!r} {[item.text for item in loose]}")
        for changed in _changed(row["text"], draw):
            total += 1
            found = bool(ungrounded(changed, row["evidence"], names))
            caught += found
            if not found and verbose:
                print(f"놓침: {changed!r}")
    return {
        "recall": rate(caught, total),
        "false_alarms": rate(doubted, len(rows)),
        "latency_ms": latency(took),
    }


def _changed(text: str, draw: random.Random) -> Iterator[str]:
    """The text with one digit of one figure changed, for each figure in turn."""
    for figure in figures(text):
        digits = [match.start() for match in _DIGIT.finditer(text, figure.start, figure.end)]
        if digits:
            place = draw.choice(digits)
            other = draw.choice([digit for digit in "123456789" if digit != text[place]])
            yield text[:place] + other + text[place + 1 :]


def measure_streams(rows: Sequence[Row], settings: Settings, *, verbose: bool = False) -> Row:
    """Leaks over all splits of all texts; how much of clean texts gets out, and how many letters wait at most."""
    catalogue = load_catalogue(settings.content_dir, settings.company_name)
    classifier = PhraseClassifier(settings.content_dir, Tokenizer())
    guard = OutputGuard(
        shipped_masker(),
        PhraseChecker(catalogue.reference.forbidden_phrases, classifier),
        [product.name for product in catalogue.products],
        lambda: ("premium_estimate", "customer_search"),
    )
    leaked = splits = clean = whole = 0
    held: list[int] = []
    took: list[float] = []
    for row in rows:
        text, canaries = row["text"], tuple(row.get("canaries", ()))
        for pieces in _splits(text):
            gate = SentenceGate(guard, canaries)
            started = time.perf_counter()
            shown = "".join(gate.feed(piece) for piece in pieces)
            took.append((time.perf_counter() - started) * 1000)
            splits += 1
            bad = [leak for leak in row["leaks"] if leak in shown]
            leaked += bool(bad)
            if bad and verbose:
                print(f"샘: {bad} {pieces!r}")
            if not row["leaks"]:
                clean += 1
                whole += text.startswith(shown) and len(text) - len(shown) <= _last_sentence(text)
        if not row["leaks"]:
            held += _held(SentenceGate(guard, canaries), text)
    return {
        "leaks": rate(leaked, splits),
        "clean_delivered": rate(whole, clean),
        "median_held_letters": float(np.median(held)) if held else 0.0,
        "latency_ms": latency(took),
    }


def _splits(text: str) -> Iterator[list[str]]:
    """In two at every place, letter by letter, and in random pieces."""
    yield from ([text[:at], text[at:]] for at in range(1, len(text)))
    yield list(text)
    draw = random.Random(len(text))
    for _ in range(_RANDOM_SPLITS):
        cuts = sorted(draw.sample(range(1, len(text)), min(8, len(text) - 1)))
        yield [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _last_sentence(text: str) -> int:
    """The last sentence and the blank before it wait for the judgement of the whole."""
    ends = [match.end() for match in re.finditer(r"[.!?]\s+|\n", text)]
    return len(text) - (ends[-1] if ends else 0) + 2


def _held(gate: SentenceGate, text: str) -> list[int]:
    """Letters that wait after each letter of the stream."""
    out, waiting = 0, []
    for number, letter in enumerate(text, 1):
        out += len(gate.feed(letter))
        waiting.append(number - out)
    return waiting


def latency(took: Sequence[float]) -> Row:
    """The middle, the 99th of a hundred and the longest of some times in ms."""
    return {
        "p50": round(float(np.percentile(took, 50)), 3),
        "p99": round(float(np.percentile(took, 99)), 3),
        "max": round(max(took), 3),
    }
