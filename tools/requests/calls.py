"""Handle orders for one call of an operation: arguments from the slots, and the check of its result."""

from collections.abc import Mapping
from typing import Any

from mabos.configs.errors import InvalidArgument, MabosError, Refused
from mabos.configs.yaml_file import packaged_yaml
from mabos.language.catalogue import is_read_by_schema
from mabos.language.request import Check, Claim, Request
from mabos.mind.model import Step
from mabos.tools.catalogue.declaration import OWN, Tool
from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import call
from mabos.tools.gate.identity import check_capability
from mabos.tools.requests.carrying import OVER, plan_id
from mabos.tools.requests.catalogue import operations
from mabos.tools.requests.colleagues import cannot
from mabos.tools.requests.listings import extract_values, in_words
from mabos.tools.requests.records import section
from mabos.tools.requests.response import Ask, Decline, Do, Response, Say
from mabos.tools.runtime.services import Agent, Caller
from mabos.workspace.copies import replace
from mabos.workspace.currencies import DOLLARS, home, money

CREATES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "ad_campaign_create": ("campaigns", ("name", "channel", "segment", "weekly_budget_usd", "weeks")),
    "work_package_create": ("work_packages", ("title", "budget_usd")),
    "crm_create_contact": ("contacts", ("email", "name", "company")),
    "contractor_add": ("contractors", ("name", "hourly_rate_usd")),
    "metrics_record": ("metrics", ("name", "value")),
    "goal_create": ("goals", ("description", "level")),
    "content_generate": ("content", ("type", "title")),
    "stripe_create_product": ("products", ("name",)),
    "decision_request": ("decisions", ("subject",)),
}
"""The records that an operation creates: their section, and the arguments that they contain unchanged."""

_UNNAMED = ("metrics",)
"""Sections whose operations return no id of the record that they make."""

NAMES: Mapping[str, str] = {
    "campaign_id": "campaigns",
    "contact": "contacts",
    "contractor_id": "contractors",
    "package_id": "work_packages",
    "product": "products",
}
"""Arguments that name a record: people say its name, operations want its id."""

QUESTIONS: Mapping[str, str] = packaged_yaml("requests/asking.yaml")["missing"]


def call_tool(agent: Agent, request: Request) -> Response:
    """Return the response to an order for an operation of the catalogue."""
    tool = agent.services.tools.tool(request.operation)
    acting = agent if agent.caller.kind == "agent" else replace(agent, caller=Caller("agent", agent.id))
    try:
        check_capability(acting, tool)
    except Refused as refused:
        return cannot(agent, tool, request, refused.message)
    if request.missing and (currency := request.slot("currency")):
        said = money(float(request.slot("amount", 0)), str(currency))
        kept = "dollars" if home() == DOLLARS else home()
        return Ask(f"You said {said}, and the company counts in {kept}. How many {kept} is that?", request.missing)
    if request.missing:
        return asks_for(request.missing)
    properties = tool.schema.get("properties", {})
    given = {one.name: one.value for one in request.slots if one.name in properties}
    return _build_call(agent, request, tool, given)


def looked_up(agent: Agent, request: Request) -> Response | None:
    """Return the answer of an owner's tool to a question, if a read-only one clearly fits."""
    registry = agent.services.tools
    acting = replace(agent, caller=Caller("agent", agent.id))
    known = [one for one in operations(agent.services) if _answers(acting, registry, one.name)]
    if not known:
        return None
    from mabos.language.calls import ACT, read_call  # loads learned numbers, which most questions do not need

    reading = read_call(request.sentence, known, now=agent.clock())
    if reading.probability < ACT or reading.lacking:
        return None
    return _build_call(agent, request, registry.tool(reading.operation), reading.arguments)


def _answers(acting: Agent, registry: Registry, name: str) -> bool:
    """Return whether an operation is one that the owner brought, only reads, and is the agent's to use."""
    if not is_read_by_schema(name):
        return False
    tool = registry.tool(name)
    if tool.catalogue != OWN or tool.writes:
        return False
    try:
        check_capability(acting, tool)
    except Refused:
        return False
    return True


