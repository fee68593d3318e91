"""Businesses: create one with its nine agents, list them, and report status and missing setup."""

from typing import Annotated, Any

from pydantic import Field

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.ontology.scaffold import furnish
from mabos.knowledge.ontology.vocabulary import FOLDER
from mabos.mind.conditions import is_numeric
from mabos.society.business import (
    MANIFEST_FILE,
    Manifest,
    business_title,
    check_free,
    create_business,
    manifests,
    read_manifest,
)
from mabos.society.deals import pipeline
from mabos.society.describing import DescribedBusiness, read_description
from mabos.society.figures import OWNER, target_words
from mabos.society.metrics import MetricPoint, build_point
from mabos.society.onboarding import NOTE, business_model, starting_beliefs
from mabos.society.templates import BusinessTemplate, is_own, template_named
from mabos.tools.business.founding import described_result, settle
from mabos.tools.business.health import setup_health_check
from mabos.tools.catalogue.declaration import Arguments, Text, Tool
from mabos.tools.graph.goals import seed_goals
from mabos.tools.knowledge.terms import misspelling
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso

Kind = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,52}$")]
Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,52}$")]


def business_create(
    agent: Agent, *, business_id: Id, name: Text, template: Kind = "", legal_name: str = "", describe: str = ""
) -> dict[str, Any]:
    """Create a business with nine agents, from a template or from a description, and return its manifest.

    Args:
        business_id: A short name for folders and commands: lower-case letters, digits, '-' and '_'.
        name: What people call the business.
        template: What kind of business it is, as saas, ecommerce, retail, consulting, agency, marketplace, clinic,
            bakery, law-firm, logistics or general, or a pack in the workspace's templates folder.
        legal_name: Its name in contracts; the name if left out.
        describe: The business in the owner's words, half a page of prose, or YAML in the form of a pack; what is read
            comes back with its words, and nothing else is taken for true.
    """
    if not (describe or template):
        raise InvalidArgument("name a template, or describe the business", argument="template")
    root = agent.services.layout.root
    described = read_description(describe, name=name, root=root, line=template) if describe else None
    pack = described.pack if described is not None else template_named(template, root)
    made = _establish_business(agent, business_id, name, pack.id, pack, legal_name=legal_name)
    manifest = agent.services.business(business_id).manifest
    settle(agent, manifest, described or DescribedBusiness(pack), describe)
    if described is not None or is_own(template, root):
        seed_goals(agent, manifest, usual=False)  # the goals of a shipped line are not the owner's
    if described is None:
        minds = (agent.services.agent(one).mind for one in manifest.agents.values())
        aims = dict.fromkeys(one.target for mind in minds for one in mind.desires if is_numeric(one.target))
        usual = [f"{one.split()[0].replace('_', ' ')} {target_words(one)}" for one in aims]
        return {**made, "usual_targets": usual}
    told = {"description", "products", "people", "customer_segments", "revenue_streams"}
    _seed_beliefs(agent, manifest, told, iso(agent.clock()))
    read = described_result(described)
    names = [misspelling(agent.services.agent(manifest.agent("ceo")), one.name) for one in described.pack.figures]
    return {**made, **read, "not_read": [*read["not_read"], *filter(None, names)]}


def business_list(agent: Agent) -> dict[str, Any]:
    """Return every business of the workspace with its agents, oldest first."""
    found = [
        {"business_id": one.id, "name": one.name, "template": one.template, "created": one.created,
         "agents": list(one.agents.values())}
        for one in manifests(agent.services.layout).values()
    ]  # fmt: skip
    return {"businesses": found, "count": len(found)}


