"""Facts: state, retract and query triples, and explain why one is held (S0 section 20)."""

import re
from collections.abc import Iterator
from csv import DictReader
from typing import Any

from mabos.configs.errors import InvalidArgument, MabosError
from mabos.knowledge.drafts import FactDraft
from mabos.knowledge.entities.sensitive import CONTACT, Screening
from mabos.knowledge.fact_index import as_record
from mabos.knowledge.facts import statement
from mabos.knowledge.ontology.vocabulary import FOLDER, load
from mabos.tools.catalogue.declaration import Count, Fraction, Text, Tool
from mabos.tools.knowledge.inference import inference_of
from mabos.tools.knowledge.terms import misspelling, with_warning
from mabos.tools.runtime.services import Agent
from mabos.workspace.damage import readable
from mabos.workspace.regular import content

_TRIPLE = re.compile(
    r'(?P<subject><[^<>\s]+>|_:\S+) (?P<predicate><[^<>\s]+>) (?P<object><[^<>\s]+>|_:\S+|"[^"]*")\S* ?\.'
)


def fact_assert(
    agent: Agent,
    *,
    subject: Text,
    predicate: Text,
    object_: Text | int | float | bool,
    confidence: Fraction,
    source: Text,
    valid_from: str = "",
    valid_until: str = "",
) -> dict[str, Any]:
    """Hold a subject-predicate-object triple true; the very same triple is restated, not doubled.

    A predicate of which the ontologies have no word is taken with a warning that names the nearest term.

    Args:
        subject: What it is about.
        predicate: The relation or property.
        object: The value, or the other thing.
        confidence: From 0 to 1.
        source: Who says so.
        valid_from: ISO time from which it holds.
        valid_until: ISO time to which it holds, that day included; left out, for good.
    """
    value = str(object_).lower() if isinstance(object_, bool) else str(object_)
    warning = _unknown_predicate(agent, predicate)
    created = agent.facts.same(subject, predicate, value) is None
    said = statement(
        subject, predicate, value, confidence=confidence, source=source, valid_from=valid_from, valid_until=valid_until
    )
    fact = inference_of(agent).state(said)
    stated = f"{'Asserted' if created else 'Updated'} {fact.id}: {fact} ({fact.confidence:g})"
    return {
        "fact_id": fact.id,
        "created": created,
        "fact": as_record(fact),
        "text": f"{stated}. Warning: {warning}" if warning else stated,
        **with_warning(warning),
    }


def _unknown_predicate(agent: Agent, predicate: str) -> str:
    """Return a warning where no word of a predicate is in the vocabulary; "" where one is, or it is in use."""
    try:
        vocabulary = load(agent.services.layout.root / FOLDER)
    except MabosError:  # a damaged ontology keeps no fact out; `mabos verify` tells of it
        return ""
    if vocabulary.has_word_of(predicate):
        warning = misspelling(agent, predicate)
        return "" if warning and agent.facts.query(predicate=predicate) else warning
    if agent.facts.query(predicate=predicate):
        return ""
    nearest = vocabulary.nearest(predicate)
    hint = f"; the nearest term is {nearest!r}" if nearest else "; ontology_propose_concept can add it"
    return f"no ontology has the predicate {predicate!r}{hint}"


def fact_import(agent: Agent, *, path: Text, confidence: Fraction = 1.0) -> dict[str, Any]:
    """Hold all triples of a file true, or none: CSV whose first line names subject, predicate, object, or N-Triples.

    Args:
        path: The file, below the folder of the business.
        confidence: From 0 to 1, for lines that state none in a column `confidence`.
    """
    file = agent.business.file_below(path)
    if file is None or not file.is_file():
        raise InvalidArgument(f"there is no file {path} below {agent.business.directory.resolve()}", argument="path")
    screening = Screening(agent.services.settings.entities.sensitive, keeps=CONTACT)
    text = readable(content(file), path, remedy="save it again")
    stated = []
    for number, raw in _triples(file.suffix, text, path):
        row = screening.value(raw, f"{path}:{number}")
        try:
            sure = float(row.get("confidence") or confidence)
            stated.append(
                statement(row["subject"], row["predicate"], row["object"], confidence=sure, source=f"{path}:{number}")
            )
        except (ValueError, InvalidArgument) as error:
            raise InvalidArgument(f"{path}:{number}: {error}", argument="path") from error

    def hold(draft: FactDraft) -> int:
        made = len({one.triple for one in stated if draft.same(one.triple) is None})
        for one in stated:
            draft.state(one)
        return made

    made = inference_of(agent).keeping(hold)
    told = f"{len(stated)} statements of {path} are held, {made} of them new."
    return {"statements": len(stated), "new": made, "text": " ".join((told, *screening.notices))}


