"""Edits by nine passes: which pass finds the place, and that exactly one span of the original is replaced."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.errors import Ambiguous, BadRequest, NotFound
from app.language.replace import Edited, replace_once

FAQ = (
    "# 일반 질문\n- id: holder\n  question: 계약자와 피보험자는 어떻게 다른가요?\n"
    "  answer: 계약자는 보험료를 내는 사람입니다.\n  keywords: [계약자, 피보험자]\n"
    "- id: silson\n  question: 실손보험은 무엇인가요?\n  answer: 실제 낸 병원비를 돌려줍니다.  # 검토함\n"
)

# (pass, syntax, content, target, replacement, result)
CASES: list[tuple[int, str, str, str, str, str]] = [
    # 1: as it is
    (1, "markdown", "가나다", "나", "라", "가라다"),
    (1, "markdown", "가나다", "가나다", "", ""),
    (1, "markdown", "a b", "a ", "c ", "c b"),
    (1, "markdown", "줄1\n줄2\n줄3", "줄2\n", "", "줄1\n줄3"),
    (1, "markdown", "x = 1\n\tx = 2\n", "\tx = 2", "\tx = 3", "x = 1\n\tx = 3\n"),
    (1, "markdown", "한 줄\r\n두 줄\r\n", "한 줄\r\n두", "새 줄\r\n두", "새 줄\r\n두 줄\r\n"),
    (1, "markdown", "한 줄\r\n두 줄\r\n", "두 줄", "두 줄\n세 줄", "한 줄\r\n두 줄\r\n세 줄\r\n"),
    (1, "yaml", FAQ, "보험료를 내는 사람", "보험료를 납입하는 사람", FAQ.replace("내는 사람", "납입하는 사람")),
    (1, "markdown", "$1 (a+b)* [x]", "(a+b)*", "\\1", "$1 \\1 [x]"),
    (1, "markdown", "😀 웃음", "😀", "🙂", "🙂 웃음"),
    # 2: blanks around the quotation
    (2, "markdown", "보험금", "  보험금  ", "보험료", "보험료"),
    (2, "markdown", "a\n보험금\nb", "\n\n보험금\n\n", "보험료", "a\n보험료\nb"),
    (2, "markdown", "- 보험금은 언제\n", "   - 보험금은 언제", "   - 보험료는 언제", "- 보험료는 언제\n"),
    (2, "yaml", "  plain: 뜻\n", "\tplain: 뜻", "\tplain: 풀이", "  plain: 풀이\n"),
    (2, "markdown", "제목", "제목\n", "새 제목\n", "새 제목"),
    (2, "markdown", "제목\u00a0하나", "\u3000제목\u00a0하나", "제목 둘", "제목 둘"),
    (2, "markdown", "값: 3", "\r\n값: 3\r\n", "값: 4", "값: 4"),
    # 3: blanks at the ends of lines
    (3, "markdown", "가 \n나", "가\n나", "다", "다"),
    (3, "markdown", "머리\n  가\n  나\n끝", "가\n나", "다\n라", "머리\n  다\n  라\n끝"),
    (3, "markdown", "가\n    나\n", "가\n  나", "가\n  다", "가\n    다\n"),
    (3, "markdown", "가\t\n나\t\n", "가\n나\n", "다\n라\n", "다\n라\t\n"),
    (3, "yaml", "a:\n    b: 1\n    c: 2\n", "  b: 1\n  c: 2", "  b: 3\n  c: 4\n  d: 5",
     "a:\n    b: 3\n    c: 4\n    d: 5\n"),
    (3, "yaml", "items:\n    - id: x\n      text: y\n", "- id: x\n  text: y", "- id: x\n  text: z",
     "items:\n    - id: x\n      text: z\n"),
    (3, "yaml", "  - a: 1\n    b:\n      c: 2\n", "- a: 1\n  b:\n    c: 2", "- a: 1\n  b:\n    c: 3\n    d: 4",
     "  - a: 1\n    b:\n      c: 3\n      d: 4\n"),
    (3, "markdown", "하나\n\n  둘\n", "하나\n\n둘", "셋", "셋\n"),
    (3, "markdown", "하나\u3000\n둘", "하나\n둘", "셋", "셋"),
    # 4: tabs for spaces
    (4, "markdown", "a\tb", "a    b", "c", "c"),
    (4, "markdown", "값\t=\t1", "값    =    1", "값 = 2", "값 = 2"),
    (4, "markdown", "값    = 1", "값\t= 1", "값 = 2", "값 = 2"),
    (4, "markdown", "| a\t| b\t|", "| a    | b    |", "| c | d |", "| c | d |"),
    (4, "markdown", "이름\t나이\n철수\t45", "철수    45", "영희    44", "이름\t나이\n영희    44"),
    (4, "yaml", "k:\tv\nk2: v", "k:    v", "k: w", "k: w\nk2: v"),
    # 5: kinds of line ends
    (5, "markdown", "가\r\n나\r\n다", "가\n나", "라\n마", "라\r\n마\r\n다"),
    (5, "markdown", "가\n나\n다", "가\r\n나", "라", "라\n다"),
    (5, "markdown", "가\r나\r다", "나\n다", "라", "가\r라"),
    (5, "markdown", "머리\r\n\r\n본문\r\n", "머리\n\n본문", "제목\n\n글", "제목\r\n\r\n글\r\n"),
    (5, "yaml", "a: 1\r\nb:\r\n  c: 2\r\n", "b:\n  c: 2", "b:\n  c: 3\n  d: 4",
     "a: 1\r\nb:\r\n  c: 3\r\n  d: 4\r\n"),
    # 6: runs of blanks
    (6, "markdown", "보험료는  매월   냅니다", "보험료는 매월 냅니다", "보험료는 매년 냅니다", "보험료는 매년 냅니다"),
    (6, "markdown", "긴 문장이\n줄을 넘습니다.", "긴 문장이 줄을 넘습니다.", "짧습니다.", "짧습니다."),
    (6, "markdown", "긴 문장이 줄을 넘습니다.", "긴 문장이\n줄을 넘습니다.", "짧습니다.", "짧습니다."),
    (6, "markdown", "앞\n\n\n\n뒤", "앞\n뒤", "가운데", "가운데"),
    (6, "markdown", "  가\r\n\t나  다 ", "가\n나 다", "라", "  라 "),
    (6, "markdown", "a \u00a0 b c", "a b c", "d", "d"),
    (6, "yaml", "keywords: [암,   치아,\n           간병]\n", "keywords: [암, 치아, 간병]", "keywords: [암]",
     "keywords: [암]\n"),
    # 7: comments
    (7, "yaml", "a: 1  # 하나\nb: 2\n", "a: 1\nb: 2", "a: 3\nb: 4", "a: 3\nb: 4\n"),
    (7, "yaml", "a: 1\n# 설명\nb: 2  # 둘\n", "a: 1\nb: 2", "c: 5", "c: 5  # 둘\n"),
    (7, "yaml", "a: 1\nb: 2\n", "a: 1  # 모델이 적은 주석\nb: 2", "a: 9\nb: 2", "a: 9\nb: 2\n"),
    (7, "yaml", 'a: "값 # 아님"  # 맞음\nb: 2', 'a: "값 # 아님"\nb: 2', "c: 1", "c: 1"),
    (7, "yaml", "a: it's  # 주석\nb: 2", "a: it's\nb: 2", "c: 1", "c: 1"),
    (7, "yaml", "a: C#코드  # 주석\nb: 2", "a: C#코드\nb: 2", "c: 1", "c: 1"),
    (7, "markdown", "앞 <!-- 검토 -->뒤", "앞 뒤", "사이", "사이"),
    (7, "markdown", "하나\n<!-- 여러\n줄 -->\n둘", "하나\n둘", "셋", "셋"),
    (7, "markdown", "# 제목 <!-- id -->\n본문", "# 제목\n본문", "# 새 제목\n본문", "# 새 제목\n본문"),
    # 8: slips of the pen, whole lines
    (8, "markdown", "보험금을 청구할 때 필요한 서류입니다.\n끝", "보험금을 청구할때 필요한 서류입니다.",
     "청구 서류입니다.", "청구 서류입니다.\n끝"),
    (8, "markdown", "머리\n  계약자는 보험료를 내는 사람입니다.\n", "계약자는 보험료를 내는 사랍입니다.",
     "계약자는 냅니다.", "머리\n  계약자는 냅니다.\n"),
    (8, "yaml", FAQ, "  answer: 실제로 낸 병원비를 돌려줍니다.  # 검토함", "  answer: 돌려줍니다.",
     FAQ.replace("answer: 실제 낸 병원비를 돌려줍니다.  # 검토함", "answer: 돌려줍니다.")),
    (8, "markdown", "첫째 줄은 이렇게 씁니다\n\n둘째 줄은 저렇게 씁니다\n셋째",
     "첫째 줄은 이렇게 씁니디\n둘째 줄은 저렇게 쓰니다", "하나", "하나\n셋째"),
    (8, "markdown", "The premium is payd monthly.\nEnd", "The premium is paid monthly.", "Paid.", "Paid.\nEnd"),
    (8, "markdown", "만 45세 남자의 월 보험료입니다", "만 45세 남자의 월 보혐료입니다", "값", "값"),
    # 9: the words alone
    (9, "markdown", "그는 “좋습니다”라고, 말했다.", '"좋습니다"라고 말했다', '"싫습니다"라고 말했다',
     "그는 “싫습니다\"라고 말했다."),
    (9, "markdown", "Total — AMOUNT (원)", "total - amount", "합계 금액", "합계 금액 (원)"),
    (9, "markdown", "ＡＢＣ１２３ 코드", "abc123 코드", "새 코드", "새 코드"),
    (9, "markdown", "보험\u200b료는 매월 냅니다", "보험료는 매월", "보험료는 매년", "보험료는 매년 냅니다"),
    (9, "markdown", "\u1107\u1169\u1112\u1165\u11b7 안내", "보험 안내", "상담 안내", "상담 안내"),
    (9, "markdown", "하나 · 둘 · 셋", "하나, 둘, 셋", "넷", "넷"),
    (9, "markdown", "가입·해지 안내!", "가입/해지 안내?", "변경 안내?", "변경 안내!"),
]  # fmt: skip


@pytest.mark.parametrize(("number", "syntax", "content", "target", "new", "result"), CASES)
@pytest.mark.requirement("registry:edit:nine-pass-matching")
def test_the_pass_finds_the_place_and_cuts_the_original(
    number: int, syntax: str, content: str, target: str, new: str, result: str
) -> None:
    edited = replace_once(content, target, new, syntax)  # type: ignore[arg-type]
    assert (edited.text, edited.pass_number) == (result, number)
    assert_one_span(content, edited)


def assert_one_span(content: str, edited: Edited) -> None:
    assert edited.text == content[: edited.start] + edited.put + content[edited.end :]
    assert 0 <= edited.start < edited.end <= len(content)
    assert edited.line == content.count("\n", 0, edited.start) + 1


def test_there_are_at_least_sixty_cases_and_every_pass_has_some() -> None:
    assert len(CASES) >= 60
    assert {case[0] for case in CASES} == set(range(1, 10))


SEVERAL = [
    ("가 나 가", "가", ["1", "1"]),
    ("하나\n둘\n하나\n", "하나", ["1", "3"]),
    ("aaa", "aa", ["1", "1"]),
    ("x: 1\ny: 2\nx: 1\n", "  x: 1  ", ["1", "3"]),
    (" 가\n 나\n\n가 \n나", "가\n나", ["1", "4"]),
    ("가  나\n가   나", "가 나", ["1", "2"]),
    ("보험금을 청구합니다 여기서요\n보험금을 청구합니다 저기서요", "보험금을 청구합니다 거기서요", ["1", "2"]),
    ("좋은, 보험\n그리고 좋은 - 보험", "좋은! 보험", ["1", "2"]),
]


@pytest.mark.parametrize(("content", "target", "lines"), SEVERAL)
@pytest.mark.requirement("registry:edit:nine-pass-matching")
def test_a_pass_that_finds_several_refuses_and_tells_the_lines(content: str, target: str, lines: list[str]) -> None:
    with pytest.raises(Ambiguous, match=f"{len(lines)}곳") as refused:
        replace_once(content, target, "다른 글")
    assert list(refused.value.choices) == lines
    assert ", ".join(lines) in str(refused.value)


def test_a_later_pass_is_not_asked_when_an_earlier_one_found_several() -> None:
    """Only one place has the blank in it; but the first pass finds two, and guessing would be wrong."""
    with pytest.raises(Ambiguous):
        replace_once("가나\n가나\n가 나", "가나", "다")


@pytest.mark.parametrize("target", ["없는 문장입니다", "가나다라마바사", "9,999원을 냅니다"])
@pytest.mark.requirement("registry:edit:nine-pass-matching")
def test_what_is_not_there_is_not_found(target: str) -> None:
    with pytest.raises(NotFound, match="찾을 수 없습니다"):
        replace_once(FAQ, target, "x", "yaml")


@pytest.mark.parametrize("target", ["", "   ", "\n\t"])
def test_an_empty_target_is_refused(target: str) -> None:
    with pytest.raises(BadRequest, match="비어"):
        replace_once(FAQ, target, "x")


def test_an_edit_that_changes_nothing_is_refused() -> None:
    with pytest.raises(BadRequest, match="지금과 같습니다"):
        replace_once(FAQ, "계약자", "계약자")


def test_figures_are_never_slips_of_the_pen() -> None:
    with pytest.raises(NotFound):
        replace_once("가입금액은 3,000만원까지 됩니다", "가입금액은 5,000만원까지 됩니다", "값")


def test_a_comment_beside_the_cut_stays() -> None:
    edited = replace_once("a: 1\nb: 2  # 아껴 둠\n", "a: 1  # 딴 말\nb: 2", "a: 3\nb: 4", "yaml")
    assert edited.text == "a: 3\nb: 4  # 아껴 둠\n"


words = st.text(alphabet="가나다라 \tab1.\n#\"'-\r\u3000😀", min_size=1, max_size=40)


@settings(max_examples=300, deadline=None)
@given(words, words, words, st.sampled_from(["yaml", "markdown"]))
def test_whatever_is_replaced_is_one_span_of_the_original(content: str, target: str, new: str, syntax: str) -> None:
    try:
        edited = replace_once(content, target, new, syntax)  # type: ignore[arg-type]
    except (BadRequest, Ambiguous):
        return
    assert_one_span(content, edited)


@settings(max_examples=200, deadline=None)
@given(words, words, words, words)
def test_what_stands_there_once_is_replaced_literally(before: str, target: str, after: str, new: str) -> None:
    content = before + target + after
    assume(content.count(target) == 1 and target.strip() and target != new and content.find(target) == len(before))
    assume(content.find(target, len(before) + 1) < 0)
    edited = replace_once(content, target, new)
    assert edited.pass_number == 1 and edited.start == len(before)
    assert edited.text == before + edited.put + after
    assert edited.put.replace("\r\n", "\n") == new.replace("\r\n", "\n")


lines = st.lists(
    st.text(alphabet="가나다라마바사아자차카타파하", min_size=6, max_size=12), min_size=3, max_size=8, unique=True
)


@settings(max_examples=100, deadline=None)
@given(lines, st.sampled_from(["  ", "\t", "      "]), st.data())
def test_lines_with_other_blanks_are_found_and_the_rest_of_the_file_stays(
    rows: list[str], indent: str, data: st.DataObject
) -> None:
    assume(not any(a in b for a in rows for b in rows if a is not b))
    first = data.draw(st.integers(0, len(rows) - 2))
    content = "".join(f"{indent}{row} \n" for row in rows)
    edited = replace_once(content, "\n".join(rows[first : first + 2]), "새글")
    kept = [row for place, row in enumerate(rows) if place not in (first, first + 1)]
    assert [line.strip() for line in edited.text.splitlines()] == [*kept[:first], "새글", *kept[first:]]
    assert_one_span(content, edited)


MEGABYTE = 1_000_000
HOSTILE = {
    "one line of one letter": "가" * MEGABYTE,
    "blanks": " " * MEGABYTE,
    "blanks and a letter": " " * (MEGABYTE - 1) + "x",
    "line ends": "\n" * MEGABYTE,
    "short lines": "가\n" * (MEGABYTE // 2),
    "equal lines": "보험금을 청구할 때 필요한 서류 안내\n" * (MEGABYTE // 20),
    "quotes": "\"'" * (MEGABYTE // 2),
    "open comments": "<!--" * (MEGABYTE // 4),
    "hashes": " #" * (MEGABYTE // 2),
    "tabs": "\t가" * (MEGABYTE // 2),
    "backslashes": '"' + "\\" * MEGABYTE,
    "brackets": "[{,:-" * (MEGABYTE // 5),
    "prose": "".join(f"{n}번째 문장은 보험에 관한 설명입니다.\n" for n in range(MEGABYTE // 22)),
}
SOUGHT = {
    "a sentence": "이 파일 어디에도 없는 문장을 찾아 봅니다",
    "many lines": "\n".join(f"보험금을 청구할 때 필요한 서류 안네 {'가나다라마바사'[n % 7]}" for n in range(200)),
    "a long line": "나" * 20_000,
    "blanks": "x" + " " * 20_000 + "y",
}


@pytest.mark.parametrize("sought", SOUGHT)
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_megabyte_takes_no_catastrophic_time(kind: str, sought: str) -> None:
    started = time.process_time()
    with pytest.raises((NotFound, Ambiguous)):
        replace_once(HOSTILE[kind], SOUGHT[sought], "새글", "yaml" if kind != "open comments" else "markdown")
    assert time.process_time() - started < 12
