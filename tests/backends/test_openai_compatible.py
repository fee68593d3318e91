"""The real client against a server on loopback that speaks the shape of chat completions."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from time import sleep
from typing import Any

import pytest
from pydantic import BaseModel

from mabos.backends.chat import ChatMessage, ForbiddenModel, NoModel, ToolSpec
from mabos.backends.choice import chat_model, embedder
from mabos.backends.langchain_model import LangChainModel
from mabos.backends.providers import profile_model
from mabos.backends.structured import complete_structured
from mabos.configs.errors import Unavailable
from mabos.configs.models import ModelProfile
from mabos.configs.settings import environment, load_settings

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
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)) or "{}")
            seen.append({"path": self.path, "key": self.headers["Authorization"], "body": body})
            status, answer = respond(body)
            payload = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        do_GET = do_POST  # noqa: N815 - the base class names it

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    seen.base_url = f"http://127.0.0.1:{httpd.server_port}/v1"
    Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
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


def model(base_url: str, **over: Any) -> LangChainModel:
    fields: dict[str, Any] = {
        "base_url": base_url,
        "model": "tiny",
        "api_key_env": "",
        "timeout_s": 5,
        "max_retries": 0,
    }
    return profile_model(ModelProfile(**(fields | over)), "sk-local")


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


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("tools", [(), (ToolSpec("look_up", "Look it up.", {"type": "object", "properties": {}}),)])
@pytest.mark.parametrize("schema", [None, {"type": "object", "properties": {"months": {"type": "integer"}}}])
@pytest.mark.parametrize("wanted", ["max_tokens", "max_completion_tokens"])
def test_the_limit_of_an_answer_is_sent_under_one_name_and_the_one_that_is_taken(
    wanted: str, schema: dict[str, Any] | None, tools: tuple[ToolSpec, ...], stream: bool
) -> None:
    """Validate as OpenAI's own server does: both names are refused, and so is the one that a model does not take."""
    names = {"max_tokens", "max_completion_tokens"}

    def respond(body: dict[str, Any]) -> tuple[int, Any]:
        sent = names & body.keys()
        if sent == names:
            said = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
            return 400, {"error": {"message": said}}
        if sent != {wanted}:
            said = f"Unsupported parameter: '{sent.pop()}' is not supported with this model. Use '{wanted}' instead."
            return 400, {"error": {"message": said, "code": "unsupported_parameter"}}
        if body.get("stream"):
            return 200, CHUNK.replace(b"null", b'"stop"').decode()
        return 200, completion("{}")

    with server(respond) as seen:
        asked = model(seen.base_url, stream=stream)
        for _ in range(2):
            asked.complete(ASK, schema=schema, tools=tools, max_tokens=64)
    assert [names & one["body"].keys() for one in seen][-2:] == [{wanted}, {wanted}]
    assert len(seen) == (2 if wanted == "max_tokens" else 3), "the other name is tried once, and kept"
    assert {one["body"].get(wanted, 64) for one in seen} == {64}


def test_structured_output_asks_with_a_json_schema_and_validates() -> None:
    with server(lambda _: (200, completion('{"months": 9}'))) as seen:
        assert complete_structured(model(seen.base_url), ASK, Runway, tag="runway") == Runway(months=9)
    assert seen[0]["body"]["response_format"]["json_schema"]["name"] == "runway"


def test_an_answer_cut_short_is_repaired_once() -> None:
    answers = iter([completion('{"months": ', "length"), completion('{"months": 9}')])
    with server(lambda _: (200, next(answers))) as seen:
        assert complete_structured(model(seen.base_url), ASK, Runway) == Runway(months=9)
    assert len(seen) == 2


def test_run_on_answers_end_in_none() -> None:
    with server(lambda _: (200, completion('{"months": ', "length"))) as seen:
        assert complete_structured(model(seen.base_url), ASK, Runway) is None
    assert len(seen) == 2


