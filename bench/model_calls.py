"""The cost of a message in calls and prompt tokens of a chat model: `python -m bench.model_calls`.

A scripted model answers twelve office messages: it calls the tools that the message needs, then replies. Tokens are
those of the prompts with the tools shown, at four characters each. Targets: in the cycle of a message the model is
called only for the message; a greeting costs nothing; the schemas of a call stay below 2,000 tokens.

    python -m bench.model_calls --cases FOLDER   # office tasks: one JSON file each, with setup, script and proof.acted
"""

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean, median
from typing import Any

from bench.measured import Line, exactly
from bench.printed import options, shown
from mabos.backends.chat import Reply, ScriptedCall, ScriptedModel, ToolUse, estimated_request
from mabos.graphs import wiring
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import PERSON, Caller, Services
from mabos.tools.work.toolbox import REPLACED
from mabos.workspace.clock import SteppedClock, parse_time

Uses = Sequence[tuple[str, Mapping[str, Any]]]
MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
SCHEMAS, CALLS, PROMPT = 2_000, 3, 9_000
"""Targets: tokens of the schemas in a call, calls a message, and tokens of its prompts."""
_LOOK: Uses = (("look_up", {"question": "How is that?"}),)
_TEXT = "The hall is closed from 8 to 12 March. We are open again on the 13th."
MESSAGES: tuple[tuple[str, str, Uses], ...] = (
    ("cmo", "Put the choir's summer concert on search for everybody, 70 dollars a week, four weeks.",
     (("ad_campaign_create", {"name": "Summer concert", "channel": "search", "segment": "all",
                              "weekly_budget_usd": 70, "weeks": 4}),)),
    ("coo", "Have the stage lights repaired by an electrician, 280 dollars, until 20 March.",
     (("work_package_create", {"title": "Stage lights", "description": "Repair them", "required_skills": [],
                               "budget_usd": 280, "deadline": "2026-03-20"}),)),
    ("cmo", "Draft a letter to Ida Brook: the hall is closed from 8 to 12 March. I read it first.",
     (("write_letter", {"to": ["Ida Brook"], "subject": "Closed", "text": _TEXT, "draft": True}),)),
    ("ceo", "Remind me on 9 March of the fire inspection.",
     (("remind", {"text": "Fire inspection", "date": "2026-03-09"}),)),
    ("coo", "The chairs have to be counted by Friday.", (("task", {"text": "Count the chairs"}),)),
    ("cfo", "Each Friday I want cash and takings from you.", _LOOK),
    ("ceo", "Ask the CFO what the new boiler may cost.",
     (("ask_colleagues", {"questions": [{"to": "cfo", "question": "What may the new boiler cost?"}]}),)),
    ("ceo", "Nobody writes to the Merrow family any more.",
     (("standing_rule", {"kind": "forbid", "words": "Nobody writes to the Merrow family", "who": "Merrow"}),)),
    ("cfo", "How did the takings develop since January?", _LOOK),
    ("coo", "Why were so many concerts late in February?", _LOOK),
    ("hr", "What are you busy with?", _LOOK),
    ("hr", "Good morning!", ()),
)  # fmt: skip


class Scripted(ScriptedModel):
    """A model that makes a script's calls in one answer, then replies, and proposes nothing of its own."""

    def __init__(self) -> None:
        self.uses: list[ToolUse] = []
        super().__init__(self._reply)

    def _reply(self, asked: ScriptedCall) -> Reply:
        if asked.tag != "work":
            return {}
        uses, self.uses = self.uses, []
        return uses or "That is where it is."

    def tokens(self, calls: Sequence[ScriptedCall]) -> int:
        """Return the approximate number of prompt tokens of some calls, with the tools shown."""
        return sum(estimated_request(one.messages, one.tools) for one in calls)

    def prepare(self, uses: Uses) -> None:
        """Schedule calls of these tools for the next answer to a message."""
        self.uses = [ToolUse(f"u{len(self.calls)}-{at}", name, dict(given)) for at, (name, given) in enumerate(uses)]


def split(calls: Sequence[ScriptedCall]) -> tuple[list[ScriptedCall], list[ScriptedCall]]:
    """Return the calls for messages and those for the agent's own deliberation."""
    return [one for one in calls if one.tag == "work"], [one for one in calls if one.tag != "work"]


