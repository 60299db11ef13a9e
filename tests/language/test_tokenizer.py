"""Morphemes for keyword search, the user dictionary, and the concept lexicon."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.errors import DataFaults
from app.language.concepts import ConceptLexicon, load_concepts
from app.language.lexicon import load_lexicon
from app.language.tokenizer import Tokenizer, load_user_words
from app.settings import ROOT

LANGUAGE = ROOT / "data" / "language"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer([*load_user_words(LANGUAGE / "user_words.txt"), "뉴스타트암보험", "채우는335"])


@pytest.fixture(scope="module")
def concepts() -> ConceptLexicon:
    return load_concepts(LANGUAGE / "concepts.yaml")


def test_content_morphemes_are_kept_and_particles_dropped(tokenizer: Tokenizer) -> None:
    words = tokenizer.morphemes("해약환급금을 돌려받을 수 있나요?")
    assert "해약환급금" in words
    assert any(word.endswith("받") for word in words)
    assert "을" not in words


def test_products_and_terms_stay_whole(tokenizer: Tokenizer) -> None:
    assert "뉴스타트암보험" in tokenizer.morphemes("뉴스타트암보험은 면책기간이 있나요")
    assert "채우는335" in tokenizer.morphemes("채우는335로 뭐가 나와요")


def test_a_number_is_one_token_with_or_without_its_comma(tokenizer: Tokenizer) -> None:
    assert "12340" in tokenizer.morphemes("12,340원이에요")
    assert "12340" in tokenizer.morphemes("12340원이에요")
    assert "2.5" in tokenizer.morphemes("2.5배 올랐어요")


def test_codes_are_one_token(tokenizer: Tokenizer) -> None:
    assert {"b00115023", "f06.7"} <= set(tokenizer.morphemes("B00115023 그리고 F06.7"))
    assert {"2025", "08", "01"} <= set(tokenizer.morphemes("2025-08-01에 실효"))


@pytest.mark.parametrize(
    ("typed", "spaced"),
    [
        ("전화로도가입할수있어요", "전화로도 가입할 수 있어요"),
        ("아니사십팔말고오십팔", "아니 사십팔 말고 오십팔"),
        ("보험료 얼마예요 그거", "보험료 얼마예요 그거"),
        ("보험료얼마", "보험료얼마"),
    ],
)
def test_blanks_are_put_in_where_a_whole_message_has_none(tokenizer: Tokenizer, typed: str, spaced: str) -> None:
    assert tokenizer.spaced(typed) == spaced


def test_lone_jamo_never_become_tokens(tokenizer: Tokenizer) -> None:
    words = tokenizer.morphemes("이건가요 ㄱㄱ ㅋㅋ 갈까")
    assert not any(len(word) == 1 and "ㄱ" <= word <= "ㅣ" for word in words)


def test_sentences_are_parted(tokenizer: Tokenizer) -> None:
    assert tokenizer.sentences("안녕하세요. 보험료가 얼마예요? 알려주세요.") == (
        "안녕하세요.",
        "보험료가 얼마예요?",
        "알려주세요.",
    )


def test_threads_share_one_tokenizer(tokenizer: Tokenizer) -> None:
    text = "암보험 보험료가 얼마인가요"
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(tokenizer.morphemes, [text] * 40))) == 1


def test_a_bad_user_dictionary_names_every_line(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("보험\tNNG\n보험\tNNG\n갱신\tXYZ\n", encoding="utf-8")
    with pytest.raises(DataFaults) as caught:
        load_user_words(file)
    assert [fault.line for fault in caught.value.faults] == [2, 3]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("지금 깨면 얼마 돌려받아요", "해약환급금"),
        ("보험료가 왜 자꾸 뛰어요", "갱신 인상"),
        ("자꾸 깜빡깜빡 하세요", "치매"),
        ("이빨 때웠어요", "충전 치료"),
        ("이빨 씌우면", "크라운"),
        ("이빨 박는 거", "임플란트"),
        ("보험 무르고 싶어", "청약철회"),
        ("고객 중에 찾아줘", "고객 검색"),
    ],
)
def test_everyday_words_lead_to_the_term(concepts: ConceptLexicon, text: str, term: str) -> None:
    assert term in concepts.expand(text)


def test_other_talk_names_no_concept(concepts: ConceptLexicon) -> None:
    assert concepts.expand("날씨가 춥네") == ()
    assert "갱신 인상" not in concepts.expand("기온이 오르나요")


def test_the_lexicon_is_large_and_sound(concepts: ConceptLexicon) -> None:
    assert len(concepts) >= 100
    assert len(load_lexicon(LANGUAGE).kinship) > 150


def test_a_missing_or_broken_lexicon_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(DataFaults, match=r"kinship\.yaml"):
        load_lexicon(tmp_path)
    (tmp_path / "concepts.yaml").write_text(
        "- {term: 빈 것}\n- {term: 둘, says: [가나]}\n- {term: 둘, says: [다라]}\n", encoding="utf-8"
    )
    with pytest.raises(DataFaults) as caught:
        load_concepts(tmp_path / "concepts.yaml")
    assert len(caught.value.faults) == 2
