"""What only computes: catalogue, language, routing, guards and the embedded planner.

It is opened first, by one thread and without database, store or network, so that the process can be copied while it
holds nothing but this (adapters/fork_server.py).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from jinja2 import Environment

from app.adapters.chat_model import Engine, openai_compatible
from app.adapters.embeddings import Embedder, build_embedder
from app.adapters.fork_server import ForkServer
from app.adapters.memory import return_freed_memory
from app.adapters.static_embedder import StaticEmbedder
from app.adapters.twin_process import serving
from app.adapters.vector_store import ChromaStore
from app.answering.answering import Answering
from app.answering.operators import Operators
from app.answering.words import FieldWords
from app.dialogue.items import FieldLexicon, load_fields
from app.editing.opening import load_entries
from app.graph.apart import Steps, ToolNews
from app.graph.turn import Auto, Judges, Planned
from app.insurance.catalogue import Catalogue, load_catalogue
from app.language.english import EnglishReader
from app.language.english_answers import english_environment
from app.language.entities import EntityReader
from app.language.glossary import load_glossary
from app.language.numbers import NUMERALS
from app.language.plain_words import PlainWords
from app.language.ridge import be_ready
from app.language.spelling import Spelling
from app.language.tokenizer import Tokenizer
from app.planner.conversation_model import SHIPPED as CONVERSATION_MODEL
from app.planner.conversation_model import ConversationModel
from app.planner.cues import CueReader
from app.planner.deadlines import Deadlines
from app.planner.english_shapes import EnglishSpeaker
from app.planner.english_telling import EnglishTeller, english_reader
from app.planner.facets import Facets
from app.planner.knowledge import KnowledgeBase
from app.planner.look_up import LookUp
from app.planner.model import ENGINE_NAME, EmbeddedPlanner
from app.planner.news import NewsReader
from app.planner.not_paid import NotPaid
from app.planner.planner import Planner
from app.planner.ranking import ConversationRanker
from app.planner.reading import Reader
from app.planner.recalling import Recall
from app.planner.restating import Restater
from app.planner.small_talk import SmallTalk
from app.planner.speak import Speaker
from app.planner.talk import Talker
from app.planner.told import SHIPPED, ToldJudge
from app.planner.wordings import Encode
from app.planner.words import PlannerWords
from app.planning.filling import SlotFiller
from app.planning.tools import ToolSlots
from app.planning.words import SlotWords
from app.routing.embedding_index import COLLECTION
from app.routing.opening import Routing, open_routing
from app.safety.crisis import CrisisCheck
from app.safety.injection import InjectionCheck
from app.safety.messages import MessageCheck
from app.safety.output import OutputGuard
from app.safety.pasted import PastedTexts
from app.safety.personal_data import PersonalDataMasker
from app.safety.personal_words import PersonalWords
from app.safety.phrase_classifier import PhraseClassifier
from app.safety.phrases import PhraseChecker
from app.safety.tuning import Guards, Tuning
from app.settings import ROOT, Settings
from app.toolbox.cards import ToolCard
from app.toolbox.change_line import ChangeLine
from app.toolbox.modules import ToolModules
from app.toolbox.registry import ToolRegistry
from app.toolbox.snapshot import ToolEntry, ToolSnapshot
from app.toolbox.toolbox import Toolbox
from app.understanding.confidence import SHIPPED as CONFIDENCE
from app.understanding.confidence import ConfidenceModel
from app.understanding.forms import SHIPPED as FORMS_MODEL
from app.understanding.forms import FormReader
from app.word_files import WordFiles


@dataclass(frozen=True)
class Computing:
    """Everything of the service that needs nothing from outside the process. `first` is the tool set of the files."""

    catalogue: Catalogue
    tokenizer: Tokenizer
    entities: EntityReader
    knowledge: KnowledgeBase
    phrases: PhraseChecker
    masker: PersonalDataMasker
    routing: Routing
    registry: ToolRegistry
    first: ToolSnapshot
    judges: Judges
    tuning: Tuning
    engine: Engine


@dataclass(frozen=True)
class _Language:
    """The word files of a content folder, and what reads messages by them."""

    folder: Path
    catalogue: Catalogue
    tokenizer: Tokenizer
    entities: EntityReader
    knowledge: KnowledgeBase
    fields: FieldLexicon
    planner_words: PlannerWords
    english: EnglishReader
    small_talk: SmallTalk
    news: NewsReader
    field_words: FieldWords


@dataclass(frozen=True)
class _Guards:
    """What judges questions and answers."""

    masker: PersonalDataMasker
    phrases: PhraseChecker
    injection: InjectionCheck
    messages: MessageCheck
    crisis: CrisisCheck
    output: OutputGuard


def open_computing(settings: Settings, modules: ToolModules) -> Computing:
    """Open it (about 4 s).

    Raises DataFaults with every fault of the data files, IndexBuildError where the embedder cannot be had.
    """
    content = settings.content_dir
    catalogue = load_catalogue(content, settings.company_name)
    tokenizer = Tokenizer()
    tokenizer.warm()
    embedder = build_embedder(settings)
    first = ToolSnapshot(1, load_entries(settings, modules))
    # Trained on the cards of the files, so that an edited card routes after a restart as it did when it was published.
    # The bundled embedder makes the vectors of all lines in 0.2 s; those of a slower one come from the store.
    quick = isinstance(embedder, StaticEmbedder)
    routing = open_routing(content, settings.data_dir, first, embedder, tokenizer, embeds=quick)
    line = ChangeLine(settings.tool_change_timeout_s)
    registry = ToolRegistry(first.entries, routing.router.prepare, routing.router.settle, line)
    language = _read_language(
        content, settings.company_name, catalogue, tokenizer, embedder.encode_passages if quick else None
    )
    guards = _open_guards(content, language, routing, registry)
    forms = FormReader.load(content / FORMS_MODEL, routing.analyser)
    judges = _open_judges(settings, embedder, language, guards, routing, forms)
    planner, english = _open_planner(settings, language, routing, forms)
    return Computing(
        catalogue=catalogue,
        tokenizer=tokenizer,
        entities=language.entities,
        knowledge=language.knowledge,
        phrases=guards.phrases,
        masker=guards.masker,
        routing=routing,
        registry=registry,
        first=registry.snapshot(),
        judges=judges,
        tuning=Tuning(Guards(guards.injection, routing.domain, guards.phrases)),
        engine=Engine(ENGINE_NAME, EmbeddedPlanner(mind=planner, english=english)),
    )


def _read_language(
    content: Path, company: str, catalogue: Catalogue, tokenizer: Tokenizer, encode: Encode | None
) -> _Language:
    """What reads a message, from the word files of the content; `encode` makes vectors of texts quickly."""
    folder = content / "language"
    talk = SmallTalk(folder / "small_talk.yaml", company)
    return _Language(
        folder=folder,
        catalogue=catalogue,
        tokenizer=tokenizer,
        entities=EntityReader(catalogue, language_dir=folder),
        knowledge=KnowledgeBase(catalogue.reference, tokenizer, Facets.load(folder / "facets.yaml"), encode),
        fields=load_fields(content),
        planner_words=PlannerWords.read(WordFiles(folder, NUMERALS)),
        english=english_reader(folder, catalogue, talk),
        small_talk=talk,
        news=NewsReader(folder / "news.yaml"),
        field_words=FieldWords.load(folder / "field_words.yaml"),
    )


def _open_guards(content: Path, language: _Language, routing: Routing, registry: ToolRegistry) -> _Guards:
    """What judges questions and answers beside the router."""
    masker = PersonalDataMasker(PersonalWords.read(WordFiles(content / "safety")))
    phrases = PhraseChecker(
        language.catalogue.reference.forbidden_phrases, PhraseClassifier(content, language.tokenizer)
    )
    injection = InjectionCheck(content, language.tokenizer)
    products = [product.name for product in language.catalogue.products]
    return _Guards(
        masker=masker,
        phrases=phrases,
        injection=injection,
        messages=MessageCheck(injection, PastedTexts(content), masker),
        crisis=CrisisCheck(content),
        output=OutputGuard(masker, phrases, products, lambda: registry.snapshot().names()),
    )


def _open_judges(
    settings: Settings, embedder: Embedder, language: _Language, guards: _Guards, routing: Routing, forms: FormReader
) -> Judges:
    """What a turn reads, ranks and judges with."""
    folder, tokenizer, entities = language.folder, language.tokenizer, language.entities
    slot_words = SlotWords.load(folder / "slots.yaml")
    korean = load_glossary(folder / "english.yaml").korean
    restater, spelling = Restater(folder / "restated.yaml"), Spelling(folder / "spelling.yaml")
    return Judges(
        forms=forms,
        english=language.english,
        slots=ToolSlots(slot_words, language.field_words, SlotFiller(slot_words, tokenizer, entities), korean),
        fields=language.fields,
        settings=settings,
        embedder=embedder,
        injection=guards.injection,
        messages=guards.messages,
        crisis=guards.crisis,
        domain=routing.domain,
        reader=Reader(
            entities, language.planner_words, lambda text: spelling.mended(tokenizer.spaced(text)),
            language.knowledge.inside, language.news,
            restater.restated,
        ),
        router=routing.router,
        ranker=ConversationRanker(
            routing.router,
            CueReader(folder / "cues.yaml"),
            ConversationModel.load(settings.content_dir / CONVERSATION_MODEL),
        ),
        output_guard=guards.output,
    )  # fmt: skip


def _open_planner(
    settings: Settings, language: _Language, routing: Routing, forms: FormReader
) -> tuple[Planner, EnglishTeller]:
    """The chat model without a key, and what tells its answers in English."""
    folder, catalogue, tokenizer = language.folder, language.catalogue, language.tokenizer
    knowledge, fields, templates = language.knowledge, language.fields, ROOT / "templates"
    talker = Talker(
        language.small_talk,
        knowledge,
        Recall(folder / "recalled.yaml", knowledge.words),
    )
    told = ToldJudge.load(settings.content_dir / SHIPPED, tokenizer, routing.analyser)
    plain = PlainWords(folder / "plain_words.yaml", tokenizer, catalogue.reference.told)
    look_up = LookUp(folder / "look_up.yaml")

    values = language.english.values

    def speaking(environment: Environment | None, speaker: Speaker) -> Planner:
        return Planner(
            catalogue=catalogue,
            entities=language.entities,
            speaker=speaker,
            talker=talker,
            told=told,
            plain=plain,
            look_up=look_up,
            news=language.news,
            answering=Answering(forms, Operators(fields, templates, environment)),
            deadlines=Deadlines(folder / "deadlines.yaml", templates, environment),
            words=language.planner_words,
            not_paid=NotPaid(catalogue, tokenizer, plain, fields, templates, environment),
        )

    fluent = english_environment(templates / "answers" / "en", values)
    english = speaking(fluent, EnglishSpeaker(templates, language.field_words, fluent, values))
    return speaking(None, Speaker(templates, language.field_words)), EnglishTeller(english, values)


def chosen_engine(settings: Settings, computing: Computing, given: Engine | None) -> tuple[Engine, Auto | None]:
    """Who answers, and how planner and model share the turns where they work together. Raises Unavailable when what the
    planner's confidence is told by is missing then."""
    if given is None and settings.engine != "planner":
        given = openai_compatible(settings, computing.engine)
    engine = given or computing.engine
    planner = computing.engine.model
    if settings.engine != "auto" or engine.provider is None or not isinstance(planner, EmbeddedPlanner):
        return engine, None
    model = ConfidenceModel.load(settings.content_dir / CONFIDENCE)
    rate = settings.auto_error_rate
    thresholds = model.threshold(rate), model.threshold(rate, first=True)
    auto = Auto(model, *thresholds, Planned(computing.engine.name, planner))
    # What the planner drafted is never lost, whatever becomes of the model's answer.
    return replace(engine, fallback=engine.fallback or computing.engine), auto


