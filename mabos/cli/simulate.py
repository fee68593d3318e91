"""`mabos simulate`: a company in a market, from its first week to its report; or many of them, in one table."""

import re
from pathlib import Path

import click

from configs.errors import InvalidArgument
from mabos.cli.request import Request, command, console

POLICIES = ("bdi", "rules", "greedy", "random", "nothing")


@command("simulate")
@click.argument("scenarios", metavar="NAME|FILE...", nargs=-1, required=True)
@click.option("--weeks", type=click.IntRange(1), help="How long; else the scenario's own length.")
@click.option("--seed", help="The luck of the run; the same seed gives the same bytes.")
@click.option("--seeds", metavar="1,2,10-19", help="Many runs, one for each seed, and a table of what they come to.")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    type=click.Choice(POLICIES),
    help="Who runs the company: its agents (bdi), a script, or nobody; several compare them.",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Where the run and its report go.")
@click.option("--threads", type=click.IntRange(1), help="Agents that think at a time; never changes a result.")
@click.option("-j", "jobs", type=click.IntRange(1), default=1, help="Runs at a time; never changes a result.")
def simulate(
    request: Request,
    *,
    scenarios: tuple[str, ...],
    weeks: int | None,
    seed: str | None,
    seeds: str | None,
    policies: tuple[str, ...],
    out: Path | None,
    threads: int | None,
    jobs: int,
) -> None:
    """Play a scenario and write its report; an interrupted run goes on where it stood."""
    if seeds or len(scenarios) > 1 or len(policies) > 1:
        chosen = _seeds(seeds) if seeds else [seed or "1"]
        _many(request, scenarios, policies or ("bdi",), chosen, weeks=weeks, out=out, jobs=jobs)
    else:
        _one(request, scenarios[0], next(iter(policies), None), weeks=weeks, seed=seed, out=out, threads=threads)


def _one(
    request: Request,
    scenario: str,
    policy: str | None,
    *,
    weeks: int | None,
    seed: str | None,
    out: Path | None,
    threads: int | None,
) -> None:
    from graphs.simulate import simulate as play
    from mabos.views.simulation import closing, weeks_shown
    from society.simulation.scenario_files import load_scenario

    chosen = load_scenario(scenario)
    place = (out or Path("simulations") / "-".join(filter(None, [chosen.scenario, policy, seed]))).resolve()
    with weeks_shown(console(err=True), weeks or chosen.weeks) as on_event:
        outcome = play(chosen, out=place, weeks=weeks, seed=seed, policy=policy, threads=threads, on_event=on_event)
    request.answer(outcome.as_json(), lambda shown: shown.print(closing(outcome)))


def _many(
    request: Request,
    scenarios: tuple[str, ...],
    policies: tuple[str, ...],
    seeds: list[str],
    *,
    weeks: int | None,
    out: Path | None,
    jobs: int,
) -> None:
    from graphs.batch import batch
    from mabos.views.simulation import batch_closing, runs_shown

    place = (out or Path("simulations") / "batch").resolve()
    with runs_shown(console(err=True)) as on_result:
        outcome = batch(
            scenarios, policies=policies, seeds=seeds, out=place, weeks=weeks, jobs=jobs, on_result=on_result
        )
    request.answer(outcome.as_json(), lambda shown: shown.print(batch_closing(outcome)))


def _seeds(text: str) -> list[str]:
    """Return the seeds that `1,2,10-19` names, each once."""
    found: dict[str, None] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        ends = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if ends is None or int(ends[2] or ends[1]) < int(ends[1]):
            raise InvalidArgument(
                f"--seeds has {part!r}; expected numbers and ranges such as 1,2,10-19", argument="seeds"
            )
        found |= dict.fromkeys(str(seed) for seed in range(int(ends[1]), int(ends[2] or ends[1]) + 1))
    if not found:
        raise InvalidArgument("--seeds names no seed; expected numbers and ranges such as 1,2,10-19", argument="seeds")
    return list(found)
