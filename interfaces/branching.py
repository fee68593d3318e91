"""A branch reset to a past moment, and its differences from the original workspace.

    branch, came = take_back(make_branch(root, "cheaper", now=now), moment_of(root, cycle, before=True))
    for difference in compare(services, branch_services):
        print(difference.text)           # "cfo believes only in the branch: runway_months is 7 (0.9)."

Minds and ledgers are reset exactly: their journals have every change with its time. In other documents, later records
are left out, later answers are open again, and messages read later are unread. A record that has changed gets its old
content if a journal still has it. `TakenBack.kept` names the others.
"""

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from mabos.configs.errors import unknown
from mabos.interfaces.soundness import declared_stores
from mabos.interfaces.views.words import count
from mabos.mind.forms import MIND_FILES
from mabos.mind.mind import JOURNAL, Mind, open_mind
from mabos.society.roles import STAKEHOLDER
from mabos.tools.people.stakeholder import all_decisions
from mabos.tools.runtime.services import Services
from mabos.workspace.atomic import write_atomic
from mabos.workspace.branches import Branch, note_moment
from mabos.workspace.clock import iso, system_clock
from mabos.workspace.ids import Ids
from mabos.workspace.ledger import Ledger
from mabos.workspace.names import INTERNAL, Layout
from mabos.workspace.operations import Drop, Op, Put
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync
from mabos.workspace.text import one_line, shorten

_STAMP: Final = re.compile(r"-(\d{13})-")
"""The milliseconds in an id that was made by the clock."""
_LINE_TIME: Final = re.compile(r'"created_at": ?"([^"]+)"')
_BORN: Final = ("created_at", "begun_at", "timestamp", "stored_at", "received_at", "read_at", "at")
_CHANGED: Final = ("updated_at", "resolved_at", "answered_at", "ended_at", "settled_at", "sent_at", "lifted_at")
"""Fields that say when something became of a record; what it lists, as a history, has also `at`."""
_ANSWER: Final = (
    "resolution", "chosen_option", "feedback", "modifications", "resolved_at", "resolved_by", "performed_at",
    "performed_key",
)  # fmt: skip
_LONGEST: Final = 140
_NAMED: Final = 12  # records that a sentence names; of more the number is stated
_TITLES: Final = ("subject", "title", "name", "content", "description", "sentence")


@dataclass(frozen=True, slots=True)
class BranchMoment:
    """A time, and the cycle it comes from; events at exactly that time count if `inclusive`."""

    at: str
    cycle: str = ""
    inclusive: bool = True

    def has(self, time: str) -> bool:
        """Return whether something of this time had happened."""
        return time <= self.at if self.inclusive else time < self.at


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Counts of removed, reopened, unread and restored records, and the records that keep today's content."""

    left_out: int = 0
    reopened: int = 0
    unread: int = 0
    restored: int = 0
    kept: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """Return the counts in words."""
        said = [f"Minds and ledgers are as they were; {count(self.left_out, 'record')} made later are left out."]
        if self.reopened or self.unread:
            said.append(
                f"{count(self.reopened, 'answer')} given later are open again, {count(self.unread, 'message')}"
                " heard later are unread."
            )
        if self.restored:
            said.append(f"{count(self.restored, 'record')} changed since have the content that they had.")
        if self.kept:
            said.append(f"Records that were changed since keep today's content: {self.kept_shown()}.")
        return said

    def kept_shown(self) -> str:
        """Return the records that keep today's content, by file and id, the first few by name."""
        return ", ".join(
            [*self.kept[:_NAMED], *([f"and {more} more"] if (more := len(self.kept) - _NAMED) > 0 else [])]
        )


def moment_of(root: Path, cycle: str, *, before: bool) -> BranchMoment:
    """Return the end of a cycle, or with `before` its beginning; raises `UnknownId` if it is not recorded."""
    ledger = Ledger(Layout(root), Sync("off"))
    entries = [entry for agent in ledger.agents() for entry in ledger.entries(agent)]
    times = [entry.at for entry in entries if entry.cycle == cycle]
    if not times:
        known = dict.fromkeys(entry.cycle for entry in entries if entry.cycle)
        raise unknown("cycle", cycle, list(known)[-200:], argument="cycle")
    began = _find_id_time(cycle) or min(times)
    return BranchMoment(min(began, *times), cycle, inclusive=False) if before else BranchMoment(max(times), cycle)


