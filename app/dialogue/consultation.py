"""What a thread remembers of a consultation: who and what was told before the first proposal, and which proposal it
is."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from app.insurance.models import Gender


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Told(_Kept):
    """Somebody to be covered, as far as told: `who` is the word of the talk for them, `age` 만 나이 (세). `guessed`
    names what stands in for something that was not told."""

    who: str
    age: int | None = None
    sex: Gender | None = None
    job: str = ""
    told: tuple[str, ...] = ()
    worries: tuple[str, ...] = ()
    has: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether a proposal can be made for them."""
        return self.age is not None and self.sex is not None


class Wish(_Kept):
    """Something about a need or product, for one person by their word in the talk, or (None) for all; `amount` 원."""

    what: str
    who: str | None = None
    amount: int | None = None


class Consultation(_Kept):
    """Before the first proposal all that was told; from then on the proposal alone, which its own store keeps.

    `whos` is the word of the talk for each person of the proposal by id; `passed` the slots that were asked for and not
    answered, `asked` those of the last question; `disclosed` what was told of duties, so that it is told once. `quiet`:
    it has not begun, and holds what the talk told by the way; `signs` are what was voiced until then; `gone` who was
    left out. `at_once`: what is to be covered from the first day ("": all of it).
    """

    people: tuple[Told, ...] = ()
    budget: int | None = None
    per: Literal["household", "person"] = "household"
    worries: tuple[str, ...] = ()
    without: tuple[Wish, ...] = ()
    at_once: tuple[Wish, ...] = ()
    sums: tuple[Wish, ...] = ()
    fixed: bool = False
    passed: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    proposal: str | None = None
    version: int | None = None
    whos: dict[str, str] = {}
    disclosed: tuple[str, ...] = ()
    quiet: bool = False
    signs: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def person(self, who: str) -> Told | None:
        """What was told of somebody; None of a stranger."""
        return next((person for person in self.people if person.who == who), None)
