"""The people a business knows: one record per e-mail address, with known facts and the contact history."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Literal

from mabos.backends.graph.mapping import graph_node
from mabos.configs.errors import InvalidArgument
from mabos.workspace.records import record

LONGEST_ADDRESS = 254
KEPT_TOUCHES = 200
"""Touches of one contact that are remembered, the newest."""

Standing = Literal["lead", "prospect", "customer"]

_ADDRESS = re.compile(
    r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@"
    r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}"
)
_TAG = re.compile(r"[^\W_]+(?:[_:.-][^\W_]+)*")
# Which of its record's own fields another record of the same person does not decide.
_OWN = frozenset({"id", "email", "tags", "fields", "touches", "created_at", "created_by", "updated_at"})


@dataclass(frozen=True, slots=True)
class Touch:
    """A contact event; its `kind` is one with points in the settings, as `replied`."""

    id: str
    at: str
    kind: str
    note: str = ""


@graph_node(
    "contact",
    name=("name", "email"),
    properties=("id", "email", "company", "title", "segment", "tags", "created_at"),
    place="business",
)
@record("crm/contacts.json", "contacts", noun="contact")
@dataclass(frozen=True, slots=True)
class Contact:
    """A person; `email` is in lower case and unique, `fields` are other known facts by name."""

    id: str
    email: str
    name: str = ""
    company: str = ""
    title: str = ""
    phone: str = ""
    segment: str = ""
    source: str = ""
    tags: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    touches: tuple[Touch, ...] = ()
    created_at: str = ""
    created_by: str = ""
    updated_at: str = ""

    @property
    def first_name(self) -> str:
        """The first name for letters, or ""."""
        return self.name.split()[0] if self.name.split() else ""


@dataclass(frozen=True, slots=True)
class ContactEntry:
    """The result of entering a contact: the contact, whether it is new, and the changed fields."""

    contact: Contact
    created: bool
    changed: tuple[str, ...]


def address(text: str, *, argument: str = "email") -> str:
    """Return an e-mail address in normal form: trimmed and in lower case.

    Raises `InvalidArgument`, also for anything that would end a header or add a second recipient.

    >>> address(" Jane@Company.com ")
    'jane@company.com'
    """
    found = text.strip().lower()
    if len(found) > LONGEST_ADDRESS or _ADDRESS.fullmatch(found) is None:
        message = f"{text:.80} is not an e-mail address; expected one like jane@company.com"
        raise InvalidArgument(message, argument=argument)
    return found


def tag_named(text: str, *, argument: str = "tag") -> str:
    """Return a tag in normal form: lower case, words joined by `_`; raises `InvalidArgument`.

    >>> tag_named("Enterprise prospect")
    'enterprise_prospect'
    """
    found = "_".join(text.strip().lower().split())
    if len(found) > 60 or _TAG.fullmatch(found) is None:
        message = f"{text:.80} is not a tag; use letters and digits, joined by '_', '-', '.' or ':'"
        raise InvalidArgument(message, argument=argument)
    return found


def header_text(text: str, *, argument: str) -> str:
    """Return a text if it is valid in a header; raises `InvalidArgument` for a line break or the like."""
    found = text.strip()
    if any(not one.isprintable() for one in found):
        message = f"{argument} must be one line of printable characters; take out the line end or control character"
        raise InvalidArgument(message, argument=argument)
    return found


def merge_contacts(known: Contact, given: Contact) -> Contact:
    """Return `known` merged with `given` for the same person: `given` wins, tags, fields and touches are united.

    Entering the same data again changes nothing.
    """
    words = {
        one.name: getattr(given, one.name)
        for one in fields(Contact)
        if one.name not in _OWN and getattr(given, one.name)
    }
    result = replace(
        known,
        **words,
        tags=tuple(dict.fromkeys([*known.tags, *given.tags])),
        fields={**known.fields, **given.fields},
        touches=merge_touches(known.touches, given.touches),
    )
    return result if result == known else replace(result, updated_at=given.created_at or known.updated_at)


def merge_touches(known: Iterable[Touch], new: Iterable[Touch]) -> tuple[Touch, ...]:
    """Return the touches of both, without duplicates, oldest first; only the newest of very many."""
    every = {one.id: one for one in (*known, *new)}
    return tuple(sorted(every.values(), key=lambda one: (one.at, one.id))[-KEPT_TOUCHES:])


def entry(known: Mapping[str, Contact], given: Contact) -> ContactEntry:
    """Return the result of entering `given` among the known contacts, by id: equal addresses are one person."""
    found = next((one for one in known.values() if one.email == given.email), None)
    if found is None:
        return ContactEntry(given, True, tuple(one.name for one in fields(Contact) if getattr(given, one.name)))
    result = merge_contacts(found, given)
    named = (one.name for one in fields(Contact) if one.name != "updated_at")
    changed = tuple(name for name in named if getattr(found, name) != getattr(result, name))
    return ContactEntry(result, result.id == given.id, changed)
