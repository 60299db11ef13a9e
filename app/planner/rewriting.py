"""A follow-up made to stand alone: 그거 becomes the product's name, '여자는요' the question before with the new
fact."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from app.language.formatting import PARTICLE_PAIRS
from app.language.mentions import Entities, Mention
from app.planner.facts import Facts
from app.planner.focus import Focus

# What may be left of a message besides its entities for it to be a mere ellipsis.
_FILLER = (
    "그러면|그럼|아니면|아니다|아니라|아니고|아니요|아니|혹시|근데|그런데|아까|그냥|네|음|아|어|참|쪽"
    "|거래요|거래|걸로|으로|에서|까지|부터|이면|라면|"
    "면|말고|빼고|기준|하면|하고|인데|이고|이에요|예요|입니다|인가요|은|는|이|도|로|요|가|을|를|만|의|랑|와"
    "|과|고|거|것|껀|건|꺼|여|욤|데|네요|네|다시|"
    "예산|나이|성별|생일|생년월일|이름|성함|직업|금액|가입금액|목적|고객님|고객|분|째|정도|쯤|어때|어떨까|해주세요|해줘|해|보여줘|"
    "잘못|눌럿네|눌렀네|제가|임|님|씨|살|세|죠|용|나이|보면|보면요|그|이엿으면|이었으면|였으면|엿으면"
)
_FILLERS = re.compile(rf"(?:{_FILLER})+")
_SMALL_TALK = re.compile(
    r"감사|고마|고맙|수고|생각해\s?볼|잠시만|잠깐|알겠|ㅇㅋ|ㄱㄱ|오케이|편하네|속상|진행|접수해|^네[\s.!]*$"
    r"|^예[\s.!]*$|맞아요|됐어요|나중에 다시|안녕"
)
_DEPENDENT_MAX = 30
_POINTING = frozenset({"that", "same", "ordinal", "cheapest", "dearest", "former", "latter", "both", "rest"})
_DEGREES = frozenset({"cheapest", "dearest"})
_WHICH = re.compile(r"[거건게것는은이가쪽]{0,3}\s?(?:뭐|뭔|무엇|어느|어떤)")
_SWAPPED = (
    "channels",
    "topics",
    "plans",
    "cycles",
    "revisions",
    "money",
    "durations",
    "dates",
    "benefits",
    "names",
    "jobs",
    "medical",
    "documents",
    "coverages",
    "riders",
    "claims",
)
# What is done to a patient is a kind of claim, a cover or a benefit, by its word: one takes the place of another.
_ALIKE = {"claims": ("claims", "benefits"), "benefits": ("benefits", "claims")}


def is_elliptic(entities: Entities) -> bool:
    """Whether the message is nothing but facts and particles: 여자는요, 55세면?, 뉴스타트는, 감액도."""
    text = entities.text
    if len(text) > _DEPENDENT_MAX:
        return False
    busy = bytearray(len(text))
    for mention in entities.all():
        busy[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
    if not any(busy):
        return False
    rest = "".join(char if not busy[i] and char.isalnum() else " " for i, char in enumerate(text))
    return all(_FILLERS.fullmatch(chunk) for chunk in rest.split())


def stand_alone(
    entities: Entities, previous: Entities | None, before: Facts, after: Facts, focus: Focus, names: Mapping[str, str]
) -> str:
    """The question of this message without the talk before it. A message that needs nothing comes back unchanged.

    `previous` are the entities of `before.last_question`; `names` maps product codes to names.
    """
    text = _fresh_name(entities, names)
    if previous is not None and is_elliptic(entities):
        return _substituted(entities, previous, before, after, focus, names)
    if _SMALL_TALK.search(text):
        return text
    if focus.codes and not entities.products and (pointing := [m for m in entities.references if m.kind in _POINTING]):
        if any(m.kind in _DEGREES and _WHICH.match(entities.text, m.end) for m in pointing):
            return text  # 젤 싼 건 뭐고 얼마: which one it is, is asked
        return spliced(entities.text, [(pointing[0], _joined(focus.codes, names))])
    if focus.codes and not focus.named and not entities.products and len(entities.text) <= _DEPENDENT_MAX:
        return f"{_joined(focus.codes, names)} {text}"
    return text


def _fresh_name(entities: Entities, names: Mapping[str, str]) -> str:
    """Nicknames and typos of products written out: 실속치매보혐 -> 실속치매보험."""
    return spliced(entities.text, [(m, names[m.code]) for m in entities.products if m.code in names and not m.negated])


def _joined(codes: Sequence[str], names: Mapping[str, str]) -> str:
    return ", ".join(names.get(code, code) for code in codes)


def spliced(text: str, swaps: Sequence[tuple[Mention, str]]) -> str:
    """`text` with each mention replaced by its word, the particle behind it made to fit (뉴스타트로 ->
    뉴스타트암보험으로)."""
    for mention, word in sorted(swaps, key=lambda swap: swap[0].start, reverse=True):
        tail = text[mention.end :]
        if mention.text != word:
            tail = fit_particle(word, tail)
        glue = (
            " " if tail and word and tail[0].isalnum() and mention.text.endswith(("거", "것", "건", "걸", "게")) else ""
        )
        text = f"{text[: mention.start]}{word}{glue}{tail}"
    return text


def fit_particle(word: str, tail: str) -> str:
    """`tail` with its first particle in the form that `word` takes: ('뉴스타트암보험', '는요') -> '은요'."""
    closed, rieul = _ends_closed(word)
    for with_final, without in PARTICLE_PAIRS:
        wanted = without if not closed or (with_final == "으로" and rieul) else with_final
        for form in (with_final, without):
            after = tail[len(form) : len(form) + 1]
            if tail.startswith(form) and (not after or after in " ?!.,요면" or form in ("으로", "로")):
                return wanted + tail[len(form) :]
    return tail


def _ends_closed(word: str) -> tuple[bool, bool]:
    """(ends in a consonant, that consonant is ㄹ) by how the last sign is read."""
    last = word[-1:]
    if "가" <= last <= "힣":
        final = (ord(last) - 0xAC00) % 28
        return final != 0, final == 8
    closed_digits, rieul_signs = set("01367"), set("178LRlr")
    return last in closed_digits | rieul_signs | set("MNmn"), last in rieul_signs


def _substituted(
    entities: Entities, previous: Entities, before: Facts, after: Facts, focus: Focus, names: Mapping[str, str]
) -> str:
    """The last question with the new facts in the places of the old ones; what had no place stands in front."""
    swaps: list[tuple[Mention, str]] = []
    news: list[str] = []

    def put(old: Sequence[Mention], word: str) -> None:
        kept = [m for m in old if not m.negated and not any(m.start < s.end and s.start < m.end for s, _ in swaps)]
        if kept:
            swaps.append((kept[-1], word))
        else:
            news.append(word)

    if focus.named and focus.codes:
        joined = _joined(focus.codes, names)
        if len(previous.products) > 1 and len(focus.codes) > 1:
            news.append(joined)
        else:
            put(previous.products, joined)
    people = [m for m in entities.people if not m.negated and m.role != "aside" and m.who == after.who]
    if people and after.who != before.who:
        put([m for m in previous.people if m.who == before.who], people[-1].text)
    elif people and entities.is_correction:
        put(previous.people, people[-1].text)
    if after.age is not None and after.age != before.age:
        put([*previous.ages, *previous.births], f"만 {after.age}세")
    if after.birth_year is not None and after.birth_year != before.birth_year:
        put([*previous.births, *previous.ages], f"{after.birth_year}년생")
    if after.gender is not None and after.gender != before.gender and not any(m.gender for m in people):
        put(previous.genders, "남성" if after.gender == "M" else "여성")
    _swap_others(entities, previous, put)
    question = spliced(previous.text, swaps)
    return f"{' '.join(dict.fromkeys(news))} {question}".strip() if news else question


def _swap_others(entities: Entities, previous: Entities, put: Callable[[Sequence[Mention], str], None]) -> None:
    """Every other kind of fact: the last one said takes the place of the last of its kind in the question before."""
    spent: list[Mention] = []
    for kind in _SWAPPED:
        for mention in getattr(entities, kind):
            if mention.negated or any(mention.start < m.end and m.start < mention.end for m in spent):
                continue
            spent.append(mention)
            put([m for one in _ALIKE.get(kind, (kind,)) for m in getattr(previous, one)], mention.text)
            break
