"""The chat model behind the graph: any OpenAI-compatible endpoint, or whatever engine is handed in."""

from __future__ import annotations

from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel

from app.settings import Settings


@dataclass(frozen=True)
class Engine:
    """A chat model and the name that answers show."""

    name: str
    model: BaseChatModel


def openai_compatible(settings: Settings) -> Engine | None:
    """The configured endpoint, or None when there is no key (the embedded planner answers then)."""
    if settings.openrouter_api_key is None or not settings.openrouter_api_key.get_secret_value():
        return None
    from langchain_openai import ChatOpenAI  # noqa: PLC0415  half a second that the embedded planner need not pay

    model = ChatOpenAI(
        model=settings.openrouter_model,
        base_url=settings.llm_base_url,
        api_key=settings.openrouter_api_key,
        timeout=settings.llm_timeout_s,
        max_retries=2,
        stream_usage=True,
        temperature=0,
    )
    return Engine(settings.openrouter_model, model)
