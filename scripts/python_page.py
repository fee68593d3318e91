"""The generator of docs/python.md from the docstrings: `python -m scripts.python_page`; a test compares the two."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import Field, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent.parent / "docs" / "python.md"
PUBLIC = {
    "Opening and working": (
        "mabos.open_workspace", "mabos.Workspace", "mabos.AgentHandle", "mabos.CycleReport",
        "mabos.tools.gate.call.Outcome",
    ),
    "Talking": (
        "mabos.ChatReply", "mabos.PhaseEvent", "mabos.ToolEvent", "mabos.TextEvent", "mabos.ApprovalEvent",
        "mabos.interfaces.chat.record.ChatLine",
    ),
    "With LangChain and LangGraph": (
        "mabos.interfaces.surfaces.langchain.langchain_tools", "mabos.interfaces.surfaces.langchain.approved_by",
        "mabos.interfaces.surfaces.approval.PersonApproves", "mabos.graphs.memory_store.MemoryStore",
        "mabos.graphs.memory_flush.MemoryFlush",
    ),
    "For tests and offline runs": ("mabos.backends.chat.ScriptedModel", "mabos.workspace.clock.frozen_clock"),
    "Errors": (
        "mabos.configs.errors.MabosError", "mabos.configs.errors.Misuse", "mabos.configs.errors.InvalidArgument",
        "mabos.configs.errors.UnknownId", "mabos.configs.errors.Refused", "mabos.configs.errors.Retry",
        "mabos.configs.errors.Unavailable", "mabos.configs.errors.Damaged",
    ),
}  # fmt: skip
"""The stable interface for programs, by purpose; everything else may change without an entry in the changelog."""

_MODULES = re.compile(r"\b(?:[a-z_]+\.)+(?=\w)")
_OPENING = """\
# From Python

What a program may rely on. `mabos` is the front; the rest has its place in the layers that
[the architecture](../ARCHITECTURE.md) draws. A call of an operation never raises for what was asked wrongly: its
outcome says so. Opening and naming raise a `MabosError`. This page is written from the docstrings by
`python -m scripts.python_page`.

```python
from mabos import open_workspace

with open_workspace("my-company") as ws:
    if not ws.agents():
        ws.create_business("acme", name="Acme", template="saas")
    cfo = ws.agent("cfo")
    reply = cfo.say("What is our runway?")
    print(reply.text, [claim["record"] for claim in reply.claims])
    done = cfo.call("belief_get", limit=1)
    print(done.ok, done.result["text"])
```
"""


def page() -> str:
    """Return the page, as Markdown."""
    parts = [_OPENING]
    for title, names in PUBLIC.items():
        parts.append(f"## {title}\n")
        parts += ["\n".join(_section(name)) for name in names]
    return "\n".join(parts)


def _section(path: str) -> Iterator[str]:
    module, _, name = path.rpartition(".")
    found = getattr(import_module(module), name)
    yield f"### {name}\n"
    yield f"`from {module} import {name}`\n"
    if inspect.isclass(found):
        if _is_made_by_callers(found):
            yield f"`{name}{_signature(found)}`\n"
        yield from _said(found)
        yield from _members(found)
    else:
        yield f"`{name}{_signature(found)}`\n"
        yield from _said(found)


def _members(found: type) -> Iterator[str]:
    rows = [f"| `{one.name}: {_annotation(one.type)}` | |" for one in _fields(found)]
    rows += [row for name in _names(found) if (row := _row(name, inspect.getattr_static(found, name, None)))]
    if rows:
        yield "| Member | |"
        yield "| --- | --- |"
        yield from rows
        yield ""


def _fields(found: type) -> tuple[Field[Any], ...]:
    return fields(found) if is_dataclass(found) else ()


def _names(found: type) -> Iterator[str]:
    """Yield the public names that MABOS itself gives a class, in the order in which they are written."""
    ours = [one for one in reversed(found.__mro__) if one.__module__.partition(".")[0] == "mabos"]
    others = {name for one in found.__mro__ if one not in ours for name in vars(one)}  # they document these themselves
    yield from (name for name in dict.fromkeys(name for one in ours for name in vars(one))
                if not name.startswith("_") and name not in others)  # fmt: skip


def _is_made_by_callers(found: type) -> bool:
    """Return whether a program makes one itself: not the handles and reports that it is given, nor an error."""
    return not issubclass(found, Exception) and found.__module__.startswith(("mabos.graphs.", "mabos.backends."))


def _row(name: str, member: Any) -> str:
    """Return the row of a method or property that has something to say; an empty text for any other name."""
    plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
    said = inspect.getdoc(plain) if inspect.isfunction(plain) or isinstance(plain, property) else None
    if not said:
        return ""
    shown = name if isinstance(plain, property) else f"{name}{_signature(plain)}"
    return f"| `{shown.replace('|', chr(92) + '|')}` | {' '.join(said.split(chr(10) * 2)[0].split())} |"


def _signature(function: Any) -> str:
    """Return the parameters of a function as they are written, without `self`."""
    signature = inspect.signature(function)
    kept = [one for one in signature.parameters.values() if one.name not in ("self", "cls")]
    shown = str(signature.replace(parameters=kept)).replace("''", '""')
    return _MODULES.sub("", re.sub(r"'([^']+)'", r"\1", shown))


def _annotation(type_: Any) -> str:
    return _MODULES.sub("", inspect.formatannotation(type_)).replace("|", "\\|")


def _said(found: Any) -> Iterator[str]:
    for paragraph in (inspect.getdoc(found) or "").split("\n\n"):
        if paragraph.startswith("    "):
            yield f"```text\n{inspect.cleandoc(paragraph)}\n```\n"
        else:
            yield f"{' '.join(paragraph.split())}\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
