"""Perceptors: functions of a user's own that report percepts to agents at the start of their cycles.

    def rates(agent_id: str) -> list[Percept]:
        return [Percept("eur_usd", 1.08), Percept("Globex", "40 dollars", predicate="price")]

    with open_workspace("workspace", perceptors=[Perceptor(rates, agents=["cfo"], every_s=3600)]) as ws: ...

A percept without a predicate is a figure of the business, like a line of a metrics file; one with a predicate is a
statement, like a line of a brief. Its source is `perceptor:NAME`. The cycle's report names a perceptor that fails or
takes too long, and the cycle goes on.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Final

from mabos.configs.errors import InvalidArgument
from mabos.configs.extensions import extensions
from mabos.society.findings import DocumentProblem, DocumentStatement, Findings


@dataclass(frozen=True, slots=True)
class Percept:
    """A fact: the value of a subject, or of its predicate, at a time in ISO 8601 (default: now)."""

    subject: str
    value: str | float
    predicate: str = ""
    unit: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Perceptor:
    """A source of percepts: a function of an agent's id; `agents` are those it is for, by default all.

    It is called at most once in `every_s` seconds for each agent, and must answer within `timeout_s` seconds. A live
    company also calls one with `every_s` between cycles, and wakes the agents whose percepts have changed.
    """

    function: Callable[[str], Iterable[Percept]]
    name: str = ""
    agents: Iterable[str] = ()
    every_s: float = 0
    timeout_s: float = 10

    @property
    def source(self) -> str:
        """The source name of all its percepts."""
        return f"perceptor:{self.name or self.function.__name__}"

    def is_for(self, agent_id: str) -> bool:
        """Return whether it applies to an agent."""
        return not self.agents or agent_id in self.agents

    def read(self, agent_id: str, now: str) -> Findings:
        """Return its percepts for an agent; a problem if it fails, takes too long, or returns anything else."""
        answers: SimpleQueue[Findings] = SimpleQueue()
        Thread(target=lambda: answers.put(self._call_function(agent_id, now)), daemon=True).start()
        try:
            return answers.get(timeout=self.timeout_s)
        except Empty:
            return self.problem(f"no answer within {self.timeout_s:g} s")

    def _call_function(self, agent_id: str, now: str) -> Findings:
        try:
            told = list(self.function(agent_id))
            return Findings(tuple(self._statement(one, now) for one in told))
        except Exception as error:  # noqa: BLE001 - a function of somebody else must not end a cycle
            return self.problem(f"{type(error).__name__}: {error}")

    def _statement(self, percept: Percept, now: str) -> DocumentStatement:
        value = f"{percept.value:g}" if isinstance(percept.value, int | float) else percept.value.strip()
        at = percept.at or now
        return DocumentStatement(percept.subject, percept.predicate, value, at, self.source, percept.unit)

    def problem(self, message: str) -> Findings:
        """Return a fault of the perceptor itself as its finding."""
        return Findings(problems=(DocumentProblem(self.source, message),))


class Perceptors:
    """The perceptors of a workspace: the given ones, else those of installed packages."""

    def __init__(self, given: Iterable[Perceptor] | None = None) -> None:
        self._given = None if given is None else tuple(given)
        self._looked: dict[tuple[str, str], tuple[float, Findings]] = {}
        self._news: dict[tuple[str, str], Findings] = {}

    @cached_property
    def all(self) -> tuple[Perceptor, ...]:
        """Return every perceptor; entry points are loaded at the first cycle."""
        return installed_perceptors() if self._given is None else self._given

    def look(self, agent_id: str, now: str) -> bool:
        """Call those with an `every_s` that are due; return whether one has news for an agent, for `take_news`."""
        is_news = False
        for one in self.all:
            key = one.source, agent_id
            last, before = self._looked.get(key, (-math.inf, Findings()))
            if one.every_s and one.is_for(agent_id) and monotonic() - last >= one.every_s:
                found = one.read(agent_id, now)
                self._looked[key] = monotonic(), found
                if found.values != before.values:
                    self._news[key], is_news = found, True
        return is_news

    def take_news(self, source: str, agent_id: str) -> Findings | None:
        """Return the news that `look` found for an agent, once; None without news."""
        return self._news.pop((source, agent_id), None)


NO_PERCEPTORS: Final = Perceptors(())


def installed_perceptors() -> tuple[Perceptor, ...]:
    """Return the perceptors from the entry points `mabos.perceptors`; a bare function applies to every agent."""
    found: list[Perceptor] = []
    for extension in extensions("mabos.perceptors"):
        try:
            found.append(as_perceptor(extension.value, extension.name))
        except InvalidArgument as error:
            extension.left_out(error.message)
    return tuple(found)


def as_perceptor(given: object, name: str = "") -> Perceptor:
    """Return a `Perceptor` unchanged, and a function as one for every agent; otherwise raise `InvalidArgument`."""
    if isinstance(given, Perceptor):
        return given
    if callable(given):
        return Perceptor(given, name=name)
    raise InvalidArgument(f"{type(given).__name__} is neither a function nor a Perceptor", argument="perceptors")
