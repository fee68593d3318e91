"""Sections read as records, and parsed again only when their text changes."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol

from mabos.configs.errors import Damaged
from mabos.mind.files import StoredSection, parse, parse_record
from mabos.mind.forms import BELIEF, PLAN, PLAYBOOK, RECORD_FORMS, SECTION_FORMS, Form
from mabos.mind.lookup import BeliefIndex
from mabos.mind.procedures.playbooks import fault_of, undecidable
from mabos.workspace.fields import fields as fields_of
from mabos.workspace.markdown import PREAMBLE, heading
from mabos.workspace.store import JournalChange, Put

ARCHIVE = "Archive"
_ID = "\n- **Id:** "  # a record that is called so, as a goal to archive something, is none
_LISTED = re.compile(r" {0,3}[-*+] +\S")
Texts = Mapping[str, str]
"""The sections of a file by key."""


UNTIL_MENDED = "it does not start until this is fixed"
WITHOUT_SUCCESS = "nothing that is believed can tell it; its goal stays open until a person settles it"


@dataclass(frozen=True, slots=True)
class MindFileProblem:
    """An unreadable section, or a list where no item was readable; it is left alone."""

    file: str
    line: int
    message: str


@dataclass(slots=True)
class MindView:
    """The records of one file at the last read, and the sections they came from."""

    seq: int = -1
    records: Mapping[str, str] | None = None
    sections: dict[str, StoredSection] = field(default_factory=dict)
    damaged: dict[str, tuple[str, int]] = field(default_factory=dict)
    """The fault of a section, and its line below the heading."""
    items: tuple[Any, ...] = ()
    keys: dict[str, str] = field(default_factory=dict)
    index: BeliefIndex | None = None

    def seen(self, key: str) -> StoredSection | None:
        """Return the section of a record, or None if no readable section held it."""
        section = self.sections.get(key)
        return section if section and section.item is not None else None


_Read = Callable[[Form, Texts, MindView, Sequence[str] | None, Mapping[str, StoredSection]], MindView]


class SectionSource(Protocol):
    """A source of sections for views: a store, or an unsaved draft."""

    def standing(self, file: str, /) -> tuple[dict[str, Any], int]:
        """Return the sections of one file, and the sequence of their last change."""

    def since(self, seq: int, /) -> tuple[JournalChange, ...] | None:
        """Return the changes after a sequence, or None if they are unavailable."""


@dataclass(frozen=True, slots=True)
class _UnsavedFile:
    file: str
    sections: dict[str, Any]

    def standing(self, file: str, /) -> tuple[dict[str, Any], int]:
        return (self.sections if file == self.file else {}), 1

    def since(self, _seq: int, /) -> None:
        return None


def problems_in(file: str, sections: dict[str, str]) -> tuple[MindFileProblem, ...]:
    """Return the problems that a file with these sections would have."""
    return tuple(one for one in Views(_UnsavedFile(file, sections)).problems() if one.file == file)


class Views:
    """The records of a mind by file; reading again costs nothing while the sections are unchanged."""

    def __init__(self, store: SectionSource) -> None:
        self._store = store
        self._views: dict[str, MindView] = {}
        self._written: dict[str, dict[str, StoredSection]] = {}
        self._ours: dict[str, set[str]] = {}

    def view(self, form: Form) -> MindView:
        """Return the current view of a sectioned file."""
        return self._current(form, _read_sections)

    def last(self, form: Form) -> MindView:
        """Return the last view of a file, current or not; empty if there was none."""
        return self._views.get(form.file) or MindView()

    def index(self) -> BeliefIndex:
        """Return the index of held beliefs, built once per state of the beliefs."""
        view = self.view(BELIEF)
        if view.index is None:
            view.index = BeliefIndex(view.items)
        return view.index

    def wrote(self, file: str, key: str, section: StoredSection, *, is_ours: bool) -> None:
        """Record how a record was written, so that the next read need not parse it."""
        if section.item is not None:
            self._written.setdefault(file, {})[key] = section
        ours = self._ours.setdefault(file, set())
        (ours.add if is_ours else ours.discard)(key)

    def own(self, file: str, key: str) -> StoredSection | None:
        """Return our own version since the last read of its file; None if others changed it too."""
        return self._written.get(file, {}).get(key) if key in self._ours.get(file, ()) else None

    def record(self, form: Form) -> Any | None:
        """Return the only record of a file, or None if it has none yet."""
        items = self._current(form, _read_record).items
        return items[0] if items else None

    def is_damaged(self, form: Form) -> bool:
        """Return whether the only record of a file is unreadable."""
        return bool(self._current(form, _read_record).damaged)

    def problems(self) -> tuple[MindFileProblem, ...]:
        """Return the unreadable sections, each with its first line."""
        found = []
        for form in SECTION_FORMS:
            view = self.view(form)
            found += [
                MindFileProblem(form.file, _line_of(view, key) + at, said) for key, (said, at) in view.damaged.items()
            ]
            found += _stray(form, view)
        found += _alike(self.view(PLAN))
        found += _faulty(self.view(PLAYBOOK))
        for form in RECORD_FORMS:
            view = self._current(form, _read_record)
            found += [MindFileProblem(form.file, 1 + at, said) for said, at in view.damaged.values()]
        return tuple(found)

    def _current(self, form: Form, read: _Read) -> MindView:
        records, seq = self._store.standing(form.file)
        view = self._views.get(form.file)
        touched: list[str] | None = None
        if view is not None and view.records is records:
            if view.seq == seq:
                return view
            touched = self._find_touched(form.file, view.seq)
        # A new view replaces the old one whole: another thread may be reading that.
        self._ours.pop(form.file, None)
        fresh = read(form, dict(records.items()), view or MindView(), touched, self._written.pop(form.file, {}))
        fresh.seq, fresh.records = seq, records
        self._views[form.file] = fresh
        return fresh

    def _find_touched(self, file: str, seq: int) -> list[str] | None:
        """Return the keys of the sections that were put since `seq`; None where something else may have happened."""
        changes = self._store.since(seq)
        if changes is None:
            return None
        ops = [op for change in changes for op in change.ops if op.collection == file]
        keys = [op.key for op in ops if isinstance(op, Put)]
        return keys if len(keys) == len(ops) else None


def merge_records(base: Any, ours: Any, theirs: Any, *, is_own: bool = False) -> tuple[Any, bool]:
    """Return `theirs` with the changes between `base` and `ours`, and whether both changed the same field.

    If both did, theirs is kept, since a person or another process wrote it after our read. If it `is_own`, our earlier
    version, the later one is kept and nothing is lost.
    """
    changes: dict[str, Any] = {}
    clash = False
    for attribute in fields(base):
        name = attribute.name
        was, mine, other = getattr(base, name), getattr(ours, name), getattr(theirs, name)
        if mine == was:
            continue
        if is_own or other in (was, mine):
            changes[name] = mine
        else:
            clash = True
    return replace(theirs, **changes), clash


def _read_sections(
    form: Form, texts: Texts, before: MindView, touched: Sequence[str] | None, written: Mapping[str, StoredSection]
) -> MindView:
    """Return the view of all `texts`, or of `before` with the `touched` ones read again; `written` texts are known."""
    view, keys = MindView(), list(texts)
    if touched is not None and not before.damaged and all(key in texts for key in touched):
        view.sections, view.keys, keys = dict(before.sections), dict(before.keys), list(touched)
    for key in keys:
        was, text = before.sections.get(key), texts[key]
        section = _find_parsed(text, was, written.get(key)) or _read(form, view, key, text)
        name = _id(section, key)
        if touched is not None and was and was.item is not None and _id(was, key) != name:
            return _read_sections(form, texts, before, None, written)  # no longer found by the id it had
        if name is not None and (first := view.keys.setdefault(name, key)) != key:
            above = heading(texts[first])
            view.damaged[key] = f"{heading(text)!r}: its Id {name!r} is that of {above!r} too; give it another", 0
            section = StoredSection(text)
        view.sections[key] = section
    view.items = tuple([section.item for section in view.sections.values() if section.item is not None])
    return view


def _find_parsed(text: str, *sections: StoredSection | None) -> StoredSection | None:
    return next((one for one in sections if one and one.item is not None and one.text == text), None)


def _id(section: StoredSection, key: str) -> str | None:
    found: str | None = None if section.item is None else getattr(section.item, "id", key)
    return found


def _read(form: Form, view: MindView, key: str, text: str) -> StoredSection:
    if not is_record(key, text):
        return StoredSection(text)
    try:
        return StoredSection(text, parse(form, key, text))
    except Damaged as error:
        view.damaged[key] = f"{heading(text)!r}: {error.message}", _line_in(form, text, error.argument)
        return StoredSection(text)


def is_record(key: str, text: str) -> bool:
    """Return whether a section is meant as a record, not the start of a file or its archive."""
    return key != PREAMBLE and (not heading(text).startswith(ARCHIVE) or _ID in text)


def _read_record(
    form: Form, texts: Texts, _before: MindView, _touched: Sequence[str] | None, _written: Mapping[str, StoredSection]
) -> MindView:
    view = MindView(sections={key: StoredSection(text) for key, text in texts.items()})
    try:
        item = parse_record(form, texts)
    except Damaged as error:
        view.damaged[form.fixed_heading] = error.message, _line_in(form, "".join(texts.values()), error.argument)
    else:
        view.items = () if item is None else (item,)
    return view


def _stray(form: Form, view: MindView) -> list[MindFileProblem]:
    """Return the position of a list above the first heading: nothing is read there, but it was meant to be."""
    lines = view.sections[PREAMBLE].text.splitlines() if PREAMBLE in view.sections else []
    first = next((at for at, line in enumerate(lines) if _LISTED.match(line)), None)
    if first is None:
        return []
    how = "is above the first '## ' heading, where nothing is read; give it a heading"
    return [MindFileProblem(form.file, first + 1, f"{lines[first].strip()!r} {how}")]


def _faulty(playbooks: MindView) -> list[MindFileProblem]:
    """Return the faults of playbooks that are meant to start by themselves, with their lines."""
    found = []
    for key, section in playbooks.sections.items():
        fault = fault_of(section.item) if section.item is not None else None
        doubt = undecidable(section.item) if section.item is not None else None
        for one, so in ((fault, UNTIL_MENDED), (doubt, WITHOUT_SUCCESS)):
            if one is not None:
                start = one.text.strip()[:24]
                lines = section.text.splitlines()
                at = next((number for number, line in enumerate(lines) if start and start in line), 0)
                said = f"{section.item.name!r}: {one.message}; {so}"
                found.append(MindFileProblem(PLAYBOOK.file, _line_of(playbooks, key) + at, said))
    return found


def _alike(plans: MindView) -> list[MindFileProblem]:
    """Return the plans with two steps of the same id: progress of one counts for the other."""
    found = []
    for key, section in plans.sections.items():
        ids = [step.id for step in section.item.steps] if section.item is not None else []
        if len(set(ids)) < len(ids):
            twice = next(one for at, one in enumerate(ids) if one in ids[:at])
            said = f"{heading(section.text)!r}: two steps have the id {twice!r}; give one of them another"
            found.append(MindFileProblem(PLAN.file, _line_of(plans, key), said))
    return found


def _line_in(form: Form, text: str, attribute: str | None) -> int:
    """Return how many lines below the first an attribute is; 0 if the text does not state it."""
    names = next((one.read_as for one in form.fields if one.attribute == attribute), ())
    lines = enumerate(text.splitlines()) if names else ()
    return next((at for at, line in lines if any(name in names for name in fields_of(line))), 0)


def _line_of(view: MindView, key: str) -> int:
    lines = 1
    for other, section in view.sections.items():
        if other == key:
            break
        lines += section.text.count("\n")
    return lines
