"""Files of words: parts put into patterns, shapes held, and faults told with file, line and key."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import Field

from app.errors import DataFaults
from app.language.ages import AgeReader
from app.language.dates import DateReader
from app.language.money import MoneyReader
from app.language.numbers import NUMERALS
from app.language.people import PeopleReader
from app.language.reading_words import LanguageWords
from app.planner.words import PlannerWords
from app.safety.personal_words import PersonalWords
from app.word_files import Pattern, WordFiles, Words, WordSet


class Hello(Words):
    hello: Pattern


class Greetings(Words):
    hello: Pattern
    names: WordSet
    ages: dict[str, Pattern] = Field(default_factory=dict)


def _read(folder: Path, text: str, **shared: str) -> Greetings:
    (folder / "greetings.yaml").write_text(text, encoding="utf-8")
    return WordFiles(folder, shared).read("greetings", Greetings)


def test_a_pattern_names_its_parts_and_a_list_is_a_choice(tmp_path: Path) -> None:
    (tmp_path / "parts.yaml").write_text("parts:\n  josa: [은, 는]\n", encoding="utf-8")
    text = """
letters: {surname: 김이박}
parts:
  name: '[{surname}][가-힣]{2}'
  called: ['{name}', '{name}{title}']
hello:
  - '안녕,? {called}{josa}'
  - 반가워
names: 김 이
ages:
  old: '{called} \\d{2}세'
"""
    read = _read(tmp_path, text, title="(?:씨|님)")
    assert (
        read.hello.search("안녕, 김민수는") and read.hello.search("반가워") and not read.hello.search("안녕 최민수는")
    )
    assert read.ages["old"].fullmatch("박은지님 45세") and not read.ages["old"].match("최은지 45세")
    assert read.names == {"김", "이"}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("hello: '안녕('\nnames: 김", 1, ("hello", "정규식을 읽을 수 없습니다")),
        ("names: 김\nhello: '{nobody} 안녕'", 2, ("hello", "{nobody}")),
        ("parts:\n  a: '{b}'\nhello: 안녕\nnames: 김", 2, ("parts.a", "{b}")),
        ("hello: 안녕\nnames: 김\nages:\n  young: '[0-9'", 4, ("ages.young",)),
        ("hello: 안녕\nnames: 김\nbye: 잘 가", 3, ("bye",)),
        ("hello: 안녕", 1, ("names",)),
        ("- 안녕", 1, ("이름과 값",)),
    ],
)
def test_a_fault_is_told_with_its_file_line_and_key(
    tmp_path: Path, text: str, line: int, words: tuple[str, ...]
) -> None:
    with pytest.raises(DataFaults) as caught:
        _read(tmp_path, text)
    (fault,) = caught.value.faults
    assert (fault.file, fault.line) == ("greetings.yaml", line)
    assert all(word in fault.message for word in words)


def test_the_words_of_a_table_are_a_part_by_its_name(tmp_path: Path) -> None:
    read = _read(tmp_path, "hello: '(?P<when>{ages}) 안녕'\nnames: 김\nages: {어제.: a, 오늘: b}")
    assert read.hello.search("오늘 안녕") and read.hello.search("어제. 안녕") and not read.hello.search("어제요 안녕")


def test_a_file_that_is_missing_or_no_yaml_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(DataFaults, match=r"greetings\.yaml"):
        WordFiles(tmp_path).read("greetings", Greetings)
    with pytest.raises(DataFaults, match="YAML"):
        _read(tmp_path, "hello: [")


def test_the_readers_stand_on_the_files_that_they_are_given(tmp_path: Path) -> None:
    shipped = Path(__file__).resolve().parents[2] / "data" / "language"
    readers = {"ages": AgeReader, "people": PeopleReader, "dates": DateReader, "money": MoneyReader}
    for name, reader in readers.items():
        broken = (shipped / f"{name}.yaml").read_text(encoding="utf-8") + "nothing_known: 1\n"
        (tmp_path / f"{name}.yaml").write_text(broken, encoding="utf-8")
        with pytest.raises(DataFaults, match="nothing_known"):
            reader(WordFiles(tmp_path, NUMERALS))


@pytest.mark.parametrize(
    ("read", "name"),
    [
        (LanguageWords.read, "references.yaml"),
        (PlannerWords.read, "planner/kin.yaml"),
        (PlannerWords.read, "planner/questions.yaml"),
        (PersonalWords.read, "personal_places.yaml"),
    ],
)
def test_a_fault_of_any_words_names_the_file_in_its_folder(
    tmp_path: Path, read: Callable[[WordFiles], object], name: str
) -> None:
    data = Path(__file__).resolve().parents[2] / "data"
    folder = tmp_path / "words"
    shutil.copytree(data / ("safety" if name.startswith("personal") else "language"), folder)
    broken = folder / name
    broken.write_text(broken.read_text(encoding="utf-8") + "nothing_known: 1\n", encoding="utf-8")
    with pytest.raises(DataFaults, match=rf"{name}:\d+: nothing_known"):
        read(WordFiles(folder, NUMERALS))


def test_a_class_of_words_is_named_by_files_of_every_folder_below(tmp_path: Path) -> None:
    (tmp_path / "planner").mkdir()
    (tmp_path / "parts.yaml").write_text("parts:\n  particle: 은|는\n", encoding="utf-8")
    (tmp_path / "planner" / "greetings.yaml").write_text("hello: '저{particle} 왔어요'\n", encoding="utf-8")
    words = WordFiles(tmp_path).read("planner/greetings", Hello)
    assert words.hello.search("저는 왔어요") and not words.hello.search("저도 왔어요")
