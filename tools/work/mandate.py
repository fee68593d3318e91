"""Checks that a person wants an effect at all, and of the basis of a model's call, before it becomes an order.

withheld(agent, order, session, spoken)       # "the person only asks here: 'Should we start ads?'", or ""
unsupported(agent, order, spoken, trusted)    # values of a small order that were not given
"""

import re
from collections.abc import Iterator
from typing import Final

from mabos.backends.chat import ToolUse
from mabos.language.catalogue import wordings
from mabos.language.conditions import conditional
from mabos.language.interpreter import Context
from mabos.language.request import Request, Slot
from mabos.language.sentences import split
from mabos.language.wordlists import order_form
from mabos.society.messages import Message
from mabos.society.roles import STAKEHOLDER
from mabos.tools.catalogue.declaration import OWN, Tool
from mabos.tools.requests.catalogue import operations
from mabos.tools.runtime.services import Agent
from mabos.tools.work.clauses import ReadText, SaidClause, read_text, words_of
from mabos.tools.work.grounding import foreign_names, foreign_words, ground, order_score
from mabos.tools.work.readers import names_everybody
from mabos.tools.work.session import ERROR, WorkSession, parent_of, session_id
from mabos.tools.work.spoken import SpokenWords, assents
from mabos.workspace.copies import replace
from mabos.workspace.text import shorten

NOT_YET: Final = "Not done yet: "
"""The prefix of the refusal of a call that goes to the owner if repeated."""
INSISTS: Final = "insists"
"""The key in the data of an order that says why it was held back before the model made it again."""
_ANALYSES: Final = frozenset({
    "ask_colleagues", "reason", "report_generate", "keyword_tracker", "policy_eval", "infer_forward", "goal_evaluate",
    "desire_evaluate", "memory_checkpoint", "workflow_status", "plan_generate",
})  # fmt: skip
"""Calls that only work something out, or ask: a question may need one."""
_LETTERS: Final = frozenset({"email_send", "email_campaign"})
_SENDS: Final = re.compile(r"\b(?:send|write|mail|e-?mail|post|dispatch)\b")
_DOES: Final = re.compile(
    r"\b(?:start|launch|begin|book|order|place|do|go|publish|buy|pay|run|commission|create|proceed|act|execute)\b"
)
_VAGUE: Final = order_form("work_mandate.vague")
_ENTRIES: Final = re.compile(
    r"\b(?:add|enter|import|save|keep|record|note|put|store|create|update|contacts?|crm|leads?|address\w*|list)\b"
)
"""Words of who wants records to be made of what stands somewhere."""
_UNTRUSTED: Final = frozenset({"messages", "facts", "beliefs"})
"""Sections of records that hold what documents and mails say."""


def withheld(agent: Agent, order: Request, session: WorkSession, spoken: SpokenWords) -> str:
    """Return why a person does not want an order now, or an empty text: a question, a prohibition or a condition."""
    message = agent.inbox.find(order.message_id)
    read = _words_at_hand(message, spoken)
    is_free = order.act != "order" or order.operation in _ANALYSES or read is None
    if is_free or read is None or (message is not None and message.sender == STAKEHOLDER and assents(message.content)):
        return ""
    if message is not None and message.performative == "QUERY" and message.sender != STAKEHOLDER:
        return f"your colleague only asks here: {_quote_text(read.text)}"
    if read.purpose == "question" and not _reports(agent, order, read):
        return f"the person only asks here: {_quote_text(_clause(read, 'question'))}"
    ban = _clause(read, "ban") if read.purpose == "ban" else next((one.text for one in _bans(order, read)), "")
    return f"the person says not to: {_quote_text(ban)}" if ban else _condition(agent, order, session, read)


def is_repeated(session: WorkSession, use: ToolUse) -> bool:
    """Return whether the same call was held back before in this session: then the model insists on it."""
    uses = {one.id: one for turn in session.turns for one in turn.tool_uses}
    return any(
        turn.role == "tool"
        and turn.content.startswith(f"{ERROR}{NOT_YET}")
        and (before := uses.get(turn.tool_use_id)) is not None
        and (before.name, before.arguments) == (use.name, use.arguments)
        for turn in session.turns
    )


