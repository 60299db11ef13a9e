"""What is installed is locked by hash and can be listed; the container runs as nobody special."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.lock_dependencies import entries
from scripts.sbom import bill_of_materials, locked_hashes, main

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
LOCKS = {
    "requirements.lock": PROJECT["dependencies"],
    "requirements-dev.lock": PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"],
}


def versions(text: str) -> dict[str, str]:
    """Name and version of every pinned line."""
    found = re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", text, flags=re.MULTILINE)
    return {canonicalize_name(name): version for name, version in found}


@pytest.mark.requirement("supply:lock:hashes")
@pytest.mark.parametrize("name", LOCKS)
def test_every_dependency_but_torch_is_locked_with_hashes(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    pinned, hashes = versions(text), locked_hashes(text)
    assert set(pinned) == set(hashes) and all(hashes.values())
    assert not any(part.startswith(("nvidia-", "cuda-", "triton", "torch")) for part in pinned)
    for line in LOCKS[name]:
        requirement = Requirement(line)
        if requirement.name != "torch":
            assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)]), line


@pytest.mark.requirement("supply:lock:hashes")
def test_lock_and_constraints_name_the_same_versions() -> None:
    allowed = versions((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    for name in LOCKS:
        locked = versions((ROOT / name).read_text(encoding="utf-8"))
        assert {part: locked[part] for part in locked if part in allowed} == {
            part: allowed[part] for part in locked if part in allowed
        }


def test_the_gpu_packages_of_torch_are_taken_out_with_their_hashes() -> None:
    text = "a==1 \\\n    --hash=sha256:x\nnvidia-nccl==2 \\\n    --hash=sha256:y\nb==3 \\\n    --hash=sha256:z\n"
    assert "".join(entries(text)) == "a==1 \\\n    --hash=sha256:x\nb==3 \\\n    --hash=sha256:z\n"


@pytest.mark.requirement("supply:sbom:by-a-script")
def test_the_bill_of_materials_lists_what_is_installed(tmp_path: Path) -> None:
    target = tmp_path / "sbom.json"
    assert main([str(target)]) == 0
    document = json.loads(target.read_text(encoding="utf-8"))
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    names = {component["name"] for component in document["components"]}
    assert {"fastapi", "langgraph", "chromadb", "sqlalchemy", "torch", "pyjwt", "cryptography"} <= names
    assert not {"pytest", "ruff", "schemathesis"} & names
    refs = {component["bom-ref"] for component in document["components"]}
    assert all(set(edge["dependsOn"]) <= refs for edge in document["dependencies"])
    by_name = {component["name"]: component for component in document["components"]}
    assert by_name["fastapi"]["purl"].startswith("pkg:pypi/fastapi@") and by_name["fastapi"]["licenses"]
    assert by_name["fastapi"]["hashes"] and "hashes" not in by_name["torch"]
    assert bill_of_materials() == document


@pytest.mark.requirement("run:container:non-root-on-7860")
def test_the_container_runs_as_a_user_who_can_write_nothing_but_its_state() -> None:
    assert re.search(r"^USER assistant$", DOCKERFILE, flags=re.MULTILINE)
    assert DOCKERFILE.rindex("USER assistant") < DOCKERFILE.index('CMD ["python", "run.py"]')
    assert "COPY --chown" not in DOCKERFILE and "chown assistant /srv/var" in DOCKERFILE
    assert "PORT=7860" in DOCKERFILE and "EXPOSE 7860" in DOCKERFILE and "HEALTHCHECK" in DOCKERFILE
    assert "--require-hashes" in DOCKERFILE
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {".git", ".env", "var", "tests"} <= set(ignored)


def test_make_installs_by_hash() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert makefile.count("--require-hashes -r requirements") == 2
