"""Read reports of work done by people: the open steps meant, and their other statements."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mabos.language.request import Request
from mabos.language.wordlists import order_form, order_words
from mabos.memory.stem import stem
from mabos.mind.model import Step
from mabos.mind.plans import fold_outcome
from mabos.tools.requests.carrying import Carried, find_carrying_records
from mabos.tools.requests.colleagues import WAIT
from mabos.tools.requests.projects import is_manual
from mabos.tools.requests.response import Ask, Response, Say, StepReport
from mabos.tools.requests.wording import day, join_words, quote_text
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace
from mabos.workspace.text import STOPWORDS, terms

_PAST: Final = (
    "drawn:draw drew:draw redrawn:draw made:make sent:send written:write wrote:write rewritten:write "
    "bought:buy told:tell built:build rebuilt:build taken:take took:take chosen:choose chose:choose got:get "
    "gotten:get found:find put:put cut:cut hung:hang laid:lay paid:pay sold:sell taught:teach given:give "
    "gave:give held:hold kept:keep met:meet swept:sweep redone:do sewn:sew grown:grow dug:dig driven:drive "
    "brought:bring caught:catch fed:feed lent:lend left:leave read:read run:run set:set shown:show "
    "spoken:speak spoke:speak thrown:throw wound:wind hired:hire picked:pick sorted:sort"
)
_IRREGULAR: Final = dict(one.split(":") for one in _PAST.split())
"""Past forms and their verbs."""
_GENERIC = order_words("reports.generic")
"""Words that say that something is over, whatever it was."""
_OPEN_WORDS = order_form("reports.open_words")
_STATE = order_form("reports.state")
_SPLIT = order_form("reports.split")
_FILLER: Final = frozenset(terms("all everything also now already just today yesterday been have has"))
_NO_OBJECT: Final = frozenset(("do", "make", "get", "need", "have", "please", "must", "should"))
_VERSION: Final = "-r"
CLEAR: Final = 0.5
"""The share of a step's words from which a clause with another verb is worth a question."""


@dataclass(frozen=True, slots=True)
class OpenStep:
    """A person's step in an open request."""

    request: Request
    found: Carried
    step: Step

    @property
    def words(self) -> frozenset[str]:
        """The stems of its words, without those in the title of a longer plan, which all its steps share."""
        own = stems(self.step.description) - _NO_OBJECT
        title = stems(self.found.goal.description) if len(self.found.plan.steps) > 1 else frozenset[str]()
        return own - title or own


@dataclass(frozen=True, slots=True)
class Clause:
    """A statement of a report."""

    text: str

    @property
    def is_of_completion(self) -> bool:
        """Return whether it says that something is finished, not planned or negated."""
        says_so = bool(self._participles or self.state or _GENERIC & set(terms(self.text)))
        return says_so and not _OPEN_WORDS.search(self.text)

    @property
    def state(self) -> str:
        """The word for the current state of a thing, "down" of "the bell is down"; empty if none."""
        found = _STATE.search(self.text)
        return found[1].lower() if found else ""

    @property
    def verbs(self) -> frozenset[str]:
        """The stems of the participles for the exact work done: measured, drawn."""
        return frozenset(stem(_IRREGULAR.get(one, one)) for one in self._participles if one not in _GENERIC)

    @property
    def words(self) -> frozenset[str]:
        """The stems of its words."""
        return stems(self.text) - {stem(one) for one in (*_GENERIC, *_FILLER)}

    @property
    def _participles(self) -> list[str]:
        return [one for one in terms(self.text) if one in _IRREGULAR or (one.endswith("ed") and len(one) > 3)]


def report(agent: Agent, request: Request) -> Response:
    """Return the open steps that a report names as done, and its other statements.

    A clause that fits two steps, or a step but for its verb, is asked about; nothing is marked on a guess.
    """
    steps, is_confirmed = open_steps(agent), bool(request.data.get("amended"))
    done, rest, doubtful = dict[str, OpenStep](), list[str](), list[str]()
    for clause in clauses(str(request.slot("text", "") or request.sentence)):
        fitting = _fitting(clause, steps) if clause.is_of_completion or is_confirmed else []
        if not fitting:
            rest.append(clause.text)
        elif question := "" if is_confirmed else _doubt(clause, fitting):
            doubtful.append(question)
        else:
            done |= {f"{one.request.id}/{one.step.id}": one for one in fitting}
    if doubtful and not done:
        return Ask(" ".join(doubtful), ("step",))
    if not done and not rest:
        return Say("Thank you.")
    marked: dict[str, tuple[str, ...]] = {}
    for one in done.values():
        marked[one.request.id] = (*marked.get(one.request.id, ()), one.step.id)
    told = [f"I have noted: {text.rstrip('.')}." for text in rest] + doubtful
    return StepReport(marked, " ".join(told), tuple(rest))


