"""Revision of beliefs when a new one arrives (DECISIONS "Which belief stands", S3 4.1).

`revise` never deletes: the loser is kept and flagged for review. One source has one opinion on one claim, so a new one
revises it in place; different sources coexist. `revise_beliefs` handles many at once, `clean` finds beliefs to remove.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeVar

from mabos.configs.settings import BeliefSettings
from mabos.knowledge.values import parse_quantity
from mabos.knowledge.wording import canonical, name_key, plain, words
from mabos.mind.model import Belief, Revision
from mabos.mind.times import is_past, moment
from mabos.workspace.copies import replace

SUPERSEDE_MARGIN = 0.1
REVISIONS_SHOWN = 5
EVIDENCE_KEPT = 10
CHUNK_SIZE = 50
"""Beliefs that are cleaned in one pass (S0 10, S1 14)."""
T = TypeVar("T")
ChangeKind = Literal["new", "confirmed", "revised", "rejected", "unchanged"]

_MULTI_VALUED = words(
    "has have includes contains uses needs supports likes competitor customer risk opportunity feature skill member"
    " related_to depends_on tag note noted mentions"
)
TRIVIAL = words("is are was value equals")
"""Predicates that say no more than the subject does."""
_TRUST: tuple[tuple[float, str], ...] = (
    (0.9, "person stakeholder owner board human user"),
    (0.8, "ledger metric analytics bank billing stripe accounting sensor api document fact file brief csv step"),
    (0.7, "export report crm survey observation tool"),
    (0.6, "message agent inform inference rule derived case"),
    (0.4, "model llm guess rumour rumor"),
)
_TRUST_OF = {word: level for level, listed in _TRUST for word in listed.split()}
_MEASURE = re.compile(r"(?P<subject>[^:=]{1,80}?)\s*(?:\bis\b|\bare\b|\bwas\b|=|:)\s*(?P<value>\S.{0,30}?)\.?")


@dataclass(frozen=True, slots=True)
class BeliefChange:
    """The beliefs to write and the kind of change; `belief` is the incoming one in its final form."""

    saved: tuple[Belief, ...]
    kind: ChangeKind
    belief: Belief


@dataclass(frozen=True, slots=True)
class BeliefPrecedence:
    """The winner of two beliefs, and the reason."""

    winner: Belief
    loser: Belief
    reason: str


def trust(source: str) -> float:
    """Return the trust in a source, by the words of its name; an unknown one counts 0.5."""
    parts = (part.removesuffix("s") for part in re.split(r"[\W_]+", source.casefold()))
    return max((_TRUST_OF[word] for word in parts if word in _TRUST_OF), default=0.5)


def stands(a: Belief, b: Belief, *, margin: float = SUPERSEDE_MARGIN) -> BeliefPrecedence:
    """Return which of two contradicting beliefs wins.

    The newer one wins if its certainty is within `margin` of the older's and its source no less trusted; otherwise the
    more certain one.
    """
    first, second = moment(a.updated), moment(b.updated)
    if first is not None and second is not None and first != second:
        newer, older = (a, b) if first > second else (b, a)
        near = newer.certainty >= older.certainty - margin - 1e-9
        if near and trust(newer.source) >= trust(older.source):
            return BeliefPrecedence(newer, older, "newer, and about as certain")
    if a.certainty == b.certainty:
        if trust(a.source) != trust(b.source):
            winner, loser = (a, b) if trust(a.source) > trust(b.source) else (b, a)
            return BeliefPrecedence(winner, loser, "equally certain, of a more trusted source")
        return BeliefPrecedence(a, b, "equally certain, and known first")
    winner, loser = (a, b) if a.certainty > b.certainty else (b, a)
    return BeliefPrecedence(winner, loser, "higher certainty")


def structure_belief(belief: Belief) -> Belief:
    """Return `belief` with subject and value parsed from a statement like `churn_rate is 3.2%`, if they are missing."""
    if belief.subject or belief.value:
        return belief
    found = _MEASURE.fullmatch(belief.statement.strip())
    if found is None or parse_quantity(found["value"]) is None:
        return belief
    return replace(belief, subject=found["subject"].strip(), value=found["value"].strip())


def content(belief: Belief) -> str:
    """Return a belief's content in normal form: its value, or its statement if it has no value."""
    return canonical(belief.value) if belief.value else plain(belief.statement)


def claim(belief: Belief) -> tuple[str, str]:
    """Return the claim of a belief: its subject and predicate, normalized; `is` is not a predicate."""
    predicate = name_key(belief.predicate)
    return name_key(belief.subject), "" if predicate in TRIVIAL else predicate