def take_back(branch: Branch, moment: BranchMoment) -> tuple[Branch, TakenBack]:
    """Return a branch with its records as of a moment, and the counts of changes."""
    layout, sync = Layout(branch.path), Sync("off")
    heard = _take_back_ledgers(layout, moment)
    for folder in sorted(layout.agents.glob("*/")):
        _take_back_mind(layout, folder, moment, sync)
    found, kept = Counter(left_out=_take_back_lines(layout, moment)), list[str]()
    for path, store in declared_stores(branch.path, sync):
        ops = list(_undo_operations(store, path, moment, heard))
        store.commit([op for _, op in ops])
        store.close()
        found.update(what for what, _ in ops)
        place = path.relative_to(branch.path)
        kept += [
            f"{place} {key}"
            for records in store.read().values()
            for key, record in records.items()
            if isinstance(record, Mapping) and not _is_of(record, moment)
        ]
    noted = note_moment(branch, as_of=moment.at, cycle=moment.cycle)
    return noted, TakenBack(**found, kept=tuple(kept))


def _take_back_ledgers(layout: Layout, moment: BranchMoment) -> set[str]:
    """Cut every chain at the moment, and return the messages that were heard after it."""
    heard, ledger = set[str](), Ledger(layout, Sync("off"))
    for agent in ledger.agents():
        path = layout.ledger(agent)
        entries = list(ledger.entries(agent))
        kept = len(list(takewhile(lambda entry: moment.has(entry.at), entries)))
        for entry in entries[kept:]:
            heard.update(entry.body.get("messages", ()) if entry.kind == "perceive" else ())
        if kept < len(entries):
            lines = path.read_bytes().splitlines(keepends=True)
            write_atomic(path, b"".join(lines[:kept]))
            (layout.internal / "heads" / agent).unlink(missing_ok=True)
    return heard


def _take_back_lines(layout: Layout, moment: BranchMoment) -> int:
    """Remove later lines from daily logs and entity memories, and return how many there were."""
    left_out = 0
    for path in (*layout.agents.glob("*/memory/[0-9]*.md"), *layout.businesses.glob("*/graph*.jsonl")):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if not (at := _find_line_time(line)) or moment.has(at)]
        if len(kept) < len(lines):
            write_atomic(path, "".join(kept))
            left_out += len(lines) - len(kept)
    return left_out


def _find_line_time(line: str) -> str:
    """Return when a line of a daily log or an entity memory was written, by the field or the id that it has."""
    found = _LINE_TIME.search(line)
    return found[1] if found else _find_id_time(line)


def _take_back_mind(layout: Layout, folder: Path, moment: BranchMoment, sync: Sync) -> None:
    """Fold a mind's journal again, up to the first change that is later."""

    def open_branch_mind() -> Mind:
        return open_mind(folder, clock=system_clock, ids=Ids(system_clock), sync=sync, agent_id=folder.name)

    history = list(open_branch_mind().store.history())
    kept = list(takewhile(lambda change: moment.has(change.note.get("at", "")), history))
    if len(kept) == len(history):
        return
    shutil.rmtree(layout.root / INTERNAL / "stores" / "agents" / folder.name / "mind.journal", ignore_errors=True)
    for path in (*folder.glob(f"{JOURNAL.removesuffix('.jsonl')}*.jsonl"), *(folder / name for name in MIND_FILES)):
        path.unlink(missing_ok=True)
    mind = open_branch_mind()
    for change in kept:
        mind.store.commit(change.ops, note=change.note)
    mind.close()


