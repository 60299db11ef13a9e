"""When a talk becomes a consultation: what was voiced and told so far, and what the newest message is of. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.consulting.hearing import Heard
from app.dialogue.consultation import Consultation, Told

Sign = str
WISH: Sign = "wish"  # to take something out, or to hear what one could
PRICE: Sign = "price"  # a premium was asked for
PRODUCT: Sign = "product"  # a product was named
KIND: Sign = "kind"  # a kind of insurance was named
# The share from which the form surely asks for a recommendation, and from which it may.
SURELY, MAYBE = 0.6, 0.3


@dataclass(frozen=True)
class Message:
    """The newest message: as heard, whether it `asks` something of the products or the company, whether it only tells
    something (`informs`), and the share to which its form asks for a recommendation."""

    heard: Heard
    asks: bool
    informs: bool
    recommend: float = 0.0

    @property
    def advises(self) -> bool:
        """Whether it asks to be advised."""
        return self.heard.advises or self.recommend >= SURELY


def signs_of(message: Message, before: Iterable[Sign]) -> tuple[Sign, ...]:
    """The signs of the talk with the newest message."""
    heard = message.heard
    found = {
        WISH: message.advises or heard.wants or message.recommend >= MAYBE,
        PRICE: heard.prices, PRODUCT: bool(heard.products), KIND: bool(heard.kinds),
    }  # fmt: skip
    return tuple(sorted({*before, *(sign for sign, is_so in found.items() if is_so)}))


def begins(message: Message, quiet: Consultation) -> bool:
    """Whether the consultation begins with a message; `quiet` is what was told before it.

    Asked outright: not of one product, nor of one kind for one person. Else where what a proposal lives on is told and
    nothing is asked of the products: what it may cost, a worry, the people themselves.
    """
    heard, signs = message.heard, set(signs_of(message, quiet.signs))
    if heard.products or (heard.prices and message.recommend < SURELY):
        return False
    named, several = PRODUCT in signs, _several(heard, quiet)
    knows = bool(_known(heard, quiet)) or heard.budget is not None or several
    if (heard.advises or (message.advises and knows)) and not (heard.business and message.asks):
        if named:
            return heard.advises and message.recommend >= SURELY and not heard.kinds
        if KIND in quiet.signs and message.recommend < SURELY and not (several or heard.budget):
            return False  # 그럼 큰딸이 들 만한 건요, of a kind
        if not heard.kinds or (several and heard.kinds > 1):
            return True
        told = message.informs or message.recommend >= MAYBE
        return told and heard.budget is not None and bool(_known(heard, quiet)) and several
    if named or PRICE in signs or (heard.business and message.asks):
        return False
    known, asks = _known(heard, quiet), message.asks and not heard.skips
    if heard.skips:
        return (heard.wants or WISH in signs) and bool(known)
    if heard.budget is not None:
        if heard.kinds and not (message.informs or heard.without or heard.worried):
            return False  # 월 5만원 안으로 암보험 되나요: of a kind
        return not heard.kinds and KIND not in signs if asks and heard.wants else not asks
    if asks or not known or WISH not in signs:
        return False
    if heard.worried or heard.without or heard.only or (quiet.budget is not None and heard.tells):
        return True
    # 동생은요? asks the question before of somebody else.
    return message.informs and bool(heard.people or heard.row) and (several or KIND not in signs)


def _several(heard: Heard, quiet: Consultation) -> bool:
    whos = {person.who for person in (*quiet.people, *heard.people)} | set(heard.named)
    return heard.household or heard.couple or len(whos - set(heard.gone)) > 1


def _known(heard: Heard, quiet: Consultation) -> list[Told]:
    """Those of whom an age is told."""
    return [person for person in (*quiet.people, *heard.people) if person.age is not None]
