"""Makes the folder of a new company: a skeleton with one product, one tool and one document that starts as it is.

python -m scripts.new_company hanbit --title "한빛손해보험(가상)"      # writes examples/hanbit
CONTENT_DIR=examples/hanbit make check-content train run               # docs/adopting.md goes on from there
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from app.insurance.content_folder import NEUTRAL
from app.settings import COMPANY_FILE, ROOT

_NAME = re.compile(r"[a-z][a-z0-9_-]{1,39}")
_LEFT_OUT = ("small_talk.yaml", "restated.yaml", "deadlines.yaml", "__pycache__")
_FILLED_IN = (COMPANY_FILE, "documents/company.txt")


def make(place: Path, title: str) -> Path:
    """Write the skeleton of the company called `title` to `place`, which must not exist. Raises OSError."""
    shutil.copytree(NEUTRAL, place, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    shutil.copytree(ROOT / "data" / "prompts", place / "prompts")
    for name in _FILLED_IN:
        path = place / name
        path.write_text(path.read_text(encoding="utf-8").replace("{company}", title), encoding="utf-8")
    return place


def main(argv: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(description="새 회사의 자료 폴더를 만듭니다.")
    parser.add_argument("name", help="폴더 이름(영문 소문자, 숫자, -, _)")
    parser.add_argument("--title", help="화면과 답변에 쓰는 회사 이름. 없으면 폴더 이름")
    parser.add_argument("--into", type=Path, default=ROOT / "examples", help="만들 곳(기본 examples)")
    options = parser.parse_args(argv)
    place = options.into / options.name
    title = (options.title or f"{options.name}(가상)").strip()
    if not _NAME.fullmatch(options.name):
        print(f"폴더 이름 {options.name!r}: 영문 소문자로 시작해 소문자·숫자·-·_로 2~40자여야 합니다", file=sys.stderr)
        return 2
    if '"' in title or "\\" in title or not title:
        print(f"회사 이름 {title!r}: 따옴표와 역슬래시 없이 적어 주세요", file=sys.stderr)
        return 2
    try:
        make(place, title)
    except FileExistsError:
        print(f"{place}: 이미 있는 폴더입니다. 다른 이름을 쓰거나 먼저 치워 주세요", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{place}: 만들 수 없습니다({error.strerror})", file=sys.stderr)
        return 1
    print(f"{place}에 {title}의 자료를 만들었습니다. 다음 순서로 확인해 주세요(docs/adopting.md).")
    print(f"  CONTENT_DIR={place} make check-content\n  CONTENT_DIR={place} make train\n  CONTENT_DIR={place} make run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
