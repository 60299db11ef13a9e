"""The shipped PDFs are what the data and the prose say today."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from app.insurance.catalogue import Catalogue
from app.settings import Settings
from scripts.documents.compose import Composed, Composer
from scripts.documents.markup import plain
from scripts.documents.pdf import write_pdf

DOCUMENTS = Settings().content_dir / "documents"


@pytest.fixture(scope="module")
def composed(catalogue: Catalogue) -> list[Composed]:
    return list(Composer(DOCUMENTS / "sources", catalogue, "라이나생명").all())


def letters(text: str) -> str:
    return "".join(text.split())


def test_every_document_is_there_and_none_besides(composed: list[Composed]) -> None:
    assert {item.file_name for item in composed} == {path.name for path in DOCUMENTS.iterdir() if path.is_file()}


def test_the_files_hold_what_the_data_say(composed: list[Composed]) -> None:
    """Every line of every document, letter by letter; run `python -m scripts.build_documents` when this fails."""
    stale = []
    for item in composed:
        path = DOCUMENTS / item.file_name
        if item.text:
            held, wanted = path.read_text(encoding="utf-8"), [item.text]
        else:
            with pymupdf.open(path) as document:
                held = "".join(page.get_text() for page in document)
            wanted = [block.text for block in item.blocks if block.text]
        # a line that runs over a page end is broken by the footer: its beginning is enough
        together = letters(held)
        if not all(letters(line)[:60] in together for line in wanted):
            stale.append(item.file_name)
    assert stale == []


def test_the_corpus_is_large_marked_and_small_on_disk() -> None:
    pages = 0
    for path in DOCUMENTS.glob("*.pdf"):
        with pymupdf.open(path) as document:
            pages += document.page_count
            assert document.get_toc(), path.name
            assert all("모의 문서(simulated)" in page.get_text() for page in document), path.name
    assert pages >= 150
    assert sum(path.stat().st_size for path in DOCUMENTS.iterdir() if path.is_file()) <= 8_000_000


def test_a_document_has_the_same_bytes_every_time(composed: list[Composed], tmp_path: Path) -> None:
    item = next(item for item in composed if item.name == "B00115023_6_S")
    for name in ("a.pdf", "b.pdf"):
        write_pdf(tmp_path / name, item.title, item.blocks, contents=item.contents)
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()


def test_a_summary_and_the_premium_tool_agree(composed: list[Composed]) -> None:
    item = next(item for item in composed if item.name == "B00115023_6_S")
    assert "45세 20,625원" in plain(item.blocks)
