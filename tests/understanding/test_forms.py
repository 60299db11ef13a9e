"""The form of a question, told of messages that it did not learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.errors import Unavailable
from app.language.features import TextAnalyser
from app.language.particulars import ParticularsMask
from app.language.tokenizer import Tokenizer
from app.packed import Int8Rows, write_packed
from app.routing.opening import read_products
from app.understanding.forms import FORMS, SHIPPED, WIDTH, Form, FormReader
from scripts.train_forms import LINES, MEASURED, read_lines, train
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def analyser() -> TextAnalyser:
    content = ROOT / "data"
    mask = ParticularsMask(read_products(content), content / "language")
    return TextAnalyser(Tokenizer(), mask)


@pytest.fixture(scope="module")
def reader(analyser: TextAnalyser) -> FormReader:
    return FormReader.load(ROOT / "data" / SHIPPED, analyser)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("왜 그쪽이 더 비싼거죠", "why"),
        ("다 더하면 얼만데요", "total"),
        ("두개 차이가 얼마쯤 나나요", "difference"),
        ("그 내용 약관 몇조예요", "where_written"),
        ("저 중에 제일 저렴한건 뭔가요", "which"),
        ("감사합니다 잘 알겠어요", "thank"),
    ],
)
def test_plain_forms_are_told(reader: FormReader, text: str, form: Form) -> None:
    assert reader.read(text).form == form


def test_two_thirds_of_unseen_lines_are_told_and_most_of_the_sure_ones(reader: FormReader) -> None:
    readings = [(form, reader.read(text)) for form, text in read_lines(ROOT / "data" / MEASURED)]
    right = [form == reading.form for form, reading in readings]
    sure = [form == reading.form for form, reading in readings if reading.share >= 0.6]
    assert sum(right) / len(right) > 0.66
    assert sum(sure) / len(sure) > 0.8


def test_shares_are_a_distribution_for_any_text(reader: FormReader) -> None:
    for text in ("", "ㅋㅋ", "?" * 500, "a" * 2_000, "😀"):
        shares = reader.read(text).shares
        assert set(shares) == set(FORMS)
        assert abs(sum(shares.values()) - 1.0) < 1e-3


def test_the_same_lines_train_the_same_head(analyser: TextAnalyser, tmp_path: Path) -> None:
    lines = read_lines(ROOT / "data" / LINES)[::12]
    one, two = train(lines, analyser), train(lines, analyser)
    one.save(tmp_path / "one.packed")
    two.save(tmp_path / "two.packed")
    assert (tmp_path / "one.packed").read_bytes() == (tmp_path / "two.packed").read_bytes()


def test_learned_and_measured_lines_are_apart() -> None:
    learned = {text for _, text in read_lines(ROOT / "data" / LINES)}
    assert not learned & {text for _, text in read_lines(ROOT / "data" / MEASURED)}


def test_a_missing_damaged_or_foreign_head_is_told(analyser: TextAnalyser, tmp_path: Path) -> None:
    path = tmp_path / "head.packed"
    with pytest.raises(Unavailable, match="train_forms"):
        FormReader.load(path, analyser)
    path.write_bytes(b"no archive")
    with pytest.raises(Unavailable, match="train_forms"):
        FormReader.load(path, analyser)
    write_packed(path, {"weights": Int8Rows.of(np.zeros((WIDTH, 3))), "meta": '[1.0, ["a"]]'})
    with pytest.raises(Unavailable, match="train_forms"):
        FormReader.load(path, analyser)
