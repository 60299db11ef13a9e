"""A company from a folder of its own: made, checked, trained, served; and the one of examples/."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.api.app import create_app
from app.settings import ROOT, Settings
from scripts import check_content, new_company, routing_train

EXAMPLE = ROOT / "examples" / "hanbyeol"
TITLE = "한빛손해보험(가상)"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The skeleton of a new company, which CONTENT_DIR names."""
    assert new_company.main(["hanbit", "--title", TITLE, "--into", str(tmp_path)]) == 0
    monkeypatch.setenv("CONTENT_DIR", str(tmp_path / "hanbit"))
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "var"))
    return tmp_path / "hanbit"


@asynccontextmanager
async def serving(content: Path, state: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """A loopback caller of the application with this content folder."""
    app = create_app(Settings(_env_file=None, content_dir=content, data_dir=state, twin_process=False))
    async with app.router.lifespan_context(app) as given:

        async def stateful(scope: dict[str, Any], receive: Any, send: Any) -> None:
            scope["state"] = dict(given)  # httpx runs no lifespan
            await app(scope, receive, send)

        transport = httpx2.ASGITransport(app=stateful)  # type: ignore[arg-type]
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=60) as client:
            yield client


async def said(client: httpx2.AsyncClient, thread: str, query: str) -> dict[str, Any]:
    answer = await client.post("/api/chat", json={"query": query, "thread_id": thread})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.requirement("adopting:company:walk")
