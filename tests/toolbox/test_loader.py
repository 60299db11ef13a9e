"""Cards and tools joined: every fault named, nothing loaded by halves, a missing card only warned of."""

from __future__ import annotations

import importlib
import logging
from pathlib import Path
from types import ModuleType
from typing import Literal

import pytest
from langchain_core.tools import tool

from app.errors import DataFaults, ToolLoadError
from app.toolbox.cards import ToolCard, card_from_description, load_cards
from app.toolbox.loader import BUILTIN_MODULES, entries_of, load_builtin_entries, shared_lines, shared_names
from app.tools.declare import READS, insurance_tool

from .samples import double, entry, module_of, named, plain

DATA = Path(__file__).resolve().parents[2] / "data"
CARD = """
- name: {name}
  title: 두 배
  purpose: 금액을 두 배로 만든다.
  when_to_use: [{uses}]
"""


def card(name: str, *uses: str) -> ToolCard:
    return ToolCard(name=name, title=name, purpose="하는 일 설명", when_to_use=uses or (f"{name} 써 줘",))


def cards_file(folder: Path, text: str) -> Path:
    path = folder / "sample.yaml"
    path.write_text(text, encoding="utf-8")
    return path


# --- cards --------------------------------------------------------------------------------------------------------


def test_a_card_has_a_line_for_purpose_each_use_and_tags_but_not_for_when_not_to_use() -> None:
    made = ToolCard(
        name="double", title="두 배", purpose="금액을 두 배로", when_to_use=("두 배로 해 줘", "곱하기 2"),
        when_not_to_use=("세 배 → triple 사용",), tags=("배수", "곱하기"),
    )  # fmt: skip
    assert made.lines() == (
        ("tool_double", "purpose", "금액을 두 배로"),
        ("tool_double__use_0", "use", "두 배로 해 줘"),
        ("tool_double__use_1", "use", "곱하기 2"),
        ("tool_double__tags", "tags", "배수 곱하기"),
    )


def test_cards_are_read_by_name(tmp_path: Path) -> None:
    path = cards_file(tmp_path, CARD.format(name="double", uses="두 배로") + CARD.format(name="triple", uses="세 배로"))
    assert set(load_cards(path)) == {"double", "triple"}


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        (CARD.format(name="double", uses="두 배로, '두배로!'"), 2, "같은 문장이 두 번"),
        (CARD.format(name="double", uses="두 배로") + CARD.format(name="double", uses="다른 말"), 7, "두 번 있습니다"),
        (CARD.format(name="Double", uses="두 배로"), 2, "형식에 맞지 않습니다"),
        (CARD.format(name="double", uses=""), 5, "1개 이상"),
        (CARD.format(name="double", uses="두 배로") + "  typo: 1\n", 6, "모르는 항목"),
        ("- name: [\n", 2, "YAML"),
        ("name: double\n", 1, "목록"),
        ("", 1, "내용이 없습니다"),
    ],
)
def test_a_fault_of_a_card_is_told_in_korean_with_its_line(tmp_path: Path, text: str, line: int, word: str) -> None:
    with pytest.raises(DataFaults) as caught:
        load_cards(cards_file(tmp_path, text))
    fault = caught.value.faults[0]
    assert (fault.line, word in fault.message) == (line, True), str(fault)
    assert fault.file.endswith("sample.yaml")


def test_all_faults_of_a_file_are_told_together(tmp_path: Path) -> None:
    text = "".join(CARD.format(name=name, uses=f"{name} 써 줘") for name in ("A", "double", "B"))
    with pytest.raises(DataFaults) as caught:
        load_cards(cards_file(tmp_path, text))
    assert [fault.line for fault in caught.value.faults] == [2, 12]
    with pytest.raises(DataFaults, match="파일이 없습니다"):
        load_cards(tmp_path / "none.yaml")


@pytest.mark.parametrize("description", ["", "합", "두 수를 더한다.", "가" * 2000, "여러\n줄의   설명\n\n이다"])
def test_any_description_makes_a_stand_in_card(description: str) -> None:
    made = card_from_description("add_numbers", description)
    assert made.name == "add_numbers" and 5 <= len(made.purpose) <= 300 and made.tags == ("add", "numbers")
    assert "\n" not in made.purpose and made.title == "Add numbers"


# --- joining ------------------------------------------------------------------------------------------------------


def test_a_tool_and_its_card_become_one_entry_with_role_and_hints() -> None:
    (made,) = entries_of(module_of(double), "sample", {"double": card("double")})
    assert (made.name, made.module, made.role, made.has_own_card) == ("double", "sample", "customer", True)
    assert made.annotations == READS and made.source == "builtin"


def test_a_plain_tool_without_a_card_loads_for_staff_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        (made,) = entries_of(module_of(plain), "sample", {})
    assert "plain" in caplog.text and "카드가 없어" in caplog.text
    assert (made.role, made.annotations, made.has_own_card) == ("staff", None, False)
    assert made.card.when_to_use == ("글자를 그대로 돌려준다.",) and made.description == "글자를 그대로 돌려준다."


def test_a_card_without_a_tool_is_a_fault() -> None:
    with pytest.raises(ToolLoadError, match="카드 triple에 맞는 도구 함수가 없습니다"):
        entries_of(module_of(double), "sample", {"double": card("double"), "triple": card("triple")})


@pytest.mark.parametrize("module", [ModuleType("app.tools.empty"), module_of(), module_of(name="none")])
def test_a_module_without_tools_is_a_fault(module: ModuleType) -> None:
    with pytest.raises(ToolLoadError, match="TOOLS 목록"):
        entries_of(module, "empty", {})


