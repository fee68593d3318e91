"""`mabos verify`: integrity checks of ledgers, files and ontologies."""

from typing import TYPE_CHECKING, Any

import click

from mabos.interfaces.cli.request import CommandRequest, command

if TYPE_CHECKING:
    from rich.console import Console

    from mabos.interfaces.soundness import Finding
    from mabos.tools.runtime.services import Services
    from mabos.workspace.heads import ChainHead


@command("verify")
@click.argument("what", required=False, type=click.Choice(["ledger", "files", "ontologies"]))
def verify(request: CommandRequest, what: str | None) -> None:
    """Check the ledger's hash chains, the source files, and the ontologies.

    Without an argument, check everything. --json also prints the ledger heads; store them elsewhere as tamper evidence.
    """
    with request.open() as services:
        found, heads = _run_checks(services, what)
        problems = [
            {"check": name, "path": one.path, "line": one.line, "message": one.message}
            for name, findings in found.items()
            for one in findings
        ]
        data: dict[str, Any] = {"valid": not problems, "problems": problems}
        if "ledger" in found:
            data["heads"] = {agent_id: {"seq": head.seq, "hash": head.hash} for agent_id, head in heads.items()}
        request.answer(data, lambda out: _show(out, found), done=not problems, names_damage=True)


def _run_checks(services: "Services", what: str | None) -> tuple[dict[str, list["Finding"]], dict[str, "ChainHead"]]:
    from mabos.interfaces.soundness import broken_ledgers, damaged_files, faulty_ontologies

    checks = {"ledger": broken_ledgers, "files": damaged_files, "ontologies": faulty_ontologies}
    found = {name: check(services) for name, check in checks.items() if what in (None, name)}
    return found, services.ledger.heads()


def _show(out: "Console", found: dict[str, list["Finding"]]) -> None:
    for name, findings in found.items():
        if not findings:
            out.print(f"{name}: sound")
        for finding in findings:
            out.print(f"{name}: {finding}", markup=False)
