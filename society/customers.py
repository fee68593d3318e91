"""The customers of a business: contacts and deals in its folder `crm/`, written under the document's lock.

customers = open_customers(directory, sync)
customers.enter(Contact("CON-1", "jane@company.com", name="Jane Smith", created_at=now)).created
customers.deal("hubspot-456", lambda known: known or Deal("DEAL-1", "Yearly plan", external_id="hubspot-456"))
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mabos.configs.errors import InvalidArgument, unknown
from mabos.society.contacts import Contact, ContactEntry, Standing, entry
from mabos.society.deals import WON, Deal
from mabos.workspace.records import declaration
from mabos.workspace.store import Collections, Put, Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

LISTS: Mapping[str, Standing | None] = {
    "leads": "lead", "prospects": "prospect", "customers": "customer", "everybody": None,
}  # fmt: skip
"""Lists there always are, by what a contact's deals say of it; every tag and segment is a list too."""


@dataclass(frozen=True, slots=True)
class ContactFilter:
    """A selection of contacts: those that match every given criterion."""

    who: tuple[str, ...] = ()
    list: str = ""
    tags: tuple[str, ...] = ()
    segment: str = ""
    stage: str = ""

    @property
    def is_open(self) -> bool:
        """Return whether it is empty and so matches everybody."""
        return not any((self.who, self.list, self.tags, self.segment, self.stage))


class Customers:
    """The contacts and deals of one business."""

    def __init__(self, contacts: View[Contact], deals: View[Deal]) -> None:
        self.contacts = contacts
        self.deals = deals

    def stores(self) -> tuple[Store, ...]:
        """Return the documents that hold them."""
        return self.contacts.store, self.deals.store

    def enter(self, given: Contact) -> ContactEntry:
        """Enter a contact and return the result: an existing address updates its contact."""
        made: list[ContactEntry] = []

        def decide(now: Collections) -> list[Put]:
            made[:] = [entry(self.contacts.matching(now, "email", given.email), given)]
            return self.contacts.puts(now, [made[0].contact])

        self.contacts.store.commit(decide)
        return made[0]

    def tag(self, chosen: Iterable[str], change: Callable[[Contact], Contact]) -> tuple[Contact, ...]:
        """Return the contacts with these ids that `change` changed, in one transaction."""
        ids, changed = frozenset(chosen), list[Contact]()

        def decide(now: Collections) -> list[Put]:
            before = [one for one in self.contacts.parsed(now).values() if one.id in ids]
            changed[:] = [after for one in before if (after := change(one)) != one]
            return self.contacts.puts(now, changed)

        self.contacts.store.commit(decide)
        return tuple(changed)

    def deal(self, external_id: str, make: Callable[[Deal | None], Deal]) -> Deal:
        """Create or update the deal with another system's id, by calling `make` with the known deal, and return it."""
        made: list[Deal] = []

        def decide(now: Collections) -> list[Put]:
            known = self.deals.matching(now, "external_id", external_id)
            made[:] = [make(next(iter(known.values()), None))]
            return self.deals.puts(now, made)

        self.deals.store.commit(decide)
        return made[0]

    def contact(self, named: str, *, argument: str = "contact") -> Contact:
        """Return the contact with this id or address; raises `UnknownId` with the nearest."""
        wanted = named.strip()
        found = self.contacts.find(wanted) or self.by_address(wanted.lower())
        if found is None:
            every = self.contacts.all()
            names = [name for one in every for name in ((one.email,) if "@" in wanted else (one.id, one.email))]
            raise unknown("contact", wanted, names, argument=argument)
        return found

    def by_address(self, email: str) -> Contact | None:
        """Return the contact with an address in lower case, if there is one."""
        found = self.contacts.matching(self.contacts.store.read(), "email", email)
        return next(iter(found.values()), None)

    def standings(self) -> dict[str, Standing]:
        """Return the status of each contact with deals: a customer has a won deal, a prospect an open one."""
        standings: dict[str, Standing] = {}
        for one in self.deals.all():
            if one.stage == WON:
                standings[one.contact_id] = "customer"
            elif one.is_open:
                standings.setdefault(one.contact_id, "prospect")
        return standings

    def chosen(self, choice: ContactFilter) -> tuple[Contact, ...]:
        """Return the selected contacts, oldest first; raises `UnknownId` for an unknown person or list."""
        every = self.contacts.all()
        named = {self.contact(one, argument="contacts").id for one in choice.who}
        at_stage = {one.contact_id for one in self.deals.all() if choice.stage and one.stage == choice.stage}
        on_list = self._resolve_list(choice.list, every) if choice.list else None
        return tuple(
            one
            for one in every
            if (not named or one.id in named)
            and (on_list is None or one.id in on_list)
            and set(choice.tags) <= set(one.tags)
            and (not choice.segment or one.segment == choice.segment)
            and (not choice.stage or one.id in at_stage)
        )

    def _resolve_list(self, name: str, every: Iterable[Contact]) -> set[str]:
        wanted = name.strip().lower()
        standings, contacts = self.standings(), tuple(every)
        tagged = {one.id for one in contacts if wanted in one.tags or wanted == one.segment}
        if wanted in LISTS:
            standing = LISTS[wanted]
            return tagged | {one.id for one in contacts if standing in (None, standings.get(one.id, "lead"))}
        if not tagged:
            known = {*LISTS, *(tag for one in contacts for tag in one.tags), *(one.segment for one in contacts)} - {""}
            raise unknown("list", name, known, argument="list")
        return tagged


def nobody(choice: ContactFilter) -> InvalidArgument:
    """Return the error for a selection that matches no contact."""
    given = {"list": choice.list, "tags": ", ".join(choice.tags), "segment": choice.segment, "stage": choice.stage}
    said = ", ".join(f"{name} {value!r}" for name, value in given.items() if value) or "any list"
    argument = next((name for name, value in given.items() if value), "list")
    return InvalidArgument(f"{said} is empty; add people with crm_create_contact", argument=argument)


def open_customers(directory: Path, sync: Sync) -> Customers:
    """Return the customers of the business in `directory`; nothing is written until the first."""
    contacts = View(declaration(Contact).open(directory, sync), Contact)
    return Customers(contacts, View(declaration(Deal).open(directory, sync), Deal))
