"""Read the documents dropped into a business's inbox, once for every agent whose role reads that kind.

An observation becomes a fact with its source line, and the fact supports a belief; a proposed goal becomes a goal of
the agents concerned. An agent's read documents are listed in its `perceived.json`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

from mabos.knowledge.entities.sensitive import redact_text
from mabos.mind.conditions import parse
from mabos.mind.goals import level_for
from mabos.mind.model import Belief, Goal, Persona
from mabos.nodes.cycle import Cycle
from mabos.society.brief import is_claim
from mabos.society.business import INBOX_FOLDER, AgentManifest, read_agent
from mabos.society.findings import DocumentProblem, DocumentStatement, Findings, ProposedGoal
from mabos.society.intake import content, kind_of, passed_over, present, read_claims, read_document
from mabos.society.metrics import MetricPoint, build_point
from mabos.tools.business.figure_watch import name_by_pack, pack_of
from mabos.tools.knowledge.terms import misspelling
from mabos.tools.requests.answers.sources import is_to_software
from mabos.tools.runtime.services import Agent
from mabos.tools.runtime.stores import DOCUMENTS
from mabos.workspace.clock import parse_time
from mabos.workspace.store import Put, Store
from mabos.workspace.text import STOPWORDS, terms

WRITTEN = 0.85
"""Certainty of what a document says: a person wrote it, and may have erred."""

CLAIMED = 0.6
"""Certainty of a sentence of a mail, contract or letter, held as the claim of that document."""

_TABLES_AND_BRIEFS = (".csv", ".tsv", ".md", ".markdown", ".txt")
"""Files whose problems name a line; those of other kinds are of the whole file, and one agent tells them."""

_NOT_READ = "not read"  # in place of a checksum: that it is not read is said once
_TOLD = 9
_CONCERNED = 2  # words a goal must share with what an agent is responsible for


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of new documents: their names (path and checksum), new beliefs, and proposed goals.

    `problems` are unreadable documents, `left_out` unread lines of the others.
    """

    documents: tuple[str, ...] = ()
    beliefs: tuple[Belief, ...] = ()
    goals: tuple[Goal, ...] = ()
    checksums: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    def with_more(self, other: "Reading") -> "Reading":
        """Return this reading combined with another."""
        return Reading(**{one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)})


def read_documents(cycle: Cycle) -> Reading:
    """Read the documents that are new to this agent, store them as facts with lines, and return the content."""
    if not cycle.agent.business_id:
        return Reading()
    folder = cycle.agent.business.directory / INBOX_FOLDER
    others = _passed_over(cycle, folder)
    names = present(folder)
    if not names or not cycle.has_changed("inbox", names):
        return others
    manifest = read_agent(cycle.services.layout, cycle.agent.id)
    known = read_before(cycle.agent)
    is_librarian = _is_librarian(cycle.agent)
    found: list[tuple[str, str, Findings]] = []
    unreadable, refused = list[str](), list[tuple[str, str]]()
    for name, changed, size in names:
        path, kind = folder / name, kind_of(name)
        is_for_role = kind in manifest.reads
        if not is_for_role and not (kind == "text" and is_librarian):
            continue
        shown = path.relative_to(cycle.services.layout.root).as_posix()
        try:
            dropped = content(path)
        except OSError as wrong:  # taken away meanwhile, or not ours to read: no reason to stop thinking
            mark = f"{_NOT_READ} {changed} {size}"
            if known.get(shown, {}).get("sha256") != mark:
                unreadable += [] if _is_told(cycle, shown, mark) else [f"{shown}: {wrong.strerror}"]
                refused.append((shown, mark))
            continue
        checksum = sha256(dropped).hexdigest()
        if known.get(shown, {}).get("sha256") != checksum:
            findings = read_document(shown, dropped) if is_for_role else Findings()
            if is_librarian and kind != "metrics":
                findings = _with_claims(findings, read_claims(shown, dropped, parse_time(cycle.now()).date()))
            if not shown.casefold().endswith(_TABLES_AND_BRIEFS) and _is_told(cycle, shown, checksum):
                findings = replace(findings, problems=())
            found.append((shown, checksum, screen_findings(cycle, findings)))
    read = take_in(cycle.agent, manifest, found) if found else Reading()
    return replace(
        read,
        problems=(*others.problems, *unreadable, *read.problems),
        checksums=(*others.checksums, *refused, *read.checksums),
    )


def _is_librarian(agent: Agent) -> bool:
    """Return whether an agent keeps the claims of its business's mails, contracts and letters."""
    seats = agent.business.manifest.agents
    return agent.id == (seats.get("knowledge") or seats.get("ceo") or next(iter(seats.values()), ""))


def _with_claims(findings: Findings, claimed: Findings) -> Findings:
    """Return findings with the document's claims, without sentences that address the software that reads them."""
    claims = tuple(one for one in claimed.claims if not is_to_software(one.value))
    return replace(findings, claims=claims, problems=tuple(dict.fromkeys((*findings.problems, *claimed.problems))))


