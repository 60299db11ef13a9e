"""Which product is meant: names, nicknames, fragments (뉴스타트, 실속, V 붙은 거), codes, typos, and kinds (암보험,
치아 쪽)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.insurance.models import Category, Product
from app.language.mentions import CategoryMention, ProductMention
from app.language.phrases import Folded, PhraseTable, fold_key, jamo_distance
from app.language.reading_words import LanguageWords


@dataclass(frozen=True, slots=True)
class _Named:
    code: str
    confidence: float


class ProductReader:
    """Reads product and category words. Built once from the products; `find` and `find_categories` are pure."""

    def __init__(self, products: Sequence[Product], words: LanguageWords, *, typos: bool = True) -> None:
        self._words, own = words, words.products
        self._codes = {product.code for product in products}
        named = [(name, _Named(p.code, 1.0)) for p in products for name in _full_names(words, p)]
        full = [(name, value) for name, value in named if _is_long(name)]
        known = {fold_key(name) for name, _ in named}
        fragments = [
            (name, _Named(code, confidence))
            for name, code, confidence in _fragments(words, products)
            if fold_key(name) not in known
        ]
        self._marks = _letter_marks(words, products)
        self._full: PhraseTable[_Named] = PhraseTable(
            [*full, *((n, v) for n, v in fragments if _is_long(n))], typos=typos
        )
        self._short: PhraseTable[_Named] = PhraseTable((n, v) for n, v in (*named, *fragments) if not _is_long(n))
        categories: list[tuple[str, tuple[Category | None, bool]]] = []
        for category, called in own.category_words.items():
            categories += [(word, (category, False)) for word in called]
            categories += [(f"간편{word}", (category, True)) for word in called if len(word) > 2]
        categories += [(word, (None, True)) for word in own.simple_words]
        self._categories: PhraseTable[tuple[Category | None, bool]] = PhraseTable(categories)

    def find(self, folded: Folded) -> list[ProductMention]:
        """Products named, in order of appearance, each span once."""
        words = self._words.products
        text = folded.text
        found: list[ProductMention] = []
        for match in words.code.finditer(text):
            code = f"B{match.group(1)}"
            found.append(ProductMention(*match.span(), match.group(), 1.0, False, code, code not in self._codes))
        taken = [(m.start, m.end) for m in found]
        for hit in self._full.find(folded, taken):
            mention = self._mention(text, hit.start, hit.end, hit.value, hit.confidence)
            found.append(mention)
            taken.append((hit.start, mention.end))
        for hit in self._short.find(folded, taken):
            # 335 특약: a number is no everyday word that 특약 would make one of (실버 특약).
            if not (words.counted if hit.phrase.isdecimal() else words.weak).match(text, hit.end):
                found.append(self._mention(text, hit.start, hit.end, hit.value, hit.confidence))
                taken.append((hit.start, found[-1].end))
        found.extend(self._marked(text, taken))
        return self._told_apart(text, sorted(found, key=lambda mention: mention.start))

    def find_categories(self, folded: Folded, taken: Iterable[tuple[int, int]]) -> list[CategoryMention]:
        """Kinds of product outside the spans of `taken`."""
        return [
            CategoryMention(hit.start, hit.end, folded.text[hit.start : hit.end], 0.9, False, *hit.value)
            for hit in self._categories.find(folded, taken)
            if not (
                hit.phrase == "사망보험" and folded.text.startswith("금", hit.end)
            )  # 사망보험금: a sum, no insurance
        ]

    def _mention(self, text: str, start: int, end: int, named: _Named, confidence: float) -> ProductMention:
        # '더건강한 치아 V': a lone letter right behind a name may be the letter that tells two products apart.
        rest = self._words.products.insurance.match(text, end)
        if rest and jamo_distance(rest.group(1), "보험", 1) <= 1 and not text[start:end].endswith("보험"):
            end = rest.end()  # 실속치매보혐: the mistyped rest of the name belongs to it
        tail = re.match(r"\s?([A-Za-z])(?![A-Za-z])", text[end : end + 3])
        if tail and (marked := self._marks.get(tail.group(1).lower())):
            return ProductMention(start, end + tail.end(), text[start : end + tail.end()], confidence, False, marked)
        return ProductMention(start, end, text[start:end], round(named.confidence * confidence, 2), False, named.code)

    def _marked(self, text: str, taken: Sequence[tuple[int, int]]) -> list[ProductMention]:
        """'V 붙은 거', 'V는': a product told by the letter in its name."""
        words = self._words.products
        found = []
        listed = [
            match
            for match in words.v_in_row.finditer(text)
            if words.row_before.search(text[: match.start()])
            or any(end <= match.start() <= end + 1 or match.end() <= start <= match.end() + 1 for start, end in taken)
        ]
        around = {
            match.start(): match for match in (*listed, *words.v_first.finditer(text), *words.v_around.finditer(text))
        }
        for match in around.values():
            code = self._marks.get(match["mark"].lower())
            inside = any(start <= match.start() < end for start, end in taken)
            if code is not None and not inside:
                found.append(ProductMention(match.start("mark"), match.end(), match["mark"], 0.8, False, code))
        for mark, code in self._marks.items():
            name = words.letter_names.get(mark)
            if name is None:
                continue
            read = re.finditer(rf"(?<![가-힣]){name}(?=\s?(?:붙은|거|것|는|로|도|$))", text)
            found.extend(ProductMention(*m.span(), m.group(), 0.7, False, code) for m in read)
        return found

    def _told_apart(self, text: str, found: list[ProductMention]) -> list[ProductMention]:
        """'더건강 V 실버 셋': a name and a letter behind a blank are two products where the message counts one more."""
        counts = {
            2 if m["two"] else 3
            for m in self._words.products.how_many.finditer(text)
            if m["thing"] or m.group() in "둘셋"
        }
        joined = [m for m in found if re.search(r"\s[A-Za-z]$", m.text)]
        if len(joined) != 1 or len(found) + 1 not in counts:
            return found
        whole = joined[0]
        name = self._short.get(whole.text[:-2]) or self._full.get(whole.text[:-2])
        if name is None or name.code == whole.code:
            return found
        cut = whole.end - 2
        stem = ProductMention(whole.start, cut, text[whole.start : cut], name.confidence, False, name.code)
        mark = ProductMention(whole.end - 1, whole.end, text[whole.end - 1], 0.8, False, whole.code)
        at = found.index(whole)
        return [*found[:at], stem, mark, *found[at + 1 :]]


def _is_long(name: str) -> bool:
    """Bare numbers wait until the longer names had their turn: a mistyped 체우는335 is more than 335."""
    key = fold_key(name)
    return len(key) >= 3 and not key.isdecimal()


def _full_names(words: LanguageWords, product: Product) -> list[str]:
    names = [product.name, product.official_name, *product.nicknames]
    names += [re.sub(r"\s*무배당\s*|\(.*?\)", "", product.official_name)]
    for name in tuple(names):
        for latin, hangul in words.products.latin_head.items():
            # THE건강한치아보험V is typed 더건강한치아보험V; without the letter it would be the other product's name.
            if name.lower().startswith(latin) and words.products.latin_tail.match(name):
                names.append(hangul + name[len(latin) :])
    return [name for name in dict.fromkeys(names) if len(fold_key(name)) >= 2]


def _fragments(words: LanguageWords, products: Sequence[Product]) -> list[tuple[str, str, float]]:
    """Short forms made from the names, kept where only one product has them: 뉴스타트, 첫날, 실속, 335."""
    owners: dict[str, set[str]] = {}
    texts: dict[str, str] = {}
    for product in products:
        for piece in _pieces(words, product):
            key = fold_key(piece)
            owners.setdefault(key, set()).add(product.code)
            texts[key] = piece
    kept = []
    for key, codes in owners.items():
        if len(codes) == 1 and len(key) >= 2 and key not in words.products.everyday and not key.isdecimal():
            kept.append((texts[key], next(iter(codes)), 0.9 if len(key) >= 4 else 0.75))
        elif len(codes) == 1 and key.isdecimal() and len(key) >= 3:
            kept.append((texts[key], next(iter(codes)), 0.7))
    return kept


def _pieces(words: LanguageWords, product: Product) -> list[str]:
    name = product.name
    pieces = [name.removesuffix("보험")]
    letters = words.products.latin_tail.match(name)
    stem = (letters["stem"] if letters else name).removesuffix("보험")
    if letters:
        pieces += [f"{stem}{letters['mark']}", stem]
    core = stem.removesuffix(product.category)
    pieces += [core, re.sub(r"(?<=[가-힣])(?:한|부터)$", "", core)]
    if re.search(r"\d", name):
        pieces += re.findall(r"\d+", name) + re.findall(r"^[가-힣]+(?=\d)", name)
    # 간편건강325 is called 325 beside 335.
    pieces += [number for nickname in product.nicknames for number in re.findall(r"\d{3,}", nickname)]
    # 치매간병보험 -> 간병: what is left when the kind stands in front.
    if name.startswith(product.category):
        pieces.append(name.removeprefix(product.category).removesuffix("보험"))
    return pieces


def _letter_marks(words: LanguageWords, products: Sequence[Product]) -> dict[str, str]:
    marks: dict[str, list[str]] = {}
    for product in products:
        if (letters := words.products.latin_tail.match(product.name)) and len(letters["mark"]) == 1:
            marks.setdefault(letters["mark"].lower(), []).append(product.code)
    return {mark: codes[0] for mark, codes in marks.items() if len(codes) == 1}
