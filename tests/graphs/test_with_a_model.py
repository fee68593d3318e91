"""A whole cycle of a company's agent with a real model over HTTP: percepts, counsel, a plan, what is told of memories.

The model is small and what it says is nonsense: shown is that every question reaches it, that its tokens are counted on
the ledger, and that nothing it says gets past the rules, whatever it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import ChatMessage, ChatModel, Completion, OnText, ToolSpec
from mabos.backends.recording import RecordedModel, Replayed
from mabos.graphs import wiring
from mabos.mind.model import Goal
from mabos.society.messages import Message
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import frozen_clock, parse_time
from tests.local_model import Served, served

pytestmark = pytest.mark.slow
READ = 600  # letters of a prompt that the model reads
NOW = "2026-03-02T09:00:00Z"


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as one:
        yield one


class Brief:
    """A model that reads the end of a prompt and answers in short, since a processor is all it has.

    Most of the answers are cut off, and repaired.
    """

    def __init__(self, model: ChatModel) -> None:
        self.model, self.name = model, model.name

    def complete(
        self, messages: Sequence[ChatMessage], *, schema: Mapping[str, Any] | None = None,
        max_tokens: int = 800, tag: str = "", tools: Sequence[ToolSpec] = (), on_text: OnText | None = None,
    ) -> Completion:  # fmt: skip
        most, read = min(max_tokens, 24), [replace(one, content=one.content[-READ:]) for one in messages]
        return self.model.complete(read, schema=schema, max_tokens=most, tag=tag, tools=tools, on_text=on_text)


def lived(services: Services) -> None:
    """Let the HR agent hear prose, want what no template is for, and remember."""
    made = call(services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
    assert made.ok, made.message
    mind = services.agent("hr").mind
    mind.save(Goal("G-hue", "Zyx the qwv", priority=1.0, target="qwv = zyxed", created=NOW, updated=NOW))
    services.mail.deliver(
        Message("MSG-rent", "ceo", "hr", "INFORM", "The rent of the shop rises to 4200 dollars.", NOW)
    )
    report = wiring.run_cycle(services, "hr")
    assert report.outcome != "failed", report.failures
    for at in range(3):
        note = {"content": f"Rent note {at}: 4200 dollars", "store": "short_term", "tags": ["rent", "shop"]}
        stored = call(services, "memory_store_item", {**note, "type": "observation", "importance": 0.9}, agent_id="hr")
        assert stored.ok, stored.message
    done = call(services, "memory_consolidate", {}, agent_id="hr")
    assert done.ok, done.message


def test_a_cycle_asks_a_real_model_in_every_phase_and_is_had_again_without_it(server: Served, tmp_path: Path) -> None:
    clock, path = frozen_clock(parse_time(NOW)), tmp_path / "calls.jsonl"
    ledgers = []
    for name in ("with", "without"):
        model = RecordedModel(Brief(server.model()), path) if name == "with" else Replayed(path)
        with wiring.hold_services(tmp_path / name, clock=clock, seed="7", model=model) as services:
            lived(services)
            ledgers.append([(one.kind, one.body) for one in services.ledger.entries("hr")])
            assert not [one for one in services.agent("hr").mind.plans if one.source == "model"], "nonsense is no plan"
        if isinstance(model, Replayed):
            assert model.unused == 0
    asked = {body["tag"]: body["tokens"] for kind, body in ledgers[0] if kind == "model"}
    assert {"perceive", "deliberate", "plan", "memory: consolidation"} <= set(asked)
    assert all(asked.values()), "the server counted every one"
    assert ledgers[1] == ledgers[0]
