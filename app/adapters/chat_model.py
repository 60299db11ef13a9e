"""The chat model behind the graph: any OpenAI-compatible endpoint, or whatever engine is handed in."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from app.adapters.chat_aide import ChatAide
from app.adapters.chat_link import CircuitBreaker, ProviderLink
from app.adapters.chat_waits import CallWatch, WaitLimits
from app.settings import OPENROUTER, Settings

if TYPE_CHECKING:
    import httpx2

    from app.adapters.provider_model import ProviderModel

_CHATTY_LIBRARIES = ("openai", "httpx2", "httpcore2", "langchain_openai")
_MOST_CONNECTIONS = 500


@dataclass(frozen=True)
class Provider:
    """What belongs to an endpoint beside its chat model.

    `prices`: US dollars a million tokens, in and out; `watched`: the chat model for one call that is watched.
    """

    link: ProviderLink
    aide: ChatAide
    prices: tuple[float, float]
    close: Callable[[], Awaitable[None]]
    limits: WaitLimits
    watched: Callable[[CallWatch], BaseChatModel]


@dataclass(frozen=True)
class Engine:
    """A chat model and the name that answers show.

    `provider` is set for an OpenAI-compatible endpoint; `fallback` answers a turn that the endpoint cannot.
    """

    name: str
    model: BaseChatModel
    provider: Provider | None = None
    fallback: Engine | None = None


def openai_compatible(settings: Settings, fallback: Engine | None = None) -> Engine | None:
    """The configured endpoint, or None when there is no key (the embedded planner answers then).

    Nothing is sent yet: an endpoint that is down does not stop the start.
    """
    key = settings.openrouter_api_key.get_secret_value() if settings.openrouter_api_key else ""
    if not key and settings.llm_base_url == OPENROUTER:
        return None
    # The client libraries cost half a second that the embedded planner need not pay.
    from httpx2 import Limits, Timeout  # noqa: PLC0415
    from openai import DefaultAsyncHttpxClient  # noqa: PLC0415

    for name in _CHATTY_LIBRARIES:
        # At DEBUG they write whole requests: the person's words and the key's header.
        logging.getLogger(name).setLevel(logging.WARNING)
    connect_s = min(settings.llm_connect_timeout_s, settings.llm_timeout_s)
    client = DefaultAsyncHttpxClient(
        timeout=Timeout(settings.llm_timeout_s, connect=connect_s),
        limits=Limits(max_connections=_MOST_CONNECTIONS, max_keepalive_connections=100),
    )
    link = ProviderLink(
        attempts=settings.llm_max_attempts,
        retry_budget_s=settings.llm_retry_budget_s,
        breaker=CircuitBreaker(settings.llm_breaker_failures, settings.llm_breaker_open_s),
        first_token_s=settings.llm_first_token_timeout_s,
    )
    model = partial(_model, settings, key, client, link)
    aide = ChatAide(model(streaming=False, max_tokens=settings.llm_aide_tokens), timeout_s=settings.llm_aide_timeout_s)
    chat = model(streaming=True, max_tokens=settings.llm_max_output_tokens)
    provider = Provider(
        link,
        aide,
        (settings.llm_price_input_usd, settings.llm_price_output_usd),
        client.aclose,
        WaitLimits(
            settings.llm_first_token_timeout_s, settings.llm_thinking_timeout_s, settings.llm_least_letters_per_s
        ),
        lambda watch: chat.model_copy(update={"watch": watch}),
    )
    return Engine(settings.openrouter_model, chat, provider, fallback if settings.llm_fallback else None)


def _model(
    settings: Settings, key: str, client: httpx2.AsyncClient, link: ProviderLink, *, streaming: bool, max_tokens: int
) -> ProviderModel:
    """The provider's model as LangChain calls it."""
    from app.adapters.provider_model import ProviderModel  # noqa: PLC0415

    made: ProviderModel = ProviderModel(
        model=settings.openrouter_model,
        base_url=settings.llm_base_url,
        # A local server (Ollama, vLLM) asks for none, but the client wants one.
        api_key=SecretStr(key or "none"),
        http_async_client=client,
        http_socket_options=(),
        max_retries=0,  # ours know Retry-After, the breaker and the turn's time
        streaming=streaming,
        disable_streaming=not streaming,
        stream_usage=True,
        # The library's own clock (asyncio.wait_for) may swallow that a call is given up or cancelled.
        stream_chunk_timeout=None,
        silence_s=min(settings.llm_silence_timeout_s, settings.llm_timeout_s),
        temperature=settings.llm_temperature,
        max_tokens=max_tokens,
        # OpenRouter tells the cost of a call only when it is asked to.
        extra_body={"usage": {"include": True}} if settings.llm_base_url == OPENROUTER else None,
        link=link,
    )
    return made
