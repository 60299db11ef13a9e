"""What the routing scripts share: the opened router, cross-validation over the bank, and single-tool trials."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from app.adapters.embeddings import Embedder, build_embedder
from app.adapters.vector_store import ChromaStore
from app.language.evidence import NO_TOOL, OUTSIDE
from app.language.feature_space import Example
from app.language.kernel_heads import KernelHeads, fit_heads
from app.language.tokenizer import Tokenizer
from app.routing.calibration import Calibration, calibrate
from app.routing.evaluation import Case, Outcome, run_cases
from app.routing.examples import LabelledLine, as_examples, development_lines, training_lines
from app.routing.intent import Intents
from app.routing.learning import MOST_LINES, chosen_lines
from app.routing.opening import Routing, open_routing
from app.routing.router import Route, Router
from app.routing.tool_index import IndexBuilder
from app.safety.domain import DomainCheck
from app.settings import Settings
from app.toolbox.loader import load_builtin_entries
from app.toolbox.snapshot import ToolEntry, ToolSnapshot
from app.word_files import WordFiles

EVALUATION = Path("evaluation") / "routing"
FOLDS = 5


@dataclass(frozen=True)
class Opened:
    """The shipped router and what it was made of."""

    settings: Settings
    snapshot: ToolSnapshot
    tokenizer: Tokenizer
    embedder: Embedder
    routing: Routing

    @property
    def evaluation(self) -> Path:
        """The folder of the case files."""
        return self.settings.content_dir / EVALUATION


@dataclass(frozen=True)
class Judged:
    """A line with the domain check's probability of being outside, and whether it is."""

    score: float
    outside: bool


def open_shipped() -> Opened:
    """The router over the shipped tools, as the application opens it."""
    settings = Settings()
    snapshot = ToolSnapshot(1, load_builtin_entries(settings.content_dir))
    tokenizer, embedder = Tokenizer(), build_embedder(settings)
    store = ChromaStore(settings.chroma_path)
    routing = open_routing(settings.content_dir, settings.data_dir, snapshot, embedder, tokenizer, store)
    return Opened(settings, snapshot, tokenizer, embedder, routing)


def bank_hashes(path: Path) -> frozenset[str]:
    """The hashes of the lines that come from the utterance bank."""
    lines = path.read_text(encoding="utf-8").split()
    return frozenset(line for line in lines if len(line) == 12 and line.isalnum())


def from_bank(text: str, hashes: Collection[str]) -> bool:
    """Whether a line stands in the utterance bank (the others were written for this project)."""
    return hashlib.sha256(text.encode()).hexdigest()[:12] in hashes


def _with_uses(entry: ToolEntry, uses: Sequence[str]) -> ToolEntry:
    return replace(entry, card=entry.card.model_copy(update={"when_to_use": tuple(uses)}))


def crossval(
    opened: Opened, withouts: Sequence[frozenset[str]], folds: int = FOLDS
) -> tuple[list[list[Outcome]], list[Judged]]:
    """5-fold over the lines of the utterance bank (the development fifth among them); own lines are always trained on.

    Each fold's lines leave the cards, the heads and the calibration, and are routed as questions: one list of outcomes
    for each set of sources left out. The bundled embedder saw four fifths of the bank while it was trained: read the
    figures without the embedding source. `folds` below 5 measures only so many of the five.
    """
    content = opened.settings.content_dir
    hashes = bank_hashes(opened.evaluation / "bank_lines.txt")
    known = training_lines(content, opened.snapshot)
    lines = [*known, *development_lines(content)]
    tested = [i for i, line in enumerate(lines) if i >= len(known) or from_bank(line.text, hashes)]
    carded = {text for entry in opened.snapshot.entries for _, _, text in entry.card.lines()}
    order = np.random.default_rng(7).permutation(tested)
    examples = as_examples(lines, opened.routing.analyser)
    outcomes: list[list[Outcome]] = [[] for _ in withouts]
    judged: list[Judged] = []
    for fold in range(folds):
        held = sorted(order[fold::FOLDS].tolist())
        rest = [i for i in range(len(lines)) if i not in set(held)]
        cards = [lines[i] for i in rest if i >= len(known) or lines[i].text in carded]
        entries = _cards_of(opened.snapshot.entries, cards)
        router, domain = _trained(opened, [examples[i] for i in rest])
        part = ToolSnapshot(1, entries)
        cases = [_case(f"fold{fold}-{i}", lines[i]) for i in held]
        for kept, without in zip(outcomes, withouts, strict=True):
            kept += _ranked_fold(router, cases, part, without)
        judged += [Judged(domain.judge(lines[i].text).score, lines[i].label == OUTSIDE) for i in held]
    return outcomes, judged


