"""Heads on disk: the shipped file fits the data, what was saved scores alike, and a few lines train quickly."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from app.adapters.embeddings import Embedder, SentenceTransformerEmbedder
from app.adapters.vector_store import ChromaStore
from app.language.evidence import NO_TOOL, OUTSIDE
from app.language.feature_space import Example
from app.language.kernel_heads import HeardText
from app.routing.embedding_index import COLLECTION
from app.routing.examples import LabelledLine
from app.routing.learning import SHIPPED, Learned, chosen_lines, learn, learned_heads
from app.routing.opening import open_routing, read_products, training_data
from app.toolbox.snapshot import ToolSnapshot
from tests.routing.conftest import DATA, Shipped

LINES = [
    *(
        LabelledLine(f"보험료가 {word} 얼마예요", "premium_estimate")
        for word in ("매달", "한 달에", "지금", "대략", "총")
    ),
    *(
        LabelledLine(f"해지하면 {word} 돌려받나요", "surrender_value_explain")
        for word in ("얼마", "돈을", "다", "조금")
    ),
    *(LabelledLine(text, NO_TOOL) for text in ("안녕하세요", "고마워요", "수고하세요", "네 알겠어요")),
    *(LabelledLine(text, OUTSIDE) for text in ("내일 날씨 어때", "점심 뭐 먹지", "주식 사도 될까", "노래 틀어줘")),
    LabelledLine("보험이 뭐예요", None),
]


@pytest.fixture(scope="module")
def few(shipped: Shipped) -> Learned:
    return learn(LINES, shipped.tokenizer, shipped.routing.analyser, "few")


def test_the_shipped_heads_fit_the_shipped_data(shipped: Shipped) -> None:
    """When this fails: `python -m scripts.routing_train`."""
    _, data_hash = training_data(DATA, shipped.snapshot, shipped.tokenizer, read_products(DATA))
    assert Learned.load(DATA / SHIPPED, shipped.tokenizer, data_hash) is not None


def test_the_shipped_heads_are_small_enough_for_the_repository() -> None:
    assert (DATA / SHIPPED).stat().st_size < 8_000_000


def test_few_lines_teach_their_labels(shipped: Shipped, few: Learned) -> None:
    for text, label in (("보험료 얼마예요", "premium_estimate"), ("해지하면 얼마 받나요", "surrender_value_explain")):
        scores = few.heads.scores(shipped.routing.analyser.analyse(text))
        assert few.heads.labels[int(np.argmax(scores))] == label


def test_a_text_heard_by_two_heads_is_scored_as_by_each_alone(shipped: Shipped, few: Learned) -> None:
    analyser = shipped.routing.analyser
    lines = ("택배가 언제 와요", "택배 어디쯤 왔나요", "배송 조회해 주세요")
    wider = few.heads.with_labels({"parcel": [Example(analyser.analyse(text), "parcel") for text in lines]})
    analysis = analyser.analyse("택배 언제 오나요")
    heard = HeardText(analysis)
    for heads in (few.heads, wider, few.heads):
        np.testing.assert_array_equal(heard.by(heads)[1], heads.scores(analysis))
    # What the heads knew before they say of a text as before.
    np.testing.assert_array_equal(wider.scores(analysis)[: len(few.heads.labels)], few.heads.scores(analysis))
    assert wider.labels[int(np.argmax(wider.scores(analysis)))] == "parcel"


def test_saved_heads_score_alike_and_keep_left_out_scores_and_words(
    shipped: Shipped, few: Learned, tmp_path: Path
) -> None:
    few.save(tmp_path / "heads.packed")
    again = Learned.load(tmp_path / "heads.packed", shipped.tokenizer, "few")
    assert again is not None
    analysis = shipped.routing.analyser.analyse("한 달 보험료가 얼마나 되나요")
    assert np.allclose(few.heads.scores(analysis), again.heads.scores(analysis), atol=2e-3)
    assert np.allclose(few.left_out, again.left_out)
    assert few.terms == again.terms
    assert [e.label for e in again.examples] == [line.label for line in LINES]


def test_heads_of_other_data_or_a_broken_file_are_not_taken(shipped: Shipped, few: Learned, tmp_path: Path) -> None:
    path = tmp_path / "heads.packed"
    few.save(path)
    assert Learned.load(path, shipped.tokenizer, "other") is None
    path.write_bytes(path.read_bytes()[:200])
    assert Learned.load(path, shipped.tokenizer, "few") is None
    assert Learned.load(tmp_path / "none.packed", shipped.tokenizer, "few") is None


def test_without_fitting_files_heads_are_trained_and_stored(shipped: Shipped, tmp_path: Path) -> None:
    made = learned_heads(tmp_path, tmp_path / "var", LINES, shipped.tokenizer, shipped.routing.analyser, "x")
    assert (tmp_path / "var" / "routing" / "heads.packed").is_file()
    again = learned_heads(tmp_path, tmp_path / "var", LINES, shipped.tokenizer, shipped.routing.analyser, "x")
    assert np.allclose(made.left_out, again.left_out)


def test_a_start_trains_on_a_bounded_number_of_lines_of_every_kind() -> None:
    lines = [LabelledLine(str(i), "ab"[i % 2] if i < 900 else NO_TOOL) for i in range(1000)]
    chosen = chosen_lines(lines, 100)
    assert len(chosen) == 100
    assert {line.label for line in chosen} == {"a", "b", NO_TOOL}
    assert chosen_lines(lines, 1000) == lines


def test_a_left_out_score_is_lower_than_the_trained_one(shipped: Shipped, few: Learned) -> None:
    column = few.heads.labels.index("premium_estimate")
    trained = few.heads.scores(shipped.routing.analyser.analyse(LINES[0].text))[column]
    assert few.left_out[0][column] < trained


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    """A model of the architecture of multilingual-e5-large (XLM-RoBERTa), 32 numbers wide, weights at random."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import Unigram
    from tokenizers.pre_tokenizers import Metaspace
    from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

    folder = tmp_path_factory.mktemp("models") / "multilingual-e5-small"
    marks = ["<s>", "<pad>", "</s>", "<unk>"]
    letters = sorted(set("▁querypassage: 보험료얼마해지암치매청구서류계약고객"))
    tokenizer = Tokenizer(Unigram([(mark, 0.0) for mark in marks] + [(letter, -5.0) for letter in letters], unk_id=3))
    tokenizer.pre_tokenizer = Metaspace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>",
        cls_token="<s>", sep_token="</s>", model_max_length=64,
    ).save_pretrained(folder)  # fmt: skip
    torch.manual_seed(3)
    config = XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=96, pad_token_id=1,
    )  # fmt: skip
    XLMRobertaModel(config).save_pretrained(folder)
    return SentenceTransformerEmbedder.load(str(folder))


