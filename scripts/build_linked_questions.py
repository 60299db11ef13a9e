"""Writes questions that take two linked clauses: `python -m scripts.build_linked_questions [--out FILE]`.

From the real links of the shipped policies: a sentence that cites another clause, or uses a term that another defines,
with the citation and half of its words left out, asks for the clause it stands in and for the other. A clause that
several policies share counts as found in any of them. Same documents, same questions. Hand-written ones are beside them
in linked_by_hand.jsonl.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from app.adapters.embeddings import build_embedder
from app.adapters.vector_store import ChromaStore
from app.documents.index import Snapshot
from app.documents.library import open_library
from app.documents.search import DEFAULT_PROJECT
from app.documents.shapes import Chunk
from app.errors import AppError
from app.insurance.catalogue import load_catalogue
from app.language.tokenizer import Tokenizer
from app.settings import ROOT, Settings

OUT = ROOT / "data" / "evaluation" / "retrieval" / "linked.jsonl"
KEPT = 0.5
LEAST_WORDS = 5
MOST = 2
_SEED = 3
_CITED = re.compile(r"제\s?\d+\s?조(?:의\s?\d+)?(?:\([^)]*(?:\([^)]*\))?[^)]*\))?(?:제\d+항)?[가-힣]{0,2}")
_EMPTY = frozenset({"준용규정", "목적", "용어의정의"})
"""Titles of clauses that say nothing of their own."""
Cut = Callable[[str], Sequence[str]]


def main(arguments: list[str] | None = None) -> int:
    """0 when written, 1 when the documents cannot be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    settings, tokenizer = Settings(), Tokenizer()
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    try:
        catalogue = load_catalogue(settings.content_dir, settings.company_name)
        store = ChromaStore(settings.chroma_path)
        library = open_library(settings, catalogue, build_embedder(settings), tokenizer, store)
        library.refresh()
        ranker = library.ranker(DEFAULT_PROJECT)
        rows = list(questions(ranker.snapshot, tokenizer.sentences)) if ranker else []
        store.close()
    except AppError as error:
        print(error, file=sys.stderr)
        return 1
    options.out.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    print(f"{len(rows)} questions: {options.out}")
    return 0


def questions(snapshot: Snapshot, sentences: Cut) -> Iterator[dict[str, object]]:
    """One question a pair of clause titles, at most MOST about one clause."""
    dice, seen = random.Random(_SEED), set()
    asked: Counter[str] = Counter()
    for edge in snapshot.graph.edges:
        here, there = snapshot.chunks[edge.source], snapshot.chunks[edge.target]
        pair = (snapshot.titles[edge.source], snapshot.titles[edge.target])
        if edge.kind not in ("인용", "용어 정의") or pair in seen or pair[0] == pair[1] or not all(pair):
            continue
        if any(chunk.kind != "terms" or not chunk.article.startswith("제") for chunk in (here, there)):
            continue
        words = _asked(here, edge.quote, sentences, dice)
        if len(words) < LEAST_WORDS or pair[0] in _EMPTY or max(asked[title] for title in pair) >= MOST:
            continue
        seen.add(pair)
        asked.update(pair)
        yield {
            "id": f"l{len(seen):03}",
            "query": " ".join(words),
            "relevant": [_names(snapshot, title, chunk) for title, chunk in zip(pair, (here, there), strict=True)],
            "kind": "terms",
            "all": True,
        }


def _asked(chunk: Chunk, quote: str, sentences: Cut, dice: random.Random) -> list[str]:
    """Half of the words of the sentence that cites or uses a term, without citations and their titles."""
    told = next((s for line in chunk.text.split("\n") for s in sentences(line) if quote in s), "")
    words = [word for word in _CITED.sub(" ", told).split() if len(word) > 1 and word[0] not in "([).,"]
    return [word for word in words if dice.random() < KEPT or quote in word][:14]


def _names(snapshot: Snapshot, title: str, chunk: Chunk) -> Sequence[str]:
    """Every main or rider clause of that title and of the same standing, by document and article."""
    return sorted(
        {
            f"{other.doc_id}#{other.article}"
            for other, its in zip(snapshot.chunks, snapshot.titles, strict=True)
            if its == title and bool(other.scope) == bool(chunk.scope) and other.kind == "terms"
        }
    )


if __name__ == "__main__":
    raise SystemExit(main())
