"""Servers on loopback that speak each provider's wire format, as its own documentation states it."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

TOKENS = (12, 5)
Events = list[str]


@dataclass(frozen=True)
class Said:
    """An answer in no format: words, uses of tools (id, name, arguments), and whether it met the limit."""

    text: str = ""
    uses: tuple[tuple[str, str, Mapping[str, Any]], ...] = ()
    cut: bool = False
    cached: int = 0


@dataclass(frozen=True)
class Failing:
    """A refusal: a status, what it says, and how long to wait before another try."""

    status: int
    says: str = "no"
    retry_after: str = ""


@dataclass(frozen=True)
class Redirecting:
    """The advice to ask somebody else."""

    url: str


@dataclass(frozen=True)
class Dying:
    """An answer of which the server sends a part before it hangs up."""

    said: Said
    share: float = 0.6


Answer = Said | Failing | Dying | Redirecting


@dataclass(frozen=True)
class Dialect:
    """How one provider is asked and answers.

    `results` reads back from a request which results of tools it holds, by the names or ids that the provider goes by.
    """

    provider: str
    package: str
    paths: tuple[str, str]
    whole: Callable[[Said], dict[str, Any]]
    events: Callable[[Said], Events]
    limit: Callable[[Mapping[str, Any]], Any]
    tools: Callable[[Mapping[str, Any]], list[str]]
    results: Callable[[Mapping[str, Any]], list[tuple[str, str]]]
    key: tuple[str, str] = ("authorization", "Bearer sk-test")
    base: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "text/event-stream"
    always_streams: bool = False


@dataclass
class Heard:
    """What a server received: path, headers and body of each request; `url` is where it listens."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [one["body"] for one in self.requests]


@contextmanager
def speaking(dialect: Dialect, *answers: Answer) -> Iterator[Heard]:
    """Serve answers in order, whole or as events as each request asks for them; the last is repeated."""
    waiting, last = list(answers), answers[-1]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            heard.requests.append({"path": self.path, "headers": headers, "body": body})
            answer = waiting.pop(0) if waiting else last
            streams = dialect.always_streams or bool(body.get("stream")) or "stream" in self.path
            if isinstance(answer, Redirecting):
                self._send(307, b"", "text/plain", location=f"{answer.url}{self.path}")
                return
            if isinstance(answer, Failing):
                self._send(answer.status, _error(answer), "application/json", answer.retry_after)
                return
            said = answer if isinstance(answer, Said) else answer.said
            text = "".join(dialect.events(said)) if streams else json.dumps(dialect.whole(said))
            kind = dialect.kind if streams else "application/json"
            share = answer.share if isinstance(answer, Dying) else 1.0
            self._send(200, text.encode(), kind, share=share)

        def _send(
            self,
            status: int,
            payload: bytes,
            kind: str,
            retry_after: str = "",
            *,
            share: float = 1.0,
            location: str = "",
        ) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(payload)))
            if location:
                self.send_header("Location", location)
            if retry_after:
                self.send_header("Retry-After", retry_after)
            self.end_headers()
            self.wfile.write(payload[: int(len(payload) * share)])
            self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    heard = Heard(f"http://127.0.0.1:{httpd.server_port}")
    Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield heard
    finally:
        httpd.shutdown()
        httpd.server_close()


def _error(failing: Failing) -> bytes:
    kind = {429: "rate_limit_error", 401: "authentication_error"}.get(failing.status, "invalid_request_error")
    error = {"message": failing.says, "type": kind, "code": failing.status, "status": kind.upper()}
    return json.dumps({"type": "error", "error": error}).encode()


def _words(text: str) -> list[str]:
    return [f"{word} " for word in text.split(" ")[:-1]] + text.split(" ")[-1:]


# OpenAI, Azure and OpenRouter


def _openai_whole(said: Said) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if said.uses:
        message["tool_calls"] = [_openai_call(*use) for use in said.uses]
    usage: dict[str, Any] = {"prompt_tokens": TOKENS[0], "completion_tokens": TOKENS[1], "total_tokens": sum(TOKENS)}
    usage |= {"prompt_tokens_details": {"cached_tokens": said.cached}} if said.cached else {}
    choice = {"index": 0, "finish_reason": _openai_end(said), "message": message}
    frame = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "system_fingerprint": "f"}
    return frame | {"choices": [choice], "usage": usage}


