"""Standing instructions in a person's words: recorded at once, in force for every agent of the business."""

import re
from collections.abc import Mapping

from mabos.language.request import Claim, Request
from mabos.language.wordlists import order_table
from mabos.society.contacts import Contact
from mabos.society.instructions import Instruction, concerns, describe_limit
from mabos.society.roles import STAKEHOLDER
from mabos.tools.people.stakeholder import change_profile
from mabos.tools.requests.response import Ask, Decline, Response, Say
from mabos.tools.requests.wording import quote_text
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace
from mabos.workspace.currencies import money
from mabos.workspace.text import terms

OUTWARD = (
    "ad_campaign_create", "content_generate", "email_campaign", "email_send", "stripe_create_price",
    "stripe_create_product", "work_package_create",
)  # fmt: skip
"""The scope of an instruction that names no operation: everything that leaves the company or costs money."""


_PLAIN: Mapping[str, str] = order_table("rules.plain")
"""Operations as the owner names them."""


def instruct(agent: Agent, request: Request) -> Response:
    """Record a rule, or lift one; the reply repeats it, with its start and its scope."""
    if not agent.business_id:
        return Ask("Which business does this rule hold for?")
    if request.sender != STAKEHOLDER:
        return Decline("Only the owner gives rules that hold for everybody.")
    if request.operation in ("lift", "allow"):
        return (_lift_rules if request.operation == "lift" else _allow)(agent, request)
    kind, is_watched = request.operation, request.operation in ("forbid", "ask_first", "cap", "closing")
    if not is_watched and not request.slot("operations"):
        said = f"I note it, and nothing enforces it: {request.sentence!r}."
        can = "What I can enforce: that something is not done, that I ask you first, or the most that it may cost."
        return Say(f"{said} {can}", status="standing")
    kind = kind if is_watched else "ask_first"
    amount = float(request.slot("amount", 0) or 0)
    if "who" in request.missing or (kind == "cap" and amount <= 0):
        pointer = next((repr(one.words) for one in request.slots if one.name == "who"), "")
        asked = f"Whom do you mean by {pointer}? The rule does not hold before I know."
        return Ask(asked, ("who",)) if pointer else Ask("How much is the most it may cost?", ("amount",))
    who = str(request.slot("who", "")) if is_watched else ""  # asked about whomever it concerns
    operations = tuple(request.slot("operations", ()) or (() if who or kind == "closing" else OUTWARD))
    rule = Instruction(
        id=f"INS-{request.id.removeprefix('REQ-')}",
        kind=kind,  # type: ignore[arg-type]  # one of the kinds, as checked above
        sentence=request.sentence,
        operations=operations,
        who=who,
        channel=str(request.slot("channel", "")) if is_watched else "",
        amount=amount,
        per=request.slot("per", "total") if kind == "cap" else "",
        created_at=request.created_at,
        created_by=request.sender,
        request_id=request.id,
        text=str(request.slot("text", "")),
    )
    agent.business.instructions.save(rule)
    holds = f"Noted, and it holds from now on for every agent: {_describe_rule(rule)}"
    return Say(holds if is_watched else _asked_instead(rule), _claims(agent, rule), "standing")


def _allow(agent: Agent, request: Request) -> Response:
    """Set the approval threshold that the owner names, and lift the owner's lower limits for everything."""
    limit = float(request.slot("amount", 0) or 0)
    before = agent.services.directory.profile(agent.business_id).approval_threshold_usd
    change_profile(agent, agent.business_id, {"approval_threshold_usd": limit})
    lower = [
        one
        for one in agent.business.instructions.all()
        if one.is_in_force and one.kind == "cap" and one.per == "total" and one.amount < limit
        if not (one.who or one.channel) and set(one.operations) in (set(), set(OUTWARD))
    ]
    agent.business.instructions.save(*(replace(one, lifted_at=agent.now(), lifted_by=request.sender) for one in lower))
    ended = "".join(f" This rule does not hold any more: {one.sentence!r} ({one.id})." for one in lower)
    claim = Claim("stakeholder profile", "approval_threshold_usd", limit, agent.now())
    told = f"The approval threshold is {money(limit)} now (before: {money(before)}): what costs more is put before you"
    rest = "So is what your other rules name, and what an agent may not decide alone."
    return Say(f"{told} first. {rest}{ended}", (claim,), "answered")


