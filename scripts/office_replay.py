"""Replay of office tasks with a capable model's recorded answers, with limits for the shares done, honest and answered.

    python -m scripts.office_replay ../shared/deskwork          # every recorded case
    python -m scripts.office_replay --keep FOLDER CASE [--first N] [--last N]   # make a recording from answers

A recording is `tests/recordings/office/CASE.json`: the answers of the model in its work sessions. An answer is found
by the message of the person or colleague and by what the session holds since. So prompts may change without a new
recording. Questions without tools (deliberation, planning, learning) get an empty answer.

The exit code is 1 below the limits, and wherever a recording was not played: a call for a message without a recorded
answer, which rules then serve, or a recorded answer that no call asked for. Only what was written after a complaint of
the claim check may be left over, where the check complains no more. Such a case needs a new recording.

A folder of answers holds `0001.request.json` with `0001.answer.json` (content, tool_calls) or `0001.answer.md`.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import takewhile
from pathlib import Path
from statistics import median
from typing import Any

from scripts.claim_swaps import day_of, measure, shown_texts
from scripts.office_tasks import LIMITS, are_held
from tests.warm import served

RECORDINGS = Path(__file__).resolve().parent.parent / "tests/recordings/office"
_ID = re.compile(r"\b([A-Z]+(?:-[A-Z]+)?)-(\d{13})-[0-9a-f]{4}\b")
_FAR = 60_000
"""Milliseconds between two numbers of ids that do not stand for the same record."""
RETURNED = "Your answer was not sent"
"""The start of the turn that returns a reply to the model with the complaints of the claim check."""
BY_RULES = "without the chat model, which could not go on"
"""Words of a reply that rules or records wrote in the model's place."""
_END_OF_DATA = "\n</data>"
_MESSAGE = "## The message\n"


def _text(turn: Mapping[str, Any]) -> str:
    content = turn.get("content") or ""
    return content if isinstance(content, str) else "".join(str(part.get("text", "")) for part in content)


def message_of(first_turn: str) -> str:
    """Return the message within the first user turn of a session: after the records, or last among a colleague's data.

    >>> message_of("<data>\\nrecords\\n</data>\\n\\nStart the campaign.")
    'Start the campaign.'
    >>> message_of("<data>\\nrecords\\n\\n## The message\\nHow many?\\n</data>")
    'How many?'
    """
    _, found, message = first_turn.rpartition(_MESSAGE)
    if found:
        return message.removesuffix(_END_OF_DATA).strip()
    return first_turn.rpartition(_END_OF_DATA)[2].strip()


def place(messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a session's position: its message, calls and updates since, and replies returned since the last update.

    >>> ask, mend, news = ({"role": "user", "content": text} for text in ("Hello.", f"{RETURNED} ...", "Update"))
    >>> place([ask, mend]), place([ask, mend, news])["returned"]
    ({'message': 'Hello.', 'calls': 0, 'updates': 0, 'returned': 1}, 0)
    """
    said = [_text(turn) for turn in messages if turn["role"] == "user"]
    is_return = [text.startswith(RETURNED) for text in said[1:]]
    called = sum(bool(turn.get("tool_calls")) for turn in messages if turn["role"] == "assistant")
    returned = len(list(takewhile(bool, reversed(is_return))))
    return {"message": message_of(said[0]), "calls": called, "updates": is_return.count(False), "returned": returned}


def with_ids_of(answer: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a recorded answer with the ids of this run: the shown id of the same kind with the nearest number.

    >>> with_ids_of({"content": "See REQ-C-1794211440000-e43d-W1."}, [{"content": "REQ-C-1794211440000-f793-W1"}])
    {'content': 'See REQ-C-1794211440000-f793-W1.'}
    >>> with_ids_of({"content": "DEC-1794211440008-e43d"}, [{"content": "DEC-1794211440007-f793"}])
    {'content': 'DEC-1794211440007-f793'}
    """
    shown = json.dumps(messages)
    here = {found[0]: (found[1], int(found[2])) for found in _ID.finditer(shown)}

    def rename(found: re.Match[str]) -> str:
        near = {one: abs(number - int(found[2])) for one, (kind, number) in here.items() if kind == found[1]}
        nearest = min(near, key=lambda one: near[one], default=found[0])
        return nearest if found[0] not in shown and near.get(nearest, _FAR) < _FAR else found[0]

    kept: dict[str, Any] = json.loads(_ID.sub(rename, json.dumps(answer)))
    return kept


def gaps(
    recording: Sequence[Mapping[str, Any]], asked: Sequence[Mapping[str, Any]], heard: Mapping[str, str]
) -> list[str]:
    """Describe where a run did not play its recording.

    These are calls without a recorded answer, recorded answers that no call asked for, and replies (`heard`, by step)
    that were not the model's. An answer to a complaint may be left over where the reply before it was asked for: the
    check complains no more.

    >>> first = {"message": "Hello.", "calls": 0, "updates": 0, "returned": 0}
    >>> recording = [{"at": first}, {"at": {**first, "returned": 1}}]
    >>> gaps(recording, [first], {}), gaps(recording[:1], [first, {**first, "calls": 1}], {})
    ([], ['no recorded answer to "Hello." (calls 1, updates 0, returned 0)'])
    >>> gaps(recording[:1], [], {})
    ['never asked for the recorded answer to "Hello." (calls 0, updates 0, returned 0)']
    """
    recorded = [one["at"] for one in recording]
    replied = {(one["message"], one["updates"]) for one in asked if one in recorded}
    missing = [at for number, at in enumerate(asked) if at not in recorded and at not in asked[:number]]
    unasked = [at for at in recorded if at not in asked]
    unasked = [at for at in unasked if not (at["returned"] and (at["message"], at["updates"]) in replied)]
    return [
        *(f"no recorded answer to {_in_words(at)}" for at in missing),
        *(f"never asked for the recorded answer to {_in_words(at)}" for at in unasked),
        *(f"the reply of step {step!r} came {BY_RULES}" for step, text in heard.items() if BY_RULES in text),
    ]


def _in_words(at: Mapping[str, Any]) -> str:
    counts = ", ".join(f"{name} {at[name]}" for name in ("calls", "updates", "returned"))
    return f"{json.dumps(at['message'][:80], ensure_ascii=False)} ({counts})"


def _completion(answer: Mapping[str, Any], model: str, number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    calls = [
        {
            "id": f"call_{number}_{index}",
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call.get("arguments", {}))},
        }
        for index, call in enumerate(answer.get("tool_calls", ()))
    ]
    message = {"role": "assistant", "content": answer.get("content"), **({"tool_calls": calls} if calls else {})}
    return message, {"id": f"answer-{number}", "created": 0, "model": model}


