"""Korean that is written by ear: words misspelt so that they still sound alike, and Korean in Latin letters.

Both make side views for the attack check; nothing here is shown to anybody or passed on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.language.hangul import FIRST_SYLLABLE, LEADS, SYLLABLES, VOWELS, letters_of, syllable

# What sounds alike in careless spelling, by place in the alphabets above and in the list of final consonants.
_LEAD_LIKE = str.maketrans("ㄲㅋㄸㅌㅃㅍㅆㅉㅊ", "ㄱㄱㄷㄷㅂㅂㅅㅈㅈ")
_VOWEL_LIKE = str.maketrans("ㅑㅘㅕㅝㅛㅠㅡㅟㅢㅔㅒㅖㅙㅚㅞ", "ㅏㅏㅓㅓㅗㅜㅜㅣㅣㅐㅐㅐㅐㅐㅐ")
_TAIL_LIKE = (0, 1, 1, 1, 4, 4, 4, 7, 8, 1, 16, 8, 8, 8, 17, 8, 16, 17, 17, 7, 7, 21, 7, 7, 1, 7, 17, 7)

_ROMAN_LEADS = {
    "": "ㅇ",
    **dict(
        zip(
            ["kk", "tt", "pp", "ss", "jj", "ch", "sh", "g", "k", "n", "d", "t", "r", "l", "m", "b", "p", "s", "j", "h"],
            "ㄲㄸㅃㅆㅉㅊㅅㄱㅋㄴㄷㅌㄹㄹㅁㅂㅍㅅㅈㅎ",
            strict=True,
        )
    ),
}
_ROMAN_VOWELS = dict(
    zip(
        [
            "yeo",
            "yae",
            "wae",
            "eo",
            "eu",
            "ae",
            "ya",
            "ye",
            "yo",
            "yu",
            "oe",
            "wa",
            "we",
            "wi",
            "wo",
            "ui",
            "oo",
            "ee",
            "a",
            "e",
            "i",
            "o",
            "u",
        ],
        "ㅕㅒㅙㅓㅡㅐㅑㅖㅛㅠㅚㅘㅞㅟㅝㅢㅜㅣㅏㅔㅣㅗㅜ",
        strict=True,
    )
)
_ROMAN_TAILS = {"ng": 21, "k": 1, "g": 1, "n": 4, "t": 19, "d": 7, "l": 8, "r": 8, "m": 16, "p": 17, "b": 17, "s": 19}
_SYLLABLE = re.compile(
    r"(kk|tt|pp|ss|jj|ch|sh|[gkndtrlmbpsjh])?(yeo|yae|wae|eo|eu|ae|y[aeou]|oe|w[aeio]|ui|oo|ee|[aeiou])"
    r"((?:ng|[kgntdlrmpbs])(?![aeiouyw]))?"
)
_WORD = re.compile(r"[a-z]{2,40}")
# Spellings that are common in romanised Korean and rare in English.
_KOREAN_HINT = re.compile(r"eo|eu|yeo|jwo|hae|hago|sehan|musi|jisi|jichim|gyu|gwan|myeong|seyo|juse")


def _folded(char: str) -> str:
    lead, vowel, tail = letters_of(char) or (0, 0, 0)
    lead = LEADS.index(LEADS[lead].translate(_LEAD_LIKE))
    vowel = VOWELS.index(VOWELS[vowel].translate(_VOWEL_LIKE))
    return syllable(lead, vowel, _TAIL_LIKE[tail])


_FOLD = {code: _folded(chr(code)) for code in range(FIRST_SYLLABLE, FIRST_SYLLABLE + SYLLABLES)}


def sound(text: str) -> str:
    """The text with each syllable given as the plainest one that sounds like it; of the same length."""
    return text.translate(_FOLD)


class SoundsLike:
    """Finds words that only sound like given ones (씨쓰템 for 시스템)."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = {sound(word): word for word in words}
        ordered = sorted(self._words, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def mended(self, text: str) -> str:
        """The text with such words spelt right; the same text when there are none."""
        if self._pattern is None:
            return text
        pieces: list[str] = []
        at = 0
        for match in self._pattern.finditer(sound(text)):
            pieces += (text[at : match.start()], self._words[match.group()])
            at = match.end()
        return "".join(pieces) + text[at:]


def from_latin(text: str) -> str:
    """Words of romanised Korean in Hangul (jisi musihago → 지시 무시하고); the same text where nothing looks so."""
    lowered = text.lower()
    return _WORD.sub(_word_in_hangul, lowered) if _KOREAN_HINT.search(lowered) else text


def _word_in_hangul(match: re.Match[str]) -> str:
    word = match.group()
    out: list[str] = []
    at = 0
    while at < len(word):
        found = _SYLLABLE.match(word, at)
        if found is None:
            return word
        lead, vowel, tail = found.groups()
        places = LEADS.index(_ROMAN_LEADS[lead or ""]), VOWELS.index(_ROMAN_VOWELS[vowel])
        out.append(syllable(*places, _ROMAN_TAILS[tail] if tail else 0))
        at = found.end()
    return "".join(out)