def _ranked_fold(router: Router, cases: Sequence[Case], part: ToolSnapshot, without: frozenset[str]) -> list[Outcome]:
    return run_cases(cases, lambda text: router.route(text, part, top_k=len(part), without=without))


def _case(name: str, line: LabelledLine) -> Case:
    if line.label == OUTSIDE:
        return Case(name, line.text, (), domain="out")
    if line.label is None:
        return Case(name, line.text, (), domain="in")
    return Case(name, line.text, () if line.label == NO_TOOL else (line.label,))


def _cards_of(entries: Sequence[ToolEntry], lines: Sequence[LabelledLine]) -> tuple[ToolEntry, ...]:
    uses: dict[str, list[str]] = {entry.name: [] for entry in entries}
    for line in lines:
        if line.label in uses:
            uses[line.label].append(line.text)
    return tuple(_with_uses(e, [t for t in dict.fromkeys(uses[e.name]) if t != e.card.purpose]) for e in entries)


def _trained(opened: Opened, examples: Sequence[Example]) -> tuple[Router, DomainCheck]:
    heads, calibration = trained_heads(opened, examples)
    analyser = opened.routing.analyser
    builder = IndexBuilder(analyser, opened.embedder, heads, None)
    intents = Intents(WordFiles(opened.settings.content_dir / "language"))
    router = Router(builder, calibration, analyser, opened.embedder, intents)
    return router, DomainCheck(analyser, heads, calibration.reader, calibration.domain, calibration.clear_outsider)


def trained_heads(opened: Opened, examples: Sequence[Example]) -> tuple[KernelHeads, Calibration]:
    """Heads and calibration from these examples alone."""
    labels = sorted({e.label for e in examples if e.label} - {NO_TOOL, OUTSIDE})
    heads, left_out = fit_heads(examples, (*labels, NO_TOOL, OUTSIDE), opened.tokenizer)
    return heads, calibrate(opened.embedder.name, "measured", heads, examples, left_out, ())


@dataclass(frozen=True)
class Newcomer:
    """A tool taken out, put back with a few lines, asked for by its other lines; and how the others fared."""

    tool: str
    found: tuple[int | None, ...]
    others_before: tuple[int | None, ...]
    others_after: tuple[int | None, ...]


def newcomers(
    opened: Opened,
    tools: Sequence[str],
    lines_each: int,
    without: frozenset[str],
    others: Sequence[Case],
    seed: int = 7,
) -> Iterator[Newcomer]:
    """Each tool in turn: heads, calibration and index know nothing of it, then it is added to the living router."""
    # A part of the lines, as a start without shipped heads takes: every trial trains anew.
    training = chosen_lines(training_lines(opened.settings.content_dir, opened.snapshot), MOST_LINES)
    examples = as_examples(training, opened.routing.analyser)
    draw = np.random.default_rng(seed)
    for name in tools:
        entry = opened.snapshot.entry(name)
        known = [e for e in examples if e.label != name]
        router, _ = _trained(opened, known)
        rest = ToolSnapshot(1, tuple(e for e in opened.snapshot.entries if e.name != name))
        router.prepare(None, rest)
        order = draw.permutation(len(entry.card.when_to_use))
        uses = [entry.card.when_to_use[i] for i in order]
        grown = ToolSnapshot(2, (*rest.entries, _with_uses(entry, uses[:lines_each])))
        router.prepare(rest, grown)
        asked = [Case(f"{name}-{i}", text, (name,)) for i, text in enumerate(uses[lines_each:])]
        beside = [case for case in others if case.expected and case.expected[0] != name]

        yield Newcomer(
            name,
            _ranks(router, asked, grown, without),
            _ranks(router, beside, rest, without),
            _ranks(router, beside, grown, without),
        )


def _ranks(
    router: Router, cases: Sequence[Case], snapshot: ToolSnapshot, without: frozenset[str]
) -> tuple[int | None, ...]:
    def route(text: str) -> Route:
        return router.route(text, snapshot, top_k=len(snapshot), without=without)

    return tuple(outcome.rank for outcome in run_cases(cases, route))
