"""Extract entities and their links from the typed thoughts of a session (S2, `extract_from_session`).

Rules extract first; a model, if given, adds proposals. Each proposal is checked against the thoughts that it names, and
skipped with a reason if they do not support it. Nothing is written here.

    told = extract([SessionThought(7, "C", "Queries must be parameterized")], "session-1")
    told.created, told.linked, told.skipped
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mabos.configs.errors import InvalidArgument, Retry, Unavailable
from mabos.knowledge.entities.linking import EntityLink, KnownEntity, as_known, links
from mabos.knowledge.entities.model import ENTITY_TYPES, EntityType
from mabos.knowledge.entities.properties import check_properties
from mabos.knowledge.entities.resolution import MERGE, judge, matches
from mabos.knowledge.entities.thoughts import LABEL, EntityDraft, SessionThought, SkippedThought, draft_of, name_for
from mabos.knowledge.wording import is_backed

PROPOSED_CONFIDENCE = 0.5
"""Of an insight that only a model has read out of a thought."""
_MOST_PROPOSED = 50
_SAYABLE = frozenset(
    ("key_learning", "confidence", "definition", "domain", "situation", "actions", "outcome", "question", "options",
     "chosen", "rationale")
)  # fmt: skip
"""Properties that a thought can bear out; who validated something, or how often it worked, is no model's to say."""

Propose = Callable[[str], object]
"""Takes the thoughts as `S7|C|text` lines and returns JSON: `{"entities": [...]}`, each with a type, name, thought."""


@dataclass(frozen=True, slots=True)
class SessionExtraction:
    """The entities to create, known ones that gain evidence, their links, and the thoughts that gave nothing."""

    created: tuple[EntityDraft, ...]
    confirmed: tuple[EntityDraft, ...]
    linked: tuple[EntityLink, ...]
    skipped: tuple[SkippedThought, ...]


class ProposedEntity(BaseModel):
    """An entity as a model proposes it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    type: str = Field(max_length=20)
    label: str = Field(min_length=3, max_length=LABEL)
    thought: int
    properties: dict[str, Any] = {}


def extract(
    thoughts: Iterable[SessionThought],
    session: str,
    *,
    entity_types: Collection[EntityType] = ENTITY_TYPES,
    auto_link: bool = True,
    known: Sequence[KnownEntity] = (),
    propose: Propose | None = None,
    drafts_beside: Iterable[EntityDraft] = (),
    stated: Iterable[EntityLink] = (),
) -> SessionExtraction:
    """Return the knowledge in a session's thoughts, in the order of the thoughts.

    `drafts_beside` and `stated` are what was read of a session from outside: its names, and relations between them.

    An entity that is `known` by the same type and name, or is a sure duplicate, is confirmed instead of created. Raises
    no error of the model: a missing or unusable answer is one entry of `skipped` for thought 0.
    """
    ordered = sorted(thoughts, key=lambda one: one.number)
    drafts: dict[str, EntityDraft] = {}
    skipped: list[SkippedThought] = []
    for one in (*drafts_beside, *_by_rule(ordered, session), *_by_model(ordered, session, propose)):
        if isinstance(one, SkippedThought):
            skipped.append(one)
        elif one.type not in entity_types:
            skipped.append(SkippedThought(one.thought, f"gives a {one.type}, which was not asked for"))
        elif one.address in drafts:
            skipped.append(SkippedThought(one.thought, f"says again what S{drafts[one.address].thought} says"))
        else:
            drafts[one.address] = one
    addresses = {one.address for one in known}
    found = _resolve_drafts(list(drafts.values()), known)
    return SessionExtraction(
        created=tuple(one for one in found if one.address not in addresses),
        confirmed=tuple(one for one in found if one.address in addresses),
        linked=tuple(links(found, known, stated)) if auto_link else (),
        skipped=tuple(skipped),
    )


def _resolve_drafts(drafts: Sequence[EntityDraft], known: Sequence[KnownEntity]) -> list[EntityDraft]:
    """Return the drafts, each under the name of the entity that it certainly is, where one of its type is known."""
    ours = {one.address: one for one in drafts}
    records = {one.address: {"name": one.label, "text": one.text} for one in map(as_known, drafts)}
    types = {one.type.lower() for one in drafts}
    theirs = {
        one.address: {"name": one.label, "text": one.text} for one in known if one.address.partition(":")[0] in types
    }
    taken = set(ours)
    renamed: dict[str, EntityDraft] = {}
    for match in matches(records, theirs, least=MERGE):
        type_, _, name = match.b.partition(":")
        draft = ours[match.a]
        is_sure = judge(records | theirs, match) == "merge"
        is_free = is_sure and match.b not in taken and match.a not in theirs and match.a not in renamed
        if is_free and type_ == draft.type.lower():
            taken.add(match.b)
            renamed[match.a] = replace(draft, name=name)
    return [renamed.get(address, one) for address, one in ours.items()]


def _by_rule(thoughts: Sequence[SessionThought], session: str) -> Iterator[EntityDraft | SkippedThought]:
    for place, thought in enumerate(thoughts):
        yield draft_of(thought, session, thoughts[place + 1 :])


def _by_model(
    thoughts: Sequence[SessionThought], session: str, propose: Propose | None
) -> Iterator[EntityDraft | SkippedThought]:
    """Yield the model's proposals that its thoughts support."""
    if propose is None or not thoughts:
        return
    try:
        answer = propose("\n".join(f"S{one.number}|{one.kind}|{' '.join(one.text.split())}" for one in thoughts))
        entities = _entities(answer)
    except (Retry, Unavailable, ValueError) as error:
        yield SkippedThought(0, f"the model gave nothing to use: {str(error)[:120]}")
        return
    by_number = {one.number: one for one in thoughts}
    for raw in entities[:_MOST_PROPOSED]:
        yield _parse_proposal(raw, by_number, session)


