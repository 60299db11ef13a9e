"""What every tool may use, handed in by the graph as the runtime context."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic_core import CoreSchema, SchemaSerializer, core_schema

from app.access import Principal

if TYPE_CHECKING:
    from app.documents.search import DocumentSearch
    from app.insurance.catalogue import Catalogue
    from app.insurance.customers import CustomerStore
    from app.safety.personal_data import PersonalDataMasker
    from app.safety.phrases import PhraseChecker


# LangChain dumps a tool's validated arguments at every call, the injected runtime among them: 70 ms while that walked
# the whole catalogue. Dumped as nothing, by its field type and where the runtime's config holds it untyped.
_NOTHING = core_schema.plain_serializer_function_ser_schema(lambda _: None)


@dataclass(frozen=True)
class ToolContext:
    """The services a tool may use in one turn. `today` is a clock so that tests can stand on a fixed date."""

    principal: Principal
    catalogue: Catalogue
    customers: CustomerStore
    documents: DocumentSearch
    phrases: PhraseChecker
    masker: PersonalDataMasker
    today: Callable[[], date]
    thread_id: str | None = None
    approved: frozenset[str] = frozenset()
    rag_top_k: int = 5

    __pydantic_serializer__: ClassVar[SchemaSerializer] = SchemaSerializer(
        core_schema.any_schema(serialization=_NOTHING)
    )

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        """Checked by class alone: LangChain builds argument schemas around the injected runtime, whose parts are no
        data."""
        return core_schema.is_instance_schema(cls, serialization=_NOTHING)
