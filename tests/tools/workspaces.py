"""Small workspaces for tests of the call path: agents written by hand, and tools that count what they do."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mabos.backends.chat import ChatMessage
from mabos.tools.catalogue.declaration import Money, Text, Tool
from mabos.tools.catalogue.registry import Registry
from mabos.tools.runtime.services import Agent, Services
from tests.world import WORDS_ALONE, World


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
    modules: tuple[str, ...] = (),
    vectors: Literal["files", "chroma", "auto"] = "auto",
    chroma_endpoint: str = "",
    **how: Any,
) -> Services:
    """Return the services of a small company, with the bench's tools instead of the product's."""
    tools = Registry(modules, bench.tools() if bench else ())
    settings = {**WORDS_ALONE, "memory.vectors": vectors}
    given = {"settings": settings, "variables": {"CHROMA_ENDPOINT": chroma_endpoint}, "tools": tools, **how}
    return World.small(root, is_alone=True, **given).services


SOCIETY = ("people.communication", "people.stakeholder")
"""The modules of messages and governance."""