def _openai_call(identity: str, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def _openai_end(said: Said) -> str:
    return "length" if said.cut else "tool_calls" if said.uses else "stop"


def _openai_events(said: Said) -> Events:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": word} for word in _words(said.text)]
    for index, use in enumerate(said.uses):
        call = _openai_call(*use)
        raw = call["function"]["arguments"]
        function = {"name": use[1], "arguments": raw[:4]}
        deltas.append({"tool_calls": [{"index": index, "id": use[0], "type": "function", "function": function}]})
        deltas.append({"tool_calls": [{"index": index, "function": {"arguments": raw[4:]}}]})
    choices: list[list[dict[str, Any]]] = []
    choices += [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
    choices += [[{"index": 0, "delta": {}, "finish_reason": _openai_end(said)}], []]
    frame = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "system_fingerprint": "f"}
    usage = _openai_whole(said)["usage"]
    lines = [json.dumps(frame | {"choices": one} | ({} if one else {"usage": usage})) for one in choices]
    return [f"data: {line}\n\n" for line in [*lines, "[DONE]"]]


def _openai_results(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(one["tool_call_id"], one["content"]) for one in body["messages"] if one["role"] == "tool"]


def _openai_tools(body: Mapping[str, Any]) -> list[str]:
    return [one["function"]["name"] for one in body.get("tools", [])]


# Anthropic


def _anthropic_blocks(said: Said) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": said.text}] if said.text else []
    return blocks + [{"type": "tool_use", "id": one, "name": name, "input": dict(of)} for one, name, of in said.uses]


def _anthropic_whole(said: Said) -> dict[str, Any]:
    reason = "max_tokens" if said.cut else "tool_use" if said.uses else "end_turn"
    usage = {"input_tokens": TOKENS[0] - said.cached, "output_tokens": TOKENS[1]}
    usage |= {"cache_read_input_tokens": said.cached, "cache_creation_input_tokens": 0}
    frame: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "stop_sequence": None,
    }
    return frame | {"content": _anthropic_blocks(said), "stop_reason": reason, "usage": usage}


def _anthropic_events(said: Said) -> Events:
    whole = _anthropic_whole(said)
    begun = whole | {"content": [], "stop_reason": None, "usage": whole["usage"] | {"output_tokens": 1}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": begun}]
    for index, block in enumerate(whole["content"]):
        empty: dict[str, Any] = {"text": ""} if block["type"] == "text" else {"input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": block | empty})
        if block["type"] == "text":
            deltas = [{"type": "text_delta", "text": word} for word in _words(block["text"])]
        else:
            raw = json.dumps(block["input"])
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in (raw[:4], raw[4:])]
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": whole["usage"]})
    events.append({"type": "message_stop"})
    return [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events]


def _anthropic_results(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    blocks = [block for turn in body["messages"] if isinstance(turn["content"], list) for block in turn["content"]]
    found = [one for one in blocks if one["type"] == "tool_result"]
    return [(one["tool_use_id"], _plain(one["content"])) for one in found]


def _plain(content: str | Sequence[Mapping[str, Any]]) -> str:
    return content if isinstance(content, str) else "".join(str(one["text"]) for one in content)


# Gemini


def _gemini_part(said: Said, parts: list[dict[str, Any]], *, is_last: bool) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if is_last:
        candidate["finishReason"] = "MAX_TOKENS" if said.cut else "STOP"
    usage = {"promptTokenCount": TOKENS[0], "candidatesTokenCount": TOKENS[1], "totalTokenCount": sum(TOKENS)}
    usage |= {"cachedContentTokenCount": said.cached} if said.cached else {}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini"}


def _gemini_parts(said: Said) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"text": word} for word in _words(said.text)] if said.text else []
    calls = [{"functionCall": {"id": one, "name": name, "args": dict(of)}} for one, name, of in said.uses]
    return parts + [call | ({"thoughtSignature": "c2lnbmVk"} if at == 0 else {}) for at, call in enumerate(calls)]


