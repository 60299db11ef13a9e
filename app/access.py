"""Who is calling: roles in rising order and the verified principal of a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["customer", "staff", "operator", "admin"]
ROLE_ORDER: tuple[Role, ...] = ("customer", "staff", "operator", "admin")


Scope = Literal["chat", "documents", "tools", "approvals", "admin"]
SCOPES: tuple[Scope, ...] = ("chat", "documents", "tools", "approvals", "admin")


@dataclass(frozen=True)
class Principal:
    """A verified caller. `customer_id` is set where the caller is one customer (own contracts only).

    `id` is `local`, or a kind and a name without a colon (`key:…`, `token:…`, `visitor:…`), so that `id:thread` names
    one thread of one principal. `scopes` narrows what a key may be used for; empty means all that the role may do.
    """

    id: str
    role: Role
    customer_id: str | None = None
    scopes: frozenset[Scope] = frozenset()

    def at_least(self, role: Role) -> bool:
        """True when this principal's role is `role` or above."""
        return ROLE_ORDER.index(self.role) >= ROLE_ORDER.index(role)

    @property
    def sees_codes(self) -> bool:
        """Product codes and internal names are shown to staff and above only."""
        return self.at_least("staff")


LOCAL_ADMIN = Principal(id="local", role="admin")
