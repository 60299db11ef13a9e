"""The MCP server: one SDK server whose lists depend on who asks, over the services of this process."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import ListenHandler
from pydantic import ValidationError

from app.access import Principal
from app.errors import AppError
from app.graph.runs import RunHub
from app.mcp_server.call import Call, Caller, Context, caller_of, set_level
from app.mcp_server.completing import completions
from app.mcp_server.notices import Notices
from app.mcp_server.own_tools import Outcome, OwnTool, chat_tool, search_tool
from app.mcp_server.prompts import PROMPTS, PromptFace, PromptSpec
from app.mcp_server.proposals import PROPOSAL, proposal_tool
from app.mcp_server.resources import RESOURCES, ResourceFace, ResourceSpec
from app.mcp_server.tools import ToolFace
from app.services import Services

log = logging.getLogger(__name__)

NAME, VERSION = "insurance-assistant", "0.1.0"
PAGE_SIZE = 100
INSTRUCTIONS = (
    "한국 보험 상담 도우미입니다(모의 상품과 모의 고객). 여러 단계가 필요한 질문은 insurance_chat에 맡기고, "
    "하나의 사실만 필요하면 해당 도구를 직접 부르세요. 금액은 원, 나이는 만 나이입니다. "
    "기록을 남기는 호출은 사람의 승인을 받습니다.\n"
    "A Korean insurance assistant with simulated products and people. Ask insurance_chat, or call a single tool."
)
_FAILED = "일시적인 오류로 처리하지 못했습니다. 잠시 뒤 다시 시도해 주세요."


@dataclass(frozen=True)
class Offers:
    """What a server offers beside the registered tools. Test builds add to it."""

    tools: tuple[OwnTool, ...]
    resources: tuple[ResourceSpec, ...] = RESOURCES
    prompts: tuple[PromptSpec, ...] = PROMPTS


def offers(services: Services, hub: RunHub) -> Offers:
    """What the product offers."""
    tools = (chat_tool(services.settings, services.tools, services.talk, hub), search_tool(services.knowledge))
    if services.talk.proposals is None:
        return Offers(tools)
    return Offers((*tools, proposal_tool(services.talk)), (*RESOURCES, PROPOSAL))


class _Server(Server[dict[str, Any]]):
    """Says that lists may change, which the SDK derives for 2026-07-28 alone."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        changing = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(changing, experimental_capabilities, extensions)


@dataclass
class InsuranceServer:
    """Handlers of the protocol's requests. `local` is who speaks over stdio; None behind HTTP."""

    services: Services
    offered: Offers
    local: Caller | None = None
    page_size: int = PAGE_SIZE
    notices: Notices = field(default_factory=Notices)

    def __post_init__(self) -> None:
        opened, offered = self.services, self.offered
        self.tools = ToolFace(opened.settings, opened.tools, opened.talk, offered.tools, self.page_size)
        self.resources = ResourceFace(opened.knowledge, opened.tools, opened.talk, offered.resources, self.page_size)
        self.prompts = PromptFace(self.resources, self.offered.prompts, page_size=self.page_size)

    def build(self) -> Server[dict[str, Any]]:
        """The SDK's server over these handlers, for any transport."""
        server = _Server(
            NAME,
            version=VERSION,
            title=f"{self.services.settings.company_name} 보험 상담 도우미",
            description="모의 상품과 모의 고객으로 동작하는 보험 상담 도우미",
            instructions=INSTRUCTIONS,
            get_tool_input_schema=self.tools.input_schema,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=ListenHandler(self.notices.bus),
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
        )
        # Registered by name: the constructor's own argument warns that 2026-07-28 has no such request any more.
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._set_level)
        keys = RequestStateSecurity(
            keys=[self.services.storage.secrets.signing_key("mcp-request-state")],
            ttl=self.services.settings.approval_ttl_s,
        )
        server.middleware += [_told_in_words, self.notices.track, RequestStateBoundary(keys, default_audience=NAME)]
        return server

    def _who(self, ctx: Context) -> Principal:
        return caller_of(ctx, self.local).principal

    async def _list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return self.tools.listed(self._who(ctx), _cursor(params))

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> Outcome:
        caller = caller_of(ctx, self.local)
        return await self.tools.call(Call(ctx, caller, params.name, params.arguments or {}, params))

    async def _list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return self.resources.listed(self._who(ctx), _cursor(params))

    async def _list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return self.resources.templates(self._who(ctx), _cursor(params))

    async def _read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await self.resources.read(str(params.uri), self._who(ctx))

    async def _subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self._who(ctx)
        self.notices.subscribe(ctx, str(params.uri))
        return types.EmptyResult()

    async def _unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._who(ctx)
        self.notices.unsubscribe(ctx, str(params.uri))
        return types.EmptyResult()

    async def _list_prompts(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return self.prompts.listed(self._who(ctx), _cursor(params))

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return await self.prompts.filled(params.name, params.arguments or {}, self._who(ctx))

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        principal = self._who(ctx)
        catalogue = self.services.talk.make_context(principal, "mcp", "mcp").catalogue
        return completions(params, principal, catalogue, self.prompts, self.resources)

    async def _set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        set_level(ctx, params.level)
        return types.EmptyResult()


async def _told_in_words(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Server middleware: no exception's own words reach a client. Ours are told, others are only logged."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except AppError as error:
        raise MCPError(types.INVALID_REQUEST, str(error), {"type": error.code}) from error
    except Exception as error:  # the boundary to the client; the log has the rest
        log.exception("MCP request %s failed", ctx.method)
        raise MCPError(types.INTERNAL_ERROR, _FAILED) from error


def _cursor(params: types.PaginatedRequestParams | None) -> str | None:
    return None if params is None else params.cursor
