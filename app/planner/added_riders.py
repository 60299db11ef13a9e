"""Which riders a premium is asked with: those named, or the one that the talk is of (그거 담으면 얼마 더 내요)."""

from __future__ import annotations

from app.planner.view import View

_PAID_FOR = ("rider", "benefit")
_MOST = 4


def added_riders(view: View) -> list[str] | None:
    """The riders to be added, in the words that name them; those of the call before while the premium is asked anew.
    None where none is to be added."""
    words = view.words.added_riders
    if words.without.search(view.said.text):
        return None
    if not words.adds.search(view.said.text):
        return view.kept("riders") if not view.said.products else None
    told = [m.rider for m in view.said.riders if not m.negated]
    told += [m.benefit for m in view.said.benefits if not m.negated and not _within(m.text, told)]
    told += [] if told else [m.coverage_type for m in view.said.coverages if not m.negated]
    if told:
        return list(dict.fromkeys(told))[:_MOST]
    called = words.called.search(view.said.text)
    return [called["name"]] if called else _spoken_of(view)


def _within(text: str, names: list[str]) -> bool:
    return any(text in name for name in names)


def _spoken_of(view: View) -> list[str] | None:
    """The rider that the last calls were of."""
    given = [*view.facts.calls.values(), view.facts.last_args or {}]
    found = [str(args[name]) for args in reversed(given) for name in _PAID_FOR if args.get(name)]
    return found[:1] or None
