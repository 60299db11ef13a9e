"""Speaking: one template a tool, filled with the figures of its result and nothing else; by shape without one."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, UndefinedError

from app.answering.shapes import Spoken, Telling, spoken
from app.answering.words import FieldWords
from app.language.formatting import answer_environment, code_suffix, josa, won
from app.messages import worded
from app.planner.moves import Done, Say
from app.toolbox.declared import Declarations
from app.tools.needs import choice_field
from app.tools.results import NeedsInput

_CODE = re.compile(r"\s?\(B\d{8}\)|\s?B\d{8}(?:_\d+_S)?")
log = logging.getLogger(__name__)

_ADDED_UP = 2
_SEVERAL = 2
TOGETHER = worded("speak.check")
NOT_FOUND = worded("speak.unknown")


class Speaker:
    """Renders results into short, polite Korean."""

    def __init__(self, templates: Path, words: FieldWords, environment: Environment | None = None) -> None:
        """`words` are those of results without a template; `environment` has the templates of another language."""
        self._words = words
        self._environment: Environment = environment or answer_environment(templates / "answers")
        self._templates = frozenset(self._environment.list_templates())

    def tell(
        self,
        done: Sequence[Done],
        facts: dict[str, Any],
        *,
        declared: Declarations,
        show_codes: bool,
        total: bool = False,
        tellings: Mapping[str, Telling] | None = None,
    ) -> Say:
        """The answer made of this turn's results, in the order they were found. `declared` is what the tools say of
        themselves, `tellings` what is known of those that answered, by name."""
        lacking = [NeedsInput.model_validate(item.data) for item in done if item.kind == "NeedsInput"]
        good = [item for item in done if item.ok]
        parts: list[str] = []
        grounds: list[str] = []
        shapes: set[str] = set()
        told: set[int] = set()
        for position, item in enumerate(good):
            if position in told:
                continue
            same = [p for p in range(position, len(good)) if good[p].tool == item.tool]
            if len(same) > 1 and self._has(f"{item.tool}_many.j2"):
                told.update(same)
                searches = [g.data for g in good[:position] if declared.has(g.tool, "finds_products")]
                text, said = self._many([good[p] for p in same], facts, show_codes, total, searches)
                parts.append(text)
                grounds += said
                continue
            if declared.has(item.tool, "finds_products") and _is_step(item, good[position + 1 :]):
                continue
            made = self._by_template(item, facts, show_codes)
            if made is None:
                shaped = self._by_shape(item, tellings or {})
                grounds += shaped.grounds
                shapes.add(made := shaped.text)
            parts.append(made)
        parts = without_repeats(parts, shapes)
        if good and (failed := [str(item.data["message"]) for item in done if item.kind == "Error"]):
            parts.append("\n".join(f"• {message}" for message in dict.fromkeys(failed)))
        asks = None
        if lacking:
            parts.append(self.ask(_joint(lacking)).text)
        elif same_name := next((item.data for item in good if item.kind == "SameName"), None):
            ids = [f"{row['id']}" for row in same_name["customers"]]
            field = choice_field("customer_id", worded("speak.customer_number"), ids)
            asks = NeedsInput(fields=(field,), reason=worded("speak.same_name"))
        if not parts:
            parts = list(dict.fromkeys(str(item.data.get("message", NOT_FOUND)) for item in done)) or [NOT_FOUND]
        text = "\n\n".join(parts)
        return Say(text if show_codes else without_codes(text), tuple(grounds), asks)

    def ask(self, needs: NeedsInput) -> Say:
        """The question back for everything that is missing."""
        return Say(
            self._render("needs_input.j2", r=needs.model_dump(mode="json"), facts={}, show_codes=False),
            grounds=tuple(option.label for field in needs.fields for option in field.options),
            asks=needs,
        )

    def _by_template(self, item: Done, facts: dict[str, Any], show_codes: bool) -> str | None:
        name = f"{item.tool}.j2"
        if not self._has(name):
            return None
        try:
            return self._render(name, r=item.data, facts=facts, show_codes=show_codes)
        except UndefinedError:
            # A tool that was reloaded with other fields than its template knows still gets its figures told.
            log.exception("template %s does not fit its result", name)
            return None

    def _by_shape(self, item: Done, tellings: Mapping[str, Telling]) -> Spoken:
        return spoken(item.data, self._words, tellings.get(item.tool))

    def _many(
        self,
        items: Sequence[Done],
        facts: dict[str, Any],
        show_codes: bool,
        total: bool,
        searches: Sequence[dict[str, Any]],
    ) -> tuple[str, list[str]]:
        amounts = [int(item.data["premium"]) for item in items if isinstance(item.data.get("premium"), int)]
        # Alternatives that a search brought up are to be chosen from, not added up.
        chosen = not searches and len({item.data.get("code") for item in items}) <= _ADDED_UP
        sums = _of_all_people(items) if total else []
        chosen = chosen and len(sums) < _SEVERAL
        summed = sum(amounts) if total and chosen and len(amounts) == len(items) else None
        text = self._render(
            f"{items[0].tool}_many.j2",
            rs=[{**item.data, "who": _person_of(item, facts)} for item in items],
            search=searches[0] if len(searches) == 1 else None,
            total=summed,
            sums=sums,
            facts=facts,
            show_codes=show_codes,
        )
        cheapest = _cheapest_of_each(items) if total and len(searches) > 1 else None
        if cheapest:
            names, summed = cheapest
            text += worded("speak.together", kinds=josa("과 ".join(names), "을/를"), total=won(summed))
        told = [figure for one in sums for figure in (one["sum"], one["left"]) if figure is not None]
        return text, [*map(won, told), *([won(summed)] if summed is not None else [])]

    def _has(self, name: str) -> bool:
        return name in self._templates

    def _render(self, name: str, **values: Any) -> str:
        def codes(item: dict[str, Any]) -> str:
            return code_suffix(item, values["show_codes"])

        return self._environment.get_template(name).render(codes=codes, **values).strip()


def _person_of(item: Done, facts: dict[str, Any]) -> str | None:
    """Whom a result is about, where the answer is for several people; None otherwise."""
    if len(facts.get("meant") or ()) < _SEVERAL:
        return None
    people = [*(facts.get("people") or ()), facts]
    keys = ("age", "birth_date", "gender", "history")
    fitting = [
        str(person["who"])
        for person in people
        if person.get("who") in facts["meant"]
        and all(item.args.get(key) == person.get(key) for key in keys if key in person and key in item.args)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _of_all_people(items: Sequence[Done]) -> list[dict[str, Any]]:
    """What the same several people pay together for each product: `sum` of its `parts`, and what is `left` of a budget
    (less than nothing where it is too much), 원. Empty where no product was reckoned for several."""
    name = "payment" if any(isinstance(item.data.get("payment"), int) for item in items) else "premium"
    paid: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        if isinstance(item.data.get(name), int):
            paid.setdefault(str(item.data["name"]), []).append(item.data)
    people = max((len(rows) for rows in paid.values()), default=0)
    sums = []
    for product, rows in paid.items():
        if len(rows) == people > 1:
            parts = [int(row[name]) for row in rows]
            budget = rows[0].get("monthly_budget")
            left = int(budget) - sum(parts) if budget is not None else None
            sums.append({"name": product, "parts": parts, "sum": sum(parts), "left": left})
    return sums


def _cheapest_of_each(items: Sequence[Done]) -> tuple[list[str], int] | None:
    """The cheapest quote of each kind of insurance, and their sum in 원."""
    best: dict[str, dict[str, Any]] = {}
    for quote in (item.data for item in items if isinstance(item.data.get("premium"), int)):
        kind = str(quote.get("category"))
        if kind not in best or quote["premium"] < best[kind]["premium"]:
            best[kind] = quote
    if len(best) < _SEVERAL:
        return None
    return [str(quote["name"]) for quote in best.values()], sum(int(quote["premium"]) for quote in best.values())


def _is_step(search: Done, later: Sequence[Done]) -> bool:
    """A search whose every product was then looked at one by one was only the way there."""
    found = {str(line["code"]) for line in search.data.get("products", ())}
    looked_at = {str(d.args.get("product_code")) for d in later if d.tool != search.tool}
    return bool(found) and found <= looked_at


def without_repeats(parts: Sequence[str], whole: Collection[str] = ()) -> list[str]:
    """The parts without lines that a part before already said (the closing line of two checks); those of `whole` are
    records and tables, whose lines say nothing without the others."""
    seen: set[str] = set()
    kept = []
    for part in dict.fromkeys(parts):
        if part in whole:
            kept.append(part)
            continue
        lines = [line for line in part.splitlines() if not line.strip() or line not in seen]
        seen.update(line for line in lines if line.strip())
        kept.append("\n".join(lines).strip())
    return [part for part in kept if part]


def without_codes(text: str) -> str:
    """The text without product codes, bracketed or bare: quoted documents carry them, customers are not shown them."""
    return _CODE.sub("", text)


def _joint(lacking: Sequence[NeedsInput]) -> NeedsInput:
    """One question for everything that is missing; a reason that speaks of one of several products is made general."""
    fields = {field.name: field for needs in lacking for field in needs.fields}
    reason = lacking[0].reason if len(lacking) == 1 else TOGETHER
    return NeedsInput(fields=tuple(fields.values()), reason=reason)
