"""`mabos verify`: is everything as it was written?"""

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from configs.errors import Damaged
from mabos.cli.request import Request, command

if TYPE_CHECKING:
    from rich.console import Console

    from mabos.inspection import Finding


@command("verify")
@click.argument("what", required=False, type=click.Choice(["ledger", "files", "ontologies"]))
def verify(request: Request, what: str | None) -> None:
    """Check the chains of the ledger, that every file of truth can be read, and the ontologies; without a word, all."""
    found: dict[str, list[Finding]] = {}
    with suppress(Damaged), request.open() as services:  # what cannot be read cannot be closed either, and is found
        from mabos.inspection import broken_ledgers, damaged_files, faulty_ontologies

        for name, check in {"ledger": broken_ledgers, "files": damaged_files, "ontologies": faulty_ontologies}.items():
            if what in (None, name):
                found[name] = check(services)
    valid = not any(found.values())
    problems = [
        {"check": name, "path": one.path, "line": one.line, "message": one.message}
        for name, findings in found.items()
        for one in findings
    ]
    request.answer({"valid": valid, "problems": problems}, lambda out: _show(out, found), done=valid)


def _show(out: "Console", found: dict[str, list["Finding"]]) -> None:
    for name, findings in found.items():
        if not findings:
            out.print(f"{name}: sound")
        for finding in findings:
            out.print(f"{name}: {finding}", markup=False)
