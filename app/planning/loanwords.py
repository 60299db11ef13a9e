"""How English words sound in Korean letters: burner is 버너, SUV is 에스유비."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from itertools import groupby

# The consonants of Hangul in the order of Unicode, those that English loanwords do not tell apart as one.
_FIRSTS = ("k", "k", "n", "t", "t", "l", "m", "p", "p", "s", "s", "", "j", "j", "j", "k", "t", "p", "h")
_LASTS = {1: "k", 2: "k", 4: "n", 7: "t", 8: "l", 16: "m", 17: "p", 19: "t", 20: "t", 21: "N", 22: "t", 23: "t"}
_LAST_BASE, _FIRST_BASE, _LAST_OPEN = 0x11A7, 0x1100, 0x1161
_EU = "\u1173"
# English spelling to the same sounds, in order; what is left of letters falls away.
_SPELT: tuple[tuple[str, str], ...] = (
    (r"tion|sion", "sn"), (r"sch|sh", "s"), (r"tch|ch", "j"), (r"ph", "p"), (r"th", "s"), (r"ck", "k"), (r"gh", ""),
    (r"wr", "r"), (r"kn", "n"), (r"ng(?=[eiy])", "nj"), (r"n(?=[kgqx])g?", "N"), (r"dg(?=[ei])", "j"),
    (r"c(?=[eiy])", "s"), (r"g(?=[eiy])", "j"), (r"x", "ks"), (r"[gcq]", "k"), (r"[bfv]", "p"),
    (r"d", "t"), (r"z", "j"), (r"r(?![aeiouy])", ""), (r"r", "l"), (r"(?<=.)h(?![aeiouy])|(?<=[^aeiouy])w", ""),
)  # fmt: skip
_VOWELS = "aeiouy"
_LEAST = 2


def sounds(text: str) -> tuple[str, int]:
    """The consonants of a word as they sound, and how many syllables it has; of Hangul or Latin letters."""
    return _latin(text.lower()) if text.isascii() else _hangul(text)


def spelt_out(word: str, letters: Mapping[str, str]) -> str:
    """The letters of a word as they are read out."""
    return "".join(letters.get(letter, "") for letter in word.lower())


def alike(one: str, other: str) -> bool:
    """Whether one of two words in different letters may be the other's spelling."""
    if one.isascii() == other.isascii():
        return False
    (first, many), (second, more) = sounds(one), sounds(other)
    return first == second and len(first) >= _LEAST and (len(first) > _LEAST or many == more)


def _hangul(word: str) -> tuple[str, int]:
    found, many = "", 0
    for letter in unicodedata.normalize("NFD", word):
        code = ord(letter)
        if _FIRST_BASE <= code < _FIRST_BASE + len(_FIRSTS):
            found += _FIRSTS[code - _FIRST_BASE]
        elif _LAST_OPEN <= code < _LAST_BASE:
            many += letter != _EU
        else:
            found += _LASTS.get(code - _LAST_BASE, "")
    return _single(found), many


def _latin(word: str) -> tuple[str, int]:
    ended = word[:-1] if word.endswith("e") and len(word) > _LEAST else word
    many = sum(vowel for vowel, _ in groupby(ended, _VOWELS.__contains__))
    for spelt, sound in _SPELT:
        word = re.sub(spelt, sound, word)
    return _single("".join(letter for letter in word if letter not in _VOWELS + "w_ -")), many


def _single(letters: str) -> str:
    return "".join(letter for letter, _ in groupby(letters))