def _entities(answer: object) -> list[Any]:
    told = json.loads(answer) if isinstance(answer, str | bytes) else answer
    entities = told.get("entities") if isinstance(told, dict) else None
    if not isinstance(entities, list):
        raise ValueError('expected {"entities": [...]}')
    return entities


def _parse_proposal(raw: Any, thoughts: dict[int, SessionThought], session: str) -> EntityDraft | SkippedThought:
    """Return a proposal as a draft, if its type, properties and words hold up."""
    try:
        entity = ProposedEntity.model_validate(raw)
        type_ = next((known for known in ENTITY_TYPES if known == entity.type and known != "Agent"), None)
        sayable = {key: value for key, value in entity.properties.items() if key in _SAYABLE}
        properties = check_properties(type_, sayable) if type_ else {}
    except (ValidationError, InvalidArgument) as error:
        return SkippedThought(0, f"proposed by the model in another form: {str(error).splitlines()[0][:120]}")
    thought = thoughts.get(entity.thought)
    if type_ is None or thought is None:
        return SkippedThought(entity.thought, "proposed by the model, but there is no such type or thought")
    if not _is_grounded(entity.label, properties, thought):
        return SkippedThought(entity.thought, f"proposed by the model, but S{entity.thought} does not say it")
    if type_ == "Insight":
        told = {"key_learning": entity.label, "evidence_sessions": [session]}
        properties = {**told, **properties, "confidence": min(PROPOSED_CONFIDENCE, properties.get("confidence", 1.0))}
    draft = EntityDraft(type_, name_for(entity.label), entity.label, properties, entity.thought)
    return replace(draft, by_model=True)


def _is_grounded(label: str, properties: Mapping[str, Any], thought: SessionThought) -> bool:
    """Return whether a thought holds enough of the words, and every number, of each text that a proposal has."""
    lists = [value for value in properties.values() if isinstance(value, list)]
    texts = (label, *(value for value in properties.values() if isinstance(value, str)), *chain(*lists))
    return all(text in ("success", "failure") or is_backed(text, thought.text) for text in texts)