def _build_call(agent: Agent, request: Request, tool: Tool, given: Mapping[str, Any]) -> Response:
    """Return the call of an operation with these arguments, checked before anybody is asked about it."""
    names: Mapping[str, str] = (
        {} if tool.catalogue == OWN else NAMES
    )  # arguments of a user's own tools name records of the user's
    named = {name: _record_of(agent, name, value) for name, value in given.items() if name in names}
    if vague := next((one for one in named.values() if isinstance(one, Ask)), None):
        return vague
    arguments = {**_default_arguments(tool.name, request, given), **given, **named}
    try:
        values = tool.validate_arguments(arguments)
        told = tool.told(agent, values.model_dump(mode="json", by_alias=True))
    except InvalidArgument as error:
        required = set(tool.schema.get("required", ()))
        is_missing = error.argument in required and error.argument not in arguments
        return asks_for((str(error.argument),)) if is_missing else Decline(error.message)
    except MabosError as error:
        return Decline(error.message)
    if tool.only_reads(values):
        return _read(agent, tool, arguments)
    step = Step(id="S1", description=told, tool=tool.name, arguments=arguments)
    return Do(request.sentence or told, (step,), (check_of(tool.name, arguments, request),))


def _record_of(agent: Agent, argument: str, value: Any) -> Any:
    """Return the id of the record that people call by this name; a question where none or several are meant."""
    section_name, wanted = NAMES[argument], str(value).strip(" .,;:!?'\"").casefold()
    found = section(agent, section_name)
    if any(str(one.get("id", "")).casefold() == wanted for one in found):
        return value
    titles = {str(one["id"]): str(one.get("name") or one.get("title") or "") for one in found}
    exact = [key for key, name in titles.items() if name.casefold() == wanted]
    live = {str(one["id"]) for one in found if str(one.get("status", "")) not in OVER}
    exact = [key for key in exact if key in live] or exact  # a package that was recorded again has its old one too
    close = exact or [key for key, name in titles.items() if wanted and wanted in name.casefold()]
    if len(close) == 1:
        return close[0]
    known = ", ".join(f"{name!r} ({key})" for key, name in list(titles.items())[:6]) or "none"
    noun = section_name.replace("_", " ").removesuffix("s")
    return Ask(f"Which {noun} do you mean by {str(value)!r}? On record: {known}.", (argument,))


def asks_for(missing: tuple[str, ...]) -> Ask:
    """Return the one question that names all missing values."""
    asked = [QUESTIONS.get(name, f"What is the {name.replace('_', ' ').removesuffix(' usd')}?") for name in missing]
    return Ask(" ".join(asked), missing)


def check_of(tool: str, arguments: Mapping[str, Any], request: Request) -> Check:
    """Return the acceptance check of a call: the record that it creates, with the requested values."""
    if tool not in CREATES:
        made = {"tool": tool, "status": "done", "id": {"contains": f"{plan_id(request)}/"}}
        return Check("effects", made, note=f"{tool} was performed")
    section, fields = CREATES[tool]
    where: dict[str, Any] = {name: arguments[name] for name in fields if arguments.get(name) not in (None, "", [])}
    note = ", ".join(f"{name} {value}" for name, value in where.items())
    if section not in _UNNAMED:
        where["made_by"] = plan_id(request)
    return Check(section, where, note=f"{section}: {note}")


def _default_arguments(tool: str, request: Request, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments that follow from the request itself, where a person need not say them."""
    if tool == "work_package_create":
        return {"description": request.sentence, "required_skills": []}
    if tool == "ad_campaign_create" and "name" not in given:
        return {"name": request.sentence[:80]}
    return {}


def _read(agent: Agent, tool: Tool, arguments: Mapping[str, Any]) -> Response:
    """Return the answer of a read-only operation, in words."""
    outcome = call(agent.services, tool.name, arguments, caller=Caller("agent", agent.id), cycle=agent.cycle)
    if not outcome.ok:
        return Decline(outcome.message)
    claims = tuple(
        Claim(record, name, value, agent.now()) for record, name, value in extract_values(tool.name, outcome.result)
    )
    return Say(in_words(tool.name, tool.summary, outcome.result, arguments), claims, status="done")
