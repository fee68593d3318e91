"""A stand-in for a chat model: an OpenAI-compatible endpoint on this machine that answers by a rule.

    python examples/stand_in_model.py 8099

It thinks nothing: where it is shown that runway is short it proposes to collect what customers owe, with the belief
that it rests on, and it says the same each time. What MABOS does with a proposal can be watched without an account.
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

RUNWAY = re.compile(r"\[(B-[^\]]+)\][^\n]*runway", re.IGNORECASE)

WORKING = "I am a stand-in: I propose wishes, and answer nothing else."
"""What is said to a message that a model with tools would work on."""


def answer(question: str) -> dict[str, Any]:
    """Return what is said to a question: a wish where it shows a belief about runway, else nothing."""
    belief = RUNWAY.search(question)
    if belief is None:
        return {}
    wish = {
        "name": "Collect what customers owe",
        "type": "achieve",
        "base": 0.7,
        "importance": 0.8,
        "urgency": 0.8,
        "alignment": 0.9,
        "target": "receivables_overdue < 5000",
        "reason": "Money that is owed lengthens the runway at no cost",
        "evidence": [belief[1]],
    }
    return {"desires": [wish], "options": []}


class StandInEndpoint(BaseHTTPRequestHandler):
    """Speaks the shape of chat completions."""

    def do_GET(self) -> None:
        """List the one model."""
        self._say({"object": "list", "data": [{"id": "stand-in", "object": "model"}]})

    def do_POST(self) -> None:
        """Answer a question."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        question = "\n".join(str(one["content"]) for one in asked["messages"])
        said = WORKING if asked.get("tools") else json.dumps(answer(question))
        is_streamed = bool(asked.get("stream"))
        message = {"role": "assistant", "content": said}
        choice = {"index": 0, "finish_reason": "stop", "delta" if is_streamed else "message": message}
        body = {
            "id": "stand-in-1",
            "object": "chat.completion.chunk" if is_streamed else "chat.completion",
            "created": 0,
            "model": "stand-in",
            "choices": [choice],
            "usage": {"prompt_tokens": len(question) // 4, "completion_tokens": len(said) // 4, "total_tokens": 0},
        }
        if is_streamed:
            self._send(f"data: {json.dumps(body)}\n\ndata: [DONE]\n\n", "text/event-stream")
        else:
            self._say(body)

    def _say(self, body: dict[str, Any]) -> None:
        self._send(json.dumps(body), "application/json")

    def _send(self, text: str, content_type: str) -> None:
        payload = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Say nothing: what is asked and answered stands in the ledger."""


def main() -> None:
    """Answer until stopped; the port is the first argument."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8099
    server = ThreadingHTTPServer(("127.0.0.1", port), StandInEndpoint)
    print(f"answering on http://127.0.0.1:{server.server_port}/v1", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
