"""Opens the router and the domain check: reads the example files, trains the heads once, keeps them for next time."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from app.adapters.embeddings import Embedder
from app.adapters.vector_store import ChromaStore
from app.errors import DataFaults, Fault, Unavailable
from app.insurance.catalogue_files import DataReader, FaultLog
from app.insurance.models import Product
from app.language.evidence import NO_TOOL, OUTSIDE
from app.language.feature_space import Example
from app.language.features import Tagged, TextAnalyser
from app.language.glossary import load_glossary
from app.language.kernel_heads import KernelHeads, fit_heads
from app.language.lexicon import load_lexicon
from app.language.particulars import ParticularsMask
from app.routing.calibration import Calibration, calibrate
from app.routing.embedding_index import COLLECTION
from app.routing.router import Router
from app.routing.tool_index import IndexBuilder
from app.safety.domain import DomainCheck
from app.toolbox.snapshot import ToolSnapshot

log = logging.getLogger(__name__)

Terms = dict[str, tuple[str, ...]]

# Raise when features, weights or the way of training change, so that stored heads are trained anew.
RECIPE = "2"


class RoutingTokenizer(Protocol):
    """What routing needs of the tokenizer: tags, and the likeness of morphemes."""

    def fully_tagged(self, text: str) -> tuple[Tagged, ...]:
        """Every morpheme with its tag."""
        ...

    def morpheme_similarities(self, a: Tagged, others: Sequence[Tagged]) -> list[float]:
        """Cosines of a morpheme with others in the tokenizer's language model. Raises ValueError for unknown ones."""
        ...


@dataclass(frozen=True)
class LabelledLine:
    """A line and what it asks for: a tool, NO_TOOL, OUTSIDE, or None (insurance, but no one tool)."""

    text: str
    label: str | None


@dataclass(frozen=True)
class Routing:
    """What the other parts use."""

    router: Router
    domain: DomainCheck
    calibration: Calibration
    analyser: TextAnalyser


def open_routing(
    content_dir: Path,
    data_dir: Path,
    snapshot: ToolSnapshot,
    embedder: Embedder,
    tokenizer: RoutingTokenizer,
    store: ChromaStore | None = None,
    products: Sequence[Product] | None = None,
) -> Routing:
    """Train or load the heads, calibrate, and index `snapshot`. The first start takes seconds, later ones a fraction.

    `products` are hidden from the router's eyes (their names must not steer); read from `content_dir` when not given.

    Raises DataFaults for a broken example file. A store that fails leaves the embedding source out (router.degraded).
    """
    sold = read_products(content_dir) if products is None else products
    analyser = TextAnalyser(tokenizer, ParticularsMask(sold, load_lexicon(content_dir / "language").kinship))
    names = [f"{product.code}{product.name}{product.nicknames}" for product in sold]
    heads, calibration, terms = _heads(content_dir, data_dir, snapshot, embedder, tokenizer, analyser, names)
    collection = store.collection(COLLECTION, embedder.fingerprint) if store else None
    gloss = load_glossary(content_dir / "language" / "english.yaml").korean
    builder = IndexBuilder(analyser, embedder, heads, collection, terms, gloss)
    router = Router(builder, calibration, analyser, embedder)
    router.prepare(None, snapshot)
    domain = DomainCheck(analyser, heads, calibration.reader, calibration.domain, calibration.clear_outsider)
    return Routing(router, domain, calibration, analyser)


def read_products(content_dir: Path) -> tuple[Product, ...]:
    """The product files alone. Raises DataFaults with every fault of them."""
    faults = FaultLog()
    reader = DataReader(content_dir, "", faults)
    paths = sorted((content_dir / "products").glob("*.yaml"))
    items = [reader.yaml_one(f"products/{path.name}", Product) for path in paths]
    faults.check()
    return tuple(item.value for item in items if item is not None)


def training_lines(content_dir: Path, snapshot: ToolSnapshot) -> list[LabelledLine]:
    """Card lines of the shipped tools, no-tool lines, and inside and outside examples."""
    lines = [
        LabelledLine(text, entry.name)
        for entry in snapshot.entries
        if entry.has_own_card and entry.source == "builtin"
        for _, kind, text in entry.card.lines()
        if kind != "tags"
    ]
    lines += [LabelledLine(str(row["text"]), NO_TOOL) for row in read_jsonl(content_dir / "routing" / "no_tool.jsonl")]
    for row in read_jsonl(content_dir / "safety" / "domain_examples.jsonl"):
        lines.append(LabelledLine(str(row["text"]), OUTSIDE if row.get("label") == "out" else None))
    return lines


