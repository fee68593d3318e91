"""`mabos compare`: two runs side by side."""

from dataclasses import asdict
from pathlib import Path

import click

from mabos.cli.request import Request, command


@command("compare")
@click.argument("ours", metavar="A", type=click.Path(path_type=Path))
@click.argument("theirs", metavar="B", type=click.Path(path_type=Path))
def compare(request: Request, ours: Path, theirs: Path) -> None:
    """Show what differs between the runs in the folders A and B: terms, figures, and what was done in only one."""
    from mabos.views.difference import difference_shown
    from society.simulation.difference import difference, read_run

    found = difference(read_run(ours), read_run(theirs))
    answer = {**asdict(found), "same": found.is_same}
    request.answer(answer, lambda out: out.print(difference_shown(found, str(ours), str(theirs))))
