"""The embedders: what is bundled, and what EMBEDDING_MODEL may name."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from app.adapters.embeddings import BUNDLED_FOLDER, SentenceTransformerEmbedder, build_embedder, is_e5
from app.adapters.static_embedder import FILE, StaticEmbedder
from app.errors import IndexBuildError
from app.packed import Int8Rows, Part, open_packed, write_packed
from app.settings import ROOT, Settings
from scripts.training.model_folder import write_library_folder

TEXTS = (
    "마흔다섯 살 남자인데 암보험은 한 달에 얼마인가요?",
    "보험료를 제때 못 내서 계약이 실효됐어요. 되살릴 수 있을까요?",
    "계약자가 제2회 이후의 보험료를 납입기일까지 납입하지 아니한 때에는 14일 이상의 기간을 납입최고기간으로 합니다.",
    "OK ㅎㅎ",
    "12,500원",
)


@pytest.fixture(scope="module")
def bundled() -> StaticEmbedder:
    return StaticEmbedder.load(BUNDLED_FOLDER)


def settings(model: str) -> Settings:
    return Settings(_env_file=None, embedding_model=model)


def test_the_default_model_loads_without_torch_and_without_network() -> None:
    program = (
        "import sys\n"
        "from app.adapters.embeddings import build_embedder\n"
        "from app.settings import Settings\n"
        "embedder = build_embedder(Settings(_env_file=None, embedding_model='bundled'))\n"
        "assert embedder.encode_query('보험료가 얼마인가요').shape == (embedder.dimension,)\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'kiwipiepy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    # a proxy that answers nothing: any download would fail
    dead = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
    env = {**os.environ, **dead}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_bundled_model_is_small_enough_for_the_repository() -> None:
    size = sum(file.stat().st_size for file in BUNDLED_FOLDER.rglob("*") if file.is_file())
    assert size < 6_000_000


def test_vectors_are_float32_of_length_one_and_alike_by_both_ways(bundled: StaticEmbedder) -> None:
    rows = bundled.encode_passages(TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape == (len(TEXTS), bundled.dimension)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    for text, row in zip(TEXTS, rows, strict=True):
        query = bundled.encode_query(text)
        assert query.dtype == np.float32
        np.testing.assert_allclose(query, row, atol=1e-5)


def test_an_empty_text_is_like_nothing(bundled: StaticEmbedder) -> None:
    assert not bundled.encode_query("").any()
    assert not bundled.encode_query(" … !? ").any()
    assert bundled.encode_passages([]).shape == (0, bundled.dimension)
    rows = bundled.encode_passages(["", "암 진단비"])
    assert not rows[0].any()
    assert np.linalg.norm(rows[1]) == pytest.approx(1, abs=1e-5)


def test_a_question_takes_less_than_half_a_millisecond(bundled: StaticEmbedder) -> None:
    times = []
    for _ in range(300):
        began = time.perf_counter()
        bundled.encode_query(TEXTS[0])
        times.append(time.perf_counter() - began)
    assert statistics.median(times) < 0.0005


def test_a_paraphrase_is_nearer_than_another_matter(bundled: StaticEmbedder) -> None:
    question = bundled.encode_query("다달이 나가는 돈이 얼마나 될까요")
    same, other = bundled.encode_passages(["매달 보험료가 얼마인지 알려주세요", "치매 진단을 받으면 무엇을 보장하나요"])
    assert question @ same > question @ other + 0.1


def test_spacing_hardly_changes_the_vector(bundled: StaticEmbedder) -> None:
    spaced, joined = bundled.encode_passages(["암보험 보험료 얼마예요", "암보험보험료얼마예요"])
    assert spaced @ joined > 0.9


def test_threads_may_share_the_bundled_model(bundled: StaticEmbedder) -> None:
    expected = bundled.encode_passages(TEXTS)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(bundled.encode_query, TEXTS * 50))
    for index, vector in enumerate(found):
        np.testing.assert_allclose(vector, expected[index % len(TEXTS)], atol=1e-5)


def test_sentence_transformers_reads_what_is_written_for_it_to_the_same_vectors(
    bundled: StaticEmbedder, tmp_path: Path
) -> None:
    write_library_folder(BUNDLED_FOLDER, tmp_path)
    by_library = SentenceTransformerEmbedder.load(str(tmp_path))
    assert by_library.dimension == bundled.dimension
    both = (by_library.encode_passages(TEXTS) * bundled.encode_passages(TEXTS)).sum(axis=1)
    assert both.min() > 0.999


def test_other_weights_give_another_fingerprint(bundled: StaticEmbedder, tmp_path: Path) -> None:
    folder = tmp_path / BUNDLED_FOLDER.name
    shutil.copytree(BUNDLED_FOLDER, folder)
    assert StaticEmbedder.load(folder).fingerprint == bundled.fingerprint
    rows = bundled_parts()[0].whole()
    rows[100, 0] += 1
    write_packed(folder / FILE, {"vectors": Int8Rows.of(rows), "tokenizer": bundled_parts()[1]})
    assert StaticEmbedder.load(folder).fingerprint != bundled.fingerprint


def test_a_saved_model_is_the_same_one(bundled: StaticEmbedder, tmp_path: Path) -> None:
    bundled.save(tmp_path / BUNDLED_FOLDER.name)
    again = StaticEmbedder.load(tmp_path / BUNDLED_FOLDER.name)
    np.testing.assert_array_equal(again.encode_passages(TEXTS), bundled.encode_passages(TEXTS))


def bundled_parts() -> tuple[Int8Rows, str]:
    """Vectors and tokenizer of the shipped file."""
    with open_packed(BUNDLED_FOLDER / FILE) as stored:
        return stored.rows("vectors"), stored.text("tokenizer")


@pytest.mark.parametrize("damage", ["missing", "garbage", "tokenizer", "few vectors"])
def test_a_broken_bundled_model_is_told_with_the_way_out(tmp_path: Path, damage: str) -> None:
    vectors, tokenizer = bundled_parts()
    parts: dict[str, Part] = {"vectors": vectors, "tokenizer": tokenizer}
    if damage == "garbage":
        (tmp_path / FILE).write_bytes(b"not a model")
    elif damage == "tokenizer":
        write_packed(tmp_path / FILE, parts | {"tokenizer": "not a tokenizer"})
    elif damage == "few vectors":
        write_packed(tmp_path / FILE, parts | {"vectors": Int8Rows(vectors.steps[:9], vectors.scales[:9])})
    with pytest.raises(IndexBuildError, match=tmp_path.name if damage == "few vectors" else FILE) as told:
        StaticEmbedder.load(tmp_path)
    assert "EMBEDDING_MODEL" in str(told.value)


# --- a model of the user's own -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny_e5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An e5-shaped model (XLM-RoBERTa, random weights) saved as transformers saves one."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import Unigram
    from tokenizers.pre_tokenizers import Metaspace
    from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

    folder = tmp_path_factory.mktemp("models") / "multilingual-e5-tiny"
    marks = ["<s>", "<pad>", "</s>", "<unk>"]
    letters = sorted(set("▁querypassage: 0123456789,.?" + "".join(TEXTS)))
    tokenizer = Tokenizer(Unigram([(mark, 0.0) for mark in marks] + [(letter, -5.0) for letter in letters], unk_id=3))
    tokenizer.pre_tokenizer = Metaspace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        cls_token="<s>",
        sep_token="</s>",
        model_max_length=128,
    ).save_pretrained(folder)
    torch.manual_seed(3)
    config = XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=160,
        pad_token_id=1,
    )
    XLMRobertaModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def e5(tiny_e5: Path) -> SentenceTransformerEmbedder:
    embedder = build_embedder(settings(str(tiny_e5)))
    assert isinstance(embedder, SentenceTransformerEmbedder)
    return embedder


def test_an_e5_folder_works_by_its_path_and_brings_its_own_dimension(e5: SentenceTransformerEmbedder) -> None:
    assert e5.dimension == 48
    rows = e5.encode_passages(TEXTS)
    assert rows.shape == (len(TEXTS), 48)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert e5.encode_query(TEXTS[0]).shape == (48,)
    assert e5.encode_passages([]).shape == (0, 48)


def test_e5_gets_the_prefixes_it_was_trained_with(e5: SentenceTransformerEmbedder, tiny_e5: Path) -> None:
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(str(tiny_e5), device="cpu")
    text = TEXTS[0]
    query, passage = plain.encode([f"query: {text}", f"passage: {text}"], normalize_embeddings=True)
    np.testing.assert_allclose(e5.encode_query(text), query, atol=1e-5)
    np.testing.assert_allclose(e5.encode_passages([text])[0], passage, atol=1e-5)
    assert e5.encode_query(text) @ e5.encode_passages([text])[0] < 0.99999


def test_a_models_own_prompts_are_used_and_no_other_model_is_prefixed(tiny_e5: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(str(tiny_e5), device="cpu")
    without = tmp_path / "plain-model"
    plain.save(str(without), create_model_card=False)
    plain.prompts = {"query": "질문: ", "document": "문서: "}
    own = tmp_path / "own-prompts"
    plain.save(str(own), create_model_card=False)
    text = TEXTS[1]
    bare, query, passage = plain.encode([text, f"질문: {text}", f"문서: {text}"], normalize_embeddings=True)
    embedder = SentenceTransformerEmbedder.load(str(without))
    np.testing.assert_allclose(embedder.encode_query(text), bare, atol=1e-5)
    embedder = SentenceTransformerEmbedder.load(str(own))
    np.testing.assert_allclose(embedder.encode_query(text), query, atol=1e-5)
    np.testing.assert_allclose(embedder.encode_passages([text])[0], passage, atol=1e-5)


def test_the_fingerprint_of_a_users_model_follows_name_and_weights(
    e5: SentenceTransformerEmbedder, tiny_e5: Path, tmp_path: Path
) -> None:
    again = SentenceTransformerEmbedder.load(str(tiny_e5))
    assert again.fingerprint == e5.fingerprint
    other = tmp_path / tiny_e5.name
    shutil.copytree(tiny_e5, other)
    path = other / "model.safetensors"
    moved = {key: rows + np.float32(0.01) for key, rows in load_file(path).items()}
    save_file(moved, path, {"format": "pt"})
    assert SentenceTransformerEmbedder.load(str(other)).fingerprint != e5.fingerprint


def test_threads_may_share_a_users_model(e5: SentenceTransformerEmbedder) -> None:
    expected = [e5.encode_query(text) for text in TEXTS]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(e5.encode_query, TEXTS * 4))
    for index, vector in enumerate(found):
        np.testing.assert_allclose(vector, expected[index % len(TEXTS)], atol=1e-5)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("intfloat/multilingual-e5-small", True),
        ("/models/E5_base", True),
        ("/cache/hub/models--intfloat--multilingual-e5-small/snapshots/0a1b", True),
        ("/home/e5/models/bge", False),
        ("BAAI/bge-m3", False),
        ("some/abe50-model", False),
        ("bundled", False),
    ],
)
def test_the_e5_family_is_known_by_name(name: str, expected: bool) -> None:
    assert is_e5(name) is expected


def test_the_e5_family_is_known_by_a_folders_config_or_card(tmp_path: Path) -> None:
    by_config, by_card, neither = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    for folder in (by_config, by_card, neither):
        folder.mkdir()
    (by_config / "config.json").write_text('{"_name_or_path": "intfloat/multilingual-e5-base"}', encoding="utf-8")
    (by_card / "README.md").write_text('Start texts with "query: " or "passage: ".', encoding="utf-8")
    (neither / "README.md").write_text("A model.", encoding="utf-8")
    assert [is_e5(str(folder)) for folder in (by_config, by_card, neither)] == [True, True, False]


def test_a_missing_folder_is_told_at_once_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(IndexBuildError, match="없습니다") as told:
        build_embedder(settings(str(tmp_path / "nowhere")))
    assert "EMBEDDING_MODEL=bundled" in str(told.value)


def test_a_folder_that_holds_no_model_is_told_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(IndexBuildError, match="불러올 수 없습니다") as told:
        build_embedder(settings(str(tmp_path)))
    assert "EMBEDDING_MODEL=bundled" in str(told.value)


def test_a_hub_name_that_is_not_here_fails_offline_with_the_way_out(tmp_path: Path) -> None:
    program = (
        "from app.adapters.embeddings import build_embedder\n"
        "from app.errors import IndexBuildError\n"
        "from app.settings import Settings\n"
        "try:\n"
        "    build_embedder(Settings(_env_file=None, embedding_model='someone/some-model'))\n"
        "except IndexBuildError as error:\n"
        "    print(error)\n"
    )
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "someone/some-model" in done.stdout
    assert "EMBEDDING_MODEL=bundled" in done.stdout
