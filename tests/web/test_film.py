"""The clip of the README is filmed from the real page and stays small."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from tests.web.film import IMAGES, SIZE, film
from tests.web.serving import Site


async def test_a_talk_is_filmed_from_the_real_page(site: Site, tmp_path: Path) -> None:
    async with site.page(size=SIZE) as seen:
        made = await film(seen, ("오늘 서울 날씨 어때?",))
    made.write(tmp_path / "talk.webp")
    with Image.open(tmp_path / "talk.webp") as clip:
        assert clip.size == SIZE and getattr(clip, "n_frames", 1) > 3


def test_the_clip_of_the_readme_moves_and_is_small() -> None:
    path = IMAGES / "talk.webp"
    assert path.stat().st_size < 1_500_000
    with Image.open(path) as clip:
        assert getattr(clip, "n_frames", 1) > 10