@pytest.mark.parametrize(
    "respond",
    [
        lambda _: (500, {"error": {"message": "overloaded"}}),
        lambda _: (401, {"error": {"message": "bad key"}}),
        lambda _: (200, "<html>not an endpoint</html>"),
        lambda _: (200, {"choices": None}),
        lambda _: (200, {}),
        lambda _: (200, {"choices": []}),
        lambda _: (200, {"choices": [None]}),
        lambda _: (200, "[" * 100_000),
        lambda _: (200, completion("yes") | {"usage": {"prompt_tokens": "many"}}),
    ],
    ids=["500", "401", "html", "null choices", "empty", "no choice", "null choice", "brackets", "no number"],
)
def test_an_endpoint_that_fails_is_unavailable_and_named(respond: Responder) -> None:
    with server(respond) as seen, pytest.raises(Unavailable, match=r"'tiny' at http://127\.0\.0\.1"):
        model(seen.base_url).complete(ASK)


@pytest.mark.parametrize(
    ("respond", "advice"),
    [
        (lambda _: (401, {"error": {"message": "no sk-local"}}), "needs another key; set MY_KEY"),
        (lambda _: (403, {"error": {"message": "no"}}), "needs another key; set MY_KEY"),
        (lambda _: (404, {"error": {"message": "no"}}), "no such model or address"),
        (lambda _: (429, {"error": {"message": "no"}}), "too many calls, or no credit is left"),
        (lambda _: (400, {"error": {"message": "too long"}}), "refuses the request .*too long"),
        (lambda _: (503, {"error": {"message": "no"}}), "it failed; try again later"),
        (lambda _: (200, "<html>"), "base_url usually ends in /v1"),
    ],
)
def test_why_an_endpoint_does_not_answer_says_what_to_do_and_never_the_key(respond: Responder, advice: str) -> None:
    with server(respond) as seen, pytest.raises(Unavailable, match=advice) as raised:
        model(seen.base_url, api_key_env="MY_KEY").complete(ASK)
    assert "sk-local" not in raised.value.message


@pytest.mark.parametrize("key", ["sk-local\r", "sk-löcal"])
def test_a_key_that_no_header_can_carry_is_told_and_quoted_nowhere(key: str) -> None:
    profile = ModelProfile(base_url="http://127.0.0.1:9/v1", model="tiny", api_key_env="MY_KEY")
    with pytest.raises(Unavailable, match="MY_KEY contains a line break") as raised:
        profile_model(profile, key).complete(ASK)
    assert key.strip() not in raised.value.message


def test_an_endpoint_that_takes_no_schema_is_told_it_in_words_from_then_on() -> None:
    def respond(body: dict[str, Any]) -> tuple[int, Any]:
        if "response_format" in body:
            return 400, {"error": {"message": "This response_format type is unavailable now"}}
        return 200, completion('```json\n{"months": 9}\n```')

    with server(respond) as seen:
        asked = model(seen.base_url)
        assert [complete_structured(asked, ASK, Runway) for _ in range(2)] == [Runway(months=9)] * 2
    assert ["response_format" in one["body"] for one in seen] == [True, False, False]
    assert '"months"' in seen[2]["body"]["messages"][-1]["content"]


def test_what_an_endpoint_does_not_count_is_estimated_so_that_budgets_hold() -> None:
    silent = {key: value for key, value in completion("Nine months.").items() if key != "usage"}
    with server(lambda _: (200, silent)) as seen:
        usage = model(seen.base_url).complete(ASK).usage
    assert (usage.input_tokens, usage.output_tokens) == (12, 3)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%s\r\n"
WHOLE = json.dumps(completion("Nine months.")).encode()
CHUNK = b"data: " + json.dumps(
    {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "tiny",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Nine "}, "finish_reason": None}],
    }
).encode() + b"\n\n"  # fmt: skip


