"""Small workspaces for tests of the call path: agents written by hand, and tools that count what they do."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import orjson

from mabos.backends.chat import ChatMessage, ChatModel
from mabos.backends.embed import Embedder
from mabos.configs.settings import environment, load_settings, without_embeddings
from mabos.tools.catalogue.declaration import Money, Text, Tool
from mabos.tools.catalogue.registry import Registry
from mabos.tools.runtime.opening import open_services
from mabos.tools.runtime.services import Agent, Services
from mabos.workspace.clock import Clock, SteppedClock

NOON = datetime(2026, 2, 24, 12, tzinfo=UTC)
MANIFEST = {"id": "acme", "name": "Acme", "template": "saas", "agents": {"ceo": "ceo", "cfo": "cfo", "cto": "cto"}}
PERSONA = "# Persona\n\n- **Autonomy:** {autonomy}\n"


def laid_out(root: Path, *, autonomy: str = "full", tools: tuple[str, ...] = ()) -> Path:
    """Return a workspace with one business and three agents, written as a person would."""
    business = root / "businesses" / "acme"
    business.mkdir(parents=True)
    (business / "business.json").write_bytes(orjson.dumps(MANIFEST | {"created": "2026-01-01T00:00:00.000Z"}))
    for agent_id in ("ceo", "cfo", "cto"):
        folder = root / "agents" / agent_id
        folder.mkdir(parents=True)
        manifest: dict[str, Any] = {
            "id": agent_id, "business_id": "acme", "role": agent_id, "title": agent_id.upper(), "reports_to": "ceo",
            "watches": [], "reads": [], "tools": [],
        }  # fmt: skip
        (folder / "agent.json").write_bytes(orjson.dumps(manifest))
        (folder / "Persona.md").write_text(PERSONA.format(autonomy=autonomy))
        if tools:
            (folder / "Capabilities.md").write_text(f"# Capabilities\n\n- **Tools:** {', '.join(tools)}\n")
    return root


def broken() -> None:
    """Fail as a tool with a defect does."""
    raise RuntimeError("out of paper")


@dataclass
class Bench:
    """Tools that count how often they ran, and may fail or be killed in the middle."""

    ran: list[dict[str, Any]] = field(default_factory=list)
    before: Callable[[], None] = lambda: None
    after: Callable[[], None] = lambda: None

    def tools(self) -> list[Tool]:
        bench = self

        def _write(agent: Agent, **given: Any) -> dict[str, Any]:
            bench.before()
            record = {"id": agent.ids.new("X"), "at": agent.clock().isoformat(), **given}
            agent.facts.assert_(record["id"], "made_by", agent.id)  # noqa: PT009  # not unittest's
            bench.ran.append(record)
            bench.after()
            return record

        def note_write(agent: Agent, *, text: Text) -> dict[str, Any]:
            """Write a note."""
            return _write(agent, text=text)

        def note_read(agent: Agent, *, subject: str = "") -> dict[str, Any]:
            """Read notes."""
            return {"agent": agent.id, "notes": len(bench.ran), "subject": subject}

        def money_spend(agent: Agent, *, amount: Money, to: str = "someone", purpose: str = "ads") -> dict[str, Any]:
            """Spend money."""
            return _write(agent, amount=amount, to=to, purpose=purpose)

        def price_set(agent: Agent, *, price: Money) -> dict[str, Any]:
            """Set a price."""
            return _write(agent, price=price)

        def letter_post(agent: Agent, *, text: Text) -> dict[str, Any]:
            """Post a letter, which cannot be taken back."""
            return _write(agent, text=text)

        def course_set(agent: Agent, *, text: Text) -> dict[str, Any]:
            """Set a strategic goal."""
            return _write(agent, text=text)

        def model_ask(agent: Agent, *, question: Text) -> dict[str, Any]:
            """Ask the model."""
            return {"answer": agent.services.model.complete([ChatMessage("user", question)], tag="ask").text}

        def as_other(agent: Agent, *, from_: str = "", text: str = "") -> dict[str, Any]:
            """Say something as somebody."""
            return _write(agent, speaker=agent.id, text=text, given=from_)

        return [
            Tool.of(note_write, module="Memory", writes=True),
            Tool.of(note_read, module="Memory", writes=False, aliases=("notes",)),
            Tool.of(
                money_spend, module="Marketing", writes=True, category="marketing_spend", cost="amount",
                counterparty="to",
            ),
            Tool.of(price_set, module="Integration", writes=True, category="pricing", strategic=True),
            Tool.of(letter_post, module="Email", writes=True, category="email", idempotent=False),
            Tool.of(course_set, module="BDI core", writes=True, category="goals", strategic=True, exempts_people=True),
            Tool.of(model_ask, module="Reasoning", writes=False),
            Tool.of(as_other, module="Communication", writes=True, acts_as="from"),
        ]  # fmt: skip


def opened(
    root: Path,
    bench: Bench | None = None,
    *,
    clock: Clock | None = None,
    modules: tuple[str, ...] = (),
    model: ChatModel | None = None,
    embedder: Embedder | None = None,
    vectors: Literal["files", "chroma", "auto"] = "auto",
    chroma_endpoint: str = "",
) -> Services:
    """Return the services of the workspace at `root`, with the bench's tools instead of the product's."""
    variables = replace(environment({}), chroma_endpoint=chroma_endpoint)
    settings = without_embeddings(load_settings(None, variables).model_copy(update={"durability": "off"}))
    memory = settings.memory.model_copy(update={"vectors": vectors})
    catalogue = Registry(modules, bench.tools() if bench else ())
    return open_services(
        root,
        settings=settings.model_copy(update={"memory": memory}),
        environment=variables,
        clock=clock or SteppedClock(NOON),
        registry=catalogue,
        model=model,
        embedder=embedder,
    )


SOCIETY = ("people.communication", "people.stakeholder")
"""The modules of messages and governance."""