def find_unsupported(agent: Agent, order: Request, spoken: SpokenWords) -> str:
    """Return the parts of a small order, or one to a colleague, that the person did not give, or an empty text.

    Orders that cost, publish or leave the company go to the owner at the gate instead.
    """
    if order.act != "order" or order.operation in (*_ANALYSES, *_LETTERS) or not spoken.sources:
        return ""
    trusted = trusted_results(agent, order)
    if order.operation == "project":
        return _first(ground(agent, replace(order, slots=_only(order, "deadline")), spoken).missing)
    if order.operation == "delegate":
        known = f"{trusted}\n{_own_names(agent)}"
        text = str(order.slot("text", ""))
        missing = [*foreign_words(text, spoken, trusted=trusted), *foreign_names(text, spoken, known)]
        return _first((*missing, *_days(agent, order, spoken)))
    if order.operation in agent.services.tools.names:
        is_entry = order.operation == "crm_create_contact" and asks_for_entries(spoken)
        if is_entry or is_outward(agent.services.tools.tool(order.operation), order):
            return ""
        return _first((*_check_tags(order, spoken), *ground(agent, order, spoken, trusted=trusted).missing))
    texts = [one for slot in order.slots if isinstance(slot.value, str) for one in _prose(slot, spoken, trusted)]
    return _first((*texts, *_days(agent, order, spoken)))


def asks_for_entries(spoken: SpokenWords) -> bool:
    """Return whether a person asks to keep, add or import something, so that values may come from elsewhere."""
    return bool(_ENTRIES.search(spoken.texts[-1].casefold())) if spoken.texts else False


def trusted_results(agent: Agent, order: Request) -> str:
    """Return the results of records and a user's own tools in an order's session, without documents and mail."""
    parent = agent.requests.find(parent_of(order))
    session = agent.work.find(session_id(parent)) if parent is not None else None
    if session is None:
        return ""
    uses = {one.id: one for turn in session.turns for one in turn.tool_uses}
    tools = agent.services.tools
    found = list[str]()
    for turn in session.turns:
        use = uses.get(turn.tool_use_id) if turn.role == "tool" else None
        if use is None:
            continue
        is_record = use.name == "records" and str(use.arguments.get("section")) not in _UNTRUSTED
        own = tools.tool(use.name) if use.name in tools.names else None
        is_own = own is not None and own.catalogue == OWN and own.is_ours
        found += [turn.content] if is_record or is_own else []
    return "\n".join(found)


def is_outward(tool: Tool, order: Request) -> bool:
    """Return whether an order costs, publishes, leaves the company or cannot be undone, so that the gate checks it."""
    arguments = {one.name: one.value for one in order.slots}
    try:
        costs = tool.amount(tool.validate_arguments(arguments).model_dump(mode="json", by_alias=True)) > 0
    except Exception:  # noqa: BLE001  # the handler says what is wrong with it
        costs = True
    return tool.external or not tool.reversible or costs


# --- what the message is for --------------------------------------------------


def _words_at_hand(message: Message | None, spoken: SpokenWords) -> ReadText | None:
    if spoken.focus:
        return spoken.focus[0].read
    return read_text(message.content, spoken.at) if message is not None else None


def _reports(agent: Agent, order: Request, read: ReadText) -> bool:
    """Return whether an order only keeps a figure that the person reports next to a question."""
    names = agent.services.tools.names
    if order.operation not in names or is_outward(agent.services.tools.tool(order.operation), order):
        return False
    told = {one.block for one in read.clauses if one.kind == "statement"}
    return any(one.block in told for one in read.mentions)


def _bans(order: Request, read: ReadText) -> Iterator[SaidClause]:
    """Yield the clauses that forbid this order more than any other clause asks for it."""
    if order.operation in _LETTERS and order.slot("draft"):
        return
    wanted = max((order_score(order, read.block_words(block)) for block in read.blocks), default=0)
    for clause in read.clauses:
        if clause.kind != "ban":
            continue
        score = order_score(order, clause.words)
        if score > wanted or (not score and _bars_it(order, clause, read)):
            yield clause