@contextmanager
def broken(*parts: bytes, pause_s: float = 0.0) -> Iterator[str]:
    """Serve bytes as they are, one after the other, and hang up."""

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            length = 0
            while (line := self.rfile.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
            self.rfile.read(length)
            with suppress(OSError):  # who gave up no longer listens
                for part in parts:
                    self.wfile.write(part)
                    self.wfile.flush()
                    sleep(pause_s)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as tcp:
        tcp.daemon_threads = True
        Thread(target=tcp.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{tcp.server_address[1]}/v1"
        tcp.shutdown()


LONGER = HEAD % (b"application/json", b"Content-Length: %d\r\n" % (len(WHOLE) + 1))
EVENTS = HEAD % (b"text/event-stream", b"Transfer-Encoding: chunked\r\n")
OPEN_ENDED = HEAD % (b"text/event-stream", b"Connection: close\r\n")


@pytest.mark.parametrize(
    ("stream", "parts"),
    [
        (False, [b""]),
        (False, [LONGER, WHOLE[:40]]),
        (True, [EVENTS, b"%x\r\n" % len(CHUNK), CHUNK, b"\r\n"]),
        (True, [EVENTS, b"%x\r\n" % len(CHUNK), CHUNK[:20]]),
        (True, [OPEN_ENDED, b"data: {nonsense\n\n"]),
        (True, [OPEN_ENDED, b"data: []\n\ndata: [DONE]\n\n"]),
        (True, [OPEN_ENDED]),
    ],
    ids=["hung up", "half an answer", "died between", "died inside", "no JSON", "no chunk", "nothing"],
)
def test_a_server_that_dies_in_the_middle_or_talks_nonsense_is_unavailable(stream: bool, parts: list[bytes]) -> None:
    with broken(*parts) as url, pytest.raises(Unavailable, match="'tiny' at http"):
        model(url, stream=stream).complete(ASK)


def test_a_stream_that_just_ends_is_no_whole_answer() -> None:
    with broken(OPEN_ENDED, CHUNK) as url:
        answer = model(url, stream=True).complete(ASK)
    assert (answer.text, answer.cut_short) == ("Nine ", True)


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_trickles_for_longer_than_allowed_is_given_up(stream: bool) -> None:
    parts = [EVENTS, *([b"%x\r\n" % len(CHUNK), CHUNK, b"\r\n"] * 400)] if stream else [LONGER, *([b" "] * 400)]
    with broken(*parts, pause_s=0.05) as url, pytest.raises(Unavailable, match=r"longer than 0\.4 s"):
        model(url, stream=stream, timeout_s=0.4).complete(ASK)


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:port/v1", "http://[x/v1", "127.0.0.1:9/v1", "http://"])
def test_what_is_no_address_is_told_as_that(base_url: str) -> None:
    with pytest.raises(Unavailable, match="'tiny' at"):
        model(base_url).complete(ASK)


@pytest.mark.parametrize("stream", [False, True])
def test_brackets_without_end_are_no_object(stream: bool) -> None:
    said = CHUNK.replace(b"Nine ", b"[" * 100_000).replace(b"null", b'"stop"')
    text = json.dumps(completion("[" * 100_000)).encode()
    parts = [OPEN_ENDED, said] if stream else [HEAD % (b"application/json", b"Connection: close\r\n"), text]
    with broken(*parts) as url:
        answer = model(url, stream=stream).complete(ASK, schema={"type": "object"})
    assert (answer.data, answer.text[:3], answer.cut_short) == (None, "[[[", False)


def test_who_sends_on_to_another_address_gets_the_key_and_nobody_else() -> None:
    with server(lambda _: (200, completion("from elsewhere"))) as other:
        head = f"HTTP/1.1 307 Elsewhere\r\nLocation: {other.base_url}/chat/completions\r\nContent-Length: 0\r\n\r\n"
        with broken(head.encode()) as url:
            model(url).complete(ASK)
    assert [one["key"] for one in other] == [None]


def test_an_endpoint_out_of_reach_is_not_asked_again_for_a_while() -> None:
    with server(lambda _: (200, completion("here again"))) as seen:
        gone = model("http://127.0.0.1:9/v1")
        for _ in range(3):
            with pytest.raises(Unavailable, match="nothing answers there"):
                gone.complete(ASK)
        with pytest.raises(Unavailable, match="next try in"):
            gone.complete(ASK)
        assert model(seen.base_url).complete(ASK).text == "here again", "every endpoint for itself"


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
