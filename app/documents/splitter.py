"""Documents to citable chunks: an article each, long ones by clause, tables by rows with their header in every row."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from app.documents.bounds import MAX_HEADING_CHARS, MAX_PARAGRAPH_CHARS, Patience, Share, check_chars, check_passages
from app.documents.by_product import owner_of, product_of
from app.documents.headings import (
    annex_head,
    article_head,
    clean,
    closing,
    is_part,
    opens_article,
    starts_clause,
    starts_paragraph,
)  # fmt: skip
from app.documents.loader import codes_of
from app.documents.shapes import Chunk, Line, SourceDocument, Table
from app.language.normalise import compact

WHOLE_SHARE = 1.4
"""An article up to this share of the chunk size stays whole (notes: about 700 characters at 500)."""
_RIDER = re.compile(r"특별\s?약관|특약(?:.*약관|$)")
_BRACKETED = re.compile(r"\[([^\]]+)\]\s*$")
_UNIT = re.compile(r"\d[\d,.]*\s?(?:만|억|천)?\s?(?:원|세|일|년|개월|회|%|개|점|등급|급)")
_UNIT_ROOM = 40
_MARK_LIMIT = 60


@dataclass
class _Piece:
    """A paragraph or table row with the places of its lines; `breaks` as in `Chunk`, `product` whose it is."""

    text: str
    page: int
    page_end: int
    marks: list[tuple[int, float, float, float, float]] = field(default_factory=list)
    clause: bool = False
    breaks: list[tuple[int, int]] = field(default_factory=list)
    product: str = ""

    def page_at(self, offset: int) -> int:
        """The page of the letter at an offset."""
        return next((page for start, page in reversed(self.breaks) if start <= offset), self.page)


@dataclass
class _Section:
    """What stands under one heading."""

    heading: tuple[str, ...]
    article: str
    scope: str
    products: tuple[str, ...]
    page: int
    pieces: list[_Piece] = field(default_factory=list)


class Splitter:
    """Splits documents. `chunk_chars`, `overlap_chars` as in the settings; `sentences` cuts what is too long.

    `product_names` maps a name in square brackets behind a rider's title to its code.
    """

    def __init__(
        self,
        chunk_chars: int,
        overlap_chars: int,
        sentences: Callable[[str], Sequence[str]],
        product_names: dict[str, str] | None = None,
    ) -> None:
        self._size, self._overlap = chunk_chars, min(overlap_chars, chunk_chars // 2)
        self._sentences = sentences
        self._names = {compact(name): code for name, code in (product_names or {}).items()}

    def split(self, document: SourceDocument, patience: Patience | None = None) -> tuple[Chunk, ...]:
        """The chunks of one document in reading order; ids are stable as long as heading and text are.

        Raises UnreadableFile for one that has too many, or that `patience` has no more time for.
        """
        products = (document.product_code,) if document.product_code else codes_of(document.items)
        chunks: list[Chunk] = []
        seen: dict[str, int] = {}
        chars, share = 0, Share(patience or Patience(), sum(map(_chars, document.items)))
        for section in chain.from_iterable(map(self._by_product, self._sections(document, products))):
            for group in self._groups(section, share):
                text = "\n".join(piece.text for piece in group)
                chars += len(text)
                check_chars(chars)
                chunks.append(self._chunk(document, section, group, text, seen))
                check_passages(len(chunks))
        return tuple(chunks)

    def _chunk(
        self, document: SourceDocument, section: _Section, group: list[_Piece], text: str, seen: dict[str, int]
    ) -> Chunk:
        digest = hashlib.sha256("\x1f".join((document.doc_id, *section.heading, text)).encode()).hexdigest()[:12]
        again = seen.get(digest, 0)
        seen[digest] = again + 1
        marks = tuple(mark for piece in group for mark in piece.marks)[:_MARK_LIMIT]
        return Chunk(
            id=f"{digest}-{again}" if again else digest,
            doc_id=document.doc_id,
            source=document.source,
            title=document.title,
            kind=document.kind,
            product_code=section.products[0] if len(section.products) == 1 else "",
            version=document.version,
            heading=section.heading,
            article=section.article,
            scope=section.scope,
            page=group[0].page,
            page_end=max(piece.page_end for piece in group),
            text=text,
            products=section.products,
            marks=marks,
            breaks=_page_breaks(group),
        )

    def _sections(self, document: SourceDocument, products: tuple[str, ...]) -> Iterator[_Section]:
        """Sections in order. A heading opens one; an article's inline text is its first paragraph."""
        path: dict[int, str] = {}
        scope, article, scope_products = "", "", products
        current = _Section((), "", "", products, 1)
        for item in _with_whole_titles(document.items):
            if isinstance(item, Table):
                self._add_table(current, item)
                continue
            head = article_head(item.text)
            annex = annex_head(item.text) if head is None else None
            if head is None and annex is None and not item.level and not is_part(item.text):
                _add_line(current, item)
                continue
            if current.pieces:
                yield current
            if head is not None:
                path = {level: text for level, text in path.items() if level < 5}
                path[5], article = head.text, head.label
            elif annex is not None:
                path, article = {1: path.get(1, ""), 2: item.text}, annex
                scope, scope_products = "", products
            elif item.level == 4 and article:
                # a caption inside an article or annex: what stands under it may be about one product alone
                path = {at: text for at, text in path.items() if at <= 5} | {6: item.text}
            else:
                level = 2 if is_part(item.text) else item.level or 2
                path = {at: text for at, text in path.items() if at < level and at < 5}
                path[level] = item.text
                if level <= 2:
                    article = ""
                if document.kind == "terms" and _RIDER.search(item.text) and not is_part(item.text):
                    scope, article = item.text, ""
                    named = _BRACKETED.search(item.text)
                    code = self._names.get(compact(named[1])) if named else None
                    scope_products = (code,) if code else products
                elif level <= 2:
                    scope, scope_products = "", products
            heading = tuple(
                text[:MAX_HEADING_CHARS]
                for _, text in sorted(path.items()) if text and not _repeats(text, document.title)
            )  # fmt: skip
            captioned = product_of(path.get(6, ""), self._names)
            current = _Section(heading, article, scope, (captioned,) if captioned else scope_products, item.page)
            if head is not None and head.rest:
                _add_line(current, replace(item, text=head.rest))
        if current.pieces:
            yield current

    def _by_product(self, section: _Section) -> Iterator[_Section]:
        """What is said for all products of a section, then the rows and items of each of them by themselves."""
        if len(section.products) > 1:
            for piece in section.pieces:
                code = owner_of(piece.text, self._names)
                piece.product = code if code in section.products else ""
        for code in dict.fromkeys(["", *(piece.product for piece in section.pieces)]):
            if pieces := [piece for piece in section.pieces if piece.product == code]:
                yield replace(section, pieces=pieces, products=(code,) if code else section.products)

    def _add_table(self, section: _Section, table: Table) -> None:
        """Each row as 'first cell — header: value, …', so that no figure stands without its header."""
        header, *rows = table.rows
        pages = table.row_pages or (table.page,) * len(table.rows)
        boxes = table.row_boxes or (None,) * len(table.rows)
        chars = 0
        for row, page, box in zip(rows, pages[1:], boxes[1:], strict=False):
            cells = [
                f"{name}: {value}" if name else value for name, value in zip(header[1:], row[1:], strict=False) if value
            ]
            text = f"{row[0]} — {', '.join(cells)}" if row[0] and cells else row[0] or ", ".join(cells)
            chars += len(text)
            check_chars(chars)
            if text.strip():
                mark = [(page, *box)] if box else []
                lead = f"[{header[0]}] " if len(header) > 1 and header[0] and not section.pieces else ""
                section.pieces.append(_Piece(lead + text, page, page, mark, clause=True))

    def _groups(self, section: _Section, share: Share) -> Iterator[list[_Piece]]:
        """The pieces of a section in chunks: all of them if they fit, else clause by clause with an overlap."""
        pieces = [part for piece in section.pieces if piece.text for part in self._fitting(piece, share)]
        if not pieces:
            return
        if sum(len(piece.text) + 1 for piece in pieces) <= self._size * WHOLE_SHARE:
            yield pieces
            return
        group: list[_Piece] = []
        used = 0
        for piece in pieces:
            if group and used + len(piece.text) > self._size:
                yield group
                group = self._carried(group)
                used = sum(len(each.text) + 1 for each in group)
            group.append(piece)
            used += len(piece.text) + 1
        yield group

    def _carried(self, group: list[_Piece]) -> list[_Piece]:
        """The last pieces of a chunk that fit into the overlap; table rows carry their own header and need none."""
        carried: list[_Piece] = []
        room = self._overlap
        for piece in reversed(group[1:]):
            if len(piece.text) > room or " — " in piece.text:
                break
            carried.insert(0, piece)
            room -= len(piece.text)
        return carried

    def _fitting(self, piece: _Piece, share: Share) -> Iterator[_Piece]:
        """The piece, or its sentences gathered up to the chunk size."""
        share.add(len(piece.text))
        if len(piece.text) <= self._size * WHOLE_SHARE:
            yield piece
            return
        line, begun, at = "", 0, 0
        for sentence in self._short_sentences(piece.text):
            at = max(piece.text.find(sentence, at), at)
            if line and len(line) + len(sentence) > self._size:
                yield _part(piece, line, begun)
                line = ""
            if not line:
                begun = at
            line = f"{line} {sentence}".strip()
        if line:
            yield _part(piece, line, begun)

    def _short_sentences(self, text: str) -> Iterator[str]:
        for rest in chain.from_iterable(map(self._sentences, _parts(text, MAX_PARAGRAPH_CHARS))):
            yield from _parts(rest, self._size)


