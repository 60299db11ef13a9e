"""Korean morphemes for keyword search: Kiwi, loaded once and lazily, with the product's own nouns in its dictionary.

Loading costs about 4 s and 500 MB, so a process holds one `Tokenizer` and calls `warm` before it serves.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from app.errors import DataFaults, Fault
from app.language.normalise import nfc
from app.messages import worded

if TYPE_CHECKING:
    from kiwipiepy import Kiwi, Token

DEFAULT_TAG = "NNP"
_AT_ONCE = 64
"""Texts that are analysed under one lock: some 10 ms, so that a question need not wait for a whole document."""
_KEPT, _LONGEST_KEPT = 256, 300
_CONTENT_TAGS = frozenset({"NNG", "NNP", "NNB", "NP", "NR", "XR", "MM", "MAG", "SL", "SN", "SH", "XPN", "XSN"})
_STEM_TAGS = ("VV", "VA")
_WORD_TAGS = frozenset({"NNG", "NNP", "NNB", "XR", "MAG", "SL"})
_ATOM = re.compile(r"(?<![A-Za-z])[A-Za-z]\d{2,8}(?:\.\d{1,2})?(?!\d)|\d+(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+")
_ATOM_TAGS = frozenset({"SL", "SN", "SF", "SP", "W_SERIAL"})
_HANGUL, _BLANK = re.compile(r"[가-힣]"), re.compile(r"\s")
# Numerals that were pulled apart: 오 십 팔, 4 만.
_NUMERALS = re.compile(
    r"(?<![가-힣])(?:[일이삼사오육칠팔구십백천만억]|[0-9]+(?= [천만억]))"
    r"(?: [일이삼사오육칠팔구십백천만억](?![가-힣]{2}))+"
)
# A message of fewer letters is a word or two.
_LEAST_UNSPACED = 9
_LONE_JAMO = re.compile(r"^[ㄱ-ㅎㅏ-ㅣᄀ-ᇿ]+$")


def load_user_words(path: Path) -> tuple[tuple[str, str], ...]:
    """`(word, tag)` of a user dictionary: a word a line, tab, tag; # starts a comment. Raises DataFaults with every
    fault."""
    faults: list[Fault] = []
    words: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        plain = line.split("#", 1)[0].strip()
        if not plain:
            continue
        word, _, tag = (part.strip() for part in plain.partition("\t"))
        tag = tag or DEFAULT_TAG
        if tag not in _WORD_TAGS:
            faults.append(
                Fault(
                    path.name, number, worded("tokenizer.unknown_tag", tag=tag, word_tags=", ".join(sorted(_WORD_TAGS)))
                )
            )
        elif word in words:
            faults.append(Fault(path.name, number, worded("tokenizer.twice", word=word)))
        else:
            words[word] = tag
    if faults:
        raise DataFaults(faults)
    return tuple(words.items())


class Tokenizer:
    """Content morphemes and sentences of Korean text. Thread-safe: `lock` is held while the analyser works. Equal texts
    give equal tokens in every process.

    `user_words`: nouns that must stay whole (product names, insurance terms), as words or `(word, tag)`.
    """

    def __init__(self, user_words: Iterable[str | tuple[str, str]] = ()) -> None:
        pairs = ((word, DEFAULT_TAG) if isinstance(word, str) else word for word in user_words)
        self._user_words = tuple(dict.fromkeys((nfc(word), tag) for word, tag in pairs if word.strip()))
        self.lock = threading.Lock()
        self._kiwi: Kiwi | None = None
        # Guards, router, knowledge and document search read the same question, each for itself.
        self._recent = lru_cache(maxsize=_KEPT)(self._tokenized)

    def warm(self) -> None:
        """Loads the analyser now (about 4 s) instead of at the first use."""
        self.morphemes("보험료가 얼마인가요")

    def morphemes(self, text: str) -> tuple[str, ...]:
        """Content morphemes in order, lower case: nouns, verb and adjective stems, adverbs, foreign words and numbers.

        Endings, particles and lone jamo are left out. A number, a product code and a KCD code are one token each;
        numbers lose their separators, so that 12,340 and 12340 match.
        """
        return tuple(form for form, _ in self.tagged(text))

    def tagged(self, text: str) -> tuple[tuple[str, str], ...]:
        """`(morpheme, tag)` as in `morphemes`; numbers carry the tag SN."""
        plain = nfc(text)
        return self._content(plain, self._analyse(plain))

    def tagged_many(self, texts: Sequence[str]) -> list[tuple[tuple[str, str], ...]]:
        """`tagged` of each text; others may ask between the parts of it."""
        plain = [nfc(text) for text in texts]
        found: list[tuple[tuple[str, str], ...]] = []
        for start in range(0, len(plain), _AT_ONCE):
            part = plain[start : start + _AT_ONCE]
            with self.lock:
                analysed = [list(self._loaded().tokenize(text)) for text in part]
            found += [self._content(text, tokens) for text, tokens in zip(part, analysed, strict=True)]
        return found

    def _content(self, plain: str, tokens: Sequence[Token]) -> tuple[tuple[str, str], ...]:
        atoms = list(_ATOM.finditer(plain))
        found: list[tuple[str, str]] = []
        done = -1
        for token in tokens:
            if token.tag in _ATOM_TAGS:
                touched = [atom for atom in atoms if atom.start() < token.end and token.start < atom.end()]
                for atom in touched:
                    if atom.start() > done:
                        found.append((atom.group().replace(",", "").lower(), "SN"))
                        done = atom.start()
                if touched or token.tag != "SL":
                    continue
            form = token.form.lower()
            if self._keeps(token.tag) and not _LONE_JAMO.match(form):
                found.append((form, token.tag))
        return tuple(found)

    def fully_tagged(self, text: str) -> tuple[tuple[str, str], ...]:
        """`(morpheme, tag)` of everything, particles, endings and marks too: what the classifiers read."""
        return tuple((token.form, token.tag) for token in self._analyse(nfc(text)))

    def placed(self, text: str) -> tuple[tuple[str, str, int, int], ...]:
        """`(morpheme, tag, start, end)` of everything, in letters of the text as NFC."""
        return tuple((token.form, token.tag, token.start, token.end) for token in self._analyse(nfc(text)))

    def morpheme_similarity(self, a: tuple[str, str], b: tuple[str, str]) -> float:
        """Cosine of two morphemes in Kiwi's own language model, -1 to 1. Raises ValueError for one it does not know."""
        with self.lock:
            return float(self._loaded().morpheme_similarity(a, b))

    def morpheme_similarities(self, a: tuple[str, str], others: Sequence[tuple[str, str]]) -> list[float]:
        """`morpheme_similarity` with each of `others`, in half the time. Raises ValueError for an unknown one."""
        with self.lock:
            compare = self._loaded().morpheme_similarity
            return [float(compare(a, other)) for other in others]

    def neighbours(self, morpheme: tuple[str, str], top: int) -> tuple[tuple[str, str, float], ...]:
        """`(form, tag, likeness)` of the morphemes most like this one, best first; () for one the model does not know.

        About 1 ms; likeness is a cosine.
        """
        with self.lock:
            try:
                found = self._loaded().most_similar_morphemes(morpheme, top_n=top)
            except ValueError:
                return ()
        return tuple((item.form, item.tag, float(item.score)) for item in found)

    def spaced(self, text: str) -> str:
        """`text` with blanks put in where a whole message has none (말로 받아 적은 글); any other text as it is."""
        plain = text.strip()
        if len(_HANGUL.findall(plain)) < _LEAST_UNSPACED or _BLANK.search(plain):
            return text
        with self.lock:
            spaced = str(self._loaded().space(plain))
        return _NUMERALS.sub(lambda row: row.group().replace(" ", ""), spaced)

    def sentences(self, text: str) -> tuple[str, ...]:
        """The sentences of a text, stripped, none empty."""
        with self.lock:
            split = self._loaded().split_into_sents(nfc(text))
            return tuple(sentence.text.strip() for sentence in split if sentence.text.strip())

    @staticmethod
    def _keeps(tag: str) -> bool:
        return tag in _CONTENT_TAGS or tag.startswith(_STEM_TAGS)

    def _analyse(self, text: str) -> tuple[Token, ...]:
        return self._recent(text) if len(text) <= _LONGEST_KEPT else self._tokenized(text)

    def _tokenized(self, text: str) -> tuple[Token, ...]:
        # Kiwi's own thread safety is not promised for one instance, and a query takes half a millisecond: one lock
        # suffices.
        with self.lock:
            return tuple(self._loaded().tokenize(text))

    def _loaded(self) -> Kiwi:
        if self._kiwi is None:
            from kiwipiepy import Kiwi  # noqa: PLC0415  heavy: 4 s and 500 MB

            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # told of 0, which meant all cores before 0.21
                # No threads of its own: the process is forked after this (adapters/fork_server.py).
                kiwi = Kiwi(num_workers=0, load_multi_dict=False)
            for word, tag in self._user_words:
                kiwi.add_user_word(word, tag)
            self._kiwi = kiwi
        return self._kiwi