def business_status(agent: Agent, *, business_id: str = "") -> dict[str, Any]:
    """Return how a business stands: its latest numbers, what waits for the owner, what runs, and its agents.

    Args:
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    metrics = {name: business.metrics.latest(name) for name in business.metrics.names()}
    pending = business.decisions.pending()
    packages = [one for one in business.workforce.packages.all() if one.status not in _OVER]
    campaigns = "running" if agent.services.is_simulated else "recorded"  # without a platform nothing runs
    return {
        "business_id": business.id,
        "name": business.manifest.name,
        "template": business.manifest.template,
        "created": business.manifest.created,
        "metrics": {
            name: {"value": point.value, "unit": point.unit, "at": point.at}
            for name, point in metrics.items()
            if point is not None
        },
        "pending_decisions": [{"decision_id": one.id, "subject": one.subject} for one in pending],
        "open_work_packages": [{"package_id": one.id, "title": one.title, "status": one.status} for one in packages],
        f"{campaigns}_campaigns": [
            {"campaign_id": one.id, "name": one.name} for one in business.campaigns.list_booked()
        ],
        "customers": _customers(agent, business),
        "agents": [_standing(agent, role, holder) for role, holder in business.manifest.agents.items()],
    }


def onboard_business(
    agent: Agent,
    *,
    business_id: Id,
    name: Text,
    template: Kind,
    legal_name: str = "",
    description: str = "",
    value_propositions: list[str] | None = None,
    customer_segments: list[str] | None = None,
    revenue_streams: list[str] | None = None,
    metrics: dict[str, float] | None = None,
) -> dict[str, Any]:
    """Create a business from what its owner says about it, ready to work: agents, words, goals, beliefs and numbers.

    Args:
        business_id: A short name for folders and commands: lower-case letters, digits, '-' and '_'.
        name: What people call the business.
        template: What kind of business it is.
        legal_name: Its name in contracts; the name if left out.
        description: What it does, in a sentence.
        value_propositions: What customers get; those of its kind if left out.
        customer_segments: Who the customers are; those of its kind if left out.
        revenue_streams: What is paid for; those of its kind if left out.
        metrics: The first numbers by name, as mrr, cash and burn; none is made up.
    """
    told: dict[str, str | tuple[str, ...]] = {
        "description": description,
        "value_propositions": tuple(value_propositions or ()),
        "customer_segments": tuple(customer_segments or ()),
        "revenue_streams": tuple(revenue_streams or ()),
    }
    at = iso(agent.clock())
    points = _first_points(metrics or {}, at)
    made = _establish_business(agent, business_id, name, template, None, legal_name=legal_name, **told)
    business = agent.services.business(business_id)
    beliefs = _seed_beliefs(agent, business.manifest, {name for name, value in told.items() if value}, at)
    seeded = seed_goals(agent, business.manifest)
    business.metrics.record_all(points)
    missing = [name for name in business.manifest.metrics if business.metrics.latest(name) is None]
    return {
        **made,
        "goals": [{"goal_id": one.goal.id, "owner": one.owner, "description": one.goal.description} for one in seeded],
        "beliefs": beliefs,
        "metrics": [point.name for point in points],
        "missing_metrics": missing,
        "next_steps": _next_steps(business.manifest, missing),
    }


def _first_points(metrics: dict[str, float], at: str) -> list[MetricPoint]:
    try:
        return [build_point(name, value, at, source=OWNER) for name, value in metrics.items()]
    except InvalidArgument as error:
        raise InvalidArgument(error.message, argument="metrics") from None


def _seed_beliefs(agent: Agent, manifest: Manifest, told: set[str], at: str) -> int:
    """Give every agent of a business the beliefs about it, and return how many those are; a repeat changes nothing."""
    count, why = 0, f"onboarding of {manifest.name}"
    for holder in manifest.agents.values():
        mind = agent.services.agent(holder, clock=agent.clock, ids=agent.ids).mind
        held = {belief.id for belief in mind.beliefs}
        beliefs = starting_beliefs(manifest, told, holder, at)
        if fresh := [belief for belief in beliefs if belief.id not in held]:
            mind.save(*fresh, why=why)
        mind.write_section("Knowledge.md", NOTE, business_model(manifest), why=why)
        count += len(beliefs)
    return count


def _next_steps(manifest: Manifest, missing: list[str]) -> list[str]:
    """Return the owner's next steps in order, each with its command."""
    inbox = f"businesses/{manifest.id}/inbox"
    wanted = f" ({', '.join(missing[:4])})" if missing else ""
    return [
        f"drop a business brief (Markdown) or monthly metrics (CSV){wanted} into {inbox}",
        "say what you want to decide yourself: stakeholder_profile",
        f"let one agent think: mabos run {next(iter(manifest.agents.values()))}",
        "let the company work: mabos heartbeat --once",
        "see what is set up and what is not: mabos call setup_health_check",
    ]


