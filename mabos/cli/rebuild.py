"""`mabos rebuild`: everything that is derived, made again from the files of truth."""

from mabos.cli.request import Request, command


@command("rebuild")
def rebuild(request: Request) -> None:
    """Make the index again from the files of truth."""
    with request.open() as services:
        services.index.rebuild()
        request.answer({"rebuilt": ["index"]}, lambda out: out.print("the index was made again from the files"))
