"""Checks a company's content folder: every fault of every file, each with its file and line, then what it holds.

CONTENT_DIR=examples/hanbit python -m scripts.check_content       # make check-content
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from app.adapters.customer_seed import load_customers
from app.advice.book import FOLDER as ADVICE
from app.advice.book import load_advice
from app.answering.words import FieldWords
from app.errors import AppError, DataFaults, Fault, ToolLoadError
from app.evaluation.consultations import load_consultations
from app.graph.prompting import load_prompts
from app.insurance.catalogue import Catalogue, load_catalogue
from app.insurance.catalogue_files import DataReader, FaultLog
from app.insurance.company import Company, read_company
from app.insurance.content_folder import join
from app.insurance.unsold import UnsoldKinds
from app.language.ages import AgeReader
from app.language.dates import DateReader
from app.language.glossary import load_glossary
from app.language.money import MoneyReader
from app.language.numbers import NUMERALS
from app.language.people import PeopleReader
from app.language.reading_words import LanguageWords
from app.planner.cues import Cue, CueReader
from app.planner.deadlines import Deadlines
from app.planner.look_up import LookUp
from app.planner.news import NewsReader
from app.planner.restating import Restater
from app.planner.small_talk import SmallTalk
from app.planner.words import PlannerWords
from app.planning.words import SlotWords
from app.routing.examples import example_lines, read_utterances
from app.routing.intent import Intents
from app.safety.personal_words import PersonalWords
from app.settings import COMPANY_FILE, ROOT, Settings
from app.toolbox.loader import load_builtin_entries, shared_lines, shared_names
from app.toolbox.modules import COMPANY_TOOLS, ToolModules
from app.toolbox.snapshot import ToolEntry, ToolSnapshot
from app.word_files import WordFiles

LEAST_LINES = 10
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
_NUMBERED = re.compile(r"^(?P<file>\S+?): (?P<line>\d+)번째 줄: ")
_PLACED = re.compile(r"^(?P<file>\S+\.\w+):(?P<line>\d+): ")
_INSTEAD = re.compile(r"→\s*([a-z][a-z0-9_]+)\s*사용")


class Findings:
    """Faults as they are found, named below the company's own folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.faults: dict[tuple[str, int, str], None] = {}

    def add(self, file: str, line: int, message: str) -> None:
        """Note a fault once; `line` 0 means the whole file."""
        self.faults[file, line, message] = None

    def tried(self, work: Callable[[], object]) -> object | None:
        """What `work` makes; None, with its faults noted, where it fails."""
        try:
            return work()
        except DataFaults as error:
            for fault in error.faults:
                self.add(self._own(fault.file), fault.line, fault.message)
        except ToolLoadError as error:
            for reason in error.faults:
                self._of_module(error.module, reason)
        except (AppError, OSError, ValueError) as error:
            self.add(COMPANY_FILE, 0, str(error))
        return None

    def _own(self, file: str) -> str:
        for root in (f"{self.folder.name}/", f"{self.folder}/"):
            file = file.rpartition(root)[2] if root in file else file
        return file

    def _of_module(self, module: str, reason: str) -> None:
        for text in reason.split("\n"):
            placed, numbered = _PLACED.match(text.removeprefix(f"{module}.py: ")), _NUMBERED.match(text)
            if placed:
                rest = text.removeprefix(f"{module}.py: ")[placed.end() :]
                self.add(self._own(placed["file"]), int(placed["line"]), rest)
            elif numbered:
                self.add(f"{COMPANY_TOOLS}/{numbered['file']}", int(numbered["line"]), text[numbered.end() :])
            else:
                file, line = self._named(module, text)
                self.add(file, line, text)

    def _named(self, module: str, text: str) -> tuple[str, int]:
        """Where the names that a fault tells stand: in the cards, else in the module."""
        names = sorted(set(_WORD.findall(text)) - {f"{module}.py", "arguments", "synonyms", "examples"}, key=len)
        for suffix in (".yaml", ".py"):
            path = self.folder / COMPANY_TOOLS / f"{module}{suffix}"
            lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
            for name in reversed(names):
                for number, line in enumerate(lines, 1):
                    if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line):
                        return f"{COMPANY_TOOLS}/{path.name}", number
        return f"{COMPANY_TOOLS}/{module}.py", 0


