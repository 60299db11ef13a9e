"""Writes the corpus of data/documents: `python -m scripts.build_documents [--only NAME] [--content DIR] [--out DIR]`.

Product summaries, policy terms, standard terms, claims guide and company information come from the same data as the
tools and from the prose in data/documents/sources, so a tool and a document cannot disagree. Same data, same bytes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.errors import AppError
from app.insurance.catalogue import load_catalogue
from app.settings import Settings
from scripts.documents.compose import Composed, Composer
from scripts.documents.pdf import write_pdf


def build(content_dir: Path, out: Path, company: str, only: str | None = None) -> list[tuple[str, int]]:
    """Write every document (or those whose name holds `only`); returns (file name, pages)."""
    composer = Composer(content_dir / "documents" / "sources", load_catalogue(content_dir, company), company)
    out.mkdir(parents=True, exist_ok=True)
    wanted = (document for document in composer.all() if only is None or only in document.name)
    written = [(document.file_name, _write(document, out)) for document in wanted]
    if only is None:
        _remove_stale(out, {name for name, _ in written})
    return written


def _write(document: Composed, out: Path) -> int:
    path = out / document.file_name
    if document.text:
        path.write_text(document.text, encoding="utf-8")
        return 1
    return write_pdf(path, document.title, document.blocks, contents=document.contents)


def _remove_stale(out: Path, names: set[str]) -> None:
    """A summary of an older revision must not stay beside the new one."""
    for path in out.glob("B????????_*_S.pdf"):
        if path.name not in names:
            path.unlink()


def main() -> int:
    settings = Settings()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="이 글자가 이름에 들어 있는 문서만")
    parser.add_argument("--content", type=Path, default=settings.content_dir, help="원천 데이터 폴더")
    parser.add_argument("--out", type=Path, help="쓸 폴더 (기본: 데이터 폴더의 documents)")
    options = parser.parse_args()
    try:
        written = build(
            options.content, options.out or options.content / "documents", settings.company_name, options.only
        )
    except AppError as error:
        print(error, file=sys.stderr)
        return 1
    for name, pages in written:
        print(f"{pages:4d}쪽  {name}")
    print(f"모두 {len(written)}개 문서, {sum(pages for _, pages in written)}쪽")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
