"""`mabos branch`: copies of a workspace for experiments: created, listed, compared and deleted."""

from typing import TYPE_CHECKING

import click

from mabos.interfaces.cli.request import NAMED, CommandRequest, command

if TYPE_CHECKING:
    from rich.console import Console

    from mabos.interfaces.branching import BranchDifference
    from mabos.workspace.branches import Branch


@command("branch")
@click.argument("name", required=False, type=NAMED)
@click.option("--at", type=NAMED, metavar="CYCLE", help="Copy the state at the end of this cycle.")
@click.option("--before", type=NAMED, metavar="CYCLE", help="Copy the state before this cycle.")
@click.option("--partly", is_flag=True, help="Keep the current content of records that cannot be reverted.")
@click.option("--compare", is_flag=True, help="Show the differences from the original.")
@click.option("--delete", is_flag=True, help="Delete the branch and everything in it.")
def branch(
    request: CommandRequest,
    *,
    name: str | None,
    at: str | None,
    before: str | None,
    partly: bool,
    compare: bool,
    delete: bool,
) -> None:
    """Copy the workspace to try something; without NAME, list the branches.

    A branch is a separate workspace in branches/NAME. Nothing leaves it: letters, notices and prices stay in its own
    folders, and the original stays as it is.
    """
    if sum(map(bool, (at, before, compare, delete))) > 1:
        raise click.UsageError("choose one of --at, --before, --compare and --delete")
    if name is None:
        if at or before or compare or delete:
            raise click.UsageError("name the branch")
        _list(request)
    elif compare:
        _compare(request, name)
    elif delete:
        from mabos.workspace.branches import delete_branch

        gone = delete_branch(request.root(), name)
        request.answer({"deleted": gone.as_json()}, lambda out: out.print(f"deleted {gone.name}"))
    else:
        _make(request, name, at or before, before=bool(before), partly=partly)


def _make(request: CommandRequest, name: str, cycle: str | None, *, before: bool, partly: bool) -> None:
    from mabos.configs.errors import Refused
    from mabos.configs.settings import environment
    from mabos.interfaces.branching import moment_of, take_back
    from mabos.workspace.branches import delete_branch, make_branch
    from mabos.workspace.clock import iso, system_clock

    root = request.root()
    moment = moment_of(root, cycle, before=before) if cycle else None
    made = make_branch(root, name, now=iso(environment().now or system_clock()))
    said: list[str] = []
    if moment is not None:
        try:
            made, taken = take_back(made, moment)
            if taken.kept and not partly:
                message = (
                    f"these records were changed since, and no journal has their former content: {taken.kept_shown()}"
                )
                raise Refused(f"{message}. No branch was made; --partly makes one with their current state")
        except BaseException:
            delete_branch(root, name)
            raise
        said = taken.sentences()

    def show(out: "Console") -> None:
        out.print(f"made {made.name} in {made.path}{_as_of(made)}", markup=False)
        for line in said:
            out.print(line, markup=False)
        out.print(f"next: mabos chat --workspace {made.path}", markup=False)
        out.print(f"      mabos branch {made.name} --compare", markup=False)

    request.answer(made.as_json() | {"notes": said}, show)


def _list(request: CommandRequest) -> None:
    from mabos.workspace.branches import branches

    found = branches(request.root())

    def show(out: "Console") -> None:
        from mabos.interfaces.views.words import table

        if not found:
            out.print("no branches; make one with: mabos branch NAME")
            return
        rows = [[one.name, one.made_at[:16], one.as_of[:16] or one.made_at[:16], str(one.path)] for one in found]
        out.print(table("Branch", "Made", "As it was", "Folder", rows=rows))

    request.answer({"branches": [one.as_json() for one in found]}, show)


def _compare(request: CommandRequest, name: str) -> None:
    from mabos.graphs.wiring import hold_services
    from mabos.interfaces.branching import compare
    from mabos.workspace.branches import find_branch

    found = find_branch(request.root(), name)
    with request.open() as services, hold_services(found.path) as other:
        differences = compare(services, other)
    data = [{"kind": one.kind, "text": one.text} for one in differences]
    request.answer({"branch": found.as_json(), "differences": data}, lambda out: _show(out, found, differences))


def _show(out: "Console", branch: "Branch", differences: "list[BranchDifference]") -> None:
    from mabos.interfaces.views.words import count

    if not differences:
        out.print(f"{branch.name} is as the original: minds, figures, decisions, letters and records.")
    headings = {"mind": "Minds", "figure": "Figures", "decision": "Decisions", "letter": "Letters", "record": "Records"}
    for kind, heading in headings.items():
        of_kind = [one.text for one in differences if one.kind == kind]
        if of_kind:
            out.print(f"{heading} ({count(len(of_kind), 'difference')})", style="bold")
            for text in of_kind:
                out.print(f"  {text}", markup=False)


def _as_of(branch: "Branch") -> str:
    return f", as it was at {branch.as_of[:16].replace('T', ' ')}" if branch.as_of else ""