def _chars(item: Line | Table) -> int:
    return len(item.text) if isinstance(item, Line) else sum(len(cell) for row in item.rows for cell in row)


def _part(piece: _Piece, text: str, begun: int) -> _Piece:
    """A part of a piece that begins at an offset of it."""
    breaks = [(start - begun, page) for start, page in piece.breaks if begun < start < begun + len(text)]
    page = piece.page_at(begun)
    return replace(piece, text=text, page=page, page_end=breaks[-1][1] if breaks else page, breaks=breaks)


def _page_breaks(group: Sequence[_Piece]) -> tuple[tuple[int, int], ...]:
    """Where the joined text of pieces goes on to another page."""
    found: list[tuple[int, int]] = []
    offset, page = 0, group[0].page
    for piece in group:
        for start, on in ((0, piece.page), *piece.breaks):
            if on != page:
                found.append((offset + start, on))
                page = on
        offset += len(piece.text) + 1
    return tuple(found)


def _parts(text: str, size: int) -> Iterator[str]:
    """A text in parts of at most `size` letters, cut where `_safe_cut` says."""
    while len(text) > size:
        at = _safe_cut(text, size)
        yield text[:at].strip()
        text = text[at:].strip()
    if text:
        yield text


def _safe_cut(text: str, size: int) -> int:
    """A space before `size` that does not part a number from its unit; `size` itself when there is none."""
    units = [(match.start(), match.end()) for match in _UNIT.finditer(text[: size + _UNIT_ROOM])]
    at = text.rfind(" ", 1, size)
    while at > size // 2 and any(start < at < end for start, end in units):
        at = text.rfind(" ", 1, at)
    return at if at > 0 else size


