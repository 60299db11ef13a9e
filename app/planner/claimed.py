"""What is claimed, as a message tells it in the light of the talk, and what is judged for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.insurance.claims import named_claims
from app.insurance.reference import ClaimType
from app.language.mentions import Entities
from app.planner.facts import Facts
from app.planner.news import DEATH


def claim_told(
    claims: Mapping[str, ClaimType], spoken: Entities, facts: Facts, *, died: bool, hypothetical: bool
) -> dict[str, Any]:
    """The changes of `claim_type` and `event`. Once a death was told (`died`: in this message), an illness or an
    accident is what it came from; what is only supposed changes no claim."""
    kinds = [m.claim_type for m in spoken.claims if not m.negated]
    together = facts.claims if hypothetical else _together(claims, spoken, kinds, facts)
    claimed = DEATH if died else kinds[-1] if kinds else facts.claim_type
    before = claims.get(facts.claim_type or "")
    if before and facts.event and claimed in before.causes:
        claimed = before.name
    if hypothetical and facts.claim_type:
        claimed = facts.claim_type
    kind = claims.get(claimed or "")
    if kind is None or not kind.event or not (facts.event or died):
        return {"claim_type": claimed, "event": None, "claims": together}
    causes = [kind.causes[name] for name in kinds if name in kind.causes]
    illness = any(not m.negated and m.code for m in spoken.medical)
    event = kind.event if illness else facts.event or kind.event
    return {"claim_type": claimed, "event": causes[-1] if causes else event, "claims": ()}


def _together(claims: Mapping[str, ClaimType], spoken: Entities, kinds: Sequence[str], facts: Facts) -> tuple[str, ...]:
    """The kinds told in one message, by illness and by treatment; those told before
    while no other is named."""
    illnesses = [m.term for m in spoken.medical if not m.negated and m.code]
    named = [kind.name for term in illnesses for kind in named_claims(tuple(claims.values()), term)[:1]]
    told = tuple(dict.fromkeys([*named, *kinds]))
    return facts.claims if set(told) <= set(facts.claims) else told
