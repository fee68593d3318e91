"""The conversation of `mabos chat` on a terminal, line by line; standard input may also be a pipe."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from mabos.configs.errors import MabosError
from mabos.interfaces.chat.events import (
    ApprovalEvent,
    ChatEvent,
    ChatReply,
    PhaseEvent,
    TextEvent,
    ToolEvent,
    approval_of,
)
from mabos.interfaces.chat.record import history, last_partner, withdraw_last
from mabos.interfaces.chat.routing import choose
from mabos.interfaces.chat.streaming import Turn, stream_events
from mabos.interfaces.chat.turn import go_on, take_turn
from mabos.interfaces.cli.operation import perform_operation
from mabos.interfaces.views.chat import (
    approval_lines,
    claims_table,
    detail_lines,
    history_lines,
    reply_lines,
    tool_line,
)
from mabos.interfaces.views.words import cut
from mabos.tools.people.stakeholder import all_decisions
from mabos.tools.runtime.services import Services

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

HELP: Final = {
    "/why [ID]": "what the last reply rests on; with an id the reasons behind it",
    "/waiting": "what waits for your answer, one after the other",
    "/undo": "withdraw your last order, as long as it is open",
    "/mind [AGENT]": "what an agent wants, intends and believes",
    "/history [WORDS]": "what was said, or the messages with these words",
    "/help": "this list",
    "/quit": "end the conversation; so does Ctrl-D",
}
_QUITS: Final = ("/quit", "/exit")
_RECALLED: Final = 4
"""Messages of an earlier conversation that are shown when it goes on."""
_LINE: Final = 150
_DRAFT: Final = 70
"""Characters of a model's draft that are shown while it writes."""


