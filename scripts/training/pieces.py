"""The subword pieces: surface morphemes cut by Kiwi become the vocabulary of a Unigram tokenizer.

At run time the tokenizer alone is needed, not Kiwi: Unigram picks the likeliest cut of a word into known morphemes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from tokenizers import Regex, Tokenizer
from tokenizers.models import Unigram
from tokenizers.normalizers import NFKC, Lowercase, Replace
from tokenizers.normalizers import Sequence as Normalizers
from tokenizers.pre_tokenizers import Digits, PreTokenizer, WhitespaceSplit
from tokenizers.pre_tokenizers import Sequence as PreTokenizers

UNKNOWN = "[UNK]"
# what is no letter, mark, digit or % is noise to a bag of pieces
_NOISE = r"[^\p{L}\p{M}\p{N}%]+"


def normaliser() -> Normalizers:
    """NFKC, lower case, punctuation to spaces."""
    return Normalizers([NFKC(), Lowercase(), Replace(Regex(_NOISE), " ")])


def cutter() -> PreTokenizer:
    """White space parts words and every digit stands alone.

    No mark for the start of a word: customers leave spaces out, and '암보험' must share its pieces with '암 보험'.
    """
    return PreTokenizers([WhitespaceSplit(), Digits(individual_digits=True)])


def surface_morphemes(texts: Sequence[str], workers: int) -> Iterator[list[str]]:
    """Each text as surface strings cut where Kiwi cuts; morphemes that share a syllable stay together."""
    from kiwipiepy import Kiwi  # noqa: PLC0415  (2.5 s and 470 MB)

    kiwi = Kiwi(num_workers=workers)
    for text, tokens in zip(texts, kiwi.tokenize(texts), strict=True):
        pieces: list[str] = []
        start = end = 0
        for token in tokens:
            if token.start >= end:
                pieces.append(text[start:end])
                start, end = token.start, token.start + token.len
            else:
                end = max(end, token.start + token.len)
        pieces.append(text[start:end])
        yield [piece for piece in pieces if piece.strip()]


def build_tokenizer(pieces: Iterable[list[str]], size: int) -> Tokenizer:
    """A Unigram tokenizer of the `size` commonest pieces, with every common syllable so that little is unknown."""
    counts: Counter[str] = Counter()
    letters: Counter[str] = Counter()
    clean = normaliser()
    for text in pieces:
        for word in clean.normalize_str("\x1f".join(text).replace("\x1f", " ")).split():
            if not any(letter.isdigit() for letter in word):
                counts[word] += 1
                letters.update(word)
    for letter in (*_common_syllables(), *"0123456789%", *"abcdefghijklmnopqrstuvwxyz"):
        letters[letter] += 1
    vocabulary = {letter: counts.get(letter, 0) + 0.1 for letter in letters}
    for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if len(vocabulary) >= size or count < 2:
            break
        if len(word) <= 12:
            vocabulary[word] = float(count)
    total = sum(vocabulary.values())
    scored = [(word, math.log(count / total)) for word, count in sorted(vocabulary.items())]
    tokenizer = Tokenizer(Unigram([(UNKNOWN, min(score for _, score in scored) - 10), *scored], unk_id=0))
    tokenizer.normalizer = clean
    tokenizer.pre_tokenizer = cutter()
    return tokenizer


def _common_syllables() -> list[str]:
    """The 2,350 syllables of KS X 1001 and the single letters people type (ㅋㅋ, ㅠㅠ)."""
    rows = [bytes([high, low]).decode("euc-kr") for high in range(0xB0, 0xC9) for low in range(0xA1, 0xFF)]
    return rows + [chr(code) for code in range(0x3131, 0x3164)]


class Encoded:
    """Token ids of many texts in one array: text i is `ids[starts[i]:starts[i + 1]]`."""

    def __init__(self, tokenizer: Tokenizer, texts: Sequence[str]) -> None:
        rows: list[np.ndarray] = []
        for start in range(0, len(texts), 4096):
            batch = tokenizer.encode_batch(list(texts[start : start + 4096]), add_special_tokens=False)
            rows.extend(np.asarray(encoding.ids, dtype=np.int64) for encoding in batch)
        self.ids = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
        self.starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def rows(self, indices: Sequence[int]) -> list[np.ndarray]:
        """The ids of the chosen texts."""
        return [self.ids[self.starts[i] : self.starts[i + 1]] for i in indices]
