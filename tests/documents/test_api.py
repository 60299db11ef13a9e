"""The document endpoints, over the real search and a bare application."""

from __future__ import annotations

from types import SimpleNamespace
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.access import LOCAL_ADMIN
from app.api import documents, problems
from app.api.principals import caller
from app.api.state import services
from app.documents.search import DocumentSearch
from app.editing.changes import Changes
from app.insurance.catalogue import Catalogue
from app.services import Knowledge


@pytest.fixture(scope="module")
def client(search: DocumentSearch, catalogue: Catalogue) -> TestClient:
    app = FastAPI()
    problems.install(app)
    app.include_router(documents.router)
    app.dependency_overrides[services] = lambda: SimpleNamespace(
        knowledge=Knowledge(catalogue, search), tools=SimpleNamespace(changes=Changes())
    )
    app.dependency_overrides[caller] = lambda: LOCAL_ADMIN
    return TestClient(app)


def test_a_search_answers_in_the_contracts_shape(client: TestClient) -> None:
    answer = client.post("/api/documents/search", json={"query": "치매간병보험 제15조"}).json()
    first = answer["results"][0]
    assert {"documentId", "chunkId", "path", "title", "headingPath", "page", "score", "snippet"} <= set(first)
    assert first["documentId"] == "치매간병보험_약관"
    metadata = answer["metadata"]
    assert metadata["mode"] == "semantic" and metadata["similarityThreshold"] == 0.3
    assert (metadata["fusionStrategy"], metadata["rrfK"], metadata["vectorWeight"]) == (None, None, None)
    assert metadata["totalResults"] == len(answer["results"]) <= 10
    picture = client.get(first["pageImage"])
    assert picture.status_code == 200 and picture.headers["content-type"] == "image/png"


@pytest.mark.parametrize("field", ["topK", "similarityThreshold", "rrfK", "vectorWeight", "mode", "fusionStrategy"])
def test_a_value_out_of_range_is_422_and_names_the_field(client: TestClient, field: str) -> None:
    answer = client.post("/api/documents/search", json={"query": "암", field: -1})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


def test_the_documents_are_listed(client: TestClient) -> None:
    answer = client.get("/api/documents").json()
    assert answer["count"] == 21
    one = next(item for item in answer["documents"] if item["documentId"] == "B00115023_6_S")
    assert one["productCode"] == "B00115023" and one["version"] == "6" and one["pages"] >= 5
    assert "file" not in one


def test_what_does_not_exist_is_404(client: TestClient) -> None:
    assert client.get("/api/documents/none/pages/1.png").status_code == 404
    assert client.get(f"/api/documents/{quote('암보험_약관')}/pages/900.png").status_code == 404
    assert client.post("/api/documents/search", json={"query": "암", "projectId": "none"}).status_code == 404