def test_another_model_brings_its_own_index_and_its_own_calibration(
    shipped: Shipped, small: Embedder, tmp_path: Path
) -> None:
    store = ChromaStore(tmp_path / "chroma")
    part = ToolSnapshot(1, shipped.snapshot.entries[:2])
    first = open_routing(DATA, tmp_path, part, shipped.embedder, shipped.tokenizer, store)
    second = open_routing(DATA, tmp_path, part, small, shipped.tokenizer, store)
    a, b = (opened.router.index(part).embedding for opened in (first, second))
    assert a is not None
    assert b is not None
    assert (a.matrix.shape[1], b.matrix.shape[1]) == (shipped.embedder.dimension, 32)
    assert second.calibration.model == small.name
    assert first.calibration.data_hash != second.calibration.data_hash
    assert len(store.collection(COLLECTION, small.fingerprint).load().ids) == len(b.table.lines)
    assert second.router.route("암보험 보험료", part).candidates
    again = open_routing(DATA, tmp_path, part, shipped.embedder, shipped.tokenizer, store).calibration
    assert again.data_hash == first.calibration.data_hash
    assert again.no_call.threshold == pytest.approx(first.calibration.no_call.threshold, abs=1e-3)


def test_the_heads_read_and_score_quickly(shipped: Shipped) -> None:
    heads = shipped.routing.router.index(shipped.snapshot).heads
    assert heads is not None
    analysis = shipped.routing.analyser.analyse("작년에 든 암보험 해지하면 얼마 돌려받아요")
    times = []
    for _ in range(20):
        began = time.perf_counter()
        heads.scores(analysis)
        times.append(time.perf_counter() - began)
    assert min(times) < 0.004
