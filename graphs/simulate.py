"""Simulate a company from its first week to its report: `mabos simulate`.

    outcome = simulate("saas", weeks=13, seed="1", policy="bdi", out=Path("demo"))
    outcome.report                       # demo/report.md

The workspace of the run is `<out>/workspace`. An interrupted run resumes where it stopped. The output depends on
scenario, seed and policy alone, never on the number of threads.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mabos.backends.chat import NOT_ASKED, ChatModel
from mabos.backends.one_address import public
from mabos.configs.errors import Damaged, InvalidArgument, MabosError, Refused, Unavailable, UnknownId
from mabos.configs.models import ModelSettings
from mabos.configs.settings import Settings, environment, load_settings, without_embeddings, without_servers
from mabos.graphs.wiring import hold_services, run_round
from mabos.nodes.company.chronicle import chronicle
from mabos.nodes.company.run import Run, find_run, found_run, meeting, simulation_of
from mabos.society.governance import write_profile
from mabos.society.simulation.contender import WITH_MODEL, PolicyVariant
from mabos.society.simulation.leading import leading_page
from mabos.society.simulation.report import write_report
from mabos.society.simulation.scenario import Scenario
from mabos.society.simulation.scenario_files import load_scenario
from mabos.society.templates import market_template
from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import PERSON, Services
from mabos.workspace.clock import SteppedClock

BUSINESS = "company"
_ACTS: Mapping[str, type[MabosError]] = {one.code: one for one in (Refused, UnknownId, Unavailable, Damaged)}
"""The person who must act if a business could not be founded: the owner, the operator, the editor of a file."""
RECORDING = "model-calls.jsonl"
"""The path in its workspace of the recorded answers of a run's model."""