class Endpoint(ThreadingHTTPServer):
    """An OpenAI-compatible endpoint whose models are the recorded cases."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.recordings = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(RECORDINGS.glob("*.json"))}
        self.asked: dict[str, list[dict[str, Any]]] = {case: [] for case in self.recordings}
        self.replies: list[dict[str, Any]] = []
        self.used: dict[str, list[tuple[bool, int]]] = {}
        self.number = 0


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.number += 1
        self.server.used.setdefault(body["model"], []).append((bool(body.get("tools")), len(self._shown(body)) // 4))
        if not body.get("tools"):
            schema = (body.get("response_format") or {}).get("json_schema", {}).get("schema", {})
            self._send(body, {"content": json.dumps({name: [] for name in schema.get("properties", {})})})
            return
        at = place(body["messages"])
        self.server.asked[body["model"]].append(at)
        answer = next((one["answer"] for one in self.server.recordings[body["model"]] if one["at"] == at), None)
        if answer is None:
            self._write(500, {"error": {"message": f"no recorded answer at {at}", "type": "missing"}})
            return
        answer = with_ids_of(answer, body["messages"])
        if not answer.get("tool_calls"):
            told = {"texts": shown_texts(body["messages"]), "reply": str(answer.get("content") or "")}
            self.server.replies.append({"case": body["model"], "day": day_of(told["texts"]), **told})
        self._send(body, answer)

    def _send(self, body: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        message, head = _completion(answer, body["model"], self.server.number)
        usage = {"prompt_tokens": len(self._shown(body)) // 4, "completion_tokens": len(str(message)) // 4}
        usage["total_tokens"] = sum(usage.values())
        reason = "tool_calls" if "tool_calls" in message else "stop"
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            self._write(200, {**head, "object": "chat.completion", "choices": [choice], "usage": usage})
            return
        calls = [{"index": index, **call} for index, call in enumerate(message.get("tool_calls", ()))]
        delta = {**message, **({"tool_calls": calls} if calls else {})}
        choices = [
            {"index": 0, "delta": delta, "finish_reason": None},
            {"index": 0, "delta": {}, "finish_reason": reason},
        ]
        events = [{**head, "object": "chat.completion.chunk", "choices": [one]} for one in choices]
        events.append({**head, "object": "chat.completion.chunk", "choices": [], "usage": usage})
        lines = "".join(f"data: {json.dumps(one)}\n\n" for one in events)
        self._bytes(200, f"{lines}data: [DONE]\n\n".encode(), "text/event-stream")

    def _shown(self, body: Mapping[str, Any]) -> str:
        """Return what a call shows to the model: messages and schemas of tools."""
        return json.dumps([body["messages"], body.get("tools", [])])

    def _write(self, status: int, value: object) -> None:
        self._bytes(status, json.dumps(value).encode(), "application/json")

    def _bytes(self, status: int, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Write no log."""