def _bars_it(order: Request, clause: SaidClause, read: ReadText) -> bool:
    """Return whether a ban without a thing of its own ("do not send it yet") is about this order."""
    if not re.search(r"\b(?:it|that|this|them|anything|yet)\b", clause.text.lower()) or len(clause.words) > 3:
        return False
    before = read.block_words(clause.block - 1)
    best = max((order_score(order, read.block_words(block)) for block in read.blocks), default=0)
    verbs = _SENDS if order.operation in _LETTERS else _DOES
    wording = wordings().get(order.operation)
    own, text = set(order.operation.split("_")), re.sub(r"\b(?:do not|don['’]?t)\b", "", clause.text.lower())
    is_mail = wording is None and bool({"send", "mail"} & own) and bool(_SENDS.search(text))
    is_verb = bool(verbs.search(text)) or bool(own & clause.words) or is_mail
    return is_verb and order_score(order, before) == best


def _condition(agent: Agent, order: Request, session: WorkSession, read: ReadText) -> str:
    """Return the condition of an order that nothing in the session looked into, or an empty text."""
    if order.operation not in agent.services.tools.names or any(one.role == "tool" for one in session.turns):
        return ""
    context = Context(now=agent.clock(), operations=operations(agent.services))
    for sentence in split(read.text):
        found = conditional(sentence, context)
        given = {one.name: str(one.value) for one in found.slots} if found is not None else {}
        if given and order_score(order, words_of(given["then"])):
            return f"the order has a condition, {_quote_text(given['condition'])}, and nothing was looked up"
    return ""


def _clause(read: ReadText, kind: str) -> str:
    return next((one.text for one in read.clauses if one.kind == kind), read.text)


def _quote_text(text: str) -> str:
    return f"'{shorten(' '.join(text.split()), 100, at_word=True)}'"


# --- small orders -------------------------------------------------------------


def _prose(slot: Slot, spoken: SpokenWords, trusted: str) -> Iterator[str]:
    if slot.name in ("text", "title", "metric"):
        yield from foreign_words(str(slot.value), spoken, trusted=trusted)


def _days(agent: Agent, order: Request, spoken: SpokenWords) -> tuple[str, ...]:
    """Return the days and numbers of an office order that were not given; vague words may mean any day."""
    kept = _only(order, "date", "deadline", "target", "text")
    missing = ground(agent, replace(order, slots=kept), spoken).missing
    has_days = any(time.day is not None for one in spoken.focus for time in one.read.times)
    is_vague = not has_days and any(_VAGUE.search(one.text.lower()) for one in spoken.focus)
    return tuple(one for one in missing if not (is_vague and re.match(r"\d{4}-\d\d-\d\d", one)))


def _check_tags(order: Request, spoken: SpokenWords) -> Iterator[str]:
    """Yield a tag that was not given, and all contacts if all were not meant."""
    if order.operation != "crm_tag_contacts":
        return
    tag = str(order.slot("tag", ""))
    if not words_of(tag) & words_of(f"{spoken.lowered}\n{spoken.papers}"):
        yield f"the tag {tag!r}"
    if not any(order.slot(name) for name in ("contacts", "list", "segment", "stage")) and not names_everybody(spoken):
        yield "to tag all contacts"


def _only(order: Request, *names: str) -> tuple[Slot, ...]:
    return tuple(one for one in order.slots if one.name in names)


def _own_names(agent: Agent) -> str:
    """Return the names that everybody in the company knows: its own, and those of its colleagues."""
    if not agent.business_id:
        return agent.id
    manifest = agent.business.manifest
    return "\n".join([manifest.name, agent.id, *manifest.agents, *manifest.agents.values(), "owner stakeholder board"])


def _first(missing: tuple[str, ...] | list[str]) -> str:
    return "; ".join(list(dict.fromkeys(missing))[:3])
