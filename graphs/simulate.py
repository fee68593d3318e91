"""A simulated company from its first week to its report: `mabos simulate`.

    outcome = simulate("saas", weeks=13, seed="1", policy="bdi", out=Path("demo"))
    outcome.report                       # demo/report.md

The workspace of the run lies in `<out>/workspace`. A run that was interrupted goes on where it stood. What is written
depends on scenario, seed and policy alone, never on the number of threads.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from configs.errors import InvalidArgument
from configs.settings import Settings, environment, load_settings, without_embeddings, without_servers
from graphs.wiring import opened, run_round
from nodes.company.chronicle import chronicle
from nodes.company.run import Run, find_run, found_run, meeting, simulation_of
from society.governance import write_profile
from society.simulation.report import write_report
from society.simulation.scenario import Policy, Scenario
from society.simulation.scenario_files import load_scenario
from tools.agent import PERSON
from tools.call import call
from tools.services import Services
from workspace.clock import SteppedClock

POLICIES: tuple[str, ...] = get_args(Policy)
BUSINESS = "company"


@dataclass(frozen=True, slots=True)
class SimulationOutcome:
    """What a run came to, and where its files are."""

    scenario: str
    policy: str
    seed: str
    weeks: int
    score: float
    is_bankrupt: bool
    directory: Path
    files: tuple[Path, ...]
    kpis: Mapping[str, float]

    @property
    def report(self) -> Path:
        """The report in Markdown."""
        return self.directory / "report.md"

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as JSON."""
        return {
            "scenario": self.scenario,
            "policy": self.policy,
            "seed": self.seed,
            "weeks": self.weeks,
            "score": round(self.score, 2),
            "bankrupt": self.is_bankrupt,
            "directory": str(self.directory),
            "files": [str(path) for path in self.files],
            "kpis": dict(self.kpis),
        }


def simulate(
    scenario: str | Path | Scenario,
    *,
    out: Path,
    weeks: int | None = None,
    seed: str | int | None = None,
    policy: str | None = None,
    threads: int | None = None,
    on_event: Callable[[Mapping[str, Any]], None] | None = None,
) -> SimulationOutcome:
    """Run a scenario to its last week and return what it came to; the report's files lie in `out`.

    Weeks, seed and policy are the scenario's where they are not given. Raises `InvalidArgument` for an unknown policy,
    or where `out` holds a run with other terms.
    """
    chosen = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    run = Run(
        business_id=BUSINESS,
        scenario=chosen.model_dump(mode="json"),
        seed=str(chosen.seed if seed is None else seed),
        policy=checked(policy or chosen.policy),
    )
    root = out / "workspace"
    settings = _settings(root)
    clock = SteppedClock(meeting(chosen, 0))
    with opened(root, settings=settings, clock=clock, seed=run.seed) as services:
        run = _founded(services, run, chosen)
        total = weeks or chosen.weeks
        _play(services, run, total, threads or settings.simulation.threads, on_event)
        report = chronicle(services, run, total)
        files = write_report(report, out)
    kpis = {kpi.name: kpi.end for kpi in report.kpis if kpi.end is not None}
    return SimulationOutcome(
        chosen.scenario, run.policy, run.seed, total, report.score, report.bankrupt, out, files, kpis
    )


def _play(
    services: Services, run: Run, weeks: int, threads: int, on_event: Callable[[Mapping[str, Any]], None] | None
) -> None:
    business = services.business(run.business_id)
    week = simulation_of(run, services, business).week
    while week < weeks:
        run_round(services, run.business_id, on_event, threads=threads)
        week += 1


def _founded(services: Services, run: Run, scenario: Scenario) -> Run:
    """Return the run with its business founded and its books opened; every step may be repeated after a crash."""
    if find_run(services.layout.root) is not None:
        return found_run(services, run, scenario)
    if BUSINESS not in services.businesses():
        name = scenario.start.product
        terms = {"business_id": BUSINESS, "name": name, "template": scenario.template}
        made = call(services, "business_create", terms, caller=PERSON)
        if not made.ok:
            raise InvalidArgument(made.message, argument=made.argument)
    business = services.business(BUSINESS)
    owner = scenario.stakeholder
    profile = owner.model_dump(mode="json", exclude={"policy", "latency_weeks"})
    write_profile(business.directory, profile, business.profile)
    simulation_of(run, services, business).open_books()
    return found_run(services, run, scenario)


def _settings(root: Path) -> Settings:
    """Return the settings of a simulation: what a power cut takes can be run again, so nothing waits for the disk.

    Recall goes by words: a run is the same on every machine, whatever extras it has.
    """
    settings = load_settings(root, environment()).model_copy(update={"durability": "off"})
    return without_embeddings(without_servers(settings))


def checked(policy: str) -> str:
    """Return the name of a policy; raises `InvalidArgument` that lists them where there is none of that name."""
    if policy not in POLICIES:
        raise InvalidArgument(f"policy {policy!r} is not known; use one of {', '.join(POLICIES)}", argument="policy")
    return policy
