"""A proposal on paper: HTML by template, laid out by MuPDF with its built-in Korean font, a foot on every page."""

from __future__ import annotations

import io
import threading
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pymupdf
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from app.advice.book import AdviceBook
from app.advice.desk import Shown
from app.errors import ToolBroken
from app.insurance.wording import day, gender_word, money, won

_MARGIN, _FOOT = 42, 56  # points
_FOOT_PT = 7.5
_BULLET = "•"  # drawn for the items of lists
_MOST_LOWER, _STEP = 96, 6  # points
_APART = pymupdf.TEXTFLAGS_TEXT & ~pymupdf.TEXT_PRESERVE_LIGATURES  # "ff" is one sign on paper and two letters told
_ALONE = threading.Lock()  # MuPDF's own state is not made for two threads


def as_pdf(shown: Shown, book: AdviceBook, company: str, templates: Path) -> bytes:
    """The PDF of a proposal. Takes some 100 ms of a processor: call it off the event loop."""
    words = book.words["paper"]
    assert isinstance(words, Mapping)
    data: dict[str, Any] = shown.as_data()
    data |= {
        "words": words,
        "company": company,
        "made": shown.version.created_at.date(),
        "until": shown.version.valid_until,
        "labels": {person.id: person.label for person in shown.proposal.household.people},
    }
    folder = templates / "proposal"
    html = _environment(folder).get_template("paper.html.j2").render(data)
    css = (folder / "paper.css").read_text(encoding="utf-8")
    with _ALONE:
        document = _laid_out(html, css)
        _feet(document, words, str(data["id"]), data["made"])
        document.set_metadata({"title": f"{words['title']} {data['id']}", "author": company})
        document.subset_fonts()
        return bytes(document.tobytes(garbage=3, deflate=True))


@cache
def _environment(folder: Path) -> Environment:
    """What people told is escaped: it stands between tags."""
    made = Environment(
        loader=FileSystemLoader(folder), autoescape=select_autoescape(default=True), undefined=StrictUndefined
    )
    made.filters |= {"won": won, "money": money, "gender": gender_word, "day": day}
    return made


def _laid_out(html: str, css: str) -> Any:
    """The pages. MuPDF may drop what stands where a page breaks inside a table; what was drawn is counted, and where
    something is missing, pages a little lower break elsewhere. Raises ToolBroken where none holds everything."""
    letters = _letters(Markup(html).striptags())
    for lower in range(0, _MOST_LOWER, _STEP):
        document: Any = pymupdf.open("pdf", _placed(html, css, lower))
        if sum(_letters(page.get_text(flags=_APART)) for page in document) >= letters:
            return document
    raise ToolBroken


def _letters(text: str) -> int:
    return len("".join(text.replace(_BULLET, "").split()))


def _placed(html: str, css: str, lower: int) -> bytes:
    story, held = pymupdf.Story(html, user_css=css), io.BytesIO()
    writer = pymupdf.DocumentWriter(held)
    page = pymupdf.paper_rect("a4")
    inner = pymupdf.Rect(page.x0 + _MARGIN, page.y0 + _MARGIN, page.x1 - _MARGIN, page.y1 - _FOOT - lower)
    more = True
    while more:
        device = writer.begin_page(page)
        more, _ = story.place(inner)
        story.draw(device)
        writer.end_page()
    writer.close()
    return held.getvalue()


def _feet(document: Any, words: Mapping[str, str], name: str, made: date) -> None:
    font = pymupdf.Font("korea")
    for number, page in enumerate(document, 1):
        page.wrap_contents()  # a story leaves the page turned over
        foot = pymupdf.TextWriter(page.rect, color=(0.35, 0.38, 0.45))
        told = f"{name} · {made.isoformat()} · {words['simulated']}"
        line = page.rect.height - _FOOT / 2
        foot.append((_MARGIN, line), told, font=font, fontsize=_FOOT_PT)
        count = f"{number} / {document.page_count}"
        right = page.rect.width - _MARGIN - font.text_length(count, _FOOT_PT)
        foot.append((right, line), count, font=font, fontsize=_FOOT_PT)
        foot.write_text(page)
