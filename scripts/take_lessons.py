"""Takes what operators made lessons of the service database into the training lines of the content folder.

python -m scripts.take_lessons            (adds to CONTENT_DIR/utterances; then `make train` learns them)
python -m scripts.take_lessons --list     (only shows what would be added)
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from app.adapters.turn_store import TurnFilter, TurnStore
from app.composition import open_services
from app.editing.lessons import Lesson, lesson_of, write_lessons
from app.errors import AppError
from app.routing.examples import UTTERANCES, evaluation_keys
from app.settings import Settings

_AT_ONCE = 200


def main(argv: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="더할 문장만 보입니다")
    options = parser.parse_args(argv)
    settings = Settings(engine="planner")
    try:
        lessons = asyncio.run(_lessons(settings))
        aside = evaluation_keys(settings.content_dir)
        with tempfile.TemporaryDirectory() as nowhere:
            folder = Path(nowhere) if options.list else settings.content_dir / UTTERANCES
            added = write_lessons(folder, lessons, aside)
    except (AppError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    for lesson in added:
        print(f"{lesson.tool}: {lesson.line} ({lesson.author}, {lesson.day})")
    print(f"배우기로 한 질문 {len(lessons)}개, 더한 문장 {len(added)}개. 'make train'이 이어서 학습합니다.")
    return 0


async def _lessons(settings: Settings) -> list[Lesson]:
    found: list[Lesson] = []
    async with open_services(settings) as services:
        store, offset = TurnStore(services.storage.database), 0
        while True:
            turns, total = await store.page(TurnFilter(verdict="wrong"), offset=offset, limit=_AT_ONCE)
            made = (
                lesson_of(t, services.desks.veil, lambda text: services.talk.threads.masker.mask(text).text)
                for t in turns
            )
            found += [lesson for lesson in made if lesson is not None]
            offset += len(turns)
            if not turns or offset >= total:
                return found


if __name__ == "__main__":
    sys.exit(main())
