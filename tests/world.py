"""The world that tests act in: a workspace with a company, its agents, its owner, and a clock that the test moves.

with World(tmp_path) as world:
    cfo = world.agent("cfo")
    cfo.do("fact_assert", subject="acme", predicate="churn", object="5", confidence=0.9, source="books")
    world.do("stakeholder_profile", approval_threshold_usd=100)  # the owner's own call
    world.do("goal_create", "cfo", level="tactical", description="Grow")  # the owner's, in the CFO's name
    report = cfo.cycle()
    world.later(days=1)
    world.restart()

`World(root)` founds a whole company with nine agents unless one is there, `World(root, template="")` founds none, and
`World.small(root)` writes three agents who want nothing by themselves.
"""

import atexit
import shutil
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, Self, TypeVar

import orjson
from pydantic import BaseModel

from mabos.configs.settings import Settings, environment, load_settings
from mabos.graphs import wiring
from mabos.interfaces.reasons.chain import Reason, explain_record
from mabos.interfaces.reasons.gathering import gather_records
from mabos.mind.mind import Mind
from mabos.mind.model import Belief, Goal, Intention, Plan, Step
from mabos.nodes.state import CycleReport
from mabos.society.decisions import Decision
from mabos.society.messages import Message
from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.opening import open_services
from mabos.tools.runtime.services import PERSON, Agent, Caller, Services
from mabos.workspace.clock import Clock, SteppedClock, iso

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
NOON = datetime(2026, 2, 24, 12, tzinfo=UTC)
SMALL = ("ceo", "cfo", "cto")
Changes = Mapping[str, Any]
WORDS_ALONE: Changes = MappingProxyType({"memory.embeddings": "none"})
"""The setting under which memory is searched by words alone."""
NONE: Changes = MappingProxyType({})
Model = TypeVar("Model", bound=BaseModel)


