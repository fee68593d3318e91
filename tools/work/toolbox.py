"""A model's tools: those the agent may use, the most relevant for the current words, and a search for more.

A schema costs ten times the tokens of a line. So the most relevant tools have their schema, the next ones a line in the
description of `find_operations`.

toolbox = Toolbox(agent, "Start a search campaign for 90 dollars a week", limit=18)
toolbox.specs(found=())                          # ToolSpec("ad_campaign_create", ...), ToolSpec("look_up", ...), ...
toolbox.listed                                   # ("keyword_tracker", "seo_audit", ...): named without a schema
toolbox.find_operations("set a price")           # further operations, and the colleagues who may use them
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from typing import Final

from mabos.backends.chat import ToolSpec
from mabos.configs.errors import Refused
from mabos.configs.yaml_file import packaged_yaml
from mabos.language.catalogue import wordings
from mabos.memory.stem import stem
from mabos.tools.catalogue.declaration import OWN, Tool
from mabos.tools.gate.identity import check_capability
from mabos.tools.requests.colleagues import capable, title
from mabos.tools.requests.records import section
from mabos.tools.requests.reports import open_steps
from mabos.tools.runtime.services import Agent, Caller
from mabos.tools.work.office import LETTER, ORDERS, find_draft_orders
from mabos.tools.work.ranking import Entry, rank
from mabos.tools.work.reads import READS
from mabos.tools.work.schemas import compact_schema
from mabos.workspace.copies import replace
from mabos.workspace.text import STOPWORDS, terms

FIND: Final = "find_operations"
ALWAYS: Final = ("look_up", "records")
"""Shown whatever the words are, besides `find_operations`."""
REPLACED: Final[Mapping[str, str]] = {
    "agent_message": "ask_colleagues",
    "decision_request": "project",
    "email_campaign": "write_letter",
    "email_send": "write_letter",
    "goal_create": "task",
    "goal_seed_business": "task",
}
"""Operations that a model reaches by an order of the office, which is exact where they are not."""
OF_PEOPLE: Final = frozenset({
    "business_create", "decision_resolve", "onboard_business", "ontology_merge_approved", "ontology_validate_proposal",
    "stakeholder_profile", "stripe_handle_webhook", "webhook_process",
})  # fmt: skip
"""Operations that only a person, or a service, calls."""
INTERNAL: Final = frozenset({
    "BDI core", "Planning", "Memory", "Knowledge memory", "Communication", "Agent bus", "Inference",
    "Rules", "Knowledge", "Ontology", "Graph", "Workflows", "Facts", "Reasoning",
})  # fmt: skip
"""Modules of an agent's own desk: shown only where the words ask for them."""
_ABOUT: Final[Mapping[str, tuple[str, ...]]] = {
    "campaigns": ("ad_campaign_manage",),
    "contractors": ("work_package_assign", "contractor_list"),
    "deals": ("crm_pipeline",),
    "metrics": ("metrics_record",),
    "products": ("stripe_create_price",),
    "work_packages": ("work_package_update", "work_package_assign"),
}
"""Operations about records of a section: a text that names such a record may mean them."""
_NAMED: Final = 0.35
_FAMILIES: Final[Mapping[str, str]] = packaged_yaml("tool_families.yaml")
_ORDER_PRIOR: Final = 0.12
_OWN_PRIOR: Final = 0.5
"""The bonus of tools that a user added over built-in ones."""
_PRIORS: Final[Mapping[str, float]] = {
    **dict.fromkeys(("change_order", "withdraw_order"), 0.4),
    **dict.fromkeys(("report_done", "send_drafts", "task", "write_letter"), 0.25),
}
"""The bonus of orders of the office over operations, as most messages are one of them."""
_FIND_SPEC: Final = ToolSpec(
    FIND,
    "Search all operations, also those that only colleagues may use. What is found can be called from then on.",
    {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What is to be done, in a few words."}},
        "required": ["query"],
        "additionalProperties": False,
    },
)
_ALREADY: Final = ("change_order", "withdraw_order", "report_done", "send_drafts")
"""Orders about earlier orders: short, asked for in few words, and shown wherever there is something for them."""
_LARGE: Final = 2_000
"""Characters of a schema that is shown only where a search found it."""
_FOUND: Final = 4
"""Operations that one search lists."""


