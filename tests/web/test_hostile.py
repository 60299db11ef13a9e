"""Hostile text in questions, answers, blocks, sources and names is shown as text: nothing of it runs or loads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.web import scripts
from tests.web.serving import Site
from tests.web.stage import WEB, Stage

HOSTILE = (
    "<img src=x onerror=window.__hit=1>",
    "<svg/onload=window.__hit=1>",
    "<script>window.__hit=1</script>",
    "[누르기](javascript:window.__hit=1)",
    "[누르기](data:text/html,<script>window.__hit=1</script>)",
    "![그림](https://evil.example/x.png)",
    "<a href='javascript:window.__hit=1'>x</a>",
    "&lt;img src=x onerror=window.__hit=1&gt;",
    "<iframe srcdoc='<script>parent.__hit=1</script>'></iframe>",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.__hit=1>",
    "{{constructor.constructor('window.__hit=1')()}}",
    "<style>body{display:none}</style>",
    "[x](//evil.example/a)",
    "<form action=https://evil.example><button>x</button></form>",
)


@pytest.mark.requirement("web:chat:hostile-text")
@pytest.mark.parametrize("start", range(0, len(HOSTILE), 5))
async def test_hostile_text_never_runs_wherever_it_stands(site: Site, stage: Stage, start: int) -> None:
    async with site.page() as seen:
        for number, text in enumerate(HOSTILE[start : start + 5], 1):
            card = {**scripts.CARD, "name": text, "points": [text], "code": text, "category": text}
            table = {
                **scripts.TABLE,
                "title": text,
                "note": text,
                "rows": [{"group": text, "fact": text, "B00115023": text}],
            }
            chart = {**scripts.CHART, "title": text, "note": text, "summary": text}
            notice = {"level": "warning", "title": text, "text": text}
            source = {**scripts.SOURCES[0], "title": text, "heading_path": text, "snippet": text}
            fields = [{"name": "age", "label": text, "type": "text", "options": [{"label": text, "value": text}] * 7}]
            drawn = scripts.blocks(("product_card", card), ("table", table), ("chart", chart), ("notice", notice))
            facts = {"job": text, "history": text}
            steps = scripts.answered(
                text,
                said=(text,),
                blocks=drawn,
                sources=[source],
                facts=facts,
                needs_input_form={"fields": fields, "text": text},
            )
            stage.scripts[text] = steps
            await seen.ask(text)
            await seen.answered(number)
            await seen.page.click(f".turn:nth-of-type({number}) .source-chip, .turn.newest .source-chip")
        await seen.page.wait_for_timeout(300)
        assert await seen.page.evaluate("window.__hit") is None
        kinds = "iframe, form[action], script:not([src]):not([type]):not([nonce]), .column img, .column style"
        assert await seen.page.locator(kinds).count() == 0
        links = await seen.page.locator(".column a").evaluate_all(
            "(all) => all.map((link) => link.getAttribute('href'))"
        )
        assert [link for link in links if not link.startswith(("https:", "/", "#"))] == []
        seen.expected_errors = True  # pictures of pages of documents that do not exist


@pytest.mark.requirement("web:chat:hostile-text")
async def test_korean_markdown_is_read_as_koreans_write_it(site: Site, stage: Stage) -> None:
    text = "**보험료(월)**는 20,625원입니다.\n• 40~60세, 10~20년납\n• 둘째\n다음 문장 [1]과 [9].\n\n1. 하나\n2. 둘"
    stage.scripts["질문"] = scripts.answered(text, said=(text,), sources=scripts.SOURCES)
    async with site.page() as seen:
        await seen.ask("질문")
        await seen.answered()
        prose = seen.page.locator(".prose")
        assert await prose.locator("strong").inner_text() == "보험료(월)"
        assert await prose.locator("ul li").count() == 2 and await prose.locator("ol li").count() == 2
        assert await prose.locator("s, del").count() == 0
        assert await prose.locator(".cite").all_inner_texts() == ["1"]
        assert "[9]" in await prose.inner_text()


async def test_the_stream_parser_reads_any_pieces(site: Site) -> None:
    """Split UTF-8, CR, LF, CRLF, several data lines, comments: the same events at every cut."""
    async with site.page() as seen:
        wrong = await seen.page.evaluate(
            """async () => {
              const { SseParser } = await import("/src/shared/sse.js");
              const frames = ["event: token\\ndata: {\\"text\\":\\"월 보험료 ①\\"}\\nid: 1\\n\\n", ": still here\\n\\n",
                "id: 2\\ndata: first\\ndata: second\\n\\n", "data:\\n\\n", "event: done\\ndata: {}\\nid: 3\\n\\n"];
              const wrong = [];
              for (const end of ["\\n", "\\r\\n", "\\r"]) {
                const text = frames.join("").replaceAll("\\n", end) + (end === "\\r" ? ": \\n" : "");
                const bytes = new TextEncoder().encode(text);
                const whole = JSON.stringify(new SseParser().feed(bytes));
                for (let at = 1; at < bytes.length; at += 1) {
                  const parser = new SseParser();
                  const found = [...parser.feed(bytes.slice(0, at)), ...parser.feed(bytes.slice(at))];
                  if (JSON.stringify(found) !== whole) wrong.push([end, at]);
                }
                for (let seed = 1; seed <= 60; seed += 1) {
                  const parser = new SseParser();
                  const found = [];
                  for (let at = 0, n = seed; at < bytes.length; ) {
                    n = (n * 1103515245 + 12345) % 2147483648;
                    const size = 1 + (n % 7);
                    found.push(...parser.feed(bytes.slice(at, at + size)));
                    at += size;
                  }
                  if (JSON.stringify(found) !== whole) wrong.push([end, "seed", seed]);
                }
                const events = JSON.parse(whole);
                const right = events.length === 4 && events[1].data === "first\\nsecond" && events[0].id === "1";
                if (!right) wrong.push([end, whole]);
              }
              return wrong;
            }"""
        )
        assert wrong == []


async def test_search_finds_by_first_consonants_and_without_spaces(site: Site) -> None:
    cases = [
        ("보험료 알려 주세요", "ㅂㅎㄹ", True),
        ("보험료 알려 주세요", "보험료알려", True),
        ("보험료 알려 주세요", "ㅂㅎ료", False),
        ("뉴스타트암보험", "ㄴㅅㅌㅌ", True),
        ("ABC 보험", "abc보", True),
        ("암보험", "치매", False),
    ]
    async with site.page() as seen:
        found = await seen.page.evaluate(
            "async (cases) => { const { matches } = await import('/src/shared/search.js');"
            " return cases.map(([text, query]) => matches(text, query)); }",
            [case[:2] for case in cases],
        )
    assert found == [case[2] for case in cases]


async def test_csv_never_begins_a_formula(site: Site, stage: Stage) -> None:
    table = {**scripts.TABLE, "rows": [{"fact": "=1+1", "B00115023": '말 "큰" 값', "B00355005": "-5,000원"}]}
    stage.scripts["표"] = scripts.answered(blocks=scripts.blocks(("table", table)))
    async with site.page() as seen:
        await seen.ask("표")
        await seen.answered()
        async with seen.page.expect_download() as waiting:
            await seen.page.click(".table-tools button >> nth=1")
        text = (await (await waiting.value).path()).read_bytes().decode("utf-8-sig")
        assert '"\'=1+1"' in text and '"말 ""큰"" 값"' in text
        await seen.page.click(".table-tools button >> nth=0")
        assert "상품 비교" in await seen.page.evaluate("navigator.clipboard.readText()")


@pytest.mark.requirement("web:chat:two-languages")
def test_both_languages_have_the_same_words_and_every_word_that_is_used() -> None:
    import re

    def words(folder: Path, lang: str = "ko") -> dict[str, Any]:
        found: dict[str, Any] = json.loads((folder / f"{lang}.json").read_text(encoding="utf-8"))
        return found

    pages = sorted(path.parent for path in (WEB / "console" / "pages").glob("*/ko.json"))
    proposal = WEB / "chat" / "proposal"
    for folder in (WEB / "shared", WEB / "chat", proposal, WEB / "console", *pages):
        korean, english = words(folder), words(folder, "en")
        assert set(korean) == set(english), set(korean) ^ set(english)
        for key, pair in ((key, (korean[key], english[key])) for key in korean):
            one, other = (text["other"] if isinstance(text, dict) else text for text in pair)
            assert set(re.findall(r"\{\w+\}", one)) == set(re.findall(r"\{\w+\}", other)), key
    shared = words(WEB / "shared")
    both = {**shared, **words(WEB / "console")}
    chat = {**shared, **words(WEB / "chat")}
    known = {WEB / "chat": chat, proposal: {**chat, **words(proposal)}, WEB / "console": both}
    known |= {folder: {**both, **words(folder)} for folder in pages}
    for folder, own in known.items():
        scripts = folder.glob("*.js") if folder in (WEB / "chat", WEB / "console") else folder.rglob("*.js")
        for path in scripts:
            used = set(re.findall(r"""\bt\("([a-z0-9._\-]+)\"""", path.read_text(encoding="utf-8")))
            assert used <= own.keys(), f"{path.name}: {used - own.keys()}"
