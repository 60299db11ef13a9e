"""What is paid for and what it is called: benefits, riders, diseases, treatments, goals and the subject of a script."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from app.insurance.events import accident_in
from app.planner.happened import after_accident, caused, died, of_its_own, of_the_cause, stay
from app.planner.news import DEATH
from app.planner.subjects import another, names, subject
from app.planner.view import View
from app.planner.words import PlannerWords

_A_WORD = 2
_SEVERAL = 2
# letters between an illness and a treatment that is not called by it
_APART = 3
_SEVERE = 3


def _dental(words: PlannerWords, text: str) -> str | None:
    return next((name for said, name in words.covers.said_as if said.search(text)), None)


def _staged(view: View, name: Any) -> Any:
    """치매 by its stage, 등급 by what is graded, an operation by its class: the words that say which one is paid."""
    words = view.words.covers
    text = view.said.text
    # 경도면 얼마 주고 중증이면 얼마 주는지: each part of a message names its own
    own = words.stage.search(view.question) if view.question in text else None
    stage = own or words.stage.search(text)
    if stage and words.then.match(text, stage.end()):
        stage = next(words.stage.finditer(text, stage.end()), stage)  # 경도로 받고 나중에 중증 되면: what is paid then
    elif stage and words.stage_paid.match(stage.string, stage.end()):
        stage = None
    about = str(name or view.kept("benefit") or view.facts.benefit or "") + " ".join(view.facts.kinds)
    if (rated := words.rated.search(text)) and ("치매" in about or "CDR" in text):
        return f"{words.stage_of_cdr[min(int(rated['points'] or rated['bare']), _SEVERE)]}치매"
    if stage and stage.group() in str(name or ""):
        return name  # 중증치매간병비 is a cover of its own
    if stage and ("치매" in about or name in words.how_often):
        return f"{words.stage_called.get(stage.group(), stage.group())}치매"
    if (grade := words.grade.search(text)) and (name is None or str(name).endswith("등급")):
        return f"장기요양{grade.group().replace(' ', '')}"
    kind = words.operation_class.search(text)
    if kind and name in (None, "수술", "수술비") and "수술" in about:
        return f"{kind['class'] or kind['one']}종 수술"
    return name


def _subject(view: View) -> Any:
    """The disease, treatment or benefit that the question is about."""
    diseases = [m for m in view.entities.medical if not m.negated]
    # A disease with a code says more than a treatment word (담석 제거 수술), and a longer name more than its part.
    best = max(diseases, key=lambda m: (m.code is not None, m.end - m.start), default=None)
    if best and best.code is None:  # 입원했는데: what was done, by its noun
        done = [m.claim_type for m in view.entities.claims if best.start <= m.start < best.end and not m.negated]
        return done[0] if done else best.term
    return best.term if best else paid_for(view) or view.first("claims", "claim_type")


def _illness_of_a_kind(view: View) -> str | None:
    """The illness that a kind of insurance is called after, where that is all that is named (암이면)."""
    words = view.words.covers
    kinds = (m.category for m in view.entities.categories if m.category in words.illnesses and not m.negated)
    bare = words.bare_illness.search(view.said.text)
    return next(kinds, None) or (bare["kind"] if bare else None)


def benefit(view: View) -> Any:
    """What is paid for. 치과 치료 받으면 얼마 does not say which treatment."""
    words = view.words.covers
    if view.facts.event and not (_cover_named(view) or view.said.riders or view.said.coverages):
        return view.facts.event
    if died(view):
        return words.dead
    told = of_the_cause(view, _benefit(view))
    if told in words.any_dental:
        return view.kept("benefit")
    of_accident = told in (words.dead, _treated(view)) or accident_in(str(told)) is not None
    if told and told == _treated(view) and (known := after_accident(view, told)):
        return known
    return (_by_accident(view) if of_accident else None) or told


def _benefit(view: View) -> Any:
    paid = _staged(view, paid_for(view))
    return (
        (_dental(view.words, view.said.text) if paid in (None, "충치", "치과 치료") else None)
        or paid
        or view.first("riders", "rider")
        or (_treated(view) if _by_illness(view) and not view.said.benefits else None)
        or next((m.term for m in reversed(view.entities.medical) if m.code is not None and not m.negated), None)
        or _diagnosed(view)
        or view.first("coverages", "coverage_type")
        or _treated(view)
        or view.first("medical", "term")
        or _illness_of_a_kind(view)
        or of_its_own(view)
        or stay(view)
        or view.kept("benefit")
        or view.facts.benefit
        or next(iter(_before(view)), None)
        or (view.facts.claim_type if view.facts.claim_type in view.words.covers.treatments else None)
    )


def _diagnosed(view: View) -> str | None:
    """간암이면 … 진단금 다 합쳐 얼마: the illness that another part of the message tells is what is diagnosed."""
    of_a_diagnosis = view.first("coverages", "coverage_type") == view.words.covers.diagnosed
    told = (m.term for m in reversed(view.said.medical) if m.code is not None and not m.negated)
    return next(told, None) if of_a_diagnosis else None


def paid_for(view: View) -> Any:
    """간병비는 매달 나오나: what is paid for, not how often; 입원하면 by its noun."""
    words = view.words.covers
    told = [m for m in view.entities.benefits if not m.negated]
    once = [m for m in told if m.benefit not in words.how_often]
    # 유치 크라운: of two words that stand together the one that fewer covers have
    wide = [
        max(pair, key=lambda m: len(m.benefits))
        for pair in pairwise(once)
        if not view.entities.text[pair[0].end : pair[1].start].strip() and pair[0].end <= pair[1].start
    ]
    rare = {m.benefit for m in told} - {m.benefit for m in wide}
    named = [words.noun.sub("", m.benefit) for m in told if not wide or m.benefit in rare]
    named = [words.dead if words.dying.match(name) else name for name in named]
    return next((name for name in reversed(named) if name not in words.how_often), named[-1] if named else None)


def treatments_apart(view: View, *, with_cause: bool) -> tuple[str, ...]:
    """The treatments that a message tells beside each other, in order, an illness before them that is none of their
    names; none where it tells fewer than two. `with_cause`: an illness that led to them (대장암으로 수술), too."""
    words = view.words.covers
    told = [(m.start, m.end, words.noun.sub("", m.benefit)) for m in view.entities.benefits if not m.negated]
    told += [(m.start, m.end, m.claim_type) for m in view.entities.claims if not m.negated]
    # 맹장수술 says more than 수술
    told = [(s, e, name) for s, e, name in told if not any(a <= s and e <= b and b - a > e - s for a, b, _ in told)]
    treated = {s: (s, e, name) for s, e, name in told if any(name.endswith(kind) for kind in words.treatments)}
    names = dict.fromkeys(name for _, (_, _, name) in sorted(treated.items()))
    kinds = {kind for name in names for kind in words.treatments if name.endswith(kind)}
    if not kinds or len(kinds) < len(names):
        return ()
    first = min(treated)
    text = view.entities.text
    named = [(m, m.start + len(m.text)) for m in view.entities.medical if m.code is not None and not m.negated]
    named = [(m, end) for m, end in named if end <= first]  # what it is noted as may hold the treatment, too
    ill = [m for m, end in named if end + _APART <= first or (with_cause and words.led_to.match(text, end))]
    if len(names) == 1 and any(words.led_to.match(text, end) for _, end in named):
        return ()  # 폐렴으로 3주 입원: one thing
    found = (*(m.term for m in ill[-1:]), *names)
    return found if len(found) >= _SEVERAL else ()


def _treated(view: View) -> Any:
    """입원을 5일 하면 하루 얼마: what is done to a patient is also what the money is paid for."""
    said = view.first("claims", "claim_type")
    return said if said in view.words.covers.treatments else None


def event(view: View) -> Any:
    """What happened: said now, asked about before, or told earlier in the talk. 사고가 났는데 이런 것도 되나요 tells
    nothing yet."""
    words = view.words.covers
    if words.vague_event.search(view.said.text) and not view.entities.medical:
        return view.kept("event")
    if own := of_its_own(view):
        return own
    if view.facts.event and not _cover_named(view):
        return view.facts.event
    if died(view):
        return words.dead
    if (of_cause := of_the_cause(view, _subject(view) or view.kept("event"))) in words.accident_pays.values():
        return of_cause
    if (treated := _treated(view) or stay(view)) and (known := after_accident(view, treated)):
        return known
    told = view.facts.diagnosis or view.facts.benefit
    if view.facts.diagnosis and _subject(view) in words.classes_of_cancer:
        return view.facts.diagnosis  # 일반암으로 쳐 주나요, of the C73 told before: what it counts as
    if treated := _by_accident(view) or _by_illness(view):
        return treated
    named = _staged(view, _subject(view)) or _illness_of_a_kind(view) or stay(view)
    if known := named or view.kept("event") or next(iter(_before(view)), None) or told:
        return known
    return None if words.untold.search(view.said.text) else subject(view, "event")


def _by_accident(view: View) -> str | None:
    """The treatment or death that an accident brings about: said now, or spoken of before (사고면?)."""
    words = view.words.covers
    if any(m.code is not None and not m.negated for m in view.said.medical) or accident_in(view.said.text) is None:
        return None
    before = str(view.kept("event") or _benefit_before(view) or "")
    before = words.dead if words.dying.match(before) else before
    treated = words.dead if words.dying.search(view.said.text) else _treated(view)
    treated = treated or (before if before in (*words.treatments, words.dead) else None)
    return str(caused(view, treated)) if treated else None


def _by_illness(view: View) -> str | None:
    """폐렴으로 15일 입원했어요: the illness with the treatment that it led to, each of which may be paid for."""
    words = view.words.covers
    ill = [m for m in view.said.medical if m.code is not None and not m.negated]
    treated = [m for m in view.said.claims if m.claim_type in words.treatments and not m.negated]
    text, starts = view.said.text, [m.start for m in treated]
    # 담석 수술: right behind it
    led = next((m for m in ill if words.led_to.match(text, m.end) or m.end + 1 in starts), None)
    after = next((m for m in treated if led is not None and m.start > led.end), None)
    return f"{led.term} {after.claim_type}" if led is not None and after is not None else None


def _cover_named(view: View) -> bool:
    """A cover is named that is no illness (유족생활자금): of the illness somebody died."""
    illnesses = {(m.start, m.end) for m in view.said.medical}
    return any(not m.negated and (m.start, m.end) not in illnesses for m in view.said.benefits)


def _benefit_before(view: View) -> Any:
    """The benefit just looked up: a date told after 레진은 얼마 나와요 asks about the 레진."""
    return (view.facts.last_args or {}).get("benefit") if view.after("pays") else None


def rider(view: View) -> Any:
    """A rider by its name, or one of the list just shown: by its place, the one spoken of last, or the first."""
    named = view.first("riders", "rider") or _called_rider(view) or view.first("benefits", "benefit")
    pointed = any(m.kind in ("that", "same") for m in view.said.references) and not view.said.riders
    if pointed and view.kept("rider"):
        return view.kept("rider")  # 그거 조건에 뇌출혈도 들어가요: of the rider just told
    if named:
        return named
    shown = view.facts.shown_riders
    for reference in view.said.references:
        if reference.kind == "ordinal" and -len(shown) <= reference.index < len(shown):
            return shown[reference.index]
    if another(view):
        return None
    return view.kept("rider") or view.facts.benefit or (shown[0] if shown else subject(view, "rider"))


def _called_rider(view: View) -> str | None:
    """어린이치아치료 특약: a rider called by a name of its own."""
    words = view.words.covers
    called = words.called_rider.search(view.question) or words.called_rider.search(view.said.text)
    return f"{called['name']} 특약" if called else None


def term(view: View) -> Any:
    words = view.words.covers
    said = view.first("medical", "term") or view.first("benefits", "benefit")
    if (stage := words.stage.search(view.said.text)) and said in (None, "치매"):
        return f"{words.stage_called.get(stage.group(), stage.group())}치매"
    if (grade := words.grade.search(view.said.text)) and (said is None or str(said).endswith("등급")):
        return f"장기요양 {grade.group()}"
    if len(str(said or "")) < _A_WORD and (scale := words.scale.search(view.said.text)):
        return scale.group()  # CDR 몇 점: what is measured, not the points
    return said or subject(view, "term") or view.kept("term")


def topic(view: View) -> Any:
    words = view.words.covers
    if view.is_for("writes_text"):
        script, said = view.first("scripts", "value"), words.script_subject.search(view.said.text)
        if script in words.any_script:
            about = said.group() if said else view.first("benefits", "benefit") or view.first("topics", "value")
            return about or (script if script == "설명" else subject(view, "topic") or view.kept("topic") or script)
        if said and ("환급" in said.group() or said.group() == "미지급") and "금" not in str(script):
            return f"해약환급금 {'미지급형' if '미지급' in view.said.text else ''}".strip()
        return script or view.first("topics", "value") or subject(view, "topic") or view.kept("topic")
    told = words.faq.search(view.said.text)
    return view.first("topics", "value") or (told.group().replace(" ", "") if told else None)


def goal(view: View) -> Any:
    words = view.words.covers
    said = view.first("goals", "value") or view.first("benefits", "benefit") or view.first("medical", "term")
    kind = _illness_of_a_kind(view)
    if view.is_for("suggests_sum"):
        # 암 걸리면 일 못하니까: the illness in front is what the money is for.
        said = words.dead if said and words.death.search(str(said)) and not kind else said
        return kind or said or (words.dead if words.death.search(view.said.text) else None) or view.facts.goal or None
    if not said and (told := words.goal_said.search(view.said.text)) and names(view.words, told["goal"], "goal"):
        return told["goal"]
    if said:
        # 표적항암 쪽으로, 유방암이 걱정돼서: the narrower word that holds the goal says more than the goal.
        narrower = (view.first("benefits", "benefit"), view.first("medical", "term"))
        return next((str(name) for name in narrower if name and str(said) in str(name)), said)
    return view.kept("goal") or view.facts.goal or subject(view, "goal")


def treatments(view: View) -> list[str] | None:
    """Treatments that fall together, by whatever name they were called."""
    words = view.words.covers
    named = [m.benefit for m in view.entities.benefits if not m.negated and m.benefit not in words.how_often]
    if (dental := _dental(view.words, view.said.text)) and dental not in named:
        named.append(dental)
    named += [m.coverage_type for m in view.entities.coverages]
    spans = [(m.start, m.end) for m in view.entities.benefits]
    apart = [m for m in view.entities.claims if not any(s < m.end and m.start < e for s, e in spans)]
    named += [m.claim_type for m in apart if not (named and m.claim_type == "치과 치료")]
    found = list(dict.fromkeys(named))
    if len(found) == 1 and words.also_done.search(view.said.text) and words.fall_together.search(view.said.text):
        found = list(dict.fromkeys([*_before(view), *found]))  # 수술도 같이 받았는데: beside what was spoken of
    return found or view.kept("treatments") or (_before(view) or None)


def _before(view: View) -> list[str]:
    """The benefit or event of the call before."""
    last = view.facts.last_args or {}
    told = last.get("treatments") or [last[name] for name in ("benefit", "event") if last.get(name)]
    return [str(name) for name in told]


def asked_for(view: View) -> str | None:
    """The words that name a rider; 채우는335에도 있어요? asks for the one just spoken of."""
    if names(view.words, view.without_products(), "rider") and (found := subject(view, "keyword")):
        return found
    if kind := next((m.category for m in view.entities.categories if m.category in view.words.covers.illnesses), None):
        return kind  # 암 관련 특약만: a kind of insurance is also what it is for
    if another(view):
        return None
    last = view.facts.last_args or {}
    kept = last.get("keyword") or last.get("rider") or last.get("benefit") or last.get("event")
    return str(kept) if kept else view.facts.benefit


def claim_type(view: View) -> Any:
    """What is claimed for: the kind said, a kind of insurance said with it (치아 청구), or the one before."""
    # 입원은 서류 뭐 떼요: made to stand alone, the question holds the operation spoken of before
    part = view.question in view.said.text
    source = view.entities if part or not view.said.claims else view.said
    names = [(m.start, m.end) for m in source.products]
    told = [m for m in source.claims if not m.negated]
    of_name = [m for m in told if any(start <= m.start and m.end <= end for start, end in names)]
    said = [m.claim_type for m in told if m not in of_name]
    # Who claims for another, and how, says nothing of what is claimed.
    telling = [name for name in said if name != "대리 청구"]
    if telling and view.facts.claim_type == DEATH:
        return DEATH  # 교통사고로 가버렸어요: the reader knows that it was their death
    kinds = [m.category for m in view.entities.categories if m.category in view.words.covers.claimed and not m.negated]
    named = re.match(r"\s?(?P<kind>암|치아|치매)\s?(?:진단금|진단비|보험금)?\s?청구", view.said.text)
    of_kind = kinds[-1] if kinds and "청구" in view.said.text else named["kind"] if named else None
    earlier = reversed(view.facts.calls.values())
    guided = next((given["claim_type"] for given in earlier if given.get("claim_type")), None)
    together = ", ".join(view.facts.claims) if len(view.facts.claims) > 1 else None
    own = (telling[-1] if telling else None) or of_kind or (said[-1] if said else None)
    return own or together or view.facts.claim_type or guided or (of_name[-1].claim_type if of_name else None)
