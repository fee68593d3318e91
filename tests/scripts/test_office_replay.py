"""A recording of a model's answers is found by the message and by what a session holds since."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from scripts import office_replay
from scripts.office_replay import RECORDINGS, Endpoint, message_of, place

ASKED = {"role": "user", "content": "<data>\n## Figures\nMRR 900\n</data>\n\nWhat is our MRR?"}
CALLED = {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": {"name": "records"}}]}
TOOLS = [{"type": "function", "function": {"name": "records"}}]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[Endpoint]:
    recording = [
        {"at": place([ASKED]), "answer": {"tool_calls": [{"name": "records", "arguments": {"section": "metrics"}}]}},
        {"at": place([ASKED, CALLED]), "answer": {"content": "MRR is $900."}},
    ]
    (tmp_path / "case.json").write_text(json.dumps(recording))
    monkeypatch.setattr(office_replay, "RECORDINGS", tmp_path)
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
    assert endpoint.missing == {}


def test_a_session_that_was_not_recorded_is_an_error_and_is_listed(endpoint: Endpoint) -> None:
    other = {"role": "user", "content": "Start the campaign."}
    with pytest.raises(urllib.error.HTTPError, match="500"):
        answered(endpoint, tools=TOOLS, messages=[other])
    assert endpoint.missing == {"case": [place([other])]}


def test_a_question_without_tools_gets_an_empty_answer(endpoint: Endpoint) -> None:
    schema = {"json_schema": {"schema": {"properties": {"steps": {"type": "array"}}}}}
    assert json.loads(answered(endpoint, messages=[ASKED], response_format=schema)["content"]) == {"steps": []}


def test_the_message_of_a_colleague_is_the_last_part_of_the_data() -> None:
    assert message_of("<data>\n## Figures\nMRR\n\n## The message\nHow many?\n</data>") == "How many?"


def test_each_recording_in_the_repository_names_a_place_once() -> None:
    for path in RECORDINGS.glob("*.json"):
        places = [json.dumps(answer["at"], sort_keys=True) for answer in json.loads(path.read_text("utf-8"))]
        assert len(places) == len(set(places)) > 0, path.name