def _undo_operations(store: Store, path: Path, moment: BranchMoment, heard: set[str]) -> Iterator[tuple[str, Op]]:
    """Yield the operations that take a document back, each with its kind: later records go, changes are undone."""
    earlier: dict[tuple[str, str], Any] = {}
    for change in store.history():
        held = {(op.collection, op.key): op.value for op in change.ops if isinstance(op, Put)}
        earlier |= {key: value for key, value in held.items() if isinstance(value, Mapping) and _is_of(value, moment)}
    for collection, records in store.read().items():
        for key, record in records.items():
            if not isinstance(record, Mapping):
                continue
            if (born := _born(key, record)) and not moment.has(born):
                yield "left_out", Drop(collection, key)
            elif path.name == "decision-queue.json" and not moment.has(str(record.get("resolved_at") or "")):
                left = {name: value for name, value in record.items() if name not in _ANSWER}
                yield "reopened", Put(collection, key, left | {"status": "pending"})
            elif path.name == "inbox.json" and key in heard and record.get("read"):
                yield "unread", Put(collection, key, {**record, "read": False})
            elif not _is_of(record, moment) and (collection, key) in earlier:
                yield "restored", Put(collection, key, earlier[collection, key])


def _is_of(record: Mapping[str, Any], moment: BranchMoment) -> bool:
    """Return whether a record and its list entries contain nothing after the moment."""
    times = [record.get(name) for name in _CHANGED]
    for listed in record.values():
        if isinstance(listed, list):
            times += [one.get(name) for one in listed if isinstance(one, Mapping) for name in (*_CHANGED, "at")]
    return all(moment.has(str(time)) for time in times if time)


def _born(key: str, record: Mapping[str, Any]) -> str:
    """Return when a record was made: by its own field, else by its id; "" if neither has it."""
    return next((str(record[name]) for name in _BORN if record.get(name)), "") or _find_id_time(key)


def _find_id_time(text: str) -> str:
    """Return when the last id in a text was made; "" if none was made by the clock."""
    found = _STAMP.findall(text)
    return iso(datetime.fromtimestamp(int(found[-1]) / 1000, UTC)) if found else ""


@dataclass(frozen=True, slots=True)
class BranchDifference:
    """A difference, in a sentence; `kind` is `mind`, `figure`, `decision`, `letter` or `record`."""

    kind: str
    text: str


def compare(original: Services, branch: Services) -> list[BranchDifference]:
    """Return the differences in minds, figures, decisions, letters and other records, in sentences."""
    return [
        *(BranchDifference("mind", text) for text in _minds(original, branch)),
        *(BranchDifference("figure", text) for text in _figures(original, branch)),
        *(BranchDifference("decision", text) for text in _decisions(original, branch)),
        *(BranchDifference("letter", text) for text in _letters(original, branch)),
        *(BranchDifference("record", text) for text in _records(original, branch)),
    ]


def _minds(original: Services, branch: Services) -> Iterator[str]:
    for agent_id in sorted({*original.agents()} & {*branch.agents()}):
        ours, theirs = original.agent(agent_id).mind, branch.agent(agent_id).mind
        yield from _items(agent_id, "believes", _by_id(ours.beliefs, _belief), _by_id(theirs.beliefs, _belief))
        yield from _items(agent_id, "has the goal", _by_id(ours.goals, _goal), _by_id(theirs.goals, _goal))
        yield from _items(agent_id, "has the plan", _by_id(ours.plans, _plan), _by_id(theirs.plans, _plan))


def _by_id(items: Iterable[Any], said: Callable[[Any], str]) -> dict[str, str]:
    return {one.id: one_line(said(one)) for one in items}


def _belief(belief: Any) -> str:
    return f"{belief.statement or ' '.join((belief.subject, belief.predicate, belief.value))} ({belief.certainty:.1f})"


def _goal(goal: Any) -> str:
    return f"{goal.description.rstrip('.')}: {goal.status}"


def _plan(plan: Any) -> str:
    done = sum(step.status == "done" for step in plan.steps)
    return f"{plan.name.rstrip('.')}: {plan.status}, {done} of {len(plan.steps)} steps done"


