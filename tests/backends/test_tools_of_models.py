"""Tools in a conversation with a model: asked for, recorded, replayed, counted, and sent over the wire."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.backends.chat import ChatMessage, Completion, ScriptedModel, ToolSpec, ToolUse, Usage
from mabos.backends.langchain_model import LangChainModel
from mabos.backends.metering import BudgetExhausted, Meter, Metered, ModelBudget
from mabos.backends.providers import profile_model
from mabos.backends.recording import MissingRecord, RecordedModel, Replayed
from mabos.configs.models import ModelProfile

ASK = [ChatMessage("user", "Raise the price of Pro to 49 dollars.")]
PRICE = ToolSpec(
    "price_set",
    "Set the price of a product.",
    {"type": "object", "properties": {"product": {"type": "string"}, "usd": {"type": "number"}}},
)
USE = ToolUse("call-1", "price_set", {"product": "Pro", "usd": 49})
ID = "PRD-1772442000000-{}"


def continued(answer: Completion, result: str) -> list[ChatMessage]:
    return [*ASK, answer.turn, *(ChatMessage("tool", result, tool_use_id=use.id) for use in answer.tool_uses)]


def test_a_script_may_ask_for_one_tool_or_several() -> None:
    model = ScriptedModel([USE, [USE, replace(USE, id="call-2")], "Done."])
    assert model.complete(ASK, tools=[PRICE]).tool_uses == (USE,)
    assert [use.id for use in model.complete(ASK, tools=[PRICE]).tool_uses] == ["call-1", "call-2"]
    assert model.complete(continued(Completion("", tool_uses=(USE,)), "ok"), tools=[PRICE]).text == "Done."
    assert model.calls[2].tools == (PRICE,)
    assert [turn.role for turn in model.calls[2].messages] == ["user", "assistant", "tool"]


def test_a_tool_loop_is_replayed_with_the_ids_of_the_run_that_replays_it(tmp_path: Path) -> None:
    def answers(product: str, number: int) -> ScriptedModel:
        return ScriptedModel([ToolUse(f"call-{number}", "price_set", {"product": product, "usd": 49}), "Done."])

    def loop(model: RecordedModel | Replayed, product: str) -> list[Any]:
        question = [ChatMessage("user", f"Raise the price of {product}.")]
        first = model.complete(question, tools=[PRICE])
        result = [ChatMessage("tool", f"{product} costs 49", tool_use_id=first.tool_uses[0].id)]
        return [first.tool_uses[0].arguments, model.complete([*question, first.turn, *result], tools=[PRICE]).text]

    path = tmp_path / "calls.jsonl"
    loop(RecordedModel(answers(ID.format("aaaa"), 1), path), ID.format("aaaa"))
    again = Replayed(path)
    assert loop(again, ID.format("bbbb")) == [{"product": ID.format("bbbb"), "usd": 49}, "Done."]
    assert again.unused == 0


def test_a_question_with_other_tools_arguments_or_results_is_another_question(tmp_path: Path) -> None:
    answer = Completion("", tool_uses=(USE,))
    path = tmp_path / "calls.jsonl"
    RecordedModel(ScriptedModel(["Done."]), path).complete(continued(answer, "ok"), tools=[PRICE])
    cheaper = Completion("", tool_uses=(replace(USE, arguments={"product": "Pro", "usd": 4}),))
    for turns, tools in (
        (continued(answer, "ok"), []),
        (continued(answer, "ok"), [replace(PRICE, description="Another.")]),
        (continued(answer, "refused"), [PRICE]),
        (continued(cheaper, "ok"), [PRICE]),
    ):
        with pytest.raises(MissingRecord):
            Replayed(path).complete(turns, tools=tools)
    renamed = Completion("", tool_uses=(replace(USE, id="another-id"),))
    assert Replayed(path).complete(continued(renamed, "ok"), tools=[PRICE]).text == "Done."


def test_tools_and_tool_turns_count_against_a_budget_of_tokens() -> None:
    spent = []
    for turns, tools in ((ASK, []), (ASK, [PRICE]), (continued(Completion("", tool_uses=(USE,)), "ok"), [PRICE])):
        meter = Meter()
        Metered(ScriptedModel(["Done."]), meter).complete(turns, tools=tools)
        spent.append(meter.spent.model_tokens)
    assert spent == sorted(set(spent))
    limited = Metered(ScriptedModel(["Done."]), Meter(ModelBudget(model_tokens=spent[0] + 800)))
    with pytest.raises(BudgetExhausted):
        limited.complete(ASK, tools=[PRICE] * 20)


def test_text_is_heard_while_it_arrives_through_every_layer(tmp_path: Path) -> None:
    heard: list[str] = []
    model = RecordedModel(ScriptedModel(["one\ntwo\nthree"]), tmp_path / "calls")
    Metered(model).complete(ASK, on_text=heard.append)
    assert heard == ["one\n", "two\n", "three"]
    Replayed(tmp_path / "calls").complete(ASK, on_text=heard.append)
    assert heard[3:] == ["one\ntwo\nthree"]


@given(st.lists(st.text("sk-ecrt \n", max_size=9), max_size=8))
def test_no_secret_is_heard_however_a_text_is_cut(tmp_path_factory: pytest.TempPathFactory, parts: list[str]) -> None:
    secret, text = "sk-secret", "sk-secret".join(parts)
    heard: list[str] = []
    path = tmp_path_factory.mktemp("calls") / "calls"
    lines = ScriptedModel([Completion(text, usage=Usage(1, 1))])
    answer = RecordedModel(lines, path, secrets=[secret]).complete(ASK, on_text=heard.append)
    assert "".join(heard) == answer.text
    assert secret not in "".join(heard)


def test_a_secret_in_the_arguments_of_a_tool_is_struck_out(tmp_path: Path) -> None:
    use = replace(USE, arguments={"note": "the key is sk-secret"})
    recorded = RecordedModel(ScriptedModel([use]), tmp_path / "calls", secrets=["sk-secret"])
    assert recorded.complete(ASK).tool_uses[0].arguments == {"note": "the key is ***"}
    assert "sk-secret" not in (tmp_path / "calls").read_text()


class Wire(list[dict[str, Any]]):
    """The bodies that a server received, and where it listens."""

    url = ""


@contextmanager
def wire(*answers: dict[str, Any], streams: bool = True) -> Iterator[Wire]:
    """Serve messages of an assistant in order, whole or as events as the request asks; some servers only whole."""
    seen, waiting = Wire(), iter(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append(body)
            message = next(waiting)
            is_streamed = streams and bool(body.get("stream"))
            payload = events(message) if is_streamed else json.dumps(whole(message)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream" if is_streamed else "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    seen.url = f"http://127.0.0.1:{httpd.server_port}/v1"
    Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield seen
    finally:
        httpd.shutdown()
        httpd.server_close()


def whole(message: dict[str, Any]) -> dict[str, Any]:
    finish = message.pop("finish", "tool_calls" if "tool_calls" in message else "stop")
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}
    usage = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "tiny", "choices": [choice], "usage": usage}


def events(message: dict[str, Any]) -> bytes:
    answer = whole(message)
    (choice,), usage = answer["choices"], answer["usage"]
    said, calls = choice["message"].get("content") or "", choice["message"].get("tool_calls") or []
    deltas: list[dict[str, Any]] = [{"content": word} for word in said.split(" ")]
    for index, call in enumerate(calls):
        raw = call["function"]["arguments"]
        deltas.append({"tool_calls": [call | {"index": index, "function": call["function"] | {"arguments": raw[:5]}}]})
        deltas.append({"tool_calls": [{"index": index, "function": {"arguments": raw[5:]}}]})
    choices = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
    choices += [[{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}], []]
    frame = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "tiny"}
    lines = [json.dumps(frame | {"choices": one} | ({} if one else {"usage": usage})) for one in choices]
    return "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()


def call(arguments: str, identity: str = "call-1") -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": "price_set", "arguments": arguments}}


def reached(url: str, *, stream: bool) -> LangChainModel:
    return profile_model(ModelProfile(base_url=url, model="tiny", max_retries=0, timeout_s=5, stream=stream), "key")


both_ways = pytest.mark.parametrize("stream", [False, True])


@both_ways
def test_a_tool_is_asked_for_and_its_result_sent_back_over_the_wire(stream: bool) -> None:
    asked = {"content": None, "tool_calls": [call('{"product": "Pro", "usd": 49}'), call('{"usd": 9}', "call-2")]}
    with wire(asked, {"content": "Done it is"}) as seen:
        model = reached(seen.url, stream=stream)
        first = model.complete(ASK, tools=[PRICE])
        second = model.complete(continued(first, "ok"), tools=[PRICE])
    assert first.tool_uses == (USE, ToolUse("call-2", "price_set", {"usd": 9}))
    assert (first.cut_short, first.usage) == (False, Usage(12, 5))
    assert seen[0]["tools"][0]["function"]["parameters"] == PRICE.parameters
    assistant, *results = seen[1]["messages"][1:]
    assert [json.loads(one["function"]["arguments"]) for one in assistant["tool_calls"]] == [
        {"product": "Pro", "usd": 49}, {"usd": 9}]  # fmt: skip
    assert [(one["role"], one["tool_call_id"]) for one in results] == [("tool", "call-1"), ("tool", "call-2")]
    assert second.tool_uses == ()


def test_the_pieces_of_an_answer_are_heard_as_they_come() -> None:
    heard: list[str] = []
    with wire({"content": "Nine months."}) as seen:
        answer = reached(seen.url, stream=False).complete(ASK, on_text=heard.append)
    assert heard == ["Nine", "months."]
    assert answer.text == "".join(heard)


@both_ways
@pytest.mark.parametrize("broken", ['{"product": "Pro", "usd": 4', '{"usd": NaN}', "price 49"])
def test_arguments_that_are_no_whole_object_are_marked_and_never_completed(stream: bool, broken: str) -> None:
    with wire({"content": None, "tool_calls": [call('{"usd": 9}'), call(broken, "call-2")]}) as seen:
        answer = reached(seen.url, stream=stream).complete(ASK, tools=[PRICE])
    good, bad = answer.tool_uses
    assert (good.arguments, good.invalid) == ({"usd": 9}, "")
    assert (bad.id, bad.name, bad.arguments) == ("call-2", "price_set", {})
    assert bad.invalid


@both_ways
def test_the_last_tool_of_an_answer_that_was_cut_off_is_not_used(stream: bool) -> None:
    cut = {"content": None, "tool_calls": [call('{"usd": 9}'), call("{}", "call-2")], "finish": "length"}
    with wire(cut) as seen:
        answer = reached(seen.url, stream=stream).complete(ASK, tools=[PRICE])
    assert answer.cut_short
    assert [bool(use.invalid) for use in answer.tool_uses] == [False, True]


def test_an_endpoint_that_answers_in_one_piece_is_understood_and_not_asked_to_stream_again() -> None:
    said = [{"content": text} for text in ("Nine.", "Nine months.", "Ten.")]
    heard = list[str]()
    with wire(*said, streams=False) as seen:
        model = reached(seen.url, stream=False)
        answers = [model.complete(ASK, on_text=heard.append).text for _ in range(2)]
    assert (answers, heard) == (["Nine months.", "Ten."], ["Nine months.", "Ten."])
    assert [bool(one.get("stream")) for one in seen] == [True, False, False]
