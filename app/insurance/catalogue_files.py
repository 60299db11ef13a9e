"""Reading data files into typed shapes, and knowing the line of everything that is wrong in them.

Nothing here raises on bad data: faults go into a FaultLog, so that one start reports all of them.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Generic, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from app.errors import DataFaults, Fault
from app.yaml_text import YamlLoader

T = TypeVar("T", bound=BaseModel)
Loc = tuple[int | str, ...]

COMPANY_SLOT = "{company}"
# A plain YAML scalar may not begin with '{': before parsing the slot becomes a private-use letter, after it the name.
_COMPANY_MARK = "\ue000"
_YAML = "tag:yaml.org,2002:"
_KOREAN = {
    "missing": "필요한 항목이 없습니다",
    "extra_forbidden": "모르는 항목입니다",
    "string_type": "글자여야 합니다(따옴표로 감싸 주세요)",
    "int_type": "정수여야 합니다",
    "int_parsing": "정수여야 합니다",
    "int_from_float": "정수여야 합니다",
    "float_type": "숫자여야 합니다",
    "float_parsing": "숫자여야 합니다",
    "bool_type": "true 또는 false여야 합니다",
    "bool_parsing": "true 또는 false여야 합니다",
    "date_type": "날짜(YYYY-MM-DD)여야 합니다",
    "date_parsing": "날짜(YYYY-MM-DD)여야 합니다",
    "date_from_datetime_parsing": "날짜(YYYY-MM-DD)여야 합니다",
    "tuple_type": "목록이어야 합니다",
    "dict_type": "이름: 값 묶음이어야 합니다",
    "model_type": "이름: 값 묶음이어야 합니다",
    "literal_error": "정해진 값이어야 합니다: {expected}",
    "string_pattern_mismatch": "형식에 맞지 않습니다: {pattern}",
    "greater_than": "{gt}보다 커야 합니다",
    "greater_than_equal": "{ge} 이상이어야 합니다",
    "less_than": "{lt}보다 작아야 합니다",
    "less_than_equal": "{le} 이하여야 합니다",
    "too_short": "{min_length}개 이상이어야 합니다(지금 {actual_length}개)",
    "too_long": "{max_length}개 이하여야 합니다(지금 {actual_length}개)",
    "string_too_short": "{min_length}글자 이상이어야 합니다",
    "value_error": "{error}",
}


@dataclass
class FaultLog:
    """Collects faults; `check()` raises DataFaults with all of them, in file and line order, when there is any."""

    faults: list[Fault] = field(default_factory=list)

    def add(self, file: str, line: int, message: str) -> None:
        """Note one fault. `line` counts from 1; 0 means the whole file."""
        self.faults.append(Fault(file, line, message))

    def invalid(self, place: Place, error: ValidationError) -> None:
        """Note every problem of one item at the line where it stands."""
        for problem in error.errors(include_url=False):
            path = ".".join(str(part) for part in problem["loc"])
            template = _KOREAN.get(problem["type"], problem["msg"])
            text = template.format(**problem.get("ctx", {})) if "{" in template else template
            given = problem["input"]
            shown = f" (값: {given!r})" if isinstance(given, (str, int, float, date)) else ""
            self.add(place.file, place.line(*problem["loc"]), f"{path}: {text}{shown}" if path else text)

    def check(self) -> None:
        """Raise DataFaults when anything was noted."""
        if self.faults:
            raise DataFaults(sorted(self.faults, key=lambda fault: (fault.file, fault.line)))


@dataclass(frozen=True)
class Place:
    """Where something was read: a YAML node or a CSV row of a file."""

    file: str
    node: yaml.Node | None = None
    row: int = 0

    def line(self, *loc: int | str) -> int:
        """The line (from 1) of the part at `loc`; of its nearest parent where there is no such part."""
        return _line(self.node, loc) if self.node is not None else self.row


@dataclass(frozen=True)
class Item(Generic[T]):
    """A valid value with the place it came from."""

    value: T
    place: Place


def _line(node: yaml.Node, loc: Loc) -> int:
    line = node.start_mark.line
    for part in loc:
        if isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == part), None)
            if pair is None:
                break
            line, node = pair[0].start_mark.line, pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line
        else:
            break
    return int(line) + 1


@dataclass(frozen=True)
class DataReader:
    """Reads the files below one content folder; `{company}` in any text becomes `company_name`. In a `sparse` one a
    list may be empty, and its file missing."""

    root: Path
    company_name: str
    log: FaultLog
    sparse: bool = False

    def name(self, path: Path) -> str:
        """How a file is called in a fault: the content folder's name and the path below it."""
        return (Path(self.root.name) / path.relative_to(self.root)).as_posix()

    def yaml_list(self, relative: str, model: type[T]) -> tuple[Item[T], ...]:
        """Every valid item of a YAML list of one shape; faults are noted."""
        path = self.root / relative
        if self.sparse and not path.exists():
            return ()
        data, node = self._yaml(path)
        if node is None or (self.sparse and isinstance(node, yaml.SequenceNode) and not node.value):
            return ()
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            self.log.add(self.name(path), node.start_mark.line + 1, "항목이 하나 이상인 목록(- …)이어야 합니다")
            return ()
        pairs = zip(data, node.value, strict=True)
        items = (self._validated(model, raw, Place(self.name(path), child)) for raw, child in pairs)
        return tuple(item for item in items if item is not None)

    def yaml_one(self, relative: str, model: type[T]) -> Item[T] | None:
        """The one shape a YAML file holds, or None with its faults noted."""
        path = self.root / relative
        data, node = self._yaml(path)
        return None if node is None else self._validated(model, data, Place(self.name(path), node))

    def csv_list(self, relative: str, model: type[T], lists: Sequence[str] = ()) -> tuple[Item[T], ...]:
        """Every valid row of a CSV file whose columns are the model's fields; `lists` names those joined by '|'."""
        path = self.root / relative
        if self.sparse and not path.exists():
            return ()
        text = self._text(path)
        if text is None:
            return ()
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        if set(reader.fieldnames or ()) != set(model.model_fields):
            columns = ",".join(model.model_fields)
            self.log.add(self.name(path), 1, f"첫 줄은 {columns} 이어야 합니다(지금 {reader.fieldnames})")
            return ()
        items: list[Item[T]] = []
        try:
            for row in reader:
                place = Place(self.name(path), row=reader.line_num)
                if None in row or None in row.values():
                    self.log.add(place.file, place.row, f"칸의 수가 {len(model.model_fields)}개가 아닙니다")
                    continue
                if item := self._validated(model, self._row(row, lists, model), place):
                    items.append(item)
        except csv.Error as error:
            self.log.add(self.name(path), reader.line_num, f"CSV를 읽을 수 없습니다: {error}")
        if reader.line_num <= 1:
            self.log.add(self.name(path), 1, "행이 하나도 없습니다")
        return tuple(items)

    def _validated(self, model: type[T], raw: Any, place: Place) -> Item[T] | None:
        try:
            value = model.model_validate(raw)
        except ValidationError as error:
            self.log.invalid(place, error)
            return None
        return Item(value, place)

    def _text(self, path: Path) -> str | None:
        name = self.name(path)
        try:
            raw = path.read_bytes()
        except OSError as error:
            gone = isinstance(error, FileNotFoundError)
            self.log.add(name, 0, "파일이 없습니다" if gone else f"읽을 수 없습니다: {error.strerror}")
            return None
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.log.add(name, raw.count(b"\n", 0, error.start) + 1, "UTF-8 글자가 아닙니다")
            return None
        if not unicodedata.is_normalized("NFC", text):
            for number, line in enumerate(text.split("\n"), 1):
                if not unicodedata.is_normalized("NFC", line):
                    self.log.add(name, number, "NFC로 정규화되지 않은 글자가 있습니다")
        return text

    def _yaml(self, path: Path) -> tuple[Any, yaml.Node | None]:
        text = self._text(path)
        if text is None:
            return None, None
        loader = YamlLoader(text.replace(COMPANY_SLOT, _COMPANY_MARK))
        try:
            node = loader.get_single_node()
            if node is None:
                self.log.add(self.name(path), 1, "내용이 없습니다")
                return None, None
            return self._built(loader, node, self.name(path)), node
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or str(error)
            self.log.add(self.name(path), mark.line + 1 if mark else 0, f"YAML을 읽을 수 없습니다: {problem}")
            return None, None
        finally:
            loader.dispose()

    def _built(self, loader: Any, node: yaml.Node, file: str) -> Any:
        """The plain value of a node. One pass of our own: faster, and it sees keys that stand twice."""
        if isinstance(node, yaml.SequenceNode):
            return [self._built(loader, child, file) for child in node.value]
        if isinstance(node, yaml.MappingNode):
            if any(key.tag == f"{_YAML}merge" for key, _ in node.value):
                loader.flatten_mapping(node)
            made: dict[Any, Any] = {}
            for key_node, child in node.value:
                key = self._built(loader, key_node, file)
                if isinstance(key, (list, dict)):
                    self.log.add(file, key_node.start_mark.line + 1, "항목 이름은 글자여야 합니다")
                    continue
                if key in made:
                    self.log.add(file, key_node.start_mark.line + 1, f"{key}: 같은 항목이 두 번 있습니다")
                made[key] = self._built(loader, child, file)
            return made
        if node.tag == f"{_YAML}str":
            return node.value.replace(_COMPANY_MARK, self.company_name)
        try:
            return loader.construct_object(node)
        except ValueError:  # 2024-02-30 and the like: the model then says what is wrong, at this very line
            return node.value

    def _row(self, row: Mapping[str, str], lists: Iterable[str], model: type[BaseModel]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, raw in row.items():
            text = raw.replace(COMPANY_SLOT, self.company_name).strip()
            if name in lists:
                values[name] = tuple(part.strip() for part in text.split("|") if part.strip())
            elif text or model.model_fields[name].is_required():  # an empty cell of an optional column is its default
                values[name] = text
        return values
