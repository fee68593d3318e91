"""The description of the HTTP surface: each tool as an operation with its own schema."""

from collections.abc import Mapping
from typing import Any

from mabos.interfaces.surfaces.door import ANSWER_SCHEMA, Door, plain_name
from mabos.tools.catalogue.declaration import Tool

_ERRORS = {
    "202": "A person must decide first; `decision_id` says what.",
    "400": "An argument is wrong, or arguments contradict each other.",
    "403": "Identity, capability or governance does not allow it.",
    "404": "Nothing has an id that was named.",
    "413": "The request is too large.",
    "415": "The body is not sent as application/json.",
    "500": "A file of truth is damaged, or the tool failed.",
    "502": "A model's answer could not be used.",
    "503": "Something that it needs is down or not configured, or a budget is used up.",
}
_TOKEN = {"type": "http", "scheme": "bearer"}
_NAMED = [
    {"name": name, "in": place, "description": "The agent that a person calls for.", "schema": {"type": "string"}}
    for name, place in (("agent", "query"), ("X-Mabos-Agent", "header"))
]


def describe_api(door: Door, *, has_token: bool, below: str = "") -> dict[str, Any]:
    """Return the OpenAPI description of a door's offer, with its paths `below` another."""

    def reading(summary: str, **more: Any) -> dict[str, Any]:
        return {"summary": summary, "responses": _responses([], has_token=has_token), **more}

    paths: dict[str, Any] = {
        "/health": {"get": reading("Tell whether the workspace is open.", operationId="health", security=[])},
        "/tools": {"get": reading("List the tools that may be called.", operationId="tools")},
    }
    if door.caller.kind == "person":
        paths |= _conversation(has_token=has_token)
    for tool in door.tools:
        about = {"tags": [tool.module]}
        looking = reading(f"Describe {tool.name}.", operationId=f"{plain_name(tool)}_described", **about)
        paths[f"/tools/{tool.name}"] = {"get": looking, "post": _calling(tool, has_token=has_token) | about}
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "MABOS", "version": "1", "description": "Every tool of the catalogue."},
        "servers": [{"url": below or "/"}],
        "paths": paths,
        "components": {"schemas": {"Answer": dict(ANSWER_SCHEMA)}},
    }
    if has_token:
        document["components"]["securitySchemes"] = {"token": _TOKEN}
        document["security"] = [{"token": []}]
    return document


def _conversation(*, has_token: bool) -> dict[str, Any]:
    """Return the paths of conversations: the company's and an agent's."""
    text = {"type": "string"}
    agent = {"name": "agent_id", "in": "path", "required": True, "schema": text}
    fields = {"message": {"type": "string", "minLength": 1}, "business_id": text}
    body = {"type": "object", "properties": fields, "required": ["message"], "additionalProperties": False}
    said = _responses(["400", "403", "404", "413", "415", "500", "503"], has_token=has_token)
    said["200"] = {
        "description": "The reply; with `Accept: text/event-stream` every event of the turn.",
        "content": {**said["200"]["content"], "text/event-stream": {"schema": text}},
    }
    asked = {"content": {"application/json": {"schema": body}}, "required": True}
    saying = {"summary": "Say something and get the reply.", "requestBody": asked, "responses": said}
    query = [
        {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1}},
        {"name": "search", "in": "query", "schema": text},
    ]
    reading: dict[str, Any] = {
        "summary": "Show what was said.",
        "operationId": "chat_history",
        "parameters": [agent, *query],
    }
    reading["responses"] = _responses(["400", "403", "404"], has_token=has_token)
    return {
        "/chat": {"post": {**saying, "operationId": "chat"}},
        "/chat/{agent_id}": {"post": {**saying, "operationId": "chat_agent", "parameters": [agent]}, "get": reading},
    }


def _calling(tool: Tool, *, has_token: bool) -> dict[str, Any]:
    return {
        "operationId": plain_name(tool),
        "summary": tool.summary,
        "parameters": _NAMED,
        "requestBody": {"required": True, "content": {"application/json": {"schema": flatten_schema(tool.schema)}}},
        "responses": _responses(list(_ERRORS), has_token=has_token),
    }


def _responses(codes: list[str], *, has_token: bool) -> dict[str, Any]:
    told = {"200": "Done."} | {code: _ERRORS[code] for code in codes}
    if has_token:
        told["401"] = "The token is missing or wrong."
    schema = {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}
    return {code: {"description": text, "content": schema} for code, text in told.items()}


def flatten_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool's schema for requests, without references; null means a missing value."""
    plain: dict[str, Any] = _in_place(schema, schema.get("$defs", {}))
    required = plain["required"]
    for name, one in plain["properties"].items():
        if name not in required:
            plain["properties"][name] = {"anyOf": [one, {"type": "null"}]}
    return plain


def _in_place(schema: Any, shapes: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_in_place(one, shapes) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    if "$ref" in schema:
        return _in_place(shapes[schema["$ref"].rpartition("/")[2]], shapes)
    return {name: _in_place(one, shapes) for name, one in schema.items() if name != "$defs"}
