"""Businesses: founding one with its nine agents, listing them, how one stands, and what is not set up yet."""

from typing import Annotated, Any, Literal

from pydantic import Field

from configs.errors import MabosError
from knowledge.ontology.install import FOLDER
from knowledge.ontology.scaffold import furnish
from mind.forms import MIND_FILES
from society.business import (
    AGENT_FILE,
    MANIFEST_FILE,
    Manifest,
    check_free,
    create_business,
    manifests,
    one_line,
    read_agent,
    read_manifest,
)
from tools.agent import Agent
from tools.declaration import Arguments, Text, Tool
from tools.for_business import business_of
from workspace.clock import iso

Kind = Literal["saas", "ecommerce", "consulting", "marketplace", "retail", "agency"]
Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,52}$")]


def business_create(
    agent: Agent, *, business_id: Id, name: Text, template: Kind, legal_name: str = ""
) -> dict[str, Any]:
    """Create a business with nine agents, and return its manifest.

    Args:
        business_id: A short name for folders and commands: lower-case letters, digits, '-' and '_'.
        name: What people call the business.
        template: What kind of business it is.
        legal_name: Its name in contracts; the name if left out.
    """
    return _founded(agent, business_id, name, template, legal_name=legal_name)


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
        "running_campaigns": [{"campaign_id": one.id, "name": one.name} for one in business.campaigns.running()],
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
) -> dict[str, Any]:
    """Create a business from what its owner says about it, and return its manifest and what to do next.

    Args:
        business_id: A short name for folders and commands: lower-case letters, digits, '-' and '_'.
        name: What people call the business.
        template: What kind of business it is.
        legal_name: Its name in contracts; the name if left out.
        description: What it does, in a sentence.
        value_propositions: What customers get; those of its kind if left out.
        customer_segments: Who the customers are; those of its kind if left out.
        revenue_streams: What is paid for; those of its kind if left out.
    """
    made = _founded(
        agent,
        business_id,
        name,
        template,
        legal_name=legal_name,
        description=description,
        value_propositions=tuple(value_propositions or ()),
        customer_segments=tuple(customer_segments or ()),
        revenue_streams=tuple(revenue_streams or ()),
    )
    inbox = f"businesses/{business_id}/inbox"
    steps = [
        f"drop a business brief (Markdown) or monthly metrics (CSV) into {inbox}",
        "say what you want to decide yourself: stakeholder_profile",
        "let the company work: mabos heartbeat --once",
    ]
    return {**made, "next_steps": steps}


def setup_health_check(agent: Agent) -> dict[str, Any]:
    """Return what is set up, what works in a reduced way, and what is broken, each with what to do."""
    checks = [*_businesses_checked(agent), *_backends_checked(agent)]
    worst = max((_RANK[str(check["status"])] for check in checks), default=0)
    return {"status": list(_RANK)[worst], "checks": checks}


def _founded(agent: Agent, business_id: str, name: str, template: str, **told: str | tuple[str, ...]) -> dict[str, Any]:
    services = agent.services
    furnish(services.layout.root / FOLDER, template)
    path = services.layout.business(business_id) / MANIFEST_FILE
    # A call cut short after its last write runs again at the moment it began: then the business that stands is its own.
    repeated = bool(agent.key) and path.exists()
    manifest = read_manifest(services.layout, business_id) if repeated else None
    if manifest is None or manifest.created != iso(agent.clock()):
        manifest = create_business(
            services.layout,
            business_id,
            name=name,
            template=template,
            governance=services.settings.governance,
            clock=agent.clock,
            ids=agent.ids,
            sync=services.sync,
            **told,
        )
    return {"business_id": manifest.id, "agents": dict(manifest.agents), **_shown(manifest)}


def _founding(agent: Agent, arguments: Arguments) -> str:
    check_free(agent.services.layout, arguments["business_id"])
    return f"Found the {arguments['template']} business {one_line(arguments['name'])!r} with nine agents of its own"


def _shown(manifest: Manifest) -> dict[str, Any]:
    return {
        "name": manifest.name,
        "legal_name": manifest.legal_name,
        "template": manifest.template,
        "domain": manifest.domain,
        "description": manifest.description,
        "value_propositions": list(manifest.value_propositions),
        "customer_segments": list(manifest.customer_segments),
        "revenue_streams": list(manifest.revenue_streams),
        "created": manifest.created,
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


def _businesses_checked(agent: Agent) -> list[dict[str, str]]:
    layout = agent.services.layout
    try:
        found = manifests(layout)
    except MabosError as error:
        return [_check("businesses", "failed", error.message)]
    if not found:
        return [_check("businesses", "degraded", "there is none yet; create one with business_create")]
    checks = [_check("businesses", "ok", ", ".join(found))]
    begun = sorted(path.name for path in layout.businesses.iterdir() if path.is_dir() and path.name not in found)
    checks += [_check(f"business {name}", "failed", "was begun and not finished; create it again") for name in begun]
    holders = [holder for manifest in found.values() for holder in manifest.agents.values()]
    return [*checks, *(_agent_checked(agent, holder) for holder in holders)]


def _agent_checked(agent: Agent, holder: str) -> dict[str, str]:
    folder = agent.services.layout.agent(holder)
    missing = [name for name in (AGENT_FILE, *MIND_FILES) if not (folder / name).exists()]
    if missing:
        return _check(f"agent {holder}", "failed", f"has no {', '.join(missing)}")
    try:
        read_agent(agent.services.layout, holder)
        problems = agent.services.agent(holder).mind.problems
    except MabosError as error:
        return _check(f"agent {holder}", "failed", error.message)
    if problems:
        first = problems[0]
        return _check(f"agent {holder}", "degraded", f"{first.file}:{first.line} cannot be read: {first.message}")
    return _check(f"agent {holder}", "ok", "all files are there and can be read")


def _backends_checked(agent: Agent) -> list[dict[str, str]]:
    services = agent.services
    profile, environment = services.settings.models.profile, services.environment
    without = "none; agents run on formulas, rules, cases and plans. Set OPENAI_API_KEY, or a profile in mabos.yaml"
    model = _check("chat model", "degraded", without)
    if environment.forbid_model:
        model = _check("chat model", "degraded", "forbidden by MABOS_FORBID_MODEL")
    elif profile is not None:
        model = _check("chat model", "ok", f"{profile.model} at {profile.base_url}")
        if profile.api_key_env and not environment.secret(profile.api_key_env):
            model = _check("chat model", "failed", f"{profile.api_key_env} is not set; it holds the key")
    graph = environment.neo4j_uri or "embedded; set NEO4J_URI for a server"
    vectors = environment.chroma_endpoint or "none; recall is by words. Set CHROMA_ENDPOINT for a server"
    return [model, _check("graph", "ok", graph), _check("vectors", "ok", vectors)]


def _check(name: str, status: Literal["ok", "degraded", "failed"], detail: str) -> dict[str, str]:
    return {"name": name, "status": status, "detail": detail}


_RANK = {"ok": 0, "degraded": 1, "failed": 2}
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
