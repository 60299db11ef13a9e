"""Builds the vector database: `python -m scripts.init_vectordb [--source DIR] [--project NAME] [--rebuild]`.

Without --source: the tool cards (tool_embeddings) and the shipped documents (rag_documents). With --source: that
folder of PDF, TXT and MD as the documents of a project, remembered for later starts; in the insurance project it stands
beside the shipped documents. Prints what became of each file and how scores tell on-topic
questions from off-topic ones.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

import numpy as np

from app.adapters.embeddings import build_embedder
from app.adapters.vector_store import ChromaStore
from app.documents.examples import Examples, load_examples
from app.documents.library import DocumentLibrary, open_library
from app.documents.search import DEFAULT_PROJECT
from app.documents.shapes import FileReport
from app.errors import AppError
from app.insurance.catalogue import load_catalogue
from app.language.tokenizer import Tokenizer
from app.routing.opening import open_routing
from app.settings import Settings
from app.toolbox.loader import load_builtin_entries
from app.toolbox.registry import ToolRegistry

_NAMES = {"ok": "읽음", "unchanged": "그대로", "skipped": "제외", "removed": "삭제", "waiting": "뒤에 읽음"}


def main(arguments: list[str] | None = None) -> int:
    """0 when everything was taken in, 2 when files were left out, 1 when nothing could be built."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, help="문서 폴더 (PDF, TXT, MD)")
    parser.add_argument("--project", default=DEFAULT_PROJECT, help=f"문서 묶음 이름 (기본 {DEFAULT_PROJECT})")
    parser.add_argument("--rebuild", action="store_true", help="이미 읽은 문서도 다시 읽기")
    options = parser.parse_args(arguments)
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", options.project):
        parser.error("--project는 영문자, 숫자, '.', '_', '-'로 64자까지 쓸 수 있습니다.")
    if options.source is not None and not options.source.is_dir():
        parser.error(f"--source 폴더 {options.source}가 없습니다.")
    settings = Settings()
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    try:
        return _build(settings, options.source, options.project, options.rebuild)
    except AppError as error:
        print(error, file=sys.stderr)
        return 1


def _build(settings: Settings, source: Path | None, project: str, rebuild: bool) -> int:
    catalogue = load_catalogue(settings.content_dir, settings.company_name)
    embedder, tokenizer = build_embedder(settings), Tokenizer()
    store = ChromaStore(settings.chroma_path)
    try:
        library = open_library(settings, catalogue, embedder, tokenizer, store)
        if rebuild:
            library.forget(project)
        if source is None and project == DEFAULT_PROJECT:
            begun = time.perf_counter()
            tools = ToolRegistry(load_builtin_entries(settings.content_dir)).snapshot()
            routing = open_routing(settings.content_dir, settings.data_dir, tools, embedder, tokenizer, store)
            print(f"도구 {len(tools)}개 색인 ({time.perf_counter() - begun:.1f}초)")
            limits = routing.calibration
            print(f"  기준값: 도구 없음 {limits.no_call.threshold:.3f}, 업무 범위 {limits.domain.threshold:.3f}")
        examples = load_examples(settings.content_dir)
        begun = time.perf_counter()
        own = project == DEFAULT_PROJECT
        reports = library.refresh((source,) if source is not None else None, project, remember=source is not None)
        _print_reports(reports, library, project, time.perf_counter() - begun)
        _print_scores(library, project, examples if own else Examples((), examples.off_topic))
        return 2 if any(report.status == "skipped" for report in reports) else 0
    finally:
        store.close()


def _print_reports(reports: tuple[FileReport, ...], library: DocumentLibrary, project: str, seconds: float) -> None:
    for report in reports:
        detail = report.reason or f"{report.pages}쪽" + (f", {report.chunks}문단" if report.chunks else "")
        print(f"  {_NAMES[report.status]}  {report.source}  {detail}")
    ranker = library.ranker(project)
    chunks = len(ranker.snapshot.chunks) if ranker else 0
    read = sum(report.pages for report in reports if report.status == "ok")
    speed = f", 초당 {read / seconds:.0f}쪽" if read and seconds > 0 else ""
    print(f"문서 묶음 {project}: 파일 {len(reports)}개, 문단 {chunks}개 ({seconds:.1f}초{speed})")


def _print_scores(library: DocumentLibrary, project: str, examples: Examples) -> None:
    ranker = library.ranker(project)
    if ranker is None or not ranker.snapshot.chunks:
        return
    for name, questions in (("업무 질문", examples.on_topic), ("업무 밖 질문", examples.off_topic)):
        if questions:
            values = np.array([ranker.raw_best(question) for question in questions])
            marks = ", ".join(f"{share}% {np.percentile(values, share):.3f}" for share in (5, 25, 50, 75, 95))
            print(f"  {name} {len(values)}개의 가장 높은 값: {marks}")
    limit = ranker.calibration
    print(
        f"  기준값: 확신도 0.3 = 원래 값 {limit.at_knee:.3f}, 1.0 = {limit.full:.3f} "
        f"(업무 밖 질문의 {limit.rejected:.0%}를 돌려보냄)"
    )


if __name__ == "__main__":
    raise SystemExit(main())