def check(folder: Path, findings: Findings) -> Iterator[str]:
    """Look at everything; yields what the folder holds, a line each."""
    company = findings.tried(lambda: read_company(folder))
    if not isinstance(company, Company):
        if not findings.faults:
            findings.add(COMPANY_FILE, 0, "파일이 없습니다. `python -m scripts.new_company 이름`이 만들어 줍니다")
        return
    with tempfile.TemporaryDirectory() as place:
        whole = join(folder, Path(place))
        yield company.name
        catalogue = findings.tried(lambda: load_catalogue(whole, company.name))
        if isinstance(catalogue, Catalogue):
            findings.tried(lambda: load_customers(whole, catalogue))
            findings.tried(lambda: load_advice(whole, company.name, catalogue))
        findings.tried(lambda: load_prompts(whole, company.name, ()))
        _language(whole, findings, company.name)
        entries = _tools(whole, folder, findings)
        known = {item.id for item in catalogue.reference.disclaimers} if isinstance(catalogue, Catalogue) else None
        _cards(entries, known, folder, findings)
        _advice(whole, entries, catalogue, company, findings)
        yield f"도구 {len(entries)}개: {', '.join(entry.name for entry in entries)}"
        yield from _lines(whole, entries, findings)
        yield from _files(folder, findings)


def _language(whole: Path, findings: Findings, name: str) -> None:
    language, templates = whole / "language", ROOT / "templates"

    def words(folder: Path) -> WordFiles:
        return WordFiles(folder, NUMERALS)

    readers: tuple[Callable[[], object], ...] = (
        lambda: SmallTalk(language / "small_talk.yaml", name),
        lambda: UnsoldKinds(language),
        lambda: CueReader(language / "cues.yaml"),
        lambda: LookUp(language / "look_up.yaml"),
        lambda: NewsReader(language / "news.yaml"),
        lambda: Restater(language / "restated.yaml"),
        lambda: Deadlines(language / "deadlines.yaml", templates),
        lambda: FieldWords.load(language / "field_words.yaml"),
        lambda: SlotWords.load(language / "slots.yaml"),
        lambda: load_glossary(language / "english.yaml"),
        lambda: AgeReader(words(language)),
        lambda: DateReader(words(language)),
        lambda: MoneyReader(words(language)),
        lambda: PeopleReader(words(language)),
        lambda: Intents(words(language)),
        lambda: PersonalWords.read(words(whole / "safety")),
        lambda: LanguageWords.read(words(language)),
        lambda: PlannerWords.read(words(language)),
    )
    for reader in readers:
        findings.tried(reader)


def _advice(whole: Path, entries: list[ToolEntry], catalogue: object, company: Company, findings: Findings) -> None:
    """The tools that a proposal rests on are there."""
    if not isinstance(catalogue, Catalogue) or findings.faults:
        return
    book = load_advice(whole, company.name, catalogue)
    names = {entry.name for entry in entries}
    for use, tool in book.sources.tools.model_dump().items() if book is not None else ():
        if tool not in names:
            findings.add(f"{ADVICE}/sources.yaml", 0, f"{use}: {tool}이라는 도구가 없습니다")


def _tools(whole: Path, folder: Path, findings: Findings) -> list[ToolEntry]:
    entries: list[ToolEntry] = []
    shipped = findings.tried(lambda: load_builtin_entries(whole))
    entries += shipped if isinstance(shipped, tuple) else ()
    made = findings.tried(lambda: ToolModules(whole))
    if not isinstance(made, ToolModules):
        return entries
    try:
        for name in made.names():
            if made.find(name).source != "company":
                continue
            loaded = findings.tried(lambda name=name: made.load(name, tried=False))  # type: ignore[misc]
            entries += loaded if isinstance(loaded, tuple) else ()
    finally:
        made.close()
    if not entries and not findings.faults:
        findings.add(COMPANY_TOOLS, 0, "도구가 하나도 없습니다. tools 폴더에 모듈(.py)과 카드(.yaml)를 넣어 주세요")
    for reason in (*shared_names(entries), *shared_lines(entries)):
        file, line = _quoted(folder, reason)
        findings.add(file, line, reason)
    return entries


