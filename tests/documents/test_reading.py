"""Reading files: articles, tables, page places, and files that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from app.documents.headings import annex_head, article_head, is_part
from app.documents.loader import FoundFile, UnreadableFile, find_files, load_file
from app.documents.shapes import Line, SourceDocument, Table
from app.documents.splitter import Splitter
from scripts.documents.markup import Block
from scripts.documents.pdf import write_pdf as write_blocks

from .conftest import ARTICLES, write_pdf


def read(path: Path) -> SourceDocument:
    return load_file(FoundFile(path, path.name))


def split(document: SourceDocument, size: int = 500) -> list[tuple[str, str]]:
    chunks = Splitter(size, 100, lambda text: text.split(". ")).split(document)
    return [(chunk.article, chunk.text) for chunk in chunks]


@pytest.mark.parametrize(
    ("line", "head"),
    [
        ("제5조(목적)", "제5조(목적)"),
        ("제5조의2【해약환급금】", "제5조의2(해약환급금)"),
        ("제28조(납입최고(독촉)와 계약의 해지) ① 회사는", "제28조(납입최고(독촉)와 계약의 해지)"),
        ("제7조", "제7조"),
        ("제3조(제목)의 규정에도 불구하고", None),
        ("제3조에 따라 지급합니다.", None),
        ("제12조(보험금의 지급사유), 제13조", None),
    ],
)
def test_a_heading_is_told_from_a_citation(line: str, head: str | None) -> None:
    found = article_head(line)
    assert (found.text if found else None) == head


def test_parts_and_annexes_are_told_from_sentences() -> None:
    assert is_part("제2관 보험금의 지급")
    assert annex_head("별표 3 장해분류표") == "별표 3"
    assert annex_head("[별표 2] 질병 분류표") == "별표 2"
    assert annex_head("별표 3에서 정한 지급률에 따릅니다.") is None


def test_each_article_of_a_text_is_one_passage(folder: Path) -> None:
    (folder / "자전거약관.txt").write_text(ARTICLES, encoding="utf-8")
    found = dict(split(read(folder / "자전거약관.txt")))
    assert list(found) == ["제1조", "제2조", "제3조", "제3조의2", "제4조", "제5조"]
    assert "30,000원" in found["제3조의2"]
    assert found["제2조"].startswith("① ") and "\n② " in found["제2조"]


def test_a_wrapped_title_is_joined_until_its_brackets_close(folder: Path) -> None:
    text = "제9조(보험료의 납입이 연체된 경우 납입\n최고와 계약의 해지)\n본문입니다.\n"
    (folder / "약관.txt").write_text(text, encoding="utf-8")
    [(article, text)] = split(read(folder / "약관.txt"))
    assert (article, text) == ("제9조", "본문입니다.")


def test_a_number_is_never_parted_from_its_unit(folder: Path) -> None:
    (folder / "긴글.txt").write_text("보험금은 3,000 만원 이며 90 일 이 지나면 " * 60, encoding="utf-8")
    chunks = [text for _, text in split(read(folder / "긴글.txt"), 200)]
    assert len(chunks) > 5
    assert not any(text.endswith(("3,000", "90")) for text in chunks)


def test_no_figure_of_a_ruled_table_is_altered_and_every_row_keeps_its_header(folder: Path) -> None:
    rows = [("구분", "이율", "금액")] + [(f"{n}년", f"{n}.{n:02d}%", f"{n},{n:03d},000원") for n in range(1, 60)]
    write_blocks(folder / "표.pdf", "표", [Block("h2", "이율표"), Block("table", rows=tuple(rows))], contents=False)
    document = read(folder / "표.pdf")
    [table] = [item for item in document.items if isinstance(item, Table)]
    assert table.rows == tuple(rows)  # three pages, header once
    assert document.pages == 2
    lines = [line for _, text in split(document) for line in text.split("\n")]
    assert "15년 — 이율: 15.15%, 금액: 15,015,000원" in lines


def test_running_headers_and_contents_pages_are_left_out(folder: Path) -> None:
    blocks = []
    for n in range(1, 40):
        blocks += [Block("h2", f"제{n}조(조문 {n})"), Block("text", f"{n}번째 조문의 본문입니다. " * 12)]
    write_blocks(folder / "약관.pdf", "시험 약관", blocks, contents=True)
    document = read(folder / "약관.pdf")
    texts = [item.text for item in document.items if isinstance(item, Line)]
    assert "모의 문서(simulated)" not in texts and "차례" not in texts
    assert sum(text == "제1조(조문 1)" for text in texts) == 1


def test_two_columns_are_read_one_after_the_other(folder: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row in range(12):  # painted row by row
        page.insert_text((50, 100 + row * 20), f"left line number {row} of the page", fontsize=9)
        page.insert_text((320, 100 + row * 20), f"right line number {row} of the page", fontsize=9)
    document.save(str(folder / "columns.pdf"))
    texts = [item.text for item in read(folder / "columns.pdf").items if isinstance(item, Line)]
    assert [text.split()[0] for text in texts] == ["left"] * 12 + ["right"] * 12


def test_lines_keep_their_page_and_box(folder: Path) -> None:
    write_pdf(folder / "a.pdf", [["첫 쪽입니다."], ["둘째 쪽입니다."]])
    first, second = (item for item in read(folder / "a.pdf").items if isinstance(item, Line))
    assert (first.page, second.page) == (1, 2)
    assert first.box is not None and first.box[0] == pytest.approx(60, abs=1)


def test_look_alike_characters_are_made_plain_but_clause_marks_stay(folder: Path) -> None:
    (folder / "a.txt").write_text("①\u00a0암보험\u2011갱신형 ➁ 둘째", encoding="utf-8")
    [line] = [item for item in read(folder / "a.txt").items if isinstance(item, Line) and item.text]
    assert line.text == "① 암보험-갱신형 ② 둘째"


def make_bad(folder: Path, kind: str) -> Path:
    path = folder / "bad.pdf"
    if kind == "empty":
        path.write_bytes(b"")
    elif kind == "broken":
        path.write_bytes(b"%PDF-1.7\n" + b"\x00\xff" * 500)
    elif kind == "not a pdf":
        path.write_text("그냥 글입니다", encoding="utf-8")
    elif kind == "encrypted":
        write_pdf(path, [["비밀"]], encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="a", owner_pw="b")
    elif kind == "scan":
        document = pymupdf.open()
        picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 50, 50))
        document.new_page().insert_image(pymupdf.Rect(0, 0, 500, 500), pixmap=picture)
        document.save(str(path))
    else:
        path = folder / "bad.txt"
        path.write_bytes(b"\x00\x01\x02" * 100)
    return path


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("empty", "빈 파일"), ("broken", "손상"), ("not a pdf", "PDF가 아닙니다"), ("encrypted", "암호"),
        ("scan", "스캔"), ("binary text", "글자 파일이 아닙니다"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_says_why(folder: Path, kind: str, told: str) -> None:
    with pytest.raises(UnreadableFile, match=told):
        read(make_bad(folder, kind))


def test_links_out_of_the_folder_are_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("비밀", encoding="utf-8")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "up").symlink_to(tmp_path, target_is_directory=True)
    (folder / "own.txt").write_text("내 글", encoding="utf-8")
    assert [file.source for file in find_files(folder)] == ["own.txt"]


def test_a_passage_knows_the_page_of_each_of_its_sentences(folder: Path) -> None:
    write_pdf(
        folder / "약관.pdf",
        [
            ["제1조(긴 조문) ① 첫째 항은 첫 쪽에 있습니다.", "② 둘째 항은 첫 쪽에서 시작하여"],
            ["다음 쪽에서 끝납니다.", "③ 셋째 항은 둘째 쪽에 있습니다."],
        ],
    )
    (chunk,) = Splitter(500, 100, lambda text: text.split(". ")).split(read(folder / "약관.pdf"))
    assert (chunk.page, chunk.page_end) == (1, 2)
    pages = {part: chunk.page_at(chunk.text.index(part)) for part in ("첫째", "둘째 항", "다음 쪽에서", "셋째")}
    assert pages == {"첫째": 1, "둘째 항": 1, "다음 쪽에서": 2, "셋째": 2}


def test_parts_of_a_long_paragraph_keep_their_pages(folder: Path) -> None:
    lines = [f"문장 {number}번은 이 문단의 {number}번째 문장입니다." for number in range(120)]
    write_pdf(folder / "글.pdf", [lines[:40], lines[40:80], lines[80:]])
    document = read(folder / "글.pdf")
    together = " ".join(line.text for line in document.items if isinstance(line, Line))
    assert "119번째" in together
    pages = [[line.text for line in document.items if isinstance(line, Line) and line.page == n] for n in (1, 2, 3)]
    for chunk in Splitter(200, 50, lambda text: [f"{part}." for part in text.split(".") if part]).split(document):
        for number in range(120):
            told = lines[number]
            if told in chunk.text:
                assert told in " ".join(pages[chunk.page_at(chunk.text.index(told)) - 1])
