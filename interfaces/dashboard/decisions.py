"""Open questions for the person: the queue, one question in full, and the answer to it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from mabos.configs.errors import InvalidArgument
from mabos.interfaces.actions import letter_of
from mabos.interfaces.dashboard.view import PageRequest, part
from mabos.interfaces.views.words import count, format_value
from mabos.society.decisions import Decision
from mabos.tools.mail.preview import LetterPreview
from mabos.tools.people.stakeholder import all_decisions, is_overdue
from mabos.tools.requests.answers.happenings import DEEDS
from mabos.workspace.clock import iso
from mabos.workspace.currencies import money

ARGUMENT = "argument:"
"""Before the names of an action's arguments, in the form that modifies it."""
LETTER_PARTS = ("text", "html", "subject")
"""Arguments that the letter itself shows."""


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A question in the queue; `price` is its cost, unless its subject states it."""

    decision: Decision
    is_overdue: bool
    price: str


class QuestionKind(NamedTuple):
    """Open questions about one operation: in words, their ids with the versions shown, and their cost."""

    words: str
    every: str
    price: str


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of the exact action: its value as text, and whether it is prose rather than JSON."""

    name: str
    text: str
    is_prose: bool

    @property
    def plain(self) -> str:
        """The readable value: a comma-separated list, a whole number without a decimal point."""
        if self.is_prose:
            return self.text
        value = json.loads(self.text)
        if isinstance(value, list) and not any(isinstance(one, list | dict) for one in value):
            return ", ".join(map(format_value, value))
        return self.text if isinstance(value, dict | list) else format_value(value)

    @property
    def is_long(self) -> bool:
        """Return whether it needs more than one line."""
        return len(self.text) > 60 or "\n" in self.text


@dataclass(frozen=True, slots=True)
class WaitingQuestion:
    """An open question in full: its action with every argument, and the letter that an approval would send."""

    decision: Decision
    arguments: list[Argument]
    letter: LetterPreview | None
    is_overdue: bool
    price: str

    @property
    def is_text(self) -> bool:
        """Return whether an approval sends or publishes a text, which its owner should read first."""
        return self.letter is not None or any(one.name == "body" for one in self.arguments)


def waiting(
    asked: PageRequest, decisions: list[Decision], limit: int, agent_id: str = ""
) -> tuple[list[WaitingQuestion], int]:
    """Return the first open questions of one agent or of all, and their number."""
    found = [one for one in decisions if one.open and agent_id in ("", one.from_agent)]
    return [whole(asked, one) for one in found[:limit]], len(found)


def whole(asked: PageRequest, decision: Decision) -> WaitingQuestion:
    """Return a question with everything an owner needs for the answer."""
    letter = letter_of(asked.services, decision)
    hidden = LETTER_PARTS if letter is not None else ()
    shown = [one for one in arguments(decision) if one.name not in hidden]
    return WaitingQuestion(decision, shown, letter, is_overdue(decision, iso(asked.now)), _price(asked, decision))


def _kinds(asked: PageRequest, waits: list[Decision]) -> Iterator[QuestionKind]:
    """Yield the questions that may be answered together: several about one operation, without a text to be read."""
    tools = [str(one.action["tool"]) for one in waits if one.action]
    for tool in (one for one in DEEDS if tools.count(one) > 1):
        found = [one for one in waits if one.action and one.action["tool"] == tool and not whole(asked, one).is_text]
        if len(found) > 1:
            every = " ".join(f"{one.id}:{one.version}" for one in found)
            currencies = {asked.services.directory.currency_of(one.from_agent) for one in found}
            total = sum(one.cost for one in found)
            price = money(total, *currencies) if len(currencies) == 1 and total else ""
            yield QuestionKind(f"{count(len(found), 'question')} about a {DEEDS[tool][1]}", every, price)


def _price(asked: PageRequest, decision: Decision) -> str:
    """Return the cost of a decision in the currency of its business; "" if it has none or its subject states it."""
    written = money(decision.cost, asked.services.directory.currency_of(decision.from_agent))
    return "" if decision.cost < 0.01 or written in decision.subject else written


def queue(asked: PageRequest) -> Mapping[str, Any]:
    """Return the queue, most urgent first, and the selected question in full."""
    every = all_decisions(asked.services)
    waiting = [one for one in every if one.open]
    wanted = asked.text("id")
    named = _one(every, wanted)
    is_all = asked.text("status") == "all" or (named is not None and not named.open)
    listed = sorted(every, key=lambda one: one.created_at, reverse=True) if is_all else waiting
    chosen = named or next(iter(listed), None)
    now = iso(asked.now)
    question = whole(asked, chosen) if chosen else None
    rows = [DecisionRow(one, is_overdue(one, now), _price(asked, one)) for one in listed]
    return {
        "status": "all" if is_all else "",
        "waiting": len(waiting),
        "answered": len(every) - len(waiting),
        "part": part(rows, asked.number("from")),
        "kinds": list(_kinds(asked, waiting)),
        "answered_now": asked.number("now"),
        "missing": wanted if wanted and named is None else "",
        "one": chosen,
        "arguments": list(arguments(chosen)) if chosen else [],
        "question": question,
        "is_overdue": chosen is not None and is_overdue(chosen, now),
        "done": _one(every, asked.text("done")),
        "today": now[:10],
    }


def arguments(decision: Decision) -> Iterator[Argument]:
    """Yield the arguments of a question's action in readable, editable form."""
    for name, value in (decision.action or {}).get("arguments", {}).items():
        is_prose = isinstance(value, str)
        yield Argument(name, value if is_prose else json.dumps(value, ensure_ascii=False), is_prose)


def answer(decision: Decision, given: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments of `decision_resolve` from a form.

    Raises `InvalidArgument` for a value that should be JSON but is not, and if nothing was changed.
    """
    resolution = given.get("resolution", "")
    told: dict[str, Any] = {"decision_id": decision.id, "resolution": resolution}
    told |= {name: given[name] for name in ("feedback", "until", "chosen_option") if given.get(name)}
    if (version := given.get("version", "")).isdecimal() and len(version) < 10:
        told["version"] = int(version)
    if resolution == "modify":
        told["modifications"] = dict(_read_changes(decision, given))
        if not told["modifications"]:
            raise InvalidArgument("nothing was changed; change an argument, or approve the action as it is")
    return told


def _read_changes(decision: Decision, given: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    for one in arguments(decision):
        text = given.get(ARGUMENT + one.name, one.text).replace("\r\n", "\n")
        if text == one.text.replace("\r\n", "\n"):
            continue
        try:
            yield one.name, text if one.is_prose else json.loads(text)
        except ValueError:
            wrong = f"{one.name}: {text!r} is not JSON; write it as {one.text}"
            raise InvalidArgument(wrong, argument="modifications") from None


def _one(every: list[Decision], decision_id: str) -> Decision | None:
    return next((one for one in every if one.id == decision_id), None)
