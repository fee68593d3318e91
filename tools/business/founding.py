"""Founding of a business from its owner's words, read into figures, rules, duties, people and questions."""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from mabos.configs.errors import InvalidArgument
from mabos.language.interpreter import Context
from mabos.language.request import Request, Slot
from mabos.language.sentences import split
from mabos.language.standing import standing
from mabos.society.business import ABOUT_FILE, INBOX_FOLDER, Manifest
from mabos.society.describing import (
    INTERVALS,
    DescribedBusiness,
    InterviewQuestion,
    interview,
    is_prose,
    join_wrapped_lines,
)
from mabos.society.describing_words import patterns_of
from mabos.society.figures import OWNER, target_words
from mabos.society.messages import Message
from mabos.society.metrics import MetricPoint, build_point
from mabos.society.pricing import Price, Pricing, Product
from mabos.society.roles import STAKEHOLDER
from mabos.society.templates import BusinessTemplate
from mabos.tools.business.figure_watch import PACK_FILE
from mabos.tools.requests.answers.periods import periods_in
from mabos.tools.requests.standing import instruct
from mabos.tools.runtime.services import Agent
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.copies import replace
from mabos.workspace.currencies import home

_OPTIONAL = ("vocabulary", "customers", "revenue_streams")
"""Questions of the interview that agents do not put to the owner by themselves."""
_FIRST_ASKED = 3
"""Questions that one agent puts to the owner at first."""
_NOTED = (
    "I note these rules, and nothing enforces them: {}. I can enforce that something is not done, or is asked first."
)
_USUAL = "Until you set other targets, I take those that are usual in this line: {}."


def settle(agent: Agent, manifest: Manifest, described: DescribedBusiness, said: str) -> None:
    """Record a new business's foundations: the pack, figures, people, rules, duties and the first questions.

    Prose goes into the inbox as `said`, one sentence per paragraph, so that answers quote no more than necessary.
    Without it, targets are typical ones, as the questions state. Repeating it changes nothing.
    """
    business = agent.services.business(manifest.id)
    if said:
        pack = described.pack.model_dump(mode="json", exclude_defaults=True)
        text = yaml.safe_dump(pack, sort_keys=False, allow_unicode=True, width=110)
        write_atomic(business.directory / PACK_FILE, text.encode())
        if is_prose(said):
            lines = [one for line in join_wrapped_lines(said.strip()) for one in split(line)]
            page = "\n\n".join((f"# {manifest.name}", *lines))
            write_atomic(business.directory / INBOX_FOLDER / ABOUT_FILE, f"{page}\n".encode())
    now = iso(agent.clock())
    business.metrics.record_all(_points(described, now))
    record_prices(agent, business.pricing, described)
    chief = agent.services.agent(manifest.agent("ceo"), clock=agent.clock, ids=agent.ids)
    for person in described.pack.people:
        words = next((one.words for one in described.parts if one.value.startswith(person.name)), person.name)
        duty = person.duty or "works here"
        chief.facts.assert_(person.name, "duty", duty, confidence=0.9, source=f"{OWNER}: {words}")  # noqa: PT009 - a fact
    rules = enumerate(described.pack.rules, start=1)
    if noted := [repr(one) for number, one in rules if not _rule(chief, manifest, one, number, now)]:
        told = Message(
            f"MSG-{manifest.id}-NOTED", chief.id, STAKEHOLDER, "INFORM", _NOTED.format("; ".join(noted)), now
        )
        agent.services.mail.deliver(told)
    for number, sentence in enumerate(described.pack.duties, start=1):
        order = Message(f"MSG-{manifest.id}-DUTY-{number}", STAKEHOLDER, chief.id, "REQUEST", _as_order(sentence), now)
        agent.services.mail.deliver(order)
    _ask(agent, manifest, described, now, is_usual=not said)


def record_prices(agent: Agent, pricing: Pricing, described: DescribedBusiness) -> None:
    """Record the prices in a description; a product's new price replaces its others of the interval."""
    now = iso(agent.clock())
    for name, sum_ in described.prices.items():
        product = pricing.named(name) or Product(agent.ids.new("prod"), name, created_at=now)
        interval, cents = INTERVALS[sum_.per], round(sum_.value * 100)
        code = (sum_.unit or described.pack.currency or home()).lower()
        open_prices = [one for one in pricing.prices.all() if one.active and one.product == product.id]
        older = [one for one in open_prices if (one.interval, one.currency) == (interval, code)]
        if cents < 1 or [one.unit_amount for one in older] == [cents]:
            continue
        pricing.products.save(product)
        made = Price(agent.ids.new("price"), product.id, cents, interval, currency=code, created_at=now)
        pricing.prices.save(*(replace(one, active=False) for one in older), replace(made, created_by=OWNER))


def described_result(described: DescribedBusiness) -> dict[str, Any]:
    """Return the parsed content with its words, the unread parts, and the open questions."""
    return {
        "line": described.pack.title,
        "read": [{"what": one.what, "value": one.value, "words": one.words} for one in described.parts],
        "not_read": list(described.unread),
        "open_questions": [{"key": one.key, "question": one.ask} for one in described.questions],
    }