@dataclass(frozen=True, slots=True)
class SimulationOutcome:
    """The result of a run, and where its files are."""

    scenario: str
    contender: PolicyVariant
    seed: str
    weeks: int
    score: float
    is_bankrupt: bool
    directory: Path
    files: tuple[Path, ...]
    kpis: Mapping[str, float]
    notices: tuple[str, ...] = ()
    """What the run leaves out of its scenario, in words."""
    happened: tuple[str, ...] = ()
    """What happened, in the sentences with which the report begins."""

    @property
    def policy(self) -> str:
        """The policy of the run."""
        return self.contender.policy

    @property
    def report(self) -> Path:
        """The report in Markdown."""
        return self.directory / "report.md"

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as JSON."""
        return {
            "scenario": self.scenario,
            "policy": self.policy,
            "without": list(self.contender.without),
            "seed": self.seed,
            "weeks": self.weeks,
            "score": round(self.score, 2),
            "bankrupt": self.is_bankrupt,
            "directory": str(self.directory),
            "files": [str(path) for path in self.files],
            "kpis": dict(self.kpis),
            "notices": list(self.notices),
        }


def simulate(
    scenario: str | Path | Mapping[str, Any] | Scenario,
    *,
    out: Path,
    weeks: int | None = None,
    seed: str | int | None = None,
    policy: str | None = None,
    without: Iterable[str] = (),
    models: ModelSettings | None = None,
    model: ChatModel | None = None,
    threads: int | None = None,
    on_event: Callable[[Mapping[str, Any]], None] | None = None,
) -> SimulationOutcome:
    """Run a scenario to its last week and return the result; the report's files are in `out`.

    A scenario is a name, a file, or a mapping with the content of one. Weeks, seed and policy default to the
    scenario's; `without` names capabilities to disable. The policy `bdi-model` asks a model: that of `models`, else of
    the environment, unless `model` is given. Its answers are recorded in the workspace, so that the run can be
    replayed. Raises `InvalidArgument` for an unknown policy or part, or if `out` holds a run with other terms, and
    `Unavailable` without a model.
    """
    chosen = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    contender = PolicyVariant.of(policy or chosen.policy, without)
    run = Run(
        business_id=BUSINESS,
        scenario=chosen.model_dump(mode="json"),
        seed=str(chosen.seed if seed is None else seed),
        policy=contender.policy,
        without=contender.without,
    )
    root = out / "workspace"
    settings = _settings(root, with_model=run.policy == WITH_MODEL, models=models)
    terms: dict[str, Any] = {"clock": SteppedClock(meeting(chosen, 0)), "seed": run.seed, "without": run.without}
    terms |= {"registry": Registry(), "perceptors": ()}  # a run depends on its scenario, and not on what is installed
    with hold_services(root, settings=settings, model=model, **terms) as services:
        run = _with_model(run, services, settings.models)
        run = _establish_business(services, run, chosen)
        total = weeks or chosen.weeks
        # Without a model there is nothing to wait for, and threads would only take the interpreter from each other.
        thinking = settings.simulation.threads if run.policy == WITH_MODEL else 1
        _play(services, run, total, threads or thinking, on_event)
        report = chronicle(services, run, total)
        files = write_report(report, out)
    kpis = {kpi.name: kpi.end for kpi in report.kpis if kpi.end is not None}
    told = (run.seed, total, report.score, report.bankrupt, out, files, kpis, report.unplayed)
    return SimulationOutcome(chosen.scenario, contender, *told, leading_page(report).happened)


def _play(
    services: Services, run: Run, weeks: int, threads: int, on_event: Callable[[Mapping[str, Any]], None] | None
) -> None:
    business = services.business(run.business_id)
    week = simulation_of(run, services, business).week
    while week < weeks:
        run_round(services, run.business_id, on_event, threads=threads)
        week += 1


def _establish_business(services: Services, run: Run, scenario: Scenario) -> Run:
    """Return the run with its business founded and its books opened; every step may be repeated after a crash."""
    if find_run(services.layout.root) is not None:
        return found_run(services, run, scenario)
    if BUSINESS not in services.businesses():
        name = scenario.start.product
        terms = {"business_id": BUSINESS, "name": name, "template": market_template(scenario.template)}
        made = call(services, "business_create", terms, caller=PERSON)
        if not made.ok:
            raise _ACTS.get(made.code, InvalidArgument)(made.message, argument=made.argument)
    business = services.business(BUSINESS)
    owner = scenario.stakeholder
    profile = owner.model_dump(mode="json", exclude={"policy", "latency_weeks"})
    write_profile(business.directory, profile, business.profile)
    simulation_of(run, services, business).open_books()
    return found_run(services, run, scenario)


def _with_model(run: Run, services: Services, models: ModelSettings) -> Run:
    """Return the run with the model that is asked in it, and where; raises `Unavailable` where none can be."""
    if run.policy != WITH_MODEL:
        return run
    if services.model.name in NOT_ASKED:
        message = f"policy {WITH_MODEL!r} needs a chat model; set OPENAI_API_KEY or OPENAI_BASE_URL, or name a profile"
        raise Unavailable(f"{message}, or play policy 'bdi'")
    return replace(run, model=services.model.name, answers=_answers(models, services.layout.root))


def _answers(models: ModelSettings, root: Path) -> str:
    """Return the source of a model's answers, without secrets: a run does not resume with another source."""
    if models.replay:
        return f"recording {sha256((root / models.replay).read_bytes()).hexdigest()[:12]}"
    if models.profile is None:
        return ""
    if not models.profile.base_url:
        return models.profile.provider
    return urlsplit(public(models.profile.base_url))._replace(query="").geturl()


def _settings(root: Path, *, with_model: bool, models: ModelSettings | None) -> Settings:
    """Return the settings of a simulation: a run lost in a power cut can be repeated, so no write waits for the disk.

    Recall uses words, and no model is called unless wanted: a run is the same on every machine, whatever extras and
    keys it has.
    """
    settings = load_settings(root, environment()).model_copy(update={"durability": "off"})
    chosen = (models or settings.models) if with_model else settings.models
    if not with_model:
        chosen = chosen.model_copy(update={"active": "none", "record": "", "replay": ""})
    elif not chosen.replay:
        chosen = chosen.model_copy(update={"record": chosen.record or RECORDING})
    return without_embeddings(without_servers(settings.model_copy(update={"models": chosen})))
