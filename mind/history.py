"""An agent's past beliefs: the versions of its records in the journal of its mind.

    history = History(mind)
    history.about("quality", "2026-01-19T09:00:00.000Z")      # the belief at that time, or None

The journal is complete, so this needs no copy of the mind. Versions are parsed on request.
"""

from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from mabos.configs.errors import Damaged
from mabos.knowledge.wording import name_key
from mabos.mind.files import key_of, parse
from mabos.mind.forms import BELIEF, FORM_OF, PLAN, Form
from mabos.mind.lookup import BeliefIndex, names_of
from mabos.mind.mind import Mind
from mabos.mind.model import Belief, Item
from mabos.mind.views import is_record
from mabos.workspace.operations import Drop, Put


class _Version(NamedTuple):
    at: str
    text: str | None
    """None where the record left its file."""


class History:
    """An agent's beliefs at any time, and the records that have left its files."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind

    @cached_property
    def beliefs(self) -> tuple[Belief, ...]:
        """Every belief the agent has or had, each in its latest form."""
        return (*self._mind.beliefs, *self.gone(Belief))

    @cached_property
    def _by_name(self) -> dict[str, list[Belief]]:
        found = dict[str, list[Belief]]()
        for belief in self.beliefs:
            for name in names_of(belief):
                found.setdefault(name, []).append(belief)
        return found

    def about(self, subject: str, at: str, *, but_by: str = "") -> Belief | None:
        """Return the belief about `subject` at a time, without effects of the plan `but_by` itself."""
        known = self._by_name.get(name_key(subject), ())
        then = [one for belief in known if (one := self.then(belief, at, but_by=but_by))]
        # Of beliefs that contradicted each other and were set aside for that, the surest still says why it was acted.
        flagged = sorted((one for one in then if one.status == "flagged"), key=lambda one: (one.certainty, one.updated))
        found = BeliefIndex(then).about(subject) or (flagged[-1] if flagged else None)
        begun = self._find_start(but_by)
        return self.about(subject, begun) if found is None and begun and begun < at else found

    def then(self, belief: Belief, at: str, *, but_by: str = "") -> Belief | None:
        """Return a belief at a time; None if it was not held, or only because of `but_by`."""
        versions = self._versions.get((BELIEF.file, key_of(belief)), ())
        if not versions:
            return belief
        for version in reversed([one for one in versions if one.at <= at]):
            if version.text is None:
                return None
            then: Belief | None = _read(BELIEF, key_of(belief), version.text)
            if then is not None and not (but_by and but_by in then.evidence):
                return then
        told = ((one.at, _read(BELIEF, key_of(belief), one.text)) for one in versions)
        return next((_before(at, first) for at, first in told if first is not None), None)

    def gone(self, kind: type[Item]) -> tuple[Any, ...]:
        """Return the records of a kind that have left their file, archived or dropped, in their last form."""
        form = FORM_OF[kind]
        left = [(key, ones) for (file, key), ones in self._versions.items() if file == form.file and not ones[-1].text]
        found = (
            next((item for one in reversed(ones) if (item := _read(form, key, one.text))), None) for key, ones in left
        )
        return tuple(item for item in found if item is not None)

    def _find_start(self, plan_id: str) -> str:
        """Return when a plan was first written: beliefs that it has outdated since were its reason then."""
        versions = self._versions.get((PLAN.file, plan_id), ())
        return versions[0].at if versions else ""

    @cached_property
    def _versions(self) -> dict[tuple[str, str], list[_Version]]:
        found: dict[tuple[str, str], list[_Version]] = {}
        latest = ""
        for change in self._mind.store.history():
            # A hand edit has no time of its own: it was taken in after what stands before it.
            latest = max(latest, str(change.note.get("at", "")))
            for op in change.ops:
                if isinstance(op, Put | Drop):
                    text = op.value if isinstance(op, Put) else None
                    found.setdefault((op.collection, op.key), []).append(_Version(latest, text))
        return found


def _read(form: Form, key: str, text: str | None) -> Any | None:
    """Return the record that a version held; None where there was none, or none that could be read."""
    if text is None or not is_record(key, text):
        return None
    with suppress(Damaged):  # what somebody left so for a while, and was told of then
        return parse(form, key, text)
    return None


def _before(when: str, first: Belief) -> Belief | None:
    """Return a belief as it was before it was first written, at `when`; None if it was new then."""
    if first.revisions:
        last = first.revisions[-1]
        said = first.statement.replace(last.after, last.before) if last.after else last.before
        return replace(first, value=last.before, statement=said, source="held from the start", updated="")
    return replace(first, status="held") if first.updated < when else None
