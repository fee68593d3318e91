"""`mabos doctor`: what this machine and workspace offer, and what is missing."""

from typing import TYPE_CHECKING

from mabos.cli.request import Request, command

if TYPE_CHECKING:
    from rich.console import Console


@command("doctor")
def doctor(request: Request) -> None:
    """Say what works here, what is absent, and what is wrong."""
    from mabos.inspection import health

    checks = health(request.place)
    healthy = all(check.state != "wrong" for check in checks)
    data = {
        "healthy": healthy,
        "checks": [{"subject": one.subject, "state": one.state, "says": one.says} for one in checks],
    }

    def show(out: "Console") -> None:
        from mabos.views.words import table

        marks = {"ok": "✓", "absent": "-", "wrong": "✗"}
        out.print(table("", "", "", rows=[[marks[one.state], one.subject, one.says] for one in checks]))

    request.answer(data, show, done=healthy)
