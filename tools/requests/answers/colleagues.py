"""Find colleagues' answers to the agent's questions, and missing ones, in the messages on record."""

from collections.abc import Sequence
from dataclasses import dataclass

from mabos.language.request import Claim
from mabos.memory.stem import stem
from mabos.society.messages import Message
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.answers.statement import Statement, together
from mabos.tools.requests.answers.synonyms import empty_words, question_forms
from mabos.tools.requests.answers.work_items import is_uncommon, meaningful, overlap
from mabos.tools.requests.colleagues import title
from mabos.tools.requests.wording import day, join_words, quote_text
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import one_line, terms

_MOST = 8
_ALL = question_forms("in_colleagues")["all"]
"""Words that ask for all answers, and name none."""
_ASKS = ("QUERY", "QUERY_REF", "REQUEST")
_PEOPLE = frozenset(map(stem, empty_words("of_colleagues")))
"""Words for colleagues, and for what they said, that name no question."""
_DEPARTMENTS = {
    "cfo": "finance money books",
    "cto": "technology tech engineering",
    "cmo": "marketing",
    "coo": "operations",
    "hr": "people personnel staff",
    "legal": "lawyer lawyers law counsel",
    "ceo": "boss",
}


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question to a colleague, and the latest answer to it, if any."""

    asked: Message
    answer: Message | None = None


def exchanges(agent: Agent) -> tuple[Exchange, ...]:
    """Return the agent's questions to its colleagues, newest first."""
    received = [one for one in agent.inbox.messages() if one.reply_to and one.performative != "AGREE"]
    found = [
        Exchange(sent, next((one for one in reversed(received) if one.reply_to == sent.id), None))
        for colleague in agent.services.agents()
        if colleague != agent.id
        for sent in agent.services.inbox(colleague).messages()
        if sent.sender == agent.id and sent.performative in _ASKS
    ]
    return tuple(sorted(found, key=lambda one: one.asked.timestamp, reverse=True))


def answers_of(agent: Agent, question: str, number: int) -> Statement:
    """Return the answers of the colleagues meant, each by name, or a note that one is still missing.

    They are those named in the question; else those asked about its words; else the last `number` asked.
    """
    every = exchanges(agent)
    if _ALL.search(question) and not meaningful(_ALL.sub(" ", question)):
        return together(_describe_exchange(agent, one) for one in reversed(every[:_MOST]))
    return together(_describe_exchange(agent, one) for one in _select_exchanges(agent, every, question, number))


def answers_since(agent: Agent, moment: str) -> Statement:
    """Return the answers of colleagues since a moment (ISO 8601)."""
    fresh = [one for one in exchanges(agent) if one.answer is not None and one.answer.timestamp > moment]
    return together(_describe_exchange(agent, one) for one in _latest_each(fresh))


def not_answered(agent: Agent) -> Statement:
    """Return the colleagues without an answer; that all have answered, if some were asked; else nothing."""
    latest = _latest_each(exchanges(agent))
    missing = [one for one in latest if one.answer is None]
    told = together(_describe_exchange(agent, one) for one in missing or latest)
    return told if missing or not latest else together([Statement("Everybody whom I asked has answered"), told])


def not_asked(agent: Agent, question: str) -> Statement:
    """Return that the colleague named in a question was asked nothing; empty if it names none."""
    words = set(terms(question))
    named = [one for one in agent.services.agents() if one != agent.id and words & _names(agent, one)]
    return (
        Statement(f"I have asked {join_words(title(agent, one) for one in named)} nothing that is on record")
        if named
        else Statement()
    )


def _select_exchanges(agent: Agent, every: Sequence[Exchange], question: str, number: int) -> list[Exchange]:
    words = set(terms(question))
    named = _latest_each([one for one in every if words & _names(agent, one.asked.to)])
    if len(named) >= number:
        return named
    wanted = [one for one in meaningful(question) if one not in _PEOPLE and is_uncommon(one)]
    about = [one for one in every if wanted and overlap(wanted, f"{one.asked.content} {_content(one)}") >= 0.5]
    found = named or _latest_each(about)
    if number > len(found) > 0:
        return _latest_each(every)[:number]  # "all three: staff, licences, suppliers"
    if about or wanted:
        return found
    latest = every[0].asked.timestamp[:16] if every else ""
    together_asked = [one for one in every if one.asked.timestamp[:16] == latest]
    return _latest_each(every)[:number] if number > 1 else _latest_each(together_asked)


def _names(agent: Agent, agent_id: str) -> set[str]:
    title = agent.services.agent(agent_id).mind.persona.title if agent_id in agent.services.agents() else ""
    return {*terms(agent_id), *_DEPARTMENTS.get(agent_id, "").split()} | {title.casefold()}


def _latest_each(every: Sequence[Exchange]) -> list[Exchange]:
    """Return the newest exchange with each colleague."""
    return list({one.asked.to: one for one in reversed(every)}.values())


def _content(exchange: Exchange) -> str:
    return exchange.answer.content if exchange.answer is not None else ""


def _describe_exchange(agent: Agent, exchange: Exchange) -> Statement:
    asked, answer, now = exchange.asked, exchange.answer, agent.now()
    who = "you" if asked.to == STAKEHOLDER else title(agent, asked.to)
    if answer is None:
        text = f"{who} has not answered yet; I asked on {day(asked.timestamp)}: {quote_text(asked.content)}"
        return Statement(text, (Claim(asked.id, "content", asked.content, now),))
    verb = {"REFUSE": "refused", "FAILURE": "could not do it", "NOT_UNDERSTOOD": "did not understand"}
    said = f"{who} {verb.get(answer.performative, 'answered')} on {day(answer.timestamp)}: {one_line(answer.content)}"
    return Statement(said, (Claim(answer.id, "content", answer.content, now),))
