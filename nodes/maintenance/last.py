"""When the last heartbeat was: whoever runs the company next knows whether one was missed."""

from datetime import datetime
from pathlib import Path

from mabos.mind.times import moment
from mabos.tools.runtime.services import Services
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import iso
from mabos.workspace.names import Layout


def last_heartbeat(layout: Layout) -> datetime | None:
    """Return when the last heartbeat of all agents was; None where nothing that can be read says so."""
    try:
        return moment(_path(layout).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def note_heartbeat(services: Services) -> None:
    """Write down that a heartbeat is now."""
    write_atomic(_path(services.layout), iso(services.clock()), durable=False)


def _path(layout: Layout) -> Path:
    return layout.internal / "heartbeat"
