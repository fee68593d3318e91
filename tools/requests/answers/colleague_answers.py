"""Answer questions from colleagues' earlier answers, with their names and days."""

from collections.abc import Iterator

from mabos.language.request import Claim
from mabos.language.wordlists import order_form
from mabos.society.messages import Message
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.periods import day_label
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.synonyms import covering, stems_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import parse_time
from mabos.workspace.text import terms

_MOST = 4
NOTHING = "I have no record"
"""The start of an answer that found nothing: it is no record itself."""
_ANSWERED = order_form("answers_colleague_answers.answered")


def answer_colleagues(agent: Agent, question: Question) -> Found | None:
    """Return the colleagues' answers on the topic of a question; None if there are none.

    A question for the answers themselves ("What did the two answer?") gets the latest answer of each colleague.
    """
    answers = list(_answers(agent))
    own = {stem for message, _ in answers for stem in stems_of(message.sender)}
    topic = [stem for stem in question.topic if stem not in own]
    if not topic:
        if not answers or not (question.topic or _ANSWERED.search(question.text)):
            return None
        senders = [
            message
            for message, _ in answers
            if not question.topic or set(stems_of(message.sender)) & set(question.topic)
        ]
        chosen = list({message.sender: message for message in reversed(senders)}.values())
        return _quote_messages(chosen[:_MOST])
    chosen, covered = [], set[str]()
    for message, asked in answers:
        words = [stem for word in terms(f"{asked} {message.content}") for stem in stems_of(word)]
        fresh = {stem for stem in topic if covering(stem, words)} - covered
        if fresh:
            chosen.append(message)
            covered |= fresh
    return _quote_messages(chosen) if chosen and covered >= set(topic) else None


def _answers(agent: Agent) -> Iterator[tuple[Message, str]]:
    """Yield colleagues' answers to this agent's questions, newest first, each with the question."""
    for message in reversed(agent.inbox.messages()):
        if message.performative == "INFORM" and message.sender not in (STAKEHOLDER, agent.id) and not message.flag:
            if message.content.startswith(NOTHING):
                continue
            asked = None
            if message.reply_to and message.sender in agent.services.agents():
                asked = agent.services.inbox(message.sender).find(message.reply_to)
            if asked is not None and asked.sender == agent.id:
                yield message, asked.content


def _quote_messages(messages: list[Message]) -> Found | None:
    if not messages:
        return None
    lines = tuple(
        f"{_title(one.sender)} ({day_label(parse_time(one.timestamp).date())}): {one.content.strip()}"
        for one in messages
    )
    claims = tuple(Claim(f"message {one.id}", "content", one.content, one.timestamp) for one in messages)
    return Found(lines, claims)


def _title(sender: str) -> str:
    return sender.upper() if len(sender) <= 3 else sender.capitalize()