@dataclass(frozen=True)
class Toolbox:
    """The tools of one agent for one text.

    At most `limit` are named. Permanent ones and the most relevant others have their schema.
    """

    agent: Agent
    text: str
    limit: int

    def specs(self, found: Collection[str] = ()) -> tuple[ToolSpec, ...]:
        """Return the tools to show: permanent ones, the most relevant, and those that a search `found`."""
        more = [name for name in found if name not in self._whole and self._is_known(name)]
        chosen = sorted({*self._whole, *more}, key=_in_order)
        return (self._find_spec, *(self.spec(name) for name in chosen))

    @cached_property
    def listed(self) -> tuple[str, ...]:
        """Return the tools listed without a schema: all other orders of the office, and operations."""
        others = [name for name in self._ranked_tools if name not in self._whole]
        orders = [name for name in others if name in ORDERS]
        room = max(0, self.limit - 1 - len(self._whole))
        operations = [name for name in others if name not in ORDERS][: max(0, room - len(orders))]
        return (*orders[:room], *operations)

    @property
    def offered(self) -> frozenset[str]:
        """Return the names of all tools shown or listed from the start."""
        return frozenset((FIND, *self._whole, *self.listed))

    @cached_property
    def _whole(self) -> tuple[str, ...]:
        """Return the tools that have their schema, before any search."""
        known = set(self._ranked_tools)
        fixed = [*ALWAYS, *(["read_document"] if self._has_documents() else [])]
        fixed += [name for name in _ALREADY if name in known]
        small = (one for one in self._ranked_tools if one not in fixed and not self._is_large(one))
        room = min(self.agent.services.settings.work.schemas, self.limit - 1 - len(fixed))
        return (*fixed, *islice(small, max(0, room)))

    @cached_property
    def _find_spec(self) -> ToolSpec:
        """Return the search, whose description names the tools without a schema."""
        named = "; ".join(f"{name} ({_in_short(self._summary(name))})" for name in self.listed)
        said = f"{_FIND_SPEC.description} Also there, search by name: {named}." if named else _FIND_SPEC.description
        return replace(_FIND_SPEC, description=said)

    def _is_large(self, name: str) -> bool:
        return name not in ORDERS and len(str(self.agent.services.tools.tool(name).schema)) > _LARGE

    def spec(self, name: str) -> ToolSpec:
        """Return one tool in the form for a model; raises `UnknownId`."""
        return spec_of(self.agent, name)

    def names(self, found: Collection[str] = ()) -> frozenset[str]:
        """Return the names of the tools that are shown."""
        return frozenset(one.name for one in self.specs(found))

    def find_operations(self, query: str) -> str:
        """Return the operations that match a query, with their purpose and permitted users."""
        lines = [f"- {name}: {self._summary(name)} {self._who(name)}" for name in self.found_by(query)]
        return "\n".join(lines) if lines else "No operation fits. Say so, and offer the nearest possible thing."

    def found_by(self, query: str) -> tuple[str, ...]:
        """Return the names of operations that match a query, best first, for any agent; named ones first."""
        bonus = named_records(self.agent, query)
        ranked = rank(self.agent.services, query, tuple(self._entries(every=True)), bonus)
        words = set(re.findall(r"[\w:]+", query.lower()))
        named = [name for name in ranked if name in words]
        return tuple(dict.fromkeys((*named, *ranked)))[: max(_FOUND, len(named))]

    def usable(self, names: Collection[str]) -> tuple[str, ...]:
        """Return the operations that the agent may use itself."""
        return tuple(name for name in names if self._is_known(name) and self.may(name))

    def may(self, name: str) -> bool:
        """Return whether the agent may use a tool."""
        needs = ORDERS[name].needs if name in ORDERS else "" if name in READS or name == FIND else name
        return not needs or may_use(self.agent, self.agent.services.tools.tool(needs))

    @cached_property
    def _ranked_tools(self) -> list[str]:
        """Return the tools by relevance, once: the same tools in each round of a session keep prompt caches warm."""
        bonus = named_records(self.agent, self.text)
        return rank(self.agent.services, self.text, tuple(self._entries(every=False)), bonus)

    def _entries(self, *, every: bool) -> Iterator[Entry]:
        """Yield the possible entries: of all operations, or of those that the agent may use."""
        idle = frozenset[str]() if every else self._idle()
        for name in ORDERS:
            if (every or self.may(name)) and name not in idle:
                yield entry_of_order(name, prior=_PRIORS.get(name, _ORDER_PRIOR))
        for tool in self.agent.services.tools.all():
            if tool.name in OF_PEOPLE or tool.name in REPLACED:
                continue
            if every or may_use(self.agent, tool):
                yield entry_of_tool(tool)

    def _idle(self) -> frozenset[str]:
        """Return the orders about earlier orders for which there is nothing on record."""
        requests = [one for one in self.agent.requests.all() if one.operation != "work"]
        has_orders = any(one.act in ("order", "standing") for one in requests)
        is_idle = {
            "change_order": not has_orders,
            "withdraw_order": not has_orders,
            "report_done": not open_steps(self.agent),
            "send_drafts": not find_draft_orders(self.agent),
        }
        return frozenset(name for name, holds in is_idle.items() if holds)

    def _is_known(self, name: str) -> bool:
        return name in ORDERS or name in READS or (name in self.agent.services.tools.names and name not in REPLACED)

    def _has_documents(self) -> bool:
        if not self.agent.business_id:
            return False
        folder = self.agent.business.directory / "inbox"
        return folder.is_dir() and any(one.is_file() and one.name[0] != "." for one in folder.iterdir())

    def _summary(self, name: str) -> str:
        return ORDERS[name].description if name in ORDERS else self.agent.services.tools.tool(name).summary

    def _who(self, name: str) -> str:
        if self.may(name):
            return "(you may use it)"
        needs = ORDERS[name].needs if name in ORDERS else name
        other = capable(self.agent, self.agent.services.tools.tool(needs))
        return (
            f"(only {title(self.agent, other)} may use it: delegate to {other})" if other else "(no agent may use it)"
        )


