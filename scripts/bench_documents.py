"""Measures document search and reading on made-up corpora: `python -m scripts.bench_documents [--write]`.

Queries at 10,000 and 100,000 passages on one core, reading of pages without tables, and the memory that a PDF of 1,000
pages takes. The passages are sentences of the shipped policies, mixed anew, so words and lengths are real; letters are
drawn so that passages differ. --write puts the table between the marks of docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pymupdf

from app.adapters.embeddings import build_embedder
from app.adapters.vector_store import ChromaStore
from app.documents.confidence import Calibration
from app.documents.examples import CustomerWords
from app.documents.index import Snapshot
from app.documents.library import open_library
from app.documents.meaning import FOLDER, MeaningSpace
from app.documents.ranking import Ranker
from app.documents.shapes import Chunk
from app.documents.terms import NeighbourCache, TermReader, content_words
from app.insurance.catalogue import load_catalogue
from app.language.tokenizer import Tokenizer
from app.settings import ROOT, Settings
from scripts.benchmark_notes import write_section

HEADING = "Document search: speed and memory\n\n`python -m scripts.bench_documents --write`"
SIZES = (10_000, 100_000)
PAGES = 1_000
LINES = 38
QUERIES = 150
_WARM = 20


def main(arguments: list[str] | None = None) -> int:
    """Print the table; 0 when everything was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="docs/benchmarks.md의 표를 바꿉니다")
    parser.add_argument("--reading", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.reading:
        print(json.dumps(_reading()))
        return 0
    rows = ["| what | measured | target |", "|---|---|---|"]
    for size, times in query_times():
        target = "p50 25 ms, p95 50 ms" if size == SIZES[0] else "p95 150 ms"
        for name, values in zip(("by the clock", "processor time"), zip(*times, strict=True), strict=True):
            p50, p95 = (float(np.percentile(values, share)) for share in (50, 95))
            told = f"p50 {p50:.1f} ms, p95 {p95:.1f} ms"
            rows.append(f"| hybrid query, {size:,} passages, {name} | {told} | {target} |")
    # a process of its own: the memory of the queries must not hide that of the reading
    reading = subprocess.run(
        [sys.executable, "-m", "scripts.bench_documents", "--reading"], cwd=ROOT, check=True, capture_output=True
    )
    found = json.loads(reading.stdout.splitlines()[-1])
    told = f"{found['speed']:.0f} pages/s ({found['processor']:.0f} a second of processor time)"
    rows.append(f"| reading and indexing {PAGES:,} pages without tables | {told} | 20 pages/s |")
    rows.append(f"| the same, extra memory | {found['memory']:.0f} MB | 300 MB |")
    rows.append(f"\nLoad average while measuring: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")
    table = "\n".join(rows)
    print(table)
    if options.write:
        write_section("bench_documents", HEADING, table)
    return 0


def _sentences(tokenizer: Tokenizer) -> list[str]:
    """Sentences of the policies' sources."""
    found: list[str] = []
    for path in sorted((ROOT / "data" / "documents" / "sources").glob("*.md")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if len(line) > 30 and not line.startswith(("#", "|", "{")):
                found += [sentence for sentence in tokenizer.sentences(line) if len(sentence) > 15]
    return list(dict.fromkeys(found))


def query_times(sizes: Sequence[int] = SIZES) -> Iterator[tuple[int, list[tuple[float, float]]]]:
    """Milliseconds of hybrid queries at each size, by the clock and of the processor; a query is one thread."""
    tokenizer = Tokenizer()
    settings = Settings()
    embedder, meaning = build_embedder(settings), MeaningSpace.load(settings.content_dir / "models" / FOLDER, tokenizer)
    lexicon = CustomerWords(settings.content_dir, lambda text: content_words(tokenizer, text))
    dice, sentences, reader = random.Random(7), _sentences(tokenizer), TermReader(tokenizer)
    known = [(sentence, reader.terms(sentence)) for sentence in sentences]
    for size in sizes:
        chunks, terms, titles = [], [], []
        for number in range(size):
            parts = dice.sample(known, 3)
            label = f"제{number % 400 + 1}조"
            text = " ".join(_varied(sentence, dice) for sentence, _ in parts)
            document = f"문서{number // 400}"
            chunks.append(_chunk(document, label, text, number))
            titles.append([f"§{label}", *parts[0][1][:3]])
            terms.append([word for _, words in parts for word in words] + [f"낱말{dice.randrange(size)}"])
        meanings = np.stack([meaning.encode_passage(words) for words in terms])
        vectors = embedder.encode_passages([chunk.text for chunk in chunks])
        ranker = Ranker(
            Snapshot.build(chunks, terms, titles, vectors, meanings), NeighbourCache(tokenizer), meaning,
            embedder.encode_query, Calibration(at_knee=0.01), lexicon, {},
        )  # fmt: skip
        queries = [" ".join(dice.choice(sentences).split()[:7]) for _ in range(QUERIES + _WARM)]
        times = []
        for query in queries:
            begun, worked = time.perf_counter(), time.process_time()
            ranker.rank(query, "hybrid")
            times.append(((time.perf_counter() - begun) * 1000, (time.process_time() - worked) * 1000))
        yield size, times[_WARM:]


def _varied(sentence: str, dice: random.Random) -> str:
    """The sentence with its words in another order at one place."""
    words = sentence.split()
    at = dice.randrange(len(words))
    return " ".join((*words[at:], *words[:at]))


def _chunk(document: str, label: str, text: str, number: int) -> Chunk:
    return Chunk(
        f"{number:08x}", document, f"{document}.pdf", document, "terms", "", "", (label,), label, "", 1, 1, text
    )


def _reading() -> dict[str, float]:
    """Pages a second and megabytes beyond what the warm process had."""
    settings = Settings()
    catalogue = load_catalogue(settings.content_dir, settings.company_name)
    tokenizer = Tokenizer()
    tokenizer.warm()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "documents"
        folder.mkdir()
        subprocess.run(
            [sys.executable, "-c", f"from scripts.bench_documents import write_pages; write_pages({str(folder)!r})"],
            cwd=ROOT, check=True,
        )  # fmt: skip
        own = replace_data_dir(settings, Path(place) / "state")
        store = ChromaStore(own.chroma_path)
        library = open_library(own, catalogue, build_embedder(own), tokenizer, store)
        library.project("warm")
        before = _megabytes("VmRSS")
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
        begun, worked = time.perf_counter(), time.process_time()
        library.refresh([folder], "bench")
        seconds, processor = time.perf_counter() - begun, time.process_time() - worked
        after = _megabytes("VmHWM")
        store.close()
    return {"speed": PAGES / seconds, "processor": PAGES / processor, "memory": after - before}


def replace_data_dir(settings: Settings, place: Path) -> Settings:
    """The settings with another state folder, which is made."""
    place.mkdir(parents=True)
    return settings.model_copy(update={"data_dir": place})


def _megabytes(name: str) -> float:
    """A line of /proc/self/status."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    return 0.0


def write_pages(folder: str) -> None:
    """A PDF of PAGES pages of articles, without tables."""
    dice, sentences = random.Random(11), _sentences(Tokenizer())
    document = pymupdf.open()
    article = 0
    for _ in range(PAGES):
        page = document.new_page()
        lines: list[str] = []
        while len(lines) < LINES:
            article += 1
            lines.append(f"제{article}조({' '.join(dice.choice(sentences).split()[:3])})")
            text = " ".join(_varied(sentence, dice) for sentence in dice.sample(sentences, 3))
            lines += [text[at : at + 46] for at in range(0, len(text), 46)]
        page.insert_text((50, 80), lines[:LINES], fontname="korea", fontsize=10, lineheight=1.7)
    document.save(str(Path(folder) / "천쪽약관.pdf"), deflate=True)
    document.close()


if __name__ == "__main__":
    raise SystemExit(main())
