"""A check of a workspace's setup: parts that work, are limited or broken, each with its remedy."""

from collections.abc import Iterator
from typing import Any, Literal

from mabos.backends.one_address import public
from mabos.configs.errors import MabosError
from mabos.knowledge.ontology.vocabulary import FOLDER
from mabos.mind.forms import MIND_FILES
from mabos.society.business import AGENT_FILE, Manifest, manifests, read_agent
from mabos.society.webhooks import SECRETS
from mabos.tools.graph.goals import goals_of
from mabos.tools.runtime.services import Agent

Status = Literal["ok", "degraded", "failed"]
Check = dict[str, str]

_RANK: dict[str, int] = {"ok": 0, "degraded": 1, "failed": 2}
_FIRST = "cash"  # the number by which everything else is judged


def setup_health_check(agent: Agent) -> dict[str, Any]:
    """Return what is set up, what works in a reduced way, and what is broken, each with the command that mends it."""
    checks = [*_businesses(agent), *_backends(agent), *_services(agent)]
    worst = max((_RANK[check["status"]] for check in checks), default=0)
    return {
        "status": list(_RANK)[worst],
        "checks": checks,
        "counts": {status: sum(check["status"] == status for check in checks) for status in _RANK},
        "text": "\n".join(
            f"{check['status']}: {check['name']}: {check['detail']}" + (f" ({check['mend']})" if check["mend"] else "")
            for check in checks
        ),
    }


def _businesses(agent: Agent) -> Iterator[Check]:
    layout = agent.services.layout
    try:
        found = manifests(layout)
    except MabosError as error:
        yield _check("businesses", "failed", error.message, "mabos verify files")
        return
    if not found:
        mend = "mabos business create acme --name Acme --template saas"
        yield _check("businesses", "degraded", "there is none yet; create one with business_create", mend)
        return
    yield _check("businesses", "ok", ", ".join(found))
    begun = sorted(path.name for path in layout.businesses.iterdir() if path.is_dir() and path.name not in found)
    for name in begun:
        mend = f"mabos business create {name} --name {name.title()} --template saas"
        yield _check(f"business {name}", "failed", "was begun and not finished; create it again", mend)
    for manifest in found.values():
        # First the files as they lie: looking for goals opens minds, and a mind that opens writes what is missing.
        yield from (_agent(agent, holder) for holder in manifest.agents.values())
        yield from _company(agent, manifest)


def _company(agent: Agent, manifest: Manifest) -> Iterator[Check]:
    """Yield whether a business has its words, its goals and its numbers."""
    words = agent.services.layout.root / FOLDER / f"{manifest.domain}.jsonld"
    if words.exists():
        yield _check(f"ontology {manifest.id}", "ok", f"{words.name} is there")
    else:
        yield _check(f"ontology {manifest.id}", "failed", f"{words.name} is missing", "mabos init")
    yield _goals(agent, manifest)
    recorded = set(agent.services.business(manifest.id).metrics.names())
    missing = [name for name in manifest.metrics if name not in recorded]
    if recorded.isdisjoint(manifest.metrics):
        given = f'{{"name": "{_FIRST}", "value": 0, "business_id": "{manifest.id}"}}'
        said = f"nothing is measured yet; it wants {', '.join(missing[:6])}, ..."
        yield _check(f"metrics {manifest.id}", "degraded", said, f"mabos call metrics_record '{given}'")
    else:
        said = f"{len(recorded)} are recorded" + (f"; never recorded: {', '.join(missing[:6])}" if missing else "")
        yield _check(f"metrics {manifest.id}", "ok", said)


def _goals(agent: Agent, manifest: Manifest) -> Check:
    name = f"goals {manifest.id}"
    try:
        wanted = {one.target for one in goals_of(manifest)}
        held = {goal.target for holder in manifest.agents.values() for goal in agent.services.agent(holder).mind.goals}
    except MabosError as error:
        return _check(name, "failed", error.message, "mabos verify files")
    lacking = len(wanted - held)
    if not lacking:
        return _check(name, "ok", f"all {len(wanted)} goals of the business are somebody's")
    mend = f'mabos call goal_seed_business \'{{"business_id": "{manifest.id}"}}\''
    return _check(name, "degraded", f"{lacking} of {len(wanted)} goals of the business are nobody's", mend)


def _agent(agent: Agent, holder: str) -> Check:
    folder, name = agent.services.layout.agent(holder), f"agent {holder}"
    missing = [file for file in (AGENT_FILE, *MIND_FILES) if not (folder / file).exists()]
    if missing:
        mend = "mabos verify files" if AGENT_FILE in missing else "mabos heartbeat --once"
        return _check(name, "failed", f"has no {', '.join(missing)}", mend)
    try:
        read_agent(agent.services.layout, holder)
        problems = agent.services.agent(holder).mind.problems
    except MabosError as error:
        return _check(name, "failed", error.message, "mabos verify files")
    if problems:
        first = problems[0]
        said = f"{first.file}:{first.line} cannot be read: {first.message}"
        return _check(name, "degraded", said, "mabos verify files")
    return _check(name, "ok", "all files are there and can be read")


def _backends(agent: Agent) -> Iterator[Check]:
    services = agent.services
    profile, environment = services.settings.models.profile, services.environment
    without = "none; agents run on formulas, rules, cases and plans. Set OPENAI_API_KEY, or a profile in mabos.yaml"
    if environment.forbid_model:
        yield _check("chat model", "degraded", "forbidden by MABOS_FORBID_MODEL", "unset MABOS_FORBID_MODEL")
    elif profile is None:
        yield _check("chat model", "degraded", without, "export OPENAI_API_KEY=...")
    elif profile.api_key_env and not environment.secret(profile.api_key_env):
        said = f"{profile.api_key_env} is not set; it holds the key"
        yield _check("chat model", "failed", said, f"export {profile.api_key_env}=...")
    else:
        where = f"{profile.model} at {public(profile.base_url)}" if profile.base_url else profile.provider
        yield _check("chat model", "ok", where)
    graph = public(environment.neo4j_uri) or "embedded; set NEO4J_URI for a server"
    yield _check("graph", "ok", graph)
    vectors = public(environment.chroma_endpoint) or "none; recall is by words. Set CHROMA_ENDPOINT for a server"
    yield _check("vectors", "ok", vectors)


def _services(agent: Agent) -> Iterator[Check]:
    """Yield how mail, prices and reports of other services are set up: each works here without an account."""
    settings, environment = agent.services.settings, agent.services.environment
    mail = f"{settings.notify.smtp_host}:{settings.notify.smtp_port}" if settings.notify.smtp_host else ""
    yield _check("mail", "ok", mail or "laid into a Maildir of the business; notify.smtp_host names a server")
    base = public(settings.stripe.api_base)
    if base and not environment.secret("STRIPE_API_KEY"):
        said = f"prices are made at {base}, and STRIPE_API_KEY is not set"
        yield _check("prices", "failed", said, "export STRIPE_API_KEY=...")
    else:
        yield _check("prices", "ok", base or "made in the business's own files; STRIPE_API_BASE names a server")
    heard = [source for source, variable in SECRETS.items() if environment.secret(variable)]
    others = [variable for source, variable in SECRETS.items() if source not in heard]
    said = f"taken in from {', '.join(heard)}" if heard else "none is taken in"
    yield _check("webhooks", "ok", said + (f"; set {', '.join(others)} for more" if others else ""))


def _check(name: str, status: Status, detail: str, mend: str = "") -> Check:
    return {"name": name, "status": status, "detail": detail, "mend": mend}
