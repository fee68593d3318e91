"""`mabos replay`: a run repeated under the same owner or another."""

from pathlib import Path

import click

from mabos.interfaces.cli.compare import write_page
from mabos.interfaces.cli.decisions import parsed_changes
from mabos.interfaces.cli.request import PLACE, CommandRequest, command
from mabos.interfaces.cli.simulate import progress


@command("replay")
@click.argument("run", metavar="DIR", type=PLACE)
@click.option("--out", type=PLACE, metavar="DIR", help="Folder for the new run; default: DIR-again.")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="K=V",
    help="A changed setting of the owner: approval_threshold_usd, decision_style, policy, ...",
)
def replay(request: CommandRequest, *, run: Path, out: Path | None, changes: tuple[str, ...]) -> None:
    """Repeat the run in DIR and show the differences; without changes it must match byte for byte.

    compare.html in the new folder shows both runs side by side.
    """
    from dataclasses import asdict

    from mabos.graphs.replay import replay as play
    from mabos.interfaces.views.difference import difference_shown
    from mabos.interfaces.views.simulation import weeks_shown
    from mabos.society.simulation.difference import difference, read_run

    before = read_run(run)
    place = (out or run.with_name(f"{run.name}-again")).resolve()
    with weeks_shown(progress(request), int(before.terms["weeks"])) as on_event:
        play(run, out=place, changes=parsed_changes(changes), on_event=on_event)
    after = read_run(place)
    found = difference(before, after)
    page = place / "compare.html"
    write_page(page, before, after, found)
    answer = {**asdict(found), "same": found.is_same, "directory": str(place), "page": str(page)}
    request.answer(answer, lambda shown: shown.print(difference_shown(found, str(run), str(place))))
