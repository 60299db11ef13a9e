"""The chat model behind the graph: any OpenAI-compatible endpoint, or whatever engine is handed in."""

from __future__ import annotations

from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from app.settings import OPENROUTER, Settings


@dataclass(frozen=True)
class Engine:
    """A chat model and the name that answers show."""

    name: str
    model: BaseChatModel


def openai_compatible(settings: Settings) -> Engine | None:
    """The configured endpoint, or None when there is no key (the embedded planner answers then)."""
    key = settings.openrouter_api_key.get_secret_value() if settings.openrouter_api_key else ""
    if not key and settings.llm_base_url == OPENROUTER:
        return None
    from langchain_openai import ChatOpenAI  # noqa: PLC0415  half a second that the embedded planner need not pay

    model = ChatOpenAI(
        model=settings.openrouter_model,
        base_url=settings.llm_base_url,
        # A local server (Ollama, vLLM) asks for none, but the client wants one.
        api_key=SecretStr(key or "none"),
        timeout=settings.llm_timeout_s,
        max_retries=2,
        stream_usage=True,
        temperature=0,
    )
    return Engine(settings.openrouter_model, model)
