"""Turns for many agents: in rounds, one turn each in order of creation, and none for idle agents.

An idle agent is in no list that is iterated; an event puts it into the round. Time stands still while any agent has
work, and then advances to the next awaited time.

    world = Scheduler()
    world.add("ann", program('!start. +!start <- .send(bob, tell, hello).'))
"""

from bisect import insort
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from itertools import count

from bench.agentspeak.agent import SPEECH, Agent
from bench.agentspeak.program import Intention, Program
from mabos.configs.errors import InvalidArgument, unknown
from mabos.mind.procedures.terms import Term, render_term


class Scheduler:
    """The world of agents in one process; `told` receives their output, `lost` failures with reasons."""

    def __init__(
        self,
        *,
        fair: bool = False,
        told: Callable[[str, str], None] = lambda _name, _text: None,
        lost: Callable[[str, str, str], None] = lambda _name, _what, _why: None,
    ) -> None:
        self.agents: dict[str, Agent] = {}
        self.now = 0.0
        self._fair, self._told, self._lost = fair, told, lost
        self._by_index: list[Agent] = []
        self._turn = 0
        self._round: list[int] = []
        self._place = 0
        self._acting: Agent | None = None
        self._later: dict[int, list[int]] = {}
        self._busy = 0
        self._order = count()
        self._alarms: list[tuple[float, int, Agent, Intention]] = []

    def add(self, name: str, program: Program) -> Agent:
        """Return a new agent with its program's initial beliefs and goals; names must be unique."""
        if name in self.agents:
            raise InvalidArgument(f"there is an agent {name!r} already; give this one another name", argument="name")
        agent = Agent(name, program, self, index=len(self._by_index), fair=self._fair)
        self.agents[name] = agent
        self._by_index.append(agent)
        agent.begin()
        return agent

    def run(self, most: int | None = None) -> int:
        """Run until no agent has work or `most` lines are done; return the number of lines."""
        done = 0
        while most is None or done < most:
            if self._place >= len(self._round) and not self._new_round():
                break
            agent = self._by_index[self._round[self._place]]
            if agent.due == self._turn:
                self._acting = agent
                rest = agent.turn()
                done += 1
                while rest and self._busy == 1 and (most is None or done < most):  # alone, an agent need not wait
                    rest = agent.turn()
                    done += 1
                self._acting = None
                self._put(agent, self._turn + rest if rest else 0)
            self._place += 1
        return done

    def said(self, agent: Agent, text: str) -> None:
        """Pass on an agent's output."""
        self._told(agent.name, text)

    def failed(self, agent: Agent, term: Term, why: str) -> None:
        """Pass on a failure."""
        self._lost(agent.name, render_term(term), why)

    def others(self, agent: Agent) -> Iterable[str]:
        """Return the names of all agents but one."""
        return [name for name in self.agents if name != agent.name]

    def send(self, sender: Agent, receivers: Iterable[str], performative: str, term: Term) -> bool:
        """Deliver a speech act at once; False, without delivery, if a receiver is unknown."""
        names = list(receivers)
        if any(name not in self.agents for name in names):
            return False
        for name in names:
            self.deliver(name, performative, term, sender=sender.name)
        return True

    def deliver(self, name: str, performative: str, term: Term, *, sender: str) -> None:
        """Deliver a speech act from anyone to an agent."""
        if name not in self.agents:
            raise unknown("agent", name, self.agents, argument="name")
        agent, notes = self.agents[name], (("source", (sender,)),)
        match performative:
            case "tell":
                agent.believe(term, notes)
            case "untell":
                agent.disbelieve(term, notes)
            case "achieve":
                agent.adopt(term, notes)
            case "unachieve":
                agent.abandon(term)
            case "askOne" | "askAll":
                agent.answer(sender, term, every=performative == "askAll")
            case _:
                raise InvalidArgument(
                    f"{performative!r} is not a performative; use {', '.join(SPEECH)}", argument="performative"
                )

    def wake(self, agent: Agent) -> None:
        """Give an agent a turn for its next work, in this round if its position is still ahead."""
        if agent is self._acting:
            return  # it plans when its turn is over
        in_round = self._place < len(self._round)
        first = self._turn + (not in_round or agent.index <= self._round[self._place])
        if agent.due and agent.planned is not None and agent.planned in agent.ready:
            if agent.fair or agent.ready[0] is agent.planned:
                return
            agent.planned.paid += agent.planned.rest - max(0, agent.due - first)
        wait = agent.plan()
        self._put(agent, first + wait - 1 if wait else 0)

    def alarm(self, agent: Agent, intention: Intention) -> None:
        """Wake an intention at the time it waits for, if any."""
        if intention.wait is not None and intention.wait.until is not None:
            heappush(self._alarms, (intention.wait.until, next(self._order), agent, intention))

    def _put(self, agent: Agent, due: int) -> None:
        """Let an agent have its next turn then, and at no other time."""
        self._busy += bool(due) - bool(agent.due)
        agent.due = due
        if due > self._turn:
            self._later.setdefault(due, []).append(agent.index)
        elif due:
            insort(self._round, agent.index, lo=self._place + 1)

    def _new_round(self) -> bool:
        """Begin the next round, at a later moment if nobody has anything to do now; False if nobody ever will."""
        self._round, self._place = [], 0
        while not self._later:
            if not self._alarms:
                return False
            self._ring()
        self._turn = min(self._later)
        self._round = sorted(self._later.pop(self._turn))
        return True

    def _ring(self) -> None:
        """Move on to the next moment that somebody waits for, and wake all who wait for it."""
        until = self._alarms[0][0]
        while self._alarms and self._alarms[0][0] == until:
            _, _, agent, intention = heappop(self._alarms)
            if intention.wait is not None and intention.wait.until == until:
                self.now = max(self.now, until)
                agent.resume(intention)
