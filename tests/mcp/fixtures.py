"""The conformance suite's fixtures on top of the product's own server: same class, same transports, more to offer.

python -m tests.mcp.fixtures PORT        serves them until stopped
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp import MCPError

from app.errors import BadRequest
from app.graph.runs import RunHub
from app.mcp_server.call import Call, Context
from app.mcp_server.own_tools import Outcome, OwnTool
from app.mcp_server.server import InsuranceServer, Offers, offers
from app.services import Services

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = base64.b64encode(b"RIFF$\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00@\x1f\x00\x00").decode()
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
NAME_FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
SCHEMA_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
    "required": [],
}
_TITLED = [{"const": f"value{n}", "title": f"{word} Option"} for n, word in enumerate(("First", "Second", "Third"), 1)]
_CHOICES = [{"const": f"value{n}", "title": f"{word} Choice"} for n, word in enumerate(("First", "Second", "Third"), 1)]
_PLAIN = ["option1", "option2", "option3"]
ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": _PLAIN},
        "titledSingle": {"type": "string", "oneOf": _TITLED},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _PLAIN}},
        "titledMulti": {"type": "array", "items": {"anyOf": _CHOICES}},
    },
    "required": [],
}


def text(words: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=words)])


def content(*parts: types.ContentBlock) -> Callable[[Call], Awaitable[Outcome]]:
    async def run(_: Call) -> Outcome:
        return types.CallToolResult(content=list(parts))

    return run


def embedded(uri: str, mime: str, words: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=mime, text=words))


async def _logging(call: Call) -> Outcome:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await call.log("info", {"message": words})
        await asyncio.sleep(0.05)
    return text("Tool with logging executed successfully")


async def _progress(call: Call) -> Outcome:
    for done in (0, 50, 100):
        await call.ctx.session.report_progress(done, 100)
        await asyncio.sleep(0.05)
    return text("Tool with progress executed successfully")


async def _fails(_: Call) -> Outcome:
    raise BadRequest("This tool intentionally returns an error for testing")


async def _sampling(call: Call) -> Outcome:
    asked = types.CreateMessageRequest(params=_sample(call.args["prompt"], 100))
    answer = await _client_request(call, asked, types.CreateMessageResult)
    return text(f"LLM response: {getattr(answer.content, 'text', '')}")


def _elicits(schema: dict[str, Any], words: str, lead: str) -> Callable[[Call], Awaitable[Outcome]]:
    async def run(call: Call) -> Outcome:
        message = call.args.get("message", words)
        answer = await call.ctx.session.elicit_form(message, schema, related_request_id=call.ctx.request_id)
        return text(f"{lead}action={answer.action}, content={json.dumps(answer.content)}")

    return run


async def _client_request(call: Call, request: Any, result: type[Any]) -> Any:
    from mcp.shared.message import ServerMessageMetadata

    metadata = ServerMessageMetadata(related_request_id=call.ctx.request_id)
    return await call.ctx.session.send_request(request, result, metadata=metadata)


def _sample(words: str, most: int) -> types.CreateMessageRequestParams:
    message = types.SamplingMessage(role="user", content=types.TextContent(text=words))
    return types.CreateMessageRequestParams(messages=[message], max_tokens=most)


def _form(message: str, schema: dict[str, Any]) -> types.ElicitRequest:
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def _asks(
    requests: Mapping[str, types.InputRequest], done: Callable[[Mapping[str, Any]], str], state: str | None = None
) -> Callable[[Call], Awaitable[Outcome]]:
    """One round: all answers must be there (and the state, where one was given), else the question comes again."""

    async def run(call: Call) -> Outcome:
        answers = call.params.input_responses or {}
        good = all(isinstance(answers.get(key), _ANSWER[type(request)]) for key, request in requests.items())
        if good and call.params.request_state == state:
            return text(done(answers))
        return types.InputRequiredResult(input_requests=dict(requests), request_state=state)

    return run


_ANSWER: dict[type, type] = {
    types.ElicitRequest: types.ElicitResult,
    types.CreateMessageRequest: types.CreateMessageResult,
    types.ListRootsRequest: types.ListRootsResult,
}


async def _rounds(call: Call) -> Outcome:
    answers, state = call.params.input_responses or {}, call.params.request_state
    if state == "round-2" and "step2" in answers:
        return text("All steps done")
    if state == "round-1" and "step1" in answers:
        color = {"type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]}
        asked: dict[str, types.InputRequest] = {"step2": _form("Step 2: What is your favorite color?", color)}
        return types.InputRequiredResult(input_requests=asked, request_state="round-2")
    first: dict[str, types.InputRequest] = {"step1": _form("Step 1: What is your name?", NAME_FORM)}
    return types.InputRequiredResult(input_requests=first, request_state="round-1")


def _known(call: Call) -> types.ClientCapabilities:
    return call.ctx.session.client_capabilities or types.ClientCapabilities()


async def _capabilities(call: Call) -> Outcome:
    asked: dict[str, types.InputRequest] = {}
    if _known(call).elicitation is not None:
        asked["form"] = _form("What is your name?", NAME_FORM)
    if _known(call).sampling is not None:
        asked["sample"] = types.CreateMessageRequest(params=_sample("Generate a greeting", 50))
    return types.InputRequiredResult(input_requests=asked) if asked else text("nothing can be asked")


async def _missing(call: Call) -> Outcome:
    if _known(call).sampling is not None:
        return text("sampling is there")
    needed = types.MissingRequiredClientCapabilityErrorData(
        required_capabilities=types.ClientCapabilities(sampling=types.SamplingCapability())
    )
    raise MCPError(
        types.MISSING_REQUIRED_CLIENT_CAPABILITY,
        "sampling is needed",
        needed.model_dump(by_alias=True, mode="json", exclude_none=True),
    )


def _tool(name: str, run: Callable[[Call], Awaitable[Outcome]], schema: dict[str, Any] | None = None) -> OwnTool:
    return OwnTool(types.Tool(name=name, description=f"Fixture {name}", input_schema=schema or NOTHING), run)


def _wants(name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


USER_FORM = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}
_OK = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
_ROOTS = types.ListRootsRequest(params=types.RequestParams())
_HEADED = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}
_IMAGE = types.ImageContent(data=PNG, mime_type="image/png")
_MIXED = embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')


def fixture_tools(bump: Callable[[], None]) -> tuple[OwnTool, ...]:
    """Every tool that a scenario calls; `bump` makes the tool list change."""

    async def trigger(_: Call) -> Outcome:
        bump()
        return text("changed")

    name = _form("What is your name?", NAME_FORM)
    capital = types.CreateMessageRequest(params=_sample("What is the capital of France?", 100))
    greeting = types.CreateMessageRequest(params=_sample("Generate a greeting", 50))
    confirm = _form("Please confirm", _OK)

    def said(answers: Mapping[str, Any]) -> str:
        return f"Hello, {(answers['user_name'].content or {}).get('name', '')}!"

    def capital_said(answers: Mapping[str, Any]) -> str:
        return f"Answer: {getattr(answers['capital_question'].content, 'text', '')}"

    def roots_said(answers: Mapping[str, Any]) -> str:
        return f"Roots: {', '.join(str(root.uri) for root in answers['client_roots'].roots)}"

    several: dict[str, types.InputRequest] = {"user_name": name, "greeting": greeting, "client_roots": _ROOTS}
    plain = types.TextContent(text="This is a simple text response for testing.")
    return (
        _tool("test_simple_text", content(plain)),
        _tool("test_image_content", content(_IMAGE)),
        _tool("test_audio_content", content(types.AudioContent(data=WAV, mime_type="audio/wav"))),
        _tool(
            "test_embedded_resource",
            content(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
        ),
        _tool(
            "test_multiple_content_types",
            content(types.TextContent(text="Multiple content types test:"), _IMAGE, _MIXED),
        ),
        _tool("test_tool_with_logging", _logging),
        _tool("test_logging_tool", _logging),
        _tool("test_tool_with_progress", _progress),
        _tool("test_error_handling", _fails),
        _tool("test_sampling", _sampling, _wants("prompt")),
        _tool("test_elicitation", _elicits(USER_FORM, "", "User response: "), _wants("message")),
        _tool("test_elicitation_sep1034_defaults", _elicits(DEFAULTS, "Defaults", "Elicitation completed: ")),
        _tool("test_elicitation_sep1330_enums", _elicits(ENUMS, "Enums", "Elicitation completed: ")),
        _tool("json_schema_2020_12_tool", content(types.TextContent(text="ok")), SCHEMA_2020),
        _tool("test_missing_capability", _missing),
        _tool("test_streaming_elicitation", _asks({"user_name": name}, said)),
        _tool("test_trigger_tool_change", trigger),
        _tool("test_header_tool", content(types.TextContent(text="ok")), _HEADED),
        _tool("test_input_required_result_elicitation", _asks({"user_name": name}, said)),
        _tool("test_input_required_result_sampling", _asks({"capital_question": capital}, capital_said)),
        _tool("test_input_required_result_list_roots", _asks({"client_roots": _ROOTS}, roots_said)),
        _tool("test_input_required_result_request_state", _asks({"confirm": confirm}, lambda _: "state-ok", "held")),
        _tool("test_input_required_result_multiple_inputs", _asks(several, said, "several")),
        _tool("test_input_required_result_multi_round", _rounds),
        _tool("test_input_required_result_tampered_state", _asks({"confirm": confirm}, lambda _: "state-ok", "sealed")),
        _tool("test_input_required_result_capabilities", _capabilities),
    )


_ARGS = {"test_prompt_with_arguments": ("arg1", "arg2"), "test_prompt_with_embedded_resource": ("resourceUri",)}
PROMPT_NAMES = (
    "test_simple_prompt",
    "test_prompt_with_arguments",
    "test_prompt_with_embedded_resource",
    "test_prompt_with_image",
    "test_input_required_result_prompt",
)


class FixtureServer(InsuranceServer):
    """The product's server that also answers for the suite's fixtures."""

    async def _list_resources(self, ctx: Context, params: Any) -> types.ListResourcesResult:
        listed = await super()._list_resources(ctx, params)
        own = [
            types.Resource(uri="test://static-text", name="static-text", mime_type="text/plain"),
            types.Resource(uri="test://static-binary", name="static-binary", mime_type="image/png"),
            types.Resource(uri="test://watched-resource", name="watched-resource", mime_type="text/plain"),
        ]
        return listed.model_copy(update={"resources": [*listed.resources, *own]})

    async def _list_templates(self, ctx: Context, params: Any) -> types.ListResourceTemplatesResult:
        listed = await super()._list_templates(ctx, params)
        own = types.ResourceTemplate(uri_template="test://template/{id}/data", name="template")
        return listed.model_copy(update={"resource_templates": [*listed.resource_templates, own]})

    async def _read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        found: types.TextResourceContents | types.BlobResourceContents
        if uri == "test://static-binary":
            found = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
        elif uri in ("test://static-text", "test://watched-resource"):
            words = "This is the content of the static text resource."
            found = types.TextResourceContents(uri=uri, mime_type="text/plain", text=words)
        elif uri.startswith("test://template/") and uri.endswith("/data"):
            name = uri.split("/")[3]
            data = {"id": name, "templateTest": True, "data": f"Data for ID: {name}"}
            found = types.TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(data))
        else:
            return await super()._read_resource(ctx, params)
        return types.ReadResourceResult(contents=[found])

    async def _list_prompts(self, ctx: Context, params: Any) -> types.ListPromptsResult:
        listed = await super()._list_prompts(ctx, params)
        own = [
            types.Prompt(
                name=name,
                description=f"Fixture {name}",
                arguments=[types.PromptArgument(name=a, description=a, required=True) for a in _ARGS.get(name, ())],
            )
            for name in PROMPT_NAMES
        ]
        return listed.model_copy(update={"prompts": [*listed.prompts, *own]})

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> Any:
        if params.name not in PROMPT_NAMES:
            return await super()._get_prompt(ctx, params)
        args = params.arguments or {}
        parts: list[types.ContentBlock]
        match params.name:
            case "test_simple_prompt":
                parts = [types.TextContent(text="This is a simple prompt for testing.")]
            case "test_prompt_with_arguments":
                words = f"Prompt with arguments: arg1='{args['arg1']}', arg2='{args['arg2']}'"
                parts = [types.TextContent(text=words)]
            case "test_prompt_with_embedded_resource":
                resource = embedded(args["resourceUri"], "text/plain", "Embedded resource content for testing.")
                parts = [resource, types.TextContent(text="Please process the embedded resource above.")]
            case "test_prompt_with_image":
                parts = [_IMAGE, types.TextContent(text="Please analyze the image above.")]
            case _:
                answer = (params.input_responses or {}).get("user_context")
                if not isinstance(answer, types.ElicitResult):
                    schema = {"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}
                    asked: dict[str, types.InputRequest] = {
                        "user_context": _form("What context should the prompt use?", schema)
                    }
                    return types.InputRequiredResult(input_requests=asked)
                parts = [types.TextContent(text=f"Context: {(answer.content or {}).get('context')}")]
        messages = [types.PromptMessage(role="user", content=part) for part in parts]
        return types.GetPromptResult(messages=messages)

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        if isinstance(params.ref, types.PromptReference) and params.ref.name in PROMPT_NAMES:
            values = [word for word in ("paris", "park", "party") if word.startswith(params.argument.value)]
            return types.CompleteResult(completion=types.Completion(values=values, total=len(values), has_more=False))
        return await super()._complete(ctx, params)


def fixture_server(services: Services, hub: RunHub) -> FixtureServer:
    """The test build over the given services."""
    made: list[FixtureServer] = []

    def bump() -> None:
        made[0].notices._begin()

    own = offers(services, hub)
    made.append(FixtureServer(services, Offers((*own.tools, *fixture_tools(bump)))))
    return made[0]
