"""Uploading and deleting documents, over the real library and a bare application."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import pymupdf
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.access import LOCAL_ADMIN, Principal
from app.api import documents, problems
from app.api.principals import caller, gatekeeper
from app.api.state import services
from app.api.uploads import safe_name
from app.documents.library import DocumentLibrary
from app.editing.changes import Changes
from app.errors import BadRequest
from app.insurance.catalogue import Catalogue
from app.services import Knowledge
from app.settings import Settings

from .conftest import ARTICLES, write_pdf
from .faulty import stream_bomb

LIMIT = 200_000
OTHER = ARTICLES.replace("자전거", "우산")


class Caller:
    """Who asks now."""

    principal: Principal = LOCAL_ADMIN


class Audit:
    """Keeps what would be written."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, str, str, str]] = []
        self.details: list[dict[str, object]] = []

    async def record(
        self,
        actor: str,
        action: str,
        target: str = "",
        *,
        result: str = "ok",
        details: dict[str, object] | None = None,
        request_id: str = "",
    ) -> None:
        self.entries.append((actor, action, target, result))
        self.details.append(details or {})
        assert request_id


@pytest.fixture
def who() -> Caller:
    return Caller()


@pytest.fixture
def audit() -> Audit:
    return Audit()


@pytest.fixture
def client(
    make_library: Callable[[], DocumentLibrary], tmp_path: Path, who: Caller, audit: Audit, catalogue: Catalogue
) -> Iterator[TestClient]:
    library = make_library()
    settings = Settings(data_dir=tmp_path / "state", max_upload_bytes=LIMIT)
    app = FastAPI()
    problems.install(app)

    @app.middleware("http")
    async def request_id(request, call_next):  # type: ignore[no-untyped-def]
        request.state.request_id = "test"
        return await call_next(request)

    app.include_router(documents.router)
    app.dependency_overrides[services] = lambda: SimpleNamespace(
        settings=settings,
        knowledge=Knowledge(catalogue, library.search()),
        tools=SimpleNamespace(changes=Changes()),
        storage=SimpleNamespace(audit=audit),
    )
    app.dependency_overrides[caller] = lambda: who.principal
    app.dependency_overrides[gatekeeper] = lambda: SimpleNamespace(audit=audit)
    with TestClient(app) as opened:
        yield opened


def send(client: TestClient, name: str, content: bytes, project: str = "own"):  # type: ignore[no-untyped-def]
    return client.post("/api/documents", files={"file": (name, content)}, data={"projectId": project})


def found(client: TestClient, query: str) -> list[str]:
    body = {"query": query, "projectId": "own", "mode": "keyword"}
    return [hit["documentId"] for hit in client.post("/api/documents/search", json=body).json()["results"]]


def test_an_uploaded_document_is_found_shown_replaced_and_deleted(client: TestClient, tmp_path: Path) -> None:
    answer = send(client, "자전거약관.txt", ARTICLES.encode())
    assert answer.status_code == 201, answer.text
    assert answer.json()["documentId"] == "자전거약관" and answer.json()["chunks"] == 6
    assert found(client, "자기부담금")[0] == "자전거약관"
    assert client.get(f"/api/documents/{quote('자전거약관')}/pages/1.png?projectId=own").status_code == 200
    assert send(client, "자전거약관.txt", ARTICLES.replace("도둑맞은", "침수된").encode()).status_code == 201
    assert found(client, "침수") == ["자전거약관"] and found(client, "도둑") == []
    assert client.get("/api/documents?projectId=own").json()["count"] == 1
    assert client.delete(f"/api/documents/{quote('자전거약관')}?projectId=own").status_code == 200
    assert client.get("/api/documents?projectId=own").json()["count"] == 0
    assert found(client, "자기부담금") == []
    assert list((tmp_path / "state" / "projects" / "own").iterdir()) == []
    assert list((tmp_path / "state" / "uploads").iterdir()) == []


def test_the_content_tells_the_kind_and_not_the_ending(client: TestClient, tmp_path: Path) -> None:
    write_pdf(tmp_path / "real.pdf", [["우산 보험 약관", "제1조(목적) 우산을 지킵니다."]])
    answer = send(client, "우산.txt", (tmp_path / "real.pdf").read_bytes())
    assert answer.status_code == 201 and answer.json()["path"] == "우산.pdf"
    assert send(client, "글.pdf", ARTICLES.encode()).json()["path"] == "글.txt"
    assert send(client, "글2.md", f"# 안내\n{OTHER}".encode()).json()["path"] == "글2.md"


def zipped() -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("big.txt", b"0" * 10_000_000)
    return out.getvalue()


