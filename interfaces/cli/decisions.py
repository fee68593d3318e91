"""`mabos decisions`: open questions for a person, and the person's answers."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from mabos.configs.errors import InvalidArgument
from mabos.interfaces.cli.operation import perform_operation
from mabos.interfaces.cli.request import CommandRequest, command, group
from mabos.workspace.currencies import money

if TYPE_CHECKING:
    from rich.console import Console

    from mabos.society.decisions import Decision
    from mabos.tools.mail.preview import LetterPreview


@group("decisions", default=True)
def decisions(request: CommandRequest) -> None:
    """List pending decisions and answer them: approve, reject, defer or modify."""
    _list(request, every=False)


@command("list", parent=decisions)
@click.option("--all", "every", is_flag=True, help="Include answered decisions.")
def list_(request: CommandRequest, every: bool) -> None:
    """List pending decisions."""
    _list(request, every=every)


@command("approve", parent=decisions)
@click.argument("decision_id", metavar="ID")
@click.option("--option", "chosen_option", help="The chosen option; default: the recommended one.")
@click.option("--feedback", help="A note to the agent.")
def approve(request: CommandRequest, decision_id: str, chosen_option: str | None, feedback: str | None) -> None:
    """Allow exactly the requested action."""
    _resolve(request, decision_id, "approve", chosen_option=chosen_option, feedback=feedback)


@command("reject", parent=decisions)
@click.argument("decision_id", metavar="ID")
@click.option("--feedback", help="A note to the agent.")
def reject(request: CommandRequest, decision_id: str, feedback: str | None) -> None:
    """Refuse the action."""
    _resolve(request, decision_id, "reject", feedback=feedback)


@command("defer", parent=decisions)
@click.argument("decision_id", metavar="ID")
@click.option("--until", required=True, metavar="D", help="The date to ask again, as 2026-03-01.")
@click.option("--feedback", help="A note to the agent.")
def defer(request: CommandRequest, decision_id: str, until: str, feedback: str | None) -> None:
    """Defer the question."""
    _resolve(request, decision_id, "defer", until=until, feedback=feedback)


@command("modify", parent=decisions)
@click.argument("decision_id", metavar="ID")
@click.option("--set", "changes", multiple=True, required=True, metavar="K=V", help="An argument and its new value.")
@click.option("--feedback", help="A note to the agent.")
def modify(request: CommandRequest, decision_id: str, changes: tuple[str, ...], feedback: str | None) -> None:
    """Allow the action with other arguments."""
    _resolve(request, decision_id, "modify", modifications=parsed_changes(changes), feedback=feedback)


def parsed_changes(changes: tuple[str, ...]) -> dict[str, Any]:
    """Return `k=v` pairs as a mapping; values that are JSON are read as JSON, all others as text."""
    import json

    found: dict[str, Any] = {}
    for change in changes:
        name, equals, value = change.partition("=")
        if not name or not equals:
            raise InvalidArgument(f"{change!r} is not a change; expected name=value, as budget_usd=300", argument="set")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _resolve(request: CommandRequest, decision_id: str, resolution: str, **answer: Any) -> None:
    with request.open() as services:
        from mabos.tools.people.stakeholder import home_of

        home = home_of(services, decision_id)
        given = {"decision_id": decision_id, "resolution": resolution, **answer}
        done = perform_operation(services, "decision_resolve", **given)
        request.answer(dict(done), lambda out: _show_resolved(out, home.one(decision_id)))


def _list(request: CommandRequest, *, every: bool) -> None:
    with request.open() as services:
        from mabos.interfaces.actions import letter_of
        from mabos.tools.people.stakeholder import all_decisions

        found = [one for one in all_decisions(services) if every or one.open]
        letters = {} if request.json else {one.id: letter_of(services, one) for one in found if one.open}
        request.answer({"decisions": [one.as_json() for one in found]}, lambda out: _show(out, found, letters))


def _show(out: "Console", found: list["Decision"], letters: Mapping[str, "LetterPreview | None"]) -> None:
    from mabos.interfaces.views.words import table

    if not found:
        out.print("nothing waits for a person")
        return
    rows = [[one.id, one.from_agent, one.subject, money(one.cost) if one.cost else "", one.status] for one in found]
    out.print(table("Decision", "Agent", "What", ">Cost", "Status", rows=rows))
    for one in found:
        if one.open:
            out.print()
            _show_question(out, one, letters.get(one.id))
    out.print("\nput off with: mabos decisions defer ID --until DATE; the reasons: mabos why ID")


def _show_question(out: "Console", one: "Decision", letter: "LetterPreview | None") -> None:
    """Print a question, its letter or arguments whole, the answers with their effects, and their commands."""
    from rich.markup import escape

    from mabos.interfaces.actions import argument_lines, letter_lines

    out.print(f"[bold]{escape(one.id)}[/bold] {escape(one.description or one.subject)}")
    if one.asked_again or one.status == "deferred":
        out.print(f"  put off until {one.until[:10]}")
    elif one.deadline:
        out.print(f"  answer by {one.deadline[:10]}")
    given = (one.action or {}).get("arguments", {})
    for line in letter_lines(letter) if letter is not None else argument_lines(given):
        out.print(f"  {line}", markup=False, highlight=False)
    for option in one.options:
        name = str(option.get("id", ""))
        impact = f": {option['impact']}" if option.get("impact") else ""
        advised = " (recommended)" if name == one.recommendation else ""
        out.print(f"  {escape(name)}  {escape(str(option.get('label', name)))}{advised}{escape(impact)}")
    for way in _ways_to_answer(one):
        out.print(f"  mabos decisions {escape(way)}", soft_wrap=True)


def _ways_to_answer(one: "Decision") -> list[str]:
    """Return the commands that answer a question: each of its options where it asks for no action."""
    if one.action is not None:
        return [f"approve {one.id}", f"reject {one.id}", f"modify {one.id} --set NAME=VALUE"]
    return [f"approve {one.id} --option {option.get('id', '')}" for option in one.options] + [f"reject {one.id}"]


def _show_resolved(out: "Console", decision: "Decision") -> None:
    out.print(f"{decision.id}: {decision.status}")
    if decision.granted:
        out.print(f"{decision.from_agent} performs it in its next cycle: mabos run {decision.from_agent}")
