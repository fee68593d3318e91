"""The generator of docs/model-session.md, a recorded model session: `python -m scripts.session_page`."""

import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mabos.backends.chat import ScriptedCall, ScriptedModel, ToolUse
from mabos.configs.prompts import prompt_text
from mabos.configs.settings import environment, load_settings
from mabos.graphs import wiring
from mabos.interfaces.facade import Workspace
from mabos.workspace.clock import frozen_clock

PAGE = Path(__file__).resolve().parent.parent / "docs" / "model-session.md"
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
MESSAGE = (
    "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks. How many customers have we?"
)
LOOK = ToolUse("call-1", "records", {"section": "campaigns"})
ORDER = ToolUse(
    "call-2",
    "ad_campaign_create",
    {"name": "Spring", "channel": "search", "segment": "all", "weekly_budget_usd": 90, "weeks": 3},
)
REPLY = (
    "The campaign 'Spring' is recorded on search: $90 a week for 3 weeks, $270 in total. No advertising platform is "
    "connected, so it does not run. How many customers we have is not on record."
)
PHASES = {
    "perceive": "the news that no agent booked itself",
    "deliberate": "who the agent is, the company, its rules, its figures with course and target, open work, news",
    "plan": "the same, the goal with everything that asked for it, the library's plan, and the operations",
    "learn": "a closed case with what was expected and what was measured since",
}
_OPENING = """\
# One message, as a model works on it

What follows was recorded: a new company, its marketing agent, and a scripted model in the place of a real one. It is
written by `python -m scripts.session_page`. What each phase asks is in [models](models.md#what-a-model-is-asked).
"""


def session() -> tuple[list[ScriptedCall], str]:
    """Return the calls of a model for one message, and the resulting text for the owner."""
    model = ScriptedModel([[LOOK, ORDER], REPLY])
    with tempfile.TemporaryDirectory() as folder:
        root, variables = Path(folder) / "company", environment({})
        settings = load_settings(root, variables)
        memory = settings.memory.model_copy(update={"embeddings": "none"})
        settings = settings.model_copy(update={"durability": "off", "memory": memory})
        how: dict[str, Any] = {
            "settings": settings,
            "clock": frozen_clock(NOW),
            "seed": "page",
            "environment": variables,
        }
        with wiring.hold_services(root, model=model, **how) as services:
            Workspace(services).create_business("acme", name="Acme", template="saas")
            reply = wiring.run_cycle(services, "cmo", MESSAGE).reply
    return [one for one in model.calls if one.tag == "work"], reply


def page() -> str:
    """Return the page, as Markdown."""
    calls, reply = session()
    first, second = calls[0], calls[1]
    system, briefing = first.messages[0].content, first.messages[1].content
    tools = [f"- `{one.name}`: {one.description}" for one in first.tools]
    schema = next(one for one in first.tools if one.name == ORDER.name)
    results = [one.content for one in second.messages if one.role == "tool"]
    uses = [f"{one.name}({json.dumps(dict(one.arguments))})" for one in (LOOK, ORDER)]
    parts = [
        _OPENING,
        f"## What the owner writes\n\n> {MESSAGE}\n",
        f"## System turn\n\nIt seldom changes, so that a provider's cache keeps it.\n\n{_block(system)}",
        f"## User turn\n\nRecords as data, then the words in full.\n\n{_block(briefing)}",
        "## Tools\n\n"
        + "\n".join(tools)
        + f"\n\nThe schema of one of them:\n\n{_block(json.dumps(dict(schema.parameters)))}",
        f"## Answer: two calls side by side\n\n{_block(chr(10).join(uses))}",
        f"## Results\n\nThe second is the report of the acceptance check.\n\n{_block((chr(10) * 2).join(results))}",
        f"## Answer: the reply\n\nIt passes the claim check.\n\n> {REPLY}\n",
        "## What the owner reads\n\n" + "\n".join(f"> {line}" for line in reply.splitlines()) + "\n",
        "## The other phases\n\nEach has one question without tools. The answer is JSON held to a schema.\n",
        *(
            f"### {name.capitalize()}\n\nShown: {shown}.\n\n{_block(prompt_text(name))}"
            for name, shown in PHASES.items()
        ),
    ]
    return "\n".join(parts)


def _block(text: str) -> str:
    return f"```text\n{text.strip()}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