def open_fork_server(settings: Settings, computing: Computing, today: Callable[[], date]) -> ForkServer | None:
    """Where copies of this process come from; None where none can be made, or would be of no use.

    A sentence-transformers model brings threads of its own, and takes longer than everything that a copy would do.
    """
    wanted = settings.twin_process and isinstance(computing.judges.embedder, StaticEmbedder)
    if not wanted:
        return None
    be_ready()  # this process and each copy learn the tools that no head was trained for
    if not ForkServer.possible():
        return None
    return_freed_memory()
    gc.freeze()  # what is open now stays: a collection that walked it would double its pages in every copy
    return ForkServer(serving(Steps(computing.judges, computing.registry, today, computing.tuning)))


def open_toolbox(
    computing: Computing,
    store: ChromaStore,
    modules: ToolModules,
    published: Mapping[str, ToolCard],
    others: Sequence[ToolEntry] = (),
    off: Collection[str] = (),
) -> Toolbox:
    """The living tool set, indexed with vectors; `others` stand beside it, for no conversation to use; `off` are the
    tools that are switched off."""
    router, registry = computing.routing.router, computing.registry
    collection = store.collection(COLLECTION, computing.judges.embedder.fingerprint)
    router.keep_vectors(collection)
    if others:
        registry.replace_all((*registry.snapshot().entries, *others))
    return Toolbox(registry, modules, published, off)


def tool_news(computing: Computing) -> tuple[int, ToolNews]:
    """The version in force, and what a copy of this process must learn to know it."""
    now = computing.registry.snapshot()
    embeds = not computing.routing.router.degraded
    return now.version, ToolNews.between(computing.first, now, computing.tuning.moved(), embeds=embeds)
