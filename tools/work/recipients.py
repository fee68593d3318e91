"""Recipients of a letter: names and addresses of contacts, or a condition over their records, as one exact selector."""

from collections.abc import Mapping, Sequence
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.tools.requests.records import matches, section, select
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import fold

_SELECTOR = ("records", "where", "order", "limit")


def recipients(agent: Agent, to: Sequence[str] | None, selector: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the selector of a letter's contacts; raises `InvalidArgument` if it is not exact.

    With both, the letter goes to the named ones that match the selector.
    """
    contacts = section(agent, "contacts")
    if not to and selector is None:
        raise InvalidArgument("write_letter: say for whom, with 'to' or 'select'", argument="to")
    chosen: dict[str, Any] = {"records": "contacts", "where": {}}
    if selector is not None:
        chosen |= _conditions(selector, contacts)
        if not select(agent, chosen):
            raise InvalidArgument(f"write_letter: no contact fits {dict(chosen['where'])}", argument="select")
    if to:
        ids = [_contact(name, contacts) for name in to]
        chosen["where"] = {**chosen["where"], "id": {"in": list(dict.fromkeys(ids))}}
        if not select(agent, chosen):
            raise InvalidArgument("write_letter: the named contacts do not fit 'select'", argument="select")
    return chosen


def _conditions(selector: Mapping[str, Any], contacts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    unknown = [name for name in selector if name not in _SELECTOR]
    if unknown:  # the conditions without their "where"
        return _conditions({"where": dict(selector)}, contacts)
    if selector.get("records", "contacts") != "contacts":
        raise InvalidArgument("write_letter: only contacts get letters", argument="select")
    where = selector.get("where") or {}
    if not isinstance(where, Mapping):
        raise InvalidArgument("write_letter: 'where' must be an object of conditions by field", argument="select")
    known = {field for one in contacts for field in one}
    missing = [field for field in where if field not in known]
    if missing:
        raise InvalidArgument(
            f"write_letter: contacts have no field {missing[0]!r}; they have {', '.join(sorted(known))}",
            argument="select",
        )
    for one in contacts[:1]:
        matches(one, where)  # raises for a condition that does not exist
    order = str(selector.get("order") or "")
    if order and order.lstrip("-") not in known:
        raise InvalidArgument(f"write_letter: contacts have no field {order.lstrip('-')!r}", argument="select")
    return {name: value for name, value in selector.items() if value not in (None, "") and name != "records"} | {
        "where": dict(where)
    }


def _contact(named: str, contacts: Sequence[Mapping[str, Any]]) -> str:
    """Return the id of the one contact that is meant."""
    if not fold(named):
        raise InvalidArgument("write_letter: a reader has no name", argument="to")
    wanted = named.strip().casefold()
    wanted = wanted.rpartition("<")[2].rstrip(">") if "<" in wanted else wanted
    exact = [one for one in contacts if wanted in (str(one["id"]).casefold(), str(one["email"]).casefold())]
    exact = exact or [one for one in contacts if fold(named) in _names(one)]
    exact = exact or [one for one in contacts if set(fold(named).split()) <= set(" ".join(_names(one)).split())]
    if len(exact) == 1:
        return str(exact[0]["id"])
    if exact:
        listed = "; ".join(f"{one.get('name') or one['email']} <{one['email']}>, {one['id']}" for one in exact[:6])
        raise InvalidArgument(f"write_letter: {named!r} may be {listed}; give the address", argument="to")
    raise InvalidArgument(
        f"write_letter: no contact {named!r}; look with records, or enter them with crm_create_contact", argument="to"
    )


def _names(contact: Mapping[str, Any]) -> list[str]:
    return [name for field in ("name", "company") if (name := fold(str(contact.get(field, ""))))]
