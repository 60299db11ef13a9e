"""One call for each of several people, ages, customers, channels or revisions that are meant at once."""

from __future__ import annotations

from typing import Any

from app.planner.arguments import plan_parts, plans_said
from app.planner.birthdays import persons_own
from app.planner.brief import Brief
from app.planner.covers import treatments_apart
from app.planner.facts import PERSONS_ARGUMENTS
from app.planner.kin import known_as
from app.planner.signatures import Signature
from app.planner.view import View

PAID_FOR = ("benefit", "event")
_SUMS = frozenset({"sum_insured", "premium", "amount"})  # 3천만원 차이 얼마: beside another, a sum insured as well
_LEAST_SUM = 500_000  # 원
_NO_PREMIUM = 5_000_000  # 원: nobody pays that a month


def for_each(wanted: list[dict[str, Any]], signature: Signature, brief: Brief, view: View) -> list[dict[str, Any]]:
    """`wanted` calls, one for each treatment, person and pair that is meant, each product with its revision."""
    wanted = _for_plans(_for_sums(_for_covers(wanted, signature, brief, view), signature, view), signature, brief, view)
    people = _for_later(_for_people(wanted, signature, brief, view), view)
    pairs = _for_pairs(people, signature, brief, view)
    return [_with_its_revision(args, view) for args in pairs]


def _for_covers(wanted: list[dict[str, Any]], signature: Signature, brief: Brief, view: View) -> list[dict[str, Any]]:
    """맹장수술하고 7일 입원하면: each treatment is paid by a cover of its own; so is each of those told before, where
    none is named now."""
    name = next((name for name in PAID_FOR if name in signature.required), None)
    told = treatments_apart(view, with_cause=name == "event") if name else ()
    if name and not (told or view.case) and brief.dialogue.shown:
        shown = brief.dialogue.shown
        items = [item for answer in (shown if shown[0].total is not None else shown[:1]) for item in answer.items]
        before = tuple(dict.fromkeys(item.group for item in items if item.code == items[0].code))[::-1]
        told = before if {args.get(name) for args in wanted} <= set(before) else ()
    if name is None or len(told) < 2:
        return wanted
    return [{**args, name: one} for args in wanted for one in told]


def _for_sums(wanted: list[dict[str, Any]], signature: Signature, view: View) -> list[dict[str, Any]]:
    """2천만원이랑 3천만원 차이: each sum insured that is said."""
    told = [m for m in view.said.money if not m.negated]
    sums = dict.fromkeys(m.amount for m in told if m.role in _SUMS and m.amount >= _LEAST_SUM)
    surely = any(m.role == "sum_insured" for m in told) or all(amount >= _NO_PREMIUM for amount in sums)
    if "sum_insured" not in signature.arguments or not surely:
        return wanted
    if len(sums) < 2 or view.said.is_correction or _own_sums(view):
        return wanted
    return [{**args, "sum_insured": amount} for args in wanted for amount in sums]


def _for_plans(wanted: list[dict[str, Any]], signature: Signature, brief: Brief, view: View) -> list[dict[str, Any]]:
    """미지급형하고 기본형 각각: each plan that is said; both of those told last (깨면 각각 얼마)."""
    if "plan" not in signature.arguments or view.said.is_correction:
        return wanted
    plans = plans_said(view)
    each = any(m.kind == "both" for m in view.said.references) or view.words.fan_out.each.search(view.said.text)
    items = brief.dialogue.shown[0].items if brief.dialogue.shown and len(plans) < 2 else ()
    told = dict.fromkeys(str(item.facts["plan"]) for item in items if item.facts.get("plan"))
    if len(told) > 1 and len({item.code for item in items}) == 1:
        _, terms = plan_parts(m.value for m in view.said.plans)
        if terms and all(m.value in terms for m in view.said.plans):  # 10년납으로 하면요, of two kinds
            plans = list(dict.fromkeys(f"{plan.split()[0]} {terms[0]}" for plan in told))
        elif not plans and each:
            plans = list(told)
    return [{**args, "plan": plan} for args in wanted for plan in plans] if len(plans) > 1 else wanted


def _own_sums(view: View) -> dict[str, int]:
    """신랑은 2천 각시는 3천: the sum insured behind each of several people."""
    own: dict[str, int] = {}
    for money in view.said.money:
        before = [m for m in view.said.people if m.role == "insured" and m.end <= money.start and not m.negated]
        if before and not money.negated and money.amount >= _LEAST_SUM:
            own.setdefault(known_as(view.words, before[-1], view.facts), money.amount)
    return own if len(own) > 1 else {}


