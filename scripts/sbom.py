"""Writes a software bill of materials (CycloneDX 1.6, JSON) of what is installed.

    python -m scripts.sbom                 to standard output
    python -m scripts.sbom sbom.json       to a file

Listed are this project's dependencies and theirs, from the metadata of the running environment, with the hashes that
requirements.lock allows. Nothing is looked up on a network.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import uuid
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
_LICENCE_CLASS = "License :: OSI Approved :: "


def main(arguments: list[str] | None = None) -> int:
    """0 when the list was written, 1 when a dependency is not installed."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        document = bill_of_materials()
    except PackageNotFoundError as missing:
        print(f"{missing.name} 패키지가 설치되어 있지 않습니다. 'make setup'을 먼저 실행해 주세요.", file=sys.stderr)
        return 1
    text = json.dumps(document, ensure_ascii=False, indent=1)
    if given:
        Path(given[0]).write_text(text + "\n", encoding="utf-8")
        print(f"{given[0]}: 구성 요소 {len(document['components'])}개")
    else:
        print(text)
    return 0


def bill_of_materials() -> dict[str, Any]:
    """The document. Raises PackageNotFoundError when a dependency is not installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    parts, edges = _closure(project["dependencies"])
    root = _identity(project["name"], project["version"])
    hashes = locked_hashes((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    components = [_component(parts[name], hashes.get(name, ())) for name in sorted(parts)]
    named = "\n".join(f"{c['name']}=={c['version']}" for c in components)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        # the same parts give the same number
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, named)}",
        "version": 1,
        "metadata": {"component": {"type": "application", **root}},
        "components": components,
        "dependencies": [
            {"ref": ref, "dependsOn": sorted(_of(parts[needed])["bom-ref"] for needed in edges[name])}
            for name, ref in [("", root["bom-ref"]), *((name, _of(parts[name])["bom-ref"]) for name in sorted(parts))]
        ],
    }


def locked_hashes(text: str) -> dict[str, tuple[str, ...]]:
    """The SHA-256 digests that the lock allows, by canonical name."""
    found: dict[str, tuple[str, ...]] = {}
    name = ""
    for line in text.splitlines():
        if match := re.match(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==", line):
            name = canonicalize_name(match[1])
            found[name] = ()
        if name and (digest := re.search(r"--hash=sha256:([0-9a-f]{64})", line)):
            found[name] = (*found[name], digest[1])
    return found


def _closure(lines: list[str]) -> tuple[dict[str, Distribution], dict[str, set[str]]]:
    """Everything installed that the requirements need, and who needs what; the project itself is ""."""
    parts: dict[str, Distribution] = {}
    edges: dict[str, set[str]] = {"": set()}
    waiting: list[tuple[str, frozenset[str], list[str], bool]] = [("", frozenset(), lines, True)]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras, required, must = waiting.pop()
        for requirement in map(Requirement, required):
            environments = [{"extra": extra} for extra in ("", *extras)]
            if requirement.marker and not any(requirement.marker.evaluate(e) for e in environments):
                continue
            other, wanted = canonicalize_name(requirement.name), frozenset(requirement.extras)
            try:
                parts.setdefault(other, distribution(other))
            except PackageNotFoundError:
                if must:
                    raise
                continue  # a part that only another build of the package takes
            edges[name].add(other)
            edges.setdefault(other, set())
            if (other, wanted) not in seen:
                seen.add((other, wanted))
                waiting.append((other, wanted, parts[other].requires or [], False))
    return parts, edges


def _of(dist: Distribution) -> dict[str, str]:
    return _identity(dist.metadata["Name"], dist.version)


def _identity(stated: str, version: str) -> dict[str, str]:
    name = canonicalize_name(stated)
    purl = f"pkg:pypi/{name}@{version.replace('+', '%2B')}"
    return {"bom-ref": purl, "name": name, "version": version, "purl": purl}


def _component(dist: Distribution, hashes: tuple[str, ...]) -> dict[str, Any]:
    component: dict[str, Any] = {"type": "library", **_of(dist)}
    if licence := _licence(dist):
        component["licenses"] = [{"license": {"name": licence}}]
    if hashes:
        component["hashes"] = [{"alg": "SHA-256", "content": digest} for digest in hashes]
    return component


def _licence(dist: Distribution) -> str | None:
    meta = dist.metadata
    if stated := meta.get("License-Expression"):
        return str(stated)
    classes = [c.removeprefix(_LICENCE_CLASS) for c in meta.get_all("Classifier") or () if c.startswith(_LICENCE_CLASS)]
    short = (meta.get("License") or "").strip().splitlines()
    return ", ".join(classes) or (short[0][:100] if short else None)


if __name__ == "__main__":
    raise SystemExit(main())