def _is_told(cycle: Cycle, shown: str, checksum: str) -> bool:
    """Return whether a colleague has read this file in its current version, and reported its errors."""
    stores = cycle.services.directory.stores_of
    others = [one for one in cycle.agent.business.manifest.agents.values() if one != cycle.agent.id]
    read = (stores(one).perceived.read().get(DOCUMENTS, {}).get(shown, {}) for one in others)
    return any(one.get("sha256") == checksum for one in read)


def screen_findings(cycle: Cycle, findings: Findings) -> Findings:
    """Return findings without forecasts and, unless settings keep it, without personal data."""
    happened = _drop_forecasts(findings, cycle.now())
    if happened.observations and cycle.agent.business_id:
        happened = name_by_pack(pack_of(cycle.agent), happened)
    return happened if cycle.services.settings.entities.sensitive == "flag" else _redact_findings(happened)


def _drop_forecasts(findings: Findings, now: str) -> Findings:
    """Return a document's statements about months that have begun; a forecast is reported as a problem, not
    believed.
    """
    month = now[:7]
    kept = tuple(one for one in findings.observations if one.at[:7] <= month)
    later = (one for one in findings.observations if one.at[:7] > month)
    said = f"is still to come (it is {now[:10]}); give its figures once they are known"
    wrong = dict.fromkeys(DocumentProblem(one.source, f"{one.at[:10]} {said}") for one in later)  # one for each row
    return replace(findings, observations=kept, problems=(*findings.problems, *wrong))


def _redact_findings(findings: Findings) -> Findings:
    """Return findings without personal data: the document keeps it, and nothing that follows from it does."""
    observations, claims = (
        tuple(replace(one, value=redact_text(one.value, label=one.predicate or one.subject)) for one in some)
        for some in (findings.observations, findings.claims)
    )
    goals = tuple(replace(one, text=redact_text(one.text)) for one in findings.goals)
    return replace(findings, observations=observations, claims=claims, goals=goals)


def _passed_over(cycle: Cycle, folder: Path) -> Reading:
    """Return the unread files in the inbox folder, as problems that are reported once."""
    try:
        changed = folder.stat().st_mtime_ns
    except OSError:
        return Reading()
    is_new = cycle.has_changed("inbox folder", changed)
    if not is_new or not read_agent(cycle.services.layout, cycle.agent.id).reads:
        return Reading()
    known = read_before(cycle.agent)
    inside = folder.relative_to(cycle.services.layout.root).as_posix()
    found = [(f"{inside}/{name}", why) for name, why in passed_over(folder) if f"{inside}/{name}" not in known]
    told = _first([f"{shown}: {why}" for shown, why in found if not _is_told(cycle, shown, _NOT_READ)])
    return Reading(problems=told, checksums=tuple((shown, _NOT_READ) for shown, _ in found))


def acknowledge(agent: Agent, reading: Reading) -> None:
    """Record that these documents were read, once their content is stored."""
    if reading.checksums:
        agent.services.sync.ahead()  # what they say is on the disk before the word that they are read
        now = agent.now()
        _open_perceptions(agent).commit(
            [Put(DOCUMENTS, path, {"id": path, "sha256": sha, "read_at": now}) for path, sha in reading.checksums]
        )


def read_before(agent: Agent) -> Mapping[str, Any]:
    """Return the sources that the agent has read: the `sha256` of each."""
    return _open_perceptions(agent).read().get(DOCUMENTS, {})


def _open_perceptions(agent: Agent) -> Store:
    """Return the agent's record of its read documents."""
    return agent.services.directory.stores_of(agent.id).perceived


def take_in(agent: Agent, manifest: AgentManifest, found: Iterable[tuple[str, str, Findings]]) -> Reading:
    """Store the content of sources (each with its checksum), and return the resulting beliefs and goals."""
    beliefs: dict[tuple[str, str], tuple[str, Belief]] = {}
    goals, checksums = list[Goal](), list[tuple[str, str]]()
    problems, left_out, read = list[str](), list[str](), list[str]()
    for shown, checksum, findings in found:
        checksums.append((shown, checksum))
        left_out += _misspelled_figures(agent, shown, findings.observations)
        _record_metrics(agent, findings.observations)
        _assert_claims(agent, shown, findings.claims)
        for observation in findings.observations:
            if _concerns(observation, manifest):
                belief = _build_belief(agent, observation)
                before = beliefs.get((observation.subject, observation.predicate))
                if before is None or before[0] <= observation.at:
                    beliefs[observation.subject, observation.predicate] = (observation.at, belief)
        persona = agent.mind.persona
        goals += [_goal(agent, proposed) for proposed in findings.goals if _is_for(proposed, manifest, persona)]
        wrong = [f"{problem.source}: {problem.message}" for problem in findings.problems]
        is_read = bool(findings.observations or findings.goals or findings.claims or not wrong)
        read += [shown] if is_read else []
        (left_out if is_read else problems).extend(wrong)
    return Reading(
        documents=tuple(read),
        beliefs=tuple(belief for _, belief in beliefs.values()),
        goals=tuple(goals),
        checksums=tuple(checksums),
        problems=_first(problems),
        left_out=_first(left_out),
    )


