"""No answer comes twice: whether one is the one before again, and which of its lines a narrower question asks for."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

NOTICE = "\n\n※"
BULLET, FIELD = "• ", ": "
_FIGURES = re.compile(r"[\d,.]+")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_ALIKE = 0.93
_MOST = 0.7
_LEAST_CHARS = 40
_STEM_CHARS = 2
_MOST_LINES = 4


def repeats(before: str, answer: str) -> bool:
    """Whether an answer is the one before again: over 93 % the same text with the same figures, notices aside."""
    old, new = (text.split(NOTICE)[0] for text in (before, answer))
    if len(new) <= _LEAST_CHARS or _FIGURES.findall(old) != _FIGURES.findall(new):
        return False
    return difflib.SequenceMatcher(None, old, new).ratio() > _ALIKE


def told_already(earlier: Sequence[str], answer: str) -> bool:
    """Whether an answer tells what the answers before it told, and most of one of them: by the letters of its lines,
    notices aside. A part of a longer answer is a narrower one."""
    told = [_lines(text) for text in earlier]
    known = {line for lines in told for line in lines}
    lines = _lines(answer)
    chars = _chars(lines)
    if chars <= _LEAST_CHARS or _chars(line for line in lines if line in known) <= _ALIKE * chars:
        return False
    again = set(lines)
    return any(_chars(line for line in text if line in again) > _MOST * _chars(text) for text in told)


def _chars(lines: Iterable[str]) -> int:
    return sum(map(len, lines))


def _lines(answer: str) -> list[str]:
    return [line.strip() for line in answer.split(NOTICE)[0].splitlines() if line.strip()]


def fitting_lines(answer: str, asked: str) -> tuple[str, ...]:
    """The lines of an answer that hold most of the message's telling words, compared by how they begin; none where no
    word tells some lines from the others, or too many are left."""
    lines = _lines(answer) if _in_korean(answer) else []
    if lines and not lines[0].startswith(BULLET) and not _FIGURES.search(lines[0]):
        lines = lines[1:]  # what stands over a list tells nothing of its own
    stems = {word[:_STEM_CHARS] for word in _WORDS.findall(asked)}
    telling = [stem for stem in stems if 0 < sum(stem in line for line in lines) <= len(lines) // 2]
    scores = [sum(stem in line for stem in telling) for line in lines]
    best = max(scores, default=0)
    found = [line for line, score in zip(lines, scores, strict=True) if score == best]
    return tuple(found) if best and len(found) <= min(_MOST_LINES, len(lines) - 2) else ()


def fitting_sentences(answer: str, asked: str) -> tuple[str, ...]:
    """The sentences of an answer that hold most of the message's telling words; none where none does, or all do."""
    lines = answer.split(NOTICE)[0].replace(". ", ".\n").splitlines()
    sentences = [line.strip() for line in lines if line.strip()]
    stems = {word[:_STEM_CHARS] for word in _WORDS.findall(asked)}
    scores = [sum(stem in sentence for stem in stems) for sentence in sentences]
    best = max(scores, default=0)
    found = [sentence for sentence, score in zip(sentences, scores, strict=True) if score == best]
    return tuple(found) if best and len(found) < len(sentences) else ()


def _in_korean(text: str) -> bool:
    """Whether a text is told in Korean, so that words of a question may be looked for in it."""
    latin = sum(letter.isascii() and letter.isalpha() for letter in text)
    return 2 * latin < sum(letter.isalpha() for letter in text)


def field_lines(answer: str) -> list[str]:
    """The lines of an answer that are a label and its value."""
    lines = answer.split(NOTICE)[0].splitlines()
    return [line.strip() for line in lines if line.startswith(BULLET) and FIELD in line]


def named_fields(answer: str, *texts: str) -> tuple[str, ...]:
    """The lines of an answer whose label one of the texts says (기본형(기본): … of 기본형이랑 뭐가 달라요); none where
    they are fewer than two, or all."""
    lines, said = field_lines(answer), "".join("".join(text.split()) for text in texts)
    labels = ["".join(line.removeprefix(BULLET).split(FIELD)[0].split("(")[0].split()) for line in lines]
    found = [line for line, label in zip(lines, labels, strict=True) if label and label in said]
    return tuple(found) if 1 < len(found) < len(lines) else ()


def fitting_fields(answer: str, asked: str, counts: Sequence[str] = ()) -> tuple[str, ...]:
    """The lines of an answer, a label and a value each, whose label holds most of the message's telling words, else
    the one that tells a number of what is asked for by `counts`; none where that tells no line from the others."""
    lines = field_lines(answer)
    labels = [line.removeprefix(BULLET).split(FIELD)[0] for line in lines]
    stems = {word[:_STEM_CHARS] for word in _WORDS.findall(asked)}
    scores = [sum(stem in label for stem in stems) for label in labels]
    best = max(scores, default=0)
    found = [line for line, score in zip(lines, scores, strict=True) if score == best]
    if best and len(found) <= len(lines) // 2:
        return tuple(found)
    values = [line.split(FIELD)[-1] for line in lines]
    counted = [
        line
        for line, value in zip(lines, values, strict=True)
        if counts and value.endswith(tuple(counts)) and value[:1].isdigit()
    ]
    return tuple(counted) if len(counted) == 1 else ()


def first_sentence(answer: str, ends: Sequence[str] = (". ", "\n")) -> str:
    """The sentence that an answer begins with."""
    cuts = [answer.find(end) for end in ends if end in answer]
    return answer[: min(cuts) + 1].strip() if cuts else answer.strip()