def _add_line(section: _Section, line: Line) -> None:
    """A line begins a paragraph or goes on with the last one."""
    mark = [(line.page, *line.box)] if line.box else []
    last = section.pieces[-1] if section.pieces else None
    if not line.text:
        if last is not None and last.text:
            section.pieces.append(_Piece("", line.page, line.page))
        return
    if last is not None and not last.text:
        section.pieces.pop()
        last = None
    new = last is None or last.clause or starts_paragraph(line.text) or last.text[-1:] in ".?!"
    new = new or (last is not None and len(last.text) + len(line.text) > MAX_PARAGRAPH_CHARS)
    if new or last is None:
        section.pieces.append(_Piece(line.text, line.page, line.page, mark))
    else:
        if line.page != last.page_end:
            last.breaks.append((len(last.text) + 1, line.page))
        last.text = f"{last.text} {line.text}"
        last.page_end = line.page
        last.marks += mark
    if starts_clause(line.text):
        section.pieces[-1].clause = False


def _repeats(heading: str, title: str) -> bool:
    """A first heading that only says the document's title again."""
    return heading == title or compact(heading).startswith(compact(title))


def _with_whole_titles(items: Sequence[Line | Table]) -> Iterator[Line | Table]:
    """Lines of a wrapped article title are joined until its brackets close."""
    held: Line | None = None
    taken = 0
    for item in items:
        if held is not None:
            if isinstance(item, Line) and item.text and taken < 3:
                held = replace(held, text=clean(f"{held.text} {item.text}"))
                taken += 1
                place = held.text.find("조")
                if not opens_article(held.text) or closing(held.text[place:].lstrip("조의0123456789 ")) is not None:
                    yield held
                    held = None
                continue
            yield held
            held = None
        if isinstance(item, Line) and opens_article(item.text):
            held, taken = item, 0
        else:
            yield item
    if held is not None:
        yield held
