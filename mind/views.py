"""Sections read as records, and read again only where their text changed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from configs.errors import Damaged
from mind.files import Standing, parse, parse_record
from mind.forms import RECORD_FORMS, SECTION_FORMS, Form
from workspace.markdown import PREAMBLE, heading
from workspace.store import Store

ARCHIVE = "Archive"
_Read = Callable[["Form", "View", Mapping[str, str], Mapping[str, Standing]], None]
"""Fills a view of a form from the present texts of its sections, and from sections of which the record is known."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A section that cannot be read; it is left alone."""

    file: str
    line: int
    message: str


@dataclass(slots=True)
class View:
    """The records of one file as they were last looked at, and the sections they stood in at that moment."""

    seq: int = -1
    records: Mapping[str, str] | None = None
    sections: dict[str, Standing] = field(default_factory=dict)
    damaged: dict[str, str] = field(default_factory=dict)
    items: tuple[Any, ...] = ()
    keys: dict[str, str] = field(default_factory=dict)

    def seen(self, key: str) -> Standing | None:
        """Return the section that held a record, or None if there was none that could be read."""
        section = self.sections.get(key)
        return section if section and section.item is not None else None


class Views:
    """The records of a mind by file. Looking again costs nothing while the file's sections stay as they are."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._views: dict[str, View] = {}
        self._written: dict[str, dict[str, Standing]] = {}

    def view(self, form: Form) -> View:
        """Return the view of a file that holds sections, current."""
        return self._current(form, _read_sections)

    def last(self, form: Form) -> View:
        """Return the view of a file as it was last looked at, current or not; empty if it never was."""
        return self._views.get(form.file) or View()

    def wrote(self, file: str, key: str, section: Standing) -> None:
        """Take over how a record was written, so that the next look need not read it back."""
        if section.item is not None:
            self._written.setdefault(file, {})[key] = section

    def record(self, form: Form) -> Any | None:
        """Return the one record of a file, or None if it has none yet."""
        items = self._current(form, _read_record).items
        return items[0] if items else None

    def is_damaged(self, form: Form) -> bool:
        """Return whether the one record of a file cannot be read."""
        return bool(self._current(form, _read_record).damaged)

    def problems(self) -> tuple[Problem, ...]:
        """Return the sections that cannot be read, with the line at which each starts."""
        found = []
        for form in SECTION_FORMS:
            view = self.view(form)
            found += [Problem(form.file, _line_of(view, key), message) for key, message in view.damaged.items()]
        for form in RECORD_FORMS:
            view = self._current(form, _read_record)
            found += [Problem(form.file, 1, message) for message in view.damaged.values()]
        return tuple(found)

    def _current(self, form: Form, read: _Read) -> View:
        records = self._store.read().get(form.file, {})
        seq = self._store.seq
        view = self._views.get(form.file)
        if view is not None and view.records is records:
            if view.seq == seq:
                return view
            if self._is_untouched(form.file, view.seq):
                view.seq = seq
                return view
        # A new view replaces the old one whole: another thread may be reading that.
        fresh = View(seq=seq, records=records)
        known = {**(view.sections if view else {}), **self._written.pop(form.file, {})}
        read(form, fresh, dict(records.items()), known)
        self._views[form.file] = fresh
        return fresh

    def _is_untouched(self, file: str, seq: int) -> bool:
        changes = self._store.since(seq)
        return changes is not None and all(op.collection != file for change in changes for op in change.ops)


def merged(base: Any, ours: Any, theirs: Any) -> tuple[Any, bool]:
    """Return `theirs` with what changed between `base` and `ours`, and whether both changed the same field.

    Where both did, theirs stands: it is what a person or another process wrote after we looked.
    """
    changes: dict[str, Any] = {}
    clash = False
    for attribute in fields(base):
        name = attribute.name
        was, mine, other = getattr(base, name), getattr(ours, name), getattr(theirs, name)
        if mine == was:
            continue
        if other in (was, mine):
            changes[name] = mine
        else:
            clash = True
    return replace(theirs, **changes), clash


def _read_sections(form: Form, view: View, records: Mapping[str, str], known: Mapping[str, Standing]) -> None:
    """Fill `view`: only sections whose text is another one than those known are read."""
    for key, text in records.items():
        section = known.get(key)
        if section is None or section.item is None or section.text != text:
            section = _read(form, view, key, text)
        view.sections[key] = section
        if section.item is not None:
            view.keys.setdefault(getattr(section.item, "id", key), key)
    view.items = tuple(section.item for section in view.sections.values() if section.item is not None)


def _read(form: Form, view: View, key: str, text: str) -> Standing:
    if key == PREAMBLE or heading(text).startswith(ARCHIVE):
        return Standing(text)
    try:
        return Standing(text, parse(form, key, text))
    except Damaged as error:
        view.damaged[key] = f"{heading(text)!r}: {error.message}"
        return Standing(text)


def _read_record(form: Form, view: View, records: Mapping[str, str], _known: Mapping[str, Standing]) -> None:
    view.sections = {key: Standing(text) for key, text in records.items()}
    try:
        item = parse_record(form, records)
    except Damaged as error:
        view.damaged[form.fixed_heading] = error.message
        return
    view.items = () if item is None else (item,)


def _line_of(view: View, key: str) -> int:
    lines = 1
    for other, section in view.sections.items():
        if other == key:
            break
        lines += section.text.count("\n")
    return lines
