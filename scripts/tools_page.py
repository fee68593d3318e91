"""The generator of docs/tools.md from the tools' declarations: `python -m scripts.tools_page`; a test compares them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.registry import Registry, registry

PAGE = Path(__file__).resolve().parent.parent / "docs" / "tools.md"
_OPENING = """\
# The tools

Everything an agent can do, and a person in its name: {number} operations of the catalogue in {rows} rows, and {more}
beside it. The same declaration stands behind `mabos call`, HTTP, MCP, LangChain and the bus. This page is written from
the declarations by `python -m scripts.tools_page`; `mabos tools --json` says the same to a program.

Every tool also takes `agent_id`, the agent that acts; an agent may name only itself. `name?` may be left out, `name =
value` says what it is then. What cannot be done is answered with an error that names the argument, and nothing is
written.

- **Category** is what governance knows a call by: `Persona.md` gives autonomy for it, `auto_approve_categories` approve
  it. What only reads is never asked about.
- **Asked for** says why a person may have to decide first: the call costs money (**cost**), cannot be undone
  (**final**), leaves the company (**external**) or steers it (**strategic**). [When, exactly](governance.md).
- **Skill** is what the agent's `Capabilities.md` must show.
"""


def page(tools: Registry) -> str:
    """Return the page of a registry, as Markdown."""
    rows, beside = tools.by("catalogue"), tools.beside()
    number, more = (sum(map(len, groups.values())) for groups in (rows, beside))
    parts = [_OPENING.format(number=number, rows=len(rows), more=more)]
    parts += ["\n".join(_section(name, members)) for name, members in rows.items()]
    parts.append("## Beside the catalogue\n\nWhat other documents name: the bus of S4, the knowledge memory of S2.\n")
    parts += ["\n".join(_section(name, members, "###")) for name, members in beside.items()]
    return "\n".join(parts)


def _section(name: str, tools: Sequence[Tool], level: str = "##") -> Iterator[str]:
    yield f"{level} {name}\n"
    yield "| Tool | Arguments | | Category | Asked for | Cost | Skill |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for tool in tools:
        arguments = _arguments(tool.schema) if not tool.actions else iter(["`action`, and what it takes: see below"])
        cells = (
            f"`{tool.name}`",
            ", ".join(arguments),
            tool.summary + "".join(f" Also called `{alias}`." for alias in tool.aliases),
            tool.category,
            ", ".join(tool.asked_for),
            "" if tool.cost is None else tool.costs,
            ", ".join(f"{skill} ({level})" for skill, level in tool.skills.items()),
        )
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
    yield ""
    for tool in tools:
        if tool.actions:
            yield from _actions(tool)


def _actions(tool: Tool) -> Iterator[str]:
    yield f"| `action` of `{tool.name}` | Arguments | | Writes |"
    yield "| --- | --- | --- | --- |"
    for action in tool.actions.values():
        arguments = ", ".join(_arguments(action.schema))
        yield f"| `{action.name}` | {arguments} | {action.summary} | {'yes' if action.writes else ''} |"
    yield ""


def _arguments(schema: Mapping[str, Any]) -> Iterator[str]:
    for name, one in schema["properties"].items():
        if name == "agent_id":
            continue
        default = one.get("default")
        shown = "" if default in (None, "", [], {}) else f" = {json.dumps(default)}"
        choices = f" ({', '.join(map(str, one['enum']))})" if "enum" in one else ""
        yield f"`{name}{'' if name in schema['required'] else '?'}{shown}`{choices}"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(registry()), encoding="utf-8")


if __name__ == "__main__":
    main()