class World:
    """An open workspace; `services` are what is open, `clock` shows the time in it."""

    def __init__(
        self,
        root: Path,
        *,
        template: str = "saas",
        businesses: tuple[str, ...] = ("acme",),
        at: datetime = MONDAY,
        clock: Clock | None = None,
        settings: Settings | Changes | None = None,
        variables: Mapping[str, str] | None = None,
        tools: Registry | tuple[str, ...] | None = None,
        is_alone: bool = False,
        **more: Any,
    ) -> None:
        """Open a workspace: `settings` are changes by dotted name, `tools` may name the only modules there are.

        `variables` stand in for the environment; `more` is what `open_services` accepts (model, seed, without). What
        is opened alone runs no cycles, and need not be closed.
        """
        self.root = root
        self.clock = clock or SteppedClock(at)
        self._settings, self._variables, self._more, self._is_alone = settings, variables, more, is_alone
        self.tools = Registry(tools) if isinstance(tools, tuple) else tools
        # founding writes the governance that is set, and nothing of how memory is searched
        given = {} if isinstance(settings, Settings) else {**(settings or {}), **WORDS_ALONE}
        is_usual = clock is None and all(name in WORDS_ALONE or name.startswith("governance.") for name in given)
        if template and given and is_usual and not (root.exists() and any(root.iterdir())):
            shutil.copytree(_found_once(template, businesses, at, frozenset(given.items())), root, dirs_exist_ok=True)
        self.services = self.open()
        for one in businesses if template and not self.services.businesses() else ():
            self.do("business_create", business_id=one, name=one.title(), template=template)

    @classmethod
    def small(
        cls, root: Path, *, at: datetime = NOON, autonomy: str = "full", capabilities: Iterable[str] = (), **how: Any
    ) -> Self:
        """Open a workspace with three agents, written by hand where there are none: they want nothing by themselves."""
        if not (root / "businesses").exists():
            write_company(root, autonomy=autonomy, capabilities=capabilities)
        return cls(root, template="", at=at, **how)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> Services:
        """Open the workspace, as another process would that comes after this one."""
        variables = environment() if self._variables is None else environment(self._variables)
        chosen = self._settings
        if not isinstance(chosen, Settings):
            chosen = changed(load_settings(self.root, variables), {"durability": "off", **(chosen or {})})
        opener = open_services if self._is_alone else wiring.hold
        self.services = opener(
            self.root, settings=chosen, environment=variables, clock=self.clock, registry=self.tools, **self._more
        )
        return self.services

    def close(self) -> None:
        """Let go of the workspace."""
        if self._is_alone:
            self.services.close()
        else:
            wiring.release(self.services)

    def restart(self, **more: Any) -> None:
        """Close the workspace and open it again, with another model or the like where it is given."""
        self.close()
        self._more |= more
        self.open()

    def variant(self, **parts: Any) -> Self:
        """Return the same world with other parts of its services: a clock, a model, an environment."""
        found = copy(self)
        found.services = replace(self.services, **parts)
        found.clock = found.services.clock
        return found

    def simulate_market(self) -> "World":
        """Let a simulated market play the platforms and readers, so that campaigns run and content is published."""
        self.services.layout.simulation.parent.mkdir(parents=True, exist_ok=True)
        self.services.layout.simulation.write_text("{}", encoding="utf-8")
        return self

    def later(self, **by: float) -> None:
        """Move the clock forward."""
        assert isinstance(self.clock, SteppedClock)
        self.clock.advance(timedelta(**by))

    @property
    def now(self) -> str:
        """The present moment as MABOS writes it."""
        return iso(self.clock())

    @property
    def business(self) -> Business:
        """The one company."""
        return self.services.business()

    def agent(self, agent_id: str, *, by: Caller | None = None) -> "Member":
        """Return one of the company's agents: it calls tools itself, unless `by` says who does so in its name."""
        return Member(self, agent_id, by)

    def quiet(self, agent_id: str) -> "Member":
        """Return an agent that pursues only what the test gives it: its desires are suspended."""
        member = self.agent(agent_id)
        member.want_nothing()
        return member

    def owner(self, agent_id: str) -> "Member":
        """Return an agent in whose name the owner calls tools."""
        return self.agent(agent_id, by=PERSON)

    def why(self, record_id: str, agent: str = "") -> Reason:
        """Return what `mabos why` explains."""
        records = gather_records(self.services)
        return explain_record(records.find(record_id, agent), records, self.root)

    # --- the owner

    def call(self, tool: str, arguments: Mapping[str, Any], agent: str = "", **how: Any) -> Outcome:
        """Return what became of a call by the owner, in an agent's name where one is given."""
        return call(self.services, tool, arguments, caller=PERSON, agent_id=agent or None, **how)

    def ask(self, tool: str, agent: str = "", /, **arguments: Any) -> Outcome:
        """Return what became of a call by the owner, in an agent's name where one is given."""
        return self.call(tool, _plain(arguments), agent)

    def do(self, tool: str, agent: str = "", /, **arguments: Any) -> dict[str, Any]:
        """Return the result of a call by the owner that must succeed."""
        return succeeded(self.ask(tool, agent, **arguments))

    def refused(self, tool: str, agent: str = "", /, **arguments: Any) -> tuple[str, str | None]:
        """Return the code and the argument that a call by the owner is refused with."""
        return refusal(self.ask(tool, agent, **arguments))

    def questions(self) -> list[Decision]:
        """Return the decisions that wait for the owner."""
        return [one for one in self.services.decisions().all() if one.open]

    def answer(self, resolution: str = "approve", decision_id: str = "", **more: Any) -> None:
        """Answer a decision: the only one that waits, unless it is named."""
        (asked,) = [decision_id] if decision_id else [one.id for one in self.questions()]
        self.do("decision_resolve", decision_id=asked, resolution=resolution, **more)

    # --- what happens

    def cycle(self, agent: str, message: str | None = None, **how: Any) -> CycleReport:
        """Return the report of one cycle of an agent."""
        return wiring.run_cycle(self.services, agent, message, **how)

    def maintain(self, agent: str = "") -> list[dict[str, Any]]:
        """Return the rows of one heartbeat."""
        return wiring.run_maintenance(self.services, agent)

    # --- what is on record

    def entries(self, kind: str) -> list[Mapping[str, Any]]:
        """Return what the ledger's entries of a kind say, of everybody."""
        return [one.body for one in self.services.ledger_index().entries(kinds=[kind])]

    def path(self, name: str) -> Path:
        """Return the path of a file of the workspace, which is brought up to date."""
        self.services.checkpoint()
        return self.root / name

    def text(self, name: str) -> str:
        """Return a file of the workspace."""
        return self.path(name).read_text("utf-8")

    def read(self, name: str) -> Any:
        """Return a JSON file of the workspace."""
        return orjson.loads(self.text(name))

    def files(self) -> dict[str, bytes]:
        """Return every file with its content, but what is derived, and the ledger, which has failed calls too."""
        self.services.sync.flush()
        found = sorted(path for path in self.root.rglob("*") if path.is_file())
        return {str(path.relative_to(self.root)): path.read_bytes() for path in found if not _is_derived(path)}

    def write(self, name: str, content: str) -> None:
        """Write a file of the workspace by hand."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")


@cache
def _found_once(template: str, businesses: tuple[str, ...], at: datetime, given: Iterable[tuple[str, Any]]) -> Path:
    """Return the files of companies that are founded once in each process, since that takes long."""
    place = TemporaryDirectory()
    atexit.register(place.cleanup)
    root, settings = Path(place.name), dict(given)
    with World(root, template="", at=at, seed="founded", is_alone=True, settings=settings, variables={}) as world:
        for one in businesses:
            world.do("business_create", business_id=one, name=one.title(), template=template)
    return root


class Member:
    """One agent of a world: what it does, hears, believes and intends."""

    def __init__(self, world: World, agent_id: str, caller: Caller | None = None) -> None:
        self.world, self.id, self.caller = world, agent_id, caller or Caller("agent", agent_id)

    @property
    def services(self) -> Services:
        """What is open of its world."""
        return self.world.services

    @property
    def handle(self) -> Agent:
        """What tools get of it: mind, memory, facts, cases, inbox."""
        return self.services.agent(self.id)

    @property
    def mind(self) -> Mind:
        """Its mind, as it is now."""
        return self.handle.mind

    def call(self, tool: str, arguments: Mapping[str, Any], **how: Any) -> Outcome:
        """Return what became of a call; `how` are a key, reasons and the like."""
        return call(self.world.services, tool, arguments, caller=self.caller, agent_id=self.id, **how)

    def ask(self, tool: str, /, *, effect: Any = "", **arguments: Any) -> Outcome:
        """Return what became of a call; with a key of its effect it happens once."""
        return self.call(tool, _plain(arguments), key=effect)

    def do(self, tool: str, /, *, effect: Any = "", **arguments: Any) -> dict[str, Any]:
        """Return the result of a call that must succeed."""
        return succeeded(self.ask(tool, effect=effect, **arguments))

    def refused(self, tool: str, /, **arguments: Any) -> tuple[str, str | None]:
        """Return the code and the argument that a call is refused with."""
        return refusal(self.ask(tool, **arguments))

    def cycle(self, message: str | None = None, **how: Any) -> CycleReport:
        """Return the report of one cycle."""
        return self.world.cycle(self.id, message, **how)

    def hear(
        self, content: str = "News", name: str = "news", sender: str = "ceo", performative: str = "INFORM",
        priority: str = "normal", **metadata: Any,
    ) -> None:  # fmt: skip
        """Let it receive a message, MSG-name."""
        self.world.services.mail.deliver(
            Message(f"MSG-{name}", sender, self.id, performative, content, self.world.now, priority, metadata=metadata)
        )

    def messages(self, sender: str = "") -> list[Message]:
        """Return what it has received, from one sender or from all."""
        return [one for one in self.world.services.inbox(self.id).messages() if sender in ("", one.sender)]

    def say(self, subject: str, predicate: str, value: str, **more: Any) -> str:
        """State a fact and return its id."""
        fact = {"confidence": 0.9, "source": "ledger", **more}
        return str(self.do("fact_assert", subject=subject, predicate=predicate, object=value, **fact)["fact_id"])

    def believe(self, certainty: float = 0.95, /, **values: str) -> None:
        """Make it hold that subjects have values."""
        self.mind.save(
            *(Belief(f"B-{subject}", f"{subject} is {value}", certainty, subject=subject, value=value,
                     updated=self.world.now) for subject, value in values.items())
        )  # fmt: skip

    def belief(self, subject: str, predicate: str = "") -> Belief | None:
        """Return what it believes of something."""
        return self.mind.index.belief(subject, predicate)

    def want_nothing(self) -> None:
        """Suspend its desires, so that it pursues only what the test gives it."""
        self.mind.save(*(replace(one, status="suspended") for one in self.mind.desires))

    def commit(
        self, *steps: Step, name: str = "1", goal: Changes = NONE, plan: Changes = NONE, **intention: Any
    ) -> None:
        """Commit it to a plan of these steps: goal G-name, plan P-name, intention I-name."""
        made = {"created": self.world.now, "updated": self.world.now}
        aim = {"description": f"Goal {name}", "priority": 0.99, **made, **goal}
        way = {"name": "by hand", "steps": steps, "status": "active", "confidence": 0.9, **made, **plan}
        self.mind.save(
            Goal(f"G-{name}", **aim),
            Plan(f"P-{name}", f"G-{name}", **way),
            Intention(f"I-{name}", f"G-{name}", f"P-{name}", **{"started": self.world.now, **intention}),
        )

    def intention(self, name: str = "1") -> Intention | None:
        """Return the commitment I-name while it stands."""
        return next((one for one in self.mind.intentions if one.id == f"I-{name}"), None)

    def entries(self, kind: str, cycle: str = "") -> list[Mapping[str, Any]]:
        """Return what its ledger's entries of a kind say, of one cycle or of all."""
        found = self.world.services.ledger.entries(self.id)
        return [one.body for one in found if one.kind == kind and cycle in ("", one.cycle)]


