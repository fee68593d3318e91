"""`mabos reason`: a question in words, answered by a reasoning method, and the list of methods."""

from typing import TYPE_CHECKING, Any

import click

from mabos.interfaces.cli.request import NAMED, CommandRequest, command

if TYPE_CHECKING:
    from rich.console import Console

    from mabos.tools.runtime.services import Services

_UNKNOWN = (
    "I know no method for this question as it is put. Give the figures, options or rules it is about; "
    "`mabos reason --methods` lists the methods with a question each answers."
)


@command("reason")
@click.argument("question", default="")
@click.option("--agent", type=NAMED, help="The agent whose figures, facts and beliefs fill missing values.")
@click.option("--methods", is_flag=True, help="List the methods of reasoning, each with an example.")
def reason(request: CommandRequest, question: str, agent: str | None, methods: bool) -> None:
    """Answer a QUESTION in words by a method of reasoning: odds, choices, schedules, votes, rules, forecasts and more.

    The reply states how the question was read, which method answers it, how certain that is and what would change it.
    A refusal names what is missing and has exit code 1.
    """
    if methods:
        from mabos.knowledge.reasoning.questions.examples import method_rows

        rows = method_rows()
        request.answer(rows, lambda out: _list(out, rows))
        return
    if not question.strip():
        raise click.UsageError("give a question, or list the methods with --methods")
    told = _reply(request, question, agent)
    request.answer(told, lambda out: out.print(told["text"], markup=False, highlight=False), done=told["answered"])


def _reply(request: CommandRequest, question: str, agent: str | None) -> dict[str, Any]:
    """Return the reply, over an agent's knowledge if one is named; without one no workspace is needed."""
    from mabos.knowledge.reasoning.questions.answers import reply_to

    if agent is None:
        reply = reply_to(question)
        if reply is None:
            return {"text": _UNKNOWN, "answered": False, "method": ""}
        from mabos.knowledge.reasoning.result import plain

        told = {name: getattr(reply, name) for name in ("text", "answered", "answer", "reading", "method")}
        told |= {"confidence": reply.confidence, "changes": reply.changes, "missing": list(reply.missing)}
        return {**told, "unused": list(reply.unused), "result": plain(reply.result)}
    with request.open() as services:
        return _over_agent(services, question, agent)


def _over_agent(services: "Services", question: str, agent: str) -> dict[str, Any]:
    from mabos.tools.knowledge.questions import reasoned_reply
    from mabos.tools.knowledge.reasoning import record_reply

    known = services.agent(agent)
    reply = reasoned_reply(known, question)
    return {"text": _UNKNOWN, "answered": False, "method": ""} if reply is None else record_reply(known, reply)


def _list(out: "Console", rows: list[dict[str, Any]]) -> None:
    from mabos.interfaces.views.words import table

    shown = [[f"  {row['method']}", row["category"], row["example"]] for row in rows]
    out.print(table(f"{len(rows)} methods", "", "An example", rows=shown))
