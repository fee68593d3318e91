"""`mabos simulate`: a company in a market, from its first week to its report."""

from pathlib import Path

import click

from mabos.cli.request import Request, command, console


@command("simulate")
@click.argument("scenario", metavar="NAME|FILE")
@click.option("--weeks", type=click.IntRange(1), help="How long; else the scenario's own length.")
@click.option("--seed", help="The luck of the run; the same seed gives the same bytes.")
@click.option(
    "--policy",
    type=click.Choice(["bdi", "rules", "greedy", "random", "nothing"]),
    help="Who runs the company: its agents, a script, or nobody.",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Where the run and its report go.")
@click.option("--threads", type=click.IntRange(1), help="Agents that think at a time; never changes a result.")
def simulate(
    request: Request,
    *,
    scenario: str,
    weeks: int | None,
    seed: str | None,
    policy: str | None,
    out: Path | None,
    threads: int | None,
) -> None:
    """Play a scenario and write its report; an interrupted run goes on where it stood."""
    from graphs.simulate import simulate as play
    from mabos.views.simulation import closing, weeks_shown
    from society.simulation.scenario import load_scenario

    chosen = load_scenario(scenario)
    place = (out or Path("simulations") / "-".join(filter(None, [chosen.scenario, policy, seed]))).resolve()
    with weeks_shown(console(err=True), weeks or chosen.weeks) as on_event:
        outcome = play(chosen, out=place, weeks=weeks, seed=seed, policy=policy, threads=threads, on_event=on_event)
    request.answer(outcome.as_json(), lambda shown: shown.print(closing(outcome)))