def _items(who: str, verb: str, ours: Mapping[str, str], theirs: Mapping[str, str]) -> Iterator[str]:
    for key, text in theirs.items():
        if key not in ours:
            yield f"{who} {verb} only in the branch: {_cut(text)}."
        elif ours[key] != text:
            yield f"{who} {verb} in the branch: {_cut(text)}; in the original: {_cut(ours[key])}."
    yield from (f"{who} {verb} only in the original: {_cut(text)}." for key, text in ours.items() if key not in theirs)


def _figures(original: Services, branch: Services) -> Iterator[str]:
    for business_id in original.businesses():
        if business_id not in branch.businesses():
            continue
        ours, theirs = original.business(business_id).metrics, branch.business(business_id).metrics
        for name in sorted({*ours.names(), *theirs.names()}):
            here, there = ours.latest(name), theirs.latest(name)
            if here is None or there is None:
                point = here or there
                assert point is not None  # noqa: S101 - one of the two has the name
                yield f"{name} is {point.value:,g} ({point.at[:10]}), only in the {'original' if here else 'branch'}."
            elif (here.value, here.at) != (there.value, there.at):
                yield (
                    f"{name} is {there.value:,g} ({there.at[:10]}) in the branch"
                    f" and {here.value:,g} ({here.at[:10]}) in the original."
                )


def _decisions(original: Services, branch: Services) -> Iterator[str]:
    ours, theirs = ({one.id: one for one in all_decisions(services)} for services in (original, branch))
    for key, decision in theirs.items():
        if key not in ours:
            yield f"{key} was asked only in the branch: {_cut(decision.subject)} ({decision.status})."
        elif ours[key].status != decision.status:
            was = ours[key].status
            yield f"{key} is {decision.status} in the branch and {was} in the original: {_cut(decision.subject)}."
    for key, decision in ours.items():
        if key not in theirs:
            yield f"{key} was asked only in the original: {_cut(decision.subject)} ({decision.status})."


def _letters(original: Services, branch: Services) -> Iterator[str]:
    ours, theirs = ({one.id: one for one in services.inbox(STAKEHOLDER).messages()} for services in (original, branch))
    for place, mine, others in (("branch", theirs, ours), ("original", ours, theirs)):
        for key, message in mine.items():
            if key not in others:
                yield f"{message.sender} wrote to you only in the {place}: {_cut(one_line(message.content))}"


_TOLD_APART: Final = {"decision-queue.json", "metrics.json", "inbox.json"}


def _records(original: Services, branch: Services) -> Iterator[str]:
    """Yield the records of a business that differ, each field with both values, lists and maps apart."""
    ours, theirs = (_all_records(services.layout.root) for services in (original, branch))
    for place, mine, others in (("branch", theirs, ours), ("original", ours, theirs)):
        for key in sorted(mine.keys() - others.keys()):
            yield f"{key[0]} has {key[1]} only in the {place}: {_cut(_title(mine[key]))}."
    for key in sorted(ours.keys() & theirs.keys()):
        fields = [
            name
            for name, value in theirs[key].items()
            if value != ours[key].get(name) and name not in _CHANGED and not isinstance(value, list | dict)
        ]
        if fields:
            said = "; ".join(
                f"{name} {theirs[key][name]!s:.40} instead of {ours[key].get(name)!s:.40}" for name in fields
            )
            yield f"{key[0]}: {key[1]} has in the branch {_cut(said)}."


def _all_records(root: Path) -> dict[tuple[str, str], Mapping[str, Any]]:
    return {
        (str(path.relative_to(root)), key): record
        for path, store in declared_stores(root, Sync("off"))
        if path.name not in _TOLD_APART and "agents" not in path.relative_to(root).parts
        for records in store.read().values()
        for key, record in records.items()
        if isinstance(record, Mapping)
    }


def _title(record: Mapping[str, Any]) -> str:
    return one_line(str(next((record[name] for name in _TITLES if record.get(name)), "")))


def _cut(text: str) -> str:
    return shorten(text.rstrip("."), _LONGEST, at_word=True)