def _points(described: DescribedBusiness, now: str) -> list[MetricPoint]:
    points = list[MetricPoint]()
    today = parse_time(now).date()
    for one in described.values:
        named, _ = periods_in(one.when, today)
        if one.when and not named:
            continue
        try:
            at = now if not named or named[-1].last >= today else named[-1].last.isoformat()
            points.append(build_point(one.name, one.value, at, one.unit, source=OWNER))
        except InvalidArgument:  # a name that is no name of a series says nothing
            continue
    return points


def _rule(chief: Agent, manifest: Manifest, sentence: str, number: int, now: str) -> bool:
    """Have a rule hold from the first minute, as if the owner had said it; return whether the gate holds it."""
    read, name = standing(sentence, Context(chief.clock()), 1.0), f"{manifest.id}-rule-{number}"
    is_broad = read.operation != "ask_first" or read.slots or _EVERYTHING.search(sentence)
    slots = read.slots if is_broad else (Slot("operations", ("work_package_create",), sentence),)
    said = Request(f"REQ-{name}", "", STAKEHOLDER, "standing", sentence, read.operation, slots, created_at=now)
    instruct(chief, said)
    chief.facts.assert_("company", f"rule_{number}", sentence, confidence=0.9, source=OWNER)  # noqa: PT009 - a fact
    return chief.business.instructions.find(f"INS-{name}") is not None


_EVERYTHING = re.compile(r"(?i)\b(?:nothing|anything|everything|always|whatever)\b")
"""A rule to ask first without such a word, as "Nobody's lock gets cut without me", is about work alone."""

_REMIND_LAST, _EVERY = (patterns_of("sentences")[name] for name in ("remind_last", "every"))


def _as_order(sentence: str) -> str:
    """Return a duty as an order that informs only its owner: a report as it is, else a reminder."""
    said = sentence.strip().rstrip(".")
    if reminded := _REMIND_LAST.match(said):
        return f"Remind me {reminded['when'][:1].lower()}{reminded['when'][1:]}: {reminded['what']}."
    if any(f" {word} " in f" {said.lower()} " for word in ("report", "send me", "tell me", "show me", "remind me")):
        return f"{said}."
    when, _, what = said.partition(", ") if ", " in said else ("", "", "")
    if not what and (timed := _EVERY.match(said)):
        when, what = timed["when"], timed["what"]
    if not what:
        return f"Remind me to {said[:1].lower()}{said[1:]}." if said.startswith("Remind ") else f"Remind me: {said}."
    return f"Remind me {when[:1].lower()}{when[1:]}: {what}."


def _ask(agent: Agent, manifest: Manifest, described: DescribedBusiness, now: str, *, is_usual: bool) -> None:
    """Let roles ask the owner first about each gap in the description, once; name targets that are only usual."""
    asked, usual = dict[str, list[str]](), dict[str, list[str]]()
    known = {one.name for one in described.values}
    aimed = {one.name: one for one in described.pack.figures if one.target}
    if is_usual:
        for role, condition in _usual_targets(described.pack):
            usual.setdefault(role, []).append(condition)
        aimed = {}
    for figure in aimed.values():
        if figure.name not in known:
            asked.setdefault(figure.owner or "ceo", []).append(
                f"How much {'are' if figure.called.endswith('s') else 'is'} {figure.called} now?"
            )
    known |= set() if is_usual else {*aimed, *(one.key for one in interview() if one not in described.questions)}
    for first in described.pack.questions:
        if not first.figures or not set(first.figures) <= known:
            asked.setdefault(first.role, []).append(first.text)
    covered = {*_OPTIONAL, *(name for first in described.pack.questions for name in first.figures)}
    for question in described.questions:
        if question.key not in covered:
            asked.setdefault(_asker(question), []).append(question.ask)
    for role in sorted({**asked, **usual}, key=lambda one: one == "ceo"):  # a chat goes on with who asked last
        parts = [*dict.fromkeys(asked.get(role, ()))][:_FIRST_ASKED]
        parts += [_USUAL.format("; ".join(dict.fromkeys(usual[role])))] if role in usual else []
        name, sender = f"MSG-{manifest.id}-FIRST-{role}", manifest.agent(role)
        agent.services.mail.deliver(Message(name, sender, STAKEHOLDER, "QUERY", " ".join(parts), now))


def _usual_targets(pack: BusinessTemplate) -> Iterator[tuple[str, str]]:
    """Yield each target that a pack has for a figure or a desire of a role, in words, with the role."""
    figures = {one.name: one for one in pack.figures}
    aims = [(one.owner or "ceo", one.condition) for one in pack.figures]
    aims += [(role, one.target) for role, own in pack.roles.items() for one in own.desires]
    for role, condition in aims:
        if figure := figures.get(condition.partition(" ")[0]):
            yield role, f"{figure.called} {target_words(condition, figure.unit)}"


def _asker(question: InterviewQuestion) -> str:
    return "cfo" if question.figure or question.key in ("revenue_streams", "spending") else "ceo"
