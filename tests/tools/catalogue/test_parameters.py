"""Every operation takes what the documents print of it: names, which may be left out, types, sets and defaults.

`parameters.txt` is the table. Where an operation may leave out what a document requires, it asks less, never more.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mabos.tools.catalogue.declaration import BESIDE
from mabos.tools.catalogue.registry import registry

TABLE = Path(__file__).with_name("parameters.txt")
_PARAMETER = re.compile(r"(?P<name>\w+)(?P<optional>\?)?(?:: (?P<type>\S+))?(?: = (?P<default>.+))?")
_NOTHING: tuple[Any, ...] = (None, [])  # an empty list is given as null
_ITEMS = {"string[]": "string", "object[]": "object"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as a document prints it."""

    name: str
    optional: bool
    type: str
    default: Any


@dataclass(frozen=True, slots=True)
class Printed:
    """One operation as the documents print it."""

    name: str
    sources: str
    parameters: tuple[Parameter, ...]


def printed() -> Iterator[Printed]:
    """Yield the rows of the table."""
    for line in TABLE.read_text("utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, sources, parameters = (cell.strip() for cell in line.split("|", 2))
        yield Printed(name, sources, tuple(_parameter(one) for one in parameters.split("; ") if one))


def _parameter(text: str) -> Parameter:
    match = _PARAMETER.fullmatch(text)
    assert match, f"{text!r} is no parameter of the form `name?: type = default`"
    default = json.loads(match["default"] or "null")
    return Parameter(match["name"], bool(match["optional"]), match["type"] or "", default)


ROWS = {row.name: row for row in printed()}


def schema_of(name: str) -> Mapping[str, Any]:
    """Return the schema of a tool, or of an action as in `knowledge stats`."""
    tool, _, action = name.partition(" ")
    found = registry().tool(tool)
    return found.actions[action].schema if action else found.schema


def departures(row: Printed) -> Iterator[str]:
    """Yield in what an operation differs from what is printed of it."""
    schema = schema_of(row.name)
    known = {one.name for one in row.parameters}
    for name in schema["required"]:
        if name not in known and row.parameters:
            yield f"{name} is required and not printed"
    for one in row.parameters:
        if one.name not in schema["properties"]:
            yield f"{one.name} is not taken"
            continue
        if one.optional and one.name in schema["required"]:
            yield f"{one.name} must be given, and may be left out as printed"
        yield from _kind(one, schema["properties"][one.name])


def _kind(one: Parameter, schema: Mapping[str, Any]) -> Iterator[str]:
    default = schema.get("default")
    if one.default not in _NOTHING and default != one.default:
        yield f"{one.name} is {default!r} where left out, printed {one.default!r}"
    alternatives = schema.get("anyOf", [schema])
    if "/" in one.type:
        yield from _choices(one, [choice for each in alternatives for choice in each.get("enum", ())])
    elif one.type and not any(_is(one.type, each) for each in alternatives):
        yield f"{one.name} is {schema.get('type')!r}, printed {one.type!r}"


def _choices(one: Parameter, found: list[str]) -> Iterator[str]:
    wanted = one.type.split("/")
    if missing := set(wanted) - {"..."} - set(found):
        yield f"{one.name} does not take {', '.join(sorted(missing))}"
    if "..." not in wanted and (more := set(found) - set(wanted) - {""}):
        yield f"{one.name} also takes {', '.join(sorted(more))}"


def _is(kind: str, schema: Mapping[str, Any]) -> bool:
    if kind in _ITEMS:
        items = schema.get("items", {})
        return schema.get("type") == "array" and (items.get("type") == _ITEMS[kind] or "$ref" in items)
    if kind == "object" and "$ref" in schema:
        return True
    return schema.get("type") == kind or (kind == "number" and schema.get("type") == "integer")


@pytest.mark.parametrize("name", ROWS)
def test_an_operation_takes_what_the_documents_print_of_it(name: str) -> None:
    assert list(departures(ROWS[name])) == []


def test_every_operation_has_its_row_and_every_row_its_operation() -> None:
    tools = registry().all()
    documented = {name.partition(" ")[0] for name in ROWS}
    assert documented - {tool.name for tool in tools} == set()
    assert {tool.name for tool in tools if tool.catalogue not in BESIDE} - documented == set()


def test_the_catalogue_has_99_operations_in_25_rows_and_21_modules() -> None:
    found = registry()
    assert sum(map(len, found.by("catalogue").values())) == 99
    assert (len(found.by("catalogue")), len(found.by("module"))) == (25, 21)


def test_the_names_of_the_other_graph_server_still_reach_the_graph() -> None:
    found = registry()
    for name in ("status", "sync_schema", "query", "sync_agent_data"):
        assert found.tool(f"typedb_{name}") is found.tool(f"graph_{name}")
