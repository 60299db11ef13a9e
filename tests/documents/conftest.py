"""The shipped corpus, indexed once, and small folders of a test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pymupdf
import pytest

from app.adapters.embeddings import Embedder, build_embedder
from app.adapters.vector_store import ChromaStore
from app.documents.library import DocumentLibrary, open_library
from app.documents.search import DocumentSearch
from app.insurance.catalogue import Catalogue
from app.language.tokenizer import Tokenizer
from app.settings import Settings
from tests.state import lay_out

ARTICLES = """제1관 목적
제1조(목적) 이 약관은 자전거 보험의 내용을 정합니다.
제2조(보상하는 손해) ① 회사는 자전거를 도둑맞은 손해를 보상합니다.
② 제3조의2에 따라 자기부담금 30,000원을 뺍니다.
제3조(보상하지 않는 손해) 고의로 부순 손해는 보상하지 않습니다.
제3조의2(자기부담금) 사고 한 건마다 30,000원입니다.
제4조(통지) 제2조(보상하는 손해)의 사고가 나면 3일 안에 알립니다.
제5조(소멸시효) 3년이 지나면 청구할 수 없습니다.
"""


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return build_embedder(Settings(embedding_model="bundled"))


@pytest.fixture(scope="session")
def shipped(
    tmp_path_factory: pytest.TempPathFactory, catalogue: Catalogue, tokenizer: Tokenizer, embedder: Embedder
) -> Iterator[DocumentLibrary]:
    """The library over the shipped documents."""
    settings = Settings(data_dir=lay_out(tmp_path_factory.mktemp("shipped")))
    store = ChromaStore(settings.chroma_path)
    library = open_library(settings, catalogue, embedder, tokenizer, store)
    library.refresh()
    yield library
    store.close()


@pytest.fixture(scope="session")
def search(shipped: DocumentLibrary) -> DocumentSearch:
    return shipped.search()


@pytest.fixture
def make_library(
    tmp_path: Path, catalogue: Catalogue, tokenizer: Tokenizer, embedder: Embedder
) -> Iterator[Callable[[], DocumentLibrary]]:
    """Libraries over one state folder, as after a restart."""
    opened: list[ChromaStore] = []
    settings = Settings(data_dir=tmp_path / "state")
    settings.data_dir.mkdir()

    def make() -> DocumentLibrary:
        store = opened[0] if opened else ChromaStore(settings.chroma_path)
        if not opened:
            opened.append(store)
        return open_library(settings, catalogue, embedder, tokenizer, store)

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "own"
    made.mkdir()
    return made


def write_pdf(path: Path, pages: list[list[str]], **save: object) -> None:
    """A PDF with one line of text after the other."""
    document = pymupdf.open()
    for lines in pages:
        page = document.new_page()
        page.insert_text((60, 90), lines, fontname="korea", fontsize=10, lineheight=1.6)
    document.save(str(path), **save)
    document.close()
