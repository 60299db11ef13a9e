"""The bundle: small, licensed, served compressed and kept for good; without it the page says which command makes it."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import httpx2
import pytest

from app.api import assets
from scripts import build_web
from tests.web.serving import Site
from tests.web.stage import WEB

DIST = WEB / "dist"
ROOT = WEB.parent


def manifest() -> dict[str, dict[str, list[str] | str]]:
    found: dict[str, dict[str, list[str] | str]] = json.loads((DIST / "manifest.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.requirement("web:bundle:small-and-licensed")
def test_the_chat_starts_with_less_than_100_kb_of_script() -> None:
    chat = manifest()["chat"]
    files = [chat["script"], *chat["chunks"]]
    assert sum(len(gzip.compress((DIST / str(name)).read_bytes())) for name in files) <= 100_000


@pytest.mark.requirement("web:bundle:small-and-licensed")
def test_every_bundled_package_brings_its_licence() -> None:
    told = (DIST / "LICENSES.txt").read_text(encoding="utf-8")
    packages = json.loads((WEB / "package.json").read_text(encoding="utf-8"))["dependencies"]
    for name, version in packages.items():
        assert re.search(rf"^{re.escape(name)} {re.escape(version)} \(.+\)$", told, flags=re.MULTILINE), name


@pytest.mark.requirement("web:bundle:small-and-licensed")
def test_the_lock_names_no_registry_and_every_package_by_hash() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    for name, package in lock["packages"].items():
        if name:
            assert package["integrity"].startswith("sha512-"), name
            assert package.get("resolved", "https://registry.npmjs.org/").startswith("https://registry.npmjs.org/"), (
                name
            )


def test_versions_are_exact_and_nothing_built_is_kept() -> None:
    package = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
    for version in {**package["dependencies"], **package["devDependencies"]}.values():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert {"node_modules/", "web/dist/"} <= set(ignored)


@pytest.mark.requirement("web:bundle:without-it")
def test_node_comes_from_the_machine_only_when_it_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version, taken in (("v16.1.0", False), ("v22.3.0", True)):
        for name in ("node", "npm"):
            (tmp_path / name).write_text(f"#!/bin/sh\necho {version}\n")
            (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
        assert (build_web.machine_node() is not None) is taken
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert build_web.machine_node() is None


async def test_scripts_and_fonts_are_compressed_and_kept_for_good(site: Site) -> None:
    async with httpx2.AsyncClient(base_url=site.url) as client:
        script = f"/assets/{manifest()['chat']['script']}"
        for encoding in ("br", "gzip"):
            sent = await client.get(script, headers={"Accept-Encoding": encoding})
            assert sent.headers["content-encoding"] == encoding and "immutable" in sent.headers["cache-control"]
            assert sent.headers["content-type"].startswith("text/javascript")
        plain = await client.get(script, headers={"Accept-Encoding": "br;q=0, identity"})
        assert "content-encoding" not in plain.headers
        font = next((DIST / "fonts").glob("*.woff2")).name
        assert (await client.get(f"/assets/fonts/{font}")).headers["content-type"] == "font/woff2"
        for path in (
            "nothing.js",
            "../package.json",
            "..%2f..%2frun.py",
            "manifest.json",
            "fonts/../manifest.json",
            ".hidden.js",
        ):
            assert (await client.get(f"/assets/{path}")).status_code == 404, path


@pytest.mark.requirement("web:bundle:without-it")
async def test_without_the_bundle_the_page_names_the_command(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(assets, "FOLDER", tmp_path)
    async with httpx2.AsyncClient(base_url=site.url) as client:
        page = await client.get("/")
        assert page.status_code == 503 and "make web" in page.text and "화면 파일이 아직 없습니다" in page.text
        assert (await client.get("/api/health/live")).status_code == 200


async def test_an_original_opens_in_the_browser(site: Site) -> None:
    async with httpx2.AsyncClient(base_url=site.url) as client:
        known = (await client.get("/api/documents")).json()["documents"][0]
        sent = await client.get(f"/api/documents/{known['documentId']}/original")
        assert sent.headers["content-type"] == "application/pdf" and sent.content.startswith(b"%PDF")
        assert sent.headers["content-disposition"].startswith("inline")
        assert (await client.get("/api/documents/nothing/original")).status_code == 404
