"""Turns for many agents: in rounds, one turn each in the order of their making, and none for those with nothing to do.

An agent that has nothing to do is in no list that is gone through; an event puts it into the round. Time stands still
while anybody has something to do, and then moves on to the next moment that somebody waits for.

    world = Scheduler()
    world.add("ann", program('!start. +!start <- .send(bob, tell, hello).'))
"""

from bisect import insort
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from itertools import count

from configs.errors import InvalidArgument, unknown
from mind.procedures.agent import SPEECH, Agent
from mind.procedures.intention import Intention
from mind.procedures.program import Program
from mind.procedures.terms import Term, written


class Scheduler:
    """The world of agents in one process; `told` hears what they print, `lost` what came to nothing and why."""

    def __init__(
        self,
        *,
        fair: bool = False,
        told: Callable[[str, str], None] = lambda _name, _text: None,
        lost: Callable[[str, str, str], None] = lambda _name, _what, _why: None,
    ) -> None:
        self.agents: dict[str, Agent] = {}
        self.now = 0.0
        self.turns = 0
        self._fair, self._told, self._lost = fair, told, lost
        self._by_index: list[Agent] = []
        self._round: list[int] = []
        self._at = 0
        self._next: list[int] = []
        self._order = count()
        self._alarms: list[tuple[float, int, Agent, Intention]] = []

    def add(self, name: str, program: Program) -> Agent:
        """Return a new agent that has taken up what its program starts with; a name is given once."""
        if name in self.agents:
            raise InvalidArgument(f"there is an agent {name!r} already; give this one another name", argument="name")
        agent = Agent(name, program, self, index=len(self._by_index), fair=self._fair)
        self.agents[name] = agent
        self._by_index.append(agent)
        agent.begin()
        return agent

    def run(self, most: int | None = None) -> int:
        """Return how many turns were given until nobody has anything to do, or `most` are over."""
        before = self.turns
        while most is None or self.turns - before < most:
            if self._at >= len(self._round) and not self._new_round():
                break
            agent = self._by_index[self._round[self._at]]
            is_alone = self._at + 1 == len(self._round) and not self._next
            more = agent.turn(paced=not is_alone)
            self.turns += 1
            if more and is_alone and self._at + 1 == len(self._round) and not self._next:
                continue
            self._at += 1
            agent.is_queued = more
            if more:
                self._next.append(agent.index)
        return self.turns - before

    def said(self, agent: Agent, text: str) -> None:
        """Hand on what an agent prints."""
        self._told(agent.name, text)

    def failed(self, agent: Agent, term: Term, why: str) -> None:
        """Hand on what came to nothing."""
        self._lost(agent.name, written(term), why)

    def others(self, agent: Agent) -> Iterable[str]:
        """Return the names of all agents but one."""
        return [name for name in self.agents if name != agent.name]

    def send(self, sender: Agent, receivers: Iterable[str], performative: str, term: Term) -> bool:
        """Deliver a speech act at once; False, and nothing delivered, if a receiver is unknown."""
        names = list(receivers)
        if any(name not in self.agents for name in names):
            return False
        for name in names:
            self.deliver(name, performative, term, sender=sender.name)
        return True

    def deliver(self, name: str, performative: str, term: Term, *, sender: str) -> None:
        """Let an agent hear a speech act, from anybody."""
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
                    f"nobody understands {performative!r}; use {', '.join(SPEECH)}", argument="performative"
                )

    def wake(self, agent: Agent) -> None:
        """Put an agent into this round, if its place in it is still to come, else into the next one."""
        if agent.is_queued:
            return
        agent.is_queued = True
        if self._at < len(self._round) and agent.index > self._round[self._at]:
            insort(self._round, agent.index, lo=self._at + 1)
        else:
            insort(self._next, agent.index)

    def alarm(self, agent: Agent, intention: Intention) -> None:
        """Wake an intention at the moment it waits for, if it waits for one."""
        if intention.wait is not None and intention.wait.until is not None:
            heappush(self._alarms, (intention.wait.until, next(self._order), agent, intention))

    def _new_round(self) -> bool:
        """Begin the next round, at a later moment if nobody has anything to do now; False if nobody ever will."""
        while not self._next:
            if not self._alarms:
                return False
            until, _, agent, intention = heappop(self._alarms)
            if intention.wait is not None and intention.wait.until == until:
                self.now = max(self.now, until)
                agent.resume(intention)
        self._round, self._at, self._next = self._next, 0, []
        return True
