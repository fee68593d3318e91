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
        marks = {"ok": "✓", "absent": "-", "wrong": "✗"}
        width = max(len(one.subject) for one in checks)
        for one in checks:
            out.print(f"{marks[one.state]}  {one.subject:<{width}}  {one.says}", markup=False, soft_wrap=True)

    request.answer(data, show, done=healthy)
