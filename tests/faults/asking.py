"""A process that asks one question after another until it is killed: `python -m tests.faults.asking FOLDER SEED`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from app.access import LOCAL_ADMIN
from app.composition import open_services
from app.settings import Settings

QUESTIONS = (
    "뉴스타트암보험 45세 남자 보험료 알려줘",
    "면책기간은요?",
    "김민수 고객 계약 현황 알려줘",
    "치아보험 뭐 있어요?",
    "고마워요",
)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main(folder: Path, seed: int) -> None:
    async with open_services(Settings(_env_file=None, data_dir=folder)) as services:
        _say("ready")
        number = seed
        while True:
            await services.talk.runner.ask(QUESTIONS[number % len(QUESTIONS)], LOCAL_ADMIN, f"killed-{number % 3}")
            _say(f"turn {number}")
            number += 1


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
