"""Opens the router and the domain check: reads the example files, trains the heads once, keeps them for next time."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from app.adapters.embeddings import Embedder
from app.adapters.vector_store import ChromaStore
from app.errors import Unavailable
from app.insurance.catalogue_files import DataReader, FaultLog
from app.insurance.models import Product
from app.language.everyday import load_everyday
from app.language.evidence import NO_TOOL
from app.language.features import Tagged, TextAnalyser
from app.language.glossary import load_glossary
from app.language.kernel_heads import Reading
from app.language.particulars import ParticularsMask
from app.messages import worded
from app.routing.calibration import Calibration, calibrate
from app.routing.embedding_index import COLLECTION
from app.routing.examples import LabelledLine, as_examples, development_lines, example_lines, read_utterances
from app.routing.intent import Intents
from app.routing.learning import SHIPPED, Learned, hash_of, learned_heads
from app.routing.router import Router
from app.routing.tool_index import IndexBuilder
from app.safety.at_large import AtLarge
from app.safety.domain import DomainCheck
from app.toolbox.snapshot import ToolSnapshot
from app.word_files import WordFiles

log = logging.getLogger(__name__)

_MOST_UNRELATED = 200
CALIBRATION = "calibration.json"
SHIPPED_CALIBRATION = SHIPPED.with_name(CALIBRATION)


class RoutingTokenizer(Protocol):
    """What routing needs of the tokenizer: tags, and the likeness of morphemes."""

    def fully_tagged(self, text: str) -> tuple[Tagged, ...]:
        """Every morpheme with its tag."""
        ...

    def morpheme_similarities(self, a: Tagged, others: Sequence[Tagged]) -> list[float]:
        """Cosines of a morpheme with others in the tokenizer's language model. Raises ValueError for unknown ones."""
        ...


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
    *,
    embeds: bool = True,
) -> Routing:
    """Train or load the heads, calibrate, and index `snapshot`. The first start takes seconds, later ones a fraction.

    `products` are hidden from the router's eyes (their names must not steer); read from `content_dir` when not given.

    `embeds` False leaves the vectors to a later `keep_vectors`.

    Raises DataFaults for a broken example file. A store that fails leaves the embedding source out (router.degraded).
    """
    sold = read_products(content_dir) if products is None else products
    analyser = TextAnalyser(tokenizer, ParticularsMask(sold, content_dir / "language"))
    learned = learned_for(content_dir, data_dir, snapshot, tokenizer, analyser, sold)
    calibration = _calibrated(content_dir, data_dir, embedder, analyser, learned)
    collection = store.collection(COLLECTION, embedder.fingerprint) if store else None
    gloss = load_glossary(content_dir / "language" / "english.yaml").korean
    unrelated = unrelated_lines(learned)
    everyday = load_everyday(content_dir / "language" / "everyday.yaml", analyser.tagged)
    builder = IndexBuilder(
        analyser, embedder, learned.heads, collection, learned.terms, gloss, unrelated, everyday, embeds=embeds
    )
    router = Router(builder, calibration, analyser, embedder, Intents(WordFiles(content_dir / "language")))
    router.prepare(None, snapshot)
    domain = DomainCheck(
        analyser,
        learned.heads,
        calibration.reader,
        calibration.domain,
        calibration.clear_outsider,
        AtLarge(content_dir),
    )
    return Routing(router, domain, calibration, analyser)


def unrelated_lines(learned: Learned) -> list[tuple[str, Reading]]:
    """An even sample of the learned lines that need no tool, as they were read (nothing is analysed again)."""
    places = [i for i, example in enumerate(learned.examples) if example.label == NO_TOOL]
    step = max(len(places) // _MOST_UNRELATED, 1)
    chosen, supports = places[::step], learned.heads.supports[0]
    rows = supports.rows(np.array(chosen, dtype=np.intp))
    return [
        (learned.examples[i].analysis.text, (*row, supports.meaning[i])) for i, row in zip(chosen, rows, strict=True)
    ]


def read_products(content_dir: Path) -> tuple[Product, ...]:
    """The product files alone. Raises DataFaults with every fault of them."""
    faults = FaultLog()
    reader = DataReader(content_dir, "", faults)
    paths = sorted((content_dir / "products").glob("*.yaml"))
    items = [reader.yaml_one(f"products/{path.name}", Product) for path in paths]
    faults.check()
    return tuple(item.value for item in items if item is not None)


def learned_for(
    content_dir: Path,
    data_dir: Path,
    snapshot: ToolSnapshot,
    tokenizer: RoutingTokenizer,
    analyser: TextAnalyser,
    sold: Sequence[Product],
) -> Learned:
    """The heads of the shipped lines: stored ones if they fit, else trained on the spot."""
    training, data_hash = training_data(content_dir, snapshot, tokenizer, sold)
    return learned_heads(content_dir, data_dir, training, tokenizer, analyser, data_hash)


def training_data(
    content_dir: Path, snapshot: ToolSnapshot, tokenizer: RoutingTokenizer, sold: Sequence[Product]
) -> tuple[list[LabelledLine], str]:
    """The lines to learn from, and the hash under which what was learned is kept."""
    training = example_lines(content_dir, snapshot)
    told = read_utterances(content_dir, snapshot, training)
    if told.faults:
        log.warning(worded("routing_opening.not_learnt"), len(told.faults))
    training += told.lines
    # What the tokenizer's dictionary and the product names make of a text changes the features: into the hash too.
    names = [f"{product.code}{product.name}{product.nicknames}" for product in sold]
    return training, hash_of(training, [tokenizer.fully_tagged(e.card.purpose) for e in snapshot.entries], names)


def calibrated(content_dir: Path, embedder: Embedder, analyser: TextAnalyser, learned: Learned) -> Calibration:
    """Thresholds for these heads, made anew."""
    development = _development(content_dir, learned)
    made_of = _made_of(development, embedder, learned)
    held_out = as_examples(development, analyser)
    return calibrate(embedder.name, made_of, learned.heads, learned.examples, learned.left_out, held_out)


def stored_calibration(
    content_dir: Path, embedder: Embedder, learned: Learned, paths: Sequence[Path]
) -> Calibration | None:
    """The thresholds at the first of `paths` that were made from these heads, lines and embedder; None otherwise."""
    made_of = _made_of(_development(content_dir, learned), embedder, learned)
    return next((found for path in paths if (found := Calibration.load(path, embedder.name, made_of))), None)


def _calibrated(
    content_dir: Path, data_dir: Path, embedder: Embedder, analyser: TextAnalyser, learned: Learned
) -> Calibration:
    own = data_dir / "routing" / CALIBRATION
    found = stored_calibration(content_dir, embedder, learned, (content_dir / SHIPPED_CALIBRATION, own))
    if found is not None:
        return found
    made = calibrated(content_dir, embedder, analyser, learned)
    try:
        own.parent.mkdir(parents=True, exist_ok=True)
        made.save(own)
    except OSError as error:
        message = worded("routing_opening.cannot_save", parent=own.parent, error=error)
        raise Unavailable(message) from error
    return made


def _development(content_dir: Path, learned: Learned) -> list[LabelledLine]:
    known = {example.label for example in learned.examples}
    return [line for line in development_lines(content_dir) if line.label is None or line.label in known]


def _made_of(development: Sequence[LabelledLine], embedder: Embedder, learned: Learned) -> str:
    digest = hashlib.sha256(f"{learned.data_hash}{len(learned.examples)}{embedder.fingerprint}".encode())
    for line in development:
        digest.update(f"{line.label}\x1f{line.text}\n".encode())
    return digest.hexdigest()[:16]
