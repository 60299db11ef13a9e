"""Makes the picture and the clip of the README from the real page: docs/images/chat.png and docs/images/talk.webp.

    python -m tests.web.film        (make pictures)

The clip is a talk held with the real service: each question is typed, its answer waited for and read. Frames are
taken when something changed on the page, so its length tells nothing about the service's speed.
"""

from __future__ import annotations

import asyncio
import io
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image

from tests.web.serving import STILL, Watched, open_site

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
PICTURE = "45세 남성인데 암보험 보험료가 얼마쯤 하나요?"
TALK = (PICTURE, "둘을 비교해 주세요", "오늘 서울 날씨 어때?")
SIZE = (960, 680)
TYPED_AT_ONCE = 4
"""Letters a frame while a question is typed."""
TYPING_MS, READING_MS = 130, 2600


@dataclass
class Film:
    """The frames of a clip, each with how long it stands (ms)."""

    frames: list[tuple[bytes, int]] = field(default_factory=list)

    async def take(self, seen: Watched, stands_ms: int) -> None:
        """What the page shows now; the frame before stands longer where nothing changed."""
        shot = await seen.page.screenshot(type="png", animations="disabled", caret="hide")
        if self.frames and self.frames[-1][0] == shot:
            self.frames[-1] = (shot, self.frames[-1][1] + stands_ms)
        else:
            self.frames.append((shot, stands_ms))

    def write(self, path: Path) -> None:
        """The clip as an animated WebP that begins again at its end."""
        images = [Image.open(io.BytesIO(shot)).convert("RGB") for shot, _ in self.frames]
        stands = [stands_ms for _, stands_ms in self.frames]
        images[0].save(
            path,
            save_all=True,
            append_images=images[1:],
            duration=stands,
            loop=0,
            quality=60,
            method=4,
            minimize_size=True,
        )


async def film(seen: Watched, talk: tuple[str, ...]) -> Film:
    """The clip of a talk on an open page."""
    made = Film()
    await made.take(seen, READING_MS // 2)
    for number, question in enumerate(talk, 1):
        for end in range(TYPED_AT_ONCE, len(question) + TYPED_AT_ONCE, TYPED_AT_ONCE):
            await seen.page.fill("#question", question[:end])
            await made.take(seen, TYPING_MS)
        await seen.page.press("#question", "Enter")
        await made.take(seen, TYPING_MS)
        await seen.answered(number)
        await seen.page.evaluate(STILL)
        await _read(seen, made)
    return made


async def _read(seen: Watched, made: Film) -> None:
    """The last answer from its question down, a half screen at a time."""
    await seen.page.evaluate("() => [...document.querySelectorAll('article')].at(-1).scrollIntoView()")
    await made.take(seen, READING_MS)
    await seen.page.evaluate("() => [...document.querySelectorAll('.answer')].at(-1).scrollIntoView({block: 'end'})")
    await made.take(seen, READING_MS)


async def main() -> None:
    """Both files of the README anew."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_site(Path(folder)) as site:
            async with site.page(size=(1280, 860)) as seen:
                await seen.ask(PICTURE)
                await seen.answered()
                await seen.page.evaluate(STILL)
                await seen.page.screenshot(path=IMAGES / "chat.png", type="png")
            async with site.page(size=SIZE) as seen:
                made = await film(seen, TALK)
    made.write(IMAGES / "talk.webp")
    for path in (IMAGES / "chat.png", IMAGES / "talk.webp"):
        sys.stdout.write(f"{path.name}  {path.stat().st_size / 1024:.0f} kB\n")


if __name__ == "__main__":
    asyncio.run(main())
