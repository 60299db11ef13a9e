"""A first reading of a stranger's file in a process of its own, with little memory and time: `python -m
app.documents.trial FILE NAME`.

A file that blows up takes that process with it and not the server.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from pathlib import Path

from app.documents.faults import FileTooLarge, UnreadableFile
from app.documents.loader import FoundFile, load_file
from app.messages import worded
from app.settings import ROOT

MEMORY_BYTES = 1_500 * 2**20
CPU_S = 120
_WAIT_S = CPU_S * 2.0


async def try_file(path: Path, name: str) -> int:
    """The number of pages of a file that can be taken in. Raises UnreadableFile."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, str(path), name,
        cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        async with asyncio.timeout(_WAIT_S):
            told, _ = await process.communicate()
    except TimeoutError:
        told = b""
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0 or not told:
        raise UnreadableFile(worded("trial.too_costly"))
    answer = json.loads(told)
    if answer["reason"]:
        raise (FileTooLarge if answer["large"] else UnreadableFile)(answer["reason"])
    return int(answer["pages"])


def main(path: str, name: str) -> None:
    """Read the file and print what became of it as JSON."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    answer: dict[str, object] = {"pages": 0, "reason": "", "large": False}
    try:
        answer["pages"] = load_file(FoundFile(Path(path), name)).pages
    except UnreadableFile as error:
        answer |= {"reason": str(error), "large": isinstance(error, FileTooLarge)}
    sys.stdout.write(json.dumps(answer, ensure_ascii=True))


if __name__ == "__main__":
    main(*sys.argv[1:3])
