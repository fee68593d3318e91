"""What an agent knows about a question: what it believes, and beside that what its facts say."""

from collections.abc import Iterator
from itertools import islice

from mabos.knowledge.model import Fact
from mabos.mind.beliefs import claim, content
from mabos.mind.grounds import belief_of, names
from mabos.mind.model import Belief
from mabos.nodes.perception.messages import answer
from mabos.society.messages import Message
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso
from mabos.workspace.text import STOPWORDS, terms

_WORDS, _LONGEST = 40, 3  # how much of a question is looked up among the facts, and the most words of one name


def known(agent: Agent, question: Message, *, limit: int = 5) -> tuple[Belief, ...]:
    """Return what answers a question, beliefs before facts; a fact that is believed is said once."""
    held = answer(question, agent.mind.beliefs, limit=limit)
    said = {(claim(one), content(one)) for one in held}
    facts = (_as_belief(fact, agent) for fact in _facts(agent, question))
    fresh = (one for one in facts if (claim(one), content(one)) not in said)
    return (*held, *islice(fresh, limit - len(held)))


def _facts(agent: Agent, question: Message) -> Iterator[Fact]:
    """Yield the facts about what a question names: by subject and predicate of its metadata, else by its words."""
    facts = agent.facts.lookup()
    subject, predicate = (str(question.metadata.get(name, "")) for name in ("subject", "predicate"))
    if subject or predicate:
        yield from sorted(facts(subject, predicate, ""), key=_surest)
        return
    told = set[str]()
    for name in _names(question.content):
        for fact in sorted([*facts(name, "", ""), *facts("", name, "")], key=_surest):
            if fact.id not in told:
                told.add(fact.id)
                yield fact


def _names(text: str) -> Iterator[str]:
    """Yield what a text may name, the longest first: its words, and neighbours joined as names are written."""
    words = terms(text)[:_WORDS]
    for length in range(_LONGEST, 0, -1):
        for start in range(len(words) - length + 1):
            part = words[start : start + length]
            if not STOPWORDS.issuperset(part):
                yield from dict.fromkeys(joint.join(part) for joint in "_ -")


def _surest(fact: Fact) -> tuple[float, str]:
    return -fact.confidence, fact.id


def _as_belief(fact: Fact, agent: Agent) -> Belief:
    return belief_of(fact, names(fact.subject, fact.predicate, ()), iso(agent.clock()))