def development_lines(content_dir: Path) -> list[LabelledLine]:
    """The development file: `expected` tools (the first one counts), no tool, or a domain label."""
    lines = []
    for row in read_jsonl(content_dir / "evaluation" / "routing" / "development.jsonl"):
        expected = row.get("expected")
        label: str | None = str(expected[0]) if isinstance(expected, list) and expected else NO_TOOL
        if row.get("domain") == "out":
            label = OUTSIDE
        elif row.get("domain") == "in" and not expected:
            label = None
        lines.append(LabelledLine(str(row["query"]), label))
    return lines


def read_jsonl(path: Path) -> list[dict[str, object]]:
    """The objects of a JSON lines file. Raises DataFaults naming every broken line."""
    faults: list[Fault] = []
    rows: list[dict[str, object]] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataFaults([Fault(str(path), 0, f"읽을 수 없습니다: {error}")]) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            faults.append(Fault(str(path), number, f"JSON이 아닙니다: {error}"))
            continue
        if isinstance(row, dict):
            rows.append(row)
        else:
            faults.append(Fault(str(path), number, "한 줄에 객체 하나({…})여야 합니다"))
    if faults:
        raise DataFaults(faults)
    return rows


def as_examples(lines: Sequence[LabelledLine], analyser: TextAnalyser) -> list[Example]:
    """Lines with their analysis (0.2 ms a line)."""
    return [Example(analyser.analyse(line.text), line.label) for line in lines]


def _heads(
    content_dir: Path,
    data_dir: Path,
    snapshot: ToolSnapshot,
    embedder: Embedder,
    tokenizer: RoutingTokenizer,
    analyser: TextAnalyser,
    hidden: Sequence[str],
) -> tuple[KernelHeads, Calibration, Terms]:
    training, development = training_lines(content_dir, snapshot), development_lines(content_dir)
    known = {line.label for line in training}
    development = [line for line in development if line.label is None or line.label in known]
    # What the tokenizer's dictionary and the product names make of a text changes the features: into the hash too.
    reading = [tokenizer.fully_tagged(entry.card.purpose) for entry in snapshot.entries]
    data_hash = _hash(f"{RECIPE}{embedder.fingerprint}{reading}{hidden}", training, development)
    folder = data_dir / "routing"
    calibration = Calibration.load(folder / "calibration.json", embedder.name, data_hash)
    heads = KernelHeads.load(folder / "heads.npz", tokenizer) if calibration else None
    terms = _load_terms(folder / "terms.json", data_hash)
    if heads is not None and calibration is not None and terms is not None:
        return heads, calibration, terms
    log.info("도구 분류기를 학습합니다: %d문장", len(training))
    examples = as_examples(training, analyser)
    labels = sorted({line.label for line in training if line.label} - {NO_TOOL, OUTSIDE})
    heads, left_out = fit_heads(examples, (*labels, NO_TOOL, OUTSIDE), tokenizer)
    terms = {line.text: example.analysis.terms for line, example in zip(training, examples, strict=True)}
    held_out = as_examples(development, analyser)
    calibration = calibrate(embedder.name, data_hash, heads, examples, left_out, held_out)
    try:
        heads.save(folder / "heads.npz")
        calibration.save(folder / "calibration.json")
        stored = json.dumps({"data_hash": data_hash, "terms": terms}, ensure_ascii=False)
        (folder / "terms.json").write_text(stored, encoding="utf-8")
    except OSError as error:
        message = f"분류기를 {folder}에 저장할 수 없습니다: {error}. 디스크 공간과 권한을 확인해 주세요."
        raise Unavailable(message) from error
    return heads, calibration, terms


def _load_terms(path: Path, data_hash: str) -> Terms | None:
    """The words of each training line, so that the keyword index need not read the lines again."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(raw, dict) or raw.get("data_hash") != data_hash:
        return None
    return {text: tuple(words) for text, words in raw["terms"].items()}


def _hash(recipe: str, training: Sequence[LabelledLine], development: Sequence[LabelledLine]) -> str:
    digest = hashlib.sha256(recipe.encode())
    for line in (*training, LabelledLine("\x1e", None), *development):
        digest.update(f"{line.label}\x1f{line.text}\n".encode())
    return digest.hexdigest()[:16]
