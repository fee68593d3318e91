"""Read the owner's remarks about the business: its products, their prices, and who joins or leaves it.

    business_readings(agent, "We also sell piano stools at £120.")

They are read as the description is that founds a business, and changed where it is: `business.json`, `pricing.json`.
"""

from dataclasses import asdict

from mabos.language.request import Claim, Reading, Request
from mabos.language.wordlists import order_form
from mabos.society.business import MANIFEST_FILE, read_manifest, write_json
from mabos.society.describing import DescribedBusiness, read_remark
from mabos.society.describing_words import patterns_of
from mabos.society.figures import OWNER
from mabos.society.onboarding import NOTE, business_model
from mabos.tools.business.figure_watch import pack_of
from mabos.tools.business.founding import record_prices
from mabos.tools.requests.response import Response, Say
from mabos.tools.requests.wording import day, join_words
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace
from mabos.workspace.currencies import money
from mabos.workspace.locks import file_lock

OPERATION = "business"
"""The operation of a request that tells what the business sells, or who works there."""
_STAFF, _LATER = (patterns_of("sentences")[name] for name in ("staff", "later"))
_WHO, _WHAT = order_form("business_statements.who"), order_form("business_statements.what")


def business_readings(agent: Agent, text: str) -> tuple[Reading, ...]:
    """Return a request for a text wholly about products, prices or staff of the business; else nothing."""
    if not agent.business_id or "?" in text:
        return ()
    said = _read_remark(agent, text)
    kinds = {one.what for one in said.parts}
    is_elsewhere = bool(said.prices) and bool(agent.services.settings.stripe.api_base)  # a server has the prices
    is_staff = _STAFF.search(text) if "person" in kinds else not _LATER.search(text)
    is_whole = kinds and kinds <= {"products", "person"} and not said.unread
    return (Reading("order", text, OPERATION),) if is_whole and is_staff and not is_elsewhere else ()


def settle_business(agent: Agent, request: Request) -> Response:
    """Record products, prices and people that the owner names, and confirm them."""
    said, business, layout = _read_remark(agent, request.sentence), agent.business, agent.services.layout
    record_prices(agent, business.pricing, said)
    on = f"(said on {day(agent.now())})"
    people = [{"name": one.name, "duty": f"{one.duty} {on}"} for one in said.pack.people]
    with file_lock(layout.internal / "locks" / "businesses.lock"):
        known = read_manifest(layout, business.id)  # another process may have written it since it was opened
        products = [one for one in said.pack.products if one not in known.products]
        manifest = replace(known, products=(*known.products, *products), people=(*known.people, *people))
        write_json(business.directory / MANIFEST_FILE, asdict(manifest))
    chief = agent.services.agent(manifest.agent("ceo"), clock=agent.clock, ids=agent.ids)
    for one in people:
        chief.facts.assert_(one["name"], "duty", one["duty"], confidence=0.9, source=f"{OWNER}: {request.sentence}")  # noqa: PT009 - a fact
    for holder in manifest.agents.values():
        mind = agent.services.agent(holder, clock=agent.clock, ids=agent.ids).mind
        mind.write_section("Knowledge.md", NOTE, business_model(manifest), why=request.id)
    sums = {name: f" at {money(one.value, one.unit)}" for name, one in said.prices.items()}
    told = [f"{one}{sums.get(one, '')}" for one in said.pack.products]
    told += [f"{one.name}, who {one.duty}" for one in said.pack.people]
    claims = tuple(Claim(MANIFEST_FILE, "products", one) for one in said.pack.products)
    return Say(f"On record: {join_words(told)}.", claims, "done")


def describe_business(agent: Agent, request: Request) -> Say | None:
    """Return the staff of the business, or its products and prices, if a question asks for one of these."""
    if not agent.business_id:
        return None
    is_of_people = bool(_WHO.search(request.sentence))
    if not is_of_people and not _WHAT.search(request.sentence):
        return None
    business, manifest = agent.business, read_manifest(agent.services.layout, agent.business_id)
    if is_of_people:
        lines = [f"{one['name']}: {one.get('duty') or 'works here'}" for one in manifest.people]
        return _list_lines(lines, "people", "I know of nobody who works here but us agents")
    sums: dict[str, str] = {}
    for price in business.pricing.prices.all():
        every = f" a {price.interval}" if price.interval else ""
        if price.active:
            sums[price.product] = f": {money(price.unit_amount / 100, price.currency.upper())}{every}"
    priced = {one.name: sums.get(one.id, "") for one in business.pricing.products.all() if one.active}
    return _list_lines([f"{one}{priced.get(one, '')}" for one in {**dict.fromkeys(manifest.products), **priced}],
                   "products", "I have no record of what the business sells")  # fmt: skip


def _list_lines(lines: list[str], field: str, nothing: str) -> Say:
    claims = tuple(Claim(MANIFEST_FILE, field, one) for one in lines)
    return Say("\n".join(lines) or f"{nothing}. Please tell me.", claims)


def _read_remark(agent: Agent, text: str) -> DescribedBusiness:
    return read_remark(text, pack_of(agent), name=agent.business.manifest.name)