class TerminalTalk:
    """A conversation with one agent, or with the company if none is named."""

    def __init__(self, services: Services, out: "Console", agent_id: str, business_id: str) -> None:
        self._services, self._out = services, out
        self._named, self._business_id = agent_id, business_id
        self._agent_id = agent_id
        self._last: ChatReply | None = None
        self._is_over = False
        self._typed = ""
        """A line that was typed at a question and answers none: it is the next one said."""
        self._draft = ""
        self._commands: dict[str, Callable[[str], None]] = {
            "/why": self._why,
            "/waiting": self._waiting,
            "/undo": self._undo,
            "/mind": self._mind,
            "/history": self._history,
            "/help": self._help,
        }

    def run(self) -> None:
        """Run the conversation until the person leaves."""
        self._greet()
        while not self._is_over and (said := self._typed or self._read("you> ")) is not None:
            self._typed = ""
            if said in _QUITS:
                return
            try:
                self._dispatch_line(said)
            except MabosError as error:
                self._out.print(Text(f"mabos: {error.message}", style="red"))

    def _dispatch_line(self, said: str) -> None:
        name, _, rest = said.partition(" ")
        if not said:
            return
        if name in self._commands:
            self._commands[name](rest.strip())
        elif name.startswith("/"):
            self._out.print(f"there is no {name}; /help lists what there is")
        else:
            self._say(said)

    def _greet(self) -> None:
        partner = self._named or "the company"
        self._out.print(f"You talk with {partner}. /help lists commands, /quit ends.", style="dim")
        for line in history_lines(history(self._services, self._named, limit=_RECALLED), names=not self._named):
            self._out.print(Text(cut(line.plain, _LINE), style="dim"))
        number = len(self._open())
        if number:
            waits = "1 question waits" if number == 1 else f"{number} questions wait"
            self._out.print(f"{waits} for your answer: /waiting", style="yellow")

    def _say(self, text: str) -> None:
        if not self._named:
            found = choose(self._services, text, self._business_id)
            self._agent_id, text = found.agent_id, found.text
            self._out.print(f"  {found.agent_id} answers: {found.because}", style="dim")
        self._take(lambda tell, control: take_turn(self._services, self._agent_id, text, tell, control=control))

    def _take(self, turn: Turn) -> None:
        """Show a turn as it happens, then ask for the approvals that it needs."""
        reply: ChatReply | None = None
        with self._busy() as busy:
            try:
                for event in stream_events(turn):
                    self._show(event, busy)
                    reply = event if isinstance(event, ChatReply) else reply
            except KeyboardInterrupt:
                self._out.print("stopped; what you said waits in the agent's inbox", style="yellow")
        if reply is None:
            return
        self._last = reply
        for line in reply_lines(reply):
            self._out.print(line)
        for asked in reply.waits:
            if asked.is_own or self._typed:
                verb = "proposes on its own" if asked.is_own else "asks"
                self._out.print(f"  {asked.agent_id} {verb}: {asked.subject} (/waiting)", style="yellow")
            else:
                self._ask(asked)

    def _show(self, event: ChatEvent, busy: "Status | None") -> None:
        if isinstance(event, ToolEvent):
            self._out.print(tool_line(event))
        elif busy is not None and isinstance(event, PhaseEvent):
            busy.update(f"[dim]{event.agent_id}: {event.phase}[/dim]")
        elif busy is not None and isinstance(event, TextEvent):
            self._draft = (self._draft + event.text)[-_DRAFT:]
            busy.update(Text(f"{event.agent_id} writes: {' '.join(self._draft.split())}", style="dim"))

    @contextmanager
    def _busy(self) -> "Iterator[Status | None]":
        self._draft = ""
        if not self._out.is_terminal:
            yield None
            return
        with self._out.status(f"[dim]{self._agent_id or 'mabos'}[/dim]") as status:
            yield status

    def _ask(self, asked: ApprovalEvent) -> None:
        """Show an open question, whole, and take the answer."""
        for line in approval_lines(asked):
            self._out.print(line)
        choices = [] if asked.tool else [str(one.get("id", "")) for one in asked.options]
        yes = "y(es)" if not choices else f"y(es, {asked.recommendation})" if asked.recommendation else ""
        alike = self._list_alike(asked)
        every = f"a(ll {len(alike)} of this kind)" if len(alike) > 1 else ""
        prompt = f"  approve? {' '.join(filter(None, [yes, *choices, every, 'n(o) d(etails) l(ater)']))}> "
        while True:
            answer = self._read(prompt)
            self._is_over = answer in _QUITS
            if answer is None or self._is_over or answer.casefold() in ("", "l", "later"):
                self._out.print(f"  it waits: mabos decisions approve {asked.decision_id}", style="dim")
                return
            chosen = next((one for one in choices if one.casefold() == answer.casefold()), "")
            if answer.casefold() in ("d", "details"):
                for line in detail_lines(asked):
                    self._out.print(line)
                self._explain(asked.decision_id)
            elif chosen or (yes and answer.casefold() in ("y", "yes")):
                self._resolve(asked, "approve", chosen_option=chosen or None)
                return
            elif every and answer.casefold() in ("a", "all"):
                for one in alike:
                    self._resolve(one, "approve")
                return
            elif answer.casefold() in ("n", "no"):
                self._resolve(asked, "reject", feedback=self._read("  why not? (Enter: no reason)> ") or None)
                return
            elif answer.startswith("/") or " " in answer:  # the person goes on talking
                self._out.print(f"  it waits: mabos decisions approve {asked.decision_id}", style="dim")
                self._typed = answer
                return
            else:
                self._out.print(f"  {', '.join(filter(None, ['y' if yes else '', *choices, 'n', 'd']))} or l")

    def _list_alike(self, asked: ApprovalEvent) -> list[ApprovalEvent]:
        """Return the open questions about the same operation; those with a text to be read are asked one by one."""
        found = [one for one in self._open() if asked.tool and one.tool == asked.tool]
        return [one for one in found if one.letter is None and "body" not in one.arguments]

    def _resolve(self, asked: ApprovalEvent, resolution: str, **answer: Any) -> None:
        """Answer exactly the question that was shown, and let the agent go on."""
        answer |= {"decision_id": asked.decision_id, "version": asked.version, "resolution": resolution}
        perform_operation(self._services, "decision_resolve", **answer)
        if asked.agent_id in self._services.agents():
            self._take(lambda tell, control: go_on(self._services, asked.agent_id, tell, control=control))

    # --- commands

    def _why(self, name: str) -> None:
        last = self._last
        if not name and last is not None and last.claims:
            self._out.print(claims_table(last.claims))
            return
        name = name or (last.reply_ids[-1] if last is not None and last.reply_ids else "")
        if not name:
            self._out.print("nothing was said yet; /why ID explains a record")
            return
        self._explain(name)

    def _explain(self, name: str) -> None:
        """Show the chain of reasons behind a record."""
        from mabos.interfaces.reasons.chain import explain_record
        from mabos.interfaces.reasons.gathering import gather_records
        from mabos.interfaces.views.chain import chain

        records = gather_records(self._services)
        self._out.print(chain(explain_record(records.find(name, ""), records, self._services.layout.root)))

    def _waiting(self, _: str) -> None:
        waiting = self._open()
        for asked in waiting:
            if not self._is_over and not self._typed:
                self._ask(asked)
        if not waiting:
            self._out.print("nothing waits for you")

    def _undo(self, _: str) -> None:
        agents = [self._named] if self._named else self._services.agents()
        agent_id, message_id = withdraw_last(self._services, list(agents))
        self._take(lambda tell, control: go_on(self._services, agent_id, tell, message_id=message_id, control=control))

    def _mind(self, name: str) -> None:
        from mabos.interfaces.standing import standing
        from mabos.interfaces.views.mind import view
        from mabos.mind.maintenance import Thresholds

        mind = self._services.agent(name or self._partner()).mind
        limits = Thresholds.of(self._services.settings).limits
        self._out.print(view(standing(mind, self._services.clock(), limits)))

    def _history(self, words: str) -> None:
        for line in history_lines(history(self._services, self._named, search=words), names=not self._named):
            self._out.print(line)

    def _help(self, _: str) -> None:
        for name, what in HELP.items():
            self._out.print(f"  {name:<17} {what}", markup=False)

    # --- what it stands on

    def _partner(self) -> str:
        """Return the agent meant by a command that names none; raises `UnknownId` if no agent can answer."""
        if self._agent_id:
            return self._agent_id
        last = last_partner(self._services, self._services.agents())
        if last is None:
            return choose(self._services, "Good morning", self._business_id).agent_id
        return last.to if last.is_mine else last.sender

    def _open(self) -> list[ApprovalEvent]:
        """Return the open questions: of the agent, or of all in a talk with the company."""
        waiting = [one for one in all_decisions(self._services) if one.open]
        mine = [one for one in waiting if not self._named or one.from_agent == self._named]
        return [approval_of(self._services, one) for one in mine]

    def _read(self, prompt: str) -> str | None:
        """Return the next line of the person, or None at the end of the input."""
        if sys.stdin.isatty():
            import readline  # noqa: F401 - gives input() its history and editing

            try:
                return input(prompt).strip()
            except EOFError:
                self._out.print()
                return None
        line = sys.stdin.readline()
        self._out.print(f"{prompt}{line.rstrip()}", markup=False)
        return line.strip() if line else None
