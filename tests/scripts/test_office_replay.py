"""A recording of a model's answers is found by the message and by what a session holds since."""

import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from mabos.nodes.action import work
from scripts import office_replay
from scripts.office_replay import RECORDINGS, Endpoint, gaps, place, replay

ASKED = {"role": "user", "content": "<data>\n## Figures\nMRR 900\n</data>\n\nWhat is our MRR?"}
CALLED = {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": {"name": "records"}}]}
WHOLE = [[ASKED], [ASKED, CALLED]]
TOOLS = [{"type": "function", "function": {"name": "records"}}]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[Endpoint]:
    recording = [
        {"at": place([ASKED]), "answer": {"tool_calls": [{"name": "records", "arguments": {"section": "metrics"}}]}},
        {"at": place([ASKED, CALLED]), "answer": {"content": "MRR is $900."}},
    ]
    (tmp_path / "case.json").write_text(json.dumps(recording))
    monkeypatch.setattr(office_replay, "RECORDINGS", tmp_path)
    monkeypatch.setattr(office_replay, "served", nullcontext)  # no `mabos` is asked here
    server = Endpoint()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def answered(endpoint: Endpoint, **body: Any) -> dict[str, Any]:
    data = json.dumps({"model": "case", **body}).encode()
    with urllib.request.urlopen(f"http://127.0.0.1:{endpoint.server_port}/v1/chat/completions", data) as response:
        message: dict[str, Any] = json.load(response)["choices"][0]["message"]
    return message


def test_an_answer_is_found_when_the_prompt_around_the_message_has_changed(endpoint: Endpoint) -> None:
    changed = {"role": "user", "content": "<data>\n## Money\nother\n</data>\n\nWhat is our MRR?"}
    first = answered(endpoint, tools=TOOLS, messages=[{"role": "system", "content": "new"}, changed])
    assert json.loads(first["tool_calls"][0]["function"]["arguments"]) == {"section": "metrics"}
    assert answered(endpoint, tools=TOOLS, messages=[changed, CALLED])["content"] == "MRR is $900."
    assert gaps(endpoint.recordings["case"], endpoint.asked["case"], {}) == []


SUITE = """
import argparse, json, urllib.error, urllib.request
given = argparse.ArgumentParser()
for name in ("mabos", "case", "model", "model-url", "out"):
    given.add_argument(f"--{name}")
given = given.parse_args()
for messages in SESSIONS:
    data = json.dumps({"model": given.model, "tools": [{"type": "function"}], "messages": messages}).encode()
    try:
        urllib.request.urlopen(f"{given.model_url}/chat/completions", data).read()
    except urllib.error.HTTPError:
        pass
shares = {"done": [1, 1], "honest": [1, 1], "answered": [1, 1]}
cases = [{"id": "case", "heard": {"ask": REPLY}}]
open(given.out, "w").write(json.dumps({"scores": {"all": shares}, "not_played": [], "cases": cases}))
"""
"""A suite whose only case asks the model about given sessions, and has every share whatever the answers are."""


@pytest.mark.usefixtures("endpoint")
@pytest.mark.parametrize(
    ("sessions", "reply", "line"),
    [
        (WHOLE, "MRR is $900.", "recordings played as a whole: 1 of 1"),
        ([*WHOLE, [ASKED, CALLED, CALLED]], "MRR is $900.", "NOT PLAYED case: no recorded answer to"),
        ([[ASKED]], "MRR is $900.", "NOT PLAYED case: never asked for the recorded answer to"),
        ([], "MRR is $900.", "NOT PLAYED case: never asked for the recorded answer to"),
        (WHOLE, work.BY_RULES, "NOT PLAYED case: the reply of step 'ask' came without the chat model"),
    ],
    ids=["whole", "a call too many", "an answer left over", "rules alone", "rules after the model"],
)
def test_a_replay_passes_only_where_the_recording_was_played_as_a_whole(
    sessions: Any, reply: str, line: str, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "run.py").write_text(SUITE.replace("SESSIONS", repr(sessions)).replace("REPLY", repr(reply)))
    status = replay(suite, ["case"])
    assert line in capsys.readouterr().out
    assert status == line.startswith("NOT PLAYED")


def test_a_question_without_tools_gets_an_empty_answer(endpoint: Endpoint) -> None:
    schema = {"json_schema": {"schema": {"properties": {"steps": {"type": "array"}}}}}
    assert json.loads(answered(endpoint, messages=[ASKED], response_format=schema)["content"]) == {"steps": []}


def test_each_recording_in_the_repository_names_a_place_once() -> None:
    for path in RECORDINGS.glob("*.json"):
        places = [json.dumps(answer["at"], sort_keys=True) for answer in json.loads(path.read_text("utf-8"))]
        assert len(places) == len(set(places)) > 0, path.name
