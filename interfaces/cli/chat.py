"""`mabos chat`: a conversation with an agent, or with the company."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from mabos.interfaces.cli.request import NAMED, CommandRequest, command, console

if TYPE_CHECKING:
    from rich.console import Console

    from mabos.interfaces.chat.events import ChatEvent, ChatReply
    from mabos.tools.runtime.services import Services


@command("chat")
@click.argument("agent_id", metavar="[AGENT]", required=False)
@click.option("--say", type=NAMED, metavar="TEXT", help="Send one message and print the reply, for scripts.")
@click.option("--history", "shows_history", is_flag=True, help="Show the conversation so far.")
@click.option("--search", type=NAMED, metavar="TEXT", help="With --history: messages with all these words.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="With --history: the limit.")
@click.option("--business", type=NAMED, metavar="ID", help="Without AGENT: the business that answers.")
def chat(
    request: CommandRequest,
    agent_id: str | None,
    *,
    say: str | None,
    shows_history: bool,
    search: str | None,
    limit: int,
    business: str | None,
) -> None:
    """Talk with an agent; without AGENT, the responsible agent of the company answers.

    Each call of an operation is one line. An action that needs your approval is shown in full; answer it at once.
    /help lists the commands of a conversation. With --say, exit code 1 means a refusal, a failure or no answer.
    """
    if request.json and not (say or shows_history):
        raise click.UsageError("--json needs --say TEXT or --history")
    with request.open() as services:
        if agent_id:
            services.agent(agent_id)  # an unknown one is answered before LangGraph is imported
        if shows_history or search:
            _show_history(request, services, agent_id or "", limit, search or "")
        elif say:
            _say(request, services, agent_id or "", say, business or "")
        else:
            from mabos.interfaces.cli.talk import TerminalTalk

            TerminalTalk(services, console(), agent_id or "", business or "").run()


def _show_history(request: CommandRequest, services: "Services", agent_id: str, limit: int, search: str) -> None:
    from mabos.interfaces.chat.record import history
    from mabos.interfaces.views.chat import history_lines

    found = history(services, agent_id, limit=limit, search=search)

    def show(out: "Console") -> None:
        for line in history_lines(found, names=not agent_id):
            out.print(line)
        if not found:
            out.print("nothing was said" + (" with these words" if search else " yet"))

    request.answer({"messages": [one.as_json() for one in found]}, show)


def _say(request: CommandRequest, services: "Services", agent_id: str, text: str, business: str) -> None:
    from dataclasses import replace

    from mabos.interfaces.chat.turn import take_turn
    from mabos.interfaces.views.chat import approval_lines, reply_lines

    because = ""
    if not agent_id:
        from mabos.interfaces.chat.routing import choose

        found = choose(services, text, business)
        agent_id, because, text = found.agent_id, found.because, found.text
        request.notice(f"{agent_id} answers: {because}")
    reply: ChatReply = replace(take_turn(services, agent_id, text, _build_printer(request)), chosen_because=because)

    def show(out: "Console") -> None:
        for line in reply_lines(reply):
            out.print(line)
        for asked in reply.waits:
            for line in approval_lines(asked):
                out.print(line)
            out.print(f"  mabos decisions approve {asked.decision_id} | mabos decisions reject {asked.decision_id}")

    request.answer(reply.as_json(), show, done=reply.ok)


def _build_printer(request: CommandRequest) -> "Callable[[ChatEvent], None]":
    """Return a listener that writes a line for each call to standard error; nothing with --json."""
    from mabos.interfaces.chat.events import ToolEvent
    from mabos.interfaces.views.chat import tool_line

    out = console(err=True)

    def tell(event: "ChatEvent") -> None:
        if isinstance(event, ToolEvent) and not request.json:
            out.print(tool_line(event))

    return tell