def test_every_fault_of_a_module_is_named_at_once() -> None:
    @insurance_tool(role="boss")  # type: ignore[arg-type]
    async def bossy() -> tuple[str, None]:
        """아무나 못 쓴다."""
        return "", None

    @tool("Bad-Name")
    def bad() -> str:
        """이름이 틀렸다."""
        return ""

    module = module_of(double, double, lambda: None, bossy, bad)
    with pytest.raises(ToolLoadError) as caught:
        entries_of(module, "sample", {"orphan": card("orphan")})
    told = "\n".join(caught.value.faults)
    for word in ("@tool 함수가 아닙니다", "알 수 없는 역할 'boss'", "Bad-Name", "double이(가) 두 번", "카드 orphan"):
        assert word in told
    assert len(caught.value.faults) == 5


ARGUMENTS = """
- name: sender
  title: 서류 보내기
  purpose: 서류를 고른 방법으로 보낸다.
  when_to_use: [서류 보내 줘]
  arguments:
    method: {label: 받는 방법, synonyms: {post: [우편, 등기]}, ask: 어떻게 받으시겠어요?}
    copies: {unit: 통}
"""


@pytest.mark.requirement("loaded-tools:arguments:card")
def test_a_card_may_say_how_arguments_are_told_but_only_of_those_that_the_tool_has(tmp_path: Path) -> None:
    @tool
    def sender(method: Literal["post", "fax"], copies: int = 1) -> str:
        """서류를 보낸다."""
        return f"{method} {copies}"

    good = load_cards(cards_file(tmp_path, ARGUMENTS))
    (made,) = entries_of(module_of(sender), "sample", good)
    assert made.card.arguments["method"].synonyms == {"post": ("우편", "등기")}
    hints = {
        "way": {"label": "방법"},
        "method": {"synonyms": {"mail": ["우편"], "post": ["등기"], "fax": ["등기"]}},
        "copies": {"synonyms": {"1": ["하나"]}},
    }
    faulty = ToolCard.model_validate({**good["sender"].model_dump(), "arguments": hints})
    with pytest.raises(ToolLoadError) as caught:
        entries_of(module_of(sender), "sample", {"sender": faulty})
    assert list(caught.value.faults) == [
        "arguments.way: sender 도구에 그런 인자가 없습니다 (있는 인자: copies, method)",
        "arguments.method: synonyms의 mail은(는) 받는 값이 아닙니다 (값: fax, post)",
        "arguments.method: synonyms의 '등기'이(가) 두 값에 함께 있습니다",
        "arguments.copies: 값이 정해져 있지 않은 인자라 synonyms를 쓸 수 없습니다. examples를 써 주세요",
    ]
    for wrong in ("label: [x]", "colour: 빨강", "unit: 아주아주긴단위입니다"):
        with pytest.raises(DataFaults, match="arguments"):
            load_cards(cards_file(tmp_path, ARGUMENTS.replace("unit: 통", wrong)))


def test_a_tool_whose_arguments_cannot_be_described_is_a_fault() -> None:
    class Odd:
        pass

    def odd(thing: Odd) -> str:
        """설명할 수 없는 인자를 받는다."""
        return str(thing)

    odd.__annotations__["thing"] = Odd
    with pytest.raises(ToolLoadError, match="odd"):
        entries_of(module_of(_declared_loosely(odd)), "sample", {})


def _declared_loosely(function: object) -> object:
    """A tool as LangChain makes it for a function with an argument of any class."""
    from langchain_core.tools import StructuredTool
    from pydantic import ConfigDict, create_model

    odd = next(iter(function.__annotations__.values()))  # type: ignore[attr-defined]
    schema = create_model("odd", __config__=ConfigDict(arbitrary_types_allowed=True), thing=(odd, ...))
    return StructuredTool.from_function(function, args_schema=schema)  # type: ignore[arg-type]


def test_a_line_or_a_name_in_two_places_is_told() -> None:
    one, two = named("aaa", "one"), named("bbb", "two")
    twin = type(two)(tool=two.tool, card=card("bbb", "보험료 얼마예요?"), module="two")
    mine = type(one)(tool=one.tool, card=card("aaa", "보험료 얼마예요", "다른 말"), module="one")
    (reason,) = shared_lines([mine, twin])
    assert "aaa" in reason and "bbb" in reason
    assert shared_names([entry(double, "one"), entry(double, "two")]) == [
        "도구 이름 double이(가) 두 번 있습니다 (one / two)"
    ]
    assert shared_lines([one, two]) == shared_names([one, two]) == []


# --- the shipped tools --------------------------------------------------------------------------------------------

SHIPPED = [name for name in BUILTIN_MODULES if (DATA.parent / "app" / "tools" / f"{name}.py").exists()]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_tool_has_a_card_and_hints(name: str) -> None:
    entries = entries_of(
        importlib.import_module(f"app.tools.{name}"), name, load_cards(DATA / "tool_cards" / f"{name}.yaml")
    )
    assert entries and all(made.has_own_card and made.annotations is not None for made in entries)
    assert shared_lines(entries) == []


def test_faults_of_several_files_stop_the_start_together(tmp_path: Path) -> None:
    folder = tmp_path / "tool_cards"
    folder.mkdir()
    for name in SHIPPED:
        (folder / f"{name}.yaml").write_bytes((DATA / "tool_cards" / f"{name}.yaml").read_bytes())
    (folder / "claims.yaml").unlink()
    with (folder / "product.yaml").open("a", encoding="utf-8") as file:
        file.write(CARD.format(name="no_such_tool", uses="없는 도구 써 줘"))
    with pytest.raises(DataFaults) as caught:
        load_builtin_entries(tmp_path)
    told = str(caught.value)
    assert "카드 no_such_tool에 맞는 도구 함수가 없습니다" in told and "claims.yaml" in told
