"""Words of people who do not know the name: every term is the catalogue's, and what is told is read."""

from __future__ import annotations

from datetime import date

import pytest

from app.errors import DataFaults
from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.language.lay_words import LayWord, LayWords, load_lay_words
from app.settings import ROOT

TODAY = date(2026, 11, 23)
FOLDER = ROOT / "data" / "language" / "lay_words"


@pytest.fixture(scope="module")
def entities(catalogue: Catalogue) -> EntityReader:
    return EntityReader(catalogue)


def test_every_term_is_a_word_of_the_catalogue(catalogue: Catalogue) -> None:
    reference = catalogue.reference
    illnesses = {word for rule in reference.condition_rules for word in (*rule.keywords, rule.name)}
    illnesses |= {word for code in reference.kcd for word in (code.name, *code.synonyms)}
    covers = {
        word for product in catalogue.products for b, _ in product.all_benefits for word in (b.name, *b.keywords)
    } | {rider.name for product in catalogue.products for rider in product.riders}
    # A rider is also called without what stands in brackets.
    covers |= {f"{word.split('특약')[0].replace('특별약관', '').strip()} 특약" for word in covers if "특약" in word}
    jobs = {word for job in reference.jobs for word in (job.name, *job.synonyms)}
    for name, known in (("illnesses", illnesses), ("covers", covers), ("jobs", jobs)):
        terms = load_lay_words(FOLDER / f"{name}.yaml").terms
        assert terms and not [term for term in terms if term not in known], name


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("작년에 발목이 부러져서 깁스했어요", "골절"),
        ("쓸개에 돌이 있다네요", "담석"),
        ("시어머니가 재작년에 풍이 왔었거든요", "중풍"),
        ("제가 당이 높다는데 가입되나요", "당뇨"),
    ],
)
def test_an_illness_is_read_without_its_name(entities: EntityReader, text: str, term: str) -> None:
    assert any(term in m.term for m in entities.read(text, TODAY).medical)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("이를 새로 심으면 얼마나 보태 주나요", "임플란트"),
        ("여자들만 걸리는 암 보장도 있나요", "여성"),
        ("끼웠다 뺐다 하는 이는요", "틀니"),
    ],
)
def test_a_cover_is_read_without_its_name(entities: EntityReader, text: str, term: str) -> None:
    assert any(term in m.benefit for m in entities.read(text, TODAY).benefits)


@pytest.mark.parametrize(
    "text", ["보험 깨면 얼마 받아요", "보험료가 또 올랐어요", "이 심사는 며칠 걸려요", "네 그걸로 할게요"]
)
def test_ordinary_talk_holds_no_lay_word(entities: EntityReader, text: str) -> None:
    read = entities.read(text, TODAY)
    assert not read.medical and not read.jobs and not [m for m in read.benefits if m.confidence == 0.8]


def test_an_operation_behind_an_illness_is_its_operation(entities: EntityReader) -> None:
    read = entities.read("쓸개에 돌이 있어서 재작년에 수술했는데 받아 주나요", TODAY)
    assert [m.phrase for m in read.medical] == ["재작년 담석 수술"]


def test_blanks_gaps_choices_and_word_starts_are_understood() -> None:
    words = LayWords([LayWord(term="담석", says=("쓸개~^돌", "^담낭(돌|결석)"), unless=("안내",))])
    assert [span.term for span in words.find("쓸 개에 돌이 있대요")] == ["담석"]
    assert [span.term for span in words.find("담낭 결석이요")] == ["담석"]
    assert not words.find("쓸개 어쩌고 하다가 세월 다 갔네 이제 돌")  # more than ten letters between
    assert not words.find("쓸개에 조약돌") and not words.find("쓸개에 돌 안내")
    assert not words.find("쓸개에 돌", taken=[(0, 2)])


def test_a_term_that_another_catalogue_lacks_is_left_out() -> None:
    words = LayWords([LayWord(term="담석", says=("쓸개돌",)), LayWord(term="없는병", says=("이름모를",))])
    assert words.among({"담석"}).terms == ("담석",)


def test_a_damaged_file_is_told_with_its_name(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "illnesses.yaml"
    path.write_text("- {term: 담석, says: ['쓸개 돌']}\n", encoding="utf-8")
    with pytest.raises(DataFaults, match=r"illnesses\.yaml"):
        load_lay_words(path)
    for open_choice in ("쓸개(에|의돌", "쓸개에)돌("):
        path.write_text(f"- {{term: 담석, says: ['{open_choice}']}}\n", encoding="utf-8")
        with pytest.raises(DataFaults, match="괄호가 맞지 않습니다"):
            load_lay_words(path)
