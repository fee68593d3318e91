"""Recipients of a letter whom the person neither named nor selected by a word of their records."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mabos.language.selectors import singular
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.records import section, select
from mabos.tools.runtime.services import Agent
from mabos.tools.work.spoken import SpokenWords, says
from mabos.workspace.clock import parse_time
from mabos.workspace.text import STOPWORDS, fold, terms

_EVERYBODY: Final = re.compile(
    r"\b(?:everybody|everyone|all (?:of )?(?:them|our contacts|my contacts|the contacts|contacts|people)|"
    r"(?:the )?whole list|each of them)\b"
)
_EXCEPT: Final = r"(?:except|but not|without|excluding|not to|other than|apart from|leave out|skip)"


def strangers(agent: Agent, given: Mapping[str, Any], spoken: SpokenWords) -> Iterator[str]:
    """Yield the recipients of a letter whom the person neither named nor selected by a word of their records.

    If the current message names recipients, those of earlier messages do not count.
    """
    whole, papers = spoken.folded_text, f" {fold(spoken.papers)} "
    near = " ".join(f" {fold(one.text)} " for one in spoken.focus)
    readers = _readers(agent, given)
    names_some = any(_names(value, near) for one in section(agent, "contacts") for value in _names_of(one))
    said = near if names_some else whole
    for reader in readers:
        address = str(reader.get("email", ""))
        if address and (address.casefold() in spoken.lowered or address.casefold() in spoken.papers):
            continue
        values = list(_values_of(reader, spoken))
        barred = [one for one in values if _is_barred(one, spoken)]
        is_everybody = bool(_EVERYBODY.search(spoken.lowered)) and not _is_new(reader, spoken)
        is_named = any(_names(one, said) for one in values) or any(says(papers, one) for one in _names_of(reader))
        if barred or not (is_everybody or is_named):
            yield f"{reader.get('name') or address or 'a reader'} as a reader"


def names_everybody(spoken: SpokenWords) -> bool:
    """Return whether the person means all contacts."""
    return bool(_EVERYBODY.search(spoken.lowered))


def _names_of(contact: Mapping[str, Any]) -> Iterator[str]:
    yield from (str(contact[name]) for name in ("name", "company") if contact.get(name))


def _readers(agent: Agent, given: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the contacts that an order is for, and bare addresses that belong to no contact."""
    selector = given.get("recipients")
    if isinstance(selector, Mapping):
        return select(agent, {**selector, "records": "contacts"})
    contacts = section(agent, "contacts")
    if to := str(given.get("to") or "").strip():
        known = [one for one in contacts if to.casefold() in (str(one["id"]).casefold(), str(one["email"]).casefold())]
        return known or [{"email": to}]
    wanted = [str(one) for one in (given.get("list"), given.get("segment"), *(given.get("tags") or ())) if one]
    if wanted == ["everybody"]:
        return contacts
    return [one for one in contacts if all(_has_value(one, value) for value in wanted)] if wanted else ()


def _has_value(contact: Mapping[str, Any], value: str) -> bool:
    return singular(fold(value)) in {singular(fold(one)) for one in _values_of(contact)}


def _values_of(contact: Mapping[str, Any], spoken: SpokenWords | None = None) -> Iterator[str]:
    """Yield the values by which a contact is selected; one that was entered after the person spoke has only names."""
    is_new = spoken is not None and _is_new(contact, spoken)
    for name, value in contact.items():
        if is_new and name not in ("name", "company"):
            continue
        if name in ("id", "email", "created_at", "updated_at", "created_by", "touches", "interactions"):
            continue
        if isinstance(value, str) and value:
            yield value
        elif isinstance(value, list):
            yield from (one for one in value if isinstance(one, str))


def _is_new(contact: Mapping[str, Any], spoken: SpokenWords) -> bool:
    """Return whether an agent entered a contact since the person spoke."""
    made = str(contact.get("created_at", ""))
    return contact.get("created_by") != STAKEHOLDER and bool(made) and parse_time(made) >= spoken.at


def _names(value: str, said: str) -> bool:
    """Return whether a value of a contact was said, whole or by one word of a name."""
    if says(said, value):
        return True
    own = [one for one in terms(value) if len(one) > 2 and one not in STOPWORDS]
    return len(own) in (2, 3) and any(f" {one} " in said for one in own)


def _is_barred(value: str, spoken: SpokenWords) -> bool:
    wanted = re.escape(value.casefold())
    return bool(re.search(rf"\b{_EXCEPT}\s+(?:\w+\s+){{0,3}}{wanted}(?!\w)", spoken.lowered))
