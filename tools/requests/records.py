"""All records as flat sections, each a list of objects with an `id`: for checks, selectors and answers.

section(agent, "campaigns")     # [{"id": "CAMP-1", "channel": "search", "weekly_budget_usd": 150.0, ...}]
select(agent, {"records": "contacts", "where": {"tags": {"contains": "customer"}}, "order": "-revenue_usd"})
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mabos.configs.errors import InvalidArgument, unknown
from mabos.knowledge.values import number
from mabos.society.drafts import drafts
from mabos.society.roles import STAKEHOLDER
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Agent
from mabos.workspace.records import as_json

Section = list[dict[str, Any]]


def section(agent: Agent, name: str) -> Section:
    """Return the records of a section as JSON objects; raises `UnknownId` with the names of all sections."""
    try:
        read = _SECTIONS[name]
    except KeyError:
        raise unknown("section", name, _SECTIONS, argument="records") from None
    return read(agent)


def sections() -> tuple[str, ...]:
    """Return the names of all sections."""
    return tuple(_SECTIONS)


def select(agent: Agent, selector: Mapping[str, Any]) -> Section:
    """Return the records that a selector means, in its order.

    `records` is the section, `where` a condition a field (see `matches`), `order` a field with a leading "-" for
    descending, `limit` the most records. `exactly` is how many there are as the words say ("the two hotels").
    """
    found = [one for one in section(agent, str(selector["records"])) if matches(one, selector.get("where", {}))]
    if order := str(selector.get("order", "")):
        field = order.lstrip("-")
        known = [one for one in found if one.get(field) not in (None, "")]
        found = sorted(known, key=lambda one: _sortable(one[field]), reverse=order.startswith("-"))
    limit = selector.get("limit")
    return found[: int(limit)] if limit else found


def matches(one: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Return whether a record has these values; see `mabos.language.request.Check` for the forms of a condition."""
    return all(_holds(one.get(field), wanted) for field, wanted in where.items())


def _holds(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping):
        return _same(value, wanted)
    tests: dict[str, Callable[[Any], bool]] = {
        "min": lambda bound: _compares(value, bound, lambda found, least: found >= least),
        "max": lambda bound: _compares(value, bound, lambda found, most: found <= most),
        "in": lambda several: any(_same(value, one) for one in several),
        "all": lambda several: all(_same(value, one) for one in several),
        "contains": lambda part: _contains(value, part),
        "not": lambda other: not _holds(value, other),
    }
    unknown_tests = set(wanted) - set(tests)
    if unknown_tests:
        raise InvalidArgument(f"no condition {sorted(unknown_tests)}; expected {sorted(tests)}", argument="where")
    return all(tests[name](given) for name, given in wanted.items())


def _compares(value: Any, bound: Any, test: Callable[[Any, Any], bool]) -> bool:
    """Return how a value compares with a number, or with an ISO time where the bound is a text."""
    if isinstance(bound, str):
        return bool(value) and test(str(value), bound)
    found = _figure(value)
    return found is not None and test(found, float(bound))


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(value, str) and isinstance(wanted, str):
        return value.strip().casefold() == wanted.strip().casefold()
    if isinstance(value, list) and not isinstance(wanted, list):
        return any(_same(one, wanted) for one in value)
    if isinstance(wanted, int | float) and not isinstance(wanted, bool):
        return _figure(value) == float(wanted)
    return bool(value == wanted)


def _contains(value: Any, part: Any) -> bool:
    if isinstance(value, list):
        return any(_same(one, part) for one in value)
    return str(part).casefold() in str(value if value is not None else "").casefold()


def _figure(value: Any) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value)
    return number(str(value))


def _sortable(value: Any) -> tuple[int, float, str]:
    figure = _figure(value)
    return (0, figure, "") if figure is not None else (1, 0.0, str(value).casefold())


def _of_business(read: Callable[[Business], Iterable[Any]]) -> Callable[[Agent], Section]:
    def read_section(agent: Agent) -> Section:
        return [as_json(one) for one in read(agent.business)] if agent.business_id else []

    return read_section


def _of_mind(name: str) -> Callable[[Agent], Section]:
    return lambda agent: [as_json(one) for one in getattr(agent.mind, name)]


def _contacts(agent: Agent) -> Section:
    """Return the contacts with their own fields next to the fixed ones, and data from their deals."""
    if not agent.business_id:
        return []
    customers = agent.business.customers
    standings, won = customers.standings(), dict[str, float]()
    for deal in customers.deals.all():
        if deal.stage == "won":
            won[deal.contact_id] = won.get(deal.contact_id, 0.0) + deal.value_usd
    found = []
    for contact in customers.contacts.all():
        record = as_json(contact)
        known = {
            "standing": standings.get(contact.id, "lead"),
            "won_usd": won.get(contact.id, 0.0),
            "interactions": sorted({touch.kind for touch in contact.touches}),
        }
        found.append({**dict(contact.fields), **known, **record})
    return found


def _drafts(agent: Agent) -> Section:
    """Return the letters that wait: drafts on file, and decisions that are open and would send mail."""
    mail = ("email_send", "email_campaign")
    laid = drafts(agent.business.directory) if agent.business_id else []
    return laid + [
        {"id": one.id, "decision_id": one.id, **one.action["arguments"]}
        for one in agent.services.decisions(agent.business_id).all()
        if one.open and one.action is not None and one.action["tool"] in mail
    ]


def _messages(agent: Agent) -> Section:
    """Return the messages within the business, between agents and to the owner."""
    ids = [*(agent.business.manifest.agents.values() if agent.business_id else (agent.id,)), STAKEHOLDER]
    return [one.as_json() for name in ids for one in agent.services.inbox(name).messages()]


def _effects(agent: Agent) -> Section:
    """Return the keyed calls of the agent: the record of its plan steps' effects."""
    return [as_json(one) for one in agent.services.directory.effects(agent.id).all()]


def _metrics(agent: Agent) -> Section:
    return [{"id": one.id, **as_json(one)} for one in agent.business.metrics.all()] if agent.business_id else []


_SECTIONS: dict[str, Callable[[Agent], Section]] = {
    "contacts": _contacts,
    "deals": _of_business(lambda business: business.customers.deals.all()),
    "campaigns": _of_business(lambda business: business.campaigns.all()),
    "work_packages": _of_business(lambda business: business.workforce.packages.all()),
    "contractors": _of_business(lambda business: business.workforce.contractors.all()),
    "letters": _of_business(lambda business: business.mailings.letters.all()),
    "mailings": _of_business(lambda business: business.mailings.mailings.all()),
    "content": _of_business(lambda business: business.content.all()),
    "products": _of_business(lambda business: business.pricing.products.all()),
    "prices": _of_business(lambda business: business.pricing.prices.all()),
    "metrics": _metrics,
    "drafts": _drafts,
    "decisions": lambda agent: [as_json(one) for one in agent.services.decisions(agent.business_id).all()],
    "messages": _messages,
    "facts": lambda agent: [as_json(one) for one in agent.facts.query()],
    "effects": _effects,
    "requests": lambda agent: [as_json(one) for one in agent.requests.all()],
    "goals": _of_mind("goals"),
    "desires": _of_mind("desires"),
    "intentions": _of_mind("intentions"),
    "plans": _of_mind("plans"),
    "commitments": _of_mind("commitments"),
    "beliefs": _of_mind("beliefs"),
}
