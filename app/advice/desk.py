"""Proposals as they are kept: made, read, edited, kept with a customer, deleted; by whoever may, and audited."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from app.access import Principal
from app.adapters.audit_log import AuditLog
from app.adapters.proposal_store import KeptProposal, ProposalStore, ProposalVersion
from app.advice.asking import to_ask
from app.advice.book import AdviceBook, Slot
from app.advice.building import build
from app.advice.calls import Invoke
from app.advice.comparing import compared
from app.advice.edits import Edit, changed
from app.advice.models import Person, Proposal, ProposalRequest
from app.errors import Conflict, Forbidden, NotFound
from app.insurance.catalogue import Catalogue
from app.insurance.customers import CustomerStore
from app.insurance.wording import day
from app.toolbox.snapshot import Channel

Inquire = Callable[[Principal, str, Channel], Awaitable[Invoke]]


@dataclass(frozen=True)
class Shown:
    """A proposal as it may be shown: what is kept of it, one version, and what has changed in the world since."""

    kept: KeptProposal
    version: ProposalVersion
    request: ProposalRequest
    proposal: Proposal
    state: str
    notices: tuple[str, ...]
    ask: tuple[Slot, ...] = ()

    def as_data(self, reader: Principal | None = None) -> dict[str, Any]:
        """The JSON of docs/proposals.md; what staff notes among themselves only for a `reader` who is staff."""
        kept, version = self.kept, self.version
        with_whom = None
        if kept.customer_id is not None:
            with_whom = {
                "customer_id": kept.customer_id,
                "at": kept.kept_at.isoformat() if kept.kept_at else None,
                "by": kept.kept_by,
                "handed_to": kept.handed_to,
                "note": kept.note,
            }
            if reader is None or not reader.at_least("staff"):
                with_whom |= {"by": None, "handed_to": None, "note": None}
        return {
            "id": kept.proposal_id,
            "version": version.version,
            "versions": kept.version,
            "created_at": version.created_at.isoformat(),
            "valid_until": version.valid_until.isoformat(),
            "state": self.state,
            "notices": list(self.notices),
            "thread_id": kept.thread_id,
            "customer_id": kept.customer_id or self.request.customer_id,
            "kept": with_whom,
            "ask": [slot.model_dump(include={"id", "ask"}) for slot in self.ask],
            **self.proposal.model_dump(mode="json"),
        }


class ProposalDesk:
    """The owner sees and edits his own; staff reads any, edits and keeps; a customer also reads what is kept with him.

    Another's proposal is as good as none (NotFound). Raises CannotPropose as `build` and `changed` do.
    """

    def __init__(
        self,
        book: AdviceBook,
        store: ProposalStore,
        inquire: Inquire,
        mask: Callable[[str], str],
        today: Callable[[], date],
        catalogue: Callable[[], Catalogue],
        customers: CustomerStore,
        audit: AuditLog,
    ) -> None:
        self.book, self.store = book, store
        self._inquire, self._mask, self._today = inquire, mask, today
        self._catalogue, self._customers, self._audit = catalogue, customers, audit

    async def compute(
        self, principal: Principal, request: ProposalRequest, run_id: str, channel: Channel = "api"
    ) -> Proposal:
        """A proposal that is kept nowhere. Raises Forbidden for the contracts of another customer."""
        if request.customer_id is not None and not self._may_see_customer(principal, request.customer_id):
            raise Forbidden(self.book.say("not_your_customer"))
        return await build(request, await self._inquire(principal, run_id, channel), self.book)

    async def create(
        self,
        principal: Principal,
        request: ProposalRequest,
        *,
        thread_id: str | None = None,
        run_id: str = "",
        channel: Channel = "api",
    ) -> Shown:
        """Compute a proposal and keep it as the principal's."""
        request = self._masked(request)
        proposal = await self.compute(principal, request, run_id, channel)
        request = request.model_copy(update={"household": proposal.household, "wishes": proposal.wishes})
        kept = await self.store.add(principal.id, thread_id, _document(request, proposal), self._until())
        await self._note(principal, "create", kept, run_id)
        return await self._shown(kept, kept.version)

    async def read(self, principal: Principal, proposal_id: str, version: int | None = None, run_id: str = "") -> Shown:
        """One version, the newest without a number. Staff that reads another's is written down."""
        kept = await self._found(principal, proposal_id)
        if kept.owner != principal.id:
            await self._note(principal, "read", kept, run_id)
        return await self._shown(kept, kept.version if version is None else version)

    async def edit(
        self,
        principal: Principal,
        proposal_id: str,
        edits: Sequence[Edit],
        *,
        base: int | None = None,
        run_id: str = "",
        channel: Channel = "api",
    ) -> Shown:
        """The next version after some edits, all or none. Raises Conflict where `base` is not the newest version."""
        kept = await self._found(principal, proposal_id, writing=True)
        if base is not None and base != kept.version:
            raise Conflict(self.book.say("stale", last=kept.version))
        request = (await self._shown(kept, kept.version)).request
        for edit in edits:
            request = changed(request, edit, self.book)
        request = self._masked(request)
        proposal = await self.compute(principal, request, run_id, channel)
        try:
            document = _document(request, proposal)
            kept = await self.store.add_version(proposal_id, kept.version, principal.id, document, self._until())
        except Conflict as error:
            last = (await self.store.get(proposal_id)).version
            raise Conflict(self.book.say("stale", last=last)) from error
        await self._note(principal, "edit", kept, run_id, kinds=[edit.kind for edit in edits])
        return await self._shown(kept, kept.version)

    async def list(self, principal: Principal, customer_id: str | None) -> tuple[dict[str, Any], ...]:
        """One's own proposals, or those kept with a customer, the one that changed last first. Raises Forbidden."""
        if customer_id is not None and not self._may_see_customer(principal, customer_id):
            raise Forbidden(self.book.say("not_your_customer"))
        owner = principal.id if customer_id is None else None
        found = await self.store.list(owner=owner, customer_id=customer_id)
        return tuple([self._row(await self._shown(kept, kept.version), principal) for kept in found])

    async def compare(self, principal: Principal, proposal_id: str, before: int, after: int) -> dict[str, Any]:
        """What changed between two versions."""
        kept = await self._found(principal, proposal_id)
        one, other = await self._shown(kept, before), await self._shown(kept, after)
        return {"id": proposal_id, "before": before, "after": after, **compared(one.proposal, other.proposal)}

    async def keep(
        self, principal: Principal, proposal_id: str, customer_id: str, handed_to: str | None, note: str | None,
        run_id: str = "",
    ) -> Shown:  # fmt: skip
        """Staff keeps a proposal with a customer, or hands it to somebody else. Raises Conflict for an expired one."""
        kept = await self._found(principal, proposal_id)
        shown = await self._shown(kept, kept.version)
        if shown.state != "valid":
            raise Conflict(self.book.say("expired_keep"))
        await self._customers.get_customer(customer_id)
        noted = self._mask(note) if note else None
        kept = await self.store.keep(proposal_id, customer_id, principal.id, handed_to, noted)
        await self._note(principal, "keep", kept, run_id, customer_id=customer_id, handed_to=handed_to)
        return await self._shown(kept, kept.version)

    async def delete(self, principal: Principal, proposal_id: str, run_id: str = "") -> None:
        """Delete a proposal with all its versions."""
        kept = await self._found(principal, proposal_id, writing=True)
        await self.store.delete(proposal_id)
        await self._note(principal, "delete", kept, run_id)

    def _may_see_customer(self, principal: Principal, customer_id: str) -> bool:
        return principal.at_least("staff") or principal.customer_id == customer_id

    async def _found(self, principal: Principal, proposal_id: str, *, writing: bool = False) -> KeptProposal:
        gone = NotFound(self.book.say("not_found", id=proposal_id))
        try:
            kept = await self.store.get(proposal_id)
        except NotFound as error:
            raise gone from error
        own = kept.owner == principal.id or principal.at_least("staff")
        with_them = kept.customer_id is not None and kept.customer_id == principal.customer_id
        if not own and (writing or not with_them):
            raise gone
        return kept

    async def _shown(self, kept: KeptProposal, number: int) -> Shown:
        try:
            version = await self.store.version(kept.proposal_id, number)
        except NotFound as error:
            told = self.book.say("no_version", id=kept.proposal_id, version=number, last=kept.version)
            raise NotFound(told) from error
        document = json.loads(version.document)
        request = ProposalRequest.model_validate(document["request"])
        proposal = Proposal.model_validate(document["proposal"])
        notices, state = [], "valid"
        if version.valid_until < self._today():
            notices.append(self.book.say("expired", day=day(version.valid_until)))
            state = "expired"
        if names := self._withdrawn(proposal):
            notices.append(self.book.say("withdrawn", names=", ".join(names)))
            state = "withdrawn"
        return Shown(kept, version, request, proposal, state, tuple(notices), to_ask(request, (), self.book))

    def _withdrawn(self, proposal: Proposal) -> tuple[str, ...]:
        sold = {p.code for p in self._catalogue().products if any(channel.available for channel in p.channels)}
        lines = (line for variant in proposal.variants for part in variant.people for line in part.lines)
        return tuple(dict.fromkeys(line.product.name for line in lines if line.product.code not in sold))

    def _row(self, shown: Shown, reader: Principal) -> dict[str, Any]:
        chosen = next((variant for variant in shown.proposal.variants if variant.chosen), None)
        data = shown.as_data(reader)
        told = ("id", "version", "created_at", "valid_until", "state", "thread_id", "customer_id", "kept")
        return {
            **{name: data[name] for name in told},
            "people": [person.label for person in shown.proposal.household.people],
            "premium": chosen.premium if chosen else None,
            "title": chosen.title if chosen else None,
        }

    def _masked(self, request: ProposalRequest) -> ProposalRequest:
        """Personal numbers told in free words are not kept."""

        def clean(person: Person) -> Person:
            told = tuple(self._mask(text) for text in person.told)
            return person.model_copy(
                update={"told": told, "label": self._mask(person.label), "job": self._mask(person.job)}
            )

        people = tuple(clean(person) for person in request.household.people)
        return request.model_copy(update={"household": request.household.model_copy(update={"people": people})})

    def _until(self) -> date:
        return self._today() + timedelta(days=self.book.plan.valid_days)

    async def _note(self, principal: Principal, what: str, kept: KeptProposal, run_id: str, **details: Any) -> None:
        held = {"version": kept.version, **details}
        await self._audit.record(
            principal.id, f"proposal.{what}", kept.proposal_id, details=held, request_id=run_id
        )  # fmt: skip


def _document(request: ProposalRequest, proposal: Proposal) -> str:
    held = {"request": request.model_dump(mode="json"), "proposal": proposal.model_dump(mode="json")}
    return json.dumps(held, ensure_ascii=False, separators=(",", ":"))
