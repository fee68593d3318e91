"""`mabos simulate`: a company in a market, from its first week to its report, or many of them in one table."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mabos.configs.errors import InvalidArgument
from mabos.interfaces.cli.request import NAMED, PLACE, CommandRequest, command, console
from mabos.society.simulation.contender import AGENTS, PARTS, POLICIES, WITH_MODEL, PolicyVariant

MOST_RUNS = 10_000
"""Seeds that one range may name: a slip of the keyboard should not fill the memory with numbers."""

if TYPE_CHECKING:
    from rich.console import Console

    from mabos.configs.models import ModelSettings


@command("simulate")
@click.argument("scenarios", metavar="NAME|FILE...", nargs=-1)
@click.option("--family", type=NAMED, help="A family of markets, such as pricing; --draw chooses one.")
@click.option("--draw", type=click.IntRange(0), help="The number of the market in the family; pricing-17 gives both.")
@click.option("--weeks", type=click.IntRange(1, 520), help="Number of weeks; default: the scenario's length.")
@click.option("--seed", type=NAMED, help="Random seed; the same seed reproduces the run byte for byte.")
@click.option("--seeds", type=NAMED, metavar="1,2,10-19", help="One run for each seed, and a table of the results.")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    type=click.Choice(POLICIES),
    help="Policy that runs the company: its agents, without a model (bdi) or with one, or a script; give several to "
    "compare.",
)
@click.option(
    "--without",
    multiple=True,
    type=click.Choice(PARTS),
    help="Disable a capability of the agents (ablation); repeatable.",
)
@click.option(
    "--model", "profile", type=NAMED, metavar="PROFILE", help="The model of bdi-model; default: the active profile."
)
@click.option("--out", type=PLACE, metavar="DIR", help="Folder for the run and its report.")
@click.option(
    "--threads", type=click.IntRange(1), help="Number of agents that think at a time; never changes a result."
)
@click.option("-j", "jobs", type=click.IntRange(1), default=1, help="Number of runs at a time; never changes a result.")
@click.option(
    "--engine",
    type=click.Choice(("local", "ray")),
    default="local",
    help="Where to run a batch: local processes, or a Ray cluster; never changes a result.",
)
def simulate(
    request: CommandRequest,
    *,
    scenarios: tuple[str, ...],
    family: str | None,
    draw: int | None,
    seed: str | None,
    seeds: str | None,
    policies: tuple[str, ...],
    without: tuple[str, ...],
    profile: str | None,
    threads: int | None,
    jobs: int,
    engine: str,
    **terms: Any,
) -> None:
    """Simulate a scenario and write its report; an interrupted run resumes."""
    scenarios = (*scenarios, *_select_draw(family, draw))
    if not scenarios:
        raise click.UsageError("name a scenario, as saas, or a market of a family, as --family pricing --draw 17")
    scenarios = tuple(_own(request.place, one) for one in scenarios)
    terms["models"] = _models(request, profile, policies)
    if seeds or len(scenarios) > 1 or len(policies) > 1:
        chosen = _seeds(seeds) if seeds else [seed or "1"]
        named = _name_policies(policies or ("bdi",), without)
        _many(request, scenarios, policies=named, seeds=chosen, jobs=jobs, engine=engine, **terms)
    else:
        policy = next(iter(policies), None)
        _one(request, scenarios[0], policy=policy, without=without, seed=seed, threads=threads, **terms)


def _own(workspace: Path, scenario: str) -> str:
    """Return the file of a scenario in the workspace's `scenarios` folder, or the name where it has none."""
    path = workspace / "scenarios" / f"{scenario}.yaml"
    return str(path) if "/" not in scenario and path.is_file() else scenario


def _select_draw(family: str | None, draw: int | None) -> tuple[str, ...]:
    """Return the name of the market that two options ask for, if they do."""
    if (family is None) != (draw is None):
        raise click.UsageError("--family and --draw belong together, as --family pricing --draw 17")
    return () if family is None else (f"{family}-{draw}",)


def progress(request: CommandRequest) -> "Console":
    """Return the console for a run's progress: standard error, or none with JSON."""
    shown = console(err=True)
    shown.quiet = request.json
    return shown


def _one(request: CommandRequest, scenario: str, *, weeks: int | None, out: Path | None, **terms: Any) -> None:
    from mabos.graphs.simulate import simulate as play
    from mabos.interfaces.views.simulation import closing, weeks_shown
    from mabos.society.simulation.scenario_files import load_scenario

    chosen = load_scenario(scenario)
    who = PolicyVariant.of(terms["policy"] or chosen.policy, terms["without"]).label
    told = who if terms["policy"] or terms["without"] else None
    place = (out or Path("simulations") / "-".join(filter(None, [chosen.scenario, told, terms["seed"]]))).resolve()
    with weeks_shown(progress(request), weeks or chosen.weeks) as on_event:
        outcome = play(chosen, out=place, weeks=weeks, on_event=on_event, **terms)
    request.answer(outcome.as_json(), lambda shown: shown.print(closing(outcome)))


def _many(request: CommandRequest, scenarios: tuple[str, ...], *, out: Path | None, **terms: Any) -> None:
    from mabos.graphs.batch import batch
    from mabos.interfaces.views.simulation import batch_closing, runs_shown

    place = (out or Path("simulations") / "batch").resolve()
    with runs_shown(progress(request)) as shown:
        outcome = batch(scenarios, out=place, on_result=shown.on_result, on_week=shown.on_week, **terms)
    request.answer(outcome.as_json(), lambda out: out.print(batch_closing(outcome)))


def _name_policies(policies: Sequence[str], without: Sequence[str]) -> list[str]:
    """Return the policies of a batch: removals apply to agents, and scripts play unchanged."""
    if without and not AGENTS & set(policies):
        PolicyVariant.of(policies[0], without)  # which says that there is nothing to take out of
    return [PolicyVariant.of(one, without if one in AGENTS else ()).label for one in policies]


def _models(request: CommandRequest, profile: str | None, policies: Sequence[str]) -> "ModelSettings | None":
    """Return the models that a run may ask: those of the workspace that was named, else the environment's."""
    if WITH_MODEL not in policies:
        if profile is not None:
            raise InvalidArgument(f"--model is for --policy {WITH_MODEL}; others use no model", argument="model")
        return None
    models = request.settings()[0].models
    if profile is None:
        return models
    if profile not in models.profiles:
        raise InvalidArgument(f"no model profile {profile!r}; found {', '.join(models.profiles)}", argument="model")
    return models.model_copy(update={"active": profile})


def _seeds(text: str) -> list[str]:
    """Return the seeds that `1,2,10-19` names, each once."""
    found: dict[str, None] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        ends = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if ends is None or int(ends[2] or ends[1]) < int(ends[1]):
            raise InvalidArgument(
                f"--seeds has {part!r}; expected numbers and ranges such as 1,2,10-19", argument="seeds"
            )
        if int(ends[2] or ends[1]) - int(ends[1]) >= MOST_RUNS:
            message = f"--seeds has {part!r}, which is more than {MOST_RUNS:,} runs; play them in several parts"
            raise InvalidArgument(message, argument="seeds")
        found |= dict.fromkeys(str(seed) for seed in range(int(ends[1]), int(ends[2] or ends[1]) + 1))
    if not found:
        raise InvalidArgument("--seeds is empty; expected numbers and ranges such as 1,2,10-19", argument="seeds")
    return list(found)