def single_valued(belief: Belief) -> bool:
    """Return whether two values of this belief's claim cannot both hold."""
    return bool(belief.subject) and name_key(belief.predicate) not in _MULTI_VALUED


def revise(
    existing: Sequence[Belief],
    incoming: Belief,
    now: str,
    *,
    margin: float = SUPERSEDE_MARGIN,
    keep: int = REVISIONS_SHOWN,
) -> BeliefChange:
    """Return the change to write when `incoming` arrives among `existing`.

    The same id, or the same claim with the same value or by the same source, is changed in place. Its revision log (the
    last `keep`) gets an entry. Otherwise the belief is new. Then it meets the other values of its claim: a belief
    outdated by a newer one is superseded, any other loser is flagged.
    """
    incoming = structure_belief(incoming)
    incoming = incoming if incoming.updated else replace(incoming, updated=now)
    related = _find_related(existing, incoming)
    own = _own(related, incoming)
    belief = incoming if own is None else _revise_belief(own, incoming, now, keep)
    rivals = [
        other
        for other in related
        if other.id != belief.id and other.status != "superseded" and content(other) != content(belief)
    ]
    belief, others = _settle_rivals(belief, incoming.source, rivals if single_valued(belief) else [], margin)
    saved = (belief, *others) if belief != own else others
    return BeliefChange(saved, _kind(own, belief, others), belief)


@dataclass(frozen=True, slots=True)
class Revised:
    """The beliefs to write, in order, the ids of those changed by the incoming ones, and the number of refused ones."""

    saved: tuple[Belief, ...] = ()
    changed: tuple[str, ...] = ()
    rejected: int = 0


def revise_beliefs(held: Iterable[Belief], incoming: Iterable[Belief], now: str, rules: BeliefSettings) -> Revised:
    """Return the changes to write when `incoming` arrive one after another among `held`.

    Only beliefs with the same id or about the same subject are compared, so the cost does not grow with the mind.
    """
    arriving = tuple(incoming)
    if not arriving:
        return Revised()
    wanted_ids = {belief.id for belief in arriving}
    wanted = {name_key(belief.subject) for belief in arriving if belief.subject}
    prose = any(not belief.subject for belief in arriving)
    beliefs = {
        belief.id: belief for belief in held if prose or belief.id in wanted_ids or name_key(belief.subject) in wanted
    }
    saved: dict[str, Belief] = {}
    changed: dict[str, None] = {}
    rejected = 0
    for belief in arriving:
        change = revise(tuple(beliefs.values()), belief, now, margin=rules.supersede_margin, keep=rules.revisions_shown)
        for one in change.saved:
            beliefs[one.id] = saved[one.id] = one
        rejected += change.kind == "rejected"
        if change.kind in ("new", "revised"):
            changed[change.belief.id] = None
    return Revised(tuple(saved.values()), tuple(changed), rejected)


@dataclass(frozen=True, slots=True)
class CleanedBeliefs:
    """The result of cleaning beliefs: those to remove, and those that inherit a duplicate's evidence."""

    expired: tuple[Belief, ...]
    duplicates: tuple[Belief, ...]
    changed: tuple[Belief, ...]
    chunks_processed: int


def split_chunks(items: Sequence[T], size: int = CHUNK_SIZE) -> Iterator[Sequence[T]]:
    """Yield `items` in order, at most `size` at a time; no items yield one empty chunk."""
    for start in range(0, max(len(items), 1), size):
        yield items[start : start + size]


def clean(beliefs: Sequence[Belief], now: datetime, *, chunk_size: int = CHUNK_SIZE) -> CleanedBeliefs:
    """Return the beliefs to remove: expired ones, and all but the most certain of duplicates."""
    expired: list[Belief] = []
    duplicates: list[Belief] = []
    kept: dict[tuple[str, str, str, str], Belief] = {}
    chunks = 0
    for chunk in split_chunks(beliefs, chunk_size):
        chunks += 1
        for belief in chunk:
            if is_past(belief.expires, now):
                expired.append(belief)
                continue
            said = _identity(belief)
            twin = kept.get(said)
            if twin is None:
                kept[said] = belief
            else:
                better, worse = (belief, twin) if belief.certainty > twin.certainty else (twin, belief)
                duplicates.append(worse)
                kept[said] = _with_evidence(better, worse)
    before = {belief.id: belief for belief in beliefs}
    changed = tuple(belief for belief in kept.values() if before[belief.id] != belief)
    return CleanedBeliefs(tuple(expired), tuple(duplicates), changed, chunks)


