"""The real client against a server on loopback that speaks the shape of chat completions."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from pydantic import BaseModel

from backends.chat import ChatMessage, ForbiddenModel, NoModel
from backends.choice import chat_model, embedder
from backends.openai_compatible import OpenAICompatible
from backends.structured import structured
from configs.errors import Unavailable
from configs.models import ModelProfile
from configs.settings import environment, load_settings

ASK = [ChatMessage("system", "You are the CFO."), ChatMessage("user", "How long will the money last?")]
Responder = Callable[[dict[str, Any]], tuple[int, Any]]


class Served(list[dict[str, Any]]):
    """The requests a server received, and where it listens."""

    base_url = ""


@contextmanager
def server(respond: Responder) -> Iterator[Served]:
    seen = Served()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append({"path": self.path, "key": self.headers["Authorization"], "body": body})
            status, answer = respond(body)
            payload = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    seen.base_url = f"http://127.0.0.1:{httpd.server_port}/v1"
    Thread(target=httpd.serve_forever, daemon=True).start()
    try:
        yield seen
    finally:
        httpd.shutdown()
        httpd.server_close()


def completion(text: str, finish: str = "stop") -> dict[str, Any]:
    return {
        "id": "c-1",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17},
    }


def model(base_url: str, **over: Any) -> OpenAICompatible:
    fields: dict[str, Any] = {
        "base_url": base_url,
        "model": "tiny",
        "api_key_env": "",
        "timeout_s": 5,
        "max_retries": 0,
    }
    return OpenAICompatible(ModelProfile(**(fields | over)), "sk-local")


class Runway(BaseModel):
    months: int


def test_an_answer_comes_back_with_its_usage() -> None:
    with server(lambda _: (200, completion("Nine months."))) as seen:
        answer = model(seen.base_url).complete(ASK, max_tokens=64)
    assert (answer.text, answer.usage.input_tokens, answer.usage.output_tokens) == ("Nine months.", 12, 5)
    request = seen[0]
    assert request["path"] == "/v1/chat/completions"
    assert request["key"] == "Bearer sk-local"
    assert request["body"]["max_tokens"] == 64
    assert [turn["role"] for turn in request["body"]["messages"]] == ["system", "user"]


def test_the_responses_api_is_never_chosen_by_a_models_name() -> None:
    with server(lambda _: (200, completion("yes"))) as seen:
        model(seen.base_url, model="gpt-5-codex").complete(ASK)
    assert seen[0]["path"] == "/v1/chat/completions"


def test_structured_output_asks_with_a_json_schema_and_validates() -> None:
    with server(lambda _: (200, completion('{"months": 9}'))) as seen:
        assert structured(model(seen.base_url), ASK, Runway, tag="runway") == Runway(months=9)
    assert seen[0]["body"]["response_format"]["json_schema"]["name"] == "runway"


def test_an_answer_cut_short_is_repaired_once() -> None:
    answers = iter([completion('{"months": ', "length"), completion('{"months": 9}')])
    with server(lambda _: (200, next(answers))) as seen:
        assert structured(model(seen.base_url), ASK, Runway) == Runway(months=9)
    assert len(seen) == 2


def test_run_on_answers_end_in_none() -> None:
    with server(lambda _: (200, completion('{"months": ', "length"))) as seen:
        assert structured(model(seen.base_url), ASK, Runway) is None
    assert len(seen) == 2


@pytest.mark.parametrize(
    "respond",
    [
        lambda _: (500, {"error": {"message": "overloaded"}}),
        lambda _: (401, {"error": {"message": "bad key"}}),
        lambda _: (200, "<html>not an endpoint</html>"),
        lambda _: (200, {"choices": None}),
        lambda _: (200, {}),
    ],
    ids=["500", "401", "html", "null choices", "empty"],
)
def test_an_endpoint_that_fails_is_unavailable_and_named(respond: Responder) -> None:
    with server(respond) as seen, pytest.raises(Unavailable, match=r"'tiny' at http://127\.0\.0\.1"):
        model(seen.base_url).complete(ASK)


def test_an_endpoint_that_is_not_there_is_unavailable() -> None:
    with server(lambda _: (200, {})) as seen:
        gone = seen.base_url
    with pytest.raises(Unavailable, match="did not answer"):
        model(gone).complete(ASK)


def test_the_choice_follows_settings_and_environment() -> None:
    def chosen(**variables: str) -> Any:
        read = environment(variables)
        return chat_model(load_settings(None, read).models, read)

    assert isinstance(chosen(), NoModel)
    assert isinstance(chosen(OPENAI_API_KEY="k", MABOS_FORBID_MODEL="1"), ForbiddenModel)
    local = chosen(OPENAI_BASE_URL="http://127.0.0.1:9/v1", OPENAI_MODEL="m")
    assert (local.name, local.profile.base_url) == ("m", "http://127.0.0.1:9/v1")
    assert embedder().embed(["x"]) is None
