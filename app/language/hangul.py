"""The letters of Hangul in the order of Unicode, of which its 11,172 syllables are composed."""

from __future__ import annotations

LEADS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
# A syllable without a final consonant has the first of them, which is none.
TAILS = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
FIRST_SYLLABLE = 0xAC00
SYLLABLES = len(LEADS) * len(VOWELS) * len(TAILS)
PER_LEAD = len(VOWELS) * len(TAILS)


def syllable(lead: int, vowel: int, tail: int = 0) -> str:
    """The syllable of the letters at these places of the alphabets."""
    return chr(FIRST_SYLLABLE + lead * PER_LEAD + vowel * len(TAILS) + tail)


def letters_of(char: str) -> tuple[int, int, int] | None:
    """The places of lead, vowel and tail of a syllable; None for any other character."""
    place = ord(char) - FIRST_SYLLABLE
    if not 0 <= place < SYLLABLES:
        return None
    lead, rest = divmod(place, PER_LEAD)
    return lead, *divmod(rest, len(TAILS))