def _asked_instead(rule: Instruction) -> str:
    """Return that a rule which no gate can check is put before the owner whenever it may matter."""
    about = " and ".join(dict.fromkeys(_PLAIN.get(one, one.replace("_", " ")) for one in rule.operations))
    said = f"I note this rule, and I cannot check it by myself: {rule.sentence!r}."
    return f"{said} So from now on every agent asks you before {about}, with this rule in the question ({rule.id})."


def _describe_rule(rule: Instruction) -> str:
    names = dict.fromkeys(_PLAIN.get(one, one.replace("_", " ")) for one in rule.operations)
    about = " and ".join(names) if len(rule.operations) < 3 else ""
    about += f" on {rule.channel}" if rule.channel else ""
    if rule.kind == "forbid" and rule.who and rule.operations:
        said = f"this is not done without your leave where it concerns {rule.who}: {about}."
    elif rule.kind == "forbid":
        said = (
            f"no letters to {rule.who}." if rule.who else f"this is not done without your leave: {about or 'spending'}."
        )
    elif rule.kind == "closing":
        said = f"letters on your order{f' to {rule.who}' if rule.who else ''} end with {quote_text(rule.text)}."
    elif rule.kind == "cap":
        said = f"{describe_limit(rule)}; above that I ask you first."
    else:
        what = about or ("a letter" if rule.who else "anything that leaves the company or costs money")
        said = f"I ask you before {what}{f' that may concern {rule.who}' if rule.who else ''}."
    return f"{said} ({rule.id}: {rule.sentence!r})"


_NUMBER = re.compile(r"\d[\d,.]*\d|\d")


def _lift_rules(agent: Agent, request: Request) -> Response:
    who = str(request.slot("who", "")).casefold()
    rules = [one for one in agent.business.instructions.all() if one.is_in_force]
    chosen = [one for one in rules if one.id in request.sentence]
    if not chosen and (numbers := set(_NUMBER.findall(request.sentence))):  # "the rule about the 200"
        chosen = [one for one in rules if not numbers.isdisjoint(_NUMBER.findall(one.sentence))]
    elif not chosen:
        chosen = [one for one in rules if request.refers_to in (one.id, one.request_id) and request.refers_to]
    chosen = chosen or [one for one in rules if who and one.who and (who in one.who.casefold() or _alike(one, who))]
    if not chosen and len(rules) == 1 and not who and not _NUMBER.search(request.sentence):
        chosen = rules
    if not chosen:
        known = "; ".join(f"{one.id}: {one.sentence}" for one in rules)
        return Ask(f"Which rule do you lift? In force: {known}" if known else "No rule of yours is in force.")
    lifted = [replace(one, lifted_at=agent.now(), lifted_by=request.sender) for one in chosen]
    kept = [rule for one in chosen for rule in _for_the_others(agent, one, request)]
    agent.business.instructions.save(*lifted, *kept)
    told = "; ".join(f"{one.sentence!r} ({one.id})" for one in lifted)
    claims = tuple(Claim(one.id, "lifted_at", one.lifted_at, agent.now()) for one in lifted)
    whom = " and ".join(dict.fromkeys(one.who for one in lifted if one.who))
    about = f" for {whom}" if whom else ""
    rest = f" It goes on for {' and '.join(one.who for one in kept)}." if kept else ""
    return Say(f"Lifted: this rule does not hold any more{about}: {told}.{rest}", claims, "answered")


def _for_the_others(agent: Agent, rule: Instruction, request: Request) -> list[Instruction]:
    """Return a rule for each other contact of a rule about several (a family, a firm), where one of them is named."""
    contacts = agent.business.customers.contacts.all()
    known = [one for one in contacts if rule.who and one.name and concerns(rule, one)]
    spoken = set(terms(request.sentence))
    named = [one for one in known if spoken & (set(terms(one.name)) - set(terms(rule.who)))]
    others = [one for one in known if one not in named] if named else []
    return [replace(rule, id=f"{rule.id}-{number}", who=one.name) for number, one in enumerate(others, 1)]


def _alike(rule: Instruction, who: str) -> bool:
    return concerns(rule, Contact("", "", name=who, company=who))


def _claims(agent: Agent, rule: Instruction) -> tuple[Claim, ...]:
    fields = ("kind", "who", "amount", "per") if rule.kind == "cap" else ("kind", "who")
    return tuple(Claim(rule.id, name, getattr(rule, name), agent.now()) for name in fields if getattr(rule, name))
