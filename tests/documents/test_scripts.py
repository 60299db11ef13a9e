"""The scripts that build and measure, over a folder of a user's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts import eval_retrieval, init_vectordb

from .conftest import ARTICLES


@pytest.fixture
def own(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "state"))
    (folder / "자전거약관.txt").write_text(ARTICLES, encoding="utf-8")
    return folder


def test_init_vectordb_indexes_any_folder_and_prints_distributions_and_thresholds(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own / "빈.pdf").write_bytes(b"")
    assert init_vectordb.main(["--source", str(own), "--project", "bike"]) == 2  # one file was left out
    told = capsys.readouterr().out
    assert "자전거약관.txt" in told and "빈 파일" in told and "파일 2개, 문단 6개" in told
    assert "업무 밖 질문" in told and "95%" in told and "확신도 0.3" in told
    (own / "빈.pdf").unlink()
    assert init_vectordb.main(["--source", str(own), "--project", "bike", "--rebuild"]) == 0
    assert "읽음  자전거약관.txt" in capsys.readouterr().out


def test_eval_retrieval_prints_rates_with_intervals_by_mode(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert init_vectordb.main(["--source", str(own), "--project", "bike"]) == 0
    cases = tmp_path / "cases.jsonl"
    rows = [
        {"id": "1", "query": "도둑맞으면 보상하나요", "relevant": ["자전거약관#제2조"]},
        {"id": "2", "query": "제5조 보여줘", "relevant": ["자전거약관#제5조"]},
        {
            "id": "3",
            "query": "자기부담금이 나온 두 조항",
            "relevant": ["자전거약관#제2조", "자전거약관#제3조의2"],
            "all": True,
        },
        {"id": "4", "query": "김치찌개", "relevant": []},
    ]
    cases.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    capsys.readouterr()
    assert eval_retrieval.main(["--cases", str(cases), "--project", "bike", "--json"]) == 0
    modes = json.loads(capsys.readouterr().out)["modes"]
    assert set(modes) == {"keyword", "semantic", "graph", "hybrid"}
    for found in modes.values():
        assert {"recall@5", "mrr@10", "ndcg@10", "off_topic", "ms"} <= set(found)
        assert len(found["recall@5"]["ci95"]) == 2 and found["ms"]["p95"] > 0
    assert modes["keyword"]["recall@5"]["value"] == 1.0
