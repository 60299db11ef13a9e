"""How Korean legal documents number themselves: 관·장, 조(의), 별표, clause marks, and citations of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPEN, _CLOSE = "([【<〔", ")]】>〕"
HEADING_CHARS = 80
"""No heading is longer."""

_ARTICLE = re.compile(r"^제\s?(\d{1,4})\s?조(?:의\s?(\d{1,3}))?")
_PART = re.compile(r"^제\s?\d{1,3}\s?(?:관|장|편|절)(?=$|[\s(\[【])")
_ANNEX = re.compile(r"^[\[【<〔(]?\s?별표\s?(\d{1,3}(?:의\d+)?)?\s?[\]】>〕)]?(?P<rest>.*)$")
_PARTICLE = re.compile(r"^(?:에서|에는|에도|에|의|을|를|은|는|이|가|과|와|로|으로|및|또는|부터|까지|[,·ㆍ])")
_CLAUSE = re.compile(r"^(?:[①-⑳➀-➉㉑-㉟]|[-]\s|\?\s(?=[가-힣]))")
_ITEM = re.compile(r"^(?:\d{1,2}|[가-힣])\.\s")
_BULLET = re.compile(r"^[•○●□■▪※\-–]\s?")
_TRANSLATE = str.maketrans(
    {
        "\u00a0": " ",
        "\u2011": "-",
        "\u2010": "-",
        "\u00ad": "",
        "\u200b": "",
        "\ufeff": "",
        "\u3000": " ",
        "\u2015": "―",
    }
    | {chr(0x2780 + n): chr(0x2460 + n) for n in range(10)}
)
SENTENCE_END = re.compile(r"(?:다|요|음|함|임|오|까)[.?!]?[)\]」』”\"']*$|[.?!]$")

CITATION = re.compile(
    r"(?:「(?P<law>[^」]{1,40})」\s?)?(?P<base>보통약관|주계약\s?약관|주계약|이 약관|특별약관)?(?:의)?\s?"
    r"제\s?(?P<no>\d{1,4})\s?조(?:의\s?(?P<branch>\d{1,3}))?"
    r"(?:\s?(?:\([^)]{1,40}\))?\s?부터\s?제\s?(?P<to>\d{1,4})\s?조(?:의\s?\d{1,3})?(?:\([^)]{1,40}\))?\s?까지)?"
)
ANNEX_CITATION = re.compile(r"별표\s?(?P<no>\d{1,3}(?:의\d+)?)")


@dataclass(frozen=True)
class ArticleHead:
    """'제12조의2(보험금의 지급사유)' and what stands behind it on the line."""

    label: str
    title: str
    rest: str

    @property
    def text(self) -> str:
        return f"{self.label}({self.title})" if self.title else self.label


def clean(text: str) -> str:
    """Embedded fonts' look-alike characters made plain; clause marks and digits stay as they are."""
    return " ".join(text.translate(_TRANSLATE).split())


def label_of(number: str | int, branch: str | None = None) -> str:
    """'제12조의2'."""
    return f"제{int(number)}조의{int(branch)}" if branch else f"제{int(number)}조"


def article_head(text: str) -> ArticleHead | None:
    """The article a line opens; None for running text and for citations such as '제3조(제목)의 규정에도'."""
    match = _ARTICLE.match(text)
    if match is None:
        return None
    label, rest = label_of(match[1], match[2]), text[match.end() :].lstrip()
    if not rest:
        return ArticleHead(label, "", "")
    if rest[0] not in _OPEN:
        return ArticleHead(label, "", rest) if re.match(r"삭제(?:\s|$|[<(\[])", rest) else None
    end = closing(rest)
    if end is None:
        return None
    title, after = rest[1:end].strip(), rest[end + 1 :]
    # a heading is followed by nothing, a space or a clause mark; a citation by a particle
    if after and not after[0].isspace() and not _CLAUSE.match(after):
        return None
    if _PARTICLE.match(after.strip()) and not after[:1].isspace():
        return None
    return ArticleHead(label, title, after.strip())


def closing(text: str) -> int | None:
    """Where the bracket that `text` begins with closes; None when it stays open (a title that wraps)."""
    depth = 0
    for place, char in enumerate(text):
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
            if depth == 0:
                return place
    return None


def opens_article(text: str) -> bool:
    """Whether a line begins an article title that is not closed yet."""
    match = _ARTICLE.match(text)
    if match is None:
        return False
    rest = text[match.end() :].lstrip()
    return bool(rest) and rest[0] in _OPEN and closing(rest) is None


def is_part(text: str) -> bool:
    """제1관 …, 제2장 …"""
    return bool(_PART.match(text)) and len(text) <= 60 and not SENTENCE_END.search(text)


def annex_head(text: str) -> str | None:
    """'별표 3' of a line that opens an annex, None for a citation of one."""
    match = _ANNEX.match(text)
    if match is None or len(text) > 70 or SENTENCE_END.search(text):
        return None
    rest = match["rest"]
    if rest and not rest[0].isspace() and _PARTICLE.match(rest):
        return None
    return f"별표 {match[1]}" if match[1] else None


def starts_paragraph(text: str) -> bool:
    """Whether a line begins a clause, an item or a bullet."""
    return bool(_CLAUSE.match(text) or _ITEM.match(text) or _BULLET.match(text))


def starts_clause(text: str) -> bool:
    """Whether a line begins a 항 (①)."""
    return bool(_CLAUSE.match(text))
