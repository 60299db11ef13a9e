"""Questions customers ask about the products, with their answers and clauses. Source: data/products/*.yaml (faqs)."""

from __future__ import annotations

from collections.abc import Sequence

from app.insurance.models import Model, Product
from app.insurance.names import name_key

TOPICS = ("갱신", "면책", "감액", "보장개시", "청구", "납입", "해지", "가입", "보장")
_TOPIC_WORDS = {
    "면책": ("면책", "대기기간"),
    "감액": ("감액", "절반지급", "삭감"),
    "보장개시": ("보장개시", "개시일", "언제부터"),
    "갱신": ("갱신", "인상"),
    "청구": ("청구", "보험금신청", "서류"),
    "납입": ("납입", "미납", "자동이체", "납부"),
    "해지": ("해지", "해약", "환급", "철회"),
    "가입": ("가입", "심사", "고지"),
    "보장": ("보장", "보상"),
}
_MAX_ITEMS = 5


class FaqItem(Model):
    """One question with its answer and the clause it rests on."""

    code: str
    name: str
    topic: str
    question: str
    answer: str
    source: str


class FaqAnswers(Model):
    """The first few questions that fit; `total` counts all of them, `topics` says what else can be asked."""

    code: str | None
    name: str | None
    topic: str | None
    items: tuple[FaqItem, ...]
    total: int
    topics: tuple[str, ...]


def read_topic(text: str | None) -> str | None:
    """The FAQ topic that words such as '면책기간' or '해약' mean; None when they mean none."""
    key = name_key(text or "")
    return next((topic for topic, words in _TOPIC_WORDS.items() if any(word in key for word in words)), None)


def look_up_faqs(products: Sequence[Product], topic: str | None) -> FaqAnswers:
    """Questions of these products on a topic, or, when the words name no topic, those that hold the words.

    Over several products every product gives its first fitting question, and the same question is told once.
    """
    known, words = read_topic(topic), name_key(topic or "")
    one = products[0] if len(products) == 1 else None
    fitting = [
        FaqItem(code=p.code, name=p.name, topic=f.topic, question=f.question, answer=f.answer, source=f.source)
        for p in products
        for f in p.faqs
        if not words or f.topic == known or (known is None and words in name_key(f.question + f.answer))
    ]
    chosen = fitting
    if one is None:
        first: dict[str, FaqItem] = {}
        for item in fitting:
            first.setdefault(item.code, item)
        chosen = list({item.question: item for item in reversed(first.values())}.values())[::-1]
    return FaqAnswers(
        code=one.code if one else None,
        name=one.name if one else None,
        topic=known or topic,
        items=tuple(chosen[:_MAX_ITEMS]),
        total=len(fitting),
        topics=tuple(t for t in TOPICS if any(f.topic == t for p in products for f in p.faqs)),
    )