def measure(root: Path, messages: Sequence[tuple[str, str, Uses]]) -> Iterator[Line]:
    """Yield the cost of messages, each in its own cycle followed by a quiet one."""
    model, clock = Scripted(), SteppedClock(MONDAY)
    served, beside, quiet = list[list[ScriptedCall]](), list[ScriptedCall](), list[list[ScriptedCall]]()
    with wiring.hold_services(root, clock=clock, model=model) as services:
        founded(services)
        for role, message, uses in messages:
            model.prepare(uses)
            at = len(model.calls)
            wiring.run_cycle(services, role, message)
            work, own = split(model.calls[at:])
            served.append(work)
            beside += own
            at = len(model.calls)
            clock.advance(timedelta(minutes=30))
            wiring.run_cycle(services, role)
            quiet.append(model.calls[at:])
            clock.advance(timedelta(minutes=30))
    asked = [one for one in served if one]
    shown_ = [estimated_request((), one.tools) for calls in asked for one in calls]
    yield Line("calls for the agent's own thinking beside a message", exactly(len(beside)), most=0, unit="")
    yield Line("calls for a greeting", exactly(len(served[-1])), most=0, unit="")
    yield Line("tokens of the schemas in a call, mean", exactly(mean(shown_)), most=SCHEMAS, unit="")
    yield Line("calls a message, median", exactly(median(map(len, asked))), most=CALLS, unit="")
    yield Line(
        "tokens of the prompts a message, median", exactly(median(map(model.tokens, asked))), most=PROMPT, unit=""
    )
    thought = [model.tokens(one) for one in quiet]
    note = f"{sum(map(len, quiet))} calls in {len(quiet)} cycles"
    yield Line("tokens of own thinking in the quiet cycle after it, mean", exactly(mean(thought)), unit="", note=note)


def founded(services: Services) -> None:
    """Create a company with a customer and a figure."""
    for tool, arguments in (
        ("business_create", {"business_id": "hall", "name": "Linden Hall", "template": "consulting"}),
        ("stakeholder_profile", {"approval_threshold_usd": 1000, "decision_style": "strategic-only"}),
        ("crm_create_contact", {"email": "ida@brook.example", "name": "Ida Brook", "tags": ["choir"]}),
        ("metrics_record", {"name": "takings", "value": 1840, "unit": "USD"}),
    ):
        made = call(services, tool, arguments, caller=PERSON)
        assert made.ok, made.message


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of messages; in a small run of the first one and the greeting."""
    messages = MESSAGES if scale == 1 else (MESSAGES[0], MESSAGES[-1])
    with tempfile.TemporaryDirectory() as folder:
        yield from measure(Path(folder), messages)


def case_lines(folder: Path) -> Iterator[Line]:
    """Yield the calls and prompt tokens of each office task in a folder, and the medians."""
    totals = list[tuple[int, int, int, int]]()
    for path in sorted(folder.glob("*.json")):
        case = json.loads(path.read_text("utf-8"))
        with tempfile.TemporaryDirectory() as root:
            model = played(Path(root), case)
        work, own = split(model.calls)
        totals.append((len(work), model.tokens(work), len(own), model.tokens(own)))
        note = "{0} calls; own thinking: {2} calls, {3:,} tokens".format(*totals[-1])
        yield Line(f"{case['id']}: tokens of work", exactly(totals[-1][1]), unit="", note=note)
    for at, name in enumerate(("calls of work", "tokens of work", "calls of thinking", "tokens of thinking")):
        yield Line(f"{name}, median of {len(totals)} tasks", exactly(median(one[at] for one in totals)), unit="")


def played(root: Path, case: Mapping[str, Any]) -> Scripted:
    """Play an office task, with the agent's calls from `proof.acted` in each step; return the model."""
    setup, acted = case["setup"], case["proof"].get("acted", {})
    model, clock = Scripted(), SteppedClock(parse_time(setup["now"]))
    business = re.sub(r"[^a-z0-9]+", "-", setup["name"].lower()).strip("-")
    with wiring.hold_services(root, clock=clock, model=model) as services:
        given = {"business_id": business, "name": setup["name"], "template": setup["template"]}
        for one in ({"tool": "business_create", "arguments": given}, *setup.get("calls", ())):
            caller = Caller("agent", one["as"]) if "as" in one else PERSON
            call(services, one["tool"], one.get("arguments", {}), caller=caller, agent_id=one.get("agent"))
        for step in case["script"]:
            clock.advance(timedelta(minutes=2))
            if text := step.get("say") or step.get("ask"):
                own = [one for one in acted.get(step.get("as"), ()) if one.get("as") == step["to"]]
                used = [(one["tool"], one["arguments"]) for one in own if one["tool"] not in REPLACED]
                model.prepare(used or (("look_up", {"question": text}),))
                wiring.run_cycle(services, step["to"], text)
            for agent in step.get("cycle", ()):
                wiring.run_cycle(services, agent)
            if step.get("heartbeat"):
                wiring.run_maintenance(services)
            for one in services.decisions(business).pending() if "decide" in step else ():
                answer = {"decision_id": one.id, "resolution": step["decide"]}
                call(services, "decision_resolve", answer, caller=PERSON, agent_id=one.from_agent)
    return model


def main() -> int:
    """Measure the messages, or the office tasks of a folder."""
    parser = options(__doc__)
    parser.add_argument("--cases", type=Path, help="a folder of office tasks")
    chosen = parser.parse_args()
    return shown(case_lines(chosen.cases) if chosen.cases else lines(chosen.scale), as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