async def test_the_walk_of_adopting_makes_checks_trains_and_serves_a_company(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_content.main() == 0, capsys.readouterr().err
    assert TITLE in capsys.readouterr().out
    assert routing_train.main([]) == 0
    assert (made / "models" / "routing" / "heads.packed").is_file()
    assert routing_train.main(["--check"]) == 0
    async with serving(made, tmp_path / "var") as client:
        assert (await said(client, "price", "생활안심보험 얼마예요? 마흔둘이에요"))["answer"].find("7,400원") >= 0
        assert "12,700원" in (await said(client, "price", "든든 플랜은요?"))["answer"]
        assert "나이" in (await said(client, "asked", "생활안심보험 보험료가 궁금해요"))["answer"]
        assert "11,800원" in (await said(client, "asked", "예순셋이요"))["answer"]
        assert TITLE in (await said(client, "paper", "보험금은 며칠 안에 지급해요?"))["sources"][0]["title"]
        page = (await client.get("/")).text
        assert "한빛" in page or "\\ud55c\\ube5b" in page
        assert '"advice"' not in page  # a company without advice offers no proposals
        tools = [tool["name"] for tool in (await client.get("/api/tools")).json()["tools"]]
        assert "living_quote" in tools and "premium_estimate" not in tools


async def test_a_module_of_a_company_is_reloaded_while_it_serves(made: Path, tmp_path: Path) -> None:
    async with serving(made, tmp_path / "var") as client:
        table = made / "tables" / "living.csv"
        table.write_text(table.read_text(encoding="utf-8").replace("7400", "7900"), encoding="utf-8")
        answer = await client.post("/api/tools/reload-module/living")
        assert answer.status_code == 200, answer.text
        assert "7,900원" in (await said(client, "again", "생활안심보험 얼마예요? 마흔둘이에요"))["answer"]


@pytest.mark.requirement("adopting:company:check")
def test_every_fault_of_a_folder_is_told_with_file_and_line(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def edit(name: str, old: str, new: str) -> None:
        path = made / name
        text = path.read_text(encoding="utf-8")
        assert old in text, name
        path.write_text(text.replace(old, new), encoding="utf-8")

    edit("tables/living.csv", "60,80,19600", "육십,80,19600")
    edit("tools/living.yaml", "synonyms: {기본: [", "synonyms: {없는플랜: [")
    edit("knowledge/faq.yaml", "  answer:", "  answers:")
    edit("prompts/system.md", "{products}", "")
    edit("language/cues.yaml", "[]", "- {tool: no_such_tool, says: 견적}")
    edit("evaluation/consultations/first.jsonl", '"must": ["12,700"]', '"must": ["("]')
    assert check_content.main() == 1
    told = capsys.readouterr().err
    for place in (
        r"hanbit/tables/living\.csv:7: ", r"hanbit/knowledge/faq\.yaml:\d+: ", r"hanbit/prompts/system\.md:0: ",
        r"hanbit/language/cues\.yaml:\d+: no_such_tool", r"hanbit/evaluation/consultations/first\.jsonl:1: ",
    ):  # fmt: skip
        assert re.search(place, told), (place, told)
    edit("tables/living.csv", "육십,80,19600", "60,80,19600")
    assert check_content.main() == 1
    assert re.search(r"hanbit/tools/living\.yaml:1\d: .*없는플랜", capsys.readouterr().err)


def test_a_broken_company_file_and_a_module_that_is_none_are_told(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = made / "company.yaml"
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace("[rag_tools]", "[rag_toolz]"), encoding="utf-8")
    assert check_content.main() == 1
    assert "rag_toolz" in capsys.readouterr().err
    path.write_text(whole.replace("name:", "nam:"), encoding="utf-8")
    assert check_content.main() == 1
    assert re.search(r"hanbit/company\.yaml:\d+: ", capsys.readouterr().err)


def test_a_company_is_not_made_over_another_and_keeps_its_state_apart(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert new_company.main(["hanbit", "--into", str(made.parent)]) == 1
    assert new_company.main(["한빛", "--into", str(made.parent)]) == 2
    monkeypatch.delenv("DATA_DIR")
    assert Settings(_env_file=None).data_dir == ROOT / "var" / "hanbit"
    monkeypatch.delenv("CONTENT_DIR")
    assert Settings(_env_file=None).data_dir == ROOT / "var"


@pytest.mark.requirement("adopting:company:example")
async def test_the_second_company_is_served_and_the_engine_does_not_know_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CONTENT_DIR", str(EXAMPLE))
    assert check_content.main() == 0, capsys.readouterr().err
    names = set(
        re.findall(r"^- name: (\w+)", "".join(p.read_text("utf-8") for p in EXAMPLE.glob("tools/*.yaml")), re.M)
    )
    engine = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "app").rglob("*.py"))
    assert len(names) >= 12 and not [name for name in names | {"hanbyeol", "한별"} if re.search(rf"\b{name}\b", engine)]
    async with serving(EXAMPLE, tmp_path / "var") as client:
        pet = await said(client, "pet", "코기 4살 펫보험 한 달에 얼마예요?")
        assert "중형" in pet["answer"] and "36,250원" in pet["answer"]
        assert "카드" in (await said(client, "pet", "카드로 낼 수 있어요?"))["answer"]
        delayed = await said(client, "trip", "비행기가 열 시간 늦었어요, 보상되나요?")
        assert "100,000원" in delayed["answer"]
        assert "항공권" in (await said(client, "trip", "청구할 때 서류는 뭐 내요?"))["answer"]
        assert "자동차보험" in (await said(client, "own", "HB1001 계약 확인해줘"))["answer"]
        assert "144,730원" in (await said(client, "own", "2026년 12월 1일에 해지하면 얼마 돌려줘요?"))["answer"]
        assert "5회" in (await said(client, "road", "배터리가 방전됐어요"))["answer"]
        fields = await said(client, "paid", "동물병원에 30만원 냈어요, 통원이에요. 얼마 돌려받아요?")
        assert "150,000원" in fields["answer"]
        assert (await said(client, "paid", "한도가 얼만데요"))["answer"].strip().startswith("• 한 번의 한도: 150,000원")
        assert "20회" in (await said(client, "paid", "1년에 몇 번까지 돼요?"))["answer"]
        # A field of a result may be called as one of a shipped tool is, and be something else.
        assert "가재도구" in (await said(client, "rent", "월세집보험이 뭐예요?"))["answer"]