def _quoted(folder: Path, reason: str) -> tuple[str, int]:
    """Where the sentence that a fault quotes stands last."""
    quoted = re.search(r"'(.+)'", reason)
    found = (COMPANY_TOOLS, 0)
    for path in sorted((folder / COMPANY_TOOLS).glob("*.yaml")) if quoted else ():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if quoted and quoted[1] in line:
                found = (f"{COMPANY_TOOLS}/{path.name}", number)
    return found


def _cards(entries: list[ToolEntry], disclaimers: set[str] | None, folder: Path, findings: Findings) -> None:
    names = {entry.name for entry in entries}
    for entry in entries:
        if entry.source != "company":
            continue
        path = folder / COMPANY_TOOLS / f"{entry.module}.yaml"
        rows = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        start = next((n for n, row in enumerate(rows, 1) if re.match(rf"- name: {entry.name}\s*$", row)), 0)
        place = f"{COMPANY_TOOLS}/{entry.module}.yaml"

        def line(text: str, rows: list[str] = rows, start: int = start) -> int:
            return next((n for n, row in enumerate(rows, 1) if n >= start and text in row), start)

        if not entry.has_own_card:
            findings.add(f"{COMPANY_TOOLS}/{entry.module}.py", 0, f"{entry.name}: 카드가 없습니다")
        elif len(entry.card.when_to_use) < LEAST_LINES:
            findings.add(place, start, f"{entry.name}: when_to_use가 {LEAST_LINES}문장은 되어야 질문을 알아듣습니다")
        for told in entry.card.when_not_to_use:
            for other in _INSTEAD.findall(told):
                if other not in names:
                    findings.add(place, line(other), f"{entry.name}: when_not_to_use의 {other}라는 도구가 없습니다")
        for key in entry.card.disclaimers:
            if disclaimers is not None and key not in disclaimers:
                findings.add(place, line(key), f"{entry.name}: 안내 문장 {key}가 reference/disclaimers.yaml에 없습니다")
    log = FaultLog()
    if (folder / "language" / "cues.yaml").is_file():
        for item in DataReader(folder, "", log, sparse=True).yaml_list("language/cues.yaml", Cue):
            if item.value.tool not in names:
                where = item.place.line("tool")
                findings.add("language/cues.yaml", where, f"{item.value.tool}이라는 도구가 없습니다")


def _lines(whole: Path, entries: list[ToolEntry], findings: Findings) -> Iterator[str]:
    if findings.faults:
        return
    snapshot = ToolSnapshot(1, tuple(entries))
    known = example_lines(whole, snapshot)
    told = read_utterances(whole, snapshot, known)
    for fault in told.faults:
        # The shared lines may be asked in the company's evaluation; they are passed over then.
        if not (ROOT / "data" / fault.file).is_file():
            findings.add(fault.file, fault.line, fault.message)
    own = sum(1 for line in known if line.label in snapshot.names())
    yield f"배우는 문장: 이 회사의 도구 {own}, 함께 쓰는 문장 {len(known) - own + len(told.lines)}"


def _files(folder: Path, findings: Findings) -> Iterator[str]:
    documents = sorted(path for path in (folder / "documents").glob("*") if path.is_file())
    for path in documents:
        if path.suffix in (".txt", ".md"):
            try:
                path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                findings.add(f"documents/{path.name}", 0, f"UTF-8 글로 읽을 수 없습니다: {error}")
    yield f"문서 {len(documents)}개"
    talks = 0
    for path in sorted((folder / "evaluation" / "consultations").glob("*.jsonl")):
        found = findings.tried(lambda path=path: load_consultations(path))  # type: ignore[misc]
        talks += len(found) if isinstance(found, tuple) else 0
    yield f"상담 평가 {talks}건"


def main() -> int:
    """Check the folder of CONTENT_DIR; returns the exit code."""
    folder = Settings().content_dir.resolve()
    findings = Findings(folder)
    told = list(check(folder, findings))
    for file, line, message in sorted(findings.faults):
        print(Fault(f"{folder.name}/{file}", line, message), file=sys.stderr)
    if findings.faults:
        print(f"고칠 곳이 {len(findings.faults)}군데 있습니다", file=sys.stderr)
        return 1
    print("\n".join((*told, "오류 없음")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