def open_steps(agent: Agent) -> list[OpenStep]:
    """Return the steps that people must report, of all open requests, in the order of the plans."""
    found = []
    for request in agent.requests.all():
        carries = find_carrying_records(agent, request) if request.status == "underway" else None
        if carries is not None:
            found += [
                OpenStep(request, carries, step)
                for step in carries.plan.steps
                if is_manual(step) and step.id != WAIT and step.status in ("pending", "waiting")
            ]
    return found


def mark_done(agent: Agent, target: Request, step_ids: Sequence[str], word: Request) -> None:
    """Mark steps as done on a person's report; the plan continues."""
    found = find_carrying_records(agent, target)
    if found is None:
        return
    who = "you" if word.sender == target.sender else word.sender
    plan, now = found.plan, agent.now()
    for step_id in step_ids:
        result = f"reported by {who} on {day(now)} ({word.message_id})"
        plan = fold_outcome(plan, step_id, "done", agent.mind.index, now, result=result)
    intention = replace(found.intention, status="active", reason=word.sentence, updated=now)
    agent.mind.save(plan, intention, why=f"{word.sender} reported it in {word.message_id}", cycle=agent.cycle)


def clauses(text: str) -> tuple[Clause, ...]:
    """Return the statements of a text; a part without its own verb belongs to the next one.

    >>> [one.text for one in clauses("The pitch and the stall are measured, and the sketch is drawn.")]
    ['The pitch and the stall are measured', 'the sketch is drawn']
    """
    found, held, at = list[str](), "", 0
    for match in [*_SPLIT.finditer(text), None]:
        end = match.start() if match else len(text)
        part = text[at:end]
        is_whole = Clause(part).is_of_completion or bool(
            re.search(r"[.!?;\n]", text[end - 1 : end + 1] if match else ".")
        )
        if is_whole:
            found.append(f"{held}{part}".strip(" .,;!"))
            held = ""
        else:
            held += part + (match[0] if match else "")
        at = match.end() if match else end
    if held.strip():
        found.append(held.strip(" .,;!"))
    return tuple(Clause(one) for one in found if one)


def stems(text: str) -> frozenset[str]:
    """Return the stems of the meaningful words in a text."""
    return frozenset(stem(_IRREGULAR.get(one, one)) for one in terms(text) if one not in STOPWORDS and len(one) > 1)


def _fitting(clause: Clause, steps: Sequence[OpenStep]) -> list[OpenStep]:
    """Return the steps that a clause names; without a name it means the only one that waits."""
    if not clause.words:
        return [one for one in steps if one.step.status == "waiting"]
    if clause.state and (stated := [one for one in steps if _is_stated(clause, one.step.description)]):
        return stated
    shared = [(one, clause.words & one.words) for one in steps]
    named = [(one, words) for one, words in shared if words]
    return [one for one, words in named if not any(words < others for _, others in named)]


def _is_stated(clause: Clause, description: str) -> bool:
    """Return whether a step brings a thing to the state that a clause names: "take the bell down"."""
    return clause.state in terms(description) and bool(clause.words & stems(description))


def _doubt(clause: Clause, fitting: Sequence[OpenStep]) -> str:
    """Return the question that a clause leaves open, or an empty text."""
    by_words: dict[frozenset[str], list[OpenStep]] = {}
    for one in fitting:
        by_words.setdefault(clause.words & one.words, []).append(one)
    for words, several in by_words.items():
        if len(several) > 1:
            names = join_words((quote_text(one.step.description) for one in several), "or")
            return f"Which step is done: {names}?"
        (one,) = several
        if clause.state and _is_stated(clause, one.step.description):
            continue
        is_new_version = _VERSION in one.step.id
        if clause.verbs and not clause.verbs & stems(one.step.description) and not is_new_version:
            return f"Do you mean that this step is done: {quote_text(one.step.description)}?"
        is_thing = clause.words <= one.words and _thing(one.step.description) in clause.words  # "we have the quotes"
        if not clause.verbs and not is_thing and len(words) / len(one.words) < CLEAR:
            return f"Do you mean that this step is done: {quote_text(one.step.description)}?"
    return ""


def _thing(description: str) -> str:
    """Return the stem of what a step gets or makes: "quote" of "get three quotes for the gate"."""
    phrase = re.split(
        r"(?i)\s+(?:for|of|from|to|on|in|at|with|by|over|into|until|before|up|down|out)\b|[,(]", description
    )[0]
    words = [one for one in terms(phrase)[1:] if one not in STOPWORDS]
    return stem(words[-1]) if words else ""