def spec_of(agent: Agent, name: str) -> ToolSpec:
    """Return any tool in the form for a model; raises `UnknownId`."""
    if name == FIND:
        return _FIND_SPEC
    if name in ORDERS:
        return ORDERS[name].spec
    if name in READS:
        return READS[name].spec
    tool = agent.services.tools.tool(name)
    return ToolSpec(tool.name, tool.summary, compact_schema(tool.schema))


def may_use(agent: Agent, tool: Tool) -> bool:
    """Return whether the agent itself, not a person in its name, may use an operation."""
    try:
        check_capability(replace(agent, caller=Caller("agent", agent.id)), tool)
    except Refused:
        return False
    return True


def entry_of_order(name: str, prior: float = _ORDER_PRIOR) -> Entry:
    """Return an order of the office in searchable form."""
    order = ORDERS[name]
    wording = wordings().get(LETTER if name == "write_letter" else name)
    examples = (*asked_as(name), *(wording.examples if wording else ()))
    return Entry(name, order.description, tuple(order.schema["properties"]), examples, prior)


def entry_of_tool(tool: Tool) -> Entry:
    """Return an operation in searchable form."""
    wording = wordings().get(tool.name)
    arguments = tuple(name for name in tool.schema["properties"] if name not in ("agent_id", "business_id", "key"))
    examples = (*asked_as(tool.name), *(wording.examples if wording else ()))
    prior = _OWN_PRIOR if tool.catalogue == OWN else 0.0
    prior = -0.4 if tool.module in INTERNAL and not asked_as(tool.name) else prior
    return Entry(tool.name, tool.summary, arguments, examples, prior, _FAMILIES.get(tool.name, ""))


def named_records(agent: Agent, text: str) -> dict[str, float]:
    """Return the operations on records that a text names, by a word of their names or a campaign's channel."""
    if not agent.business_id:
        return {}
    words = stems(text)
    bonus = dict[str, float]()
    for section_name, operations in _ABOUT.items():
        names = {
            str(one.get("name") or one.get("title") or "").replace("_", " ") for one in section(agent, section_name)
        }
        if any(words & stems(name) for name in names) or (section_name == "campaigns" and _is_on_channel(agent, text)):
            bonus |= dict.fromkeys(operations, _NAMED)
    return bonus


def _is_on_channel(agent: Agent, text: str) -> bool:
    """Return whether a text names the channel of a campaign on record, as Facebook is one of social."""
    channels = wordings()["ad_campaign_create"].synonyms.get("channel", {})
    return any(
        one.channel in channels and channels[one.channel].search(text.lower()) for one in agent.business.campaigns.all()
    )


def stems(text: str) -> frozenset[str]:
    """Return the stems of the meaningful words."""
    return frozenset(stem(one) for one in terms(text) if one not in STOPWORDS and len(one) > 2)


def asked_as(name: str) -> tuple[str, ...]:
    """Return people's words for a tool's work, from `configs/tool_words.yaml`."""
    return tuple(_tool_words().get(name, ()))


@cache
def _tool_words() -> Mapping[str, Sequence[str]]:
    return packaged_yaml("tool_words.yaml")


def _in_short(summary: str) -> str:
    """Return a tool's function, without side remarks."""
    return re.split(r"[.;:,(] ?", summary)[0]


def _in_order(name: str) -> tuple[int, str]:
    """Return a tool's position: the same tools always come in the same order, so that prompt caches work."""
    return (0 if name in READS else 1 if name in ORDERS else 2, name)
