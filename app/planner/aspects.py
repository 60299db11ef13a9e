"""A question about one side of the answer just given (며칠 걸려요, 이자는요) gets those lines, not all of it again."""

from __future__ import annotations

import re

# (words of the question, words of the lines that answer it)
_ASPECTS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(asked), re.compile(told))
    for asked, told in (
        (r"며칠|몇일|얼마나 ?(걸|있)|언제 ?(들어|나와|나오|입금|되|돼|받|주)|처리 ?기간", r"기간|영업일|일 이내|일 안"),
        (r"언제까지|기한|시효|늦", r"시효|기한|년 안|년 이내|일 이내에 (접수|청약|신청)|15일|30일"),
        (r"이자|이율|금리", r"이자|이율"),
        (r"돌려 ?받|돌려 ?주|환불|낸 ?돈", r"돌려|환급|돌려드"),
        (
            r"인터넷|온라인|앱|어플|팩스|우편|방문|전화로|어디로|어디서|어디에|사진|찍어|메일",
            r"접수 방법|앱|홈페이지|방문|팩스",
        ),
        (r"서류|준비|필요한|챙", r"서류|준비"),
        (r"수수료|비용", r"수수료|비용"),
        (r"취소|되돌|철회", r"취소|철회|되돌|다시"),
    )
)
_LINES_MAX = 4


def names_a_side(asked: str) -> bool:
    """Whether the words ask about one side of a procedure (how long, which papers, what comes back)."""
    return any(words.search(asked) for words, _ in _ASPECTS)


def only_asked(text: str, asked: str) -> str | None:
    """The lines of `text` that answer what `asked` asks about; None when it names no side or no line tells of it."""
    told = [told for words, told in _ASPECTS if words.search(asked)]
    if not told:
        return None
    lines = [line for line in text.splitlines() if line.strip()]
    fitting = [line for line in lines if any(pattern.search(line) for pattern in told)]
    if not fitting or len(fitting) > _LINES_MAX or len(fitting) >= len(lines) - 1:
        return None
    return "\n".join(line if line.startswith("•") else f"• {re.sub(r'^[0-9]+[.] ', '', line)}" for line in fitting)
