"""An OpenAI-compatible server that answers from a script, and an agent whose model is behind it."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from mabos.backends.chat import ToolUse
from mabos.configs.models import ModelProfile
from tests.world import WORDS_ALONE, Member, World

Served = str | ToolUse | Sequence[ToolUse]

DIES = "dies"


def answered(given: Served) -> dict[str, Any]:
    """Return a chat completion as servers write it."""
    message: dict[str, Any] = {"role": "assistant", "content": given if isinstance(given, str) else None}
    if not isinstance(given, str):
        uses = [given] if isinstance(given, ToolUse) else given
        functions = [(one.id, {"name": one.name, "arguments": json.dumps(dict(one.arguments))}) for one in uses]
        message["tool_calls"] = [{"id": name, "type": "function", "function": one} for name, one in functions]
    finish = "stop" if isinstance(given, str) else "tool_calls"
    choice = {"index": 0, "finish_reason": finish, "message": message}
    usage = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "tiny", "choices": [choice], "usage": usage}


def event_stream(given: Served) -> str:
    """Return a chat completion as servers stream it: words and calls one by one, then the usage."""
    whole = answered(given)
    (choice,) = whole["choices"]
    words = [{"content": word} for word in re.findall(r"\S+\s*", choice["message"]["content"] or "")]
    uses = [{"tool_calls": [{"index": at, **one}]} for at, one in enumerate(choice["message"].get("tool_calls", ()))]
    head = {**whole, "object": "chat.completion.chunk"}
    chunks = [[{"index": 0, "delta": {"role": "assistant", **one}, "finish_reason": None}] for one in (*words, *uses)]
    chunks += [[{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}], []]
    events = [{**head, "choices": one, "usage": None if one else whole["usage"]} for one in chunks]
    return "".join(f"data: {json.dumps(one)}\n\n" for one in events) + "data: [DONE]\n\n"


@contextmanager
def serving(*script: Served) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve a script to whoever sends tools; where it says so, the connection ends in the middle of an answer."""
    left, seen = list(script), list[dict[str, Any]]()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)) or "{}")
            if body.get("tools"):
                seen.append(body)
            reply = "{}" if not body.get("tools") else left.pop(0) if left else DIES
            said: Served = "It is all on record." if reply == DIES else reply
            payload = (event_stream(said) if body.get("stream") else json.dumps(answered(said))).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream" if body.get("stream") else "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload[: len(payload) // 2] if reply == DIES else payload)
            if reply == DIES:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=httpd.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{httpd.server_port}/v1", seen
    finally:
        httpd.shutdown()
        httpd.server_close()


@contextmanager
def open_office(tmp_path: Path, address: str, *, stream: bool = False, **more: Any) -> Iterator[Member]:
    """Open an office whose marketing agent has its model there."""
    free: dict[str, Any] = {"input_usd": 0, "output_usd": 0}
    profile = ModelProfile(base_url=address, model="tiny", max_retries=0, timeout_s=5, stream=stream, **free)
    chosen = {"models.active": "local", "models.profiles": {"local": profile}, **WORDS_ALONE, **more}
    with World(tmp_path / "workspace", settings=chosen, variables={}) as world:
        yield world.quiet("cmo")