def _establish_business(
    agent: Agent,
    business_id: str,
    name: str,
    template: str,
    pack: BusinessTemplate | None,
    **told: str | tuple[str, ...],
) -> dict[str, Any]:
    services = agent.services
    pack = pack or template_named(template, services.layout.root)
    furnish(services.layout.root / FOLDER, pack.domain)
    path = services.layout.business(business_id) / MANIFEST_FILE
    # A call cut short after its last write runs again at the moment it began: then the business that stands is its own.
    repeated = bool(agent.key) and path.exists()
    manifest = read_manifest(services.layout, business_id) if repeated else None
    if manifest is None or manifest.created != iso(agent.clock()):
        manifest = create_business(
            services.layout, business_id, name=name, template=template, governance=services.settings.governance,
            clock=agent.clock, ids=agent.ids, sync=services.sync, pack=pack, **told,
        )  # fmt: skip
    return {"business_id": manifest.id, "agents": dict(manifest.agents), **_serialize_manifest(manifest)}


def _founding(agent: Agent, arguments: Arguments) -> str:
    check_free(agent.services.layout, arguments["business_id"])
    kind = arguments.get("template") or "described"
    return f"Found the {kind} business {business_title(arguments['name'])!r} with nine agents of its own"


def _serialize_manifest(manifest: Manifest) -> dict[str, Any]:
    return {
        "name": manifest.name, "legal_name": manifest.legal_name, "template": manifest.template,
        "domain": manifest.domain, "description": manifest.description, "products": list(manifest.products),
        "value_propositions": list(manifest.value_propositions), "customer_segments": list(manifest.customer_segments),
        "revenue_streams": list(manifest.revenue_streams), "created": manifest.created,
    }  # fmt: skip


def _customers(agent: Agent, business: Business) -> dict[str, Any]:
    deals = pipeline(business.customers.deals.all(), agent.services.settings.crm.stages, agent.clock())
    return {
        "contacts": len(business.customers.contacts.all()),
        "open_deals": deals.open_deals,
        "pipeline_usd": deals.open_usd,
        "weighted_usd": deals.weighted_usd,
    }


def _standing(agent: Agent, role: str, holder: str) -> dict[str, Any]:
    one = agent.services.agent(holder)
    return {
        "agent_id": holder,
        "role": role,
        "title": one.mind.persona.title,
        "desires": sum(desire.status == "active" for desire in one.mind.desires),
        "goals": sum(goal.status in ("pending", "active", "blocked") for goal in one.mind.goals),
        "intentions": len(one.mind.intentions),
        "unread": len(one.inbox.unread()),
    }


_OVER = frozenset({"complete", "failed", "cancelled"})

# A company with nine more agents is the owner's to found: an agent that wants one asks, a person just does it.
TOOLS = [
    Tool.of(
        business_create, module="Business", writes=True, category="business",
        strategic=True, reversible=False, exempts_people=True, about=_founding,
    ),
    Tool.of(business_list, module="Business", writes=False),
    Tool.of(business_status, module="Business", writes=False),
    Tool.of(
        onboard_business, module="Onboarding", writes=True, category="business",
        strategic=True, reversible=False, exempts_people=True, about=_founding,
    ),
    Tool.of(setup_health_check, module="Onboarding", writes=False),
]  # fmt: skip
