"""What flows through document reading: lines and tables of a file, and the chunks that are searched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["terms", "summary", "company"]
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Line:
    """One line of a page. `level` is 1 to 4 for a heading, 0 for running text; `box` is in points from the top left."""

    text: str
    page: int
    box: Box | None = None
    size: float = 0.0
    level: int = 0


@dataclass(frozen=True)
class Table:
    """A ruled table; the first row is its header. A table that ran over several pages is one, at its first page.

    `row_pages` and `row_boxes` say where each row stands; empty where the file has no pages.
    """

    rows: tuple[tuple[str, ...], ...]
    page: int
    box: Box | None = None
    row_pages: tuple[int, ...] = ()
    row_boxes: tuple[Box, ...] = ()


@dataclass(frozen=True)
class SourceDocument:
    """One file, read. `source` is its path under the folder, `doc_id` its name without ending."""

    doc_id: str
    source: str
    title: str
    kind: Kind
    product_code: str
    version: str
    items: tuple[Line | Table, ...]
    pages: int


@dataclass(frozen=True)
class FileReport:
    """What became of a file. `reason` is Korean and empty when it was taken; `waiting`: it will be read later."""

    source: str
    status: Literal["ok", "skipped", "unchanged", "removed", "waiting"]
    reason: str = ""
    pages: int = 0
    chunks: int = 0


@dataclass(frozen=True)
class Chunk:
    """A citable passage: an article, a clause of a long article, or a group of table rows.

    `scope` tells riders of one document apart (article numbers start anew in each); `products` are the codes it is
    about, none when it holds for all. `marks` are (page, x0, y0, x1, y1) of its lines, for the page image; `breaks` are
    (offset in the text, page) where the text goes on to another page.
    """

    id: str
    doc_id: str
    source: str
    title: str
    kind: Kind
    product_code: str
    version: str
    heading: tuple[str, ...]
    article: str
    scope: str
    page: int
    page_end: int
    text: str
    products: tuple[str, ...] = ()
    marks: tuple[tuple[int, float, float, float, float], ...] = field(default=(), repr=False)
    breaks: tuple[tuple[int, int], ...] = ()

    def page_at(self, offset: int) -> int:
        """The page on which the letter at an offset of the text stands."""
        return next((page for start, page in reversed(self.breaks) if start <= offset), self.page)

    @property
    def heading_path(self) -> str:
        """'암보험 약관 > 제3관 … > 제11조(보장개시일)'."""
        return " > ".join((self.title, *self.heading))

    @property
    def header(self) -> str:
        """The context line that is indexed in front of the text."""
        return self.heading_path