def _triples(suffix: str, text: str, path: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each triple of a file by its column, with its line; raises `InvalidArgument` for a line that is none."""
    if suffix == ".nt":
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and not line.lstrip().startswith("#"):
                if (found := _TRIPLE.fullmatch(line.strip())) is None:
                    raise InvalidArgument(f"{path}:{number}: this is not an N-Triple: {line[:60]!r}", argument="path")
                yield number, {name: value.strip('<>"') for name, value in found.groupdict().items()}
        return
    rows = DictReader(text.splitlines())
    if missing := {"subject", "predicate", "object"}.difference(rows.fieldnames or ()):
        raise InvalidArgument(f"{path}:1: no column {', '.join(sorted(missing))}", argument="path")
    for row in rows:
        yield rows.line_num, row


def fact_retract(agent: Agent, *, fact_id: str = "", subject: str = "", predicate: str = "") -> dict[str, Any]:
    """Take back facts by id, subject or predicate (all that are given must fit), and what follows only from them.

    What was derived from them and follows from others too is kept, as surely as it follows then (`updated`).

    Args:
        fact_id: One fact.
        subject: Every fact about this.
        predicate: Every fact with this relation.
    """
    taken = inference_of(agent).retract(fact_id, subject, predicate)
    return {
        "retracted": [fact.id for fact in taken.facts],
        "dependents": [fact.id for fact in taken.dependents],
        "updated": [fact.id for fact in taken.updated],
        "count": len(taken.facts),
        "text": f"Retracted {len(taken.facts)} facts, and {len(taken.dependents)} that rested on them.",
    }


def fact_query(
    agent: Agent,
    *,
    subject: str = "",
    predicate: str = "",
    object_: str = "",
    min_confidence: Fraction = 0.0,
    valid_at: str = "",
    known_at: str = "",
    include_derived: bool = True,
    limit: Count = 50,
) -> dict[str, Any]:
    """Find facts by pattern, confidence and time, the most certain first.

    Args:
        subject: Exactly this, or with * for any run of characters.
        predicate: Likewise.
        object: Likewise.
        min_confidence: Only what is at least this certain.
        valid_at: Only what holds at this ISO time.
        known_at: What was on record at this ISO time, also if it has been taken back or restated since.
        include_derived: Also what was inferred.
        limit: The most facts.
    """
    found = agent.facts.query(
        subject,
        predicate,
        object_,
        min_confidence=min_confidence,
        valid_at=valid_at,
        known_at=known_at,
        include_derived=include_derived,
    )
    told = found[:limit]
    lines = [f"- {fact.id}: {fact} ({fact.confidence:g}, {fact.source})" for fact in told]
    return {
        "facts": [as_record(fact) for fact in told],
        "count": len(told),
        "total": len(found),
        "text": "\n".join(lines) or "No fact fits.",
    }


def fact_explain(agent: Agent, *, fact_id: Text, depth: Count = 2) -> dict[str, Any]:
    """Trace how a fact came to be: the facts and rules behind it, and how its confidence follows.

    Args:
        fact_id: The fact.
        depth: How many levels of supports to follow.
    """
    explained = agent.facts.explain(fact_id, depth)
    return {"fact_id": fact_id, "derived": explained.fact.derived, **explained.as_json(), "text": explained.text()}


TOOLS = [
    Tool.of(fact_assert, module="Facts", writes=True, addresses=("object",)),
    Tool.of(fact_import, module="Knowledge memory", writes=True, category="knowledge"),
    Tool.of(fact_retract, module="Facts", writes=True, addresses=("object",)),
    Tool.of(fact_query, module="Facts", writes=False),
    Tool.of(fact_explain, module="Facts", writes=False),
]