def _play(folder: Path, case: str, url: str, mabos: Path, out: Path) -> dict[str, Any]:
    command = [sys.executable, str(folder / "run.py"), "--mabos", str(mabos)]
    options = ["--case", case, "--model", case, "--model-url", url, "--out", str(out / f"{case}.json")]
    played = subprocess.run([*command, *options], check=False, capture_output=True, text=True)
    print(played.stdout.split("\n\nkind")[0] + played.stderr, flush=True)
    found: dict[str, Any] = json.loads((out / f"{case}.json").read_text("utf-8"))
    return found


def replay(folder: Path, cases: Sequence[str], swaps: Path | None = None) -> int:
    """Play the recorded cases; return 0 if every share reaches its limit and each recording was played completely.

    A call without a recorded answer fails at the endpoint, so rules serve its message: the run shows how far it
    differs, and fails. With `swaps` the replies and what they rest on are written there, and the claim check is
    measured on them.
    """
    if not (folder / "run.py").exists():
        print(f"no suite of office tasks in {folder}: no recording was played")
        return 0
    endpoint = Endpoint()
    threading.Thread(target=endpoint.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{endpoint.server_port}/v1"
    names = cases or sorted(endpoint.recordings)
    if unknown := set(names) - set(endpoint.recordings):
        print(f"no recording of {', '.join(sorted(unknown))}")
        return 1
    with (
        tempfile.TemporaryDirectory() as place_of_results,
        served(Path(place_of_results)) as mabos,
        ThreadPoolExecutor(2) as pool,
    ):
        results = list(pool.map(lambda case: _play(folder, case, url, mabos, Path(place_of_results)), names))
    endpoint.shutdown()
    shares = [result["scores"]["all"] for result in results if result["scores"]]
    scores = {name: [sum(share[name][index] for share in shares) for index in (0, 1)] for name in LIMITS}
    is_held = are_held(scores, LIMITS) and not any(result["not_played"] for result in results)
    if swaps:
        swaps.write_text(json.dumps(endpoint.replies, indent=1, ensure_ascii=False), "utf-8")
        print(measure(endpoint.replies))
    print(table_of({name: endpoint.used.get(name, []) for name in names}))
    heard = {case["id"]: case.get("heard", {}) for result in results for case in result["cases"]}
    stale = {name: gaps(endpoint.recordings[name], endpoint.asked[name], heard.get(name, {})) for name in names}
    for name, found in stale.items():
        print("".join(f"NOT PLAYED {name}: {one}\n" for one in found), end="")
    print(f"recordings played as a whole: {sum(not found for found in stale.values())} of {len(names)}")
    return 0 if is_held and not any(stale.values()) else 1


def table_of(used: Mapping[str, Sequence[tuple[bool, int]]]) -> str:
    """Return the calls and prompt tokens of each case with their medians as a Markdown table.

    `used` has a pair for each call: whether it worked on a message, and its prompt tokens.

    >>> print(table_of({"mail": [(True, 900), (False, 1100)], "status": [(True, 1000)]}))
    | case | calls | of these for messages | prompt tokens |
    | --- | --- | --- | --- |
    | mail | 2 | 1 | 2,000 |
    | status | 1 | 1 | 1,000 |
    | **median of 2** | 1.5 | 1 | 1,500 |
    """
    spent: dict[str, tuple[float, ...]] = {
        case: (len(calls), sum(is_work for is_work, _ in calls), sum(tokens for _, tokens in calls))
        for case, calls in sorted(used.items())
    }
    spent[f"**median of {len(used)}**"] = tuple(median(one[index] for one in spent.values()) for index in range(3))
    rows = [f"| {case} | {calls:g} | {work:g} | {tokens:,.0f} |" for case, (calls, work, tokens) in spent.items()]
    head = "| case | calls | of these for messages | prompt tokens |\n| --- | --- | --- | --- |"
    return "\n".join([head, *rows])


def keep(folder: Path, case: str, first: int, last: int) -> None:
    """Write a recording from the answers numbered first to last in a folder; of two at one place the later counts."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.request.json")):
        number, body = int(path.name[:4]), json.loads(path.read_text("utf-8"))
        if not (first <= number <= last and body.get("tools")):
            continue
        as_json, as_text = (folder / f"{path.name[:4]}.answer.{kind}" for kind in ("json", "md"))
        answer = json.loads(as_json.read_text("utf-8")) if as_json.exists() else {"content": as_text.read_text("utf-8")}
        at = place(body["messages"])
        found[json.dumps(at)] = {"at": at, "answer": answer}
    RECORDINGS.mkdir(parents=True, exist_ok=True)
    (RECORDINGS / f"{case}.json").write_text(
        json.dumps(list(found.values()), indent=1, ensure_ascii=False) + "\n", "utf-8"
    )
    print(f"{case}: {len(found)} answers")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--keep", action="store_true", help="write a recording of one case from a folder of answers")
    parser.add_argument("--swaps", type=Path, help="a file that takes the replies, to measure the claim check on them")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--last", type=int, default=9999)
    given = parser.parse_args()
    if given.keep:
        keep(given.folder, given.cases[0], given.first, given.last)
    else:
        sys.exit(replay(given.folder, given.cases, given.swaps))
