"""A simulation run in its workspace: its terms, and the progress of the current round (`.simulation/run.json`).

The market itself is `society.simulation.company`; this keeps what a restart needs: the scenario, the policy, how often
the round was begun, and whether its acting is over. A round that crashed while settling is settled, not acted again.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.society.simulation.company import BusinessRecords, CompanySimulation, week_start
from mabos.society.simulation.contender import PolicyVariant
from mabos.society.simulation.scenario import Scenario
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Services
from mabos.workspace.atomic import write_atomic
from mabos.workspace.names import Layout

MEETING = timedelta(hours=9)
"""The time of a round on its Monday."""


@dataclass(frozen=True, slots=True)
class Run:
    """The terms of a run, and its last round: how often it was begun, and whether only settling is left."""

    business_id: str
    scenario: Mapping[str, Any]
    seed: str
    policy: str
    without: tuple[str, ...] = ()
    model: str = ""
    answers: str = ""
    """The source of a model's answers: its endpoint, or a recording."""
    begun: int = -1
    attempts: int = 0
    is_settling: bool = False

    @property
    def contender(self) -> PolicyVariant:
        """The policy that plays the run."""
        return PolicyVariant.of(self.policy, self.without)

    def begin(self, week: int) -> "Run":
        """Return the run with the round of `week` begun, again if it was begun before."""
        again = self.begun == week
        return replace(self, begun=week, attempts=self.attempts + 1 if again else 1, is_settling=False)

    def must_settle(self, week: int) -> bool:
        """Return whether the round of `week` only needs settling, since the agents have acted."""
        return self.begun == week and self.is_settling


def found_run(services: Services, run: Run, scenario: Scenario) -> Run:
    """Return the run of a workspace, new or resumed; raises if it has other terms."""
    stands = find_run(services.layout.root)
    if stands is None:
        save_run(services, run)
        return run
    then = Scenario.model_validate(stands.scenario)
    for what, old, new in (
        ("scenario", then.digest()[:12], scenario.digest()[:12]),
        ("seed", stands.seed, run.seed),
        ("policy", stands.contender.label, run.contender.label),
        ("model", stands.model, run.model),
        ("answers from", stands.answers, run.answers),
    ):
        if old != new:
            message = f"{services.layout.root} holds a run with {what} {old!r}, not {new!r}; choose another folder"
            raise InvalidArgument(message, argument="out")
    return stands


def find_run(root: Path) -> Run | None:
    """Return the run in a workspace, or None without a simulation."""
    path = run_file(root)
    if not path.exists():
        return None
    try:
        saved: dict[str, Any] = orjson.loads(path.read_bytes())
        return Run(**{**saved, "without": tuple(saved.get("without", ()))})
    except (ValueError, TypeError) as wrong:
        raise Damaged(f"{path}: {wrong}; the run cannot resume from it; start a new one in another folder") from None


def save_run(services: Services, run: Run) -> None:
    """Save the state of the run as durably as its actions: a power cut must not leave it ahead of its company."""
    text = orjson.dumps(asdict(run), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
    write_atomic(run_file(services.layout.root), text, durable=services.sync.durable)


def simulation_of(run: Run, services: Services, business: Business) -> CompanySimulation:
    """Return the market of a run, with the business's own documents as its levers."""
    records = BusinessRecords(
        business.metrics, business.campaigns, business.pricing, business.content, business.workforce, business.staff
    )
    scenario = Scenario.model_validate(run.scenario)
    return CompanySimulation(
        services.layout.root, scenario, seed=run.seed, records=records, durable=services.sync.durable
    )


def meeting(scenario: Scenario, week: int) -> datetime:
    """Return the time of a week's round."""
    return week_start(scenario, week) + MEETING


def run_file(root: Path) -> Path:
    """Return the path of a workspace's run file."""
    return Layout(root).simulation