def _gemini_whole(said: Said) -> dict[str, Any]:
    calls = [one for one in _gemini_parts(said) if "functionCall" in one]
    text = [{"text": said.text}] if said.text else []
    return _gemini_part(said, text + calls, is_last=True)


def _gemini_events(said: Said) -> Events:
    parts = _gemini_parts(said)
    pieces = [_gemini_part(said, [one], is_last=one is parts[-1]) for one in parts]
    return [f"data: {json.dumps(one)}\r\n\r\n" for one in pieces]


def _gemini_results(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    parts = [part for turn in body["contents"] for part in turn["parts"] if "functionResponse" in part]
    found = [one["functionResponse"] for one in parts]
    return [(one.get("id") or one["name"], json.dumps(one["response"])) for one in found]


# Ollama


def _ollama_lines(said: Said) -> Events:
    frame = {"model": "llama", "created_at": "2026-11-24T12:00:00Z"}
    words = _words(said.text) if said.text else []
    messages: list[dict[str, Any]] = [{"role": "assistant", "content": word} for word in words]
    calls = [{"function": {"name": name, "arguments": dict(arguments)}} for _, name, arguments in said.uses]
    messages += [{"role": "assistant", "content": "", "tool_calls": calls}] if calls else []
    end = {"done_reason": "length" if said.cut else "stop", "prompt_eval_count": TOKENS[0], "eval_count": TOKENS[1]}
    lines = [frame | {"message": one, "done": False} for one in messages]
    lines.append(frame | {"message": {"role": "assistant", "content": ""}, "done": True} | end)
    return [json.dumps(one) + "\n" for one in lines]


def _ollama_results(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [("", one["content"]) for one in body["messages"] if one["role"] == "tool"]


OPENAI = Dialect(
    "openai:gpt-4o-mini",
    "langchain_openai",
    ("/v1/chat/completions", "/v1/chat/completions"),
    _openai_whole,
    _openai_events,
    lambda body: (body.get("max_tokens"), body.get("max_completion_tokens")),
    _openai_tools,
    _openai_results,
    base="/v1",
)
AZURE = Dialect(
    "azure_openai:our-deployment",
    "langchain_openai",
    ("/openai/deployments/our-deployment/chat/completions?api-version=2024-10-21",) * 2,
    _openai_whole,
    _openai_events,
    lambda body: (body.get("max_tokens"), body.get("max_completion_tokens")),
    _openai_tools,
    _openai_results,
    key=("api-key", "sk-test"),
    options={"api_version": "2024-10-21"},
)
OPENROUTER = Dialect(
    "openrouter:anthropic/claude-sonnet-4.5",
    "langchain_openrouter",
    ("/api/v1/chat/completions",) * 2,
    _openai_whole,
    _openai_events,
    lambda body: (body.get("max_tokens"), body.get("max_completion_tokens")),
    _openai_tools,
    _openai_results,
    base="/api/v1",
)
ANTHROPIC = Dialect(
    "anthropic:claude-sonnet-5-5",
    "langchain_anthropic",
    ("/v1/messages",) * 2,
    _anthropic_whole,
    _anthropic_events,
    lambda body: body["max_tokens"],
    lambda body: [one["name"] for one in body.get("tools", [])],
    _anthropic_results,
)
GEMINI = Dialect(
    "google_genai:gemini-2.5-flash",
    "langchain_google_genai",
    (
        "/v1beta/models/gemini-2.5-flash:generateContent",
        "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    ),
    _gemini_whole,
    _gemini_events,
    lambda body: body["generationConfig"]["maxOutputTokens"],
    lambda body: [one["name"] for tool in body.get("tools", []) for one in tool["functionDeclarations"]],
    _gemini_results,
    key=("x-goog-api-key", "sk-test"),
)
OLLAMA = Dialect(
    "ollama:llama3.2",
    "langchain_ollama",
    ("/api/chat",) * 2,
    lambda said: {"lines": _ollama_lines(said)},
    _ollama_lines,
    lambda body: body["options"]["num_predict"],
    _openai_tools,
    _ollama_results,
    kind="application/x-ndjson",
    always_streams=True,
)
DIALECTS = (OPENAI, AZURE, OPENROUTER, ANTHROPIC, GEMINI, OLLAMA)