def _first(told: list[str]) -> tuple[str, ...]:
    more = len(told) - _TOLD
    return (*told[:_TOLD], f"and {more} more") if more > 0 else tuple(told)


def _misspelled_figures(agent: Agent, shown: str, observations: Iterable[DocumentStatement]) -> list[str]:
    """Return a line for each new figure of a document whose name is spelled almost as a term."""
    names = dict.fromkeys(one.subject for one in observations if not one.predicate and one.at)
    return [f"{shown}: {warning}" for name in names if (warning := misspelling(agent, name))]


def _record_metrics(agent: Agent, observations: Iterable[DocumentStatement]) -> None:
    """Add the dated numbers to the business's series; every reader of a document writes the same points."""
    points = list[MetricPoint]()
    for one in observations:
        if not one.predicate and one.at:
            try:
                points.append(
                    build_point(one.subject, float(one.value.rstrip("%")), one.at, _unit(agent, one), one.source)
                )
            except (ValueError, TypeError):
                continue
    if points and agent.business_id:
        agent.business.metrics.record_all(points)


def _assert_claims(agent: Agent, source: str, claims: Iterable[DocumentStatement]) -> None:
    """Store a document's claims as facts about that document, replacing those of an earlier version."""
    wanted = {(one.subject, one.predicate, one.value): one for one in claims}
    for subject in {one[0] for one in wanted}:
        for fact in agent.facts.query(subject):
            if fact.source == source and fact.triple not in wanted:
                agent.facts.retract(fact.id)
    for (subject, predicate, value), one in wanted.items():
        agent.facts.assert_(subject, predicate, value, confidence=CLAIMED, source=source, valid_from=one.at)  # noqa: PT009


def _unit(agent: Agent, one: DocumentStatement) -> str:
    """Return the unit of a number; a table that names none speaks of money in the currency of the series so far."""
    known = agent.business.metrics.latest(one.subject) if agent.business_id and not one.unit else None
    return known.unit if known is not None and known.unit[:3].isupper() and known.unit[:3].isalpha() else one.unit


def _concerns(observation: DocumentStatement, manifest: AgentManifest) -> bool:
    """Return whether an observation is this role's business: watched numbers, and everything that is not a number."""
    return bool(observation.predicate) or observation.subject in manifest.watches


def _build_belief(agent: Agent, observation: DocumentStatement) -> Belief:
    """Return the belief that an observation supports; the fact with its line is its evidence."""
    subject, predicate = observation.subject, observation.predicate
    fact = agent.facts.assert_(  # noqa: PT009 - a fact is asserted here, not a test
        subject if predicate else agent.business_id or agent.id,
        predicate or subject,
        observation.value,
        confidence=WRITTEN,
        source=observation.source,
        valid_from=observation.at,
    )
    unit = f" {observation.unit}" if observation.unit and observation.unit != "%" else ""
    named = f"according to the {subject.replace('_', ' ')}," if is_claim(subject) else subject
    words = " ".join(filter(None, (named, predicate.replace("_", " "), "is", observation.value)))
    return Belief(
        id=f"B-{_mark(subject, predicate)}",
        statement=f"{words}{unit}",
        certainty=WRITTEN,
        category="environment",
        source=observation.source,
        subject=subject,
        predicate=predicate,
        value=observation.value,
        updated=agent.now(),
        evidence=(fact.id, observation.source),
    )


def _is_for(goal: ProposedGoal, manifest: AgentManifest, persona: Persona) -> bool:
    """Return whether a proposed goal is this agent's: by the numbers it names, by its words, or as the chief's."""
    if manifest.role == "ceo":
        return True
    measured_by = {clause.subject for clauses in parse(goal.target) for clause in clauses} if goal.target else set()
    if measured_by:
        return bool(measured_by & set(manifest.watches))
    own = set(terms(" ".join((persona.title, persona.department, *persona.responsibilities, *persona.expertise))))
    return len(set(terms(goal.text)) & (own - set(STOPWORDS))) >= _CONCERNED


def _goal(agent: Agent, proposed: ProposedGoal) -> Goal:
    now = agent.now()
    return Goal(
        id=f"G-{_mark(proposed.source.rsplit(':', 1)[0], proposed.text)}",
        description=proposed.text,
        level=level_for(proposed.deadline, agent.clock()),
        priority=0.65,
        target=proposed.target,
        deadline=proposed.deadline,
        success_criteria=(proposed.target or proposed.text,),
        created=now,
        updated=now,
        evidence=(proposed.source,),
    )


def _mark(*parts: str) -> str:
    """Return an id derived from the content, so that reading it again gives the same one."""
    return blake2b("\x1f".join(parts).encode(), digest_size=5).hexdigest()