def _for_later(wanted: list[dict[str, Any]], view: View) -> list[dict[str, Any]]:
    """3년 뒤에 들면: at the age then, and at today's where both are held against each other."""
    words = view.words.fan_out
    years = [m.years for m in view.said.durations if m.role == "horizon" and m.years and not m.negated]
    if not (view.is_for("quotes") and years and words.joins_later.search(view.said.text)):
        return wanted
    of_age = [{k: v for k, v in args.items() if k != "birth_date"} for args in wanted if "age" in args]
    ages = (0, years[-1]) if words.than_now.search(view.said.text) else (years[-1],)
    return [{**args, "age": args["age"] + more} for args in of_age for more in ages] or wanted


def _with_its_revision(args: dict[str, Any], view: View) -> dict[str, Any]:
    """뉴스타트 5차, 간편건강 13차: each product with the number that stands behind it."""
    said = view.said.revisions
    if len(said) < 2 or "revision" not in args:
        return args
    names = [m for m in view.said.products if m.code == args.get("product_code")]
    behind = [m.revision for m in said if names and m.start >= names[0].end]
    return {**args, "revision": behind[0]} if behind else args


def _for_people(wanted: list[dict[str, Any]], signature: Signature, brief: Brief, view: View) -> list[dict[str, Any]]:
    """Two people meant at once are asked for one after the other, and so are two ages (54세랑 55세 차이)."""
    # 저는 마흔 여자예요, then 남편은 45세인데: the age before was another's.
    told = view.said.ages or view.entities.ages
    ages = dict.fromkeys(m.age for m in told if m.kind == "age" and not m.approximate and not m.negated)
    named = {m.who for m in view.said.people if m.role == "insured" and not m.negated}
    several = len(ages) > 1 and not view.entities.is_correction and len(brief.facts.meant) < 2 and len(named) < 2
    if several and "age" in signature.arguments:
        unborn = [{name: value for name, value in args.items() if name != "birth_date"} for args in wanted]
        genders = [m.gender for m in view.entities.genders if not m.negated]
        if len(genders) == len(ages):  # 60남이랑 57여 합계
            return [{**args, "age": a, "gender": g} for args in unborn for a, g in zip(ages, genders, strict=True)]
        return [{**args, "age": age} for args in unborn for age in ages]
    people = [person for who in brief.facts.meant if (person := brief.facts.person(who)) is not None]
    if len(people) < 2 or "age" not in signature.arguments:
        return wanted
    taken = set(PERSONS_ARGUMENTS) & set(signature.arguments)
    own = [{n: value for n, value in persons_own(p, brief.today).items() if n in taken} for p in people]
    if "sum_insured" in signature.arguments and (sums := _own_sums(view)):
        own = [{**o, "sum_insured": sums[p.who]} if p.who in sums else o for o, p in zip(own, people, strict=True)]
    shared = [{name: value for name, value in args.items() if name not in taken} for args in wanted]
    well = "history" in signature.required and (view.said.well or view.words.health.healthy.search(view.said.text))
    healthy = {"history": "아픈 데 없음"} if well else {}
    alone = [m for m in view.said.people if not m.negated and view.said.text.startswith("만", m.end)]
    called = [any(m.who == person.who for m in alone) for person in people]
    chosen = called if any(called) else [any(m.gender == person.gender for m in alone) for person in people]
    plans = [{"plan"} if view.said.plans and any(chosen) and not one else set[str]() for one in chosen]
    return [
        {name: value for name, value in {**args, **healthy, **facts}.items() if name not in untold}
        for args in shared
        for facts, untold in zip(own, plans, strict=True)
    ]


def _for_pairs(wanted: list[dict[str, Any]], signature: Signature, brief: Brief, view: View) -> list[dict[str, Any]]:
    """'둘 다 계약 내역도': the customers spoken of; 'TM 거랑 나란히': the channel before beside the one named now."""
    facts = brief.facts
    named = list(dict.fromkeys(m.name for m in view.said.names if m.name and not m.negated))
    if "customer_name" in signature.arguments and len(named) > 1:
        rest = [{k: v for k, v in args.items() if k != "customer_id"} for args in wanted]
        return [{**args, "customer_name": name} for args in rest for name in named]
    if "customer_name" in signature.arguments and facts.customer_name and facts.earlier_customers:
        both = any(m.kind == "both" for m in view.said.references)
        names = [facts.earlier_customers[-1], facts.customer_name]
        if both and not view.entities.names:
            rest = [{k: v for k, v in args.items() if k != "customer_id"} for args in wanted]
            return [{**args, "customer_name": name} for args in rest for name in names]
    before = view.kept("channel")
    channels = [m for m in view.said.channels if not m.negated]
    if (
        before
        and len(channels) == 1
        and before != channels[0].channel
        and view.words.fan_out.side_by_side.search(view.said.text)
    ):
        return [{**args, "channel": channel} for args in wanted for channel in (before, channels[0].channel)]
    return wanted