def _find_related(existing: Sequence[Belief], incoming: Belief) -> list[Belief]:
    about = claim(incoming) if incoming.subject and (incoming.value or incoming.predicate) else None
    said = plain(incoming.statement)
    return [
        belief
        for belief in existing
        if belief.id == incoming.id
        or (claim(belief) == about if about is not None else plain(belief.statement) == said)
    ]


def _own(related: Sequence[Belief], incoming: Belief) -> Belief | None:
    """Return the belief that `incoming` is a new state of: same id, else same content, else same source."""
    said = content(incoming)
    live = sorted(related, key=lambda belief: belief.status != "held")
    for belief in live:
        if belief.id == incoming.id:
            return belief
    for belief in live:
        if belief.status != "superseded" and content(belief) == said:
            return belief
    if not single_valued(incoming):
        return None
    return next((belief for belief in live if belief.source == incoming.source and belief.source), None)


def _revise_belief(own: Belief, incoming: Belief, now: str, keep: int) -> Belief:
    same = content(own) == content(incoming)
    confirmed_elsewhere = same and own.id != incoming.id and own.source != incoming.source
    certainty = max(own.certainty, incoming.certainty) if confirmed_elsewhere else incoming.certainty
    changed = replace(
        incoming,
        id=own.id,
        certainty=certainty,
        # What a second source merely confirms keeps the words and the name of the first.
        statement=own.statement if same else incoming.statement,
        source=(own.source or incoming.source) if confirmed_elsewhere else (incoming.source or own.source),
        subject=incoming.subject or own.subject,
        predicate=incoming.predicate or own.predicate,
        value=incoming.value or (own.value if same else ""),
        evidence=tuple(dict.fromkeys((*own.evidence, *incoming.evidence)))[-EVIDENCE_KEPT:]
        if same
        else incoming.evidence,
        revisions=own.revisions,
        status="held" if own.status == "superseded" else own.status,
    )
    if same and certainty == own.certainty:
        return changed
    entry = Revision(now, _belief_value(own), _belief_value(incoming), own.certainty, certainty, incoming.source)
    return replace(changed, revisions=(*own.revisions, entry)[-keep:] if keep else ())


def _belief_value(belief: Belief) -> str:
    return belief.value or belief.statement


def _settle_rivals(
    belief: Belief, source: str, rivals: Sequence[Belief], margin: float
) -> tuple[Belief, tuple[Belief, ...]]:
    """Return the belief and the rivals that change: exactly one of them is held afterwards.

    If two are equal in everything, the incoming one wins.
    """
    # One source has one voice: what it said before is over, not disputed.
    taken_back = [rival for rival in rivals if source and rival.source == source]
    rest = [rival for rival in rivals if rival not in taken_back]
    best = belief
    for rival in rest:
        best = stands(best, rival, margin=margin).winner
    after = [replace(rival, status="superseded") for rival in taken_back]
    after += [
        replace(rival, status="held" if rival is best else _classify_loser(rival, best, margin)) for rival in rest
    ]
    changed = tuple(new for new, old in zip(after, [*taken_back, *rest], strict=True) if new != old)
    return replace(belief, status="held" if best is belief else "flagged"), changed


def _classify_loser(rival: Belief, best: Belief, margin: float) -> Literal["superseded", "flagged"]:
    """Return the status of a losing belief: superseded by a newer one, or flagged as disputed."""
    then, now = moment(rival.updated), moment(best.updated)
    is_older = then is not None and now is not None and then <= now
    is_near = best.certainty >= rival.certainty - margin - 1e-9
    return "superseded" if is_older and is_near and trust(best.source) >= trust(rival.source) else "flagged"


def _kind(own: Belief | None, belief: Belief, losers: Sequence[Belief]) -> ChangeKind:
    if belief.status == "flagged" and (own is None or own.status != "flagged"):
        return "rejected"
    if own is None:
        return "revised" if losers else "new"
    if belief == own and not losers:
        return "unchanged"
    return "confirmed" if content(own) == content(belief) else "revised"


def _identity(belief: Belief) -> tuple[str, str, str, str]:
    return (*claim(belief), content(belief), plain(belief.statement))


def _with_evidence(kept: Belief, gone: Belief) -> Belief:
    """Return `kept` with the evidence of its twin, and with its source where that differs."""
    other = (gone.source,) if gone.source not in ("", kept.source) else ()
    evidence = tuple(dict.fromkeys((*kept.evidence, *gone.evidence, *other)))[-EVIDENCE_KEPT:]
    return kept if set(evidence) <= set(kept.evidence) else replace(kept, evidence=evidence)
