"""Undoes disguises of spelling and encoding, in side views that are only scored and never shown or passed on.

Every view is bounded: at most `MOST_VIEWS` of them, decoding to a depth of 2 and 4 kB.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import unquote

from app.language.hangul import LEADS, TAILS, VOWELS, letters_of, syllable
from app.safety.normalise import plain
from app.safety.sounds import from_latin

Mended = Callable[[str], str]

MOST_VIEWS = 14
_DECODED_BYTES = 4096
_DEPTH = 2
_HEARD, _CLOSE = 1500, 80

_NOT_LETTERS = re.compile(r"[^0-9a-z가-힣ㄱ-ㅎㅏ-ㅣ]+")
_TAGS = re.compile("[\U000e0020-\U000e007e]")
_HOMOGLYPHS = str.maketrans(
    "аɑαеєοоρрсςуүхχіıїјкκѕтτмнвԁɡոպʏմѵνցӏΑАВΒЕΕЅΙІЈКΚМΜΝОΟРΡТΤХΧҮΥСНԌ",
    "aaaeeooppccyuxxiiijkkstTmhbdgnuyuvvglAABBEESIIJKKMMNOOPPTTXXYYCHG",
)
_LOOK_ALIKE = re.compile(f"[{''.join(map(chr, _HOMOGLYPHS))}]")
_LEET = str.maketrans("013457@$!€", "oieastasie")
_LEET_WORD = re.compile(
    r"(?<![0-9A-Za-z@$!€])(?=[0-9A-Za-z@$!€]*[A-Za-z])(?=[0-9A-Za-z@$!€]*[013457@$!€])[0-9A-Za-z@$!€]{3,}"
)
_LATIN_WORD = re.compile(r"[A-Za-z]{3,60}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(
    r"(?:\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}(?:%20)?){4,}|"
    r"(?<![0-9A-Za-z])(?:0x)?(?:[0-9a-fA-F]{2}[\s:,]?){10,}(?![0-9A-Za-z])"
)
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}%[0-9A-Fa-f]{2}")
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4}){2,}")
_ENTITIES = re.compile(r"(?:&#x?[0-9a-fA-F]{2,6};\s?){3,}")
_BINARY = re.compile(r"(?:[01]{8}[\s,]*){4,}")
_DECIMAL = re.compile(r"(?:\b\d{2,3}\b[\s,]+){7,}\d{2,3}")
_JAMO = re.compile(r"[ㄱ-ㅎㅏ-ㅣ]")
_GOBLIN = re.compile(r"(?<![가-힣])(?:[가-힣][바-빟]){2,}(?![가-힣])")
_ROT13_HINT = re.compile(r"rot\s?-?13|vtaber|flfgrz|cebzcg|ehyrf|vafgehpgvba|phfgbzre|nqzva|erirny", re.IGNORECASE)
_WORDS_BACKWARDS = re.compile(
    r"줘해|라해|요세주|줘여보|줘려알|시무|칙규|침지|객고|력출|인승|ton|erongi|tpmorp|metsys|selur|remotsuc"
)

# Two letters typed one after the other, and the one that they make.
_JOINED_VOWELS = dict(zip(["ㅗㅏ", "ㅗㅐ", "ㅗㅣ", "ㅜㅓ", "ㅜㅔ", "ㅜㅣ", "ㅡㅣ"], "ㅘㅙㅚㅝㅞㅟㅢ", strict=True))
_JOINED_TAILS = dict(
    zip(
        ["ㄱㅅ", "ㄴㅈ", "ㄴㅎ", "ㄹㄱ", "ㄹㅁ", "ㄹㅂ", "ㄹㅅ", "ㄹㅌ", "ㄹㅍ", "ㄹㅎ", "ㅂㅅ"],
        "ㄳㄵㄶㄺㄻㄼㄽㄾㄿㅀㅄ",
        strict=True,
    )
)
_KEYS = dict(
    zip(
        "qwertyuiopasdfghjklzxcvbnmQWERTOP",
        "ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡㅃㅉㄸㄲㅆㅒㅖ",
        strict=True,
    )
)


def squeezed(text: str) -> str:
    """Letters and digits alone, lower case."""
    return _NOT_LETTERS.sub("", text.lower())


def readable(text: str) -> str:
    """The text as a reader sees it: normalised, look-alike letters of other scripts made Latin."""
    seen = plain(text).text
    # Most texts hold none: to look for them first saves putting every letter through the table.
    return seen.translate(_HOMOGLYPHS) if _LOOK_ALIKE.search(seen) else seen


def views(text: str, hanja: Mapping[str, str], mended: Mended = str) -> list[str]:
    """The readable text first, then whatever it may hide.

    `hanja` maps single characters to Hangul; `mended` spells words right that only sound like what they mean.
    """
    found: dict[str, None] = {readable(text): None}
    for view in _deep(text, hanja, mended, _DEPTH):
        if view.strip():
            found.setdefault(view, None)
        if len(found) >= MOST_VIEWS:
            break
    return list(found)


def _deep(text: str, hanja: Mapping[str, str], mended: Mended, depth: int) -> Iterator[str]:
    seen = readable(text)
    for view in (*_spelled(text, seen, hanja, mended), *_decoded(seen)):
        yield view
        if depth > 1 and view != seen:
            again = readable(view)
            yield from _decoded(again)
            yield from _spelled(view, again, hanja, mended)


def _spelled(text: str, seen: str, hanja: Mapping[str, str], mended: Mended) -> Iterator[str]:
    hidden = "".join(chr(ord(c) - 0xE0000) for c in _TAGS.findall(text))
    if len(hidden) >= 4:
        yield hidden
    if any(c in hanja for c in seen):
        yield "".join(hanja.get(c, c) for c in seen)
    if _JAMO.search(seen):
        yield compose(_NOT_LETTERS.sub("", seen))
    if _LATIN_WORD.search(seen) and (typed := _LATIN_WORD.sub(_typed_blind, seen)) != seen:
        yield typed
    if _LEET_WORD.search(seen):
        yield _LEET_WORD.sub(lambda match: match.group().translate(_LEET), seen)
    for spelt in (from_latin, mended):
        if (heard := spelt(seen[:_HEARD])) != seen[:_HEARD]:
            yield _around_changes(seen[:_HEARD], heard)
    if _GOBLIN.search(seen):
        yield _GOBLIN.sub(_ungoblined, seen)
    if _WORDS_BACKWARDS.search(seen):
        yield seen[::-1]
    lines = [line.strip() for line in seen.splitlines() if line.strip()]
    if len(lines) >= 4:
        yield "".join(line[0] for line in lines)


def _around_changes(before: str, after: str) -> str:
    """What changed with some letters around it: the rest is in the first view already."""
    shorter = min(len(before), len(after))
    start = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    end = next((at for at in range(1, shorter + 1) if before[-at] != after[-at]), shorter)
    return after[max(0, start - _CLOSE) : len(after) - max(0, end - 1 - _CLOSE)]


def _decoded(seen: str) -> Iterator[str]:
    for match in _BASE64.finditer(seen):
        yield from _as_text(_from_base64(match.group()))
    for match in _HEX.finditer(seen):
        yield from _as_text(_from_hex(match.group()))
    for match in _BINARY.finditer(seen):
        bits = re.sub(r"[^01]", "", match.group())
        yield from _as_text(bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits) - 7, 8)))
    for match in _DECIMAL.finditer(seen):
        numbers = [int(n) for n in re.findall(r"\d+", match.group())]
        if all(32 <= n < 127 for n in numbers):
            yield "".join(map(chr, numbers))
    if _PERCENT.search(seen):
        yield unquote(seen[:_DECODED_BYTES], errors="ignore")
    if _ESCAPES.search(seen):
        yield _ESCAPES.sub(lambda match: "".join(chr(int(code, 16)) for code in match.group().split("\\u")[1:]), seen)
    if _ENTITIES.search(seen):
        yield html.unescape(seen)
    if _ROT13_HINT.search(seen):
        yield codecs.encode(seen, "rot13")


def _as_text(raw: bytes | None) -> Iterator[str]:
    if not raw:
        return
    try:
        text = raw[:_DECODED_BYTES].decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(raw) * 0.8:
            return
        text = raw[: error.start].decode("utf-8")
    if text and sum(c.isprintable() or c.isspace() for c in text) >= 0.95 * len(text):
        yield text


def _from_base64(code: str) -> bytes | None:
    code = code.rstrip("=")[: _DECODED_BYTES * 4 // 3].replace("-", "+").replace("_", "/")
    # A cut-off end leaves up to three letters that decode to nothing.
    for cut in range(2):
        part = code[: len(code) - cut]
        try:
            return base64.b64decode(part + "=" * (-len(part) % 4), validate=True)
        except (binascii.Error, ValueError):
            continue
    return None


def _from_hex(code: str) -> bytes | None:
    digits = re.sub(r"\\x|0x|[^0-9a-fA-F]", "", code)
    return bytes.fromhex(digits[: len(digits) // 2 * 2]) if digits else None


def compose(text: str) -> str:
    """Compatibility jamo joined into syllables as an input method would: ㅇㅣㅈㅓㄴ → 이전, 무ㅅㅣ → 무시."""
    out: list[str] = []
    letters = list(text)
    at = 0
    while at < len(letters):
        lead = letters[at]
        if lead not in LEADS or at + 1 >= len(letters) or letters[at + 1] not in VOWELS:
            out.append(lead)
            at += 1
            continue
        vowel, at = letters[at + 1], at + 2
        if at < len(letters) and (joined := _JOINED_VOWELS.get(vowel + letters[at])):
            vowel, at = joined, at + 1
        tail = ""
        if _may_end(letters, at):
            tail, at = letters[at], at + 1
            if _may_end(letters, at) and (both := _JOINED_TAILS.get(tail + letters[at])):
                tail, at = both, at + 1
        out.append(syllable(LEADS.index(lead), VOWELS.index(vowel), TAILS.index(tail)))
    return "".join(out)


def _may_end(letters: list[str], at: int) -> bool:
    """Whether the jamo here closes a syllable: it does unless a vowel follows."""
    if at >= len(letters) or letters[at] not in TAILS[1:]:
        return False
    return at + 1 >= len(letters) or letters[at + 1] not in VOWELS


def _typed_blind(match: re.Match[str]) -> str:
    """A word typed on the Latin layout with Korean in mind; left alone unless whole syllables come out."""
    word = match.group()
    keys = [_KEYS.get(c) or _KEYS.get(c.lower()) for c in word]
    if None in keys:
        return word
    korean = compose("".join(key for key in keys if key))
    strays = len(_JAMO.findall(korean))
    return korean if strays == 0 or strays * 5 <= len(korean) else word


def _ungoblined(match: re.Match[str]) -> str:
    """규뷰치빅 → 규칙: after each syllable comes one with ㅂ, the same vowel and the final consonant."""
    out = []
    text = match.group()
    for first, second in zip(text[::2], text[1::2], strict=True):
        said, echo = letters_of(first), letters_of(second)
        if said is None or echo is None or said[1] != echo[1]:
            return text
        out.append(syllable(said[0], said[1], echo[2] or said[2]))
    return "".join(out)
