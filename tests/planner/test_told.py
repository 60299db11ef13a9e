"""Whether a message tells what an argument asks for: the trained judge, its file, and what the planner does with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.errors import Unavailable
from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.language.features import TextAnalyser
from app.language.normalise import compact
from app.language.particulars import ParticularsMask
from app.language.tokenizer import Tokenizer
from app.planner.facts import Facts
from app.planner.told import JUDGED, SHIPPED, ToldJudge
from scripts.train_told import Line, train
from tests.conftest import ROOT
from tests.language.samples import TODAY

CONTENT = ROOT / "data"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer()


@pytest.fixture(scope="module")
def analyser(catalogue: Catalogue, tokenizer: Tokenizer) -> TextAnalyser:
    return TextAnalyser(tokenizer, ParticularsMask(catalogue.products, CONTENT / "language"))


@pytest.fixture(scope="module")
def judge(analyser: TextAnalyser, tokenizer: Tokenizer) -> ToldJudge:
    return ToldJudge.load(CONTENT / SHIPPED, tokenizer, analyser)


@pytest.fixture(scope="module")
def entities(catalogue: Catalogue) -> EntityReader:
    return EntityReader(catalogue)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("job", "누나는 간호사고 매형은 경찰인데 제가 하는 일은 위험등급이 어떻게 나올지 봐주실래요"),
        ("text", "어제 교육 때 받은 멘트가 하나 있는데 심의에 걸리는지 검토 좀 부탁드립니다"),
        ("case_summary", "방금 통화 끝난 최은정 고객 건 할 일 목록 저장해 주세요, 오늘만 열 통째예요"),
        ("rider", "특약 하나만 콕 집어서 설명 들을 수 있을까요 이름이 생각이 안 나서요"),
        ("coverage_type", "실버치아에서 보장 하나만 골라서 자세히 보고 싶은데요"),
        ("product", "제 동생도 딴 회사에서 권유받은 게 하나 있다는데 그건 면책이 며칠이래요?"),
    ],
)
def test_a_message_that_only_tells_other_things_tells_nothing_of_it(judge: ToldJudge, name: str, message: str) -> None:
    assert judge.untold(name, message)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("job", "누나는 간호사고 저는 퀵 오토바이로 배달하는데 위험등급이 어떻게 되나요"),
        ("text", "무조건 원금 보장되는 상품이라고 말해도 심의에 안 걸리나요"),
        ("case_summary", "보험료 부담돼서 해지 고민하심, 감액완납 안내하고 금요일에 다시 전화드리기로 함"),
        ("rider", "항암방사선 특약 설명 좀 들을 수 있을까요"),
        ("history", "재작년에 갑상선 결절 제거했고 혈압약 먹어요"),
        ("product", "그럼 엄마는 얼마예요? 예순셋이세요"),
        ("product", "특약은 뭐가 붙어요"),
        ("age", "제 나이가 몇인지 맞혀 보세요"),
    ],
)
def test_a_message_that_tells_it_is_believed(judge: ToldJudge, name: str, message: str) -> None:
    assert not judge.untold(name, message)


def test_only_required_words_of_the_message_itself_are_put_back(judge: ToldJudge) -> None:
    message = "누나는 간호사고 매형은 경찰인데 제가 하는 일은 위험등급이 어떻게 나올지 봐주실래요"
    given = {"job": "간호사", "age": 40}
    assert judge.only_told(given, {"job"}, message) == {"age": 40}
    assert judge.only_told(given, set(), message) == given
    assert judge.only_told({"job": "용접공"}, {"job"}, message) == {"job": "용접공"}  # known from before


def test_the_product_of_the_talk_is_left_where_another_one_is_meant(judge: ToldJudge, entities: EntityReader) -> None:
    facts = Facts(product_codes=("B00172014",), kinds=("치아",))

    def kept(message: str, facts: Facts = facts) -> tuple[str, ...]:
        return judge.facts_for(message, entities.read(message, TODAY), facts).product_codes

    other = "제 동생도 딴 회사에서 권유받은 게 하나 있다는데 그건 면책이 며칠이래요?"
    assert kept(other) == ()
    assert kept(f"{other} 암보험이래요") == ("B00172014",)  # named, if only by its kind: others read that
    assert kept("면책은 며칠이래요?") == ("B00172014",)
    waiting = facts.model_copy(update={"asked": ("product_code",)})
    assert kept("작년에 들었고 매달 이만 원 넘게 내요", waiting) == ()
    assert kept("그럼 면책은요?", waiting) == ("B00172014",)


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 nothing"])
def test_a_file_that_cannot_be_read_says_how_to_make_it(
    tmp_path: Path, content: bytes | None, analyser: TextAnalyser, tokenizer: Tokenizer
) -> None:
    path = tmp_path / "heads.packed"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Unavailable, match="train_told"):
        ToldJudge.load(path, tokenizer, analyser)


def test_what_was_trained_and_saved_judges_the_same(
    tmp_path: Path, analyser: TextAnalyser, tokenizer: Tokenizer
) -> None:
    lines = [
        Line(head, f"{words} {head} {number}", told, True)
        for head in JUDGED
        for number in range(6)
        for words, told in (("저는 용접공이에요", True), ("직업이 뭔지에 따라 다른가요", False))
    ]
    trained, _ = train(lines, tokenizer, analyser)
    trained.save(tmp_path / "heads.packed")
    again = ToldJudge.load(tmp_path / "heads.packed", tokenizer, analyser)
    message = "평택에서 일하고 수원에서 출퇴근해요. 제 직업 위험등급이 몇 급이에요?"
    scores = [found.heads.scores(analyser.analyse(message)) for found in (trained, again)]
    assert scores[0] == pytest.approx(scores[1], abs=2e-3)
    with pytest.raises(ValueError, match="no names"):
        again.save(tmp_path / "twice.packed")


def test_its_lines_are_labelled_whole_and_stand_in_no_evaluation_dialogue() -> None:
    asked = {
        compact(turn["user"])
        for path in (CONTENT / "evaluation" / "dialogues").glob("*.jsonl")
        for dialogue in path.read_text(encoding="utf-8").splitlines()
        for turn in json.loads(dialogue)["turns"]
    }
    for path in sorted((CONTENT / "told").glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert len({line["said"] for line in lines}) == len(lines) > 200
        for line in lines:
            assert line["slot"] == path.stem and line["slot"] in JUDGED
            assert line["value"] in line["said"] and (line["told"] or not line["value"])
            assert compact(line["said"]) not in asked
