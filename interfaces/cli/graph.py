"""`mabos graph`: the graph of a business, and its copy in Neo4j."""

from contextlib import contextmanager, nullcontext
from threading import Timer
from typing import TYPE_CHECKING, Any

import click

from mabos.interfaces.cli.operation import perform_operation
from mabos.interfaces.cli.request import NAMED, CommandRequest, command, group

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console

SLOW_S = 2.0
"""Seconds after which it is said that a copy is still being written."""


@group("graph")
def graph() -> None:
    """Show the state of a business's graph, and update it and its copy."""


_business = click.option("--business", type=NAMED, help="The business; default: the only one.")


@command("status", parent=graph)
@_business
def status(request: CommandRequest, business: str | None) -> None:
    """Show the content of the graph, and whether Neo4j matches."""
    with request.open() as services:
        found = perform_operation(services, "graph_status", business_id=business)
        request.answer(dict(found), lambda out: _show(out, found))


@command("sync", parent=graph)
@_business
def sync(request: CommandRequest, business: str | None) -> None:
    """Update the graph from the source files, and Neo4j from the graph."""
    with request.open() as services:
        with _told_if_slow(request) if services.copies_graphs else nullcontext():
            schema = perform_operation(services, "graph_sync_schema", business_id=business)
            data = perform_operation(services, "graph_sync_agent_data", business_id=business)
        is_missing = bool(services.graph(business or "").copy) and not data["pushed"]
        texts = [data["text"]] if schema["detail"] else [schema["text"], data["text"]]
        answer = {**data, "schema": {name: value for name, value in schema.items() if name != "business_id"}}
        request.answer(answer, lambda out: _print_texts(out, texts), done=not is_missing)


@contextmanager
def _told_if_slow(request: CommandRequest) -> "Iterator[None]":
    message = "still syncing: the first write to a freshly started Neo4j takes about a minute"
    told = Timer(SLOW_S, request.notice, [message])
    told.start()
    try:
        yield
    finally:
        told.cancel()


def _show(out: "Console", found: "Mapping[str, Any]") -> None:
    from mabos.interfaces.views.words import table

    _print_texts(out, [found["text"]])
    kinds = found["embedded"]["kinds"].items()
    out.print(table("Kind", ">Nodes", rows=[[kind, f"{number:,}"] for kind, number in kinds]))


def _print_texts(out: "Console", texts: list[str]) -> None:
    for text in texts:
        out.print(text, markup=False, soft_wrap=True)
