"""`mabos init`: a new workspace."""

from pathlib import Path

import click

from mabos.interfaces.cli.request import PLACE, CommandRequest, command


@command("init")
@click.argument("directory", required=False, type=PLACE, metavar="[DIR]")
def init(request: CommandRequest, directory: Path | None) -> None:
    """Make a workspace: the folder that holds minds, memories and businesses."""
    from mabos.interfaces.places import make_repository, prepare

    place = directory.resolve() if directory else request.place
    made = prepare(place)
    is_repository = make_repository(place)
    created = [str(path.relative_to(place)) for path in made]
    data = {"workspace": str(place), "created": created, "repository": is_repository}
    if not made:
        request.answer(data, lambda out: out.print(f"{place} is a workspace already; no file was changed"))
        return
    shown = f"--workspace {directory or request.place}"
    request.answer(
        data,
        lambda out: out.print(
            f"made a workspace in {place}: {', '.join(created)}\n"
            f"next: mabos business create acme --name Acme --template saas {shown}"
        ),
    )
