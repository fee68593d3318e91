"""Figures that no role names: assign a watcher, from targets in notes and tables, and derive the owner's desire.

A note's "the no-show rate should be below 6 %" gives the figure an owner: a line in figures.json. The named agent
watches the series and its course, wants the target, and tells the owner when it is missed.
"""

from collections.abc import Iterator
from dataclasses import asdict

from mabos.language.sentences import split
from mabos.mind.conditions import parse
from mabos.mind.desires import priority
from mabos.mind.model import Desire, Playbook
from mabos.nodes.cycle import Cycle
from mabos.society.brief import bare
from mabos.society.business import AGENT_FILE, INBOX_FOLDER, read_agent, write_json
from mabos.society.decoding import decode_text
from mabos.society.figures import OWNER, TREND, BusinessFigure, WatchedFigure, alarm, wish
from mabos.society.intake import content, kind_of, present
from mabos.tools.business.figure_watch import assign, targets_in, title_in
from mabos.tools.requests.answers.figures import is_worse_if_higher
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace

_TARGET = "_target"
_NOTES = (".md", ".markdown", ".txt")
_LONGEST = 200_000
"""Bytes of a note that are looked at for targets."""


def look_after_figures(cycle: Cycle) -> list[str]:
    """Assign a watcher to each new figure with a target, adopt this agent's own, and return their names."""
    agent = cycle.agent
    if not agent.business_id:
        return []
    folder = agent.business.directory / INBOX_FOLDER
    if cycle.has_changed("figure targets", (present(folder), agent.business.metrics.names())):
        for name, target, source in _targets(agent):
            assign(agent, name, target, because=source, title=title_in(agent, name, source))
    if not cycle.is_newer(agent.business.figures.store, "watched figures"):
        return []
    return [one.id for one in agent.business.figures.all() if one.owner == agent.id and _taken_up(agent, one)]


def _targets(agent: Agent) -> Iterator[tuple[str, str, str]]:
    """Yield the targets that tables and notes set for series on record, each with its source."""
    metrics = agent.business.metrics
    names = metrics.names()
    for name in names:
        wanted = metrics.latest(f"{name}{_TARGET}")
        if wanted is not None and (better := _better(agent, name)):
            sign = "%" if wanted.unit == "%" else ""
            yield name, f"{'<=' if better == 'lower' else '>='} {wanted.value:g}{sign}", wanted.source
    folder = agent.business.directory / INBOX_FOLDER
    for file, _, size in present(folder):
        if file.lower().endswith(_NOTES) and kind_of(file) == "brief" and size <= _LONGEST:
            try:
                text = decode_text(content(folder / file))
            except OSError:  # a link or what is no file: reading the documents tells it
                continue
            for sentence in (one for line in text.splitlines() for one in split(bare(line.strip("#-*+ \t")))):
                for found in targets_in(agent, sentence):
                    yield found.name, found.target, f"{INBOX_FOLDER}/{file}: {sentence}"


def _better(agent: Agent, name: str) -> str:
    """Return which way a figure is better: as a pack says, else as the words of its name are commonly meant."""
    known = agent.business.figures.find(name)
    if known is not None and known.direction:
        return known.direction
    return "lower" if is_worse_if_higher(name) else "higher"


def _taken_up(agent: Agent, figure: WatchedFigure) -> bool:
    """Have an agent watch a figure, want its target and tell when it is missed; False where it does so already."""
    mind, layout = agent.mind, agent.services.layout
    manifest = read_agent(layout, agent.id)
    wanted = (figure.id, f"{TREND}{figure.id}")
    added = tuple(name for name in wanted if name not in manifest.watches)
    if added:
        changed = replace(manifest, watches=(*manifest.watches, *added))
        write_json(layout.agent(agent.id) / AGENT_FILE, asdict(changed))
    if not figure.target:
        return bool(added)
    described = BusinessFigure(name=figure.id, title=figure.title, unit=figure.unit, target=figure.target)
    desire = _desire(agent, described, figure.because)
    others = [one for one in mind.desires if one.target == described.condition and one.id != desire.id]
    if others or any(one.id == desire.id and one.target == desire.target for one in mind.desires):
        return bool(added)
    told = alarm(described)
    before = [one for one in mind.desires if _is_superseded(one, figure)] if figure.because.startswith(OWNER) else ()
    mind.save(*(replace(one, status="dropped") for one in before), why=figure.because)
    mind.save(desire, Playbook(told.name, told.trigger, told.steps, told.success), why=figure.because)
    return True


def _is_superseded(desire: Desire, figure: WatchedFigure) -> bool:
    """Return whether a desire has the target that a figure had before the owner set another."""
    clauses = [clause for found in parse(desire.target) for clause in found] if desire.target else []
    is_other = desire.target != f"{figure.id} {figure.target}"
    return desire.status == "active" and is_other and [one.subject for one in clauses] == [figure.id]


def _desire(agent: Agent, figure: BusinessFigure, because: str) -> Desire:
    told = wish(figure)
    return Desire(
        id=f"D-{agent.id}-{figure.name}-001",
        name=told.name,
        description=f"{told.description} ({because})",
        type=told.type,
        category=told.category,
        base=told.base,
        importance=told.importance,
        urgency=told.urgency,
        alignment=told.alignment,
        priority=priority(told.base, told.importance, told.urgency, told.alignment),
        target=told.target,
        created=agent.now(),
    )
