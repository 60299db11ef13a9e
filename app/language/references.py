"""Words that point back or turn things round: 그거, 두 번째 거, 둘 중 싼 거, 실버 빼고, 아니 여자요; questions in one
message."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.language.mentions import CountMention, ReferenceKind, ReferenceMention, RevisionMention, TermMention
from app.language.numbers import parse_number
from app.language.reading_words import LanguageWords

# 다른 하나는요: of two, the one that was not spoken of now.
_OTHER_ONE = r"(?:다른|딴|나머지)\s?(?:하나|한\s?(?:개|쪽|상품)|쪽)"
_OTHER_FIRST = re.compile(rf"(?:그럼\s)?{_OTHER_ONE}(?:은|는|도)")
_NEGATION = re.compile(
    r"^\s?(?:보험|쪽|거|것|건|게|꺼|은|는|이|가|을|를|도|만|인|하고|으로|로|껀)?\s?(?:은|는|이|가|을|를"
    r"|도)?\s?(?:말고|빼고|빼면|뺀|제외|아니고|아니라|아니구|아니지만|아닌(?!가|지|감)|말구|말고는|빼줘|빼\s?주"
    # 채우는 건 아니에요; not 뉴스타트 아니에요?
    r"|아니(?:에|예)요(?![\s~]*[?？])|아닙니다|아녜요(?![\s~]*[?？])"
    r"|대신(?!\s?(?:내|받|청구))|안\s?만나|없이)"
)
_SPLIT = re.compile(
    r"(?<=[?!.])\s+|,\s?그리고\s|(?<=[가-힣]{2}\?)(?=[가-힣])|\s(?:그리고|그다음에|그 다음에|또한|아 그리고|그리구)\s"
    r"|(?<=요)\s(?=그리고|또)|(?<=하고)\s(?=그)"
)
_QUOTE = re.compile(r"[\"“”'‘’「](?P<q>[^\"“”'‘’」]{2,200})[\"“”'‘’」]")


def find_references(words: LanguageWords, text: str) -> list[ReferenceMention]:
    """Pointing words in order; where two overlap the longer one stays."""
    own = words.references
    found: list[ReferenceMention] = []

    def add(start: int, end: int, kind: ReferenceKind, index: int = 0, count: int = 0) -> None:
        found.append(ReferenceMention(start, end, text[start:end], 0.9, False, kind, index, count))

    numbered = {at for match in own.numbers.finditer(text) for at in (match.start(1), match.start(2))}
    for match in own.ordinal.finditer(text):
        # '두 번 했으면' counts; '두 번째', '1번 거' point.
        if own.nth.search(match.group()) or match["thing"] or match.start() in numbered:
            add(*match.span(), "ordinal", own.ordinal_words[match["n"]])
    for match in own.last.finditer(text):
        add(*match.span(), "ordinal", 0 if match["n"][-1] in "위앞음" else -1)
    for match in own.cheap.finditer(text):
        add(*match.span(), "cheapest")
    for match in own.dear.finditer(text):
        add(*match.span(), "dearest")
    for match in own.rest.finditer(text):
        add(*match.span(), "rest", 0, 2 if "둘" in match.group() or "두" in match.group() else 0)
    for match in own.middle.finditer(text):
        add(*match.span(), "ordinal", 1)
    for match in own.sides.finditer(text):
        add(*match.span(), "both", 0, 2)
    for match in own.both.finditer(text):
        count = 2 if match["two"] else 3 if match["three"] else int(match["n"])
        among = re.match(r"\s?중(?:에)?", text[match.end() : match.end() + 4])
        things = (match["two"] or match["three"] or "").endswith(("상품", "보험"))
        held = own.before_two.search(text[: match.start()]) and own.held_together.match(text, match.end())
        things = things or bool(held)
        if match["all"] or things or match["two"] == "둘" or match["three"] == "셋" or (among and match["n"] is None):
            add(*match.span(), "both", 0, count)
    for match in own.former.finditer(text):
        add(*match.span(), "former")
    for match in own.latter.finditer(text):
        add(*match.span(), "latter")
    for match in own.that.finditer(text):
        add(*match.span(), "same" if match.group().startswith(("같은", "동일")) else "that")
    for match in own.other.finditer(text):
        add(*match.span(), "other")
    for match in own.here.finditer(text):
        add(*match.span(), "place")
    kept: list[ReferenceMention] = []
    for mention in sorted(found, key=lambda m: (m.start - m.end, m.start)):
        if all(mention.end <= other.start or mention.start >= other.end for other in kept):
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)


def is_negated(text: str, end: int) -> bool:
    """Whether the words right after position `end` turn what stands before away: 암 말고, 실버는 빼고, 매형 아니고."""
    return bool(_NEGATION.match(text[end : end + 18]))


def opens_with_the_other(text: str) -> bool:
    """Whether the message begins with the other one of two: 다른 하나는요, 그럼 나머지 하나도요."""
    return bool(_OTHER_FIRST.match(text))


def is_correction(words: LanguageWords, text: str) -> bool:
    """Whether the speaker takes something back: 아니 여자요, 45 말고 55, 아니다 150으로."""
    return bool(words.references.correction.search(text))


def is_non_renewing(words: LanguageWords, text: str) -> bool:
    """Whether a product that does not renew is described: 비갱신, 갱신 안 되는, 안 오르는."""
    return bool(words.references.non_renewing.search(text))


def find_revisions(words: LanguageWords, text: str, products: Iterable[int] = ()) -> list[RevisionMention]:
    """Revision numbers: 5판, 7차 개정, 4라고 써 있어요. `products` are the ends of products' names, behind which a bare
    small number is one too (뉴스타트 5 맞나), though less surely."""
    found = [
        RevisionMention(*m.span(), m.group(), 0.95, False, int(m["n"] or m["m"] or m["k"]))
        for m in words.references.revision.finditer(text)
    ]
    for end in products:
        if told := words.references.of_product.match(text[end:]):
            start, stop = end + told.start("n"), end + told.end("n")
            if not any(m.start < stop and start < m.end for m in found):
                found.append(RevisionMention(start, stop, told["n"], 0.5, False, int(told["n"])))
    return sorted(found, key=lambda mention: mention.start)


def find_counts(words: LanguageWords, text: str) -> list[CountMention]:
    """Counts with a counter: 10명, 세 개."""
    found = []
    for match in words.references.count.finditer(text):
        value = parse_number(match["n"])
        if value is not None:
            found.append(CountMention(*match.span(), match.group(), 0.9, False, value, match["c"]))
    return found


def find_quotes(words: LanguageWords, text: str) -> list[TermMention]:
    """Quoted passages without their marks, or what stands behind the colon of a request to look at it."""
    quoted = [TermMention(*m.span(), m.group(), 1.0, False, m["q"].strip()) for m in _QUOTE.finditer(text)]
    told = None if quoted else words.references.told.search(text)
    if told is None:
        return quoted
    passage = next(name for name in ("q", "r", "t") if told[name])
    return [TermMention(*told.span(passage), told[passage], 0.9, False, told[passage].strip())]


def split_questions(text: str) -> tuple[str, ...]:
    """The questions of a message, one by one; a message with one question gives itself."""
    # A quoted passage is one thing, however many sentences it has.
    whole = _QUOTE.sub(lambda match: "\x00" * len(match.group()), text)
    parts, start = [], 0
    for cut in _SPLIT.finditer(whole):
        parts.append(text[start : cut.start()])
        start = cut.end()
    parts.append(text[start:])
    return tuple(part.strip() for part in parts if len(part.strip()) >= 2) or (text,)
