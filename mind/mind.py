"""An agent's mind: a typed view of its twelve Markdown files, and one transaction for every change.

mind = open_mind(directory, clock=clock, ids=ids, sync=sync)
mind.save(revise(mind.beliefs, belief, now).belief, why="the bank said so")
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from mabos.configs.errors import Damaged, unknown
from mabos.mind.files import key_of
from mabos.mind.forms import (
    BELIEF,
    CAPABILITIES,
    COMMITMENT,
    DESIRE,
    FORM_OF,
    GOAL,
    INTENTION,
    LEARNING,
    MIND_FILES,
    PERSONA,
    PLAN,
    PLAYBOOK,
)
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import (
    Belief,
    Capabilities,
    Commitment,
    Desire,
    Goal,
    Intention,
    Item,
    Learning,
    Persona,
    Plan,
    Playbook,
)
from mabos.mind.spelling import escape_line
from mabos.mind.views import ARCHIVE, MindFileProblem, MindView, Views, problems_in
from mabos.mind.writing import Writing, append_lines, archive_line, beginnings, desire_order, put
from mabos.mind.writing import drop as drop_of
from mabos.workspace.clock import Clock, iso
from mabos.workspace.damage import sign_of_damage
from mabos.workspace.ids import Ids
from mabos.workspace.markdown import PREAMBLE, MarkdownCodec, natural_key
from mabos.workspace.merge import Merge
from mabos.workspace.snapshots import keep_conflict
from mabos.workspace.store import Collections, Op, Put, Store
from mabos.workspace.sync import Sync

JOURNAL = "mind.journal.jsonl"
_CONFLICT_NOTE = "<!-- Somebody changed this section while the agent did; the file has theirs, this is the agent's. -->"
T = TypeVar("T")
New = TypeVar("New", Belief, Desire, Goal, Intention, Plan)


class Mind:
    """The beliefs, desires, goals and commitments of one agent.

    Properties give tuples in file order and are reread only when the files change. `clock` stamps archives and notes;
    `ids` are for callers that create records. `clean` removes from lessons whatever must not be stored.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        ids: Ids,
        *,
        agent_id: str = "",
        directory: Path | None = None,
        clean: Callable[[str], str] = str,
    ) -> None:
        self.clock = clock
        self.ids = ids
        self.agent_id = agent_id
        self._store = store
        self._views = Views(store)
        self._directory = directory
        self.clean = clean

    @property
    def store(self) -> Store:
        """The store of the twelve files, for an indexer to follow."""
        return self._store

    @property
    def seq(self) -> int:
        """The sequence of the last change."""
        return self._store.seq

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        """All beliefs, including flagged and superseded ones."""
        return self._views.view(BELIEF).items

    @property
    def desires(self) -> tuple[Desire, ...]:
        """All desires, in file order, which is by priority once they were saved."""
        return self._views.view(DESIRE).items

    @property
    def goals(self) -> tuple[Goal, ...]:
        """All goals."""
        return self._views.view(GOAL).items

    @property
    def intentions(self) -> tuple[Intention, ...]:
        """The intentions that are not archived."""
        return self._views.view(INTENTION).items

    @property
    def plans(self) -> tuple[Plan, ...]:
        """All plans."""
        return self._views.view(PLAN).items

    @property
    def commitments(self) -> tuple[Commitment, ...]:
        """Obligations to and from others."""
        return self._views.view(COMMITMENT).items

    @property
    def learnings(self) -> tuple[Learning, ...]:
        """Lessons, oldest first."""
        return self._views.view(LEARNING).items

    @property
    def playbooks(self) -> tuple[Playbook, ...]:
        """Standing procedures."""
        return self._views.view(PLAYBOOK).items

    @property
    def persona(self) -> Persona:
        """The agent's persona; a default if Persona.md is empty, and one without autonomy if it is unreadable.

        A typo in Persona.md must not free an agent from the file's limits.
        """
        found: Persona | None = self._views.record(PERSONA)
        if found is None:
            return Persona(self.agent_id, autonomy="none" if self._views.is_damaged(PERSONA) else "limited")
        return found if found.agent_id else replace(found, agent_id=self.agent_id)

    @property
    def capabilities(self) -> Capabilities:
        """The tools the agent may call, and its skills."""
        return self._views.record(CAPABILITIES) or Capabilities()

    @property
    def problems(self) -> tuple[MindFileProblem, ...]:
        """Unreadable sections, with file and line; they are left alone."""
        return self._views.problems()

    @property
    def index(self) -> BeliefIndex:
        """The held values by name: a lookup for conditions."""
        return self._views.index()

    def belief(self, belief_id: str) -> Belief:
        """Return one belief; raises `UnknownId`."""
        return self._one(Belief, belief_id)

    def desire(self, desire_id: str) -> Desire:
        """Return one desire; raises `UnknownId`."""
        return self._one(Desire, desire_id)

    def goal(self, goal_id: str) -> Goal:
        """Return one goal; raises `UnknownId`."""
        return self._one(Goal, goal_id)

    def intention(self, intention_id: str) -> Intention:
        """Return one intention that is not archived; raises `UnknownId`."""
        return self._one(Intention, intention_id)

    def plan(self, plan_id: str) -> Plan:
        """Return one plan; raises `UnknownId`."""
        return self._one(Plan, plan_id)

    def commitment(self, commitment_id: str) -> Commitment:
        """Return one commitment; raises `UnknownId`."""
        return self._one(Commitment, commitment_id)

    def value(self, subject: str, predicate: str = "") -> str | None:
        """Return the value of `subject` (and `predicate`) in the most certain held belief, or None."""
        return self.index.value(subject, predicate)

    def lookup(self, name: str) -> str | None:
        """Return the held value of a name in a condition, for example `runway_months` or `acme runway_months`."""
        return self.index(name)

    def file(self, name: str) -> str:
        """Return the current text of one of the twelve files; raises `UnknownId` for any other name."""
        records = self._records(name)
        texts = [records[PREAMBLE]] if PREAMBLE in records else []
        return "".join([*texts, *(text for key, text in records.items() if key != PREAMBLE)]).rstrip("\n") + "\n"

    def save(
        self, *items: Item, archive: Sequence[Item] = (), drop: Sequence[Item] = (), why: str = "", cycle: str = ""
    ) -> int:
        """Write `items` in one transaction and return its sequence; unchanged ones are not written.

        `archive` items move from their file to its archive with `why` or their own reason; `drop` items are deleted.
        Others' changes in a section since the last read are kept.
        """
        return self._write_changes(lambda _collections: items, archive, drop, why, cycle)

    def add(self, item: New, *items: Item, is_named: bool = False, why: str = "", cycle: str = "") -> New:
        """Write a new record, and related `items`, and return the record.

        If its id has been taken meanwhile, it gets a new one under the lock; an id that the caller chose (`is_named`)
        stays.
        """
        added: list[New] = [item]

        def assign_ids(collections: Collections) -> Sequence[Item]:
            taken = collections.get(FORM_OF[type(item)].file, {})
            if key_of(item) in taken and not is_named:
                added[:] = [replace(item, id=self.ids.new(item.id.split("-", 1)[0], taken))]
            return (*added, *items)

        self._write_changes(assign_ids, (), (), why, cycle)
        return added[0]

    def _write_changes(
        self,
        named: Callable[[Collections], Sequence[Item]],
        archive: Sequence[Item],
        drop: Sequence[Item],
        why: str,
        cycle: str,
    ) -> int:
        items: list[Item] = []
        written: list[Writing] = []

        def change(collections: Collections) -> list[Op]:
            items[:] = map(self._screen_lesson, named(collections))
            written[:] = [put(collections, self._last(item), item, self._views.own) for item in items]
            ops = [op for one in written for op in one.ops]
            ops += [drop_of(self._last(item), item) for item in (*archive, *drop)]
            for file, lines in self._lines(archive, why).items():
                ops.append(append_lines(collections, file, f"{ARCHIVE} {self._day()[:7]}", lines))
            if any(isinstance(item, Desire) for item in items):
                ops += desire_order(collections, self._views.last(DESIRE), ops)
            return [*beginnings(collections, (op.collection for op in ops)), *ops]

        seq = self._store.commit(change, note=self._note(why, cycle))
        for item, one in zip(items, written, strict=True):
            file = FORM_OF[type(item)].file
            self._views.wrote(file, one.key, one.standing, is_ours=one.is_ours)
            if one.beaten:
                self._stand_beside(file, one.beaten)
        return seq

    def _screen_lesson(self, item: Item) -> Item:
        if not isinstance(item, Learning):  # goals and plans need the addresses they are about
            return item
        insight, context, applies = map(self.clean, (item.insight, item.context, item.applies_when))
        return replace(item, insight=insight, context=context, applies_when=applies)

    def archive(self, item: Item, why: str = "", *, cycle: str = "") -> int:
        """Move a record from its file's list to the archive, with the reason."""
        return self.save(archive=(item,), why=why, cycle=cycle)

    def note_memory(self, text: str, *, cycle: str = "") -> int:
        """Add a line to the journal in Memory.md, under the current day."""
        line = f"- {iso(self.clock())[11:16]} {escape_line(' '.join(text.split()))}"
        return self._add(lambda collections: append_lines(collections, "Memory.md", self._day(), [line]), "", cycle)

    def write_section(self, name: str, title: str, text: str, *, why: str = "") -> int:
        """Write a section of plain text to a file, like Knowledge.md, replacing the one with the same title."""
        self._records(name)
        section = f"## {escape_line(' '.join(title.split()))}\n\n{text.strip()}\n\n"
        return self._add(lambda _collections: Put(name, natural_key(section), section), why, "")

    def take_edit(self, name: str, base: str, text: str) -> Merge:
        """Merge a person's edit of one of the twelve files like an edit on disk, and return its changes.

        `base` is the text that the person began with. If the agent has changed the same section since, the person's
        version stays, and the agent's goes to `<file>.conflict`. Raises `Damaged` with the line if the edit adds
        unreadable text, or empties the file; then nothing is written.
        """
        before, after = (MarkdownCodec((name,)).decode(name, one) for one in (base, text))
        _must_be_readable(name, before[name], after[name], base, text)
        self._records(name)
        return self._store.take_edit(name, base, text, note={"by": "hand", "at": iso(self.clock())})

    def lay_out(self) -> int:
        """Write the heading of every empty file, so that all twelve exist."""
        return self._store.commit(
            lambda collections: beginnings(collections, MIND_FILES), note=self._note("laid out", "")
        )

    def refresh(self) -> bool:
        """Read manual edits and other processes' changes; return whether there were any."""
        return self._store.refresh()

    def checkpoint(self) -> None:
        """Bring the Markdown files up to date."""
        self._store.checkpoint()

    def close(self) -> None:
        """Bring the Markdown files up to date; the mind must not be used afterwards."""
        self._store.close()

    def _records(self, name: str) -> Mapping[str, str]:
        if name not in MIND_FILES:
            raise unknown("file", name, MIND_FILES, argument="name")
        return self._store.read().get(name, {})

    def _one(self, kind: type[T], item_id: str) -> T:
        view = self._views.view(FORM_OF[kind])
        key = view.keys.get(item_id)
        if key is None:
            name = kind.__name__.lower()
            raise unknown(name, item_id, view.keys, argument=f"{name}_id")
        found: T = view.sections[key].item
        return found

    def _last(self, item: Item) -> MindView:
        return self._views.last(FORM_OF[type(item)])

    def _add(self, section: Callable[[Collections], Put], why: str, cycle: str) -> int:
        def change(collections: Collections) -> list[Op]:
            op = section(collections)
            return [*beginnings(collections, [op.collection]), op]

        return self._store.commit(change, note=self._note(why, cycle))

    def _lines(self, items: Iterable[Item], why: str) -> dict[str, list[str]]:
        lines: dict[str, list[str]] = {}
        for item in items:
            lines.setdefault(FORM_OF[type(item)].file, []).append(archive_line(item, why, self._day()))
        return lines

    def _day(self) -> str:
        return iso(self.clock())[:10]

    def _note(self, why: str, cycle: str) -> dict[str, str]:
        given = {"at": iso(self.clock()), "by": self.agent_id, "why": why, "cycle": cycle}
        return {name: value for name, value in given.items() if value}

    def _stand_beside(self, file: str, text: str, note: str = f"{_CONFLICT_NOTE}\n\n") -> None:
        """Keep our version of a section next to a person's; no existing text is overwritten."""
        if self._directory is not None:
            keep_conflict(self._directory / f"{file}.conflict", text, note)


def _must_be_readable(name: str, before: dict[str, str], after: dict[str, str], base: str, text: str) -> None:
    """Raise `Damaged` with the first unreadable line of an edit, if the text before it was sound."""
    if base.strip() and not text.strip():
        raise Damaged("The file would be empty. Remove single sections instead.", argument="text")
    if (sign := sign_of_damage(text, base)) is not None:
        raise Damaged(f"Line {sign[0]}: {sign[1]}", argument="text")
    known = {one.message for one in problems_in(name, before)}
    wrong = [f"Line {one.line}: {one.message}" for one in problems_in(name, after) if one.message not in known]
    if wrong:
        raise Damaged("\n".join(wrong), argument="text")


def open_mind(
    directory: Path, *, clock: Clock, ids: Ids, sync: Sync, agent_id: str = "", clean: Callable[[str], str] = str
) -> Mind:
    """Return the mind in `directory`, an agent's folder; without files it is an empty mind."""
    store = Store(directory, MarkdownCodec(MIND_FILES), journal=JOURNAL, sync=sync, keep_history=True)
    return Mind(store, clock, ids, agent_id=agent_id or directory.name, directory=directory, clean=clean)
