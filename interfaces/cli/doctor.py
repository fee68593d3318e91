"""`mabos doctor`: the features of this machine and workspace, their cost, missing parts, and remedies."""

from typing import TYPE_CHECKING

from mabos.interfaces.cli.request import CommandRequest, command

if TYPE_CHECKING:
    from rich.console import Console

_MARKS = {"ok": "✓", "absent": "-", "degraded": "!", "wrong": "✗"}


@command("doctor")
def doctor(request: CommandRequest) -> None:
    """Report working, unreachable, degraded and faulty features, costs, and a command for each fix.

    It makes no call that costs money. Exit code 1 means a fault (✗); absent (-) and degraded (!) features
    are optional.
    """
    from dataclasses import asdict

    from mabos.interfaces.health import health

    checks = health(request.place)
    healthy = all(check.state != "wrong" for check in checks)

    def show(out: "Console") -> None:
        width = max(len(one.subject) for one in checks)
        for one in checks:
            out.print(f"{_MARKS[one.state]}  {one.subject:<{width}}  {one.says}", markup=False, soft_wrap=True)
            if one.mend:
                out.print(f"   {'':<{width}}  → {one.mend}", markup=False, soft_wrap=True)

    request.answer({"healthy": healthy, "checks": [asdict(one) for one in checks]}, show, done=healthy)