def write_company(
    root: Path,
    *,
    agents: Iterable[str] = SMALL,
    business: str = "acme",
    autonomy: str = "full",
    capabilities: Iterable[str] = (),
) -> Path:
    """Write a business and its agents into a workspace as a person would, and return the root."""
    folder = root / "businesses" / business
    folder.mkdir(parents=True)
    manifest = {"id": business, "name": business.title(), "template": "saas", "created": "2026-01-01T00:00:00.000Z"}
    (folder / "business.json").write_bytes(orjson.dumps({**manifest, "agents": {one: one for one in SMALL}}))
    for agent in agents:
        home = root / "agents" / agent
        home.mkdir(parents=True)
        seat = {"id": agent, "business_id": business, "role": agent, "title": agent.upper(), "reports_to": "ceo"}
        (home / "agent.json").write_bytes(orjson.dumps({**seat, "watches": [], "reads": [], "tools": []}))
        (home / "Persona.md").write_text(f"# Persona\n\n- **Autonomy:** {autonomy}\n", "utf-8")
        if capabilities:
            tools = ", ".join(capabilities)
            (home / "Capabilities.md").write_text(f"# Capabilities\n\n- **Tools:** {tools}\n", "utf-8")
    return root


def changed(model: Model, changes: Changes) -> Model:
    """Return settings with changes by dotted name.

    >>> changed(load_settings(), {"durability": "off", "memory.embeddings": "none"}).memory.embeddings
    'none'
    """
    for name, value in changes.items():
        head, _, rest = name.partition(".")
        model = model.model_copy(update={head: changed(getattr(model, head), {rest: value}) if rest else value})
    return model


def succeeded(outcome: Outcome) -> dict[str, Any]:
    """Return the result of a call that must have succeeded."""
    assert outcome.ok, outcome.message
    return dict(outcome.result)


def refusal(outcome: Outcome) -> tuple[str, str | None]:
    """Return the code and the argument of a call that must have been refused."""
    assert not outcome.ok, outcome.result
    return outcome.code, outcome.argument


def _is_derived(path: Path) -> bool:
    return bool({".mabos", "ledger"} & set(path.parts)) or path.suffix in {".lock", ".svg"} or path.name == ".lock"


def _plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments under their own names: `from_` is `from`."""
    return {name.removesuffix("_"): value for name, value in arguments.items()}
