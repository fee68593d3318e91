"""A service desk: one agent with a domain's tools and policy, and a customer who talks to it in turns.

    desk = Desk(root, tools, policy)
    with desk.opened(model) as talk:
        talk.say("I want my order back")      # the agent's answer

The tools are a user's own, the policy is the owner's, and the customer takes the owner's place: at this desk the
customer's request is the order. Autonomy is full, but each call still passes the gate with its grounding.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mabos.backends.chat import ChatModel
from mabos.graphs import wiring
from mabos.society.decisions import Decision
from mabos.society.policy import POLICY_FILE
from mabos.society.roles import STAKEHOLDER
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.registry import Registry
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock

AGENT, COMPANY, ANSWER = "service", "desk", "agent_message"
SETTINGS = """\
durability: "off"
memory: {embeddings: none}
work: {rounds: 40, tools: 26, briefing_tokens: 24000, answer_tokens: 2000, result_tokens: 6000}
budgets: {cycle: {model_calls: 200, model_tokens: null}}
"""


@dataclass
class Talk:
    """A conversation of a customer with the agent; `turns` are speaker and text, in order."""

    services: Services
    clock: SteppedClock
    turns: list[tuple[str, str]] = field(default_factory=list)

    def say(self, words: str) -> str:
        """Return the agent's answer, in one cycle."""
        self.clock.advance(timedelta(minutes=1))
        heard = self.services.inbox(STAKEHOLDER)
        before = {one.id for one in heard.messages()}
        wiring.run_cycle(self.services, AGENT, words)
        answer = "\n".join(one.content for one in heard.messages() if one.id not in before and one.sender == AGENT)
        self.turns += [("customer", words), ("agent", answer)]
        return answer

    def waiting(self) -> list[Decision]:
        """Return the decisions pending with the owner, a role without a player here."""
        return [one for one in self.services.decisions().all() if one.open]

    def effects(self) -> list[str]:
        """Return the tools with recorded effects, in order, without answers to the customer."""
        effects = self.services.directory.effects(AGENT).all()
        return [one.tool for one in effects if one.status == "done" and one.tool != ANSWER]


@dataclass(frozen=True)
class Desk:
    """A workspace at `root` for one agent with these tools, this policy and this time."""

    root: Path
    tools: Sequence[Tool]
    policy: str
    at: datetime = datetime(2024, 5, 15, 20, tzinfo=UTC)

    @contextmanager
    def opened(self, model: ChatModel) -> Iterator[Talk]:
        """Yield a conversation; the workspace is created the first time."""
        if not self.root.exists():
            self._write()
        clock = SteppedClock(self.at)
        with wiring.hold_services(self.root, clock=clock, model=model, registry=Registry(extra=self.tools)) as services:
            yield Talk(services, clock)

    def _write(self) -> None:
        company, home = self.root / "businesses" / COMPANY, self.root / "agents" / AGENT
        for folder in (company, home):
            folder.mkdir(parents=True)
        manifest = {"id": COMPANY, "name": "Service desk", "template": "saas", "created": "2024-01-01T00:00:00.000Z"}
        _put(company / "business.json", {**manifest, "agents": {AGENT: AGENT}})
        (company / POLICY_FILE).write_text(self.policy, "utf-8")
        seat = {"id": AGENT, "business_id": COMPANY, "role": AGENT, "title": "Service agent", "reports_to": STAKEHOLDER}
        _put(home / "agent.json", {**seat, "watches": [], "reads": [], "tools": []})
        (home / "Persona.md").write_text("# Persona\n\n- **Autonomy:** full\n", "utf-8")
        names = ", ".join([ANSWER, *(one.name for one in self.tools)])  # to answer is a tool, too
        (home / "Capabilities.md").write_text(f"# Capabilities\n\n- **Tools:** {names}\n", "utf-8")
        (self.root / "mabos.yaml").write_text(SETTINGS, "utf-8")


def _put(file: Path, value: object) -> None:
    file.write_text(json.dumps(value), "utf-8")
