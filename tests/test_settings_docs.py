"""`.env.example` tells every setting of app/settings.py with its sentence and default, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic.fields import FieldInfo

from app.settings import ROOT, Settings

LINES = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
ENTRY = re.compile(r"# ([A-Z][A-Z0-9_]*)=(.*)")
ENTRIES = [(number, match[1], match[2]) for number, line in enumerate(LINES) if (match := ENTRY.fullmatch(line))]
FIELDS = list(Settings.model_fields.items())


def shown(field: FieldInfo) -> str:
    """The default as a person would write it; folders from the repository root."""
    if field.default is None:
        return ""
    return str(field.default.relative_to(ROOT) if isinstance(field.default, Path) else field.default)


@pytest.mark.requirement("run:settings:env-example")
def test_every_setting_stands_in_the_example_once_and_nothing_else_does() -> None:
    assert [name for _, name, _ in ENTRIES] == [name.upper() for name, _ in FIELDS]


@pytest.mark.requirement("run:settings:env-example")
@pytest.mark.parametrize(("name", "field"), FIELDS, ids=[name for name, _ in FIELDS])
def test_each_setting_is_told_with_its_sentence_and_default(name: str, field: FieldInfo) -> None:
    number, _, value = next(entry for entry in ENTRIES if entry[1] == name.upper())
    assert field.description, f"{name}: description이 없습니다"
    assert LINES[number - 1] == f"# {field.description}"
    assert value == shown(field)


def test_nothing_is_switched_on_in_the_example() -> None:
    assert [line for line in LINES if line and not line.startswith("#")] == []


def test_the_defaults_are_accepted_when_they_are_written_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, _ in FIELDS:
        monkeypatch.delenv(name.upper(), raising=False)
    written = tmp_path / ".env"
    written.write_text("\n".join(f"{name}={value}" for _, name, value in ENTRIES if value), encoding="utf-8")
    read = Settings(_env_file=written)
    assert {name: getattr(read, name) for name, _ in FIELDS if not name.endswith("_dir")} == {
        name: field.default for name, field in FIELDS if not name.endswith("_dir")
    }
