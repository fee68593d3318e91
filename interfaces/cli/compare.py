"""`mabos compare`: two runs side by side."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mabos.interfaces.cli.request import PLACE, CommandRequest, command

if TYPE_CHECKING:
    from mabos.society.simulation.difference import PlayedRun, RunDifference


@command("compare")
@click.argument("ours", metavar="A", type=PLACE)
@click.argument("theirs", metavar="B", type=PLACE)
@click.option("--html", "page", type=PLACE, metavar="FILE", help="Write a page with charts of both.")
def compare(request: CommandRequest, *, ours: Path, theirs: Path, page: Path | None) -> None:
    """Compare the runs in the folders A and B: settings, figures, and actions of only one."""
    from mabos.interfaces.views.difference import difference_shown
    from mabos.society.simulation.difference import difference, read_run

    both = read_run(ours), read_run(theirs)
    found = difference(*both)
    answer: dict[str, Any] = {**asdict(found), "same": found.is_same}
    if page is not None:
        write_page(page, *both, found)
        answer["page"] = str(page)
    request.answer(answer, lambda out: out.print(difference_shown(found, str(ours), str(theirs))))


def write_page(page: Path, ours: "PlayedRun", theirs: "PlayedRun", found: "RunDifference") -> None:
    """Write two runs side by side as HTML."""
    from mabos.society.simulation.difference import comparison_page
    from mabos.workspace.atomic import write_atomic

    page.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(page, comparison_page(ours, theirs, found, (ours.directory.name, theirs.directory.name)))
