"""Random calls of every tool, hostile ones among them: `python -m fuzz.tools [--sets 1000] [TOOL ...]`.

Each tool is called with that many argument sets in its own company, which has one of everything. No call may raise an
exception, answers must be JSON, every file must stay readable, and nothing outside the workspace may be written, or
read at an argument's request. An agent that names another agent is refused.
"""

import argparse
import json
import logging
import math
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from fuzz.arguments import AGENTS, ESCAPED, sets
from fuzz.watch import watched
from mabos.backends.chat import ScriptedModel
from mabos.interfaces.soundness import damaged_files
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.registry import registry
from mabos.tools.gate.call import Outcome
from tests.tools.catalogue.furnished import furnish
from tests.tools.catalogue.house import house
from tests.world import World

_LOOK_EVERY = 200
_SHOWN = 300
_SLOW = 5.0  # seconds that one call may take before it is told


@dataclass(slots=True)
class Found:
    """The results of a tool's calls; `faults` must stay empty."""

    tool: str
    calls: int = 0
    done: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    faults: dict[str, str] = field(default_factory=dict)
    slow: list[str] = field(default_factory=list)

    def fault(self, kind: str, arguments: object) -> None:
        """Keep one example of each kind of fault."""
        self.faults.setdefault(kind[:_SHOWN], repr(arguments)[:_SHOWN])


class Letters:
    """An embedder that counts letters, so that every text has a vector."""

    fingerprint, dimensions = "letters/3", 3

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector of length one for each text."""
        counts = ((1 + text.count("a"), 1 + text.count("e"), 1 + len(text) % 7) for text in texts)
        return [[one / math.hypot(*count) for one in count] for count in counts]


def opened(root: Path, *, found: bool = False) -> World:
    """Open a company with an embedder, a useless model, and an owner who allows letters to be sent."""
    model = ScriptedModel(lambda _: "Perhaps.")
    asked = {"auto_approve_categories": ("email",)}
    return house(root, found=found, model=model, embedder=Letters(), governance=asked)


def template(folder: Path) -> Mapping[str, Sequence[Any]]:
    """Create the company that is copied for every tool, and return the ids that arguments may name."""
    with opened(folder, found=True) as home:
        return furnish(home)


@dataclass(frozen=True, slots=True)
class Campaign:
    """The number of calls per tool, the random seed, and the company to copy, with its ids."""

    template: Path
    known: Mapping[str, Sequence[Any]]
    sets: int = 1000
    seed: int = 7


def tried(tool: Tool, campaign: Campaign, place: Path) -> Found:
    """Return the results of a tool's random calls; everything happens below `place`."""
    found = Found(tool.name)
    root = place / "some" / "where" / "company"
    shutil.copytree(campaign.template, root)
    begun = time.monotonic()
    with watched(root, ESCAPED) as outside:
        with opened(root) as home:
            call_often(home, tool, campaign, found)
            names_another(home, tool, found)
            look_at(home, found)
        with opened(root) as home:
            look_at(home, found)
    for trace in outside:
        found.fault(f"outside the workspace: {trace}", "")
    for path in place.rglob("*"):
        if root not in path.parents and path != root and path not in root.parents:
            found.fault(f"a file outside the workspace: {path}", "")
    found.seconds = time.monotonic() - begun
    return found


def call_often(home: World, tool: Tool, campaign: Campaign, found: Found) -> None:
    """Call a tool with random arguments and keep the faults in its answers."""

    @seed(campaign.seed)
    @settings(
        max_examples=campaign.sets, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(sets(tool, campaign.known), st.sampled_from(AGENTS), st.integers(0, 5))
    def once(arguments: dict[str, Any], agent: str, own: int) -> None:
        begun = time.monotonic()
        try:
            outcome = (
                home.agent("cfo").call(tool.name, arguments) if own == 0 else home.call(tool.name, arguments, agent)
            )
            _judge(outcome, arguments, found)
        except Exception as error:  # noqa: BLE001 - whatever comes through is the fault that is looked for
            found.fault(f"raised {type(error).__name__}: {error}", arguments)
        taken = time.monotonic() - begun
        found.calls += 1
        found.slowest = max(found.slowest, taken)
        if taken > _SLOW:
            found.slow.append(f"{taken:.1f} s: {arguments!r:.{_SHOWN}}")
        if found.calls % _LOOK_EVERY == 0:
            look_at(home, found)

    once()


def _judge(outcome: Outcome, arguments: object, found: Found) -> None:
    found.done += outcome.ok
    if outcome.code in ("internal", "error"):
        found.fault(f"{outcome.code}: {outcome.message}", arguments)
    if not outcome.ok and not outcome.message.strip():
        found.fault("an error without a message", arguments)
    json.dumps(outcome.as_json(), allow_nan=False, ensure_ascii=False).encode()


def names_another(home: World, tool: Tool, found: Found) -> None:
    """Check that an agent that names another agent is refused in every spelling, and that nothing is written."""
    before = home.files()
    for argument in filter(None, ("agent_id", tool.acts_as)):
        outcome = home.agent("cfo").call(tool.name, {argument: "ceo"})
        if outcome.code != "refused" or outcome.argument != argument:
            found.fault(f"named another agent in {argument}: {outcome.code} {outcome.message}", argument)
    if home.files() != before:
        found.fault("a refused call wrote something", "")


def look_at(home: World, found: Found) -> None:
    """Check that every file of the company is readable, and that its ledger is intact."""
    home.services.sync.flush()
    for damaged in damaged_files(home.services):
        found.fault(f"damaged: {damaged}", "")
    for problem in home.services.ledger.verify():
        found.fault(f"ledger: {problem}", "")


def main() -> None:
    """Run the campaign and print its findings; the exit code is 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("tools", nargs="*")
    chosen = parser.parse_args()
    logging.disable(logging.CRITICAL)  # a defect is told below, once
    faults = calls = 0
    with tempfile.TemporaryDirectory() as folder:
        start = Path(folder) / "template"
        campaign = Campaign(start, template(start), chosen.sets, chosen.seed)
        for tool in registry().all():
            if chosen.tools and tool.name not in chosen.tools:
                continue
            place = Path(folder) / tool.name.replace(":", "-")
            found = tried(tool, campaign, place)
            shutil.rmtree(place)
            calls, faults = calls + found.calls, faults + len(found.faults)
            _tell(found)
    print(f"{calls:,} calls, {faults} kinds of fault")
    sys.exit(1 if faults else 0)


def _tell(found: Found) -> None:
    pace = f"{found.seconds:.0f} s, slowest call {found.slowest:.2f} s"
    print(f"{found.tool:28} {found.calls:5} calls, {found.done:5} done, {pace}", flush=True)
    for kind, example in found.faults.items():
        print(f"    {kind}\n        {example}", flush=True)
    for one in found.slow[:3]:
        print(f"    slow: {one}", flush=True)


if __name__ == "__main__":
    main()