def encrypted(tmp_path: Path) -> bytes:
    write_pdf(tmp_path / "locked.pdf", [["비밀"]], encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y")
    return (tmp_path / "locked.pdf").read_bytes()


@pytest.mark.parametrize(
    ("name", "make", "status", "told"),
    [
        ("빈.pdf", lambda _: b"", 400, "빈 파일"),
        ("묶음.pdf", lambda _: zipped(), 400, "압축 파일"),
        ("그림.pdf", lambda _: b"\x89PNG\r\n\x1a\n" + b"0" * 50, 400, "그림 파일"),
        ("자물쇠.pdf", encrypted, 400, "암호"),
        ("깨짐.pdf", lambda _: b"%PDF-1.7\n" + bytes(range(256)) * 40, 400, "PDF"),
        ("이진.txt", lambda _: b"abc\x00\x01\x02" * 200, 400, "이진"),
        ("폭탄.pdf", lambda path: stream_bomb(path / "bomb.pdf"), 400, "압축을 풀면"),
        ("한줄.txt", lambda _: ("보험금을 지급합니다 " * 2_000).encode(), 400, "한 줄이 너무 깁니다"),
        ("큰.txt", lambda _: b"\xea\xb0\x80" * LIMIT, 413, "너무 큽니다"),
        ("...", lambda _: ARTICLES.encode(), 400, "이름"),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_in_is_refused_and_leaves_nothing(
    client: TestClient, tmp_path: Path, name: str, make: Callable[[Path], bytes], status: int, told: str
) -> None:
    answer = send(client, name, make(tmp_path))
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert told in answer.json()["detail"]
    assert not any((tmp_path / "state" / "uploads").glob("*"))
    assert not any((tmp_path / "state" / "projects").glob("*/*"))


def test_a_refused_upload_leaves_the_document_that_was_there(client: TestClient, tmp_path: Path) -> None:
    assert send(client, "자전거약관.txt", ARTICLES.encode()).status_code == 201
    bad = "\n".join(f"제{number}조(조문) {number}원" for number in range(1, 300)) + "\n" + "가" * 10_001
    assert send(client, "자전거약관.txt", bad.encode()).status_code == 400
    assert found(client, "자기부담금")[0] == "자전거약관"
    kept = tmp_path / "state" / "projects" / "own" / "자전거약관.txt"
    assert kept.read_text(encoding="utf-8") == ARTICLES


def test_the_same_content_or_another_documents_name_is_a_conflict(client: TestClient) -> None:
    assert send(client, "하나.txt", ARTICLES.encode()).status_code == 201
    twin = send(client, "둘.txt", ARTICLES.encode())
    assert twin.status_code == 409 and "같은 내용" in twin.json()["detail"]
    named = send(client, "하나.md", f"# 다른 글\n{OTHER}".encode())
    assert named.status_code == 409 and "이름" in named.json()["detail"]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\Users\\me\\약관.txt", "약관.txt"),
        ("/tmp/.hidden.txt", "hidden.txt"),
        ("가\u0000나\n다.txt", "가나다.txt"),
        ("약관" * 100 + ".txt", "약관" * 40 + ".txt"),
    ],
)
def test_a_name_cannot_lead_out_of_the_folder(sent: str, kept: str) -> None:
    assert safe_name(sent, ".txt") == kept


@pytest.mark.parametrize("sent", ["..", "/", "...pdf", ""])
def test_a_name_of_nothing_is_refused(sent: str) -> None:
    with pytest.raises(BadRequest):
        safe_name(sent, ".txt")


def test_forms_without_a_file_and_wrong_projects_are_refused(client: TestClient) -> None:
    assert client.post("/api/documents", json={"file": "x"}).status_code == 400
    assert client.post("/api/documents", data={"projectId": "own"}, files={"other": ("a.txt", b"x")}).status_code == 400
    assert send(client, "a.txt", ARTICLES.encode(), project="../up").status_code == 400


def test_uploading_takes_an_operator_and_deleting_an_admin(client: TestClient, who: Caller) -> None:
    who.principal = Principal(id="key:s", role="staff")
    assert send(client, "a.txt", ARTICLES.encode()).status_code == 403
    who.principal = Principal(id="key:o", role="operator")
    assert send(client, "a.txt", ARTICLES.encode()).status_code == 201
    assert client.delete("/api/documents/a?projectId=own").status_code == 403


def test_only_uploaded_documents_can_be_deleted(
    client: TestClient, make_library: Callable[[], DocumentLibrary], folder: Path
) -> None:
    (folder / "원본.txt").write_text(ARTICLES, encoding="utf-8")
    make_library().refresh([folder], "own", remember=True)
    assert send(client, "올림.txt", OTHER.encode()).status_code == 201
    assert client.get("/api/documents?projectId=own").json()["count"] == 2  # the folder is remembered
    assert client.delete(f"/api/documents/{quote('원본')}?projectId=own").status_code == 409
    assert client.delete("/api/documents/none?projectId=own").status_code == 404


def test_staff_see_which_files_were_left_out(
    client: TestClient, make_library: Callable[[], DocumentLibrary], folder: Path, who: Caller
) -> None:
    (folder / "원본.txt").write_text(ARTICLES, encoding="utf-8")
    (folder / "빈.pdf").write_bytes(b"")
    make_library().refresh([folder], "own", remember=True)
    left_out = client.get("/api/documents?projectId=own").json()["leftOut"]
    assert [item["path"] for item in left_out] == ["빈.pdf"] and "빈 파일" in left_out[0]["reason"]
    who.principal = Principal(id="visitor:v", role="customer")
    assert "leftOut" not in client.get("/api/documents?projectId=own").json()


def test_who_uploaded_or_deleted_what_stands_in_the_audit_log(client: TestClient, who: Caller, audit: Audit) -> None:
    who.principal = Principal(id="key:admin", role="admin")
    assert send(client, "자전거약관.txt", ARTICLES.encode()).status_code == 201
    assert send(client, "둘.txt", ARTICLES.encode()).status_code == 409
    assert send(client, "이진.txt", b"abc\x00\x01\x02" * 200).status_code == 400
    assert client.delete(f"/api/documents/{quote('자전거약관')}?projectId=own").status_code == 200
    assert audit.entries == [
        ("key:admin", "document.add", "자전거약관.txt", "ok"),
        ("key:admin", "document.add", "둘.txt", "failed"),
        ("key:admin", "document.add", "이진.txt", "failed"),
        ("key:admin", "document.remove", "자전거약관.txt", "ok"),
    ]
    added = audit.details[0]
    assert added["project"] == "own" and added["chunks"] == 6 and len(str(added["sha256"])) == 64
    assert "같은 내용" in str(audit.details[1]["reason"])
